// SPDX-License-Identifier: Apache-2.0
//! The integer core: registers, modes, status, and memory as its instructions see it, and
//! exceptions. Source: ARM Architecture Reference
//! Manual (DDI 0100), chapters A2 (programmers' model) and A3 (instruction set).

mod exception;
mod state;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::arch::Dead;
use crate::arm::cpu::semihosting::Semihosting;
use crate::arm::cpu::timing::Pipeline;
use crate::arm::cpu::Observer;
use crate::arm::isa::exception::Exception;
use crate::arm::isa::mode::{self, bank, Bank};
use crate::arm::isa::psr;
use crate::arm::memory::memsys::{Abort, Loaded, MemSys};
use crate::config::MachineConfig;
use crate::counters::Privilege;
use crate::dev::Width;
use crate::event::Cycle;
use crate::observe::Access;

/// Something UNPREDICTABLE or doubtful that the guest did; counted with the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Diagnostic {
    /// A write of a mode field that names no mode; the mode stays.
    InvalidMode,
    /// A saved status register used in a mode that has none.
    NoSavedStatus,
    /// A CP15 operation that the manual does not define; ignored.
    UndefinedCp15,
    /// A condition field of 0b1111; not executed.
    NeverCondition,
    /// A load or store with writeback to r15, or of an empty register list.
    UnpredictableOperands,
}

impl Diagnostic {
    /// The name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::InvalidMode => "invalid-mode",
            Self::NoSavedStatus => "no-saved-status",
            Self::UndefinedCp15 => "undefined-cp15",
            Self::NeverCondition => "never-condition",
            Self::UnpredictableOperands => "unpredictable-operands",
        }
    }
}

/// The processor.
pub struct Core<O: Observer> {
    /// The registers of the current mode. While an instruction executes r15 is its address plus
    /// two instructions (8 in ARM state, 4 in Thumb state); between instructions it is the address
    /// of the next one.
    pub r: [u32; 16],
    /// Where the next instruction is fetched, set by what changes the flow.
    pub(super) next_pc: Option<u32>,
    pub(super) cpsr: u32,
    /// The bits that status registers have.
    psr_implemented: u32,
    /// Base-two logarithm of the bytes of an instruction: 2 in ARM state, 1 in Thumb state.
    pub(super) insn_shift: u32,
    /// r13 and r14 by bank; the current bank's are in `r`.
    banked: [[u32; 2]; 6],
    /// r8 to r12 of fast interrupt mode when another mode runs, of the others when it runs.
    banked_high: [u32; 5],
    spsr: [u32; 6],
    /// Memory system and time.
    pub mem: MemSys,
    /// Interlocks.
    pub(super) pipeline: Pipeline,
    /// The processor identification of CP15 register 0.
    pub(super) processor_id: u32,
    /// CP15 register 13, opcode 2 = 1 (ARM926EJ-S): for the guest's own use.
    pub(super) context_id: u32,
    /// Sleeping until an interrupt.
    pub(super) waiting: bool,
    /// What serves semihosting calls, if that is asked for.
    pub(super) semihosting: Option<Box<Semihosting>>,
    /// The exception that the last step took.
    pub taken: Option<Exception>,
    /// Set when the core cannot go on.
    pub dead: Option<Dead>,
    /// UNPREDICTABLE things the guest did, by kind and address.
    pub diagnostics: BTreeMap<(Diagnostic, u32), u64>,
    /// The slot of the line that was fetched last ([`MemSys::line`]).
    pub(super) line_slot: usize,
    /// The encoding of an instruction that came straight from memory.
    pub(super) single: Option<u32>,
    /// The observer.
    pub observer: O,
}

impl<O: Observer> Core<O> {
    /// A core as reset leaves it: supervisor mode, interrupts masked, at address 0.
    #[must_use]
    pub fn new(config: &MachineConfig, mem: MemSys, observer: O) -> Self {
        let arm = config.arm().expect("the machine file of an ARM");
        Self {
            r: [0; 16],
            next_pc: None,
            cpsr: mode::SVC | psr::I | psr::F,
            psr_implemented: mem.core.architecture.status_bits(),
            insn_shift: 2,
            banked: [[0; 2]; 6],
            banked_high: [0; 5],
            spsr: [0; 6],
            mem,
            pipeline: Pipeline::new(arm.pipeline.clone()),
            processor_id: arm.id,
            context_id: 0,
            waiting: false,
            semihosting: None,
            taken: None,
            dead: None,
            diagnostics: BTreeMap::new(),
            line_slot: 0,
            single: None,
            observer,
        }
    }

    /// Whether the processor is in Thumb state.
    #[inline]
    #[must_use]
    pub fn thumb(&self) -> bool {
        self.insn_shift == 1
    }

    /// Bytes of an instruction in this state.
    #[inline]
    pub(super) fn insn_bytes(&self) -> u32 {
        1 << self.insn_shift
    }

    /// The address of the instruction that executes.
    #[inline]
    #[must_use]
    pub fn pc(&self) -> u32 {
        self.r[15].wrapping_sub(2 << self.insn_shift)
    }

    /// The address of the instruction after it.
    #[inline]
    pub(super) fn following(&self) -> u32 {
        self.r[15].wrapping_sub(1 << self.insn_shift)
    }

    /// What a branch with link from here leaves in r14: the address of the instruction after it,
    /// and in bit 0 the state.
    pub(super) fn return_link(&self) -> u32 {
        self.following() | u32::from(self.thumb())
    }

    /// Changes between ARM and Thumb state. A core without Thumb stays in ARM state.
    pub(super) fn set_thumb(&mut self, thumb: bool) {
        let bit = if thumb { psr::T } else { 0 };
        self.cpsr = (self.cpsr & !psr::T) | (bit & self.psr_implemented);
        self.follow_thumb_bit();
    }

    /// The T bit of the status register may have changed.
    fn follow_thumb_bit(&mut self) {
        let shift = if self.cpsr & psr::T == 0 { 2 } else { 1 };
        if self.insn_shift != shift {
            self.insn_shift = shift;
            self.refetch();
        }
    }

    /// Writes the PC: the next instruction comes from `target`, `extra` cycles later than it
    /// would have in sequence. The address bits below an instruction of this state are ignored.
    #[inline]
    pub(super) fn write_pc(&mut self, target: u32, extra: u32) {
        self.jump(target & !(self.insn_bytes() - 1), extra);
    }

    /// Writes the PC; `target` is known to be the address of an instruction of this state.
    #[inline]
    pub(super) fn jump(&mut self, target: u32, extra: u32) {
        self.next_pc = Some(target);
        self.mem.platform.cycle += Cycle::from(extra);
    }

    /// Writes the PC; bit 0 of `target` says whether Thumb instructions are there (DDI 0100, A4.1.10).
    pub(super) fn exchange_to(&mut self, target: u32, extra: u32) {
        self.set_thumb(target & 1 != 0);
        self.write_pc(target, extra);
    }

    /// A load of the PC: from ARMv5 on bit 0 says in which state the target is, unless the guest
    /// has switched that off (DDI 0100, A2.4.3; ARM926EJ-S TRM §2.3.2, L4).
    #[inline]
    pub(super) fn write_pc_exchanging(&mut self, target: u32, extra: u32) {
        if self.mem.loads_exchange() {
            self.exchange_to(target, extra);
        } else {
            self.write_pc(target, extra);
        }
    }

    /// Forgets the fetched line: something that its fetch looked at may have changed.
    #[inline]
    pub(super) fn refetch(&mut self) {
        self.mem.forget_line();
    }

    // ---- memory, as observers see it -------------------------------------------------------

    /// Loads with the rights of the mode ([`MemSys::load`]).
    #[inline(always)]
    pub(super) fn load(&mut self, va: u32, width: Width) -> Result<u32, Abort> {
        self.load_as(va, width, self.mem.privileged())
    }

    /// Stores with the rights of the mode ([`MemSys::store`]).
    #[inline(always)]
    pub(super) fn store(&mut self, va: u32, width: Width, value: u32) -> Result<(), Abort> {
        self.store_as(va, width, value, self.mem.privileged())
    }

    /// Loads with the rights of a privileged mode or of user mode.
    #[inline(always)]
    pub(super) fn load_as(
        &mut self,
        va: u32,
        width: Width,
        privileged: bool,
    ) -> Result<u32, Abort> {
        let value = self.mem.load(va, width, privileged)?;
        if O::ON {
            let access = self.access(va, width, privileged);
            self.observer.loaded(&self.mem, &access, value);
        }
        Ok(value)
    }

    /// Stores with the rights of a privileged mode or of user mode.
    #[inline(always)]
    pub(super) fn store_as(
        &mut self,
        va: u32,
        width: Width,
        value: u32,
        privileged: bool,
    ) -> Result<(), Abort> {
        self.mem.store(va, width, value, privileged)?;
        if O::ON {
            let access = self.access(va, width, privileged);
            self.observer.stored(&self.mem, &access, value);
        }
        Ok(())
    }

    /// Loads consecutive words ([`MemSys::load_multiple`]).
    #[inline(always)]
    pub(super) fn load_words(&mut self, va: u32, count: usize) -> Result<Loaded, Abort> {
        let privileged = self.mem.privileged();
        let loaded = self.mem.load_multiple(va, count, privileged)?;
        if O::ON {
            for n in 0..count {
                let access = self.access(va.wrapping_add(4 * n as u32), Width::Word, privileged);
                self.observer.loaded(&self.mem, &access, loaded.word(n));
            }
        }
        Ok(loaded)
    }

    /// Stores consecutive words ([`MemSys::store_multiple`]).
    #[inline(always)]
    pub(super) fn store_words(&mut self, va: u32, words: &[u32]) -> Result<(), Abort> {
        let privileged = self.privileged();
        let result = self.mem.store_multiple(va, words, privileged);
        if O::ON {
            for (n, word) in words[..self.mem.words_stored].iter().enumerate() {
                let access = self.access(va.wrapping_add(4 * n as u32), Width::Word, privileged);
                self.observer.stored(&self.mem, &access, *word);
            }
        }
        result
    }

    pub(super) fn access(&self, va: u32, width: Width, privileged: bool) -> Access {
        Access {
            cycle: self.mem.platform.cycle,
            pc: self.pc().into(),
            va: va.into(),
            bytes: width.bytes(),
            privileged,
        }
    }

    // ---- program status --------------------------------------------------------------------

    /// The current program status register.
    #[inline]
    #[must_use]
    pub fn cpsr(&self) -> u32 {
        self.cpsr
    }

    /// Whether the current mode is privileged.
    #[inline]
    #[must_use]
    pub fn privileged(&self) -> bool {
        self.cpsr & psr::MODE != mode::USR
    }

    /// Replaces the condition flags by bits 31:28 of `flags`.
    #[inline]
    pub(super) fn set_flags(&mut self, flags: u32) {
        self.cpsr = (self.cpsr & 0x0fff_ffff) | (flags & 0xf000_0000);
    }

    /// Replaces the condition flags and Q by those of `bits`.
    pub(super) fn set_condition_bits(&mut self, bits: u32) {
        let mask = 0xff00_0000 & self.psr_implemented;
        self.cpsr = (self.cpsr & !mask) | (bits & mask);
    }

    /// The bits that status registers have.
    pub(super) fn psr_implemented(&self) -> u32 {
        self.psr_implemented
    }

    /// Replaces the current program status register, changing the mode and its registers.
    pub fn set_cpsr(&mut self, value: u32) {
        let mut value = value & self.psr_implemented;
        let Some(to) = bank(value) else {
            self.diagnose(Diagnostic::InvalidMode, self.pc());
            value = (value & !psr::MODE) | (self.cpsr & psr::MODE);
            self.cpsr = value;
            self.follow_thumb_bit();
            self.mem.platform.horizon = 0;
            return;
        };
        let from = self.current_bank();
        let was_privileged = self.privileged();
        self.cpsr = value;
        self.follow_thumb_bit();
        if from != to {
            self.banked[from as usize] = [self.r[13], self.r[14]];
            [self.r[13], self.r[14]] = self.banked[to as usize];
            if from == Bank::Fiq || to == Bank::Fiq {
                for (mine, other) in self.r[8..13].iter_mut().zip(&mut self.banked_high) {
                    std::mem::swap(mine, other);
                }
            }
        }
        if self.privileged() != was_privileged {
            self.mem.sync_counters();
            self.mem
                .platform
                .counters
                .switch_privilege(if was_privileged {
                    Privilege::User
                } else {
                    Privilege::Kernel
                });
            self.mem.set_privileged(!was_privileged);
            self.refetch();
        }
        // The interrupt masks may have changed.
        self.mem.platform.horizon = 0;
    }

    fn current_bank(&self) -> Bank {
        // `set_cpsr` lets no other value in.
        bank(self.cpsr).unwrap_or(Bank::Usr)
    }

    /// The saved status register of the current mode, if it has one.
    pub(super) fn saved_psr(&mut self) -> Option<&mut u32> {
        match self.current_bank() {
            Bank::Usr => None,
            other => Some(&mut self.spsr[other as usize]),
        }
    }

    /// The saved status register of `bank`. For loaders, debuggers and tests.
    pub fn spsr_of(&mut self, bank: Bank) -> &mut u32 {
        &mut self.spsr[bank as usize]
    }

    /// Returns from an exception: the saved status becomes the current one.
    pub(super) fn restore_psr(&mut self) {
        match self.saved_psr().copied() {
            Some(saved) => self.set_cpsr(saved),
            None => self.diagnose(Diagnostic::NoSavedStatus, self.pc()),
        }
    }

    /// Register `n` (8 to 14) of a mode of `bank`, whatever the current mode is.
    pub fn banked_register(&mut self, bank: Bank, n: usize) -> &mut u32 {
        let current = self.current_bank();
        match n {
            13 | 14 if bank != current => &mut self.banked[bank as usize][n - 13],
            8..=12 if (bank == Bank::Fiq) != (current == Bank::Fiq) => &mut self.banked_high[n - 8],
            _ => &mut self.r[n],
        }
    }

    /// Counts something UNPREDICTABLE at `pc`.
    #[cold]
    pub(super) fn diagnose(&mut self, what: Diagnostic, pc: u32) {
        *self.diagnostics.entry((what, pc)).or_default() += 1;
    }
}

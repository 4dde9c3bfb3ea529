// SPDX-License-Identifier: Apache-2.0
//! The integer core: its registers and tables; beside this what instructions reach (`operand`), exceptions,
//! segments, transfers between them, breakpoints, what observers are shown. Source: IA-32 Intel Architecture
//! Software Developer's Manual (SDM), volumes 1 to 3.
//!
//! An instruction checks first and then changes: a handler that returns a [`Fault`] has changed no
//! register, and what it has written will be written again when it is restarted.

mod breakpoint;
mod exception;
pub(super) mod operand;
mod segments;
mod show;
mod stack;
mod state;
mod transfer;

use serde::{Deserialize, Serialize};

use crate::arch::Dead;
use crate::bus::Bus;
use crate::ia32::config::Ia32Config;
use crate::ia32::cpu::alu::mask;
use crate::ia32::cpu::cpuid::Identity;
use crate::ia32::cpu::fpu::Fpu;
use crate::ia32::cpu::msr::Msrs;
use crate::ia32::cpu::pmu::Pmu;
use crate::ia32::cpu::timing::Timing;
use crate::ia32::cpu::MemSys;
use crate::ia32::cpu::Observer;
use crate::ia32::isa::exception::Fault;
use crate::ia32::isa::flags;
use crate::ia32::isa::insn::{reg, Seg};
use crate::ia32::isa::register::{cr0, cr4};
use crate::ia32::isa::segment::{Segment, SystemSegment, TableRegister};
use crate::ia32::memory::trace_cache::Cursor;

/// Where reset starts: the last sixteen bytes of memory, in a segment of its own (SDM vol. 3, 8.1.4).
const RESET_CS_BASE: u32 = 0xffff_0000;
const RESET_EIP: u32 = 0xfff0;

/// The selectors of flat segments, as Linux' 32-bit boot protocol has them.
const FLAT_CODE: u16 = 0x10;
const FLAT_DATA: u16 = 0x18;
/// Where a loader puts the table of their descriptors, and the table: all 4 GB, level 0, to execute and
/// to write.
pub const FLAT_TABLE_AT: u32 = 0x8000;
/// See [`FLAT_TABLE_AT`].
pub const FLAT_TABLE: [u64; 4] = [0, 0, 0x00cf_9b00_0000_ffff, 0x00cf_9300_0000_ffff];

/// The bits of an address that are in its page.
pub(super) const PAGE_OFFSET: u32 = 0xfff;

/// What the last instruction holds off for one instruction (SDM vol. 3, 5.8.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::ia32) enum Shadow {
    /// Nothing.
    Nothing,
    /// Interrupts: it was STI.
    Interrupts,
    /// Interrupts and all debug exceptions: MOV or POP loaded SS. (LSS loads ESP, too, and holds off
    /// nothing.)
    Everything,
}

/// The processor.
pub struct Core<O: Observer = ()> {
    /// EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI, and one that is always 0 ([`reg::NONE`]).
    pub r: [u32; 9],
    /// The offset of the instruction that executes; between two, of the next one.
    pub eip: u32,
    /// Where the next instruction is fetched, set by those that change the flow.
    pub(in crate::ia32) next_eip: u32,
    /// EFLAGS.
    pub(in crate::ia32) eflags: u32,
    /// The segment registers, by [`Seg`].
    pub(in crate::ia32) segments: [Segment; 6],
    /// The current privilege level.
    pub(super) cpl: u8,
    /// The table of segment descriptors.
    pub(in crate::ia32) gdtr: TableRegister,
    /// The table of gates.
    pub(in crate::ia32) idtr: TableRegister,
    /// The local table of segment descriptors.
    pub(in crate::ia32) ldtr: SystemSegment,
    /// The task-state segment.
    pub(in crate::ia32) tr: SystemSegment,
    /// Debug registers 0 to 7; 4 and 5 are not used.
    pub(in crate::ia32) dr: [u32; 8],
    /// The breakpoints at data that the instruction has hit, as in DR6.
    pub(in crate::ia32) watched: u32,
    /// The floating-point unit.
    pub fpu: Fpu,
    /// Model-specific registers.
    pub(in crate::ia32) msrs: Msrs,
    /// Performance-monitoring counters.
    pub(in crate::ia32) pmu: Pmu,
    /// Memory system and time.
    pub mem: MemSys,
    /// Halted until an interrupt.
    pub(in crate::ia32) waiting: bool,
    /// What is not taken before the next instruction.
    pub(in crate::ia32) shadow: Shadow,
    /// The last step did some of a repeated string instruction, and the next one goes on with it.
    pub(in crate::ia32) suspended: bool,
    /// This step goes on with a repeated string instruction.
    pub(in crate::ia32) resumed: bool,
    /// The status flags before the repeated string instruction that is suspended, or was last.
    pub(in crate::ia32) status_before: u32,
    /// Where the line goes on that the run loop has left.
    pub(super) cursor: Cursor,
    /// The vector of the exception or interrupt that the last step took.
    pub taken: Option<u8>,
    /// Set when the core cannot go on.
    pub dead: Option<Dead>,
    /// What CPUID says.
    pub(in crate::ia32) identity: Identity,
    /// The observer.
    pub observer: O,
}

impl<O: Observer> Core<O> {
    /// A core as reset leaves it: real-address mode, at the last sixteen bytes of memory (SDM vol. 3,
    /// table 8-1), in front of `bus`.
    #[must_use]
    pub fn new(config: &Ia32Config, bus: Bus, observer: O) -> Self {
        let mut segments = [Segment::real(0, 0); 6];
        segments[Seg::Cs as usize] = Segment::real(0xf000, RESET_CS_BASE);
        let table = TableRegister {
            base: 0,
            limit: 0xffff,
        };
        let mut core = Self {
            r: [0; 9],
            eip: RESET_EIP,
            next_eip: 0,
            eflags: flags::FIXED,
            segments,
            cpl: 0,
            gdtr: table,
            idtr: table,
            ldtr: SystemSegment::null(0),
            tr: SystemSegment::null(0),
            dr: [0; 8],
            watched: 0,
            fpu: Fpu::default(),
            msrs: Msrs::default(),
            pmu: Pmu::default(),
            mem: MemSys::new(config, bus, Timing::new(config)),
            waiting: false,
            shadow: Shadow::Nothing,
            suspended: false,
            resumed: false,
            status_before: 0,
            cursor: Cursor::default(),
            taken: None,
            dead: None,
            identity: Identity::new(config),
            observer,
        };
        core.dr[6] = 0xffff_0ff0;
        core.dr[7] = 0x400;
        core.r[reg::EDX] = core.identity.signature;
        core.mem.count_for(false);
        core
    }

    /// The address of the instruction that executes, as loaders and symbols know it.
    #[must_use]
    pub fn pc(&self) -> u32 {
        self.segments[Seg::Cs as usize].base.wrapping_add(self.eip)
    }

    /// Puts the core into protected mode at `eip`, with segments of all 4 GB, as loaders do that have
    /// loaded a descriptor table of their own, and with caches on, as a BIOS leaves them.
    pub fn start_flat(&mut self, eip: u32) {
        self.mem
            .set_cr0(self.mem.cr0 & !(cr0::CD | cr0::NW) | cr0::PE);
        self.flat_segments(FLAT_CODE, FLAT_DATA, 0);
        let data = self.segments[Seg::Ss as usize];
        for seg in [Seg::Es, Seg::Ds, Seg::Fs, Seg::Gs] {
            self.segments[seg as usize] = data;
        }
        self.eip = eip;
    }

    /// Puts the core into real-address mode at `cs`:`ip`, with data segments at 0, as the BIOS starts a
    /// boot block.
    pub fn set_real(&mut self, cs: u16, ip: u16) {
        self.mem.set_cr0(self.mem.cr0 & !(cr0::PE | cr0::PG));
        self.set_cpl(0);
        self.segments = [Segment::real(0, 0); 6];
        self.segments[Seg::Cs as usize] = Segment::real(cs, u32::from(cs) << 4);
        self.eip = u32::from(ip);
    }

    // ---- state -----------------------------------------------------------------------------

    /// EFLAGS.
    #[must_use]
    pub fn eflags(&self) -> u32 {
        self.eflags
    }

    /// Sets EFLAGS, as far as the processor has them. For loaders, debuggers and tests.
    pub fn set_eflags(&mut self, value: u32) {
        self.eflags = value & flags::IMPLEMENTED | flags::FIXED;
        self.end_quantum();
    }

    /// The current privilege level.
    #[inline(always)]
    #[must_use]
    pub fn cpl(&self) -> u8 {
        self.cpl
    }

    /// Changes the privilege level.
    pub(in crate::ia32) fn set_cpl(&mut self, cpl: u8) {
        if (cpl == 3) != (self.cpl == 3) {
            self.mem.count_for(cpl == 3);
        }
        self.cpl = cpl;
    }

    /// A segment register.
    #[must_use]
    pub fn segment(&self, seg: Seg) -> &Segment {
        &self.segments[seg as usize]
    }

    /// Loads the GDT's register, then every segment register, in the order of [`Seg`], with the privilege
    /// level of CS's selector. For tests and debuggers.
    ///
    /// # Errors
    /// A selector cannot be loaded.
    pub fn set_tables(&mut self, base: u32, limit: u16, selectors: [u16; 6]) -> Result<(), Fault> {
        self.gdtr = TableRegister { base, limit };
        self.set_code(selectors[Seg::Cs as usize])?;
        for (seg, selector) in Seg::ALL.into_iter().zip(selectors) {
            if seg != Seg::Cs {
                self.load_segment(seg, selector)?;
            }
        }
        Ok(())
    }

    /// Makes the table at `base` the LDT, with a null selector. For tests and debuggers.
    pub fn set_local_table(&mut self, base: u32, limit: u16) {
        self.ldtr = SystemSegment {
            base,
            limit: u32::from(limit),
            usable: true,
            ..SystemSegment::null(0)
        };
    }

    /// Loads CS, with the privilege level of its selector; EIP stays. For tests and debuggers.
    ///
    /// # Errors
    /// The selector cannot be loaded.
    pub fn set_code(&mut self, selector: u16) -> Result<(), Fault> {
        self.enter_code_of(selector)
    }

    /// Writes CR0 (protected mode stays on), CR3 and CR4, and clears CR2. For tests and debuggers.
    pub fn set_controls(&mut self, [cr0, cr3, cr4]: [u32; 3]) {
        self.mem.cr2 = 0;
        self.mem.set_cr4(cr4 & cr4::IMPLEMENTED);
        self.mem.set_cr3(cr3);
        self.mem.set_cr0(cr0 | cr0::PE);
    }

    /// Control register 0, 2, 3 or 4; any other is 0.
    #[must_use]
    pub fn control(&self, number: u8) -> u32 {
        match number {
            0 => self.mem.cr0,
            2 => self.mem.cr2,
            3 => self.mem.cr3,
            4 => self.mem.cr4,
            _ => 0,
        }
    }

    /// Whether CR0.PE is set.
    #[inline(always)]
    #[must_use]
    pub fn is_protected(&self) -> bool {
        self.mem.cr0 & cr0::PE != 0
    }

    /// Ends the quantum: interrupts may be unmasked, or the core has stopped.
    pub(in crate::ia32) fn end_quantum(&mut self) {
        self.mem.platform.horizon = 0;
    }

    /// Replaces the status flags.
    #[inline(always)]
    pub(in crate::ia32) fn set_status(&mut self, status: u32) {
        self.eflags = self.eflags & !flags::STATUS | status;
    }

    /// Fails unless the privilege level is 0.
    pub(in crate::ia32) fn require_supervisor(&self) -> Result<(), Fault> {
        if self.cpl == 0 {
            Ok(())
        } else {
            Err(Fault::protection(0))
        }
    }

    /// The I/O privilege level.
    pub(in crate::ia32) fn iopl(&self) -> u8 {
        (self.eflags >> 12 & 3) as u8
    }

    // ---- near transfers --------------------------------------------------------------------

    /// Continues at `target`, which an operand size of 16 bits cuts.
    ///
    /// # Errors
    /// It is beyond the code segment.
    #[inline(always)]
    pub(in crate::ia32) fn jump<const N: u32>(&mut self, target: u32) -> Result<(), Fault> {
        let target = target & mask::<N>();
        if !self.segments[Seg::Cs as usize].contains(target, 1) {
            return Err(Fault::protection(0));
        }
        self.next_eip = target;
        Ok(())
    }
}

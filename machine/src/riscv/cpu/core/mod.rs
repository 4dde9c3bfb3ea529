// SPDX-License-Identifier: Apache-2.0
//! The integer core: registers, levels of privilege, memory as its instructions see it, and traps.

mod host_target;
mod state;
mod trap;

use crate::arch::Dead;
use crate::config::MachineConfig;
use crate::observe::Access as Seen;
use crate::riscv::config::{BranchConfig, IdentityConfig};
use crate::riscv::cpu::predictor::Predictor;
use crate::riscv::cpu::registers::Registers;
use crate::riscv::cpu::timing::Pipeline;
use crate::riscv::cpu::Observer;
use crate::riscv::isa;
use crate::riscv::isa::cause::Exception;
use crate::riscv::isa::insn::{Encoding, Op};
use crate::riscv::isa::privilege::Privilege;
use crate::riscv::isa::register::PLACES;
use crate::riscv::isa::system::Trap;
use crate::riscv::memory::fault::{Abort, Fault};
use crate::riscv::memory::memsys::MemSys;

use self::host_target::Served;

/// The processor.
pub struct Core<O: Observer> {
    /// All registers ([`register`](crate::riscv::isa::register)).
    pub r: [u64; PLACES],
    /// The address of the instruction that executes; between instructions, of the next one.
    pub pc: u64,
    /// Where the next instruction is.
    pub(super) next_pc: u64,
    /// The level of privilege.
    pub(super) privilege: Privilege,
    /// Control and status registers.
    pub csr: Registers,
    /// Memory system and time.
    pub mem: MemSys,
    pub(super) pipeline: Pipeline,
    pub(super) predictor: Predictor,
    /// What wrong predictions cost.
    pub(super) prices: BranchConfig,
    pub(super) identity: IdentityConfig,
    /// Which control and status registers there are.
    pub(super) present: Box<[bool; isa::csr::NUMBERS]>,
    /// Instructions that were fetched and raised an exception.
    pub(super) not_retired: u64,
    /// Sleeping until an interrupt.
    pub(super) waiting: bool,
    /// The last trap that was taken, since the machine was made or restored.
    pub taken: Option<Trap>,
    /// The interface to the host of a program that has one.
    pub(super) host_target: Option<Served>,
    /// Set when the core cannot go on.
    pub dead: Option<Dead>,
    /// The observer.
    pub observer: O,
}

impl<O: Observer> Core<O> {
    /// A core as reset leaves it: machine mode, at address 0.
    #[must_use]
    pub fn new(config: &MachineConfig, mem: MemSys, observer: O) -> Self {
        let riscv = config.riscv().expect("the machine file of a RISC-V");
        let mut csr = Registers::default();
        csr.hpm
            .resize(riscv.isa.hpm_counters as usize, Default::default());
        csr.stimecmp = u64::MAX;
        // As QEMU's `virt`, so that a kernel runs that knows of neither bit nor register; the specification
        // leaves the value to the platform (II, "Machine Environment Configuration Register").
        if riscv.isa.svadu {
            csr.menvcfg = isa::csr::ADUE;
        }
        let mut core = Self {
            r: [0; PLACES],
            pc: 0,
            next_pc: 0,
            privilege: Privilege::Machine,
            csr,
            mem,
            pipeline: Pipeline::new(riscv.latency.clone()),
            predictor: Predictor::new(&riscv.branch),
            prices: riscv.branch.clone(),
            identity: riscv.identity.clone(),
            present: Self::present(&riscv.isa),
            not_retired: 0,
            waiting: false,
            taken: None,
            host_target: None,
            dead: None,
            observer,
        };
        core.follow_memory();
        core
    }

    /// The level of privilege.
    #[inline]
    #[must_use]
    pub fn privilege(&self) -> Privilege {
        self.privilege
    }

    /// The register in place `place`.
    #[inline(always)]
    pub(super) fn get(&self, place: u8) -> u64 {
        self.r[usize::from(place) % PLACES]
    }

    /// Writes it.
    #[inline(always)]
    pub(super) fn set(&mut self, place: u8, value: u64) {
        self.r[usize::from(place) % PLACES] = value;
    }

    /// The encoding of the instruction that executes.
    pub(super) fn encoding(&self) -> Encoding {
        Encoding(self.mem.encoding(self.pc))
    }

    /// Raises `exception`.
    #[cold]
    pub(super) fn raise(&mut self, exception: Exception, value: u64) -> Abort {
        self.mem.fault = Fault { exception, value };
        Abort
    }

    // ---- memory, as observers see it -------------------------------------------------------

    /// Loads `N` bytes, without their sign.
    #[inline(always)]
    pub(super) fn load<const N: usize>(&mut self, op: Op, va: u64) -> Result<u64, Abort> {
        let value = self.mem.load::<N>(va)?;
        self.await_data(op);
        if O::ON {
            self.show_loaded(va, N as u32, value);
        }
        Ok(value)
    }

    /// Stores the low `N` bytes of `value`.
    #[inline(always)]
    pub(super) fn store<const N: usize>(&mut self, va: u64, value: u64) -> Result<(), Abort> {
        self.mem.store::<N>(va, value)?;
        if O::ON {
            self.show_stored(va, N as u32, value);
        }
        Ok(())
    }

    /// The register that `op` loads is there when its data is.
    #[inline(always)]
    pub(super) fn await_data(&mut self, op: Op) {
        let ready = std::mem::take(&mut self.mem.ready);
        if ready != 0 {
            self.pipeline.delay(op.rd(), ready);
        }
    }

    pub(super) fn show_loaded(&mut self, va: u64, bytes: u32, value: u64) {
        for (access, part) in self.parts_of(va, bytes, value) {
            self.observer.loaded(&self.mem, &access, part);
        }
    }

    pub(super) fn show_stored(&mut self, va: u64, bytes: u32, value: u64) {
        for (access, part) in self.parts_of(va, bytes, value) {
            self.observer.stored(&self.mem, &access, part);
        }
    }

    /// An access in parts as observers take them: words, aligned together.
    fn parts_of(&self, va: u64, bytes: u32, value: u64) -> impl Iterator<Item = (Seen, u32)> {
        let seen = |va: u64, bytes: u32| self.seen(va, bytes);
        let mut parts = Vec::new();
        if va % u64::from(bytes) != 0 {
            for n in 0..u64::from(bytes) {
                let byte = (value >> (8 * n)) as u32 & 0xff;
                parts.push((seen(va.wrapping_add(n), 1), byte));
            }
        } else if bytes == 8 {
            parts.push((seen(va, 4), value as u32));
            parts.push((seen(va + 4, 4), (value >> 32) as u32));
        } else {
            let mask = u32::MAX >> (32 - 8 * bytes);
            parts.push((seen(va, bytes), value as u32 & mask));
        }
        parts.into_iter()
    }

    pub(super) fn seen(&self, va: u64, bytes: u32) -> Seen {
        Seen {
            cycle: self.mem.platform.cycle,
            pc: self.pc,
            va,
            bytes,
            privileged: self.mem.registers().data.privilege != Privilege::User,
        }
    }
}

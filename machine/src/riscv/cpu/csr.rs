// SPDX-License-Identifier: Apache-2.0
//! Control and status registers: which there are, who may touch them, what reading and writing does
//! (II, "Machine-Level ISA", "Supervisor-Level ISA").

use crate::event::NEVER;
use crate::riscv::config::{IsaConfig, PrivilegedVersion};
use crate::riscv::cpu::core::Core;
use crate::riscv::cpu::registers::Counter;
use crate::riscv::cpu::Observer;
use crate::riscv::isa::cause::{mip, Exception};
use crate::riscv::isa::csr;
use crate::riscv::isa::privilege::Privilege;
use crate::riscv::isa::status;
use crate::riscv::memory::counted::{SATP_WRITES, WALKS};
use crate::riscv::memory::fault::Abort;
use crate::riscv::memory::mmu::{satp, Rights};

/// Exceptions that can be delegated: all that U and S mode can raise.
const DELEGABLE: u64 = 0xb3ff;
/// The counters that `mcounteren` and its kin have bits for.
const CYCLE: u32 = 0;
const TIME: u32 = 1;
const INSTRET: u32 = 2;
/// `tinfo`: the one trigger that can be selected is none (RISC-V Debug Specification 1.0, "Trigger Module
/// Registers"). Breakpoints are GDB's, which the guest does not see.
const NO_TRIGGER: u64 = 1;
/// `menvcfg`: supervisor timer compare, fence of I/O implies memory.
const STCE: u64 = 1 << 63;
const FIOM: u64 = 1;
/// MISA: RV64, A C D F I M S U.
pub(super) const MISA: u64 =
    2 << 62 | 1 << 20 | 1 << 18 | 1 << 12 | 1 << 8 | 1 << 5 | 1 << 3 | 1 << 2 | 1;

impl<O: Observer> Core<O> {
    /// The bits of `mip` now.
    #[must_use]
    pub fn pending_interrupts(&self) -> u64 {
        let platform = &self.mem.platform;
        let mut pending = self.csr.mip | u64::from(platform.bus.pins.mip);
        if self.compares_time() {
            pending &= !mip::STI;
            if platform.bus.time_ticks(platform.cycle) >= self.csr.stimecmp {
                pending |= mip::STI;
            }
        }
        pending
    }

    /// Whether `stimecmp` makes the supervisor's timer interrupt.
    fn compares_time(&self) -> bool {
        self.csr.menvcfg & STCE != 0
    }

    /// `stimecmp`, or whether it counts, has changed.
    pub(super) fn follow_time_compare(&mut self) {
        let now = self.mem.platform.cycle;
        let (compares, at) = (self.compares_time(), self.csr.stimecmp);
        let bus = &mut self.mem.platform.bus;
        let comes = compares && at > bus.time_ticks(now);
        let due = if comes {
            bus.time_cycle(at, now)
        } else {
            NEVER
        };
        bus.wake_processor_at(due);
        self.interrupts_changed();
    }

    /// The effective privilege, the rights of accesses, or `satp` may have changed.
    pub(super) fn follow_memory(&mut self) {
        let mut registers = *self.mem.registers();
        registers.satp = self.csr.satp;
        registers.privilege = self.privilege;
        registers.data = self.data_rights();
        registers.updates = self.csr.menvcfg & csr::ADUE != 0;
        self.mem.set_registers(registers);
    }

    /// Who loads and stores now, and what he may.
    pub(super) fn data_rights(&self) -> Rights {
        let state = self.csr.mstatus;
        let mprv = state & status::MPRV != 0 && self.privilege == Privilege::Machine;
        Rights {
            privilege: if mprv {
                self.previous_privilege()
            } else {
                self.privilege
            },
            sum: state & status::SUM != 0,
            mxr: state & status::MXR != 0,
        }
    }

    /// `mstatus.MPP`.
    pub(super) fn previous_privilege(&self) -> Privilege {
        let number = (self.csr.mstatus & status::MPP) >> status::MPP_SHIFT;
        Privilege::of(number).unwrap_or(Privilege::User)
    }

    /// `mstatus` as it is read.
    #[must_use]
    pub fn mstatus(&self) -> u64 {
        let value = self.csr.mstatus | status::WIDTHS;
        if value & status::FS == status::FS {
            value | status::SD
        } else {
            value
        }
    }

    fn set_mstatus(&mut self, value: u64) {
        let mut value = value & status::WRITABLE;
        if Privilege::of((value & status::MPP) >> status::MPP_SHIFT).is_none() {
            value = value & !status::MPP | self.csr.mstatus & status::MPP;
        }
        self.csr.mstatus = value;
        self.follow_memory();
        self.interrupts_changed();
    }

    /// Whether register `number` is there, and may be read, or written, at this level.
    fn may_access(&self, number: u16, write: bool) -> bool {
        let level = self.privilege as u64;
        if level < csr::lowest_privilege(number) || write && csr::is_read_only(number) {
            return false;
        }
        let machine = self.privilege == Privilege::Machine;
        let isa = self.mem.isa();
        match number {
            csr::FFLAGS | csr::FRM | csr::FCSR => self.csr.mstatus & status::FS != 0,
            csr::CYCLE => self.counter_enabled(CYCLE),
            csr::TIME => isa.time && self.counter_enabled(TIME),
            csr::INSTRET => self.counter_enabled(INSTRET),
            0xc03..=0xc1f => self.counter_enabled(u32::from(number & 31)),
            csr::SATP => machine || self.csr.mstatus & status::TVM == 0,
            csr::STIMECMP => {
                let enabled = self.csr.menvcfg & STCE != 0 && self.csr.mcounteren & 1 << TIME != 0;
                isa.sstc && (machine || enabled)
            }
            0x323..=0x33f | 0xb03..=0xb1f => true,
            // With any entry there are the registers of sixteen; those of no entry are 0 (II, "Physical Memory
            // Protection CSRs").
            csr::PMPCFG | csr::PMPCFG2 | 0x3b0..=0x3bf => isa.pmp_entries > 0,
            _ => self.present[usize::from(number) % csr::NUMBERS],
        }
    }

    /// Whether register `number` is one of this processor's.
    pub fn has_csr(&self, number: u16) -> bool {
        Self::has(self.mem.isa(), number)
    }

    /// Which registers a processor with `isa` has, by number.
    pub(super) fn present(isa: &IsaConfig) -> Box<[bool; csr::NUMBERS]> {
        Box::new(std::array::from_fn(|number| Self::has(isa, number as u16)))
    }

    fn has(isa: &IsaConfig, number: u16) -> bool {
        let newer = isa.privileged != PrivilegedVersion::V1_11;
        match number {
            csr::TIME => isa.time,
            csr::STIMECMP => isa.sstc,
            csr::SENVCFG | csr::MENVCFG | csr::MCONFIGPTR => newer,
            _ => csr::NAMED.iter().any(|(named, _)| *named == number),
        }
    }

    /// Whether the lower levels may read the counter of bit `bit`.
    fn counter_enabled(&self, bit: u32) -> bool {
        let machine = self.csr.mcounteren >> bit & 1 != 0;
        let supervisor = self.csr.scounteren >> bit & 1 != 0;
        match self.privilege {
            Privilege::Machine => true,
            Privilege::Supervisor => machine,
            Privilege::User => machine && supervisor,
        }
    }

    /// Reads register `number`, as an instruction that also writes it if `write`.
    ///
    /// # Errors
    /// It is not there, or not for this level.
    pub(super) fn read_csr(&mut self, number: u16, write: bool) -> Result<u64, Abort> {
        if !self.may_access(number, write) {
            return Err(self.illegal());
        }
        Ok(self.csr_value(number))
    }

    /// What register `number` has, whoever asks.
    pub fn csr_value(&mut self, number: u16) -> u64 {
        let c = &self.csr;
        match number {
            csr::FFLAGS => u64::from(c.fflags),
            csr::FRM => u64::from(c.frm),
            csr::FCSR => u64::from(c.frm) << 5 | u64::from(c.fflags),
            csr::CYCLE | csr::MCYCLE => c.cycle.value(self.mem.platform.cycle),
            csr::TIME => {
                let platform = &self.mem.platform;
                platform.bus.time_ticks(platform.cycle)
            }
            csr::INSTRET | csr::MINSTRET => c.instret.value(self.retired()),
            csr::SSTATUS => self.mstatus() & status::SUPERVISOR_SEEN,
            csr::SIE => c.mie & c.mideleg,
            csr::STVEC => c.stvec,
            csr::SCOUNTEREN => c.scounteren,
            csr::SENVCFG => c.senvcfg,
            csr::SSCRATCH => c.sscratch,
            csr::SEPC => c.sepc,
            csr::SCAUSE => c.scause,
            csr::STVAL => c.stval,
            csr::SIP => self.pending_interrupts() & c.mideleg,
            csr::STIMECMP => c.stimecmp,
            csr::SATP => c.satp,
            csr::MVENDORID => self.identity.vendor,
            csr::MARCHID => self.identity.arch | u64::from(self.identity.arch_custom) << 63,
            csr::MIMPID => self.identity.implementation,
            csr::MSTATUS => self.mstatus(),
            csr::MISA => MISA,
            csr::MEDELEG => c.medeleg,
            csr::MIDELEG => c.mideleg,
            csr::MIE => c.mie,
            csr::MTVEC => c.mtvec,
            csr::MCOUNTEREN => c.mcounteren,
            csr::MENVCFG => c.menvcfg,
            csr::MCOUNTINHIBIT => c.mcountinhibit,
            csr::MSCRATCH => c.mscratch,
            csr::MEPC => c.mepc,
            csr::MCAUSE => c.mcause,
            csr::MTVAL => c.mtval,
            csr::MIP => self.pending_interrupts(),
            0x3a0..=0x3af => self
                .mem
                .pmp
                .configuration(usize::from(number - csr::PMPCFG)),
            0x3b0..=0x3bf => self.mem.pmp.address(usize::from(number - csr::PMPADDR)),
            0x323..=0x33f => self.hpm(number).map_or(0, |(event, _)| event),
            0xb03..=0xb1f | 0xc03..=0xc1f => {
                let hpm = self.hpm(number);
                hpm.map_or(0, |(event, counter)| counter.value(self.counted(event)))
            }
            csr::TINFO => NO_TRIGGER,
            // `mhartid`, `mconfigptr`; `tselect` and a trigger's data, as there is none.
            _ => 0,
        }
    }

    fn hpm(&self, number: u16) -> Option<(u64, Counter)> {
        self.csr.hpm.get(usize::from(number & 31) - 3).copied()
    }

    /// Instructions that have retired before the one that executes; for a debugger, between two instructions,
    /// before the last one.
    fn retired(&self) -> u64 {
        let before = self.mem.platform.counters.fetches.saturating_sub(1);
        before.wrapping_sub(self.not_retired)
    }

    /// How often what `event` of a programmable counter names has happened: bits 7:0 are a class, the others
    /// a mask (Linux, tools/perf/pmu-events/arch/riscv/sifive/u74). Classes of which nothing is kept count
    /// nothing.
    fn counted(&self, event: u64) -> u64 {
        let tally = self.mem.tally();
        let pick = |bits: &[(u32, u64)]| {
            let chosen = bits.iter().filter(|(bit, _)| event >> bit & 1 != 0);
            chosen.map(|(_, count)| *count).sum()
        };
        match event & 0xff {
            // Class 1: mispredictions of direction and target.
            1 => pick(&[
                (
                    13,
                    tally.branch.mispredicted
                        - tally.branch.mispredicted_calls
                        - tally.branch.mispredicted_returns
                        - tally.branch.mispredicted_jumps,
                ),
                (
                    14,
                    tally.branch.mispredicted_calls
                        + tally.branch.mispredicted_returns
                        + tally.branch.mispredicted_jumps,
                ),
            ]),
            2 => pick(&[
                (8, tally.icache.misses),
                (
                    9,
                    tally.dcache.read_misses
                        + tally.dcache.write_misses
                        + tally.memory.uncached_reads
                        + tally.memory.uncached_writes,
                ),
                (10, tally.dcache.writebacks),
                (11, tally.itlb.misses),
                (12, tally.dtlb.misses),
                (13, tally.own[WALKS]),
            ]),
            _ => 0,
        }
    }

    /// Writes register `number`, which may be written.
    ///
    /// # Errors
    /// It is not there, or not for this level.
    pub(super) fn write_csr(&mut self, number: u16, value: u64) -> Result<(), Abort> {
        if !self.may_access(number, true) {
            return Err(self.illegal());
        }
        self.set_csr(number, value);
        if matches!(number, csr::FFLAGS | csr::FRM | csr::FCSR) {
            self.csr.mstatus |= status::FS;
        }
        Ok(())
    }

    /// What an instruction changes that sets or clears bits of register `number`, which reads as `value`: a
    /// line of the interrupt controller reads as set, but is not written back (II, "Machine Interrupt (mip
    /// and mie) Registers").
    pub(super) fn modified_csr(&self, number: u16, value: u64) -> u64 {
        match number {
            csr::MIP => self.csr.mip,
            csr::SIP => self.csr.mip & self.csr.mideleg,
            _ => value,
        }
    }

    /// Gives register `number` a value, as far as it takes that.
    pub fn set_csr(&mut self, number: u16, value: u64) {
        let instret = self.retired().wrapping_add(1);
        let cycles = self.mem.platform.cycle;
        let isa = self.mem.isa();
        let counters = 7 | ((1_u64 << isa.hpm_counters) - 1) << 3;
        let c = &mut self.csr;
        match number {
            csr::FFLAGS => c.fflags = value as u8 & 31,
            csr::FRM => c.frm = value as u8 & 7,
            csr::FCSR => (c.frm, c.fflags) = ((value >> 5) as u8 & 7, value as u8 & 31),
            csr::SSTATUS => {
                let kept = c.mstatus & !status::SUPERVISOR_WRITABLE;
                self.set_mstatus(kept | value & status::SUPERVISOR_WRITABLE);
            }
            csr::SIE => {
                c.mie = c.mie & !c.mideleg | value & c.mideleg;
                self.interrupts_changed();
            }
            csr::STVEC => c.stvec = value & !2,
            csr::SCOUNTEREN => c.scounteren = value & counters,
            csr::SENVCFG => c.senvcfg = value & FIOM,
            csr::SSCRATCH => c.sscratch = value,
            csr::SEPC => c.sepc = value & !1,
            csr::SCAUSE => c.scause = value,
            csr::STVAL => c.stval = value,
            csr::SIP => {
                let writable = mip::SSI & c.mideleg;
                c.mip = c.mip & !writable | value & writable;
                self.interrupts_changed();
            }
            csr::STIMECMP => {
                c.stimecmp = value;
                self.follow_time_compare();
            }
            csr::SATP => self.set_satp(value),
            csr::MSTATUS => self.set_mstatus(value),
            csr::MEDELEG => c.medeleg = value & DELEGABLE,
            csr::MIDELEG => {
                c.mideleg = value & mip::SUPERVISOR;
                self.interrupts_changed();
            }
            csr::MIE => {
                c.mie = value & mip::ALL;
                self.interrupts_changed();
            }
            csr::MTVEC => c.mtvec = value & !2,
            csr::MCOUNTEREN => c.mcounteren = value & counters,
            csr::MENVCFG => {
                let mut writable = FIOM;
                if isa.sstc {
                    writable |= STCE;
                }
                if isa.svadu {
                    writable |= csr::ADUE;
                }
                c.menvcfg = value & writable;
                self.follow_memory();
                self.follow_time_compare();
            }
            csr::MCOUNTINHIBIT => self.inhibit(value & counters & !(1 << TIME), instret),
            csr::MSCRATCH => c.mscratch = value,
            csr::MEPC => c.mepc = value & !1,
            csr::MCAUSE => c.mcause = value,
            csr::MTVAL => c.mtval = value,
            csr::MIP => {
                let mut writable = mip::SUPERVISOR;
                if c.menvcfg & STCE != 0 {
                    writable &= !mip::STI;
                }
                c.mip = c.mip & !writable | value & writable;
                self.interrupts_changed();
            }
            csr::MCYCLE => c.cycle.set(value, cycles),
            csr::MINSTRET => c.instret.set(value, instret),
            0x3a0..=0x3af => {
                self.mem
                    .pmp
                    .set_configuration(usize::from(number - csr::PMPCFG), value);
                self.mem.forget_hints();
            }
            0x3b0..=0x3bf => {
                self.mem
                    .pmp
                    .set_address(usize::from(number - csr::PMPADDR), value);
                self.mem.forget_hints();
            }
            0x323..=0x33f | 0xb03..=0xb1f => self.set_hpm(number, value),
            // `misa` and what is fixed. Of triggers there is none, as a trigger of type 0 says.
            _ => {}
        }
    }

    fn set_hpm(&mut self, number: u16, value: u64) {
        let n = usize::from(number & 31) - 3;
        let Some(&(event, counter)) = self.csr.hpm.get(n) else {
            return;
        };
        let before = self.counted(event);
        let (mut event, mut counter) = (event, counter);
        if number < csr::MHPMCOUNTER {
            let count = counter.value(before);
            event = value;
            let now = self.counted(event);
            counter.set(count, now);
        } else {
            counter.set(value, before);
        }
        self.csr.hpm[n] = (event, counter);
    }

    fn inhibit(&mut self, value: u64, instret: u64) {
        let cycles = self.mem.platform.cycle;
        let counted: Vec<u64> = self.csr.hpm.iter().map(|hpm| self.counted(hpm.0)).collect();
        let c = &mut self.csr;
        c.mcountinhibit = value;
        c.cycle.stop(value & 1 << CYCLE != 0, cycles);
        c.instret.stop(value & 1 << INSTRET != 0, instret);
        for (n, ((_, counter), counted)) in c.hpm.iter_mut().zip(counted).enumerate() {
            counter.stop(value >> (n + 3) & 1 != 0, counted);
        }
    }

    /// A write of `satp` with a mode that there is not changes nothing (II, "Supervisor Address Translation
    /// and Protection (satp) Register").
    fn set_satp(&mut self, value: u64) {
        let isa = self.mem.isa();
        let mode = value >> satp::MODE_SHIFT;
        if mode != satp::BARE && mode != satp::SV39 {
            return;
        }
        let asid = ((1_u64 << isa.asid_bits) - 1) << satp::ASID_SHIFT;
        let page = (1_u64 << (isa.physical_bits - 12)) - 1;
        self.csr.satp = value & (15 << satp::MODE_SHIFT | asid | page);
        self.mem.platform.counters.now.own[SATP_WRITES] += 1;
        self.follow_memory();
    }

    /// Reports that what executes is illegal.
    #[cold]
    pub(super) fn illegal(&mut self) -> Abort {
        let value = u64::from(self.encoding().0);
        self.raise(Exception::Illegal, value)
    }
}

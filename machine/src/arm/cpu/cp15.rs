// SPDX-License-Identifier: Apache-2.0
//! What the system control coprocessor does. Its registers and operations are named in
//! `isa/register.rs`; which of them a core has under which numbers is in its table (`isa/cores/`).

use crate::arm::cpu::core::{Core, Diagnostic};
use crate::arm::cpu::Observer;
use crate::arm::isa::register::{Read, Register, Write};
use crate::observe::SystemAccess;

/// The Z flag where test-and-clean puts it, as MRC to r15 moves it to the status register.
const ALL_CLEAN: u32 = 1 << 30;
/// What the registers of locked ways read above the ways: all beyond four are locked (ARM926EJ-S
/// TRM 2.3.10).
const LOCKDOWN_FIXED: u32 = 0xfff0;

impl<O: Observer> Core<O> {
    /// Whether the current mode may do this.
    pub(super) fn may_access(&self, register: Register, read: bool) -> bool {
        let allowed = self.mem.registers.user_read_buffer && !read;
        self.privileged() || allowed && (self.mem.core.user_writes)(register)
    }

    /// MRC.
    pub fn read_cp15(&mut self, register: Register) -> u32 {
        match (self.mem.core.read)(register) {
            Read::Id => self.processor_id,
            Read::CacheType => self.mem.cache_type(),
            Read::Control => self.mem.registers.control(),
            Read::TranslationTable => self.mem.registers.ttb,
            Read::Domains => self.mem.registers.dacr,
            Read::FaultStatus => self.mem.registers.fault_status,
            Read::InsnFaultStatus => self.mem.registers.insn_fault_status,
            Read::FaultAddress => self.mem.registers.fault_address,
            Read::ProcessId => self.mem.registers.pid,
            Read::ContextId => self.context_id,
            Read::LockedWays(side) => LOCKDOWN_FIXED | self.mem.locked_ways(side),
            Read::TlbLockdown => self.mem.registers.tlb_lockdown,
            Read::LockedBase(side) => self.mem.locked_base(side),
            Read::TlbBase(side) => self.mem.tlb_base(side),
            Read::TestAndClean { drop } => {
                let clean = self.mem.test_and_clean(drop);
                self.show(register);
                if clean {
                    ALL_CLEAN
                } else {
                    0
                }
            }
            Read::Zero => 0,
            Read::Undefined => {
                self.undefined_operation();
                0
            }
        }
    }

    /// MCR.
    pub fn write_cp15(&mut self, register: Register, value: u32) {
        let table = self.mem.core;
        let write = (table.write)(register);
        if !concerns_data_alone(write) {
            // Whatever is written may change what a fetch finds.
            self.refetch();
        }
        let mem = &mut self.mem;
        match write {
            Write::Control => mem.set_control(value),
            Write::TranslationTable => {
                mem.platform.counters.now.written.ttb += 1;
                mem.set_translation_table(value & 0xffff_c000);
            }
            Write::Domains => {
                mem.platform.counters.now.written.dacr += 1;
                mem.registers.dacr = value;
                mem.forget_hints();
            }
            Write::FaultStatus => mem.registers.fault_status = value & 0xff,
            Write::InsnFaultStatus => mem.registers.insn_fault_status = value & 0xff,
            Write::FaultAddress => mem.registers.fault_address = value,
            Write::ProcessId => {
                mem.platform.counters.now.written.pid += 1;
                mem.registers.pid = value & table.pid_bits;
                mem.forget_hints();
            }
            Write::ContextId => self.context_id = value,
            Write::LockedWays(side) => mem.lock_ways(side, value & 15),
            Write::TlbLockdown => mem.registers.tlb_lockdown = value & table.tlb_lockdown_bits,
            Write::LockedBase(side) => mem.set_locked_base(side, value),
            Write::TlbBase(side) => mem.set_tlb_base(side, value),
            Write::InvalidateCaches => {
                mem.invalidate_icache();
                mem.invalidate_dcache();
            }
            Write::InvalidateIcache => mem.invalidate_icache(),
            Write::InvalidateIcacheLine => mem.invalidate_icache_line(value),
            Write::InvalidateIcacheSlot => mem.invalidate_icache_slot(value),
            Write::InvalidateDcache => mem.invalidate_dcache(),
            Write::InvalidateDcacheLine => mem.invalidate_dcache_line(value),
            Write::InvalidateDcacheSlot => mem.maintain_dcache_slot(value, false, true),
            Write::CleanDcacheLine => mem.clean_dcache_line(value),
            Write::CleanDcacheSlot => mem.maintain_dcache_slot(value, true, false),
            Write::CleanInvalidateDcacheLine => mem.clean_invalidate_dcache_line(value),
            Write::CleanInvalidateDcacheSlot => mem.maintain_dcache_slot(value, true, true),
            Write::PrefetchInsnLine => {
                let privileged = self.privileged();
                self.mem.prefetch_line(value, privileged);
            }
            Write::DrainWriteBuffer => mem.drain_for_guest(),
            Write::WaitForInterrupt => {
                // From the next instruction on.
                self.waiting = true;
                mem.platform.horizon = 0;
            }
            Write::InvalidateTlbs => {
                mem.invalidate_itlb();
                mem.invalidate_dtlb();
            }
            Write::InvalidateTlbsEntry => {
                mem.invalidate_itlb_entry(value);
                mem.invalidate_dtlb_entry(value);
            }
            Write::InvalidateItlb => mem.invalidate_itlb(),
            Write::InvalidateItlbEntry => mem.invalidate_itlb_entry(value),
            Write::InvalidateDtlb => mem.invalidate_dtlb(),
            Write::InvalidateDtlbEntry => mem.invalidate_dtlb_entry(value),
            Write::FlushReadBuffer(entry) => mem.flush_read_buffer(entry.map(usize::from)),
            Write::LoadReadBuffer { entry, words } => {
                let privileged = self.privileged();
                self.mem
                    .load_read_buffer(entry.into(), words, value, privileged);
            }
            Write::ForbidUserReadBuffer => mem.registers.user_read_buffer = false,
            Write::AllowUserReadBuffer => mem.registers.user_read_buffer = true,
            Write::Nothing => {}
            Write::Undefined => self.undefined_operation(),
        }
        self.show(register);
    }

    /// Tells the observer of an operation.
    fn show(&mut self, register: Register) {
        if O::ON {
            let access = SystemAccess {
                pc: self.pc().into(),
                what: register,
                sleeps: self.waiting,
            };
            self.observer.operated(&self.mem, &access);
        }
    }

    fn undefined_operation(&mut self) {
        self.diagnose(Diagnostic::UndefinedCp15, self.pc());
    }
}

/// Whether the operation leaves alone all that a fetch looks at: kernels do these line after line.
fn concerns_data_alone(write: Write) -> bool {
    matches!(
        write,
        Write::InvalidateDcacheLine
            | Write::InvalidateDcacheSlot
            | Write::CleanDcacheLine
            | Write::CleanDcacheSlot
            | Write::CleanInvalidateDcacheLine
            | Write::CleanInvalidateDcacheSlot
            | Write::DrainWriteBuffer
            | Write::FlushReadBuffer(_)
    )
}

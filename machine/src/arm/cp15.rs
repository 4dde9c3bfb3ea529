// SPDX-License-Identifier: Apache-2.0
//! The system control coprocessor: what its registers can be ([`Read`], [`Write`]), and doing it.
//! Which of them a core has under which numbers is in its table (`cores/`).

use crate::arm::observe::Observer;
use crate::observe::SystemAccess;

use super::core::{Core, Diagnostic};

/// A CP15 register or operation as MCR and MRC name it. Opcode 1 is always 0 there and ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Register {
    /// CRn.
    pub crn: u8,
    /// CRm.
    pub crm: u8,
    /// Opcode 2.
    pub opcode_2: u8,
}

impl Register {
    /// The register or operation of these numbers.
    #[must_use]
    pub const fn new(crn: u8, crm: u8, opcode_2: u8) -> Self {
        Self { crn, crm, opcode_2 }
    }
}

/// A cache or a TLB, as lockdown names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// That of instruction fetches.
    Insn,
    /// That of data accesses.
    Data,
}

/// What MRC may give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // named as in the manuals
pub enum Read {
    Id,
    CacheType,
    Control,
    TranslationTable,
    Domains,
    FaultStatus,
    InsnFaultStatus,
    FaultAddress,
    ProcessId,
    ContextId,
    /// The ways of a cache that are locked.
    LockedWays(Side),
    TlbLockdown,
    /// How many ways of a cache are locked.
    LockedBase(Side),
    /// Base, victim and P of a TLB.
    TlbBase(Side),
    /// Whether the data cache is clean, after one dirty line was; with `drop` it is invalidated then.
    TestAndClean {
        drop: bool,
    },
    /// Of what is not there.
    Zero,
    /// UNPREDICTABLE.
    Undefined,
}

/// What MCR may do: write the register of that name, or the operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // named as in the manuals; "slot" is a line by set and way
pub enum Write {
    Control,
    TranslationTable,
    Domains,
    FaultStatus,
    InsnFaultStatus,
    FaultAddress,
    ProcessId,
    ContextId,
    LockedWays(Side),
    TlbLockdown,
    LockedBase(Side),
    TlbBase(Side),
    InvalidateCaches,
    InvalidateIcache,
    InvalidateIcacheLine,
    InvalidateIcacheSlot,
    InvalidateDcache,
    InvalidateDcacheLine,
    InvalidateDcacheSlot,
    CleanDcacheLine,
    CleanDcacheSlot,
    CleanInvalidateDcacheLine,
    CleanInvalidateDcacheSlot,
    PrefetchInsnLine,
    DrainWriteBuffer,
    WaitForInterrupt,
    InvalidateTlbs,
    InvalidateTlbsEntry,
    InvalidateItlb,
    InvalidateItlbEntry,
    InvalidateDtlb,
    InvalidateDtlbEntry,
    /// One entry, or all.
    FlushReadBuffer(Option<u8>),
    LoadReadBuffer {
        entry: u8,
        words: u32,
    },
    /// User mode may not operate the read buffer.
    KeepReadBuffer,
    /// It may.
    LendReadBuffer,
    /// Accepted, without effect here.
    Nothing,
    /// UNPREDICTABLE.
    Undefined,
}

/// The Z flag where test-and-clean puts it, as MRC to r15 moves it to the status register.
const ALL_CLEAN: u32 = 1 << 30;
/// What the registers of locked ways read above the ways: all beyond four are locked (ARM926EJ-S
/// TRM 2.3.10).
const LOCKDOWN_FIXED: u32 = 0xfff0;

impl<O: Observer> Core<O> {
    /// Whether the current mode may do this.
    pub(super) fn may_access(&self, register: Register, read: bool) -> bool {
        let lent = self.mem.user_read_buffer && !read;
        self.privileged() || lent && (self.mem.core.user_writes)(register)
    }

    /// MRC.
    pub fn read_cp15(&mut self, register: Register) -> u32 {
        match (self.mem.core.read)(register) {
            Read::Id => self.processor_id,
            Read::CacheType => self.mem.cache_type(),
            Read::Control => self.mem.control,
            Read::TranslationTable => self.mem.ttb,
            Read::Domains => self.mem.dacr,
            Read::FaultStatus => self.mem.fault_status,
            Read::InsnFaultStatus => self.mem.insn_fault_status,
            Read::FaultAddress => self.mem.fault_address,
            Read::ProcessId => self.mem.pid,
            Read::ContextId => self.context_id,
            Read::LockedWays(side) => LOCKDOWN_FIXED | self.mem.locked_ways(side),
            Read::TlbLockdown => self.mem.tlb_lockdown,
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
        // Whatever is written here may change what a fetch finds.
        self.refetch();
        let table = self.mem.core;
        let mem = &mut self.mem;
        match (table.write)(register) {
            Write::Control => mem.set_control(value),
            Write::TranslationTable => {
                mem.platform.counters.now.written.ttb += 1;
                mem.set_translation_table(value & 0xffff_c000);
            }
            Write::Domains => {
                mem.platform.counters.now.written.dacr += 1;
                mem.dacr = value;
                mem.forget_hints();
            }
            Write::FaultStatus => mem.fault_status = value & 0xff,
            Write::InsnFaultStatus => mem.insn_fault_status = value & 0xff,
            Write::FaultAddress => mem.fault_address = value,
            Write::ProcessId => {
                mem.platform.counters.now.written.pid += 1;
                mem.pid = value & table.pid_bits;
                mem.forget_hints();
            }
            Write::ContextId => self.context_id = value,
            Write::LockedWays(side) => mem.lock_ways(side, value & 15),
            Write::TlbLockdown => mem.tlb_lockdown = value & table.tlb_lockdown_bits,
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
            Write::KeepReadBuffer => mem.user_read_buffer = false,
            Write::LendReadBuffer => mem.user_read_buffer = true,
            Write::Nothing => {}
            Write::Undefined => self.undefined_operation(),
        }
        self.show(register);
    }

    /// Tells the observer of an operation.
    fn show(&mut self, register: Register) {
        if O::ON {
            let access = SystemAccess {
                pc: self.pc(),
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

// SPDX-License-Identifier: Apache-2.0
//! What sets one processor core apart from another, as one constant table each. The rest of `arm`
//! asks the table of its core, never which core it is. What differs between machines of one core
//! (sizes, clock, cycles) is in their machine files.

mod arm920;
mod arm926;
mod sa1110;

use crate::arm::config::ArmCore;
use crate::arm::isa::architecture::Architecture;
use crate::arm::isa::register::{Read, Register, Write};

/// A processor core.
#[derive(Debug)]
pub struct Table {
    /// Its instruction set.
    pub architecture: Architecture,
    /// What the control register reads as one.
    pub control_fixed: u32,
    /// What the guest may change of it.
    pub control_kept: u32,
    /// The bits of the process-ID register: which of the 32 MB slots there are.
    pub pid_bits: u32,
    /// Whether addresses are relocated while the MMU is off.
    pub relocates_without_mmu: bool,
    /// Whether the address of an operation on one line or one TLB entry is relocated as that of an
    /// access is.
    pub relocates_maintenance: bool,
    /// Whether prefetch aborts have a fault status register of their own.
    pub insn_fault_status: bool,
    /// Whether page directories may name fine tables.
    pub fine_tables: bool,
    /// Whether pages with C=1, B=0 are written through; otherwise they use the mini data cache.
    pub writes_through: bool,
    /// Bits 31:24 of the cache type register: how the caches are written, cleaned and locked.
    pub cache_type: u32,
    /// What the register of a TLB with locked places keeps; 0 where there is none.
    pub tlb_lockdown_bits: u32,
    /// What MRC of a register of CP15 gives.
    pub read: fn(Register) -> Read,
    /// What MCR of one does.
    pub write: fn(Register) -> Write,
    /// Which MCR user mode may try; whether it then may is the kernel's to say.
    pub user_writes: fn(Register) -> bool,
    /// The registers of CP15 that a debugger shows: name, CRn, opcode 2.
    pub shown: &'static [(&'static str, u8, u8)],
}

impl Table {
    /// The table of a core that a machine file names.
    #[must_use]
    pub fn of(core: ArmCore) -> &'static Self {
        match core {
            ArmCore::Sa1110 => &sa1110::TABLE,
            ArmCore::Arm920 => &arm920::TABLE,
            ArmCore::Arm926 => &arm926::TABLE,
        }
    }
}

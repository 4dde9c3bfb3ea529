// SPDX-License-Identifier: Apache-2.0
//! The ARM926EJ-S (Technical Reference Manual, DDI 0198D, "TRM"). What its section 2.3 says of the
//! registers of CP15 is in [`read`] and [`write`]. It has no tightly coupled memory here, and its
//! test and debug operations (register 15) do nothing.

use crate::arm::isa::architecture::Architecture;
use crate::arm::isa::control;
use crate::arm::isa::register::{Read, Register, Side, Write};

use super::Table;

/// The core.
pub const TABLE: Table = Table {
    architecture: Architecture::V5Te, // TRM 1.1: 5TEJ
    control_fixed: 0x0005_0078,       // TRM 2.3.2
    control_kept: control::M
        | control::A
        | control::C
        | control::S
        | control::R
        | control::I
        | control::X
        | control::RR
        | control::L4,
    pid_bits: 0xfe00_0000,        // TRM 2.3.13: 128 slots
    relocates_without_mmu: false, // TRM p. 2-34
    // "FCSE translation is not applied for addresses used for entry based cache or TLB maintenance
    // operations. For these operations VA = MVA" (TRM p. 2-34).
    relocates_maintenance: false,
    insn_fault_status: true,                // TRM 3.6.2
    fine_tables: true,                      // TRM 3.2.3
    writes_through: true,                   // TRM 4.1
    cache_type: (0b1110 << 25) | (1 << 24), // TRM 2.3.1: write-back, register 7, format C; two
    tlb_lockdown_bits: 0x1c00_0001,         // TRM 2.3.11: victim and P
    read,
    write,
    user_writes: |_| false,
    shown: &[
        ("control", 1, 0),
        ("ttb", 2, 0),
        ("dacr", 3, 0),
        ("fsr", 5, 0),
        ("ifsr", 5, 1),
        ("far", 6, 0),
        ("pid", 13, 0),
        ("context", 13, 1),
    ],
};

fn read(register: Register) -> Read {
    let Register {
        crn,
        crm,
        opcode_2: op,
    } = register;
    match (crn, crm, op) {
        (0, _, 1) => Read::CacheType,
        // No tightly coupled memory.
        (0, _, 2) => Read::Zero,
        (0, ..) => Read::Id,
        (1, ..) => Read::Control,
        (2, ..) => Read::TranslationTable,
        (3, ..) => Read::Domains,
        (5, _, 0) => Read::FaultStatus,
        (5, _, 1) => Read::InsnFaultStatus,
        (6, ..) => Read::FaultAddress,
        (7, 10, 3) => Read::TestAndClean { drop: false },
        (7, 14, 3) => Read::TestAndClean { drop: true },
        (9, 0, 0) => Read::LockedWays(Side::Data),
        (9, 0, 1) => Read::LockedWays(Side::Insn),
        // The region registers of tightly coupled memories that are not there.
        (9, 1, 0 | 1) => Read::Zero,
        (10, 0, 0) => Read::TlbLockdown,
        (13, _, 0) => Read::ProcessId,
        (13, _, 1) => Read::ContextId,
        (15, ..) => Read::Zero,
        _ => Read::Undefined,
    }
}

fn write(register: Register) -> Write {
    let Register {
        crn,
        crm,
        opcode_2: op,
    } = register;
    match (crn, crm, op) {
        (1, ..) => Write::Control,
        (2, ..) => Write::TranslationTable,
        (3, ..) => Write::Domains,
        (5, _, 0) => Write::FaultStatus,
        (5, _, 1) => Write::InsnFaultStatus,
        (6, ..) => Write::FaultAddress,
        // TRM 2.3.8
        (7, 0, 4) => Write::WaitForInterrupt,
        (7, 5, 0) => Write::InvalidateIcache,
        (7, 5, 1) => Write::InvalidateIcacheLine,
        (7, 5, 2) => Write::InvalidateIcacheSlot,
        (7, 6, 0) => Write::InvalidateDcache,
        (7, 6, 1) => Write::InvalidateDcacheLine,
        (7, 6, 2) => Write::InvalidateDcacheSlot,
        (7, 7, 0) => Write::InvalidateCaches,
        (7, 10, 1) => Write::CleanDcacheLine,
        (7, 10, 2) => Write::CleanDcacheSlot,
        (7, 10, 4) => Write::DrainWriteBuffer,
        (7, 13, 1) => Write::PrefetchInsnLine,
        (7, 14, 1) => Write::CleanInvalidateDcacheLine,
        (7, 14, 2) => Write::CleanInvalidateDcacheSlot,
        // TRM 2.3.9: there is one TLB, and the operations of either kind act on it.
        (8, 5, 0) => Write::InvalidateItlb,
        (8, 6, 0) => Write::InvalidateDtlb,
        (8, 7, 0) => Write::InvalidateTlbs,
        (8, 5, 1) => Write::InvalidateItlbEntry,
        (8, 6, 1) => Write::InvalidateDtlbEntry,
        (8, 7, 1) => Write::InvalidateTlbsEntry,
        (9, 0, 0) => Write::LockedWays(Side::Data),
        (9, 0, 1) => Write::LockedWays(Side::Insn),
        // The region registers of tightly coupled memories that are not there.
        (9, 1, 0 | 1) => Write::Nothing,
        (10, 0, 0) => Write::TlbLockdown,
        (13, _, 0) => Write::ProcessId,
        (13, _, 1) => Write::ContextId,
        (15, ..) => Write::Nothing,
        _ => Write::Undefined,
    }
}

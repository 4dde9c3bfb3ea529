// SPDX-License-Identifier: Apache-2.0
//! The ARM920T, by the S3C2410A User's Manual ("SUM"), whose appendices on the processor are numbered
//! as here, and by the Technical Reference Manual of the ARM922T, the same core with half the caches
//! (DDI 0184B, "T922"). What SUM 2 says of the registers of CP15 is in [`read`] and [`write`]. Its
//! clock modes and test operations (register 15) do nothing.

use crate::arm::isa::architecture::Architecture;
use crate::arm::isa::control;
use crate::arm::isa::register::{Read, Register, Side, Write};

use super::Table;

/// The clock that the core runs by (SUM 2, register 1): kept, and there is one clock.
const CLOCK_MODE: u32 = 0xc000_0000;

/// The core.
pub const TABLE: Table = Table {
    architecture: Architecture::V4T, // SUM p. 2-3
    control_fixed: 0x78,             // SUM 2, register 1: bits 6:3
    control_kept: control::M
        | control::A
        | control::C
        | control::S
        | control::R
        | control::I
        | control::X
        | control::RR
        | CLOCK_MODE,
    pid_bits: 0xfe00_0000,       // SUM p. 2-23: seven bits
    relocates_without_mmu: true, // SUM p. 2-23 makes no exception
    // SUM p. 2-15: operations on one line or entry take a modified virtual address.
    relocates_maintenance: false,
    insn_fault_status: true,                // SUM p. 3-18; T922, register 5
    fine_tables: true,                      // SUM p. 3-1: tiny pages
    writes_through: true,                   // SUM table 4-1
    cache_type: (0b0110 << 25) | (1 << 24), // SUM 2, register 0: write-back, register 7, format A; two
    tlb_lockdown_bits: 0, // its TLBs have no places of their own for locked entries
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
    ],
};

fn read(register: Register) -> Read {
    let Register {
        crn,
        crm,
        opcode_2: op,
    } = register;
    match (crn, crm, op) {
        // SUM p. 2-7: any other opcode 2 gives the identification.
        (0, _, 1) => Read::CacheType,
        (0, ..) => Read::Id,
        (1, ..) => Read::Control,
        (2, ..) => Read::TranslationTable,
        (3, ..) => Read::Domains,
        (5, _, 0) => Read::FaultStatus,
        (5, _, 1) => Read::InsnFaultStatus,
        (6, ..) => Read::FaultAddress,
        // SUM p. 2-19 and 2-21
        (9, 0, 0) => Read::LockedBase(Side::Data),
        (9, 0, 1) => Read::LockedBase(Side::Insn),
        (10, 0, 0) => Read::TlbBase(Side::Data),
        (10, 0, 1) => Read::TlbBase(Side::Insn),
        (13, ..) => Read::ProcessId,
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
        // SUM p. 2-15; the numbers: T922, table 2.16
        (7, 0, 4) => Write::WaitForInterrupt,
        (7, 5, 0) => Write::InvalidateIcache,
        (7, 5, 1) => Write::InvalidateIcacheLine,
        (7, 6, 0) => Write::InvalidateDcache,
        (7, 6, 1) => Write::InvalidateDcacheLine,
        (7, 7, 0) => Write::InvalidateCaches,
        (7, 10, 1) => Write::CleanDcacheLine,
        (7, 10, 2) => Write::CleanDcacheSlot,
        (7, 10, 4) => Write::DrainWriteBuffer,
        (7, 13, 1) => Write::PrefetchInsnLine,
        (7, 14, 1) => Write::CleanInvalidateDcacheLine,
        (7, 14, 2) => Write::CleanInvalidateDcacheSlot,
        // SUM p. 2-18: the TLBs are invalidated together, or one by one.
        (8, 5, 0) => Write::InvalidateItlb,
        (8, 5, 1) => Write::InvalidateItlbEntry,
        (8, 6, 0) => Write::InvalidateDtlb,
        (8, 6, 1) => Write::InvalidateDtlbEntry,
        (8, 7, 0) => Write::InvalidateTlbs,
        // SUM p. 2-19 and 2-21
        (9, 0, 0) => Write::LockedBase(Side::Data),
        (9, 0, 1) => Write::LockedBase(Side::Insn),
        (10, 0, 0) => Write::TlbBase(Side::Data),
        (10, 0, 1) => Write::TlbBase(Side::Insn),
        (13, ..) => Write::ProcessId,
        (15, ..) => Write::Nothing,
        _ => Write::Undefined,
    }
}

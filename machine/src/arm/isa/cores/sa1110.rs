// SPDX-License-Identifier: Apache-2.0
//! The StrongARM SA-1110 (Developer's Manual, "DM"). What its chapter 5 says of the registers of
//! CP15 is in [`read`] and [`write`].

use crate::arm::isa::architecture::Architecture;
use crate::arm::isa::control;
use crate::arm::isa::register::{Read, Register, Write};

use super::Table;

/// The core.
pub const TABLE: Table = Table {
    architecture: Architecture::V4, // DM ch. 1
    control_fixed: 0b111 << 4,      // DM 5.2.2: 32-bit program and data space, late aborts
    control_kept: control::M
        | control::A
        | control::C
        | control::W
        | control::S
        | control::R
        | control::I
        | control::X,
    pid_bits: 0x7e00_0000,       // DM 5.2.13: 64 slots
    relocates_without_mmu: true, // DM 5.2.13 makes no exception
    // Assumed: DM 5.2.13 says of no address that it would not be relocated, and calls that of an
    // operation a virtual address. Looked for, and nothing else found.
    relocates_maintenance: true,
    insn_fault_status: false, // DM 7.6: a prefetch abort sets neither register
    fine_tables: false,
    writes_through: false, // DM 6.2
    cache_type: 0,         // there is no such register
    tlb_lockdown_bits: 0,
    read,
    write,
    // DM 5.2.9: only what concerns the read buffer.
    user_writes: |register| register.crn == 9 && register.opcode_2 <= 2,
    shown: &[
        ("control", 1, 0),
        ("ttb", 2, 0),
        ("dacr", 3, 0),
        ("fsr", 5, 0),
        ("far", 6, 0),
        ("pid", 13, 0),
    ],
};

fn read(register: Register) -> Read {
    match register.crn {
        0 => Read::Id,
        1 => Read::Control,
        2 => Read::TranslationTable,
        3 => Read::Domains,
        5 => Read::FaultStatus,
        6 => Read::FaultAddress,
        13 => Read::ProcessId,
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
        (5, ..) => Write::FaultStatus,
        (6, ..) => Write::FaultAddress,
        // DM 5.2.7
        (7, 7, 0) => Write::InvalidateCaches,
        (7, 5, 0) => Write::InvalidateIcache,
        (7, 6, 0) => Write::InvalidateDcache,
        (7, 6, 1) => Write::InvalidateDcacheLine,
        (7, 10, 1) => Write::CleanDcacheLine,
        (7, 10, 4) => Write::DrainWriteBuffer,
        // DM 5.2.8
        (8, 7, 0) => Write::InvalidateTlbs,
        (8, 5, 0) => Write::InvalidateItlb,
        (8, 6, 0) => Write::InvalidateDtlb,
        (8, 6, 1) => Write::InvalidateDtlbEntry,
        // DM 5.2.9: opcode 2 says what, CRm which entry and how many words.
        (9, _, 0) => Write::FlushReadBuffer(None),
        (9, _, 1) => Write::FlushReadBuffer(Some(crm & 3)),
        (9, 0..=11, 2) => Write::LoadReadBuffer {
            entry: crm & 3,
            words: [1, 4, 8][usize::from(crm >> 2)],
        },
        (9, _, 4) => Write::ForbidUserReadBuffer,
        (9, _, 5) => Write::AllowUserReadBuffer,
        (13, ..) => Write::ProcessId,
        // The hardware breakpoints: nothing here debugs through them.
        (14, ..) => Write::Nothing,
        // DM 5.2.15: the clock never changes, so that switching it has no effect; nor have the
        // operations on the instruction cache's test register.
        (15, 8, 2) => Write::WaitForInterrupt,
        (15, 1 | 2 | 4 | 8, 1 | 2) => Write::Nothing,
        _ => Write::Undefined,
    }
}

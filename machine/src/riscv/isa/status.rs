// SPDX-License-Identifier: Apache-2.0
//! The fields of `mstatus` (II, "Machine Status (mstatus and mstatush) Registers").

/// Interrupts enabled in S mode.
pub const SIE: u64 = 1 << 1;
/// Interrupts enabled in M mode.
pub const MIE: u64 = 1 << 3;
/// SIE before the trap.
pub const SPIE: u64 = 1 << 5;
/// MIE before the trap.
pub const MPIE: u64 = 1 << 7;
/// The level before the trap to S mode.
pub const SPP: u64 = 1 << 8;
/// Where the level before the trap to M mode is.
pub const MPP_SHIFT: u32 = 11;
/// The level before the trap to M mode.
pub const MPP: u64 = 3 << MPP_SHIFT;
/// State of the floating-point unit: 0 off, 1 initial, 2 clean, 3 dirty.
pub const FS: u64 = 3 << 13;
/// Loads and stores have the rights of MPP.
pub const MPRV: u64 = 1 << 17;
/// The supervisor may access user pages.
pub const SUM: u64 = 1 << 18;
/// Pages that may be executed may be read.
pub const MXR: u64 = 1 << 19;
/// The supervisor may not touch virtual memory.
pub const TVM: u64 = 1 << 20;
/// WFI traps.
pub const TW: u64 = 1 << 21;
/// SRET traps.
pub const TSR: u64 = 1 << 22;
/// The width of registers in U and S mode: 64 bits, fixed.
pub const WIDTHS: u64 = 2 << 32 | 2 << 34;
/// Something is dirty.
pub const SD: u64 = 1 << 63;

/// What machine mode can write.
pub const WRITABLE: u64 =
    SIE | MIE | SPIE | MPIE | SPP | MPP | FS | MPRV | SUM | MXR | TVM | TW | TSR;
/// What supervisor mode can write.
pub const SUPERVISOR_WRITABLE: u64 = SIE | SPIE | SPP | FS | SUM | MXR;
/// What supervisor mode sees.
pub const SUPERVISOR_SEEN: u64 = SUPERVISOR_WRITABLE | 3 << 32 | SD;

// SPDX-License-Identifier: Apache-2.0
//! Bits of the control register (CP15 register 1; SA-1110 DM §5.2.2, ARM926EJ-S TRM §2.3.2).

/// Memory management unit on.
pub const M: u32 = 1 << 0;
/// Alignment faults on.
pub const A: u32 = 1 << 1;
/// Data caches on.
pub const C: u32 = 1 << 2;
/// Write buffer on; the ARM926EJ-S reads it as one.
pub const W: u32 = 1 << 3;
/// Big endian. Not modelled.
pub const B: u32 = 1 << 7;
/// System protection.
pub const S: u32 = 1 << 8;
/// ROM protection.
pub const R: u32 = 1 << 9;
/// Instruction cache on.
pub const I: u32 = 1 << 12;
/// Exception vectors at 0xffff0000.
pub const X: u32 = 1 << 13;
/// Caches are replaced round robin, not pseudo-randomly (ARM926EJ-S).
pub const RR: u32 = 1 << 14;
/// Loads of the PC do not change to Thumb state (ARM926EJ-S).
pub const L4: u32 = 1 << 15;

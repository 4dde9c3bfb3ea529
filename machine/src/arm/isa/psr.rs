// SPDX-License-Identifier: Apache-2.0
//! Bits of the program status registers (DDI 0100, A2.5).

/// Negative.
pub const N: u32 = 1 << 31;
/// Zero.
pub const Z: u32 = 1 << 30;
/// Carry.
pub const C: u32 = 1 << 29;
/// Overflow.
pub const V: u32 = 1 << 28;
/// IRQ masked.
pub const I: u32 = 1 << 7;
/// FIQ masked.
pub const F: u32 = 1 << 6;
/// Saturation has happened (ARMv5TE).
pub const Q: u32 = 1 << 27;
/// Thumb state.
pub const T: u32 = 1 << 5;
/// The mode field.
pub const MODE: u32 = 0x1f;
/// The bits that ARMv4 without Thumb implements.
pub const IMPLEMENTED_V4: u32 = N | Z | C | V | I | F | MODE;
/// The bits that ARMv4T implements.
pub const IMPLEMENTED_V4T: u32 = IMPLEMENTED_V4 | T;
/// The bits that ARMv5TE implements; of J, without Jazelle execution, nothing is kept.
pub const IMPLEMENTED_V5TE: u32 = IMPLEMENTED_V4 | Q | T;

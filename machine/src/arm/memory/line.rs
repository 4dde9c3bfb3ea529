// SPDX-License-Identifier: Apache-2.0
//! The line of the caches: the same in each of them and on each core (SA-1110 DM 6.1 and 6.2,
//! ARM926EJ-S TRM 4.1, S3C2410A User's Manual p. 4-1).

use crate::arm::config::ARM_LINE_BYTES;

/// Bytes in a line.
pub const LINE_BYTES: u32 = ARM_LINE_BYTES;

/// Words in a line: as many as it has instructions in ARM state.
pub const LINE_WORDS: usize = LINE_BYTES as usize / 4;

/// Words in half a line, which has its own dirty bit (SA-1110 DM 6.2).
pub const HALF_WORDS: usize = LINE_WORDS / 2;

/// The words of a line.
pub type Words = [u32; LINE_WORDS];

/// The address of the line in which `address` lies.
#[inline(always)]
#[must_use]
pub const fn line_address(address: u32) -> u32 {
    address & !(LINE_BYTES - 1)
}

/// How many bytes into its line `address` is.
#[inline(always)]
#[must_use]
pub const fn line_offset(address: u32) -> u32 {
    address & (LINE_BYTES - 1)
}

/// Which word of its line `address` lies in.
#[inline(always)]
#[must_use]
pub const fn line_word(address: u32) -> usize {
    (address / 4) as usize % LINE_WORDS
}

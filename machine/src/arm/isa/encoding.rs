// SPDX-License-Identifier: Apache-2.0
//! Instructions as they stand in memory.

use std::fmt;

/// An instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Encoding {
    /// Its 32 bits, or 16 of a Thumb instruction.
    pub word: u32,
    /// Whether it is one of those.
    pub thumb: bool,
}

/// Four or eight digits.
impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = if self.thumb { 4 } else { 8 };
        write!(f, "{:0digits$x}", self.word)
    }
}

impl fmt::LowerHex for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::LowerHex::fmt(&self.word, f)
    }
}

// SPDX-License-Identifier: Apache-2.0
//! The control word: which exceptions are masked, how results are rounded (SDM vol. 1, 8.1.5).

use rustc_apfloat::Round;
use serde::{Deserialize, Serialize};

/// The exceptions: bits of the status word, where they have occurred, and of the control word,
/// where a set bit masks.
pub mod exception {
    /// Invalid operation.
    pub const INVALID: u16 = 1 << 0;
    /// Denormal operand.
    pub const DENORMAL: u16 = 1 << 1;
    /// Division by zero.
    pub const ZERO_DIVIDE: u16 = 1 << 2;
    /// Overflow.
    pub const OVERFLOW: u16 = 1 << 3;
    /// Underflow.
    pub const UNDERFLOW: u16 = 1 << 4;
    /// Precision: the result is inexact.
    pub const PRECISION: u16 = 1 << 5;
    /// All six.
    pub const ALL: u16 = 0x3f;
    /// Those that are seen before anything is computed. Unmasked, they leave the operands as they
    /// are.
    pub const BEFORE: u16 = INVALID | DENORMAL | ZERO_DIVIDE;
}

/// The bits that can be written: masks, precision, rounding, and the infinity control of the 80287.
const WRITABLE: u16 = 0x1f3f;
/// Reserved, and always 1.
const FIXED: u16 = 0x0040;

/// The control word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Control(u16);

impl Control {
    /// After FNINIT: everything masked, 64 bits, to nearest.
    pub const INITIAL: Self = Self(0x037f);
    /// After a reset of the processor (SDM vol. 3, table 9-1).
    pub const RESET: Self = Self(FIXED);

    /// As FLDCW loads it.
    #[must_use]
    pub fn new(word: u16) -> Self {
        Self(word & WRITABLE | FIXED)
    }

    /// As FNSTCW stores it.
    #[must_use]
    pub fn word(self) -> u16 {
        self.0
    }

    /// This control word with every exception masked.
    #[must_use]
    pub fn all_masked(self) -> Self {
        Self(self.0 | exception::ALL)
    }

    /// Whether all of these exceptions are masked.
    #[must_use]
    pub fn masks(self, exceptions: u16) -> bool {
        exceptions & exception::ALL & !self.0 == 0
    }

    /// The rounding control.
    #[must_use]
    pub fn rounding(self) -> Round {
        match self.0 >> 10 & 3 {
            0 => Round::NearestTiesToEven,
            1 => Round::TowardNegative,
            2 => Round::TowardPositive,
            _ => Round::TowardZero,
        }
    }

    /// The precision control: bits of the significand. The reserved encoding is taken as 64.
    #[must_use]
    pub fn precision(self) -> u32 {
        match self.0 >> 8 & 3 {
            0 => 24,
            2 => 53,
            _ => 64,
        }
    }
}

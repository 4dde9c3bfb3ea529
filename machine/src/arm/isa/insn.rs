// SPDX-License-Identifier: Apache-2.0
//! Instruction fields, named as in the ARM Architecture Reference Manual (DDI 0100), and the
//! decoded form that lives in a line of the instruction cache.

use super::kind::Kind;

/// A 32-bit ARM instruction with accessors for its fields.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Insn(pub u32);

impl Insn {
    /// Bit `n`.
    #[inline]
    #[must_use]
    pub fn bit(self, n: u32) -> bool {
        self.0 & (1 << n) != 0
    }

    #[inline]
    fn nibble(self, low: u32) -> usize {
        ((self.0 >> low) & 15) as usize
    }

    /// Condition field.
    #[inline]
    #[must_use]
    pub fn cond(self) -> u32 {
        self.0 >> 28
    }

    /// First operand or base register, bits 19:16.
    #[inline]
    #[must_use]
    pub fn rn(self) -> usize {
        self.nibble(16)
    }

    /// Destination register, bits 15:12 (the low result of a long multiply).
    #[inline]
    #[must_use]
    pub fn rd(self) -> usize {
        self.nibble(12)
    }

    /// Shift register, bits 11:8.
    #[inline]
    #[must_use]
    pub fn rs(self) -> usize {
        self.nibble(8)
    }

    /// Second operand register, bits 3:0.
    #[inline]
    #[must_use]
    pub fn rm(self) -> usize {
        self.nibble(0)
    }

    /// Register list of a load or store multiple.
    #[inline]
    #[must_use]
    pub fn register_list(self) -> u16 {
        self.0 as u16
    }

    /// The form of a multiply of halfwords ([`multiply_halves`]).
    #[inline]
    #[must_use]
    pub fn multiply_halves_form(self) -> u32 {
        (self.0 >> 21) & 3
    }

    /// The registers that a multiply of halfwords adds to its product, one bit each.
    #[must_use]
    pub fn accumulators(self) -> u16 {
        match self.multiply_halves_form() {
            multiply_halves::ACCUMULATE => 1 << self.rd(),
            multiply_halves::WORD_BY_HALF if !self.bit(5) => 1 << self.rd(),
            multiply_halves::ACCUMULATE_LONG => (1 << self.rd()) | (1 << self.rn()),
            _ => 0,
        }
    }

    /// Byte offset of a branch relative to its address plus 8.
    #[inline]
    #[must_use]
    pub fn branch_offset(self) -> u32 {
        (((self.0 << 8) as i32) >> 6) as u32
    }
}

/// The forms of the halfword multiplies, bits 22:21; 3 is SMULxy.
pub mod multiply_halves {
    /// SMLAxy.
    pub const ACCUMULATE: u32 = 0;
    /// SMLAWy and SMULWy.
    pub const WORD_BY_HALF: u32 = 1;
    /// SMLALxy.
    pub const ACCUMULATE_LONG: u32 = 2;
}

/// A decoded instruction.
#[derive(Debug, Clone, Copy, Default)]
pub struct Op {
    /// The encoding, as the handler reads it: an unconditional instruction has the condition
    /// "always", a Thumb instruction is the ARM instruction that does the same if there is one.
    pub insn: Insn,
    /// What it is, for its handler.
    pub kind: Kind,
    /// The condition field of `insn`, so that the run loop need not take it out.
    pub cond: u8,
    /// Registers it reads, one bit each: what an interlock may have to wait for.
    pub sources: u16,
}

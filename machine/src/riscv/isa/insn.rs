// SPDX-License-Identifier: Apache-2.0
//! A decoded instruction, and an encoding as people read it.

use std::fmt;

use super::kind::Kind;

/// What an instruction means. It is small, since lines of the instruction cache are full of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Op {
    /// What it does.
    pub kind: Kind,
    /// The place of the register that it writes ([`register`](super::register)).
    pub rd: u8,
    /// Of the first that it reads; 0, which is always ready, if it reads none.
    pub rs1: u8,
    /// Of the second.
    pub rs2: u8,
    /// Of the third, which only fused multiplications have.
    pub rs3: u8,
    /// Rounding mode; `aq` and `rl` of atomics; the funct3 field of others.
    pub mode: u8,
    /// Bytes of its encoding.
    pub len: u8,
    /// Immediate, shift amount, number of a control and status register; of an illegal one its encoding.
    pub imm: i32,
}

impl Op {
    /// One that has not been decoded.
    pub const UNDECODED: Self = Self::bare(Kind::Undecoded, 0);

    /// One without operands, with `imm`.
    #[must_use]
    pub const fn bare(kind: Kind, imm: i32) -> Self {
        Self {
            kind,
            rd: super::register::NOWHERE,
            rs1: 0,
            rs2: 0,
            rs3: 0,
            mode: 0,
            len: 4,
            imm,
        }
    }

    /// An illegal one, of `len` bytes.
    #[must_use]
    pub const fn illegal(encoding: u32, len: u8) -> Self {
        let mut op = Self::bare(Kind::Illegal, encoding as i32);
        op.len = len;
        op
    }
}

/// An encoding: 16 bits of a compressed instruction, 32 of another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Encoding(pub u32);

impl Encoding {
    /// Whether it is compressed: its lowest bits are not both set (I, "Base Instruction-Length Encoding").
    #[must_use]
    pub fn is_compressed(self) -> bool {
        self.0 & 3 != 3
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.is_compressed() {
            write!(f, "{:04x}", self.0)
        } else {
            write!(f, "{:08x}", self.0)
        }
    }
}

impl fmt::LowerHex for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::LowerHex::fmt(&self.0, f)
    }
}

// SPDX-License-Identifier: Apache-2.0
//! A decoded instruction, and an encoding as people read it.

use std::fmt;

use super::kind::Kind;

/// What an instruction means. It is two numbers, which go from a line of the instruction cache to its handler
/// in registers; [`Operands`] has it in parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Op {
    /// Kind, places of `rd`, `rs1`, `rs2` and `rs3`, mode, length, class: a byte each, the lowest first.
    parts: u64,
    /// Immediate, shift amount, number of a control and status register; of an illegal one its encoding.
    pub imm: i32,
}

/// Declares the parts of an [`Op`], by the number of their byte.
macro_rules! parts {
    ($($(#[$about:meta])* $name:ident = $byte:literal;)+) => {$(
        $(#[$about])*
        #[inline(always)]
        #[must_use]
        pub fn $name(self) -> u8 {
            (self.parts >> (8 * $byte)) as u8
        }
    )+};
}

impl Op {
    /// One that has not been decoded.
    pub const UNDECODED: Self = Operands::bare(Kind::Undecoded, 0).op();

    /// One that goes on in the next line.
    pub const CROSSING: Self = Operands::bare(Kind::Crossing, 0).op();

    parts! {
        /// The number of its [`Kind`].
        kind = 0;
        /// The place of the register that it writes ([`register`](super::register)).
        rd = 1;
        /// Of the first that it reads; 0, which is always ready, if it reads none.
        rs1 = 2;
        /// Of the second.
        rs2 = 3;
        /// Of the third, which only fused multiplications have.
        rs3 = 4;
        /// Rounding mode; `aq` and `rl` of atomics; the funct3 field of others.
        mode = 5;
        /// Bytes of its encoding.
        bytes = 6;
        /// The number of its [`Class`](super::kind::Class).
        class = 7;
    }

    /// Whether it is an instruction of its own; else it is to be decoded, from this line and the next.
    #[inline(always)]
    #[must_use]
    pub fn is_decoded(self) -> bool {
        self.kind() > Kind::Crossing as u8
    }
}

/// The parts of an [`Op`], as the decoder finds them.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub struct Operands {
    pub kind: Kind,
    pub rd: u8,
    pub rs1: u8,
    pub rs2: u8,
    pub rs3: u8,
    pub mode: u8,
    pub len: u8,
    pub imm: i32,
}

impl Operands {
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
        let mut new = Self::bare(Kind::Illegal, encoding as i32);
        new.len = len;
        new
    }

    /// All of them together.
    #[must_use]
    pub const fn op(self) -> Op {
        let bytes = [
            self.kind as u8,
            self.rd,
            self.rs1,
            self.rs2,
            self.rs3,
            self.mode,
            self.len,
            Kind::CLASS[self.kind as usize] as u8,
        ];
        Op {
            parts: u64::from_le_bytes(bytes),
            imm: self.imm,
        }
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

// SPDX-License-Identifier: Apache-2.0
//! Numbers in double extended-precision format (SDM vol. 1, 4.2.2), in which the registers have
//! them, and operands taken apart: what arithmetic is done on.

use rustc_apfloat::ieee::{IeeeFloat, Semantics};
use rustc_apfloat::Float;
use serde::{Deserialize, Serialize};

/// What the biased exponent is above the exponent.
pub const BIAS: i32 = 16383;
/// The smallest exponent of a normal number.
pub const LOWEST: i32 = 1 - BIAS;
/// The biased exponent of infinities and NaNs.
const SPECIAL: u16 = 0x7fff;
const SIGN: u16 = 0x8000;
/// The integer bit of a significand.
pub const INTEGER: u64 = 1 << 63;
/// The bit of a significand that tells a quiet NaN.
const QUIET: u64 = 1 << 62;

/// The format of the library in which operations on [`Operand`]s are done, toward zero: a sum,
/// product or quotient of two numbers of 64 bits has its leading 111 bits in it, and any exponent
/// that can come about.
pub struct WideS;

impl Semantics for WideS {
    const BITS: usize = 128;
    const EXP_BITS: usize = 17;
}

/// A number of that format.
pub type Wide = IeeeFloat<WideS>;

/// Bits after the binary point of a [`Wide`] one's significand.
pub const WIDE_FRACTION: u32 = 110;
/// What its biased exponent is above the exponent.
pub const WIDE_BIAS: i32 = 65535;

/// A number as a register has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Extended {
    /// The significand, with its integer bit.
    pub significand: u64,
    /// The sign, and the biased exponent.
    pub sign_exponent: u16,
}

impl Extended {
    /// The QNaN that is the answer to an invalid operation.
    pub const INDEFINITE: Self = Self {
        significand: INTEGER | QUIET,
        sign_exponent: SIGN | SPECIAL,
    };
    /// 1.
    pub const ONE: Self = Self {
        significand: INTEGER,
        sign_exponent: BIAS as u16,
    };

    /// One of these parts; `biased` is the exponent.
    #[must_use]
    pub fn new(negative: bool, biased: u16, significand: u64) -> Self {
        let sign = if negative { SIGN } else { 0 };
        Self {
            significand,
            sign_exponent: sign | biased,
        }
    }

    /// A zero.
    #[must_use]
    pub fn zero(negative: bool) -> Self {
        Self::new(negative, 0, 0)
    }

    /// An infinity.
    #[must_use]
    pub fn infinity(negative: bool) -> Self {
        Self::new(negative, SPECIAL, INTEGER)
    }

    /// An integer.
    #[must_use]
    pub fn integer(negative: bool, magnitude: u64) -> Self {
        if magnitude == 0 {
            return Self::zero(negative);
        }
        let zeros = magnitude.leading_zeros();
        let biased = BIAS + 63 - zeros as i32;
        Self::new(negative, biased as u16, magnitude << zeros)
    }

    /// Of the ten bytes in memory.
    #[must_use]
    pub fn from_bits(bits: u128) -> Self {
        Self {
            significand: bits as u64,
            sign_exponent: (bits >> 64) as u16,
        }
    }

    /// The ten bytes in memory.
    #[must_use]
    pub fn to_bits(self) -> u128 {
        u128::from(self.sign_exponent) << 64 | u128::from(self.significand)
    }

    /// Its sign.
    #[must_use]
    pub fn is_negative(self) -> bool {
        self.sign_exponent & SIGN != 0
    }

    /// This number with the given sign.
    #[must_use]
    pub fn with_sign(self, negative: bool) -> Self {
        Self::new(negative, self.biased(), self.significand)
    }

    fn biased(self) -> u16 {
        self.sign_exponent & !SIGN
    }

    /// Whether it is a zero.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.biased() == 0 && self.significand == 0
    }

    /// Whether it is a normal number.
    #[must_use]
    pub fn is_normal(self) -> bool {
        !matches!(self.biased(), 0 | SPECIAL) && self.significand & INTEGER != 0
    }

    /// Taken apart.
    #[must_use]
    pub fn operand(self) -> Operand {
        let biased = self.biased();
        let class = match (biased, self.significand) {
            (0, 0) => Class::Zero,
            (SPECIAL, INTEGER) => Class::Infinity,
            (1.., significand) if significand & INTEGER == 0 => Class::Unsupported,
            (SPECIAL, significand) if significand & QUIET != 0 => Class::Quiet,
            (SPECIAL, _) => Class::Signaling,
            _ => Class::Finite,
        };
        let zeros = if class == Class::Finite {
            self.significand.leading_zeros()
        } else {
            0
        };
        Operand {
            class,
            negative: self.is_negative(),
            exponent: i32::from(biased.max(1)) - BIAS - zeros as i32,
            significand: self.significand << zeros,
            denormal: class == Class::Finite && biased == 0,
        }
    }
}

/// What kind of number an operand is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A zero.
    Zero,
    /// Any other finite number.
    Finite,
    /// An infinity.
    Infinity,
    /// A quiet NaN.
    Quiet,
    /// A signaling NaN.
    Signaling,
    /// An encoding that no processor since the 80387 supports: pseudo-NaN, pseudo-infinity,
    /// unnormal.
    Unsupported,
}

/// A number taken apart; one that comes from memory in a shorter format may not be normal there,
/// but would be in a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operand {
    /// What it is.
    pub class: Class,
    /// Its sign.
    pub negative: bool,
    /// Of a finite one: the power of 2 that its integer bit stands for.
    pub exponent: i32,
    /// The significand; of a finite one with its integer bit set.
    pub significand: u64,
    /// Whether it was denormal in its format.
    pub denormal: bool,
}

impl Operand {
    /// Whether it is a NaN, or what is none but as good as one.
    #[must_use]
    pub fn is_nan(&self) -> bool {
        use Class::{Quiet, Signaling, Unsupported};
        matches!(self.class, Quiet | Signaling | Unsupported)
    }

    /// The NaN as a quiet one.
    #[must_use]
    pub fn quieted(&self) -> Extended {
        Extended::new(self.negative, SPECIAL, self.significand | INTEGER | QUIET)
    }

    /// This number with the other sign.
    #[must_use]
    pub fn negated(self) -> Self {
        Self {
            negative: !self.negative,
            ..self
        }
    }

    /// As a register has it, unless it is a NaN; in a register every number of a shorter format is
    /// normal.
    #[must_use]
    pub fn packed(&self) -> Extended {
        match self.class {
            Class::Zero => Extended::zero(self.negative),
            Class::Infinity => Extended::infinity(self.negative),
            _ if self.exponent >= LOWEST => {
                let biased = self.exponent + BIAS;
                Extended::new(self.negative, biased as u16, self.significand)
            }
            _ => {
                let significand = self.significand >> (LOWEST - self.exponent);
                Extended::new(self.negative, 0, significand)
            }
        }
    }

    /// A finite number or a zero, in the library's format.
    pub fn wide(&self) -> Wide {
        debug_assert!(matches!(self.class, Class::Zero | Class::Finite));
        let sign = u128::from(self.negative) << 127;
        if self.class == Class::Zero {
            return Wide::from_bits(sign);
        }
        let fraction = u128::from(self.significand & !INTEGER) << (WIDE_FRACTION - 63);
        let biased = (self.exponent + WIDE_BIAS) as u128;
        Wide::from_bits(sign | biased << WIDE_FRACTION | fraction)
    }
}

const _: () = assert!(WideS::PRECISION == WIDE_FRACTION as usize + 1);
const _: () = assert!(WideS::MAX_EXP == WIDE_BIAS);

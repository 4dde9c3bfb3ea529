// SPDX-License-Identifier: Apache-2.0
//! The formats that operands have in memory (SDM vol. 1, 4.2.2, 4.7 and 8.2), to a register and
//! back.

use crate::ia32::isa::insn::Format;

use super::arith::{self, Outcome};
use super::control::{exception, Control};
use super::extended::{Class, Extended, Operand, INTEGER};
use super::round::{round, to_integer, Rounded, Target, Unrounded};

/// A shorter binary format: bits of the fraction, and the exponents of normal numbers.
struct Short {
    fraction: u32,
    lowest: i32,
    highest: i32,
}

const SINGLE: Short = Short {
    fraction: 23,
    lowest: -126,
    highest: 127,
};
const DOUBLE: Short = Short {
    fraction: 52,
    lowest: -1022,
    highest: 1023,
};

/// Decimal digits of the packed format.
const DIGITS: u32 = 18;
/// What is stored for a number that does not fit.
const DECIMAL_INDEFINITE: u128 = 0xffff_c000_0000_0000_0000;

/// What a store comes to: the bytes, unless an unmasked exception keeps them back.
#[derive(Debug, Clone, Copy)]
pub struct Stored {
    /// The bytes.
    pub bits: u128,
    /// The exceptions.
    pub raised: u16,
    /// Whether the magnitude was rounded up.
    pub up: bool,
}

impl Format {
    fn bits(self) -> u32 {
        8 * self.bytes()
    }

    /// What `bits` are, as an operand of arithmetic.
    #[must_use]
    pub fn operand(self, bits: u128) -> Operand {
        match self {
            Self::Single => SINGLE.operand(bits as u64),
            Self::Double => DOUBLE.operand(bits as u64),
            Self::Extended => Extended::from_bits(bits).operand(),
            Self::Decimal => from_decimal(bits).operand(),
            _ => {
                let free = 128 - self.bits();
                let value = (bits as i128) << free >> free;
                let magnitude = value.unsigned_abs() as u64;
                Extended::integer(value < 0, magnitude).operand()
            }
        }
    }

    /// What a load of `bits` puts into a register.
    #[must_use]
    pub fn load(self, bits: u128) -> Outcome {
        match self {
            Self::Extended => Outcome::exact(Extended::from_bits(bits)),
            Self::Decimal => Outcome::exact(from_decimal(bits)),
            _ => arith::copy(&self.operand(bits)),
        }
    }

    /// What a store of `value` writes.
    #[must_use]
    pub fn store(self, value: Extended, control: Control) -> Stored {
        match self {
            Self::Single => SINGLE.store(&value.operand(), control),
            Self::Double => DOUBLE.store(&value.operand(), control),
            Self::Extended => Stored {
                bits: value.to_bits(),
                raised: 0,
                up: false,
            },
            _ => self.store_integer(&value.operand(), control),
        }
    }

    /// What is stored of an empty register, or of what has no value in this format.
    #[must_use]
    pub fn indefinite(self) -> u128 {
        match self {
            Self::Single => 0xffc0_0000,
            Self::Double => 0xfff8_0000_0000_0000,
            Self::Extended => Extended::INDEFINITE.to_bits(),
            Self::Decimal => DECIMAL_INDEFINITE,
            _ => 1 << (self.bits() - 1),
        }
    }

    fn store_integer(self, operand: &Operand, control: Control) -> Stored {
        let invalid = Stored {
            bits: self.indefinite(),
            raised: exception::INVALID,
            up: false,
        };
        let Some(integer) = to_integer(operand, control.rounding()) else {
            return invalid;
        };
        let most = if self == Self::Decimal {
            10u64.pow(DIGITS) - 1
        } else {
            (1 << (self.bits() - 1)) - 1 + u64::from(operand.negative)
        };
        if integer.magnitude > most {
            return invalid;
        }
        let bits = if self == Self::Decimal {
            decimal(operand.negative, integer.magnitude)
        } else {
            let value = i128::from(integer.magnitude);
            let signed = if operand.negative { -value } else { value };
            signed as u128 & (u128::MAX >> (128 - self.bits()))
        };
        Stored {
            bits,
            raised: integer.raised,
            up: integer.up,
        }
    }
}

impl Short {
    fn bias(&self) -> i32 {
        self.highest
    }

    /// The biased exponent of infinities and NaNs.
    fn special(&self) -> u64 {
        2 * self.highest as u64 + 1
    }

    fn exponent_bits(&self) -> u32 {
        64 - self.special().leading_zeros()
    }

    fn operand(&self, bits: u64) -> Operand {
        let biased = bits >> self.fraction & self.special();
        let fraction = bits & ((1 << self.fraction) - 1);
        let negative = bits >> (self.fraction + self.exponent_bits()) & 1 != 0;
        let aligned = fraction << (63 - self.fraction);
        let (class, exponent, significand) = if biased == self.special() {
            let class = match fraction {
                0 => Class::Infinity,
                _ if fraction >> (self.fraction - 1) != 0 => Class::Quiet,
                _ => Class::Signaling,
            };
            (class, 0, aligned | INTEGER)
        } else if biased != 0 {
            let exponent = biased as i32 - self.bias();
            (Class::Finite, exponent, aligned | INTEGER)
        } else if fraction == 0 {
            (Class::Zero, 0, 0)
        } else {
            let zeros = aligned.leading_zeros();
            let exponent = self.lowest - zeros as i32;
            (Class::Finite, exponent, aligned << zeros)
        };
        Operand {
            class,
            negative,
            exponent,
            significand,
            denormal: biased == 0 && fraction != 0,
        }
    }

    fn store(&self, operand: &Operand, control: Control) -> Stored {
        let stored = |rounded: &Rounded| Stored {
            bits: self.encode(rounded),
            raised: rounded.raised,
            up: rounded.up,
        };
        let special = |significand, raised| Stored {
            bits: self.put_together(operand.negative, self.special(), significand),
            raised,
            up: false,
        };
        match operand.class {
            Class::Zero => Stored {
                bits: self.put_together(operand.negative, 0, 0),
                raised: 0,
                up: false,
            },
            Class::Finite => {
                let target = Target {
                    precision: self.fraction + 1,
                    lowest: self.lowest,
                    highest: self.highest,
                };
                stored(&round(Unrounded::from_operand(operand), target, control))
            }
            Class::Infinity => special(0, 0),
            Class::Quiet => special(operand.quieted().significand, 0),
            Class::Signaling => special(operand.quieted().significand, exception::INVALID),
            Class::Unsupported => Stored {
                bits: self.put_together(true, self.special(), Extended::INDEFINITE.significand),
                raised: exception::INVALID,
                up: false,
            },
        }
    }

    fn encode(&self, rounded: &Rounded) -> u128 {
        if rounded.infinite {
            return self.put_together(rounded.negative, self.special(), 0);
        }
        let biased = if rounded.significand & INTEGER == 0 {
            0
        } else {
            // That of an unmasked overflow or underflow is not looked at.
            (rounded.exponent + self.bias()) as u64 & self.special()
        };
        self.put_together(rounded.negative, biased, rounded.significand)
    }

    fn put_together(&self, negative: bool, biased: u64, significand: u64) -> u128 {
        let sign = u64::from(negative) << (self.fraction + self.exponent_bits());
        let fraction = (significand & !INTEGER) >> (63 - self.fraction);
        u128::from(sign | biased << self.fraction | fraction)
    }
}

/// Digits of packed decimal. What is no digit counts as its value all the same.
fn from_decimal(bits: u128) -> Extended {
    let magnitude = (0..DIGITS).rev().fold(0u64, |sum, digit| {
        let value = (bits >> (4 * digit)) as u64 & 0xf;
        sum.wrapping_mul(10).wrapping_add(value)
    });
    Extended::integer(bits >> 79 & 1 != 0, magnitude)
}

fn decimal(negative: bool, magnitude: u64) -> u128 {
    let mut rest = magnitude;
    let digits = (0..DIGITS).fold(0, |digits, place| {
        let digit = rest % 10;
        rest /= 10;
        digits | u128::from(digit) << (4 * place)
    });
    digits | u128::from(negative) << 79
}

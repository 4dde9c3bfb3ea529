// SPDX-License-Identifier: Apache-2.0
//! Rounding, once, from an exact result to a format, with the exceptions that come of it (SDM vol.
//! 1, 4.8.4, 4.9.1.4 to 4.9.1.6 and 8.5.4 to 8.5.6).

use rustc_apfloat::{Float, Round, Status, StatusAnd};

use super::control::{exception, Control};
use super::extended::{
    Class, Extended, Operand, Wide, BIAS, INTEGER, LOWEST, WIDE_BIAS, WIDE_FRACTION,
};

/// By how much an unmasked overflow or underflow moves the exponent of what goes into a register.
const WRAP: i32 = 24576;

/// A number before it is rounded: `significand` / 2^127 × 2^`exponent`. The highest bit is set; the
/// lowest one stands for all that is below it.
#[derive(Debug, Clone, Copy)]
pub struct Unrounded {
    /// Its sign.
    pub negative: bool,
    /// Its exponent.
    pub exponent: i32,
    /// Its significand.
    pub significand: u128,
}

impl Unrounded {
    /// What the library came to, toward zero; `None`: zero.
    #[must_use]
    pub fn from_wide(result: StatusAnd<Wide>) -> Option<Self> {
        let inexact = result.status.contains(Status::INEXACT);
        let value = result.value;
        if value.is_zero() {
            return None;
        }
        let bits = value.to_bits();
        let integer = 1 << WIDE_FRACTION;
        let significand = bits & (integer - 1) | integer;
        Some(Self {
            negative: value.is_negative(),
            exponent: (bits >> WIDE_FRACTION & 0x1_ffff) as i32 - WIDE_BIAS,
            significand: significand << (127 - WIDE_FRACTION) | u128::from(inexact),
        })
    }

    /// This number, known to be inexact.
    #[must_use]
    pub fn inexact(self) -> Self {
        Self {
            significand: self.significand | 1,
            ..self
        }
    }

    /// A finite operand.
    #[must_use]
    pub fn from_operand(operand: &Operand) -> Self {
        Self {
            negative: operand.negative,
            exponent: operand.exponent,
            significand: u128::from(operand.significand) << 64,
        }
    }
}

/// A format to round to.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Bits of the significand.
    pub precision: u32,
    /// The smallest exponent of a normal number.
    pub lowest: i32,
    /// The largest one.
    pub highest: i32,
}

impl Target {
    /// A register, with a significand of so many bits.
    #[must_use]
    pub fn register(precision: u32) -> Self {
        Self {
            precision,
            lowest: LOWEST,
            highest: BIAS,
        }
    }
}

/// A number that was rounded.
#[derive(Debug, Clone, Copy)]
pub struct Rounded {
    /// Its sign.
    pub negative: bool,
    /// Its exponent.
    pub exponent: i32,
    /// Its significand; without the highest bit it is denormal, or zero.
    pub significand: u64,
    /// Whether it is infinite.
    pub infinite: bool,
    /// The exceptions.
    pub raised: u16,
    /// Whether its magnitude was rounded up.
    pub up: bool,
}

/// A significand cut to some bits.
pub struct Cut {
    /// What is left; 2^127 if it was rounded up to the next power of 2.
    pub significand: u128,
    /// Whether it was.
    pub carry: bool,
    /// Whether something was cut off.
    pub inexact: bool,
    /// Whether it was rounded up.
    pub up: bool,
}

impl Cut {
    /// The first `precision` bits of a significand, rounded.
    #[must_use]
    pub fn new(significand: u128, precision: u32, negative: bool, rounding: Round) -> Self {
        let unit = 1u128 << (128 - precision);
        let rest = significand & (unit - 1);
        let half = unit >> 1;
        let odd = significand & unit != 0;
        let up = match rounding {
            Round::TowardPositive => rest != 0 && !negative,
            Round::TowardNegative => rest != 0 && negative,
            Round::TowardZero => false,
            _ => rest > half || rest == half && odd,
        };
        let (sum, carry) = (significand - rest).overflowing_add(if up { unit } else { 0 });
        Self {
            significand: if carry { 1 << 127 } else { sum },
            carry,
            inexact: rest != 0,
            up,
        }
    }

    /// The precision exception, if something was cut off.
    #[must_use]
    pub fn raised(&self) -> u16 {
        if self.inexact {
            exception::PRECISION
        } else {
            0
        }
    }
}

/// Shifts right; what is lost stays as the lowest bit.
#[must_use]
pub fn shift_right(significand: u128, by: u32) -> u128 {
    if by > 127 {
        return u128::from(significand != 0);
    }
    let lost = significand & ((1 << by) - 1) != 0;
    significand >> by | u128::from(lost)
}

/// Rounds `x` to `target`. An unmasked overflow or underflow gives a number whose exponent is
/// moved.
#[must_use]
pub fn round(x: Unrounded, target: Target, control: Control) -> Rounded {
    let rounding = control.rounding();
    let cut_to = |significand| Cut::new(significand, target.precision, x.negative, rounding);
    // As if exponents had no end: by this the processor tells whether a number is tiny.
    let free = cut_to(x.significand);
    let exponent = x.exponent + i32::from(free.carry);
    let mut rounded = Rounded {
        negative: x.negative,
        exponent,
        significand: (free.significand >> 64) as u64,
        infinite: false,
        raised: free.raised(),
        up: free.up,
    };
    if exponent > target.highest {
        rounded.overflow(target, control);
    } else if x.exponent < target.lowest {
        let tiny = exponent < target.lowest;
        if tiny && !control.masks(exception::UNDERFLOW) {
            rounded.raised |= exception::UNDERFLOW;
            rounded.exponent += WRAP;
        } else {
            let by = (target.lowest - x.exponent) as u32;
            let denormal = cut_to(shift_right(x.significand, by));
            rounded.exponent = target.lowest;
            rounded.significand = (denormal.significand >> 64) as u64;
            rounded.raised = denormal.raised();
            rounded.up = denormal.up;
            if tiny && denormal.inexact {
                rounded.raised |= exception::UNDERFLOW;
            }
        }
    }
    rounded.massive();
    rounded
}

impl Rounded {
    /// What is beyond all exponents even if that was moved (FSCALE alone comes so far) becomes an
    /// infinity or zero (SDM vol. 1, 8.5.4 and 8.5.5).
    fn massive(&mut self) {
        if self.raised & exception::OVERFLOW != 0 && self.exponent > BIAS {
            self.infinite = true;
            self.up = true;
            self.raised |= exception::PRECISION;
        } else if self.raised & exception::UNDERFLOW != 0 && self.exponent < LOWEST {
            self.significand = 0;
            self.up = false;
            self.raised |= exception::PRECISION;
        }
    }

    fn overflow(&mut self, target: Target, control: Control) {
        self.raised |= exception::OVERFLOW;
        if !control.masks(exception::OVERFLOW) {
            self.exponent -= WRAP;
            return;
        }
        self.raised |= exception::PRECISION;
        self.infinite = match control.rounding() {
            Round::TowardPositive => !self.negative,
            Round::TowardNegative => self.negative,
            Round::TowardZero => false,
            _ => true,
        };
        self.up = self.infinite;
        self.exponent = target.highest;
        self.significand = u64::MAX << (64 - target.precision);
    }

    /// As a register has it.
    #[must_use]
    pub fn extended(&self) -> Extended {
        if self.infinite {
            Extended::infinity(self.negative)
        } else if self.significand & INTEGER == 0 {
            Extended::new(self.negative, 0, self.significand)
        } else {
            let biased = self.exponent + BIAS;
            Extended::new(self.negative, biased as u16, self.significand)
        }
    }
}

/// An operand rounded to an integer.
pub struct Integer {
    /// Without its sign.
    pub magnitude: u64,
    /// The exceptions.
    pub raised: u16,
    /// Whether the magnitude was rounded up.
    pub up: bool,
}

/// Rounds to an integer; `None`: it is a NaN, infinite, or has more than 64 bits.
#[must_use]
pub fn to_integer(operand: &Operand, rounding: Round) -> Option<Integer> {
    let integer = |magnitude, raised, up| Integer {
        magnitude,
        raised,
        up,
    };
    match operand.class {
        Class::Zero => Some(integer(0, 0, false)),
        Class::Finite if operand.exponent <= 63 => {
            let fixed = u128::from(operand.significand) << 64;
            let by = (63 - operand.exponent) as u32;
            let cut = Cut::new(shift_right(fixed, by), 64, operand.negative, rounding);
            let magnitude = (cut.significand >> 64) as u64;
            Some(integer(magnitude, cut.raised(), cut.up))
        }
        _ => None,
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Arithmetic on operands: results as a register gets them, and the exceptions (SDM vol. 1, 4.8.3,
//! 4.9 and 8.3.5; vol. 2, the instructions' tables of special operands).

use std::cmp::Ordering;

use rustc_apfloat::{Float, Round};

use super::control::{exception, Control};
use super::extended::{Class, Extended, Operand, BIAS, INTEGER};
use super::round::{round, to_integer, Target, Unrounded};

/// Bits of a register's significand, whatever the precision control says: most instructions but
/// ADD, SUB, MUL, DIV and SQRT do not look at it.
const FULL: u32 = 64;

/// What an operation comes to.
#[derive(Debug, Clone, Copy)]
pub struct Outcome {
    /// The result, as far as masked exceptions have one.
    pub value: Extended,
    /// The exceptions.
    pub raised: u16,
    /// Whether the magnitude was rounded up.
    pub up: bool,
}

/// An operation on one operand.
pub type Unary = fn(&Operand, Control) -> Outcome;
/// An operation on two.
pub type Binary = fn(&Operand, &Operand, Control) -> Outcome;

impl Outcome {
    /// A result without any exception.
    #[must_use]
    pub fn exact(value: Extended) -> Self {
        Self {
            value,
            raised: 0,
            up: false,
        }
    }

    /// The answer to an invalid operation.
    #[must_use]
    pub fn invalid() -> Self {
        Self::exact(Extended::INDEFINITE).with(exception::INVALID)
    }

    /// This result with more exceptions.
    #[must_use]
    pub fn with(self, raised: u16) -> Self {
        Self {
            raised: self.raised | raised,
            ..self
        }
    }

    /// `x` rounded to so many bits.
    #[must_use]
    pub fn rounded(x: Unrounded, precision: u32, control: Control) -> Self {
        let rounded = round(x, Target::register(precision), control);
        Self {
            value: rounded.extended(),
            raised: rounded.raised,
            up: rounded.up,
        }
    }
}

/// The denormal-operand exception, if one of these is.
#[must_use]
pub fn denormal(operands: &[&Operand]) -> u16 {
    if operands.iter().any(|operand| operand.denormal) {
        exception::DENORMAL
    } else {
        0
    }
}

/// The outcome where an operand is a NaN or of no supported format (SDM vol. 1, table 4-7).
#[must_use]
pub fn nan(operands: &[&Operand]) -> Option<Outcome> {
    let any = |class| operands.iter().any(|operand| operand.class == class);
    if any(Class::Unsupported) {
        return Some(Outcome::invalid());
    }
    let signaling = any(Class::Signaling);
    // A quiet NaN goes before a signaling one, then the larger significand, then the positive one.
    let rank = |operand: &&&Operand| {
        let quiet = operand.class == Class::Quiet;
        (quiet, operand.significand, !operand.negative)
    };
    let chosen = operands.iter().filter(|o| o.is_nan()).max_by_key(rank)?;
    let raised = if signaling { exception::INVALID } else { 0 };
    Some(Outcome::exact(chosen.quieted()).with(raised))
}

/// An operand as a result, as loads need it: signaling NaNs become quiet.
#[must_use]
pub fn copy(a: &Operand) -> Outcome {
    nan(&[a]).unwrap_or_else(|| Outcome::exact(a.packed()).with(denormal(&[a])))
}

// ---- addition to square root ---------------------------------------------------------------

/// a + b.
#[must_use]
pub fn add(a: &Operand, b: &Operand, control: Control) -> Outcome {
    if let Some(nan) = nan(&[a, b]) {
        return nan;
    }
    let outcome = match (a.class, b.class) {
        (Class::Infinity, Class::Infinity) if a.negative != b.negative => {
            return Outcome::invalid();
        }
        (Class::Infinity, _) => Outcome::exact(a.packed()),
        (_, Class::Infinity) => Outcome::exact(b.packed()),
        _ => {
            let sum = a.wide().add_r(b.wide(), Round::TowardZero);
            let down = control.rounding() == Round::TowardNegative;
            let zeros = a.class == Class::Zero && b.class == Class::Zero;
            let negative = if zeros && a.negative == b.negative {
                a.negative
            } else {
                down
            };
            Unrounded::from_wide(sum).map_or_else(
                || Outcome::exact(Extended::zero(negative)),
                |x| Outcome::rounded(x, control.precision(), control),
            )
        }
    };
    outcome.with(denormal(&[a, b]))
}

/// a - b.
#[must_use]
pub fn sub(a: &Operand, b: &Operand, control: Control) -> Outcome {
    if b.is_nan() {
        return add(a, b, control);
    }
    add(a, &b.negated(), control)
}

/// b - a.
#[must_use]
pub fn sub_reversed(a: &Operand, b: &Operand, control: Control) -> Outcome {
    sub(b, a, control)
}

/// a × b.
#[must_use]
pub fn mul(a: &Operand, b: &Operand, control: Control) -> Outcome {
    if let Some(nan) = nan(&[a, b]) {
        return nan;
    }
    let negative = a.negative != b.negative;
    let outcome = match (a.class, b.class) {
        (Class::Zero, Class::Infinity) | (Class::Infinity, Class::Zero) => {
            return Outcome::invalid();
        }
        (Class::Infinity, _) | (_, Class::Infinity) => Outcome::exact(Extended::infinity(negative)),
        _ => {
            let product = a.wide().mul_r(b.wide(), Round::TowardZero);
            Unrounded::from_wide(product).map_or_else(
                || Outcome::exact(Extended::zero(negative)),
                |x| Outcome::rounded(x, control.precision(), control),
            )
        }
    };
    outcome.with(denormal(&[a, b]))
}

/// a / b.
#[must_use]
pub fn div(a: &Operand, b: &Operand, control: Control) -> Outcome {
    if let Some(nan) = nan(&[a, b]) {
        return nan;
    }
    let negative = a.negative != b.negative;
    let outcome = match (a.class, b.class) {
        (Class::Infinity, Class::Infinity) | (Class::Zero, Class::Zero) => {
            return Outcome::invalid();
        }
        (Class::Infinity, _) => Outcome::exact(Extended::infinity(negative)),
        (Class::Zero, _) | (_, Class::Infinity) => Outcome::exact(Extended::zero(negative)),
        (_, Class::Zero) => {
            let infinity = Outcome::exact(Extended::infinity(negative));
            return infinity.with(exception::ZERO_DIVIDE);
        }
        _ => {
            let quotient = a.wide().div_r(b.wide(), Round::TowardZero);
            Unrounded::from_wide(quotient).map_or_else(
                || Outcome::exact(Extended::zero(negative)),
                |x| Outcome::rounded(x, control.precision(), control),
            )
        }
    };
    outcome.with(denormal(&[a, b]))
}

/// b / a.
#[must_use]
pub fn div_reversed(a: &Operand, b: &Operand, control: Control) -> Outcome {
    div(b, a, control)
}

/// The square root, from that of an integer of 127 or 128 bits: a root of 64 bits, and by what is
/// left over on which side of the middle to the next one it lies.
#[must_use]
pub fn sqrt(a: &Operand, control: Control) -> Outcome {
    if let Some(nan) = nan(&[a]) {
        return nan;
    }
    match a.class {
        Class::Zero => return Outcome::exact(a.packed()),
        _ if a.negative => return Outcome::invalid(),
        Class::Infinity => return Outcome::exact(a.packed()),
        _ => {}
    }
    let odd = a.exponent & 1;
    let square = u128::from(a.significand) << (63 + odd);
    let root = square.isqrt();
    let left = square - root * root;
    let below = match left.cmp(&0) {
        Ordering::Greater if left > root => 3 << 62,
        Ordering::Greater => 1 << 62,
        _ => 0,
    };
    let x = Unrounded {
        negative: false,
        exponent: a.exponent >> 1,
        significand: root << 64 | below,
    };
    Outcome::rounded(x, control.precision(), control).with(denormal(&[a]))
}

// ---- remainders ----------------------------------------------------------------------------

/// What is known of a quotient with its remainder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quotient {
    /// There is none.
    None,
    /// Something is left that is to be reduced further.
    Partial,
    /// Its low bits.
    Whole(u8),
}

/// The most by which exponents differ where a remainder is found at once.
const WHOLE: i32 = 63;

/// a modulo b: with the quotient rounded toward zero (FPREM) or, if `nearest`, to nearest (FPREM1).
#[must_use]
pub fn remainder(a: &Operand, b: &Operand, nearest: bool, control: Control) -> (Outcome, Quotient) {
    if let Some(nan) = nan(&[a, b]) {
        return (nan, Quotient::None);
    }
    if a.class == Class::Infinity || b.class == Class::Zero {
        return (Outcome::invalid(), Quotient::None);
    }
    let raised = denormal(&[a, b]);
    let distance = a.exponent - b.exponent;
    if a.class == Class::Zero || b.class == Class::Infinity || distance < -1 {
        return (exactly(a, control).with(raised), Quotient::Whole(0));
    }
    let (shift, complete) = if distance <= WHOLE {
        (distance, true)
    } else {
        // Reduces the exponent by 32 to 63, as the manual lets it.
        (32 + distance % 32, false)
    };
    let dividend = u128::from(a.significand) << shift.max(0);
    let divisor = u128::from(b.significand) << (-shift).max(0);
    let (mut quotient, mut rest) = (dividend / divisor, dividend % divisor);
    let mut negative = a.negative;
    if nearest && complete {
        let up = match (2 * rest).cmp(&divisor) {
            Ordering::Less => false,
            Ordering::Equal => quotient & 1 != 0,
            Ordering::Greater => true,
        };
        if up {
            quotient += 1;
            rest = divisor - rest;
            negative = !negative;
        }
    }
    let lowest = if complete {
        a.exponent.min(b.exponent)
    } else {
        a.exponent - shift
    };
    let outcome = fixed(negative, rest, lowest - 63, a.negative, control);
    let quotient = if complete {
        Quotient::Whole(quotient as u8)
    } else {
        Quotient::Partial
    };
    (outcome.with(raised), quotient)
}

/// An integer times 2^`exponent`, which a register can hold; a zero gets the sign `zero`.
fn fixed(negative: bool, magnitude: u128, exponent: i32, zero: bool, control: Control) -> Outcome {
    if magnitude == 0 {
        return Outcome::exact(Extended::zero(zero));
    }
    let zeros = magnitude.leading_zeros();
    let x = Unrounded {
        negative,
        exponent: exponent + 127 - zeros as i32,
        significand: magnitude << zeros,
    };
    Outcome::rounded(x, FULL, control)
}

/// An operand that is its own result; a tiny one is an unmasked underflow all the same.
fn exactly(a: &Operand, control: Control) -> Outcome {
    match a.class {
        Class::Finite => Outcome::rounded(Unrounded::from_operand(a), FULL, control),
        _ => Outcome::exact(a.packed()),
    }
}

// ---- integers and exponents ----------------------------------------------------------------

/// a rounded to an integer: FRNDINT.
#[must_use]
pub fn integral(a: &Operand, control: Control) -> Outcome {
    if let Some(nan) = nan(&[a]) {
        return nan;
    }
    let outcome = match to_integer(a, control.rounding()) {
        Some(integer) => Outcome {
            value: Extended::integer(a.negative, integer.magnitude),
            raised: integer.raised,
            up: integer.up,
        },
        None => Outcome::exact(a.packed()),
    };
    outcome.with(denormal(&[a]))
}

/// a × 2^b, of b the integer toward zero: FSCALE.
#[must_use]
pub fn scale(a: &Operand, b: &Operand, control: Control) -> Outcome {
    if let Some(nan) = nan(&[a, b]) {
        return nan;
    }
    let raised = denormal(&[a, b]);
    if b.class == Class::Infinity {
        return match (a.class, b.negative) {
            (Class::Infinity, true) | (Class::Zero, false) => Outcome::invalid(),
            (_, true) => Outcome::exact(Extended::zero(a.negative)).with(raised),
            (_, false) => Outcome::exact(Extended::infinity(a.negative)).with(raised),
        };
    }
    if a.class != Class::Finite {
        return Outcome::exact(a.packed()).with(raised);
    }
    // Beyond this nothing is left of any number, however unmasked underflow or overflow move it.
    const FAR: u64 = 0x1_0000;
    let by = to_integer(b, Round::TowardZero).map_or(FAR, |integer| integer.magnitude.min(FAR));
    let by = if b.negative { -(by as i32) } else { by as i32 };
    let mut x = Unrounded::from_operand(a);
    x.exponent += by;
    Outcome::rounded(x, FULL, control).with(raised)
}

/// The exponent of a, and its significand with the exponent 0: FXTRACT.
#[must_use]
pub fn extract(a: &Operand) -> (Outcome, Extended) {
    if let Some(nan) = nan(&[a]) {
        return (nan, nan.value);
    }
    match a.class {
        Class::Zero => {
            let infinity = Outcome::exact(Extended::infinity(true));
            (infinity.with(exception::ZERO_DIVIDE), a.packed())
        }
        Class::Infinity => (Outcome::exact(Extended::infinity(false)), a.packed()),
        _ => {
            let exponent = Extended::integer(a.exponent < 0, u64::from(a.exponent.unsigned_abs()));
            let significand = Extended::new(a.negative, BIAS as u16, a.significand | INTEGER);
            (Outcome::exact(exponent).with(denormal(&[a])), significand)
        }
    }
}

// ---- comparison ----------------------------------------------------------------------------

/// How two operands compare; `None`: they are unordered. If `quiet`, quiet NaNs are not invalid.
#[must_use]
pub fn compare(a: &Operand, b: &Operand, quiet: bool) -> (Option<Ordering>, u16) {
    if let Some(nan) = nan(&[a, b]) {
        let raised = if quiet {
            nan.raised
        } else {
            exception::INVALID
        };
        return (None, raised);
    }
    let order = if a.class == Class::Zero && b.class == Class::Zero {
        Ordering::Equal
    } else {
        position(a).cmp(&position(b))
    };
    (Some(order), denormal(&[a, b]))
}

/// Numbers in their order: sign, then exponent, then significand.
fn position(a: &Operand) -> (i32, i32, i128) {
    let (sign, factor) = if a.negative { (-1, -1) } else { (1, 1) };
    let (sign, exponent) = match a.class {
        Class::Zero => (0, 0),
        Class::Infinity => (sign, 2 * BIAS),
        _ => (sign, a.exponent),
    };
    let significand = i128::from(a.significand);
    (sign, factor * exponent, i128::from(factor) * significand)
}

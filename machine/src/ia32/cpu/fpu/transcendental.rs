// SPDX-License-Identifier: Apache-2.0
//! The transcendental instructions (SDM vol. 1, 8.3.7 to 8.3.10): series in the library's format of
//! 111 bits, so that the result is the right one of 64 bits but where it is nearer to the middle
//! between two than some 2^-40 of their distance. Angles are reduced by the processor's π, of 66
//! bits.

use rustc_apfloat::{Float, Round, Status, StatusAnd};

use super::arith::{denormal, nan, Outcome};
use super::constant::{LN_2, LOG2_E, PI};
use super::control::{exception, Control};
use super::extended::{Class, Extended, Operand, Wide};
use super::round::Unrounded;

/// An inexact result of 64 bits, whatever the precision control says; the library came to it toward
/// zero.
fn inexact(result: StatusAnd<Wide>, negative: bool, control: Control) -> Outcome {
    let rounded = |x: Unrounded| {
        let x = Unrounded { negative, ..x };
        Outcome::rounded(x.inexact(), 64, control)
    };
    // No argument but 0, which is looked for first, gives 0.
    Unrounded::from_wide(result).map_or(Outcome::exact(Extended::zero(negative)), rounded)
}

fn small(n: u32) -> Wide {
    Wide::from_u128(u128::from(n)).value
}

fn add(a: Wide, b: Wide) -> Wide {
    (a + b).value
}

fn sub(a: Wide, b: Wide) -> Wide {
    (a - b).value
}

fn mul(a: Wide, b: Wide) -> Wide {
    (a * b).value
}

fn div(a: Wide, b: Wide) -> Wide {
    (a / b).value
}

// ---- sine, cosine, tangent -----------------------------------------------------------------

/// π as the processor reduces by it, times 2^64 (SDM vol. 1, 8.3.8).
const PI_66: u128 = 0x3_243f_6a88_85a3_08d3;

/// An angle as so many quarters of a turn, and a rest of at most an eighth.
struct Angle {
    quarters: u32,
    rest: Wide,
}

/// Reduces a finite angle; `None`: it is out of range, 2^63 or more.
fn reduce(a: &Operand) -> Option<Angle> {
    if a.exponent >= 63 {
        return None;
    }
    if a.exponent < -1 {
        return Some(Angle {
            quarters: 0,
            rest: a.wide(),
        });
    }
    // In units of 2^-65, of which a quarter of a turn has as many as π of 2^-64.
    let units = u128::from(a.significand) << (a.exponent + 2);
    let (mut quarters, rest) = (units / PI_66, (units % PI_66) as i128);
    let mut rest = rest;
    if rest > PI_66 as i128 / 2 {
        quarters += 1;
        rest -= PI_66 as i128;
    }
    let quarters = (quarters & 3) as u32;
    let rest = Wide::from_i128(rest).value.scalbn(-65);
    Some(if a.negative {
        Angle {
            quarters: 4 - quarters,
            rest: -rest,
        }
    } else {
        Angle { quarters, rest }
    })
}

/// Terms of the series below for an eighth of a turn.
const TERMS: u32 = 16;

/// z/(n(n+1)) (1 - z/((n+2)(n+3)) (1 - ...)).
fn falling(z: Wide, n: u32) -> Wide {
    (0..TERMS).rev().fold(Wide::ZERO, |rest, term| {
        let n = n + 2 * term;
        mul(div(z, small(n * (n + 1))), sub(small(1), rest))
    })
}

impl Angle {
    /// The sine of the angle, and so many more quarters of a turn.
    fn sine(&self, more: u32, round: Round) -> StatusAnd<Wide> {
        let quarters = self.quarters + more;
        let square = mul(self.rest, self.rest);
        let value = if quarters & 1 == 0 {
            let less = mul(self.rest, falling(square, 2));
            self.rest.sub_r(less, round)
        } else {
            small(1).sub_r(falling(square, 1), round)
        };
        if quarters & 2 == 0 {
            value
        } else {
            value.map(|value| -value)
        }
    }
}

/// What an instruction on an angle comes to; `None`: the angle is out of range.
fn of_angle(
    a: &Operand,
    control: Control,
    zero: Extended,
    function: impl Fn(&Angle) -> StatusAnd<Wide>,
) -> Option<Outcome> {
    if let Some(nan) = nan(&[a]) {
        return Some(nan);
    }
    match a.class {
        Class::Zero => Some(Outcome::exact(zero)),
        Class::Infinity => Some(Outcome::invalid()),
        _ => {
            let result = function(&reduce(a)?);
            let negative = result.value.is_negative();
            Some(inexact(result, negative, control).with(denormal(&[a])))
        }
    }
}

/// FSIN; `None`: the angle is out of range, as with the next two.
#[must_use]
pub fn sin(a: &Operand, control: Control) -> Option<Outcome> {
    let zero = Extended::zero(a.negative);
    of_angle(a, control, zero, |angle| angle.sine(0, Round::TowardZero))
}

/// FCOS.
#[must_use]
pub fn cos(a: &Operand, control: Control) -> Option<Outcome> {
    of_angle(a, control, Extended::ONE, |angle| {
        angle.sine(1, Round::TowardZero)
    })
}

/// FPTAN.
#[must_use]
pub fn tan(a: &Operand, control: Control) -> Option<Outcome> {
    let zero = Extended::zero(a.negative);
    of_angle(a, control, zero, |angle| {
        // To nearest, so that of a tiny angle the tangent is not below it.
        let [sine, cosine] = [0, 1].map(|more| angle.sine(more, Round::NearestTiesToEven));
        sine.value.div_r(cosine.value, Round::TowardZero)
    })
}

// ---- arc tangent ---------------------------------------------------------------------------

/// The arc tangent of y / x, in the quadrant of the point (x, y): FPATAN.
#[must_use]
pub fn arctan(y: &Operand, x: &Operand, control: Control) -> Outcome {
    if let Some(nan) = nan(&[y, x]) {
        return nan;
    }
    let raised = denormal(&[y, x]);
    let negative = y.negative;
    let turn = |wide| {
        let exact = Status::OK.and(wide);
        inexact(exact, negative, control).with(raised)
    };
    let zero = || Outcome::exact(Extended::zero(negative)).with(raised);
    let pi = PI.wide();
    match (y.class, x.class) {
        (Class::Infinity, Class::Infinity) if x.negative => turn(mul(pi, small(3)).scalbn(-2)),
        (Class::Infinity, Class::Infinity) => turn(pi.scalbn(-2)),
        (Class::Zero, _) | (_, Class::Infinity) if x.negative => turn(pi),
        (Class::Zero, _) | (_, Class::Infinity) => zero(),
        (Class::Infinity, _) | (_, Class::Zero) => turn(pi.scalbn(-1)),
        _ => {
            let (up, along) = (y.wide().abs(), x.wide().abs());
            let steep = up > along;
            let ratio = if steep {
                along.div_r(up, Round::TowardZero)
            } else {
                up.div_r(along, Round::TowardZero)
            };
            let flat = arctan_of(ratio.value);
            let angle = match (steep, x.negative) {
                (false, false) => flat,
                (false, true) => pi.sub_r(flat.value, Round::TowardZero),
                (true, false) => pi.scalbn(-1).sub_r(flat.value, Round::TowardZero),
                (true, true) => pi.scalbn(-1).add_r(flat.value, Round::TowardZero),
            };
            inexact(angle, negative, control).with(raised)
        }
    }
}

/// Terms of the series below for arguments up to tan π/32.
const ARCTAN_TERMS: u32 = 20;

/// The arc tangent of a number from 0 to 1: of larger ones by halving the angle.
fn arctan_of(ratio: Wide) -> StatusAnd<Wide> {
    const HALVINGS: i32 = 3;
    let halvings = if ratio.ilogb() < -4 { 0 } else { HALVINGS };
    let tangent = (0..halvings).fold(ratio, |t, _| {
        let root = root(add(small(1), mul(t, t)));
        div(t, add(small(1), root))
    });
    // t - t (z/3 - z (z/5 - z (...)))
    let square = mul(tangent, tangent);
    let less = (1..=ARCTAN_TERMS).rev().fold(Wide::ZERO, |rest, term| {
        mul(square, sub(div(small(1), small(2 * term + 1)), rest))
    });
    tangent
        .sub_r(mul(tangent, less), Round::TowardZero)
        .map(|angle| angle.scalbn(halvings))
}

/// The square root of a number from 1 to 2: that of an integer, and a step of Newton's.
fn root(square: Wide) -> Wide {
    let Some(x) = Unrounded::from_wide(Status::OK.and(square)) else {
        return square;
    };
    let near = (x.significand >> (1 - x.exponent)).isqrt();
    let near = Wide::from_u128(near).value.scalbn(-63);
    add(near, div(square, near)).scalbn(-1)
}

// ---- logarithms and powers of 2 ------------------------------------------------------------

/// Terms of the series of logarithms for numbers from √½ to √2.
const LOG_TERMS: u32 = 26;

/// The logarithm to base 2 of (1 + s) / (1 - s).
fn log2_ratio(s: Wide) -> Wide {
    let square = mul(s, s);
    let sum = (0..LOG_TERMS).rev().fold(Wide::ZERO, |rest, term| {
        add(div(small(1), small(2 * term + 1)), mul(square, rest))
    });
    mul(mul(LOG2_E.wide(), s).scalbn(1), sum)
}

/// The logarithm to base 2 of a positive number, and whether that is exact.
fn log2(x: Wide) -> (Wide, bool) {
    let mut exponent = x.ilogb();
    let mut factor = x.scalbn(-exponent);
    if factor == small(1) {
        return (Wide::from_i128(i128::from(exponent)).value, true);
    }
    // √2, as near as it matters.
    if factor > small(0xb504_f334).scalbn(-31) {
        factor = factor.scalbn(-1);
        exponent += 1;
    }
    let s = div(sub(factor, small(1)), add(factor, small(1)));
    let whole = Wide::from_i128(i128::from(exponent)).value;
    (add(whole, log2_ratio(s)), false)
}

/// y times a logarithm.
fn times(y: &Operand, logarithm: (Wide, bool), control: Control) -> Outcome {
    let (logarithm, exact) = logarithm;
    let product = y.wide().mul_r(logarithm, Round::TowardZero);
    let negative = product.value.is_negative();
    match Unrounded::from_wide(product) {
        None => Outcome::exact(Extended::zero(negative)),
        Some(x) if exact => Outcome::rounded(x, 64, control),
        Some(x) => Outcome::rounded(x.inexact(), 64, control),
    }
}

/// y log2 x: FYL2X.
#[must_use]
pub fn log(y: &Operand, x: &Operand, control: Control) -> Outcome {
    if let Some(nan) = nan(&[y, x]) {
        return nan;
    }
    if x.class == Class::Zero {
        let infinity = Outcome::exact(Extended::infinity(!y.negative));
        return match y.class {
            Class::Zero => Outcome::invalid(),
            Class::Infinity => infinity,
            _ => infinity.with(exception::ZERO_DIVIDE),
        };
    }
    if x.negative {
        return Outcome::invalid();
    }
    let raised = denormal(&[y, x]);
    if x.class == Class::Infinity {
        return match y.class {
            Class::Zero => Outcome::invalid(),
            _ => Outcome::exact(Extended::infinity(y.negative)).with(raised),
        };
    }
    let logarithm = log2(x.wide());
    let sign = logarithm.0.is_negative();
    let outcome = match y.class {
        Class::Infinity if logarithm.0.is_zero() => Outcome::invalid(),
        Class::Infinity => Outcome::exact(Extended::infinity(y.negative != sign)),
        _ => times(y, logarithm, control),
    };
    outcome.with(raised)
}

/// y log2 (x + 1): FYL2XP1, which the manual leaves undefined for |x| > 1 - √½. The logarithm has
/// the sign of x.
#[must_use]
pub fn log_plus_1(y: &Operand, x: &Operand, control: Control) -> Outcome {
    if let Some(nan) = nan(&[y, x]) {
        return nan;
    }
    let negative = y.negative != x.negative;
    let outcome = match (y.class, x.class) {
        (_, Class::Infinity) if x.negative => return Outcome::invalid(),
        (Class::Zero, Class::Infinity) | (Class::Infinity, Class::Zero) => {
            return Outcome::invalid();
        }
        (Class::Infinity, _) | (_, Class::Infinity) => Outcome::exact(Extended::infinity(negative)),
        (Class::Zero, _) | (_, Class::Zero) => Outcome::exact(Extended::zero(negative)),
        _ => {
            let sum = add(x.wide(), small(1));
            if sum.is_negative() || sum.is_zero() {
                undefined(x)
            } else if x.exponent < -1 {
                let ratio = div(x.wide(), add(x.wide(), small(2)));
                times(y, (log2_ratio(ratio), false), control)
            } else {
                times(y, log2(sum), control)
            }
        }
    };
    outcome.with(denormal(&[y, x]))
}

/// Terms of the exponential series for arguments up to ln 2.
const EXP_TERMS: u32 = 32;

/// 2^x - 1: F2XM1, which the manual leaves undefined for |x| > 1.
#[must_use]
pub fn exp_minus_1(a: &Operand, control: Control) -> Outcome {
    if let Some(nan) = nan(&[a]) {
        return nan;
    }
    let minus_1 = Extended::ONE.with_sign(true);
    match a.class {
        Class::Zero => return Outcome::exact(Extended::zero(a.negative)),
        Class::Infinity if a.negative => return Outcome::exact(minus_1),
        Class::Infinity => return Outcome::exact(Extended::infinity(false)),
        _ => {}
    }
    let x = a.wide();
    if x.abs() >= small(1) {
        return beyond_1(a);
    }
    let x = mul(x, LN_2.wide());
    // x (1 + x/2 (1 + x/3 (...)))
    let sum = (2..=EXP_TERMS).rev().fold(small(1), |rest, term| {
        add(small(1), mul(div(x, small(term)), rest))
    });
    let result = x.mul_r(sum, Round::TowardZero);
    inexact(result, a.negative, control).with(denormal(&[a]))
}

/// 2^x - 1 for 1 and -1, where it is exact, and beyond.
fn beyond_1(a: &Operand) -> Outcome {
    let half = Extended::new(true, Extended::ONE.sign_exponent - 1, a.significand);
    let is_1 = a.exponent == 0 && a.significand << 1 == 0;
    match (is_1, a.negative) {
        (true, true) => Outcome::exact(half),
        (true, false) => Outcome::exact(Extended::ONE),
        (false, _) => undefined(a),
    }
}

/// What the manual does not define: the argument as it is, inexact, as AMD's processors have it.
fn undefined(a: &Operand) -> Outcome {
    Outcome::exact(a.packed()).with(exception::PRECISION)
}

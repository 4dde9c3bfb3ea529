// SPDX-License-Identifier: Apache-2.0
//! Floating-point arithmetic of IEEE 754 in single and double precision as RISC-V defines it (I, "F" and
//! "D"): five rounding modes, five flags, tininess after rounding, one canonical NaN. A number is taken apart
//! into sign, exponent and a significand of 64 bits whose highest is set; what an operation gives exactly,
//! or with a bit that says "and something below", [`round`] puts together.
//!
//! Why not a library: `rustc_apfloat` has no square root and signals underflow otherwise (a result
//! that rounds up to the smallest normal number), and Berkeley's SoftFloat keeps its flags in globals
//! of C. Compared with it operation by operation (`float_reference.rs`), and as QEMU has it (`tests/riscv`).

use serde::{Deserialize, Serialize};

/// The flags (I, "Floating-Point Control and Status Register").
pub mod flag {
    /// Inexact.
    pub const NX: u8 = 1;
    /// Underflow.
    pub const UF: u8 = 2;
    /// Overflow.
    pub const OF: u8 = 4;
    /// Division by zero.
    pub const DZ: u8 = 8;
    /// Invalid operation.
    pub const NV: u8 = 16;
}

/// A rounding mode, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rounding {
    /// To nearest, ties to even.
    NearestEven = 0,
    /// Towards zero.
    Zero = 1,
    /// Down.
    Down = 2,
    /// Up.
    Up = 3,
    /// To nearest, ties away from zero.
    NearestAway = 4,
}

impl Rounding {
    /// The mode of that number, if there is one.
    #[inline]
    #[must_use]
    pub fn of(number: u8) -> Option<Self> {
        Some(match number {
            0 => Self::NearestEven,
            1 => Self::Zero,
            2 => Self::Down,
            3 => Self::Up,
            4 => Self::NearestAway,
            _ => return None,
        })
    }
}

/// How an operation rounds, and what it signals.
#[derive(Debug, Clone, Copy)]
pub struct Status {
    /// The rounding mode.
    pub rounding: Rounding,
    /// The flags that were raised.
    pub flags: u8,
}

impl Status {
    /// Nothing raised.
    #[must_use]
    pub fn new(rounding: Rounding) -> Self {
        Self { rounding, flags: 0 }
    }

    fn raise(&mut self, flags: u8) {
        self.flags |= flags;
    }
}

/// A format: the bits of its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    exponent: u32,
    fraction: u32,
}

/// Single precision.
pub const SINGLE: Format = Format {
    exponent: 8,
    fraction: 23,
};
/// Double precision.
pub const DOUBLE: Format = Format {
    exponent: 11,
    fraction: 52,
};

impl Format {
    const fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    const fn exponents(self) -> u64 {
        (1 << self.exponent) - 1
    }

    const fn sign(self) -> u64 {
        1 << (self.exponent + self.fraction)
    }

    const fn infinity(self) -> u64 {
        self.exponents() << self.fraction
    }

    /// The canonical NaN.
    #[must_use]
    pub const fn nan(self) -> u64 {
        self.infinity() | 1 << (self.fraction - 1)
    }

    fn signed(self, negative: bool, magnitude: u64) -> u64 {
        magnitude | if negative { self.sign() } else { 0 }
    }
}

/// A finite number that is not zero: `significand / 2^63 * 2^exponent`, the significand's highest bit
/// set.
#[derive(Debug, Clone, Copy)]
struct Number {
    negative: bool,
    exponent: i32,
    significand: u64,
}

/// What bits stand for.
#[derive(Debug, Clone, Copy)]
enum Value {
    Zero(bool),
    Finite(Number),
    Infinite(bool),
    Nan { signalling: bool },
}

fn unpack(format: Format, bits: u64) -> Value {
    let negative = bits & format.sign() != 0;
    let exponent = bits >> format.fraction & format.exponents();
    let fraction = bits & ((1 << format.fraction) - 1);
    let top = 63 - format.fraction;
    if exponent == format.exponents() {
        return if fraction == 0 {
            Value::Infinite(negative)
        } else {
            let signalling = fraction >> (format.fraction - 1) == 0;
            Value::Nan { signalling }
        };
    }
    let number = if exponent == 0 {
        if fraction == 0 {
            return Value::Zero(negative);
        }
        let zeros = fraction.leading_zeros();
        Number {
            negative,
            exponent: 1 - format.bias() + top as i32 - zeros as i32,
            significand: fraction << zeros,
        }
    } else {
        Number {
            negative,
            exponent: exponent as i32 - format.bias(),
            significand: (1 << format.fraction | fraction) << top,
        }
    };
    Value::Finite(number)
}

/// `significand` without its `dropped` lowest bits, rounded, and whether anything was lost. `below`: there
/// is something below its lowest bit.
fn drop_bits(
    significand: u64,
    below: bool,
    dropped: u32,
    negative: bool,
    rounding: Rounding,
) -> (u64, bool) {
    let (kept, half, rest) = match dropped {
        0 => (significand, false, below),
        1..=64 => (
            significand.checked_shr(dropped).unwrap_or(0),
            significand >> (dropped - 1) & 1 != 0,
            below || significand & ((1 << (dropped - 1)) - 1) != 0,
        ),
        _ => (0, false, below || significand != 0),
    };
    let inexact = half || rest;
    let up = match rounding {
        Rounding::NearestEven => half && (rest || kept & 1 != 0),
        Rounding::Zero => false,
        Rounding::Down => negative && inexact,
        Rounding::Up => !negative && inexact,
        Rounding::NearestAway => half,
    };
    (kept + u64::from(up), inexact)
}

/// `number`, and something below its lowest bit if `below`, as the nearest of `format` that the rounding
/// mode allows.
fn round(format: Format, number: Number, below: bool, status: &mut Status) -> u64 {
    let Number {
        negative,
        mut exponent,
        significand,
    } = number;
    let dropped = 63 - format.fraction;
    let least = 1 - format.bias();
    let rounding = status.rounding;
    let hidden = 1 << format.fraction;
    let (mut kept, inexact) = drop_bits(significand, below, dropped, negative, rounding);
    if exponent < least {
        // Tiny, unless rounding to the usual precision would have made it the least normal number.
        let tiny = exponent + 1 < least || kept != hidden << 1;
        let further = dropped + (least - exponent) as u32;
        let (kept, inexact) = drop_bits(significand, below, further, negative, rounding);
        if inexact {
            status.raise(if tiny { flag::NX | flag::UF } else { flag::NX });
        }
        // If it was rounded up to the least normal number, its exponent has come about by itself.
        return format.signed(negative, kept);
    }
    if kept == hidden << 1 {
        kept >>= 1;
        exponent += 1;
    }
    if exponent > format.bias() {
        status.raise(flag::OF | flag::NX);
        let to_infinity = match rounding {
            Rounding::NearestEven | Rounding::NearestAway => true,
            Rounding::Zero => false,
            Rounding::Down => negative,
            Rounding::Up => !negative,
        };
        let most = format.infinity() - u64::from(!to_infinity);
        return format.signed(negative, most);
    }
    if inexact {
        status.raise(flag::NX);
    }
    let biased = (exponent + format.bias()) as u64;
    format.signed(negative, biased << format.fraction | kept & (hidden - 1))
}

/// The canonical NaN as the result of an operation on NaNs.
fn nan_of(format: Format, operands: &[Value], status: &mut Status) -> u64 {
    if operands
        .iter()
        .any(|value| matches!(value, Value::Nan { signalling: true }))
    {
        status.raise(flag::NV);
    }
    format.nan()
}

fn invalid(format: Format, status: &mut Status) -> u64 {
    status.raise(flag::NV);
    format.nan()
}

/// A wide number: `significand / 2^126 * 2^exponent`; its highest bit may be 126 or below.
#[derive(Debug, Clone, Copy)]
struct Wide {
    negative: bool,
    exponent: i32,
    significand: u128,
}

impl Wide {
    fn of(number: Number) -> Self {
        Self {
            negative: number.negative,
            exponent: number.exponent,
            significand: u128::from(number.significand) << 63,
        }
    }
}

/// The sum of two numbers whose highest bit is 126 and that have zeros in a few of their lowest bits.
fn add_wide(format: Format, a: Wide, b: Wide, status: &mut Status) -> u64 {
    let ordered = (a.exponent, a.significand) >= (b.exponent, b.significand);
    let (large, small) = if ordered { (a, b) } else { (b, a) };
    let shift = (large.exponent - small.exponent) as u32;
    let shifted = small.significand.checked_shr(shift).unwrap_or(0);
    let lost = shift >= 128 || shifted << shift != small.significand;
    let addend = shifted | u128::from(lost);
    let sum = if large.negative == small.negative {
        large.significand + addend
    } else {
        large.significand - addend
    };
    if sum == 0 {
        return format.signed(status.rounding == Rounding::Down, 0);
    }
    let zeros = sum.leading_zeros();
    let normal = sum << zeros;
    let number = Number {
        negative: large.negative,
        exponent: large.exponent + 1 - zeros as i32,
        significand: (normal >> 64) as u64,
    };
    round(format, number, normal as u64 != 0, status)
}

/// `a + b`.
#[must_use]
pub fn add(format: Format, a: u64, b: u64, status: &mut Status) -> u64 {
    let (left, right) = (unpack(format, a), unpack(format, b));
    match (left, right) {
        (Value::Nan { .. }, _) | (_, Value::Nan { .. }) => nan_of(format, &[left, right], status),
        (Value::Infinite(one), Value::Infinite(other)) if one != other => invalid(format, status),
        (Value::Infinite(_), _) => a,
        (_, Value::Infinite(_)) => b,
        (Value::Zero(one), Value::Zero(other)) => {
            let negative = if one == other {
                one
            } else {
                status.rounding == Rounding::Down
            };
            format.signed(negative, 0)
        }
        (Value::Zero(_), _) => b,
        (_, Value::Zero(_)) => a,
        (Value::Finite(one), Value::Finite(other)) => {
            add_wide(format, Wide::of(one), Wide::of(other), status)
        }
    }
}

/// `a - b`.
#[must_use]
pub fn subtract(format: Format, a: u64, b: u64, status: &mut Status) -> u64 {
    add(format, a, b ^ format.sign(), status)
}

fn product(a: Number, b: Number) -> Wide {
    let full = u128::from(a.significand) * u128::from(b.significand);
    let zeros = full.leading_zeros();
    Wide {
        negative: a.negative != b.negative,
        exponent: a.exponent + b.exponent + 1 - zeros as i32,
        // Significands have 53 bits at most: the lowest bits of the product are 0.
        significand: full << zeros >> 1,
    }
}

/// `a * b`.
#[must_use]
pub fn multiply(format: Format, a: u64, b: u64, status: &mut Status) -> u64 {
    let (left, right) = (unpack(format, a), unpack(format, b));
    let negative = (a ^ b) & format.sign() != 0;
    match (left, right) {
        (Value::Nan { .. }, _) | (_, Value::Nan { .. }) => nan_of(format, &[left, right], status),
        (Value::Infinite(_), Value::Zero(_)) | (Value::Zero(_), Value::Infinite(_)) => {
            invalid(format, status)
        }
        (Value::Infinite(_), _) | (_, Value::Infinite(_)) => {
            format.signed(negative, format.infinity())
        }
        (Value::Zero(_), _) | (_, Value::Zero(_)) => format.signed(negative, 0),
        (Value::Finite(one), Value::Finite(other)) => {
            let product = product(one, other);
            let number = Number {
                negative,
                exponent: product.exponent,
                significand: (product.significand >> 63) as u64,
            };
            let below = product.significand & ((1 << 63) - 1) != 0;
            round(format, number, below, status)
        }
    }
}

/// `a * b + c`, rounded once.
#[must_use]
pub fn multiply_add(format: Format, a: u64, b: u64, c: u64, status: &mut Status) -> u64 {
    let values = [a, b, c].map(|bits| unpack(format, bits));
    let [left, right, addend] = values;
    let negative = (a ^ b) & format.sign() != 0;
    let endless = matches!(
        (left, right),
        (Value::Infinite(_), Value::Zero(_)) | (Value::Zero(_), Value::Infinite(_))
    );
    if endless {
        // Whatever the addend, a quiet NaN too (I, "Single-Precision Floating-Point Computational
        // Instructions").
        return invalid(format, status);
    }
    if values
        .iter()
        .any(|value| matches!(value, Value::Nan { .. }))
    {
        return nan_of(format, &values, status);
    }
    match (left, right, addend) {
        (Value::Finite(one), Value::Finite(other), Value::Finite(third)) => {
            add_wide(format, product(one, other), Wide::of(third), status)
        }
        (Value::Finite(_), Value::Finite(_), Value::Zero(_)) => multiply(format, a, b, status),
        (Value::Infinite(_), ..) | (_, Value::Infinite(_), _) => add(
            format,
            format.signed(negative, format.infinity()),
            c,
            status,
        ),
        (Value::Zero(_), ..) | (_, Value::Zero(_), _) => {
            add(format, format.signed(negative, 0), c, status)
        }
        _ => c,
    }
}

/// `a / b`.
#[must_use]
pub fn divide(format: Format, a: u64, b: u64, status: &mut Status) -> u64 {
    let (left, right) = (unpack(format, a), unpack(format, b));
    let negative = (a ^ b) & format.sign() != 0;
    match (left, right) {
        (Value::Nan { .. }, _) | (_, Value::Nan { .. }) => nan_of(format, &[left, right], status),
        (Value::Infinite(_), Value::Infinite(_)) | (Value::Zero(_), Value::Zero(_)) => {
            invalid(format, status)
        }
        (Value::Infinite(_), _) => format.signed(negative, format.infinity()),
        (_, Value::Zero(_)) => {
            status.raise(flag::DZ);
            format.signed(negative, format.infinity())
        }
        (Value::Zero(_), _) | (_, Value::Infinite(_)) => format.signed(negative, 0),
        (Value::Finite(one), Value::Finite(other)) => {
            let less = one.significand < other.significand;
            let dividend = u128::from(one.significand) << (63 + u32::from(less));
            let divisor = u128::from(other.significand);
            let number = Number {
                negative,
                exponent: one.exponent - other.exponent - i32::from(less),
                significand: (dividend / divisor) as u64,
            };
            round(format, number, dividend % divisor != 0, status)
        }
    }
}

/// The square root of `a`.
#[must_use]
pub fn square_root(format: Format, a: u64, status: &mut Status) -> u64 {
    let value = unpack(format, a);
    match value {
        Value::Nan { .. } => nan_of(format, &[value], status),
        Value::Zero(_) | Value::Infinite(false) => a,
        Value::Infinite(true) => invalid(format, status),
        Value::Finite(number) if number.negative => invalid(format, status),
        Value::Finite(number) => {
            let odd = number.exponent & 1;
            let square = u128::from(number.significand) << (63 + odd);
            let root = integer_root(square);
            let number = Number {
                negative: false,
                exponent: (number.exponent - odd) / 2,
                significand: root,
            };
            let exact = u128::from(root) * u128::from(root) == square;
            round(format, number, !exact, status)
        }
    }
}

/// The largest number whose square is `square` at most, which is 2^126 at least.
fn integer_root(square: u128) -> u64 {
    let mut root = 0;
    for bit in (0..64).rev() {
        let next: u64 = root | 1 << bit;
        if u128::from(next) * u128::from(next) <= square {
            root = next;
        }
    }
    root
}

/// An integer type to convert to or from.
#[derive(Debug, Clone, Copy)]
pub struct Integer {
    /// Its bits: 32 or 64.
    pub bits: u32,
    /// Whether it has a sign.
    pub signed: bool,
}

/// `a` as an integer in 64 bits, with the sign of its 32 if it has no more. What does not fit is the
/// nearest that does, a NaN the largest.
#[must_use]
pub fn to_integer(format: Format, a: u64, to: Integer, status: &mut Status) -> u64 {
    let most = if to.signed {
        (1 << (to.bits - 1)) - 1
    } else {
        u64::MAX >> (64 - to.bits)
    };
    let least_magnitude = if to.signed { 1 << (to.bits - 1) } else { 0 };
    let (negative, magnitude, inexact) = match unpack(format, a) {
        Value::Zero(_) => return 0,
        Value::Nan { .. } => (false, None, false),
        Value::Infinite(negative) => (negative, None, false),
        Value::Finite(number) if number.exponent > 63 => (number.negative, None, false),
        Value::Finite(number) => {
            let dropped = (63 - number.exponent) as u32;
            let (kept, inexact) = drop_bits(
                number.significand,
                false,
                dropped,
                number.negative,
                status.rounding,
            );
            (number.negative, Some(kept), inexact)
        }
    };
    let limit = if negative { least_magnitude } else { most };
    let value = match magnitude.filter(|magnitude| *magnitude <= limit) {
        Some(magnitude) => {
            if inexact {
                status.raise(flag::NX);
            }
            magnitude
        }
        None => {
            status.raise(flag::NV);
            limit
        }
    };
    let value = if negative {
        value.wrapping_neg()
    } else {
        value
    };
    if to.bits == 32 {
        i64::from(value as i32) as u64
    } else {
        value
    }
}

/// The integer in the low bits of `value` as a number of `format`.
#[must_use]
pub fn from_integer(format: Format, value: u64, from: Integer, status: &mut Status) -> u64 {
    let unused = 64 - from.bits;
    let (negative, magnitude) = if from.signed {
        let value = (value << unused) as i64 >> unused;
        (value < 0, value.unsigned_abs())
    } else {
        (false, value << unused >> unused)
    };
    if magnitude == 0 {
        return 0;
    }
    let zeros = magnitude.leading_zeros();
    let number = Number {
        negative,
        exponent: 63 - zeros as i32,
        significand: magnitude << zeros,
    };
    round(format, number, false, status)
}

/// `a` of format `from` in format `to`.
#[must_use]
pub fn convert(from: Format, to: Format, a: u64, status: &mut Status) -> u64 {
    let value = unpack(from, a);
    match value {
        Value::Nan { .. } => nan_of(to, &[value], status),
        Value::Infinite(negative) => to.signed(negative, to.infinity()),
        Value::Zero(negative) => to.signed(negative, 0),
        Value::Finite(number) => round(to, number, false, status),
    }
}

/// Numbers that are no NaN, in their order; -0 below +0.
fn ordered(format: Format, bits: u64) -> i64 {
    let magnitude = (bits & (format.sign() - 1)) as i64;
    if bits & format.sign() == 0 {
        magnitude
    } else {
        -1 - magnitude
    }
}

fn is_nan(format: Format, bits: u64) -> bool {
    bits & (format.sign() - 1) > format.infinity()
}

fn both_zero(format: Format, a: u64, b: u64) -> bool {
    (a | b) & (format.sign() - 1) == 0
}

/// Whether `a` equals `b`; only signalling NaNs are invalid.
#[must_use]
pub fn equal(format: Format, a: u64, b: u64, status: &mut Status) -> bool {
    if is_nan(format, a) || is_nan(format, b) {
        let _ = nan_of(format, &[unpack(format, a), unpack(format, b)], status);
        return false;
    }
    a == b || both_zero(format, a, b)
}

/// Whether `a` is below `b`, or equal if `or_equal`; any NaN is invalid.
#[must_use]
pub fn below(format: Format, a: u64, b: u64, or_equal: bool, status: &mut Status) -> bool {
    if is_nan(format, a) || is_nan(format, b) {
        status.raise(flag::NV);
        return false;
    }
    if a == b || both_zero(format, a, b) {
        return or_equal;
    }
    ordered(format, a) < ordered(format, b)
}

/// The smaller, or larger if `largest`, of two; of a NaN and a number the number.
#[must_use]
pub fn extreme(format: Format, a: u64, b: u64, largest: bool, status: &mut Status) -> u64 {
    let nans = (is_nan(format, a), is_nan(format, b));
    if nans.0 || nans.1 {
        let nan = nan_of(format, &[unpack(format, a), unpack(format, b)], status);
        return match nans {
            (true, true) => nan,
            (true, false) => b,
            _ => a,
        };
    }
    if (ordered(format, a) < ordered(format, b)) == largest {
        b
    } else {
        a
    }
}

/// The class of `a`, one bit of ten (I, "Single-Precision Floating-Point Classify Instruction").
#[must_use]
pub fn classify(format: Format, a: u64) -> u64 {
    let negative = a & format.sign() != 0;
    let exponent = a >> format.fraction & format.exponents();
    let bit = match unpack(format, a) {
        Value::Nan { signalling } => return if signalling { 1 << 8 } else { 1 << 9 },
        Value::Infinite(_) => 0,
        Value::Finite(_) if exponent != 0 => 1,
        Value::Finite(_) => 2,
        Value::Zero(_) => 3,
    };
    1 << if negative { bit } else { 7 - bit }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hosts round to nearest as IEEE 754 says: what they give is what we give.
    #[test]
    fn to_nearest_it_is_what_the_host_gives() {
        let mut seed = 1_u64;
        let mut next = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            // Every fourth with an exponent near that of others.
            if seed & 3 == 0 {
                seed & !(0x7f8 << 52) | 0x3fc << 52
            } else {
                seed
            }
        };
        let canonical = |x: f64| {
            if x.is_nan() {
                DOUBLE.nan()
            } else {
                x.to_bits()
            }
        };
        for _ in 0..200_000 {
            let (a, b, c) = (next(), next(), next());
            let (x, y, z) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
            let status = &mut Status::new(Rounding::NearestEven);
            assert_eq!(add(DOUBLE, a, b, status), canonical(x + y), "{x:e} + {y:e}");
            assert_eq!(
                multiply(DOUBLE, a, b, status),
                canonical(x * y),
                "{x:e} * {y:e}"
            );
            assert_eq!(
                divide(DOUBLE, a, b, status),
                canonical(x / y),
                "{x:e} / {y:e}"
            );
            let fused = multiply_add(DOUBLE, a, b, c, status);
            assert_eq!(fused, canonical(x.mul_add(y, z)), "{x:e} * {y:e} + {z:e}");
            let root = square_root(DOUBLE, a & !DOUBLE.sign(), status);
            assert_eq!(root, canonical(x.abs().sqrt()), "root of {x:e}");
            let single = convert(DOUBLE, SINGLE, a, status) as u32;
            let host = x as f32;
            assert!(host.is_nan() || single == host.to_bits(), "{x:e} as f32");
            let from = from_integer(
                DOUBLE,
                a,
                Integer {
                    bits: 64,
                    signed: true,
                },
                status,
            );
            assert_eq!(from, (a as i64 as f64).to_bits());
        }
    }

    #[test]
    fn flags_are_exact() {
        let flags = |act: fn(&mut Status) -> u64| {
            let mut status = Status::new(Rounding::NearestEven);
            let _ = act(&mut status);
            status.flags
        };
        assert_eq!(
            flags(|s| divide(DOUBLE, 0x3ff0 << 48, 0x4008 << 48, s)),
            flag::NX
        );
        assert_eq!(flags(|s| divide(DOUBLE, 0x3ff0 << 48, 0, s)), flag::DZ);
        assert_eq!(flags(|s| divide(DOUBLE, 0, 0, s)), flag::NV);
        // 2^-1022 - 2^-1075 has 53 bits, so it is tiny, and is rounded up to 2^-1022.
        let (least, half) = (0x8000_0000_0000_0001, 0x3fe0 << 48);
        let mut status = Status::new(Rounding::NearestEven);
        let sum = multiply_add(DOUBLE, least, half, 0x0010 << 48, &mut status);
        assert_eq!((sum, status.flags), (0x0010 << 48, flag::NX | flag::UF));
        // 2^-1022 - 2^-1078 rounds to 2^-1022 with the full precision as well: not tiny.
        assert_eq!(
            flags(|s| multiply_add(
                DOUBLE,
                0x8000_0000_0000_0001,
                0x3fd0_0000_0000_0000 - (2 << 52),
                0x0010_0000_0000_0000,
                s
            )),
            flag::NX
        );
        assert_eq!(
            flags(|s| multiply(DOUBLE, 0x7fef << 48, 0x4008 << 48, s)),
            flag::OF | flag::NX
        );
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Every operation of floating point beside Berkeley's SoftFloat 3 with its rules for RISC-V: result and flags,
//! in each rounding mode. The operands are of the shapes that TestFloat's are: exponents where formats and
//! integers end, significands of a single one or zero, of runs, or of anything.

use softfloat_wrapper::{ExceptionFlags, Float, RoundingMode, F32, F64};

use super::float::{self, Format, Integer, Rounding, Status, DOUBLE, SINGLE};

const MODES: [(u8, RoundingMode); 5] = [
    (0, RoundingMode::TiesToEven),
    (1, RoundingMode::TowardZero),
    (2, RoundingMode::TowardNegative),
    (3, RoundingMode::TowardPositive),
    (4, RoundingMode::TiesToAway),
];
/// Operands drawn for each operation and mode.
const DRAWN: usize = 20_000;

/// Numbers by a xorshift generator: runs repeat.
struct Draw(u64);

impl Draw {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn below(&mut self, count: u64) -> u64 {
        (self.bits() >> 32) % count
    }

    /// An operand of a format with so many bits of exponent and fraction.
    fn operand(&mut self, exponent_bits: u32, fraction_bits: u32) -> u64 {
        let most = (1_u64 << exponent_bits) - 1;
        let bias = most / 2;
        let near = [0, 1, 2, most / 2, bias + 31, bias + 63, most - 1, most];
        let near_fraction = [
            bias - u64::from(fraction_bits),
            bias + u64::from(fraction_bits),
        ];
        let exponent = match self.below(4) {
            0 => self.bits() & most,
            1 => near_fraction[self.below(2) as usize] + self.below(3) - 1,
            2 => near[self.below(8) as usize],
            _ => bias + self.below(5) - 2,
        };
        let all = (1_u64 << fraction_bits) - 1;
        let one = 1 << self.below(fraction_bits.into());
        let fraction = match self.below(6) {
            0 => 0,
            1 => one,
            2 => all & !one,
            3 => one - 1,
            4 => all & !(one - 1),
            _ => self.bits() & all,
        };
        let sign = self.bits() & 1;
        sign << (exponent_bits + fraction_bits) | exponent.min(most) << fraction_bits | fraction
    }

    /// An integer with something at its ends.
    fn integer(&mut self) -> u64 {
        let one = 1_u64 << self.below(64);
        match self.below(5) {
            0 => one,
            1 => one - 1,
            2 => !one,
            3 => (self.bits() >> self.below(64)).wrapping_neg(),
            _ => self.bits() >> self.below(64),
        }
    }
}

/// A format of both.
trait Both: Float + Copy {
    const FORMAT: Format;
    const SHAPE: (u32, u32);
    fn of(bits: u64) -> Self;
    fn as_bits(&self) -> u64;
}

impl Both for F32 {
    const FORMAT: Format = SINGLE;
    const SHAPE: (u32, u32) = (8, 23);

    fn of(bits: u64) -> Self {
        Self::from_bits(bits as u32)
    }

    fn as_bits(&self) -> u64 {
        self.to_bits().into()
    }
}

impl Both for F64 {
    const FORMAT: Format = DOUBLE;
    const SHAPE: (u32, u32) = (11, 52);

    fn of(bits: u64) -> Self {
        Self::from_bits(bits)
    }

    fn as_bits(&self) -> u64 {
        self.to_bits()
    }
}

/// What SoftFloat gives, and its flags, whose bits are RISC-V's.
fn reference(operation: impl FnOnce() -> u64) -> (u64, u8) {
    let mut flags = ExceptionFlags::default();
    flags.set();
    let result = operation();
    flags.get();
    (result, flags.to_bits())
}

fn ours(mode: u8, operation: impl FnOnce(&mut Status) -> u64) -> (u64, u8) {
    let mut status = Status::new(Rounding::of(mode).unwrap());
    let result = operation(&mut status);
    (result, status.flags)
}

fn arithmetic<F: Both>() {
    let mut draw = Draw(0x1234_5678_9abc_def1);
    let f = F::FORMAT;
    for (mode, rnd) in MODES {
        for _ in 0..DRAWN {
            let [a, b, c] = [(); 3].map(|()| draw.operand(F::SHAPE.0, F::SHAPE.1));
            let [x, y, z] = [a, b, c].map(F::of);
            let compare = |name, mine: (u64, u8), theirs: (u64, u8)| {
                assert_eq!(mine, theirs, "{name} of {a:x}, {b:x}, {c:x}, mode {mode}");
            };
            compare(
                "add",
                ours(mode, |s| float::add(f, a, b, s)),
                reference(|| x.add(y, rnd).as_bits()),
            );
            compare(
                "subtract",
                ours(mode, |s| float::subtract(f, a, b, s)),
                reference(|| x.sub(y, rnd).as_bits()),
            );
            compare(
                "multiply",
                ours(mode, |s| float::multiply(f, a, b, s)),
                reference(|| x.mul(y, rnd).as_bits()),
            );
            compare(
                "divide",
                ours(mode, |s| float::divide(f, a, b, s)),
                reference(|| x.div(y, rnd).as_bits()),
            );
            compare(
                "square root",
                ours(mode, |s| float::square_root(f, a, s)),
                reference(|| x.sqrt(rnd).as_bits()),
            );
            compare(
                "multiply and add",
                ours(mode, |s| float::multiply_add(f, a, b, c, s)),
                reference(|| x.fused_mul_add(y, z, rnd).as_bits()),
            );
        }
    }
}

fn comparisons<F: Both>() {
    let mut draw = Draw(0x2345_6789_abcd_ef12);
    let f = F::FORMAT;
    for n in 0..DRAWN {
        let a = draw.operand(F::SHAPE.0, F::SHAPE.1);
        let sign = 1 << (F::SHAPE.0 + F::SHAPE.1);
        let b = match n % 4 {
            0 => a,
            1 => a ^ sign,
            _ => draw.operand(F::SHAPE.0, F::SHAPE.1),
        };
        let (x, y) = (F::of(a), F::of(b));
        let compare = |name, mine: (u64, u8), theirs: (u64, u8)| {
            assert_eq!(mine, theirs, "{name} of {a:x}, {b:x}");
        };
        compare(
            "equal",
            ours(0, |s| float::equal(f, a, b, s).into()),
            reference(|| x.eq(y).into()),
        );
        compare(
            "below",
            ours(0, |s| float::below(f, a, b, false, s).into()),
            reference(|| x.lt(y).into()),
        );
        compare(
            "below or equal",
            ours(0, |s| float::below(f, a, b, true, s).into()),
            reference(|| x.le(y).into()),
        );
    }
}

fn conversions<F: Both>() {
    let mut draw = Draw(0x3456_789a_bcde_f123);
    let f = F::FORMAT;
    for (mode, rnd) in MODES {
        for _ in 0..DRAWN {
            let (a, n) = (draw.operand(F::SHAPE.0, F::SHAPE.1), draw.integer());
            let x = F::of(a);
            let compare = |name, mine: (u64, u8), theirs: (u64, u8)| {
                assert_eq!(mine, theirs, "{name}: {a:x}, {n:x}, mode {mode}");
            };
            for (bits, signed) in [(32, true), (32, false), (64, true), (64, false)] {
                let kind = Integer { bits, signed };
                // 32 bits have the sign of their highest, also those without one
                compare(
                    "to an integer",
                    ours(mode, |s| float::to_integer(f, a, kind, s)),
                    reference(|| match (bits, signed) {
                        (32, true) => i64::from(x.to_i32(rnd, true)) as u64,
                        (32, false) => i64::from(x.to_u32(rnd, true) as i32) as u64,
                        (_, true) => x.to_i64(rnd, true) as u64,
                        (_, false) => x.to_u64(rnd, true),
                    }),
                );
                compare(
                    "from an integer",
                    ours(mode, |s| float::from_integer(f, n, kind, s)),
                    reference(|| match (bits, signed) {
                        (32, true) => F::from_i32(n as i32, rnd).as_bits(),
                        (32, false) => F::from_u32(n as u32, rnd).as_bits(),
                        (_, true) => F::from_i64(n as i64, rnd).as_bits(),
                        (_, false) => F::from_u64(n, rnd).as_bits(),
                    }),
                );
            }
            if F::FORMAT == SINGLE {
                compare(
                    "to double",
                    ours(mode, |s| float::convert(SINGLE, DOUBLE, a, s)),
                    reference(|| x.to_f64(rnd).as_bits()),
                );
            } else {
                compare(
                    "to single",
                    ours(mode, |s| float::convert(DOUBLE, SINGLE, a, s)),
                    reference(|| x.to_f32(rnd).as_bits()),
                );
            }
        }
    }
}

#[test]
fn arithmetic_is_that_of_softfloat() {
    arithmetic::<F32>();
    arithmetic::<F64>();
}

#[test]
fn comparisons_are_those_of_softfloat() {
    comparisons::<F32>();
    comparisons::<F64>();
}

#[test]
fn conversions_are_those_of_softfloat() {
    conversions::<F32>();
    conversions::<F64>();
}

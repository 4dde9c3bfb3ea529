// SPDX-License-Identifier: Apache-2.0
//! The constants that instructions load (SDM vol. 1, 8.3.4): here with 128 bits of significand, of
//! which the rounding control makes 64.

use rustc_apfloat::Float;

use super::arith::Outcome;
use super::control::Control;
use super::extended::{Extended, Wide, WIDE_BIAS, WIDE_FRACTION};
use super::round::Unrounded;

/// An irrational number: a significand as of [`Unrounded`], and its exponent.
#[derive(Debug, Clone, Copy)]
pub struct Constant(u128, i32);

/// The logarithm of 10 to base 2.
pub const LOG2_10: Constant = Constant(0xd49a_784b_cd1b_8afe_492b_f6ff_4daf_db4c, 1);
/// The logarithm of e to base 2.
pub const LOG2_E: Constant = Constant(0xb8aa_3b29_5c17_f0bb_be87_fed0_691d_3e88, 0);
/// Half a turn.
pub const PI: Constant = Constant(0xc90f_daa2_2168_c234_c4c6_628b_80dc_1cd1, 1);
/// The logarithm of 2 to base 10.
pub const LOG10_2: Constant = Constant(0x9a20_9a84_fbcf_f798_8f89_59ac_0b7c_9178, -2);
/// The natural logarithm of 2.
pub const LN_2: Constant = Constant(0xb172_17f7_d1cf_79ab_c9e3_b398_03f2_f6af, -1);

impl Constant {
    /// Not rounded yet, times 2^`by`.
    #[must_use]
    pub fn unrounded(self, negative: bool, by: i32) -> Unrounded {
        let Self(significand, exponent) = self;
        Unrounded {
            negative,
            exponent: exponent + by,
            significand,
        }
        .inexact()
    }

    /// In the library's format.
    pub fn wide(self) -> Wide {
        let Self(significand, exponent) = self;
        let fraction = (significand & !(1 << 127)) >> (127 - WIDE_FRACTION);
        let biased = (exponent + WIDE_BIAS) as u128;
        Wide::from_bits(biased << WIDE_FRACTION | fraction)
    }
}

/// What FLD1, FLDL2T, FLDL2E, FLDPI, FLDLG2, FLDLN2 and FLDZ load, by the low bits of their
/// opcodes. None is an inexact result.
#[must_use]
pub fn load(number: u8, control: Control) -> Outcome {
    let constant = match number {
        0 => return Outcome::exact(Extended::ONE),
        1 => LOG2_10,
        2 => LOG2_E,
        3 => PI,
        4 => LOG10_2,
        5 => LN_2,
        _ => return Outcome::exact(Extended::zero(false)),
    };
    let rounded = Outcome::rounded(constant.unrounded(false, 0), 64, control);
    Outcome::exact(rounded.value)
}

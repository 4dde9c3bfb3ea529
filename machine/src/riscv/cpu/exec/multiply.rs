// SPDX-License-Identifier: Apache-2.0
//! Multiplication and division (I, "M" extension). How long a division takes goes by the bits of its
//! quotient, between the least and the most that the manual of the U74 gives (table 18); in between it is
//! assumed.

use super::alu::{compute, word};
use super::{Abort, Core, Observer, Op};

compute! {
    /// MUL.
    mul: |a, b, i| a.wrapping_mul(b);
    /// MULH.
    mulh: |a, b, i| ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64;
    /// MULHSU.
    mulhsu: |a, b, i| ((i128::from(a as i64) * i128::from(b)) >> 64) as u64;
    /// MULHU.
    mulhu: |a, b, i| ((u128::from(a) * u128::from(b)) >> 64) as u64;
    /// MULW.
    mulw: |a, b, i| word(a.wrapping_mul(b));
}

/// Declares handlers of divisions: two operands of one type, and the result.
macro_rules! divide {
    ($($(#[$about:meta])* $name:ident: $type:ty, |$a:ident, $b:ident| $value:expr;)+) => {$(
        $(#[$about])*
        #[allow(clippy::unnecessary_wraps)]
        pub fn $name<O: Observer>(core: &mut Core<O>, op: Op) -> Result<(), Abort> {
            let ($a, $b) = (core.get(op.rs1()) as $type, core.get(op.rs2()) as $type);
            let value = $value;
            core.set(op.rd(), word_or_double(value));
            let bits = quotient_bits(i128::from($a), i128::from($b));
            core.pipeline.divide(op.rd(), bits);
            Ok(())
        }
    )+};
}

/// A result in 64 bits: the sign of 32 goes on.
#[inline(always)]
fn word_or_double(value: impl Into<i128>) -> u64 {
    value.into() as u64
}

/// Bits of the quotient of `a / b`.
fn quotient_bits(a: i128, b: i128) -> u32 {
    let bits = |value: i128| 128 - value.unsigned_abs().leading_zeros();
    if b == 0 || a.unsigned_abs() < b.unsigned_abs() {
        0
    } else {
        bits(a) - bits(b) + 1
    }
}

divide! {
    /// DIV.
    div: i64, |a, b| if b == 0 { -1 } else { a.wrapping_div(b) };
    /// DIVU.
    divu: u64, |a, b| a.checked_div(b).unwrap_or(u64::MAX);
    /// REM.
    rem: i64, |a, b| if b == 0 { a } else { a.wrapping_rem(b) };
    /// REMU.
    remu: u64, |a, b| a.checked_rem(b).unwrap_or(a);
    /// DIVW.
    divw: i32, |a, b| if b == 0 { -1 } else { a.wrapping_div(b) };
    /// DIVUW.
    divuw: u32, |a, b| a.checked_div(b).unwrap_or(u32::MAX) as i32;
    /// REMW.
    remw: i32, |a, b| if b == 0 { a } else { a.wrapping_rem(b) };
    /// REMUW.
    remuw: u32, |a, b| a.checked_rem(b).unwrap_or(a) as i32;
}

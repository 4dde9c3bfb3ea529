// SPDX-License-Identifier: Apache-2.0
//! Arithmetic and logic without a processor: operands in, result and flags out. `N` is the size of
//! an operand in bytes (1, 2 or 4); operands and results have nothing above it.
//!
//! Flags that the manual leaves undefined stay as they were, or are what comes about; the table in
//! `tests/ia32/README.md` lists them.

use crate::ia32::isa::flags::{parity, AF, CF, OF, SF, ZF};

/// A result and the status flags that the operation sets.
pub type Outcome = (u32, u32);

/// The bits of an operand.
#[inline(always)]
#[must_use]
pub const fn mask<const N: u32>() -> u32 {
    u32::MAX >> (32 - 8 * N)
}

/// The sign bit of an operand.
#[inline(always)]
#[must_use]
pub const fn sign<const N: u32>() -> u32 {
    1 << (8 * N - 1)
}

/// An operand as a signed number.
#[inline(always)]
#[must_use]
pub const fn signed<const N: u32>(value: u32) -> i32 {
    (value << (32 - 8 * N)) as i32 >> (32 - 8 * N)
}

/// SF, ZF and PF of a result.
#[inline(always)]
fn szp<const N: u32>(result: u32) -> u32 {
    let zero = if result == 0 { ZF } else { 0 };
    let negative = (result >> (8 * N - 8)) & SF;
    zero | negative | parity(result)
}

/// OF if `set`.
#[inline(always)]
fn overflow(set: bool) -> u32 {
    u32::from(set) * OF
}

/// `a + b + carry`; `carry` is 0 or 1.
#[inline(always)]
#[must_use]
pub fn add<const N: u32>(a: u32, b: u32, carry: u32) -> Outcome {
    let sum = u64::from(a) + u64::from(b) + u64::from(carry);
    let result = sum as u32 & mask::<N>();
    let carried = (sum >> (8 * N)) as u32 & CF;
    let over = (a ^ result) & (b ^ result) & sign::<N>() != 0;
    let half = (a ^ b ^ result) & AF;
    (result, carried | half | overflow(over) | szp::<N>(result))
}

/// `a - b - borrow`; `borrow` is 0 or 1.
#[inline(always)]
#[must_use]
pub fn sub<const N: u32>(a: u32, b: u32, borrow: u32) -> Outcome {
    let difference = u64::from(a)
        .wrapping_sub(u64::from(b))
        .wrapping_sub(u64::from(borrow));
    let result = difference as u32 & mask::<N>();
    let borrowed = (difference >> 63) as u32;
    let over = (a ^ b) & (a ^ result) & sign::<N>() != 0;
    let half = (a ^ b ^ result) & AF;
    (result, borrowed | half | overflow(over) | szp::<N>(result))
}

/// The flags of a logical operation's result: CF and OF are 0 (AF is undefined; 0).
#[inline(always)]
#[must_use]
pub fn logic<const N: u32>(result: u32) -> Outcome {
    (result, szp::<N>(result))
}

/// `a + 1`, without CF.
#[inline(always)]
#[must_use]
pub fn inc<const N: u32>(a: u32) -> Outcome {
    let (result, flags) = add::<N>(a, 1, 0);
    (result, flags & !CF)
}

/// `a - 1`, without CF.
#[inline(always)]
#[must_use]
pub fn dec<const N: u32>(a: u32) -> Outcome {
    let (result, flags) = sub::<N>(a, 1, 0);
    (result, flags & !CF)
}

/// The shifts and rotates, in the order of the `reg` field that names them; 6 is 4 once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shift {
    /// Rotate left.
    Rol,
    /// Rotate right.
    Ror,
    /// Rotate left through CF.
    Rcl,
    /// Rotate right through CF.
    Rcr,
    /// Shift left.
    Shl,
    /// Shift right, zeros from above.
    Shr,
    /// Shift right, copies of the sign from above.
    Sar,
}

/// Shifts or rotates `a` by `count`, of which five bits count; `flags` are those before. A count of 0
/// changes nothing (SDM vol. 2, RCL/RCR/ROL/ROR and SAL/SAR/SHL/SHR). OF, defined for a count of 1
/// alone, is worked out likewise for others; AF is undefined and left alone.
#[inline(always)]
#[must_use]
pub fn shift<const N: u32>(kind: Shift, a: u32, count: u32, flags: u32) -> Outcome {
    let count = count & 31;
    if count == 0 {
        return (a, flags);
    }
    match kind {
        Shift::Rol | Shift::Ror => rotate::<N>(kind, a, count, flags),
        Shift::Rcl | Shift::Rcr => rotate_through_carry::<N>(kind, a, count, flags),
        Shift::Shl | Shift::Shr | Shift::Sar => shift_out::<N>(kind, a, count, flags),
    }
}

fn rotate<const N: u32>(kind: Shift, a: u32, count: u32, flags: u32) -> Outcome {
    let bits = 8 * N;
    let by = count % bits;
    let left = if kind == Shift::Rol { by } else { bits - by };
    let wide = u64::from(a) << (left % bits);
    let result = (wide | wide >> bits) as u32 & mask::<N>();
    let (top, next) = (result >> (bits - 1) & 1, result >> (bits - 2) & 1);
    let (carry, over) = if kind == Shift::Rol {
        (result & 1, top ^ (result & 1))
    } else {
        (top, top ^ next)
    };
    (result, flags & !(CF | OF) | carry | overflow(over != 0))
}

fn rotate_through_carry<const N: u32>(kind: Shift, a: u32, count: u32, flags: u32) -> Outcome {
    let bits = 8 * N;
    let by = count % (bits + 1);
    if by == 0 {
        return (a, flags);
    }
    let left = if kind == Shift::Rcl {
        by
    } else {
        bits + 1 - by
    };
    // The operand with CF above it, rotated as one number.
    let whole = u64::from(a) | u64::from(flags & CF) << bits;
    let rotated = whole << left | whole >> (bits + 1 - left);
    let result = rotated as u32 & mask::<N>();
    let carry = (rotated >> bits) as u32 & 1;
    let (top, next) = (result >> (bits - 1) & 1, result >> (bits - 2) & 1);
    let over = top ^ if kind == Shift::Rcl { carry } else { next };
    (result, flags & !(CF | OF) | carry | overflow(over != 0))
}

fn shift_out<const N: u32>(kind: Shift, a: u32, count: u32, flags: u32) -> Outcome {
    let bits = 8 * N;
    let (result, carry, over) = match kind {
        Shift::Shl => {
            let wide = u64::from(a) << count;
            let (result, carry) = (wide as u32 & mask::<N>(), (wide >> bits) as u32 & 1);
            (result, carry, result >> (bits - 1) & 1 != carry)
        }
        Shift::Shr => {
            let carry = (u64::from(a) >> (count - 1)) as u32 & 1;
            let top = a & sign::<N>() != 0;
            ((u64::from(a) >> count) as u32, carry, top)
        }
        _ => {
            let wide = i64::from(signed::<N>(a));
            let carry = (wide >> (count - 1)) as u32 & 1;
            ((wide >> count) as u32 & mask::<N>(), carry, false)
        }
    };
    let kept = flags & AF;
    (result, kept | carry | overflow(over) | szp::<N>(result))
}

/// SHLD: `a` to the left, the top of `b` into it from below. `N` is 2 or 4. For a count beyond the
/// operand, where all is undefined, a 16-bit operand goes on with `a`.
#[must_use]
pub fn shld<const N: u32>(a: u32, b: u32, count: u32, flags: u32) -> Outcome {
    let count = count & 31;
    if count == 0 {
        return (a, flags);
    }
    let bits = 8 * N;
    let whole = u64::from(a) << bits | u64::from(b);
    let whole = if N == 2 {
        whole << bits | u64::from(a)
    } else {
        whole
    };
    let above = if N == 2 { 2 * bits } else { bits };
    let shifted = u128::from(whole) << count;
    let result = (shifted >> above) as u32 & mask::<N>();
    let carry = (shifted >> (above + bits)) as u32 & 1;
    let over = (result ^ a) & sign::<N>() != 0;
    let kept = flags & AF;
    (result, kept | carry | overflow(over) | szp::<N>(result))
}

/// SHRD: `a` to the right, the bottom of `b` into it from above.
#[must_use]
pub fn shrd<const N: u32>(a: u32, b: u32, count: u32, flags: u32) -> Outcome {
    let count = count & 31;
    if count == 0 {
        return (a, flags);
    }
    let bits = 8 * N;
    let mut whole = u64::from(a) | u64::from(b) << bits;
    if N == 2 {
        whole |= u64::from(a) << (2 * bits);
    }
    let result = (whole >> count) as u32 & mask::<N>();
    let carry = (whole >> (count - 1)) as u32 & 1;
    let over = (result ^ a) & sign::<N>() != 0;
    let kept = flags & AF;
    (result, kept | carry | overflow(over) | szp::<N>(result))
}

/// MUL: the double-width product, low and high half; CF and OF if the high half is not 0. SF, ZF, AF
/// and PF are undefined and left alone.
#[must_use]
pub fn mul<const N: u32>(a: u32, b: u32, flags: u32) -> (u32, u32, u32) {
    let product = u64::from(a) * u64::from(b);
    let (low, high) = (
        product as u32 & mask::<N>(),
        (product >> (8 * N)) as u32 & mask::<N>(),
    );
    (low, high, wide(high != 0, flags))
}

/// IMUL: the same of signed numbers; CF and OF if the low half alone is not the product.
#[must_use]
pub fn imul<const N: u32>(a: u32, b: u32, flags: u32) -> (u32, u32, u32) {
    let product = i64::from(signed::<N>(a)) * i64::from(signed::<N>(b));
    let low = product as u32 & mask::<N>();
    let high = (product >> (8 * N)) as u32 & mask::<N>();
    (
        low,
        high,
        wide(i64::from(signed::<N>(low)) != product, flags),
    )
}

fn wide(is_wide: bool, flags: u32) -> u32 {
    flags & !(CF | OF) | if is_wide { CF | OF } else { 0 }
}

/// DIV of the double-width `high:low`: quotient and remainder; `None` if there is no quotient of that
/// width. The flags are undefined and stay.
#[must_use]
pub fn div<const N: u32>(low: u32, high: u32, by: u32) -> Option<(u32, u32)> {
    let dividend = u64::from(high) << (8 * N) | u64::from(low);
    let quotient = dividend.checked_div(u64::from(by))?;
    let fits = quotient <= u64::from(mask::<N>());
    fits.then(|| (quotient as u32, (dividend % u64::from(by)) as u32))
}

/// IDIV: the same of signed numbers, rounded towards 0.
#[must_use]
pub fn idiv<const N: u32>(low: u32, high: u32, by: u32) -> Option<(u32, u32)> {
    let wide = u64::from(high) << (8 * N) | u64::from(low);
    let unused = 64 - 16 * N;
    let dividend = (wide << unused) as i64 >> unused;
    let by = i64::from(signed::<N>(by));
    let quotient = dividend.checked_div(by)?;
    let fits = quotient == i64::from(signed::<N>(quotient as u32));
    fits.then(|| {
        let (quotient, remainder) = (quotient as u32, (dividend % by) as u32);
        (quotient & mask::<N>(), remainder & mask::<N>())
    })
}

/// DAA and DAS on AL (SDM vol. 2). OF is undefined: 0.
#[must_use]
pub fn adjust_packed(al: u32, flags: u32, subtract: bool) -> Outcome {
    let mut result = al;
    let mut set = 0;
    let adjust = |value: u32, by: u32| {
        let changed = if subtract {
            value.wrapping_sub(by)
        } else {
            value + by
        };
        changed & 0xff
    };
    if al & 15 > 9 || flags & AF != 0 {
        let borrows = subtract && al < 6;
        set |= AF | if borrows { CF } else { 0 };
        result = adjust(result, 6);
    }
    if al > 0x99 || flags & CF != 0 {
        result = adjust(result, 0x60);
        set |= CF;
    }
    (result, set | szp::<1>(result))
}

/// AAA and AAS on AX. OF, SF, ZF and PF are undefined: as of AL.
#[must_use]
pub fn adjust_unpacked(ax: u32, flags: u32, subtract: bool) -> Outcome {
    let adjusts = ax & 15 > 9 || flags & AF != 0;
    let mut result = ax;
    if adjusts {
        let by = 0x106;
        result = if subtract {
            ax.wrapping_sub(by)
        } else {
            ax + by
        };
    }
    let result = result & 0xff0f;
    let set = if adjusts { AF | CF } else { 0 };
    (result, set | szp::<1>(result & 0xff))
}

/// AAM: AL in AH and AL by `base`; `None` for base 0. OF, AF and CF are undefined: 0.
#[must_use]
pub fn split_digits(al: u32, base: u32) -> Option<Outcome> {
    let high = al.checked_div(base)?;
    let low = al % base;
    Some((high << 8 | low, szp::<1>(low)))
}

/// AAD: AH and AL joined by `base`. OF, AF and CF are undefined: 0.
#[must_use]
pub fn join_digits(ax: u32, base: u32) -> Outcome {
    let al = ((ax >> 8) * base + ax) & 0xff;
    (al, szp::<1>(al))
}

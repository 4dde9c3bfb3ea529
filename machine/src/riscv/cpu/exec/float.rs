// SPDX-License-Identifier: Apache-2.0
//! Floating-point instructions (I, "F" and "D" extensions). `DOUBLE` chooses the precision. Single
//! precision stands in registers of 64 bits with ones above ("NaN Boxing of Narrower Values").

use crate::riscv::cpu::float::{self, Format, Integer, Rounding, Status};
use crate::riscv::isa::decoder::DYNAMIC;
use crate::riscv::isa::status;

use super::memory::address;
use super::{Abort, Core, Observer, Op};

/// What stands above a single-precision number.
const BOX: u64 = !0 << 32;

const fn format<const DOUBLE: bool>() -> Format {
    if DOUBLE {
        float::DOUBLE
    } else {
        float::SINGLE
    }
}

/// The number in register `place`: one that is not boxed right is a NaN.
#[inline(always)]
fn operand<O: Observer, const DOUBLE: bool>(core: &Core<O>, place: u8) -> u64 {
    let bits = core.get(place);
    if DOUBLE {
        bits
    } else if bits & BOX == BOX {
        bits & !BOX
    } else {
        float::SINGLE.nan()
    }
}

#[inline(always)]
fn boxed<const DOUBLE: bool>(bits: u64) -> u64 {
    if DOUBLE {
        bits
    } else {
        bits | BOX
    }
}

/// Whether the unit is on; what it holds is dirty from now on.
#[inline(always)]
fn enter<O: Observer>(core: &mut Core<O>) -> Result<(), Abort> {
    if core.csr.mstatus & status::FS == status::FS {
        return Ok(());
    }
    enter_clean(core)
}

#[cold]
fn enter_clean<O: Observer>(core: &mut Core<O>) -> Result<(), Abort> {
    check_on(core)?;
    core.csr.mstatus |= status::FS;
    Ok(())
}

/// Whether the unit is on.
#[inline(always)]
fn check_on<O: Observer>(core: &mut Core<O>) -> Result<(), Abort> {
    if core.csr.mstatus & status::FS == 0 {
        Err(core.illegal())
    } else {
        Ok(())
    }
}

/// Does `compute` with the rounding mode of `op`, and keeps the flags.
#[inline(always)]
fn rounded<O: Observer>(
    core: &mut Core<O>,
    op: Op,
    compute: impl FnOnce(&Core<O>, &mut Status) -> u64,
) -> Result<u64, Abort> {
    check_on(core)?;
    let mode = if op.mode() == DYNAMIC {
        core.csr.frm
    } else {
        op.mode()
    };
    let Some(rounding) = Rounding::of(mode) else {
        return Err(core.illegal());
    };
    enter(core)?;
    let mut status = Status::new(rounding);
    let value = compute(core, &mut status);
    core.csr.fflags |= status.flags;
    Ok(value)
}

/// Does `compute`, which rounds nothing, and keeps the flags.
#[inline(always)]
fn unrounded<O: Observer>(
    core: &mut Core<O>,
    compute: impl FnOnce(&Core<O>, &mut Status) -> u64,
) -> Result<u64, Abort> {
    enter(core)?;
    let mut status = Status::new(Rounding::NearestEven);
    let value = compute(core, &mut status);
    core.csr.fflags |= status.flags;
    Ok(value)
}

/// FLW, FLD.
pub fn load<O: Observer, const N: usize>(core: &mut Core<O>, op: Op) -> Result<(), Abort> {
    check_on(core)?;
    let value = core.load::<N>(op, address(core, op))?;
    enter(core)?;
    core.set(op.rd(), if N == 4 { value | BOX } else { value });
    Ok(())
}

/// FSW, FSD.
pub fn store<O: Observer, const N: usize>(core: &mut Core<O>, op: Op) -> Result<(), Abort> {
    check_on(core)?;
    core.store::<N>(address(core, op), core.get(op.rs2()))
}

/// FMADD, FMSUB, FNMSUB, FNMADD: `NEGATES` the product, `SUBTRACTS` the addend.
pub fn fused<O: Observer, const DOUBLE: bool, const NEGATES: bool, const SUBTRACTS: bool>(
    core: &mut Core<O>,
    op: Op,
) -> Result<(), Abort> {
    let sign = if DOUBLE { 1 << 63 } else { 1 << 31 };
    let negated = |bits: u64, negate: bool| if negate { bits ^ sign } else { bits };
    let value = rounded(core, op, |core, status| {
        let a = negated(operand::<O, DOUBLE>(core, op.rs1()), NEGATES);
        let b = operand::<O, DOUBLE>(core, op.rs2());
        let c = negated(operand::<O, DOUBLE>(core, op.rs3()), SUBTRACTS);
        float::multiply_add(format::<DOUBLE>(), a, b, c, status)
    })?;
    finish_sum::<O, DOUBLE>(core, op, value);
    Ok(())
}

fn finish_sum<O: Observer, const DOUBLE: bool>(core: &mut Core<O>, op: Op, value: u64) {
    core.set(op.rd(), boxed::<DOUBLE>(value));
    if !DOUBLE {
        let cycles = core.pipeline.latency().fp_single;
        core.pipeline.takes(op.rd(), cycles);
    }
}

/// Declares operations on two numbers.
macro_rules! sums {
    ($($(#[$about:meta])* $name:ident = $operation:path;)+) => {$(
        $(#[$about])*
        pub fn $name<O: Observer, const DOUBLE: bool>(
            core: &mut Core<O>,
            op: Op,
        ) -> Result<(), Abort> {
            let value = rounded(core, op, |core, status| {
                let a = operand::<O, DOUBLE>(core, op.rs1());
                let b = operand::<O, DOUBLE>(core, op.rs2());
                $operation(format::<DOUBLE>(), a, b, status)
            })?;
            finish_sum::<O, DOUBLE>(core, op, value);
            Ok(())
        }
    )+};
}

sums! {
    /// FADD.
    add = float::add;
    /// FSUB.
    subtract = float::subtract;
    /// FMUL.
    multiply = float::multiply;
}

/// FDIV. With an operand that is zero, infinite or no number it is over at once (assumed).
pub fn divide<O: Observer, const DOUBLE: bool>(core: &mut Core<O>, op: Op) -> Result<(), Abort> {
    let (a, b) = (
        operand::<O, DOUBLE>(core, op.rs1()),
        operand::<O, DOUBLE>(core, op.rs2()),
    );
    let format = format::<DOUBLE>();
    let value = rounded(core, op, |_, status| float::divide(format, a, b, status))?;
    core.set(op.rd(), boxed::<DOUBLE>(value));
    let trivial = [a, b].iter().any(|bits| is_trivial(format, *bits));
    core.pipeline.divide_float(op.rd(), false, DOUBLE, trivial);
    Ok(())
}

/// FSQRT, likewise.
pub fn square_root<O: Observer, const DOUBLE: bool>(
    core: &mut Core<O>,
    op: Op,
) -> Result<(), Abort> {
    let a = operand::<O, DOUBLE>(core, op.rs1());
    let format = format::<DOUBLE>();
    let value = rounded(core, op, |_, status| float::square_root(format, a, status))?;
    core.set(op.rd(), boxed::<DOUBLE>(value));
    let trivial = is_trivial(format, a);
    core.pipeline.divide_float(op.rd(), true, DOUBLE, trivial);
    Ok(())
}

/// Zeros, infinities, NaNs: all but the classes of finite numbers.
fn is_trivial(format: Format, bits: u64) -> bool {
    const FINITE: u64 = 1 << 1 | 1 << 2 | 1 << 5 | 1 << 6;
    float::classify(format, bits) & FINITE == 0
}

/// FSGNJ (0), FSGNJN (1), FSGNJX (2).
pub fn sign<O: Observer, const DOUBLE: bool, const HOW: u8>(
    core: &mut Core<O>,
    op: Op,
) -> Result<(), Abort> {
    enter(core)?;
    let a = operand::<O, DOUBLE>(core, op.rs1());
    let b = operand::<O, DOUBLE>(core, op.rs2());
    let mask = if DOUBLE { 1 << 63 } else { 1 << 31 };
    let sign = match HOW {
        0 => b,
        1 => !b,
        _ => a ^ b,
    };
    core.set(op.rd(), boxed::<DOUBLE>(a & !mask | sign & mask));
    Ok(())
}

/// FMIN, FMAX.
pub fn extreme<O: Observer, const DOUBLE: bool, const LARGEST: bool>(
    core: &mut Core<O>,
    op: Op,
) -> Result<(), Abort> {
    let value = unrounded(core, |core, status| {
        let a = operand::<O, DOUBLE>(core, op.rs1());
        let b = operand::<O, DOUBLE>(core, op.rs2());
        float::extreme(format::<DOUBLE>(), a, b, LARGEST, status)
    })?;
    core.set(op.rd(), boxed::<DOUBLE>(value));
    Ok(())
}

/// FCVT to an integer.
pub fn to_integer<O: Observer, const DOUBLE: bool, const BITS: u32, const SIGNED: bool>(
    core: &mut Core<O>,
    op: Op,
) -> Result<(), Abort> {
    let integer = Integer {
        bits: BITS,
        signed: SIGNED,
    };
    let value = rounded(core, op, |core, status| {
        let a = operand::<O, DOUBLE>(core, op.rs1());
        float::to_integer(format::<DOUBLE>(), a, integer, status)
    })?;
    core.set(op.rd(), value);
    Ok(())
}

/// FCVT from an integer.
pub fn from_integer<O: Observer, const DOUBLE: bool, const BITS: u32, const SIGNED: bool>(
    core: &mut Core<O>,
    op: Op,
) -> Result<(), Abort> {
    let integer = Integer {
        bits: BITS,
        signed: SIGNED,
    };
    let value = rounded(core, op, |core, status| {
        float::from_integer(format::<DOUBLE>(), core.get(op.rs1()), integer, status)
    })?;
    core.set(op.rd(), boxed::<DOUBLE>(value));
    if BITS == 64 {
        let latency = core.pipeline.latency();
        let cycles = if DOUBLE {
            latency.fp_from_long_double
        } else {
            latency.fp_from_long_single
        };
        core.pipeline.takes(op.rd(), cycles);
    }
    Ok(())
}

/// FCVT to double precision if `TO_DOUBLE`, else to single.
pub fn convert<O: Observer, const TO_DOUBLE: bool>(
    core: &mut Core<O>,
    op: Op,
) -> Result<(), Abort> {
    let value = rounded(core, op, |core, status| {
        if TO_DOUBLE {
            let a = operand::<O, false>(core, op.rs1());
            float::convert(float::SINGLE, float::DOUBLE, a, status)
        } else {
            float::convert(float::DOUBLE, float::SINGLE, core.get(op.rs1()), status)
        }
    })?;
    core.set(op.rd(), boxed::<TO_DOUBLE>(value));
    Ok(())
}

/// FEQ.
pub fn equal<O: Observer, const DOUBLE: bool>(core: &mut Core<O>, op: Op) -> Result<(), Abort> {
    let value = unrounded(core, |core, status| {
        let a = operand::<O, DOUBLE>(core, op.rs1());
        let b = operand::<O, DOUBLE>(core, op.rs2());
        u64::from(float::equal(format::<DOUBLE>(), a, b, status))
    })?;
    core.set(op.rd(), value);
    Ok(())
}

/// FLT, FLE.
pub fn below<O: Observer, const DOUBLE: bool, const OR_EQUAL: bool>(
    core: &mut Core<O>,
    op: Op,
) -> Result<(), Abort> {
    let value = unrounded(core, |core, status| {
        let a = operand::<O, DOUBLE>(core, op.rs1());
        let b = operand::<O, DOUBLE>(core, op.rs2());
        u64::from(float::below(format::<DOUBLE>(), a, b, OR_EQUAL, status))
    })?;
    core.set(op.rd(), value);
    Ok(())
}

/// FCLASS.
pub fn classify<O: Observer, const DOUBLE: bool>(core: &mut Core<O>, op: Op) -> Result<(), Abort> {
    check_on(core)?;
    let a = operand::<O, DOUBLE>(core, op.rs1());
    core.set(op.rd(), float::classify(format::<DOUBLE>(), a));
    Ok(())
}

/// FMV.X.W, FMV.X.D: bits as they are.
pub fn move_to_integer<O: Observer, const DOUBLE: bool>(
    core: &mut Core<O>,
    op: Op,
) -> Result<(), Abort> {
    check_on(core)?;
    let bits = core.get(op.rs1());
    let value = if DOUBLE {
        bits
    } else {
        i64::from(bits as i32) as u64
    };
    core.set(op.rd(), value);
    Ok(())
}

/// FMV.W.X, FMV.D.X: bits as they are.
pub fn move_from_integer<O: Observer, const DOUBLE: bool>(
    core: &mut Core<O>,
    op: Op,
) -> Result<(), Abort> {
    enter(core)?;
    let bits = core.get(op.rs1());
    core.set(op.rd(), if DOUBLE { bits } else { bits | BOX });
    if DOUBLE {
        let cycles = core.pipeline.latency().fp_from_long_double;
        core.pipeline.takes(op.rd(), cycles);
    }
    Ok(())
}

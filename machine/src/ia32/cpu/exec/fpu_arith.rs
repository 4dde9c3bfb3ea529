// SPDX-License-Identifier: Apache-2.0
//! The floating-point unit's arithmetic, comparisons and transcendental functions (SDM vol. 1,
//! 8.3.5 to 8.3.10).

use crate::ia32::cpu::core::Core;
use crate::ia32::cpu::fpu::arith::{self, Binary, Outcome, Quotient, Unary};
use crate::ia32::cpu::fpu::control::Control;
use crate::ia32::cpu::fpu::extended::{Extended, Operand};
use crate::ia32::cpu::fpu::status::{C0, C1, C2, C3, CODES};
use crate::ia32::cpu::fpu::{transcendental, Fpu};
use crate::ia32::cpu::Observer;
use crate::ia32::isa::exception::Fault;
use crate::ia32::isa::flags;
use crate::ia32::isa::insn::{Form, Insn};

use super::fpu_move::read;
use super::handler::Done;

/// The operand beside ST(0): in memory, or a register that may be empty.
fn other<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Result<Option<Operand>, Fault> {
    if insn.memory {
        let bits = read(core, insn)?;
        Ok(Some(insn.format.operand(bits)))
    } else {
        Ok(core.fpu.operand(insn.rm))
    }
}

// ---- two operands --------------------------------------------------------------------------

/// Computes with `a` and `b`, unless one is empty, and puts the result into ST(`to`).
fn compute(
    fpu: &mut Fpu,
    to: u8,
    [a, b]: [Option<Operand>; 2],
    operate: impl Fn(&Operand, &Operand, Control) -> Outcome,
) -> bool {
    let value = match (a, b) {
        (Some(a), Some(b)) => {
            let outcome = operate(&a, &b, fpu.control);
            fpu.settle(outcome)
        }
        _ => fpu.underflow(),
    };
    if let Some(value) = value {
        fpu.set(to, value);
    }
    value.is_some()
}

/// An instruction of ST(0) and `rm`, whose result goes into one of them.
fn binary<O: Observer>(core: &mut Core<O>, insn: &Insn, operate: Binary) -> Done {
    let other = other(core, insn)?;
    let to = if insn.form == Form::RmReg { insn.rm } else { 0 };
    let fpu = &mut core.fpu;
    let operands = [fpu.operand(0), other];
    if compute(fpu, to, operands, operate) {
        fpu.pop(insn.imm2);
    }
    Ok(())
}

pub(super) fn fadd<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    binary(core, insn, arith::add)
}

pub(super) fn fmul<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    binary(core, insn, arith::mul)
}

pub(super) fn fsub<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    binary(core, insn, arith::sub)
}

pub(super) fn fsub_reversed<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    binary(core, insn, arith::sub_reversed)
}

pub(super) fn fdiv<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    binary(core, insn, arith::div)
}

pub(super) fn fdiv_reversed<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    binary(core, insn, arith::div_reversed)
}

pub(super) fn fscale<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    let fpu = &mut core.fpu;
    let operands = [fpu.operand(0), fpu.operand(1)];
    compute(fpu, 0, operands, arith::scale);
    Ok(())
}

/// An instruction of ST(1) and ST(0), whose result goes into ST(1), after a pop ST(0).
fn into_next<O: Observer>(core: &mut Core<O>, operate: Binary) -> Done {
    let fpu = &mut core.fpu;
    let operands = [fpu.operand(1), fpu.operand(0)];
    if compute(fpu, 1, operands, operate) {
        fpu.pop(1);
    }
    Ok(())
}

pub(super) fn fpatan<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    into_next(core, transcendental::arctan)
}

pub(super) fn fyl2x<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    into_next(core, transcendental::log)
}

pub(super) fn fyl2xp1<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    into_next(core, transcendental::log_plus_1)
}

/// FPREM and FPREM1: C2 says whether something is left to reduce, else C0, C3 and C1 have the last
/// three bits of the quotient, if there is one.
fn remainder<O: Observer>(core: &mut Core<O>, nearest: bool) -> Done {
    let fpu = &mut core.fpu;
    let (Some(a), Some(b)) = (fpu.operand(0), fpu.operand(1)) else {
        if let Some(value) = fpu.underflow() {
            fpu.set(0, value);
        }
        fpu.set_codes(C2, 0);
        return Ok(());
    };
    let (outcome, quotient) = arith::remainder(&a, &b, nearest, fpu.control);
    fpu.set_codes(C2, 0);
    if let Some(value) = fpu.settle(outcome) {
        fpu.set(0, value);
        match quotient {
            Quotient::None => {}
            Quotient::Partial => fpu.set_codes(CODES, C2),
            Quotient::Whole(bits) => {
                let bit = |n: u8, code| if bits >> n & 1 != 0 { code } else { 0 };
                fpu.set_codes(CODES, bit(0, C1) | bit(1, C3) | bit(2, C0));
            }
        }
    }
    Ok(())
}

pub(super) fn fprem<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    remainder(core, false)
}

pub(super) fn fprem1<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    remainder(core, true)
}

// ---- one operand ---------------------------------------------------------------------------

/// An instruction of ST(0) alone.
fn unary<O: Observer>(core: &mut Core<O>, operate: Unary) -> Done {
    let fpu = &mut core.fpu;
    let value = match fpu.operand(0) {
        Some(a) => fpu.settle(operate(&a, fpu.control)),
        None => fpu.underflow(),
    };
    if let Some(value) = value {
        fpu.set(0, value);
    }
    Ok(())
}

pub(super) fn fsqrt<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    unary(core, arith::sqrt)
}

pub(super) fn frndint<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    unary(core, arith::integral)
}

pub(super) fn f2xm1<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    unary(core, transcendental::exp_minus_1)
}

/// Changes the sign, of whatever ST(0) holds.
fn sign<O: Observer>(core: &mut Core<O>, change: impl Fn(bool) -> bool) -> Done {
    let fpu = &mut core.fpu;
    let value = match fpu.get(0) {
        Some(value) => {
            let changed = value.with_sign(change(value.is_negative()));
            fpu.settle(Outcome::exact(changed))
        }
        None => fpu.underflow(),
    };
    if let Some(value) = value {
        fpu.set(0, value);
    }
    Ok(())
}

pub(super) fn fchs<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    sign(core, |negative| !negative)
}

pub(super) fn fabs<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    sign(core, |_| false)
}

// ---- one operand, two results --------------------------------------------------------------

/// An instruction that replaces ST(0) by a result and pushes another. `operate` gives both; `None`:
/// ST(0) is out of its range, and stays.
fn two_results<O: Observer>(
    core: &mut Core<O>,
    operate: impl Fn(&Operand, Control) -> Option<(Outcome, Extended)>,
) -> Done {
    let fpu = &mut core.fpu;
    let room = fpu.is_empty(7);
    let results = match fpu.operand(0) {
        None => fpu.underflow().map(|answer| (answer, answer)),
        Some(_) if !room => fpu.overflow().map(|answer| (answer, answer)),
        Some(a) => match operate(&a, fpu.control) {
            Some((outcome, second)) => fpu.settle(outcome).map(|first| (first, second)),
            None => {
                fpu.set_codes(C2 | C1, C2);
                None
            }
        },
    };
    if let Some((first, second)) = results {
        fpu.set(0, first);
        fpu.push(second);
    }
    Ok(())
}

pub(super) fn fxtract<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    two_results(core, |a, _| Some(arith::extract(a)))
}

/// FPTAN: after the tangent a 1 is pushed; of a NaN, or what became one, the NaN.
pub(super) fn fptan<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    core.fpu.set_codes(C2, 0);
    two_results(core, |a, control| {
        let tangent = transcendental::tan(a, control)?;
        let second = if tangent.value.operand().is_nan() {
            tangent.value
        } else {
            Extended::ONE
        };
        Some((tangent, second))
    })
}

/// FSINCOS: the cosine is pushed after the sine. C1 is that of the sine, the exceptions are of both.
pub(super) fn fsincos<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    core.fpu.set_codes(C2, 0);
    two_results(core, |a, control| {
        let sine = transcendental::sin(a, control)?;
        let cosine = transcendental::cos(a, control)?;
        Some((sine.with(cosine.raised), cosine.value))
    })
}

/// FSIN and FCOS: C2 says that ST(0) is out of range.
fn of_angle<O: Observer>(
    core: &mut Core<O>,
    operate: fn(&Operand, Control) -> Option<Outcome>,
) -> Done {
    let fpu = &mut core.fpu;
    fpu.set_codes(C2, 0);
    let value = match fpu.operand(0) {
        None => fpu.underflow(),
        Some(a) => match operate(&a, fpu.control) {
            Some(outcome) => fpu.settle(outcome),
            None => {
                fpu.set_codes(C2 | C1, C2);
                None
            }
        },
    };
    if let Some(value) = value {
        fpu.set(0, value);
    }
    Ok(())
}

pub(super) fn fsin<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    of_angle(core, transcendental::sin)
}

pub(super) fn fcos<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    of_angle(core, transcendental::cos)
}

// ---- comparison ----------------------------------------------------------------------------

/// An instruction that compares ST(0) with `rm` and sets C3, C2 and C0.
fn compare<O: Observer>(core: &mut Core<O>, insn: &Insn, quiet: bool) -> Done {
    let other = other(core, insn)?;
    let fpu = &mut core.fpu;
    let (codes, done) = fpu.compare(fpu.operand(0), other, quiet);
    fpu.set_codes(C3 | C2 | C0, codes);
    if done {
        fpu.pop(insn.imm2);
    }
    Ok(())
}

pub(super) fn fcom<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    compare(core, insn, false)
}

pub(super) fn fucom<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    compare(core, insn, true)
}

/// One that sets ZF, PF and CF instead.
fn compare_to_flags<O: Observer>(core: &mut Core<O>, insn: &Insn, quiet: bool) -> Done {
    let fpu = &mut core.fpu;
    let operands = (fpu.operand(0), fpu.operand(insn.rm));
    let (codes, done) = fpu.compare(operands.0, operands.1, quiet);
    if done {
        fpu.pop(insn.imm2);
    }
    let flag = |code, flag| if codes & code != 0 { flag } else { 0 };
    let status = flag(C3, flags::ZF) | flag(C2, flags::PF) | flag(C0, flags::CF);
    core.set_status(status);
    Ok(())
}

pub(super) fn fcomi<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    compare_to_flags(core, insn, false)
}

pub(super) fn fucomi<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    compare_to_flags(core, insn, true)
}

/// FTST: compares with 0.
pub(super) fn ftst<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    let fpu = &mut core.fpu;
    let zero = Extended::zero(false).operand();
    let (codes, _) = fpu.compare(fpu.operand(0), Some(zero), false);
    fpu.set_codes(C3 | C2 | C0, codes);
    Ok(())
}

pub(super) fn fxam<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    let codes = core.fpu.examine();
    core.fpu.set_codes(CODES, codes);
    Ok(())
}

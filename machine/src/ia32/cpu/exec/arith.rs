// SPDX-License-Identifier: Apache-2.0
//! Binary and decimal arithmetic, logic and comparison (SDM vol. 1, 7.2.2 to 7.2.4).

use crate::ia32::cpu::alu::{self, mask, Outcome};
use crate::ia32::cpu::core::Core;
use crate::ia32::cpu::Observer;
use crate::ia32::isa::exception::Fault;
use crate::ia32::isa::flags::CF;
use crate::ia32::isa::insn::reg::{EAX, EDX};
use crate::ia32::isa::insn::{Form, Insn};

use super::handler::Done;

/// The two operands of an instruction that changes neither.
#[inline(always)]
fn operands<O: Observer, const N: u32>(
    core: &mut Core<O>,
    insn: &Insn,
) -> Result<(u32, u32), Fault> {
    let rm = core.rm::<N>(insn)?;
    Ok(match insn.form {
        Form::RegRm => (core.register::<N>(insn.reg), rm),
        Form::RmImm => (rm, insn.imm),
        _ => (rm, core.register::<N>(insn.reg)),
    })
}

/// An instruction of two operands whose first gets the result; `operate` gets the carry flag, too.
#[inline(always)]
fn binary<O: Observer, const N: u32>(
    core: &mut Core<O>,
    insn: &Insn,
    operate: impl Fn(u32, u32, u32) -> Outcome,
) -> Done {
    let carry = core.eflags & CF;
    if insn.form == Form::RegRm {
        let (a, b) = operands::<O, N>(core, insn)?;
        let (result, status) = operate(a, b, carry);
        core.set_register::<N>(insn.reg, result);
        core.set_status(status);
        return Ok(());
    }
    let operand = core.operand::<N>(insn)?;
    let a = core.get::<N>(operand);
    let b = if insn.form == Form::RmImm {
        insn.imm
    } else {
        core.register::<N>(insn.reg)
    };
    let (result, status) = operate(a, b, carry);
    core.put::<N>(operand, result);
    core.set_status(status);
    Ok(())
}

/// An instruction that changes its one operand; `operate` gets the carry flag, too.
#[inline(always)]
fn unary<O: Observer, const N: u32>(
    core: &mut Core<O>,
    insn: &Insn,
    operate: impl Fn(u32, u32) -> Outcome,
) -> Done {
    let operand = core.operand::<N>(insn)?;
    let value = core.get::<N>(operand);
    let (result, status) = operate(value, core.eflags & CF);
    core.put::<N>(operand, result);
    core.set_status(status);
    Ok(())
}

#[inline(always)]
pub(super) fn add<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    binary::<O, N>(core, insn, |a, b, _| alu::add::<N>(a, b, 0))
}

#[inline(always)]
pub(super) fn or<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    binary::<O, N>(core, insn, |a, b, _| alu::logic::<N>(a | b))
}

pub(super) fn adc<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    binary::<O, N>(core, insn, alu::add::<N>)
}

pub(super) fn sbb<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    binary::<O, N>(core, insn, alu::sub::<N>)
}

#[inline(always)]
pub(super) fn and<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    binary::<O, N>(core, insn, |a, b, _| alu::logic::<N>(a & b))
}

#[inline(always)]
pub(super) fn sub<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    binary::<O, N>(core, insn, |a, b, _| alu::sub::<N>(a, b, 0))
}

#[inline(always)]
pub(super) fn xor<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    binary::<O, N>(core, insn, |a, b, _| alu::logic::<N>(a ^ b))
}

#[inline(always)]
pub(super) fn compare<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let (a, b) = operands::<O, N>(core, insn)?;
    core.set_status(alu::sub::<N>(a, b, 0).1);
    Ok(())
}

#[inline(always)]
pub(super) fn test<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let (a, b) = operands::<O, N>(core, insn)?;
    core.set_status(alu::logic::<N>(a & b).1);
    Ok(())
}

pub(super) fn not<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let operand = core.operand::<N>(insn)?;
    let value = core.get::<N>(operand);
    core.put::<N>(operand, !value & mask::<N>());
    Ok(())
}

pub(super) fn neg<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    unary::<O, N>(core, insn, |value, _| alu::sub::<N>(0, value, 0))
}

pub(super) fn inc<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    unary::<O, N>(core, insn, |value, carry| {
        let (result, status) = alu::inc::<N>(value);
        (result, status | carry)
    })
}

pub(super) fn dec<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    unary::<O, N>(core, insn, |value, carry| {
        let (result, status) = alu::dec::<N>(value);
        (result, status | carry)
    })
}

/// The double-width accumulator gets `high:low`: AX, DX:AX or EDX:EAX.
fn set_wide<O: Observer, const N: u32>(core: &mut Core<O>, low: u32, high: u32) {
    if N == 1 {
        core.set_register::<2>(EAX as u8, high << 8 | low);
    } else {
        core.set_register::<N>(EAX as u8, low);
        core.set_register::<N>(EDX as u8, high);
    }
}

/// The double-width accumulator: low and high half.
fn wide<O: Observer, const N: u32>(core: &Core<O>) -> (u32, u32) {
    if N == 1 {
        (core.r[EAX] & 0xff, core.r[EAX] >> 8 & 0xff)
    } else {
        (core.register::<N>(EAX as u8), core.register::<N>(EDX as u8))
    }
}

pub(super) fn mul<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let factor = core.rm::<N>(insn)?;
    let (low, high, flags) = alu::mul::<N>(wide::<O, N>(core).0, factor, core.eflags);
    set_wide::<O, N>(core, low, high);
    core.eflags = flags;
    Ok(())
}

pub(super) fn imul_accumulator<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let factor = core.rm::<N>(insn)?;
    let (low, high, flags) = alu::imul::<N>(wide::<O, N>(core).0, factor, core.eflags);
    set_wide::<O, N>(core, low, high);
    core.eflags = flags;
    Ok(())
}

/// IMUL into a register: of it and `rm`, or of `rm` and the constant.
pub(super) fn imul<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let (a, b) = operands::<O, N>(core, insn)?;
    let (low, _, flags) = alu::imul::<N>(a, b, core.eflags);
    core.set_register::<N>(insn.reg, low);
    core.eflags = flags;
    Ok(())
}

pub(super) fn div<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let by = core.rm::<N>(insn)?;
    let (low, high) = wide::<O, N>(core);
    let (quotient, remainder) = alu::div::<N>(low, high, by).ok_or(Fault::divide())?;
    set_wide::<O, N>(core, quotient, remainder);
    Ok(())
}

pub(super) fn idiv<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let by = core.rm::<N>(insn)?;
    let (low, high) = wide::<O, N>(core);
    let (quotient, remainder) = alu::idiv::<N>(low, high, by).ok_or(Fault::divide())?;
    set_wide::<O, N>(core, quotient, remainder);
    Ok(())
}

fn adjust_al<O: Observer>(core: &mut Core<O>, subtract: bool) -> Done {
    let (al, status) = alu::adjust_packed(core.r[EAX] & 0xff, core.eflags, subtract);
    core.set_register::<1>(EAX as u8, al);
    core.set_status(status);
    Ok(())
}

pub(super) fn daa<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    adjust_al(core, false)
}

pub(super) fn das<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    adjust_al(core, true)
}

fn adjust_ax<O: Observer>(core: &mut Core<O>, subtract: bool) -> Done {
    let (ax, status) = alu::adjust_unpacked(core.r[EAX] & 0xffff, core.eflags, subtract);
    core.set_register::<2>(EAX as u8, ax);
    core.set_status(status);
    Ok(())
}

pub(super) fn aaa<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    adjust_ax(core, false)
}

pub(super) fn aas<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    adjust_ax(core, true)
}

pub(super) fn aam<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    let split = alu::split_digits(core.r[EAX] & 0xff, insn.imm);
    let (ax, status) = split.ok_or(Fault::divide())?;
    core.set_register::<2>(EAX as u8, ax);
    core.set_status(status);
    Ok(())
}

pub(super) fn aad<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    let (ax, status) = alu::join_digits(core.r[EAX] & 0xffff, insn.imm);
    core.set_register::<2>(EAX as u8, ax);
    core.set_status(status);
    Ok(())
}

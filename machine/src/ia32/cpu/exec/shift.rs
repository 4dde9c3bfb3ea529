// SPDX-License-Identifier: Apache-2.0
//! Shifts and rotates (SDM vol. 1, 7.2.5).

use crate::ia32::cpu::alu::{self, Shift};
use crate::ia32::cpu::core::Core;
use crate::ia32::cpu::Observer;
use crate::ia32::isa::flags::STATUS;
use crate::ia32::isa::insn::reg::ECX;
use crate::ia32::isa::insn::{Form, Insn};

use super::handler::Done;

/// The count: a constant or CL.
#[inline(always)]
fn count<O: Observer>(core: &Core<O>, insn: &Insn) -> u32 {
    if insn.form == Form::RmCl {
        core.r[ECX] & 0xff
    } else {
        insn.imm
    }
}

#[inline(always)]
fn shift<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn, kind: Shift) -> Done {
    let operand = core.operand::<N>(insn)?;
    let value = core.get::<N>(operand);
    let status = core.eflags & STATUS;
    let (result, status) = alu::shift::<N>(kind, value, count(core, insn), status);
    core.put::<N>(operand, result);
    core.set_status(status);
    Ok(())
}

pub(super) fn rol<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    shift::<O, N>(core, insn, Shift::Rol)
}

pub(super) fn ror<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    shift::<O, N>(core, insn, Shift::Ror)
}

pub(super) fn rcl<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    shift::<O, N>(core, insn, Shift::Rcl)
}

pub(super) fn rcr<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    shift::<O, N>(core, insn, Shift::Rcr)
}

pub(super) fn shl<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    shift::<O, N>(core, insn, Shift::Shl)
}

pub(super) fn shr<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    shift::<O, N>(core, insn, Shift::Shr)
}

pub(super) fn sar<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    shift::<O, N>(core, insn, Shift::Sar)
}

#[inline(always)]
fn double<O: Observer, const N: u32>(
    core: &mut Core<O>,
    insn: &Insn,
    operate: fn(u32, u32, u32, u32) -> alu::Outcome,
) -> Done {
    let operand = core.operand::<N>(insn)?;
    let value = core.get::<N>(operand);
    let from = core.register::<N>(insn.reg);
    let status = core.eflags & STATUS;
    let (result, status) = operate(value, from, count(core, insn), status);
    core.put::<N>(operand, result);
    core.set_status(status);
    Ok(())
}

pub(super) fn shld<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    double::<O, N>(core, insn, alu::shld::<N>)
}

pub(super) fn shrd<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    double::<O, N>(core, insn, alu::shrd::<N>)
}

// SPDX-License-Identifier: Apache-2.0
//! Shifts and rotates (SDM vol. 1, 7.2.5).

use crate::ia32::alu::{self, Shift};
use crate::ia32::core::Core;
use crate::ia32::flags::STATUS;
use crate::ia32::insn::reg::ECX;
use crate::ia32::insn::{Form, Insn};

use super::Done;

/// The count: a constant or CL.
#[inline(always)]
fn count(core: &Core, insn: &Insn) -> u32 {
    if insn.form == Form::RmCl {
        core.r[ECX] & 0xff
    } else {
        insn.imm
    }
}

#[inline(always)]
fn shift<const N: u32>(core: &mut Core, insn: &Insn, kind: Shift) -> Done {
    let operand = core.operand::<N>(insn)?;
    let value = core.get::<N>(operand);
    let status = core.eflags & STATUS;
    let (result, status) = alu::shift::<N>(kind, value, count(core, insn), status);
    core.put::<N>(operand, result);
    core.set_status(status);
    Ok(())
}

pub(super) fn rol<const N: u32>(core: &mut Core, insn: &Insn) -> Done {
    shift::<N>(core, insn, Shift::Rol)
}

pub(super) fn ror<const N: u32>(core: &mut Core, insn: &Insn) -> Done {
    shift::<N>(core, insn, Shift::Ror)
}

pub(super) fn rcl<const N: u32>(core: &mut Core, insn: &Insn) -> Done {
    shift::<N>(core, insn, Shift::Rcl)
}

pub(super) fn rcr<const N: u32>(core: &mut Core, insn: &Insn) -> Done {
    shift::<N>(core, insn, Shift::Rcr)
}

pub(super) fn shl<const N: u32>(core: &mut Core, insn: &Insn) -> Done {
    shift::<N>(core, insn, Shift::Shl)
}

pub(super) fn shr<const N: u32>(core: &mut Core, insn: &Insn) -> Done {
    shift::<N>(core, insn, Shift::Shr)
}

pub(super) fn sar<const N: u32>(core: &mut Core, insn: &Insn) -> Done {
    shift::<N>(core, insn, Shift::Sar)
}

#[inline(always)]
fn double<const N: u32>(
    core: &mut Core,
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

pub(super) fn shld<const N: u32>(core: &mut Core, insn: &Insn) -> Done {
    double::<N>(core, insn, alu::shld::<N>)
}

pub(super) fn shrd<const N: u32>(core: &mut Core, insn: &Insn) -> Done {
    double::<N>(core, insn, alu::shrd::<N>)
}

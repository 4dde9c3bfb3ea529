// SPDX-License-Identifier: Apache-2.0
//! Transfers between segments and privilege levels (SDM vol. 1, 6.4; vol. 2). What they do is in
//! `core/transfer.rs` and `core/exception.rs`.

use crate::ia32::core::{Cause, Core};
use crate::ia32::fault::{vector, Fault};
use crate::ia32::flags::OF;
use crate::ia32::insn::Insn;

use super::Done;

/// The far pointer in memory: selector and offset.
fn pointer<const N: u32>(core: &mut Core, insn: &Insn) -> Result<(u16, u32), Fault> {
    let at = core.offset(insn);
    let offset = core.load::<N>(insn.seg, at)?;
    let behind = core.offset_behind(insn, N);
    let selector = core.load::<2>(insn.seg, behind)?;
    Ok((selector as u16, offset))
}

pub(super) fn jump_far(core: &mut Core, insn: &Insn) -> Done {
    core.far_jump(insn.imm2, insn.imm)
}

pub(super) fn jump_far_indirect<const N: u32>(core: &mut Core, insn: &Insn) -> Done {
    let (selector, offset) = pointer::<N>(core, insn)?;
    core.far_jump(selector, offset)
}

pub(super) fn call_far<const N: u32>(core: &mut Core, insn: &Insn) -> Done {
    core.far_call::<N>(insn.imm2, insn.imm)
}

pub(super) fn call_far_indirect<const N: u32>(core: &mut Core, insn: &Insn) -> Done {
    let (selector, offset) = pointer::<N>(core, insn)?;
    core.far_call::<N>(selector, offset)
}

pub(super) fn ret_far<const N: u32>(core: &mut Core, insn: &Insn) -> Done {
    core.far_return::<N>(insn.imm)
}

pub(super) fn int(core: &mut Core, insn: &Insn) -> Done {
    core.software_interrupt(insn.imm as u8, Cause::Software)
}

/// INT1 (F1): a debug exception that asks no gate for permission.
pub(super) fn int1(core: &mut Core, _: &Insn) -> Done {
    core.software_interrupt(vector::DB, Cause::Trap)
}

pub(super) fn int3(core: &mut Core, _: &Insn) -> Done {
    core.software_interrupt(vector::BP, Cause::Software)
}

pub(super) fn into(core: &mut Core, _: &Insn) -> Done {
    if core.eflags & OF == 0 {
        return Ok(());
    }
    core.software_interrupt(vector::OF, Cause::Software)
}

pub(super) fn iret<const N: u32>(core: &mut Core, _: &Insn) -> Done {
    core.interrupt_return::<N>()
}

pub(super) fn sysenter(core: &mut Core, _: &Insn) -> Done {
    core.system_enter()
}

pub(super) fn sysexit(core: &mut Core, _: &Insn) -> Done {
    core.system_exit()
}

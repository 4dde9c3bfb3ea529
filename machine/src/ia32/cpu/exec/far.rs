// SPDX-License-Identifier: Apache-2.0
//! Transfers between segments and privilege levels (SDM vol. 1, 6.4; vol. 2). What they do is in
//! `core/transfer.rs` and `core/exception.rs`.

use crate::ia32::cpu::core::Core;
use crate::ia32::cpu::Observer;
use crate::ia32::isa::exception::{vector, Cause, Fault};
use crate::ia32::isa::flags::OF;
use crate::ia32::isa::insn::Insn;

use super::handler::Done;

/// The far pointer in memory: selector and offset.
fn pointer<O: Observer, const N: u32>(
    core: &mut Core<O>,
    insn: &Insn,
) -> Result<(u16, u32), Fault> {
    let at = core.offset(insn);
    let offset = core.load::<N>(insn.seg, at)?;
    let after = core.offset_after(insn, N);
    let selector = core.load::<2>(insn.seg, after)?;
    Ok((selector as u16, offset))
}

pub(super) fn jump_far<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    core.far_jump(insn.imm2, insn.imm)
}

pub(super) fn jump_far_indirect<O: Observer, const N: u32>(
    core: &mut Core<O>,
    insn: &Insn,
) -> Done {
    let (selector, offset) = pointer::<O, N>(core, insn)?;
    core.far_jump(selector, offset)
}

pub(super) fn call_far<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    core.far_call::<N>(insn.imm2, insn.imm)
}

pub(super) fn call_far_indirect<O: Observer, const N: u32>(
    core: &mut Core<O>,
    insn: &Insn,
) -> Done {
    let (selector, offset) = pointer::<O, N>(core, insn)?;
    core.far_call::<N>(selector, offset)
}

pub(super) fn ret_far<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    core.far_return::<N>(insn.imm)
}

pub(super) fn int<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    core.software_interrupt(insn.imm as u8, Cause::Software)
}

/// INT1 (F1): a debug exception that asks no gate for permission.
pub(super) fn int1<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    core.software_interrupt(vector::DB, Cause::Trap)
}

pub(super) fn int3<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    core.software_interrupt(vector::BP, Cause::Software)
}

pub(super) fn into<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    if core.eflags & OF == 0 {
        return Ok(());
    }
    core.software_interrupt(vector::OF, Cause::Software)
}

pub(super) fn iret<O: Observer, const N: u32>(core: &mut Core<O>, _: &Insn) -> Done {
    core.interrupt_return::<N>()
}

pub(super) fn sysenter<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    core.system_enter()
}

pub(super) fn sysexit<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    core.system_exit()
}

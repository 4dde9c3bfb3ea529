// SPDX-License-Identifier: Apache-2.0
//! Transfers within a segment (SDM vol. 1, 7.2.7).

use crate::ia32::cpu::alu;
use crate::ia32::cpu::core::Core;
use crate::ia32::cpu::Observer;
use crate::ia32::isa::exception::Fault;
use crate::ia32::isa::flags::{self, ZF};
use crate::ia32::isa::insn::reg::ECX;
use crate::ia32::isa::insn::Insn;

use super::handler::Done;

/// Goes by the displacement in the instruction.
#[inline(always)]
fn go<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    core.jump::<N>(core.next_eip.wrapping_add(insn.imm))
}

pub(super) fn jump<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    go::<O, N>(core, insn)
}

pub(super) fn jump_if<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    if flags::holds(insn.reg, core.eflags) {
        go::<O, N>(core, insn)
    } else {
        Ok(())
    }
}

pub(super) fn jump_indirect<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let target = core.rm::<N>(insn)?;
    core.jump::<N>(target)
}

/// The count register, of the size of addresses.
fn count<O: Observer>(core: &Core<O>, insn: &Insn) -> u32 {
    if insn.address16 {
        core.r[ECX] & 0xffff
    } else {
        core.r[ECX]
    }
}

pub(super) fn jump_if_count_zero<O: Observer, const N: u32>(
    core: &mut Core<O>,
    insn: &Insn,
) -> Done {
    if count(core, insn) == 0 {
        go::<O, N>(core, insn)
    } else {
        Ok(())
    }
}

/// Counts down, and goes if the count is not 0 and `holds`.
fn count_down<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn, holds: bool) -> Done {
    let left = count(core, insn).wrapping_sub(1);
    if left & if insn.address16 { 0xffff } else { u32::MAX } != 0 && holds {
        go::<O, N>(core, insn)?;
    }
    if insn.address16 {
        core.set_register::<2>(ECX as u8, left & 0xffff);
    } else {
        core.r[ECX] = left;
    }
    Ok(())
}

pub(super) fn loop_<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    count_down::<O, N>(core, insn, true)
}

pub(super) fn loop_equal<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    count_down::<O, N>(core, insn, core.eflags & ZF != 0)
}

pub(super) fn loop_not_equal<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    count_down::<O, N>(core, insn, core.eflags & ZF == 0)
}

pub(super) fn call<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let back = core.next_eip;
    go::<O, N>(core, insn)?;
    core.push::<N>(back)
}

pub(super) fn call_indirect<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let back = core.next_eip;
    let target = core.rm::<N>(insn)?;
    core.jump::<N>(target)?;
    core.push::<N>(back)
}

pub(super) fn ret<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let target = core.top::<N>()?;
    core.jump::<N>(target)?;
    core.drop_stack(N + insn.imm);
    Ok(())
}

pub(super) fn bound<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let offset = core.offset(insn);
    let lower = core.load::<N>(insn.seg, offset)?;
    let after = core.offset_after(insn, N);
    let upper = core.load::<N>(insn.seg, after)?;
    let index = alu::signed::<N>(core.register::<N>(insn.reg));
    let bounds = alu::signed::<N>(lower)..=alu::signed::<N>(upper);
    if bounds.contains(&index) {
        Ok(())
    } else {
        Err(Fault::bound())
    }
}

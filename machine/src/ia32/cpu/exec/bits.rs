// SPDX-License-Identifier: Apache-2.0
//! Bits and bytes (SDM vol. 1, 7.2.6).

use crate::ia32::cpu::core::operand::Operand;
use crate::ia32::cpu::core::Core;
use crate::ia32::cpu::Observer;
use crate::ia32::isa::exception::Fault;
use crate::ia32::isa::flags::{self, CF, ZF};
use crate::ia32::isa::insn::{Form, Insn};
use crate::ia32::isa::segment::Access;

use super::handler::Done;

/// The operand that a bit is in, and the bit. A register's number reaches beyond a memory operand: the
/// bits are those of a string that begins there, up or down.
fn find<O: Observer, const N: u32>(
    core: &mut Core<O>,
    insn: &Insn,
    access: Access,
) -> Result<(Operand, u32), Fault> {
    let bits = 8 * N;
    let number = if insn.form == Form::RmImm {
        insn.imm & (bits - 1)
    } else {
        core.register::<N>(insn.reg)
    };
    let bit = 1 << (number % bits);
    if !insn.memory {
        return Ok((Operand::Register(insn.rm), bit));
    }
    let number = crate::ia32::cpu::alu::signed::<N>(number);
    let words = number.div_euclid(bits as i32) as u32;
    let offset = core.offset_after(insn, words.wrapping_mul(N));
    let place = core.locate(insn.seg, offset, N, access)?;
    Ok((Operand::Memory(place), bit))
}

#[inline(always)]
fn change<O: Observer, const N: u32>(
    core: &mut Core<O>,
    insn: &Insn,
    change: impl Fn(u32, u32) -> u32,
) -> Done {
    let (operand, bit) = find::<O, N>(core, insn, Access::Write)?;
    let value = core.get::<N>(operand);
    core.put::<N>(operand, change(value, bit));
    note(core, value & bit != 0);
    Ok(())
}

/// CF is the bit as it was.
fn note<O: Observer>(core: &mut Core<O>, set: bool) {
    core.eflags = core.eflags & !CF | if set { CF } else { 0 };
}

pub(super) fn bt<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let (operand, bit) = find::<O, N>(core, insn, Access::Read)?;
    let value = core.get::<N>(operand);
    note(core, value & bit != 0);
    Ok(())
}

pub(super) fn bts<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    change::<O, N>(core, insn, |value, bit| value | bit)
}

pub(super) fn btr<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    change::<O, N>(core, insn, |value, bit| value & !bit)
}

pub(super) fn btc<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    change::<O, N>(core, insn, |value, bit| value ^ bit)
}

/// BSF and BSR: of 0 only ZF is defined; the destination stays, as on the processor.
#[inline(always)]
fn scan<O: Observer, const N: u32>(
    core: &mut Core<O>,
    insn: &Insn,
    find: impl Fn(u32) -> u32,
) -> Done {
    let value = core.rm::<N>(insn)?;
    if value == 0 {
        core.eflags |= ZF;
    } else {
        core.eflags &= !ZF;
        core.set_register::<N>(insn.reg, find(value));
    }
    Ok(())
}

pub(super) fn bsf<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    scan::<O, N>(core, insn, u32::trailing_zeros)
}

pub(super) fn bsr<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    scan::<O, N>(core, insn, |value| 31 - value.leading_zeros())
}

pub(super) fn set_if<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    let value = flags::holds(insn.reg, core.eflags);
    core.set_rm::<1>(insn, u32::from(value))
}

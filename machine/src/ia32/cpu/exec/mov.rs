// SPDX-License-Identifier: Apache-2.0
//! Data transfer and type conversion (SDM vol. 1, 7.2.1), segment registers included (7.2.12).

use crate::ia32::cpu::alu::{self, mask};
use crate::ia32::cpu::core::{Core, Shadow};
use crate::ia32::cpu::Observer;
use crate::ia32::isa::exception::Fault;
use crate::ia32::isa::flags::{self, ZF};
use crate::ia32::isa::insn::reg::{EAX, EBX, ECX, EDX};
use crate::ia32::isa::insn::{Form, Insn, Seg};
use crate::ia32::isa::segment::Access;

use super::handler::Done;

/// NOP, and the hints that are none here.
pub(super) fn nop<O: Observer>(_: &mut Core<O>, _: &Insn) -> Done {
    Ok(())
}

#[inline(always)]
pub(super) fn mov<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    match insn.form {
        Form::RegRm => {
            let value = core.rm::<N>(insn)?;
            core.set_register::<N>(insn.reg, value);
            Ok(())
        }
        Form::RmImm => core.set_rm::<N>(insn, insn.imm),
        _ => {
            let value = core.register::<N>(insn.reg);
            core.set_rm::<N>(insn, value)
        }
    }
}

/// CMOVcc: memory is read whether or not the condition holds.
pub(super) fn mov_if<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let value = core.rm::<N>(insn)?;
    if flags::holds(insn.imm as u8, core.eflags) {
        core.set_register::<N>(insn.reg, value);
    }
    Ok(())
}

pub(super) fn mov_zero_byte<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let value = core.rm::<1>(insn)?;
    core.set_register::<N>(insn.reg, value);
    Ok(())
}

pub(super) fn mov_zero_word<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let value = core.rm::<2>(insn)?;
    core.set_register::<N>(insn.reg, value);
    Ok(())
}

pub(super) fn mov_sign_byte<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let value = core.rm::<1>(insn)?;
    core.set_register::<N>(insn.reg, alu::signed::<1>(value) as u32);
    Ok(())
}

pub(super) fn mov_sign_word<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let value = core.rm::<2>(insn)?;
    core.set_register::<N>(insn.reg, alu::signed::<2>(value) as u32);
    Ok(())
}

pub(super) fn lea<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let offset = core.offset(insn);
    core.set_register::<N>(insn.reg, offset);
    Ok(())
}

pub(super) fn xchg<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let operand = core.operand::<N>(insn)?;
    let value = core.get::<N>(operand);
    let other = core.register::<N>(insn.reg);
    core.put::<N>(operand, other);
    core.set_register::<N>(insn.reg, value);
    Ok(())
}

pub(super) fn xadd<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let operand = core.operand::<N>(insn)?;
    let value = core.get::<N>(operand);
    let (sum, status) = alu::add::<N>(value, core.register::<N>(insn.reg), 0);
    core.set_register::<N>(insn.reg, value);
    core.put::<N>(operand, sum);
    core.set_status(status);
    Ok(())
}

/// CMPXCHG: the destination is written either way, if only with what it held.
pub(super) fn compare_exchange<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let operand = core.operand::<N>(insn)?;
    let value = core.get::<N>(operand);
    let accumulator = core.register::<N>(EAX as u8);
    let (_, status) = alu::sub::<N>(accumulator, value, 0);
    if status & ZF != 0 {
        let new = core.register::<N>(insn.reg);
        core.put::<N>(operand, new);
    } else {
        core.put::<N>(operand, value);
        core.set_register::<N>(EAX as u8, value);
    }
    core.set_status(status);
    Ok(())
}

pub(super) fn compare_exchange_8<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    let offset = core.offset(insn);
    let low = core.locate(insn.seg, offset, 8, Access::Write)?;
    let high = low.plus(4);
    let value = [core.get_at::<4>(low), core.get_at::<4>(high)];
    let equal = value == [core.r[EAX], core.r[EDX]];
    let new = if equal {
        [core.r[EBX], core.r[ECX]]
    } else {
        value
    };
    core.put_at::<4>(low, new[0]);
    core.put_at::<4>(high, new[1]);
    [core.r[EAX], core.r[EDX]] = value;
    core.eflags = core.eflags & !ZF | if equal { ZF } else { 0 };
    Ok(())
}

/// BSWAP; of 16 bits it is undefined: 0.
pub(super) fn bswap<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let value = core.register::<N>(insn.rm).swap_bytes();
    core.set_register::<N>(insn.rm, value & mask::<N>());
    Ok(())
}

/// CBW, CWDE.
pub(super) fn extend_accumulator<O: Observer, const N: u32>(core: &mut Core<O>, _: &Insn) -> Done {
    let value = if N == 2 {
        alu::signed::<1>(core.r[EAX])
    } else {
        alu::signed::<2>(core.r[EAX])
    };
    core.set_register::<N>(EAX as u8, value as u32);
    Ok(())
}

/// CWD, CDQ.
pub(super) fn sign_to_edx<O: Observer, const N: u32>(core: &mut Core<O>, _: &Insn) -> Done {
    let sign = alu::signed::<N>(core.r[EAX]) >> 31;
    core.set_register::<N>(EDX as u8, sign as u32);
    Ok(())
}

pub(super) fn xlat<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    let sum = core.r[EBX].wrapping_add(core.r[EAX] & 0xff);
    let offset = if insn.address16 { sum & 0xffff } else { sum };
    let value = core.load::<1>(insn.seg, offset)?;
    core.set_register::<1>(EAX as u8, value);
    Ok(())
}

/// MOV from a segment register: 16 bits into memory; a 32-bit register gets zeros above.
pub(super) fn mov_from_segment<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let selector = u32::from(core.segments[usize::from(insn.reg)].selector);
    if insn.memory {
        core.set_rm::<2>(insn, selector)
    } else {
        core.set_rm::<N>(insn, selector)
    }
}

pub(super) fn mov_to_segment<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    let selector = core.rm::<2>(insn)?;
    let seg = Seg::numbered(insn.reg).ok_or(Fault::undefined())?;
    core.load_segment(seg, selector as u16)?;
    if seg == Seg::Ss {
        core.shadow = Shadow::Everything;
        core.end_quantum();
    }
    Ok(())
}

/// LDS, LES, LFS, LGS, LSS: the segment register is `imm2`.
pub(super) fn load_far_pointer<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let offset = core.offset(insn);
    let pointer = core.load::<N>(insn.seg, offset)?;
    let after = core.offset_after(insn, N);
    let selector = core.load::<2>(insn.seg, after)?;
    let seg = Seg::numbered(insn.imm2 as u8).ok_or(Fault::undefined())?;
    core.load_segment(seg, selector as u16)?;
    core.set_register::<N>(insn.reg, pointer);
    Ok(())
}

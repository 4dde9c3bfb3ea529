// SPDX-License-Identifier: Apache-2.0
//! The floating-point unit's data transfers and constants (SDM vol. 1, 8.3.3 and 8.3.4).

use crate::ia32::cpu::core::Core;
use crate::ia32::cpu::fpu::arith::Outcome;
use crate::ia32::cpu::fpu::constant;
use crate::ia32::cpu::fpu::control::exception;
use crate::ia32::cpu::fpu::extended::Extended;
use crate::ia32::cpu::fpu::status::C1;
use crate::ia32::cpu::Observer;
use crate::ia32::isa::exception::Fault;
use crate::ia32::isa::flags;
use crate::ia32::isa::insn::Insn;
use crate::ia32::isa::segment::Access;
use crate::ia32::memory::memsys::Place;

use super::handler::Done;

/// Where a memory operand is: up to eight bytes, and the last two of ten.
#[derive(Debug, Clone, Copy)]
struct Location {
    first: Place,
    last: Option<Place>,
}

fn locate<O: Observer>(core: &mut Core<O>, insn: &Insn, access: Access) -> Result<Location, Fault> {
    let bytes = insn.format.bytes();
    let offset = core.offset(insn);
    let first = core.locate(insn.seg, offset, bytes.min(8), access)?;
    let last = if bytes > 8 {
        let offset = core.offset_after(insn, 8);
        Some(core.locate(insn.seg, offset, 2, access)?)
    } else {
        None
    };
    Ok(Location { first, last })
}

/// Reads the memory operand, in its format.
pub(super) fn read<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Result<u128, Fault> {
    let Location { first, last } = locate(core, insn, Access::Read)?;
    let mut bits = match insn.format.bytes() {
        2 => core.get_at::<2>(first).into(),
        4 => core.get_at::<4>(first).into(),
        _ => {
            u128::from(core.get_at::<4>(first)) | u128::from(core.get_at::<4>(first.plus(4))) << 32
        }
    };
    if let Some(last) = last {
        bits |= u128::from(core.get_at::<2>(last)) << 64;
    }
    Ok(bits)
}

fn write<O: Observer>(core: &mut Core<O>, insn: &Insn, location: Location, bits: u128) {
    let Location { first, last } = location;
    match insn.format.bytes() {
        2 => core.put_at::<2>(first, bits as u32 & 0xffff),
        4 => core.put_at::<4>(first, bits as u32),
        _ => {
            core.put_at::<4>(first, bits as u32);
            core.put_at::<4>(first.plus(4), (bits >> 32) as u32);
        }
    }
    if let Some(last) = last {
        core.put_at::<2>(last, (bits >> 64) as u32 & 0xffff);
    }
}

/// FLD, FILD, FBLD.
pub(super) fn fld<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    if insn.memory {
        let bits = read(core, insn)?;
        core.fpu.push_outcome(insn.format.load(bits));
        return Ok(());
    }
    let fpu = &mut core.fpu;
    match fpu.get(insn.rm) {
        Some(value) => fpu.push_outcome(Outcome::exact(value)),
        None => {
            if let Some(value) = fpu.underflow() {
                fpu.push(value);
            }
        }
    }
    Ok(())
}

pub(super) fn fload_constant<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    let fpu = &mut core.fpu;
    fpu.push_outcome(constant::load(insn.rm, fpu.control));
    Ok(())
}

/// FST, FSTP, FIST, FISTP, FBSTP.
pub(super) fn fst<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    if insn.memory {
        return store(core, insn);
    }
    let fpu = &mut core.fpu;
    let value = match fpu.get(0) {
        Some(value) => fpu.settle(Outcome::exact(value)),
        None => fpu.underflow(),
    };
    if let Some(value) = value {
        fpu.set(insn.rm, value);
        fpu.pop(insn.imm2);
    }
    Ok(())
}

/// FSTPNCE of no manual: FSTP that does not mind an empty register.
pub(super) fn fst_unchecked<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    let fpu = &mut core.fpu;
    if let Some(value) = fpu.get(0) {
        fpu.set(insn.rm, value);
    }
    fpu.set_codes(C1, 0);
    fpu.pop(1);
    Ok(())
}

/// Overflow and underflow that are not masked keep a number back from memory, too.
const KEEP: u16 = exception::BEFORE | exception::OVERFLOW | exception::UNDERFLOW;

fn store<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    let location = locate(core, insn, Access::Write)?;
    let fpu = &mut core.fpu;
    let bits = match fpu.get(0) {
        Some(value) => {
            let stored = insn.format.store(value, fpu.control);
            let done = fpu.settled(stored.raised, stored.up, KEEP);
            done.then_some(stored.bits)
        }
        None => fpu.underflow().map(|_| insn.format.indefinite()),
    };
    if let Some(bits) = bits {
        write(core, insn, location, bits);
        core.fpu.pop(insn.imm2);
    }
    Ok(())
}

/// FXCH: empty registers become the masked answer first.
pub(super) fn fxch<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    let fpu = &mut core.fpu;
    fpu.set_codes(C1, 0);
    let answer = if fpu.is_empty(0) || fpu.is_empty(insn.rm) {
        fpu.underflow()
    } else {
        Some(Extended::INDEFINITE)
    };
    if let Some(answer) = answer {
        let first = fpu.get(0).unwrap_or(answer);
        let second = fpu.get(insn.rm).unwrap_or(answer);
        fpu.set(0, second);
        fpu.set(insn.rm, first);
    }
    Ok(())
}

/// FCMOVcc: both registers are looked at, whether or not the condition holds.
pub(super) fn fcmov<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    let holds = flags::holds(insn.reg, core.eflags);
    let fpu = &mut core.fpu;
    let value = match (fpu.get(0), fpu.get(insn.rm)) {
        (Some(_), Some(value)) => holds.then_some(value),
        _ => fpu.underflow(),
    };
    if let Some(value) = value {
        fpu.set(0, value);
    }
    Ok(())
}

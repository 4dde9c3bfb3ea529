// SPDX-License-Identifier: Apache-2.0
//! The flags themselves (SDM vol. 1, 7.2.11).

use crate::ia32::cpu::core::{Core, Shadow};
use crate::ia32::cpu::Observer;
use crate::ia32::isa::exception::Fault;
use crate::ia32::isa::flags::{AF, CF, DF, FIXED, IF, PF, SF, ZF};
use crate::ia32::isa::insn::reg::{EAX, ESP};
use crate::ia32::isa::insn::Insn;

use super::handler::Done;

/// The flags that AH can hold.
const IN_AH: u32 = CF | PF | AF | ZF | SF;
/// The byte register AH.
const AH: u8 = ESP as u8;

pub(super) fn lahf<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    core.set_register::<1>(AH, core.eflags & IN_AH | FIXED);
    Ok(())
}

pub(super) fn sahf<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    let ah = core.register::<1>(AH);
    core.eflags = core.eflags & !IN_AH | ah & IN_AH;
    Ok(())
}

/// SALC (D6, in no manual of the time): AL is all ones if CF is set, else 0.
pub(super) fn salc<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    let value = (core.eflags & CF) * 0xff;
    core.set_register::<1>(EAX as u8, value);
    Ok(())
}

pub(super) fn clc<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    core.eflags &= !CF;
    Ok(())
}

pub(super) fn stc<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    core.eflags |= CF;
    Ok(())
}

pub(super) fn cmc<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    core.eflags ^= CF;
    Ok(())
}

pub(super) fn cld<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    core.eflags &= !DF;
    Ok(())
}

pub(super) fn std<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    core.eflags |= DF;
    Ok(())
}

fn require_iopl<O: Observer>(core: &Core<O>) -> Done {
    if core.cpl() <= core.iopl() {
        Ok(())
    } else {
        Err(Fault::protection(0))
    }
}

pub(super) fn cli<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    require_iopl(core)?;
    core.eflags &= !IF;
    Ok(())
}

/// STI: interrupts are taken after the next instruction, if they were masked.
pub(super) fn sti<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    require_iopl(core)?;
    if core.eflags & IF == 0 {
        core.eflags |= IF;
        core.shadow = Shadow::Interrupts;
        core.end_quantum();
    }
    Ok(())
}

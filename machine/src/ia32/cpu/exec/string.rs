// SPDX-License-Identifier: Apache-2.0
//! String instructions and their repetition (SDM vol. 1, 7.2.9; vol. 2, REP).
//!
//! A repeated one is an instruction an element: registers say how far it has got, so that a fault or
//! an interrupt between two elements finds a state from which it goes on.

use crate::ia32::cpu::alu;
use crate::ia32::cpu::core::Core;
use crate::ia32::cpu::Observer;
use crate::ia32::isa::flags::{DF, STATUS, TF, ZF};
use crate::ia32::isa::insn::reg::{EAX, ECX, EDI, ESI};
use crate::ia32::isa::insn::{Insn, Repeat, Seg};

use super::handler::Done;

/// What does one element.
type Element<O> = fn(&mut Core<O>, &Insn) -> Done;

/// An index or count register, of the size of addresses.
pub(super) fn counter<O: Observer>(core: &Core<O>, insn: &Insn, register: usize) -> u32 {
    if insn.address16 {
        core.r[register] & 0xffff
    } else {
        core.r[register]
    }
}

fn add_to<O: Observer>(core: &mut Core<O>, insn: &Insn, register: usize, by: u32) {
    let sum = core.r[register].wrapping_add(by);
    if insn.address16 {
        core.set_register::<2>(register as u8, sum & 0xffff);
    } else {
        core.r[register] = sum;
    }
}

/// The index register goes on to the next element of `N` bytes.
pub(super) fn advance<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn, register: usize) {
    let by = if core.eflags & DF == 0 {
        N
    } else {
        N.wrapping_neg()
    };
    add_to(core, insn, register, by);
}

/// Repeats `element` as long as the prefix says; `compares`: as the flags say, too. Stops in between
/// when the quantum ends, after an element with a breakpoint, or after each if single
/// steps are trapped.
#[inline(always)]
pub(super) fn repeat<O: Observer>(
    core: &mut Core<O>,
    insn: &Insn,
    compares: bool,
    element: Element<O>,
) -> Done {
    if insn.repeat == Repeat::No {
        return element(core, insn);
    }
    if !core.resumed {
        core.status_before = core.eflags & STATUS;
        let price = core.mem.traces.cost_of_repeat(insn);
        core.mem
            .time
            .begin_repeat(price.into(), &mut core.mem.platform);
    }
    let cost = core.mem.traces.cost(insn);
    while counter(core, insn, ECX) != 0 {
        if let Err(fault) = element(core, insn) {
            // As before the instruction (SDM vol. 2, REP): it needs no flags to go on.
            core.eflags = core.eflags & !STATUS | core.status_before;
            return Err(fault);
        }
        add_to(core, insn, ECX, u32::MAX);
        let equal = core.eflags & ZF != 0;
        let done = compares && equal != (insn.repeat == Repeat::WhileEqual);
        if done || counter(core, insn, ECX) == 0 {
            break;
        }
        let traps = core.eflags & TF != 0 || core.watched != 0;
        if traps || core.mem.platform.cycle >= core.mem.platform.horizon {
            core.next_eip = core.eip;
            core.suspended = true;
            break;
        }
        core.mem.time.next_element(&cost, &mut core.mem.platform);
    }
    Ok(())
}

pub(super) fn movs<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    repeat(core, insn, false, |core, insn| {
        let value = core.load::<N>(insn.seg, counter(core, insn, ESI))?;
        core.store::<N>(Seg::Es, counter(core, insn, EDI), value)?;
        advance::<O, N>(core, insn, ESI);
        advance::<O, N>(core, insn, EDI);
        Ok(())
    })
}

pub(super) fn cmps<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    repeat(core, insn, true, |core, insn| {
        let a = core.load::<N>(insn.seg, counter(core, insn, ESI))?;
        let b = core.load::<N>(Seg::Es, counter(core, insn, EDI))?;
        core.set_status(alu::sub::<N>(a, b, 0).1);
        advance::<O, N>(core, insn, ESI);
        advance::<O, N>(core, insn, EDI);
        Ok(())
    })
}

pub(super) fn stos<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    repeat(core, insn, false, |core, insn| {
        let value = core.register::<N>(EAX as u8);
        core.store::<N>(Seg::Es, counter(core, insn, EDI), value)?;
        advance::<O, N>(core, insn, EDI);
        Ok(())
    })
}

pub(super) fn lods<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    repeat(core, insn, false, |core, insn| {
        let value = core.load::<N>(insn.seg, counter(core, insn, ESI))?;
        core.set_register::<N>(EAX as u8, value);
        advance::<O, N>(core, insn, ESI);
        Ok(())
    })
}

pub(super) fn scas<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    repeat(core, insn, true, |core, insn| {
        let value = core.load::<N>(Seg::Es, counter(core, insn, EDI))?;
        let accumulator = core.register::<N>(EAX as u8);
        core.set_status(alu::sub::<N>(accumulator, value, 0).1);
        advance::<O, N>(core, insn, EDI);
        Ok(())
    })
}

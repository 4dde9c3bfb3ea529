// SPDX-License-Identifier: Apache-2.0
//! The floating-point unit's control instructions (SDM vol. 1, 8.3.11), and what all instructions
//! of the unit do first: whether it may be used, and whether an exception is pending (8.3.12, 8.7).

use crate::ia32::cpu::core::Core;
use crate::ia32::cpu::fpu::control::Control;
use crate::ia32::cpu::fpu::environment::{STACK_WORDS, WORDS};
use crate::ia32::cpu::fpu::status::C1;
use crate::ia32::cpu::fpu::Last;
use crate::ia32::cpu::Observer;
use crate::ia32::isa::exception::Fault;
use crate::ia32::isa::insn::reg::EAX;
use crate::ia32::isa::insn::{Insn, Seg};
use crate::ia32::isa::register::cr0;
use crate::ia32::isa::segment::Access;
use crate::ia32::memory::memsys::Place;

use super::handler::{Done, Handler};

/// Fails unless the unit may be used.
fn require_unit<O: Observer>(core: &Core<O>) -> Done {
    if core.mem.cr0 & (cr0::EM | cr0::TS) == 0 {
        Ok(())
    } else {
        Err(Fault::no_math())
    }
}

/// Takes a pending exception. True: CR0.NE is clear, so that an interrupt controller has to tell of
/// it (FERR#); the processor waits for that interrupt before the instruction (SDM vol. 1, 8.7.2).
fn waits_for_handler<O: Observer>(core: &mut Core<O>) -> Result<bool, Fault> {
    if !core.fpu.is_pending() {
        return Ok(false);
    }
    if core.mem.cr0 & cr0::NE != 0 {
        return Err(Fault::math());
    }
    core.next_eip = core.eip;
    core.waiting = true;
    core.end_quantum();
    Ok(true)
}

/// WAIT, also known as FWAIT.
pub(super) fn wait<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    if core.mem.cr0 & (cr0::MP | cr0::TS) == cr0::MP | cr0::TS {
        return Err(Fault::no_math());
    }
    waits_for_handler(core)?;
    Ok(())
}

/// A control instruction that waits.
fn control<O: Observer>(core: &mut Core<O>, insn: &Insn, handler: Handler<O>) -> Done {
    require_unit(core)?;
    if waits_for_handler(core)? {
        return Ok(());
    }
    handler(core, insn)
}

/// Any other instruction: it waits, and it will have been the last one.
pub(super) fn computing<O: Observer>(core: &mut Core<O>, insn: &Insn, handler: Handler<O>) -> Done {
    require_unit(core)?;
    if waits_for_handler(core)? {
        return Ok(());
    }
    handler(core, insn)?;
    let pending = core.fpu.is_pending();
    let last = core.fpu.last;
    let (ds, dp) = if insn.memory {
        let segment = &core.segments[insn.seg as usize];
        (segment.selector, core.offset(insn))
    } else {
        (last.ds, last.dp)
    };
    core.fpu.last = Last {
        cs: core.segments[Seg::Cs as usize].selector,
        ip: core.eip,
        opcode: if pending || core.msrs.keeps_opcodes() {
            insn.imm as u16
        } else {
            last.opcode
        },
        ds,
        dp,
    };
    Ok(())
}

// ---- control and status words --------------------------------------------------------------

pub(super) fn fninit<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    require_unit(core)?;
    core.fpu.initialize();
    Ok(())
}

pub(super) fn fnclex<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    require_unit(core)?;
    core.fpu.clear_exceptions();
    Ok(())
}

pub(super) fn fldcw<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    control(core, insn, |core, insn| {
        let word = core.rm::<2>(insn)?;
        core.fpu.set_control(Control::new(word as u16));
        Ok(())
    })
}

pub(super) fn fnstcw<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    require_unit(core)?;
    let word = core.fpu.control.word();
    core.set_rm::<2>(insn, u32::from(word))
}

/// FNSTSW: into memory, or into AX.
pub(super) fn fnstsw<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    require_unit(core)?;
    debug_assert!(insn.memory || usize::from(insn.rm) == EAX);
    let word = core.fpu.status();
    core.set_rm::<2>(insn, u32::from(word))
}

// ---- environment and state -----------------------------------------------------------------

/// Finds words of `N` bytes, so many bytes after the start of the memory operand: all of an image are found
/// before any is read or written.
fn find_words<O: Observer, const N: u32, const COUNT: usize>(
    core: &mut Core<O>,
    insn: &Insn,
    after: u32,
    access: Access,
) -> Result<[Option<Place>; COUNT], Fault> {
    let mut places = [None; COUNT];
    for (n, place) in (0..).zip(&mut places) {
        let at = core.offset_after(insn, after + n * N);
        *place = Some(core.locate(insn.seg, at, N, access)?);
    }
    Ok(places)
}

/// Writes words to where they were found.
fn store_words<O: Observer, const N: u32>(
    core: &mut Core<O>,
    places: &[Option<Place>],
    words: &[u32],
) {
    for (place, word) in places.iter().flatten().zip(words) {
        core.put_at::<N>(*place, *word);
    }
}

/// Reads them from there.
fn load_words<O: Observer, const N: u32, const COUNT: usize>(
    core: &mut Core<O>,
    places: [Option<Place>; COUNT],
) -> [u32; COUNT] {
    places.map(|place| place.map_or(0, |place| core.get_at::<N>(place)))
}

pub(super) fn fnstenv<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    require_unit(core)?;
    let words = core.fpu.environment::<N>(core.is_protected());
    let places = find_words::<O, N, WORDS>(core, insn, 0, Access::Write)?;
    store_words::<O, N>(core, &places, &words);
    let masked = core.fpu.control.all_masked();
    core.fpu.set_control(masked);
    Ok(())
}

pub(super) fn fldenv<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    control(core, insn, |core, insn| {
        let places = find_words::<O, N, WORDS>(core, insn, 0, Access::Read)?;
        let words = load_words::<O, N, WORDS>(core, places);
        let protected = core.is_protected();
        core.fpu.set_environment::<N>(words, protected);
        Ok(())
    })
}

pub(super) fn fnsave<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    require_unit(core)?;
    let words = core.fpu.environment::<N>(core.is_protected());
    let stack = core.fpu.stack();
    let after = WORDS as u32 * N;
    let places = find_words::<O, N, WORDS>(core, insn, 0, Access::Write)?;
    let of_stack = find_words::<O, 2, STACK_WORDS>(core, insn, after, Access::Write)?;
    store_words::<O, N>(core, &places, &words);
    store_words::<O, 2>(core, &of_stack, &stack);
    core.fpu.initialize();
    Ok(())
}

pub(super) fn frstor<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    control(core, insn, |core, insn| {
        let after = WORDS as u32 * N;
        let places = find_words::<O, N, WORDS>(core, insn, 0, Access::Read)?;
        let of_stack = find_words::<O, 2, STACK_WORDS>(core, insn, after, Access::Read)?;
        let words = load_words::<O, N, WORDS>(core, places);
        let stack = load_words::<O, 2, STACK_WORDS>(core, of_stack);
        let protected = core.is_protected();
        core.fpu.set_environment::<N>(words, protected);
        core.fpu.set_stack(stack);
        Ok(())
    })
}

// ---- the stack -----------------------------------------------------------------------------

pub(super) fn fnop<O: Observer>(_: &mut Core<O>, _: &Insn) -> Done {
    Ok(())
}

/// FFREE, and the FFREEP of no manual, which pops.
pub(super) fn ffree<O: Observer>(core: &mut Core<O>, insn: &Insn) -> Done {
    core.fpu.free(insn.rm);
    core.fpu.set_codes(C1, 0);
    core.fpu.pop(insn.imm2);
    Ok(())
}

pub(super) fn fincstp<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    turn(core, 1)
}

pub(super) fn fdecstp<O: Observer>(core: &mut Core<O>, _: &Insn) -> Done {
    turn(core, 7)
}

fn turn<O: Observer>(core: &mut Core<O>, by: u8) -> Done {
    core.fpu.turn(by);
    core.fpu.set_codes(C1, 0);
    Ok(())
}

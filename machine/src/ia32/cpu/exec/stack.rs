// SPDX-License-Identifier: Apache-2.0
//! The stack (SDM vol. 1, 6.2, 6.5 and 7.2.1; vol. 2).

use crate::ia32::cpu::core::{Core, Shadow};
use crate::ia32::cpu::Observer;
use crate::ia32::isa::exception::Fault;
use crate::ia32::isa::flags::{RF, VM};
use crate::ia32::isa::insn::reg::{EBP, ESP};
use crate::ia32::isa::insn::{Form, Insn, Seg};
use crate::ia32::isa::segment::Access;

use super::handler::Done;

pub(super) fn push<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let value = if insn.form == Form::Imm {
        insn.imm
    } else {
        core.rm::<N>(insn)?
    };
    core.push::<N>(value)
}

/// POP: a destination in memory whose address has ESP is found with the stack pointer after the POP.
pub(super) fn pop<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let value = core.top::<N>()?;
    let before = core.r[ESP];
    core.drop_stack(N);
    let done = core.set_rm::<N>(insn, value);
    if done.is_err() {
        core.r[ESP] = before;
    }
    done
}

pub(super) fn push_all<O: Observer, const N: u32>(core: &mut Core<O>, _: &Insn) -> Done {
    let mask = core.stack_mask();
    let esp = core.r[ESP];
    for n in 0..8 {
        let value = core.register::<N>(n);
        let pointer = esp.wrapping_sub(N * (u32::from(n) + 1)) & mask;
        core.store::<N>(Seg::Ss, pointer, value)?;
    }
    core.set_stack_pointer(esp.wrapping_sub(8 * N));
    Ok(())
}

/// POPA: from EDI, at the top, to EAX. A fault finds all of them as they were.
pub(super) fn pop_all<O: Observer, const N: u32>(core: &mut Core<O>, _: &Insn) -> Done {
    let mask = core.stack_mask();
    let esp = core.r[ESP];
    let mut values = [0; 8];
    for (n, value) in values.iter_mut().enumerate() {
        let pointer = esp.wrapping_add(N * n as u32) & mask;
        *value = core.load::<N>(Seg::Ss, pointer)?;
    }
    for (n, value) in (0..8).rev().zip(values) {
        if usize::from(n) != ESP {
            core.set_register::<N>(n, value);
        }
    }
    core.set_stack_pointer(esp.wrapping_add(8 * N));
    Ok(())
}

pub(super) fn push_flags<O: Observer, const N: u32>(core: &mut Core<O>, _: &Insn) -> Done {
    let image = core.eflags & !(RF | VM);
    core.push::<N>(image)
}

/// POPF: as IRET, but RF is cleared, not loaded.
pub(super) fn pop_flags<O: Observer, const N: u32>(core: &mut Core<O>, _: &Insn) -> Done {
    let image = core.top::<N>()?;
    core.drop_stack(N);
    core.load_flags::<N>(image & !RF, core.cpl());
    Ok(())
}

/// PUSH of a segment register: of four bytes the Pentium 4 writes two, and leaves the others as they
/// were (SDM vol. 3, "Stack operations: selector pushes and pops").
pub(super) fn push_segment<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let selector = core.segments[usize::from(insn.reg)].selector;
    let pointer = core.r[ESP].wrapping_sub(N) & core.stack_mask();
    core.store::<2>(Seg::Ss, pointer, u32::from(selector))?;
    core.set_stack_pointer(pointer);
    Ok(())
}

pub(super) fn pop_segment<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let pointer = core.r[ESP] & core.stack_mask();
    // Of four bytes two are read, and the rest is let go.
    let selector = core.load::<2>(Seg::Ss, pointer)?;
    let seg = Seg::numbered(insn.reg).ok_or(Fault::undefined())?;
    let mask = core.stack_mask();
    core.load_segment(seg, selector as u16)?;
    let pointer = pointer.wrapping_add(N) & mask;
    core.r[ESP] = core.r[ESP] & !mask | pointer;
    if seg == Seg::Ss {
        core.shadow = Shadow::Everything;
        core.end_quantum();
    }
    Ok(())
}

pub(super) fn enter<O: Observer, const N: u32>(core: &mut Core<O>, insn: &Insn) -> Done {
    let (bytes, level) = (insn.imm, u32::from(insn.imm2));
    let mask = core.stack_mask();
    let mut pointer = core.r[ESP].wrapping_sub(N) & mask;
    core.store::<N>(Seg::Ss, pointer, core.r[EBP])?;
    let frame = pointer;
    for n in 1..level {
        let from = core.r[EBP].wrapping_sub(N * n) & mask;
        let value = core.load::<N>(Seg::Ss, from)?;
        pointer = pointer.wrapping_sub(N) & mask;
        core.store::<N>(Seg::Ss, pointer, value)?;
    }
    if level > 0 {
        pointer = pointer.wrapping_sub(N) & mask;
        core.store::<N>(Seg::Ss, pointer, frame)?;
    }
    pointer = pointer.wrapping_sub(bytes) & mask;
    // The new top must be one that can be written.
    core.locate(Seg::Ss, pointer, N, Access::Write)?;
    // All of EBP, or BP, by the size of the stack (the Pentium 4's manual; later ones say by that of
    // operands).
    core.r[EBP] = core.r[EBP] & !mask | frame;
    core.set_stack_pointer(pointer);
    Ok(())
}

pub(super) fn leave<O: Observer, const N: u32>(core: &mut Core<O>, _: &Insn) -> Done {
    let pointer = core.r[EBP] & core.stack_mask();
    let value = core.load::<N>(Seg::Ss, pointer)?;
    core.set_stack_pointer(pointer.wrapping_add(N));
    core.set_register::<N>(EBP as u8, value);
    Ok(())
}

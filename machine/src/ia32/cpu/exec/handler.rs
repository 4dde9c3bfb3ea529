// SPDX-License-Identifier: Apache-2.0
//! What a handler is.

use crate::ia32::cpu::core::Core;
use crate::ia32::isa::exception::Fault;
use crate::ia32::isa::insn::{Insn, SHAPES};

/// What a handler comes back with: a fault is for the core to take, and nothing has changed then.
pub type Done = Result<(), Fault>;

/// Executes one instruction. `next_eip` is the address after it; those that change the flow change that.
pub type Handler<O> = fn(&mut Core<O>, &Insn) -> Done;

/// An instruction whose operands are of one shape, as the compiler is to know it: it leaves out then what a
/// function does for others.
#[inline(always)]
pub(super) fn of_shape<const SHAPE: usize>(insn: &Insn) -> Insn {
    let (form, memory) = SHAPES[SHAPE];
    Insn {
        form,
        memory,
        address16: false,
        ..*insn
    }
}

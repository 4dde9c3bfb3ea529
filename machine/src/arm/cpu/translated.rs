// SPDX-License-Identifier: Apache-2.0
//! What host code works on, and the accesses that it gives back: those that no hint answers.

use switchyard_translator::{self as translator, Guest, Machine};

use crate::arm::cpu::core::Core;
use crate::arm::cpu::Observer;
use crate::dev::Width;

/// A core that runs host code for a state of which an instruction has `1 << SHIFT` bytes.
pub(super) struct Translated<'a, O: Observer, const SHIFT: u32>(pub &'a mut Core<O>);

impl<O: Observer, const SHIFT: u32> Machine for Translated<'_, O, SHIFT> {
    #[inline(always)]
    fn lend(&mut self) -> Guest<'_> {
        let core = &mut *self.0;
        core.mem.lend::<SHIFT>(
            core.r[15],
            &mut core.line_slot,
            &mut core.r,
            &mut core.cpsr,
            core.pipeline.pending(),
        )
    }

    #[inline(always)]
    fn load(&mut self, address: u32, width: translator::Width) -> Option<u32> {
        let mem = &mut self.0.mem;
        let loaded = mem.load_slow_path(address, width_of(width), mem.privileged());
        loaded.ok()
    }

    #[inline(always)]
    fn store(&mut self, address: u32, width: translator::Width, value: u32) -> Option<()> {
        let mem = &mut self.0.mem;
        let stored = mem.store_slow_path(address, width_of(width), value, mem.privileged());
        stored.ok()
    }
}

fn width_of(width: translator::Width) -> Width {
    match width {
        translator::Width::Byte => Width::Byte,
        translator::Width::Half => Width::Half,
        translator::Width::Word => Width::Word,
    }
}

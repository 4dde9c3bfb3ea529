// SPDX-License-Identifier: Apache-2.0
//! What a saved machine knows of its memory system.

use crate::ia32::isa::register::cr0;
use crate::ia32::memory::pipeline::Pipeline;
use crate::state::{Damaged, Restorer, Saver, State};

use super::MemSys;

impl<P: Pipeline> State for MemSys<P> {
    fn save(&self, to: &mut Saver) {
        let Self {
            platform,
            cr0,
            cr2,
            cr3,
            cr4,
            itlb,
            dtlb,
            // Hints.
            reads: _,
            writes: _,
            tags: _, // below
            traces,
            time,
            synced_cycle,
            synced_instructions,
            synced_uops,
            // Of the next instruction that is shown.
            program: _,
        } = self;
        to.put(&(cr0, cr2, cr3, cr4));
        to.put(&(synced_cycle, synced_instructions, synced_uops));
        itlb.save(to);
        dtlb.save(to);
        traces.save(to);
        time.save(to);
        platform.save(to);
        self.save_tags(to);
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        (self.cr0, self.cr2, self.cr3, self.cr4) = from.take()?;
        (
            self.synced_cycle,
            self.synced_instructions,
            self.synced_uops,
        ) = from.take()?;
        self.itlb.restore(from)?;
        self.dtlb.restore(from)?;
        self.forget_hints();
        self.traces.restore(from)?;
        self.time.restore(from)?;
        self.time.set_fills(self.cr0 & cr0::CD == 0);
        self.platform.restore(from)?;
        self.restore_tags(from)?;
        let right = self.synced_cycle <= self.platform.cycle
            && self.synced_instructions <= self.platform.counters.fetches
            && self.synced_uops <= self.time.uops();
        crate::state::require(right, "has counters ahead of its clock")
    }
}

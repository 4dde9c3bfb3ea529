// SPDX-License-Identifier: Apache-2.0
//! Lines of the instruction cache as host code: what the translator is lent of the memory system. A
//! translation belongs to a line's words, which `decode_line` tells the translator whenever they change.

use switchyard_translator::{Counts, Guest, Hints, Instruction, Pending, Place, Translator, Why};

use crate::arm::memory::line::{line_address, line_offset};
use crate::cache::HINTS;

use super::MemSys;

/// Registers of the core.
const REGISTERS: usize = 16;

impl MemSys {
    /// Runs lines as host code from now on, if that can be: translated code goes by hints.
    pub fn translate(&mut self) {
        if !HINTS || self.translator.is_some() {
            return;
        }
        let slots = self.caches.insn.slots();
        self.translator = Translator::new(REGISTERS, slots).map(Box::new);
        for slot in 0..slots {
            if self.translator.is_some() && self.caches.insn.address(slot).is_some() {
                self.decode_line(slot);
            }
        }
    }

    /// What translates, if anything does.
    #[inline]
    pub fn translator(&mut self) -> Option<&mut Translator> {
        self.translator.as_deref_mut()
    }

    /// Why there is no host code from instruction `place` of the line in `slot` on, if there is none.
    #[inline(always)]
    pub(in crate::arm) fn lacks_translation(&self, slot: usize, place: usize) -> Option<Why> {
        self.translator.as_ref()?.lacks(slot, place)
    }

    /// The translator, which runs host code meanwhile; [`MemSys::return_translator`] takes it back.
    #[inline(always)]
    pub(in crate::arm) fn borrow_translator(&mut self) -> Option<Box<Translator>> {
        self.translator.take()
    }

    #[inline(always)]
    pub(in crate::arm) fn return_translator(&mut self, translator: Box<Translator>) {
        self.translator = Some(translator);
    }

    /// What host code works on from `pc` on, which lies in the line that was fetched last, in `slot`.
    #[inline(always)]
    pub(in crate::arm) fn lend<'a, const SHIFT: u32>(
        &'a mut self,
        pc: u32,
        slot: &'a mut usize,
        registers: &'a mut [u32],
        flags: &'a mut u32,
        pending: Pending<'a>,
    ) -> Guest<'a> {
        let counters = &mut self.platform.counters;
        Guest {
            registers,
            flags,
            cycle: &mut self.platform.cycle,
            horizon: self.platform.horizon,
            pending,
            place: Place {
                line: &mut self.line,
                slot,
                instruction: (line_offset(pc) >> SHIFT) as usize,
                halfwords: SHIFT == 1,
            },
            counts: Counts {
                instructions: &mut counters.fetches,
                reads: &mut counters.hinted_reads,
                writes: &mut counters.hinted_writes,
            },
            hints: Hints {
                tag: self.hints.tag.bits(),
                fetch_tag: self.hints.tag.in_state(SHIFT == 1).bits(),
                fetch: self.hints.fetch.table(),
                read: self.hints.read.table(),
                write: self.hints.write.table(),
            },
            lines: bytemuck::cast_slice_mut(self.caches.data.lines_mut()),
        }
    }

    /// Instruction `place` of the line in `slot` was reached and is not translated. `true`: it is time for that.
    pub(in crate::arm) fn heats(&mut self, slot: usize, place: usize) -> bool {
        let translator = self.translator.as_mut();
        translator.is_some_and(|translator| translator.heats((slot, place)))
    }

    /// Translates the line in `slot` from `place` on; these are all its instructions.
    pub(in crate::arm) fn translate_line(
        &mut self,
        slot: usize,
        place: usize,
        instructions: &[Instruction],
    ) {
        if let Some(translator) = &mut self.translator {
            translator.translate(slot, place, instructions);
        }
    }

    /// Whether `pc` lies in the line that was fetched last.
    #[inline(always)]
    pub(in crate::arm) fn in_line(&self, pc: u32) -> bool {
        line_address(pc) == self.line
    }
}

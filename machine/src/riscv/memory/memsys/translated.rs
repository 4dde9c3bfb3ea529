// SPDX-License-Identifier: Apache-2.0
//! Lines of the instruction cache as host code: what the translator is lent of the memory system. A
//! translation belongs to a line's words, which [`MemSys::line_changed`] tells the translator.

use switchyard_translator::wide::{
    Accesses, Branches, Counts, Exit, Guest, Hints, Memory, Pending, Place, Predictor, Stretch,
    System, Translator, LINE_WORDS, PAGE_BYTES,
};
use switchyard_translator::Why;

use crate::cache::HINTS;
use crate::dev::PAGE;
use crate::riscv::config::LINE_BYTES;
use crate::riscv::isa::insn::Op;
use crate::riscv::isa::register::PLACES as REGISTERS;
use crate::riscv::memory::mmu::satp;

use super::hint::OFFSET;
use super::{MemSys, LINE_OPS};

const _: () = assert!(PAGE_BYTES == PAGE);

impl MemSys {
    /// Runs lines as host code from now on, if that can be: translated code goes by hints.
    pub fn run_as_host_code(&mut self) {
        if !HINTS || self.translator.is_some() {
            return;
        }
        self.translator = Translator::new(self.icache.slots()).map(Box::new);
        if self.translator.is_some() {
            self.lines_changed();
        }
    }

    /// What translates, if anything does.
    #[inline]
    pub fn translator(&mut self) -> Option<&mut Translator> {
        self.translator.as_deref_mut()
    }

    /// The line in `slot` has other bytes.
    pub(super) fn line_changed(&mut self, slot: usize) {
        self.ops[slot * LINE_OPS..(slot + 1) * LINE_OPS].fill(Op::UNDECODED);
        if let Some(translator) = &mut self.translator {
            let bytes = &self.icache.line(slot).bytes;
            let mut words = [0; LINE_WORDS];
            for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(4)) {
                *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            }
            translator.line_filled(slot, &words);
        }
    }

    /// All may have.
    pub(super) fn lines_changed(&mut self) {
        for slot in 0..self.icache.slots() {
            self.line_changed(slot);
        }
    }

    /// The bytes of the line that was fetched last.
    pub(in crate::riscv) fn line_bytes(&self) -> &[u8; LINE_BYTES as usize] {
        &self.icache.line(self.line_slot).bytes
    }

    /// The first halfword of the line after the one that was fetched last, if a hint says where that is.
    pub(in crate::riscv) fn next_line_begins(&self) -> Option<u16> {
        let next = self.line.wrapping_add(u64::from(LINE_BYTES));
        let hint = self.fetches.find(next, 2, self.fetch_tag)?;
        let bytes = &self.icache.line(hint.slot as usize).bytes;
        Some(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    /// Whether the instruction at `va`, in the line that was fetched last, goes on in the next one.
    pub(in crate::riscv) fn crosses(&self, va: u64) -> bool {
        va & OFFSET == OFFSET - 1 && self.code(va) & 3 == 3
    }

    /// The line at `va` is the one that was fetched last from now on, if a hint says where it is.
    #[inline(always)]
    pub(in crate::riscv) fn fetch_hinted(&mut self, va: u64) -> bool {
        match self.fetches.find(va, 2, self.fetch_tag) {
            Some(hint) => {
                self.line = va & !OFFSET;
                self.line_slot = hint.slot as usize;
                true
            }
            None => false,
        }
    }

    /// Why there is no host code from `va` on, which is in the line that was fetched last, if there is none.
    #[inline(always)]
    pub(in crate::riscv) fn lacks_translation(&self, va: u64) -> Option<Why> {
        self.translator.as_ref()?.lacks(self.line_slot, place(va))
    }

    /// Runs host code from `pc` on, which is in the line that was fetched last.
    #[inline(always)]
    pub(in crate::riscv) fn run_translated(
        &mut self,
        pc: u64,
        registers: &mut [u64; REGISTERS],
        pending: Pending,
        predictor: Predictor,
        system: System,
    ) -> Option<Exit> {
        let translator = self.translator.as_mut()?;
        let counters = &mut self.platform.counters;
        let (mut branches, mut before) = (Branches::default(), Accesses::default());
        let translates = self.registers.satp >> satp::MODE_SHIFT == satp::SV39;
        let (bytes, written) = self.platform.bus.ram_to_write();
        let exit = translator.run(Guest {
            registers,
            cycle: &mut self.platform.cycle,
            horizon: self.platform.horizon,
            pending,
            place: Place {
                line: &mut self.line,
                slot: &mut self.line_slot,
                instruction: place(pc),
            },
            counts: Counts {
                instructions: &mut counters.fetches,
                reads: &mut counters.hinted_reads,
                writes: &mut counters.hinted_writes,
                branches: &mut branches,
                before: &mut before,
            },
            predictor,
            hints: Hints {
                tag: self.data_tag,
                translates,
                fetch_tag: self.fetch_tag,
                fetch: self.fetches.table(),
                read: self.reads.table(),
                write: self.writes.table(),
            },
            memory: Memory {
                bytes,
                written,
                drained: self.hierarchy.drained(),
            },
            system,
        });
        if before.reads | before.writes != 0 {
            counters.now.dcache.reads += before.reads;
            counters.now.dcache.writes += before.writes;
            counters.now.dtlb.accesses += before.translated;
            counters.hinted_reads -= before.reads;
            counters.hinted_writes -= before.writes;
        }
        if branches.taken | branches.executed != 0 {
            let counted = &mut counters.now.branch;
            counted.executed += branches.executed;
            counted.taken += branches.taken;
            counted.mispredicted += branches.mispredicted;
            counted.mispredicted_taken += branches.mispredicted_taken;
            counted.mispredicted_calls += branches.mispredicted_calls;
            counted.mispredicted_returns += branches.mispredicted_returns;
            counted.mispredicted_jumps += branches.mispredicted_jumps;
        }
        Some(exit)
    }

    /// What is at `va`, in the line that was fetched last, was reached and is not translated. `true`: it is time
    /// for that.
    pub(in crate::riscv) fn heats(&mut self, va: u64) -> bool {
        let (slot, translator) = (self.line_slot, self.translator.as_mut());
        translator.is_some_and(|translator| translator.heats((slot, place(va))))
    }

    /// Translates what is at `va` in the line that was fetched last.
    pub(in crate::riscv) fn translate_line(&mut self, va: u64, stretch: &Stretch) {
        if let Some(translator) = &mut self.translator {
            translator.translate(self.line_slot, place(va), stretch);
        }
    }
}

/// The place in its line of what is at `va`.
#[inline(always)]
fn place(va: u64) -> usize {
    (va & OFFSET) as usize / 2
}

// SPDX-License-Identifier: Apache-2.0
//! Instruction fetch: TLB, instruction cache, fill. What a line's words mean is decided when the
//! line is filled, so a stale instruction is stale in its decoded form too.

use super::{control, mmu, thumb, Abort, Access, FaultKind, Fetched, InsnLine, MemSys, Op};

impl MemSys {
    /// Fetches the line or the instruction at `va`. The core repeats this only when the next
    /// instruction lies in another line or something that this looks at has changed.
    ///
    /// # Errors
    /// The fetch faulted.
    pub fn fetch(&mut self, va: u32, privileged: bool, thumb: bool) -> Result<Fetched, Abort> {
        let mva = self.relocate(va);
        let (pa, cacheable) = if self.mmu_on() {
            let access = Access {
                write: false,
                privileged,
            };
            let entry = match self.insn_tlb().lookup(mva) {
                Some(entry) => *entry,
                None => {
                    self.counters.now.itlb_misses += 1;
                    let entry = self.walk(mva)?;
                    self.keep_translation(mva, entry, true);
                    entry
                }
            };
            mmu::check(&entry, mva, access, self.dacr, self.permissions)
                .map_err(|kind| self.fail(kind, entry.section, entry.domain, mva))?;
            (entry.translate(mva), entry.attributes.cacheable())
        } else {
            // Without the MMU every fetch is cacheable (SA-1110 DM §6.1).
            (mva, true)
        };
        if self.control & control::I == 0 || !cacheable {
            return self.fetch_uncached(mva, pa, thumb);
        }
        if let Some(slot) = self.icache.lookup(mva) {
            if self.icache.line(slot).thumb != thumb {
                let core = self.core;
                self.icache.line_mut(slot).decode(thumb, core);
            }
            return Ok(Fetched::Line(slot));
        }
        self.counters.now.icache_misses += 1;
        let Some(words) = self.bus.read_line(pa) else {
            return Err(self.fail(FaultKind::ExternalLine, false, 0, mva));
        };
        let words = self.charge_fill(pa, words);
        let slot = self.icache.choose_victim(mva);
        let line = InsnLine::new(words, thumb, self.core);
        self.icache.fill(slot, mva, line);
        Ok(Fetched::Line(slot))
    }

    /// Fills the line of `va` if it is not there (ARM926EJ-S TRM §2.3.8, "prefetch ICache line").
    /// One that faults does nothing.
    pub(in crate::arm) fn prefetch_line(&mut self, va: u32, privileged: bool) {
        let _ = self.fetch(va, privileged, false);
    }

    fn fetch_uncached(&mut self, mva: u32, pa: u32, thumb: bool) -> Result<Fetched, Abort> {
        self.uncached_fetches += 1;
        self.read_bus(self.bus.target(pa), 1);
        let Some(word) = self.bus.read_memory_word(pa) else {
            return Err(self.fail(FaultKind::External, false, 0, mva));
        };
        Ok(if thumb {
            let half = (word >> (8 * (pa & 2))) as u16;
            Fetched::Single(thumb::decode(half), half.into())
        } else {
            Fetched::Single(Op::decode(word, self.core), word)
        })
    }

    /// Instruction `index` of the line in `slot`, counted in the state it is decoded for.
    #[inline]
    #[must_use]
    pub fn op(&self, slot: usize, index: usize) -> Op {
        self.icache.line(slot).ops[index & 15]
    }

    /// The word of the line in `slot` in which `va` lies.
    #[must_use]
    pub fn encoding(&self, slot: usize, va: u32) -> u32 {
        self.icache.line(slot).words[(va as usize >> 2) & 7]
    }
}

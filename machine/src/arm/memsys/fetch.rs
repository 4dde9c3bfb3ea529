// SPDX-License-Identifier: Apache-2.0
//! Instruction fetch: TLB, instruction cache, fill. What a line's words mean is decided when the
//! line is filled, so a stale instruction is stale in its decoded form too.

use super::{control, mmu, Abort, Access, FaultKind, Fetched, InsnLine, MemSys, Op};

impl MemSys {
    /// Fetches the line or the instruction at `va`. The core repeats this only when the next
    /// instruction lies in another line or something that this looks at has changed.
    ///
    /// # Errors
    /// The fetch faulted.
    pub fn fetch(&mut self, va: u32, privileged: bool) -> Result<Fetched, Abort> {
        let mva = self.relocate(va);
        let (pa, cacheable) = if self.mmu_on() {
            let access = Access {
                write: false,
                privileged,
            };
            let entry = match self.itlb.lookup(mva) {
                Some(entry) => *entry,
                None => {
                    self.counters.now.itlb_misses += 1;
                    let entry = self.walk(mva)?;
                    self.itlb.insert(entry);
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
            return self.fetch_uncached(mva, pa);
        }
        if let Some(slot) = self.icache.lookup(mva) {
            return Ok(Fetched::Line(slot));
        }
        self.counters.now.icache_misses += 1;
        let Some(words) = self.bus.read_line(pa) else {
            return Err(self.fail(FaultKind::ExternalLine, false, 0, mva));
        };
        let words = self.charge_fill(pa, words);
        let mut line = InsnLine::default();
        for (op, word) in line.ops.iter_mut().zip(words) {
            *op = Op::decode(word);
        }
        let slot = self.icache.choose_victim(mva);
        self.icache.fill(slot, mva, line);
        Ok(Fetched::Line(slot))
    }

    fn fetch_uncached(&mut self, mva: u32, pa: u32) -> Result<Fetched, Abort> {
        self.uncached_fetches += 1;
        self.read_bus(self.bus.target(pa), 1);
        match self.bus.read_memory_word(pa) {
            Some(word) => Ok(Fetched::Single(Op::decode(word))),
            None => Err(self.fail(FaultKind::External, false, 0, mva)),
        }
    }

    /// The instruction at `index` of the line in `slot`.
    #[inline]
    #[must_use]
    pub fn op(&self, slot: usize, index: usize) -> Op {
        self.icache.line(slot).ops[index & 7]
    }
}

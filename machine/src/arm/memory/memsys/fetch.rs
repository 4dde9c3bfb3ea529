// SPDX-License-Identifier: Apache-2.0
//! Instruction fetch: TLB, instruction cache, fill. What a line's words mean is decided when the
//! line is filled, so a stale instruction is stale in its decoded form too.

use crate::arm::isa::insn::Op;
use crate::arm::isa::{control, thumb};
use crate::arm::memory::fault::FaultKind;
use crate::arm::memory::line::{line_address, line_word, Words};
use crate::arm::memory::mmu::{self, Access};

use super::journal::Event;
use super::refill::Filled;
use super::{Abort, Decoded, Fetched, InsnLine, MemSys, Ops};

impl MemSys {
    /// The slot of the line of `va`, if a hint says it: what [`MemSys::fetch`] would find.
    #[inline(always)]
    #[must_use]
    pub fn fetch_hinted(&self, va: u32, thumb: bool) -> Option<usize> {
        let line = line_address(va);
        let slot = self.hints.fetch.find(line, self.hints.tag.in_state(thumb));
        (slot < self.caches.insn.slots()).then_some(slot)
    }

    /// Fetches the line or the instruction at `va`. The core repeats this only when the next
    /// instruction lies in another line or something that this looks at has changed.
    ///
    /// # Errors
    /// The fetch faulted.
    #[inline]
    pub fn fetch(&mut self, va: u32, privileged: bool, thumb: bool) -> Result<Fetched, Abort> {
        if let Some(slot) = self.fetch_hinted(va, thumb) {
            if privileged == self.hints.privileged {
                return Ok(Fetched::Line(slot));
            }
        }
        let mva = self.relocate(va);
        let (pa, cacheable) = if self.registers.mmu_on() {
            let access = Access {
                write: false,
                privileged,
            };
            let entry = match self.tlbs.for_fetches_mut().lookup(mva) {
                Some(entry) => *entry,
                None => {
                    self.platform.counters.now.itlb.misses += 1;
                    let entry = self.walk(mva)?;
                    self.keep_translation(mva, entry, true);
                    entry
                }
            };
            mmu::check(
                &entry,
                mva,
                access,
                self.registers.dacr,
                self.rules.permissions,
            )
            .map_err(|kind| self.fail(kind, entry.section, entry.domain, mva))?;
            (entry.translate(mva), entry.attributes.cacheable())
        } else {
            // Without the MMU every fetch is cacheable (SA-1110 DM §6.1).
            (mva, true)
        };
        if self.registers.control & control::I == 0 || !cacheable {
            return self.fetch_uncached(mva, pa, thumb);
        }
        let slot = match self.caches.insn.lookup(self.key(mva, pa)) {
            Some(slot) => {
                if self.caches.insn.line(slot).thumb != thumb {
                    self.hints.fetch.forget(slot);
                    self.caches.insn.line_mut(slot).thumb = thumb;
                    self.decode_line(slot);
                }
                self.await_insn(slot, va);
                slot
            }
            None => self.fill_insn_line(mva, pa, thumb)?,
        };
        if !self.insn_line_arrives(slot) {
            self.remember_insn_line(slot, va, privileged, thumb);
        }
        Ok(Fetched::Line(slot))
    }

    fn fill_insn_line(&mut self, mva: u32, pa: u32, thumb: bool) -> Result<usize, Abort> {
        self.platform.counters.now.icache.misses += 1;
        let target = self.platform.bus.target(pa);
        if !self.platform.bus.has_lines(target) {
            return Err(self.fail(FaultKind::ExternalLine, false, 0, mva));
        }
        let key = self.key(mva, pa);
        let slot = self.caches.insn.choose_victim(key);
        self.charge_fill(Filled::Insn, slot, target, pa);
        let Some(words) = self.line_to_read(pa) else {
            return Err(self.fail(FaultKind::ExternalLine, false, 0, mva));
        };
        self.drop_insn_line(slot);
        *self.caches.insn.fill(slot, key) = InsnLine { words, thumb };
        self.journal.note(|| Event::InsnFilled { slot, pa, words });
        self.decode_line(slot);
        self.watch_code(pa);
        Ok(slot)
    }

    /// Whether instructions of the line in `slot` are on their way: then the core must wait for
    /// each ([`MemSys::await_insn`]), and no hint may name the line.
    #[inline(always)]
    #[must_use]
    pub fn insn_line_arrives(&self, slot: usize) -> bool {
        self.arrives(Filled::Insn, slot)
    }

    /// Waits for the word of the line in `slot` in which `va` lies.
    #[inline(always)]
    pub fn await_insn(&mut self, slot: usize, va: u32) {
        self.await_words(Filled::Insn, slot, line_word(va), 1, 0);
    }

    /// The line of `va` is in `slot`, all of it, and nothing that its fetch looked at has changed.
    #[inline]
    pub fn remember_insn_line(&mut self, slot: usize, va: u32, privileged: bool, thumb: bool) {
        if self.caches.insn.hits_leave_no_trace() {
            let tag = self.hints.tag_for(privileged).in_state(thumb);
            self.hints.fetch.remember(va, tag, slot);
        }
    }

    /// Invalidates the line in `slot`, if there is one.
    pub(super) fn drop_insn_line(&mut self, slot: usize) {
        if self.caches.insn.address(slot).is_some() {
            self.hints.fetch.forget(slot);
            self.caches.insn.invalidate(slot);
        }
    }

    /// Decodes the words of the line in `slot` for its state.
    pub(super) fn decode_line(&mut self, slot: usize) {
        let line = self.caches.insn.line(slot);
        let architecture = self.core.architecture;
        if let Some(translator) = &mut self.translator {
            translator.line_filled(slot, &line.words, line.thumb);
        }
        if line.thumb {
            let upper = slot + self.caches.insn.slots();
            for (ops, words) in [slot, upper].into_iter().zip(line.words.chunks_exact(4)) {
                let ops = self.decoded.line(ops);
                for (pair, word) in words.iter().enumerate() {
                    ops.set(2 * pair, thumb::decode(*word as u16, architecture));
                    let upper = (word >> 16) as u16;
                    ops.set(2 * pair + 1, thumb::decode(upper, architecture));
                }
            }
        } else {
            let ops = self.decoded.line(slot);
            self.known_lines
                .decode(&line.words, &mut self.decode_cache, ops);
        }
    }

    /// Fills the line of `mva` if it is not there (ARM926EJ-S TRM §2.3.8, "prefetch ICache line").
    /// One that faults does nothing. The address is not relocated (p. 2-34).
    pub(in crate::arm) fn prefetch_line(&mut self, mva: u32, privileged: bool) {
        // Hints go by the address that the program uses, which this may not be.
        self.forget_hints();
        let relocated_below = std::mem::take(&mut self.rules.relocated_below);
        let _ = self.fetch(mva, privileged, false);
        self.rules.relocated_below = relocated_below;
        self.forget_hints();
    }

    fn fetch_uncached(&mut self, mva: u32, pa: u32, thumb: bool) -> Result<Fetched, Abort> {
        self.synced.uncached_fetches += 1;
        self.read_bus(self.platform.bus.target(pa), pa);
        let Some(word) = self.word_to_read(pa) else {
            return Err(self.fail(FaultKind::External, false, 0, mva));
        };
        Ok(if thumb {
            let half = (word >> (8 * (pa & 2))) as u16;
            Fetched::Single(thumb::decode(half, self.core.architecture), half.into())
        } else {
            Fetched::Single(self.decode_cache.decode(word), word)
        })
    }

    /// Instruction `index` of the line in `slot`, counted in the state it is decoded for.
    #[inline(always)]
    #[must_use]
    pub fn op(&self, slot: usize, index: usize) -> Op {
        self.decoded.ops(slot, index).get(Ops::place(index as u32))
    }

    /// The decoded instructions of all lines.
    #[must_use]
    pub fn decoded(&self) -> Decoded {
        self.decoded.clone()
    }

    /// The word of the line in `slot` in which `va` lies.
    #[must_use]
    pub fn encoding(&self, slot: usize, va: u32) -> u32 {
        self.insn_words(slot)[line_word(va)]
    }

    /// The words of the line in this slot of the instruction cache.
    #[must_use]
    pub fn insn_words(&self, slot: usize) -> &Words {
        &self.caches.insn.line(slot).words
    }
}

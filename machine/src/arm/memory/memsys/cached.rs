// SPDX-License-Identifier: Apache-2.0
//! The data caches: which of them a page uses, hits and misses, write-back of what is evicted, fill.
//! Source: SA-1110 DM, chapter 6.

use crate::arm::isa::control;
use crate::arm::memory::fault::FaultKind;
use crate::arm::memory::line::{line_address, line_word};

use super::caches::{DataCache, DataLine};
use super::hint::{Hint, Place};
use super::journal::Event;
use super::refill::Filled;
use super::{Abort, Location, MemSys};

impl MemSys {
    /// The cache in which a location may lie: for cacheable pages the main one with B=1, the mini
    /// one with B=0 (SA-1110 DM §6.2), if the caches are on.
    #[inline(always)]
    pub(super) fn cache_for(&self, at: &Location) -> Option<DataCache> {
        if !at.attributes.cacheable() || self.registers.control & control::C == 0 {
            None
        } else if at.attributes.bufferable() || self.caches.mini.is_none() {
            Some(DataCache::Main)
        } else {
            Some(DataCache::Mini)
        }
    }

    /// Reads the word at a location of `cache`. Returns it and, unless the read buffer served it,
    /// the slot of its line.
    #[inline(always)]
    pub(super) fn read_cached(
        &mut self,
        cache: DataCache,
        at: &Location,
    ) -> Result<(u32, Option<usize>), Abort> {
        self.count_cached_reads(cache, 1);
        let slot = match self.caches.of_data_mut(cache).lookup(at.key) {
            Some(slot) => {
                self.await_words(cache.into(), slot, line_word(at.mva), 1, 0);
                slot
            }
            None => match self.read_miss(*at, cache)? {
                Ok(slot) => slot,
                Err(word) => return Ok((word, None)),
            },
        };
        let word = self.caches.of_data_mut(cache).line(slot).words[line_word(at.mva)];
        Ok((word, Some(slot)))
    }

    /// A read that missed its cache: served by the read buffer (`Err(word)`) or by a fill.
    #[cold]
    fn read_miss(&mut self, at: Location, which: DataCache) -> Result<Result<usize, u32>, Abort> {
        if self.read_buffer.is_used() {
            if let Some(word) = self.read_buffer_word(at.key) {
                return Ok(Err(word));
            }
        }
        if self.tags_are_ideal() {
            // The zeros bank is there to clean the caches by: that costs a hit and does nothing.
            if self.platform.bus.in_zeros_bank(at.pa) {
                return Ok(Err(0));
            }
            self.take_from_caches(at.pa);
        }
        match which {
            DataCache::Main => self.platform.counters.now.dcache.read_misses += 1,
            DataCache::Mini => self.platform.counters.now.minicache.read_misses += 1,
        }
        let target = self.platform.bus.target(at.pa);
        if !self.platform.bus.has_lines(target) {
            return Err(self.fail(FaultKind::ExternalLine, false, 0, at.mva));
        }
        let slot = self.caches.of_data_mut(which).choose_victim(at.key);
        if self.caches.of_data_mut(which).address(slot).is_some() {
            if self.caches.of_data_mut(which).line(slot).dirty != 0 {
                self.write_back(which, slot);
            }
            self.drop_line(which, slot);
        }
        // The line may still be on its way to memory: then it goes there first (assumed).
        if self.write_buffer.holds_line(at.pa) {
            self.drain_write_buffer();
        }
        self.charge_fill(which.into(), slot, target, at.pa);
        let Some(words) = self.platform.bus.read_line(at.pa) else {
            return Err(self.fail(FaultKind::ExternalLine, false, 0, at.mva));
        };
        self.hints.past = Place::NONE;
        *self.caches.of_data_mut(which).fill(slot, at.key) = DataLine {
            words,
            pa: line_address(at.pa),
            dirty: 0,
        };
        Ok(Ok(slot))
    }

    /// Writes into the line of a location of `cache` if it is there, `later` cycles from now; counts
    /// `run` writes then, one write miss otherwise. Returns its slot.
    #[inline(always)]
    pub(super) fn write_cached(
        &mut self,
        cache: DataCache,
        at: &Location,
        later: usize,
        run: usize,
        change: impl FnOnce(&mut [u32]),
    ) -> Option<usize> {
        let Some(slot) = self.caches.of_data_mut(cache).lookup(at.key) else {
            self.count_cached_writes(cache, 1, true);
            return None;
        };
        self.count_cached_writes(cache, run as u64, false);
        let index = line_word(at.mva);
        self.await_words(cache.into(), slot, index, run, later);
        let through = self.writes_through(at);
        let line = self.caches.of_data_mut(cache).line_mut(slot);
        if through {
            change(&mut line.words[index..index + run]);
        } else {
            line.change(index, run, change);
        }
        Some(slot)
    }

    /// A read at `va` has found `slot` of the main data cache.
    #[inline]
    pub(super) fn remember_read(&mut self, va: u32, privileged: bool, slot: usize) {
        if self.caches.data.hits_leave_no_trace() {
            let tag = self.hints.tag_for(privileged);
            if self.arrives(Filled::Main, slot) {
                self.hints.arriving = Hint::new(va, tag, slot);
            } else {
                self.hints.read.remember(va, tag, slot);
            }
        }
    }

    /// A write at `va`, of a page that is not written through, has found it. No later one is
    /// remembered to where somebody must be told of each.
    #[inline]
    pub(super) fn remember_write(&mut self, va: u32, privileged: bool, slot: usize, pa: u32) {
        let may = self.caches.data.hits_leave_no_trace() && !self.arrives(Filled::Main, slot);
        if may && !self.watches(pa) {
            let tag = self.hints.tag_for(privileged);
            self.hints.write.remember(va, tag, slot);
        }
    }

    /// Invalidates the line in `slot`, if there is one; it is lost if dirty.
    pub(super) fn drop_line(&mut self, which: DataCache, slot: usize) {
        if let Some(mva) = self.caches.of_data_mut(which).address(slot) {
            if which == DataCache::Main {
                self.hints.forget_data(slot);
            }
            self.hints.arriving = Hint::NONE;
            if self.journal.is_kept() {
                self.note_dropped(which, slot, mva);
            }
            self.caches.of_data_mut(which).invalidate(slot);
        }
    }

    /// Notes that the line at `mva` is dropped, if it is dirty.
    #[cold]
    fn note_dropped(&mut self, which: DataCache, slot: usize, mva: u32) {
        let line = self.caches.of_data_mut(which).line(slot);
        if line.dirty != 0 {
            let dropped = line.dirty_line(mva);
            self.journal.note(|| Event::Dropped(dropped));
        }
    }

    pub(super) fn count_cached_reads(&mut self, cache: DataCache, reads: u64) {
        match cache {
            DataCache::Main => self.platform.counters.now.dcache.reads += reads,
            DataCache::Mini => self.platform.counters.now.minicache.reads += reads,
        }
    }

    pub(super) fn count_cached_writes(&mut self, cache: DataCache, writes: u64, miss: bool) {
        let misses = if miss { writes } else { 0 };
        let tally = &mut self.platform.counters.now;
        match cache {
            DataCache::Main => {
                tally.dcache.writes += writes;
                tally.dcache.write_misses += misses;
            }
            DataCache::Mini => {
                tally.minicache.writes += writes;
                tally.minicache.write_misses += misses;
            }
        }
    }

    /// Sends the dirty halves of the line in `slot` to the write buffer; the line becomes clean.
    pub(super) fn write_back(&mut self, which: DataCache, slot: usize) {
        let cache = self.caches.of_data_mut(which);
        let Some(mva) = cache.address(slot) else {
            return;
        };
        let line = cache.line_mut(slot);
        if line.dirty == 0 {
            return;
        }
        let written = line.dirty_line(mva);
        let dirty = std::mem::take(&mut line.dirty) as u8;
        let (words, pa) = (written.words, written.pa);
        self.journal.note(|| Event::WrittenBack(written));
        let halves = u64::from(dirty.count_ones());
        match which {
            DataCache::Main => self.platform.counters.now.dcache.writebacks += halves,
            DataCache::Mini => self.platform.counters.now.minicache.writebacks += halves,
        }
        self.fill_write_buffer(|buffer, now, bus, counters| {
            buffer.push_line(pa, &words, dirty, now, bus, counters)
        });
    }
}

// SPDX-License-Identifier: Apache-2.0
//! The line that is being filled. A fill reads a whole line, but the processor goes on as soon as it
//! has its word (as far as [`LineFill`] says): the others come while it runs. Who needs one of these
//! waits for it. The bus does one thing at a time, so there is one such line at most: before the next
//! fill begins the last word of this one has come.
//!
//! Accesses that hit a line that is all there never look here: no hint names a line on its way
//! (`hint.rs`), and the others compare one cycle number.

use serde::{Deserialize, Serialize};

use crate::arm::memory::fill::LineFill;
use crate::arm::memory::line::{line_word, LINE_WORDS};
use crate::bus::Target;
use crate::event::Cycle;

use super::{DataCache, MemSys};

/// The cache that a line is filled into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Filled {
    Insn,
    Main,
    Mini,
}

impl From<DataCache> for Filled {
    fn from(which: DataCache) -> Self {
        match which {
            DataCache::Main => Self::Main,
            DataCache::Mini => Self::Mini,
        }
    }
}

/// When the words of the line that was filled last come, or came.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Arrivals {
    cache: Filled,
    slot: usize,
    /// The word that comes first; the others follow in turn, that before it last.
    first: usize,
    /// When that is there.
    first_there: Cycle,
    /// Cycles from one word to the next.
    pace: Cycle,
    /// When the last one is there.
    pub(super) done: Cycle,
}

impl Arrivals {
    /// Nothing is on its way.
    pub(super) fn none() -> Self {
        Self {
            cache: Filled::Insn,
            slot: 0,
            first: 0,
            first_there: 0,
            pace: 0,
            done: 0,
        }
    }

    /// When `word` of the line is there.
    fn word(&self, word: usize) -> Cycle {
        let turn = word.wrapping_sub(self.first) % LINE_WORDS;
        self.first_there + turn as Cycle * self.pace
    }
}

impl MemSys {
    /// Claims the bus for a fill of `slot` of `cache` from `pa`, where `target` stands, and waits
    /// for the word there as the cache does. The line that the fill brings is what memory holds
    /// then: what the write buffer finishes before the read starts is in it, the rest is not.
    #[inline(always)]
    pub(super) fn charge_fill(&mut self, cache: Filled, slot: usize, target: Target, pa: u32) {
        let asked = self.platform.cycle;
        let (start, transfer) = self.claim_read(target, pa, LineFill::WORDS);
        let order = match cache {
            Filled::Insn => self.caches.insn_refill,
            Filled::Main | Filled::Mini => self.caches.data_refill,
        };
        let fill = LineFill::new(order, line_word(pa), start, transfer);
        self.arrivals = Arrivals {
            cache,
            slot,
            first: fill.first,
            first_there: fill.first_there,
            pace: fill.pace,
            done: fill.done,
        };
        self.platform.cycle = fill.resumes;
        self.platform.counters.now.stall.fill += fill.resumes - asked;
    }

    /// Waits for the word of the line in `slot` of the instruction cache in which `va` lies, which
    /// the core is about to execute. False: the line is all there.
    #[inline(always)]
    pub fn await_next_insn(&mut self, slot: usize, va: u32) -> bool {
        if !self.arrives(Filled::Insn, slot) {
            return false;
        }
        let there = self.arrivals.word(line_word(va));
        if there > self.platform.cycle {
            self.platform.counters.now.stall.fill += there - self.platform.cycle;
            self.platform.cycle = there;
        }
        true
    }

    /// Whether words of the line in `slot` of `cache` are on their way.
    #[inline(always)]
    pub(super) fn arrives(&self, cache: Filled, slot: usize) -> bool {
        self.platform.cycle < self.arrivals.done
            && self.arrivals.slot == slot
            && self.arrivals.cache == cache
    }

    /// Waits for `count` words from `first` on of the line in `slot` of `cache`, of which the
    /// processor needs one a cycle, the first of them `later` cycles from now.
    #[inline(always)]
    pub(super) fn await_words(
        &mut self,
        cache: Filled,
        slot: usize,
        first: usize,
        count: usize,
        later: usize,
    ) {
        if self.arrives(cache, slot) {
            self.wait_for_arrival(first, count, later);
        }
    }

    #[cold]
    fn wait_for_arrival(&mut self, first: usize, count: usize, later: usize) {
        let asked = self.platform.cycle;
        for n in 0..count {
            let there = self.arrivals.word(first + n);
            let needed = (later + n) as Cycle;
            self.platform.cycle = self.platform.cycle.max(there.saturating_sub(needed));
        }
        self.platform.counters.now.stall.fill += self.platform.cycle - asked;
    }
}

impl Arrivals {
    /// Whether a value that was read from a file can have come about on a machine that has got to
    /// `cycle`: nothing takes longer than a line.
    pub(super) fn plausible(&self, cycle: Cycle, longest: Cycle) -> bool {
        let last = self.pace.saturating_mul(LINE_WORDS as Cycle - 1);
        self.done <= cycle.saturating_add(longest)
            && self.first < LINE_WORDS
            && self.first_there.saturating_add(last) <= self.done
    }
}

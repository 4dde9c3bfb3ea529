// SPDX-License-Identifier: Apache-2.0
//! A set-associative cache, virtually indexed and tagged. It holds contents: a lookup that hits
//! returns what is in the line, stale or not. What a line holds is the type parameter: decoded
//! instructions for the instruction cache, data and dirty bits for the data caches.
//!
//! Every lookup compares against all ways, as the hardware's content-addressable tags do; a
//! remembered way per line address only says where to look first ([`HINTS`]).

use crate::config::{CacheConfig, Replacement};

/// Whether lookups try the remembered place first. Counts and cycles are the same without: the
/// feature `no-hints` builds that machine, and a test compares the two.
pub const HINTS: bool = !cfg!(feature = "no-hints");

/// Bytes in a line of every modelled cache.
pub const LINE_BYTES: u32 = 32;

/// Remembered ways, by the low bits of the line number.
const HINT_SLOTS: usize = 1024;

/// A cache of lines `L`. A *slot* is one line's place: `set * ways + way`.
#[derive(Debug, Clone)]
pub struct Cache<L> {
    ways: usize,
    set_mask: usize,
    replacement: Replacement,
    /// Line address with bit 0 set, or 0 for an invalid slot.
    tags: Vec<u32>,
    /// Way that the next fill of a set takes (round robin).
    next_way: Vec<u8>,
    /// When each slot was last used (LRU only).
    used: Vec<u64>,
    clock: u64,
    hints: Box<[u8; HINT_SLOTS]>,
    lines: Vec<L>,
}

impl<L: Clone + Default> Cache<L> {
    /// An empty cache of the geometry that `config` (validated) gives.
    #[must_use]
    pub fn new(config: &CacheConfig) -> Self {
        let slots = (config.size_bytes / LINE_BYTES) as usize;
        let ways = config.ways as usize;
        let lru = config.replacement == Replacement::Lru;
        Self {
            ways,
            set_mask: slots / ways - 1,
            replacement: config.replacement,
            tags: vec![0; slots],
            next_way: vec![0; slots / ways],
            used: if lru { vec![0; slots] } else { Vec::new() },
            clock: 0,
            hints: Box::new([0; HINT_SLOTS]),
            lines: vec![L::default(); slots],
        }
    }

    /// The slot that holds the line of `mva`, if any.
    #[inline(always)]
    pub fn lookup(&mut self, mva: u32) -> Option<usize> {
        let number = (mva / LINE_BYTES) as usize;
        if HINTS {
            let first = (number & self.set_mask) * self.ways;
            let slot = first + self.hints[number % HINT_SLOTS] as usize;
            if self.tags[slot] == key(mva) {
                self.touch(slot);
                return Some(slot);
            }
        }
        self.search(mva)
    }

    /// Compares with every way of the set.
    #[inline(never)]
    fn search(&mut self, mva: u32) -> Option<usize> {
        let number = (mva / LINE_BYTES) as usize;
        let first = (number & self.set_mask) * self.ways;
        let key = key(mva);
        let way = self.tags[first..first + self.ways]
            .iter()
            .position(|&tag| tag == key)?;
        self.hints[number % HINT_SLOTS] = way as u8;
        self.touch(first + way);
        Some(first + way)
    }

    /// Chooses the slot that a fill of `mva` replaces and advances the replacement state. The
    /// caller writes back what is there before [`Cache::fill`].
    pub fn choose_victim(&mut self, mva: u32) -> usize {
        let set = (mva / LINE_BYTES) as usize & self.set_mask;
        let first = set * self.ways;
        let way = match self.replacement {
            Replacement::RoundRobin => {
                let way = self.next_way[set];
                self.next_way[set] = (way + 1) % self.ways as u8;
                way as usize
            }
            Replacement::Lru => (0..self.ways)
                .min_by_key(|way| {
                    let slot = first + way;
                    (self.tags[slot] != 0, self.used[slot])
                })
                .unwrap_or(0),
        };
        first + way
    }

    /// Makes `slot` hold the line of `mva`.
    pub fn fill(&mut self, slot: usize, mva: u32, line: L) {
        self.tags[slot] = key(mva);
        self.lines[slot] = line;
        self.hints[(mva / LINE_BYTES) as usize % HINT_SLOTS] = (slot % self.ways) as u8;
        self.touch(slot);
    }

    /// How many slots there are.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.tags.len()
    }

    /// The line in `slot`.
    #[inline]
    #[must_use]
    pub fn line(&self, slot: usize) -> &L {
        &self.lines[slot]
    }

    /// The line in `slot`, to write.
    #[inline]
    pub fn line_mut(&mut self, slot: usize) -> &mut L {
        &mut self.lines[slot]
    }

    /// The line address in `slot`, if it is valid.
    #[must_use]
    pub fn address(&self, slot: usize) -> Option<u32> {
        let tag = self.tags[slot];
        (tag != 0).then_some(tag & !(LINE_BYTES - 1))
    }

    /// The valid lines with their addresses.
    pub fn valid_lines(&self) -> impl Iterator<Item = (u32, &L)> {
        let tagged = self.tags.iter().zip(&self.lines);
        tagged
            .filter(|(tag, _)| **tag != 0)
            .map(|(tag, line)| (tag & !(LINE_BYTES - 1), line))
    }

    /// Forgets the line in `slot`, dirty or not.
    pub fn invalidate(&mut self, slot: usize) {
        self.tags[slot] = 0;
    }

    /// Forgets every line, dirty or not. Replacement pointers stay where they are.
    pub fn invalidate_all(&mut self) {
        self.tags.fill(0);
    }

    #[inline]
    fn touch(&mut self, slot: usize) {
        if self.replacement == Replacement::Lru {
            self.clock += 1;
            self.used[slot] = self.clock;
        }
    }
}

fn key(mva: u32) -> u32 {
    (mva & !(LINE_BYTES - 1)) | 1
}

// SPDX-License-Identifier: Apache-2.0
//! A set-associative cache, indexed and tagged by the addresses that it is asked for. It holds
//! contents: a lookup that hits returns what is in the line, stale or not. What a line holds, and
//! how long it is, is the type parameter: instructions for an instruction cache, data and dirty bits
//! for data caches. What it knows a line by is another ([`Key`]): the address alone, or an identifier
//! of the address space with it.
//!
//! Every lookup compares against all ways, as the hardware's content-addressable tags do; a
//! remembered way per line address only says where to look first ([`HINTS`]).

use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde::Serialize;

use crate::config::{CacheConfig, Replacement};
use crate::plru::PseudoLru;
use crate::state::{require, Damaged, Restorer, Saver};

/// Whether lookups try the remembered place first. Counts and cycles are the same without: the
/// feature `no-hints` builds that machine, and a test compares the two.
pub const HINTS: bool = !cfg!(feature = "no-hints");

/// What a line of a cache holds.
pub trait Line: Clone + Default {
    /// Bytes of memory that it stands for, a power of two.
    const BYTES: u32;
}

/// What a cache knows a line by.
pub trait Key: Debug + Copy + Eq + Serialize + DeserializeOwned {
    /// What is in it beside the address: an address-space identifier where cores have one, `()` where they
    /// have none.
    type Context: Debug + Copy + Default;

    /// That of no line.
    const NONE: Self;

    /// That of the line at `address`, a multiple of its size.
    fn new(address: u32, context: Self::Context) -> Self;

    /// The line's address; `None` of no line, or if it is no key.
    fn address(self) -> Option<u32>;
}

/// The address alone, with bit 0 set; 0 is no line.
impl Key for u32 {
    type Context = ();
    const NONE: Self = 0;

    #[inline(always)]
    fn new(address: u32, (): ()) -> Self {
        address | 1
    }

    #[inline(always)]
    fn address(self) -> Option<u32> {
        (self & 1 != 0).then_some(self & !1)
    }
}

/// Where the pseudo-random generator starts (any value but 0), and its taps: the polynomial
/// x^16 + x^14 + x^13 + x^11 + 1. Assumed: manuals say "pseudo-random" and no more.
const RANDOM_SEED: u16 = 0xace1;
const RANDOM_TAPS: u16 = 0xb400;

/// Remembered ways, by the low bits of the line number.
pub const HINT_SLOTS: usize = 1024;

/// Parts of a cache, for translated code.
#[derive(Debug)]
pub struct Lent<'a, L, K> {
    /// What lines are known by, by slot.
    pub tags: &'a [K],
    /// The trees of sets.
    pub trees: &'a mut [u8],
    /// Remembered ways, by the low bits of the line number.
    pub hints: &'a [u8; HINT_SLOTS],
    /// What lines hold, by slot.
    pub lines: &'a mut [L],
}

/// A cache of lines `L`, known by `K`. A *slot* is one line's place: `set * ways + way`.
#[derive(Debug, Clone)]
pub struct Cache<L, K: Key = u32> {
    ways: usize,
    set_mask: usize,
    replacement: Replacement,
    /// By slot; [`Key::NONE`] for an invalid one.
    tags: Vec<K>,
    /// Way that the next fill of a set takes (round robin).
    next_way: Vec<u8>,
    /// Ways that fills leave alone, one bit each.
    locked_ways: u128,
    /// Sets whose next fill takes the first way that is not locked, however victims are chosen; empty:
    /// none.
    aimed: Vec<bool>,
    /// The state of the pseudo-random generator.
    random: u16,
    /// When each slot was last used (LRU only).
    used: Vec<u64>,
    clock: u64,
    /// Where victims are (pseudo-LRU only).
    trees: PseudoLru,
    hints: Box<[u8; HINT_SLOTS]>,
    lines: Vec<L>,
    /// That of all lookups; the register that it comes from is the processor's to save.
    context: K::Context,
}

impl<L: Line, K: Key> Cache<L, K> {
    /// An empty cache of the geometry that `config` (validated) gives.
    #[must_use]
    pub fn new(config: &CacheConfig) -> Self {
        let slots = (config.size_bytes / L::BYTES) as usize;
        let ways = config.ways as usize;
        let lru = config.replacement == Replacement::Lru;
        let trees = match config.replacement {
            Replacement::PseudoLru => PseudoLru::new(slots / ways, ways),
            _ => PseudoLru::new(0, 1),
        };
        Self {
            ways,
            set_mask: slots / ways - 1,
            replacement: config.replacement,
            tags: vec![K::NONE; slots],
            next_way: vec![0; slots / ways],
            locked_ways: 0,
            aimed: Vec::new(),
            random: RANDOM_SEED,
            used: if lru { vec![0; slots] } else { Vec::new() },
            clock: 0,
            trees,
            hints: Box::new([0; HINT_SLOTS]),
            lines: vec![L::default(); slots],
            context: K::Context::default(),
        }
    }

    /// Says in which context lines are looked up and filled from now on.
    pub fn set_context(&mut self, context: K::Context) {
        self.context = context;
    }

    /// The key of the line of `mva`.
    #[inline(always)]
    fn key(&self, mva: u32) -> K {
        K::new(mva & !(L::BYTES - 1), self.context)
    }

    /// The slot that holds the line of `mva`, if any.
    #[inline(always)]
    pub fn lookup(&mut self, mva: u32) -> Option<usize> {
        let number = (mva / L::BYTES) as usize;
        if HINTS {
            let first = (number & self.set_mask) * self.ways;
            let slot = first + self.hints[number % HINT_SLOTS] as usize;
            if self.tags[slot] == self.key(mva) {
                self.touch(slot);
                return Some(slot);
            }
        }
        self.search(mva)
    }

    /// The slot that [`Cache::lookup`] would find, without the traces of a lookup.
    #[must_use]
    pub fn peek(&self, mva: u32) -> Option<usize> {
        let number = (mva / L::BYTES) as usize;
        let first = (number & self.set_mask) * self.ways;
        let likely = first + self.hints[number % HINT_SLOTS] as usize;
        if HINTS && self.tags[likely] == self.key(mva) {
            return Some(likely);
        }
        let way = position(&self.tags[first..first + self.ways], self.key(mva))?;
        Some(first + way)
    }

    /// Whether the line of `mva` is in `slot`, which is one of its set. If so, it is used.
    #[inline(always)]
    pub fn hits_in(&mut self, slot: usize, mva: u32) -> bool {
        let hits = self.tags.get(slot) == Some(&self.key(mva));
        if hits {
            self.touch(slot);
        }
        hits
    }

    /// What lines are known by, where victims are, where ways are remembered, and what lines hold: for translated
    /// code, which looks lines up as [`Cache::lookup`] does.
    #[inline]
    pub fn lend(&mut self) -> Lent<'_, L, K> {
        Lent {
            tags: &self.tags,
            trees: self.trees.trees(),
            hints: &self.hints,
            lines: &mut self.lines,
        }
    }

    /// How trees note a use of each way, if that is how uses are noted.
    #[must_use]
    pub fn paths(&self) -> Option<[[u8; 2]; PseudoLru::MOST_WAYS]> {
        (self.replacement == Replacement::PseudoLru).then(|| self.trees.paths())
    }

    /// Compares with every way of the set.
    #[inline(never)]
    fn search(&mut self, mva: u32) -> Option<usize> {
        let number = (mva / L::BYTES) as usize;
        let first = (number & self.set_mask) * self.ways;
        let key = self.key(mva);
        let way = position(&self.tags[first..first + self.ways], key)?;
        self.hints[number % HINT_SLOTS] = way as u8;
        self.touch(first + way);
        Some(first + way)
    }

    /// Chooses the slot that a fill of `mva` replaces and advances the replacement state. The
    /// caller writes back what is there before [`Cache::fill`].
    #[inline]
    pub fn choose_victim(&mut self, mva: u32) -> usize {
        let set = (mva / L::BYTES) as usize & self.set_mask;
        let first = set * self.ways;
        if self.locked_ways != 0 || !self.aimed.is_empty() {
            return first + self.choose_unlocked(set);
        }
        first
            + match self.replacement {
                Replacement::RoundRobin => self.next_in_turn(set),
                Replacement::Random => self.next_random(),
                Replacement::Lru => self.least_recently_used(set, |_| true),
                Replacement::PseudoLru => self.trees.victim(set),
            }
    }

    /// Chooses a victim among the ways that are not locked; the last way if all are.
    #[cold]
    fn choose_unlocked(&mut self, set: usize) -> usize {
        let locked = self.locked_ways;
        let open = |way: usize| locked & (1 << way) == 0;
        if self.aimed.get(set).is_some_and(|aimed| *aimed) {
            self.aimed[set] = false;
            if !self.aimed.contains(&true) {
                self.aimed.clear();
            }
            return self.next_in_turn(set);
        }
        if (0..self.ways).all(|way| !open(way)) {
            return self.ways - 1;
        }
        loop {
            let way = match self.replacement {
                // A tree may point at a locked way for ever.
                Replacement::RoundRobin | Replacement::PseudoLru => self.next_in_turn(set),
                Replacement::Random => self.next_random(),
                Replacement::Lru => return self.least_recently_used(set, open),
            };
            if open(way) {
                return way;
            }
        }
    }

    fn next_in_turn(&mut self, set: usize) -> usize {
        let way = self.next_way[set];
        self.next_way[set] = (way + 1) % self.ways as u8;
        way as usize
    }

    fn least_recently_used(&self, set: usize, open: impl Fn(usize) -> bool) -> usize {
        let first = set * self.ways;
        (0..self.ways)
            .filter(|&way| open(way))
            .min_by_key(|way| {
                let slot = first + way;
                (self.tags[slot] != K::NONE, self.used[slot])
            })
            .unwrap_or(0)
    }

    /// A Galois linear feedback shift register of full period, stepped at each fill.
    fn next_random(&mut self) -> usize {
        let low = self.random & 1;
        self.random = (self.random >> 1) ^ (low * RANDOM_TAPS);
        self.random as usize & (self.ways - 1)
    }

    /// Changes how victims are chosen, where the guest may (never to or from least recently used).
    pub fn set_replacement(&mut self, replacement: Replacement) {
        self.replacement = replacement;
    }

    /// Says which ways fills leave alone, one bit each.
    pub fn lock_ways(&mut self, ways: u128) {
        self.locked_ways = ways;
    }

    /// Locks the ways before `base` and points every set at that one: its next fill takes it.
    pub fn lock_below(&mut self, base: u8) {
        self.locked_ways = (1 << base) - 1;
        self.next_way.fill(base);
        self.aimed = vec![true; self.next_way.len()];
    }

    /// The ways that fills leave alone.
    #[must_use]
    pub fn locked_ways(&self) -> u128 {
        self.locked_ways
    }

    /// The slot of a way of a set, both modulo their number.
    #[must_use]
    pub fn slot_at(&self, set: usize, way: usize) -> usize {
        (set & self.set_mask) * self.ways + way % self.ways
    }

    /// How many ways a set has.
    #[must_use]
    pub fn ways(&self) -> usize {
        self.ways
    }

    /// Makes `slot` hold the line of `mva`: returns its contents, still the old ones.
    #[inline]
    pub fn fill(&mut self, slot: usize, mva: u32) -> &mut L {
        self.tags[slot] = self.key(mva);
        self.hints[(mva / L::BYTES) as usize % HINT_SLOTS] = (slot & (self.ways - 1)) as u8;
        self.touch(slot);
        &mut self.lines[slot]
    }

    /// Whether a hit leaves no trace in the replacement state, so that it need not be looked up.
    #[inline(always)]
    #[must_use]
    pub fn hits_leave_no_trace(&self) -> bool {
        !matches!(self.replacement, Replacement::Lru | Replacement::PseudoLru)
    }

    /// How many slots there are.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.tags.len()
    }

    /// The line in `slot`, if it has that many.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, slot: usize) -> Option<&L> {
        self.lines.get(slot)
    }

    /// The line in `slot`, if it has that many, to write.
    #[inline(always)]
    pub fn get_mut(&mut self, slot: usize) -> Option<&mut L> {
        self.lines.get_mut(slot)
    }

    /// All lines, by slot, to write.
    #[inline]
    pub fn lines_mut(&mut self) -> &mut [L] {
        &mut self.lines
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
        self.tags[slot].address()
    }

    /// The valid lines with their addresses.
    pub fn valid_lines(&self) -> impl Iterator<Item = (u32, &L)> {
        let tagged = self.tags.iter().zip(&self.lines);
        tagged.filter_map(|(tag, line)| Some((tag.address()?, line)))
    }

    /// Forgets the line in `slot`, dirty or not.
    pub fn invalidate(&mut self, slot: usize) {
        self.tags[slot] = K::NONE;
    }

    /// Forgets every line, dirty or not. Replacement pointers stay where they are.
    pub fn invalidate_all(&mut self) {
        self.tags.fill(K::NONE);
    }

    /// Saves what lookups and fills depend on; `line` saves the contents of one.
    pub fn save(&self, to: &mut Saver, line: impl Fn(&L, &mut Saver)) {
        to.put(&self.replacement);
        to.put(&(&self.next_way, self.locked_ways, &self.aimed, self.random));
        to.put(&(&self.used, self.clock, &self.trees));
        to.put(&self.tags);
        for (tag, content) in self.tags.iter().zip(&self.lines) {
            if *tag != K::NONE {
                line(content, to);
            }
        }
    }

    /// Takes it back.
    ///
    /// # Errors
    /// It is no state of this cache.
    pub fn restore(
        &mut self,
        from: &mut Restorer,
        line: impl Fn(&mut Restorer) -> Result<L, Damaged>,
    ) -> Result<(), Damaged> {
        let mut new = self.clone();
        new.replacement = from.take()?;
        (new.next_way, new.locked_ways, new.aimed, new.random) = from.take()?;
        (new.used, new.clock, new.trees) = from.take()?;
        new.tags = from.take()?;
        let by_use = |replacement| match replacement {
            Replacement::RoundRobin | Replacement::Random => 0,
            Replacement::Lru => 1,
            Replacement::PseudoLru => 2,
        };
        let in_set = |(slot, tag): (usize, &K)| {
            let here = |address: u32| {
                let set = (address / L::BYTES) as usize & new.set_mask;
                address % L::BYTES == 0 && slot / new.ways == set
            };
            *tag == K::NONE || tag.address().is_some_and(here)
        };
        let right = by_use(new.replacement) == by_use(self.replacement)
            && new.trees.fits(&self.trees)
            && new.next_way.len() == self.next_way.len()
            && new.next_way.iter().all(|way| usize::from(*way) < self.ways)
            && (new.aimed.is_empty() || new.aimed.len() == new.next_way.len())
            && new.random != 0
            && new.used.len() == self.used.len()
            && new.clock < 1 << 62
            && new.tags.len() == self.tags.len()
            && new.tags.iter().enumerate().all(in_set);
        require(right, "has other caches than the machine")?;
        for slot in 0..new.tags.len() {
            if new.tags[slot] != K::NONE {
                new.lines[slot] = line(from)?;
            }
        }
        *self = new;
        Ok(())
    }

    #[inline(always)]
    fn touch(&mut self, slot: usize) {
        if !self.hits_leave_no_trace() {
            self.note_use(slot);
        }
    }

    #[inline(always)]
    fn note_use(&mut self, slot: usize) {
        if self.replacement == Replacement::Lru {
            self.clock += 1;
            self.used[slot] = self.clock;
        } else {
            // Ways are a power of two.
            let set = slot >> self.ways.trailing_zeros();
            self.trees.touch(set, slot & (self.ways - 1));
        }
    }
}

/// Where `key` is in `tags`; compares eight at a time, which compilers turn into few instructions.
#[inline]
fn position<K: Key>(tags: &[K], key: K) -> Option<usize> {
    if let Ok(four) = <&[K; 4]>::try_from(tags) {
        return four.iter().position(|&tag| tag == key);
    }
    let mut first = 0;
    for eight in tags.chunks(8) {
        if eight.iter().fold(false, |found, &tag| found | (tag == key)) {
            return eight.iter().position(|&tag| tag == key).map(|n| first + n);
        }
        first += 8;
    }
    None
}

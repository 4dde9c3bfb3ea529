// SPDX-License-Identifier: Apache-2.0
//! When memory answers: the first-level data cache, the second level, the bus, and the buffers before
//! them. Sources: 248966, 1 (geometries; "loads and stores" for four outstanding misses and 24 store
//! buffers); Hinton et al., Intel Technology Journal Q1 2001.
//!
//! The caches have physical tags, and nothing but the processor writes memory: what they would hold is
//! what memory holds, so they have tags and no contents. Times are in sixths of a cycle ([`CYCLE`]).

use switchyard_translator::traces::{self, Sector, STORES};

use crate::cache::{Cache, Line, HINT_SLOTS};
use crate::counters::Tally;
use crate::ia32::config::{Ia32Config, IA32_LINE_BYTES as LINE_BYTES};
use crate::ia32::isa::cost::CYCLE;
use crate::state::{require, Damaged, Restorer, Saver, State};

/// A time in sixths of a cycle.
pub type Sixth = u64;

/// A line of the first level: there or not.
#[derive(Debug, Clone, Copy, Default)]
struct DataLine;

impl Line for DataLine {
    const BYTES: u32 = LINE_BYTES;
}

impl Line for Sector {
    const BYTES: u32 = 2 * LINE_BYTES;
}
const _: () = assert!(Sector::BYTES == 2 * traces::LINE_BYTES && HINT_SLOTS == traces::WAY_HINTS);

/// No line.
const NO_LINE: u32 = u32::MAX;
/// Loads that miss the first level at a time (248966, 1, "loads and stores").
const MISSES: usize = 4;
const _: () = assert!(
    STORES == 24,
    "stores between their retirement and the second level (the same)"
);

/// What takes how long, in sixths of a cycle.
#[derive(Debug, Clone, Copy)]
struct Times {
    l1: Sixth,
    l2: Sixth,
    store: Sixth,
    memory: Sixth,
    line: Sixth,
}

/// Caches, buffers and bus.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    l1: Cache<DataLine>,
    l2: Cache<Sector>,
    times: Times,
    /// The line of the first level that was used last: it is there, and using it again changes nothing.
    recent: u32,
    /// When the misses under way are over, the oldest at `next_miss`.
    misses: [Sixth; MISSES],
    next_miss: usize,
    /// When the buffered stores have been written, the oldest at `next_store`.
    stores: [Sixth; STORES],
    next_store: usize,
    /// The line of the last store, with which the next one is combined.
    combining: u32,
    /// From when on the bus is free.
    bus_free: Sixth,
    /// Whether what misses is taken in: CR0.CD is clear.
    fills: bool,
}

impl Hierarchy {
    /// Empty caches of these geometries (validated).
    #[must_use]
    pub fn new(config: &Ia32Config) -> Self {
        let sixths = |cycles: u32| Sixth::from(cycles * CYCLE);
        Self {
            l1: Cache::new(&config.dcache),
            l2: Cache::new(&config.l2),
            times: Times {
                l1: sixths(config.latency.l1),
                l2: sixths(config.latency.l2),
                store: sixths(config.latency.store),
                memory: sixths(config.memory.latency),
                line: sixths(config.memory.line),
            },
            recent: NO_LINE,
            misses: [0; MISSES],
            next_miss: 0,
            stores: [0; STORES],
            next_store: 0,
            combining: NO_LINE,
            bus_free: 0,
            fills: false,
        }
    }

    /// The shapes of both levels; `None`: translated code does not know how they replace lines.
    #[must_use]
    pub fn lends(&self) -> Option<[traces::Ways; 2]> {
        let ways = |count, paths| traces::Ways { count, paths };
        Some([
            ways(self.l1.ways(), self.l1.paths()?),
            ways(self.l2.ways(), self.l2.paths()?),
        ])
    }

    /// What translated code looks at for accesses that hit.
    #[inline]
    pub fn lend(&mut self) -> traces::Caches<'_> {
        let (first, second) = (self.l1.lend(), self.l2.lend());
        traces::Caches {
            recent: &mut self.recent,
            combining: &mut self.combining,
            first: traces::Level {
                tags: first.tags,
                trees: first.trees,
            },
            second: traces::Level {
                tags: second.tags,
                trees: second.trees,
            },
            ways: second.hints,
            sectors: second.lines,
            stores: &mut self.stores,
            next_store: &mut self.next_store,
        }
    }

    /// How long a store takes that hits the second level.
    #[must_use]
    pub fn store_latency(&self) -> Sixth {
        self.times.store
    }

    /// Whether what misses is taken in from now on (SDM vol. 3, 10.5.1: hits hit, whatever CR0.CD says).
    pub fn set_fills(&mut self, fills: bool) {
        self.fills = fills;
    }

    /// How many bytes the caches hold: what a saved machine may be large by.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        u64::from(DataLine::BYTES) * self.l1.slots() as u64
            + u64::from(Sector::BYTES) * self.l2.slots() as u64
    }

    /// The addresses of the lines of the first level.
    pub fn l1_lines(&self) -> impl Iterator<Item = u32> + '_ {
        self.l1.valid_lines().map(|(pa, _)| pa)
    }

    /// The addresses of the lines of the second level, and whether they are dirty.
    pub fn l2_lines(&self) -> impl Iterator<Item = (u32, bool)> + '_ {
        self.l2.valid_lines().flat_map(|(pa, sector)| {
            let lines = (0..2).filter(|line| sector.valid >> line & 1 != 0);
            lines.map(move |line| (pa + line * LINE_BYTES, sector.dirty >> line & 1 != 0))
        })
    }

    /// Sets and ways of the first and of the second level.
    #[must_use]
    pub fn shapes(&self) -> [(usize, usize); 2] {
        let of = |slots: usize, ways: usize| (slots / ways, ways);
        let (l1, l2) = (&self.l1, &self.l2);
        [of(l1.slots(), l1.ways()), of(l2.slots(), l2.ways())]
    }

    /// The lines of the first level by slot: their addresses.
    pub fn l1_slots(&self) -> impl Iterator<Item = Option<u32>> + '_ {
        (0..self.l1.slots()).map(|slot| self.l1.address(slot))
    }

    /// The sectors of the second level by slot: their addresses, and which of their two lines are
    /// there and which dirty, one bit each.
    pub fn l2_slots(&self) -> impl Iterator<Item = Option<(u32, u8, u8)>> + '_ {
        (0..self.l2.slots()).map(|slot| {
            let sector = self.l2.line(slot);
            Some((self.l2.address(slot)?, sector.valid, sector.dirty))
        })
    }

    /// How long a load takes that hits the first level.
    #[must_use]
    pub fn load_latency(&self) -> Sixth {
        self.times.l1
    }

    /// A load of the line of `pa` at `at`: when it is there.
    #[inline(always)]
    pub fn load(&mut self, pa: u32, at: Sixth, now: &mut Tally) -> Sixth {
        now.dcache.reads += 1;
        if pa / LINE_BYTES == self.recent {
            return at + self.times.l1;
        }
        if self.l1.lookup(pa).is_some() {
            self.recent = pa / LINE_BYTES;
            return at + self.times.l1;
        }
        self.load_miss(pa, at, now)
    }

    /// Whether the line of `pa` is in `slot` of the first level, where it was; then it is used.
    #[inline(always)]
    pub fn hits_in(&mut self, pa: u32, slot: usize) -> bool {
        let line = pa / LINE_BYTES;
        if line == self.recent {
            return true;
        }
        let hits = self.l1.hits_in(slot, pa);
        if hits {
            self.recent = line;
        }
        hits
    }

    /// A load at `at` that hits the first level: when it is there.
    #[inline(always)]
    pub fn hit(&mut self, at: Sixth, now: &mut Tally) -> Sixth {
        now.dcache.reads += 1;
        at + self.times.l1
    }

    /// The slot of the first level in which the line of `pa` is.
    pub fn slot_of(&self, pa: u32) -> Option<usize> {
        self.l1.peek(pa)
    }

    #[inline(never)]
    fn load_miss(&mut self, pa: u32, at: Sixth, now: &mut Tally) -> Sixth {
        now.dcache.read_misses += 1;
        let at = at.max(self.misses[self.next_miss]);
        let there = self.read(pa, at, now);
        self.misses[self.next_miss] = there;
        self.next_miss = (self.next_miss + 1) % MISSES;
        if !self.fills {
            return there;
        }
        let slot = self.l1.choose_victim(pa);
        self.l1.fill(slot, pa);
        self.recent = pa / LINE_BYTES;
        there
    }

    /// A store into the line of `pa` that retires at `at`. It goes through the first level, which keeps
    /// its lines but takes none in, into the second. Says until when the processor waits for a buffer.
    #[inline(always)]
    pub fn store(&mut self, pa: u32, at: Sixth, now: &mut Tally) -> Sixth {
        now.dcache.writes += 1;
        if pa / LINE_BYTES == self.combining {
            return 0;
        }
        self.store_line(pa, at, now)
    }

    #[inline(never)]
    fn store_line(&mut self, pa: u32, at: Sixth, now: &mut Tally) -> Sixth {
        self.combining = pa / LINE_BYTES;
        let oldest = self.stores[self.next_store];
        let last = self.stores[(self.next_store + STORES - 1) % STORES];
        // They are written in order.
        let begin = at.max(last).max(oldest);
        let there = self.write(pa, begin, now);
        self.stores[self.next_store] = there;
        self.next_store = (self.next_store + 1) % STORES;
        oldest
    }

    /// When everything that was stored has been written; the next store begins a line of its own.
    pub fn drained(&mut self) -> Sixth {
        self.combining = NO_LINE;
        self.stores[(self.next_store + STORES - 1) % STORES]
    }

    /// A read of the second level at `at`, by a load that has missed the first, a fetch of code or a walk:
    /// when it is there.
    pub fn read(&mut self, pa: u32, at: Sixth, now: &mut Tally) -> Sixth {
        now.l2.reads += 1;
        let half = half(pa);
        let slot = match self.l2.lookup(pa) {
            Some(slot) if self.l2.line(slot).valid & half != 0 => return at + self.times.l2,
            _ if !self.fills => return self.uncached(at),
            Some(slot) => slot,
            None => self.replace(pa, now),
        };
        now.l2.read_misses += 1;
        // A read brings both lines (248966, table 1-1), first the one that is wanted.
        let sector = self.l2.line_mut(slot);
        let lines = 2 - u64::from(sector.valid.count_ones());
        sector.valid = 3;
        let begin = (at + self.times.l2).max(self.bus_free);
        self.bus_free = begin + lines * self.times.line;
        begin + self.times.memory
    }

    /// A write of the second level: when it is done. A miss reads the line first.
    fn write(&mut self, pa: u32, at: Sixth, now: &mut Tally) -> Sixth {
        now.l2.writes += 1;
        let half = half(pa);
        let slot = match self.l2.lookup(pa) {
            Some(slot) if self.l2.line(slot).valid & half != 0 => {
                self.l2.line_mut(slot).dirty |= half;
                return at + self.times.store;
            }
            _ if !self.fills => return self.uncached(at),
            Some(slot) => slot,
            None => self.replace(pa, now),
        };
        now.l2.write_misses += 1;
        let sector = self.l2.line_mut(slot);
        sector.valid |= half;
        sector.dirty |= half;
        // Up to all of the buffers wait at once: what counts is the bus.
        let begin = at.max(self.bus_free);
        self.bus_free = begin + self.times.line;
        self.bus_free
    }

    /// Makes room for the sector of `pa`; dirty lines go to memory.
    fn replace(&mut self, pa: u32, now: &mut Tally) -> usize {
        let slot = self.l2.choose_victim(pa);
        if self.l2.address(slot).is_some() {
            let lines = u64::from(self.l2.line(slot).dirty.count_ones());
            now.l2.writebacks += lines;
            self.bus_free += lines * self.times.line;
        }
        *self.l2.fill(slot, pa) = Sector::default();
        slot
    }

    /// A read beside the caches, which is done by itself: when it is there.
    pub fn uncached(&mut self, at: Sixth) -> Sixth {
        let begin = at.max(self.bus_free);
        self.bus_free = begin + self.times.line;
        begin + self.times.memory
    }

    /// Empties the caches; dirty lines go to memory. Says when that is done.
    pub fn empty(&mut self, at: Sixth, now: &mut Tally) -> Sixth {
        let lines: u32 = self
            .l2
            .valid_lines()
            .map(|(_, s)| s.dirty.count_ones())
            .sum();
        self.l1.invalidate_all();
        self.recent = NO_LINE;
        self.l2.invalidate_all();
        now.l2.writebacks += u64::from(lines);
        self.bus_free = at.max(self.bus_free) + u64::from(lines) * self.times.line;
        self.bus_free
    }
}

/// The bit of the line of `pa` in its sector.
fn half(pa: u32) -> u8 {
    1 << ((pa / LINE_BYTES) & 1)
}

impl State for Hierarchy {
    fn save(&self, to: &mut Saver) {
        let Self {
            l1,
            l2,
            times: _,  // the machine file gives them
            recent: _, // a hint
            misses,
            next_miss,
            stores,
            next_store,
            combining,
            bus_free,
            fills: _, // CR0 says
        } = self;
        l1.save(to, |_, _| ());
        l2.save(to, |sector, to| to.put(&(sector.valid, sector.dirty)));
        to.put(&(misses, next_miss, stores, next_store, combining, bus_free));
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        self.l1.restore(from, |_| Ok(DataLine))?;
        self.l2.restore(from, |from| {
            let (valid, dirty) = from.take()?;
            Ok(Sector { valid, dirty })
        })?;
        (self.misses, self.next_miss, self.stores) = from.take()?;
        (self.next_store, self.combining, self.bus_free) = from.take()?;
        let times = self.misses.iter().chain(&self.stores);
        let right = self.next_miss < MISSES
            && self.next_store < STORES
            && times.chain([&self.bus_free]).all(|at| *at < 1 << 59)
            && self
                .l2
                .valid_lines()
                .all(|(_, s)| s.valid < 4 && s.dirty & !s.valid == 0);
        require(right, "has other caches than the machine")
    }
}

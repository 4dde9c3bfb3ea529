// SPDX-License-Identifier: Apache-2.0
//! When memory answers: the first-level data cache, the second level, memory.
//!
//! The data side is coherent with everything but the instruction cache: what its caches would hold is
//! what memory holds, so they have tags and dirty bits and no contents. One miss of the first level is under
//! way at a time (measured on a JH7110: two chains of misses take 1.8 times as long as one); the core
//! goes on until something needs what is missing, and stores wait in a buffer of their own.

use serde::{Deserialize, Serialize};

use crate::cache::{Cache, Line};
use crate::counters::Tally;
use crate::event::Cycle;
use crate::riscv::config::{PriceConfig, RiscvConfig, LINE_BYTES};
use crate::state::{plausible, require, Damaged, Restorer, Saver, State};

/// A line of a data cache.
#[derive(Debug, Clone, Copy, Default)]
pub struct DataLine {
    /// Whether it was written since it came.
    pub dirty: bool,
}

impl Line for DataLine {
    const BYTES: u32 = LINE_BYTES;
}

/// When what is under way is over.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct UnderWay {
    /// The miss of the first level, and its line.
    miss: Cycle,
    line: u32,
    /// The line that memory delivers or takes.
    memory: Cycle,
    /// The stores that wait for their lines, the oldest at `oldest`.
    stores: Vec<Cycle>,
    oldest: u32,
}

/// The caches.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    /// The first level of data.
    pub l1: Cache<DataLine>,
    l2: Cache<DataLine>,
    prices: PriceConfig,
    under_way: UnderWay,
}

/// Where an access of the first level has gone.
#[derive(Debug, Clone, Copy)]
pub struct Touched {
    /// The slot that has the line now.
    pub slot: usize,
    /// Whether that held another until now.
    pub filled: bool,
    /// When the data is there; 0: as soon as a hit's.
    pub ready: Cycle,
}

impl Hierarchy {
    /// Empty caches of these geometries (validated).
    #[must_use]
    pub fn new(config: &RiscvConfig) -> Self {
        Self {
            l1: Cache::new(&config.dcache),
            l2: Cache::new(&config.l2),
            prices: config.price.clone(),
            under_way: UnderWay {
                stores: vec![0; config.price.store_buffer as usize],
                ..UnderWay::default()
            },
        }
    }

    /// How many bytes the caches hold: what a saved machine may be large by.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        u64::from(LINE_BYTES) * (self.l1.slots() + self.l2.slots()) as u64
    }

    /// A load at `pa`, issued at `now`.
    #[inline]
    pub fn load(&mut self, pa: u32, now: Cycle, tally: &mut Tally) -> Touched {
        tally.dcache.reads += 1;
        match self.l1.lookup(pa) {
            Some(slot) => {
                let coming = self.is_coming(pa, now);
                Touched {
                    slot,
                    filled: false,
                    ready: if coming { self.under_way.miss } else { 0 },
                }
            }
            None => {
                tally.dcache.read_misses += 1;
                self.miss(pa, now, false, tally)
            }
        }
    }

    /// A store at `pa`, issued at `now`. Gives the cycle at which the core goes on in `ready`, if it has
    /// to wait for a place in the buffer.
    #[inline]
    pub fn store(&mut self, pa: u32, now: Cycle, tally: &mut Tally) -> Touched {
        tally.dcache.writes += 1;
        if let Some(slot) = self.l1.lookup(pa) {
            self.l1.line_mut(slot).dirty = true;
            return Touched {
                slot,
                filled: false,
                ready: 0,
            };
        }
        tally.dcache.write_misses += 1;
        let place = self.under_way.oldest as usize;
        let free = self.under_way.stores[place];
        let start = now.max(free);
        let touched = self.miss(pa, start, true, tally);
        self.under_way.stores[place] = touched.ready;
        self.under_way.oldest = (place as u32 + 1) % self.prices.store_buffer;
        Touched {
            ready: if free > now { free } else { 0 },
            ..touched
        }
    }

    /// Brings the line of `pa` into the first level.
    #[inline(never)]
    fn miss(&mut self, pa: u32, now: Cycle, dirty: bool, tally: &mut Tally) -> Touched {
        let start = now.max(self.under_way.miss);
        let ready = self.second_level(pa, start, tally);
        (self.under_way.miss, self.under_way.line) = (ready, pa / LINE_BYTES);
        let slot = self.l1.choose_victim(pa);
        if let Some(victim) = self.l1.address(slot) {
            if self.l1.line(slot).dirty {
                tally.dcache.writebacks += 1;
                self.write_back(victim, tally);
            }
        }
        *self.l1.fill(slot, pa) = DataLine { dirty };
        Touched {
            slot,
            filled: true,
            ready,
        }
    }

    /// A read of the second level at `start`: when the line is at the first.
    pub fn second_level(&mut self, pa: u32, start: Cycle, tally: &mut Tally) -> Cycle {
        tally.l2.reads += 1;
        if self.l2.lookup(pa).is_some() {
            return start + Cycle::from(self.prices.l2);
        }
        tally.l2.read_misses += 1;
        let begin = start.max(self.under_way.memory);
        self.under_way.memory = begin + Cycle::from(self.prices.memory_line);
        self.fill_second(pa, false, tally);
        begin + Cycle::from(self.prices.memory)
    }

    fn fill_second(&mut self, pa: u32, dirty: bool, tally: &mut Tally) {
        let slot = self.l2.choose_victim(pa);
        if self.l2.address(slot).is_some() && self.l2.line(slot).dirty {
            tally.l2.writebacks += 1;
            self.under_way.memory += Cycle::from(self.prices.memory_line);
        }
        *self.l2.fill(slot, pa) = DataLine { dirty };
    }

    /// A dirty line of the first level goes to the second.
    fn write_back(&mut self, pa: u32, tally: &mut Tally) {
        tally.l2.writes += 1;
        if let Some(slot) = self.l2.lookup(pa) {
            self.l2.line_mut(slot).dirty = true;
        } else {
            tally.l2.write_misses += 1;
            self.fill_second(pa, true, tally);
        }
    }

    /// When the last miss of the first level is over.
    #[must_use]
    pub fn missing(&self) -> Cycle {
        self.under_way.miss
    }

    /// When all stores have their lines: misses are one after the other, so the last store's is the last.
    #[inline]
    #[must_use]
    pub fn drained(&self) -> Cycle {
        let stores = &self.under_way.stores;
        let last = self.under_way.oldest as usize + stores.len() - 1;
        stores[last % stores.len()]
    }

    /// Whether the line of `pa`, which is in the first level, is still on its way.
    #[inline]
    #[must_use]
    pub fn is_coming(&self, pa: u32, now: Cycle) -> bool {
        self.under_way.miss > now && self.under_way.line == pa / LINE_BYTES
    }

    /// Empties both caches.
    pub fn empty(&mut self) {
        self.l1.invalidate_all();
        self.l2.invalidate_all();
    }

    /// The lines of the first and of the second level by slot: their addresses, and whether they are
    /// dirty.
    #[must_use]
    pub fn slots(&self, second: bool) -> Vec<Option<(u32, bool)>> {
        let cache = if second { &self.l2 } else { &self.l1 };
        let slots = 0..cache.slots();
        slots
            .map(|slot| Some((cache.address(slot)?, cache.line(slot).dirty)))
            .collect()
    }

    /// The ways of a set of the first and of the second level.
    #[must_use]
    pub fn ways(&self) -> [usize; 2] {
        [self.l1.ways(), self.l2.ways()]
    }
}

impl State for Hierarchy {
    fn save(&self, to: &mut Saver) {
        for cache in [&self.l1, &self.l2] {
            cache.save(to, |line, to| to.put(&line.dirty));
        }
        to.put(&self.under_way);
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        for cache in [&mut self.l1, &mut self.l2] {
            cache.restore(from, |from| {
                Ok(DataLine {
                    dirty: from.take()?,
                })
            })?;
        }
        let under_way: UnderWay = from.take()?;
        let mut times = under_way.stores.iter();
        let right = under_way.stores.len() == self.under_way.stores.len()
            && (under_way.oldest as usize) < under_way.stores.len()
            && times.all(|at| plausible(*at) && *at != Cycle::MAX)
            && [under_way.miss, under_way.memory]
                .iter()
                .all(|at| plausible(*at) && *at != Cycle::MAX);
        require(right, "has misses of another machine")?;
        self.under_way = under_way;
        Ok(())
    }
}

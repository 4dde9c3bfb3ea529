// SPDX-License-Identifier: Apache-2.0
//! The same for guests of 32 bits whose instructions come decoded from a trace cache, and that execute them
//! out of order: the guest's time is followed by intervals (when an instruction enters the window, when its
//! operands are there, when it retires), which translated code computes as it goes, with the prices as constants.
//! Flags are those of the host, which is of the same family.
//!
//! A translation belongs to a line as it was decoded: whoever keeps such a line keeps a [`Mark`] with it. It begins
//! with the line's first instruction.

mod guest;
pub(crate) mod step;

use std::cell::Cell;

pub use guest::{
    Caches, Clock, Counts, Exit, Fetch, Guest, Hint, HintTable, Hints, Level, Memory, Predictor,
    Sector, Ways, Why, FETCH_HINTS, HINTS, LINE_BYTES, PAGE_BYTES, SET_SHIFT, SLOTS, STORES, WAYS,
    WAY_HINTS, WINDOW,
};
pub use step::{
    Action, Address, Binary, Count, Operand, Prices, Register, Shift, Step, Stretch, Unary, Width,
    MOST_STEPS, NONE, REGISTERS, RESULTS,
};

use crate::host::traces as host;
use crate::translations::{BATCH, PATIENCE};

/// How often a line is to be reached before it is translated. It takes the host some hundred thousand instructions, and
/// saves less than a thousand each time.
const HOT: u8 = 100;
/// Units at most; then all are forgotten.
const LIMIT: usize = 1 << 18;

/// What a line remembers of its translation.
#[derive(Debug, Clone, Default)]
pub struct Mark {
    unit: Cell<Unit>,
    heat: Cell<u8>,
}

/// Which translation of which era; era 0 has none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Unit {
    era: u32,
    number: u32,
}

/// The translations of one machine.
#[derive(Debug)]
pub struct Translator {
    host: host::Host,
    /// How many branches are known, and the ways of trace cache, first and second level.
    branches: usize,
    ways: [Ways; 3],
    /// Addresses of code, by slot of the trace cache.
    entries: Box<[usize; SLOTS]>,
    /// The unit of each slot's line.
    held: Box<[Unit; SLOTS]>,
    /// Addresses of units, and how many of them can be executed.
    units: Vec<usize>,
    published: usize,
    /// How often all were forgotten.
    era: u32,
    hot: u8,
    batch: usize,
    /// How often a line was reached whose translation waits.
    waited: u32,
    /// How many instructions it has executed.
    executed: u64,
}

impl Translator {
    /// One without translations, for a machine that knows so many branches (a power of two), whose trace cache,
    /// first and second level have these ways, and whose second level takes a store in so much time. `None`: there is no host code on this host.
    ///
    /// # Panics
    /// There are no such.
    #[must_use]
    pub fn new(branches: usize, ways: [Ways; 3], store_latency: u32) -> Option<Self> {
        assert!(branches.is_power_of_two() && branches <= 1 << 20);
        let sound = |ways: &Ways| ways.count.is_power_of_two() && ways.count <= WAYS;
        assert!(ways.iter().all(sound) && ways[0].count == WAYS);
        let host = host::Host::new(branches, ways, store_latency)?;
        Some(Self {
            entries: Box::new([host.cold(); SLOTS]),
            held: Box::new([Unit::default(); SLOTS]),
            units: Vec::new(),
            published: 0,
            era: 1,
            host,
            branches,
            ways,
            hot: HOT,
            batch: BATCH,
            waited: 0,
            executed: 0,
        })
    }

    /// Translates a line when it is reached so often, and executes the translation at once: for tests.
    pub fn set_hot(&mut self, times: u8) {
        self.hot = times;
        self.batch = 1;
    }

    /// Allows so little memory for code (in blocks of 16 KB) that it is full soon: for tests.
    pub fn limit_code(&mut self, blocks: usize) {
        self.host.limit(blocks);
    }

    /// The line in `slot` is now the one of `mark`.
    #[inline]
    pub fn line_filled(&mut self, slot: usize, mark: &Mark) {
        let unit = mark.unit.get();
        self.held[slot] = unit;
        self.entries[slot] = self.entry(unit);
    }

    fn entry(&self, unit: Unit) -> usize {
        let number = unit.number as usize;
        if unit.era == self.era && number < self.published {
            self.units[number]
        } else {
            self.host.cold()
        }
    }

    /// Whether the line in `slot` is not translated, or waits.
    #[inline(always)]
    #[must_use]
    pub fn is_cold(&self, slot: usize) -> bool {
        self.entries[slot % SLOTS] == self.host.cold()
    }

    /// The line of `mark` was reached and is not translated. `true`: it is to be.
    pub fn heats(&mut self, mark: &Mark) -> bool {
        if mark.unit.get().era == self.era {
            self.waited += 1;
            if self.waited >= PATIENCE {
                self.publish();
            }
            return false;
        }
        let heat = mark.heat.get().saturating_add(1);
        mark.heat.set(heat);
        heat >= self.hot
    }

    /// Translates the line of `mark` in `slot`. If there is no more room for code, all translations are forgotten.
    ///
    /// # Panics
    /// An instruction names what no guest has, or there are more than a line has.
    pub fn translate(&mut self, slot: usize, mark: &Mark, stretch: &Stretch) {
        assert!(stretch.steps.len() <= MOST_STEPS);
        for step in &stretch.steps {
            let named = step.sources.iter().chain(&step.results).flatten();
            assert!(named.chain(&step.early).all(|&n| usize::from(n) < RESULTS));
            assert!(step.action.is_sound());
            assert!(step.uops < 256 && step.latency < 1 << 20);
        }
        let entry = if self.units.len() < LIMIT {
            self.host.translate(stretch)
        } else {
            None
        };
        let Some(entry) = entry else {
            self.forget();
            return;
        };
        let unit = Unit {
            era: self.era,
            number: self.units.len() as u32,
        };
        self.units.push(entry);
        mark.unit.set(unit);
        self.held[slot] = unit;
        if self.units.len() - self.published >= self.batch {
            self.publish();
        }
    }

    /// What was translated is executed from now on.
    fn publish(&mut self) {
        self.waited = 0;
        if self.host.publish().is_none() {
            self.forget();
            return;
        }
        let fresh = self.published as u32;
        self.published = self.units.len();
        for slot in 0..SLOTS {
            let unit = self.held[slot];
            if unit.era == self.era && unit.number >= fresh {
                self.entries[slot] = self.units[unit.number as usize];
            }
        }
    }

    /// Forgets all translations.
    fn forget(&mut self) {
        self.host.clear();
        self.entries.fill(self.host.cold());
        self.units.clear();
        self.published = 0;
        // Marks of a number of eras ago that no machine gets to would look new.
        self.era = self.era.checked_add(1).expect("fewer eras");
    }

    /// How many instructions it has executed.
    #[must_use]
    pub fn executed(&self) -> u64 {
        self.executed
    }

    /// Runs translated code where `guest` is, as far as that goes.
    ///
    /// # Panics
    /// Parts of `guest` have other sizes than they may.
    #[inline(always)]
    pub fn run(&mut self, mut guest: Guest<'_>) -> Exit {
        let predictor = &guest.predictor;
        assert!(predictor.branches.len() == self.branches);
        assert!(predictor.counters.len() == predictor.branches.len());
        assert!(*predictor.top < predictor.returns.len());
        assert!(guest.fetch.trees.len() == SLOTS / WAYS);
        let caches = &guest.caches;
        let levels = [&caches.first, &caches.second];
        for (level, ways) in levels.into_iter().zip(&self.ways[1..]) {
            assert!(level.tags.len() == level.trees.len() * ways.count);
            assert!(level.trees.len().is_power_of_two());
        }
        assert!(caches.sectors.len() == caches.second.tags.len());
        assert!(*caches.next_store < STORES);
        assert!(guest.memory.bytes.len() <= guest.memory.written.len() * PAGE_BYTES);
        assert!(guest.memory.bytes.len() >= LINE_BYTES as usize);
        assert!(guest.clock.window.len() > WINDOW + MOST_STEPS);
        assert!((WINDOW..=guest.clock.window.len()).contains(&*guest.clock.next));
        let exit = self.host.run(&self.entries, &mut guest);
        self.executed += guest.counts.instructions;
        exit
    }
}

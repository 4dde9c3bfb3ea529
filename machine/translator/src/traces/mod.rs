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
mod units;

pub use guest::{
    Caches, Clock, Counts, Exit, Fetch, Guest, Hint, HintTable, Hints, Level, Memory, Predictor,
    Sector, Ways, Why, FETCH_HINTS, HINTS, LINE_BYTES, PAGE_BYTES, SET_SHIFT, SLOTS, STORES, WAYS,
    WAY_HINTS, WINDOW,
};
pub use step::{
    Action, Address, Binary, Count, Operand, Prices, Register, Shift, Step, Stretch, Unary, Width,
    MOST_STEPS, NONE, REGISTERS, RESULTS,
};

pub use units::Mark;

use crate::host::traces as host;
use crate::translations::Translations;

use units::Units;

/// How often a line is to be reached before it is translated. It takes the host some hundred thousand instructions, and
/// saves less than a thousand each time.
const HOT: u8 = 100;
/// The translations of one machine.
pub type Translator = Translations<host::Host, Units>;

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
        let units = Units::new(host.cold());
        Some(Self::with(host, units, HOT))
    }

    /// The line in `slot` is now the one of `mark`.
    #[inline]
    pub fn line_filled(&mut self, slot: usize, mark: &Mark) {
        self.known.filled(slot, mark);
    }

    /// Whether the line in `slot` is not translated, or waits.
    #[inline(always)]
    #[must_use]
    pub fn is_cold(&self, slot: usize) -> bool {
        self.known.is_cold(slot)
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
        self.keep((slot, mark), |host| host.translate(stretch));
    }

    /// Runs translated code where `guest` is, as far as that goes.
    ///
    /// # Panics
    /// Parts of `guest` have other sizes than they may.
    #[inline(always)]
    pub fn run(&mut self, mut guest: Guest<'_>) -> Exit {
        let predictor = &guest.predictor;
        assert!(predictor.branches.len() == self.host.branches());
        assert!(predictor.counters.len() == predictor.branches.len());
        assert!(*predictor.top < predictor.returns.len());
        assert!(guest.fetch.trees.len() == SLOTS / WAYS);
        let caches = &guest.caches;
        let levels = [&caches.first, &caches.second];
        for (level, ways) in levels.into_iter().zip(&self.host.ways()[1..]) {
            assert!(level.tags.len() == level.trees.len() * ways.count);
            assert!(level.trees.len().is_power_of_two());
        }
        assert!(caches.sectors.len() == caches.second.tags.len());
        assert!(*caches.next_store < STORES);
        assert!(guest.memory.bytes.len() <= guest.memory.written.len() * PAGE_BYTES);
        assert!(guest.memory.bytes.len() >= LINE_BYTES as usize);
        assert!(guest.clock.window.len() > WINDOW + MOST_STEPS);
        assert!((WINDOW..=guest.clock.window.len()).contains(&*guest.clock.next));
        let exit = self.host.run(self.known.entries(), &mut guest);
        self.executed += guest.counts.instructions;
        exit
    }
}

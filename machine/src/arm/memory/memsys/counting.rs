// SPDX-License-Identifier: Apache-2.0
//! Tallies that are kept by difference: cycles, and the look-ups that every instruction fetch and every
//! hinted access makes. They are brought up to date when somebody looks.

use serde::{Deserialize, Serialize};

use crate::arm::isa::control;
use crate::counters::Tally;
use crate::event::Cycle;

use super::MemSys;

/// When the tallies were last brought up to date. A saved machine has these in this order.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Synced {
    /// Of [`crate::platform::Platform`].
    pub cycle: Cycle,
    /// Instructions fetched till then.
    pub instructions: u64,
    /// Instruction fetches since then that did not look into the instruction cache.
    pub uncached_fetches: u64,
}

impl MemSys {
    /// Brings the tallies that are kept by difference up to date: cycles, and the lookups that
    /// every instruction fetch makes.
    pub fn sync_counters(&mut self) {
        let pending = self.pending();
        self.platform.counters.catch_up(&pending);
        self.synced.uncached_fetches -= pending.run.instructions - pending.icache.accesses;
        self.synced.cycle = self.platform.cycle;
        self.synced.instructions = self.platform.counters.fetches;
    }

    /// What is to be added to the tallies to bring them up to date.
    #[inline(always)]
    fn pending(&self) -> Tally {
        let fetches = self.platform.counters.fetches - self.synced.instructions;
        let (reads, writes) = (
            self.platform.counters.hinted_reads,
            self.platform.counters.hinted_writes,
        );
        let translated = self.registers.control & control::M != 0;
        let mut tally = Tally::default();
        tally.run.cycles = self.platform.cycle - self.synced.cycle;
        tally.run.instructions = fetches;
        tally.icache.accesses = fetches - self.synced.uncached_fetches.min(fetches);
        tally.itlb.accesses = if translated { fetches } else { 0 };
        tally.dcache.reads = reads;
        tally.dcache.writes = writes;
        // Hints are only for cacheable pages, and without translation there are none.
        tally.dtlb.accesses = reads + writes;
        tally
    }

    /// Everything counted so far, user and kernel together. For observers.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let mut tally = self.platform.counters.counted();
        tally += self.pending();
        tally
    }
}

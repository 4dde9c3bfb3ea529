// SPDX-License-Identifier: Apache-2.0
//! Tallies that are kept by difference: cycles, and the look-ups that every instruction fetch and every
//! hinted access makes. They are brought up to date when somebody looks.

use serde::{Deserialize, Serialize};

use crate::counters::Tally;
use crate::event::Cycle;

use super::MemSys;

/// When the tallies were last brought up to date.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Synced {
    /// Of [`crate::platform::Platform`].
    pub cycle: Cycle,
    /// Instructions fetched till then.
    pub instructions: u64,
}

impl MemSys {
    /// Brings the tallies that are kept by difference up to date.
    pub fn sync_counters(&mut self) {
        let pending = self.pending();
        self.platform.counters.catch_up(&pending);
        self.synced.cycle = self.platform.cycle;
        self.synced.instructions = self.platform.counters.fetches;
    }

    /// What is to be added to the tallies to bring them up to date.
    #[inline(always)]
    fn pending(&self) -> Tally {
        let counters = &self.platform.counters;
        let fetches = counters.fetches - self.synced.instructions;
        let (reads, writes) = (counters.hinted_reads, counters.hinted_writes);
        let mut tally = Tally::default();
        tally.run.cycles = self.platform.cycle - self.synced.cycle;
        tally.run.instructions = fetches;
        tally.icache.accesses = fetches;
        if self.translates_fetches() {
            tally.itlb.accesses = fetches;
        }
        tally.dcache.reads = reads;
        tally.dcache.writes = writes;
        if self.translates_data() {
            tally.dtlb.accesses = reads + writes;
        }
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

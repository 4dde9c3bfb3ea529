// SPDX-License-Identifier: Apache-2.0
//! Counters, kept by privilege (user, kernel), by region of interest and, for events that the
//! guest defines, by number.
//!
//! The model increments the plain fields of [`Counters::now`]; what has accumulated there is
//! credited to the privilege at each change of privilege ([`Counters::switch_privilege`]) and to
//! regions by difference, so counting costs one addition and nothing else.

mod tally;

use std::collections::BTreeMap;
use std::ops::Sub;

use serde::{Deserialize, Serialize};

use crate::event::Cycle;

pub use self::tally::*;

/// Who runs: the index of the tallies by privilege.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Privilege {
    /// User mode.
    User = 0,
    /// Every other mode.
    Kernel = 1,
}

/// Tallies by privilege, and guest-defined events by number.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// By [`Privilege`].
    pub by_privilege: [Tally; 2],
    /// Guest-defined events.
    pub events: BTreeMap<u32, u64>,
}

impl Totals {
    /// User and kernel together.
    #[must_use]
    pub fn sum(&self) -> Tally {
        let mut sum = self.by_privilege[0];
        sum += self.by_privilege[1];
        sum
    }

    fn since(&self, start: &Self) -> Self {
        let mut events = self.events.clone();
        for (id, count) in &start.events {
            *events.entry(*id).or_default() -= count;
        }
        events.retain(|_, count| *count != 0);
        Self {
            by_privilege: [
                self.by_privilege[0] - start.by_privilege[0],
                self.by_privilege[1] - start.by_privilege[1],
            ],
            events,
        }
    }

    fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.by_privilege.iter_mut().zip(other.by_privilege) {
            *mine += theirs;
        }
        for (id, count) in &other.events {
            *self.events.entry(*id).or_default() += count;
        }
    }
}

/// Cycles that the processor has waited, by what for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stalls {
    /// For line fills.
    pub fill: Cycle,
    /// In table walks.
    pub walk: Cycle,
    /// For the write buffer.
    pub write_buffer: Cycle,
    /// For an interrupt.
    pub idle: Cycle,
}

impl Sub for Stalls {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self {
            fill: self.fill - other.fill,
            walk: self.walk - other.walk,
            write_buffer: self.write_buffer - other.write_buffer,
            idle: self.idle - other.idle,
        }
    }
}

/// What one region of interest has accumulated.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Region {
    /// How often it was entered.
    pub entries: u64,
    /// What was counted inside.
    pub totals: Totals,
    start: Option<Totals>,
}

/// All counters of a machine.
#[derive(Debug, Clone, Default)]
pub struct Counters {
    /// Counted since the last change of privilege; the model increments these.
    pub now: Tally,
    /// Instructions fetched since reset. The core counts here, once an instruction; the tallies
    /// that follow from it are brought up to date by `MemSys::sync_counters`.
    pub fetches: u64,
    /// Cached data reads and writes that needed no lookup, since the last time that
    /// `MemSys::sync_counters` credited them.
    pub hinted_reads: u64,
    /// The writes.
    pub hinted_writes: u64,
    /// The counters that the architecture brings.
    pub own: &'static [Counter],
    privilege: usize,
    totals: Totals,
    regions: BTreeMap<u32, Region>,
}

impl Counters {
    /// Counters of a machine that starts in a privileged mode.
    #[must_use]
    pub fn new() -> Self {
        Self {
            privilege: Privilege::Kernel as usize,
            ..Self::default()
        }
    }

    /// Credits what was counted to the privilege that ran, and goes on with `next`.
    pub fn switch_privilege(&mut self, next: Privilege) {
        self.settle();
        self.privilege = next as usize;
    }

    /// Everything counted so far.
    pub fn totals(&mut self) -> &Totals {
        self.settle();
        &self.totals
    }

    /// Everything counted so far, user and kernel together, but for what is kept by difference
    /// ([`Memory::tally`](crate::observe::Memory::tally) has that too).
    #[must_use]
    pub fn counted(&self) -> Tally {
        let mut sum = self.totals.sum();
        sum += self.now;
        sum
    }

    /// What the processor has waited for so far.
    #[must_use]
    pub fn stalls(&self) -> Stalls {
        let [user, kernel] = &self.totals.by_privilege;
        let sum = |part: fn(&Tally) -> u64| part(user) + part(kernel) + part(&self.now);
        Stalls {
            fill: sum(|t| t.stall.fill),
            walk: sum(|t| t.stall.walk),
            write_buffer: sum(|t| t.stall.write_buffer),
            idle: sum(|t| t.run.idle),
        }
    }

    /// The counter that a guest chooses by `number`.
    #[must_use]
    pub fn numbered(&self, number: u32) -> Option<&'static Counter> {
        let mut counters = Tally::COUNTERS.iter().chain(self.own);
        counters.find(|counter| counter.number == number)
    }

    /// The region of interest that is entered; of several the one with the highest number.
    #[must_use]
    pub fn open_region(&self) -> Option<u32> {
        self.open_regions().last()
    }

    /// The regions of interest that are entered.
    pub fn open_regions(&self) -> impl Iterator<Item = u32> + '_ {
        let open = self.regions.iter().filter(|(_, r)| r.start.is_some());
        open.map(|(&id, _)| id)
    }

    /// How often a guest-defined event has happened.
    #[must_use]
    pub fn events(&self, id: u32) -> u64 {
        self.totals.events.get(&id).copied().unwrap_or(0)
    }

    /// Counts a guest-defined event.
    pub fn count_event(&mut self, id: u32) {
        *self.totals.events.entry(id).or_default() += 1;
    }

    /// Enters region of interest `id`; nothing happens when inside already.
    pub fn begin_region(&mut self, id: u32) {
        self.settle();
        let region = self.regions.entry(id).or_default();
        if region.start.is_none() {
            region.entries += 1;
            region.start = Some(self.totals.clone());
        }
    }

    /// Leaves region of interest `id`; nothing happens when outside.
    pub fn end_region(&mut self, id: u32) {
        self.settle();
        if let Some(region) = self.regions.get_mut(&id) {
            if let Some(start) = region.start.take() {
                region.totals.add(&self.totals.since(&start));
            }
        }
    }

    /// The regions by number; one that is still open is credited up to now.
    #[must_use]
    pub fn regions(&mut self) -> BTreeMap<u32, Region> {
        let open: Vec<u32> = self
            .regions
            .iter()
            .filter(|(_, region)| region.start.is_some())
            .map(|(id, _)| *id)
            .collect();
        for id in open {
            self.end_region(id);
        }
        self.regions.clone()
    }

    /// Adds what was not counted one by one since this was last done: cycles, instructions, lookups.
    /// (Field by field: devices are met often, and most fields are zero.)
    #[inline]
    pub fn catch_up(&mut self, pending: &Tally) {
        let now = &mut self.now;
        now.run.cycles += pending.run.cycles;
        now.run.instructions += pending.run.instructions;
        now.icache.accesses += pending.icache.accesses;
        now.itlb.accesses += pending.itlb.accesses;
        now.dcache.reads += pending.dcache.reads;
        now.dcache.writes += pending.dcache.writes;
        now.dtlb.accesses += pending.dtlb.accesses;
        self.hinted_reads = 0;
        self.hinted_writes = 0;
    }

    fn settle(&mut self) {
        self.totals.by_privilege[self.privilege] += std::mem::take(&mut self.now);
    }
}

crate::saved!(Counters { now, fetches, hinted_reads, hinted_writes, privilege, totals, regions }
given { own }
if Counters::plausible);

impl Counters {
    /// Whether sums and differences of these can be computed: nothing has run backwards, and no
    /// count is near the end of its range. Called for counters that were read from a file.
    fn plausible(&self) -> bool {
        let small = |totals: &Totals| {
            let tallies = totals.by_privilege.iter().flat_map(Tally::values);
            tallies
                .chain(totals.events.values().copied())
                .all(|count| count < 1 << 56)
        };
        let later = |end: &Totals, start: &Totals| {
            let mut pairs = end.by_privilege.iter().zip(&start.by_privilege);
            let event = |id| end.events.get(id).copied().unwrap_or(0);
            pairs.all(|(e, s)| e.values().zip(s.values()).all(|(e, s)| e >= s))
                && start.events.iter().all(|(id, count)| event(id) >= *count)
        };
        self.privilege < 2
            && [self.fetches, self.hinted_reads, self.hinted_writes]
                .iter()
                .all(|n| *n < 1 << 56)
            && self.now.values().all(|count| count < 1 << 56)
            && small(&self.totals)
            && self.regions.values().all(|region| {
                let start = region.start.as_ref();
                small(&region.totals) && start.is_none_or(|start| later(&self.totals, start))
            })
    }
}

// SPDX-License-Identifier: Apache-2.0
//! The profile (`--profile`): where the cycles of regions of interest went, by function and cause.
//!
//! Exact, not sampled: each cycle between two instructions' ends is the later one's, and what it
//! waited for in it is told apart by when it happened: up to the fetch's end it was the fetch's
//! wait, after it the data access's. The sums over a region are its counters, but for the
//! instruction that entered it. Cycles slept through are no instruction's, and are left out.
//!
//! `--counts` writes the same by instruction, for tools that decide where code is to lie. [`calls`] has
//! it by who called whom, which [`export`] writes as Speedscope and callgrind know it, and [`table`]
//! for a terminal; these have the whole run if no region is entered.

pub mod calls;
pub mod export;
pub mod table;

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::ops::AddAssign;

use serde::Serialize;

use crate::counters::Stalls;
use crate::event::Cycle;
use crate::observe::{Access, Commit, Memory, Observer, SystemAccess};
use crate::symbols::Symbols;

use calls::{Calling, Calls};

/// What an instruction, a function or a region took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Cost {
    cycles: Cycle,
    instructions: u64,
    fetch_fill_cycles: Cycle,
    fetch_walk_cycles: Cycle,
    data_fill_cycles: Cycle,
    data_walk_cycles: Cycle,
    write_buffer_cycles: Cycle,
}

impl Cost {
    /// Of the cycles those that were waited for something, which is named.
    fn waits(&self) -> [(&'static str, Cycle); 5] {
        [
            ("(instruction line fill)", self.fetch_fill_cycles),
            ("(instruction table walk)", self.fetch_walk_cycles),
            ("(data line fill)", self.data_fill_cycles),
            ("(data table walk)", self.data_walk_cycles),
            ("(write buffer)", self.write_buffer_cycles),
        ]
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.cycles += other.cycles;
        self.instructions += other.instructions;
        self.fetch_fill_cycles += other.fetch_fill_cycles;
        self.fetch_walk_cycles += other.fetch_walk_cycles;
        self.data_fill_cycles += other.data_fill_cycles;
        self.data_walk_cycles += other.data_walk_cycles;
        self.write_buffer_cycles += other.write_buffer_cycles;
    }
}

/// An instruction of a region of interest.
#[derive(Debug, Clone, Copy, Default)]
struct Place<C> {
    cost: Cost,
    /// Its encoding when it was last fetched.
    code: C,
    /// How often its condition held: of a branch, how often it was taken.
    executed: u64,
}

/// A region of interest and its functions, as the statistics have them.
#[derive(Debug, Serialize)]
pub struct RegionProfile {
    region: u32,
    functions: Vec<FunctionProfile>,
}

#[derive(Debug, Serialize)]
struct FunctionProfile {
    name: String,
    kernel: bool,
    #[serde(flatten)]
    cost: Cost,
}

/// The instructions of a region, by address and privilege.
type Places<C> = HashMap<(u64, bool), Place<C>>;

/// Watches which instruction takes what.
#[derive(Debug)]
pub struct Profile<A: Calling> {
    symbols: Symbols,
    /// By region.
    places: BTreeMap<u32, Places<A::Code>>,
    calls: Option<Calls>,
    /// The instruction that was fetched last.
    code: A::Code,
    region: Option<u32>,
    /// Of the instruction that executes.
    now: Cost,
    privileged: bool,
    seen: Stalls,
    ended: Cycle,
}

impl<A: Calling> Profile<A> {
    /// A profile that names functions by `symbols`; with who called whom if that is `with_calls`.
    #[must_use]
    pub fn new(symbols: Symbols, with_calls: bool) -> Self {
        Self {
            calls: with_calls.then(|| Calls::new(symbols.clone())),
            code: A::Code::default(),
            symbols,
            places: BTreeMap::new(),
            region: None,
            now: Cost::default(),
            privileged: true,
            seen: Stalls::default(),
            ended: 0,
        }
    }

    /// Who called whom, if that was asked for.
    #[must_use]
    pub fn calls(&self) -> Option<&Calls> {
        self.calls.as_ref()
    }

    /// The regions by number, their functions by the cycles that they took.
    #[must_use]
    pub fn regions(&self) -> Vec<RegionProfile> {
        let functions = |places: &Places<A::Code>| {
            let mut named: BTreeMap<(String, bool), Cost> = BTreeMap::new();
            for (&(pc, kernel), place) in places {
                let unknown = if kernel { "(kernel)" } else { "(user)" };
                let name = self.symbols.find(pc).map_or(unknown, |(name, _)| name);
                *named.entry((name.to_string(), kernel)).or_default() += place.cost;
            }
            let mut all: Vec<FunctionProfile> = named
                .into_iter()
                .map(|((name, kernel), cost)| FunctionProfile { name, kernel, cost })
                .collect();
            // Stable: equal ones stay in the order of their names.
            all.sort_by_key(|function| std::cmp::Reverse(function.cost.cycles));
            all
        };
        self.places
            .iter()
            .map(|(&region, places)| RegionProfile {
                region,
                functions: functions(places),
            })
            .collect()
    }

    /// Writes a table: of each region, by address, what each instruction did and took.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_counts(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "region,kernel,address,encoding,fetched,executed,cycles,fetch_fill_cycles,data_fill_cycles"
        )?;
        for (region, places) in &self.places {
            let ordered: BTreeMap<_, _> = places.iter().collect();
            for (&(pc, kernel), place) in ordered {
                let cost = &place.cost;
                writeln!(
                    out,
                    "{region},{},{pc:#010x},{:#010x},{},{},{},{},{}",
                    u8::from(kernel),
                    place.code,
                    cost.instructions,
                    place.executed,
                    cost.cycles,
                    cost.fetch_fill_cycles,
                    cost.data_fill_cycles,
                )?;
            }
        }
        Ok(())
    }

    /// What was waited for since the last call.
    fn waited(&mut self, memory: &A::Memory) -> Stalls {
        let all = memory.platform().counters.stalls();
        let waited = all - self.seen;
        self.seen = all;
        self.now.write_buffer_cycles += waited.write_buffer;
        // No instruction's: as if the last one had ended that much later.
        self.ended += waited.idle;
        waited
    }

    fn find_region(&mut self, memory: &A::Memory) {
        self.region = memory.platform().counters.open_region();
        if let Some(calls) = &mut self.calls {
            calls.enter_region(self.region);
        }
    }

    fn waited_for_data(&mut self, memory: &A::Memory) {
        let waited = self.waited(memory);
        self.now.data_fill_cycles += waited.fill;
        self.now.data_walk_cycles += waited.walk;
    }
}

impl<A: Calling> Observer<A> for Profile<A> {
    const ON: bool = true;

    fn fetched(&mut self, memory: &A::Memory, access: &Access, code: A::Code) {
        self.code = code;
        if let Some(calls) = &mut self.calls {
            calls.fetched::<A>(memory, access.pc, access.privileged);
        }
        let waited = self.waited(memory);
        self.now.fetch_fill_cycles += waited.fill;
        self.now.fetch_walk_cycles += waited.walk;
        self.privileged = access.privileged;
    }

    fn loaded(&mut self, memory: &A::Memory, _access: &Access, _value: u32) {
        self.waited_for_data(memory);
    }

    /// A store may have been one to the probe that enters a region or leaves it.
    fn stored(&mut self, memory: &A::Memory, _access: &Access, _value: u32) {
        self.waited_for_data(memory);
        self.find_region(memory);
    }

    fn operated(&mut self, memory: &A::Memory, _access: &SystemAccess<A>) {
        self.waited_for_data(memory);
    }

    /// A fetch that aborts has waited too; that goes to the handler's first instruction.
    fn entered(&mut self, memory: &A::Memory, entry: &A::Entry) {
        self.waited_for_data(memory);
        if let Some(calls) = &mut self.calls {
            let exception = A::exception(memory, entry, self.code);
            calls.entered(exception.name, exception.pc, exception.mode);
        }
    }

    fn commit(&mut self, commit: &Commit<'_, A>) {
        let mut cost = std::mem::take(&mut self.now);
        cost.cycles = commit.cycle - self.ended;
        cost.instructions = 1;
        self.ended = commit.cycle;
        if let Some(region) = self.region {
            let places = self.places.entry(region).or_default();
            let place = places.entry((commit.pc, self.privileged)).or_default();
            place.cost += cost;
            place.code = commit.code;
            place.executed += u64::from(commit.executed);
        }
        if let Some(calls) = &mut self.calls {
            calls.commit(commit, cost);
        }
    }

    fn restored(&mut self, memory: &A::Memory) {
        let platform = memory.platform();
        self.seen = platform.counters.stalls();
        self.ended = platform.cycle;
        if let Some(calls) = &mut self.calls {
            calls.forget();
        }
        self.find_region(memory);
    }
}

// SPDX-License-Identifier: Apache-2.0
//! A window of a run (`--window`): what each instruction between two moments has done to the
//! registers, the caches, the TLBs and the page directory, and what it has cost and why.
//!
//! It holds what there was at its beginning and, for each step, what has changed since the one
//! before; so whoever reads it can go forward and back. A step is an instruction, or an exception that
//! none has taken: an interrupt, or the abort of a fetch. What has changed is found by looking, after
//! each step, at everything there is; so nothing can be forgotten, whatever the memory system does.
//! Outside the window only the moments are looked for.
//!
//! `switchyard explore` makes a page of it. The file is one JSON object, which [`Record`] describes.

pub mod moment;

use std::io::{self, Write};

use serde::Serialize;

use crate::counters::{Counter, Stalls, Tally};
use crate::dev::probe::EVENTS;
use crate::event::Cycle;
use crate::observe::{Access, Commit, Memory, Observer, Word};
use crate::trace::{Argument, Exception, Timeline};

use moment::{Seen, Way};

/// Version of the file's format; `switchyard/show/explore/window.py` reads it.
const SCHEMA: u32 = 1;
/// Most columns of a table.
const COLUMNS: usize = 6;

/// What a place of a table holds, if anything: a value for each column.
pub type Row<W> = Option<[W; COLUMNS]>;

/// A part of a machine that holds things in places: a cache, a TLB, a page directory.
#[derive(Debug, Clone, Serialize)]
pub struct Table {
    /// What it is called.
    pub name: &'static str,
    /// `cache`, `tlb` or `directory`.
    pub kind: &'static str,
    /// How many sets it has; a place is `set * ways + way`.
    pub sets: usize,
    /// How many places a set has.
    pub ways: usize,
    /// Bytes of addresses that a place stands for; 0 if places differ.
    pub unit: u32,
    /// What the values of a place are. The first is its address, a `physical` one where the table goes
    /// by those.
    pub columns: &'static [&'static str],
}

/// What a window shows of an architecture.
pub trait Windowed: Timeline {
    /// What an instruction waits for before it issues, if for nothing in memory.
    const BEFORE_ISSUE: &'static str;
    /// Registers of the system that are shown.
    const SYSTEM: &'static [&'static str];

    /// What they hold.
    fn system(memory: &Self::Memory) -> Vec<Self::Word>;

    /// The tables, in their order.
    fn tables(memory: &Self::Memory) -> Vec<Table>;

    /// Appends what each place of table number `table` holds.
    fn rows(memory: &Self::Memory, table: usize, rows: &mut Vec<Row<Self::Word>>);

    /// The address by which caches and TLBs know `va`.
    fn tagged(memory: &Self::Memory, va: u64) -> u64;
}

/// Every counter: those of all architectures, and those that `A` brings.
fn counters<A: Windowed>() -> impl Iterator<Item = &'static Counter> {
    Tally::COUNTERS.iter().chain(A::OWN_COUNTERS)
}

/// Everything that is shown, at one time.
#[derive(Debug, Clone, Default)]
struct Picture<W> {
    cycle: Cycle,
    /// The status register after all others.
    registers: Vec<W>,
    system: Vec<W>,
    tables: Vec<Vec<Row<W>>>,
    stalls: Stalls,
    tally: Tally,
    regions: Vec<u32>,
    events: Vec<u64>,
    samples: usize,
}

/// The beginning of a window, as it is written.
#[derive(Debug, Serialize)]
struct Start<W> {
    cycle: Cycle,
    /// Whether a program runs.
    user: bool,
    /// The status register after all others.
    registers: Vec<W>,
    system: Vec<W>,
    /// Table, place and values of all places that hold something.
    places: Vec<Vec<u64>>,
    regions: Vec<u32>,
}

/// One step, as it is written; what is empty is left out.
#[derive(Debug, Default, Serialize)]
struct Step<W> {
    /// The cycle at which it was done.
    cycle: Cycle,
    pc: u64,
    /// The encoding; empty for an exception that no instruction took.
    #[serde(skip_serializing_if = "String::is_empty")]
    code: String,
    /// Whether its condition failed.
    #[serde(skip_serializing_if = "is_false")]
    skipped: bool,
    /// Whether a program runs after it.
    #[serde(skip_serializing_if = "is_false")]
    user: bool,
    /// Cycles that it has waited, before it issued and by what for ([`CAUSES`]).
    #[serde(skip_serializing_if = "all_zero")]
    waited: [Cycle; 1 + CAUSES.len()],
    /// Counters that have moved, by their place in the list, and by how much.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    counted: Vec<(usize, u64)>,
    /// Registers that were changed: number and value, the status register after all others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    registers: Vec<(usize, W)>,
    /// Registers of the system that were changed: number and value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<(usize, W)>,
    /// Data accesses: 1 for a store, the address as caches know it, the value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    accesses: Vec<(u8, u64, u32)>,
    /// Places that were changed: table, place, and what is there now, if anything.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    places: Vec<Vec<u64>>,
    /// The exception that was taken, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    exception: Option<Taken>,
    /// What the guest has told the probe, as moments are named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    marks: Vec<String>,
}

/// An exception.
#[derive(Debug, Serialize)]
struct Taken {
    name: &'static str,
    pc: u64,
    /// More about it, by name.
    arguments: Vec<(&'static str, String)>,
}

/// What cycles are waited for in memory: lines and translations for the fetch of an instruction and for
/// its data, room in the write buffer; and an interrupt.
const CAUSES: [&str; 6] = [
    "fetch_fill",
    "fetch_walk",
    "data_fill",
    "data_walk",
    "write_buffer",
    "idle",
];

/// The file.
#[derive(Debug, Serialize)]
struct Record<'a, W> {
    schema: u32,
    machine: &'a str,
    clock_hz: u64,
    /// Whether it ends where it was to end.
    complete: bool,
    causes: Vec<&'static str>,
    counters: Vec<&'static str>,
    registers: Vec<&'static str>,
    system: &'static [&'static str],
    tables: &'a [Table],
    start: Option<&'a Start<W>>,
    steps: &'a [Step<W>],
}

/// Where a window is to begin and to end.
#[derive(Debug, Clone)]
pub struct Plan {
    /// It begins after the last of these.
    pub from: Way,
    /// It is thrown away, and the next one begun, if these do not come within it.
    pub having: Way,
    /// It ends after the last of these.
    pub to: Way,
    /// It ends after so many steps all the same.
    pub most: usize,
}

/// Where the run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Before,
    Within,
    Behind,
}

/// Watches for a window, and keeps it.
pub struct Window<A: Windowed> {
    machine: String,
    clock_hz: u64,
    plan: Plan,
    phase: Phase,
    complete: bool,
    /// Whether what the window is to have has come.
    had: bool,
    tables: Vec<Table>,
    start: Option<Start<A::Word>>,
    steps: Vec<Step<A::Word>>,
    last: Picture<A::Word>,
    /// The instruction that executes: since when, and its stalls up to then.
    issued: Option<(Cycle, Stalls)>,
    code: A::Code,
    accesses: Vec<(u8, u64, u32)>,
    taken: Option<Taken>,
}

impl<A: Windowed> Window<A> {
    /// One of `machine`, whose cycles are those of `clock_hz`.
    #[must_use]
    pub fn new(machine: &str, clock_hz: u64, plan: Plan) -> Self {
        Self {
            machine: machine.to_string(),
            clock_hz,
            plan,
            phase: Phase::Before,
            complete: false,
            had: false,
            tables: Vec::new(),
            start: None,
            steps: Vec::new(),
            last: Picture::default(),
            issued: None,
            code: A::Code::default(),
            accesses: Vec::new(),
            taken: None,
        }
    }

    /// Whether it is over, so that the run may end.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.phase == Phase::Behind
    }

    /// Why there is none, if the run is over.
    #[must_use]
    pub fn missed(&self) -> Option<String> {
        let (from, having) = (&self.plan.from, &self.plan.having);
        if self.phase == Phase::Behind || self.phase == Phase::Within && self.had {
            return None;
        }
        Some(if self.start.is_some() {
            let (passed, all) = (having.passed(), having.len());
            format!("--having: no window had what it was to have: {passed} of {all} moments came in the last")
        } else {
            let (passed, all) = (from.passed(), from.len());
            format!("--from: the window did not begin: {passed} of {all} moments came")
        })
    }

    /// Writes it.
    ///
    /// # Errors
    /// That of writing.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut registers = A::REGISTERS.to_vec();
        registers.push(A::STATUS);
        let record = Record {
            schema: SCHEMA,
            machine: &self.machine,
            clock_hz: self.clock_hz,
            complete: self.complete,
            causes: [&[A::BEFORE_ISSUE], &CAUSES[..]].concat(),
            counters: counters::<A>().map(|counter| counter.name).collect(),
            registers,
            system: A::SYSTEM,
            tables: &self.tables,
            start: self.start.as_ref(),
            steps: &self.steps,
        };
        serde_json::to_writer(&mut *out, &record)?;
        writeln!(out)
    }

    /// After an instruction or an exception: does the window begin or end here?
    fn look(&mut self, memory: &A::Memory, seen: &Seen) {
        if self.phase == Phase::Within {
            self.had |= self.plan.having.look(seen);
            let ended = !self.plan.to.is_empty() && self.plan.to.look(seen);
            let full = self.steps.len() >= self.plan.most;
            if !ended && !full {
                self.plan.from.follow(seen);
                return;
            }
            if self.had {
                self.phase = Phase::Behind;
                self.complete = ended;
                return;
            }
            self.phase = Phase::Before; // and the next one may begin here
        }
        if self.phase == Phase::Before && self.plan.from.look(seen) {
            self.begin(memory, seen);
        }
    }

    /// The window begins.
    fn begin(&mut self, memory: &A::Memory, seen: &Seen) {
        self.phase = Phase::Within;
        let Plan {
            from, having, to, ..
        } = &mut self.plan;
        // For another one, should this not have what it is to have.
        from.expect_last(seen);
        having.begin(0, seen);
        to.begin(0, seen);
        self.had = having.is_empty();
        self.tables = A::tables(memory);
        let registers = std::mem::take(&mut self.last.registers);
        self.last = picture::<A>(memory, self.tables.len(), registers);
        self.steps.clear();
        let places = self.last.tables.iter().enumerate().flat_map(|(n, rows)| {
            let columns = self.tables[n].columns.len();
            let held = rows.iter().enumerate().filter(|(_, row)| row.is_some());
            held.map(move |(place, row)| change(n, place, row, columns))
        });
        self.start = Some(Start {
            cycle: self.last.cycle,
            user: seen.user,
            registers: self.last.registers.clone(),
            system: self.last.system.clone(),
            places: places.collect(),
            regions: self.last.regions.clone(),
        });
    }

    /// Appends a step: what has changed since the last one.
    fn step(&mut self, mut step: Step<A::Word>, now: Picture<A::Word>) {
        let issued = self.issued.take();
        let stalls = now.stalls - self.last.stalls;
        let (before, at_fetch) = match issued {
            Some((cycle, fetched)) => (cycle - self.last.cycle, fetched - self.last.stalls),
            None => (0, Stalls::default()),
        };
        let explained = at_fetch.fill + at_fetch.walk + at_fetch.write_buffer + at_fetch.idle;
        step.waited = [
            // It issues in one cycle.
            before.saturating_sub(explained + 1),
            at_fetch.fill,
            at_fetch.walk,
            stalls.fill - at_fetch.fill,
            stalls.walk - at_fetch.walk,
            stalls.write_buffer,
            stalls.idle,
        ];
        step.cycle = now.cycle;
        let tally = now.tally - self.last.tally;
        for (n, counter) in counters::<A>().enumerate() {
            let moved = (counter.of)(&tally);
            if moved != 0 && counter.group != "run" && counter.group != "stall" {
                step.counted.push((n, moved));
            }
        }
        step.registers = changed(&self.last.registers, &now.registers);
        step.system = changed(&self.last.system, &now.system);
        for (n, (was, is)) in self.last.tables.iter().zip(&now.tables).enumerate() {
            let columns = self.tables[n].columns.len();
            for (place, (old, new)) in was.iter().zip(is).enumerate() {
                if old != new {
                    step.places.push(change(n, place, new, columns));
                }
            }
        }
        for id in now
            .regions
            .iter()
            .filter(|id| !self.last.regions.contains(id))
        {
            step.marks.push(format!("region:{id}"));
        }
        for id in self
            .last
            .regions
            .iter()
            .filter(|id| !now.regions.contains(id))
        {
            step.marks.push(format!("end of region:{id}"));
        }
        for (id, _) in changed(&self.last.events, &now.events) {
            step.marks.push(format!("event:{id}"));
        }
        if now.samples != self.last.samples {
            step.marks.push("sample".to_string());
        }
        self.steps.push(step);
        self.last = now;
    }
}

/// The machine as it is.
fn picture<A: Windowed>(
    memory: &A::Memory,
    tables: usize,
    registers: Vec<A::Word>,
) -> Picture<A::Word> {
    let platform = memory.platform();
    let rows = (0..tables).map(|table| {
        let mut rows = Vec::new();
        A::rows(memory, table, &mut rows);
        rows
    });
    let samples = platform.bus.host.samples.values();
    Picture {
        cycle: platform.cycle,
        registers,
        system: A::system(memory),
        tables: rows.collect(),
        stalls: platform.counters.stalls(),
        tally: memory.tally(),
        regions: platform.counters.open_regions().collect(),
        events: (0..EVENTS).map(|id| platform.counters.events(id)).collect(),
        samples: samples.map(Vec::len).sum(),
    }
}

/// Table, place and what is there now.
fn change<W: Word>(table: usize, place: usize, row: &Row<W>, columns: usize) -> Vec<u64> {
    let mut values = vec![table as u64, place as u64];
    let held = row.iter().flat_map(|row| &row[..columns]);
    values.extend(held.map(|&value| value.into()));
    values
}

/// Numbers and new values of those that differ.
fn changed<T: Copy + PartialEq>(before: &[T], after: &[T]) -> Vec<(usize, T)> {
    let pairs = before.iter().zip(after).enumerate();
    pairs
        .filter(|(_, (old, new))| old != new)
        .map(|(n, (_, new))| (n, *new))
        .collect()
}

fn is_false(value: &bool) -> bool {
    !value
}

fn all_zero(values: &[Cycle]) -> bool {
    values.iter().all(|&value| value == 0)
}

fn in_words(exception: Exception) -> Taken {
    let arguments = exception.arguments.into_iter().map(|(name, argument)| {
        let value = match argument {
            Argument::Number(number) => number.to_string(),
            Argument::Address(address) => format!("{address:#010x}"),
            Argument::Text(text) => text,
        };
        (name, value)
    });
    Taken {
        name: exception.name,
        pc: exception.pc,
        arguments: arguments.collect(),
    }
}

impl<A: Windowed> Observer<A> for Window<A> {
    const ON: bool = true;

    fn fetched(&mut self, memory: &A::Memory, access: &Access, code: A::Code) {
        self.code = code;
        self.issued = Some((access.cycle, memory.platform().counters.stalls()));
        self.accesses.clear();
    }

    fn loaded(&mut self, memory: &A::Memory, access: &Access, value: u32) {
        if self.phase == Phase::Within {
            let address = A::tagged(memory, access.va);
            self.accesses.push((0, address, value));
        }
    }

    fn stored(&mut self, memory: &A::Memory, access: &Access, value: u32) {
        if self.phase == Phase::Within {
            let address = A::tagged(memory, access.va);
            self.accesses.push((1, address, value));
        }
    }

    fn entered(&mut self, memory: &A::Memory, entry: &A::Entry) {
        let taken = in_words(A::exception(memory, entry, self.code));
        if self.issued.is_some() {
            self.taken = Some(taken); // by the instruction, which is not done yet
            return;
        }
        let (name, pc) = (taken.name, taken.pc);
        if self.phase == Phase::Within {
            let registers = self.last.registers.clone(); // the next step has what it did to them
            let now = picture::<A>(memory, self.tables.len(), registers);
            let step = Step {
                pc,
                exception: Some(taken),
                ..Step::default()
            };
            self.step(step, now);
        }
        let seen = Seen {
            platform: memory.platform(),
            next_pc: None,
            user: false,
            exception: Some(name),
        };
        self.look(memory, &seen);
    }

    fn commit(&mut self, commit: &Commit<'_, A>) {
        if self.phase == Phase::Behind {
            return;
        }
        let memory = commit.memory;
        let taken = self.taken.take();
        let name = taken.as_ref().map(|taken| taken.name);
        let user = A::is_user(commit.mode);
        let registers = commit.registers[..A::REGISTERS.len()].iter();
        let registers = registers.copied().chain([commit.status]);
        if self.phase == Phase::Within {
            let now = picture::<A>(memory, self.tables.len(), registers.collect());
            let step = Step {
                pc: commit.pc,
                code: commit.code.to_string(),
                skipped: !commit.executed,
                user,
                accesses: std::mem::take(&mut self.accesses),
                exception: taken,
                ..Step::default()
            };
            self.step(step, now);
        } else {
            self.last.registers.clear();
            self.last.registers.extend(registers);
        }
        self.issued = None;
        let seen = Seen {
            platform: memory.platform(),
            next_pc: Some(commit.next_pc),
            user,
            exception: name,
        };
        self.look(memory, &seen);
    }
}

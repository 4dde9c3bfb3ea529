// SPDX-License-Identifier: Apache-2.0
//! The timeline (`--trace`), which ui.perfetto.dev opens: exceptions from entry to return, what
//! decides where accesses go (address space, domain access), maintenance of caches and TLBs, regions of
//! interest, the function that runs, and rates sampled from the counters. A name comes from a symbol
//! where there is one. What of this is an architecture's it says by [`Timeline`].
//!
//! What is an event here is counted too: a track has as many exceptions, writes and operations as
//! the counters of those names say. The rest is sampled: rates each [`RATES_US`], the function that
//! runs each [`FUNCTION_US`] microseconds of the machine's time.

mod packet;
mod writer;

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::counters::{Counter, Tally};
use crate::dev::{Mark, MarkKind};
use crate::event::Cycle;
use crate::observe::{Access, Commit, Memory, Observed, Observer, SystemAccess};
use crate::symbols::Symbols;

use packet::Type;
use writer::{Event, Name, Track, Writer};

pub use writer::Argument;

/// Microseconds between two samples of the rates.
const RATES_US: u64 = 100;
/// Microseconds between two looks at which function runs.
const FUNCTION_US: u64 = 10;
/// Operations that follow each other within so many cycles are one slice.
const RUN_CYCLES: Cycle = 100;
/// Deepest nesting of exceptions that is shown.
const DEEPEST: usize = 32;

/// What a timeline shows of an architecture.
pub trait Timeline: Observed {
    /// What decides where accesses go and whether they may, a track each.
    const SETTINGS: &'static [&'static str];
    /// The counters of maintenance of caches and TLBs.
    const MAINTENANCE: &'static [Counter];
    /// What is sampled.
    const RATES: &'static [Rate];
    /// Most bytes of an instruction.
    const LONGEST_INSN: u64;

    /// What the setting of this number is now, by name.
    fn setting(memory: &Self::Memory, number: usize) -> String;

    /// Which setting an operation has changed, and the name of the register.
    fn written(memory: &Self::Memory, what: &Self::Operation) -> Option<(usize, &'static str)>;

    /// Whether an instruction may return from an exception.
    fn may_return(code: Self::Code) -> bool;

    /// Whether a mode, as in [`Commit::mode`], is a program's.
    fn is_user(mode: u32) -> bool;

    /// An exception; `code` was fetched last before it.
    fn exception(memory: &Self::Memory, entry: &Self::Entry, code: Self::Code) -> Exception;
}

/// A sampled rate: its track, its unit, and the two sums whose quotient it is, times a factor.
pub struct Rate {
    /// The track.
    pub name: &'static str,
    /// The unit.
    pub unit: &'static str,
    /// The factor.
    pub factor: f64,
    /// The sum that is divided.
    pub part: fn(&Tally) -> u64,
    /// The sum that it is divided by.
    pub whole: fn(&Tally) -> u64,
}

impl Rate {
    /// Lookups of the instruction cache that missed.
    pub const INSN_CACHE_MISSES: Self = Self::percent(
        "instruction cache misses",
        "% of fetches",
        |t| t.icache.misses,
        |t| t.icache.accesses,
    );
    /// Lookups of the data cache that missed.
    pub const DATA_CACHE_MISSES: Self = Self::percent(
        "data cache misses",
        "% of accesses",
        |t| t.dcache.read_misses + t.dcache.write_misses,
        |t| t.dcache.reads + t.dcache.writes,
    );
    /// Lookups of the instruction TLB that missed.
    pub const INSN_TLB_MISSES: Self = Self::percent(
        "instruction TLB misses",
        "% of fetches",
        |t| t.itlb.misses,
        |t| t.itlb.accesses,
    );
    /// Lookups of the data TLB that missed.
    pub const DATA_TLB_MISSES: Self = Self::percent(
        "data TLB misses",
        "% of accesses",
        |t| t.dtlb.misses,
        |t| t.dtlb.accesses,
    );
    /// Instructions a cycle.
    pub const INSTRUCTIONS: Self = Self {
        name: "instructions",
        unit: "a cycle",
        factor: 1.0,
        part: |t| t.run.instructions,
        whole: |t| t.run.cycles,
    };

    /// One in per cent.
    #[must_use]
    pub const fn percent(
        name: &'static str,
        unit: &'static str,
        part: fn(&Tally) -> u64,
        whole: fn(&Tally) -> u64,
    ) -> Self {
        Self {
            name,
            unit,
            factor: 100.0,
            part,
            whole,
        }
    }

    /// The share of cycles that are spent in something.
    #[must_use]
    pub const fn of_cycles(name: &'static str, part: fn(&Tally) -> u64) -> Self {
        Self::percent(name, "% of cycles", part, |t| t.run.cycles)
    }
}

/// An exception as a timeline shows it.
#[derive(Debug)]
pub struct Exception {
    /// Which.
    pub name: &'static str,
    /// The instruction that was interrupted, or the next to run.
    pub pc: u64,
    /// The mode that it has interrupted, as in [`Commit::mode`].
    pub mode: u32,
    /// More about it.
    pub arguments: Vec<(&'static str, Argument)>,
}

/// The tracks.
#[derive(Debug)]
struct Tracks {
    exceptions: Track,
    settings: Vec<Track>,
    maintenance: Track,
    events: Track,
    function: Track,
    rates: Vec<Track>,
}

/// An exception that has not returned.
#[derive(Debug, Clone, Copy)]
struct Frame {
    /// The instruction that was interrupted, or the next to run.
    pc: u64,
    /// The mode that it has interrupted.
    mode: u32,
}

/// Operations that follow each other.
#[derive(Debug)]
struct Run {
    /// How often each was done, in the order of [`Timeline::MAINTENANCE`].
    counts: Vec<u64>,
    first: Cycle,
    last: Cycle,
    pc: u64,
}

/// Writes the timeline.
#[derive(Debug)]
pub struct Trace<W: Write, A: Timeline> {
    out: Writer<W>,
    symbols: Symbols,
    tracks: Tracks,
    /// The last cycle that was seen.
    now: Cycle,
    /// The instruction that was fetched last.
    code: A::Code,
    frames: Vec<Frame>,
    run: Option<Run>,
    /// The counters of [`Timeline::MAINTENANCE`] as they were last.
    maintained: Vec<u64>,
    /// Whether the slices of the settings are open.
    started: bool,
    /// The function that runs, as the open slice has it.
    function: Option<String>,
    /// Since when the processor sleeps.
    asleep: Option<Cycle>,
    next_look: Cycle,
    next_rates: Cycle,
    /// Cycles of [`FUNCTION_US`] and of [`RATES_US`].
    look_every: Cycle,
    rates_every: Cycle,
    sampled: Tally,
    /// The tracks of the regions of interest, which may overlap, and whether each is open.
    regions: BTreeMap<u32, (Track, bool)>,
    /// A debugger has put the machine back to an earlier time: a timeline cannot show that.
    over: bool,
}

impl<W: Write, A: Timeline> Trace<W, A> {
    /// A timeline of `machine`, whose cycles are those of `clock_hz`.
    pub fn new(out: W, machine: &str, clock_hz: u64, symbols: Symbols) -> Self {
        let mut out = Writer::new(out, machine, clock_hz);
        let tracks = Tracks {
            function: out.track("function", None),
            exceptions: out.track("exceptions", None),
            settings: A::SETTINGS
                .iter()
                .map(|setting| out.track(setting, None))
                .collect(),
            maintenance: out.track("cache and TLB maintenance", None),
            events: out.track("events", None),
            rates: A::RATES
                .iter()
                .map(|rate| out.track(rate.name, Some(rate.unit)))
                .collect(),
        };
        let every = |us: u64| (clock_hz * us / 1_000_000).max(1);
        Self {
            out,
            symbols,
            tracks,
            now: 0,
            code: A::Code::default(),
            frames: Vec::new(),
            run: None,
            maintained: vec![0; A::MAINTENANCE.len()],
            started: false,
            function: None,
            asleep: None,
            next_look: 0,
            next_rates: 0,
            look_every: every(FUNCTION_US),
            rates_every: every(RATES_US),
            sampled: Tally::default(),
            regions: BTreeMap::new(),
            over: false,
        }
    }

    /// Ends the timeline at `cycle`.
    ///
    /// # Errors
    /// The first error that writing has met.
    pub fn finish(&mut self, cycle: Cycle) -> io::Result<()> {
        if !self.over {
            self.now = self.now.max(cycle);
            self.close();
        }
        self.out.finish()
    }

    /// Ends everything that is open.
    fn close(&mut self) {
        self.wake();
        self.end_run();
        self.unwind(0);
        if self.function.take().is_some() {
            self.end(self.tracks.function);
        }
        if std::mem::take(&mut self.started) {
            for track in self.tracks.settings.clone() {
                self.end(track);
            }
        }
        for (track, open) in std::mem::take(&mut self.regions).into_values() {
            if open {
                self.end(track);
            }
        }
    }

    /// What it was written to, once it has ended.
    pub fn into_inner(self) -> W {
        self.out.into_inner()
    }

    fn begin(
        &mut self,
        track: Track,
        category: &'static str,
        name: Name,
        arguments: Vec<(&'static str, Argument)>,
    ) {
        let event = Event {
            kind: Type::Begin,
            track,
            category,
            name,
            arguments,
        };
        self.out.event(self.now, event);
    }

    fn end(&mut self, track: Track) {
        self.end_at(self.now, track);
    }

    fn end_at(&mut self, cycle: Cycle, track: Track) {
        let event = Event {
            kind: Type::End,
            track,
            category: "",
            name: Name::None,
            arguments: Vec::new(),
        };
        self.out.event(cycle, event);
    }

    /// An address, and the function there if it has a name.
    fn place(&self, label: &'static str, address: u64) -> Vec<(&'static str, Argument)> {
        let mut arguments = vec![(label, Argument::Address(address))];
        if let Some((name, _)) = self.symbols.find(address) {
            arguments.push(("function", Argument::Text(name.to_string())));
        }
        arguments
    }

    // ---- exceptions ------------------------------------------------------------------------

    /// Ends the slices of all exceptions but the first `left`.
    fn unwind(&mut self, left: usize) {
        while self.frames.len() > left {
            self.frames.pop();
            self.end(self.tracks.exceptions);
        }
    }

    /// After an instruction that may have returned from an exception.
    fn returned(&mut self, commit: &Commit<'_, A>) {
        let (pc, mode) = (commit.next_pc, commit.mode);
        // Again, or after it.
        let resumed =
            |frame: &Frame| pc.wrapping_sub(frame.pc) <= A::LONGEST_INSN && frame.mode == mode;
        if A::is_user(mode) {
            self.unwind(0);
        } else if let Some(depth) = self.frames.iter().rposition(resumed) {
            self.unwind(depth);
        }
    }

    // ---- settings --------------------------------------------------------------------------

    /// The guest has written a setting (`category` says how), or nothing yet.
    fn set(&mut self, memory: &A::Memory, number: usize, category: &'static str, pc: u64) {
        let track = self.tracks.settings[number];
        if self.started {
            self.end(track);
        }
        let name = A::setting(memory, number);
        let arguments = self.place("pc", pc);
        self.begin(track, category, Name::Of(&name), arguments);
    }

    // ---- maintenance -----------------------------------------------------------------------

    /// Looks whether the last operation was maintenance.
    fn maintain(&mut self, memory: &A::Memory, pc: u64) {
        let tally = memory.tally();
        let mut counts = vec![0; A::MAINTENANCE.len()];
        for (n, counter) in A::MAINTENANCE.iter().enumerate() {
            counts[n] = (counter.of)(&tally) - self.maintained[n];
            self.maintained[n] += counts[n];
        }
        if counts.iter().all(|&count| count == 0) {
            return;
        }
        let now = self.now;
        if let Some(run) = self.run.as_mut().filter(|run| now - run.last <= RUN_CYCLES) {
            run.last = now;
            for (total, count) in run.counts.iter_mut().zip(counts) {
                *total += count;
            }
            return;
        }
        self.end_run();
        self.run = Some(Run {
            counts,
            first: now,
            last: now,
            pc,
        });
    }

    /// Writes the operations that belong together: an instant for one, else a slice.
    fn end_run(&mut self) {
        let Some(run) = self.run.take() else { return };
        let all = || A::MAINTENANCE.iter().zip(&run.counts);
        let done = || all().filter(|(_, n)| **n != 0);
        let names: Vec<&str> = done().map(|(counter, _)| counter.name).collect();
        let name = names.join(" + ");
        let mut arguments = self.place("pc", run.pc);
        arguments.extend(done().map(|(counter, n)| (counter.name, Argument::Number(*n))));
        let single = run.first == run.last;
        let event = Event {
            kind: if single { Type::Instant } else { Type::Begin },
            track: self.tracks.maintenance,
            category: "maintenance",
            name: Name::Of(&name),
            arguments,
        };
        self.out.event(run.first, event);
        if !single {
            self.end_at(run.last, self.tracks.maintenance);
        }
    }

    // ---- samples ---------------------------------------------------------------------------

    /// The processor does not sleep any more.
    fn wake(&mut self) {
        if self.asleep.take().is_some() && self.function.take().is_some() {
            self.end(self.tracks.function);
            self.next_look = self.now;
        }
    }

    fn run_function(&mut self, category: &'static str, name: &str) {
        if self.function.as_deref() == Some(name) {
            return;
        }
        if self.function.replace(name.to_string()).is_some() {
            self.end(self.tracks.function);
        }
        self.begin(self.tracks.function, category, Name::Of(name), Vec::new());
    }

    fn look(&mut self, access: &Access) {
        self.next_look = self.now + self.look_every;
        let name = self.symbols.find(access.pc).map(|(name, _)| name);
        let (category, else_name) = if access.privileged {
            ("kernel", "(kernel)")
        } else {
            ("user", "(user)")
        };
        let name = name.unwrap_or(else_name).to_string();
        self.run_function(category, &name);
    }

    fn sample(&mut self, memory: &A::Memory) {
        self.next_rates = self.now + self.rates_every;
        let tally = memory.tally();
        let window = tally - self.sampled;
        self.sampled = tally;
        for (rate, track) in A::RATES.iter().zip(self.tracks.rates.clone()) {
            let whole = (rate.whole)(&window);
            let value = match whole {
                0 => 0.0,
                _ => rate.factor * (rate.part)(&window) as f64 / whole as f64,
            };
            self.out.count(self.now, track, value);
        }
    }

    // ---- the probe -------------------------------------------------------------------------

    fn mark(&mut self, mark: &Mark) {
        let (id, enter) = match mark.kind {
            MarkKind::Begin(id) => (id, true),
            MarkKind::End(id) => (id, false),
            MarkKind::Event(id) => {
                let name = format!("event {id}");
                let event = Event {
                    kind: Type::Instant,
                    track: self.tracks.events,
                    category: "event",
                    name: Name::Of(&name),
                    arguments: Vec::new(),
                };
                return self.out.event(mark.cycle, event);
            }
        };
        let name = format!("region {id}");
        let out = &mut self.out;
        let region = self.regions.entry(id);
        let (track, open) = region.or_insert_with(|| (out.track(&name, None), false));
        if *open == enter {
            return;
        }
        *open = enter;
        let event = Event {
            kind: if enter { Type::Begin } else { Type::End },
            track: *track,
            category: "region",
            name: if enter { Name::Of(&name) } else { Name::None },
            arguments: Vec::new(),
        };
        self.out.event(mark.cycle, event);
    }

    /// Takes note of where the machine is when it is first seen.
    fn start(&mut self, memory: &A::Memory, pc: u64) {
        for number in 0..A::SETTINGS.len() {
            self.set(memory, number, "start", pc);
        }
        self.started = true;
        self.sampled = memory.tally();
        for (n, counter) in A::MAINTENANCE.iter().enumerate() {
            self.maintained[n] = (counter.of)(&self.sampled);
        }
        self.next_rates = self.now + self.rates_every;
    }
}

impl<W: Write, A: Timeline> Observer<A> for Trace<W, A> {
    const ON: bool = true;

    fn fetched(&mut self, memory: &A::Memory, access: &Access, code: A::Code) {
        if self.over {
            return;
        }
        self.now = access.cycle;
        self.code = code;
        if self.asleep.is_some() {
            self.wake();
        }
        if !self.started {
            self.start(memory, access.pc);
        }
        if self.now >= self.next_look {
            self.look(access);
        }
        if self.now >= self.next_rates {
            self.sample(memory);
        }
    }

    fn commit(&mut self, commit: &Commit<'_, A>) {
        if !self.frames.is_empty() && commit.executed && A::may_return(commit.code) {
            self.now = commit.cycle;
            self.returned(commit);
        }
    }

    fn entered(&mut self, memory: &A::Memory, entry: &A::Entry) {
        if self.over {
            return;
        }
        self.now = memory.platform().cycle;
        self.wake();
        let exception = A::exception(memory, entry, self.code);
        let mut arguments = self.place("pc", exception.pc);
        arguments.extend(exception.arguments);
        if self.frames.len() == DEEPEST {
            self.unwind(0);
        }
        self.frames.push(Frame {
            pc: exception.pc,
            mode: exception.mode,
        });
        self.begin(
            self.tracks.exceptions,
            "exception",
            Name::Of(exception.name),
            arguments,
        );
    }

    fn operated(&mut self, memory: &A::Memory, access: &SystemAccess<A>) {
        if self.over {
            return;
        }
        self.now = self.now.max(memory.platform().cycle);
        match A::written(memory, &access.what) {
            Some((number, register)) => self.set(memory, number, register, access.pc),
            None => self.maintain(memory, access.pc),
        }
        if access.sleeps {
            self.run_function("idle", "(idle)");
            self.asleep = Some(self.now);
        }
    }

    fn marked(&mut self, marks: &[Mark]) {
        if self.over {
            return;
        }
        for mark in marks {
            self.mark(mark);
        }
    }

    fn restored(&mut self, memory: &A::Memory) {
        let cycle = memory.platform().cycle;
        if cycle < self.now && !self.over {
            self.close();
            self.over = true;
        }
        self.now = cycle;
    }
}

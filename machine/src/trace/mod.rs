// SPDX-License-Identifier: Apache-2.0
//! The timeline (`--trace`), which ui.perfetto.dev opens: exceptions from entry to return, address
//! spaces and domain access, maintenance of caches and TLBs, regions of interest, the function that
//! runs, and rates sampled from the counters. A name comes from a symbol where there is one.
//!
//! What is an event here is counted too: a track has as many exceptions, writes and operations as
//! the counters of those names say. The rest is sampled: rates each [`RATES_US`], the function that
//! runs each [`FUNCTION_US`] microseconds of the machine's time.

mod packet;
mod table;
mod writer;

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::arm::core::{mode, psr, Exception};
use crate::arm::cp15;
use crate::arm::memsys::MemSys;
use crate::arm::observe::{Access, Commit, Entry, Observer, SystemAccess};
use crate::counters::Tally;
use crate::dev::{Mark, MarkKind};
use crate::event::Cycle;
use crate::symbols::Symbols;

use packet::Type;
use table::{OPERATIONS, RATES};
use writer::{Argument, Event, Name, Track, Writer};

/// Microseconds between two samples of the rates.
const RATES_US: u64 = 100;
/// Microseconds between two looks at which function runs.
const FUNCTION_US: u64 = 10;
/// Operations that follow each other within so many cycles are one slice.
const RUN_CYCLES: Cycle = 100;
/// Deepest nesting of exceptions that is shown.
const DEEPEST: usize = 32;

/// The tracks.
#[derive(Debug)]
struct Tracks {
    exceptions: Track,
    space: Track,
    dacr: Track,
    maintenance: Track,
    events: Track,
    function: Track,
    rates: Vec<Track>,
}

/// An exception that has not returned.
#[derive(Debug, Clone, Copy)]
struct Frame {
    /// The instruction that was interrupted, or the next to run.
    pc: u32,
    /// The mode that it has interrupted.
    mode: u32,
}

/// Operations that follow each other.
#[derive(Debug)]
struct Run {
    /// How often each was done, in the order of [`OPERATIONS`].
    counts: [u64; OPERATIONS.len()],
    first: Cycle,
    last: Cycle,
    pc: u32,
}

/// Writes the timeline.
#[derive(Debug)]
pub struct Trace<W: Write> {
    out: Writer<W>,
    symbols: Symbols,
    tracks: Tracks,
    /// The last cycle that was seen.
    now: Cycle,
    insn: u32,
    cpsr: u32,
    frames: Vec<Frame>,
    run: Option<Run>,
    /// The counters of [`OPERATIONS`] as they were last.
    operations: [u64; OPERATIONS.len()],
    /// TTB and PID, and DACR, as the open slices have them.
    space: Option<(u32, u32)>,
    dacr: Option<u32>,
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

impl<W: Write> Trace<W> {
    /// A timeline of `machine`, whose cycles are those of `clock_hz`.
    pub fn new(out: W, machine: &str, clock_hz: u64, symbols: Symbols) -> Self {
        let mut out = Writer::new(out, machine, clock_hz);
        let tracks = Tracks {
            function: out.track("function", None),
            exceptions: out.track("exceptions", None),
            space: out.track("address space", None),
            dacr: out.track("domain access", None),
            maintenance: out.track("cache and TLB maintenance", None),
            events: out.track("events", None),
            rates: RATES
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
            insn: 0,
            cpsr: 0,
            frames: Vec::new(),
            run: None,
            operations: [0; OPERATIONS.len()],
            space: None,
            dacr: None,
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
        for (track, open) in [
            (self.tracks.function, self.function.take().is_some()),
            (self.tracks.space, self.space.take().is_some()),
            (self.tracks.dacr, self.dacr.take().is_some()),
        ] {
            if open {
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
    fn place(&self, label: &'static str, address: u32) -> Vec<(&'static str, Argument)> {
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

    /// After an instruction that may have returned from an exception to `pc`.
    fn returned(&mut self, pc: u32) {
        let mode = self.cpsr & psr::MODE;
        // Again, or behind it.
        let resumed = |frame: &Frame| pc.wrapping_sub(frame.pc) <= 4 && frame.mode == mode;
        if mode == mode::USR {
            self.unwind(0);
        } else if let Some(depth) = self.frames.iter().rposition(resumed) {
            self.unwind(depth);
        }
    }

    // ---- address spaces --------------------------------------------------------------------

    /// The guest has written TTB or PID (`category` says which), or nothing yet.
    fn switch_space(&mut self, category: &'static str, ttb: u32, pid: u32, pc: u32) {
        if self.space.replace((ttb, pid)).is_some() {
            self.end(self.tracks.space);
        }
        let mut name = format!("ttb {ttb:08x}");
        if pid != 0 {
            name += &format!(" slot {}", pid >> 25);
        }
        let arguments = self.place("pc", pc);
        self.begin(self.tracks.space, category, Name::Of(&name), arguments);
    }

    fn switch_dacr(&mut self, category: &'static str, dacr: u32, pc: u32) {
        if self.dacr.replace(dacr).is_some() {
            self.end(self.tracks.dacr);
        }
        let name = format!("{dacr:08x}");
        let arguments = self.place("pc", pc);
        self.begin(self.tracks.dacr, category, Name::Of(&name), arguments);
    }

    // ---- maintenance -----------------------------------------------------------------------

    /// Looks whether the last access to CP15 was maintenance.
    fn maintain(&mut self, memory: &MemSys, pc: u32) {
        let tally = memory.tally();
        let mut counts = [0; OPERATIONS.len()];
        for (n, counter) in OPERATIONS.iter().enumerate() {
            counts[n] = (counter.of)(&tally) - self.operations[n];
            self.operations[n] += counts[n];
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
        let done = || OPERATIONS.iter().zip(run.counts).filter(|(_, n)| *n != 0);
        let names: Vec<&str> = done().map(|(counter, _)| counter.name).collect();
        let name = names.join(" + ");
        let mut arguments = self.place("pc", run.pc);
        arguments.extend(done().map(|(counter, n)| (counter.name, Argument::Number(n))));
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

    fn sample(&mut self, memory: &MemSys) {
        self.next_rates = self.now + self.rates_every;
        let tally = memory.tally();
        let window = tally - self.sampled;
        self.sampled = tally;
        for (rate, track) in RATES.iter().zip(self.tracks.rates.clone()) {
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
    fn start(&mut self, memory: &MemSys, pc: u32) {
        let (ttb, dacr) = memory.translation_registers();
        // Relocated, address 0 is the PID register.
        self.switch_space("start", ttb, memory.relocate(0), pc);
        self.switch_dacr("start", dacr, pc);
        self.sampled = memory.tally();
        for (n, counter) in OPERATIONS.iter().enumerate() {
            self.operations[n] = (counter.of)(&self.sampled);
        }
        self.next_rates = self.now + self.rates_every;
    }
}

/// Whether an ARM instruction writes the PC and takes the status register from the saved one (DDI
/// 0100, A2.6): data processing with S, or a load multiple with `^`.
fn may_return(insn: u32) -> bool {
    insn & 0x0c10_f000 == 0x0010_f000 || insn & 0x0e50_8000 == 0x0850_8000
}

impl<W: Write> Observer for Trace<W> {
    const ON: bool = true;

    fn fetched(&mut self, memory: &MemSys, access: &Access, insn: u32) {
        if self.over {
            return;
        }
        self.now = access.cycle;
        self.insn = insn;
        if self.asleep.is_some() {
            self.wake();
        }
        if self.space.is_none() {
            self.start(memory, access.pc);
        }
        if self.now >= self.next_look {
            self.look(access);
        }
        if self.now >= self.next_rates {
            self.sample(memory);
        }
    }

    fn commit(&mut self, commit: &Commit) {
        let was_thumb = self.cpsr & psr::T != 0;
        self.cpsr = commit.cpsr;
        if !self.frames.is_empty() && commit.executed && !was_thumb && may_return(commit.insn) {
            self.now = commit.cycle;
            self.returned(commit.r[15]);
        }
    }

    fn entered(&mut self, memory: &MemSys, entry: &Entry) {
        if self.over {
            return;
        }
        self.now = memory.platform.cycle;
        self.wake();
        let insn_bytes = if entry.saved & psr::T == 0 { 4 } else { 2 };
        // How far the link register is behind the instruction (DDI 0100, A2.6).
        let (name, behind) = match entry.exception {
            Exception::Undefined => ("undefined", insn_bytes),
            Exception::Swi => ("swi", insn_bytes),
            Exception::PrefetchAbort => ("prefetch_abort", 4),
            Exception::DataAbort => ("data_abort", 8),
            Exception::Irq => ("irq", 4),
            Exception::Fiq => ("fiq", 4),
        };
        let pc = entry.return_address.wrapping_sub(behind);
        let mut arguments = self.place("pc", pc);
        match entry.exception {
            Exception::Swi => {
                let mask = if insn_bytes == 4 { 0x00ff_ffff } else { 0xff };
                arguments.push(("number", Argument::Number((self.insn & mask).into())));
                arguments.push(("r7", Argument::Number(entry.r[7].into())));
            }
            Exception::PrefetchAbort | Exception::DataAbort => {
                arguments.push(("address", Argument::Address(memory.fault.mva)));
                arguments.push(("fault", Argument::Text(format!("{:?}", memory.fault.kind))));
            }
            _ => {}
        }
        if self.frames.len() == DEEPEST {
            self.unwind(0);
        }
        self.cpsr = entry.saved & !psr::T; // handlers begin in ARM state
        self.frames.push(Frame {
            pc,
            mode: entry.saved & psr::MODE,
        });
        self.begin(
            self.tracks.exceptions,
            "exception",
            Name::Of(name),
            arguments,
        );
    }

    fn operated(&mut self, memory: &MemSys, access: &SystemAccess) {
        if self.over {
            return;
        }
        self.now = self.now.max(memory.platform.cycle);
        let (ttb, dacr) = memory.translation_registers();
        match (memory.core.write)(access.register) {
            cp15::Write::TranslationTable => {
                self.switch_space("ttb", ttb, memory.relocate(0), access.pc)
            }
            cp15::Write::Domains => self.switch_dacr("dacr", dacr, access.pc),
            cp15::Write::ProcessId => {
                self.switch_space("pid", ttb, memory.relocate(0), access.pc);
            }
            _ => self.maintain(memory, access.pc),
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

    fn restored(&mut self, memory: &MemSys) {
        if memory.platform.cycle < self.now && !self.over {
            self.close();
            self.over = true;
        }
        self.now = memory.platform.cycle;
    }
}

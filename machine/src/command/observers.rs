// SPDX-License-Identifier: Apache-2.0
//! What the options put beside a machine to watch it. Each observer opens its files before there is a
//! machine, is installed when memory is loaded, and writes what it has found when the run is over.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use crate::arch::{Architecture, Processor};
use crate::check::{Checker, Finding};
use crate::config::MachineConfig;
use crate::event::Cycle;
use crate::gdb::Listener;
use crate::log::Log;
use crate::machine::{Machine, Stop};
use crate::profile::{export, table, Profile, RegionProfile};
use crate::symbols::Symbols;
use crate::trace::Trace;
use crate::watchers::Watchers;
use crate::window::moment::{Moment, Way};
use crate::window::{Plan, Window};

use super::args::{BootArgs, Check};
use super::output::{Output, Stream};
use super::terminal::{self, Console};

/// Cycles between two looks at whether a window is over.
const WINDOW_SLICE: Cycle = 100_000;

/// The observers of a processor, as [`Processor::Observer`].
pub type Watched<A> = Watchers<BufWriter<File>, A>;
/// A machine that they watch.
type WatchedMachine<A> = Machine<<A as Architecture>::Core<Watched<A>>>;

/// What observers have found for the statistics, if they were there.
#[derive(Default)]
pub struct Found {
    pub findings: Option<Vec<Finding>>,
    /// The names of their places.
    pub symbols: Symbols,
    pub profile: Option<Vec<RegionProfile>>,
    /// The profile as a table, if it is to be shown.
    pub table: String,
}

/// What stands beside a machine with processor `P` during a run.
pub trait Beside<P: Processor> {
    /// Begins to watch a machine whose memory is loaded.
    fn install(&mut self, machine: &mut Machine<P>);

    /// Runs the machine up to a cycle.
    fn drive(
        &self,
        console: &mut Console,
        machine: &mut Machine<P>,
        until: Cycle,
    ) -> Result<Stop, String>;

    /// Writes what was seen, when the run has ended at `cycle`.
    fn finish(&mut self, observer: &mut P::Observer, cycle: Cycle) -> Result<Found, String>;
}

/// Nobody watches.
impl<P: Processor> Beside<P> for () {
    fn install(&mut self, _machine: &mut Machine<P>) {}

    fn drive(
        &self,
        console: &mut Console,
        machine: &mut Machine<P>,
        until: Cycle,
    ) -> Result<Stop, String> {
        console.run(machine, until)
    }

    fn finish(&mut self, _observer: &mut P::Observer, _cycle: Cycle) -> Result<Found, String> {
        Ok(Found::default())
    }
}

/// What every observer may know of the run.
struct Run<'a> {
    args: &'a BootArgs,
    /// The machine's name and clock.
    name: String,
    clock_hz: u64,
    /// The functions of the files that `--symbols` names; these and the kernel's, if it has any.
    given: Symbols,
    all: Symbols,
}

/// One observer.
trait Watching<A: Architecture> {
    /// Puts it into the processor, if it stands there.
    fn install(&mut self, _run: &Run, _machine: &mut WatchedMachine<A>) {}

    /// Runs the machine up to a cycle, if it has a say in when that stops.
    fn drive(
        &self,
        _console: &mut Console,
        _machine: &mut WatchedMachine<A>,
        _until: Cycle,
    ) -> Option<Result<Stop, String>> {
        None
    }

    /// Writes its files, and adds to what was found.
    fn finish(
        &mut self,
        _run: &Run,
        _watchers: &mut Watched<A>,
        _cycle: Cycle,
        _found: &mut Found,
    ) -> Result<(), String> {
        Ok(())
    }
}

/// The observers that the options name.
pub struct Observers<'a, A: Architecture> {
    run: Run<'a>,
    /// In the order in which they open their files, are installed, and finish.
    each: Vec<Box<dyn Watching<A>>>,
}

impl<'a, A: Architecture> Observers<'a, A> {
    /// Opens what they need; `None` if the options name none.
    pub fn open(args: &'a BootArgs, config: &MachineConfig) -> Result<Option<Self>, String> {
        let debugger = Debugger::open(args)?;
        let watched = args.log.is_some()
            || args.trace.is_some()
            || args.counts.is_some()
            || args.window.is_some()
            || args.check.is_some()
            || profiled(args);
        if !watched && debugger.is_none() {
            return Ok(None);
        }
        let (given, all) = symbols(args)?;
        let run = Run {
            args,
            name: config.name.clone(),
            clock_hz: config.clock_hz,
            given,
            all,
        };
        let mut each = Vec::new();
        add(&mut each, debugger);
        add(&mut each, LogFile::open(&run)?);
        add(&mut each, TraceFile::open(&run)?);
        add(&mut each, Counts::open(&run)?);
        add(&mut each, WindowFile::open(&run)?);
        add(&mut each, Profiled::open(&run)?);
        add(&mut each, Coherence::open(&run));
        Ok(Some(Self { run, each }))
    }
}

fn add<A: Architecture, W: Watching<A> + 'static>(
    each: &mut Vec<Box<dyn Watching<A>>>,
    one: Option<W>,
) {
    if let Some(one) = one {
        each.push(Box::new(one));
    }
}

impl<A: Architecture> Beside<A::Core<Watched<A>>> for Observers<'_, A> {
    fn install(&mut self, machine: &mut WatchedMachine<A>) {
        for one in &mut self.each {
            one.install(&self.run, machine);
        }
        if self.run.args.restore.is_some() {
            machine.core().show_restored();
        }
    }

    fn drive(
        &self,
        console: &mut Console,
        machine: &mut WatchedMachine<A>,
        until: Cycle,
    ) -> Result<Stop, String> {
        let mut each = self.each.iter();
        let driven = each.find_map(|one| one.drive(console, machine, until));
        driven.unwrap_or_else(|| console.run(machine, until))
    }

    fn finish(&mut self, watchers: &mut Watched<A>, cycle: Cycle) -> Result<Found, String> {
        let mut found = Found {
            symbols: self.run.all.clone(),
            ..Found::default()
        };
        for one in &mut self.each {
            one.finish(&self.run, watchers, cycle, &mut found)?;
        }
        Ok(found)
    }
}

/// The functions of the files that `--symbols` names; these and the kernel's, if it has any.
fn symbols(args: &BootArgs) -> Result<(Symbols, Symbols), String> {
    let mut symbols = Symbols::new();
    for file in &args.symbols {
        symbols.add(file).map_err(|error| error.to_string())?;
    }
    let given = symbols.clone();
    if let Some(kernel) = &args.kernel {
        symbols.add_if_any(kernel);
    }
    Ok((given, symbols))
}

/// `--gdb`.
struct Debugger(Listener);

impl Debugger {
    fn open(args: &BootArgs) -> Result<Option<Self>, String> {
        let listener = args.gdb.as_deref().map(Listener::new).transpose()?;
        Ok(listener.map(Self))
    }
}

impl<A: Architecture> Watching<A> for Debugger {
    fn drive(
        &self,
        console: &mut Console,
        machine: &mut WatchedMachine<A>,
        until: Cycle,
    ) -> Option<Result<Stop, String>> {
        Some(console.run_debugged(&self.0, machine, until))
    }
}

/// A file that an observer writes during the run.
struct Opened {
    stream: Stream,
    out: Option<BufWriter<File>>, // until the observer has it
}

impl Opened {
    /// The file, if the command line names one.
    fn new(file: Option<&Path>) -> Result<Option<Self>, String> {
        let opened = file.map(Stream::new).transpose()?;
        Ok(opened.map(|(stream, out)| Self {
            stream,
            out: Some(out),
        }))
    }

    /// The end of what was `written`, if there was an observer.
    fn finish(&self, written: Option<io::Result<()>>) -> Result<(), String> {
        written.map_or(Ok(()), |written| self.stream.finish(written))
    }
}

/// `--log`.
struct LogFile(Opened);

impl LogFile {
    fn open(run: &Run) -> Result<Option<Self>, String> {
        Ok(Opened::new(run.args.log.as_deref())?.map(Self))
    }
}

impl<A: Architecture> Watching<A> for LogFile {
    fn install(&mut self, run: &Run, machine: &mut WatchedMachine<A>) {
        let log = self
            .0
            .out
            .take()
            .map(|out| Log::new(out, run.given.clone()));
        machine.core().observer().log = log;
    }

    fn finish(
        &mut self,
        _run: &Run,
        watchers: &mut Watched<A>,
        _cycle: Cycle,
        _found: &mut Found,
    ) -> Result<(), String> {
        self.0.finish(watchers.log.as_mut().map(Log::finish))
    }
}

/// `--trace`.
struct TraceFile(Opened);

impl TraceFile {
    fn open(run: &Run) -> Result<Option<Self>, String> {
        Ok(Opened::new(run.args.trace.as_deref())?.map(Self))
    }
}

impl<A: Architecture> Watching<A> for TraceFile {
    fn install(&mut self, run: &Run, machine: &mut WatchedMachine<A>) {
        let out = self.0.out.take();
        let trace = out.map(|out| Trace::new(out, &run.name, run.clock_hz, run.all.clone()));
        machine.core().observer().trace = trace;
        machine.bus().host.marks = Some(Vec::new());
    }

    fn finish(
        &mut self,
        _run: &Run,
        watchers: &mut Watched<A>,
        cycle: Cycle,
        _found: &mut Found,
    ) -> Result<(), String> {
        let written = watchers.trace.as_mut().map(|trace| trace.finish(cycle));
        self.0.finish(written)
    }
}

/// Whether somebody wants calls: a table for people, or a file.
fn by_calls(args: &BootArgs) -> bool {
    shows_table(args) || args.speedscope.is_some() || args.callgrind.is_some()
}

/// Whether the profile is a table: without statistics that have it.
fn shows_table(args: &BootArgs) -> bool {
    args.profile && args.stats.is_none()
}

fn profiled(args: &BootArgs) -> bool {
    args.profile || by_calls(args)
}

/// The profile, which is begun for the first that asks for it.
fn begin_profile<A: Architecture>(run: &Run, machine: &mut WatchedMachine<A>) {
    let profile = &mut machine.core().observer().profile;
    profile.get_or_insert_with(|| Profile::new(run.all.clone(), by_calls(run.args)));
}

/// `--counts`.
struct Counts(Option<Output>);

impl Counts {
    fn open(run: &Run) -> Result<Option<Self>, String> {
        let file = run.args.counts.as_deref().map(Output::new).transpose()?;
        Ok(file.map(|file| Self(Some(file))))
    }
}

impl<A: Architecture> Watching<A> for Counts {
    fn install(&mut self, run: &Run, machine: &mut WatchedMachine<A>) {
        begin_profile::<A>(run, machine);
    }

    fn finish(
        &mut self,
        _run: &Run,
        watchers: &mut Watched<A>,
        _cycle: Cycle,
        _found: &mut Found,
    ) -> Result<(), String> {
        match (&watchers.profile, self.0.take()) {
            (Some(profile), Some(file)) => file.write(|out| profile.write_counts(out)),
            _ => Ok(()),
        }
    }
}

/// `--profile`, `--speedscope`, `--callgrind`.
struct Profiled {
    speedscope: Option<Output>,
    callgrind: Option<Output>,
}

impl Profiled {
    fn open(run: &Run) -> Result<Option<Self>, String> {
        let args = run.args;
        let speedscope = args.speedscope.as_deref().map(Output::new).transpose()?;
        let callgrind = args.callgrind.as_deref().map(Output::new).transpose()?;
        Ok(profiled(args).then_some(Self {
            speedscope,
            callgrind,
        }))
    }
}

impl<A: Architecture> Watching<A> for Profiled {
    fn install(&mut self, run: &Run, machine: &mut WatchedMachine<A>) {
        begin_profile::<A>(run, machine);
    }

    fn finish(
        &mut self,
        run: &Run,
        watchers: &mut Watched<A>,
        _cycle: Cycle,
        found: &mut Found,
    ) -> Result<(), String> {
        let Some(profile) = &watchers.profile else {
            return Ok(());
        };
        if let Some(calls) = profile.calls() {
            if let Some(file) = self.speedscope.take() {
                file.write(|out| export::speedscope(calls, &run.name, out))?;
            }
            if let Some(file) = self.callgrind.take() {
                file.write(|out| export::callgrind(calls, &run.name, out))?;
            }
            if shows_table(run.args) {
                found.table = table::table(calls, terminal::width());
            }
        }
        found.profile = run.args.profile.then(|| profile.regions());
        Ok(())
    }
}

/// `--window`.
struct WindowFile {
    file: Option<Output>,
    plan: Option<Plan>,
}

impl WindowFile {
    fn open(run: &Run) -> Result<Option<Self>, String> {
        let Some(file) = run.args.window.as_deref() else {
            return Ok(None);
        };
        let file = Some(Output::new(file)?);
        let plan = Some(plan(run.args, &run.all)?);
        Ok(Some(Self { file, plan }))
    }
}

/// Where the window is to begin and end.
fn plan(args: &BootArgs, symbols: &Symbols) -> Result<Plan, String> {
    let way = |option: &str, moments: &[String]| {
        let parsed = moments.iter().map(|text| Moment::parse(text, symbols));
        let moments: Result<Vec<Moment>, String> = parsed.collect();
        moments
            .map(Way::new)
            .map_err(|error| format!("{option} {error}"))
    };
    Ok(Plan {
        from: way("--from", &args.from)?,
        having: way("--having", &args.having)?,
        to: way("--to", &args.to)?,
        most: args.steps,
    })
}

impl<A: Architecture> Watching<A> for WindowFile {
    fn install(&mut self, run: &Run, machine: &mut WatchedMachine<A>) {
        let plan = self.plan.take();
        let window = plan.map(|plan| Window::new(&run.name, run.clock_hz, plan));
        machine.core().observer().window = window;
    }

    fn drive(
        &self,
        console: &mut Console,
        machine: &mut WatchedMachine<A>,
        until: Cycle,
    ) -> Option<Result<Stop, String>> {
        Some(run_window::<A>(console, machine, until))
    }

    fn finish(
        &mut self,
        _run: &Run,
        watchers: &mut Watched<A>,
        _cycle: Cycle,
        _found: &mut Found,
    ) -> Result<(), String> {
        let (Some(window), Some(file)) = (&watchers.window, self.file.take()) else {
            return Ok(());
        };
        match window.missed() {
            Some(why) => Err(why),
            None => file.write(|out| window.write(out)),
        }
    }
}

/// Runs until the window is over.
fn run_window<A: Architecture>(
    console: &mut Console,
    machine: &mut WatchedMachine<A>,
    until: Cycle,
) -> Result<Stop, String> {
    loop {
        let slice = machine.cycles().saturating_add(WINDOW_SLICE).min(until);
        let stop = console.run(machine, slice)?;
        let window = machine.core().observer().window.as_ref();
        if window.is_some_and(Window::is_over) {
            return Ok(Stop::Watched);
        }
        if stop != Stop::Budget || slice == until {
            return Ok(stop);
        }
    }
}

/// `--check coherence`.
struct Coherence;

impl Coherence {
    fn open(run: &Run) -> Option<Self> {
        let Check::Coherence = run.args.check.as_ref()?;
        Some(Self)
    }
}

impl<A: Architecture> Watching<A> for Coherence {
    /// Its copy of memory begins here.
    fn install(&mut self, _run: &Run, machine: &mut WatchedMachine<A>) {
        let (memory, watchers) = machine.core().parts();
        watchers.checker = Some(A::Checker::new(memory));
    }

    fn finish(
        &mut self,
        _run: &Run,
        watchers: &mut Watched<A>,
        _cycle: Cycle,
        found: &mut Found,
    ) -> Result<(), String> {
        found.findings = watchers.checker.as_ref().map(Checker::findings);
        Ok(())
    }
}

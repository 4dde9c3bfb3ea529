// SPDX-License-Identifier: Apache-2.0
//! One debugger's session: what it may do to the machine, and the run loop while it is attached.
//! Going back is in [`travel`](super::travel).

use std::convert::Infallible;
use std::io;
use std::marker::PhantomData;

use gdbstub::common::Signal;
use gdbstub::conn::ConnectionExt;
use gdbstub::stub::run_blocking::{BlockingEventLoop, Event, WaitForStopReasonError};
use gdbstub::stub::SingleThreadStopReason;
use gdbstub::target::ext::base::reverse_exec::{
    ReverseCont, ReverseContOps, ReverseStep, ReverseStepOps,
};
use gdbstub::target::ext::base::single_register_access::{
    SingleRegisterAccess, SingleRegisterAccessOps,
};
use gdbstub::target::ext::base::singlethread::{
    SingleThreadBase, SingleThreadResume, SingleThreadResumeOps, SingleThreadSingleStep,
    SingleThreadSingleStepOps,
};
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::breakpoints::{
    Breakpoints, BreakpointsOps, HwBreakpoint, HwBreakpointOps, HwWatchpoint, HwWatchpointOps,
    SwBreakpoint, SwBreakpointOps, WatchKind,
};
use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd, MonitorCmdOps};
use gdbstub::target::ext::target_description_xml_override::{
    TargetDescriptionXmlOverride, TargetDescriptionXmlOverrideOps,
};
use gdbstub::target::{Target, TargetError, TargetResult};

use crate::bus::Target as BusTarget;
use crate::dev::{Input, Width};
use crate::event::Cycle;
use crate::machine::{Machine, Stop};
use crate::script::quoted;
use crate::snapshot::{self, Saved};
use crate::state::Damaged;

use super::history::{Event as Done, History, Point};
use super::registers::{self, Any, Number, Table, Values};
use super::travel::Task;
use super::watch::{Watch, Watched, Watchpoint};
use super::{monitor, Between, Debuggable, Files};

/// Cycles between two looks at the debugger and the console: some 50 ms of the host's time.
const SLICE: Cycle = 1_000_000;

/// Why the machine has stopped.
pub type Reason = SingleThreadStopReason<u64>;

/// How running on has come to an end.
pub enum Pause {
    /// With something that the debugger is told.
    Stopped(Reason),
    /// The machine itself says so.
    Machine(Stop),
    /// The point is reached.
    There,
}

/// A machine as it was when the first debugger came, for those that reset it.
pub struct Start(Vec<u8>);

impl Start {
    /// Of a machine that is there.
    pub fn of<P: Debuggable>(machine: &mut Machine<P>) -> Self {
        let mut bytes = Vec::new();
        // Memory takes what is written to it.
        let kept = snapshot::save(machine, &mut bytes).is_ok();
        debug_assert!(kept, "a machine can be saved to memory");
        Self(bytes)
    }
}

/// A debugger and its machine.
pub struct Session<'a, P: Debuggable> {
    pub(super) machine: &'a mut Machine<P>,
    until: Cycle,
    /// Where the debugger wants the machine to stop; never, if that is `Cycle::MAX`.
    pub(super) alarm: Cycle,
    between: &'a mut Between<'a, P>,
    /// What the machine is at.
    pub(super) task: Task,
    pub(super) history: History<P>,
    /// Whether what was due is done: nothing has run since.
    pub(super) prepared: bool,
    /// Whether that was to enter an exception.
    pub(super) entered: bool,
    /// Whether observers are told nothing, as the machine is where it has been before.
    pub(super) muted: bool,
    /// How many findings the debugger knows of.
    findings: Option<usize>,
    /// Virtual addresses, in whatever space; those of GDB's `break` and of its `hbreak`.
    pub(super) breakpoints: [Vec<u64>; 2],
    /// The program counter that the debugger is shown after a watchpoint was hit: the address of
    /// the instruction that did it. Of some processors (ARM) GDB takes for granted that they stop
    /// *before* the access, and steps over it, with its watchpoints removed, before it says anything.
    /// Here the instruction is done by then, and that step only ends the pretence.
    pub(super) shown_pc: Option<u64>,
    registers: Table<P::Place>,
    description: String,
    /// Whether devices are read, which may change them.
    reads_devices: bool,
    start: &'a Start,
    /// The files that the debugger may name.
    files: Option<&'a dyn Files>,
    /// How the run has ended.
    pub(super) end: Option<Stop>,
}

impl<'a, P: Debuggable> Session<'a, P> {
    /// A session on a stopped machine that runs to cycle `until` at most. `files`: those that the
    /// debugger may save to and restore from.
    pub fn new(
        machine: &'a mut Machine<P>,
        start: &'a Start,
        until: Cycle,
        between: &'a mut Between<'_, P>,
        files: Option<&'a dyn Files>,
    ) -> Self {
        let core = machine.core();
        let registers = Table::new(core);
        let description = registers.description(core.architecture());
        let findings = core.observer().finding_count();
        let history = History::new(machine, point(machine, false));
        Self {
            description,
            registers,
            reads_devices: false,
            start,
            files,
            machine,
            until,
            alarm: Cycle::MAX,
            between,
            task: Task::On { step: false },
            history,
            prepared: false,
            entered: false,
            muted: false,
            findings,
            breakpoints: [Vec::new(), Vec::new()],
            shown_pc: None,
            end: None,
        }
    }

    /// Goes to where the machine has got to, takes the watchpoints away; says how the run has ended, if it
    /// has.
    pub fn close(mut self) -> Option<Stop> {
        *self.machine.core().observer().watch() = Watch::default();
        self.go_to_front();
        self.history.close(self.machine);
        self.end
    }

    /// Where the machine is.
    pub(super) fn here(&self) -> Point {
        point(self.machine, self.prepared)
    }

    /// Runs a slice, or to where the debugger wants to look. `None`: nothing has happened.
    fn run_slice(&mut self) -> Option<Reason> {
        match self.task {
            Task::On { step } => self.run_on(step),
            _ => self.travel(),
        }
    }

    /// Runs a slice forward.
    fn run_on(&mut self, step: bool) -> Option<Reason> {
        if let Some(end) = &self.end {
            return Some(Reason::Exited(exit_code(end)));
        }
        if self.shown_pc.take().is_some() && step {
            return Some(Reason::DoneStep);
        }
        let front = self.history.front();
        if self.here() < front {
            return self.run_over(step, front);
        }
        self.set_muted(false);
        let slice = self.machine.cycles().saturating_add(SLICE);
        let slice = slice.min(self.until).min(self.alarm);
        let (stop, reason) = match self.run_singly(None, slice, step) {
            // what a step wrote is shown before the next one
            Pause::Stopped(reason) => (Stop::Budget, Some(reason)),
            Pause::Machine(stop) => (stop, None),
            Pause::There => (Stop::Budget, None),
        };
        let end = (self.between)(self.machine, stop);
        self.history.go_on(self.machine, self.here());
        self.keep_if_due();
        if reason.is_some() {
            return reason;
        }
        let Some(end) = end else {
            return self.take_alarm();
        };
        self.history.end = Some(end);
        Some(self.end_here())
    }

    /// The run has ended, here. What the debugger is told of it.
    pub(super) fn end_here(&mut self) -> Reason {
        self.end.clone_from(&self.history.end);
        match &self.end {
            // such a machine is worth a look; going on from there reports its end
            Some(Stop::Hung(_) | Stop::Died(_)) => Reason::SignalWithThread {
                tid: (),
                signal: Signal::SIGABRT,
            },
            Some(end) => Reason::Exited(exit_code(end)),
            None => Reason::DoneStep,
        }
    }

    /// Whether the cycle has come for which the debugger has set the alarm, which happens once.
    pub(super) fn take_alarm(&mut self) -> Option<Reason> {
        (self.machine.cycles() >= self.alarm).then(|| {
            self.alarm = Cycle::MAX;
            Reason::SignalWithThread {
                tid: (),
                signal: Signal::SIGALRM,
            }
        })
    }

    /// `monitor until CYCLE`.
    fn set_alarm(&mut self, cycle: &str) -> String {
        let now = self.machine.cycles();
        self.alarm = match (cycle, cycle.parse()) {
            ("never", _) => Cycle::MAX,
            (_, Ok(cycle)) if cycle > now => cycle,
            _ => return format!("{cycle}: expected a cycle after {now}, or never\n"),
        };
        String::new()
    }

    /// `monitor type "TEXT"`. A guest that has slept for ever may go on then.
    fn type_in(&mut self, text: &str) -> String {
        let bytes = match quoted(text) {
            Ok((bytes, "")) => bytes,
            Ok((_, more)) => return format!("`{more}` after the text; expected nothing there\n"),
            Err((what, expected)) => return format!("{what}; expected {expected}\n"),
        };
        let input = Input::Typed(bytes);
        self.change(Done::Input(input.clone()));
        self.machine.give(input);
        if let Some(inputs) = &mut self.machine.bus().host.inputs {
            inputs.clear(); // it is noted already, here, and not where the next run ends
        }
        String::new()
    }

    /// `monitor device-reads on|off`.
    fn set_device_reads(&mut self, word: &str) -> String {
        match word {
            "on" | "off" => self.reads_devices = word == "on",
            _ => return format!("device-reads {word}: expected on or off\n"),
        }
        String::new()
    }

    /// `monitor reset`.
    fn reset(&mut self) -> String {
        let restored = Saved::open(&self.start.0[..]).and_then(|saved| saved.restore(self.machine));
        match restored {
            Ok(()) => format!(
                "reset to cycle {}; now say: maintenance flush register-cache\n",
                self.machine.cycles()
            ),
            Err(Damaged(what)) => format!("reset: {what}\n"),
        }
    }

    /// Reads registers of devices from `address` on, as the guest would with the widest accesses
    /// that fit. Gives how many bytes there were.
    pub(super) fn read_device(&mut self, address: u64, bytes: &mut [u8]) -> usize {
        let step = [(4, Width::Word), (2, Width::Half)].into_iter();
        let mut step = step.filter(|(n, _)| address as usize % n == 0 && bytes.len() % n == 0);
        let (step, width) = step.next().unwrap_or((1, Width::Byte));
        self.machine.core().sync_counters();
        for (n, part) in bytes.chunks_exact_mut(step).enumerate() {
            let va = address.wrapping_add((n * step) as u64);
            let Some(pa) = self.machine.core().physical(va) else {
                return n * step;
            };
            let platform = self.machine.core().platform_mut();
            let target = platform.bus.target(pa);
            let read = matches!(target, BusTarget::Device(_)).then(|| {
                let (now, counters) = (platform.cycle, &mut platform.counters);
                platform.bus.read(target, pa, width, now, counters)
            });
            let Some(Some(value)) = read else {
                return n * step;
            };
            part.copy_from_slice(&value.to_le_bytes()[..step]);
        }
        bytes.len()
    }

    /// Runs until cycle `until`, or up to `to`, an instruction at a time if something may stop it in
    /// between.
    pub(super) fn run_singly(&mut self, to: Option<Point>, until: Cycle, step: bool) -> Pause {
        let stops = step || self.findings.is_some() || self.has_stops();
        loop {
            if to.is_some_and(|to| self.is_at(to)) {
                return Pause::There;
            }
            if let Some(stop) = self.prepare(until) {
                return Pause::Machine(stop);
            }
            if !stops && to.is_none() {
                self.machine.core().run_to_horizon();
                (self.prepared, self.entered) = (false, false);
            } else if let Some(pause) = self.run_to_horizon(to, step) {
                return pause;
            }
        }
    }

    /// Whether there are breakpoints or watchpoints.
    pub(super) fn has_stops(&mut self) -> bool {
        let broken = self.breakpoints.iter().any(|list| !list.is_empty());
        broken || !self.machine.core().observer().watch().points.is_empty()
    }

    /// Does what is due before the next instruction.
    pub(super) fn prepare(&mut self, until: Cycle) -> Option<Stop> {
        let pc = self.machine.core().pc();
        let stop = self.machine.prepare(until);
        self.prepared = true;
        self.entered |= self.machine.core().pc() != pc;
        stop
    }

    fn run_to_horizon(&mut self, to: Option<Point>, step: bool) -> Option<Pause> {
        while self.machine.cycles() < self.machine.core().platform().horizon {
            if to.is_some_and(|to| self.is_at(to)) {
                return Some(Pause::There);
            }
            let core = self.machine.core();
            let pc = core.pc();
            let broken = self.breakpoints.each_ref().map(|list| list.contains(&pc));
            // Where the page is yet to be mapped, it stops when the program comes back.
            if !step && broken != [false, false] && core.can_fetch(pc) && !self.is_passing() {
                return Some(Pause::Stopped(match broken {
                    [true, _] => Reason::SwBreak(()),
                    _ => Reason::HwBreak(()),
                }));
            }
            let core = self.machine.core();
            core.step();
            (self.prepared, self.entered) = (false, false);
            if let Some(hit) = core.observer().watch().hit.take() {
                self.shown_pc = P::WATCHES_BEFORE.then_some(hit.pc);
                return Some(Pause::Stopped(Reason::Watch {
                    tid: (),
                    kind: hit.kind,
                    addr: hit.address,
                }));
            }
            if self.findings.is_some() && !self.muted {
                let known = std::mem::replace(&mut self.findings, core.observer().finding_count());
                if known != self.findings {
                    return Some(Pause::Stopped(Reason::SignalWithThread {
                        tid: (),
                        signal: Signal::SIGTRAP,
                    }));
                }
            }
            if step {
                return Some(Pause::Stopped(Reason::DoneStep));
            }
        }
        None
    }

    /// Notes a change by the debugger. Where the machine has been further on, that is no more, and
    /// observers see the machine as it is now. A guest that could not go on perhaps can.
    fn change(&mut self, done: Done<P::Place>) {
        let here = self.here();
        let back = self.history.change(here, done);
        self.set_muted(false);
        if back {
            self.machine.core().show_restored();
        }
        self.end = None;
        self.history.end = None;
    }

    fn read_register_now(&mut self, number: usize) -> Option<u128> {
        match self.shown_pc {
            Some(pc) if number == P::PC => Some(pc.into()),
            _ => {
                let place = self.registers.place(number)?;
                Some(self.machine.core().read_register(place))
            }
        }
    }

    /// Writes a register if that changes it: a debugger may write back all that it has read.
    fn change_register(&mut self, number: usize, value: u128) -> TargetResult<(), Self> {
        if self.read_register_now(number) == Some(value) {
            return Ok(());
        }
        if number == P::PC {
            self.shown_pc = None;
        }
        let place = self.registers.place(number).ok_or(TargetError::NonFatal)?;
        self.change(Done::Register(place, value));
        if self.machine.core().write_register(place, value) {
            Ok(())
        } else {
            Err(TargetError::NonFatal)
        }
    }
}

/// Where a machine is.
fn point<P: Debuggable>(machine: &Machine<P>, prepared: bool) -> Point {
    Point {
        instructions: machine.instructions(),
        cycle: machine.cycles(),
        prepared,
    }
}

/// The exit status that the debugger is told: 0 only for a guest that ended content.
fn exit_code(end: &Stop) -> u8 {
    match end {
        Stop::Exit(0) | Stop::PowerOff(_) => 0,
        Stop::Exit(status @ 1..=0xff) => *status as u8,
        _ => 1,
    }
}

impl<P: Debuggable> Target for Session<'_, P> {
    type Arch = Any;
    type Error = Infallible;

    fn base_ops(&mut self) -> BaseOps<'_, Any, Infallible> {
        BaseOps::SingleThread(self)
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }

    fn support_target_description_xml_override(
        &mut self,
    ) -> Option<TargetDescriptionXmlOverrideOps<'_, Self>> {
        Some(self)
    }

    fn support_monitor_cmd(&mut self) -> Option<MonitorCmdOps<'_, Self>> {
        Some(self)
    }
}

impl<P: Debuggable> TargetDescriptionXmlOverride for Session<'_, P> {
    fn target_description_xml(
        &self,
        annex: &[u8],
        offset: u64,
        length: usize,
        buf: &mut [u8],
    ) -> TargetResult<usize, Self> {
        if annex != b"target.xml" {
            return Err(TargetError::NonFatal);
        }
        let from = usize::try_from(offset).unwrap_or(usize::MAX);
        let rest = self.description.as_bytes().get(from..).unwrap_or_default();
        let count = rest.len().min(length).min(buf.len());
        buf[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}

impl<P: Debuggable> SingleThreadBase for Session<'_, P> {
    fn read_registers(&mut self, values: &mut Values) -> TargetResult<(), Self> {
        values.0.clear();
        for number in 0..self.registers.count() {
            let bytes = self.registers.bytes(number);
            if let Some(value) = self.read_register_now(number) {
                values.0.extend(&value.to_le_bytes()[..bytes]);
            }
        }
        Ok(())
    }

    fn write_registers(&mut self, values: &Values) -> TargetResult<(), Self> {
        let mut rest = values.0.as_slice();
        let mut all = Vec::new();
        while !rest.is_empty() {
            let number = all.len();
            self.registers.place(number).ok_or(TargetError::NonFatal)?;
            let bytes = rest.split_at_checked(self.registers.bytes(number));
            let (bytes, others) = bytes.ok_or(TargetError::NonFatal)?;
            all.push(registers::value(bytes).ok_or(TargetError::NonFatal)?);
            rest = others;
        }
        // the mode first: it may decide which of the others are meant
        for (number, value) in all.into_iter().enumerate().rev() {
            self.change_register(number, value)?;
        }
        Ok(())
    }

    fn support_single_register_access(&mut self) -> Option<SingleRegisterAccessOps<'_, (), Self>> {
        Some(self)
    }

    fn read_addrs(&mut self, start: u64, data: &mut [u8]) -> TargetResult<usize, Self> {
        let mut done = self.machine.core().peek(start, data);
        if done == 0 && self.reads_devices {
            done = self.read_device(start, data);
            if done > 0 {
                self.change(Done::DeviceRead(start, done));
            }
        }
        if done == 0 && !data.is_empty() {
            return Err(TargetError::NonFatal);
        }
        Ok(done)
    }

    fn write_addrs(&mut self, start: u64, data: &[u8]) -> TargetResult<(), Self> {
        self.change(Done::Memory(start, data.to_vec()));
        if self.machine.core().poke(start, data) {
            Ok(())
        } else {
            Err(TargetError::NonFatal)
        }
    }

    fn support_resume(&mut self) -> Option<SingleThreadResumeOps<'_, Self>> {
        Some(self)
    }
}

impl<P: Debuggable> SingleRegisterAccess<()> for Session<'_, P> {
    fn read_register(
        &mut self,
        (): (),
        Number(number): Number,
        buf: &mut [u8],
    ) -> TargetResult<usize, Self> {
        let value = self
            .read_register_now(number)
            .ok_or(TargetError::NonFatal)?;
        let bytes = self.registers.bytes(number);
        let room = buf.get_mut(..bytes).ok_or(TargetError::NonFatal)?;
        room.copy_from_slice(&value.to_le_bytes()[..bytes]);
        Ok(bytes)
    }

    fn write_register(
        &mut self,
        (): (),
        Number(number): Number,
        value: &[u8],
    ) -> TargetResult<(), Self> {
        self.registers.place(number).ok_or(TargetError::NonFatal)?;
        if value.len() != self.registers.bytes(number) {
            return Err(TargetError::NonFatal);
        }
        let value = registers::value(value).ok_or(TargetError::NonFatal)?;
        self.change_register(number, value)
    }
}

impl<P: Debuggable> SingleThreadResume for Session<'_, P> {
    fn resume(&mut self, _signal: Option<Signal>) -> Result<(), Infallible> {
        self.task = Task::On { step: false };
        Ok(())
    }

    fn support_reverse_cont(&mut self) -> Option<ReverseContOps<'_, (), Self>> {
        Some(self)
    }

    fn support_reverse_step(&mut self) -> Option<ReverseStepOps<'_, (), Self>> {
        Some(self)
    }

    fn support_single_step(&mut self) -> Option<SingleThreadSingleStepOps<'_, Self>> {
        Some(self)
    }
}

impl<P: Debuggable> SingleThreadSingleStep for Session<'_, P> {
    fn step(&mut self, _signal: Option<Signal>) -> Result<(), Infallible> {
        self.task = Task::On { step: true };
        Ok(())
    }
}

impl<P: Debuggable> ReverseCont<()> for Session<'_, P> {
    fn reverse_cont(&mut self) -> Result<(), Infallible> {
        self.continue_back();
        Ok(())
    }
}

impl<P: Debuggable> ReverseStep<()> for Session<'_, P> {
    fn reverse_step(&mut self, (): ()) -> Result<(), Infallible> {
        self.step_back();
        Ok(())
    }
}

impl<P: Debuggable> Breakpoints for Session<'_, P> {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_breakpoint(&mut self) -> Option<HwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

fn add<T: PartialEq>(list: &mut Vec<T>, one: T) -> bool {
    if !list.contains(&one) {
        list.push(one);
    }
    true
}

fn remove<T: PartialEq>(list: &mut Vec<T>, one: &T) -> bool {
    let before = list.len();
    list.retain(|other| other != one);
    list.len() < before
}

impl<P: Debuggable> SwBreakpoint for Session<'_, P> {
    fn add_sw_breakpoint(&mut self, addr: u64, _kind: usize) -> TargetResult<bool, Self> {
        Ok(add(&mut self.breakpoints[0], addr))
    }

    fn remove_sw_breakpoint(&mut self, addr: u64, _kind: usize) -> TargetResult<bool, Self> {
        Ok(remove(&mut self.breakpoints[0], &addr))
    }
}

impl<P: Debuggable> HwBreakpoint for Session<'_, P> {
    fn add_hw_breakpoint(&mut self, addr: u64, _kind: usize) -> TargetResult<bool, Self> {
        Ok(add(&mut self.breakpoints[1], addr))
    }

    fn remove_hw_breakpoint(&mut self, addr: u64, _kind: usize) -> TargetResult<bool, Self> {
        Ok(remove(&mut self.breakpoints[1], &addr))
    }
}

impl<P: Debuggable> HwWatchpoint for Session<'_, P> {
    fn add_hw_watchpoint(
        &mut self,
        address: u64,
        len: u64,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        let points = &mut self.machine.core().observer().watch().points;
        Ok(add(points, Watchpoint { address, len, kind }))
    }

    fn remove_hw_watchpoint(
        &mut self,
        address: u64,
        len: u64,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        let points = &mut self.machine.core().observer().watch().points;
        Ok(remove(points, &Watchpoint { address, len, kind }))
    }
}

impl<P: Debuggable> MonitorCmd for Session<'_, P> {
    fn handle_monitor_cmd(
        &mut self,
        command: &[u8],
        mut out: ConsoleOutput<'_>,
    ) -> Result<(), Infallible> {
        let command = String::from_utf8_lossy(command);
        let restores = monitor::changes_state(&command);
        if restores {
            self.set_muted(false);
        }
        let answer = match command.trim().split_once(' ') {
            Some(("until", cycle)) => self.set_alarm(cycle.trim()),
            Some(("type", text)) => self.type_in(text.trim()),
            Some(("device-reads", word)) => self.set_device_reads(word.trim()),
            None if command.trim() == "reset" => self.reset(),
            _ => monitor::answer(self.machine, &command, self.files),
        };
        out.write_raw(answer.as_bytes());
        if restores {
            self.shown_pc = None;
            self.end = None;
            (self.prepared, self.entered) = (false, false);
            self.history = History::new(self.machine, self.here());
        }
        Ok(())
    }
}

/// Waits for whichever comes first, the machine or the debugger.
pub struct Loop<'a, P, C>(PhantomData<(&'a P, C)>);

impl<'a, P, C> BlockingEventLoop for Loop<'a, P, C>
where
    P: Debuggable,
    C: ConnectionExt<Error = io::Error>,
{
    type Target = Session<'a, P>;
    type Connection = C;
    type StopReason = Reason;

    fn wait_for_stop_reason(
        session: &mut Session<'a, P>,
        link: &mut C,
    ) -> Result<Event<Reason>, WaitForStopReasonError<Infallible, io::Error>> {
        let failed = WaitForStopReasonError::Connection;
        loop {
            if link.peek().map_err(failed)?.is_some() {
                return Ok(Event::IncomingData(link.read().map_err(failed)?));
            }
            if let Some(reason) = session.run_slice() {
                return Ok(Event::TargetStopped(reason));
            }
        }
    }

    /// Ctrl-C.
    fn on_interrupt(session: &mut Session<'a, P>) -> Result<Option<Reason>, Infallible> {
        session.stay();
        Ok(Some(Reason::SignalWithThread {
            tid: (),
            signal: Signal::SIGINT,
        }))
    }
}

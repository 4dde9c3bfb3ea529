// SPDX-License-Identifier: Apache-2.0
//! One debugger's session: what it may do to the machine, and the run loop while it is attached.

use std::convert::Infallible;
use std::io;
use std::marker::PhantomData;

use gdbstub::common::Signal;
use gdbstub::conn::ConnectionExt;
use gdbstub::stub::run_blocking::{BlockingEventLoop, Event, WaitForStopReasonError};
use gdbstub::stub::SingleThreadStopReason;
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

use crate::event::Cycle;
use crate::machine::{Machine, Stop};
use crate::script::quoted;

use super::registers::{self, Any, Number, Table, Values};
use super::watch::{Watch, Watched, Watchpoint};
use super::{monitor, Between, Debuggable, Files};

/// Cycles between two looks at the debugger and the console: some 50 ms of the host's time.
const SLICE: Cycle = 1_000_000;

type Reason = SingleThreadStopReason<u32>;

/// A debugger and its machine.
pub struct Session<'a, P: Debuggable> {
    machine: &'a mut Machine<P>,
    until: Cycle,
    /// Where the debugger wants the machine to stop; never, if that is `Cycle::MAX`.
    alarm: Cycle,
    between: &'a mut Between<'a, P>,
    stepping: bool,
    /// Virtual addresses, in whatever space; those of GDB's `break` and of its `hbreak`.
    breakpoints: [Vec<u32>; 2],
    /// The program counter that the debugger is shown after a watchpoint was hit: the address of
    /// the instruction that did it. Of some processors (ARM) GDB takes for granted that they stop
    /// *before* the access, and steps over it, with its watchpoints removed, before it says anything.
    /// Here the instruction is done by then, and that step only ends the pretence.
    shown_pc: Option<u32>,
    registers: Table<P::Place>,
    description: String,
    /// The files that the debugger may name.
    files: Option<&'a dyn Files>,
    /// How the run has ended.
    end: Option<Stop>,
}

impl<'a, P: Debuggable> Session<'a, P> {
    /// A session on a stopped machine that runs to cycle `until` at most. `files`: those that the
    /// debugger may save to and restore from.
    pub fn new(
        machine: &'a mut Machine<P>,
        until: Cycle,
        between: &'a mut Between<'_, P>,
        files: Option<&'a dyn Files>,
    ) -> Self {
        let core = machine.core();
        let registers = Table::new(core);
        Self {
            description: registers.description(core.architecture()),
            registers,
            files,
            machine,
            until,
            alarm: Cycle::MAX,
            between,
            stepping: false,
            breakpoints: [Vec::new(), Vec::new()],
            shown_pc: None,
            end: None,
        }
    }

    /// Takes the watchpoints away; says how the run has ended, if it has.
    pub fn close(self) -> Option<Stop> {
        *self.machine.core().observer().watch() = Watch::default();
        self.end
    }

    /// Runs a slice, or to where the debugger wants to look. `None`: nothing has happened.
    fn run_slice(&mut self) -> Option<Reason> {
        if let Some(end) = &self.end {
            return Some(Reason::Exited(exit_code(end)));
        }
        if self.shown_pc.take().is_some() && self.stepping {
            return Some(Reason::DoneStep);
        }
        let slice = self.machine.cycles().saturating_add(SLICE);
        let slice = slice.min(self.until).min(self.alarm);
        let stop = loop {
            if let Some(stop) = self.machine.prepare(slice) {
                break stop;
            }
            if let Some(reason) = self.run_to_horizon() {
                // what a step wrote is shown before the next one
                self.show(Stop::Budget);
                return Some(reason);
            }
        };
        let Some(end) = self.show(stop) else {
            return self.take_alarm();
        };
        let reason = match end {
            // such a machine is worth a look; going on from there reports its end
            Stop::Hung(_) | Stop::Died(_) => Reason::SignalWithThread {
                tid: (),
                signal: Signal::SIGABRT,
            },
            _ => Reason::Exited(exit_code(&end)),
        };
        self.end = Some(end);
        Some(reason)
    }

    /// Whether the cycle has come for which the debugger has set the alarm, which happens once.
    fn take_alarm(&mut self) -> Option<Reason> {
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
            Ok((_, more)) => return format!("`{more}` behind the text; expected nothing there\n"),
            Err((what, expected)) => return format!("{what}; expected {expected}\n"),
        };
        self.machine.type_input(&bytes);
        if matches!(self.end, Some(Stop::Hung(_))) && self.machine.core().waits_for_interrupt() {
            self.end = None;
        }
        String::new()
    }

    fn show(&mut self, stop: Stop) -> Option<Stop> {
        (self.between)(self.machine, stop)
    }

    fn run_to_horizon(&mut self) -> Option<Reason> {
        let core = self.machine.core();
        while core.platform().cycle < core.platform().horizon {
            let pc = core.pc();
            let broken = self.breakpoints.each_ref().map(|list| list.contains(&pc));
            // Where the page is yet to be mapped, it stops when the program comes back.
            if !self.stepping && broken != [false, false] && core.can_fetch(pc) {
                return Some(match broken {
                    [true, _] => Reason::SwBreak(()),
                    _ => Reason::HwBreak(()),
                });
            }
            core.step();
            if let Some(hit) = core.observer().watch().hit.take() {
                self.shown_pc = P::WATCHES_BEFORE.then_some(hit.pc);
                return Some(Reason::Watch {
                    tid: (),
                    kind: hit.kind,
                    addr: hit.address,
                });
            }
            if self.stepping {
                return Some(Reason::DoneStep);
            }
        }
        None
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
        let place = self.registers.place(number);
        match place.map(|place| self.machine.core().write_register(place, value)) {
            Some(true) => Ok(()),
            _ => Err(TargetError::NonFatal),
        }
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

    fn read_addrs(&mut self, start: u32, data: &mut [u8]) -> TargetResult<usize, Self> {
        let done = self.machine.core().peek(start, data);
        if done == 0 && !data.is_empty() {
            return Err(TargetError::NonFatal);
        }
        Ok(done)
    }

    fn write_addrs(&mut self, start: u32, data: &[u8]) -> TargetResult<(), Self> {
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
        self.stepping = false;
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<SingleThreadSingleStepOps<'_, Self>> {
        Some(self)
    }
}

impl<P: Debuggable> SingleThreadSingleStep for Session<'_, P> {
    fn step(&mut self, _signal: Option<Signal>) -> Result<(), Infallible> {
        self.stepping = true;
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
    fn add_sw_breakpoint(&mut self, addr: u32, _kind: usize) -> TargetResult<bool, Self> {
        Ok(add(&mut self.breakpoints[0], addr))
    }

    fn remove_sw_breakpoint(&mut self, addr: u32, _kind: usize) -> TargetResult<bool, Self> {
        Ok(remove(&mut self.breakpoints[0], &addr))
    }
}

impl<P: Debuggable> HwBreakpoint for Session<'_, P> {
    fn add_hw_breakpoint(&mut self, addr: u32, _kind: usize) -> TargetResult<bool, Self> {
        Ok(add(&mut self.breakpoints[1], addr))
    }

    fn remove_hw_breakpoint(&mut self, addr: u32, _kind: usize) -> TargetResult<bool, Self> {
        Ok(remove(&mut self.breakpoints[1], &addr))
    }
}

impl<P: Debuggable> HwWatchpoint for Session<'_, P> {
    fn add_hw_watchpoint(
        &mut self,
        address: u32,
        len: u32,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        let points = &mut self.machine.core().observer().watch().points;
        Ok(add(points, Watchpoint { address, len, kind }))
    }

    fn remove_hw_watchpoint(
        &mut self,
        address: u32,
        len: u32,
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
        let answer = match command.trim().split_once(' ') {
            Some(("until", cycle)) => self.set_alarm(cycle.trim()),
            Some(("type", text)) => self.type_in(text.trim()),
            _ => monitor::answer(self.machine, &command, self.files),
        };
        out.write_raw(answer.as_bytes());
        if monitor::changes_state(&command) {
            self.shown_pc = None;
            self.end = None;
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
    fn on_interrupt(_session: &mut Session<'a, P>) -> Result<Option<Reason>, Infallible> {
        Ok(Some(Reason::SignalWithThread {
            tid: (),
            signal: Signal::SIGINT,
        }))
    }
}

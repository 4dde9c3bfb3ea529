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

use crate::arm::line::{line_offset, LINE_BYTES};
use crate::arm::Machine;
use crate::event::Cycle;
use crate::machine::Stop;

use super::registers::{Arm, Number, Table, Values, PC};
use super::watch::{Watch, Watched, Watchpoint};
use super::{monitor, Between, Files};

/// Cycles between two looks at the debugger and the console: some 50 ms of the host's time.
const SLICE: Cycle = 1_000_000;

type Reason = SingleThreadStopReason<u32>;

/// A debugger and its machine.
pub struct Session<'a, A: Watched> {
    machine: &'a mut Machine<A>,
    until: Cycle,
    between: &'a mut Between<'a, A>,
    stepping: bool,
    /// Virtual addresses, in whatever space; those of GDB's `break` and of its `hbreak`.
    breakpoints: [Vec<u32>; 2],
    /// The program counter that the debugger is shown after a watchpoint was hit: the address of
    /// the instruction that did it. GDB takes for granted that ARM stops *before* the access and
    /// steps over it, with its watchpoints removed, before it says anything. Here the instruction
    /// is done by then, and that step only ends the pretence.
    shown_pc: Option<u32>,
    registers: Table,
    description: String,
    /// The files that the debugger may name.
    files: Option<&'a dyn Files>,
    /// How the run has ended.
    end: Option<Stop>,
}

impl<'a, A: Watched> Session<'a, A> {
    /// A session on a stopped machine that runs to cycle `until` at most. `files`: those that the
    /// debugger may save to and restore from.
    pub fn new(
        machine: &'a mut Machine<A>,
        until: Cycle,
        between: &'a mut Between<'_, A>,
        files: Option<&'a dyn Files>,
    ) -> Self {
        let registers = Table::new(machine.core().mem.core);
        Self {
            description: registers.description(),
            registers,
            files,
            machine,
            until,
            between,
            stepping: false,
            breakpoints: [Vec::new(), Vec::new()],
            shown_pc: None,
            end: None,
        }
    }

    /// Takes the watchpoints away; says how the run has ended, if it has.
    pub fn close(self) -> Option<Stop> {
        *self.machine.core().observer.watch() = Watch::default();
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
        let slice = self.machine.cycles().saturating_add(SLICE).min(self.until);
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
        let end = self.show(stop)?;
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

    fn show(&mut self, stop: Stop) -> Option<Stop> {
        (self.between)(self.machine, stop)
    }

    fn run_to_horizon(&mut self) -> Option<Reason> {
        let core = self.machine.core();
        while core.mem.platform.cycle < core.mem.platform.horizon {
            let pc = core.r[PC];
            let broken = self.breakpoints.each_ref().map(|list| list.contains(&pc));
            // Where the page is yet to be mapped, it stops when the program comes back.
            if !self.stepping
                && broken != [false, false]
                && core.mem.can_fetch(pc, core.privileged())
            {
                return Some(match broken {
                    [true, _] => Reason::SwBreak(()),
                    _ => Reason::HwBreak(()),
                });
            }
            core.step();
            if let Some(hit) = core.observer.watch().hit.take() {
                self.shown_pc = Some(hit.pc);
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

    fn read_register_now(&mut self, number: usize) -> Option<u32> {
        match self.shown_pc {
            Some(pc) if number == PC => Some(pc),
            _ => self.registers.read(self.machine.core(), number),
        }
    }

    /// Writes a register if that changes it: a debugger may write back all that it has read.
    fn change_register(&mut self, number: usize, value: u32) -> TargetResult<(), Self> {
        if self.read_register_now(number) == Some(value) {
            return Ok(());
        }
        if number == PC {
            self.shown_pc = None;
        }
        if self.registers.write(self.machine.core(), number, value) {
            Ok(())
        } else {
            Err(TargetError::NonFatal)
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

impl<A: Watched> Target for Session<'_, A> {
    type Arch = Arm;
    type Error = Infallible;

    fn base_ops(&mut self) -> BaseOps<'_, Arm, Infallible> {
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

impl<A: Watched> TargetDescriptionXmlOverride for Session<'_, A> {
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

impl<A: Watched> SingleThreadBase for Session<'_, A> {
    fn read_registers(&mut self, values: &mut Values) -> TargetResult<(), Self> {
        values.0.clear();
        for number in 0..self.registers.count() {
            values.0.extend(self.read_register_now(number));
        }
        Ok(())
    }

    fn write_registers(&mut self, values: &Values) -> TargetResult<(), Self> {
        // the mode first: it decides which r13 and r14 are meant
        for (number, value) in values.0.iter().enumerate().rev() {
            self.change_register(number, *value)?;
        }
        Ok(())
    }

    fn support_single_register_access(&mut self) -> Option<SingleRegisterAccessOps<'_, (), Self>> {
        Some(self)
    }

    fn read_addrs(&mut self, start: u32, data: &mut [u8]) -> TargetResult<usize, Self> {
        let memory = &self.machine.core().mem;
        let mut done = 0;
        while done < data.len() {
            let va = start.wrapping_add(done as u32);
            let Some(line) = memory.peek_line(va) else {
                break;
            };
            let from = line_offset(va) as usize;
            let len = (line.len() - from).min(data.len() - done);
            data[done..done + len].copy_from_slice(&line[from..from + len]);
            done += len;
        }
        if done == 0 && !data.is_empty() {
            return Err(TargetError::NonFatal);
        }
        Ok(done)
    }

    fn write_addrs(&mut self, start: u32, data: &[u8]) -> TargetResult<(), Self> {
        let core = self.machine.core();
        let mut done = 0;
        while done < data.len() {
            let va = start.wrapping_add(done as u32);
            let room = (LINE_BYTES - line_offset(va)) as usize;
            let bytes = &data[done..data.len().min(done + room)];
            let pa = core.mem.poke(va, bytes).ok_or(TargetError::NonFatal)?;
            core.observer.poked(pa, bytes);
            done += bytes.len();
        }
        Ok(())
    }

    fn support_resume(&mut self) -> Option<SingleThreadResumeOps<'_, Self>> {
        Some(self)
    }
}

impl<A: Watched> SingleRegisterAccess<()> for Session<'_, A> {
    fn read_register(
        &mut self,
        (): (),
        Number(number): Number,
        buf: &mut [u8],
    ) -> TargetResult<usize, Self> {
        let value = self
            .read_register_now(number)
            .ok_or(TargetError::NonFatal)?;
        let bytes = value.to_le_bytes();
        let room = buf.get_mut(..bytes.len()).ok_or(TargetError::NonFatal)?;
        room.copy_from_slice(&bytes);
        Ok(bytes.len())
    }

    fn write_register(
        &mut self,
        (): (),
        Number(number): Number,
        value: &[u8],
    ) -> TargetResult<(), Self> {
        let bytes = value.try_into().map_err(|_| TargetError::NonFatal)?;
        self.change_register(number, u32::from_le_bytes(bytes))
    }
}

impl<A: Watched> SingleThreadResume for Session<'_, A> {
    fn resume(&mut self, _signal: Option<Signal>) -> Result<(), Infallible> {
        self.stepping = false;
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<SingleThreadSingleStepOps<'_, Self>> {
        Some(self)
    }
}

impl<A: Watched> SingleThreadSingleStep for Session<'_, A> {
    fn step(&mut self, _signal: Option<Signal>) -> Result<(), Infallible> {
        self.stepping = true;
        Ok(())
    }
}

impl<A: Watched> Breakpoints for Session<'_, A> {
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

impl<A: Watched> SwBreakpoint for Session<'_, A> {
    fn add_sw_breakpoint(&mut self, addr: u32, _kind: usize) -> TargetResult<bool, Self> {
        Ok(add(&mut self.breakpoints[0], addr))
    }

    fn remove_sw_breakpoint(&mut self, addr: u32, _kind: usize) -> TargetResult<bool, Self> {
        Ok(remove(&mut self.breakpoints[0], &addr))
    }
}

impl<A: Watched> HwBreakpoint for Session<'_, A> {
    fn add_hw_breakpoint(&mut self, addr: u32, _kind: usize) -> TargetResult<bool, Self> {
        Ok(add(&mut self.breakpoints[1], addr))
    }

    fn remove_hw_breakpoint(&mut self, addr: u32, _kind: usize) -> TargetResult<bool, Self> {
        Ok(remove(&mut self.breakpoints[1], &addr))
    }
}

impl<A: Watched> HwWatchpoint for Session<'_, A> {
    fn add_hw_watchpoint(
        &mut self,
        address: u32,
        len: u32,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        let points = &mut self.machine.core().observer.watch().points;
        Ok(add(points, Watchpoint { address, len, kind }))
    }

    fn remove_hw_watchpoint(
        &mut self,
        address: u32,
        len: u32,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        let points = &mut self.machine.core().observer.watch().points;
        Ok(remove(points, &Watchpoint { address, len, kind }))
    }
}

impl<A: Watched> MonitorCmd for Session<'_, A> {
    fn handle_monitor_cmd(
        &mut self,
        command: &[u8],
        mut out: ConsoleOutput<'_>,
    ) -> Result<(), Infallible> {
        let command = String::from_utf8_lossy(command);
        let answer = monitor::answer(self.machine, &command, self.files);
        out.write_raw(answer.as_bytes());
        if monitor::changes_state(&command) {
            self.shown_pc = None;
            self.end = None;
        }
        Ok(())
    }
}

/// Waits for whichever comes first, the machine or the debugger.
pub struct Loop<'a, A, C>(PhantomData<(&'a A, C)>);

impl<'a, A: Watched, C: ConnectionExt<Error = io::Error>> BlockingEventLoop for Loop<'a, A, C> {
    type Target = Session<'a, A>;
    type Connection = C;
    type StopReason = Reason;

    fn wait_for_stop_reason(
        session: &mut Session<'a, A>,
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
    fn on_interrupt(_session: &mut Session<'a, A>) -> Result<Option<Reason>, Infallible> {
        Ok(Some(Reason::SignalWithThread {
            tid: (),
            signal: Signal::SIGINT,
        }))
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Going back (`reverse-stepi`, `reverse-continue`), and forward again to where the machine has been
//! before. It is put back into a checkpoint of its [`History`](super::history::History) and runs to
//! where it is wanted; what it says to the world on the way has been said.

use gdbstub::target::ext::base::reverse_exec::ReplayLogPosition;

use crate::event::Cycle;

use super::history::{Event, Point};
use super::session::{Pause, Reason, Session};
use super::watch::{Look, Watched};
use super::Debuggable;

/// Cycles of the past between two looks at the debugger, and so many where each step is looked at.
const SLICE: Cycle = 10_000_000;
const STEPPED_SLICE: Cycle = 1_000_000;
/// Cycles before an instruction that is looked for from which on single steps are made; few take more.
const NEAR: Cycle = 10_000;
/// Cycles up to a wanted point within which no checkpoint is kept.
const CLOSE: Cycle = 20_000;

/// What the machine is at.
#[derive(Debug, Clone, Copy)]
pub enum Task {
    /// It runs on, or one instruction.
    On {
        /// One.
        step: bool,
    },
    /// It runs over a stretch of its past, up to `until`: is there anything to stop at?
    Look {
        /// Where the stretch begins.
        from: Point,
        /// Where it ends.
        until: Point,
    },
    /// It runs step by step to the last thing to stop at before `until`.
    Find {
        /// Where the past ends that is looked at.
        until: Point,
        /// The instruction in question, counted as [`Look::last`].
        instructions: u64,
        /// What there was so far.
        last: Option<Found>,
    },
    /// It goes to a point.
    Go {
        /// That.
        to: Point,
        /// Until this cycle, which is before it or the point's own, at full speed.
        near: Cycle,
        /// What the debugger is told there.
        reason: Reason,
    },
}

/// Something to stop at. The fields are those of [`Task::Go`].
#[derive(Debug, Clone, Copy)]
pub struct Found {
    to: Point,
    near: Cycle,
    reason: Reason,
}

impl<P: Debuggable> Session<'_, P> {
    /// Begins to go back to the last thing to stop at.
    pub fn continue_back(&mut self) {
        if self.has_stops() {
            self.look_before(self.here());
        } else {
            self.go_to_beginning();
        }
    }

    /// Begins to go back by an instruction.
    pub fn step_back(&mut self) {
        let done = self.machine.instructions();
        if done <= self.history.beginning().instructions && !self.entered {
            self.go_to_beginning();
            return;
        }
        let to = if self.entered {
            // only the entry into an exception
            Point::after(done)
        } else {
            self.one_before()
        };
        let near = self.machine.cycles().saturating_sub(NEAR);
        self.go(to, near, Reason::DoneStep);
    }

    /// Runs on over what has been, up to `front`, for a slice.
    pub(super) fn run_over(&mut self, step: bool, front: Point) -> Option<Reason> {
        let stop = self.step_over(front, self.alarm, step);
        if let Some(reason) = stop.or_else(|| self.take_alarm()) {
            return Some(reason);
        }
        let at_end = self.here() >= front && self.history.end.is_some();
        at_end.then(|| self.end_here())
    }

    /// A slice of going back.
    pub(super) fn travel(&mut self) -> Option<Reason> {
        let now = self.machine.cycles();
        match self.task {
            Task::On { .. } => {}
            Task::Look { from, until } => {
                if self.run_fast(until, 0, now + SLICE) {
                    let look = self.machine.core().observer().watch().look.take();
                    match look.and_then(|look| look.last) {
                        Some(instructions) => self.find(until, instructions),
                        None => self.look_before(from),
                    }
                } else {
                    self.keep_if_due();
                }
            }
            Task::Find {
                until,
                instructions,
                last,
            } => self.find_on(until, instructions, last),
            Task::Go { to, near, reason } => {
                // With checkpoints on the way that are the closer the nearer they are: what is wanted next
                // is often the instruction before.
                let left = near.saturating_sub(now);
                let stage = if left > CLOSE { left / 2 } else { SLICE };
                if !self.run_fast(to, near, now + stage.min(SLICE)) {
                    if !self.entered {
                        self.history.keep(self.machine, self.here());
                    }
                } else if self.machine.instructions() > to.instructions && near > 0 {
                    // An instruction took long: to this one in single steps.
                    self.go(to, 0, reason);
                } else {
                    return Some(reason);
                }
            }
        }
        None
    }

    /// Keeps a checkpoint where none is near. Not between the entry into an exception and its first
    /// instruction: it would not know of the entry, which is a step of its own on the way back.
    pub(super) fn keep_if_due(&mut self) {
        if !self.entered {
            self.history.keep_if_due(self.machine, self.here());
        }
    }

    /// Stays where the machine is.
    pub(super) fn stay(&mut self) {
        self.task = Task::On { step: false };
        self.machine.core().observer().watch().look = None;
        self.shown_pc = None;
    }

    /// Goes to where the machine has got to.
    pub(super) fn go_to_front(&mut self) {
        self.stay();
        let front = self.history.front();
        if self.here() < front {
            while !self.run_fast(front, 0, Cycle::MAX) {}
            self.end.clone_from(&self.history.end);
        }
        self.set_muted(false);
    }

    /// Whether observers are told nothing.
    pub(super) fn set_muted(&mut self, muted: bool) {
        if self.muted != muted {
            self.muted = muted;
            self.machine.core().observer().mute_others(muted);
        }
    }

    /// Whether a breakpoint here has been found already.
    pub(super) fn is_passing(&self) -> bool {
        match self.task {
            Task::Find {
                last: Some(found), ..
            } => {
                let breaks = matches!(found.reason, Reason::SwBreak(()) | Reason::HwBreak(()));
                breaks && found.to.instructions == self.machine.instructions()
            }
            _ => false,
        }
    }

    /// Whether the machine is at a point, but perhaps for what is due there.
    pub(super) fn is_at(&self, point: Point) -> bool {
        let here = self.here();
        (here.instructions, here.cycle) >= (point.instructions, point.cycle)
    }

    fn look_before(&mut self, until: Point) {
        match self.history.before(until) {
            Some(checkpoint) => {
                let from = self.go_back(checkpoint);
                self.task = Task::Look { from, until };
                self.machine.core().observer().watch().look = Some(Look {
                    breakpoints: self.breakpoints.concat(),
                    last: None,
                });
            }
            None => self.go_to_beginning(),
        }
    }

    fn find(&mut self, until: Point, instructions: u64) {
        self.go_back(Point::after(instructions.saturating_sub(1)));
        let last = None;
        self.task = Task::Find {
            until,
            instructions,
            last,
        };
    }

    fn find_on(&mut self, until: Point, instructions: u64, last: Option<Found>) {
        let end = until.min(Point::after(instructions + 1));
        if let Some(reason) = self.step_over(end, Cycle::MAX, false) {
            self.shown_pc = None;
            let here = self.here();
            let (to, near) = match reason {
                // It is to look undone. Where the debugger takes for granted that it is not done yet, it
                // makes the step back itself.
                Reason::Watch { .. } if !P::WATCHES_BEFORE => {
                    (self.one_before(), here.cycle.saturating_sub(NEAR))
                }
                _ => (here, here.cycle),
            };
            let last = Some(Found { to, near, reason });
            self.task = Task::Find {
                until,
                instructions,
                last,
            };
        } else if self.is_at(end) {
            match last {
                Some(Found { to, near, reason }) => self.go(to, near, reason),
                None => self.look_before(Point::after(instructions.saturating_sub(1))),
            }
        }
    }

    fn go_to_beginning(&mut self) {
        let beginning = self.history.beginning();
        let pos = ReplayLogPosition::Begin;
        self.go(beginning, 0, Reason::ReplayLog { tid: None, pos });
    }

    fn go(&mut self, to: Point, near: Cycle, reason: Reason) {
        self.go_back(to);
        self.task = Task::Go { to, near, reason };
    }

    /// Where the machine was before the last instruction, and has what the debugger has changed there.
    fn one_before(&self) -> Point {
        let instructions = self.machine.instructions().saturating_sub(1);
        let changed = self.history.last_change(instructions);
        changed.unwrap_or(Point::after(instructions))
    }

    /// Puts the machine into the last checkpoint at `point` or before it; says where that is.
    fn go_back(&mut self, point: Point) -> Point {
        self.set_muted(true);
        self.shown_pc = None;
        self.end = None;
        let at = self.history.restore(self.machine, point);
        (self.prepared, self.entered) = (at.prepared, false);
        at
    }

    /// Runs over what has been, up to `to` or until cycle `until`; `true`: it is there, or past it where
    /// that was not seen at full speed, which it has until cycle `near`.
    fn run_fast(&mut self, to: Point, near: Cycle, until: Cycle) -> bool {
        loop {
            let (next, near) = match self.history.next_event() {
                Some(event) if event <= to => (event, event.cycle),
                _ => (to, to.cycle.max(near)),
            };
            while !self.is_at(next) {
                let now = self.machine.cycles();
                if now >= until {
                    return false;
                }
                let fast = now < near;
                let horizon = if fast { near.min(until) } else { until };
                if self.prepare(horizon).is_some() {
                    continue;
                }
                if fast {
                    self.machine.core().run_to_horizon();
                } else {
                    self.machine.core().step();
                }
                (self.prepared, self.entered) = (false, false);
                self.machine.core().observer().watch().hit = None;
            }
            self.arrive(next);
            if next == to {
                return true;
            }
        }
    }

    /// Runs forward to `to` step by step, until cycle `until`, with a look at what may stop the machine.
    fn step_over(&mut self, to: Point, until: Cycle, step: bool) -> Option<Reason> {
        let end = until.min(self.machine.cycles() + STEPPED_SLICE);
        loop {
            let next = self.history.next_event().map_or(to, |event| event.min(to));
            let now = self.machine.cycles();
            let until = if now < next.cycle {
                next.cycle.min(end)
            } else {
                end
            };
            match self.run_singly(Some(next), until, step) {
                Pause::Stopped(reason) => {
                    // What the debugger has changed here is shown changed.
                    let here = self.here();
                    let changed = self.history.last_change(here.instructions);
                    let changed = changed.filter(|change| change.cycle == here.cycle);
                    self.arrive(changed.map_or(here, |change| change.max(here)));
                    return Some(reason);
                }
                Pause::There => {
                    self.arrive(next);
                    if next == to {
                        return None;
                    }
                }
                Pause::Machine(_) if self.machine.cycles() >= end => {
                    self.drop_output();
                    return None;
                }
                Pause::Machine(_) => {}
            }
        }
    }

    /// The machine has come to `point`: does again what was done there.
    fn arrive(&mut self, point: Point) {
        if point.prepared && !self.prepared {
            let now = self.machine.cycles();
            let _ = self.prepare(now); // the end of the run, if it is that, is known
        }
        self.drop_output();
        while let Some(event) = self.history.take_event(self.here()) {
            match event {
                Event::Input(input) => self.machine.give(input),
                Event::Register(place, value) => {
                    self.machine.core().write_register(place, value);
                }
                Event::Memory(address, bytes) => {
                    self.machine.core().poke(address, &bytes);
                }
                Event::DeviceRead(address, bytes) => {
                    self.read_device(address, &mut vec![0; bytes]);
                }
            }
        }
        if let Some(inputs) = &mut self.machine.bus().host.inputs {
            inputs.clear();
        }
    }

    /// Nobody hears again what the guest has said before.
    fn drop_output(&mut self) {
        let host = &mut self.machine.bus().host;
        host.output.clear();
        host.net.outgoing.clear();
        if let Some(marks) = &mut host.marks {
            marks.clear();
        }
    }
}

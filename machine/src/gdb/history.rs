// SPDX-License-Identifier: Apache-2.0
//! What a debugger can go back over: checkpoints of the machine since the debugger came, and all that
//! was done to it from outside, with the points at which it was. A machine that is put back into a
//! checkpoint and given the same at the same points runs as it ran then, to the cycle.
//!
//! Checkpoints lie closest where the machine is, and at growing distances further away, so that they
//! take no more than [`MOST_BYTES`] in all.

use crate::arch::Debugged;
use crate::checkpoint::{Checkpoint, Checkpoints};
use crate::dev::Input;
use crate::event::Cycle;
use crate::machine::{Machine, Stop};

/// Instructions between two checkpoints, at least.
const INTERVAL: u64 = 2_000_000;
/// Most bytes of all checkpoints, but two are kept whatever they take.
const MOST_BYTES: usize = 512 << 20;
/// Most bytes of input that are kept; what is before the oldest cannot be gone back to.
const MOST_INPUT: usize = 64 << 20;

/// A point in a machine's run. In this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    /// Instructions that were done by then; a repeated one counts when all of it is done.
    pub instructions: u64,
    /// The cycle: later ones are within a repeated instruction, or asleep.
    pub cycle: Cycle,
    /// Whether what was due then is done: events of devices, interrupts.
    pub prepared: bool,
}

impl Point {
    /// Right after so many instructions.
    pub fn after(instructions: u64) -> Self {
        Self {
            instructions,
            cycle: 0,
            prepared: false,
        }
    }
}

/// Something that was done to the machine from outside.
#[derive(Debug, Clone)]
pub enum Event<Place> {
    /// By the console or the network.
    Input(Input),
    /// The debugger wrote a register.
    Register(Place, u128),
    /// The debugger wrote memory.
    Memory(u64, Vec<u8>),
    /// The debugger read so many bytes of a device.
    DeviceRead(u64, usize),
}

impl<Place> Event<Place> {
    fn bytes(&self) -> usize {
        let held = match self {
            Self::Input(Input::Typed(bytes) | Input::Frame(bytes)) | Self::Memory(_, bytes) => {
                bytes.len()
            }
            _ => 0,
        };
        size_of::<(Point, Self)>() + held
    }
}

/// A checkpoint, and where it is.
struct Kept {
    point: Point,
    /// How many events had been by then.
    events: usize,
    state: Checkpoint,
}

/// The history of a machine under one debugger.
pub struct History<P: Debugged> {
    states: Checkpoints,
    /// In the order of their points; the first is the beginning.
    kept: Vec<Kept>,
    /// In the order of their points.
    events: Vec<(Point, Event<P::Place>)>,
    /// Events that were forgotten, of which those before the beginning are.
    forgotten: usize,
    event_bytes: usize,
    /// How many events the machine has been given, of all that ever were.
    given: usize,
    /// The furthest point that the machine has been at.
    front: Point,
    /// With what the run ends there, if it does.
    pub end: Option<Stop>,
}

impl<P: Debugged> History<P> {
    /// One that begins here. Its machine's input is noted from now on, until [`History::close`].
    pub fn new(machine: &mut Machine<P>, here: Point) -> Self {
        machine.bus().host.inputs = Some(Vec::new());
        let mut states = Checkpoints::new(machine);
        let state = states.take(machine);
        let first = Kept {
            point: here,
            events: 0,
            state,
        };
        Self {
            states,
            kept: vec![first],
            events: Vec::new(),
            forgotten: 0,
            event_bytes: 0,
            given: 0,
            front: here,
            end: None,
        }
    }

    /// Nothing is noted any more.
    pub fn close(&self, machine: &mut Machine<P>) {
        machine.bus().host.inputs = None;
    }

    /// Where it begins.
    pub fn beginning(&self) -> Point {
        self.kept[0].point
    }

    /// The furthest point that the machine has been at.
    pub fn front(&self) -> Point {
        self.front
    }

    /// The machine has run on, to `here`, further than ever, and was given there what it notes.
    pub fn go_on(&mut self, machine: &mut Machine<P>, here: Point) {
        let inputs = machine.bus().host.inputs.as_mut().map(std::mem::take);
        for input in inputs.unwrap_or_default() {
            self.add(here, Event::Input(input));
        }
        self.front = here;
    }

    /// The debugger changes the machine at `here`, which has not been told yet: what came after that is
    /// no more. `true`: there was something.
    pub fn change(&mut self, here: Point, event: Event<P::Place>) -> bool {
        let back = here < self.front;
        if back {
            self.front = here;
            self.end = None;
            let given = self.given;
            for (_, event) in self.events.drain(given - self.forgotten..) {
                self.event_bytes -= event.bytes();
            }
            self.kept
                .retain(|kept| kept.point <= here && kept.events <= given);
        }
        self.add(here, event);
        back
    }

    fn add(&mut self, here: Point, event: Event<P::Place>) {
        self.event_bytes += event.bytes();
        self.events.push((here, event));
        self.given += 1;
    }

    /// Where the next event is that the machine is still to be given.
    pub fn next_event(&self) -> Option<Point> {
        let next = self.events.get(self.given - self.forgotten);
        next.map(|(point, _)| *point)
    }

    /// The next event that the machine, at `here`, is to be given, if that is one.
    pub fn take_event(&mut self, here: Point) -> Option<Event<P::Place>> {
        let (point, event) = self.events.get(self.given - self.forgotten)?;
        if *point > here {
            return None;
        }
        self.given += 1;
        Some(event.clone())
    }

    /// The last point at which the debugger changed something after instruction `instructions`.
    pub fn last_change(&self, instructions: u64) -> Option<Point> {
        let is_change = |event: &Event<_>| !matches!(event, Event::Input(_));
        let end = self
            .events
            .partition_point(|(point, _)| point.instructions <= instructions);
        let at_it = self.events[..end].iter().rev();
        let mut at_it = at_it.take_while(|(point, _)| point.instructions == instructions);
        at_it
            .find(|(_, event)| is_change(event))
            .map(|(point, _)| *point)
    }

    /// The last checkpoint before `point`.
    pub fn before(&self, point: Point) -> Option<Point> {
        let earlier = self.kept.partition_point(|kept| kept.point < point);
        self.kept[..earlier].last().map(|kept| kept.point)
    }

    /// Puts the machine into the last checkpoint that is at `point` or before it, or the beginning; says
    /// where that is.
    pub fn restore(&mut self, machine: &mut Machine<P>, point: Point) -> Point {
        let behind = self.kept.partition_point(|kept| kept.point <= point);
        let kept = &self.kept[behind.saturating_sub(1)];
        self.states.restore(machine, &kept.state);
        self.given = kept.events;
        kept.point
    }

    /// Keeps a checkpoint of the machine, which is at `here`, where none is near.
    pub fn keep_if_due(&mut self, machine: &mut Machine<P>, here: Point) {
        let behind = self.kept.partition_point(|kept| kept.point <= here);
        let before = self.kept[..behind].last().map(|kept| kept.point);
        let done = here.instructions - before.map_or(0, |point| point.instructions);
        if done >= INTERVAL {
            self.keep(machine, here);
        }
    }

    /// Keeps a checkpoint of the machine, which is at `here`.
    pub fn keep(&mut self, machine: &mut Machine<P>, here: Point) {
        let at = self.kept.partition_point(|kept| kept.point <= here);
        let events = self.given;
        let before = &self.kept[..at].last();
        if before.is_some_and(|kept| kept.point == here && kept.events == events) {
            return;
        }
        let state = self.states.take(machine);
        let kept = Kept {
            point: here,
            events,
            state,
        };
        self.kept.insert(at, kept);
        while self.bytes() > MOST_BYTES && self.kept.len() > 2 {
            let kept = self.kept.iter().map(|kept| kept.point.instructions);
            let kept: Vec<u64> = kept.collect();
            self.kept.remove(dispensable(&kept, here.instructions));
        }
        while self.event_bytes > MOST_INPUT && self.kept.len() > 1 {
            self.forget_beginning();
        }
    }

    fn bytes(&self) -> usize {
        let own = self.kept.iter().map(|kept| kept.state.own_bytes());
        self.states.page_bytes() + own.sum::<usize>()
    }

    fn forget_beginning(&mut self) {
        self.kept.remove(0);
        let before = self.kept[0].events - self.forgotten;
        for (_, event) in self.events.drain(..before) {
            self.event_bytes -= event.bytes();
        }
        self.forgotten += before;
    }
}

/// Which of the checkpoints, that are after so many instructions, is missed least by a machine at
/// `here`: without it the gap is the smallest for how far away it is. Neither the first nor the last, if
/// there are others.
fn dispensable(kept: &[u64], here: u64) -> usize {
    let missed = |gap: &[u64]| {
        let away = gap[0].abs_diff(here).max(gap[2].abs_diff(here));
        (gap[2] - gap[0]) as f64 / (away + 1) as f64
    };
    let gaps = kept.windows(3).enumerate();
    let least = gaps.min_by(|(_, a), (_, b)| missed(a).total_cmp(&missed(b)));
    least.map_or(kept.len() - 1, |(before, _)| before + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 4000 million instructions of which 24 checkpoints may be kept.
    #[test]
    fn checkpoints_are_close_where_the_machine_is() {
        let mut kept = vec![0];
        let mut here = 0;
        for _ in 0..2000 {
            here += INTERVAL;
            kept.push(here);
            while kept.len() > 24 {
                kept.remove(dispensable(&kept, here));
            }
        }
        assert_eq!((kept[0], kept[23]), (0, here));
        for (n, gap) in kept.windows(2).enumerate() {
            let (size, away) = (gap[1] - gap[0], here - gap[0]);
            assert!(size <= INTERVAL.max(away / 2), "gap {n}: {kept:?}");
        }
        assert_eq!(kept[22], here - INTERVAL);
    }

    #[test]
    fn of_two_the_second_is_dispensable() {
        assert_eq!(dispensable(&[0, 9], 9), 1);
        assert_eq!(dispensable(&[0, 5, 9], 9), 1);
    }
}

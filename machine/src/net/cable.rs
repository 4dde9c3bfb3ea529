// SPDX-License-Identifier: Apache-2.0
//! The cable of a running machine: called when it has run for a slice, carries frames both ways
//! and keeps idle time from passing faster than it does outside, where answers come from.

use std::time::{Duration, Instant};

use super::{Event, Wire};
use crate::arch::Processor;
use crate::event::Cycle;
use crate::machine::Machine;

/// Cycles between two looks at the cable: a fraction of a millisecond, of which a question and its
/// answer take two or three.
pub const SLICE: Cycle = 100_000;
/// Most frames that stand in the cable; more stay in the socket, whose sender then waits.
const MOST_STANDING: usize = 64;
/// Longest time for which idle time that was slept too long is made up for.
const MOST_OVERSLEPT: Duration = Duration::from_millis(5);

/// A machine's cable.
pub struct Cable {
    wire: Box<dyn Wire>,
    clock_hz: u64,
    /// Idle cycles of the machine that have been seen.
    idle_cycles: u64,
    /// Until when the machine's idle time would have lasted outside.
    idle_until: Instant,
    /// Whether it was said that frames are lost.
    complained: bool,
    say: fn(&str),
}

impl Cable {
    /// Plugs `wire`, whose other end somebody holds, into `machine`. `say` is for messages.
    pub fn plug<P: Processor>(
        wire: Box<dyn Wire>,
        machine: &mut Machine<P>,
        clock_hz: u64,
        say: fn(&str),
    ) -> Self {
        machine.set_cable(true);
        Self {
            wire,
            clock_hz,
            idle_cycles: idle_cycles(machine),
            idle_until: Instant::now(),
            complained: false,
            say,
        }
    }

    /// Carries what there is to carry. If the machine was idle in the last slice, waits until that
    /// time has passed outside, but not when a frame arrives.
    pub fn carry<P: Processor>(&mut self, machine: &mut Machine<P>) {
        self.send(machine);
        let slept = idle_cycles(machine);
        // A debugger may have gone back in time.
        let idle = slept.saturating_sub(std::mem::replace(&mut self.idle_cycles, slept));
        let now = Instant::now();
        if idle == 0 {
            self.idle_until = now;
        } else {
            let least = now.checked_sub(MOST_OVERSLEPT).unwrap_or(now);
            self.idle_until = self.idle_until.max(least)
                + Duration::from_secs_f64(idle as f64 / self.clock_hz as f64);
        }
        self.receive(machine, self.idle_until.saturating_duration_since(now));
    }

    /// For a machine that only a frame can wake, or a key: waits for a frame, for `patience`.
    /// `false`: none will come any more.
    pub fn wait<P: Processor>(&mut self, machine: &mut Machine<P>, patience: Duration) -> bool {
        self.send(machine);
        self.receive(machine, patience);
        self.wire.open()
    }

    fn send<P: Processor>(&mut self, machine: &mut Machine<P>) {
        for frame in machine.bus().host.net.outgoing.drain(..) {
            if !self.wire.send(&frame) && !std::mem::replace(&mut self.complained, true) {
                (self.say)("--net: the other end does not keep up; frames are lost");
            }
        }
    }

    fn receive<P: Processor>(&mut self, machine: &mut Machine<P>, patience: Duration) {
        let mut patience = patience;
        if machine.bus().host.net.incoming.len() >= MOST_STANDING {
            return; // the machine does not listen, or is busy with these
        }
        while let Some(event) = self.wire.receive(patience) {
            patience = Duration::ZERO;
            match event {
                Event::Frame(frame) => {
                    machine.frame_comes(frame);
                    if machine.bus().host.net.incoming.len() >= MOST_STANDING {
                        break;
                    }
                }
                Event::Up => machine.set_cable(true),
                Event::Down(why) => {
                    (self.say)(&format!("--net: {why}; the cable is unplugged"));
                    machine.set_cable(false);
                }
            }
        }
        machine.network_arrived();
    }
}

fn idle_cycles<P: Processor>(machine: &mut Machine<P>) -> u64 {
    machine.counters().counted().run.idle
}

// SPDX-License-Identifier: Apache-2.0
//! A second machine at the other end of the cable, simulated in step with the first.
//!
//! Both run one step of time after the other. What a machine sends in a step reaches the other at
//! the start of the step after the next boundary, whichever of them is simulated first. Nothing
//! of the host gets in, so a run of two machines is as repeatable as one of one.

use crate::arch::Processor;
use crate::event::Cycle;
use crate::machine::{Machine, Stop};

/// Cycles of the first machine in a step: 95 microseconds of the Versatile's.
pub const STEP: Cycle = 20_000;

/// Frames that stand in the cable.
type Frames = Vec<Vec<u8>>;

/// The second machine, whatever its processor.
trait Neighbour {
    /// Runs to cycle `until` of its own, with `frames` at its end of the cable; what it sent.
    fn run(&mut self, frames: Frames, until: Cycle) -> Result<Frames, Stop>;
    /// Whether nothing but a frame can wake it.
    fn waits(&self) -> bool;
    /// What it wrote on its console since it was last asked.
    fn output(&mut self) -> Vec<u8>;
}

struct Running<P: Processor> {
    machine: Machine<P>,
    waits: bool,
}

impl<P: Processor> Neighbour for Running<P> {
    fn run(&mut self, frames: Frames, until: Cycle) -> Result<Frames, Stop> {
        for frame in frames {
            self.machine.frame_comes(frame);
        }
        self.machine.network_arrived();
        let stop = self.machine.run(until);
        self.waits = matches!(stop, Stop::Hung(_)) && self.machine.core().waits_for_interrupt();
        if stop == Stop::Budget || self.waits {
            Ok(std::mem::take(&mut self.machine.bus().host.net.outgoing))
        } else {
            Err(stop)
        }
    }

    fn waits(&self) -> bool {
        self.waits
    }

    fn output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.machine.bus().host.output)
    }
}

/// The cable between two machines, and the second one.
pub struct Pair {
    /// Until it ends.
    second: Option<Box<dyn Neighbour>>,
    /// What the first one sent in the last step.
    standing: Frames,
    /// Cycles of the second for one of the first, as a fraction.
    clocks: (u64, u64),
    /// The start of the second one's line.
    line: Vec<u8>,
    say: fn(&str),
}

impl Pair {
    /// Plugs `machine`, whose clock is `clocks.0`, to `second`, which is loaded and whose clock is
    /// `clocks.1`. `say` is for messages, and for the second machine's console.
    pub fn plug<P: Processor, Q: Processor + 'static>(
        machine: &mut Machine<P>,
        mut second: Machine<Q>,
        clocks: (u64, u64),
        say: fn(&str),
    ) -> Self {
        machine.set_cable(true);
        second.set_cable(true);
        Self {
            second: Some(Box::new(Running {
                machine: second,
                waits: false,
            })),
            standing: Frames::new(),
            clocks,
            line: Vec::new(),
            say,
        }
    }

    /// Brings the second machine to where the first is, and carries frames. `waits`: only a frame
    /// wakes the first. `false`: none will come.
    pub fn step<P: Processor>(&mut self, machine: &mut Machine<P>, waits: bool) -> bool {
        let sent = std::mem::take(&mut machine.bus().host.net.outgoing);
        let Some(second) = &mut self.second else {
            return !waits;
        };
        let arriving = std::mem::replace(&mut self.standing, sent);
        let stuck = waits && second.waits() && arriving.is_empty() && self.standing.is_empty();
        let (first_hz, second_hz) = self.clocks;
        let until = u128::from(machine.cycles()) * u128::from(second_hz) / u128::from(first_hz);
        let done = second.run(arriving, until as Cycle);
        let output = second.output();
        self.show(&output);
        match done {
            Ok(frames) => {
                for frame in frames {
                    machine.frame_comes(frame);
                }
                machine.network_arrived();
            }
            Err(stop) => {
                self.second = None;
                (self.say)(&format!("--peer: ended: {}", words(&stop)));
                machine.set_cable(false);
            }
        }
        !stuck
    }

    /// Whole lines.
    fn show(&mut self, output: &[u8]) {
        for &byte in output {
            match byte {
                b'\n' => {
                    let line = std::mem::take(&mut self.line);
                    (self.say)(&format!("--peer: {}", String::from_utf8_lossy(&line)));
                }
                b'\r' => {}
                _ => self.line.push(byte),
            }
        }
    }
}

fn words(stop: &Stop) -> String {
    match stop {
        Stop::Exit(status) => format!("exit with status {status}"),
        Stop::PowerOff(how) => format!("switched off ({how})"),
        Stop::Stopped(why) => (*why).to_string(),
        Stop::Hung(why) | Stop::Died(why) | Stop::Unexpected(why) => why.clone(),
        Stop::Budget | Stop::Left | Stop::Killed | Stop::Watched => "left".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::Architecture;
    use crate::arm::Arm;
    use crate::config::MachineConfig;
    use crate::registry;

    type Core = <Arm as Architecture>::Core<()>;

    /// A Versatile whose memory is all zeros, which do nothing.
    fn machine() -> Machine<Core> {
        let config = MachineConfig::find("versatilepb").unwrap();
        let board = registry::board(&config.board).unwrap();
        Machine::new(&config, (board.parts)(config.ram_bytes), ())
    }

    #[test]
    fn a_frame_waits_for_the_next_step() {
        let mut first = machine();
        let mut pair = Pair::plug(&mut first, machine(), (2, 1), |_| {});
        first.bus().host.net.outgoing.push(vec![0xff; 60]);
        for (step, standing) in [(1, 1), (2, 0)] {
            first.run(step * STEP);
            assert!(pair.step(&mut first, false));
            assert_eq!(pair.standing.len(), standing, "step {step}");
        }
    }

    #[test]
    fn a_second_machine_that_has_ended_unplugs_the_cable() {
        let (mut first, mut second) = (machine(), machine());
        second.bus().host.exit = Some(0);
        let mut pair = Pair::plug(&mut first, second, (1, 1), |_| {});
        assert!(first.bus().host.net.cable);
        first.run(STEP);
        assert!(pair.step(&mut first, false));
        assert!(!first.bus().host.net.cable);
        // who only waits for a frame now waits for ever
        assert!(!pair.step(&mut first, true));
    }
}

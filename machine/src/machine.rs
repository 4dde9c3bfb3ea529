// SPDX-License-Identifier: Apache-2.0
//! A machine: a processor with its memory system and bus, and the loop that runs it from event to
//! event. Time is the platform's cycle count; devices are woken when their deadline has come, and
//! interrupts are looked at whenever pins or masks may have changed. Of the processor it knows what
//! [`Processor`] says.

use crate::arch::{Dead, Processor};
use crate::bus::{BoardParts, Bus};
use crate::config::MachineConfig;
use crate::counters::Counters;
use crate::dev::keyboard::Key;
use crate::dev::Input;
use crate::event::{Cycle, NEVER};
use crate::observe::Observed;
use crate::recording::Timed;

/// Why [`Machine::run`] came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The cycle to run until has come.
    Budget,
    /// The guest ended the run through the probe, with this status.
    Exit(u32),
    /// The guest switched the machine off, as one that is done does; says how.
    PowerOff(&'static str),
    /// The machine stopped otherwise (a reset, a watchdog, nobody to talk to); says why.
    Stopped(&'static str),
    /// The person at its console has left.
    Left,
    /// A debugger has ended the run.
    Killed,
    /// What was to be watched is over.
    Watched,
    /// The script at its console did not get what it expected; says what.
    Unexpected(String),
    /// The guest can never go on; says why.
    Hung(String),
    /// The guest takes exceptions for ever; says which.
    Died(String),
}

/// A described computer, running.
pub struct Machine<P: Processor> {
    core: P,
    /// The machine file's text.
    described: String,
    /// What is noted of what it is given, with the time; `None`: nobody wants to know.
    recorded: Option<Vec<Timed>>,
    replay: Replay,
}

/// What the machine is given at its time, by itself.
#[derive(Default)]
struct Replay {
    /// In order.
    inputs: Vec<Timed>,
    /// How many of them it has been given.
    given: usize,
    /// The cycle of the next; [`NEVER`] if there is none.
    next: Cycle,
}

impl<P: Processor> Machine<P> {
    /// A machine as `config` describes it, with a board's parts, as reset leaves it.
    #[must_use]
    pub fn new(config: &MachineConfig, parts: BoardParts, observer: P::Observer) -> Self {
        let bus = Bus::new(parts, config.clock_hz);
        let mut core = P::new(config, bus, observer);
        core.platform_mut().counters.own = P::Architecture::OWN_COUNTERS;
        Self {
            core,
            described: config.text.clone(),
            recorded: None,
            replay: Replay {
                next: NEVER,
                ..Replay::default()
            },
        }
    }

    /// Notes from now on what it is given, with the time.
    pub fn record(&mut self) {
        self.recorded = Some(Vec::new());
    }

    /// What was noted.
    pub fn take_recorded(&mut self) -> Vec<Timed> {
        self.recorded.take().unwrap_or_default()
    }

    /// Gives itself `inputs` when their time comes. They are part of the machine then: who asks for what
    /// has come from outside does not hear of them.
    pub fn replay(&mut self, inputs: Vec<Timed>) {
        self.replay.inputs = inputs;
        self.set_replayed(0);
    }

    /// How many of those it has been given.
    #[must_use]
    pub fn replayed(&self) -> usize {
        self.replay.given
    }

    /// It has been given so many of those: of a machine that is put back to another time.
    pub fn set_replayed(&mut self, given: usize) {
        let next = self.replay.inputs.get(given);
        self.replay.next = next.map_or(NEVER, |timed| timed.cycle);
        self.replay.given = given;
    }

    /// Of a machine that was restored to a time within what it replays: what was given by then is in it.
    pub fn skip_replayed(&mut self) {
        let now = self.cycles();
        let given = self
            .replay
            .inputs
            .partition_point(|timed| timed.cycle <= now);
        self.set_replayed(given);
    }

    /// Runs until cycle `until` at the latest.
    pub fn run(&mut self, until: Cycle) -> Stop {
        loop {
            if let Some(stop) = self.prepare(until) {
                return stop;
            }
            self.core.run_to_horizon();
        }
    }

    /// Does what is due before the next instruction: events, interrupts, sleep. `None`:
    /// instructions may run up to the memory system's horizon, which is `until` at the latest.
    #[inline]
    pub fn prepare(&mut self, until: Cycle) -> Option<Stop> {
        loop {
            if std::mem::take(&mut self.core.platform_mut().bus.host.empty) {
                self.core.empty_caches();
            }
            if let Some(stop) = self.ended() {
                return Some(stop);
            }
            if self.core.platform().is_due() {
                self.core.sync_counters();
                self.core.platform_mut().fire_due();
            }
            self.core.poll_interrupts();
            let now = self.core.platform().cycle;
            if now >= self.replay.next && self.replay_next() {
                continue;
            }
            if now >= until {
                return Some(Stop::Budget);
            }
            // One that is overdue waits for the processor's sleep, which ends the quantum anyhow.
            let due = Some(self.replay.next).filter(|next| *next > now);
            let until = due.map_or(until, |next| until.min(next));
            if self.core.waits_for_interrupt() {
                let nothing_comes = self.replay.next == NEVER;
                let dead = nothing_comes && !self.core.can_wake();
                if dead || !self.core.sleep(until) && nothing_comes {
                    let (pc, awaited) = (self.core.pc(), self.core.awaited());
                    return Some(Stop::Hung(format!("waits at {pc:#010x} for {awaited}")));
                }
                continue;
            }
            let platform = self.core.platform_mut();
            platform.horizon = until.min(platform.bus.events.next());
            return None;
        }
    }

    fn ended(&mut self) -> Option<Stop> {
        let host = &mut self.core.platform_mut().bus.host;
        if let Some(status) = host.exit.take() {
            return Some(Stop::Exit(status));
        }
        if let Some(how) = host.power_off.take() {
            return Some(Stop::PowerOff(how));
        }
        if let Some(why) = host.stopped.take() {
            return Some(Stop::Stopped(why));
        }
        match self.core.take_dead()? {
            Dead::NeverWakes(why) => Some(Stop::Hung(why)),
            Dead::FaultsForever(why) => Some(Stop::Died(why)),
        }
    }

    /// The bus: memory for loaders, the host's side of the devices.
    pub fn bus(&mut self) -> &mut Bus {
        &mut self.core.platform_mut().bus
    }

    /// The processor: for debuggers, reports and tests.
    pub fn core(&mut self) -> &mut P {
        &mut self.core
    }

    /// The text of the machine file that describes it.
    #[must_use]
    pub fn described(&self) -> &str {
        &self.described
    }

    /// Cycles since reset.
    #[must_use]
    pub fn cycles(&self) -> Cycle {
        self.core.platform().cycle
    }

    /// Instructions since reset that are done.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        self.core.platform().counters.fetches
    }

    /// The counters, up to date.
    pub fn counters(&mut self) -> &mut Counters {
        self.core.sync_counters();
        &mut self.core.platform_mut().counters
    }

    /// Gives console input to the guest.
    pub fn type_input(&mut self, bytes: &[u8]) {
        self.give(Input::Typed(bytes.to_vec()));
    }

    /// Presses or releases a key of the guest's keyboard.
    pub fn press_key(&mut self, key: Key, pressed: bool) {
        self.give(Input::Key(key, pressed));
    }

    /// Puts a frame into the cable of the guest's network interface.
    pub fn frame_comes(&mut self, frame: Vec<u8>) {
        self.give(Input::Frame(frame));
    }

    /// Tells the guest's network interface of frames that stand in its cable.
    pub fn network_arrived(&mut self) {
        self.give(Input::Arrived);
    }

    /// Plugs the cable of the guest's network interface in, or unplugs it.
    pub fn set_cable(&mut self, plugged: bool) {
        self.give(Input::Cable(plugged));
    }

    /// Gives the machine something from outside.
    pub fn give(&mut self, input: Input) {
        let asleep = self.core.waits_for_interrupt();
        let platform = self.core.platform_mut();
        let cycle = platform.cycle;
        let host = &mut platform.bus.host;
        // Telling of nothing is nothing to note.
        if input != Input::Arrived || !host.net.incoming.is_empty() {
            if let Some(inputs) = &mut host.inputs {
                inputs.push(input.clone());
            }
            if let Some(recorded) = &mut self.recorded {
                recorded.push(Timed {
                    cycle,
                    asleep,
                    input: input.clone(),
                });
            }
        }
        self.take(input);
    }

    /// Gives itself the next of what it replays, whose cycle has come; `false`: the processor is to sleep
    /// then, and does not yet.
    #[cold]
    fn replay_next(&mut self) -> bool {
        let given = self.replay.given;
        let timed = &self.replay.inputs[given];
        if timed.asleep && !self.core.waits_for_interrupt() {
            return false;
        }
        let input = timed.input.clone();
        self.set_replayed(given + 1);
        self.take(input);
        true
    }

    fn take(&mut self, input: Input) {
        self.core.sync_counters();
        let platform = self.core.platform_mut();
        let host = &mut platform.bus.host;
        match input {
            Input::Typed(bytes) => platform.type_input(&bytes),
            Input::Frame(frame) => host.net.incoming.push_back(frame),
            Input::Arrived => platform.network_arrived(),
            Input::Key(key, pressed) => platform.press_key(key, pressed),
            Input::Cable(plugged) => {
                host.net.cable = plugged;
                host.net.incoming.clear();
                platform.network_arrived();
            }
        }
    }
}

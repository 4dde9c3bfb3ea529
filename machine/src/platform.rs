// SPDX-License-Identifier: Apache-2.0
//! What the memory system of every architecture embeds: the clock, the cycle at which a quantum
//! ends, the bus and the counters. An architecture charges cycles and counts; devices meet it here alone.

use crate::bus::{Bus, Target};
use crate::counters::Counters;
use crate::dev::keyboard::Key;
use crate::dev::Width;
use crate::event::{Cycle, NEVER};
use crate::state::{plausible, require, Damaged, Restorer, Saver, State};

/// Clock, bus and counters.
pub struct Platform {
    /// The current cycle: the machine's clock.
    pub cycle: Cycle,
    /// The cycle at which a quantum ends, and the run loop goes on: the next event, or now.
    pub horizon: Cycle,
    /// Physical memory and devices.
    pub bus: Bus,
    /// Counters.
    pub counters: Counters,
}

impl Platform {
    /// One at cycle 0, with `bus`.
    #[must_use]
    pub fn new(bus: Bus) -> Self {
        Self {
            cycle: 0,
            horizon: 0,
            bus,
            counters: Counters::new(),
        }
    }

    /// Whether a device waits to be woken now.
    #[inline]
    #[must_use]
    pub fn is_due(&self) -> bool {
        self.bus.events.next() <= self.cycle
    }

    /// A single read at `pa`, where `target` stands; the value is right-aligned. `None`: abort.
    pub fn read(&mut self, target: Target, pa: u32, width: Width) -> Option<u32> {
        let value = self
            .bus
            .read(target, pa, width, self.cycle, &mut self.counters);
        self.end_quantum_if_needed();
        value
    }

    /// A single write of any target. `false`: abort.
    pub fn write(&mut self, pa: u32, value: u32, width: Width) -> bool {
        let written = self
            .bus
            .write(pa, value, width, self.cycle, &mut self.counters);
        self.end_quantum_if_needed();
        written
    }

    /// A read of port `port`.
    pub fn read_port(&mut self, port: u16, width: Width) -> u32 {
        let value = self
            .bus
            .read_port(port, width, self.cycle, &mut self.counters);
        self.end_quantum_if_needed();
        value
    }

    /// A write of port `port`.
    pub fn write_port(&mut self, port: u16, value: u32, width: Width) {
        self.bus
            .write_port(port, value, width, self.cycle, &mut self.counters);
        self.end_quantum_if_needed();
    }

    /// The vector of the interrupt that the processor takes, if the board's controller has such.
    pub fn acknowledge(&mut self) -> Option<u8> {
        self.bus.acknowledge(self.cycle, &mut self.counters)
    }

    /// After devices may have been accessed: ends the quantum if one of them needs the run loop.
    #[inline]
    pub fn end_quantum_if_needed(&mut self) {
        if std::mem::take(&mut self.bus.needs_run_loop) {
            self.horizon = 0;
        }
    }

    /// Wakes every device whose deadline has come. The counters must be up to date, here and below.
    pub fn fire_due(&mut self) {
        self.bus.fire_due(self.cycle, &mut self.counters);
    }

    /// Gives `bytes` to the console as if typed.
    pub fn type_input(&mut self, bytes: &[u8]) {
        self.bus.type_input(bytes, self.cycle, &mut self.counters);
    }

    /// A key of the keyboard is pressed, or released.
    pub fn press_key(&mut self, key: Key, pressed: bool) {
        self.bus
            .press_key(key, pressed, self.cycle, &mut self.counters);
    }

    /// Tells the devices that the network brought something.
    pub fn network_arrived(&mut self) {
        self.bus.network_arrived(self.cycle, &mut self.counters);
    }

    /// Passes the time up to `until` or the next event. `false` if no event will ever come.
    pub fn sleep(&mut self, until: Cycle) -> bool {
        let wake = self.bus.events.next();
        if wake == NEVER && until == NEVER {
            return false;
        }
        let then = self.cycle.max(wake.min(until));
        self.counters.now.run.idle += then - self.cycle;
        self.cycle = then;
        wake != NEVER
    }
}

impl State for Platform {
    fn save(&self, to: &mut Saver) {
        let Self {
            cycle,
            horizon: _, // the run loop sets it
            bus,
            counters,
        } = self;
        to.put(cycle);
        counters.save(to);
        bus.save(to);
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        self.cycle = from.take()?;
        let right = self.cycle != Cycle::MAX && plausible(self.cycle);
        require(right, "has a damaged clock")?;
        self.counters.restore(from)?;
        self.bus.restore(from)
    }
}

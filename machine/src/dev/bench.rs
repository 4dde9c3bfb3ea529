// SPDX-License-Identifier: Apache-2.0
//! A test bench: one device on its own, with everything that [`DevCtx`] wants.

use super::{DevCtx, Device, DeviceMemory, Dma, Host, Role, Width};
use crate::counters::Counters;
use crate::event::{Cycle, EventQueue};

/// The clock of the bench, as the SA-1110's.
pub const CLOCK_HZ: u64 = 200_000_000;
/// Where its memory is.
pub const MEMORY: u32 = 0x8000_0000;

/// The device and its surroundings.
pub struct Bench<D> {
    /// The device.
    pub device: D,
    /// The current cycle.
    pub now: Cycle,
    /// Interrupt sources.
    pub lines: u64,
    /// The outside world.
    pub host: Host,
    /// Counters.
    pub counters: Counters,
    /// Memory from `MEMORY` on.
    pub memory: Vec<u8>,
    /// What devices have written to it.
    pub dma: Dma,
    written: Vec<bool>,
    events: EventQueue,
}

impl<D: Device> Bench<D> {
    /// The device at cycle 0.
    pub fn new(mut device: D) -> Self {
        let host = Host {
            console: if matches!(device.role(), Role::SerialPort(_)) {
                device.name()
            } else {
                ""
            },
            ..Host::default()
        };
        Self {
            device,
            now: 0,
            lines: 0,
            host,
            counters: Counters::new(),
            memory: vec![0; 64 << 10],
            dma: Dma::default(),
            written: vec![false; 16],
            events: EventQueue::new(1),
        }
    }

    /// Calls `access` with the device and its context.
    pub fn with<R>(&mut self, access: impl FnOnce(&mut D, &mut DevCtx) -> R) -> R {
        let mut ctx = DevCtx {
            now: self.now,
            clock_hz: CLOCK_HZ,
            device: 0,
            events: &mut self.events,
            lines: &mut self.lines,
            host: &mut self.host,
            counters: &mut self.counters,
            memory: DeviceMemory {
                base: MEMORY,
                bytes: &mut self.memory,
                written: &mut self.written,
                dma: &mut self.dma,
            },
        };
        access(&mut self.device, &mut ctx)
    }

    /// Reads a register.
    pub fn read(&mut self, offset: u32) -> u32 {
        self.read_part(offset, Width::Word)
    }

    /// Reads a part of a register.
    pub fn read_part(&mut self, offset: u32, width: Width) -> u32 {
        self.with(|device, ctx| device.read(offset, width, ctx))
    }

    /// Writes a register.
    pub fn write(&mut self, offset: u32, value: u32) {
        self.write_part(offset, value, Width::Word);
    }

    /// Writes a part of a register.
    pub fn write_part(&mut self, offset: u32, value: u32, width: Width) {
        self.with(|device, ctx| device.write(offset, value, width, ctx));
    }

    /// The cycle for which the device has asked.
    pub fn deadline(&self) -> Cycle {
        self.events.next()
    }

    /// Lets time pass, waking the device whenever it has asked for it.
    pub fn run_to(&mut self, cycle: Cycle) {
        while self.events.next() <= cycle {
            self.now = self.events.next();
            self.events.take_due(self.now);
            self.with(|device, ctx| device.fire(ctx));
        }
        self.now = cycle;
    }
}

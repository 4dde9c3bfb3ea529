// SPDX-License-Identifier: Apache-2.0
//! The space of ports of an IA-32 processor, on the ISA bus.

use crate::counters::Counters;
use crate::dev::{Device, Width};
use crate::event::Cycle;

use super::Bus;

/// A device and the ports at which it stands (IA-32).
pub struct PortMapping {
    /// First port and number of ports of each of its windows; its registers' offsets go on from one to
    /// the next.
    pub windows: Vec<(u16, u16)>,
    /// Base and size of what it has in memory too, whose offsets go on from there.
    pub memory: Option<(u32, u32)>,
    /// The device.
    pub device: Box<dyn Device>,
}

/// One window of ports.
pub(super) struct PortWindow {
    pub first: u16,
    pub ports: u16,
    pub device: usize,
    /// The offset of its first port.
    pub offset: u32,
}

impl Bus {
    /// Reads port `port` at cycle `now`, as the ISA bus does it: what a device does not take at once
    /// comes in halves or bytes, the lowest port first (IBM PC AT Technical Reference, I/O channel).
    /// Where no device is, the bus has all ones.
    pub fn read_port(
        &mut self,
        port: u16,
        width: Width,
        now: Cycle,
        counters: &mut Counters,
    ) -> u32 {
        if let Some(part) = self.part_of_port(port, width) {
            let high = port.wrapping_add(part.bytes() as u16);
            let low = self.read_port(port, part, now, counters);
            return low | self.read_port(high, part, now, counters) << (8 * part.bytes());
        }
        match self.port(port) {
            Some((device, offset)) => {
                self.with_device(device, now, counters, |d, ctx| d.read(offset, width, ctx))
            }
            None => 0xff,
        }
    }

    /// Writes port `port` at cycle `now`, likewise. Where no device is, the value is lost.
    pub fn write_port(
        &mut self,
        port: u16,
        value: u32,
        width: Width,
        now: Cycle,
        counters: &mut Counters,
    ) {
        if let Some(part) = self.part_of_port(port, width) {
            let bits = 8 * part.bytes();
            let high = port.wrapping_add(part.bytes() as u16);
            self.write_port(port, value & ((1 << bits) - 1), part, now, counters);
            self.write_port(high, value >> bits, part, now, counters);
        } else if let Some((device, offset)) = self.port(port) {
            self.with_device(device, now, counters, |d, ctx| {
                d.write(offset, value, width, ctx);
            });
        }
    }

    /// The width of the two accesses into which the bus splits one, if it does.
    fn part_of_port(&self, port: u16, width: Width) -> Option<Width> {
        let takes_half = |(device, offset): (usize, u32)| self.devices[device].takes_half(offset);
        match width {
            Width::Byte => None,
            Width::Half if port % 2 == 0 && self.port(port).is_some_and(takes_half) => None,
            Width::Half => Some(Width::Byte),
            Width::Word => Some(Width::Half),
        }
    }

    /// The device that has port `port`, and which offset that is to it.
    fn port(&self, port: u16) -> Option<(usize, u32)> {
        let at = |window: &&PortWindow| port.wrapping_sub(window.first) < window.ports;
        let window = self.ports.iter().find(at)?;
        let offset = window.offset + u32::from(port - window.first);
        Some((window.device, offset))
    }
}

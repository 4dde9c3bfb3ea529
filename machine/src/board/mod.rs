// SPDX-License-Identifier: Apache-2.0
//! Boards: what stands beside the processor, one table a file. A machine file names its board;
//! which boards there are for a processor its architecture says.

pub mod assabet;
pub mod collie;
pub mod isa_pc;
mod sa1110;
pub mod versatile;
pub mod virt;

use crate::bus::{behind_transport, BoardParts};
use crate::dev::Role;

/// A board as data.
#[derive(Debug)]
pub struct Board {
    /// The name that machine files use.
    pub name: &'static str,
    /// Its number in the registry of ARM Linux, which a kernel is told when it starts.
    pub machine_type: Option<u32>,
    /// Physical address of SDRAM.
    pub ram_base: u32,
    /// Least SDRAM that the board takes, in bytes.
    pub ram_least: u32,
    /// Most SDRAM that the board takes, in bytes.
    pub ram_most: u32,
    /// Makes the parts, with so many bytes of SDRAM.
    pub parts: fn(ram_bytes: u32) -> BoardParts,
}

impl Board {
    /// Whether it takes so many bytes of memory.
    #[must_use]
    pub fn takes(&self, ram_bytes: u32) -> bool {
        ram_bytes.is_power_of_two() && (self.ram_least..=self.ram_most).contains(&ram_bytes)
    }

    /// Whether it has a network interface.
    #[must_use]
    pub fn has_network(&self) -> bool {
        let parts = (self.parts)(self.ram_least);
        let in_memory = parts.devices.into_iter().map(|mapping| mapping.device);
        let at_ports = parts.ports.into_iter().map(|mapping| mapping.device);
        let mut devices = in_memory.chain(at_ports);
        devices
            .any(|mut device| matches!(behind_transport(device.role()), Role::NetworkInterface(_)))
    }
}

#[cfg(test)]
mod tests;

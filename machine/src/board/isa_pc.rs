// SPDX-License-Identifier: Apache-2.0
//! A small PC without PCI: memory from address 0 on, and devices at ports. There is no BIOS: a loader
//! starts a kernel in protected mode.

use super::{Board, Convention};
use crate::bus::{BoardParts, Mapping};
use crate::dev::probe::{Probe, PROBE_BASE};

/// The board.
pub const BOARD: Board = Board {
    name: "isa-pc",
    convention: Convention::Pc,
    ram_base: 0,
    ram_least: 1 << 20,
    ram_most: PROBE_BASE.next_power_of_two() / 2,
    parts,
};

fn parts(ram_bytes: u32) -> BoardParts {
    BoardParts {
        ram_base: BOARD.ram_base,
        ram_bytes,
        zeros: None,
        open_bus: Vec::new(),
        devices: vec![Mapping {
            base: PROBE_BASE,
            size: 0x1000,
            device: Box::new(Probe::default()),
        }],
        ports: Vec::new(),
    }
}

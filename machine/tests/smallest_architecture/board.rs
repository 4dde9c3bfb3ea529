// SPDX-License-Identifier: Apache-2.0
//! The board that it stands on: memory, and the probe.

use switchyard_machine::board::Board;
use switchyard_machine::bus::{BoardParts, Mapping};
use switchyard_machine::dev::probe::{Probe, PROBE_BASE};

/// Where memory is, and programs stand.
pub const START: u32 = 0xc000_0000;

/// The board.
pub const DESK: Board = Board {
    name: "desk",
    machine_type: None,
    ram_base: START,
    ram_least: 0x1000,
    ram_most: 0x1_0000,
    parts,
};

fn parts(ram_bytes: u32) -> BoardParts {
    BoardParts {
        ram_base: START,
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

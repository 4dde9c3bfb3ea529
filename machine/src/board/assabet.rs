// SPDX-License-Identifier: Apache-2.0
//! Intel's SA-1110 Development Board ("Assabet"): what it adds to the processor's own memory map.
//! Addresses that are in no table abort.

use super::{sa1110, Board};
use crate::bus::BoardParts;

/// The board.
pub const BOARD: Board = Board {
    name: "assabet",
    // ARM Linux machine registry: ASSABET
    machine_type: Some(25),
    ram_base: sa1110::RAM_BASE,
    ram_least: 1 << 20,
    ram_most: sa1110::RAM_MOST,
    parts,
};

fn parts(ram_bytes: u32) -> BoardParts {
    let open_bus = vec![
        (0x0000_0000, 0x2000_0000), // static banks 0 to 3: flash (empty), board registers
        (0x2000_0000, 0x2000_0000), // PCMCIA sockets 0 and 1, without cards
        (0x4000_0000, 0x1000_0000), // static banks 4 and 5
    ];
    sa1110::parts(ram_bytes, open_bus, Vec::new())
}

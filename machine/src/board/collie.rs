// SPDX-License-Identifier: Apache-2.0
//! Sharp's SL-5500 ("Collie"), as far as QEMU's machine of that name has it: the SA-1110's own
//! devices, the console on serial port 1, SCOOP (a gate array with 16-bit registers), and no
//! LoCoMo (the board's other gate array), whose addresses read as zero.
//!
//! QEMU also has two banks of flash memory, empty unless a file is given; here they read as zero.

use super::{sa1110, Board};
use crate::bus::BoardParts;
use crate::dev::storage::Storage;

/// Registers of SCOOP.
const SCOOP: u32 = 0x4080_0000;
const SCOOP_BYTES: u32 = 0x1000;

/// The board.
pub const BOARD: Board = Board {
    name: "collie",
    // ARM Linux machine registry: COLLIE. QEMU passes another number, 0x208; a compressed kernel
    // that was built for this board alone does not look at it.
    machine_type: Some(146),
    ram_base: sa1110::RAM_BASE,
    ram_least: 1 << 20,
    ram_most: sa1110::RAM_MOST,
    parts,
};

fn parts(ram_bytes: u32) -> BoardParts {
    let after_scoop = SCOOP + SCOOP_BYTES;
    let open_bus = vec![
        (0x0000_0000, 0x2000_0000),         // static banks 0 to 3: flash, empty
        (0x2000_0000, 0x2000_0000),         // PCMCIA sockets 0 and 1, without cards
        (0x4000_0000, SCOOP - 0x4000_0000), // static bank 4: LoCoMo
        (after_scoop, 0x5000_0000 - after_scoop),
    ];
    // SCOOP's pins switch things that are not modelled: its registers only store.
    let scoop = sa1110::at(SCOOP, SCOOP_BYTES, Storage::new("scoop"));
    sa1110::parts(ram_bytes, open_bus, vec![scoop])
}

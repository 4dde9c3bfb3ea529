// SPDX-License-Identifier: Apache-2.0
//! Boards: what stands beside the processor, one table a file. A machine file names its board;
//! the loader asks the board how a kernel is started on it.

pub mod assabet;
pub mod collie;
mod sa1110;
pub mod versatile;

use crate::bus::BoardParts;

/// A board as data.
#[derive(Debug)]
pub struct Board {
    /// The name that machine files use.
    pub name: &'static str,
    /// ARM Linux machine type, in r1 when a kernel starts.
    pub machine_type: u32,
    /// Physical address of SDRAM.
    pub ram_base: u32,
    /// Least SDRAM that the board takes, in bytes.
    pub ram_least: u32,
    /// Most SDRAM that the board takes, in bytes.
    pub ram_most: u32,
    /// Makes the parts, with so many bytes of SDRAM.
    pub parts: fn(ram_bytes: u32) -> BoardParts,
}

/// Every board.
const BOARDS: &[&Board] = &[&assabet::BOARD, &collie::BOARD, &versatile::BOARD];

/// The board of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Board> {
    BOARDS.iter().copied().find(|board| board.name == name)
}

/// The names of all boards, for messages.
#[must_use]
pub fn names() -> String {
    let names: Vec<&str> = BOARDS.iter().map(|board| board.name).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests;

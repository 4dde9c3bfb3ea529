// SPDX-License-Identifier: Apache-2.0
//! Boards: what stands beside the processor, one table a file. A machine file names its board;
//! the loader asks the board how a kernel is started on it.

pub mod assabet;
pub mod collie;
pub mod isa_pc;
mod sa1110;
pub mod versatile;

use std::path::Path;

use crate::bus::BoardParts;
use crate::config::MachineConfig;
use crate::error::Error;

/// A board as data.
#[derive(Debug)]
pub struct Board {
    /// The name that machine files use.
    pub name: &'static str,
    /// How a kernel is started on it.
    pub convention: Convention,
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
}

/// How a kernel is started.
#[derive(Debug)]
pub enum Convention {
    /// As ARM Linux is.
    Arm {
        /// The board's number in the registry of ARM Linux, in r1 when a kernel starts.
        machine_type: u32,
    },
    /// By Multiboot, or Linux' 32-bit boot protocol.
    Pc,
}

/// Every board.
const BOARDS: &[&Board] = &[
    &assabet::BOARD,
    &collie::BOARD,
    &isa_pc::BOARD,
    &versatile::BOARD,
];

/// The board of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Board> {
    BOARDS.iter().copied().find(|board| board.name == name)
}

/// The board that a machine file names, which takes the memory that it asks for. `file` is for
/// messages.
///
/// # Errors
/// There is no such board, or not with so much memory.
pub fn of(config: &MachineConfig, file: &Path) -> Result<&'static Board, Error> {
    let mistake = |place: &str, what: String, expected: String| Error::Machine {
        file: file.to_path_buf(),
        place: place.to_string(),
        what,
        expected,
    };
    let board = find(&config.board).ok_or_else(|| {
        mistake(
            "board",
            format!("unknown board {:?}", config.board),
            names(),
        )
    })?;
    let fits = |board: &Board| {
        let arm = matches!(board.convention, Convention::Arm { .. });
        arm == config.arm().is_some()
    };
    if !fits(board) {
        let what = format!("{} has another processor", board.name);
        return Err(mistake("board", what, names_of(|board| fits(board))));
    }
    let ram = config.ram_bytes;
    if board.takes(ram) {
        return Ok(board);
    }
    let expected = format!(
        "a power of two from {} to {}",
        board.ram_least, board.ram_most
    );
    Err(mistake("ram-bytes", ram.to_string(), expected))
}

/// The names of all boards, for messages.
#[must_use]
pub fn names() -> String {
    names_of(|_| true)
}

fn names_of(chosen: impl Fn(&Board) -> bool) -> String {
    let chosen = BOARDS.iter().filter(|board| chosen(board));
    let names: Vec<&str> = chosen.map(|board| board.name).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests;

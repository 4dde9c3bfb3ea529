// SPDX-License-Identifier: Apache-2.0
//! The ARM processor, in four rooms, each standing on those before it. `isa` has plain types: instructions
//! and how they are decoded, status registers, exceptions, the names of system registers, a table for each
//! core. `memory` is everything between the core and the bus, `cpu` the core, what each instruction does
//! and the loop that runs them. `watch` is what observers, timelines, windows, profiles, debuggers and the
//! coherence checker see of one. `machine/tests/modules` checks that no room uses a later one.

pub mod config;
pub mod cpu;
pub mod isa;
mod loader;
mod machines;
pub mod memory;
mod vectors;
pub mod watch;

use std::io::{Read, Write};

use crate::arch::Architecture;
use crate::arm::config::{ArmConfig, ArmFile};
use crate::board::{assabet, collie, versatile, Board};
use crate::bus::{BoardParts, Bus};
use crate::config::MachineConfig;
use crate::error::Error;
use crate::loader::{Boot, Start};
use crate::observe::Observer;
use crate::vectors::Caches;

pub use isa::Arm;

/// A machine with an ARM.
pub type Machine<O = ()> = crate::machine::Machine<cpu::core::Core<O>>;

impl Architecture for Arm {
    type Core<O: Observer<Self> + 'static> = cpu::core::Core<O>;
    type Checker = watch::ideal::Checker;
    type Config = ArmConfig;
    type File = ArmFile;

    const CORES: &'static [&'static str] = &["sa1110", "arm920", "arm926"];
    const BOARDS: &'static [&'static Board] = &[&assabet::BOARD, &collie::BOARD, &versatile::BOARD];
    const MACHINES: &'static [(&'static str, &'static str)] = machines::MACHINES;

    fn load(
        boot: &Boot,
        config: &MachineConfig,
        board: &Board,
        bus: &mut Bus,
    ) -> Result<Start, Error> {
        loader::load(boot, config, board, bus)
    }

    fn answer_vectors(
        config: &MachineConfig,
        parts: BoardParts,
        caches: Caches,
        input: &mut dyn Read,
        output: &mut dyn Write,
    ) -> Result<(), String> {
        vectors::run(config, parts, caches, input, output)
    }
}

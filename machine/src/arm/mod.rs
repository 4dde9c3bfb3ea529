// SPDX-License-Identifier: Apache-2.0
//! The ARM processor: `core` fetches, decodes and runs, and is what the run loop knows; `exec` says
//! what each instruction does; `thumb` decodes Thumb instructions into ARM ones; `memsys` is
//! everything between the core and the bus, and the one place that orders memory events; `mmu` walks
//! and checks; `cp15` is the system control coprocessor; `cores` has a table for each core; `timing`
//! the pipeline and the price of a line fill. `ideal` is what the coherence checker compares an ARM
//! with; `observe`, `timeline`, `window`, `calls` and `debug` are what observers, timelines, windows, profiles
//! and debuggers see of one.

mod calls;
pub mod config;
pub mod core;
pub mod cores;
pub mod cp15;
mod debug;
pub mod decoder;
pub mod exec;
pub mod ideal;
pub mod insn;
pub mod line;
mod loader;
mod machines;
pub mod memsys;
pub mod mmu;
pub mod observe;
mod semihosting;
pub mod thumb;
mod timeline;
pub mod timing;
pub mod tlb;
mod vectors;
mod window;
pub mod write_buffer;

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

pub use observe::Arm;

/// A machine with an ARM.
pub type Machine<O = ()> = crate::machine::Machine<core::Core<O>>;

impl Architecture for Arm {
    type Core<O: Observer<Self> + 'static> = core::Core<O>;
    type Checker = ideal::Checker;
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

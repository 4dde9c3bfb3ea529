// SPDX-License-Identifier: Apache-2.0
//! The IA-32 processor, as the Pentium 4 has it, in four rooms, each standing on those before it. `isa` has
//! plain types: instructions and how they are decoded, what each costs, flags, exceptions, segments, the
//! names of system registers. `memory` is everything between the core and the bus, with the trace cache;
//! `cpu` the core, what each instruction does, the floating-point unit, time, and the loop that runs them.
//! `watch` is what observers, timelines, windows, profiles, debuggers and the coherence checker see of one.
//! `machine/tests/modules` checks that no room uses a later one.

pub mod config;
pub mod cpu;
pub mod isa;
mod loader;
mod machines;
pub mod memory;
mod vectors;
pub mod watch;

use std::io::{Read, Write};
use std::path::Path;

use crate::arch::Architecture;
use crate::board::{isa_pc, Board};
use crate::bus::{BoardParts, Bus};
use crate::config::MachineConfig;
use crate::error::Error;
use crate::ia32::config::{Ia32Config, Ia32File};
use crate::loader::{Boot, Module, Start};
use crate::observe::Observer;
use crate::vectors::Caches;

pub use isa::Ia32;

/// A machine with an IA-32 processor.
pub type Machine<O = ()> = crate::machine::Machine<cpu::core::Core<O>>;

impl Architecture for Ia32 {
    type Core<O: Observer<Self> + 'static> = cpu::core::Core<O>;
    type Checker = watch::ideal::Checker;
    type Config = Ia32Config;
    type File = Ia32File;

    const CORES: &'static [&'static str] = &["pentium4"];
    const BOARDS: &'static [&'static Board] = &[&isa_pc::BOARD];
    const MACHINES: &'static [(&'static str, &'static str)] = machines::MACHINES;

    fn load(
        boot: &Boot,
        _config: &MachineConfig,
        _board: &Board,
        bus: &mut Bus,
    ) -> Result<Start, Error> {
        loader::load(boot, bus)
    }

    fn modules(kernel: &[u8], initrd: &Path) -> Vec<Module> {
        loader::modules(kernel, initrd)
    }

    fn answer_vectors(
        config: &MachineConfig,
        parts: BoardParts,
        caches: Caches,
        input: &mut dyn Read,
        output: &mut dyn Write,
    ) -> Result<(), String> {
        if caches == Caches::On {
            let name = &config.name;
            return Err(format!(
                "vectors: --caches: {name} has none; expected no such option"
            ));
        }
        vectors::run(config, parts, input, output)
    }
}

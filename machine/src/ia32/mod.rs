// SPDX-License-Identifier: Apache-2.0
//! The IA-32 processor, as the Pentium 4 has it: `core` fetches and runs, transfers between segments
//! and delivers exceptions; `decoder` and `escape` turn bytes into the instructions of `insn`; `exec`
//! says what each does, `alu` how it counts, `fpu` how the x87 does; `segment` has descriptors and
//! the hidden parts of segment registers; `memsys` is everything between the core and the bus,
//! `trace_cache` decoded instructions, `mmu` has the formats of page tables; `cpuid` and `msr` say
//! what there is. `ideal` is what the coherence checker compares the
//! processor with; `observe`, `timeline`, `calls` and `debug` are what observers, timelines, profiles and
//! debuggers see.

pub mod alu;
mod calls;
pub mod config;
pub mod core;
pub mod cost;
pub mod cpuid;
mod debug;
pub mod decoder;
mod escape;
pub mod exec;
pub mod fault;
pub mod flags;
pub mod fpu;
pub mod hierarchy;
pub mod ideal;
pub mod insn;
mod loader;
mod machines;
pub mod memsys;
pub mod mmu;
pub mod msr;
pub mod observe;
pub mod pmu;
pub mod predictor;
pub mod segment;
mod timeline;
pub mod timing;
pub mod tlb;
pub mod trace_cache;
mod vectors;
mod window;

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

pub use observe::Ia32;

/// A machine with an IA-32 processor.
pub type Machine<O = ()> = crate::machine::Machine<core::Core<O>>;

impl Architecture for Ia32 {
    type Core<O: Observer<Self> + 'static> = core::Core<O>;
    type Checker = ideal::Checker;
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

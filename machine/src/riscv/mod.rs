// SPDX-License-Identifier: Apache-2.0
//! The RISC-V processor, as SiFive's U74 has it, in four rooms, each standing on those before it. `isa` has
//! plain types; `memory` is everything between the core and the bus; `cpu` the core, what each instruction
//! does, floating point, time, and the loop that runs them. `watch` is what observers, timelines, windows,
//! profiles, debuggers and the coherence checker see of one. `machine/tests/modules` checks that no room
//! uses a later one.

pub mod config;
pub mod cpu;
pub mod isa;
mod loader;
mod machines;
pub mod memory;
mod tree;
pub mod watch;

use crate::arch::Architecture;
use crate::board::{virt, Board};
use crate::bus::Bus;
use crate::config::MachineConfig;
use crate::error::Error;
use crate::loader::{Boot, Start};
use crate::observe::Observer;
use crate::riscv::config::{RiscvConfig, RiscvFile};

pub use isa::Riscv;

/// A machine with a RISC-V processor.
pub type Machine<O = ()> = crate::machine::Machine<cpu::core::Core<O>>;

impl Architecture for Riscv {
    type Core<O: Observer<Self> + 'static> = cpu::core::Core<O>;
    type Checker = watch::ideal::Checker;
    type Config = RiscvConfig;
    type File = RiscvFile;

    const CORES: &'static [&'static str] = &["u74"];
    const BOARDS: &'static [&'static Board] = &[&virt::BOARD];
    const MACHINES: &'static [(&'static str, &'static str)] = machines::MACHINES;
    const TAKES_BIOS: bool = true;

    fn load(
        boot: &Boot,
        config: &MachineConfig,
        _board: &Board,
        bus: &mut Bus,
    ) -> Result<Start, Error> {
        // The registry has seen to it that it is one.
        let config = config.riscv().expect("a RISC-V machine");
        loader::load(boot, config, bus)
    }
}

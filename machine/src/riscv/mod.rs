// SPDX-License-Identifier: Apache-2.0
//! The RISC-V processor, as SiFive's U74 has it, in four rooms, each standing on those before it. `isa` has
//! plain types; `memory` is everything between the core and the bus; `cpu` the core, what each instruction
//! does, floating point, time, and the loop that runs them. `watch` is what observers, timelines, windows,
//! profiles, debuggers and the coherence checker see of one.

pub mod config;
pub mod cpu;
pub mod isa;
pub mod memory;
pub mod watch;

/// A machine with a RISC-V processor.
pub type Machine<O = ()> = crate::machine::Machine<cpu::core::Core<O>>;

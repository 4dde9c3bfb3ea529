// SPDX-License-Identifier: Apache-2.0
//! The ARM processor, in four rooms, each standing on those before it. `isa` has plain types: instructions
//! and how they are decoded, status registers, exceptions, the names of system registers, a table for each
//! core. `memory` is everything between the core and the bus, `cpu` the core, what each instruction does
//! and the loop that runs them. `watch` is what observers, timelines, windows, profiles, debuggers and the
//! coherence checker see of one. `machine/tests/modules` checks that no room uses a later one.

pub mod cpu;
pub mod isa;
pub mod memory;
pub mod watch;

use crate::arch::Architecture;

pub use isa::Arm;

/// A machine with an ARM.
pub type Machine<O = ()> = crate::machine::Machine<cpu::core::Core<O>>;

impl Architecture for Arm {
    type Core<O: crate::observe::Observer<Self>> = cpu::core::Core<O>;
    type Checker = watch::ideal::Checker;

    fn memory<O: crate::observe::Observer<Self>>(
        core: &mut cpu::core::Core<O>,
    ) -> &mut memory::memsys::MemSys {
        &mut core.mem
    }
}

// SPDX-License-Identifier: Apache-2.0
//! The IA-32 processor, as the Pentium 4 has it, in four rooms, each standing on those before it. `isa` has
//! plain types: instructions and how they are decoded, what each costs, flags, exceptions, segments, the
//! names of system registers. `memory` is everything between the core and the bus, with the trace cache;
//! `cpu` the core, what each instruction does, the floating-point unit, time, and the loop that runs them.
//! `watch` is what observers, timelines, windows, profiles, debuggers and the coherence checker see of one.
//! `machine/tests/modules` checks that no room uses a later one.

pub mod cpu;
pub mod isa;
pub mod memory;
pub mod watch;

use crate::arch::Architecture;

pub use isa::Ia32;

/// A machine with an IA-32 processor.
pub type Machine<O = ()> = crate::machine::Machine<cpu::core::Core<O>>;

impl Architecture for Ia32 {
    type Core<O: crate::observe::Observer<Self>> = cpu::core::Core<O>;
    type Checker = watch::ideal::Checker;

    fn memory<O: crate::observe::Observer<Self>>(
        core: &mut cpu::core::Core<O>,
    ) -> &mut cpu::MemSys {
        &mut core.mem
    }
}

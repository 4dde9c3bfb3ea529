// SPDX-License-Identifier: Apache-2.0
//! The ARM processor: `core` fetches, decodes and runs, and is what the run loop knows; `exec` says
//! what each instruction does; `thumb` decodes Thumb instructions into ARM ones; `memsys` is
//! everything between the core and the bus, and the one place that orders memory events; `mmu` walks
//! and checks; `cp15` is the system control coprocessor; `cores` has a table for each core; `timing`
//! the pipeline and the price of a line fill. `ideal` is what the coherence checker compares an ARM
//! with; `observe`, `timeline`, `window`, `calls` and `debug` are what observers, timelines, windows, profiles
//! and debuggers see of one.

mod calls;
pub mod core;
pub mod cores;
pub mod cp15;
mod debug;
pub mod decoder;
pub mod exec;
pub mod ideal;
pub mod insn;
pub mod line;
pub mod memsys;
pub mod mmu;
pub mod observe;
mod semihosting;
pub mod thumb;
mod timeline;
pub mod timing;
pub mod tlb;
mod window;
pub mod write_buffer;

use crate::arch::Architecture;

pub use observe::Arm;

/// A machine with an ARM.
pub type Machine<O = ()> = crate::machine::Machine<core::Core<O>>;

impl Architecture for Arm {
    type Core<O: crate::observe::Observer<Self>> = core::Core<O>;
    type Checker = ideal::Checker;

    fn memory<O: crate::observe::Observer<Self>>(core: &mut core::Core<O>) -> &mut memsys::MemSys {
        &mut core.mem
    }
}

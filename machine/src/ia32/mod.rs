// SPDX-License-Identifier: Apache-2.0
//! The IA-32 processor, as the Pentium 4 has it: `core` fetches and runs, transfers between segments
//! and delivers exceptions; `decoder` and `escape` turn bytes into the instructions of `insn`; `exec`
//! says what each does, `alu` how it counts, `fpu` how the x87 does; `segment` has descriptors and
//! the hidden parts of segment registers; `memsys` is everything between the core and the bus,
//! `trace_cache` decoded instructions, `mmu` has the formats of page tables; `cpuid` and `msr` say
//! what there is. `ideal` is what the coherence checker compares the
//! processor with; `observe`, `timeline` and `debug` are what observers, timelines and debuggers see.

pub mod alu;
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
mod window;

use crate::arch::Architecture;

pub use observe::Ia32;

/// A machine with an IA-32 processor.
pub type Machine<O = ()> = crate::machine::Machine<core::Core<O>>;

impl Architecture for Ia32 {
    type Core<O: crate::observe::Observer<Self>> = core::Core<O>;
    type Checker = ideal::Checker;

    fn memory<O: crate::observe::Observer<Self>>(core: &mut core::Core<O>) -> &mut memsys::MemSys {
        &mut core.mem
    }
}

// SPDX-License-Identifier: Apache-2.0
//! The IA-32 processor, as the Pentium 4 has it: `core` fetches and runs, transfers between segments
//! and delivers exceptions; `decoder` and `escape` turn bytes into the instructions of `insn`; `exec`
//! says what each does, `alu` how it counts, `fpu` how the x87 does; `segment` has descriptors and the hidden parts of segment
//! registers; `memsys` is everything between the core and the bus, `mmu` has the formats of page
//! tables; `cpuid` and `msr` say what there is.

pub mod alu;
pub mod core;
pub mod cpuid;
pub mod decoder;
mod escape;
pub mod exec;
pub mod fault;
pub mod flags;
pub mod fpu;
pub mod insn;
pub mod memsys;
pub mod mmu;
pub mod msr;
pub mod segment;
pub mod tlb;

/// A machine with an IA-32 processor.
pub type Machine = crate::machine::Machine<core::Core>;

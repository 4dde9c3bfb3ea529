// SPDX-License-Identifier: Apache-2.0
//! The processor: `core` has registers and operands, delivers exceptions and transfers between segments;
//! `exec` says what each instruction does, `alu` how it counts, `fpu` how the x87 does; `run` is the loop,
//! `timing` makes time of what instructions cost, with the branch `predictor`; `cpuid`, `msr` and `pmu` are
//! what the processor says of itself; `processor` is what a machine knows of all this.

pub mod alu;
pub mod core;
pub mod cpuid;
pub mod exec;
pub mod fpu;
pub mod msr;
pub mod pmu;
pub mod predictor;
mod processor;
mod run;
pub mod timing;
mod translation;

use crate::ia32::isa::Ia32;
use crate::ia32::memory::memsys;
use crate::observe;

/// The memory system, with the pipeline whose accesses it makes.
pub type MemSys = memsys::MemSys<timing::Timing>;

/// Whoever watches an IA-32 processor.
pub trait Observer: observe::Observer<Ia32> {}

impl<O: observe::Observer<Ia32>> Observer for O {}

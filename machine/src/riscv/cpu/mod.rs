// SPDX-License-Identifier: Apache-2.0
//! The core: registers, what each instruction does, traps, floating point, time, and the loop that runs
//! instructions.

pub mod core;
mod csr;
mod exec;
pub mod float;
#[cfg(test)]
mod float_reference;
mod predictor;
mod processor;
mod registers;
mod run;
mod timing;
mod translation;

use crate::riscv::isa::Riscv;

/// What may watch a RISC-V.
pub trait Observer: crate::observe::Observer<Riscv> {}

impl<T: crate::observe::Observer<Riscv>> Observer for T {}

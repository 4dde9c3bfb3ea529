// SPDX-License-Identifier: Apache-2.0
//! The architecture, as plain types: versions, instructions and their decoders, modes, status registers,
//! exceptions, the names in coprocessor 15, and one table for each core.

pub mod architecture;
pub mod control;
pub mod cores;
pub mod decoder;
pub mod encoding;
pub mod exception;
pub mod insn;
pub mod kind;
pub mod mode;
pub mod psr;
pub mod register;
pub mod thumb;

/// The architecture.
#[derive(Debug)]
pub enum Arm {}

// SPDX-License-Identifier: Apache-2.0
//! RV64GC with Zicsr, Zifencei, Zba and Zbb, as types: instructions, their kinds and decoders, control and
//! status registers by name, causes of traps, levels of privilege. Nothing here runs.
//!
//! Sources: The RISC-V Instruction Set Manual, volume I (unprivileged, "I") and volume II (privileged,
//! "II"), by chapter.

pub mod cause;
pub mod compressed;
pub mod csr;
pub mod decoder;
pub mod insn;
pub mod kind;
pub mod privilege;
pub mod register;
pub mod status;
pub mod system;

/// The architecture, for what has one as its parameter.
#[derive(Debug)]
pub struct Riscv;

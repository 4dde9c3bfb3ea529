// SPDX-License-Identifier: Apache-2.0
//! The processor: `core` has registers, modes and exceptions, `timing` the pipeline; `exec` says what each
//! instruction does, `cp15` what the system control coprocessor does, `semihosting_call` what the
//! debugger does for a program; `run` is the loop, `translation` describes
//! instructions to the translator, `translated` is what these work on, `processor` what a machine knows of all this.

pub mod core;
mod cp15;
pub mod exec;
mod processor;
mod run;
pub mod semihosting;
mod semihosting_call;
pub mod timing;
mod translated;
mod translation;

use crate::arm::isa::Arm;
use crate::observe;

/// Whoever watches an ARM.
pub trait Observer: observe::Observer<Arm> {}

impl<O: observe::Observer<Arm>> Observer for O {}

// SPDX-License-Identifier: Apache-2.0
//! The processor.

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

// SPDX-License-Identifier: Apache-2.0
//! The architecture, as plain types.

pub mod cost;
pub mod decoder;
mod escape;
pub mod exception;
pub mod flags;
pub mod insn;
pub mod segment;

// SPDX-License-Identifier: Apache-2.0
//! The architecture, as plain types: instructions (`insn`, `kind`), their bytes (`encoding`) and how these are
//! decoded (`decoder`), what each costs (`cost`), flags, exceptions, segments and descriptors, the
//! names of system registers.

pub mod cost;
pub mod decoder;
pub mod encoding;
pub mod exception;
pub mod flags;
pub mod insn;
pub mod kind;
pub mod register;
pub mod segment;

/// The architecture.
#[derive(Debug)]
pub enum Ia32 {}

impl Ia32 {
    /// How many general registers there are.
    pub const GENERAL: usize = 8;
}

// SPDX-License-Identifier: Apache-2.0
//! Observers: what may watch a machine run. The observer is a type parameter of the core, so the
//! one that watches nothing, `()`, compiles to nothing.

use crate::event::Cycle;

/// One instruction that has issued.
#[derive(Debug, Clone, Copy)]
pub struct Commit {
    /// The cycle at which it has finished issuing.
    pub cycle: Cycle,
    /// Its virtual address.
    pub pc: u32,
    /// Its encoding.
    pub insn: u32,
    /// Whether its condition held.
    pub executed: bool,
    /// The program status register afterwards.
    pub cpsr: u32,
    /// The registers afterwards; the last is the address of the next instruction.
    pub r: [u32; 16],
}

/// Watches a machine. Methods of an observer whose [`Observer::ON`] is false are never called.
pub trait Observer {
    /// Whether there is anything to call.
    const ON: bool;
    /// After each instruction.
    fn commit(&mut self, commit: &Commit);
}

/// Watches nothing.
impl Observer for () {
    const ON: bool = false;
    fn commit(&mut self, _: &Commit) {}
}

// SPDX-License-Identifier: Apache-2.0
//! What a walker may remember of its upper levels: pointers to tables, by where they stand in memory, as
//! Rocket's does (rocket-chip, `PTW.scala`, `makePTECache`): valid ones alone, until an SFENCE.VMA whose rs1 is
//! x0, since one for an address orders leaves only (II, "Supervisor Memory-Management Fence Instruction").

use serde::{Deserialize, Serialize};

use crate::state::{require, Damaged, Restorer, Saver, State};

/// A pointer: where it stands, and the page that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Pointer {
    at: u64,
    next: u64,
}

/// The pointers that are remembered, so many at most, of which the oldest goes.
#[derive(Debug, Clone, Default)]
pub struct Pointers {
    most: usize,
    held: Vec<Pointer>,
}

impl Pointers {
    /// Room for `most` of them; 0: none is remembered.
    #[must_use]
    pub fn new(most: u32) -> Self {
        Self {
            most: most as usize,
            held: Vec::new(),
        }
    }

    /// The page that the pointer at `at` names, if that is remembered.
    #[inline]
    #[must_use]
    pub fn find(&self, at: u64) -> Option<u64> {
        let one = self.held.iter().find(|pointer| pointer.at == at);
        one.map(|pointer| pointer.next)
    }

    /// Remembers one that was read.
    #[inline]
    pub fn keep(&mut self, at: u64, next: u64) {
        if self.most == 0 {
            return;
        }
        if self.held.len() == self.most {
            self.held.remove(0);
        }
        self.held.push(Pointer { at, next });
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.held.clear();
    }
}

impl State for Pointers {
    fn save(&self, to: &mut Saver) {
        to.put(&self.held);
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        self.held = from.take()?;
        require(self.held.len() <= self.most, "has damaged pointers")
    }
}

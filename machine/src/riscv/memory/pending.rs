// SPDX-License-Identifier: Apache-2.0
//! SINVAL.VMA (II, "Svinval"): what it names is forgotten when SFENCE.INVAL.IR orders it before later walks, and
//! not at all if no SFENCE.W.INVAL, since the last of these, has ordered the stores to the page tables before it.
//! SFENCE.VMA ends those that wait. (One before SINVAL.VMA would order the stores, too; who fences so needs none of
//! the others.)
//! A core may do it earlier; a kernel that relies on that is wrong on the next.

use serde::{Deserialize, Serialize};

use crate::state::{require, Damaged, Restorer, Saver, State};

use super::tlb::{Scope, TlbEntry};

/// Most invalidations that wait; after these all is forgotten at once, which is always allowed.
const MOST: usize = 64;

/// What SINVAL.VMA lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Lacks {
    /// SFENCE.W.INVAL before it.
    Before,
    /// SFENCE.INVAL.IR after it.
    After,
}

/// The invalidations that have not been done.
#[derive(Debug, Clone, Default)]
pub struct Pending {
    /// Whether stores have been ordered before what comes.
    stores_ordered: bool,
    waiting: Vec<(Scope, Lacks)>,
}

impl Pending {
    /// SFENCE.W.INVAL.
    pub fn order_stores(&mut self) {
        self.stores_ordered = true;
    }

    /// SINVAL.VMA.
    pub fn invalidate(&mut self, scope: Scope) {
        let lacks = if self.stores_ordered {
            Lacks::After
        } else {
            Lacks::Before
        };
        if self.waiting.len() == MOST {
            self.waiting.clear();
            self.waiting.push((Scope::default(), Lacks::After));
        }
        if !self.waiting.contains(&(scope, lacks)) {
            self.waiting.push((scope, lacks));
        }
    }

    /// SFENCE.INVAL.IR: what is to be forgotten now. What was not ordered stays undone.
    pub fn finish(&mut self) -> Vec<Scope> {
        self.stores_ordered = false;
        let done = self
            .waiting
            .iter()
            .filter(|(_, lacks)| *lacks == Lacks::After);
        let done = done.map(|(scope, _)| *scope).collect();
        self.waiting.retain(|(_, lacks)| *lacks == Lacks::Before);
        done
    }

    /// SFENCE.VMA: all that waits is to be forgotten.
    pub fn finish_all(&mut self) -> Vec<Scope> {
        let waiting = std::mem::take(&mut self.waiting);
        waiting.into_iter().map(|(scope, _)| scope).collect()
    }

    /// What the invalidation lacks that should have taken `entry` away, if there was one.
    #[must_use]
    pub fn lacks(&self, entry: &TlbEntry) -> Option<Lacks> {
        let one = self.waiting.iter().find(|(scope, _)| scope.takes(entry));
        one.map(|(_, lacks)| *lacks)
    }
}

impl State for Pending {
    fn save(&self, to: &mut Saver) {
        to.put(&(self.stores_ordered, &self.waiting));
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        (self.stores_ordered, self.waiting) = from.take()?;
        require(self.waiting.len() <= MOST, "has damaged invalidations")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Scope = Scope {
        va: Some(0x1000),
        asid: None,
    };

    #[test]
    fn it_takes_both_fences() {
        let mut pending = Pending::default();
        let entry = TlbEntry {
            va: 0x1000,
            ..TlbEntry::EMPTY
        };
        pending.invalidate(ONE);
        assert_eq!(pending.finish(), []);
        assert_eq!(pending.lacks(&entry), Some(Lacks::Before));
        assert_eq!(pending.finish_all(), [ONE]);
        pending.order_stores();
        pending.invalidate(ONE);
        assert_eq!(pending.lacks(&entry), Some(Lacks::After));
        assert_eq!(pending.finish(), [ONE]);
        assert_eq!(pending.lacks(&entry), None);
        // who invalidates without an end forgets everything
        pending.order_stores();
        for page in 1..200 {
            let va = Some(page << 12);
            pending.invalidate(Scope { va, asid: None });
        }
        assert!(pending.finish().contains(&Scope::default()));
    }
}

// SPDX-License-Identifier: Apache-2.0
//! The branch predictor. What Intel says of it: a branch target buffer of 4,096 entries, histories, a
//! static rule for branches that are not in it (backward taken, forward not), and a stack of return
//! addresses (248966, 1, "branch prediction"; NetBurst paper). How a history becomes a prediction it
//! does not say. Assumed: two-bit counters, chosen by the branch's address and the outcomes of the last
//! branches (gshare); the target of an indirect branch is the last one.
//!
//! It lives by linear addresses, and no load of CR3 empties it: another address space's branches may
//! be predicted by these, and wrongly, as there.

use switchyard_translator::traces;

use crate::ia32::config::BranchConfig;
use crate::state::{require, Damaged, Restorer, Saver, State};

/// A counter that says neither: weakly not taken.
const WEAK: u8 = 1;

/// An entry of the branch target buffer: the branch after which this is (0: none), and where it went last.
type Entry = [u32; 2];

/// The predictor.
#[derive(Debug, Clone)]
pub struct Predictor {
    buffer: Vec<Entry>,
    counters: Vec<u8>,
    history: u32,
    history_mask: u32,
    returns: Vec<u32>,
    /// The place of the next return address.
    top: usize,
}

impl Predictor {
    /// One that has seen nothing, of this geometry (validated).
    #[must_use]
    pub fn new(config: &BranchConfig) -> Self {
        Self {
            buffer: vec![Entry::default(); config.entries as usize],
            counters: vec![WEAK; config.entries as usize],
            history: 0,
            history_mask: (1 << config.history_bits) - 1,
            returns: vec![0; config.returns as usize],
            top: 0,
        }
    }

    /// How many branches are known at a time.
    #[must_use]
    pub fn branches(&self) -> usize {
        self.buffer.len()
    }

    /// All of it, for translated code.
    #[inline]
    pub fn lend(&mut self) -> traces::Predictor<'_> {
        traces::Predictor {
            branches: &mut self.buffer,
            counters: &mut self.counters,
            history: &mut self.history,
            history_mask: self.history_mask,
            returns: &mut self.returns,
            top: &mut self.top,
        }
    }

    fn place(&self, branch: u32) -> usize {
        // Entries are a power of two.
        (branch ^ branch >> 12) as usize & (self.buffer.len() - 1)
    }

    /// A conditional branch whose next instruction is at `after` went to `next`. Says whether that was
    /// predicted.
    #[inline]
    pub fn conditional(&mut self, after: u32, next: u32, backward: bool) -> bool {
        let taken = next != after;
        let place = self.place(after);
        let index = place ^ (self.history as usize & (self.counters.len() - 1));
        let counter = &mut self.counters[index];
        let known = self.buffer[place][0] == after;
        let predicted = if known { *counter > WEAK } else { backward };
        *counter = if taken {
            (*counter + 1).min(3)
        } else {
            counter.saturating_sub(1)
        };
        if !known && (taken || backward) {
            // One that the static rule knows as not taken needs no entry.
            self.buffer[place] = [after, next];
        }
        self.history = (self.history << 1 | u32::from(taken)) & self.history_mask;
        predicted == taken
    }

    /// An indirect branch before `after` went to `next`. Says whether that was predicted.
    pub fn indirect(&mut self, after: u32, next: u32) -> bool {
        let place = self.place(after);
        let entry = &mut self.buffer[place];
        let predicted = *entry == [after, next];
        *entry = [after, next];
        predicted
    }

    /// A call that returns to `after`.
    #[inline]
    pub fn call(&mut self, after: u32) {
        self.returns[self.top] = after;
        self.top = (self.top + 1) % self.returns.len();
    }

    /// A return to `next`. Says whether that was predicted.
    #[inline]
    pub fn returns(&mut self, next: u32) -> bool {
        let depth = self.returns.len();
        self.top = (self.top + depth - 1) % depth;
        self.returns[self.top] == next
    }
}

impl State for Predictor {
    fn save(&self, to: &mut Saver) {
        let Self {
            buffer,
            counters,
            history,
            history_mask: _, // the machine file gives it
            returns,
            top,
        } = self;
        to.put(&(buffer, counters, history, returns, top));
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        let sizes = |p: &Self| (p.buffer.len(), p.counters.len(), p.returns.len());
        let before = sizes(self);
        (
            self.buffer,
            self.counters,
            self.history,
            self.returns,
            self.top,
        ) = from.take()?;
        let right = sizes(self) == before
            && self.top < self.returns.len()
            && self.counters.iter().all(|counter| *counter < 4)
            && self.history & !self.history_mask == 0;
        require(right, "has another branch predictor than the machine")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn predictor() -> Predictor {
        Predictor::new(&BranchConfig {
            entries: 4096,
            history_bits: 12,
            returns: 16,
            mispredicted: 20,
        })
    }

    #[test]
    fn what_is_not_known_goes_backward() {
        let mut p = predictor();
        assert!(p.conditional(0x1000, 0x0f00, true));
        assert!(!p.conditional(0x2000, 0x2f00, false));
        assert!(p.conditional(0x3000, 0x3000, false));
        assert!(!p.conditional(0x4000, 0x4000, true));
    }

    #[test]
    fn a_pattern_is_learnt() {
        let mut p = predictor();
        let mut wrong = |rounds: u32| {
            (0..rounds)
                .filter(|n| {
                    let next = if n % 3 == 0 { 0x1000 } else { 0x0f00 };
                    !p.conditional(0x1000, next, true)
                })
                .count()
        };
        wrong(300);
        assert_eq!(wrong(300), 0, "two of three, after learning");
    }

    #[test]
    fn indirect_branches_go_where_they_went() {
        let mut p = predictor();
        let seen: Vec<bool> = [1, 1, 2, 2].map(|to| p.indirect(0x1000, to << 8)).into();
        assert_eq!(seen, [false, true, false, true]);
    }

    #[test]
    fn as_many_returns_are_known_as_the_stack_is_deep() {
        let mut p = predictor();
        for n in 0..20 {
            p.call(n);
        }
        let known = (0..20).rev().filter(|&n| p.returns(n)).count();
        assert_eq!(known, 16);
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Branch prediction: targets that are known at fetch, two-bit counters chosen by address and history,
//! targets of indirect jumps, return addresses. Sizes: FU740 manual, 3.2.3 (16, 3.6 KiB, 8, 6 entries); how
//! they are indexed is not published and assumed.

use switchyard_translator::wide;

use crate::riscv::config::BranchConfig;

/// What a prediction was worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing is lost.
    Right,
    /// The direction was right; the target was found at decode.
    TargetLate,
    /// Wrong.
    Wrong,
}

/// The predictor.
#[derive(Debug, Clone)]
pub struct Predictor {
    /// Addresses of branches and jumps whose targets are known; the target is that of the code.
    targets: Vec<u64>,
    counters: Vec<u8>,
    history: u32,
    /// By address and history: a jump and its last target.
    indirect: Vec<[u64; 2]>,
    returns: Vec<u64>,
    /// How many return addresses are valid, and where the next goes.
    depth: usize,
    top: usize,
    history_mask: u32,
}

impl Predictor {
    /// One that knows nothing.
    #[must_use]
    pub fn new(config: &BranchConfig) -> Self {
        Self {
            targets: vec![1; config.targets as usize],
            // Weakly not taken.
            counters: vec![1; config.counters as usize],
            history: 0,
            indirect: vec![[1, 0]; config.indirect as usize],
            returns: vec![0; config.returns as usize],
            depth: 0,
            top: 0,
            history_mask: ((1_u64 << config.history_bits) - 1) as u32,
        }
    }

    /// Whether the target of what is at `pc` is known at fetch; it is from now on.
    #[inline]
    fn knows_target(&mut self, pc: u64) -> bool {
        let place = (pc >> 1) as usize & (self.targets.len() - 1);
        std::mem::replace(&mut self.targets[place], pc) == pc
    }

    /// A conditional branch at `pc` that was `taken`, or not.
    #[inline]
    pub fn branch(&mut self, pc: u64, taken: bool) -> Outcome {
        let place = ((pc >> 1) as u32 ^ self.history) as usize & (self.counters.len() - 1);
        let counter = &mut self.counters[place];
        let predicted = *counter >= 2;
        *counter = if taken {
            (*counter + 1).min(3)
        } else {
            counter.saturating_sub(1)
        };
        self.history = (self.history << 1 | u32::from(taken)) & self.history_mask;
        let known = !taken || self.knows_target(pc);
        match (predicted == taken, known) {
            (false, _) => Outcome::Wrong,
            (true, false) => Outcome::TargetLate,
            (true, true) => Outcome::Right,
        }
    }

    /// A jump at `pc` whose target is in the code.
    #[inline]
    pub fn jump(&mut self, pc: u64) -> Outcome {
        if self.knows_target(pc) {
            Outcome::Right
        } else {
            Outcome::TargetLate
        }
    }

    /// A call, after which `following` comes.
    #[inline]
    pub fn call(&mut self, following: u64) {
        self.returns[self.top] = following;
        self.top = (self.top + 1) % self.returns.len();
        self.depth = (self.depth + 1).min(self.returns.len());
    }

    /// A return to `target`.
    #[inline]
    pub fn returned(&mut self, target: u64) -> Outcome {
        if self.depth == 0 {
            return Outcome::Wrong;
        }
        self.depth -= 1;
        self.top = (self.top + self.returns.len() - 1) % self.returns.len();
        if self.returns[self.top] == target {
            Outcome::Right
        } else {
            Outcome::Wrong
        }
    }

    /// Whether it is of the same size as `other`.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let sizes = |p: &Self| {
            let tables = (p.targets.len(), p.counters.len());
            (tables, p.indirect.len(), p.returns.len())
        };
        sizes(self) == sizes(other)
    }

    /// All of it, for translated code.
    #[inline]
    pub fn lend(&mut self) -> wide::Predictor<'_> {
        wide::Predictor {
            targets: &mut self.targets,
            counters: &mut self.counters,
            history: &mut self.history,
            history_mask: self.history_mask,
            indirect: &mut self.indirect,
            returns: &mut self.returns,
            depth: &mut self.depth,
            top: &mut self.top,
        }
    }

    /// A jump at `pc` to the `target` that a register has.
    #[inline]
    pub fn indirect(&mut self, pc: u64, target: u64) -> Outcome {
        let place = (pc >> 1) as usize & (self.indirect.len() - 1);
        if std::mem::replace(&mut self.indirect[place], [pc, target]) == [pc, target] {
            Outcome::Right
        } else {
            Outcome::Wrong
        }
    }
}

crate::saved!(Predictor { targets, counters, history, indirect, returns, depth, top }
    given { history_mask }
    if |p| p.top < p.returns.len() && p.depth <= p.returns.len()
        && p.counters.iter().all(|counter| *counter < 4));

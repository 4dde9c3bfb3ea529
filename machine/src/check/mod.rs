// SPDX-License-Identifier: Apache-2.0
//! The coherence checker (`--check coherence`): compares each access with what an ideal machine would
//! have done, one whose caches are never stale and whose TLBs never hold anything that the page tables
//! do not say now. Where the real machine differs, the kernel has forgotten to clean, invalidate, drain
//! or flush something, and the program has noticed.
//!
//! Here is what every architecture's ideal machine needs: a [`Shadow`] of memory, what was found right
//! before ([`Trusted`]), and [`Findings`]. How an access goes, and what its processor can forget, is the
//! architecture's to say (`arm/watch/ideal`).

mod finding;
mod report;
mod shadow;
mod trusted;
mod writers;

use std::collections::BTreeMap;

use crate::observe::{Observed, Observer};

pub use self::finding::{Done, Finding, Line};
pub use self::report::report;
pub use self::shadow::{Read, Shadow};
pub use self::trusted::{Known, Trusted};
pub use self::writers::Writer;

/// What compares machines of architecture `A` with an ideal one.
pub trait Checker<A: Observed>: Observer<A> {
    /// One for a machine with this memory, which is loaded, and which has not run yet.
    fn new(memory: &mut A::Memory) -> Self;

    /// What was found, by cause and instruction.
    fn findings(&self) -> Vec<Finding>;

    /// How many these are.
    fn finding_count(&self) -> usize;
}

/// What an access is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An instruction fetch.
    Fetch,
    /// A read.
    Load,
    /// A write.
    Store,
}

/// Whose access it is. With whose rights it is made does not say who runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rights {
    /// A program's.
    User,
    /// The kernel's.
    Kernel,
    /// The kernel's, made with a program's rights.
    KernelAsUser,
}

/// What was found, by cause (of those that the architecture has) and instruction.
#[derive(Debug)]
pub struct Findings<C>(BTreeMap<(C, u64), Finding>);

impl<C: Ord> Findings<C> {
    /// Nothing.
    #[must_use]
    pub fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// A finding, or one more of a kind that is known.
    pub fn report(&mut self, cause: C, finding: Finding) {
        self.0
            .entry((cause, finding.access.pc))
            .and_modify(|known| known.count += 1)
            .or_insert(finding);
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Finding> {
        self.0.values()
    }
}

impl<C: Ord> Default for Findings<C> {
    fn default() -> Self {
        Self::new()
    }
}

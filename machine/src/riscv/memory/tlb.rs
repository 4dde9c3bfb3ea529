// SPDX-License-Identifier: Apache-2.0
//! What RISC-V TLBs hold, and how SFENCE.VMA takes it away. An entry has the page-table entry as it was
//! when it was walked, the address-space identifier that it was walked for, and what physical memory
//! protection allowed then (II 3.7: protection may be checked, and remembered, with the translation).
//!
//! Sets are chosen by the low bits of the page number and replaced round robin.

use serde::{Deserialize, Serialize};

use crate::cache::HINTS;
use crate::config::TlbConfig;
use crate::state::{require, Damaged, Restorer, Saver, State};

use super::mmu::{pte, LEVELS, PAGE_SHIFT};

/// Remembered entries, by the low bits of the page number.
const HINT_SLOTS: usize = 256;

/// One translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TlbEntry {
    /// The virtual address of its page; an odd number if there is no translation.
    pub va: u64,
    /// The page-table entry; one without V is a translation that is known to be none.
    pub pte: u64,
    /// Where that was read.
    pub at: u32,
    /// The level of its table: 0, or more for superpages.
    pub level: u8,
    /// What physical memory protection allows supervisor and user (R 1, W 2, X 4), if that is the same in
    /// all of the page; otherwise each access is checked.
    pub protection: Option<u8>,
    /// The address space.
    pub asid: u16,
}

/// The address of no page.
const NO_PAGE: u64 = 1;

impl TlbEntry {
    /// One that translates nothing.
    pub const EMPTY: Self = Self {
        va: NO_PAGE,
        pte: 0,
        at: 0,
        level: 0,
        protection: None,
        asid: 0,
    };

    /// The address bits within its page.
    #[inline(always)]
    #[must_use]
    pub fn offset_mask(&self) -> u64 {
        (1 << (PAGE_SHIFT + 9 * u32::from(self.level))) - 1
    }

    /// Whether it is there.
    #[inline]
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.va != NO_PAGE
    }

    /// Whether it is in all address spaces.
    #[inline]
    #[must_use]
    pub fn is_global(&self) -> bool {
        self.pte & pte::G != 0
    }

    /// Whether its page has `va`.
    #[inline(always)]
    #[must_use]
    pub fn covers(&self, va: u64) -> bool {
        va & !self.offset_mask() == self.va
    }

    /// Whether it answers for `va` in `asid`.
    #[inline(always)]
    #[must_use]
    pub fn matches(&self, va: u64, asid: u16) -> bool {
        self.covers(va) && (self.asid == asid || self.is_global())
    }

    /// The physical address of `va`.
    #[inline]
    #[must_use]
    pub fn translate(&self, va: u64) -> u64 {
        let base = (self.pte & pte::PPN) << (PAGE_SHIFT - 10);
        let offset = self.offset_mask();
        base & !offset | va & offset
    }

    fn is_plausible(&self) -> bool {
        u32::from(self.level) < LEVELS && (!self.is_held() || self.va & 0xfff == 0)
    }
}

/// What SFENCE.VMA names (II, "Supervisor Memory-Management Fence Instruction").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Scope {
    /// The leaf of this address alone; none: all.
    pub va: Option<u64>,
    /// This space's alone, but for global ones; none: all spaces'.
    pub asid: Option<u16>,
}

impl Scope {
    /// Whether it takes `entry` away.
    #[must_use]
    pub fn takes(&self, entry: &TlbEntry) -> bool {
        self.va.is_none_or(|va| entry.covers(va))
            && self
                .asid
                .is_none_or(|asid| entry.asid == asid && !entry.is_global())
    }
}

/// A TLB.
#[derive(Debug, Clone)]
pub struct Tlb {
    entries: Vec<TlbEntry>,
    ways: usize,
    set_mask: usize,
    /// For each set the way that is replaced next.
    next: Vec<u16>,
    hints: Box<[u16; HINT_SLOTS]>,
}

impl Tlb {
    /// An empty one of the geometry that `config` (validated) gives.
    #[must_use]
    pub fn new(config: &TlbConfig) -> Self {
        let ways = config.set_size() as usize;
        let sets = config.entries as usize / ways;
        Self {
            entries: vec![TlbEntry::EMPTY; config.entries as usize],
            ways,
            set_mask: sets - 1,
            next: vec![0; sets],
            hints: Box::new([0; HINT_SLOTS]),
        }
    }

    fn first(&self, va: u64) -> usize {
        ((va >> PAGE_SHIFT) as usize & self.set_mask) * self.ways
    }

    /// The entry that answers for `va` in `asid`.
    #[inline(always)]
    pub fn lookup(&mut self, va: u64, asid: u16) -> Option<&TlbEntry> {
        let hint = (va >> PAGE_SHIFT) as usize % HINT_SLOTS;
        if HINTS && self.set_mask == 0 {
            let index = usize::from(self.hints[hint]);
            if self.entries[index].matches(va, asid) {
                return Some(&self.entries[index]);
            }
        }
        let index = self.search(va, asid)?;
        self.hints[hint] = index as u16;
        Some(&self.entries[index])
    }

    #[inline(never)]
    fn search(&self, va: u64, asid: u16) -> Option<usize> {
        let first = self.first(va);
        (first..first + self.ways).find(|&index| self.entries[index].matches(va, asid))
    }

    /// The entry that [`Tlb::lookup`] would find, and its place, without the traces of a lookup.
    #[must_use]
    pub fn peek(&self, va: u64, asid: u16) -> Option<(usize, &TlbEntry)> {
        let index = self.search(va, asid)?;
        Some((index, &self.entries[index]))
    }

    /// Puts `entry`, walked for `va`, in place of the one that answers like it or of the next in turn.
    /// Gives its place.
    pub fn insert(&mut self, va: u64, entry: TlbEntry) -> usize {
        let index = self.search(va, entry.asid).unwrap_or_else(|| {
            let first = self.first(va);
            let way = &mut self.next[first / self.ways];
            let index = first + usize::from(*way);
            *way = (*way + 1) % self.ways as u16;
            index
        });
        self.entries[index] = entry;
        index
    }

    /// Forgets what `scope` names.
    pub fn invalidate(&mut self, scope: &Scope) {
        for entry in &mut self.entries {
            if entry.is_held() && scope.takes(entry) {
                *entry = TlbEntry::EMPTY;
            }
        }
    }

    /// The places in order: what each holds.
    pub fn places(&self) -> impl Iterator<Item = Option<&TlbEntry>> {
        self.entries
            .iter()
            .map(|entry| entry.is_held().then_some(entry))
    }

    /// The places of a set.
    #[must_use]
    pub fn ways(&self) -> usize {
        self.ways
    }

    /// How many places there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it holds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.iter().all(|entry| !entry.is_held())
    }
}

impl State for Tlb {
    fn save(&self, to: &mut Saver) {
        to.put(&(&self.entries, &self.next));
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        let (entries, next): (Vec<TlbEntry>, Vec<u16>) = from.take()?;
        let right = entries.len() == self.entries.len()
            && entries.iter().all(TlbEntry::is_plausible)
            && next.len() == self.next.len()
            && next.iter().all(|way| usize::from(*way) < self.ways);
        require(right, "has other TLBs than the machine")?;
        (self.entries, self.next) = (entries, next);
        Ok(())
    }
}

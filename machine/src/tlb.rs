// SPDX-License-Identifier: Apache-2.0
//! A TLB of an architecture's translations: one set (fully associative) or several, each replaced
//! round robin, and entries that the guest locks. It holds translations as they were when they were
//! walked: a page-table change is not seen until the entry is invalidated or replaced.
//!
//! The set is chosen by the address bits from 12 on, whatever the size of the page: an ARM's section
//! that is used all over takes one entry in each set (assumed of the ARM926EJ-S, whose manual does
//! not say).

use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde::Serialize;

use crate::cache::HINTS;
use crate::config::TlbConfig;
use crate::state::{require, Damaged, Restorer, Saver, State};

/// Remembered entries, by the low bits of the page number.
const HINT_SLOTS: usize = 256;

/// Base-two logarithm of the bytes of the smallest page that a set is chosen by.
const PAGE_SHIFT: u32 = 12;

/// A translation as an architecture has it.
pub trait Entry: Debug + Copy + Serialize + DeserializeOwned {
    /// What decides, beside an address, which entries translate: an address-space identifier where cores
    /// have one, `()` where they have none.
    type Context: Debug + Copy + Default;
    /// A virtual address.
    type Address: Copy + Into<u64>;

    /// One that translates nothing.
    const EMPTY: Self;

    /// Whether it translates anything.
    fn is_valid(&self) -> bool;

    /// Whether it translates `va` in `context`. One that is not valid does not.
    fn matches(&self, va: Self::Address, context: Self::Context) -> bool;

    /// Whether one that was read from a file, valid or not, can have come about.
    fn plausible(&self) -> bool;
}

/// Where entries go, and which stay: base, victim and P of a lockdown register (ARM920T, register
/// 10).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lockdown {
    /// The place to which the victim returns after the last one.
    pub base: u8,
    /// The place that is replaced next.
    pub victim: u8,
    /// Whether what is put in survives an invalidation of all.
    pub preserve: bool,
}

/// The translations that a TLB holds.
#[derive(Debug, Clone)]
pub struct Tlb<E: Entry> {
    /// The sets one after another, then the locked entries.
    entries: Vec<E>,
    ways: usize,
    set_mask: usize,
    /// For each set the way that is replaced next.
    next: Vec<u8>,
    /// The way to which that returns after the last one.
    base: u8,
    /// Whether what is put in survives an invalidation of all, and what does.
    preserve: bool,
    preserved: Vec<bool>,
    hints: Box<[u8; HINT_SLOTS]>,
    /// That of all lookups; the register that it comes from is the processor's to save.
    context: E::Context,
}

/// The number of the page in which `va` lies.
#[inline(always)]
fn page(va: impl Into<u64>) -> usize {
    (va.into() >> PAGE_SHIFT) as usize
}

impl<E: Entry> Tlb<E> {
    /// An empty TLB of the geometry that `config` (validated) gives.
    #[must_use]
    pub fn new(config: &TlbConfig) -> Self {
        let ways = config.set_size();
        let sets = (config.entries / ways) as usize;
        Self {
            entries: vec![E::EMPTY; (config.entries + config.locked) as usize],
            ways: ways as usize,
            set_mask: sets - 1,
            next: vec![0; sets],
            base: 0,
            preserve: false,
            preserved: vec![false; (config.entries + config.locked) as usize],
            // Each points into the set of its page numbers, from the first lookup on.
            hints: Box::new(std::array::from_fn(|page| {
                ((page & (sets - 1)) * ways as usize) as u8
            })),
            context: E::Context::default(),
        }
    }

    /// Says in which context addresses are looked up from now on.
    pub fn set_context(&mut self, context: E::Context) {
        self.context = context;
    }

    /// The entry that translates `va`, if any.
    #[inline(always)]
    pub fn lookup(&mut self, va: E::Address) -> Option<&E> {
        if HINTS {
            let index = self.hints[page(va) % HINT_SLOTS] as usize;
            if self.entries[index].matches(va, self.context) {
                return Some(&self.entries[index]);
            }
        }
        self.search(va)
    }

    /// Compares with every entry of the set and every locked one. A hint for a page number points
    /// to nothing else, since its low bits choose the set.
    #[inline(never)]
    fn search(&mut self, va: E::Address) -> Option<&E> {
        let first = self.set(va) * self.ways;
        let locked = self.locked_from();
        let index = (first..first + self.ways)
            .chain(locked..self.entries.len())
            .find(|&index| self.entries[index].matches(va, self.context))?;
        self.hints[page(va) % HINT_SLOTS] = index as u8;
        Some(&self.entries[index])
    }

    fn set(&self, va: E::Address) -> usize {
        page(va) & self.set_mask
    }

    fn locked_from(&self) -> usize {
        self.ways * (self.set_mask + 1)
    }

    /// Puts `entry`, walked for `va`, in place of the next one in turn of its set. Returns the place.
    pub fn insert(&mut self, va: E::Address, entry: E) -> usize {
        let set = self.set(va);
        let way = self.next[set];
        self.next[set] = if usize::from(way) + 1 == self.ways {
            self.base
        } else {
            way + 1
        };
        let index = set * self.ways + usize::from(way);
        self.hints[page(va) % HINT_SLOTS] = index as u8;
        self.entries[index] = entry;
        self.preserved[index] = self.preserve;
        index
    }

    /// The entry that the next one walked for `va` replaces, if it is valid.
    #[must_use]
    pub fn next_to_go(&self, va: E::Address) -> Option<&E> {
        let set = self.set(va);
        self.get(set * self.ways + usize::from(self.next[set]))
    }

    /// Where entries go, and which stay.
    #[must_use]
    pub fn lockdown(&self) -> Lockdown {
        Lockdown {
            base: self.base,
            victim: self.next[0],
            preserve: self.preserve,
        }
    }

    /// Says so; places are modulo their number.
    pub fn set_lockdown(&mut self, lockdown: Lockdown) {
        let way = |place: u8| (usize::from(place) % self.ways) as u8;
        (self.base, self.preserve) = (way(lockdown.base), lockdown.preserve);
        let victim = way(lockdown.victim);
        self.next.fill(victim);
    }

    /// Puts `entry` into locked place `place` (modulo their number); into no place if there is
    /// none. Returns its place among all.
    pub fn lock(&mut self, place: usize, entry: E) -> Option<usize> {
        let from = self.locked_from();
        let index = from + place.checked_rem(self.entries.len() - from)?;
        self.entries[index] = entry;
        Some(index)
    }

    /// Forgets every entry that is not locked or preserved. The replacement pointers return to the
    /// first way that is not locked.
    pub fn invalidate_all(&mut self) {
        let locked = self.locked_from();
        for (entry, preserved) in self.entries[..locked].iter_mut().zip(&self.preserved) {
            if !preserved {
                *entry = E::EMPTY;
            }
        }
        self.next.fill(self.base);
    }

    /// Forgets whatever translates `va`, locked or not, in whichever set its walk has put it.
    pub fn invalidate(&mut self, va: E::Address) {
        let context = self.context;
        for entry in &mut self.entries {
            if entry.matches(va, context) {
                *entry = E::EMPTY;
            }
        }
    }

    /// The entry that a lookup of `va` would find, and its place, without the traces of a lookup.
    #[must_use]
    pub fn peek(&self, va: E::Address) -> Option<(usize, &E)> {
        let likely = self.hints[page(va) % HINT_SLOTS] as usize;
        if HINTS && self.entries[likely].matches(va, self.context) {
            return Some((likely, &self.entries[likely]));
        }
        let first = self.set(va) * self.ways;
        (first..first + self.ways)
            .chain(self.locked_from()..self.entries.len())
            .map(|index| (index, &self.entries[index]))
            .find(|(_, entry)| entry.matches(va, self.context))
    }

    /// How many places there are.
    #[must_use]
    pub fn places(&self) -> usize {
        self.entries.len()
    }

    /// The entry in `place`, if it is valid.
    #[must_use]
    pub fn get(&self, place: usize) -> Option<&E> {
        self.entries.get(place).filter(|e| e.is_valid())
    }

    /// Puts an entry into `place`, or none; what is replaced next stays.
    pub fn replace(&mut self, place: usize, entry: Option<E>) {
        self.entries[place] = entry.unwrap_or(E::EMPTY);
    }

    /// The valid entries, in place order. For observers and tests.
    pub fn entries(&self) -> impl Iterator<Item = &E> {
        self.entries.iter().filter(|e| e.is_valid())
    }
}

impl<E: Entry> State for Tlb<E> {
    fn save(&self, to: &mut Saver) {
        to.put(&(&self.entries, &self.next));
        to.put(&(self.base, self.preserve, &self.preserved));
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        let (entries, next): (Vec<E>, Vec<u8>) = from.take()?;
        let right = entries.len() == self.entries.len()
            && entries.iter().all(E::plausible)
            && next.len() == self.next.len()
            && next.iter().all(|way| usize::from(*way) < self.ways);
        let (base, preserve, preserved): (u8, bool, Vec<bool>) = from.take()?;
        let right =
            right && usize::from(base) < self.ways && preserved.len() == self.preserved.len();
        require(right, "has other TLBs than the machine")?;
        (self.entries, self.next) = (entries, next);
        (self.base, self.preserve, self.preserved) = (base, preserve, preserved);
        Ok(())
    }
}

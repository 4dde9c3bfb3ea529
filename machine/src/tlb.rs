// SPDX-License-Identifier: Apache-2.0
//! A TLB: one set (fully associative) or several, each replaced round robin, and entries that the
//! guest locks. It holds translations as they were when they were walked: a page-table change is
//! not seen until the entry is invalidated or replaced.
//!
//! The set is chosen by the address bits from 12 on, whatever the size of the page: a section that
//! is used all over takes one entry in each set (assumed of the ARM926EJ-S, whose manual does not
//! say).

use serde::{Deserialize, Serialize};

use crate::cache::HINTS;
use crate::config::TlbConfig;
use crate::state::{require, Damaged, Restorer, Saver, State};

/// Remembered entries, by the low bits of the 4 KB page number.
const HINT_SLOTS: usize = 256;

/// The tag of an entry that is not valid: no masked address equals it.
const INVALID: u32 = 1;

/// The C (cacheable) and B (bufferable) bits of a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attributes(u8);

impl Attributes {
    /// Neither cacheable nor bufferable.
    pub const NONE: Self = Self(0);

    /// Those of a descriptor of either level: C is bit 3, B is bit 2.
    #[must_use]
    pub fn of_descriptor(descriptor: u32) -> Self {
        Self(((descriptor >> 2) & 3) as u8)
    }

    /// The C bit.
    #[inline]
    #[must_use]
    pub fn cacheable(self) -> bool {
        self.0 & 2 != 0
    }

    /// The B bit.
    #[inline]
    #[must_use]
    pub fn bufferable(self) -> bool {
        self.0 & 1 != 0
    }
}

/// One translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TlbEntry {
    /// The modified virtual address of the section or page.
    pub mva: u32,
    /// The bits of an address that select this entry (all but the offset).
    pub mask: u32,
    /// The physical address of the section or page.
    pub pa: u32,
    /// The domain, 0 to 15.
    pub domain: u8,
    /// Access permissions of the four subpages, two bits each, lowest first; a section repeats
    /// its one field.
    pub permissions: u8,
    /// Address bits below the two that choose the subpage: 10 for small, 14 for large pages; a
    /// tiny page has no subpages and repeats its one field.
    pub subpage_shift: u8,
    /// The C and B bits.
    pub attributes: Attributes,
    /// Whether a section descriptor made it (fault status tells sections from pages).
    pub section: bool,
}

impl TlbEntry {
    const EMPTY: Self = Self {
        mva: INVALID,
        mask: 0xffff_f000,
        pa: 0,
        domain: 0,
        permissions: 0,
        subpage_shift: 10,
        attributes: Attributes::NONE,
        section: false,
    };

    /// The physical address of `mva`, which this entry translates.
    #[inline]
    #[must_use]
    pub fn translate(&self, mva: u32) -> u32 {
        self.pa | (mva & !self.mask)
    }

    /// The two permission bits that apply to `mva`.
    #[inline]
    #[must_use]
    pub fn access_permission(&self, mva: u32) -> u8 {
        let subpage = (mva >> self.subpage_shift) & 3;
        (self.permissions >> (2 * subpage)) & 3
    }

    /// The same translation for no more than the address bits in `mask` select round `mva`.
    #[must_use]
    pub fn within(mut self, mva: u32, mask: u32) -> Self {
        self.pa = self.translate(mva) & (self.mask | mask);
        self.mask |= mask;
        self.mva = mva & self.mask;
        self
    }

    /// Whether this entry translates `mva`.
    #[inline]
    #[must_use]
    pub fn matches(&self, mva: u32) -> bool {
        mva & self.mask == self.mva
    }
}

/// Where entries go, and which stay: base, victim and P of a lockdown register (ARM920T, register
/// 10).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lockdown {
    /// The place to which the victim returns behind the last one.
    pub base: u8,
    /// The place that is replaced next.
    pub victim: u8,
    /// Whether what is put in survives an invalidation of all.
    pub preserve: bool,
}

/// The translations that a TLB holds.
#[derive(Debug, Clone)]
pub struct Tlb {
    /// The sets one after another, then the locked entries.
    entries: Vec<TlbEntry>,
    ways: usize,
    set_mask: usize,
    /// For each set the way that is replaced next.
    next: Vec<u8>,
    /// The way to which that returns behind the last one.
    base: u8,
    /// Whether what is put in survives an invalidation of all, and what does.
    preserve: bool,
    preserved: Vec<bool>,
    hints: Box<[u8; HINT_SLOTS]>,
}

impl Tlb {
    /// An empty TLB of the geometry that `config` (validated) gives.
    #[must_use]
    pub fn new(config: &TlbConfig) -> Self {
        let ways = config.set_size();
        let sets = (config.entries / ways) as usize;
        Self {
            entries: vec![TlbEntry::EMPTY; (config.entries + config.locked) as usize],
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
        }
    }

    /// The entry that translates `mva`, if any.
    #[inline(always)]
    pub fn lookup(&mut self, mva: u32) -> Option<&TlbEntry> {
        if HINTS {
            let index = self.hints[(mva >> 12) as usize % HINT_SLOTS] as usize;
            if self.entries[index].matches(mva) {
                return Some(&self.entries[index]);
            }
        }
        self.search(mva)
    }

    /// Compares with every entry of the set and every locked one. A hint for a page number points
    /// to nothing else, since its low bits choose the set.
    #[inline(never)]
    fn search(&mut self, mva: u32) -> Option<&TlbEntry> {
        let first = self.set(mva) * self.ways;
        let locked = self.locked_from();
        let index = (first..first + self.ways)
            .chain(locked..self.entries.len())
            .find(|&index| self.entries[index].matches(mva))?;
        self.hints[(mva >> 12) as usize % HINT_SLOTS] = index as u8;
        Some(&self.entries[index])
    }

    fn set(&self, mva: u32) -> usize {
        (mva >> 12) as usize & self.set_mask
    }

    fn locked_from(&self) -> usize {
        self.ways * (self.set_mask + 1)
    }

    /// Puts `entry`, walked for `mva`, in place of the next one in turn of its set. Returns the place.
    pub fn insert(&mut self, mva: u32, entry: TlbEntry) -> usize {
        let set = self.set(mva);
        let way = self.next[set];
        self.next[set] = if usize::from(way) + 1 == self.ways {
            self.base
        } else {
            way + 1
        };
        let index = set * self.ways + usize::from(way);
        self.hints[(mva >> 12) as usize % HINT_SLOTS] = index as u8;
        self.entries[index] = entry;
        self.preserved[index] = self.preserve;
        index
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
    pub fn lock(&mut self, place: usize, entry: TlbEntry) -> Option<usize> {
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
                *entry = TlbEntry::EMPTY;
            }
        }
        self.next.fill(self.base);
    }

    /// Forgets whatever translates `mva`, locked or not, in whichever set its walk has put it.
    pub fn invalidate(&mut self, mva: u32) {
        for entry in &mut self.entries {
            if entry.matches(mva) {
                *entry = TlbEntry::EMPTY;
            }
        }
    }

    /// The entry that a lookup of `mva` would find, and its place, without the traces of a lookup.
    #[must_use]
    pub fn peek(&self, mva: u32) -> Option<(usize, &TlbEntry)> {
        let likely = self.hints[(mva >> 12) as usize % HINT_SLOTS] as usize;
        if HINTS && self.entries[likely].matches(mva) {
            return Some((likely, &self.entries[likely]));
        }
        let first = self.set(mva) * self.ways;
        (first..first + self.ways)
            .chain(self.locked_from()..self.entries.len())
            .map(|index| (index, &self.entries[index]))
            .find(|(_, entry)| entry.matches(mva))
    }

    /// How many places there are.
    #[must_use]
    pub fn places(&self) -> usize {
        self.entries.len()
    }

    /// The entry in `place`, if it is valid.
    #[must_use]
    pub fn get(&self, place: usize) -> Option<&TlbEntry> {
        self.entries.get(place).filter(|e| e.mva != INVALID)
    }

    /// Puts an entry into `place`, or none; what is replaced next stays.
    pub fn replace(&mut self, place: usize, entry: Option<TlbEntry>) {
        self.entries[place] = entry.unwrap_or(TlbEntry::EMPTY);
    }

    /// The valid entries, in place order. For observers and tests.
    pub fn entries(&self) -> impl Iterator<Item = &TlbEntry> {
        self.entries.iter().filter(|e| e.mva != INVALID)
    }
}

impl State for Tlb {
    fn save(&self, to: &mut Saver) {
        to.put(&(&self.entries, &self.next));
        to.put(&(self.base, self.preserve, &self.preserved));
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        let (entries, next): (Vec<TlbEntry>, Vec<u8>) = from.take()?;
        let entry = |e: &TlbEntry| {
            e.domain < 16 && e.attributes.0 < 4 && e.subpage_shift < 32 && e.mask >> 31 == 1
        };
        let right = entries.len() == self.entries.len()
            && entries.iter().all(entry)
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

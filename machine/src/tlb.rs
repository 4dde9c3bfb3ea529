// SPDX-License-Identifier: Apache-2.0
//! A fully associative TLB, replaced round robin. It holds translations as they were when they
//! were walked: a page-table change is not seen until the entry is invalidated or replaced.

use crate::cache::HINTS;
use crate::config::TlbConfig;

/// Remembered entries, by the low bits of the 4 KB page number.
const HINT_SLOTS: usize = 256;

/// The tag of an entry that is not valid: no masked address equals it.
const INVALID: u32 = 1;

/// The C (cacheable) and B (bufferable) bits of a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// Address bits below the two that choose the subpage: 10 for small, 14 for large pages.
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

    /// Whether this entry translates `mva`.
    #[inline]
    #[must_use]
    pub fn matches(&self, mva: u32) -> bool {
        mva & self.mask == self.mva
    }
}

/// The translations that a TLB holds.
#[derive(Debug, Clone)]
pub struct Tlb {
    entries: Vec<TlbEntry>,
    next: usize,
    hints: Box<[u8; HINT_SLOTS]>,
}

impl Tlb {
    /// An empty TLB.
    #[must_use]
    pub fn new(config: &TlbConfig) -> Self {
        Self {
            entries: vec![TlbEntry::EMPTY; config.entries as usize],
            next: 0,
            hints: Box::new([0; HINT_SLOTS]),
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

    /// Compares with every entry.
    #[inline(never)]
    fn search(&mut self, mva: u32) -> Option<&TlbEntry> {
        let index = self.entries.iter().position(|e| e.matches(mva))?;
        self.hints[(mva >> 12) as usize % HINT_SLOTS] = index as u8;
        Some(&self.entries[index])
    }

    /// Puts `entry` in place of the next one in turn.
    pub fn insert(&mut self, entry: TlbEntry) {
        self.hints[(entry.mva >> 12) as usize % HINT_SLOTS] = self.next as u8;
        self.entries[self.next] = entry;
        self.next = (self.next + 1) % self.entries.len();
    }

    /// Forgets every entry. The replacement pointer returns to the first entry.
    pub fn invalidate_all(&mut self) {
        self.entries.fill(TlbEntry::EMPTY);
        self.next = 0;
    }

    /// Forgets the entry that translates `mva`, if any.
    pub fn invalidate(&mut self, mva: u32) {
        for entry in &mut self.entries {
            if entry.matches(mva) {
                *entry = TlbEntry::EMPTY;
            }
        }
    }

    /// The valid entries, in place order. For observers and tests.
    pub fn entries(&self) -> impl Iterator<Item = &TlbEntry> {
        self.entries.iter().filter(|e| e.mva != INVALID)
    }
}

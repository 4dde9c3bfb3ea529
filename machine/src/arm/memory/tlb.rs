// SPDX-License-Identifier: Apache-2.0
//! What ARM's TLBs hold: sections and pages with domain, permissions and the bits C and B.

use serde::{Deserialize, Serialize};

use crate::tlb::Entry;

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

impl Entry for TlbEntry {
    /// No identifier of an address space.
    type Context = ();
    type Address = u32;

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

    #[inline(always)]
    fn is_valid(&self) -> bool {
        self.mva != INVALID
    }

    #[inline(always)]
    fn matches(&self, va: u32, (): ()) -> bool {
        va & self.mask == self.mva
    }

    fn plausible(&self) -> bool {
        self.domain < 16 && self.attributes.0 < 4 && self.subpage_shift < 32 && self.mask >> 31 == 1
    }
}

impl TlbEntry {
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

    /// This translation, for no more than the address bits in `mask` select round `mva`.
    #[must_use]
    pub fn within(mut self, mva: u32, mask: u32) -> Self {
        self.pa = self.translate(mva) & (self.mask | mask);
        self.mask |= mask;
        self.mva = mva & self.mask;
        self
    }
}

// SPDX-License-Identifier: Apache-2.0
//! What the TLBs hold: translations of 4 KB and 4 MB pages as they were when they were walked.

use serde::{Deserialize, Serialize};

use crate::tlb::Entry;

/// The tag of an entry that is not valid: no masked address equals it.
const INVALID: u32 = 1;
/// The mask of a page of 4 KB.
const SMALL: u32 = 0xffff_f000;

/// One translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TlbEntry {
    /// Linear address of the page.
    pub linear: u32,
    /// The bits of an address that select this entry (all but the offset).
    pub mask: u32,
    /// Physical address of the page.
    pub pa: u32,
    /// Whether both levels let user mode in.
    pub user: bool,
    /// Whether both levels let it be written.
    pub writable: bool,
    /// Whether the dirty bit was set when this was walked. A write needs an entry that says so.
    pub dirty: bool,
    /// Whether a CR3 load leaves it alone.
    pub global: bool,
}

impl Entry for TlbEntry {
    /// No identifier of an address space.
    type Context = ();
    type Address = u32;

    const EMPTY: Self = Self {
        linear: INVALID,
        mask: SMALL,
        pa: 0,
        user: false,
        writable: false,
        dirty: false,
        global: false,
    };

    #[inline(always)]
    fn is_valid(&self) -> bool {
        self.linear != INVALID
    }

    #[inline(always)]
    fn matches(&self, va: u32, (): ()) -> bool {
        va & self.mask == self.linear
    }

    fn plausible(&self) -> bool {
        matches!(self.mask, SMALL | 0xffc0_0000)
    }
}

impl TlbEntry {
    /// Whether it is of a page of 4 MB.
    #[must_use]
    pub fn is_large(&self) -> bool {
        self.mask != SMALL
    }

    /// The physical address of `linear`, which this entry translates.
    #[inline]
    #[must_use]
    pub fn translate(&self, linear: u32) -> u32 {
        self.pa | (linear & !self.mask)
    }
}

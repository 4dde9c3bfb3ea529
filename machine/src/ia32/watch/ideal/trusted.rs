// SPDX-License-Identifier: Apache-2.0
//! Accesses that were found right. An access is right by what the TLB's entry and the page tables say, and by
//! the controls of paging: while all of these are what they were, it is right again. Without this every finding
//! would be the same, later.

use crate::check::Kind;
use crate::ia32::cpu::MemSys;
use crate::ia32::memory::tlb::TlbEntry;

/// Pages that are remembered of each kind of access, a power of two.
const PAGES: usize = 512;

/// What decides whether an access is right, but for its page and its rights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen {
    /// The entry that it went by.
    used: TlbEntry,
    /// The directory entry of its address, and the table entry if there is one.
    entries: [u32; 2],
    /// Control registers.
    controls: [u32; 2],
}

impl Seen {
    /// Of an access to `linear` by the entry `used`; `None`: not mapped.
    #[inline(always)]
    pub(super) fn now(memory: &MemSys, linear: u32, used: &TlbEntry) -> Option<Self> {
        Some(Self {
            used: *used,
            entries: memory.entries_now(linear)?,
            controls: memory.controls(),
        })
    }
}

/// The accesses, by page, kind and level.
#[derive(Debug)]
pub(super) struct Trusted(Box<[(u32, Option<Seen>)]>);

impl Trusted {
    pub(super) fn new() -> Self {
        Self(vec![(0, None); 8 * PAGES].into())
    }

    #[inline(always)]
    fn place(linear: u32, kind: Kind, user: bool) -> usize {
        let page = linear as usize >> 12;
        (page ^ page >> 9) % PAGES + (kind as usize * 2 + usize::from(user)) * PAGES
    }

    /// Whether such an access was right when all was as it is now.
    #[inline(always)]
    pub(super) fn knows(&self, linear: u32, kind: Kind, user: bool, seen: &Seen) -> bool {
        let (page, known) = &self.0[Self::place(linear, kind, user)];
        *page == linear >> 12 && known.as_ref() == Some(seen)
    }

    /// It is right.
    pub(super) fn add(&mut self, linear: u32, kind: Kind, user: bool, seen: Seen) {
        self.0[Self::place(linear, kind, user)] = (linear >> 12, Some(seen));
    }
}

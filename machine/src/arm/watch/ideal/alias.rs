// SPDX-License-Identifier: Apache-2.0
//! Two addresses for one place: the process-ID register moves addresses below 32 MB to a slot, and the
//! slot's own addresses lead to the same memory. A program that uses both has been given memory at
//! an address that was taken: what it takes for two places is one. Page tables and caches agree, so
//! that nothing else here would notice.
//!
//! A program is known by what decides where its accesses go: translation table base, process ID and
//! domains. What was seen of one is forgotten when the whole TLB of data is invalidated, as it must be before
//! these are another program's; and what was seen in another frame is another's.

use std::collections::HashMap;

use crate::arm::memory::memsys::MemSys;
use crate::check::Finding;

/// What the process-ID register moves: the lowest 32 MB.
const SLOT_BYTES: u32 = 32 << 20;

/// Pages are those of 4 KB.
const PAGE_BITS: u32 = 12;

/// By which of its two addresses a page is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Below 32 MB.
    Moved,
    /// In full.
    Direct,
}

impl Way {
    /// That of an access; `None`: there is no other.
    #[inline]
    pub(super) fn of(memory: &MemSys, va: u32) -> Option<Self> {
        let slot = memory.pid_slot();
        if slot == 0 {
            None
        } else if va < SLOT_BYTES {
            Some(Self::Moved)
        } else {
            (va ^ slot < SLOT_BYTES).then_some(Self::Direct)
        }
    }
}

/// Translation table base, DACR, process ID.
type Program = (u32, u32, u32);

struct Page {
    program: Program,
    /// Its frame.
    frame: u32,
    /// Whether it was reached below 32 MB.
    moved: bool,
    /// The access that reached it in full, until that has been reported.
    direct: Option<Finding>,
}

/// The pages that programs have reached in slots, by modified virtual address.
#[derive(Default)]
pub(super) struct Aliases(HashMap<u32, Page>);

impl Aliases {
    /// The whole TLB of data was invalidated.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }

    /// An access at `mva` went to `pa` as it should; `direct` makes a finding of it, if the address was
    /// the full one. Gives what there is to report: that finding, or one from before.
    pub(super) fn reached(
        &mut self,
        memory: &MemSys,
        mva: u32,
        pa: u32,
        direct: Option<Finding>,
    ) -> Option<Finding> {
        let (ttb, dacr) = memory.translation_registers();
        let program = (ttb, dacr, memory.pid_slot());
        let frame = pa >> PAGE_BITS;
        let new = || Page {
            program,
            frame,
            moved: false,
            direct: None,
        };
        let page = self.0.entry(mva >> PAGE_BITS).or_insert_with(new);
        if (page.program, page.frame) != (program, frame) {
            *page = new();
        }
        match direct {
            Some(finding) => page.direct = Some(finding),
            None => page.moved = true,
        }
        if page.moved {
            page.direct.take()
        } else {
            None
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Where recent accesses went: for a line's virtual address the slot of the cache that answered,
//! so that the next access need not relocate, look up the TLB and check rights again. A hint holds
//! as long as nothing that those steps look at has changed (the *epoch*: TLB contents, domain
//! access, relocation, control) and the slot still has the line's tag. Without hints every count
//! is the same, only slower; `tests/hints` compares the two builds.

use crate::cache::{Cache, HINTS, LINE_BYTES};

/// Remembered lines, by the low bits of the line number.
const SLOTS: usize = 512;
/// The key of a hint that was never set: bits 1:0 of a key are never both set.
const NEVER: u64 = 3;

/// Who accesses: part of a hint's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Right {
    /// With the rights of user mode.
    User = 0,
    /// With those of a privileged mode.
    Privileged = 1,
}

impl Right {
    pub(super) fn of(privileged: bool) -> Self {
        if privileged {
            Self::Privileged
        } else {
            Self::User
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Hint {
    /// The epoch, the line's virtual address and who accessed it: one number to compare.
    key: u64,
    /// The line's address after relocation.
    mva: u32,
    slot: u32,
}

/// Hints for one kind of access: fetches, reads or writes.
#[derive(Debug, Clone)]
pub(super) struct Hints {
    hints: Box<[Hint; SLOTS]>,
}

impl Hints {
    pub(super) fn new() -> Self {
        let never = Hint {
            key: NEVER,
            mva: 0,
            slot: 0,
        };
        Self {
            hints: Box::new([never; SLOTS]),
        }
    }

    /// The slot of `cache` that holds the line of `va`, if that is known and still true.
    #[inline(always)]
    pub(super) fn find<L: Clone + Default>(
        &self,
        va: u32,
        right: Right,
        epoch: u32,
        cache: &Cache<L>,
    ) -> Option<usize> {
        if !HINTS {
            return None;
        }
        let hint = &self.hints[(va / LINE_BYTES) as usize % SLOTS];
        let slot = hint.slot as usize;
        (hint.key == key(va, right, epoch) && cache.holds(slot, hint.mva)).then_some(slot)
    }

    /// Remembers that the line of `va`, at `mva` after relocation, is in `slot`.
    #[inline]
    pub(super) fn remember(&mut self, va: u32, right: Right, epoch: u32, mva: u32, slot: usize) {
        self.hints[(va / LINE_BYTES) as usize % SLOTS] = Hint {
            key: key(va, right, epoch),
            mva,
            slot: slot as u32,
        };
    }
}

#[inline(always)]
fn key(va: u32, right: Right, epoch: u32) -> u64 {
    (u64::from(epoch) << 32) | u64::from((va & !(LINE_BYTES - 1)) | right as u32)
}

// SPDX-License-Identifier: Apache-2.0
//! Where recent accesses went: for a line's virtual address the slot of the cache that answered and
//! where its bytes are, so that the next access need not look up TLB and cache and check rights again. A
//! hint holds as long as nothing that those steps look at has changed (the *epoch*) and the line stays in
//! its slot. Without hints every count is the same, only slower.

use crate::cache::HINTS;
use crate::riscv::config::LINE_BYTES;

/// Remembered lines, by the low bits of the line number.
const PLACES: usize = 1024;
/// The address of no line.
const NEVER: u64 = 1;
/// The bits of an address within its line.
pub const OFFSET: u64 = LINE_BYTES as u64 - 1;

/// A hint; its tag is of epoch and rights. Translated code looks at it, too.
pub use switchyard_translator::wide::{Hint, HintTable};

const _: () = assert!(PLACES == switchyard_translator::wide::HINTS);

/// The hints of one kind of access.
#[derive(Debug, Clone)]
pub struct Hints {
    hints: Box<HintTable>,
    /// Where the hint that names a slot is, if there is one.
    named: Vec<u16>,
}

impl Hints {
    /// No hints, for a cache of `slots`.
    #[must_use]
    pub fn new(slots: usize) -> Self {
        let none = Hint {
            line: NEVER,
            tag: 0,
            slot: 0,
            offset: 0,
        };
        Self {
            hints: Box::new([none; PLACES]),
            named: vec![0; slots],
        }
    }

    /// All of them.
    #[inline(always)]
    #[must_use]
    pub fn table(&self) -> &HintTable {
        &self.hints
    }

    #[inline(always)]
    fn place(va: u64) -> usize {
        (va / u64::from(LINE_BYTES)) as usize % PLACES
    }

    /// The hint for an access of `bytes` at `va`, which must be aligned.
    #[inline(always)]
    #[must_use]
    pub fn find(&self, va: u64, bytes: u64, tag: u32) -> Option<&Hint> {
        let hint = &self.hints[Self::place(va)];
        let found = HINTS && va & (!OFFSET | (bytes - 1)) == hint.line && hint.tag == tag;
        found.then_some(hint)
    }

    /// Remembers that the line of `va` is in `slot`.
    pub fn remember(&mut self, va: u64, tag: u32, slot: usize, offset: usize) {
        let place = Self::place(va);
        let before = std::mem::replace(&mut self.named[slot], place as u16);
        self.forget_at(before, slot);
        self.hints[place] = Hint {
            line: va & !OFFSET,
            tag,
            slot: slot as u32,
            offset: offset & !(OFFSET as usize),
        };
    }

    /// The line in `slot` is there no longer.
    #[inline]
    pub fn forget(&mut self, slot: usize) {
        self.forget_at(self.named[slot], slot);
    }

    #[inline]
    fn forget_at(&mut self, place: u16, slot: usize) {
        let hint = &mut self.hints[usize::from(place) % PLACES];
        if hint.slot as usize == slot {
            hint.line = NEVER;
        }
    }

    /// Forgets every hint.
    pub fn clear(&mut self) {
        for hint in &mut *self.hints {
            hint.line = NEVER;
        }
    }
}

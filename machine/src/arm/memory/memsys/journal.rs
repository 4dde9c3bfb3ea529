// SPDX-License-Identifier: Apache-2.0
//! What happens to lines and translations other than the accesses that observers see: write-backs,
//! dirty lines that are dropped, fills of instruction lines, table walks, loads of the read buffer.
//! Kept for an observer that asks for it, until that takes it.

use crate::arm::memory::line::{Words, HALF_WORDS, LINE_WORDS};
use crate::arm::memory::tlb::TlbEntry;

/// Something that has happened.
#[derive(Debug, Clone, Copy)]
pub enum Event {
    /// Halves of a dirty line (one bit each) went into the write buffer.
    WrittenBack(DirtyLine),
    /// A dirty line was invalidated.
    Dropped(DirtyLine),
    /// A line of the instruction cache was filled.
    InsnFilled {
        /// Its slot.
        slot: usize,
        /// Where it was read from.
        pa: u32,
        /// What was read.
        words: Words,
    },
    /// The page tables were walked.
    Walked {
        /// For an instruction.
        fetch: bool,
        /// The address that had no translation.
        mva: u32,
        /// Where in the TLB the translation is; `None`: nowhere.
        place: Option<usize>,
        /// The translation.
        entry: TlbEntry,
    },
    /// An entry of the read buffer was loaded.
    ReadBufferLoaded {
        /// Its number.
        index: usize,
    },
}

/// A line of a data cache that was dirty.
#[derive(Debug, Clone, Copy)]
pub struct DirtyLine {
    /// The address that it answered to.
    pub mva: u32,
    /// Where it is written back.
    pub pa: u32,
    /// Its dirty halves, one bit each.
    pub halves: u8,
    /// Its contents.
    pub words: Words,
}

impl DirtyLine {
    /// Physical address and contents of the words of its dirty halves.
    pub fn dirty_words(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let dirty = |n: &usize| self.halves & (1 << (n / HALF_WORDS)) != 0;
        (0..LINE_WORDS)
            .filter(dirty)
            .map(|n| (self.pa + 4 * n as u32, self.words[n]))
    }
}

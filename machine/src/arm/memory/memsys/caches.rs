// SPDX-License-Identifier: Apache-2.0
//! The caches: what their lines hold, and which of the data caches a page uses.

use bytemuck::{Pod, Zeroable};

use crate::arm::config::ArmConfig;
use crate::arm::memory::line::{Words, HALF_WORDS, LINE_BYTES};
use crate::cache::{Cache, Line};
use crate::config::{CacheConfig, Refill, Replacement};

use super::journal::DirtyLine;

/// A line of the instruction cache. What its words mean, decided when it was filled, stands in
/// `decoded.rs`.
#[derive(Debug, Clone, Default)]
pub(super) struct InsnLine {
    pub words: Words,
    /// Whether the words were last decoded as Thumb instructions.
    pub thumb: bool,
}

/// A line of a data cache: plain words, in the order of [`switchyard_translator::DataLine`].
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct DataLine {
    pub words: Words,
    /// Physical address, where a write-back goes.
    pub pa: u32,
    /// Dirty bits of the two halves (SA-1110 DM §6.2: one a half line).
    pub dirty: u32,
}

impl Line for InsnLine {
    const BYTES: u32 = LINE_BYTES;
}

impl Line for DataLine {
    const BYTES: u32 = LINE_BYTES;
}

impl DataLine {
    /// The line, which is dirty and at `mva`, for the journal.
    pub(super) fn dirty_line(&self, mva: u32) -> DirtyLine {
        DirtyLine {
            mva,
            pa: self.pa,
            halves: self.dirty as u8,
            words: self.words,
        }
    }

    /// Writes `count` words from `first` on: their halves become dirty.
    #[inline]
    pub(super) fn change(&mut self, first: usize, count: usize, change: impl FnOnce(&mut [u32])) {
        change(&mut self.words[first..first + count]);
        self.dirty |= 1 << (first / HALF_WORDS);
        if first < HALF_WORDS && first + count > HALF_WORDS {
            self.dirty |= 2;
        }
    }
}

/// Which data cache a page uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DataCache {
    Main,
    Mini,
}

/// The caches.
#[derive(Debug)]
pub(super) struct Caches {
    /// That of instructions.
    pub insn: Cache<InsnLine>,
    /// That of data, the main one where there are two.
    pub data: Cache<DataLine>,
    /// The mini data cache (SA-1110 DM §6.2).
    pub mini: Option<Cache<DataLine>>,
    /// How lines of the instruction cache are filled.
    pub insn_refill: Refill,
    /// How lines of the data caches are.
    pub data_refill: Refill,
    /// Whether the guest may choose between random and round-robin replacement.
    pub selectable_replacement: bool,
}

impl Caches {
    /// Those of a machine file, empty.
    pub(super) fn new(config: &ArmConfig) -> Self {
        let random = |cache: &CacheConfig| cache.replacement == Replacement::Random;
        Self {
            insn: Cache::new(&config.icache),
            data: Cache::new(&config.dcache),
            mini: config.mini_dcache.as_ref().map(Cache::new),
            insn_refill: config.icache.refill,
            data_refill: config.dcache.refill,
            selectable_replacement: random(&config.icache) && random(&config.dcache),
        }
    }

    /// A data cache.
    pub(super) fn of_data(&self, which: DataCache) -> &Cache<DataLine> {
        match (which, &self.mini) {
            (DataCache::Mini, Some(mini)) => mini,
            _ => &self.data,
        }
    }

    /// A data cache, to change it.
    #[inline(always)]
    pub(super) fn of_data_mut(&mut self, which: DataCache) -> &mut Cache<DataLine> {
        match (which, &mut self.mini) {
            (DataCache::Mini, Some(mini)) => mini,
            _ => &mut self.data,
        }
    }

    /// The data caches.
    pub(super) fn all_data(&self) -> impl Iterator<Item = &Cache<DataLine>> {
        std::iter::once(&self.data).chain(&self.mini)
    }
}

// SPDX-License-Identifier: Apache-2.0
//! The memory system's state for observers: what TLBs, caches and write buffer hold now. Looking
//! changes nothing, not even which entry is replaced next.

use crate::arm::line::{line_address, Words, LINE_BYTES};
use crate::arm::tlb::TlbEntry;

use super::{control, DataCache, DataLine, MemSys};

/// A valid line of a data cache.
#[derive(Debug, Clone, Copy)]
pub struct CachedLine<'a> {
    /// The address that it answers to.
    pub mva: u32,
    /// The physical address that it was filled from.
    pub pa: u32,
    /// Its contents.
    pub words: &'a Words,
    /// Whether any of it is newer than memory.
    pub dirty: bool,
}

impl<'a> CachedLine<'a> {
    fn of(mva: u32, line: &'a DataLine) -> Self {
        Self {
            mva,
            pa: line.pa,
            words: &line.words,
            dirty: line.dirty != 0,
        }
    }
}

impl MemSys {
    /// Whether translation is on.
    #[must_use]
    pub fn translates(&self) -> bool {
        self.control & control::M != 0
    }

    /// Whether the data caches are on.
    #[must_use]
    pub fn data_caches_on(&self) -> bool {
        self.control & control::C != 0
    }

    /// Translation table base and DACR.
    #[must_use]
    pub fn translation_registers(&self) -> (u32, u32) {
        (self.ttb, self.dacr)
    }

    /// The permission table of the control register's S and R bits (`mmu::permission_table`).
    #[must_use]
    pub fn permission_table(&self) -> u16 {
        self.permissions
    }

    /// The process-ID register: the mva of address 0.
    #[must_use]
    pub fn pid_slot(&self) -> u32 {
        self.pid
    }

    /// The data TLB's entry for `mva`, and its place.
    #[must_use]
    pub fn data_translation(&self, mva: u32) -> Option<(usize, &TlbEntry)> {
        self.dtlb.peek(mva)
    }

    /// The instruction TLB's entry for `mva`, and its place.
    #[must_use]
    pub fn insn_translation(&self, mva: u32) -> Option<(usize, &TlbEntry)> {
        self.itlb.as_ref().unwrap_or(&self.dtlb).peek(mva)
    }

    /// Whether one TLB serves instructions and data.
    #[must_use]
    pub fn has_one_tlb(&self) -> bool {
        self.itlb.is_none()
    }

    /// The valid lines of the data caches with their addresses.
    pub(super) fn valid_data_lines(&self) -> impl Iterator<Item = (u32, &DataLine)> {
        let mini = self.mini.iter().flat_map(|mini| mini.valid_lines());
        self.dcache.valid_lines().chain(mini)
    }

    /// All valid lines of the data caches.
    pub fn data_lines(&self) -> impl Iterator<Item = CachedLine<'_>> {
        self.valid_data_lines()
            .map(|(mva, line)| CachedLine::of(mva, line))
    }

    /// The line in which data at `mva` lie that `entry` translates, if a cache has it.
    #[must_use]
    pub fn data_line(&self, mva: u32, entry: &TlbEntry) -> Option<CachedLine<'_>> {
        let at = self.location(mva, entry);
        let cache = match (self.cache_for(&at)?, &self.mini) {
            (DataCache::Mini, Some(mini)) => mini,
            _ => &self.dcache,
        };
        let line = cache.line(cache.peek(at.key)?);
        Some(CachedLine::of(line_address(at.key), line))
    }

    /// Whether a store through `entry` goes to memory at once even if it hits a line.
    #[must_use]
    pub fn stores_through(&self, entry: &TlbEntry) -> bool {
        self.core.writes_through && !entry.attributes.bufferable()
    }

    /// The slot of the instruction line of `mva`, which is at `pa`.
    #[must_use]
    pub fn insn_slot(&self, mva: u32, pa: u32) -> Option<usize> {
        self.icache.peek(self.key(mva, pa))
    }

    /// The aligned line of memory at `pa` as it will be when the write buffer is empty.
    #[must_use]
    pub fn settled_line(&self, pa: u32) -> Option<Words> {
        let mut line = self.platform.bus.read_line(pa)?;
        if self.write_is_buffered(pa) {
            let mut bytes = [0; LINE_BYTES as usize];
            for (chunk, word) in bytes.chunks_exact_mut(4).zip(line) {
                chunk.copy_from_slice(&word.to_le_bytes());
            }
            self.write_buffer.overlay(pa, &mut bytes);
            for (word, b) in line.iter_mut().zip(bytes.chunks_exact(4)) {
                *word = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
            }
        }
        Some(line)
    }

    /// All valid lines of the instruction cache: their addresses.
    pub fn insn_lines(&self) -> impl Iterator<Item = u32> + '_ {
        self.icache.valid_lines().map(|(mva, _)| mva)
    }

    /// The valid entries of the instruction and of the data TLB, in place order; the same twice
    /// where one TLB is both.
    pub fn translations(&self) -> [Vec<TlbEntry>; 2] {
        [self.itlb.as_ref().unwrap_or(&self.dtlb), &self.dtlb]
            .map(|tlb| tlb.entries().copied().collect())
    }

    /// Writes in the write buffer.
    #[must_use]
    pub fn buffered_writes(&self) -> usize {
        self.write_buffer.len()
    }

    /// Whether the instruction cache is on.
    #[must_use]
    pub fn insn_cache_on(&self) -> bool {
        self.control & control::I != 0
    }

    /// The words of the line at `key` in a data cache, if it is there.
    pub(super) fn cached_line(&self, which: DataCache, key: u32) -> Option<&Words> {
        let cache = match (which, &self.mini) {
            (DataCache::Mini, Some(mini)) => mini,
            _ => &self.dcache,
        };
        let mut lines = cache.valid_lines();
        lines.find_map(|(at, line)| (at == key).then_some(&line.words))
    }

    /// Whether a write of the line at `pa` is still on its way to memory.
    #[must_use]
    pub fn write_is_buffered(&self, pa: u32) -> bool {
        self.write_buffer.holds_line(line_address(pa))
    }

    /// The entry of the read buffer that holds the word at `mva`, which is at `pa`.
    #[must_use]
    pub fn read_buffer_entry(&self, mva: u32, pa: u32) -> Option<usize> {
        let key = self.key(mva, pa);
        self.read_buffer.iter().position(|entry| entry.holds(key))
    }
}

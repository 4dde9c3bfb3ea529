// SPDX-License-Identifier: Apache-2.0
//! The memory system's state for observers: what TLBs, caches and write buffer hold now. Looking
//! changes nothing, not even which entry is replaced next.

use crate::arm::isa::control;
use crate::arm::memory::line::{line_address, Words, LINE_BYTES};
use crate::arm::memory::mmu;
use crate::arm::memory::tlb::TlbEntry;
use crate::tlb::Tlb;

use super::{DataCache, DataLine, MemSys};

/// Lines of a page directory: 4096 descriptors.
const DIRECTORY_LINES: u32 = 4096 * 4 / LINE_BYTES;

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
        self.registers.control & control::M != 0
    }

    /// Whether the data caches are on.
    #[must_use]
    pub fn data_caches_on(&self) -> bool {
        self.registers.control & control::C != 0
    }

    /// Translation table base and DACR.
    #[must_use]
    pub fn translation_registers(&self) -> (u32, u32) {
        (self.registers.ttb, self.registers.dacr)
    }

    /// The permission table of the control register's S and R bits (`mmu::permission_table`).
    #[must_use]
    pub fn permission_table(&self) -> u16 {
        self.rules.permissions
    }

    /// The process-ID register: the mva of address 0.
    #[must_use]
    pub fn pid_slot(&self) -> u32 {
        self.registers.pid
    }

    /// The data TLB's entry for `mva`, and its place.
    #[must_use]
    pub fn data_translation(&self, mva: u32) -> Option<(usize, &TlbEntry)> {
        self.tlbs.data.peek(mva)
    }

    /// The instruction TLB's entry for `mva`, and its place.
    #[must_use]
    pub fn insn_translation(&self, mva: u32) -> Option<(usize, &TlbEntry)> {
        self.tlbs.for_fetches().peek(mva)
    }

    /// Whether one TLB serves instructions and data.
    #[must_use]
    pub fn has_one_tlb(&self) -> bool {
        self.tlbs.insn.is_none()
    }

    /// The valid lines of the data caches with their addresses.
    pub(super) fn valid_data_lines(&self) -> impl Iterator<Item = (u32, &DataLine)> {
        let mini = self.caches.mini.iter().flat_map(|mini| mini.valid_lines());
        self.caches.data.valid_lines().chain(mini)
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
        let cache = self.caches.of_data(self.cache_for(&at)?);
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
        self.caches.insn.peek(self.key(mva, pa))
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

    /// The sets and ways of the instruction cache, the data cache, and the mini data cache if there is one.
    #[must_use]
    pub fn cache_shapes(&self) -> Vec<(usize, usize)> {
        let shape = |slots: usize, ways: usize| (slots / ways, ways);
        let data = self.caches.all_data();
        let data = data.map(|cache| shape(cache.slots(), cache.ways()));
        std::iter::once(shape(self.caches.insn.slots(), self.caches.insn.ways()))
            .chain(data)
            .collect()
    }

    /// The lines of the instruction cache by slot: their addresses.
    pub fn insn_slots(&self) -> impl Iterator<Item = Option<u32>> + '_ {
        (0..self.caches.insn.slots()).map(|slot| self.caches.insn.address(slot))
    }

    /// The lines of the data cache, or of the mini data cache, by slot: address, physical address,
    /// dirty halves (one bit each).
    pub fn data_slots(&self, mini: bool) -> impl Iterator<Item = Option<(u32, u32, u8)>> + '_ {
        let cache = self
            .caches
            .mini
            .as_ref()
            .filter(|_| mini)
            .unwrap_or(&self.caches.data);
        (0..cache.slots()).map(|slot| {
            let line = cache.line(slot);
            Some((cache.address(slot)?, line.pa, line.dirty as u8))
        })
    }

    /// The TLBs, that of instructions first; one if it serves both.
    pub fn tlbs(&self) -> impl Iterator<Item = &Tlb<TlbEntry>> {
        self.tlbs.insn.iter().chain([&self.tlbs.data])
    }

    /// The page directory as the next walk would read it, line by line; nothing without translation.
    pub fn directory(&self) -> impl Iterator<Item = Option<Words>> + '_ {
        let first = mmu::first_level_address(self.registers.ttb, 0);
        let line = move |n| self.line_to_read(first + n * LINE_BYTES);
        (0..DIRECTORY_LINES).map(move |n| line(n).filter(|_| self.registers.mmu_on()))
    }

    /// All valid lines of the instruction cache: their addresses.
    pub fn insn_lines(&self) -> impl Iterator<Item = u32> + '_ {
        self.caches.insn.valid_lines().map(|(mva, _)| mva)
    }

    /// The valid entries of the instruction and of the data TLB, in place order; the same twice
    /// where one TLB is both.
    pub fn translations(&self) -> [Vec<TlbEntry>; 2] {
        [self.tlbs.for_fetches(), &self.tlbs.data].map(|tlb| tlb.entries().copied().collect())
    }

    /// Writes in the write buffer.
    #[must_use]
    pub fn buffered_writes(&self) -> usize {
        self.write_buffer.len()
    }

    /// Whether the instruction cache is on.
    #[must_use]
    pub fn insn_cache_on(&self) -> bool {
        self.registers.control & control::I != 0
    }

    /// The words of the line at `key` in a data cache, if it is there.
    pub(super) fn cached_line(&self, which: DataCache, key: u32) -> Option<&Words> {
        let cache = self.caches.of_data(which);
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
        self.read_buffer.entry(key)
    }
}

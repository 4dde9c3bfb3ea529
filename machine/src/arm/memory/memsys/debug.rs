// SPDX-License-Identifier: Apache-2.0
//! Memory for a debugger, by virtual address in the current space: what the processor would read,
//! without the traces that reading leaves (no TLB entry, no line, no cycle), and changes that take
//! effect wherever a copy is held. Rights are not checked: a debugger may see everything.

use crate::arm::memory::line::{line_address, line_offset, Words, LINE_BYTES};
use crate::arm::memory::mmu::{self, Access, FirstLevel};
use crate::arm::memory::tlb::{Attributes, TlbEntry};
use crate::bus::Target;

use super::{Location, MemSys};

/// What the page tables in memory say about an address now.
#[derive(Debug, Clone, Copy)]
pub struct Walk {
    /// The first-level descriptor and where it is; `None`: nothing can be read there.
    pub first: (u32, Option<u32>),
    /// Those of the second level, if the first names a table.
    pub second: Option<(u32, Option<u32>)>,
    /// The translation, if there is one.
    pub entry: Option<TlbEntry>,
}

impl MemSys {
    /// Walks the page tables for `mva` as the next TLB miss would, free of charge.
    #[must_use]
    pub fn walk_now(&self, mva: u32) -> Walk {
        let at = mmu::first_level_address(self.registers.ttb, mva);
        let descriptor = self.word_to_read(at);
        let mut walk = Walk {
            first: (at, descriptor),
            second: None,
            entry: None,
        };
        match descriptor.map(|descriptor| mmu::first_level(descriptor, mva, self.fine_tables())) {
            Some(FirstLevel::Section(entry)) => walk.entry = Some(entry),
            Some(FirstLevel::Table(table)) => {
                let at = table.descriptor_address(mva);
                let descriptor = self.word_to_read(at);
                walk.second = Some((at, descriptor));
                walk.entry = descriptor.and_then(|d| table.entry(d, mva));
            }
            Some(FirstLevel::Invalid) | None => {}
        }
        walk
    }

    /// Where `mva` is, and with which attributes, by the page tables as they are now.
    fn locate_now(&self, mva: u32) -> Option<Location> {
        if self.registers.mmu_on() {
            let entry = self.walk_now(mva).entry?;
            return Some(self.location(mva, &entry));
        }
        Some(Location {
            mva,
            pa: mva,
            key: mva,
            attributes: Attributes::NONE,
        })
    }

    /// The physical address of `va`, by the page tables as they are now.
    #[must_use]
    pub fn physical_now(&self, va: u32) -> Option<u32> {
        Some(self.locate_now(self.relocate(va))?.pa)
    }

    /// Whether an instruction can be fetched at `va` now, rights included: else the next step
    /// takes a prefetch abort.
    #[must_use]
    pub fn can_fetch(&self, va: u32, privileged: bool) -> bool {
        let mva = self.relocate(va);
        if !self.registers.mmu_on() {
            return true;
        }
        let access = Access {
            write: false,
            privileged,
        };
        let entry = match self.insn_translation(mva) {
            Some((_, entry)) => Some(*entry),
            None => self.walk_now(mva).entry,
        };
        entry.is_some_and(|entry| {
            mmu::check(
                &entry,
                mva,
                access,
                self.registers.dacr,
                self.rules.permissions,
            )
            .is_ok()
        })
    }

    /// The line around `va` as a load would see them now: in the data cache that the
    /// page uses, else on their way through the write buffer, else in memory. `None` if nothing is
    /// mapped there, or no memory: devices are not read, since that may change them.
    #[must_use]
    pub fn peek_line(&self, va: u32) -> Option<[u8; LINE_BYTES as usize]> {
        let at = self.locate_now(self.relocate(va))?;
        let memory = self.line_to_read(at.pa)?;
        let line = line_address(at.key);
        let cached = self
            .cache_for(&at)
            .and_then(|which| self.cached_line(which, line));
        let mut bytes = [0; LINE_BYTES as usize];
        for (chunk, word) in bytes.chunks_exact_mut(4).zip(cached.unwrap_or(&memory)) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        if cached.is_none() {
            self.write_buffer.overlay(at.pa, &mut bytes);
        }
        Some(bytes)
    }

    /// Writes `bytes`, which lie in one line, at `va`: into memory, into what the
    /// write buffer still holds of them, into every data-cache line of that physical address, and
    /// into every instruction line that the page tables put there now, which is decoded anew. No
    /// line becomes valid, dirty or clean by it. Returns the physical address, or `None` if there
    /// is no memory.
    pub fn poke(&mut self, va: u32, bytes: &[u8]) -> Option<u32> {
        let pa = self.locate_now(self.relocate(va))?.pa;
        if self.platform.bus.target(pa) != Target::Ram {
            return None;
        }
        self.platform
            .bus
            .ram_slice_mut(pa, bytes.len())?
            .copy_from_slice(bytes);
        self.write_buffer.poke(pa, bytes);
        let (line_pa, start) = (line_address(pa), line_offset(pa) as usize);
        for cache in std::iter::once(&mut self.caches.data).chain(self.caches.mini.as_mut()) {
            for slot in 0..cache.slots() {
                if cache.address(slot).is_some() && cache.line(slot).pa == line_pa {
                    patch(&mut cache.line_mut(slot).words, start, bytes);
                }
            }
        }
        for slot in 0..self.caches.insn.slots() {
            let Some(key) = self.caches.insn.address(slot) else {
                continue;
            };
            let there = if self.tags_are_ideal() {
                Some(key)
            } else {
                self.locate_now(key).map(|at| at.pa)
            };
            if there != Some(line_pa) {
                continue;
            }
            patch(&mut self.caches.insn.line_mut(slot).words, start, bytes);
            self.decode_line(slot);
        }
        if self.tags_are_ideal() {
            self.check_translations(pa);
        }
        Some(pa)
    }
}

/// Replaces bytes of a line from `start` on.
fn patch(words: &mut Words, start: usize, bytes: &[u8]) {
    for (n, byte) in bytes.iter().enumerate() {
        let at = start + n;
        let shift = 8 * (at % 4);
        words[at / 4] = (words[at / 4] & !(0xff << shift)) | (u32::from(*byte) << shift);
    }
}

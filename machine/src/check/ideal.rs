// SPDX-License-Identifier: Apache-2.0
//! The memory of the ideal machine, in which every store has taken effect, and its table walks.

use std::cell::Cell;

use crate::arm::memsys::MemSys;
use crate::arm::mmu::{self, FirstLevel};
use crate::arm::tlb::TlbEntry;
use crate::bus::Bus;

use super::writers::{Writer, Writers};

/// Memory as every store so far has left it.
pub(super) struct Ideal {
    ram_base: u32,
    bytes: Vec<u8>,
    writers: Writers,
    /// Walks made lately, by [`Walk::slot`]: nearly every access repeats one.
    recent: Vec<Option<Walk>>,
    /// Which words have been read as descriptors since they changed, a bit for each.
    descriptors: Vec<Cell<u64>>,
    /// How often one of these has changed: as long as it stays the same, so do all walks.
    pub(super) changes: u64,
}

/// A descriptor that a walk has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) at: u32,
    /// `None`: there is no memory.
    pub(super) word: Option<u32>,
}

/// A walk through page tables.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walk {
    /// The smallest page (1 KB, a tiny one) that was looked for: its number.
    page: u32,
    pub(super) first: Read,
    second: Option<Read>,
    pub(super) entry: Option<TlbEntry>,
}

impl Walk {
    const SLOTS: usize = 1024;

    fn page(mva: u32) -> u32 {
        mva >> 10
    }

    fn slot(mva: u32) -> usize {
        Self::page(mva) as usize % Self::SLOTS
    }

    /// The descriptors, in the order in which they were read.
    pub(super) fn reads(&self) -> impl Iterator<Item = Read> {
        [Some(self.first), self.second].into_iter().flatten()
    }
}

impl Ideal {
    pub(super) fn new(bus: &Bus) -> Self {
        let (ram_base, bytes) = bus.ram_window();
        let bytes = bus
            .ram_slice(ram_base, bytes as usize)
            .unwrap_or_default()
            .to_vec();
        Self {
            ram_base,
            writers: Writers::new(bytes.len()),
            descriptors: vec![Cell::new(0); (bytes.len() / 4).div_ceil(64)],
            changes: 0,
            bytes,
            recent: vec![None; Walk::SLOTS],
        }
    }

    fn offset(&self, pa: u32) -> Option<usize> {
        let offset = pa.wrapping_sub(self.ram_base) as usize;
        (offset < self.bytes.len()).then_some(offset)
    }

    pub(super) fn word(&self, pa: u32) -> Option<u32> {
        let offset = self.offset(pa)? & !3;
        let bytes = self.bytes.get(offset..offset + 4)?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    pub(super) fn writer(&self, pa: u32) -> Option<Writer> {
        self.writers.find(self.offset(pa)?)
    }

    /// A store of `bytes` bytes, up to a word; `false`: there is no memory.
    pub(super) fn store(&mut self, pa: u32, bytes: u32, value: u32, writer: &Writer) -> bool {
        let Some(offset) = self.offset(pa) else {
            return false;
        };
        let len = bytes as usize;
        let start = offset & !(len - 1);
        self.bytes[start..start + len].copy_from_slice(&value.to_le_bytes()[..len]);
        let (word, bit) = (&self.descriptors[start / 256], 1 << (start / 4 % 64));
        if word.get() & bit != 0 {
            word.set(word.get() & !bit);
            self.changes += 1;
        }
        self.writers.note(offset, writer);
        true
    }

    /// Bytes that changed without a store.
    pub(super) fn poke(&mut self, pa: u32, bytes: &[u8]) {
        let Some(start) = self.offset(pa) else {
            return;
        };
        if let Some(ideal) = self.bytes.get_mut(start..start + bytes.len()) {
            ideal.copy_from_slice(bytes);
            self.changes += 1;
        }
    }

    /// The descriptors of `mva`, as they are now, and the entry if there is one.
    pub(super) fn walk(&mut self, memory: &MemSys, mva: u32) -> Walk {
        let (ttb, _) = memory.translation_registers();
        let first = self.read(mmu::first_level_address(ttb, mva));
        let slot = Walk::slot(mva);
        if let Some(walk) = self.recent[slot] {
            let same = walk.page == Walk::page(mva)
                && walk.first == first
                && walk
                    .second
                    .is_none_or(|second| second == self.read(second.at));
            if same {
                return walk;
            }
        }
        let walk = self.walk_from(memory, first, mva);
        self.recent[slot] = Some(walk);
        walk
    }

    /// The rest of a walk for `mva` whose first descriptor is `first`.
    pub(super) fn walk_from(&self, memory: &MemSys, first: Read, mva: u32) -> Walk {
        let mut walk = Walk {
            page: Walk::page(mva),
            first,
            second: None,
            entry: None,
        };
        let descriptor = first.word;
        match descriptor.map(|d| mmu::first_level(d, mva, memory.fine_tables())) {
            Some(FirstLevel::Section(entry)) => walk.entry = Some(entry),
            Some(FirstLevel::Table(table)) => {
                let second = self.read(table.descriptor_address(mva));
                walk.entry = second.word.and_then(|d| table.entry(d, mva));
                walk.second = Some(second);
            }
            _ => {}
        }
        walk
    }

    /// Of a descriptor.
    pub(super) fn read(&self, at: u32) -> Read {
        if let Some(offset) = self.offset(at) {
            let word = &self.descriptors[offset / 256];
            word.set(word.get() | 1 << (offset / 4 % 64));
        }
        Read {
            at,
            word: self.word(at),
        }
    }

    /// The word at `va`, an address that is not relocated, by the page tables in force; and its
    /// physical address.
    pub(super) fn word_at(&mut self, memory: &MemSys, va: u32) -> Option<(u32, u32)> {
        let pa = if memory.translates() {
            self.walk(memory, va).entry?.translate(va)
        } else {
            va
        };
        Some((pa, self.word(pa)?))
    }
}

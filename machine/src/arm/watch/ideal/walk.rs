// SPDX-License-Identifier: Apache-2.0
//! Table walks of the ideal machine, in the memory in which every store has taken effect.

use crate::arm::memory::memsys::MemSys;
use crate::arm::memory::mmu::{self, FirstLevel};
use crate::arm::memory::tlb::TlbEntry;
use crate::bus::Bus;
use crate::check::{Read, Shadow};

/// The ideal machine.
pub(super) struct Ideal {
    /// Its memory.
    pub(super) shadow: Shadow,
    /// Walks made lately, by [`Walk::slot`]: nearly every access repeats one.
    recent: Vec<Option<Walk>>,
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
        Self {
            shadow: Shadow::new(bus),
            recent: vec![None; Walk::SLOTS],
        }
    }

    /// The descriptors of `mva`, as they are now, and the entry if there is one.
    pub(super) fn walk(&mut self, memory: &MemSys, mva: u32) -> Walk {
        let (ttb, _) = memory.translation_registers();
        let first = self.shadow.read(mmu::first_level_address(ttb, mva));
        let slot = Walk::slot(mva);
        if let Some(walk) = self.recent[slot] {
            let same = walk.page == Walk::page(mva)
                && walk.first == first
                && walk
                    .second
                    .is_none_or(|second| second == self.shadow.read(second.at));
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
                let second = self.shadow.read(table.descriptor_address(mva));
                walk.entry = second.word.and_then(|d| table.entry(d, mva));
                walk.second = Some(second);
            }
            _ => {}
        }
        walk
    }

    /// The word at `va`, an address that is not relocated, by the page tables in force; and its
    /// physical address.
    pub(super) fn word_at(&mut self, memory: &MemSys, va: u32) -> Option<(u32, u32)> {
        let pa = if memory.translates() {
            self.walk(memory, va).entry?.translate(va)
        } else {
            va
        };
        Some((pa, self.shadow.word(pa)?))
    }
}

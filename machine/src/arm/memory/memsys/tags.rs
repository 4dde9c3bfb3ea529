// SPDX-License-Identifier: Apache-2.0
//! Ideal address-space tags (`[processor] address-space-tags = "ideal"`): what the memory system does
//! where these processors have nothing, so that a guest needs no maintenance at all. No source: no
//! such processor was built. The rules:
//!
//! * A line of a cache is known by its physical address ([`MemSys::key`]), which chooses its set too.
//!   It is in one data cache at most: who wants it otherwise, past the caches or in the other one,
//!   has it evicted first.
//! * Whatever reads memory (fills, table walks, uncached reads) gets the newest data, be they in a
//!   data cache or in the write buffer, and pays for a read of memory.
//! * A store invalidates the instruction line of its address and what the read buffer holds of it.
//! * A translation answers under every page directory that has the same first-level descriptor for it
//!   (the kernel's, as with a global bit), and under no other. A store that makes a walk give
//!   something else takes it away at once.
//!
//! What would have to be looked up at each store is found by [`Tags::watched`]: a bit for each line of
//! memory that an instruction line or a translation may have come from. No hint lets a store into such
//! a line go by ([`MemSys::remember_write`]).

use serde::{Deserialize, Serialize};

use crate::arm::memory::line::{line_address, line_word, Words, LINE_BYTES};
use crate::arm::memory::mmu::{self, FirstLevel};
use crate::arm::memory::tlb::TlbEntry;
use crate::ideal_tags::{self, DATA, INSNS};
use crate::state::{require, Damaged, Restorer, Saver};

use super::{DataCache, MemSys};

/// A translation that a TLB holds, whether it answers now or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Held {
    entry: TlbEntry,
    /// The first-level descriptor of its walk.
    first: u32,
}

impl Held {
    /// The second-level descriptors that must give the entry: addresses of the first and the last. A
    /// large page has one for each smallest page of its table.
    fn second(&self, fine_tables: bool) -> Option<(u32, u32)> {
        match mmu::first_level(self.first, self.entry.mva, fine_tables) {
            FirstLevel::Table(table) => {
                let first = table.descriptor_address(self.entry.mva);
                let pages = (self.bytes() / table.page_bytes()).max(1);
                Some((first, first + 4 * (pages - 1)))
            }
            FirstLevel::Invalid | FirstLevel::Section(_) => None,
        }
    }

    /// Bytes of the page or section.
    fn bytes(&self) -> u32 {
        !self.entry.mask + 1
    }
}

/// What all places hold. Those of the instruction TLB are none if there is one TLB for both. Lines of memory are
/// watched.
pub(super) type Tags = ideal_tags::Tags<Held, LINE_BYTES>;

impl Tags {
    /// Watches what `held`, which answers under page directory `ttb`, comes from.
    fn watch_descriptors(&mut self, ttb: u32, held: &Held, fine_tables: bool) {
        self.watch(mmu::first_level_address(ttb, held.entry.mva));
        if let Some((first, last)) = held.second(fine_tables) {
            for pa in (first..=last).step_by(4) {
                self.watch(pa);
            }
        }
    }
}

impl MemSys {
    /// Whether the machine has ideal address-space tags.
    #[inline(always)]
    #[must_use]
    pub fn tags_are_ideal(&self) -> bool {
        self.tags.is_some()
    }

    /// The address by which the caches know the line of a place.
    #[inline(always)]
    pub(super) fn key(&self, mva: u32, pa: u32) -> u32 {
        if self.tags.is_some() {
            pa
        } else {
            mva
        }
    }

    /// Whether stores into the line of `pa` must be told ([`MemSys::stored_at`]).
    #[inline(always)]
    pub(super) fn watches(&self, pa: u32) -> bool {
        self.tags.as_ref().is_some_and(|tags| tags.watched(pa))
    }

    /// The line at `pa` as a walk or a fill reads it: that of memory, or the newest if tags are ideal.
    #[inline]
    pub(super) fn line_to_read(&self, pa: u32) -> Option<Words> {
        if self.tags.is_none() {
            return self.platform.bus.read_line(pa);
        }
        match self.holder(pa) {
            Some((DataCache::Main, slot)) => Some(self.caches.data.line(slot).words),
            Some((DataCache::Mini, slot)) => {
                self.caches.mini.as_ref().map(|mini| mini.line(slot).words)
            }
            None => self.settled_line(pa),
        }
    }

    /// The word at `pa` as a reader of memory gets it.
    #[inline]
    pub(super) fn word_to_read(&self, pa: u32) -> Option<u32> {
        if self.tags.is_none() {
            return self.platform.bus.read_memory_word(pa);
        }
        self.line_to_read(pa).map(|line| line[line_word(pa)])
    }

    /// The data cache and slot that hold the line of `pa`, if tags are ideal.
    pub(super) fn holder(&self, pa: u32) -> Option<(DataCache, usize)> {
        if let Some(slot) = self.caches.data.peek(pa) {
            return Some((DataCache::Main, slot));
        }
        let slot = self.caches.mini.as_ref()?.peek(pa)?;
        Some((DataCache::Mini, slot))
    }

    /// Somebody who looks elsewhere wants the line of `pa`: it goes to memory.
    pub(super) fn take_from_caches(&mut self, pa: u32) {
        if let Some((which, slot)) = self.holder(pa) {
            self.evict(which, slot);
        }
        self.forget_read_buffer(pa);
    }

    /// The read buffer holds nothing of the line of `pa` from now on.
    pub(super) fn forget_read_buffer(&mut self, pa: u32) {
        if self.read_buffer.is_used() {
            self.read_buffer.forget_line(pa);
        }
    }

    /// A line of the instruction cache was filled from `pa`: no store may go by unseen.
    pub(super) fn watch_code(&mut self, pa: u32) {
        let Some(tags) = &mut self.tags else {
            return;
        };
        tags.watch(pa);
        if let Some(slot) = self.caches.data.peek(pa) {
            self.hints.write.forget(slot);
        }
    }

    /// What may be put into a TLB of the translation `entry`, which was walked for `mva`: with ideal tags
    /// no more than all the descriptors of a large page agree on.
    #[inline(always)]
    pub(super) fn agreed(&self, mva: u32, entry: TlbEntry) -> TlbEntry {
        if self.tags.is_none() {
            return entry;
        }
        let first = self.walk_now(mva).first.1.unwrap_or_default();
        let held = Held { entry, first };
        match mmu::first_level(first, mva, self.fine_tables()) {
            FirstLevel::Table(table) if !self.walk_gives(&held) => {
                entry.within(mva, !(table.page_bytes() - 1))
            }
            _ => entry,
        }
    }

    /// A translation was put into `place` of the TLB that fetches or data accesses use. No store goes
    /// by unseen: whoever put it there has forgotten the hints.
    pub(super) fn watch_translation(&mut self, fetch: bool, place: usize, entry: TlbEntry) {
        if self.tags.is_none() {
            return;
        }
        let at = mmu::first_level_address(self.registers.ttb, entry.mva);
        // It was read when the entry was walked.
        let first = self.word_to_read(at).unwrap_or_default();
        let side = if fetch && self.tlbs.insn.is_some() {
            INSNS
        } else {
            DATA
        };
        let (ttb, fine_tables) = (self.registers.ttb, self.fine_tables());
        if let Some(tags) = &mut self.tags {
            let held = Held { entry, first };
            tags.hold(side, place, Some(held));
            tags.watch_descriptors(ttb, &held, fine_tables);
        }
    }

    /// The page directory is another: the translations answer that it gives too.
    pub(in crate::arm) fn set_translation_table(&mut self, ttb: u32) {
        let before = std::mem::replace(&mut self.registers.ttb, ttb);
        if self.tags.is_none() || before == ttb {
            return;
        }
        self.forget_hints();
        for (side, place) in self.places() {
            let Some(held) = self.held(side, place) else {
                continue;
            };
            let at = mmu::first_level_address(ttb, held.entry.mva);
            if self.word_to_read(at) != Some(held.first) {
                self.show(side, place, None);
            } else if self.walk_gives(&held) {
                self.show(side, place, Some(held.entry));
                let fine_tables = self.fine_tables();
                if let Some(tags) = &mut self.tags {
                    tags.watch_descriptors(ttb, &held, fine_tables);
                }
            } else {
                self.lose(side, place);
            }
        }
    }

    /// A store into the line of `pa` has taken effect.
    #[inline(always)]
    pub(super) fn stored_at(&mut self, pa: u32) {
        if self.watches(pa) {
            self.update_copies(pa);
        }
    }

    /// A store of `words` words from `va` on has taken effect.
    pub(super) fn stored_from(&mut self, va: u32, words: usize) {
        let end = u64::from(va & !3) + 4 * words as u64;
        let mut at = u64::from(va & !3);
        while at < end {
            let mva = self.relocate(at as u32);
            let pa = if self.registers.mmu_on() {
                let entry = self.tlbs.data.peek(mva).map(|(_, entry)| *entry);
                let entry = entry.or_else(|| self.walk_now(mva).entry);
                entry.map(|entry| entry.translate(mva))
            } else {
                Some(mva)
            };
            if let Some(pa) = pa {
                self.stored_at(pa);
            }
            at = (at / u64::from(LINE_BYTES) + 1) * u64::from(LINE_BYTES);
        }
    }

    /// Takes away what has come from the line of `pa` and is not what it holds now.
    #[cold]
    #[inline(never)]
    fn update_copies(&mut self, pa: u32) {
        if let Some(slot) = self.caches.insn.peek(pa) {
            self.drop_insn_line(slot);
            self.forget_line();
        }
        if !self.check_translations(pa) {
            if let Some(tags) = &mut self.tags {
                tags.forget(pa);
            }
        }
    }

    /// Takes away the translations that a descriptor in the line of `pa` no longer gives. Returns
    /// whether others come from that line.
    pub(super) fn check_translations(&mut self, pa: u32) -> bool {
        let line = line_address;
        let fine_tables = self.fine_tables();
        let mut more = false;
        for (side, place) in self.places() {
            let Some(held) = self.held(side, place).filter(|_| self.answers(side, place)) else {
                continue;
            };
            let first = mmu::first_level_address(self.registers.ttb, held.entry.mva);
            let second = held
                .second(fine_tables)
                .is_some_and(|(first, last)| (line(first)..=line(last)).contains(&line(pa)));
            if line(first) != line(pa) && !second {
                continue;
            }
            if self.walk_gives(&held) {
                more = true;
            } else {
                self.lose(side, place);
                self.forget_hints();
                self.forget_line();
            }
        }
        more
    }

    /// Whether walks of the page tables in force would give a translation, everywhere in its page.
    fn walk_gives(&self, held: &Held) -> bool {
        let step = match mmu::first_level(held.first, held.entry.mva, self.fine_tables()) {
            FirstLevel::Table(table) => table.page_bytes().min(held.bytes()),
            FirstLevel::Invalid | FirstLevel::Section(_) => held.bytes(),
        };
        (0..held.bytes() / step).all(|n| {
            let mva = held.entry.mva + n * step;
            let walk = self.walk_now(mva);
            let entry = walk.entry.map(|entry| entry.within(mva, held.entry.mask));
            walk.first.1 == Some(held.first) && entry == Some(held.entry)
        })
    }

    /// The places of both TLBs, if tags are ideal.
    fn places(&self) -> impl Iterator<Item = (usize, usize)> {
        let places = self.tags.as_ref().map(|tags| tags.places());
        places.into_iter().flatten()
    }

    fn held(&self, side: usize, place: usize) -> Option<Held> {
        self.tags.as_ref()?.held(side, place)
    }

    fn answers(&self, side: usize, place: usize) -> bool {
        let tlb = self.tlbs.insn.as_ref().filter(|_| side == INSNS);
        tlb.unwrap_or(&self.tlbs.data).get(place).is_some()
    }

    /// Lets a place of a TLB answer, or not.
    fn show(&mut self, side: usize, place: usize, entry: Option<TlbEntry>) {
        let tlb = self.tlbs.insn.as_mut().filter(|_| side == INSNS);
        tlb.unwrap_or(&mut self.tlbs.data).replace(place, entry);
    }

    /// Empties a place of a TLB.
    fn lose(&mut self, side: usize, place: usize) {
        self.show(side, place, None);
        if let Some(tags) = &mut self.tags {
            tags.hold(side, place, None);
        }
    }

    /// Empties both TLBs, of what answers under other page directories too.
    pub(super) fn lose_translations(&mut self) {
        for (side, place) in self.places() {
            self.lose(side, place);
        }
    }

    /// Saves what the places hold; the rest follows from that and from the caches.
    pub(super) fn save_tags(&self, to: &mut Saver) {
        if let Some(tags) = &self.tags {
            tags.save(to);
        }
    }

    /// Takes it back, after caches, TLBs and registers.
    pub(super) fn restore_tags(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        let (ttb, fine_tables) = (self.registers.ttb, self.fine_tables());
        let Some(tags) = &mut self.tags else {
            return Ok(());
        };
        let page = |entry: &TlbEntry| {
            matches!(!entry.mask, 0x3ff | 0xfff | 0xffff | 0xf_ffff) && entry.mva & !entry.mask == 0
        };
        let tlbs = [self.tlbs.insn.as_ref(), Some(&self.tlbs.data)];
        tags.restore(from, |side, place, held| {
            let shown = tlbs[side].and_then(|tlb| tlb.get(place));
            held.map_or(shown.is_none(), |held| {
                page(&held.entry) && shown.is_none_or(|shown| *shown == held.entry)
            })
        })?;
        let physical = |key, pa| require(key == Some(pa), "has a damaged cache");
        for cache in self.caches.all_data() {
            for slot in (0..cache.slots()).filter(|&slot| cache.address(slot).is_some()) {
                physical(cache.address(slot), cache.line(slot).pa)?;
            }
        }
        for pa in self.caches.insn.valid_lines().map(|(pa, _)| pa) {
            tags.watch(pa);
        }
        for (side, place) in tags.places() {
            if let Some(held) = tags.held(side, place) {
                tags.watch_descriptors(ttb, &held, fine_tables);
            }
        }
        Ok(())
    }
}

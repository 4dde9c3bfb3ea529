// SPDX-License-Identifier: Apache-2.0
//! Loads and stores: by a hint, or by TLB and data cache (`cached.rs`); stores that no cache takes;
//! accesses that no cache may take. Source: SA-1110 DM, chapter 6.

use crate::arm::isa::control;
use crate::arm::memory::fault::FaultKind;
use crate::arm::memory::line::{line_word, Words, HALF_WORDS, LINE_BYTES, LINE_WORDS};
use crate::arm::memory::mmu::Access;
use crate::arm::memory::write_buffer::WriteBuffer;
use crate::bus::{Bus, Target};
use crate::counters::Counters;
use crate::dev::Width;
use crate::event::Cycle;

use super::caches::DataCache;
use super::hint::Place;
use super::refill::Filled;
use super::{Abort, Location, MemSys};

/// No two pages meet within this many bytes, and no AHB burst crosses them (AMBA 2.0, 3.6).
const SMALLEST_PAGE: u32 = 1024;

/// A load or store multiple moves no more words than there are registers.
const MOST_WORDS: usize = 16;
const _: () = assert!(MOST_WORDS == 2 * LINE_WORDS);

impl MemSys {
    /// The address of the line of `va`; not one, if the access must be aligned and is not.
    #[inline(always)]
    fn line_of(&self, va: u32, width: Width) -> u32 {
        va & (!(LINE_BYTES - 1) | (self.rules.alignment_checked & (width.bytes() - 1)))
    }

    /// Reads at `va`; the value is right-aligned in a word. A word's or halfword's low address
    /// bits are ignored (the caller rotates).
    ///
    /// # Errors
    /// The access faulted.
    #[inline(always)]
    pub fn load(&mut self, va: u32, width: Width, privileged: bool) -> Result<u32, Abort> {
        if privileged == self.hints.privileged {
            let slot = self
                .hints
                .read
                .find(self.line_of(va, width), self.hints.tag);
            if let Some(line) = self.caches.data.get(slot) {
                self.platform.counters.hinted_reads += 1;
                return Ok(extract(line.words[line_word(va)], va, width));
            }
        }
        self.load_slow_path(va, width, privileged)
    }

    /// The same, when no hint has said where the line of `va` is.
    #[inline(never)]
    pub fn load_slow_path(
        &mut self,
        va: u32,
        width: Width,
        privileged: bool,
    ) -> Result<u32, Abort> {
        self.check_alignment(va, width)?;
        if let Some(word) = self.load_arriving(va, privileged) {
            return Ok(extract(word, va, width));
        }
        let device = self.hints.device;
        if let Some(at) = device.find(va, || self.hints.tag_for(privileged)) {
            self.platform.counters.now.dtlb.accesses += u64::from(self.registers.mmu_on());
            return self.read_uncached(at, width);
        }
        let access = Access {
            write: false,
            privileged,
        };
        let at = self.locate(va, access)?;
        if let Some(cache) = self.cache_for(&at) {
            let (word, slot) = self.read_cached(cache, &at)?;
            if let (DataCache::Main, Some(slot)) = (cache, slot) {
                self.remember_read(va, privileged, slot);
            }
            return Ok(extract(word, at.mva, width));
        }
        if let Target::Device(_) = self.platform.bus.target(at.pa) {
            self.hints.device = Place::new(va, self.hints.tag_for(privileged), at);
        }
        self.read_uncached(at, width)
    }

    /// The word at `va` if a hint says that it is in the line that was filled last, of which words
    /// may be on their way: waits for it.
    #[inline(always)]
    fn load_arriving(&mut self, va: u32, privileged: bool) -> Option<u32> {
        let tag = || self.hints.tag_for(privileged);
        let slot = self.hints.arriving.find(va, tag)?;
        let index = line_word(va);
        self.platform.counters.hinted_reads += 1;
        self.await_words(Filled::Main, slot, index, 1, 0);
        if !self.arrives(Filled::Main, slot) {
            let tag = self.hints.tag_for(privileged);
            self.hints.read.remember(va, tag, slot);
        }
        Some(self.caches.data.line(slot).words[index])
    }

    /// Writes the low bits of `value` at `va`.
    ///
    /// # Errors
    /// The access faulted.
    #[inline(always)]
    pub fn store(
        &mut self,
        va: u32,
        width: Width,
        value: u32,
        privileged: bool,
    ) -> Result<(), Abort> {
        if privileged == self.hints.privileged {
            let slot = self
                .hints
                .write
                .find(self.line_of(va, width), self.hints.tag);
            if let Some(line) = self.caches.data.get_mut(slot) {
                let index = line_word(va);
                line.words[index] = merge(line.words[index], va, width, value);
                line.dirty |= 1 << (index / HALF_WORDS);
                self.platform.counters.hinted_writes += 1;
                return Ok(());
            }
        }
        self.store_slow_path(va, width, value, privileged)
    }

    /// The same, when no hint has said where the line of `va` is.
    #[inline(never)]
    pub fn store_slow_path(
        &mut self,
        va: u32,
        width: Width,
        value: u32,
        privileged: bool,
    ) -> Result<(), Abort> {
        self.check_alignment(va, width)?;
        let past = self.hints.past;
        if let Some(at) = past.find(va, || self.hints.tag_for(privileged)) {
            self.platform.counters.now.dtlb.accesses += u64::from(self.registers.mmu_on());
            self.count_cached_writes(DataCache::Main, 1, true);
            self.push_store(at.pa, value, width);
            return Ok(());
        }
        let access = Access {
            write: true,
            privileged,
        };
        let at = self.locate(va, access)?;
        if let Some(cache) = self.cache_for(&at) {
            let change = |word: &mut [u32]| word[0] = merge(word[0], at.mva, width, value);
            if let Some(slot) = self.write_cached(cache, &at, 0, 1, change) {
                if !self.writes_through(&at) {
                    if cache == DataCache::Main {
                        self.remember_write(va, privileged, slot, at.pa);
                    }
                    self.stored_at(at.pa);
                    return Ok(());
                }
            } else {
                self.stores_past_caches(&at);
                if cache == DataCache::Main && self.buffered(&at) && !self.tags_are_ideal() {
                    self.hints.past = Place::new(va, self.hints.tag_for(privileged), at);
                }
            }
        } else {
            self.stores_past_caches(&at);
        }
        if self.buffered(&at) {
            self.push_store(at.pa, value, width);
        } else {
            self.write_unbuffered(at, value, width)?;
        }
        self.stored_at(at.pa);
        Ok(())
    }

    /// Reads `count` consecutive words, at most 16, from `va` on, which is word-aligned down.
    ///
    /// # Errors
    /// One of the accesses faulted.
    #[inline(always)]
    pub fn load_multiple(
        &mut self,
        va: u32,
        count: usize,
        privileged: bool,
    ) -> Result<Loaded, Abort> {
        if privileged == self.hints.privileged {
            if let Some(lines) = self.lines_hinted(va, count) {
                let loaded = Loaded::from_lines(lines, line_word(va));
                self.platform.counters.hinted_reads += count as u64;
                return Ok(loaded);
            }
        }
        self.load_multiple_slow_path(va, count, privileged)
    }

    /// The two lines in which `count` words from `va` on lie, if hints say where they are; one line
    /// twice if that holds them all.
    #[inline(always)]
    fn lines_hinted(&self, va: u32, count: usize) -> Option<[&Words; 2]> {
        let first = self.line_of(va, Width::Word);
        let last = self.line_of(va.wrapping_add(4 * count as u32 - 4), Width::Word);
        let line = self
            .caches
            .data
            .get(self.hints.read.find(first, self.hints.tag))?;
        let next = if last == first {
            line
        } else if last == first.wrapping_add(LINE_BYTES) {
            self.caches
                .data
                .get(self.hints.read.find(last, self.hints.tag))?
        } else {
            return None;
        };
        Some([&line.words, &next.words])
    }

    #[inline(never)]
    fn load_multiple_slow_path(
        &mut self,
        va: u32,
        count: usize,
        privileged: bool,
    ) -> Result<Loaded, Abort> {
        let mut loaded = Loaded::default();
        self.load_each_line(va, &mut loaded.words[..count], privileged)?;
        Ok(loaded)
    }

    /// Reads consecutive words line by line. After a fault `words` may be partly filled.
    fn load_each_line(
        &mut self,
        va: u32,
        words: &mut [u32],
        privileged: bool,
    ) -> Result<(), Abort> {
        self.check_alignment(va, Width::Word)?;
        let access = Access {
            write: false,
            privileged,
        };
        let mut done = 0;
        while done < words.len() {
            let va = (va & !3).wrapping_add(4 * done as u32);
            let at = self.locate(va, access)?;
            if let Some(cache) = self.cache_for(&at) {
                // All words of one line share one lookup; each is counted.
                let index = line_word(at.mva);
                let run = (LINE_WORDS - index).min(words.len() - done);
                // Each word takes a cycle, which the caller charges at the end.
                self.platform.cycle += done as Cycle;
                let read = self.read_cached(cache, &at);
                if let Ok((_, Some(slot))) = read {
                    self.await_words(cache.into(), slot, index, run, 0);
                }
                self.platform.cycle -= done as Cycle;
                let (word, slot) = read?;
                if let Some(slot) = slot {
                    if cache == DataCache::Main {
                        self.remember_read(va, privileged, slot);
                    }
                    self.count_shared_lookups(run);
                    self.count_cached_reads(cache, run as u64 - 1);
                    let line = self.caches.of_data_mut(cache).line(slot);
                    words[done..done + run].copy_from_slice(&line.words[index..index + run]);
                    done += run;
                    continue;
                }
                // Served by the read buffer: word by word.
                words[done] = word;
            } else {
                words[done] = self.read_uncached(at, Width::Word)?;
            }
            done += 1;
        }
        Ok(())
    }

    /// Writes consecutive words from `va` on, which is word-aligned down.
    ///
    /// # Errors
    /// One of the accesses faulted; earlier words are written.
    pub fn store_multiple(
        &mut self,
        va: u32,
        words: &[u32],
        privileged: bool,
    ) -> Result<(), Abort> {
        let (first, count) = (line_word(va), words.len());
        if first + count <= LINE_WORDS && privileged == self.hints.privileged {
            let line = self.line_of(va, Width::Word);
            let slot = self.hints.write.find(line, self.hints.tag);
            if let Some(line) = self.caches.data.get_mut(slot) {
                line.change(first, count, |line| line.copy_from_slice(words));
                self.platform.counters.hinted_writes += count as u64;
                self.words_stored = count;
                return Ok(());
            }
        }
        self.words_stored = 0;
        self.check_alignment(va, Width::Word)?;
        let result = self.store_each_line(va, words, privileged);
        if self.tags_are_ideal() {
            self.stored_from(va, self.words_stored);
        }
        result
    }

    /// The rest of it, line by line.
    #[inline(always)]
    fn store_each_line(&mut self, va: u32, words: &[u32], privileged: bool) -> Result<(), Abort> {
        let access = Access {
            write: true,
            privileged,
        };
        // Of the words before `done`, how many the write buffer is still to get, all together, and
        // where they go.
        let (mut waiting, mut goes_to) = (0, 0);
        let mut done = 0;
        while done < words.len() {
            self.words_stored = done;
            let va = (va & !3).wrapping_add(4 * done as u32);
            let at = match self.locate(va, access) {
                Ok(at) => at,
                Err(abort) => {
                    self.push_words(goes_to, &words[done - waiting..done]);
                    return Err(abort);
                }
            };
            let rest = &words[done..];
            let index = line_word(at.mva);
            let run = (LINE_WORDS - index).min(rest.len());
            // A run ends where another page may begin.
            if waiting == 0 || at.mva % SMALLEST_PAGE == 0 {
                self.push_words(goes_to, &words[done - waiting..done]);
                (waiting, goes_to) = (0, at.pa);
            }
            let cache = self.cache_for(&at);
            if let Some(cache) = cache {
                let hit = self.write_cached(cache, &at, done, run, |line| {
                    line.copy_from_slice(&rest[..run]);
                });
                if let Some(slot) = hit {
                    self.count_shared_lookups(run);
                    if self.writes_through(&at) {
                        waiting += run;
                    } else {
                        self.push_words(goes_to, &words[done - waiting..done]);
                        waiting = 0;
                        if cache == DataCache::Main {
                            self.remember_write(va, privileged, slot, at.pa);
                        }
                    }
                    done += run;
                    continue;
                }
            }
            self.stores_past_caches(&at);
            if self.buffered(&at) {
                self.count_shared_lookups(run);
                if let Some(cache) = cache {
                    self.count_cached_writes(cache, run as u64 - 1, true);
                }
                waiting += run;
                done += run;
            } else {
                self.push_words(goes_to, &words[done - waiting..done]);
                waiting = 0;
                self.write_unbuffered(at, rest[0], Width::Word)?;
                done += 1;
            }
        }
        self.push_words(goes_to, &words[done - waiting..done]);
        self.words_stored = done;
        Ok(())
    }

    /// Words after the first that shared its TLB lookup: each would have hit.
    fn count_shared_lookups(&mut self, run: usize) {
        if self.registers.mmu_on() {
            self.platform.counters.now.dtlb.accesses += run as u64 - 1;
        }
    }

    #[inline(always)]
    fn check_alignment(&mut self, va: u32, width: Width) -> Result<(), Abort> {
        if self.registers.control & control::A != 0 && va & (width.bytes() - 1) != 0 {
            let mva = self.relocate(va);
            return Err(self.fail(FaultKind::Alignment, true, 0, mva));
        }
        Ok(())
    }

    /// Whether a store that no cache took may go through the write buffer: bufferable pages, and
    /// cacheable ones (SA-1110 DM §6.3), if it is on.
    #[inline]
    fn buffered(&self, at: &Location) -> bool {
        (at.attributes.bufferable() || at.attributes.cacheable())
            && self.registers.control & control::W != 0
    }

    /// A store that the cache of its page does not take: with ideal tags no other has the line then.
    #[inline(always)]
    fn stores_past_caches(&mut self, at: &Location) {
        if self.tags_are_ideal() {
            self.take_from_caches(at.pa);
        }
    }

    /// Whether a hit at a location goes to memory as well (ARM926EJ-S TRM §4.2: C=1, B=0).
    #[inline(always)]
    pub(super) fn writes_through(&self, at: &Location) -> bool {
        !at.attributes.bufferable() && self.core.writes_through
    }

    /// Sends the words of one store multiple, or some that follow each other, to the write buffer.
    fn push_words(&mut self, pa: u32, words: &[u32]) {
        if !words.is_empty() {
            self.fill_write_buffer(|buffer, now, bus, counters| {
                buffer.push_words(pa, words, now, bus, counters)
            });
        }
    }

    fn push_store(&mut self, pa: u32, value: u32, width: Width) {
        self.fill_write_buffer(|buffer, now, bus, counters| {
            buffer.push_store(pa, value, width, now, bus, counters)
        });
    }

    /// Gives the write buffer something, waiting for room as it must.
    #[inline(always)]
    pub(super) fn fill_write_buffer(
        &mut self,
        push: impl FnOnce(&mut WriteBuffer, Cycle, &mut Bus, &mut Counters) -> Cycle,
    ) {
        let start = self.platform.cycle;
        let (bus, counters) = (&mut self.platform.bus, &mut self.platform.counters);
        self.platform.cycle = push(&mut self.write_buffer, start, bus, counters);
        self.platform.counters.now.stall.write_buffer += self.platform.cycle - start;
        self.platform.end_quantum_if_needed();
    }

    /// Waits until the write buffer is empty.
    pub(in crate::arm) fn drain_write_buffer(&mut self) {
        if self.write_buffer.is_empty() {
            return;
        }
        let start = self.platform.cycle;
        self.platform.cycle =
            self.write_buffer
                .drain(start, &mut self.platform.bus, &mut self.platform.counters);
        self.platform.counters.now.stall.write_buffer += self.platform.cycle - start;
        self.platform.end_quantum_if_needed();
    }

    /// An uncached read. An unbuffered one waits for the write buffer first, so that a program
    /// sees its own writes to devices done.
    #[inline(never)]
    fn read_uncached(&mut self, at: Location, width: Width) -> Result<u32, Abort> {
        if !at.attributes.bufferable() || self.write_buffer.holds_line(at.pa) {
            self.drain_write_buffer();
        }
        self.platform.counters.now.memory.uncached_reads += 1;
        let target = self.platform.bus.target(at.pa);
        self.read_bus(target, at.pa);
        self.meet_device(target);
        let value = self.platform.read(target, at.pa, width);
        let value = match target {
            Target::Ram if self.tags_are_ideal() => self
                .word_to_read(at.pa)
                .map(|word| extract(word, at.pa, width)),
            _ => value,
        };
        value.ok_or_else(|| self.fail(FaultKind::External, false, 0, at.mva))
    }

    #[inline(never)]
    fn write_unbuffered(&mut self, at: Location, value: u32, width: Width) -> Result<(), Abort> {
        self.drain_write_buffer();
        self.platform.counters.now.memory.uncached_writes += 1;
        let target = self.platform.bus.target(at.pa);
        self.platform.cycle = self
            .write_buffer
            .write_bus(target, at.pa, self.platform.cycle);
        self.meet_device(target);
        if self.platform.write(at.pa, value, width) {
            Ok(())
        } else {
            Err(self.fail(FaultKind::External, false, 0, at.mva))
        }
    }

    /// Before a device is accessed: it may look at the counters.
    fn meet_device(&mut self, target: Target) {
        if self.platform.bus.counts(target) {
            self.sync_counters();
        }
    }
}

/// Words that a load multiple has read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Loaded {
    words: [u32; MOST_WORDS],
    /// Where the first of them is; after the last place comes the first.
    first: usize,
}

impl Loaded {
    /// Those from word `first` of the first line on, into the second. Both are copied whole, which
    /// costs less than to copy some words of each.
    #[inline(always)]
    fn from_lines(lines: [&Words; 2], first: usize) -> Self {
        let mut words = [0; MOST_WORDS];
        words[..LINE_WORDS].copy_from_slice(lines[0]);
        words[LINE_WORDS..].copy_from_slice(lines[1]);
        Self { words, first }
    }

    /// Word `n`, the first being 0.
    #[inline(always)]
    #[must_use]
    pub fn word(&self, n: usize) -> u32 {
        self.words[(self.first + n) % MOST_WORDS]
    }
}

/// `word` with the part at `address` that a write of `width` replaces.
#[inline]
fn merge(word: u32, address: u32, width: Width, value: u32) -> u32 {
    let (mask, shift) = match width {
        Width::Byte => (0xff, 8 * (address & 3)),
        Width::Half => (0xffff, 8 * (address & 2)),
        Width::Word => return value,
    };
    (word & !(mask << shift)) | ((value & mask) << shift)
}

/// The part of the word at `address` that an access of `width` reads.
#[inline]
fn extract(word: u32, address: u32, width: Width) -> u32 {
    match width {
        Width::Byte => (word >> (8 * (address & 3))) & 0xff,
        Width::Half => (word >> (8 * (address & 2))) & 0xffff,
        Width::Word => word,
    }
}

// SPDX-License-Identifier: Apache-2.0
//! What CP15 does to the memory system: control, cache and TLB maintenance, the read buffer. With ideal
//! tags maintenance is counted, and nothing else.
//! Sources: SA-1110 DM, chapters 5 and 6; ARM926EJ-S TRM §2.3.

use crate::arm::isa::control;
use crate::arm::isa::register::Side;
use crate::arm::memory::line::{line_word, LINE_BYTES, LINE_WORDS};
use crate::arm::memory::mmu::Access;
use crate::cache::Cache;
use crate::config::Replacement;
use crate::tlb::Lockdown;

use super::caches::DataCache;
use super::journal::Event;
use super::registers::Rules;
use super::{read_buffer, MemSys};

impl MemSys {
    /// The mva that an operation on one line or one TLB entry acts on, when it is given `address`.
    fn maintained(&self, address: u32) -> u32 {
        if self.core.relocates_maintenance {
            self.relocate(address)
        } else {
            address
        }
    }

    /// Writes the control register.
    pub(in crate::arm) fn set_control(&mut self, value: u32) {
        self.sync_counters();
        self.forget_hints();
        self.platform.counters.now.written.control += 1;
        let core = self.core;
        self.registers.control = (value & core.control_kept) | core.control_fixed;
        self.rules = Rules::of(core, self.registers.control);
        if core.control_kept & control::RR != 0 {
            self.choose_replacement(value & control::RR != 0);
        }
    }

    /// The RR bit: caches whose machine file says `random` change over.
    fn choose_replacement(&mut self, round_robin: bool) {
        let wanted = if round_robin {
            Replacement::RoundRobin
        } else {
            Replacement::Random
        };
        if self.caches.selectable_replacement {
            self.caches.insn.set_replacement(wanted);
            self.caches.data.set_replacement(wanted);
        }
    }

    /// Invalidates the instruction cache.
    pub(in crate::arm) fn invalidate_icache(&mut self) {
        self.platform.counters.now.icache.invalidate_all += 1;
        if self.tags_are_ideal() {
            return;
        }
        self.forget_hints();
        self.caches.insn.invalidate_all();
    }

    /// Invalidates both data caches; dirty lines are lost.
    pub(in crate::arm) fn invalidate_dcache(&mut self) {
        self.platform.counters.now.dcache.invalidate_all += 1;
        if self.tags_are_ideal() {
            return;
        }
        self.forget_hints();
        if self.journal.is_kept() {
            for (mva, line) in self.valid_data_lines().filter(|(_, line)| line.dirty != 0) {
                self.journal.note(|| Event::Dropped(line.dirty_line(mva)));
            }
        }
        self.caches.data.invalidate_all();
        if let Some(mini) = &mut self.caches.mini {
            mini.invalidate_all();
        }
    }

    /// Invalidates the line of `address` in the data caches; it is lost if dirty.
    pub(in crate::arm) fn invalidate_dcache_line(&mut self, address: u32) {
        self.platform.counters.now.dcache.invalidate_line += 1;
        self.for_line(address, Self::drop_line);
    }

    /// Writes the line of `address` back if it is dirty; it stays valid.
    pub(in crate::arm) fn clean_dcache_line(&mut self, address: u32) {
        self.platform.counters.now.dcache.clean_line += 1;
        self.for_line(address, Self::write_back);
    }

    /// Writes the line of `address` back and invalidates it.
    pub(in crate::arm) fn clean_invalidate_dcache_line(&mut self, address: u32) {
        self.platform.counters.now.dcache.clean_line += 1;
        self.platform.counters.now.dcache.invalidate_line += 1;
        self.for_line(address, Self::evict);
    }

    pub(super) fn evict(&mut self, which: DataCache, slot: usize) {
        self.write_back(which, slot);
        self.drop_line(which, slot);
    }

    /// The slot that a set/way operand names: the way in the top bits, the set above the offset in the
    /// line (ARM926EJ-S TRM §2.3.8).
    fn slot_of_operand(cache_ways: usize, operand: u32) -> (usize, usize) {
        let way_bits = cache_ways.trailing_zeros();
        let way = operand.checked_shr(32 - way_bits).unwrap_or(0);
        ((operand / LINE_BYTES) as usize, way as usize)
    }

    /// Invalidates a line of the instruction cache by set and way.
    pub(in crate::arm) fn invalidate_icache_slot(&mut self, operand: u32) {
        self.platform.counters.now.icache.invalidate_line += 1;
        if self.tags_are_ideal() {
            return;
        }
        let (set, way) = Self::slot_of_operand(self.caches.insn.ways(), operand);
        let slot = self.caches.insn.slot_at(set, way);
        self.drop_insn_line(slot);
    }

    /// Invalidates the line of `address` in the instruction cache.
    pub(in crate::arm) fn invalidate_icache_line(&mut self, address: u32) {
        self.platform.counters.now.icache.invalidate_line += 1;
        if self.tags_are_ideal() {
            return;
        }
        let mva = self.maintained(address);
        if let Some(slot) = self.caches.insn.lookup(mva) {
            self.drop_insn_line(slot);
        }
    }

    /// Cleans, invalidates or both, in this order, a line of the data cache by set and way.
    pub(in crate::arm) fn maintain_dcache_slot(&mut self, operand: u32, clean: bool, drop: bool) {
        let (set, way) = Self::slot_of_operand(self.caches.data.ways(), operand);
        let slot = self.caches.data.slot_at(set, way);
        self.platform.counters.now.dcache.clean_line += u64::from(clean);
        self.platform.counters.now.dcache.invalidate_line += u64::from(drop);
        if self.tags_are_ideal() {
            return;
        }
        if clean {
            self.write_back(DataCache::Main, slot);
        }
        if drop {
            self.drop_line(DataCache::Main, slot);
        }
    }

    /// Test and clean (ARM926EJ-S TRM §2.3.8): writes back one dirty line, if there is one.
    /// Returns whether the whole cache is clean now; with `drop` it is invalidated then.
    pub(in crate::arm) fn test_and_clean(&mut self, drop: bool) -> bool {
        self.platform.counters.now.dcache.test_clean += 1;
        if self.tags_are_ideal() {
            return true;
        }
        let mut dirty = (0..self.caches.data.slots())
            .map(|n| (self.registers.test_clean_next + n) % self.caches.data.slots())
            .filter(|&slot| {
                self.caches.data.address(slot).is_some() && self.caches.data.line(slot).dirty != 0
            });
        let first = dirty.next();
        let clean = dirty.next().is_none();
        if let Some(slot) = first {
            self.write_back(DataCache::Main, slot);
            self.registers.test_clean_next = slot + 1;
        }
        if clean && drop {
            self.invalidate_dcache();
        }
        clean
    }

    /// The cache type register (DDI 0100, B2.2): of both caches size, ways and line length; the rest
    /// is the core's.
    pub(in crate::arm) fn cache_type(&self) -> u32 {
        let field = |slots: usize, ways: usize| {
            let bytes = slots as u32 * LINE_BYTES;
            // Sizes count from 512 bytes in powers of two; 2 is a line of eight words.
            let size = bytes.trailing_zeros().saturating_sub(9) & 15;
            (size << 6) | ((ways.trailing_zeros() & 7) << 3) | 2
        };
        let data = field(self.caches.data.slots(), self.caches.data.ways());
        let insn = field(self.caches.insn.slots(), self.caches.insn.ways());
        self.core.cache_type | (data << 12) | insn
    }

    /// The ways of a cache that fills leave alone (ARM926EJ-S TRM §2.3.10), one bit each.
    pub(in crate::arm) fn locked_ways(&self, side: Side) -> u32 {
        let ways = match side {
            Side::Insn => self.caches.insn.locked_ways(),
            Side::Data => self.caches.data.locked_ways(),
        };
        ways as u32
    }

    /// Sets them.
    pub(in crate::arm) fn lock_ways(&mut self, side: Side, ways: u32) {
        match side {
            Side::Insn => self.caches.insn.lock_ways(ways.into()),
            Side::Data => self.caches.data.lock_ways(ways.into()),
        }
    }

    /// The number of ways, from the first on, that fills leave alone, where the register of a cache
    /// that is locked so has it: at the top (ARM920T, register 9).
    pub(in crate::arm) fn locked_base(&self, side: Side) -> u32 {
        let (locked, ways) = match side {
            Side::Insn => (self.caches.insn.locked_ways(), self.caches.insn.ways()),
            Side::Data => (self.caches.data.locked_ways(), self.caches.data.ways()),
        };
        let shift = 32 - ways.trailing_zeros();
        locked.trailing_ones().checked_shl(shift).unwrap_or(0)
    }

    /// Sets it; the next fill of each set takes the first way that is not locked.
    pub(in crate::arm) fn set_locked_base(&mut self, side: Side, value: u32) {
        let base = |ways: usize| value.checked_shr(32 - ways.trailing_zeros()).unwrap_or(0);
        match side {
            Side::Insn => self
                .caches
                .insn
                .lock_below(base(self.caches.insn.ways()) as u8),
            Side::Data => self
                .caches
                .data
                .lock_below(base(self.caches.data.ways()) as u8),
        }
    }

    /// The lockdown register of a TLB: base, victim, and whether what comes is preserved (ARM920T,
    /// register 10).
    pub(in crate::arm) fn tlb_base(&self, side: Side) -> u32 {
        let tlb = match side {
            Side::Insn => self.tlbs.for_fetches(),
            Side::Data => &self.tlbs.data,
        };
        let at = tlb.lockdown();
        (u32::from(at.base) << 26) | (u32::from(at.victim) << 20) | u32::from(at.preserve)
    }

    /// Writes it.
    pub(in crate::arm) fn set_tlb_base(&mut self, side: Side, value: u32) {
        let tlb = match side {
            Side::Insn => self.tlbs.for_fetches_mut(),
            Side::Data => &mut self.tlbs.data,
        };
        tlb.set_lockdown(Lockdown {
            base: (value >> 26) as u8,
            victim: ((value >> 20) & 63) as u8,
            preserve: value & 1 != 0,
        });
    }

    /// Empties caches, TLBs and buffers, with ideal tags too, and counts no maintenance: it is none of
    /// the processor's. What is locked in a TLB stays.
    pub(in crate::arm) fn empty(&mut self) {
        self.forget_hints();
        for slot in 0..self.caches.data.slots() {
            self.evict(DataCache::Main, slot);
        }
        for slot in 0..self.caches.mini.as_ref().map_or(0, Cache::slots) {
            self.evict(DataCache::Mini, slot);
        }
        self.caches.insn.invalidate_all();
        self.flush_read_buffer(None);
        if self.tags_are_ideal() {
            self.lose_translations();
        } else {
            self.tlbs.for_fetches_mut().invalidate_all();
            self.tlbs.data.invalidate_all();
        }
        self.drain_write_buffer();
    }

    fn for_line(&mut self, address: u32, act: fn(&mut Self, DataCache, usize)) {
        if self.tags_are_ideal() {
            return;
        }
        let mva = self.maintained(address);
        for which in [DataCache::Main, DataCache::Mini] {
            if which == DataCache::Mini && self.caches.mini.is_none() {
                continue;
            }
            if let Some(slot) = self.caches.of_data_mut(which).lookup(mva) {
                act(self, which, slot);
            }
        }
    }

    /// Waits until the write buffer is empty. With ideal tags nothing but devices can see what is in
    /// it: so only if that has a write for one.
    pub(in crate::arm) fn drain_for_guest(&mut self) {
        self.platform.counters.now.memory.write_buffer_drains += 1;
        if !self.tags_are_ideal() || self.write_buffer.holds_device_write(&self.platform.bus) {
            self.drain_write_buffer();
        }
    }

    /// Invalidates the instruction TLB, or the only one.
    pub(in crate::arm) fn invalidate_itlb(&mut self) {
        self.platform.counters.now.itlb.invalidate_all += 1;
        if self.tags_are_ideal() {
            return;
        }
        self.forget_hints();
        self.tlbs.for_fetches_mut().invalidate_all();
    }

    /// Invalidates the data TLB, or the only one.
    pub(in crate::arm) fn invalidate_dtlb(&mut self) {
        self.platform.counters.now.dtlb.invalidate_all += 1;
        if self.tags_are_ideal() {
            return;
        }
        self.forget_hints();
        self.tlbs.data.invalidate_all();
    }

    /// Invalidates the entry for `address` in the instruction TLB, or in the only one.
    pub(in crate::arm) fn invalidate_itlb_entry(&mut self, address: u32) {
        self.platform.counters.now.itlb.invalidate_entry += 1;
        if self.tags_are_ideal() {
            return;
        }
        self.forget_hints();
        let mva = self.maintained(address);
        self.tlbs.for_fetches_mut().invalidate(mva);
    }

    /// Invalidates the entry for `address` in the data TLB, or in the only one.
    pub(in crate::arm) fn invalidate_dtlb_entry(&mut self, address: u32) {
        self.platform.counters.now.dtlb.invalidate_entry += 1;
        if self.tags_are_ideal() {
            return;
        }
        self.forget_hints();
        let mva = self.maintained(address);
        self.tlbs.data.invalidate(mva);
    }

    /// Loads `words` (1, 4 or 8) words from `va`, aligned down to as many, into entry `index`
    /// without waiting. A load that would fault leaves the entry empty (SA-1110 DM §6.4).
    pub(in crate::arm) fn load_read_buffer(
        &mut self,
        index: usize,
        words: u32,
        va: u32,
        privileged: bool,
    ) {
        self.platform.counters.now.memory.read_buffer_loads += 1;
        self.read_buffer.flush(Some(index));
        let access = Access {
            write: false,
            privileged,
        };
        let Ok(at) = self.locate(va & !(4 * words - 1), access) else {
            return;
        };
        if self.tags_are_ideal() && self.holder(at.pa).is_some() {
            return; // Stores to it need not look here then.
        }
        let Some(line) = self.line_to_read(at.pa) else {
            return;
        };
        let first = line_word(at.pa);
        let mut data = [0; LINE_WORDS];
        data[..words as usize].copy_from_slice(&line[first..first + words as usize]);
        let (start, transfer) = self.claim_read(self.platform.bus.target(at.pa), at.pa, words);
        let entry = read_buffer::Entry {
            first: at.key,
            words,
            data,
            ready: start + transfer.total(),
        };
        self.read_buffer.load(index, entry);
        self.journal.note(|| Event::ReadBufferLoaded { index });
    }

    /// Empties read-buffer entry `index`, or all.
    pub(in crate::arm) fn flush_read_buffer(&mut self, index: Option<usize>) {
        self.read_buffer.flush(index);
    }

    /// The word at `key` if the read buffer holds it, waiting for it to arrive.
    pub(super) fn read_buffer_word(&mut self, key: u32) -> Option<u32> {
        let (word, ready) = self.read_buffer.word(key)?;
        self.platform.cycle = self.platform.cycle.max(ready);
        self.platform.counters.now.memory.read_buffer_hits += 1;
        Some(word)
    }
}

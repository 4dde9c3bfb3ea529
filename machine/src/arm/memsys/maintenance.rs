// SPDX-License-Identifier: Apache-2.0
//! What CP15 does to the memory system: control, cache and TLB maintenance, the read buffer.
//! Source: SA-1110 DM, chapters 5 and 6.

use super::{control, mmu, Access, DataCache, MemSys, ReadBufferEntry};

impl MemSys {
    /// Writes the control register.
    pub(in crate::arm) fn set_control(&mut self, value: u32) {
        self.sync_counters();
        self.counters.now.control_writes += 1;
        let kept = control::M
            | control::A
            | control::C
            | control::W
            | control::S
            | control::R
            | control::I
            | control::X;
        self.control = (value & kept) | control::FIXED;
        self.permissions = mmu::permission_table(value & control::S != 0, value & control::R != 0);
    }

    /// Invalidates the instruction cache.
    pub(in crate::arm) fn invalidate_icache(&mut self) {
        self.counters.now.icache_invalidate_all += 1;
        self.icache.invalidate_all();
    }

    /// Invalidates both data caches; dirty lines are lost.
    pub(in crate::arm) fn invalidate_dcache(&mut self) {
        self.counters.now.dcache_invalidate_all += 1;
        self.dcache.invalidate_all();
        if let Some(mini) = &mut self.mini {
            mini.invalidate_all();
        }
    }

    /// Invalidates the line of `va` in the data caches; it is lost if dirty.
    pub(in crate::arm) fn invalidate_dcache_line(&mut self, va: u32) {
        self.counters.now.dcache_invalidate_line += 1;
        self.for_line(va, |memsys, which, slot| {
            memsys.data_cache(which).invalidate(slot);
        });
    }

    /// Writes the line of `va` back if it is dirty; it stays valid.
    pub(in crate::arm) fn clean_dcache_line(&mut self, va: u32) {
        self.counters.now.dcache_clean_line += 1;
        self.for_line(va, Self::write_back);
    }

    fn for_line(&mut self, va: u32, act: fn(&mut Self, DataCache, usize)) {
        let mva = self.relocate(va);
        for which in [DataCache::Main, DataCache::Mini] {
            if which == DataCache::Mini && self.mini.is_none() {
                continue;
            }
            if let Some(slot) = self.data_cache(which).lookup(mva) {
                act(self, which, slot);
            }
        }
    }

    /// Invalidates the instruction TLB.
    pub(in crate::arm) fn invalidate_itlb(&mut self) {
        self.counters.now.itlb_invalidate_all += 1;
        self.itlb.invalidate_all();
    }

    /// Invalidates the data TLB.
    pub(in crate::arm) fn invalidate_dtlb(&mut self) {
        self.counters.now.dtlb_invalidate_all += 1;
        self.dtlb.invalidate_all();
    }

    /// Invalidates the data TLB's entry for `va`.
    pub(in crate::arm) fn invalidate_dtlb_entry(&mut self, va: u32) {
        self.counters.now.dtlb_invalidate_entry += 1;
        let mva = self.relocate(va);
        self.dtlb.invalidate(mva);
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
        self.counters.now.read_buffer_loads += 1;
        self.read_buffer[index].words = 0;
        let access = Access {
            write: false,
            privileged,
        };
        let Ok(at) = self.locate(va & !(4 * words - 1), access) else {
            return;
        };
        let Some(line) = self.bus.read_line(at.pa) else {
            return;
        };
        let first = (at.pa as usize / 4) & 7;
        let mut data = [0; 8];
        data[..words as usize].copy_from_slice(&line[first..first + words as usize]);
        let ready = self.write_buffer.read_bus(
            self.bus.target(at.pa),
            words,
            self.cycle,
            &mut self.bus,
            &mut self.counters,
        );
        self.read_buffer[index] = ReadBufferEntry {
            mva: at.mva,
            words,
            data,
            ready,
        };
        self.read_buffer_used = true;
    }

    /// Empties read-buffer entry `index`, or all.
    pub(in crate::arm) fn flush_read_buffer(&mut self, index: Option<usize>) {
        for (number, entry) in self.read_buffer.iter_mut().enumerate() {
            if index.is_none_or(|index| index == number) {
                entry.words = 0;
            }
        }
        self.read_buffer_used = self.read_buffer.iter().any(|e| e.words != 0);
    }

    /// The word at `mva` if the read buffer holds it, waiting for it to arrive.
    pub(super) fn read_buffer_word(&mut self, mva: u32) -> Option<u32> {
        let entry = self.read_buffer.iter().find(|entry| entry.holds(mva))?;
        let word = entry.data[((mva - entry.mva) / 4) as usize];
        self.cycle = self.cycle.max(entry.ready);
        self.counters.now.read_buffer_hits += 1;
        Some(word)
    }
}

// SPDX-License-Identifier: Apache-2.0
//! What a saved machine knows of its memory system: CP15, TLBs, caches with their contents, write
//! and read buffer. Decoded instructions are decoded again, hints are found again.

use crate::arm::memory::line::{line_offset, Words, LINE_BYTES};
use crate::cache::Cache;
use crate::event::Cycle;
use crate::state::{require, Damaged, Restorer, Saver, State};

use super::caches::{Caches, DataLine, InsnLine};
use super::refill::Arrivals;
use super::registers::Rules;
use super::tlbs::Tlbs;
use super::MemSys;

/// Longer than any line takes to come: the machine file bounds what a word costs, and the bus may
/// have to finish what it began.
const LONGEST_FILL: Cycle = 1 << 32;

impl State for MemSys {
    fn save(&self, to: &mut Saver) {
        let Self {
            platform,
            words_stored: _, // what the last store did
            fault: _,        // what the last access did
            core: _,
            registers,
            rules: _, // follow the registers
            tlbs: Tlbs {
                insn: itlb,
                data: dtlb,
            },
            caches,
            decoded: _, // follow the lines of the instruction cache
            known_lines: _,
            decode_cache: _,
            translator: _, // knows the lines by their contents
            arrivals,
            line: _,
            hints: _,
            write_buffer,
            read_buffer,
            synced,
            tags: _,    // below
            journal: _, // whoever keeps one begins anew
        } = self;
        let Caches {
            insn: icache,
            data: dcache,
            mini,
            insn_refill: _,
            data_refill: _,
            selectable_replacement: _,
        } = caches;
        platform.save(to);
        to.put(registers);
        to.put(synced);
        icache.save(to, |line, to| to.put(&(line.words, line.thumb)));
        for cache in [Some(dcache), mini.as_ref()].into_iter().flatten() {
            cache.save(to, |line, to| to.put(&(line.words, line.pa, line.dirty)));
        }
        for tlb in [itlb.as_ref(), Some(dtlb)].into_iter().flatten() {
            tlb.save(to);
        }
        write_buffer.save(to);
        write_buffer.cost().save(to);
        to.put(arrivals);
        read_buffer.save(to);
        self.save_tags(to);
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        self.platform.restore(from)?;
        self.registers = from.take()?;
        self.synced = from.take()?;
        self.check_registers()?;
        let thumbs = self.core.architecture.has_thumb();
        self.caches.insn.restore(from, |from| {
            let (words, thumb): (Words, bool) = from.take()?;
            require(thumbs || !thumb, "is damaged")?;
            Ok(InsnLine { words, thumb })
        })?;
        for slot in 0..self.caches.insn.slots() {
            if self.caches.insn.address(slot).is_some() {
                self.decode_line(slot);
            }
        }
        self.forget_hints();
        restore_data(&mut self.caches.data, from)?;
        if let Some(mini) = &mut self.caches.mini {
            restore_data(mini, from)?;
        }
        if let Some(itlb) = &mut self.tlbs.insn {
            itlb.restore(from)?;
        }
        self.tlbs.data.restore(from)?;
        self.write_buffer.restore(from)?;
        self.write_buffer.recount();
        self.write_buffer.cost_mut().restore(from)?;
        self.arrivals = from.take::<Arrivals>()?;
        let right = self.arrivals.plausible(self.platform.cycle, LONGEST_FILL);
        require(right, "has a damaged line fill")?;
        self.read_buffer.restore(from)?;
        self.restore_tags(from)
    }
}

impl MemSys {
    /// The registers were restored: they must be some that this machine can have.
    fn check_registers(&mut self) -> Result<(), Damaged> {
        let (core, registers) = (self.core, &mut self.registers);
        let right = registers.control & !core.control_kept == core.control_fixed
            && self.synced.cycle <= self.platform.cycle
            && self.synced.instructions <= self.platform.counters.fetches
            && registers.test_clean_next <= self.caches.data.slots();
        require(right, "has damaged registers")?;
        registers.ttb &= 0xffff_c000;
        registers.pid &= core.pid_bits;
        registers.tlb_lockdown &= core.tlb_lockdown_bits;
        self.rules = Rules::of(core, registers.control);
        Ok(())
    }

    /// Bytes that the caches hold.
    pub(crate) fn cache_bytes(&self) -> u64 {
        let mini = self.caches.mini.as_ref().map_or(0, Cache::slots);
        let slots = self.caches.insn.slots() + self.caches.data.slots() + mini;
        slots as u64 * u64::from(LINE_BYTES)
    }

    /// What caches and write buffer have not written to memory yet, in the order in which it would
    /// get there: address and byte. For an observer that begins in the middle of a run.
    pub fn unwritten(&self) -> impl Iterator<Item = (u32, u8)> + '_ {
        let dirty = self.data_lines().filter(|line| line.dirty);
        let bytes = dirty.flat_map(|line| {
            let bytes = line.words.iter().flat_map(|word| word.to_le_bytes());
            bytes
                .enumerate()
                .map(move |(n, byte)| (line.pa + n as u32, byte))
        });
        self.write_buffer.bytes().chain(bytes)
    }
}

fn restore_data(cache: &mut Cache<DataLine>, from: &mut Restorer) -> Result<(), Damaged> {
    cache.restore(from, |from| {
        let (words, pa, dirty): (Words, u32, u32) = from.take()?;
        require(line_offset(pa) == 0 && dirty < 4, "has a damaged cache")?;
        Ok(DataLine { words, pa, dirty })
    })
}

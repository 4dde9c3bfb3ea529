// SPDX-License-Identifier: Apache-2.0
//! What a saved machine knows of its memory system: CP15, TLBs, caches with their contents, write
//! and read buffer. Decoded instructions are decoded again, hints are found again.

use crate::cache::Cache;
use serde::{Deserialize, Serialize};

use crate::arm::memory::line::{line_offset, Words, LINE_BYTES};
use crate::event::Cycle;
use crate::state::{plausible, require, Damaged, Restorer, Saver, State};

use super::refill::Arrivals;
use super::{DataLine, InsnLine, MemSys, ReadBufferEntry};

/// Longer than any line takes to come: the machine file bounds what a word costs, and the bus may
/// have to finish what it began.
const LONGEST_FILL: Cycle = 1 << 32;

/// The registers of CP15 and what else are plain values.
#[derive(Serialize, Deserialize)]
struct Registers {
    fault_status: u32,
    insn_fault_status: u32,
    fault_address: u32,
    control: u32,
    ttb: u32,
    dacr: u32,
    pid: u32,
    tlb_lockdown: u32,
    test_clean_next: usize,
    user_read_buffer: bool,
    synced_cycle: Cycle,
    synced_instructions: u64,
    uncached_fetches: u64,
}

impl State for MemSys {
    fn save(&self, to: &mut Saver) {
        let Self {
            platform,
            words_stored: _, // what the last store did
            fault: _,        // what the last access did
            core: _,
            fault_status,
            insn_fault_status,
            fault_address,
            control,
            ttb,
            dacr,
            pid,
            tlb_lockdown,
            test_clean_next,
            user_read_buffer,
            permissions: _,       // follow the control register,
            alignment_checked: _, // likewise
            icache,
            decoded: _, // follow the lines of icache
            decode_cache: _,
            dcache,
            mini,
            itlb,
            dtlb,
            selectable_replacement: _,
            line: _,
            fetch_hints: _,
            read_hints: _,
            write_hints: _,
            arriving: _,
            epoch: _,      // of the hints
            tag: _,        // likewise
            privileged: _, // the core says it
            write_buffer,
            insn_refill: _,
            data_refill: _,
            arrivals,
            read_buffer,
            read_buffer_used: _, // follows the read buffer
            synced_cycle,
            synced_instructions,
            uncached_fetches,
            relocated_below: _,
            loads_exchange: _,
            tags: _,    // below
            journal: _, // whoever keeps one begins anew
        } = self;
        platform.save(to);
        to.put(&Registers {
            fault_status: *fault_status,
            insn_fault_status: *insn_fault_status,
            fault_address: *fault_address,
            control: *control,
            ttb: *ttb,
            dacr: *dacr,
            pid: *pid,
            tlb_lockdown: *tlb_lockdown,
            test_clean_next: *test_clean_next,
            user_read_buffer: *user_read_buffer,
            synced_cycle: *synced_cycle,
            synced_instructions: *synced_instructions,
            uncached_fetches: *uncached_fetches,
        });
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
        for entry in read_buffer {
            to.put(&(entry.first, entry.words, entry.data, entry.ready));
        }
        self.save_tags(to);
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        self.platform.restore(from)?;
        let registers: Registers = from.take()?;
        self.restore_registers(&registers)?;
        let thumbs = self.core.architecture.has_thumb();
        self.icache.restore(from, |from| {
            let (words, thumb): (Words, bool) = from.take()?;
            require(thumbs || !thumb, "is damaged")?;
            Ok(InsnLine { words, thumb })
        })?;
        for slot in 0..self.icache.slots() {
            if self.icache.address(slot).is_some() {
                self.decode_line(slot);
            }
        }
        self.forget_hints();
        restore_data(&mut self.dcache, from)?;
        if let Some(mini) = &mut self.mini {
            restore_data(mini, from)?;
        }
        if let Some(itlb) = &mut self.itlb {
            itlb.restore(from)?;
        }
        self.dtlb.restore(from)?;
        self.write_buffer.restore(from)?;
        self.write_buffer.recount();
        self.write_buffer.cost_mut().restore(from)?;
        self.arrivals = from.take::<Arrivals>()?;
        let right = self.arrivals.plausible(self.platform.cycle, LONGEST_FILL);
        require(right, "has a damaged line fill")?;
        for entry in &mut self.read_buffer {
            let (first, words, data, ready) = from.take()?;
            let right = matches!(words, 0 | 1 | 4 | 8) && ready != Cycle::MAX && plausible(ready);
            require(right, "has a damaged read buffer")?;
            *entry = ReadBufferEntry {
                first,
                words,
                data,
                ready,
            };
        }
        self.read_buffer_used = self.read_buffer.iter().any(|entry| entry.words != 0);
        self.restore_tags(from)
    }
}

impl MemSys {
    fn restore_registers(&mut self, saved: &Registers) -> Result<(), Damaged> {
        let core = self.core;
        let right = saved.control & !core.control_kept == core.control_fixed
            && saved.synced_cycle <= self.platform.cycle
            && saved.synced_instructions <= self.platform.counters.fetches
            && saved.test_clean_next <= self.dcache.slots();
        require(right, "has damaged registers")?;
        self.fault_status = saved.fault_status;
        self.insn_fault_status = saved.insn_fault_status;
        self.fault_address = saved.fault_address;
        self.control = saved.control;
        self.ttb = saved.ttb & 0xffff_c000;
        self.dacr = saved.dacr;
        self.pid = saved.pid & core.pid_bits;
        self.tlb_lockdown = saved.tlb_lockdown & core.tlb_lockdown_bits;
        self.test_clean_next = saved.test_clean_next;
        self.user_read_buffer = saved.user_read_buffer;
        self.synced_cycle = saved.synced_cycle;
        self.synced_instructions = saved.synced_instructions;
        self.uncached_fetches = saved.uncached_fetches;
        self.follow_control();
        Ok(())
    }

    /// Bytes that the caches hold.
    pub(crate) fn cache_bytes(&self) -> u64 {
        let mini = self.mini.as_ref().map_or(0, Cache::slots);
        let slots = self.icache.slots() + self.dcache.slots() + mini;
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
        let (words, pa, dirty): (Words, u32, u8) = from.take()?;
        require(line_offset(pa) == 0 && dirty < 4, "has a damaged cache")?;
        Ok(DataLine { words, pa, dirty })
    })
}

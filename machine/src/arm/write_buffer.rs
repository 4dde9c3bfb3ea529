// SPDX-License-Identifier: Apache-2.0
//! The write buffer: stores that are on their way to memory. It holds their data: memory changes
//! when an entry's bus write ends, so a table walk or an instruction fetch before then sees the
//! old contents, as it does on a processor whose program forgot to drain.
//!
//! The bus serves one transfer at a time; a read that waits goes before buffered writes that have
//! not started (SA-1110 DM, chapter 6: write buffer).

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::bus::{Bus, Target};
use crate::config::MemoryConfig;
use crate::counters::Counters;
use crate::dev::Width;
use crate::event::Cycle;
use crate::state::plausible;

/// Up to 16 bytes of one aligned block on their way to memory.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Entry {
    /// Address of the aligned 16-byte block.
    block: u32,
    data: [u8; 16],
    /// Which bytes are written.
    mask: u16,
    /// When it entered.
    entered: Cycle,
}

/// The write buffer and the state of the bus that it shares with reads.
#[derive(Debug)]
pub struct WriteBuffer {
    capacity: usize,
    entries: VecDeque<Entry>,
    /// When the first entry's bus write ends, if it has started.
    first_done: Option<Cycle>,
    /// When the bus is free.
    bus_free: Cycle,
    memory: MemoryConfig,
    /// Writes that nothing on the bus took (an external abort that nobody sees any more).
    pub lost: u64,
}

impl WriteBuffer {
    /// An empty buffer of `capacity` entries in front of an idle bus.
    #[must_use]
    pub fn new(capacity: u32, memory: MemoryConfig) -> Self {
        Self {
            capacity: capacity as usize,
            entries: VecDeque::with_capacity(capacity as usize),
            first_done: None,
            bus_free: 0,
            memory,
            lost: 0,
        }
    }

    /// Whether nothing is on its way.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether an entry holds a byte of the aligned 32-byte line at `pa`.
    #[must_use]
    pub fn holds_line(&self, pa: u32) -> bool {
        self.entries.iter().any(|e| (e.block ^ pa) & !31 == 0)
    }

    /// Replaces what the buffer holds of the aligned 32-byte line at `pa` in `line`: for debuggers.
    pub fn overlay(&self, pa: u32, line: &mut [u8; 32]) {
        for entry in self.entries.iter().filter(|e| (e.block ^ pa) & !31 == 0) {
            let start = (entry.block & 16) as usize;
            for (n, byte) in line[start..start + 16].iter_mut().enumerate() {
                if entry.mask & (1 << n) != 0 {
                    *byte = entry.data[n];
                }
            }
        }
    }

    /// Changes what the buffer holds of `bytes` at `pa`, so that a debugger's write lasts.
    pub fn poke(&mut self, pa: u32, bytes: &[u8]) {
        for entry in &mut self.entries {
            for (n, byte) in bytes.iter().enumerate() {
                let offset = pa.wrapping_add(n as u32).wrapping_sub(entry.block);
                if offset < 16 && entry.mask & (1 << offset) != 0 {
                    entry.data[offset as usize] = *byte;
                }
            }
        }
    }

    /// How many writes are on their way.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Does what the bus has done up to `now`: ends writes, starts writes that could start before.
    #[inline]
    pub fn advance(&mut self, now: Cycle, bus: &mut Bus, counters: &mut Counters) {
        if !self.entries.is_empty() && self.first_done.is_none_or(|done| done <= now) {
            self.advance_writes(now, bus, counters);
        }
    }

    fn advance_writes(&mut self, now: Cycle, bus: &mut Bus, counters: &mut Counters) {
        while let Some(&first) = self.entries.front() {
            if let Some(done) = self.first_done {
                if done > now {
                    break;
                }
                self.commit(first, done, bus, counters);
                self.entries.pop_front();
                self.first_done = None;
            } else {
                let start = first.entered.max(self.bus_free);
                if start >= now {
                    break;
                }
                let done = start + Cycle::from(self.cost(&first, bus));
                self.first_done = Some(done);
                self.bus_free = done;
            }
        }
    }

    /// Puts bytes of one aligned 16-byte block in, waiting for room. Returns the cycle at which
    /// the processor goes on.
    pub fn push(
        &mut self,
        block: u32,
        data: [u8; 16],
        mask: u16,
        now: Cycle,
        bus: &mut Bus,
        counters: &mut Counters,
    ) -> Cycle {
        let mut now = now;
        self.advance(now, bus, counters);
        while self.entries.len() >= self.capacity {
            // Either the first entry's write is under way, or it starts as soon as the bus is free.
            now = self.first_done.unwrap_or(self.bus_free.max(now) + 1);
            self.advance(now, bus, counters);
        }
        self.entries.push_back(Entry {
            block: block & !15,
            data,
            mask,
            entered: now,
        });
        counters.now.buffered_writes += 1;
        now
    }

    /// Waits until nothing is on its way. Returns the cycle at which that is so.
    pub fn drain(&mut self, now: Cycle, bus: &mut Bus, counters: &mut Counters) -> Cycle {
        let mut now = now;
        self.advance(now, bus, counters);
        while !self.entries.is_empty() {
            now = self.first_done.unwrap_or(self.bus_free.max(now) + 1);
            self.advance(now, bus, counters);
        }
        now
    }

    /// Claims the bus for a read of `words` words from `target` at `now`. Returns the cycle at
    /// which the last word is there.
    pub fn read_bus(
        &mut self,
        target: Target,
        words: u32,
        now: Cycle,
        bus: &mut Bus,
        counters: &mut Counters,
    ) -> Cycle {
        self.advance(now, bus, counters);
        let start = now.max(self.bus_free);
        self.advance(start, bus, counters);
        let (first, next) = match target {
            Target::Ram => (self.memory.read_first, self.memory.read_next),
            Target::Zeros | Target::Nothing => (self.memory.zeros_first, self.memory.zeros_next),
            Target::Device(_) => (self.memory.device, self.memory.device),
        };
        self.bus_free = start + Cycle::from(first + (words - 1) * next);
        self.bus_free
    }

    /// Claims the bus for an unbuffered write of a word at `now`; the buffer is empty by then.
    /// Returns the cycle at which it is done.
    pub fn write_bus(&mut self, target: Target, now: Cycle) -> Cycle {
        let cost = match target {
            Target::Device(_) => self.memory.device,
            _ => self.memory.write_first,
        };
        self.bus_free = self.bus_free.max(now) + Cycle::from(cost);
        self.bus_free
    }

    fn cost(&self, entry: &Entry, bus: &Bus) -> u32 {
        let words = words_of(entry.mask);
        match bus.target(entry.block) {
            Target::Device(_) => words * self.memory.device,
            Target::Zeros | Target::Nothing => words * self.memory.zeros_next,
            Target::Ram => self.memory.write_first + (words - 1) * self.memory.write_next,
        }
    }

    #[inline]
    fn commit(&mut self, entry: Entry, now: Cycle, bus: &mut Bus, counters: &mut Counters) {
        if bus.write_block(entry.block, &entry.data, entry.mask) {
            return;
        }
        for word in 0..4u32 {
            let mask = (entry.mask >> (4 * word)) & 15;
            if mask == 0 {
                continue;
            }
            let start = (4 * word + mask.trailing_zeros()) as usize;
            let width = match mask.count_ones() {
                1 => Width::Byte,
                2 => Width::Half,
                _ => Width::Word,
            };
            let mut bytes = [0; 4];
            let len = width.bytes() as usize;
            bytes[..len].copy_from_slice(&entry.data[start..start + len]);
            let pa = entry.block + start as u32;
            if !bus.write(pa, u32::from_le_bytes(bytes), width, now, counters) {
                self.lost += 1;
            }
        }
    }
}

/// How many of the four words of a block have a byte that is written.
fn words_of(mask: u16) -> u32 {
    let pairs = mask | (mask >> 1);
    let words = (pairs | (pairs >> 2)) & 0x1111;
    words.count_ones()
}

crate::saved!(WriteBuffer { entries, first_done, bus_free, lost } given { capacity, memory }
if WriteBuffer::plausible);

impl WriteBuffer {
    /// Whether a buffer that was read from a file can have come about: each word of an entry was
    /// written by stores of a byte, a halfword or a word.
    fn plausible(&self) -> bool {
        let stored = |mask: u16| {
            let words = (0..4).map(|word| (mask >> (4 * word)) & 15);
            mask != 0
                && words
                    .into_iter()
                    .all(|w| matches!(w, 0 | 1 | 2 | 4 | 8 | 3 | 12 | 15))
        };
        let times = [self.bus_free, self.first_done.unwrap_or(0)];
        self.entries.len() <= self.capacity
            && times
                .into_iter()
                .all(|at| at != Cycle::MAX && plausible(at))
            && self.entries.iter().all(|entry| {
                entry.block & 15 == 0
                    && stored(entry.mask)
                    && entry.entered != Cycle::MAX
                    && plausible(entry.entered)
            })
    }

    /// The bytes that are on their way to memory, oldest first: address and value.
    pub fn bytes(&self) -> impl Iterator<Item = (u32, u8)> + '_ {
        self.entries.iter().flat_map(|entry| {
            let written = (0..16).filter(|n| entry.mask & (1 << n) != 0);
            written.map(|n| (entry.block + n, entry.data[n as usize]))
        })
    }
}

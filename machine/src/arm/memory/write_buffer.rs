// SPDX-License-Identifier: Apache-2.0
//! The write buffer: stores and evicted lines that are on their way to memory. It holds their data:
//! memory changes when an entry's bus write ends, so a table walk or an instruction fetch before
//! then sees the old contents, as it does on a processor whose program forgot to drain.
//!
//! How stores become bus writes is the processor's ([`Packets`]). The SA-1110 has entries of an
//! aligned 16-byte block, into which the words of one STM go together and nothing else (DM 6.3.2);
//! evicted half-lines take such entries too. The ARM926EJ-S makes bursts of one, four or eight words
//! (TRM 6.2.2) and has a second buffer for an evicted line (TRM 4.1).
//!
//! The bus serves one transfer at a time; a read that waits goes before buffered writes that have
//! not started (assumed: no manual says, and a processor that waits is what a buffer is to avoid).
//! What goes first of the two buffers is what entered first (assumed likewise).

use serde::{Deserialize, Serialize};

use crate::arm::config::{Packets, WriteBufferConfig};
use crate::arm::memory::line::{line_address, Words, HALF_WORDS, LINE_BYTES};
use crate::arm::memory::ring::Ring;
use crate::bus::{Bus, Target};
use crate::bus_cost::{BusCost, Transfer};
use crate::config::MemoryConfig;
use crate::counters::Counters;
use crate::dev::Width;
use crate::event::Cycle;
use crate::state::plausible;

/// The words of the ARM926EJ-S's long and short bursts (TRM 6.2.2).
const LONG_BURST: usize = 8;
const SHORT_BURST: usize = 4;
/// Bytes that an entry has room for: a line, with a bit of its mask for each.
const ENTRY_BYTES: usize = LINE_BYTES as usize;
const _: () = assert!(LINE_BYTES == u32::BITS);
/// From the first byte of a line, or of an entry, to the last.
const LAST: u32 = LINE_BYTES - 1;
/// The first half of a line, in a mask.
const HALF: u32 = (1 << (LINE_BYTES / 2)) - 1;

/// One bus write on its way to memory.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Entry {
    /// Address of the first word that it has room for.
    base: u32,
    data: [u8; ENTRY_BYTES],
    /// Which bytes are written.
    mask: u32,
    /// When it entered.
    entered: Cycle,
    /// Whether it is an evicted line in the buffer that such lines have.
    write_back: bool,
}

impl Entry {
    /// One that writes nothing.
    const EMPTY: Self = Self {
        base: 0,
        data: [0; ENTRY_BYTES],
        mask: 0,
        entered: 0,
        write_back: false,
    };

    /// How many words have a byte that is written.
    #[inline]
    fn words(&self) -> u32 {
        // Most entries are of one word: no need to count.
        if self.mask >> (self.mask.trailing_zeros() & !3) <= 15 {
            return 1;
        }
        let pairs = self.mask | (self.mask >> 1);
        ((pairs | (pairs >> 2)) & 0x1111_1111).count_ones()
    }

    /// Address of the first word of which a byte is written.
    fn first_word(&self) -> u32 {
        self.base + (self.mask.trailing_zeros() & !3)
    }

    /// Whether it writes a byte of the line at `pa`.
    fn touches(&self, pa: u32) -> bool {
        let line = line_address(pa);
        if line.wrapping_sub(self.base).wrapping_add(LAST) > 2 * LAST {
            return false;
        }
        // The line seen from the base: bytes that it shares with the entry.
        match line.wrapping_sub(self.base) {
            after @ 0..=LAST => self.mask >> after != 0,
            _ => match self.base.wrapping_sub(line) {
                before @ 1..=LAST => self.mask << before != 0,
                _ => false,
            },
        }
    }
}

/// The write buffer and the state of the bus that it shares with reads.
#[derive(Debug)]
pub struct WriteBuffer {
    config: WriteBufferConfig,
    /// Whether entries are all alike, and their number all that is limited.
    plain: bool,
    entries: Ring<Entry>,
    /// Unless `plain`: how many entries are evicted lines, and the words of the others.
    lines: u32,
    stored_words: u32,
    /// When the first entry's bus write ends, if it has started.
    first_done: Option<Cycle>,
    /// When the bus is free.
    bus_free: Cycle,
    cost: BusCost,
    /// Writes that nothing on the bus took (an external abort that nobody sees any more).
    pub lost: u64,
}

impl WriteBuffer {
    /// An empty buffer in front of an idle bus.
    #[must_use]
    pub fn new(config: WriteBufferConfig, memory: MemoryConfig) -> Self {
        Self {
            plain: config.write_back_lines == 0 && config.words.is_none(),
            config,
            entries: Ring::default(),
            lines: 0,
            stored_words: 0,
            first_done: None,
            bus_free: 0,
            cost: BusCost::new(memory),
            lost: 0,
        }
    }

    /// Whether nothing is on its way.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether a write of a device is on its way.
    #[must_use]
    pub fn holds_device_write(&self, bus: &Bus) -> bool {
        let memory = |entry: &Entry| bus.has_lines(bus.target(entry.first_word()));
        !self.entries.iter().all(memory)
    }

    /// Whether an entry holds a byte of the line at `pa`.
    #[inline]
    #[must_use]
    pub fn holds_line(&self, pa: u32) -> bool {
        !self.entries.is_empty() && self.entries.iter().any(|entry| entry.touches(pa))
    }

    /// Replaces what the buffer holds of the line at `pa` in `line`: for debuggers.
    pub fn overlay(&self, pa: u32, line: &mut [u8; LINE_BYTES as usize]) {
        for (address, byte) in self.bytes() {
            if let Some(place) = line.get_mut(address.wrapping_sub(line_address(pa)) as usize) {
                *place = byte;
            }
        }
    }

    /// Changes what the buffer holds of `bytes` at `pa`, so that a debugger's write lasts.
    pub fn poke(&mut self, pa: u32, bytes: &[u8]) {
        self.entries.for_each_mut(|entry| {
            for (n, byte) in bytes.iter().enumerate() {
                let offset = pa.wrapping_add(n as u32).wrapping_sub(entry.base);
                if offset < ENTRY_BYTES as u32 && entry.mask & (1 << offset) != 0 {
                    entry.data[offset as usize] = *byte;
                }
            }
        });
    }

    /// How many writes are on their way.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Does what the bus has done up to `now`: ends writes, starts writes that could start before.
    #[inline]
    pub fn advance(&mut self, now: Cycle, bus: &mut Bus, counters: &mut Counters) {
        if self.entries.is_empty() {
            return;
        }
        // What is under way is not done before `done`, and nothing starts on a bus that is not free.
        let waits = match self.first_done {
            Some(done) => done > now,
            None => self.bus_free >= now,
        };
        if !waits {
            while self.advance_first(now, bus, counters) {}
        }
    }

    /// Does what the bus has done of the first entry's write. `false`: nothing of another one's. (Mostly there is one:
    /// a loop in here would prepare for more, for a fifth more instructions.)
    #[inline(never)]
    fn advance_first(&mut self, now: Cycle, bus: &mut Bus, counters: &mut Counters) -> bool {
        let Some(first) = self.entries.front() else {
            return false;
        };
        let words = first.words();
        let done = match self.first_done {
            Some(done) => done,
            None => {
                let start = first.entered.max(self.bus_free);
                if start >= now {
                    return false;
                }
                let pa = first.first_word();
                self.bus_free = start + self.cost.write(bus.target(pa), pa, words).total();
                self.bus_free
            }
        };
        if done > now {
            self.first_done = Some(done);
            return false;
        }
        self.lost += commit(first, words, done, bus, counters);
        if !self.plain {
            if first.write_back {
                self.lines -= 1;
            } else {
                self.stored_words -= words;
            }
        }
        self.entries.drop_front();
        self.first_done = None;
        !self.entries.is_empty()
    }

    /// Takes a store of the low bits of `value`. Waits for room; returns the cycle at which the
    /// processor goes on.
    #[allow(clippy::too_many_arguments)]
    #[inline] // most stores of some programs pass here
    pub fn push_store(
        &mut self,
        pa: u32,
        value: u32,
        width: Width,
        now: Cycle,
        bus: &mut Bus,
        counters: &mut Counters,
    ) -> Cycle {
        let len = width.bytes();
        let start = pa & 15 & !(len - 1);
        let low = value & (u32::MAX >> (32 - 8 * len));
        let now = self.make_room(false, || 1, now, bus, counters);
        if !self.plain {
            self.stored_words += 1;
        }
        // Where it stands, part by part: the host is slow to read as a whole what was just written in parts.
        let entry = self.entries.push_place(Entry::EMPTY);
        entry.base = pa & !15;
        entry.data = [0; ENTRY_BYTES];
        let word = (start & !3) as usize;
        let bytes = (low << (8 * (start & 3))).to_le_bytes();
        entry.data[word..word + 4].copy_from_slice(&bytes);
        entry.mask = ((1 << len) - 1) << start;
        entry.entered = now;
        entry.write_back = false;
        counters.now.memory.buffered_writes += 1;
        now
    }

    /// Takes the words of one store multiple, which follow each other from `pa` on.
    pub fn push_words(
        &mut self,
        pa: u32,
        words: &[u32],
        now: Cycle,
        bus: &mut Bus,
        counters: &mut Counters,
    ) -> Cycle {
        let mut now = now;
        let mut done = 0;
        while done < words.len() {
            let pa = pa + 4 * done as u32;
            let left = words.len() - done;
            let (base, run) = match self.config.packets {
                Packets::Blocks => (pa & !15, left.min(4 - (pa as usize / 4) % 4)),
                Packets::Bursts if left >= LONG_BURST => (pa, LONG_BURST),
                Packets::Bursts if left >= SHORT_BURST => (pa, SHORT_BURST),
                Packets::Bursts => (pa, 1),
            };
            let entry = of_words(base, pa, &words[done..done + run], now);
            now = self.push(entry, now, bus, counters);
            done += run;
        }
        now
    }

    /// Takes the dirty halves (one bit each) of an evicted line at `pa`. A processor without a
    /// buffer for these sends each half through the ordinary one.
    pub fn push_line(
        &mut self,
        pa: u32,
        words: &Words,
        halves: u8,
        now: Cycle,
        bus: &mut Bus,
        counters: &mut Counters,
    ) -> Cycle {
        if self.config.write_back_lines == 0 {
            let mut now = now;
            for half in (0..2).filter(|half| halves & (1 << half) != 0) {
                let first = HALF_WORDS * half;
                let pa = pa + 4 * first as u32;
                let entry = of_words(pa, pa, &words[first..first + HALF_WORDS], now);
                now = self.push(entry, now, bus, counters);
            }
            return now;
        }
        let mut entry = of_words(pa, pa, words, now);
        entry.write_back = true;
        for half in (0..2).filter(|half| halves & (1 << half) == 0) {
            entry.mask &= !(HALF << (4 * HALF_WORDS * half));
        }
        self.push(entry, now, bus, counters)
    }

    #[inline(always)]
    fn push(
        &mut self,
        mut entry: Entry,
        now: Cycle,
        bus: &mut Bus,
        counters: &mut Counters,
    ) -> Cycle {
        let now = self.make_room(entry.write_back, || entry.words(), now, bus, counters);
        entry.entered = now;
        if !self.plain {
            self.count(&entry);
        }
        self.entries.push_back(entry);
        counters.now.memory.buffered_writes += 1;
        now
    }

    /// Waits for room for an entry with so many words, or for an evicted line. Returns the cycle at which there is.
    #[inline(always)]
    fn make_room(
        &mut self,
        write_back: bool,
        words: impl Fn() -> u32,
        now: Cycle,
        bus: &mut Bus,
        counters: &mut Counters,
    ) -> Cycle {
        let mut now = now;
        self.advance(now, bus, counters);
        while !self.has_room(write_back, &words) {
            // Either the first entry's write is under way, or it starts as soon as the bus is free.
            now = self.first_done.unwrap_or(self.bus_free.max(now) + 1);
            self.advance(now, bus, counters);
        }
        now
    }

    /// `entry` is in the buffer from now on.
    fn count(&mut self, entry: &Entry) {
        if entry.write_back {
            self.lines += 1;
        } else {
            self.stored_words += entry.words();
        }
    }

    /// Brings what is computed from the entries up to date, after they were read from a file.
    pub fn recount(&mut self) {
        (self.lines, self.stored_words) = (0, 0);
        for entry in Vec::from(self.entries.clone()) {
            self.count(&entry);
        }
    }

    /// Whether the buffer that an entry goes into can take it now.
    #[inline]
    fn has_room(&self, write_back: bool, words: impl Fn() -> u32) -> bool {
        let held = self.entries.len() as u32;
        if self.plain {
            return held < self.config.entries;
        }
        if write_back {
            return self.lines < self.config.write_back_lines;
        }
        held - self.lines < self.config.entries
            && self
                .config
                .words
                .is_none_or(|most| self.stored_words + words() <= most)
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

    /// Claims the bus for a read of `words` words at `pa`, where `target` stands, at `now`. Returns
    /// when it starts and what it takes from then on.
    #[allow(clippy::too_many_arguments)]
    #[inline]
    pub fn read_bus(
        &mut self,
        target: Target,
        pa: u32,
        words: u32,
        now: Cycle,
        bus: &mut Bus,
        counters: &mut Counters,
    ) -> (Cycle, Transfer) {
        self.advance(now, bus, counters);
        let start = now.max(self.bus_free);
        if start != now {
            self.advance(start, bus, counters);
        }
        let transfer = self.cost.read(target, pa, words);
        self.bus_free = start + transfer.total();
        (start, transfer)
    }

    /// Claims the bus for an unbuffered write of a word at `pa` at `now`; the buffer is empty by
    /// then. Returns the cycle at which it is done.
    pub fn write_bus(&mut self, target: Target, pa: u32, now: Cycle) -> Cycle {
        let transfer = self.cost.write(target, pa, 1);
        self.bus_free = self.bus_free.max(now) + transfer.total();
        self.bus_free
    }
}

/// Does an entry's bus write, of `words` words. Returns how many of its writes nothing took.
#[inline]
fn commit(entry: &Entry, words: u32, now: Cycle, bus: &mut Bus, counters: &mut Counters) -> u64 {
    // Most are of one word, or else parts of one block of memory.
    let first = entry.mask.trailing_zeros() & !3;
    if words == 1 {
        if let Some(word) = entry.data[first as usize..].first_chunk() {
            if bus.write_word(entry.base + first, *word, entry.mask >> first) {
                return 0;
            }
        }
        return commit_blocks(entry, now, bus, counters);
    }
    if entry.mask <= 0xffff && entry.base % 16 == 0 {
        if let Some(data) = entry.data.first_chunk() {
            if bus.write_block(entry.base, data, entry.mask as u16) {
                return 0;
            }
        }
    }
    commit_blocks(entry, now, bus, counters)
}

/// Does the bus write of an entry of two blocks, one across blocks, or one that is not for memory.
#[inline(never)]
fn commit_blocks(entry: &Entry, now: Cycle, bus: &mut Bus, counters: &mut Counters) -> u64 {
    let mut lost = 0;
    for half in 0..ENTRY_BYTES / 16 {
        let mask = (entry.mask >> (16 * half)) as u16;
        let Some(data) = entry.data[16 * half..].first_chunk() else {
            continue;
        };
        if mask == 0 {
            continue;
        }
        let base = entry.base + 16 * half as u32;
        if base % 16 != 0 || !bus.write_block(base, data, mask) {
            lost += commit_words(base, data, mask, now, bus, counters);
        }
    }
    lost
}

/// Writes what is no block of memory, word by word. Returns how many writes nothing took.
fn commit_words(
    base: u32,
    data: &[u8; 16],
    mask: u16,
    now: Cycle,
    bus: &mut Bus,
    counters: &mut Counters,
) -> u64 {
    let mut lost = 0;
    for word in 0..4u32 {
        let mask = (mask >> (4 * word)) & 15;
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
        bytes[..len].copy_from_slice(&data[start..start + len]);
        let pa = base + start as u32;
        if !bus.write(pa, u32::from_le_bytes(bytes), width, now, counters) {
            lost += 1;
        }
    }
    lost
}

/// An entry at `base` that writes `words` from `pa` on.
fn of_words(base: u32, pa: u32, words: &[u32], entered: Cycle) -> Entry {
    let start = (pa - base) as usize;
    let mut data = [0; ENTRY_BYTES];
    for (bytes, word) in data[start..].chunks_exact_mut(4).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    let written = u32::MAX >> (ENTRY_BYTES - 4 * words.len());
    Entry {
        base,
        data,
        mask: written << start,
        entered,
        write_back: false,
    }
}

crate::saved!(WriteBuffer { entries, first_done, bus_free, lost } given { config, plain, lines, stored_words, cost }
if WriteBuffer::plausible);

impl WriteBuffer {
    /// The costs of the bus, whose open rows are saved after the buffer.
    pub fn cost_mut(&mut self) -> &mut BusCost {
        &mut self.cost
    }

    /// The costs of the bus, to read.
    #[must_use]
    pub fn cost(&self) -> &BusCost {
        &self.cost
    }

    /// Whether a buffer that was read from a file can have come about: each word of an entry was
    /// written by stores of a byte, a halfword or a word.
    fn plausible(&self) -> bool {
        let stored = |mask: u32| {
            let words = (0..8).map(|word| (mask >> (4 * word)) & 15);
            mask != 0
                && words
                    .into_iter()
                    .all(|w| matches!(w, 0 | 1 | 2 | 4 | 8 | 3 | 12 | 15))
        };
        let times = [self.bus_free, self.first_done.unwrap_or(0)];
        let lines = self.entries.iter().filter(|e| e.write_back).count();
        let stores = self.entries.len() - lines;
        stores <= self.config.entries as usize
            && lines <= self.config.write_back_lines as usize
            && times
                .into_iter()
                .all(|at| at != Cycle::MAX && plausible(at))
            && self.entries.iter().all(|entry| {
                entry.base & 3 == 0
                    && entry.base <= u32::MAX - (ENTRY_BYTES as u32 - 1)
                    && stored(entry.mask)
                    && entry.entered != Cycle::MAX
                    && plausible(entry.entered)
            })
    }

    /// The bytes that are on their way to memory, oldest first: address and value.
    pub fn bytes(&self) -> impl Iterator<Item = (u32, u8)> + '_ {
        self.entries.iter().flat_map(|entry| {
            let written = (0..ENTRY_BYTES as u32).filter(|n| entry.mask & (1 << n) != 0);
            written.map(|n| (entry.base.wrapping_add(n), entry.data[n as usize]))
        })
    }
}

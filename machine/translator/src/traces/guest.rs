// SPDX-License-Identifier: Apache-2.0
//! What translated code of such a guest reads and writes of its machine while it runs. All of it is lent: when
//! [`run`](super::Translator::run) is back, nothing is kept.

use super::step::{REGISTERS, RESULTS};

/// Lines of the trace cache: sets of eight.
pub const SLOTS: usize = 2048;
/// Lines of a set.
pub const WAYS: usize = 8;
/// The address bits that choose a set begin here.
pub const SET_SHIFT: u32 = 4;
/// Remembered slots of lines.
pub const FETCH_HINTS: usize = 8192;
/// Remembered lines of data.
pub const HINTS: usize = 512;
/// Remembered ways of the second level.
pub const WAY_HINTS: usize = 1024;
/// Buffers of stores.
pub const STORES: usize = 24;
/// Bytes of a line of data.
pub const LINE_BYTES: u32 = 64;
/// Bytes of memory for which there is one mark that they were written.
pub const PAGE_BYTES: usize = 4096;
/// Instructions in flight.
pub const WINDOW: usize = 126;

/// A hint: where a line of data is.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Hint {
    /// The line's number, and what it relies on.
    pub key: u64,
    /// Its physical address.
    pub pa: u32,
    /// Its slot in the first level.
    pub slot: u32,
}

/// Hints for one kind of access, by the low bits of the line's number.
pub type HintTable = [Hint; HINTS];

/// A machine, as far as translated code is concerned.
#[derive(Debug)]
pub struct Guest<'a> {
    /// The registers.
    pub registers: &'a mut [u32; REGISTERS],
    /// The flags, as EFLAGS has them.
    pub flags: &'a mut u32,
    /// The slot of the line whose first instruction is next, and the address of that.
    pub slot: usize,
    /// See `slot`.
    pub address: u32,
    /// No instruction begins from then on.
    pub horizon: u64,
    /// The clock.
    pub clock: Clock<'a>,
    /// The trace cache.
    pub fetch: Fetch<'a>,
    /// Where accesses went.
    pub hints: Hints<'a>,
    /// The data caches.
    pub caches: Caches<'a>,
    /// Branch prediction.
    pub predictor: Predictor<'a>,
    /// Memory.
    pub memory: Memory<'a>,
    /// What it counts, from 0.
    pub counts: &'a mut Counts,
}

/// The clock of a processor that is followed by intervals.
#[derive(Debug)]
pub struct Clock<'a> {
    /// When the next instruction enters.
    pub now: &'a mut u64,
    /// How much of that time nothing entered.
    pub held: &'a mut u64,
    /// What programs see of it more than whole cycles.
    pub ahead: u64,
    /// When the last instruction so far has retired.
    pub retired: &'a mut u64,
    /// When what is waited for is there.
    pub ready: &'a mut [u64; RESULTS],
    /// When the accesses of the last instruction that keeps that could be made.
    pub access: &'a mut u64,
    /// From when on the port of loads is free.
    pub load_port: &'a mut u64,
    /// And that of stores.
    pub store_port: &'a mut u64,
    /// When instructions have retired, one after another.
    pub window: &'a mut [u64],
    /// The place of the next one: there are [`WINDOW`] before it.
    pub next: &'a mut usize,
}

/// The trace cache.
#[derive(Debug)]
pub struct Fetch<'a> {
    /// What the line in each slot is known by: its address, and above it what else there is.
    pub keys: &'a [u64; SLOTS],
    /// What stands above the address now.
    pub kind: u64,
    /// When each was found last, and when that is enough.
    pub found: &'a [u64; SLOTS],
    /// See `found`.
    pub epoch: u64,
    /// Where lines were found.
    pub hints: &'a [u16; FETCH_HINTS],
    /// A tree of use for each set.
    pub trees: &'a mut [u8],
}

/// Where accesses went.
#[derive(Debug)]
pub struct Hints<'a> {
    /// Of reads,
    pub read: &'a HintTable,
    /// and what they rely on now.
    pub read_tag: u64,
    /// Of writes to lines without code,
    pub write: &'a HintTable,
    /// and what they rely on now.
    pub write_tag: u64,
}

/// The data caches: a first level that is written through, and a second one with two lines to a tag. Stores to one
/// line are combined, and go in their order from buffers into the second level.
#[derive(Debug)]
pub struct Caches<'a> {
    /// The number of the line that was read last.
    pub recent: &'a mut u32,
    /// The number of the line that was written last.
    pub combining: &'a mut u32,
    /// The first level.
    pub first: Level<'a>,
    /// The second level.
    pub second: Level<'a>,
    /// Of the second level remembered ways, by the low bits of a sector's number.
    pub ways: &'a [u8; WAY_HINTS],
    /// What it holds, by slot.
    pub sectors: &'a mut [Sector],
    /// When the buffered stores have been written.
    pub stores: &'a mut [u64; STORES],
    /// The place of the oldest.
    pub next_store: &'a mut usize,
}

/// A cache.
#[derive(Debug)]
pub struct Level<'a> {
    /// What the line in each slot is known by: its address, and bit 0 set.
    pub tags: &'a [u32],
    /// A tree of use for each set.
    pub trees: &'a mut [u8],
}

/// Two lines with one tag.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub struct Sector {
    /// Which of them are there, a bit for each.
    pub valid: u8,
    /// And which were written.
    pub dirty: u8,
}

/// The ways of a cache's sets.
#[derive(Debug, Clone, Copy)]
pub struct Ways {
    /// How many there are.
    pub count: usize,
    /// For each the bits of a tree that stay when it is used, and those that are set.
    pub paths: [[u8; 2]; WAYS],
}

/// Branch prediction by two-bit counters chosen by address and history (gshare), known branches and a stack of
/// return addresses.
#[derive(Debug)]
pub struct Predictor<'a> {
    /// Known branches, by the address after them: that, and where they went.
    pub branches: &'a mut [[u32; 2]],
    /// As many counters.
    pub counters: &'a mut [u8],
    /// The outcomes that choose one.
    pub history: &'a mut u32,
    /// The bits of it that count.
    pub history_mask: u32,
    /// Return addresses.
    pub returns: &'a mut [u32],
    /// The place of the next one.
    pub top: &'a mut usize,
}

/// Memory, from physical address 0.
#[derive(Debug)]
pub struct Memory<'a> {
    /// Its bytes.
    pub bytes: &'a mut [u8],
    /// For each page, whether it was written.
    pub written: &'a mut [bool],
}

/// What translated code counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Counts {
    /// Instructions.
    pub instructions: u64,
    /// Lines of the trace cache that were looked for and found.
    pub lookups: u64,
    /// Accesses to memory.
    pub accesses: u64,
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Writes of the second level.
    pub second_writes: u64,
    /// Units of time that the window was full, whole cycles of six.
    pub full: u64,
    /// Branches.
    pub executed: u64,
    /// Those that went elsewhere than to the next instruction.
    pub taken: u64,
    /// Those that were predicted wrong.
    pub mispredicted: u64,
    /// Of these, those that were taken,
    pub mispredicted_taken: u64,
    /// returns,
    pub mispredicted_returns: u64,
    /// calls to where an operand says,
    pub mispredicted_calls: u64,
    /// and jumps there.
    pub mispredicted_jumps: u64,
}

/// Where translated code has come to an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// The address of the next instruction.
    pub address: u32,
    /// The slot of its line, and its number there; nothing if `why` says that it is in another.
    pub slot: usize,
    /// See `slot`.
    pub step: usize,
    /// Why it is not executed yet.
    pub why: Why,
}

/// Why translated code has come to an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The line is not translated.
    Cold,
    /// The next instruction is one for the interpreter, or may not end before the horizon.
    Left,
    /// It is in a line that has to be looked for, or it is too late.
    Line,
    /// The window has to be moved to its beginning.
    Window,
}

// SPDX-License-Identifier: Apache-2.0
//! What translated code has in memory while it runs, beside what its registers hold:
//!
//! | register | holds |
//! |---|---|
//! | rbp | the frame |
//! | rbx | the guest's registers |
//! | r12 | the clock |
//! | r13 | the entries of the line that runs |
//! | r14, r9 | the hints of reads, and of writes |
//! | r15, r11 | memory, and the highest offset of eight bytes in it |
//! | r8 | the tag of data accesses |
//! | r10 | the horizon |
//! | rax, rcx, rdx, rsi, rdi | nothing from one instruction to the next |

use std::mem::offset_of;

use crate::wide::{Accesses, Branches, Hint, Ready};

/// The frame.
#[repr(C)]
pub(super) struct Frame {
    pub registers: *mut u64,
    // What code writes and is copied back does not stand side by side, as in the other frame.
    pub all_ready: u64,
    pub reads: *const Hint,
    pub open_at: u64,
    pub writes: *const Hint,
    pub open: u64,
    pub fetches: *const Hint,
    pub memory: *mut u8,
    pub written: *mut bool,
    pub last_double: u64,
    /// The entries of the line that runs.
    pub row: *const usize,
    pub cycle: u64,
    pub horizon: u64,
    pub instructions: u64,
    pub ready: *mut Ready,
    pub words_read: u64,
    /// Where the line that runs is.
    pub line: u64,
    pub words_written: u64,
    pub slot: u64,
    /// Entries by contents' number, and numbers by slot of the instruction cache.
    pub entries: *const usize,
    pub numbers: *const u32,
    pub insn_slots: u64,
    /// First halfwords of lines by contents' number.
    pub firsts: *const u16,
    /// Code that goes on at the address in rcx, and code that comes back.
    pub cross: usize,
    pub leave: usize,
    /// At which place of the line or at which address it came back.
    pub at: u64,
    /// And why.
    pub why: u32,
    pub tag: u32,
    pub fetch_tag: u32,
    pub history: u32,
    pub history_mask: u32,
    pub counter_mask: u32,
    pub target_mask: u32,
    pub indirect_mask: u32,
    pub targets: *mut u64,
    pub counters: *mut u8,
    pub indirect: *mut [u64; 2],
    pub returns: *mut u64,
    pub returns_count: u64,
    pub depth: u64,
    pub top: u64,
    /// Whether the last instruction that issued by itself was done late.
    pub late: u64,
    /// When the divider is free, and when all stores have their lines.
    pub divider: u64,
    pub drained: u64,
    /// Code that finds out when all registers are there.
    pub drain: usize,
    /// Registers of the system, and the level of privilege.
    pub system: *const *mut u64,
    pub level: u64,
    pub status: u64,
    /// What the status register has read as, and what it is to become.
    pub old_status: u64,
    pub new_status: u64,
    /// Whether accesses of lower levels are translated.
    pub translates: u64,
    pub before: Accesses,
    pub branches: Branches,
}

macro_rules! offsets {
    ($($name:ident = $field:ident)+) => {
        $(pub(super) const $name: i32 = offset_of!(Frame, $field) as i32;)+
    };
}

offsets! {
    REGISTERS = registers
    ALL_READY = all_ready
    OPEN_AT = open_at
    OPEN = open
    READS = reads
    WRITES = writes
    FETCHES = fetches
    MEMORY = memory
    WRITTEN = written
    LAST_DOUBLE = last_double
    ROW = row
    CYCLE = cycle
    HORIZON = horizon
    INSTRUCTIONS = instructions
    WORDS_READ = words_read
    WORDS_WRITTEN = words_written
    LINE = line
    SLOT = slot
    READY = ready
    ENTRIES = entries
    NUMBERS = numbers
    INSN_SLOTS = insn_slots
    FIRSTS = firsts
    CROSS = cross
    LEAVE = leave
    AT = at
    WHY = why
    TAG = tag
    FETCH_TAG = fetch_tag
    HISTORY = history
    HISTORY_MASK = history_mask
    COUNTER_MASK = counter_mask
    TARGET_MASK = target_mask
    INDIRECT_MASK = indirect_mask
    TARGETS = targets
    COUNTERS = counters
    INDIRECT = indirect
    RETURNS = returns
    RETURNS_COUNT = returns_count
    DEPTH = depth
    TOP = top
    LATE = late
    DIVIDER = divider
    DRAINED = drained
    DRAIN = drain
    SYSTEM = system
    LEVEL = level
    STATUS = status
    OLD_STATUS = old_status
    NEW_STATUS = new_status
    TRANSLATES = translates
}

/// What was counted before the level of data accesses changed.
pub(super) const BEFORE_READS: i32 =
    (offset_of!(Frame, before) + offset_of!(Accesses, reads)) as i32;
pub(super) const BEFORE_WRITES: i32 =
    (offset_of!(Frame, before) + offset_of!(Accesses, writes)) as i32;
pub(super) const BEFORE_TRANSLATED: i32 =
    (offset_of!(Frame, before) + offset_of!(Accesses, translated)) as i32;

macro_rules! branches {
    ($($name:ident = $field:ident)+) => {
        $(pub(super) const $name: i32 =
            (offset_of!(Frame, branches) + offset_of!(Branches, $field)) as i32;)+
    };
}

branches! {
    EXECUTED = executed
    TAKEN = taken
    MISPREDICTED = mispredicted
    MISPREDICTED_TAKEN = mispredicted_taken
    MISPREDICTED_CALLS = mispredicted_calls
    MISPREDICTED_RETURNS = mispredicted_returns
    MISPREDICTED_JUMPS = mispredicted_jumps
}

/// Where the parts of a hint are.
pub(super) const HINT_TAG: i32 = offset_of!(Hint, tag) as i32;
pub(super) const HINT_SLOT: i32 = offset_of!(Hint, slot) as i32;
pub(super) const HINT_OFFSET: i32 = offset_of!(Hint, offset) as i32;
const _: () = assert!(size_of::<Hint>() == 24, "as code computes its place");
const _: () = assert!(offset_of!(Hint, line) == 0);

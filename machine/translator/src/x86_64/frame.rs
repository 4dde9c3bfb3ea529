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
//! | r15, r11 | the lines of the data cache, and how many there are |
//! | r8 | the tag of data accesses |
//! | r10 | the horizon |
//! | rax, rcx, rdx, rsi, rdi | nothing from one instruction to the next |

use std::mem::{offset_of, MaybeUninit};

use crate::guest::LINE_WORDS;

/// Has the machine access memory: the frame, bytes, value, address. What it has read; more than 32 bits if aborted.
pub(super) type Slow = extern "sysv64" fn(*mut Frame, u32, u32, u32) -> u64;

/// The frame.
#[repr(C)]
pub(super) struct Frame {
    pub registers: *mut u32,
    pub ready: *mut u64,
    pub reads: *const u64,
    pub writes: *const u64,
    pub fetches: *const u64,
    pub lines: *mut u32,
    pub slots: u64,
    /// Entries by contents' number, and numbers by slot of the instruction cache.
    pub entries: *const usize,
    pub numbers: *const u32,
    pub insn_slots: u64,
    /// The entries of the line that runs.
    pub row: *const usize,
    // What code writes and is copied back does not stand side by side: two numbers would be read as one, and a
    // host is slow to read as a whole what was just written in parts.
    pub cycle: u64,
    pub horizon: u64,
    /// What is counted: instructions; words read and written.
    pub instructions: u64,
    pub tag: u64,
    pub all_ready: u64,
    pub fetch_tag: u64,
    pub words_read: u64,
    pub multiplier_free: u64,
    pub words_written: u64,
    /// Where the line that runs is.
    pub line: u32,
    /// Registers that may have to be waited for.
    pub pending: u32,
    pub slot: u64,
    /// Code that goes on at the address in ecx, and code that comes back.
    pub cross: usize,
    pub leave: usize,
    /// Code that has the machine load and store ([`super::slow`]), and what that calls, with `machine`.
    pub slow_load: usize,
    pub slow_store: usize,
    pub load: Slow,
    pub store: Slow,
    pub machine: *mut (),
    /// How many registers translated code knows.
    pub count: usize,
    /// What the base register becomes after such an access.
    pub base: u32,
    /// Whether that access has made the machine forget the line that runs.
    pub line_lost: bool,
    /// Why it came back, and at which instruction of the line or at which address.
    pub why: u32,
    pub at: u32,
    /// 1 if V is set.
    pub overflow: u8,
    /// N in bit 7, Z in bit 6, C in bit 0, as `lahf` has them; other bits are anything.
    pub nzc: u8,
    /// The words of two lines; written before they are read.
    pub words: MaybeUninit<[u32; 2 * LINE_WORDS]>,
}

macro_rules! offsets {
    ($($name:ident = $field:ident)+) => {
        $(pub(super) const $name: i32 = offset_of!(Frame, $field) as i32;)+
    };
}

offsets! {
    REGISTERS = registers
    READY = ready
    READS = reads
    WRITES = writes
    FETCHES = fetches
    LINES = lines
    SLOTS = slots
    ENTRIES = entries
    NUMBERS = numbers
    INSN_SLOTS = insn_slots
    ROW = row
    CYCLE = cycle
    HORIZON = horizon
    TAG = tag
    FETCH_TAG = fetch_tag
    ALL_READY = all_ready
    MULTIPLIER_FREE = multiplier_free
    INSTRUCTIONS = instructions
    WORDS_READ = words_read
    WORDS_WRITTEN = words_written
    LINE = line
    PENDING = pending
    SLOT = slot
    CROSS = cross
    LEAVE = leave
    SLOW_LOAD = slow_load
    SLOW_STORE = slow_store
    LOAD = load
    STORE = store
    BASE = base
    WHY = why
    AT = at
    OVERFLOW = overflow
    NZC = nzc
    WORDS = words
}

/// Values of `why`.
pub(super) const LEFT: i32 = 0;
pub(super) const COLD: i32 = 1;
pub(super) const HORIZON_NEAR: i32 = 2;
pub(super) const OTHER_LINE: i32 = 3;
pub(super) const ABORTED: i32 = 4;

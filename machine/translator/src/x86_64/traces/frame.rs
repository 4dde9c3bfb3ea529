// SPDX-License-Identifier: Apache-2.0
//! What translated code has in memory while it runs, beside what its registers hold:
//!
//! | register | holds |
//! |---|---|
//! | rbp | the frame |
//! | rbx | the guest's registers |
//! | r8 | the horizon |
//! | r9 | the tag of reads |
//! | r10 | the hints of reads |
//! | r11 | when what is waited for is there |
//! | r12 | when the next instruction enters, at the unit's beginning |
//! | r13 | when the last one has retired |
//! | r14 | where in the window the unit's first one is |
//! | r15 | memory |
//! | rdi | where an operand is in memory |
//! | rax, rcx, rdx, rsi | nothing from one instruction to the next |

use std::mem::offset_of;

use crate::traces::{Counts, Hint, Sector, WAYS};

/// The frame.
#[repr(C)]
pub(super) struct Frame {
    pub registers: *mut u32,
    pub horizon: u64,
    pub read_tag: u64,
    pub reads: *const Hint,
    pub ready: *mut u64,
    pub now: u64,
    pub retired: u64,
    pub window: *mut u64,
    pub memory: *mut u8,
    /// The last place of the window at which a unit may begin.
    pub last_window: *mut u64,
    pub access: u64,
    pub load_port: u64,
    pub store_port: u64,
    pub held: u64,
    /// What is added to whole cycles in the time stamp.
    pub ahead: u64,
    pub write_tag: u64,
    pub writes: *const Hint,
    pub written: *mut bool,
    /// The offset of the last line in memory.
    pub last_line: u32,
    pub recent: u32,
    pub combining: u32,
    pub data_slots: u32,
    pub data_tags: *const u32,
    pub data_trees: *mut u8,
    pub data_paths: [[u8; 2]; WAYS],
    /// Whether the store that is made goes to another line than the last one; then where.
    pub another: u32,
    pub store_line: u32,
    pub store_slot: u32,
    pub store_half: u32,
    /// Where that is in the host's memory, of an instruction that reads elsewhere before.
    pub destination: *mut u8,
    pub stores: *mut u64,
    pub next_store: u64,
    pub second_slots: u32,
    pub second_sets: u32,
    pub second_tags: *const u32,
    pub second_trees: *mut u8,
    pub second_ways: *const u8,
    pub sectors: *mut Sector,
    pub second_paths: [[u8; 2]; WAYS],
    pub keys: *const u64,
    pub kind: u64,
    pub found: *const u64,
    pub epoch: u64,
    pub fetch_hints: *const u16,
    pub trees: *mut u8,
    pub paths: [[u8; 2]; WAYS],
    pub entries: *const usize,
    pub branches: *mut [u32; 2],
    pub counters: *mut u8,
    pub returns: *mut u32,
    pub returns_count: u64,
    pub top: u64,
    pub history: u32,
    pub history_mask: u32,
    pub counts: Counts,
    /// Code that goes on at the address in ecx, and code that comes back.
    pub cross: usize,
    pub leave: usize,
    /// Code that looks whether a store to another line can be made, and makes it.
    pub prepare: usize,
    pub store: usize,
    /// The flags: in the upper byte as the host's `lahf` has them, in the lower one overflow.
    pub flags: u16,
    /// 1, or -1 if strings go down.
    pub direction: i32,
    pub why: u32,
    pub address: u32,
    pub step: u32,
    pub slot: u32,
}

macro_rules! offsets {
    ($($name:ident = $field:ident)+) => {
        $(pub(super) const $name: i32 = offset_of!(Frame, $field) as i32;)+
    };
}

offsets! {
    REGISTERS = registers
    HORIZON = horizon
    READ_TAG = read_tag
    READS = reads
    READY = ready
    NOW = now
    RETIRED = retired
    WINDOW = window
    MEMORY = memory
    LAST_WINDOW = last_window
    ACCESS = access
    LOAD_PORT = load_port
    STORE_PORT = store_port
    HELD = held
    AHEAD = ahead
    WRITE_TAG = write_tag
    WRITES = writes
    WRITTEN = written
    LAST_LINE = last_line
    RECENT = recent
    COMBINING = combining
    DATA_SLOTS = data_slots
    DATA_TAGS = data_tags
    DATA_TREES = data_trees
    DATA_PATHS = data_paths
    KEYS = keys
    KIND = kind
    FOUND = found
    EPOCH = epoch
    FETCH_HINTS = fetch_hints
    TREES = trees
    PATHS = paths
    ENTRIES = entries
    BRANCHES = branches
    COUNTERS = counters
    RETURNS = returns
    RETURNS_COUNT = returns_count
    TOP = top
    HISTORY = history
    HISTORY_MASK = history_mask
    CROSS = cross
    LEAVE = leave
    PREPARE = prepare
    STORE = store
    ANOTHER = another
    STORE_LINE = store_line
    STORE_SLOT = store_slot
    STORE_HALF = store_half
    DESTINATION = destination
    DIRECTION = direction
    STORES = stores
    NEXT_STORE = next_store
    SECOND_SLOTS = second_slots
    SECOND_SETS = second_sets
    SECOND_TAGS = second_tags
    SECOND_TREES = second_trees
    SECOND_WAYS = second_ways
    SECTORS = sectors
    SECOND_PATHS = second_paths
    FLAGS = flags
    WHY = why
    ADDRESS = address
    STEP = step
    SLOT = slot
}

macro_rules! counts {
    ($($name:ident = $field:ident)+) => {
        $(pub(super) const $name: i32 =
            (offset_of!(Frame, counts) + offset_of!(Counts, $field)) as i32;)+
    };
}

counts! {
    INSTRUCTIONS = instructions
    LOOKUPS = lookups
    ACCESSES = accesses
    READS_COUNT = reads
    WRITES_COUNT = writes
    SECOND_WRITES = second_writes
    FULL = full
    EXECUTED = executed
    TAKEN = taken
    MISPREDICTED = mispredicted
    MISPREDICTED_TAKEN = mispredicted_taken
    MISPREDICTED_RETURNS = mispredicted_returns
    MISPREDICTED_CALLS = mispredicted_calls
    MISPREDICTED_JUMPS = mispredicted_jumps
}

/// Where the parts of a hint are.
pub(super) const HINT_PA: i32 = offset_of!(Hint, pa) as i32;
pub(super) const HINT_SLOT: i32 = offset_of!(Hint, slot) as i32;
const _: () = assert!(size_of::<Hint>() == 16, "as code computes its place");
const _: () = assert!(offset_of!(Hint, key) == 0);
/// Where the parts of a sector are.
pub(super) const DIRTY: i32 = offset_of!(Sector, dirty) as i32;
const _: () = assert!(size_of::<Sector>() == 2 && offset_of!(Sector, valid) == 0);

/// Why code comes back.
pub(super) const COLD: i32 = 0;
pub(super) const LEFT: i32 = 1;
pub(super) const LINE: i32 = 2;
pub(super) const WINDOW_FULL: i32 = 3;

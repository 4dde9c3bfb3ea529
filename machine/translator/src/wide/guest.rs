// SPDX-License-Identifier: Apache-2.0
//! What translated code of such a guest reads and writes of its machine while it runs. All of it is lent: when
//! [`run`](super::Translator::run) is back, nothing is kept.

/// Bytes of a line.
pub const LINE_BYTES: u32 = 64;
/// Words of a line.
pub const LINE_WORDS: usize = LINE_BYTES as usize / 4;
/// Places of a line where an instruction can begin.
pub const PLACES: usize = LINE_BYTES as usize / 2;
/// How many hints a table has.
pub const HINTS: usize = 1024;
/// Registers that a guest has, whatever instructions can name.
pub const REGISTERS: usize = 128;
/// Of these, those that are ever waited for: the first.
pub const UNDER_WAY: usize = 65;
/// Registers of the system that are lent.
pub const SYSTEM: usize = 10;
/// Bytes of memory for which there is one mark that they were written.
pub const PAGE_BYTES: usize = 4096;

/// A hint: where the line at a virtual address is. It holds for an access whose tag is the same.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Hint {
    /// The line's virtual address; an odd number: there is none.
    pub line: u64,
    /// What it relies on.
    pub tag: u32,
    /// Its slot of the cache.
    pub slot: u32,
    /// Where its bytes are in memory.
    pub offset: usize,
}

/// Hints for one kind of access, by the low bits of the line's number.
pub type HintTable = [Hint; HINTS];

/// When a register is there: for the early stage of the pipeline, and for the late one.
pub type Ready = [u64; 2];

/// A machine, as far as translated code is concerned.
#[derive(Debug)]
pub struct Guest<'a> {
    /// The registers.
    pub registers: &'a mut [u64; REGISTERS],
    /// The clock.
    pub cycle: &'a mut u64,
    /// No instruction begins from this cycle on.
    pub horizon: u64,
    /// What is under way.
    pub pending: Pending<'a>,
    /// Where it runs.
    pub place: Place<'a>,
    /// What it counts.
    pub counts: Counts<'a>,
    /// Branch prediction.
    pub predictor: Predictor<'a>,
    /// Where accesses went.
    pub hints: Hints<'a>,
    /// Memory.
    pub memory: Memory<'a>,
    /// Registers of the system.
    pub system: System<'a>,
}

/// What is under way in the pipeline.
#[derive(Debug)]
pub struct Pending<'a> {
    /// When each register is there.
    pub ready: &'a mut [Ready; REGISTERS],
    /// A cycle from which all are.
    pub all_ready: &'a mut u64,
    /// The issue slots that are free beside the instruction that issued last; 0: none.
    pub open: &'a mut u8,
    /// They can be taken while the clock shows this.
    pub open_at: &'a mut u64,
    /// When the divider is free.
    pub divider: &'a mut u64,
}

/// Registers of the system.
#[derive(Debug)]
pub struct System<'a> {
    /// Those that translated code reads and writes.
    pub registers: [&'a mut u64; SYSTEM],
    /// The level of privilege.
    pub level: u8,
    /// The status register.
    pub status: &'a mut u64,
}

/// Where a machine runs.
#[derive(Debug)]
pub struct Place<'a> {
    /// The address of the line.
    pub line: &'a mut u64,
    /// Its slot of the instruction cache.
    pub slot: &'a mut usize,
    /// The place in it of the next instruction.
    pub instruction: usize,
}

/// What a machine counts.
#[derive(Debug)]
pub struct Counts<'a> {
    /// Instructions.
    pub instructions: &'a mut u64,
    /// Reads where a hint said.
    pub reads: &'a mut u64,
    /// And writes.
    pub writes: &'a mut u64,
    /// Branches.
    pub branches: &'a mut Branches,
    /// Reads and writes till the level of data accesses has changed last, if it has; then `reads` and `writes` go
    /// on from there.
    pub before: &'a mut Accesses,
}

/// Accesses that were counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Accesses {
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// How many of both were translated.
    pub translated: u64,
}

/// Branches that translated code has executed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Branches {
    /// Those that were to be predicted.
    pub executed: u64,
    /// Those that went elsewhere than to the next instruction, jumps too.
    pub taken: u64,
    /// Those that were predicted wrong.
    pub mispredicted: u64,
    /// Of these, conditional ones that were taken.
    pub mispredicted_taken: u64,
    /// Of these, indirect calls,
    pub mispredicted_calls: u64,
    /// returns,
    pub mispredicted_returns: u64,
    /// and other indirect jumps.
    pub mispredicted_jumps: u64,
}

/// Branch prediction by two-bit counters chosen by address and history (gshare), known targets, indirect
/// targets and a stack of return addresses. All tables but the stack have a power of two of places.
#[derive(Debug)]
pub struct Predictor<'a> {
    /// Branches whose target is known.
    pub targets: &'a mut [u64],
    /// Counters.
    pub counters: &'a mut [u8],
    /// The outcomes that choose one.
    pub history: &'a mut u32,
    /// The bits of it that count.
    pub history_mask: u32,
    /// Indirect jumps and their last targets.
    pub indirect: &'a mut [[u64; 2]],
    /// Return addresses.
    pub returns: &'a mut [u64],
    /// How many of them are valid.
    pub depth: &'a mut usize,
    /// Where the next goes.
    pub top: &'a mut usize,
}

/// Where accesses went.
#[derive(Debug)]
pub struct Hints<'a> {
    /// The tag of data accesses now.
    pub tag: u32,
    /// Whether those of lower levels of privilege are translated.
    pub translates: bool,
    /// The tag of fetches now.
    pub fetch_tag: u32,
    /// Of fetches: slots of the instruction cache.
    pub fetch: &'a HintTable,
    /// Of reads: where in memory.
    pub read: &'a HintTable,
    /// Of writes to lines that are dirty.
    pub write: &'a HintTable,
}

/// Memory.
#[derive(Debug)]
pub struct Memory<'a> {
    /// Its bytes.
    pub bytes: &'a mut [u8],
    /// For each page, whether it was written.
    pub written: &'a mut [bool],
    /// When all stores have their lines.
    pub drained: u64,
}

/// Where translated code has come to an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// The address of the next instruction.
    pub pc: u64,
    /// Why it is not executed yet.
    pub why: crate::Why,
}

// SPDX-License-Identifier: Apache-2.0
//! What translated code reads and writes of a machine while it runs. All of it is lent: when
//! [`run`](crate::Translator::run) is back, nothing is kept.

use crate::instruction::Width;

/// Bytes of a line, of instructions and of data.
pub const LINE_BYTES: u32 = 32;
/// Words of a line.
pub const LINE_WORDS: usize = LINE_BYTES as usize / 4;
/// How many hints a table has.
pub const HINTS: usize = 512;

/// A line of the data cache: its words; then one that this crate takes no notice of; then its dirty
/// bits, bit 0 for the lower half of the line and bit 1 for the upper one.
pub type DataLine = [u32; LINE_WORDS + 2];
/// The index of the dirty bits in it.
pub(crate) const DIRTY: usize = LINE_WORDS + 1;

/// Hints for one kind of access, by the low bits of the line's number. That of an access to address
/// `va` with tag `tag` says that the line is in slot `hint ^ (line << 32 | tag)`, if that is the number of a slot.
pub type HintTable = [u64; HINTS];

/// A machine whose code is translated: it lends what translated code works on, and does itself what that leaves
/// to it in the middle of a unit.
pub trait Machine {
    /// What translated code works on.
    fn lend(&mut self) -> Guest<'_>;

    /// Loads from `address` what no hint knows, as the interpreter would: the value, right-aligned. A word's address
    /// is a multiple of 4. `None`: the access is aborted.
    fn load(&mut self, address: u32, width: Width) -> Option<u32>;

    /// Stores the low bits of `value` at `address`, which no hint knows, likewise.
    fn store(&mut self, address: u32, width: Width, value: u32) -> Option<()>;
}

/// A machine, as far as translated code is concerned.
#[derive(Debug)]
pub struct Guest<'a> {
    /// The registers.
    pub registers: &'a mut [u32],
    /// The flags N, Z, C and V in bits 31 to 28; other bits stay.
    pub flags: &'a mut u32,
    /// The clock.
    pub cycle: &'a mut u64,
    /// No instruction begins from this cycle on.
    pub horizon: u64,
    /// Results that are delayed.
    pub pending: Pending<'a>,
    /// Where it runs.
    pub place: Place<'a>,
    /// What it counts.
    pub counts: Counts<'a>,
    /// Where accesses went.
    pub hints: Hints<'a>,
    /// The lines of the data cache, by slot.
    pub lines: &'a mut [DataLine],
}

/// Results that are delayed.
#[derive(Debug)]
pub struct Pending<'a> {
    /// The cycle from which each register may be used.
    pub ready: &'a mut [u64],
    /// The registers that may have to be waited for, one bit each: all whose cycle has not come.
    pub registers: &'a mut u32,
    /// A cycle from which all registers may be used.
    pub all_ready: &'a mut u64,
    /// The cycle from which the multiplier is free.
    pub multiplier_free: &'a mut u64,
}

/// Where a machine runs.
#[derive(Debug)]
pub struct Place<'a> {
    /// The address of the line.
    pub line: &'a mut u32,
    /// Its slot of the instruction cache.
    pub slot: &'a mut usize,
    /// The number of the next instruction in it.
    pub instruction: usize,
    /// Whether instructions have 2 bytes instead of 4.
    pub halfwords: bool,
}

/// What a machine counts.
#[derive(Debug)]
pub struct Counts<'a> {
    /// Instructions.
    pub instructions: &'a mut u64,
    /// Words and parts of such read where a hint said.
    pub reads: &'a mut u64,
    /// And written.
    pub writes: &'a mut u64,
}

/// Where accesses went.
#[derive(Debug)]
pub struct Hints<'a> {
    /// The tag of data accesses now; bits 31 down to 16 and above 32.
    pub tag: u64,
    /// The tag of fetches now.
    pub fetch_tag: u64,
    /// Of fetches: slots of the instruction cache.
    pub fetch: &'a HintTable,
    /// Of reads: slots of the data cache.
    pub read: &'a HintTable,
    /// Of writes to lines that may be written where they are.
    pub write: &'a HintTable,
}

/// Where translated code has come to an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// The address of the next instruction.
    pub pc: u32,
    /// Why it is not executed yet.
    pub why: Why,
}

/// Why translated code has come to an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The next instruction is one for the interpreter, which executes it whole.
    Left,
    /// There is no translation from it on.
    Cold,
    /// The horizon may come before the unit from it on is at its end.
    Horizon,
    /// It stands in a line that no hint knows.
    Line,
    /// It has been executed up to its access, which was aborted.
    Aborted,
}

// SPDX-License-Identifier: Apache-2.0
//! A dynamic binary translator: instructions of a simulated processor as code of the host.
//!
//! It knows no architecture. One describes its instructions ([`Instruction`]: what it does, what it reads,
//! what it costs), and lends its registers, clock, hints and data cache while translated code runs
//! ([`Guest`]). What is translated are *units*: instructions in sequence in one line of the instruction cache, up
//! to one that is left to the interpreter, an unconditional branch, or the line's end. A translation belongs
//! to the line's contents ([`Lines`](lines)): whatever address and slot they have, now or when they come again.
//!
//! Translated code does what the interpreter would, or stops before the instruction of which it cannot
//! say so: an instruction that was left out, an access to several words that no hint answers, a unit that might go past the
//! horizon. Whoever runs it executes that instruction and comes back. It calls one thing: what the machine does
//! about a load or store that no hint answers ([`Machine`]).
//!
//! Soundness: code is made here alone, from descriptions of which every number is checked, and reaches
//! memory through [`Guest`] alone: registers below the number that is checked against the slices' lengths
//! whenever it runs, data lines below theirs, which the hint check compares with.
#![cfg_attr(
    not(all(feature = "host-code", target_arch = "x86_64", unix)),
    allow(dead_code)
)]

#[cfg(all(feature = "host-code", target_arch = "x86_64", unix))]
mod code;
mod guest;
#[cfg(all(feature = "host-code", target_arch = "x86_64", unix))]
#[path = "x86_64/mod.rs"]
mod host;
#[cfg(not(all(feature = "host-code", target_arch = "x86_64", unix)))]
#[path = "absent.rs"]
mod host;
mod instruction;
mod lines;
mod schedule;
pub mod traces;
mod translations;
pub mod wide;

pub use guest::{
    Counts, DataLine, Exit, Guest, HintTable, Hints, Machine, Pending, Place, Why, HINTS,
    LINE_BYTES, LINE_WORDS,
};
pub use instruction::{
    Action, Address, Carry, Condition, Flags, Instruction, Jump, Mode, Offset, Operand, Operation,
    Register, Shift, Value, Width, REGISTERS,
};

pub use lines::words_hash;

use lines::Lines;
use translations::Translations;

/// Instructions of a line at most.
pub const PLACES: usize = LINE_WORDS * 2;

/// How often a place is to be reached before it is translated: what runs once is not worth it.
const HOT: u8 = 8;
/// The translations of one machine.
pub type Translator = Translations<host::Host, Lines<LINE_WORDS, PLACES>>;

impl Translator {
    /// One for a guest with so many registers and slots of its instruction cache. `None`: there is no host
    /// code on this host.
    #[must_use]
    pub fn new(registers: usize, slots: usize) -> Option<Self> {
        let host = host::Host::new(registers.min(REGISTERS))?;
        let lines = Lines::new(slots, host.stubs());
        Some(Self::with(host, lines, HOT))
    }

    /// The line in `slot` was filled, or is decoded anew: it holds `words`.
    #[inline]
    pub fn line_filled(&mut self, slot: usize, words: &[u32; LINE_WORDS], halfwords: bool) {
        self.known.filled(slot, words, halfwords);
    }

    /// Translates the line in `slot`, which consists of `instructions` (8, or 16), from `place` on. If there
    /// is no more room for code, all translations are forgotten.
    ///
    /// # Panics
    /// An instruction names a register that the guest has not.
    pub fn translate(&mut self, slot: usize, place: usize, instructions: &[Instruction]) {
        let highest = instructions.iter().flat_map(Instruction::registers).max();
        let known = highest.is_none_or(|register| usize::from(register) < self.host.registers());
        assert!(known, "a register that the guest has");
        let translate = |host: &mut host::Host| host.translate(instructions, place);
        self.keep((slot, place), translate);
    }

    /// Runs translated code where `machine` is, as far as that goes.
    ///
    /// # Panics
    /// `machine` has fewer registers than was said, or is in a slot that does not exist.
    #[inline(always)]
    pub fn run<M: Machine>(&mut self, machine: &mut M) -> Exit {
        let guest = machine.lend();
        assert!(guest.registers.len() >= self.host.registers());
        assert!(guest.pending.ready.len() >= self.host.registers());
        let before = *guest.counts.instructions;
        let exit = self.host.run(&self.known, machine);
        self.executed += *machine.lend().counts.instructions - before;
        exit
    }
}

impl Instruction {
    /// The registers that it names, in `sources` too.
    fn registers(&self) -> impl Iterator<Item = Register> {
        let named = self.action.registers() | self.sources;
        (0..32).filter(move |n| named & (1 << n) != 0)
    }
}

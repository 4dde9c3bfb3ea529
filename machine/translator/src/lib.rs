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

use lines::{Heat, Lines};

/// Instructions of a line at most.
pub const PLACES: usize = LINE_WORDS * 2;

/// How often a place is to be reached before it is translated: what runs once is not worth it.
const HOT: u8 = 8;
/// How many translations are made executable together, which is a call of the host's kernel.
const BATCH: usize = 32;
/// How often a place whose translation waits may be reached before that is done sooner: it is interpreted until
/// then, which takes as long as the call for some 20.
const PATIENCE: u32 = 16;

/// The translations of one machine.
#[derive(Debug)]
pub struct Translator {
    lines: Lines<LINE_WORDS, PLACES>,
    host: host::Host,
    /// Registers that a guest has.
    registers: usize,
    /// How often a place is reached before it is translated.
    hot: u8,
    /// How many translations wait for each other until they are made executable together.
    batch: usize,
    /// How often a place was reached whose translation waits.
    waited: u32,
    /// How many instructions it has executed.
    executed: u64,
}

impl Translator {
    /// One for a guest with so many registers and slots of its instruction cache. `None`: there is no host
    /// code on this host.
    #[must_use]
    pub fn new(registers: usize, slots: usize) -> Option<Self> {
        let host = host::Host::new()?;
        Some(Self {
            lines: Lines::new(slots, host.stubs()),
            host,
            registers: registers.min(REGISTERS),
            hot: HOT,
            batch: BATCH,
            waited: 0,
            executed: 0,
        })
    }

    /// Translates a place when it is reached so often, and executes the translation at once: for tests.
    pub fn set_hot(&mut self, times: u8) {
        self.hot = times;
        self.batch = 1;
    }

    /// Allows so little memory for code (in blocks of 16 KB) that it is full soon: for tests.
    pub fn limit_code(&mut self, blocks: usize) {
        self.host.limit(blocks);
    }

    /// The line in `slot` was filled, or is decoded anew: it holds `words`.
    #[inline]
    pub fn line_filled(&mut self, slot: usize, words: &[u32; LINE_WORDS], halfwords: bool) {
        self.lines.filled(slot, words, halfwords);
    }

    /// Why there is no translation of instruction `place` of the line in `slot`, if there is none.
    #[inline]
    #[must_use]
    pub fn lacks(&self, slot: usize, place: usize) -> Option<Why> {
        self.lines.lacks(slot, place, self.host.stubs())
    }

    /// Instruction `place` of the line in `slot` was reached and is not translated. `true`: it is to be.
    pub fn heats(&mut self, slot: usize, place: usize) -> bool {
        match self.lines.heats(slot, place, self.hot) {
            Heat::Cold => false,
            Heat::Hot => true,
            Heat::Waiting => {
                self.waited += 1;
                if self.waited >= PATIENCE {
                    self.publish();
                }
                false
            }
        }
    }

    /// Translates the line in `slot`, which consists of `instructions` (8, or 16), from `place` on. If there
    /// is no more room for code, all translations are forgotten.
    ///
    /// # Panics
    /// An instruction names a register that the guest has not.
    pub fn translate(&mut self, slot: usize, place: usize, instructions: &[Instruction]) {
        let highest = instructions.iter().flat_map(Instruction::registers).max();
        let known = highest.is_none_or(|register| usize::from(register) < self.registers);
        assert!(known, "a register that the guest has");
        let room = !self.lines.is_full();
        let entry = if room {
            self.host.translate(instructions, place)
        } else {
            None
        };
        match entry {
            Some(entry) if entry == self.host.stubs().left[place % PLACES] => {
                self.lines.set(slot, place, entry);
            }
            Some(entry) => {
                self.lines.wait(slot, place, entry);
                if self.lines.waiting() >= self.batch {
                    self.publish();
                }
            }
            None => self.forget(),
        }
    }

    /// What was translated is executed from now on.
    fn publish(&mut self) {
        self.waited = 0;
        match self.host.publish() {
            Some(()) => self.lines.publish(),
            None => self.forget(),
        }
    }

    /// Forgets all translations.
    fn forget(&mut self) {
        self.host.clear();
        self.lines.clear(self.host.stubs());
    }

    /// How many instructions it has executed.
    #[must_use]
    pub fn executed(&self) -> u64 {
        self.executed
    }

    /// Runs translated code where `machine` is, as far as that goes.
    ///
    /// # Panics
    /// `machine` has fewer registers than was said, or is in a slot that does not exist.
    #[inline(always)]
    pub fn run<M: Machine>(&mut self, machine: &mut M) -> Exit {
        let guest = machine.lend();
        assert!(guest.registers.len() >= self.registers);
        assert!(guest.pending.ready.len() >= self.registers);
        let before = *guest.counts.instructions;
        let exit = self.host.run(&self.lines, machine, self.registers);
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

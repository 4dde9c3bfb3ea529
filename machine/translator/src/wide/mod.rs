// SPDX-License-Identifier: Apache-2.0
//! Guests with registers of 64 bits, instructions of two or four bytes in lines of 64, and a pipeline whose times
//! the architecture computes itself: it describes a unit with what has passed before each of its instructions
//! ([`Stretch`]), as its own model says if everything is there in time. If something is not, one
//! instruction waits and issues as [`Issue`] says, and the unit from the next one on is gone to.
//!
//! What is common with narrow guests is outside: lines by contents, memory for code, what a place without a
//! translation does.

mod guest;
mod instruction;

pub use guest::{
    Accesses, Branches, Counts, Exit, Guest, Hint, HintTable, Hints, Memory, Pending, Place,
    Predictor, Ready, System, HINTS, LINE_BYTES, LINE_WORDS, PAGE_BYTES, PLACES, REGISTERS, SYSTEM,
    UNDER_WAY,
};
pub use instruction::{
    Action, Change, Condition, Division, Issue, Operand, Operation, Passed, Penalties, Register,
    StatusLayout, Step, Stretch, SystemRegister, Wait, Width, HIGHEST_LEVEL,
};

use crate::host::wide as host;
use crate::lines::{Heat, Lines};
use crate::{Why, BATCH, PATIENCE};

/// How often a place is to be reached before it is translated: to translate a unit takes as long as to interpret it
/// some 50 times. (A boot of Linux takes 1.3 times as long with 8, and the same with 200.)
const HOT: u8 = 64;

/// The translations of one machine.
#[derive(Debug)]
pub struct Translator {
    lines: Lines<LINE_WORDS, PLACES>,
    host: host::Host,
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
    /// One for a guest with so many slots of its instruction cache. `None`: there is no host code on this
    /// host.
    #[must_use]
    pub fn new(slots: usize) -> Option<Self> {
        let host = host::Host::new()?;
        Some(Self {
            lines: Lines::new(slots, host.stubs()),
            host,
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

    /// The line in `slot` was filled: it holds `words`.
    #[inline]
    pub fn line_filled(&mut self, slot: usize, words: &[u32; LINE_WORDS]) {
        self.lines.filled(slot, words, false);
    }

    /// Why there is no translation of `place` of the line in `slot`, if there is none.
    #[inline]
    #[must_use]
    pub fn lacks(&self, slot: usize, place: usize) -> Option<Why> {
        self.lines.lacks(slot, place, self.host.stubs())
    }

    /// `place` of the line in `slot` was reached and is not translated. `true`: it is to be.
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

    /// Translates `stretch`, which begins at `place` of the line in `slot`. If there is no more room for code, all
    /// translations are forgotten.
    ///
    /// # Panics
    /// An instruction names a register that no guest has, or `stretch` does not say what has passed.
    pub fn translate(&mut self, slot: usize, place: usize, stretch: &Stretch) {
        assert!(stretch.passed.len() == stretch.steps.len() + 1);
        for step in &stretch.steps {
            let [first, second] = step.issue.sources;
            let issue = first.max(second).max(step.issue.result);
            assert!(usize::from(step.action.highest_register().max(issue)) < REGISTERS);
            if let Action::Status { layout, .. } = step.action {
                assert!(layout.other_level < 30 && layout.uses_other < 64 && layout.tag_shift < 32);
            }
            if let Action::System {
                register: SystemRegister::Lent(number, _),
                ..
            } = step.action
            {
                assert!(usize::from(number) < SYSTEM);
            }
        }
        let pending = stretch.passed.iter().flat_map(|passed| &passed.pending);
        let pending = pending.map(|(register, _)| *register);
        let needed = stretch.needed.iter().map(|(register, _)| *register);
        assert!(pending.chain(needed).max().unwrap_or(0) < REGISTERS as Register);
        let entry = if self.lines.is_full() {
            None
        } else {
            self.host.translate(stretch, place)
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

    /// Runs translated code where `guest` is, as far as that goes.
    ///
    /// # Panics
    /// `guest` is in a slot that does not exist, or its predictor has tables of other sizes than it may.
    #[inline(always)]
    pub fn run(&mut self, mut guest: Guest<'_>) -> Exit {
        let predictor = &guest.predictor;
        let sizes = [
            predictor.targets.len(),
            predictor.counters.len(),
            predictor.indirect.len(),
        ];
        assert!(sizes.iter().all(|size| size.is_power_of_two()));
        assert!(*predictor.top < predictor.returns.len());
        assert!(guest.memory.bytes.len() <= guest.memory.written.len() * PAGE_BYTES);
        assert!(guest.memory.bytes.len() >= LINE_BYTES as usize);
        let before = *guest.counts.instructions;
        let exit = self.host.run(&self.lines, &mut guest);
        self.executed += *guest.counts.instructions - before;
        exit
    }
}

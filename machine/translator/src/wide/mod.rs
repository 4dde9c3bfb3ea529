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
use crate::lines::Lines;
use crate::translations::Translations;

/// How often a place is to be reached before it is translated: to translate a unit takes as long as to interpret it
/// some 50 times. (A boot of Linux takes 1.3 times as long with 8, and the same with 200.)
const HOT: u8 = 64;

/// The translations of one machine.
pub type Translator = Translations<host::Host, Lines<LINE_WORDS, PLACES>>;

impl Translator {
    /// One for a guest with so many slots of its instruction cache. `None`: there is no host code on this
    /// host.
    #[must_use]
    pub fn new(slots: usize) -> Option<Self> {
        let host = host::Host::new()?;
        let lines = Lines::new(slots, host.stubs());
        Some(Self::with(host, lines, HOT))
    }

    /// The line in `slot` was filled: it holds `words`.
    #[inline]
    pub fn line_filled(&mut self, slot: usize, words: &[u32; LINE_WORDS]) {
        self.known.filled(slot, words, false);
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
        let translate = |host: &mut host::Host| host.translate(stretch, place);
        self.keep((slot, place), translate);
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
        let exit = self.host.run(&self.known, &mut guest);
        self.executed += *guest.counts.instructions - before;
        exit
    }
}

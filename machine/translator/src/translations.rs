// SPDX-License-Identifier: Apache-2.0
//! The translations of a machine whose lines are known by their words, and when they are made: what a place that
//! is reached often goes through, until its code is executed.

use crate::lines::{Heat, Lines, Stubs};
use crate::Why;

/// How many translations are made executable together, which is a call of the host's kernel.
pub(crate) const BATCH: usize = 32;
/// How often a place whose translation waits may be reached before that is done sooner: it is interpreted until
/// then, which takes as long as the call for some 20.
pub(crate) const PATIENCE: u32 = 16;

/// Code of a host, and its memory.
pub trait HostCode<const PLACES: usize> {
    /// Code for places without a translation.
    fn stubs(&self) -> &Stubs<PLACES>;

    /// Allows so many blocks of memory only.
    fn limit(&mut self, blocks: usize);

    /// Makes executable what was translated; `None`: the host does not let it.
    fn publish(&mut self) -> Option<()>;

    /// Forgets it all.
    fn clear(&mut self);
}

/// The translations of one machine.
#[derive(Debug)]
pub struct Translations<H, const WORDS: usize, const PLACES: usize> {
    pub(crate) lines: Lines<WORDS, PLACES>,
    pub(crate) host: H,
    /// How often a place is reached before it is translated.
    hot: u8,
    /// How many translations wait for each other until they are made executable together.
    batch: usize,
    /// How often a place was reached whose translation waits.
    waited: u32,
    /// How many instructions have been executed.
    pub(crate) executed: u64,
}

impl<H: HostCode<PLACES>, const WORDS: usize, const PLACES: usize> Translations<H, WORDS, PLACES> {
    /// None, for so many slots; a place is translated when it was reached `hot` times.
    pub(crate) fn with(host: H, slots: usize, hot: u8) -> Self {
        Self {
            lines: Lines::new(slots, host.stubs()),
            host,
            hot,
            batch: BATCH,
            waited: 0,
            executed: 0,
        }
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

    /// How many instructions it has executed.
    #[must_use]
    pub fn executed(&self) -> u64 {
        self.executed
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

    /// `place` of the line in `slot` is translated by `translate`, which gives the address of the code. If there is
    /// no more room for code, all translations are forgotten.
    pub(crate) fn keep(
        &mut self,
        slot: usize,
        place: usize,
        translate: impl FnOnce(&mut H) -> Option<usize>,
    ) {
        let entry = if self.lines.is_full() {
            None
        } else {
            translate(&mut self.host)
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
}

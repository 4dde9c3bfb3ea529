// SPDX-License-Identifier: Apache-2.0
//! The translations of a machine, and when they are made: what a place that is reached often goes through, until
//! its code is executed. Which there are, and how they are found, is another's to say ([`Known`]): by the
//! words of a line, or by a mark that a line bears.

/// How many translations are made executable together, which is a call of the host's kernel.
const BATCH: usize = 32;
/// How often a place whose translation waits may be reached before that is done sooner: it is interpreted until
/// then, which takes as long as the call for some 20.
const PATIENCE: u32 = 16;

/// Code of a host, and its memory.
pub trait HostCode {
    /// Allows so many blocks of memory only.
    fn limit(&mut self, blocks: usize);

    /// Makes executable what was translated; `None`: the host does not let it.
    fn publish(&mut self) -> Option<()>;

    /// Forgets it all.
    fn clear(&mut self);
}

/// What is to be done with a place that has been reached without a translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heat {
    /// It is interpreted.
    Cold,
    /// It is translated.
    Hot,
    /// It is, and waits for others.
    Waiting,
}

/// Which translations there are.
pub trait Known {
    /// Where one can begin.
    type Place<'a>: Copy;

    /// Counts that this place was reached; it is hot when that was `hot` times.
    fn heats(&mut self, place: Self::Place<'_>, hot: u8) -> Heat;

    /// Whether there are as many as there may be.
    fn is_full(&self) -> bool;

    /// This is the code of a place, executed when [`Known::publish`] is called.
    fn wait(&mut self, place: Self::Place<'_>, entry: usize);

    /// How many wait for that.
    fn waiting(&self) -> usize;

    /// All that wait can be executed.
    fn publish(&mut self);

    /// Forgets all.
    fn clear(&mut self);
}

/// The translations of one machine.
#[derive(Debug)]
pub struct Translations<H, K> {
    pub(crate) known: K,
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

impl<H: HostCode, K: Known> Translations<H, K> {
    /// Those that `known` will know; a place is translated when it was reached `hot` times.
    pub(crate) fn with(host: H, known: K, hot: u8) -> Self {
        Self {
            known,
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

    /// `place` was reached and is not translated. `true`: it is to be.
    pub fn heats(&mut self, place: K::Place<'_>) -> bool {
        match self.known.heats(place, self.hot) {
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

    /// `place` is translated by `translate`, which gives the address of the code. If there is no more room for
    /// code, all translations are forgotten.
    pub(crate) fn keep(
        &mut self,
        place: K::Place<'_>,
        translate: impl FnOnce(&mut H) -> Option<usize>,
    ) {
        let entry = if self.known.is_full() {
            None
        } else {
            translate(&mut self.host)
        };
        match entry {
            Some(entry) => {
                self.known.wait(place, entry);
                if self.known.waiting() >= self.batch {
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
            Some(()) => self.known.publish(),
            None => self.forget(),
        }
    }

    /// Forgets all translations.
    fn forget(&mut self) {
        self.host.clear();
        self.known.clear();
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Instructions that were found right when they were fetched: until something changes that decides where
//! fetches go, or what is there, the same instruction at the same address is right again. Most of what is
//! fetched is; without this every count and finding would be the same, later.
//!
//! A line of the instruction cache is looked at as a whole when it is entered: what is right in it stays so
//! until something happens that might change that, and the checker need not be told of its fetch.

use crate::arm::isa::encoding::Encoding;
use crate::arm::memory::line::{line_address, line_word, Words, LINE_WORDS};

/// Lines that are remembered, a power of two.
const LINES: usize = 1024;

/// What decides whether an instruction that was right still is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Moment {
    /// Counts all that may change where fetches go, and the words that do.
    pub generation: u64,
    /// The domains' rights.
    pub domains: u32,
}

/// The instructions, by their line's address as the program has it.
pub(super) struct Fetches {
    lines: Box<[Line]>,
    /// The line that runs.
    entered: Entered,
}

/// The line of the instruction cache that the last instruction was in.
#[derive(Debug, Clone, Copy, Default)]
struct Entered {
    /// As [`Line::key`]; 0: nobody knows.
    key: u32,
    /// Which of its instructions were right, and are what they were.
    known: u16,
    /// When it was entered.
    moment: Moment,
}

/// Instructions of a line. It is as large as a line of the host's caches.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Line {
    moment: Moment,
    /// Address, mode and state; 0: none.
    key: u32,
    /// Which halfwords are known, a bit each, or the first one of a word.
    known: u16,
    words: Words,
}

impl Default for Fetches {
    fn default() -> Self {
        Self {
            lines: vec![Line::default(); LINES].into(),
            entered: Entered::default(),
        }
    }
}

impl Fetches {
    fn slot(va: u32) -> usize {
        (line_address(va) as usize / LINE_WORDS / 4) % LINES
    }

    fn key(va: u32, user: bool, thumb: bool) -> u32 {
        line_address(va) | u32::from(user) << 1 | u32::from(thumb) << 2 | 1
    }

    fn bit(va: u32) -> u16 {
        1 << (va / 2 % 16)
    }

    /// What of its word the instruction at `va` is.
    fn part(word: u32, va: u32, code: Encoding) -> u32 {
        if code.thumb {
            word >> (8 * (va & 2)) & 0xffff
        } else {
            word
        }
    }

    /// Whether the instruction at `va` is in the line that was entered last.
    #[inline]
    pub(super) fn in_line(&self, va: u32, user: bool, thumb: bool) -> bool {
        self.entered.key == Self::key(va, user, thumb)
    }

    /// Whether that instruction was right in that line, and nothing has changed since.
    #[inline]
    pub(super) fn expects(&self, va: u32) -> bool {
        self.entered.known & Self::bit(va) != 0
    }

    /// Enters the line at `va`, which the instruction cache has with these words.
    pub(super) fn enter(
        &mut self,
        va: u32,
        user: bool,
        thumb: bool,
        moment: Moment,
        words: &Words,
    ) {
        let key = Self::key(va, user, thumb);
        let line = &self.lines[Self::slot(va)];
        let mut known = 0;
        if (line.key, line.moment) == (key, moment) {
            for (n, (now, then)) in words.iter().zip(&line.words).enumerate() {
                known |= u16::from(now == then) * (3 << (2 * n));
            }
            known &= line.known;
        }
        self.entered = Entered { key, known, moment };
    }

    /// Something has happened that may decide what is right in the line that runs.
    pub(super) fn leave(&mut self) {
        self.entered.key = 0;
    }

    /// It is `moment` now, which may be another one than before.
    #[inline]
    pub(super) fn come_to(&mut self, moment: Moment) {
        if self.entered.moment != moment {
            self.leave();
        }
    }

    /// Whether the instruction `code` at `va` was right, and nothing has changed since.
    #[inline]
    pub(super) fn knows(&self, va: u32, user: bool, code: Encoding, moment: Moment) -> bool {
        let line = &self.lines[Self::slot(va)];
        line.key == Self::key(va, user, code.thumb)
            && line.moment == moment
            && line.known & Self::bit(va) != 0
            && Self::part(line.words[line_word(va)], va, code) == code.word
    }

    /// It is right; its whole word is `word`.
    pub(super) fn add(&mut self, va: u32, user: bool, code: Encoding, moment: Moment, word: u32) {
        self.leave();
        let line = &mut self.lines[Self::slot(va)];
        let key = Self::key(va, user, code.thumb);
        if (line.key, line.moment) != (key, moment) {
            *line = Line {
                key,
                moment,
                ..Line::default()
            };
        }
        line.known |= Self::bit(va);
        line.words[line_word(va)] = word;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THUMB: Encoding = Encoding {
        word: 0x4770,
        thumb: true,
    };
    const NOW: Moment = Moment {
        generation: 7,
        domains: 1,
    };

    #[test]
    fn an_instruction_is_known_where_when_and_as_what_it_was_right() {
        let mut fetches = Fetches::default();
        fetches.add(0x8002, true, THUMB, NOW, 0x4770_e000);
        assert!(fetches.knows(0x8002, true, THUMB, NOW));
        assert!(!fetches.knows(0x8000, true, THUMB, NOW));
        assert!(!fetches.knows(0x8022, true, THUMB, NOW));
        assert!(!fetches.knows(0x8002, false, THUMB, NOW));
        let other = Encoding {
            word: 0x4771,
            ..THUMB
        };
        assert!(!fetches.knows(0x8002, true, other, NOW));
        for moment in [
            Moment {
                generation: 8,
                ..NOW
            },
            Moment { domains: 3, ..NOW },
        ] {
            assert!(!fetches.knows(0x8002, true, THUMB, moment));
        }
        let arm = Encoding {
            word: 0xe12f_ff1e,
            thumb: false,
        };
        fetches.add(0x8000, true, arm, NOW, arm.word);
        assert!(fetches.knows(0x8000, true, arm, NOW));
        assert!(!fetches.knows(0x8002, true, THUMB, NOW));
    }

    #[test]
    fn what_was_right_in_a_line_that_is_entered_need_not_be_told_again() {
        let mut words = [0; LINE_WORDS];
        (words[0], words[7]) = (0x4770_e000, 0xe12f_ff1e);
        let mut fetches = Fetches::default();
        fetches.add(0x8002, true, THUMB, NOW, words[0]);
        assert!(!fetches.in_line(0x8002, true, true));
        fetches.enter(0x8000, true, true, NOW, &words);
        assert!(fetches.in_line(0x801e, true, true));
        assert!(!fetches.in_line(0x8020, true, true));
        assert!(!fetches.in_line(0x8002, false, true));
        assert!(!fetches.in_line(0x8002, true, false));
        assert!(fetches.expects(0x8002));
        assert!(!fetches.expects(0x8000));

        // One more of it is right: so it is to be looked at anew.
        fetches.add(0x801e, true, THUMB, NOW, words[7]);
        assert!(!fetches.in_line(0x8002, true, true));
        fetches.enter(0x8002, true, true, NOW, &words);
        assert!(fetches.expects(0x8002) && fetches.expects(0x801e));

        fetches.come_to(NOW);
        assert!(fetches.in_line(0x8002, true, true));
        let later = Moment {
            generation: 8,
            ..NOW
        };
        fetches.come_to(later);
        assert!(!fetches.in_line(0x8002, true, true));
        fetches.enter(0x8002, true, true, later, &words);
        assert!(!fetches.expects(0x8002));

        // Another instruction is there.
        words[0] += 0x1_0000;
        fetches.enter(0x8002, true, true, NOW, &words);
        assert!(!fetches.expects(0x8002) && fetches.expects(0x801e));
    }
}

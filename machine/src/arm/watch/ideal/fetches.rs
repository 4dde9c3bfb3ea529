// SPDX-License-Identifier: Apache-2.0
//! Instructions that were found right when they were fetched: until something changes that decides where
//! fetches go, or what is there, the same instruction at the same address is right again. Most of what is
//! fetched is; without this every count and finding would be the same, later.

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
pub(super) struct Fetches(Box<[Line]>);

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
        Self(vec![Line::default(); LINES].into())
    }
}

impl Fetches {
    fn slot(va: u32) -> usize {
        (line_address(va) as usize / LINE_WORDS / 4) % LINES
    }

    fn key(va: u32, user: bool, code: Encoding) -> u32 {
        line_address(va) | u32::from(user) << 1 | u32::from(code.thumb) << 2 | 1
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

    /// Whether the instruction `code` at `va` was right, and nothing has changed since.
    #[inline]
    pub(super) fn knows(&self, va: u32, user: bool, code: Encoding, moment: Moment) -> bool {
        let line = &self.0[Self::slot(va)];
        line.key == Self::key(va, user, code)
            && line.moment == moment
            && line.known & Self::bit(va) != 0
            && Self::part(line.words[line_word(va)], va, code) == code.word
    }

    /// It is right; its whole word is `word`.
    pub(super) fn add(&mut self, va: u32, user: bool, code: Encoding, moment: Moment, word: u32) {
        let line = &mut self.0[Self::slot(va)];
        let key = Self::key(va, user, code);
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
}

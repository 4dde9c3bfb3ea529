// SPDX-License-Identifier: Apache-2.0
//! What instruction words mean, kept from one line fill to the next: programs consist of few different
//! words, and a line that is filled again mostly holds words that were decoded before.

use crate::arm::isa::architecture::Architecture;
use crate::arm::isa::insn::Op;

/// Remembered words, a power of two.
const SLOTS: usize = 4096;

/// Decoded ARM instructions of one architecture.
pub struct DecodeCache {
    architecture: Architecture,
    /// A word and what it means, by a hash of the word.
    known: Box<[(u32, Op)]>,
}

impl DecodeCache {
    /// One for `architecture`.
    #[must_use]
    pub fn new(architecture: Architecture) -> Self {
        Self {
            architecture,
            known: vec![(0, Op::decode(0, architecture)); SLOTS].into_boxed_slice(),
        }
    }

    /// What [`Op::decode`] gives for `word`.
    #[inline]
    pub fn decode(&mut self, word: u32) -> Op {
        // The high bits of a product with an odd constant (2^32 over the golden ratio).
        let hash = word.wrapping_mul(0x9e37_79b9) >> (32 - SLOTS.trailing_zeros());
        let known = &mut self.known[hash as usize % SLOTS];
        if known.0 != word {
            *known = (word, Op::decode(word, self.architecture));
        }
        known.1
    }
}

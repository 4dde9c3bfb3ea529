// SPDX-License-Identifier: Apache-2.0
//! The price of a line fill. Source: ARM926EJ-S TRM 4.1 ("critical-word first cache refilling") and
//! table 6-1 (line fills are wrapping bursts of eight words, for either cache), and SA-1100 and SA-1110
//! DM 7.3.1 (a load completes with its word, the fill goes on).

use crate::bus_cost::Transfer;
use crate::config::Refill;
use crate::event::Cycle;

use super::line::LINE_WORDS;

/// The price of a line fill: when each word of the line comes, and until when the processor waits.
/// What reading a line takes is the bus's ([`crate::bus_cost`]); what of that the processor pays is said
/// here and nowhere else.
#[derive(Debug, Clone, Copy)]
pub struct LineFill {
    /// The word that comes first; the others follow in turn, that before it last.
    pub first: usize,
    /// When that is there.
    pub first_there: Cycle,
    /// Cycles from one word to the next.
    pub pace: Cycle,
    /// When the last one is there.
    pub done: Cycle,
    /// When the processor goes on.
    pub resumes: Cycle,
}

impl LineFill {
    /// The bus takes all of a line.
    pub const WORDS: u32 = LINE_WORDS as u32;

    /// A fill in this `order` for the sake of word `wanted`, by a transfer of the line that begins at
    /// `start`.
    #[inline(always)]
    #[must_use]
    pub fn new(order: Refill, wanted: usize, start: Cycle, transfer: Transfer) -> Self {
        let done = start + transfer.total();
        let first_there = start + transfer.word(0);
        let (first, first_there, pace, resumes) = match order {
            Refill::CriticalWordFirst => (wanted, first_there, transfer.pace(), first_there),
            Refill::InOrder => {
                let wanted_there = start + transfer.word(wanted as u32);
                (0, first_there, transfer.pace(), wanted_there)
            }
            Refill::WholeLine => (0, done, 0, done),
        };
        Self {
            first,
            first_there,
            pace,
            done,
            resumes,
        }
    }
}

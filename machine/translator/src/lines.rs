// SPDX-License-Identifier: Apache-2.0
//! Which translations there are, by the contents of lines: a line that is filled again, or in another
//! slot, or known by another address, finds what was translated of its words before.

use std::collections::HashMap;

use crate::translations::{Heat, HostCode, Known, Translations};
use crate::Why;

/// Contents that are found without a look at the map, a power of two: some times as many as the largest
/// instruction cache has lines.
const NEAR: usize = 4096;
/// Different contents at most; then all are forgotten.
const LIMIT: usize = 1 << 17;

/// The heat of a place whose code cannot be executed yet.
const WAITING: u8 = u8::MAX;

/// Addresses of code, one for each place of a line where an instruction can begin.
pub type Entries<const PLACES: usize> = [usize; PLACES];

/// Code for places without a translation, by place.
#[derive(Debug, Clone, Copy)]
pub struct Stubs<const PLACES: usize> {
    /// Not translated yet.
    pub cold: Entries<PLACES>,
    /// An instruction for the interpreter.
    pub left: Entries<PLACES>,
}

/// A hash of a line's words: each of its bits depends on all of them.
#[inline]
#[must_use]
pub fn words_hash<const WORDS: usize>(words: &[u32; WORDS]) -> u32 {
    // Pairs are multiplied by odd constants, so that the host computes them side by side: 2^64 over the
    // golden ratio, and the first decimals of pi, e and the square roots of 2, 3, 5, 7 and 11 in binary, as
    // in many a hash.
    const FACTORS: [u64; 8] = [
        0x9e37_79b9_7f4a_7c15,
        0x243f_6a88_85a3_08d3,
        0xb7e1_5162_8aed_2a6b,
        0x6a09_e667_f3bc_c909,
        0xbb67_ae85_84ca_a73b,
        0x3c6e_f372_fe94_f82b,
        0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1,
    ];
    const { assert!(WORDS <= 2 * FACTORS.len()) };
    let mut sum = 0u64;
    for (pair, factor) in words.chunks_exact(2).zip(FACTORS) {
        let pair = u64::from(pair[1]) << 32 | u64::from(pair[0]);
        sum = sum.wrapping_add((pair ^ pair >> 29).wrapping_mul(factor));
    }
    (sum >> 32) as u32 ^ (sum >> 47) as u32
}

/// What a line holds: its words, and whether they are halfwords.
type Contents<const WORDS: usize> = ([u32; WORDS], bool);

/// Translations, by contents and by slot, of lines of so many words and places.
#[derive(Debug)]
pub struct Lines<const WORDS: usize, const PLACES: usize> {
    /// By contents' number. Number 0 belongs to slots of which nobody has said what they hold.
    entries: Vec<Entries<PLACES>>,
    /// The first halfword of each.
    firsts: Vec<u16>,
    /// How often each place was reached, until it is translated.
    heat: Vec<[u8; PLACES]>,
    /// The number of the contents of each slot.
    by_slot: Vec<u32>,
    known: HashMap<Contents<WORDS>, u32>,
    /// Some of them, by a hash.
    near: Vec<(Contents<WORDS>, u32)>,
    /// What slots hold: for when numbers are given anew.
    held: Vec<Option<Contents<WORDS>>>,
    stubs: Stubs<PLACES>,
    /// Translations that cannot be executed yet: contents' number, place, address.
    waiting: Vec<(u32, usize, usize)>,
}

impl<const WORDS: usize, const PLACES: usize> Lines<WORDS, PLACES> {
    /// None, for so many slots.
    pub(crate) fn new(slots: usize, stubs: Stubs<PLACES>) -> Self {
        Self {
            entries: vec![stubs.cold],
            firsts: vec![0],
            heat: vec![[0; PLACES]],
            by_slot: vec![0; slots],
            known: HashMap::new(),
            near: vec![(([0; WORDS], false), 0); NEAR],
            held: vec![None; slots],
            stubs,
            waiting: Vec::new(),
        }
    }

    /// The line in `slot` holds `words` now.
    #[inline]
    pub(crate) fn filled(&mut self, slot: usize, words: &[u32; WORDS], halfwords: bool) {
        let contents = (*words, halfwords);
        self.held[slot] = Some(contents);
        let hash = words_hash(words) ^ u32::from(halfwords);
        let near = &mut self.near[hash as usize % NEAR];
        if near.1 == 0 || near.0 != contents {
            let fresh = self.entries.len() as u32;
            let number = *self.known.entry(contents).or_insert(fresh);
            if number == fresh {
                self.entries.push(self.stubs.cold);
                self.firsts.push(words[0] as u16);
                self.heat.push([0; PLACES]);
            }
            *near = (contents, number);
        }
        self.by_slot[slot] = near.1;
    }

    /// Why there is no translation of `place` of the line in `slot`: it is for the interpreter, or not hot yet.
    #[inline]
    fn lacks(&self, slot: usize, place: usize) -> Option<Why> {
        let stubs = &self.stubs;
        let place = place % PLACES;
        let entry = self.entries[self.by_slot[slot] as usize][place];
        if entry == stubs.cold[place] {
            Some(Why::Cold)
        } else {
            (entry == stubs.left[place]).then_some(Why::Left)
        }
    }

    /// For translated code: entries by number, numbers by slot.
    #[inline(always)]
    pub(crate) fn tables(&self) -> (&[Entries<PLACES>], &[u32]) {
        (&self.entries, &self.by_slot)
    }

    /// The first halfwords by number, as many as entries.
    #[inline(always)]
    pub(crate) fn firsts(&self) -> &[u16] {
        &self.firsts
    }
}

impl<const WORDS: usize, const PLACES: usize> Known for Lines<WORDS, PLACES> {
    /// The slot of a line, and the instruction in it.
    type Place<'a> = (usize, usize);

    fn heats(&mut self, (slot, place): (usize, usize), hot: u8) -> Heat {
        let number = self.by_slot[slot] as usize;
        let heat = &mut self.heat[number][place % PLACES];
        if *heat == WAITING {
            return Heat::Waiting;
        }
        *heat = (*heat + 1).min(WAITING - 1);
        if number != 0 && *heat >= hot {
            Heat::Hot
        } else {
            Heat::Cold
        }
    }

    fn is_full(&self) -> bool {
        self.entries.len() > LIMIT
    }

    /// What is left to the interpreter waits for nothing.
    fn wait(&mut self, (slot, place): (usize, usize), entry: usize) {
        let (number, place) = (self.by_slot[slot], place % PLACES);
        if entry == self.stubs.left[place] {
            self.entries[number as usize][place] = entry;
        } else {
            self.heat[number as usize][place] = WAITING;
            self.waiting.push((number, place, entry));
        }
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn publish(&mut self) {
        for (number, place, entry) in self.waiting.drain(..) {
            self.entries[number as usize][place] = entry;
        }
    }

    fn clear(&mut self) {
        let held = std::mem::take(&mut self.held);
        *self = Self::new(held.len(), self.stubs);
        for (slot, contents) in held.into_iter().enumerate() {
            if let Some((words, halfwords)) = contents {
                self.filled(slot, &words, halfwords);
            }
        }
    }
}

impl<H: HostCode, const WORDS: usize, const PLACES: usize> Translations<H, Lines<WORDS, PLACES>> {
    /// Why there is no translation of `place` of the line in `slot`, if there is none.
    #[inline]
    #[must_use]
    pub fn lacks(&self, slot: usize, place: usize) -> Option<Why> {
        self.known.lacks(slot, place)
    }
}

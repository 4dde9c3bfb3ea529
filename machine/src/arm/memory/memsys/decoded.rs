// SPDX-License-Identifier: Apache-2.0
//! What the words in the instruction cache mean, decided when a line is filled.

use std::cell::Cell;
use std::rc::Rc;

use switchyard_translator::words_hash;

use crate::arm::isa::insn::{Insn, Op};
use crate::arm::isa::kind::Kind;
use crate::arm::memory::decode_cache::DecodeCache;
use crate::arm::memory::line::{Words, LINE_WORDS};

/// The decoded instructions of a line in ARM state, of half a line in Thumb state. Aligned as the
/// host's cache lines are: one of them then holds all eight. Part by part, so that the run loop
/// takes each part of an instruction where it needs it.
#[derive(Debug, Clone, Default)]
#[repr(align(64))]
pub struct Ops {
    insns: Cell<[Insn; LINE_WORDS]>,
    sources: Cell<[u16; LINE_WORDS]>,
    kinds: Cell<[Kind; LINE_WORDS]>,
    conds: Cell<[u8; LINE_WORDS]>,
}

impl Ops {
    /// The place of an instruction among eight, by its number in the line or in all of memory.
    #[inline(always)]
    #[must_use]
    pub fn place(number: u32) -> usize {
        number as usize % LINE_WORDS
    }

    /// The instruction in `place`.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, place: usize) -> Op {
        Op {
            insn: each(&self.insns)[place].get(),
            sources: each(&self.sources)[place].get(),
            kind: each(&self.kinds)[place].get(),
            cond: each(&self.conds)[place].get(),
        }
    }

    pub(super) fn set(&self, place: usize, op: Op) {
        each(&self.insns)[place].set(op.insn);
        each(&self.sources)[place].set(op.sources);
        each(&self.kinds)[place].set(op.kind);
        each(&self.conds)[place].set(op.cond);
    }

    /// Become those of `other`.
    #[inline]
    fn copy(&self, other: &Self) {
        self.insns.set(other.insns.get());
        self.sources.set(other.sources.get());
        self.kinds.set(other.kinds.get());
        self.conds.set(other.conds.get());
    }
}

#[inline(always)]
fn each<T>(all: &Cell<[T; LINE_WORDS]>) -> &[Cell<T>] {
    let all: &Cell<[T]> = all;
    all.as_slice_of_cells()
}

/// Lines that are remembered, a power of two: some times as many as the largest instruction cache has.
const KNOWN: usize = 4096;

/// ARM instructions of lines that were decoded before: a program that runs again, or a line that was
/// evicted, brings the same words.
pub(super) struct KnownLines(Box<[KnownLine]>);

/// A line's words, and what they mean.
#[derive(Clone)]
struct KnownLine {
    ops: Ops,
    words: Words,
}

impl KnownLines {
    /// None but that of zeros, whose words `words` decodes.
    pub(super) fn new(words: &mut DecodeCache) -> Self {
        let zeros = KnownLine::decode(&[0; LINE_WORDS], words);
        Self(vec![zeros; KNOWN].into())
    }

    /// Makes `ops` what `line` means, of which `words` decodes the words.
    #[inline]
    pub(super) fn decode(&mut self, line: &Words, words: &mut DecodeCache, ops: &Ops) {
        let known = &mut self.0[words_hash(line) as usize % KNOWN];
        if known.words != *line {
            *known = KnownLine::decode(line, words);
        }
        ops.copy(&known.ops);
    }
}

impl KnownLine {
    fn decode(line: &Words, words: &mut DecodeCache) -> Self {
        let ops = Ops::default();
        for (place, word) in line.iter().enumerate() {
            ops.set(place, words.decode(*word));
        }
        Self { ops, words: *line }
    }
}

/// The decoded instructions of the lines of the instruction cache, by slot; those of the upper
/// halves of lines in Thumb state follow after all others. The run loop has them as well: it goes
/// through a line while instructions in it change the memory system.
#[derive(Debug, Clone)]
pub struct Decoded(Rc<[Ops]>);

impl Decoded {
    pub(super) fn new(slots: usize) -> Self {
        Self(vec![Ops::default(); 2 * slots].into())
    }

    /// Those of the line in `slot`, or of its lower half; of the upper half so many slots further as there are.
    #[inline(always)]
    pub(super) fn line(&self, slot: usize) -> &Ops {
        &self.0[slot]
    }

    /// Where instruction `index` of the line in `slot` is, counted in the state it is decoded for.
    #[inline(always)]
    #[must_use]
    pub fn ops(&self, slot: usize, index: usize) -> &Ops {
        let half = index / LINE_WORDS * (self.0.len() / 2);
        &self.0[slot + half]
    }
}

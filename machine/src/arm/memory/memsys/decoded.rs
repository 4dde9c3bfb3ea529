// SPDX-License-Identifier: Apache-2.0
//! What the words in the instruction cache mean, decided when a line is filled.

use std::cell::Cell;
use std::rc::Rc;

use crate::arm::isa::insn::{Insn, Op};
use crate::arm::isa::kind::Kind;
use crate::arm::memory::line::LINE_WORDS;

/// The decoded instructions of a line in ARM state, of half a line in Thumb state. Aligned as the
/// host's cache lines are: one of them then holds all eight. Part by part, so that the run loop
/// takes each part of an instruction where it needs it.
#[derive(Debug, Clone, Default)]
#[repr(align(64))]
pub struct Ops {
    insns: [Cell<Insn>; LINE_WORDS],
    sources: [Cell<u16>; LINE_WORDS],
    kinds: [Cell<Kind>; LINE_WORDS],
    conds: [Cell<u8>; LINE_WORDS],
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
            insn: self.insns[place].get(),
            sources: self.sources[place].get(),
            kind: self.kinds[place].get(),
            cond: self.conds[place].get(),
        }
    }

    pub(super) fn set(&self, place: usize, op: Op) {
        self.insns[place].set(op.insn);
        self.sources[place].set(op.sources);
        self.kinds[place].set(op.kind);
        self.conds[place].set(op.cond);
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

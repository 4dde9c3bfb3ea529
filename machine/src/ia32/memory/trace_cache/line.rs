// SPDX-License-Identifier: Apache-2.0
//! A line of the trace cache: instructions as they were decoded, their bytes, and what each costs.

use switchyard_translator::traces::MOST_STEPS;

use crate::ia32::isa::cost::Cost;
use crate::ia32::isa::encoding::{Encoding, LONGEST_INSN};
use crate::ia32::isa::insn::Insn;

/// Most instructions of a line: each has a µop at least.
pub const LINE_UOPS: usize = 6;
const _: () = assert!(LINE_UOPS <= MOST_STEPS);
/// Most bytes that decoding a line looks at: those of its instructions and of one after.
const CODE_BYTES: usize = (LINE_UOPS + 1) * LONGEST_INSN;

/// An instruction of a line.
#[derive(Debug, Clone, Copy, Default)]
pub struct Step {
    /// What it costs.
    pub cost: Cost,
    /// It.
    pub insn: Insn,
    /// The number of its operation.
    pub operation: u16,
}

/// A line's instructions.
#[derive(Debug, Clone)]
pub struct Line {
    steps: [Step; LINE_UOPS],
    /// The bytes of them all, and then of what was looked at after them and did not fit.
    code: [u8; CODE_BYTES],
    count: u8,
    /// µops of them all.
    uops: u8,
    /// Bytes of them all.
    bytes: u8,
    /// How many bytes were looked at after them; `None`: the page ended before that was known.
    after: Option<u8>,
}

impl Default for Line {
    fn default() -> Self {
        Self {
            steps: Default::default(),
            code: [0; CODE_BYTES],
            count: 0,
            uops: 0,
            bytes: 0,
            after: None,
        }
    }
}

impl Line {
    /// An instruction alone.
    #[must_use]
    pub fn of(insn: Insn, code: Encoding, cost: Cost) -> Self {
        let mut line = Self::default();
        line.push(insn, code, cost);
        line
    }

    /// Appends an instruction, for which there is room.
    pub fn push(&mut self, insn: Insn, code: Encoding, cost: Cost) {
        let n = usize::from(self.count);
        self.steps[n] = Step {
            cost,
            insn,
            operation: insn.operation() as u16,
        };
        self.append(code.bytes());
        self.count += 1;
        self.uops += cost.uops;
        self.bytes += insn.length;
    }

    /// Says that it ends before what is encoded so.
    pub fn end_before(&mut self, after: Option<Encoding>) {
        self.after = after.map(|code| {
            self.append(code.bytes());
            code.bytes().len() as u8
        });
    }

    /// Puts bytes after those of its instructions.
    fn append(&mut self, code: &[u8]) {
        let first = usize::from(self.bytes);
        self.code[first..first + code.len()].copy_from_slice(code);
    }

    /// How many bytes decoding it looks at, if that is known.
    pub(super) fn looked_at(&self) -> Option<u32> {
        Some(u32::from(self.bytes + self.after?))
    }

    /// Whether decoding `bytes` would give this line.
    pub(super) fn is_of(&self, bytes: &[u8]) -> bool {
        self.looked_at().is_some_and(|looked_at| {
            let looked_at = looked_at as usize;
            bytes.get(..looked_at) == Some(&self.code[..looked_at])
        })
    }

    /// How many instructions there are.
    #[inline(always)]
    #[must_use]
    pub fn count(&self) -> usize {
        usize::from(self.count)
    }

    /// The µops of them all.
    #[must_use]
    pub fn uops(&self) -> usize {
        usize::from(self.uops)
    }

    /// The bytes of them all.
    #[inline(always)]
    #[must_use]
    pub fn bytes(&self) -> u32 {
        u32::from(self.bytes)
    }

    /// Its instructions.
    #[inline(always)]
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps[..self.count()]
    }

    /// Instruction `n`.
    #[inline(always)]
    #[must_use]
    pub fn insn(&self, n: usize) -> &Insn {
        &self.steps[n].insn
    }

    /// The bytes of each instruction, in their order.
    pub(super) fn codes(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = &self.code[..usize::from(self.bytes)];
        self.steps().iter().map(move |step| {
            let (own, others) = rest.split_at(step.insn.length.into());
            rest = others;
            own
        })
    }

    /// The bytes of instruction `n`.
    #[inline]
    #[must_use]
    pub fn code(&self, n: usize) -> Encoding {
        let before = self.steps[..n].iter().map(|step| step.insn.length);
        let first: usize = before.map(usize::from).sum();
        let bytes = self.code[first..].first_chunk();
        bytes.map_or_else(Encoding::default, |bytes| {
            Encoding::first_of(bytes, self.steps[n].insn.length)
        })
    }
}

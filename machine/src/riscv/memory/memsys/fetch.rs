// SPDX-License-Identifier: Apache-2.0
//! Instruction fetch: TLB, instruction cache, fill. What a line's bytes mean is decided once after it was
//! filled, so a stale instruction is stale in its decoded form too.

use crate::bus::Target;
use crate::dev::Width;
use crate::event::Cycle;
use crate::riscv::config::LINE_BYTES;
use crate::riscv::isa::decoder;
use crate::riscv::isa::insn::Op;
use crate::riscv::memory::fault::{Abort, Access};

use super::hint::OFFSET;
use super::journal::Event;
use super::translate::Location;
use super::{MemSys, DECODED, LINE_OPS, NO_LINE};

/// Words of a line.
const LINE_WORDS: usize = LINE_BYTES as usize / 4;

impl MemSys {
    /// Fetches the line at `va`: it is in [`MemSys::line_slot`] then. The core repeats this only when
    /// the next instruction lies in another line or something that this looks at has changed.
    ///
    /// # Errors
    /// The fetch faulted.
    #[inline]
    pub fn fetch(&mut self, va: u64) -> Result<(), Abort> {
        if let Some(hint) = self.fetches.find(va & !1, 2, self.fetch_tag) {
            self.line = va & !OFFSET;
            self.line_slot = hint.slot as usize;
            return Ok(());
        }
        self.fetch_unhinted(va)
    }

    #[inline(never)]
    fn fetch_unhinted(&mut self, va: u64) -> Result<(), Abort> {
        let location = self.locate(va, 2, Access::Fetch)?;
        let slot = match self.icache.lookup(location.pa) {
            Some(slot) => slot,
            None => self.fill(va, location)?,
        };
        self.line_slot = slot;
        self.line = NO_LINE;
        if location.whole_line {
            self.line = va & !OFFSET;
            if self.icache.hits_leave_no_trace() {
                self.fetches.remember(va, self.fetch_tag, slot, 0);
            }
        }
        Ok(())
    }

    /// Fills the line of `va` in the instruction cache.
    fn fill(&mut self, va: u64, location: Location) -> Result<usize, Abort> {
        let Location { pa, target, .. } = location;
        let start = self.platform.cycle;
        self.platform.counters.now.icache.misses += 1;
        let mut bytes = [0; LINE_BYTES as usize];
        let line = pa & !(LINE_BYTES - 1);
        if let Target::Device(_) = target {
            for (n, word) in bytes.chunks_exact_mut(4).enumerate() {
                let read = self.platform.read(target, line + 4 * n as u32, Width::Word);
                let Some(value) = read else {
                    return Err(self.fail(Access::Fetch.access_fault(), va));
                };
                word.copy_from_slice(&value.to_le_bytes());
            }
            self.platform.cycle += Cycle::from(self.prices.device);
        } else {
            let Some(words) = self.platform.bus.read_line::<LINE_WORDS>(line) else {
                return Err(self.fail(Access::Fetch.access_fault(), va));
            };
            for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
                place.copy_from_slice(&word.to_le_bytes());
            }
            let tally = &mut self.platform.counters.now;
            self.platform.cycle = self.hierarchy.second_level(line, start, tally);
        }
        self.platform.counters.now.stall.fill += self.platform.cycle - start;
        let slot = self.icache.choose_victim(line);
        self.fetches.forget(slot);
        self.icache.fill(slot, line).bytes = bytes;
        self.line_changed(slot);
        self.journal.note(|| Event::InsnFilled { pa: line });
        Ok(slot)
    }

    /// What the instruction at `va` in the line that was fetched last does, once decoded.
    #[inline(always)]
    #[must_use]
    pub fn op(&self, va: u64) -> Op {
        self.ops[self.line_slot * LINE_OPS + (va & OFFSET) as usize / 2]
    }

    /// The same, not decoded yet, or one that goes on in the next line. The line that was fetched last is
    /// the one where it ends, then.
    ///
    /// # Errors
    /// The rest of it cannot be fetched.
    #[cold]
    pub fn decode(&mut self, va: u64) -> Result<Op, Abort> {
        let at = self.line_slot * LINE_OPS + (va & OFFSET) as usize / 2;
        let code = self.code(va);
        if code & 3 == 3 && va & OFFSET == OFFSET - 1 {
            self.ops[at] = Op::CROSSING;
            let code = self.crossing_code(va)?;
            self.crossing = (va, code);
            return Ok(self.decoded(code));
        }
        let op = self.decoded(code);
        self.ops[at] = op;
        Ok(op)
    }

    /// What `code` means: mostly it was decoded before.
    #[inline]
    fn decoded(&mut self, code: u32) -> Op {
        let known = &mut self.decoded[(code ^ code >> 7 ^ code >> 20) as usize % DECODED];
        if known.0 != code {
            *known = (code, decoder::decode(code, self.extensions));
        }
        known.1
    }

    /// The encoding of the instruction at `va` that goes on in the next line, and which begins in the line
    /// that was fetched last.
    fn crossing_code(&mut self, va: u64) -> Result<u32, Abort> {
        let low = self.code(va);
        let next = va.wrapping_add(2);
        self.fetch(next)?;
        Ok(self.code(next) << 16 | low & 0xffff)
    }

    /// The encoding of the instruction at `va`, which was fetched last.
    #[must_use]
    pub fn encoding(&self, va: u64) -> u32 {
        let (crossing, code) = self.crossing;
        if crossing == va && self.line != va & !OFFSET {
            code
        } else {
            self.code(va)
        }
    }

    /// Up to 32 bits from `va` on in the line that was fetched last: the low 16 if that is all, or a
    /// compressed instruction.
    #[must_use]
    pub fn code(&self, va: u64) -> u32 {
        let at = (va & OFFSET) as usize;
        let bytes = &self.icache.line(self.line_slot).bytes;
        let low = u32::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
        match (low & 3, bytes.get(at + 2..at + 4)) {
            (3, Some(high)) => low | u32::from(u16::from_le_bytes([high[0], high[1]])) << 16,
            _ => low,
        }
    }
}

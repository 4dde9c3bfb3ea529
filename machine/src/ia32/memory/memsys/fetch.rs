// SPDX-License-Identifier: Apache-2.0
//! Code: bytes for the decoder, and what is decoded goes into the trace cache with the translations
//! by which it was fetched.

use std::rc::Rc;

use crate::ia32::isa::exception::Fault;
use crate::ia32::memory::mmu::Access;
use crate::ia32::memory::pipeline::Pipeline;
use crate::ia32::memory::trace_cache::line::Line;
use crate::ia32::memory::trace_cache::Key;

use super::{MemSys, PAGE_BYTES};

impl<P: Pipeline> MemSys<P> {
    /// The bytes of instructions from physical address `pa` to the end of its page, sixteen at most.
    /// Where no memory is they are single reads of whatever answers.
    pub fn code(&mut self, pa: u32) -> ([u8; 16], usize) {
        let in_page = (PAGE_BYTES - (pa & (PAGE_BYTES - 1))).min(16) as usize;
        let mut bytes = [0; 16];
        if let Some(found) = self.platform.bus.ram_slice(pa, in_page) {
            bytes[..in_page].copy_from_slice(found);
            return (bytes, in_page);
        }
        bytes[0] = self.physical_read::<1>(pa) as u8;
        (bytes, 1)
    }

    /// The physical address of `linear`, from which something was fetched a moment ago.
    pub(in crate::ia32) fn insn_address(&self, linear: u32) -> Option<u32> {
        self.peek_translation(linear, true)
    }

    /// Keeps a line whose first and last bytes are at these linear addresses; gives its slot. `None`:
    /// not all of it is in memory.
    pub(in crate::ia32) fn keep_line(
        &mut self,
        key: Key,
        line: Line,
        ends: [u32; 2],
    ) -> Option<usize> {
        let Some((places, code)) = self.backing(ends) else {
            self.time.fetch_device(&mut self.platform);
            return None;
        };
        self.time
            .build(code, line.count(), line.uops(), &mut self.platform);
        let line = Rc::new(line);
        self.traces.remember(key, &line);
        Some(self.insert_line(key, line, places, code))
    }

    /// Keeps a line that has been decoded before, and whose bytes are still there: `None` if there
    /// is none for the instruction at `linear`, whose page may be fetched to its end as far as its segment
    /// goes.
    ///
    /// # Errors
    /// The page may not be fetched from.
    pub(in crate::ia32) fn keep_decoded(
        &mut self,
        key: Key,
        linear: u32,
        access: Access,
    ) -> Result<Option<usize>, Fault> {
        let Some(line) = self.find_decoded(key, linear) else {
            return Ok(None);
        };
        // As fetching the first instruction would.
        self.translate(linear, access)?;
        let Some((places, code)) = self.backing([linear, linear + (line.bytes() - 1)]) else {
            return Ok(None);
        };
        self.time
            .build(code, line.count(), line.uops(), &mut self.platform);
        Ok(Some(self.insert_line(key, line, places, code)))
    }

    /// Puts a line in. Stores to where no code was before are compared with it from now on.
    fn insert_line(
        &mut self,
        key: Key,
        line: Rc<Line>,
        places: [usize; 2],
        code: [u32; 2],
    ) -> usize {
        if code.iter().any(|&pa| !self.traces.has_code(pa)) {
            self.writes.forget();
        }
        self.traces.insert(key, line, places, code)
    }

    fn find_decoded(&self, key: Key, linear: u32) -> Option<Rc<Line>> {
        let pa = if self.pages() {
            self.itlb.peek(linear)?.1.translate(linear)
        } else {
            linear
        };
        let room = PAGE_BYTES - (pa & (PAGE_BYTES - 1));
        let bytes = self.platform.bus.ram_slice(pa, room as usize)?;
        self.traces.decoded(key, bytes)
    }

    /// The places in the instruction TLB, and the physical addresses, of what was fetched from these
    /// linear addresses a moment ago. `None`: it is not in memory.
    fn backing(&self, ends: [u32; 2]) -> Option<([usize; 2], [u32; 2])> {
        let mut places = [self.traces.untranslated(); 2];
        let mut code = ends;
        if self.pages() {
            for (n, linear) in ends.into_iter().enumerate() {
                let (place, page) = self.itlb.peek(linear)?;
                (places[n], code[n]) = (place, page.translate(linear));
            }
        }
        let in_memory = |pa: &u32| self.platform.bus.ram_slice(*pa, 1).is_some();
        code.iter().all(in_memory).then_some((places, code))
    }
}

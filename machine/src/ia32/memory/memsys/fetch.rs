// SPDX-License-Identifier: Apache-2.0
//! Code: bytes for the decoder, and what is decoded goes into the trace cache with the translations
//! by which it was fetched.

use crate::ia32::memory::pipeline::Pipeline;
use crate::ia32::memory::trace_cache::line::Line;
use crate::ia32::memory::trace_cache::{Key, Known};

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
        let line = self.traces.keep(key, line, code[0]);
        Some(self.insert_line(key, line, places, code))
    }

    /// Keeps a line that has been decoded before, and whose bytes are those at `pa`, which is what `linear` was
    /// translated to a moment ago; gives its slot. `None`: there is none. Its page may be fetched to the end.
    pub(in crate::ia32) fn keep_known(&mut self, key: Key, linear: u32, pa: u32) -> Option<usize> {
        let room = PAGE_BYTES - (pa & (PAGE_BYTES - 1));
        let bytes = self.platform.bus.ram_slice(pa, room as usize)?;
        let line = self.traces.known(key, pa, bytes)?;
        let place = if self.pages() {
            self.itlb.peek(linear)?.0
        } else {
            self.traces.untranslated()
        };
        let last = pa + u32::from(line.size.bytes) - 1;
        Some(self.insert_line(key, line, [place; 2], [pa, last]))
    }

    /// Puts a line in. Stores to where no code was before are compared with it from now on.
    fn insert_line(&mut self, key: Key, line: Known, places: [usize; 2], code: [u32; 2]) -> usize {
        let [count, uops] = [line.size.count, line.size.uops].map(usize::from);
        self.time.build(code, count, uops, &mut self.platform);
        for pa in code {
            if self.traces.ends_hints(pa) {
                self.writes.forget();
            }
        }
        self.traces.insert(key, line, places, code)
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

// SPDX-License-Identifier: Apache-2.0
//! What debuggers, observers and checkers see of the memory system: they leave no trace in it.

use crate::counters::Tally;
use crate::ia32::isa::register::{cr0, cr4};
use crate::ia32::memory::mmu::{self, entry};
use crate::ia32::memory::pipeline::Pipeline;
use crate::ia32::memory::tlb::TlbEntry;

use super::MemSys;

impl<P: Pipeline> MemSys<P> {
    /// Everything counted so far, user and kernel together.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let mut tally = self.platform.counters.counted();
        tally.run.cycles += self.platform.cycle - self.synced_cycle;
        tally.run.instructions += self.platform.counters.fetches - self.synced_instructions;
        tally.uop.entered += self.time.uops() - self.synced_uops;
        tally
    }

    /// Whether paging is on.
    #[inline(always)]
    #[must_use]
    pub fn pages(&self) -> bool {
        self.cr0 & cr0::PG != 0
    }

    /// Whether the supervisor's writes respect pages that cannot be written.
    #[must_use]
    pub fn write_protects(&self) -> bool {
        self.cr0 & cr0::WP != 0
    }

    /// The physical address of the page directory.
    #[must_use]
    pub fn directory(&self) -> u32 {
        self.cr3 & 0xffff_f000
    }

    /// The address of the last page fault.
    #[must_use]
    pub fn fault_address(&self) -> u32 {
        self.cr2
    }

    /// What the page tables say of `linear` now; `None`: it is not mapped.
    #[must_use]
    pub fn walk_now(&self, linear: u32) -> Option<TlbEntry> {
        self.walk_from(self.cr3, linear)
    }

    /// What the page tables below the directory at `directory`, a physical address, say of `linear`.
    #[must_use]
    pub fn walk_from(&self, directory: u32, linear: u32) -> Option<TlbEntry> {
        let read = |pa| self.platform.bus.read_memory_word(pa);
        let global_pages = self.cr4 & cr4::PGE != 0;
        let pde = read(mmu::directory_entry(directory, linear)).filter(|e| e & entry::P != 0)?;
        if pde & entry::PS != 0 && self.cr4 & cr4::PSE != 0 {
            let right = pde & entry::RESERVED_4MB == 0;
            return right.then(|| mmu::large_page(pde, linear, global_pages));
        }
        let pte = read(mmu::table_entry(pde, linear)).filter(|e| e & entry::P != 0)?;
        Some(mmu::small_page(pde, pte, linear, global_pages))
    }

    /// The entries of the page tables that [`Self::walk_now`] goes by: of the directory, and of the table, 0
    /// for a large page. `None`: it is not mapped.
    #[inline]
    #[must_use]
    pub fn entries_now(&self, linear: u32) -> Option<[u32; 2]> {
        let read = |pa| self.platform.bus.read_memory_word(pa);
        let pde = read(mmu::directory_entry(self.cr3, linear)).filter(|e| e & entry::P != 0)?;
        if pde & entry::PS != 0 && self.cr4 & cr4::PSE != 0 {
            return Some([pde, 0]);
        }
        let pte = read(mmu::table_entry(pde, linear)).filter(|e| e & entry::P != 0)?;
        Some([pde, pte])
    }

    /// The registers that say what these mean: CR0 and CR4.
    #[inline]
    #[must_use]
    pub fn controls(&self) -> [u32; 2] {
        [self.cr0, self.cr4]
    }

    /// Whether the directory in force has an entry for `linear`, of a table or a large page.
    #[must_use]
    pub fn has_directory_entry(&self, linear: u32) -> bool {
        let at = mmu::directory_entry(self.cr3, linear);
        let entry = self.platform.bus.read_memory_word(at);
        entry.is_some_and(|e| e & entry::P != 0)
    }

    /// Whether `linear` is in the code segment of the program that ran last, and that is not all of memory:
    /// whoever wrote its descriptor has given these addresses to the program.
    #[must_use]
    pub fn program_was_given(&self, linear: u32) -> bool {
        let inside = |[base, limit]: [u32; 2]| linear.wrapping_sub(base) <= limit;
        self.program.is_some_and(inside)
    }

    /// The word at `linear` by the page tables, if memory is there.
    #[must_use]
    pub fn word_now(&self, linear: u32) -> Option<u32> {
        let pa = self.walk_now(linear)?.translate(linear);
        self.platform.bus.read_memory_word(pa)
    }

    /// Where an access to `linear` would go: by the TLB, or else by the page tables.
    #[must_use]
    pub fn peek_translation(&self, linear: u32, fetch: bool) -> Option<u32> {
        if !self.pages() {
            return Some(linear);
        }
        let tlb = if fetch { &self.itlb } else { &self.dtlb };
        let held = tlb.peek(linear).map(|(_, page)| *page);
        let page = held.or_else(|| self.walk_now(linear))?;
        Some(page.translate(linear))
    }

    /// The byte at `linear`, if memory is there.
    #[must_use]
    pub fn peek(&self, linear: u32) -> Option<u8> {
        let pa = self.peek_translation(linear, false)?;
        self.platform.bus.ram_slice(pa, 1).map(|bytes| bytes[0])
    }

    /// Changes the byte at `linear`, where memory is; gives its physical address.
    pub fn poke(&mut self, linear: u32, byte: u8) -> Option<u32> {
        let pa = self.peek_translation(linear, false)?;
        self.platform.bus.ram_slice_mut(pa, 1)?[0] = byte;
        if self.traces.has_code(pa) {
            self.empty_traces();
        }
        self.traces.stored(pa, 1);
        self.stored(pa, 1);
        Some(pa)
    }
}

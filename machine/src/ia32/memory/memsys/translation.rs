// SPDX-License-Identifier: Apache-2.0
//! Translation: the TLBs, the walk of the page tables, and the page faults of both.

use crate::ia32::isa::exception::Fault;
use crate::ia32::isa::register::{cr0, cr4};
use crate::ia32::memory::hierarchy::Sixth;
use crate::ia32::memory::mmu::{self, code, entry, Access};
use crate::ia32::memory::pipeline::Pipeline;
use crate::ia32::memory::tlb::TlbEntry;
use crate::ideal_tags::{DATA, INSNS};

use super::MemSys;

impl<P: Pipeline> MemSys<P> {
    /// The physical address of `linear`.
    ///
    /// # Errors
    /// A page fault; its address is in CR2.
    #[inline(always)]
    pub fn translate(&mut self, linear: u32, access: Access) -> Result<u32, Fault> {
        if self.cr0 & cr0::PG == 0 {
            return Ok(linear);
        }
        let now = &mut self.platform.counters.now;
        let found = if access.fetch {
            now.itlb.accesses += 1;
            self.itlb.lookup(linear)
        } else {
            now.dtlb.accesses += 1;
            self.dtlb.lookup(linear)
        };
        match found {
            Some(page) if !access.write || page.dirty => {
                let page = *page;
                if mmu::allows(&page, access, self.cr0 & cr0::WP != 0) {
                    return Ok(page.translate(linear));
                }
                Err(self.page_fault(linear, access, code::PROTECTION))
            }
            found => {
                let found = found.copied();
                self.translate_by_walk(linear, access, found)
            }
        }
    }

    /// The physical address of `linear` where the TLB has no entry, or `found` that has not seen a write yet.
    #[cold]
    fn translate_by_walk(
        &mut self,
        linear: u32,
        access: Access,
        found: Option<TlbEntry>,
    ) -> Result<u32, Fault> {
        if let Some(page) = found {
            if !mmu::allows(&page, access, self.cr0 & cr0::WP != 0) {
                return Err(self.page_fault(linear, access, code::PROTECTION));
            }
            self.drop_data_translation(linear);
        } else {
            let now = &mut self.platform.counters.now;
            if access.fetch {
                now.itlb.misses += 1;
            } else {
                now.dtlb.misses += 1;
            }
        }
        let mut at = self.time.begin_walk(access.fetch);
        let page = self.walk(linear, access, &mut at);
        self.time.end_walk(at, access.fetch, &mut self.platform);
        let page = page?;
        if access.fetch {
            let place = self.itlb.insert(linear, page);
            self.traces.forget(place);
            self.hold(INSNS, place, page);
        } else {
            let gone = self.dtlb.next_to_go(linear).copied();
            let place = self.dtlb.insert(linear, page);
            self.forget_hints_of(gone.into_iter().chain([page]));
            self.hold(DATA, place, page);
        }
        Ok(page.translate(linear))
    }

    /// Walks the tables for `linear`. The directory entry's accessed bit is set when the entry is
    /// used; those of the page when the access is allowed. Goes on from the time `at`.
    fn walk(&mut self, linear: u32, access: Access, at: &mut Sixth) -> Result<TlbEntry, Fault> {
        let pde_at = mmu::directory_entry(self.cr3, linear);
        let pde = self.walk_read(pde_at, at);
        if pde & entry::P == 0 {
            return Err(self.page_fault(linear, access, 0));
        }
        let global_pages = self.cr4 & cr4::PGE != 0;
        if pde & entry::PS != 0 && self.cr4 & cr4::PSE != 0 {
            if pde & entry::RESERVED_4MB != 0 {
                let why = code::PROTECTION | code::RESERVED;
                return Err(self.page_fault(linear, access, why));
            }
            let page = mmu::large_page(pde, linear, global_pages);
            return self.finish_walk(page, pde_at, pde, linear, access);
        }
        if pde & entry::A == 0 {
            self.write_memory::<4>(pde_at, pde | entry::A);
        }
        let pte_at = mmu::table_entry(pde, linear);
        let pte = self.walk_read(pte_at, at);
        if pte & entry::P == 0 {
            return Err(self.page_fault(linear, access, 0));
        }
        let page = mmu::small_page(pde, pte, linear, global_pages);
        self.finish_walk(page, pte_at, pte, linear, access)
    }

    /// Checks the access to `page`, whose entry `value` is at `at`, and notes it there.
    fn finish_walk(
        &mut self,
        mut page: TlbEntry,
        at: u32,
        value: u32,
        linear: u32,
        access: Access,
    ) -> Result<TlbEntry, Fault> {
        if !mmu::allows(&page, access, self.cr0 & cr0::WP != 0) {
            return Err(self.page_fault(linear, access, code::PROTECTION));
        }
        page.dirty |= access.write;
        let noted = value | entry::A | if access.write { entry::D } else { 0 };
        if noted != value {
            self.write_memory::<4>(at, noted);
        }
        Ok(page)
    }

    fn walk_read(&mut self, pa: u32, at: &mut Sixth) -> u32 {
        self.platform.counters.now.memory.walk_reads += 1;
        *at = self.time.walk_read(pa, *at, &mut self.platform);
        match self.platform.bus.read_memory_word(pa) {
            Some(entry) => entry,
            None => self.read_beside_ram::<4>(pa),
        }
    }

    fn page_fault(&mut self, linear: u32, access: Access, why: u16) -> Fault {
        self.cr2 = linear;
        let now = &mut self.platform.counters.now;
        if why & code::PROTECTION == 0 {
            now.fault.translation += 1;
        } else {
            now.fault.permission += 1;
        }
        if access.fetch {
            now.page_fault.fetch += 1;
            self.drop_insn_translation(linear);
        } else {
            now.page_fault.data += 1;
            self.drop_data_translation(linear);
        }
        Fault::page(why | access.code())
    }
}

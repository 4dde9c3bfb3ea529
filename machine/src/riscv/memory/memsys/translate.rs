// SPDX-License-Identifier: Apache-2.0
//! From virtual to physical addresses: both levels of TLBs, walks, and what may be accessed there.

use crate::bus::Target;
use crate::event::Cycle;
use crate::riscv::isa::cause::Exception;
use crate::riscv::isa::privilege::Privilege;
use crate::riscv::memory::counted::WALKS;
use crate::riscv::memory::fault::{Abort, Access};
use crate::riscv::memory::mmu::{self, pte, satp, Rights, Step, LEVELS};
use crate::riscv::memory::tlb::TlbEntry;

use super::journal::Event;
use super::MemSys;

/// Where an access goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Location {
    /// The physical address.
    pub pa: u32,
    /// What stands there: something.
    pub target: Target,
    /// Whether all of its line may be accessed like it.
    pub whole_line: bool,
}

impl MemSys {
    /// Where `bytes` at `va` are, which the access may use. They do not cross a page.
    #[inline]
    pub(super) fn locate(
        &mut self,
        va: u64,
        bytes: u64,
        access: Access,
    ) -> Result<Location, Abort> {
        let (translates, rights) = match access {
            Access::Fetch => {
                let rights = Rights {
                    privilege: self.registers.privilege,
                    ..self.registers.data
                };
                (self.translates_fetches(), rights)
            }
            _ => (self.translates_data(), self.registers.data),
        };
        let (pa, protection) = if translates {
            match self.translate(va, access, rights) {
                Ok(found) => found,
                Err(exception) => return Err(self.fail(exception, va)),
            }
        } else {
            (va, None)
        };
        match self.physical_access(pa, bytes, access, rights.privilege, protection) {
            Some(location) => Ok(location),
            None => Err(self.fail(access.access_fault(), va)),
        }
    }

    /// Where `bytes` at physical `pa` are, if they may be accessed.
    #[inline]
    fn physical_access(
        &self,
        pa: u64,
        bytes: u64,
        access: Access,
        privilege: Privilege,
        protection: Option<u8>,
    ) -> Option<Location> {
        let allowed = match protection {
            Some(rights) => rights & access.right() != 0,
            None => self.pmp.allows(pa, bytes, access, privilege),
        };
        let near = u32::try_from(pa).ok().filter(|_| allowed)?;
        let target = self.platform.bus.target(near);
        if target == Target::Nothing {
            return None;
        }
        let line = pa & !super::hint::OFFSET;
        let whole_line = protection.is_some()
            || self
                .pmp
                .rights(line, super::hint::OFFSET + 1, privilege)
                .is_some();
        Some(Location {
            pa: near,
            target,
            whole_line,
        })
    }

    /// Translates `va`: the physical address, and what protection allows in all of its page.
    #[inline]
    fn translate(
        &mut self,
        va: u64,
        access: Access,
        rights: Rights,
    ) -> Result<(u64, Option<u8>), Exception> {
        let fetch = access == Access::Fetch;
        if !fetch {
            self.platform.counters.now.dtlb.accesses += 1;
        }
        if !mmu::is_canonical(va) {
            return Err(access.page_fault());
        }
        let asid = self.asid();
        let tlb = if fetch {
            &mut self.itlb
        } else {
            &mut self.dtlb
        };
        let mut entry = match tlb.lookup(va, asid) {
            Some(entry) => *entry,
            None => self.refill(va, access, rights)?,
        };
        if entry.pte & pte::V == 0 {
            return Err(access.page_fault());
        }
        if !mmu::allows(entry.pte, access, rights)
            || mmu::is_misaligned(entry.pte, u32::from(entry.level))
        {
            return Err(access.page_fault());
        }
        let needed = mmu::needed(access);
        if entry.pte & needed != needed {
            if !self.registers.updates {
                return Err(access.page_fault());
            }
            entry = self.walk(va, access, rights)?;
            self.keep(va, entry, fetch);
        }
        Ok((entry.translate(va), entry.protection))
    }

    /// Brings the translation of `va` into a first-level TLB: from the second level, or by a walk.
    #[cold]
    fn refill(&mut self, va: u64, access: Access, rights: Rights) -> Result<TlbEntry, Exception> {
        let fetch = access == Access::Fetch;
        let now = &mut self.platform.counters.now;
        if fetch {
            now.itlb.misses += 1;
        } else {
            now.dtlb.misses += 1;
        }
        let start = self.platform.cycle;
        self.platform.cycle += Cycle::from(self.prices.second_tlb);
        let asid = self.asid();
        let found = self.l2_tlb.lookup(va, asid).copied();
        let entry = match found {
            Some(entry) => Ok(entry),
            None => self.walk(va, access, rights),
        };
        let now = &mut self.platform.counters.now;
        now.stall.walk += self.platform.cycle - start;
        let entry = entry?;
        self.keep(va, entry, fetch);
        Ok(entry)
    }

    /// Puts what was found for `va` into the TLBs.
    fn keep(&mut self, va: u64, entry: TlbEntry, fetch: bool) {
        self.forget_hints();
        let tlb = if fetch {
            &mut self.itlb
        } else {
            &mut self.dtlb
        };
        tlb.insert(va, entry);
        // The second level has no superpages and nothing invalid (as Rocket's, `l2_refill`).
        if entry.level == 0 && entry.pte & pte::V != 0 {
            self.l2_tlb.insert(va, entry);
        }
    }

    /// Walks the page tables for `va` (II, "Virtual Address Translation Process").
    fn walk(&mut self, va: u64, access: Access, rights: Rights) -> Result<TlbEntry, Exception> {
        self.platform.cycle += Cycle::from(self.prices.walk);
        self.platform.counters.now.own[WALKS] += 1;
        let mut table = self.registers.satp & satp::PPN;
        let mut remembered = false;
        for level in (0..LEVELS).rev() {
            let place = mmu::entry_address(table, va, level);
            if let Some(next) = self.pointers.find(place) {
                // The next level in the next cycle, as Rocket's.
                self.platform.cycle += 1;
                (table, remembered) = (next, true);
                continue;
            }
            let Some((at, mut entry)) = self.read_entry(place) else {
                return Err(access.access_fault());
            };
            match mmu::step(entry, level) {
                Step::Table(next) => {
                    self.pointers.keep(place, next);
                    table = next;
                }
                Step::Invalid => return self.invalid(va, at, access),
                Step::Leaf => {
                    if self.registers.updates {
                        entry = self.update(at, entry, level, access, rights)?;
                    }
                    let entry = self.entry(va, at, entry, level);
                    self.journal.note(|| Event::Walked { entry, remembered });
                    return Ok(entry);
                }
            }
        }
        Err(access.page_fault())
    }

    /// A walk for `va` has ended in an entry that is not valid, at `at`.
    fn invalid(&mut self, va: u64, at: u32, access: Access) -> Result<TlbEntry, Exception> {
        if !self.isa.remembers_invalid {
            return Err(access.page_fault());
        }
        Ok(TlbEntry {
            va: va & !0xfff,
            pte: 0,
            at,
            level: 0,
            protection: None,
            asid: self.asid(),
        })
    }

    fn entry(&self, va: u64, at: u32, entry: u64, level: u32) -> TlbEntry {
        let mut new = TlbEntry {
            va: 0,
            pte: entry,
            at,
            level: level as u8,
            protection: None,
            asid: self.asid(),
        };
        let mask = new.offset_mask();
        new.va = va & !mask;
        new.protection = self
            .pmp
            .rights(new.translate(new.va), mask + 1, Privilege::Supervisor);
        new
    }

    /// Sets the bits A and D that the access needs in a leaf at `at` (Svadu), if it is allowed.
    fn update(
        &mut self,
        at: u32,
        entry: u64,
        level: u32,
        access: Access,
        rights: Rights,
    ) -> Result<u64, Exception> {
        let needed = mmu::needed(access);
        let wanted = entry | needed;
        let may = mmu::allows(entry, access, rights) && !mmu::is_misaligned(entry, level);
        if wanted == entry || !may {
            return Ok(entry);
        }
        if !self
            .pmp
            .allows(u64::from(at), 8, Access::Store, Privilege::Supervisor)
        {
            return Err(access.access_fault());
        }
        let written = self.write_ram(at, &wanted.to_le_bytes());
        if written {
            Ok(wanted)
        } else {
            Err(access.access_fault())
        }
    }

    /// Reads the page-table entry at `pa`, through the data side. `None`: that may not be, or nothing is
    /// there.
    fn read_entry(&mut self, pa: u64) -> Option<(u32, u64)> {
        let location = self.physical_access(pa, 8, Access::Load, Privilege::Supervisor, None)?;
        let value = self.ram_value(location.pa, 8)?;
        self.platform.counters.now.memory.walk_reads += 1;
        let now = self.platform.cycle;
        let touched = self
            .hierarchy
            .load(location.pa, now, &mut self.platform.counters.now);
        self.forget_evicted(touched);
        let hit = now + Cycle::from(self.prices.walk_read);
        self.platform.cycle = hit.max(touched.ready);
        Some((location.pa, value))
    }
}

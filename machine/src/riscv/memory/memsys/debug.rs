// SPDX-License-Identifier: Apache-2.0
//! What debuggers and observers see of the memory system, and how they change memory. Nothing here leaves
//! a trace in TLBs or caches.

use crate::bus::Target;
use crate::riscv::config::LINE_BYTES;
use crate::riscv::isa::privilege::Privilege;
use crate::riscv::memory::fault::Access;
use crate::riscv::memory::hierarchy::Hierarchy;
use crate::riscv::memory::mmu::{self, pte, satp, Rights, Step, LEVELS};
use crate::riscv::memory::pending::Lacks;
use crate::riscv::memory::tlb::{Tlb, TlbEntry};

use super::MemSys;

/// What page tables in memory say of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walked {
    /// The leaf, and its table's level; none: the walk ends in an entry that is not valid, or nowhere.
    pub leaf: Option<(u64, u32)>,
    /// Where the last entry was read.
    pub at: u64,
    /// Where all of them were read.
    pub read: Vec<u64>,
}

impl Walked {
    /// The physical address of `va`.
    #[must_use]
    pub fn translate(&self, va: u64) -> Option<u64> {
        let (entry, level) = self.leaf?;
        let page = TlbEntry {
            pte: entry,
            level: level as u8,
            ..TlbEntry::EMPTY
        };
        Some(page.translate(va))
    }
}

impl MemSys {
    /// The TLBs: of instructions, of data, and the second level.
    #[must_use]
    pub fn tlbs(&self) -> [&Tlb; 3] {
        [&self.itlb, &self.dtlb, &self.l2_tlb]
    }

    /// The data caches.
    #[must_use]
    pub fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }

    /// The lines of the instruction cache by slot: address and bytes.
    #[must_use]
    pub fn insn_lines(&self) -> Vec<Option<(u32, &[u8])>> {
        let slots = 0..self.icache.slots();
        slots
            .map(|slot| {
                Some((
                    self.icache.address(slot)?,
                    &self.icache.line(slot).bytes[..],
                ))
            })
            .collect()
    }

    /// The ways of a set of the instruction cache.
    #[must_use]
    pub fn insn_ways(&self) -> usize {
        self.icache.ways()
    }

    /// The entry of a first-level TLB that translates `va` now.
    #[must_use]
    pub fn held(&self, va: u64, fetch: bool) -> Option<TlbEntry> {
        let tlb = if fetch { &self.itlb } else { &self.dtlb };
        tlb.peek(va, self.asid()).map(|(_, entry)| *entry)
    }

    /// What an invalidation lacks that should have taken `entry` away.
    #[must_use]
    pub fn lacks(&self, entry: &TlbEntry) -> Option<Lacks> {
        self.pending.lacks(entry)
    }

    /// Walks the page tables of `satp` as they are in memory.
    #[must_use]
    pub fn walk_now(&self, satp: u64, va: u64) -> Walked {
        let mut table = satp & satp::PPN;
        let (mut at, mut read) = (0, Vec::new());
        if mmu::is_canonical(va) {
            for level in (0..LEVELS).rev() {
                at = mmu::entry_address(table, va, level);
                read.push(at);
                let near = u32::try_from(at).ok();
                let Some(entry) = near.and_then(|pa| self.ram_value(pa, 8)) else {
                    break;
                };
                match mmu::step(entry, level) {
                    Step::Table(next) => table = next,
                    Step::Leaf if mmu::is_misaligned(entry, level) => break,
                    Step::Leaf => {
                        return Walked {
                            leaf: Some((entry, level)),
                            at,
                            read,
                        }
                    }
                    Step::Invalid => break,
                }
            }
        }
        Walked {
            leaf: None,
            at,
            read,
        }
    }

    /// Where `va` is for an access, by what translates now: an entry of the TLB, or the tables. `None`:
    /// nowhere, or that is no address of the bus.
    #[must_use]
    pub fn physical(&self, va: u64, access: Access) -> Option<u32> {
        let fetch = access == Access::Fetch;
        let (translates, rights) = if fetch {
            let rights = Rights {
                privilege: self.registers.privilege,
                ..self.registers.data
            };
            (self.translates_fetches(), rights)
        } else {
            (self.translates_data(), self.registers.data)
        };
        if !translates {
            return u32::try_from(va).ok();
        }
        let entry = match self.held(va, fetch) {
            Some(entry) => entry,
            None => {
                let (pte, level) = self.walk_now(self.registers.satp, va).leaf?;
                TlbEntry {
                    pte,
                    level: level as u8,
                    ..TlbEntry::EMPTY
                }
            }
        };
        let allowed = entry.pte & pte::V != 0
            && (!fetch || mmu::allows(entry.pte, access, rights))
            && (!fetch || entry.pte & pte::A != 0 || self.registers.updates);
        let pa = u32::try_from(entry.translate(va)).ok()?;
        allowed.then_some(pa)
    }

    /// Whether an instruction can be fetched at `va` now.
    #[must_use]
    pub fn can_fetch(&self, va: u64) -> bool {
        let privilege = self.registers.privilege;
        self.physical(va, Access::Fetch).is_some_and(|pa| {
            let wide = u64::from(pa);
            self.platform.bus.target(pa) != Target::Nothing
                && self.pmp.allows(wide, 2, Access::Fetch, privilege)
        })
    }

    /// Reads memory from `va` on as a load would find it. Gives how many bytes could be read.
    #[must_use]
    pub fn peek(&self, va: u64, bytes: &mut [u8]) -> usize {
        for (n, byte) in bytes.iter_mut().enumerate() {
            let va = va.wrapping_add(n as u64);
            let pa = self.physical(va, Access::Load);
            let word = pa.and_then(|pa| Some((pa, self.platform.bus.read_memory_word(pa)?)));
            let Some((pa, word)) = word else {
                return n;
            };
            *byte = word.to_le_bytes()[pa as usize & 3];
        }
        bytes.len()
    }

    /// Changes memory from `va` on, and what the instruction cache has of it. `None`: some of it is no
    /// memory, and nothing was changed; otherwise the physical addresses, a run each.
    pub fn poke(&mut self, va: u64, bytes: &[u8]) -> Option<Vec<(u32, u8)>> {
        let mut places = Vec::new();
        for (n, byte) in bytes.iter().enumerate() {
            let pa = self.physical(va.wrapping_add(n as u64), Access::Load)?;
            self.platform.bus.ram_offset(pa)?;
            places.push((pa, *byte));
        }
        for &(pa, byte) in &places {
            self.write_ram(pa, &[byte]);
            self.poke_instructions(pa, byte);
        }
        self.forget_line();
        Some(places)
    }

    fn poke_instructions(&mut self, pa: u32, byte: u8) {
        if let Some(slot) = self.icache.peek(pa) {
            self.icache.line_mut(slot).bytes[(pa % LINE_BYTES) as usize] = byte;
            self.line_changed(slot);
        }
    }

    /// Memory was changed from outside, by a loader or a test: what the caches and TLBs have is as after
    /// reset.
    pub fn memory_changed(&mut self) {
        self.empty();
    }

    /// What physical memory protection says of a page now, to supervisor and user.
    #[must_use]
    pub fn protection_now(&self, entry: &TlbEntry) -> Option<u8> {
        let bytes = entry.offset_mask() + 1;
        self.pmp
            .rights(entry.translate(entry.va), bytes, Privilege::Supervisor)
    }

    /// Whether the processor has identifiers of address spaces.
    #[must_use]
    pub fn has_asids(&self) -> bool {
        self.isa.asid_bits > 0
    }
}

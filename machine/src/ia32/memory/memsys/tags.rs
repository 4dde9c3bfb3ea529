// SPDX-License-Identifier: Apache-2.0
//! Ideal address-space tags (`[processor] address-space-tags = "ideal"`, docs/machine-tags.md): entries
//! of the TLBs are tagged by page directory and never stale, and so are the lines of the trace cache that
//! were fetched by them. No such processor was built; the caches have physical tags anyhow.
//!
//! What a TLB's place holds is kept here, too. An entry answers while the page tables say what it says and
//! the directory entry for its address is that by which it was walked. A load of CR3 looks which do: the
//! others leave the TLB, but not their places, to which they come back with their directory. A store into
//! a descriptor by which an entry that answers was walked takes it away if that is another one now.

use crate::ia32::isa::register::cr4;
use crate::ia32::memory::held::Held;
use crate::ia32::memory::mmu::{self, entry};
use crate::ia32::memory::pipeline::Pipeline;
use crate::ia32::memory::tlb::TlbEntry;
use crate::ideal_tags::INSNS;
use crate::state::{Damaged, Restorer, Saver};

use super::MemSys;

/// Bits of a descriptor that the processor sets itself.
const NOTED: u32 = entry::A | entry::D;

/// The descriptors of a linear address: where they are, and what they are.
struct Descriptors {
    pde: (u32, u32),
    /// None of a 4 MB page.
    pte: Option<(u32, u32)>,
}

impl<P: Pipeline> MemSys<P> {
    /// Whether the machine has ideal address-space tags.
    #[inline(always)]
    pub(super) fn tags_are_ideal(&self) -> bool {
        self.tags.is_some()
    }

    /// The descriptors of `linear` under the directory in force; `None`: it is not mapped.
    fn descriptors(&self, linear: u32) -> Option<Descriptors> {
        let read = |pa| self.platform.bus.read_memory_word(pa);
        let pde_at = mmu::directory_entry(self.cr3, linear);
        let pde = read(pde_at).filter(|e| e & entry::P != 0)?;
        if pde & entry::PS != 0 && self.cr4 & cr4::PSE != 0 {
            let pde = (pde_at, pde);
            return Some(Descriptors { pde, pte: None });
        }
        let pte_at = mmu::table_entry(pde, linear);
        let pte = read(pte_at).filter(|e| e & entry::P != 0)?;
        Some(Descriptors {
            pde: (pde_at, pde),
            pte: Some((pte_at, pte)),
        })
    }

    /// Whether the page tables say what `held` says, and a walk would note nothing.
    fn answers(&self, held: &Held) -> bool {
        let linear = held.entry.linear;
        let Some(Descriptors { pde, pte }) = self.descriptors(linear) else {
            return false;
        };
        let (_, last) = pte.unwrap_or(pde);
        let accessed = pde.1 & last & entry::A != 0;
        let dirty = !held.entry.dirty || last & entry::D != 0;
        let page = self.walk_now(linear).map(|page| TlbEntry {
            dirty: held.entry.dirty,
            ..page
        });
        // A 4 MB page's directory entry is the page's own.
        let same = pte.is_none() || pde.1 & !NOTED == held.pde;
        accessed && dirty && same && page == Some(held.entry)
    }

    /// A walk has put `entry` into a place of a TLB.
    pub(super) fn hold(&mut self, tlb: usize, place: usize, entry: TlbEntry) {
        if self.tags.is_none() {
            return;
        }
        let found = self.descriptors(entry.linear);
        let Some(tags) = &mut self.tags else { return };
        let held = found.map(|Descriptors { pde, pte }| Held {
            entry,
            at: [pde.0, pte.map_or(pde.0, |(at, _)| at)],
            pde: pde.1 & !NOTED,
            answers: true,
        });
        for pa in held.iter().flat_map(|held| held.at) {
            tags.watch(pa);
        }
        tags.hold(tlb, place, held);
    }

    /// A place of a TLB has been emptied.
    pub(super) fn release(&mut self, tlb: usize, place: usize) {
        if let Some(tags) = &mut self.tags {
            tags.hold(tlb, place, None);
        }
    }

    /// All places of both have been.
    pub(super) fn release_all(&mut self) {
        if let Some(tags) = &mut self.tags {
            tags.release_all();
        }
    }

    /// Another directory is in force: its entries answer, others do not.
    pub(super) fn change_sides(&mut self) {
        for (tlb, place) in self.tagged_places() {
            let Some(held) = self.held(tlb, place) else {
                continue;
            };
            let answers = self.answers(&held);
            if answers {
                // Its descriptors may be elsewhere.
                self.hold(tlb, place, held.entry);
            } else {
                self.keep(tlb, place, Held { answers, ..held });
            }
            if answers != held.answers {
                self.show(tlb, place, answers.then_some(held.entry));
                if tlb == INSNS {
                    self.traces.hide(place, !answers);
                }
            }
        }
        self.platform.horizon = 0;
    }

    /// `bytes` (at most four) of memory at `pa` were written: perhaps a descriptor.
    #[inline(always)]
    pub(super) fn stored(&mut self, pa: u32, bytes: u32) {
        if let Some(tags) = &self.tags {
            if tags.watched(pa) || tags.watched(pa + (bytes - 1)) {
                self.descriptors_changed();
            }
        }
    }

    /// Takes away what is true no more.
    #[cold]
    pub(super) fn descriptors_changed(&mut self) {
        for (tlb, place) in self.tagged_places() {
            let Some(held) = self.held(tlb, place).filter(|held| held.answers) else {
                continue;
            };
            if !self.answers(&held) {
                self.show(tlb, place, None);
                self.release(tlb, place);
                if tlb == INSNS {
                    self.traces.forget(place);
                    self.platform.horizon = 0;
                }
            }
        }
    }

    /// Every place of both TLBs, if tags are ideal.
    fn tagged_places(&self) -> impl Iterator<Item = (usize, usize)> {
        let places = self.tags.as_ref().map(|tags| tags.places());
        places.into_iter().flatten()
    }

    fn held(&self, tlb: usize, place: usize) -> Option<Held> {
        self.tags.as_ref()?.held(tlb, place)
    }

    fn keep(&mut self, tlb: usize, place: usize, held: Held) {
        if let Some(tags) = &mut self.tags {
            tags.hold(tlb, place, Some(held));
        }
    }

    /// Puts an entry into a place of a TLB, or none.
    fn show(&mut self, tlb: usize, place: usize, entry: Option<TlbEntry>) {
        self.forget_hints();
        let tlb = if tlb == INSNS {
            &mut self.itlb
        } else {
            &mut self.dtlb
        };
        tlb.replace(place, entry);
    }

    /// Saves what the places hold.
    pub(super) fn save_tags(&self, to: &mut Saver) {
        if let Some(tags) = &self.tags {
            tags.save(to);
        }
    }

    /// Takes them back, after the TLBs; memory is not there yet.
    pub(super) fn restore_tags(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        let Some(tags) = &mut self.tags else {
            return Ok(());
        };
        let tlbs = [&self.itlb, &self.dtlb];
        tags.restore(from, |tlb, place, held| {
            let answers = held.filter(|held| held.answers);
            tlbs[tlb].get(place) == answers.map(|held| &held.entry)
        })?;
        for (tlb, place) in tags.places() {
            for pa in tags.held(tlb, place).iter().flat_map(|held| held.at) {
                tags.watch(pa);
            }
        }
        Ok(())
    }
}

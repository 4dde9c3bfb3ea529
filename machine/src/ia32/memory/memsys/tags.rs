// SPDX-License-Identifier: Apache-2.0
//! Ideal address-space tags (`[processor] address-space-tags = "ideal"`, docs/machine-tags.md): entries
//! of the TLBs are tagged by page directory and never stale, and so are the lines of the trace cache that
//! were fetched by them. No such processor was built; the caches have physical tags anyhow.
//!
//! What a TLB's place holds is kept here, too. An entry answers while the page tables say what it says and
//! the directory entry for its address is that by which it was walked. A load of CR3 looks which do: the
//! others leave the TLB, but not their places, to which they come back with their directory. A store into
//! a descriptor by which an entry that answers was walked takes it away if that is another one now.

use serde::{Deserialize, Serialize};

use crate::bus::Bus;
use crate::ia32::memory::mmu::{self, entry};
use crate::ia32::memory::tlb::TlbEntry;
use crate::state::{require, Damaged, Restorer, Saver};

use crate::ia32::isa::register::cr4;
use crate::ia32::memory::pipeline::Pipeline;

use super::MemSys;

/// The TLB for instructions, and that for data.
pub(super) const INSNS: usize = 0;
pub(super) const DATA: usize = 1;

/// Bits of a descriptor that the processor sets itself.
const NOTED: u32 = entry::A | entry::D;

/// A translation in its place.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Held {
    entry: TlbEntry,
    /// Where the descriptors are by which it was walked, or by which it was found to answer last.
    at: [u32; 2],
    /// The directory entry by which it was walked, without what the processor notes there.
    pde: u32,
    /// Whether it is in the TLB now.
    answers: bool,
}

/// The descriptors of a linear address: where they are, and what they are.
struct Descriptors {
    pde: (u32, u32),
    /// None of a 4 MB page.
    pte: Option<(u32, u32)>,
}

/// What is kept beside the TLBs.
pub(super) struct Tags {
    /// By TLB and place.
    held: [Vec<Option<Held>>; 2],
    /// Words of memory that are, or were, descriptors of entries that answer: a bit each.
    watched: Vec<u64>,
}

impl Tags {
    /// For TLBs of so many places, before `bus`.
    pub(super) fn new(bus: &Bus, places: [usize; 2]) -> Self {
        let (_, ram_bytes) = bus.ram_window();
        Self {
            held: places.map(|places| vec![None; places]),
            watched: vec![0; (ram_bytes as usize / 4).div_ceil(64)],
        }
    }

    fn watch(&mut self, pa: u32) {
        let word = pa as usize / 4;
        if let Some(bits) = self.watched.get_mut(word / 64) {
            *bits |= 1 << (word % 64);
        }
    }

    fn watched(&self, pa: u32) -> bool {
        let word = pa as usize / 4;
        let bits = self.watched.get(word / 64);
        bits.is_some_and(|bits| bits >> (word % 64) & 1 != 0)
    }
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
        tags.held[tlb][place] = found.map(|Descriptors { pde, pte }| {
            let at = [pde.0, pte.map_or(pde.0, |(at, _)| at)];
            for pa in at {
                tags.watch(pa);
            }
            Held {
                entry,
                at,
                pde: pde.1 & !NOTED,
                answers: true,
            }
        });
    }

    /// A place of a TLB has been emptied.
    pub(super) fn release(&mut self, tlb: usize, place: usize) {
        if let Some(tags) = &mut self.tags {
            tags.held[tlb][place] = None;
        }
    }

    /// All places of both have been.
    pub(super) fn release_all(&mut self) {
        if let Some(tags) = &mut self.tags {
            for held in &mut tags.held {
                held.fill(None);
            }
        }
    }

    /// Another directory is in force: its entries answer, others do not.
    pub(super) fn change_sides(&mut self) {
        for (tlb, place) in self.places() {
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
        for (tlb, place) in self.places() {
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

    /// Every place of both TLBs.
    fn places(&self) -> impl Iterator<Item = (usize, usize)> {
        let insns = (0..self.itlb.places()).map(|place| (INSNS, place));
        insns.chain((0..self.dtlb.places()).map(|place| (DATA, place)))
    }

    fn held(&self, tlb: usize, place: usize) -> Option<Held> {
        self.tags.as_ref()?.held[tlb][place]
    }

    fn keep(&mut self, tlb: usize, place: usize, held: Held) {
        if let Some(tags) = &mut self.tags {
            tags.held[tlb][place] = Some(held);
        }
    }

    /// Puts an entry into a place of a TLB, or none.
    fn show(&mut self, tlb: usize, place: usize, entry: Option<TlbEntry>) {
        let tlb = if tlb == INSNS {
            &mut self.itlb
        } else {
            &mut self.dtlb
        };
        tlb.replace(place, entry);
    }

    pub(super) fn save_tags(&self, to: &mut Saver) {
        if let Some(tags) = &self.tags {
            to.put(&tags.held);
        }
    }

    /// Behind the TLBs; memory is not there yet.
    pub(super) fn restore_tags(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        const WRONG: &str = "has other TLBs than the machine";
        let Some(tags) = &mut self.tags else {
            return Ok(());
        };
        let held: [Vec<Option<Held>>; 2] = from.take()?;
        let sizes = [&held, &tags.held].map(|side| [side[0].len(), side[1].len()]);
        require(sizes[0] == sizes[1], WRONG)?;
        tags.held = held;
        tags.watched.fill(0);
        for (tlb, place) in self.places() {
            let side = if tlb == INSNS { &self.itlb } else { &self.dtlb };
            let there = side.get(place).copied();
            let held = self.held(tlb, place);
            let shown = held.filter(|held| held.answers).map(|held| held.entry);
            require(there == shown, WRONG)?;
            if let (Some(tags), Some(held)) = (&mut self.tags, held) {
                for pa in held.at {
                    tags.watch(pa);
                }
            }
        }
        Ok(())
    }
}

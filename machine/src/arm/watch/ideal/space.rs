// SPDX-License-Identifier: Apache-2.0
//! Whose translation is it? The running space is known by the translation table base, and by what
//! the guest has said through the probe, if it has: then each space has a page directory of its
//! own, and a program may go where that says, whatever the directory in force and the domains let
//! through.

use crate::arm::memory::memsys::MemSys;
use crate::arm::memory::mmu;
use crate::arm::memory::tlb::TlbEntry;
use crate::dev::Spaces;
use crate::event::Cycle;

use super::walk::{Ideal, Walk};
use super::Cause;

/// The domain of a first-level descriptor.
const DOMAIN: u32 = 15 << 5;

/// How a TLB entry came about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tag {
    /// Which walk it was, from 1.
    pub(super) walk: u64,
    /// The translation table base of its walk.
    pub(super) ttb: u32,
    /// The space that ran, as the guest names it; 0 if it does not.
    pub(super) space: u32,
    /// The instruction that needed it, and when.
    pub(super) pc: u64,
    pub(super) cycle: Cycle,
    /// Why it was old from the beginning.
    pub(super) early: Option<Cause>,
}

/// The tags of the entries of both TLBs, by place.
#[derive(Default)]
pub(super) struct Tags([Vec<Option<Tag>>; 2]);

impl Tags {
    /// Where the tags of a TLB are: one that serves instructions and data has one list.
    fn side(memory: &MemSys, fetch: bool) -> usize {
        usize::from(!fetch || memory.has_one_tlb())
    }

    pub(super) fn set(&mut self, memory: &MemSys, fetch: bool, place: usize, tag: Tag) {
        let tags = &mut self.0[Self::side(memory, fetch)];
        if tags.len() <= place {
            tags.resize(place + 1, None);
        }
        tags[place] = Some(tag);
    }

    /// That of the entry in `place`; `None`: it was there before anybody looked.
    pub(super) fn find(&self, memory: &MemSys, fetch: bool, place: usize) -> Option<Tag> {
        *self.0[Self::side(memory, fetch)].get(place)?
    }
}

/// The running space, if the guest says it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Running {
    announced: Spaces,
    /// Physical addresses of the word that names the running thread, and of the one in that thread
    /// that names its space.
    word: Option<u32>,
    thread: Option<u32>,
    /// What that says; 0: no space, or the guest does not say.
    pub(super) space: u32,
    /// Physical address of that space's own page directory.
    directory: Option<u32>,
    /// How often any of this may have changed.
    pub(super) changes: u64,
}

impl Running {
    /// Looks whether the guest has announced something.
    pub(super) fn hear(&mut self, memory: &MemSys, ideal: &mut Ideal) {
        let announced = memory.platform.bus.host.spaces;
        if announced == self.announced {
            return;
        }
        *self = Self {
            announced,
            changes: self.changes + 1,
            ..Self::default()
        };
        if announced.kernel != 0 {
            self.word = ideal.word_at(memory, announced.word).map(|(pa, _)| pa);
            self.follow(memory, ideal);
        }
    }

    /// Memory at `pa` has been written.
    #[inline]
    pub(super) fn stored(&mut self, memory: &MemSys, ideal: &mut Ideal, pa: u32) {
        let word = Some(pa & !3);
        if word == self.word || word == self.thread {
            self.follow(memory, ideal);
        }
    }

    /// What says which space runs may have changed.
    fn follow(&mut self, memory: &MemSys, ideal: &mut Ideal) {
        self.changes += 1;
        let thread = self.word.and_then(|pa| ideal.shadow.word(pa)).unwrap_or(0);
        let space = if thread == 0 {
            None
        } else {
            ideal.word_at(memory, thread.wrapping_add(self.announced.thread))
        };
        self.thread = space.map(|(pa, _)| pa);
        self.space = space.map_or(0, |(_, va)| va);
        self.directory = if self.space == 0 {
            None
        } else {
            let pointer = self.space.wrapping_add(self.announced.directory);
            let directory = ideal.word_at(memory, pointer);
            directory
                .and_then(|(_, va)| ideal.word_at(memory, va))
                .map(|(pa, _)| pa)
        };
    }

    /// Whether a program of the running space may be translated by `entry` at `mva`, which the
    /// directory in force gives by `walk`. True if the guest says nothing of it.
    #[inline]
    pub(super) fn owns(&self, memory: &MemSys, ideal: &Ideal, mva: u32, walk: &Walk) -> bool {
        let Some((first, va)) = self.own_first(memory, mva) else {
            return true;
        };
        // The directory in force has the same descriptor, in a domain; or an equal one.
        let own = ideal.shadow.read(first);
        let same = |a: u32, b: u32| (a ^ b) & !DOMAIN == 0;
        match (own.word, walk.first.word) {
            (Some(own), Some(used)) if same(own, used) => true,
            _ => {
                let own = ideal.walk_from(memory, own, va);
                own.entry
                    .zip(walk.entry)
                    .is_some_and(|(own, used)| equal(&own, va, &used, mva))
            }
        }
    }

    /// Whether the running space's own directory translates `mva` as `entry` does; `None`: the
    /// guest says nothing of it.
    pub(super) fn agrees(
        &self,
        memory: &MemSys,
        ideal: &Ideal,
        mva: u32,
        entry: &TlbEntry,
    ) -> Option<bool> {
        let (first, va) = self.own_first(memory, mva)?;
        let own = ideal.walk_from(memory, ideal.shadow.read(first), va);
        Some(own.entry.is_some_and(|own| equal(&own, va, entry, mva)))
    }

    /// Whether the running space's own directory has something at `va`, where nothing is moved. True if
    /// the guest says nothing of it.
    pub(super) fn has(&self, memory: &MemSys, ideal: &Ideal, va: u32) -> bool {
        self.directory.is_none_or(|directory| {
            let first = ideal.shadow.read(mmu::first_level_address(directory, va));
            ideal.walk_from(memory, first, va).entry.is_some()
        })
    }

    /// Where the running space's own first-level descriptor of `mva` is, and the address that has
    /// it there: directories of spaces know nothing of relocation.
    #[inline]
    fn own_first(&self, memory: &MemSys, mva: u32) -> Option<(u32, u32)> {
        let directory = self.directory?;
        let slot = memory.pid_slot();
        let va = if mva & 0xfe00_0000 == slot {
            mva & 0x01ff_ffff
        } else {
            mva
        };
        (va < self.announced.kernel).then(|| (mmu::first_level_address(directory, va), va))
    }
}

/// Whether two translations lead to the same memory with the same rights.
fn equal(own: &TlbEntry, va: u32, used: &TlbEntry, mva: u32) -> bool {
    own.translate(va) == used.translate(mva)
        && own.access_permission(va) == used.access_permission(mva)
}

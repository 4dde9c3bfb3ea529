// SPDX-License-Identifier: Apache-2.0
//! Where recent accesses went: for a line's virtual address the slot of the cache that answered,
//! so that the next access need not relocate, look up TLB and cache and check rights again. A hint
//! holds as long as nothing that those steps look at has changed (the *epoch*: TLB contents, domain
//! access, relocation, control) and the line stays in its slot; whoever takes a line away says so
//! ([`Hints::forget`]). A slot has one hint at most, the last that was made. Without hints every count is the
//! same, only slower; `tests/hints` compares the two builds.

use switchyard_translator::HintTable;

use crate::arm::memory::line::{line_address, LINE_BYTES};
use crate::cache::HINTS;

use super::{Location, NO_LINE};

/// Remembered lines, by the low bits of the line number. PID relocation changes higher bits only,
/// so that a line has its place whatever address it is known by.
const SLOTS: usize = switchyard_translator::HINTS;
/// A hint that was never set: no access asks for all of these address bits.
const NEVER: u64 = u64::MAX;
/// Slots that a hint has room for. A cache of more (2 MB) has no hints.
const SLOT_LIMIT: usize = 1 << 16;

/// What hints must agree in besides the line's address: the epoch, who accesses and, for fetches,
/// the state that the line is decoded for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tag(u64);

impl Tag {
    /// Bits 33:32, which are address bits 1:0, stay free: an access that must be aligned and is not
    /// agrees with no hint.
    pub(super) fn new(epoch: u16, privileged: bool) -> Self {
        Self((u64::from(epoch) << 16) | (u64::from(privileged) << 34))
    }

    /// As part of a hint.
    #[inline(always)]
    pub(super) fn bits(self) -> u64 {
        self.0
    }

    /// For fetches.
    #[inline(always)]
    pub(super) fn in_state(self, thumb: bool) -> Self {
        Self(self.0 | (u64::from(thumb) << 35))
    }
}

/// Hints for one kind of access: fetches, reads or writes. Each is one number: the line's virtual
/// address (bits 63:37), what its tag says (36:16) and the slot.
#[derive(Debug, Clone)]
pub(super) struct Hints {
    hints: Box<HintTable>,
    /// Where the hint that names a slot of the cache is, if there is one.
    named: Vec<u16>,
}

impl Hints {
    /// No hints, for a cache of `slots` slots.
    pub(super) fn new(slots: usize) -> Self {
        // The next bit belongs to the tag: where tags differ, `find` must not give a slot.
        let hinted = if slots > SLOT_LIMIT { 0 } else { slots };
        Self {
            hints: Box::new([NEVER; SLOTS]),
            named: vec![0; hinted],
        }
    }

    /// All of them, by their lines' numbers.
    #[inline(always)]
    pub(super) fn table(&self) -> &HintTable {
        &self.hints
    }

    /// Forgets every hint.
    pub(super) fn clear(&mut self) {
        self.hints.fill(NEVER);
    }

    /// The slot of the line at `line`, if that is known and still true; otherwise a number that
    /// is the slot of no cache.
    #[inline(always)]
    pub(super) fn find(&self, line: u32, tag: Tag) -> usize {
        if !HINTS {
            return usize::MAX;
        }
        // What is left where address and tag agree is the slot; where they do not it is larger.
        let left = self.hints[place(line)] ^ wanted(line, tag);
        usize::try_from(left).unwrap_or(usize::MAX)
    }

    /// Remembers that the line at virtual address `line` is in `slot`, which has no other hint then.
    #[inline]
    pub(super) fn remember(&mut self, line: u32, tag: Tag, slot: usize) {
        let place = place(line);
        let Some(named) = self.named.get_mut(slot) else {
            return;
        };
        let before = std::mem::replace(named, place as u16);
        self.forget_at(before, slot);
        self.hints[place] = wanted(line_address(line), tag) | slot as u64;
    }

    /// The line in `slot` is there no longer.
    #[inline]
    pub(super) fn forget(&mut self, slot: usize) {
        if let Some(&named) = self.named.get(slot) {
            self.forget_at(named, slot);
        }
    }

    /// Forgets the hint in a place, if it names `slot`.
    #[inline]
    fn forget_at(&mut self, place: u16, slot: usize) {
        let hint = &mut self.hints[usize::from(place) % SLOTS];
        if *hint as usize % SLOT_LIMIT == slot {
            *hint = NEVER;
        }
    }
}

/// A hint that is kept by itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hint {
    /// The line's virtual address; no line's if there is no hint.
    line: u32,
    slot: usize,
    tag: u64,
}

impl Hint {
    /// No hint.
    pub(super) const NONE: Self = Self {
        line: NO_LINE,
        slot: 0,
        tag: 0,
    };

    /// The line of virtual address `va` is in `slot`.
    #[inline]
    pub(super) fn new(va: u32, tag: Tag, slot: usize) -> Self {
        Self {
            line: line_address(va),
            slot,
            tag: tag.0,
        }
    }

    /// The slot of the line of `va`, if the hint is of that. `tag` says for whom it must be.
    #[inline(always)]
    pub(super) fn find(self, va: u32, tag: impl FnOnce() -> Tag) -> Option<usize> {
        let found = HINTS && self.line == line_address(va) && self.tag == tag().0;
        found.then_some(self.slot)
    }
}

/// A hint of a place that no cache holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Of its line, which is in no slot.
    hint: Hint,
    at: Location,
}

impl Place {
    /// No hint.
    pub(super) const NONE: Self = Self {
        hint: Hint::NONE,
        at: Location::NONE,
    };

    /// Virtual address `va` is at `at`.
    #[inline]
    pub(super) fn new(va: u32, tag: Tag, at: Location) -> Self {
        let hint = Hint::new(va, tag, 0);
        Self { hint, at }
    }

    /// Where `va` is, if it is in the same line. `tag` says for whom it must be.
    #[inline(always)]
    pub(super) fn find(self, va: u32, tag: impl FnOnce() -> Tag) -> Option<Location> {
        self.hint.find(va, tag)?;
        Some(self.at.in_line(va % LINE_BYTES))
    }
}

/// The hints of all accesses, and what they must agree in now.
#[derive(Debug)]
pub(super) struct AccessHints {
    pub fetch: Hints,
    pub read: Hints,
    pub write: Hints,
    /// For reads of a line of the main data cache that was on its way when this was made: words of
    /// it may have to be waited for.
    pub arriving: Hint,
    /// Where the last read went that no cache took, if a device answered: a driver polls one register.
    pub device: Place,
    /// Where the last store went that missed the main data cache and took the write buffer: a program fills memory
    /// byte by byte. No line of its address has come into that cache since.
    pub past: Place,
    /// Changes with everything that a hint relies on, but the place of its line.
    epoch: u16,
    /// Whether the processor is in a privileged mode.
    pub privileged: bool,
    /// What hints must agree in now; follows `epoch` and `privileged`.
    pub tag: Tag,
}

impl AccessHints {
    /// No hints, for caches of so many slots; the mode is privileged, as after reset.
    pub(super) fn new(insn_slots: usize, data_slots: usize) -> Self {
        Self {
            fetch: Hints::new(insn_slots),
            read: Hints::new(data_slots),
            write: Hints::new(data_slots),
            arriving: Hint::NONE,
            device: Place::NONE,
            past: Place::NONE,
            epoch: 0,
            privileged: true,
            tag: Tag::new(0, true),
        }
    }

    /// Something has changed that hints rely on.
    pub(super) fn forget_all(&mut self) {
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            // Those of 65,536 epochs ago must not look new.
            self.fetch.clear();
            self.read.clear();
            self.write.clear();
            self.arriving = Hint::NONE;
            self.device = Place::NONE;
            self.past = Place::NONE;
        }
        self.set_privileged(self.privileged);
    }

    /// The mode is privileged now, or is not.
    pub(super) fn set_privileged(&mut self, privileged: bool) {
        self.privileged = privileged;
        self.tag = self.tag_for(privileged);
    }

    /// What hints of an access with these rights must agree in now.
    #[inline(always)]
    pub(super) fn tag_for(&self, privileged: bool) -> Tag {
        Tag::new(self.epoch, privileged)
    }

    /// The line in `slot` of the main data cache is there no longer.
    pub(super) fn forget_data(&mut self, slot: usize) {
        self.read.forget(slot);
        self.write.forget(slot);
    }
}

#[inline(always)]
fn place(address: u32) -> usize {
    (address / LINE_BYTES) as usize % SLOTS
}

#[inline(always)]
fn wanted(line: u32, tag: Tag) -> u64 {
    (u64::from(line) << 32) | tag.0
}

#[cfg(test)]
mod tests {
    use super::{Hints, Tag, HINTS};

    #[test]
    fn a_hint_of_another_epoch_is_the_slot_of_no_cache_however_large() {
        for slots in [1 << 9, 1 << 16, 1 << 17, 1 << 20] {
            let mut hints = Hints::new(slots);
            hints.remember(0xc000_0000, Tag::new(0, true), 5);
            for epoch in [1, 2, 16, 0x8000] {
                assert!(hints.find(0xc000_0000, Tag::new(epoch, true)) >= slots);
            }
            assert!(hints.find(0xc000_0000, Tag::new(0, false)) >= slots);
            assert!(hints.find(0xc000_0020, Tag::new(0, true)) >= slots);
        }
    }

    #[test]
    fn a_cache_of_two_megabytes_has_hints() {
        let mut hints = Hints::new(1 << 16);
        hints.remember(0xc000_0000, Tag::new(1, true), 0xffff);
        let slot = hints.find(0xc000_0000, Tag::new(1, true));
        assert_eq!(slot == 0xffff, HINTS);
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Where recent reads and writes went: for a line's linear address its physical address, so that the next
//! access need not look up the TLB and check rights again, and for reads the slot of the first level, whose
//! trees of use are touched all the same. A hint holds as long as nothing that those steps look at has
//! changed (its translation in the data TLB; the *epoch*: other entries there, CR0); whether the line is still in its slot is looked at
//! each time. A write is remembered only where no store is compared with code, and none is watched.
//!
//! Without hints every count and cycle is the same, only slower (`cache::HINTS`).

use switchyard_translator::traces::{self, Hint};

use crate::cache::HINTS;
use crate::ia32::config::IA32_LINE_BYTES as LINE_BYTES;
use crate::ia32::memory::pipeline::Pipeline;
use crate::ia32::memory::tlb::TlbEntry;

use super::{MemSys, PAGE_BYTES};

/// Remembered lines, by the low bits of the line number.
const SLOTS: usize = traces::HINTS;
const _: () = assert!(LINE_BYTES == traces::LINE_BYTES);
/// The bit of a key that says that it is user mode's: line numbers are below it.
const USER: u64 = 1 << 31;
/// The first bit of the epoch.
const EPOCH_SHIFT: u32 = 32;
/// Of no line: no line number has these bits.
const NEVER: u64 = u64::MAX;

/// Hints for one kind of access: a key is a line's number, who accesses it, and the epoch; slots are those of
/// reads. Translated code looks at them, too.
#[derive(Debug)]
pub(in crate::ia32) struct Hints {
    hints: Box<[Hint; SLOTS]>,
    epoch: u32,
}

impl Hints {
    /// None.
    pub(super) fn new() -> Self {
        let none = Hint {
            key: NEVER,
            pa: 0,
            slot: 0,
        };
        Self {
            hints: Box::new([none; SLOTS]),
            epoch: 0,
        }
    }

    /// Something has changed that they rely on.
    pub(super) fn forget(&mut self) {
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            // Those of as many epochs ago must not look new.
            *self = Self::new();
        }
    }

    /// The translation of the page of `linear` is no more.
    fn forget_page(&mut self, linear: u32) {
        let first = (linear & !(PAGE_BYTES - 1)) / LINE_BYTES;
        for line in first..first + PAGE_BYTES / LINE_BYTES {
            let key = &mut self.hints[line as usize % SLOTS].key;
            if *key & (USER - 1) == u64::from(line) {
                *key = NEVER;
            }
        }
    }

    /// What a key has above the line's number: who accesses it, and the epoch.
    #[inline(always)]
    fn tag(&self, user: bool) -> u64 {
        let who = if user { USER } else { 0 };
        who | u64::from(self.epoch) << EPOCH_SHIFT
    }

    #[inline(always)]
    fn key(&self, linear: u32, user: bool) -> u64 {
        u64::from(linear / LINE_BYTES) | self.tag(user)
    }

    #[inline(always)]
    fn place(linear: u32) -> usize {
        (linear / LINE_BYTES) as usize % SLOTS
    }

    /// Where `bytes` at `linear` are, if that is known: the physical address, and the slot of its line.
    #[inline(always)]
    fn find(&self, linear: u32, bytes: u32, user: bool) -> Option<(u32, usize)> {
        let hint = &self.hints[Self::place(linear)];
        let offset = linear % LINE_BYTES;
        let found = HINTS && hint.key == self.key(linear, user) && offset <= LINE_BYTES - bytes;
        found.then_some((hint.pa | offset, hint.slot as usize))
    }

    /// An access at `linear` went to `pa`, whose line is in `slot`.
    fn remember(&mut self, linear: u32, user: bool, pa: u32, slot: usize) {
        self.hints[Self::place(linear)] = Hint {
            key: self.key(linear, user),
            pa: pa & !(LINE_BYTES - 1),
            slot: slot as u32,
        };
    }
}

/// Both kinds, for translated code that runs at level 3 or another.
#[inline]
pub(in crate::ia32) fn lend<'a>(
    reads: &'a Hints,
    writes: &'a Hints,
    user: bool,
) -> traces::Hints<'a> {
    traces::Hints {
        read: &reads.hints,
        read_tag: reads.tag(user),
        write: &writes.hints,
        write_tag: writes.tag(user),
    }
}

impl<P: Pipeline> MemSys<P> {
    /// Something has changed that hints rely on.
    pub(super) fn forget_hints(&mut self) {
        self.reads.forget();
        self.writes.forget();
    }

    /// Entries of the data TLB have come or gone.
    pub(super) fn forget_hints_of(&mut self, entries: impl Iterator<Item = TlbEntry>) {
        for entry in entries {
            if entry.is_large() {
                // There may be hints by others, of 4 KB, which it holds.
                return self.forget_hints();
            }
            self.reads.forget_page(entry.linear);
            self.writes.forget_page(entry.linear);
        }
    }

    /// Reads `N` bytes at `linear` if a hint says where they are, and they are in the first level.
    #[inline(always)]
    pub fn load_hinted<const N: u32>(&mut self, linear: u32, user: bool) -> Option<u32> {
        let (pa, slot) = self.reads.find(linear, N, user)?;
        let value = self.ram::<N>(pa)?;
        if !self.time.load_in(pa, slot, &mut self.platform) {
            return None;
        }
        self.platform.counters.now.dtlb.accesses += u64::from(self.pages());
        Some(value)
    }

    /// Writes `N` bytes at `linear` if a hint says where they are. False: nothing was done.
    #[inline(always)]
    pub fn store_hinted<const N: u32>(&mut self, linear: u32, user: bool, value: u32) -> bool {
        let Some((pa, _)) = self.writes.find(linear, N, user) else {
            return false;
        };
        let Some(bytes) = self.platform.bus.ram_slice_mut(pa, N as usize) else {
            return false;
        };
        bytes.copy_from_slice(&value.to_le_bytes()[..N as usize]);
        self.platform.counters.now.dtlb.accesses += u64::from(self.pages());
        // Of one line.
        self.time.store(pa, 1, &mut self.platform);
        true
    }

    /// A read at `linear` went to `pa`.
    pub(in crate::ia32) fn remember_read(&mut self, linear: u32, user: bool, pa: u32) {
        if let Some(slot) = self.time.slot_of(pa) {
            self.reads.remember(linear, user, pa, slot);
        }
    }

    /// A write at `linear` went to `pa`.
    pub(in crate::ia32) fn remember_write(&mut self, linear: u32, user: bool, pa: u32) {
        let in_ram = self.platform.bus.ram_slice(pa, 1).is_some();
        if in_ram && !self.traces.has_code(pa) && !self.tags_are_ideal() {
            self.traces.hint_stores(pa);
            self.writes.remember(linear, user, pa, 0);
        }
    }
}

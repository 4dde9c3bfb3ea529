// SPDX-License-Identifier: Apache-2.0
//! What happens to lines and translations other than the accesses that observers see: fills of
//! instruction lines, table walks. Kept for an observer that asks for it, until that takes it.

use std::cell::RefCell;

use crate::riscv::memory::tlb::TlbEntry;

use super::MemSys;

/// Something that has happened.
#[derive(Debug, Clone, Copy)]
pub enum Event {
    /// A line of the instruction cache was filled.
    InsnFilled {
        /// Where it was read from.
        pa: u32,
    },
    /// The page tables were walked, and this was found.
    Walked {
        /// The address that had no translation.
        va: u64,
        /// What was found.
        entry: TlbEntry,
    },
}

/// The events that nobody has taken yet, oldest first; `None`: nobody asks.
#[derive(Debug, Default)]
pub(super) struct Journal(Option<RefCell<Vec<Event>>>);

impl Journal {
    /// Notes an event, which is made only if somebody asks.
    #[inline]
    pub(super) fn note(&self, event: impl FnOnce() -> Event) {
        if let Some(events) = &self.0 {
            events.borrow_mut().push(event());
        }
    }
}

impl MemSys {
    /// Keeps a journal from now on, which has to be taken from time to time.
    pub fn keep_journal(&mut self) {
        self.journal.0 = Some(RefCell::default());
    }

    /// Whether something is in the journal.
    #[inline]
    #[must_use]
    pub fn has_events(&self) -> bool {
        let events = self.journal.0.as_ref();
        events.is_some_and(|events| !events.borrow().is_empty())
    }

    /// Takes what is in the journal, in place of an empty list.
    pub fn take_events(&self, empty: &mut Vec<Event>) {
        if let Some(events) = &self.journal.0 {
            std::mem::swap(&mut *events.borrow_mut(), empty);
        }
    }
}

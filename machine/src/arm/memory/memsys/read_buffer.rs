// SPDX-License-Identifier: Apache-2.0
//! The read buffer (SA-1110 DM §6.4): four entries that a program loads ahead, and that serve reads which
//! miss the caches.

use crate::arm::memory::line::{line_address, Words};
use crate::event::Cycle;
use crate::state::{plausible, require, Damaged, Restorer, Saver};

/// An entry.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Entry {
    /// Address of its first word, as caches know it (`MemSys::key`).
    pub first: u32,
    /// Words held: 0 (empty), 1, 4 or 8.
    pub words: u32,
    pub data: Words,
    /// When the last word is there.
    pub ready: Cycle,
}

impl Entry {
    /// Whether the word at `key` is in it.
    fn holds(&self, key: u32) -> bool {
        (key & !3).wrapping_sub(self.first) < 4 * self.words
    }
}

/// All entries.
#[derive(Debug, Default)]
pub(super) struct ReadBuffer {
    entries: [Entry; 4],
    /// Whether any of them is loaded.
    used: bool,
}

impl ReadBuffer {
    /// Whether any entry is loaded.
    #[inline]
    pub(super) fn is_used(&self) -> bool {
        self.used
    }

    /// Loads an entry.
    pub(super) fn load(&mut self, index: usize, entry: Entry) {
        self.entries[index] = entry;
        self.follow_entries();
    }

    /// Empties entry `index`, or all.
    pub(super) fn flush(&mut self, index: Option<usize>) {
        for (number, entry) in self.entries.iter_mut().enumerate() {
            if index.is_none_or(|index| index == number) {
                entry.words = 0;
            }
        }
        self.follow_entries();
    }

    /// The word at `key`, and when it is there.
    pub(super) fn word(&self, key: u32) -> Option<(u32, Cycle)> {
        let entry = self.entries.iter().find(|entry| entry.holds(key))?;
        let word = entry.data[((key - entry.first) / 4) as usize];
        Some((word, entry.ready))
    }

    /// The number of the entry that holds the word at `key`.
    pub(super) fn entry(&self, key: u32) -> Option<usize> {
        self.entries.iter().position(|entry| entry.holds(key))
    }

    /// Holds nothing of the line of `key` from now on.
    pub(super) fn forget_line(&mut self, key: u32) {
        for entry in &mut self.entries {
            if line_address(entry.first) == line_address(key) {
                entry.words = 0;
            }
        }
        self.follow_entries();
    }

    fn follow_entries(&mut self) {
        self.used = self.entries.iter().any(|entry| entry.words != 0);
    }

    pub(super) fn save(&self, to: &mut Saver) {
        for entry in &self.entries {
            to.put(&(entry.first, entry.words, entry.data, entry.ready));
        }
    }

    pub(super) fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        for entry in &mut self.entries {
            let (first, words, data, ready) = from.take()?;
            let right = matches!(words, 0 | 1 | 4 | 8) && ready != Cycle::MAX && plausible(ready);
            require(right, "has a damaged read buffer")?;
            *entry = Entry {
                first,
                words,
                data,
                ready,
            };
        }
        self.follow_entries();
        Ok(())
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Which lines of a trace cache are translated: each bears a mark, wherever it is kept meanwhile.

use std::cell::Cell;

use crate::translations::{Heat, Known};

use super::SLOTS;

/// Units at most; then all are forgotten.
const LIMIT: usize = 1 << 18;

/// What a line remembers of its translation.
#[derive(Debug, Clone, Default)]
pub struct Mark {
    unit: Cell<Unit>,
    heat: Cell<u8>,
}

/// Which translation of which era; era 0 has none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Unit {
    era: u32,
    number: u32,
}

/// The translations, by slot and by number.
#[derive(Debug)]
pub struct Units {
    /// Addresses of code, by slot of the trace cache.
    entries: Box<[usize; SLOTS]>,
    /// The unit of each slot's line.
    held: Box<[Unit; SLOTS]>,
    /// Addresses of units, and how many of them can be executed.
    units: Vec<usize>,
    published: usize,
    /// How often all were forgotten.
    era: u32,
    /// Code for lines without a translation.
    cold: usize,
}

impl Units {
    /// None; `cold` is code for lines that are not translated.
    pub(crate) fn new(cold: usize) -> Self {
        Self {
            entries: Box::new([cold; SLOTS]),
            held: Box::new([Unit::default(); SLOTS]),
            units: Vec::new(),
            published: 0,
            era: 1,
            cold,
        }
    }

    /// The line in `slot` is now the one of `mark`.
    #[inline]
    pub(crate) fn filled(&mut self, slot: usize, mark: &Mark) {
        let unit = mark.unit.get();
        self.held[slot] = unit;
        self.entries[slot] = self.entry(unit);
    }

    fn entry(&self, unit: Unit) -> usize {
        let number = unit.number as usize;
        if unit.era == self.era && number < self.published {
            self.units[number]
        } else {
            self.cold
        }
    }

    /// Whether the line in `slot` is not translated, or waits.
    #[inline(always)]
    pub(crate) fn is_cold(&self, slot: usize) -> bool {
        self.entries[slot % SLOTS] == self.cold
    }

    /// For translated code.
    #[inline(always)]
    pub(crate) fn entries(&self) -> &[usize; SLOTS] {
        &self.entries
    }
}

impl Known for Units {
    /// The slot of a line, and its mark.
    type Place<'a> = (usize, &'a Mark);

    fn heats(&mut self, (_, mark): (usize, &Mark), hot: u8) -> Heat {
        if mark.unit.get().era == self.era {
            return Heat::Waiting;
        }
        let heat = mark.heat.get().saturating_add(1);
        mark.heat.set(heat);
        if heat >= hot {
            Heat::Hot
        } else {
            Heat::Cold
        }
    }

    fn is_full(&self) -> bool {
        self.units.len() >= LIMIT
    }

    fn wait(&mut self, (slot, mark): (usize, &Mark), entry: usize) {
        let unit = Unit {
            era: self.era,
            number: self.units.len() as u32,
        };
        self.units.push(entry);
        mark.unit.set(unit);
        self.held[slot] = unit;
    }

    fn waiting(&self) -> usize {
        self.units.len() - self.published
    }

    fn publish(&mut self) {
        let fresh = self.published as u32;
        self.published = self.units.len();
        for slot in 0..SLOTS {
            let unit = self.held[slot];
            if unit.era == self.era && unit.number >= fresh {
                self.entries[slot] = self.units[unit.number as usize];
            }
        }
    }

    fn clear(&mut self) {
        self.entries.fill(self.cold);
        self.units.clear();
        self.published = 0;
        // Marks of a number of eras ago that no machine gets to would look new.
        self.era = self.era.checked_add(1).expect("fewer eras");
    }
}

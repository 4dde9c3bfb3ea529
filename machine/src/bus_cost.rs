// SPDX-License-Identifier: Apache-2.0
//! What a transfer on the bus costs: so many words from or to a target at an address. Nobody else adds
//! up cycles of memory. (What of a line fill the processor waits for is the architecture's to say.)
//!
//! SDRAM keeps the row that was accessed last open in each of its banks, if the machine file says
//! so ([`RowConfig`]): another access to that row needs no activation, one to another row must
//! close it first.

use crate::bus::Target;
use crate::config::{MemoryConfig, RowConfig};
use crate::event::Cycle;

/// The cycles of one transfer, counted from when it gets the bus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    first: u32,
    next: u32,
    words: u32,
}

impl Transfer {
    /// When the `n`th word, counted from 0 in the order in which they go, is done.
    #[inline]
    #[must_use]
    pub fn word(self, n: u32) -> Cycle {
        Cycle::from(self.first) + Cycle::from(n) * Cycle::from(self.next)
    }

    /// Cycles from one word to the next.
    #[inline]
    #[must_use]
    pub fn pace(self) -> Cycle {
        Cycle::from(self.next)
    }

    /// When the last word is done and the bus is free.
    #[inline]
    #[must_use]
    pub fn total(self) -> Cycle {
        self.word(self.words - 1)
    }
}

/// How an access finds the row that it needs.
enum Row {
    /// No row of the bank is open, or rows are not kept open.
    Closed,
    /// It is open.
    Open,
    /// Another one of the bank is.
    Conflict,
}

/// No row: none has this number, since a row has more than one byte.
const NO_ROW: u32 = u32::MAX;

/// The costs of a machine's memory, and the rows that are open in it.
#[derive(Debug)]
pub struct BusCost {
    memory: MemoryConfig,
    /// The open row of each bank; no bank if rows are not kept open.
    open: Vec<u32>,
}

impl BusCost {
    /// The costs of `memory` with no row open.
    #[must_use]
    pub fn new(memory: MemoryConfig) -> Self {
        let banks = memory.rows.as_ref().map_or(0, |rows| rows.banks);
        Self {
            memory,
            open: vec![NO_ROW; banks as usize],
        }
    }

    /// A read of `words` words at `pa`, where `target` stands.
    #[inline]
    pub fn read(&mut self, target: Target, pa: u32, words: u32) -> Transfer {
        let (first, next) = match target {
            Target::Ram => (self.read_first(pa), self.memory.read_next),
            Target::Zeros | Target::Nothing => (self.memory.zeros_first, self.memory.zeros_next),
            Target::Device(_) => (self.memory.device, self.memory.device),
        };
        Transfer { first, next, words }
    }

    /// A write of `words` words at `pa`, where `target` stands.
    #[inline]
    pub fn write(&mut self, target: Target, pa: u32, words: u32) -> Transfer {
        let (first, next) = match target {
            Target::Ram => (self.write_first(pa), self.memory.write_next),
            // Nobody waits for an answer.
            Target::Zeros | Target::Nothing => (self.memory.zeros_next, self.memory.zeros_next),
            Target::Device(_) => (self.memory.device, self.memory.device),
        };
        Transfer { first, next, words }
    }

    #[inline]
    fn read_first(&mut self, pa: u32) -> u32 {
        if self.memory.rows.is_none() {
            return self.memory.read_first;
        }
        let row = self.open_row(pa);
        match (&self.memory.rows, row) {
            (Some(rows), Row::Open) => rows.read_open,
            (Some(rows), Row::Conflict) => rows.read_conflict,
            _ => self.memory.read_first,
        }
    }

    #[inline]
    fn write_first(&mut self, pa: u32) -> u32 {
        if self.memory.rows.is_none() {
            return self.memory.write_first;
        }
        let row = self.open_row(pa);
        match (&self.memory.rows, row) {
            (Some(rows), Row::Open) => rows.write_open,
            (Some(rows), Row::Conflict) => rows.write_conflict,
            _ => self.memory.write_first,
        }
    }

    /// Opens the row of `pa` and says what was there.
    #[inline(never)]
    fn open_row(&mut self, pa: u32) -> Row {
        let Some(RowConfig {
            row_bytes,
            bank_bytes,
            ..
        }) = self.memory.rows
        else {
            return Row::Closed;
        };
        let bank = (pa / bank_bytes) as usize % self.open.len();
        let row = pa / row_bytes;
        match std::mem::replace(&mut self.open[bank], row) {
            NO_ROW => Row::Closed,
            before if before == row => Row::Open,
            _ => Row::Conflict,
        }
    }
}

crate::saved!(BusCost { open } given { memory }
if |cost| cost.open.len() == cost.memory.rows.as_ref().map_or(0, |rows| rows.banks as usize));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::MachineConfig;

    fn cost(machine: &str) -> BusCost {
        BusCost::new(
            MachineConfig::find(machine)
                .unwrap()
                .arm()
                .unwrap()
                .memory
                .clone(),
        )
    }

    #[test]
    fn a_transfer_is_its_first_word_and_the_others() {
        let line = cost("sa1110").read(Target::Ram, 0xc000_0000, 8);
        assert_eq!(line.word(0), 22);
        assert_eq!(line.word(3), 22 + 3 * 7);
        assert_eq!(line.total(), 22 + 7 * 7);
    }

    #[test]
    fn a_machine_without_rows_has_one_price() {
        let mut cost = cost("sa1110");
        let first = cost.read(Target::Ram, 0xc000_0000, 8);
        assert_eq!(cost.read(Target::Ram, 0xc000_0020, 8), first);
        assert_eq!(cost.read(Target::Ram, 0xc010_0000, 8), first);
    }

    #[test]
    fn an_open_row_needs_no_activation_and_another_one_a_precharge() {
        let mut cost = cost("sa1110-sdram");
        let rows = cost.memory.rows.clone().unwrap();
        let first = |transfer: Transfer| transfer.word(0);
        let base = 0xc000_0000;
        assert_eq!(
            first(cost.read(Target::Ram, base, 8)),
            Cycle::from(cost.memory.read_first)
        );
        assert_eq!(
            first(cost.read(Target::Ram, base + rows.row_bytes - 32, 8)),
            Cycle::from(rows.read_open)
        );
        assert_eq!(
            first(cost.write(Target::Ram, base + rows.row_bytes, 4)),
            Cycle::from(rows.write_conflict)
        );
        // Another bank does not close it.
        assert_eq!(
            first(cost.read(Target::Ram, base + rows.bank_bytes, 1)),
            Cycle::from(cost.memory.read_first)
        );
        assert_eq!(
            first(cost.write(Target::Ram, base + rows.row_bytes + 64, 4)),
            Cycle::from(rows.write_open)
        );
    }

    #[test]
    fn devices_and_zeros_open_no_row() {
        let mut cost = cost("sa1110-sdram");
        cost.read(Target::Ram, 0xc000_0000, 1);
        cost.read(Target::Zeros, 0xe000_0000, 8);
        cost.write(Target::Device(0), 0x8000_0000, 1);
        let again = cost.read(Target::Ram, 0xc000_0000, 1);
        assert_eq!(
            again.word(0),
            Cycle::from(cost.memory.rows.clone().unwrap().read_open)
        );
    }
}

// SPDX-License-Identifier: Apache-2.0
//! PrimeCells: peripherals of ARM's that say what they are in the last eight words of their 4 KB.
//! Linux binds its drivers by these numbers. Here are the numbers, and a PrimeCell whose other
//! registers only store, for those whose work the model does not do.

use std::collections::BTreeMap;

use super::{lane, DevCtx, Device, Width};

/// The first of the identification registers, UARTPeriphID0 in the PL011's words; four of the
/// peripheral and four that are the same for all, each with eight bits in a word.
const PERIPH_ID: u32 = 0xfe0;
/// What the last four read: the mark of a PrimeCell.
const CELL_ID: [u8; 4] = [0x0d, 0xf0, 0x05, 0xb1];
/// Bytes of a PrimeCell's registers.
pub const BYTES: u32 = 0x1000;

/// The four peripheral identification registers: part number (12 bits), designer (0x41: ARM),
/// revision and configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeriphId(pub [u8; 4]);

impl PeriphId {
    /// What the register at `offset` reads, if it is an identification register.
    #[must_use]
    pub fn read(self, offset: u32) -> Option<u32> {
        let number = ((offset & (BYTES - 1)).checked_sub(PERIPH_ID)? / 4) as usize;
        let byte = self.0.iter().chain(&CELL_ID).nth(number)?;
        Some(u32::from(*byte))
    }
}

/// A PrimeCell of which only the identification works; the other registers read 0 until they are
/// written, then what was written.
#[derive(Debug)]
pub struct PrimeCell {
    name: &'static str,
    id: PeriphId,
    /// Registers, by offset, that have been written or did not begin as 0.
    words: BTreeMap<u32, u32>,
}

impl PrimeCell {
    /// The PrimeCell `name` with these identification registers.
    #[must_use]
    pub fn new(name: &'static str, id: [u8; 4]) -> Self {
        Self {
            name,
            id: PeriphId(id),
            words: BTreeMap::new(),
        }
    }

    /// What the register at `offset` stores.
    #[must_use]
    pub fn word(&self, offset: u32) -> u32 {
        self.words.get(&(offset & !3)).copied().unwrap_or(0)
    }

    /// One with the register at `offset` at `word` after reset.
    #[must_use]
    pub fn with(mut self, offset: u32, word: u32) -> Self {
        self.words.insert(offset, word);
        self
    }
}

crate::saved!(PrimeCell { words } given { name, id } if |cell| cell.words.len() <= BYTES as usize / 4);

impl Device for PrimeCell {
    fn name(&self) -> &'static str {
        self.name
    }

    fn read(&mut self, offset: u32, width: Width, _ctx: &mut DevCtx) -> u32 {
        let stored = || self.word(offset);
        lane(self.id.read(offset).unwrap_or_else(stored), offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, _ctx: &mut DevCtx) {
        self.words.insert(offset & (BYTES - 1) & !3, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev::bench::Bench;

    #[test]
    fn says_what_it_is_and_stores_the_rest() {
        let cell = PrimeCell::new("dma", [0x80, 0x10, 0x04, 0x0a]).with(0x30, 7);
        let mut b = Bench::new(cell);
        let id: Vec<u32> = (0..8).map(|n| b.read(0xfe0 + 4 * n)).collect();
        assert_eq!(id, [0x80, 0x10, 0x04, 0x0a, 0x0d, 0xf0, 0x05, 0xb1]);
        assert_eq!((b.read(0x30), b.read(0x34), b.read(0xfdc)), (7, 0, 0));
        b.write(0x30, 0x1234_5678);
        assert_eq!(b.read(0x30), 0x1234_5678);
        assert_eq!(b.read_part(0x32, Width::Half), 0x1234);
        b.write(0xfe0, 1);
        assert_eq!(b.read(0xfe0), 0x80);
    }
}

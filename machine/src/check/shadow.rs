// SPDX-License-Identifier: Apache-2.0
//! Memory as it would be if every store took effect at once, where it was meant to go; and who wrote
//! each word of it last.

use std::cell::Cell;

use crate::bus::Bus;

use super::writers::{Writer, Writers};

/// Memory as every store so far has left it.
pub struct Shadow {
    ram_base: u32,
    bytes: Vec<u8>,
    writers: Writers,
    /// Which words have been read as descriptors since they changed, a bit for each.
    descriptors: Vec<Cell<u64>>,
    /// What [`Shadow::changes`] says.
    changes: u64,
    /// Which blocks have been read as instructions since they changed, a bit for each.
    code: Vec<u64>,
    /// What [`Shadow::code_changes`] says.
    code_changes: u64,
}

/// Bytes of a block that is read as instructions.
const BLOCK: usize = 32;

/// A descriptor that a walk of page tables has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Read {
    /// Its physical address.
    pub at: u32,
    /// What it says; `None`: there is no memory.
    pub word: Option<u32>,
}

impl Shadow {
    /// Of memory as it is now.
    #[must_use]
    pub fn new(bus: &Bus) -> Self {
        let (ram_base, bytes) = bus.ram_window();
        let bytes = bus
            .ram_slice(ram_base, bytes as usize)
            .unwrap_or_default()
            .to_vec();
        Self {
            ram_base,
            writers: Writers::new(bytes.len()),
            descriptors: vec![Cell::new(0); (bytes.len() / 4).div_ceil(64)],
            changes: 0,
            code: vec![0; (bytes.len() / BLOCK).div_ceil(64)],
            code_changes: 0,
            bytes,
        }
    }

    #[inline]
    fn offset(&self, pa: u32) -> Option<usize> {
        let offset = pa.wrapping_sub(self.ram_base) as usize;
        (offset < self.bytes.len()).then_some(offset)
    }

    /// The word at `pa`, if there is memory.
    #[inline]
    #[must_use]
    pub fn word(&self, pa: u32) -> Option<u32> {
        let offset = self.offset(pa)? & !3;
        let bytes = self.bytes.get(offset..offset + 4)?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// Who wrote the word at `pa` last, if anybody did.
    #[must_use]
    pub fn writer(&self, pa: u32) -> Option<Writer> {
        self.writers.find(self.offset(pa)?)
    }

    /// A store of `bytes` bytes, up to a word; `false`: there is no memory.
    pub fn store(&mut self, pa: u32, bytes: u32, value: u32, writer: &Writer) -> bool {
        let Some(offset) = self.offset(pa) else {
            return false;
        };
        let len = bytes as usize;
        let start = offset & !(len - 1);
        let place = &mut self.bytes[start..start + len];
        match (len, value.to_le_bytes()) {
            (4, all) => place.copy_from_slice(&all),
            (2, [a, b, ..]) => place.copy_from_slice(&[a, b]),
            (_, all) => place.copy_from_slice(&all[..len]),
        }
        let (block, bit) = (
            &mut self.code[start / BLOCK / 64],
            1 << (start / BLOCK % 64),
        );
        if *block & bit != 0 {
            *block &= !bit;
            self.code_changes += 1;
        }
        let (word, bit) = (&self.descriptors[start / 256], 1 << (start / 4 % 64));
        if word.get() & bit != 0 {
            word.set(word.get() & !bit);
            self.changes += 1;
        }
        self.writers.note(offset, writer);
        true
    }

    /// Bytes that changed without a store.
    pub fn poke(&mut self, pa: u32, bytes: &[u8]) {
        let Some(start) = self.offset(pa) else {
            return;
        };
        if let Some(ideal) = self.bytes.get_mut(start..start + bytes.len()) {
            ideal.copy_from_slice(bytes);
            self.changes += 1;
        }
    }

    /// How often a word has changed that had been read as a descriptor: as long as it stays the same,
    /// so do all walks.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// How often a block has changed that had been read as instructions: as long as it stays the same, so
    /// do they all.
    #[must_use]
    pub fn code_changes(&self) -> u64 {
        self.code_changes
    }

    /// Instructions are read in the block at `pa`.
    pub fn read_code(&mut self, pa: u32) {
        if let Some(offset) = self.offset(pa) {
            self.code[offset / BLOCK / 64] |= 1 << (offset / BLOCK % 64);
        }
    }

    /// Reads a descriptor.
    pub fn read(&self, at: u32) -> Read {
        if let Some(offset) = self.offset(at) {
            let word = &self.descriptors[offset / 256];
            word.set(word.get() | 1 << (offset / 4 % 64));
        }
        Read {
            at,
            word: self.word(at),
        }
    }
}

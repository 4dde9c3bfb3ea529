// SPDX-License-Identifier: Apache-2.0
//! What a card stores its blocks on: a file of this computer, and beside it the blocks that the guest
//! has written. These are part of the machine's state, so a machine that is put back has its blocks
//! back; the file gets them when the run has ended, if it is to have them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use crate::state::{require, Damaged, Restorer, Saver, State};

/// Bytes of a block.
pub const BLOCK: usize = 512;

/// A file as a medium.
#[derive(Debug)]
pub struct Medium {
    file: File,
    bytes: u64,
    /// Blocks by number.
    written: BTreeMap<u64, Vec<u8>>,
}

impl Medium {
    /// That of `file`, which has so many bytes.
    #[must_use]
    pub fn new(file: File, bytes: u64) -> Self {
        Self {
            file,
            bytes,
            written: BTreeMap::new(),
        }
    }

    /// How many bytes it has.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Block `number`, which is one of the medium. `None`: the file cannot be read there.
    pub fn read(&mut self, number: u64) -> Option<[u8; BLOCK]> {
        let mut block = [0; BLOCK];
        if let Some(written) = self.written.get(&number) {
            block.copy_from_slice(written);
            return Some(block);
        }
        let from = SeekFrom::Start(number * BLOCK as u64);
        self.file.seek(from).ok()?;
        self.file.read_exact(&mut block).ok()?;
        Some(block)
    }

    /// Puts a block there.
    pub fn write(&mut self, number: u64, block: &[u8]) {
        self.written.insert(number, block.to_vec());
    }

    /// Puts what was written into the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_back(&mut self) -> io::Result<()> {
        for (number, block) in &self.written {
            self.file.seek(SeekFrom::Start(number * BLOCK as u64))?;
            self.file.write_all(block)?;
        }
        Ok(())
    }
}

impl State for Medium {
    fn save(&self, to: &mut Saver) {
        to.put(&self.bytes);
        to.put(&self.written);
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        let bytes: u64 = from.take()?;
        require(
            bytes == self.bytes,
            &format!("has a drive of {bytes} bytes, not {}", self.bytes),
        )?;
        self.written = from.take()?;
        let right = |(number, block): (&u64, &Vec<u8>)| {
            *number < bytes / BLOCK as u64 && block.len() == BLOCK
        };
        require(self.written.iter().all(right), "Medium is damaged")
    }
}

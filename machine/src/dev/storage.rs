// SPDX-License-Identifier: Apache-2.0
//! Registers that remember what was written and do nothing: for controllers whose work the model
//! does elsewhere (memory timing comes from the machine file) or not at all (LCD, DMA, USB), so
//! that a kernel that sets them up when it starts goes on.

use std::collections::BTreeMap;

use super::{lane, DevCtx, Device, Width};

/// A window of such registers; each reads 0 until it is written.
#[derive(Debug)]
pub struct Storage {
    name: &'static str,
    words: BTreeMap<u32, u32>,
}

impl Storage {
    /// Registers under the given name.
    #[must_use]
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            words: BTreeMap::new(),
        }
    }
}

crate::saved!(Storage { words } given { name });

impl Device for Storage {
    fn name(&self) -> &'static str {
        self.name
    }

    fn read(&mut self, offset: u32, width: Width, _ctx: &mut DevCtx) -> u32 {
        let word = self.words.get(&(offset & !3)).copied().unwrap_or(0);
        lane(word, offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, _ctx: &mut DevCtx) {
        self.words.insert(offset & !3, value);
    }
}

/// Storage at ports, in bytes. Beyond the last of them nothing answers.
#[derive(Debug)]
pub struct ByteStorage {
    name: &'static str,
    bytes: Vec<u8>,
}

impl ByteStorage {
    /// So many registers under the given name.
    #[must_use]
    pub fn new(name: &'static str, bytes: usize) -> Self {
        Self {
            name,
            bytes: vec![0; bytes],
        }
    }
}

crate::saved!(ByteStorage { bytes } given { name });

impl Device for ByteStorage {
    fn name(&self) -> &'static str {
        self.name
    }

    fn read(&mut self, offset: u32, _width: Width, _ctx: &mut DevCtx) -> u32 {
        let byte = self.bytes.get(offset as usize).copied();
        u32::from(byte.unwrap_or(0xff))
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, _ctx: &mut DevCtx) {
        if let Some(byte) = self.bytes.get_mut(offset as usize) {
            *byte = value as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev::bench::Bench;

    #[test]
    fn reads_what_was_written() {
        let mut b = Bench::new(Storage::new("lcd"));
        assert_eq!(b.read(0x10), 0);
        b.write(0x10, 0xdead_beef);
        assert_eq!(b.read(0x10), 0xdead_beef);
        assert_eq!(b.read_part(0x12, Width::Half), 0xdead);
        assert_eq!(b.read_part(0x11, Width::Byte), 0xbe);
    }

    #[test]
    fn bytes_stand_beside_each_other() {
        let mut b = Bench::new(ByteStorage::new("dma", 4));
        b.write(1, 0x1a5);
        b.write(4, 0x11);
        assert_eq!([0, 1, 2, 4].map(|at| b.read(at)), [0, 0xa5, 0, 0xff]);
    }
}

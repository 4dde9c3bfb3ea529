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
}

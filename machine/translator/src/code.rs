// SPDX-License-Identifier: Apache-2.0
//! Memory for code. It is in blocks of pages, each of which can be written or executed, never both.

use memmap2::{Mmap, MmapMut};

/// Bytes of a block: enough for the longest unit many times, little to protect anew for each.
const BLOCK_BYTES: usize = 64 << 10;
/// Blocks at most: 64 MB, several times what a boot of Linux needs.
const BLOCKS: usize = 1024;
/// Where units begin: at a multiple of this, as hosts fetch code best.
const ALIGNMENT: usize = 16;

/// All code.
#[derive(Debug)]
pub(crate) struct Code {
    /// Those that are full, and that which is being filled.
    blocks: Vec<Mmap>,
    /// Bytes used of the last one.
    used: usize,
    /// How many blocks there may be.
    limit: usize,
}

impl Code {
    /// None yet.
    pub(crate) fn new() -> Self {
        Self {
            blocks: Vec::new(),
            used: 0,
            limit: BLOCKS,
        }
    }

    /// Allows so many blocks only.
    pub(crate) fn limit(&mut self, blocks: usize) {
        self.limit = blocks;
    }

    /// Adds `code`, which runs wherever it is: its address. `None`: there is no room, or the host gives no
    /// memory; then code that was added before may be gone, and nobody may have its address any more.
    pub(crate) fn add(&mut self, code: &[u8]) -> Option<usize> {
        if code.len() > BLOCK_BYTES {
            return None;
        }
        let room = self.blocks.last().map_or(0, |_| BLOCK_BYTES - self.used);
        let mut block = if code.len() <= room {
            self.blocks.pop()?.make_mut().ok()?
        } else if self.blocks.len() < self.limit {
            self.used = 0;
            MmapMut::map_anon(BLOCK_BYTES).ok()?
        } else {
            return None;
        };
        let at = self.used;
        block[at..at + code.len()].copy_from_slice(code);
        self.used = (at + code.len())
            .next_multiple_of(ALIGNMENT)
            .min(BLOCK_BYTES);
        let block = block.make_exec().ok()?;
        let address = block.as_ptr() as usize + at;
        self.blocks.push(block);
        Some(address)
    }
}

impl Code {
    /// Frees all of it: nobody may have an address of it any more.
    pub(crate) fn clear(&mut self) {
        self.blocks.clear();
        self.used = 0;
    }
}

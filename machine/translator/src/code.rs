// SPDX-License-Identifier: Apache-2.0
//! Memory for code. It is in blocks of pages, each of which can be written or executed, never both: a block is
//! filled, then made executable once and for all. As that is a call of the host's kernel, units are made so several
//! at a time.

use memmap2::{Mmap, MmapMut};

/// Bytes of a block, if a unit is not longer: enough for several.
const BLOCK_BYTES: usize = 16 << 10;
/// Blocks at most: several times what a boot of Linux needs.
const BLOCKS: usize = 8192;
/// Where units begin: at a multiple of this, as hosts fetch code best.
const ALIGNMENT: usize = 16;

/// All code.
#[derive(Debug)]
pub(crate) struct Code {
    /// What can be executed.
    blocks: Vec<Mmap>,
    /// What is being filled.
    filling: Option<MmapMut>,
    /// Bytes used of it.
    used: usize,
    /// How many blocks there may be.
    limit: usize,
}

impl Code {
    /// None yet.
    pub(crate) fn new() -> Self {
        Self {
            blocks: Vec::new(),
            filling: None,
            used: 0,
            limit: BLOCKS,
        }
    }

    /// Allows so many blocks only.
    pub(crate) fn limit(&mut self, blocks: usize) {
        self.limit = blocks;
    }

    /// Adds `code`, which runs wherever it is: its address. It can be executed when it has been published.
    /// `None`: there is no room, or the host gives no memory.
    pub(crate) fn add(&mut self, code: &[u8]) -> Option<usize> {
        let room = self
            .filling
            .as_ref()
            .map_or(0, |block| block.len() - self.used.min(block.len()));
        if code.len() > room {
            self.publish()?;
            if self.blocks.len() >= self.limit {
                return None;
            }
            self.filling = Some(MmapMut::map_anon(BLOCK_BYTES.max(code.len())).ok()?);
            self.used = 0;
        }
        let block = self.filling.as_mut()?;
        let at = self.used;
        block[at..at + code.len()].copy_from_slice(code);
        self.used = (at + code.len()).next_multiple_of(ALIGNMENT);
        Some(block.as_ptr() as usize + at)
    }

    /// Makes executable what was added. `None`: the host does not let it; nobody may have its address then.
    pub(crate) fn publish(&mut self) -> Option<()> {
        if let Some(block) = self.filling.take() {
            self.blocks.push(block.make_exec().ok()?);
        }
        Some(())
    }

    /// Frees all of it: nobody may have an address of it any more.
    pub(crate) fn clear(&mut self) {
        self.blocks.clear();
        self.filling = None;
    }
}

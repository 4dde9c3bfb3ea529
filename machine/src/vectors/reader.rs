// SPDX-License-Identifier: Apache-2.0
//! What the protocols have in common: words, blocks and ranges of memory, and what is said of input
//! that is no case.

use std::io::Read;

use crate::bus::Bus;

const CASE_MAGIC: u32 = 0x4356_5953;
/// What an answer begins with.
pub(crate) const ANSWER_MAGIC: u32 = 0x4156_5953;

/// Memory that a case brings: address and bytes.
pub(crate) type Block = (u32, Vec<u8>);
/// A stretch of memory that a case asks for: address and length.
pub(crate) type Range = (u32, u32);

/// Reads cases and checks them.
pub(crate) struct Reader<'a> {
    input: &'a mut dyn Read,
    /// What is being read, for messages.
    case: String,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(input: &'a mut dyn Read) -> Self {
        let case = "the first case".to_owned();
        Self { input, case }
    }

    /// Begins the next case: its number, `None` at the end of the input.
    pub(crate) fn begin(&mut self) -> Result<Option<u32>, String> {
        let mut magic = [0; 4];
        let mut have = 0;
        while have < 4 {
            match self.input.read(&mut magic[have..]) {
                Ok(0) if have == 0 => return Ok(None),
                Ok(0) => return Err(self.wrong("ends inside its magic; expected a whole case")),
                Ok(n) => have += n,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(self.wrong(&format!("cannot be read: {e}"))),
            }
        }
        let magic = u32::from_le_bytes(magic);
        if magic != CASE_MAGIC {
            let what = format!("has magic {magic:#010x}; expected {CASE_MAGIC:#010x}");
            return Err(self.wrong(&what));
        }
        let id = self.word()?;
        self.case = format!("case {id}");
        Ok(Some(id))
    }

    pub(crate) fn blocks(&mut self, bus: &Bus) -> Result<Vec<Block>, String> {
        let mut blocks = Vec::new();
        for _ in 0..self.word()? {
            let (address, length) = self.range(bus)?;
            let mut bytes = vec![0; length as usize];
            self.fill(&mut bytes)?;
            blocks.push((address, bytes));
        }
        Ok(blocks)
    }

    pub(crate) fn ranges(&mut self, bus: &Bus) -> Result<Vec<Range>, String> {
        let mut ranges = Vec::new();
        for _ in 0..self.word()? {
            ranges.push(self.range(bus)?);
        }
        Ok(ranges)
    }

    fn range(&mut self, bus: &Bus) -> Result<Range, String> {
        let (address, length) = (self.word()?, self.word()?);
        let aligned = address % 4 == 0 && length % 4 == 0;
        if !aligned || bus.ram_slice(address, length as usize).is_none() {
            let (base, size) = bus.ram_window();
            return Err(self.wrong(&format!(
                "has {length} bytes at {address:#010x}; expected whole words within the {size} \
                 bytes of memory at {base:#010x}"
            )));
        }
        Ok((address, length))
    }

    pub(crate) fn words<const N: usize>(&mut self) -> Result<[u32; N], String> {
        let mut words = [0; N];
        for word in &mut words {
            *word = self.word()?;
        }
        Ok(words)
    }

    pub(crate) fn word(&mut self) -> Result<u32, String> {
        let mut bytes = [0; 4];
        self.fill(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), String> {
        self.input
            .read_exact(bytes)
            .map_err(|_| self.wrong("ends too early; expected a whole case"))
    }

    pub(crate) fn wrong(&self, what: &str) -> String {
        format!("vectors: {} {what}", self.case)
    }
}

/// Puts the blocks of a case, which are in memory as was checked, there.
pub(crate) fn write_blocks(bus: &mut Bus, blocks: &[Block]) {
    for (address, bytes) in blocks {
        if let Some(memory) = bus.ram_slice_mut(*address, bytes.len()) {
            memory.copy_from_slice(bytes);
        }
    }
}

/// Adds words to an answer.
pub(crate) fn add_words(answer: &mut Vec<u8>, words: impl IntoIterator<Item = u32>) {
    answer.extend(words.into_iter().flat_map(u32::to_le_bytes));
}

/// Adds the memory that a case asks for.
pub(crate) fn add_ranges(answer: &mut Vec<u8>, bus: &Bus, ranges: &[Range]) {
    add_words(answer, [ranges.iter().map(|(_, length)| length).sum()]);
    for &(address, length) in ranges {
        if let Some(memory) = bus.ram_slice(address, length as usize) {
            answer.extend(memory);
        }
    }
}

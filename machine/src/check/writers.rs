// SPDX-License-Identifier: Apache-2.0
//! Who wrote each word of memory last.

use crate::event::Cycle;

/// The last store to a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Writer {
    /// The instruction.
    pub pc: u64,
    /// The address that it wrote, after relocation.
    pub mva: u64,
    /// The domain of that address, if there was a translation.
    pub domain: Option<u8>,
    /// Whether it hit a line that keeps it to itself.
    pub cached: bool,
    /// When.
    pub cycle: Cycle,
}

/// A [`Writer`] in 24 bytes. `rest` is 0 where nobody wrote; else from bit 0 on: a one, `cached`,
/// whether there is a domain, four bits of domain, the cycle.
#[derive(Debug, Clone, Copy, Default)]
struct Packed {
    pc: u64,
    mva: u64,
    rest: u64,
}

const CYCLE_SHIFT: u32 = 7;

impl Packed {
    fn of(writer: &Writer) -> Self {
        let domain = writer.domain.map_or(0, |domain| 4 | u64::from(domain) << 3);
        Self {
            pc: writer.pc,
            mva: writer.mva,
            rest: 1 | u64::from(writer.cached) << 1 | domain | writer.cycle << CYCLE_SHIFT,
        }
    }

    fn writer(self) -> Option<Writer> {
        (self.rest != 0).then(|| Writer {
            pc: self.pc,
            mva: self.mva,
            domain: (self.rest & 4 != 0).then_some((self.rest >> 3) as u8 & 15),
            cached: self.rest & 2 != 0,
            cycle: self.rest >> CYCLE_SHIFT,
        })
    }
}

const WORDS: usize = 1024;
type Page = Box<[Packed; WORDS]>;

/// The last store to each word of memory, by page: most of memory is never written.
pub(super) struct Writers(Vec<Option<Page>>);

impl Writers {
    pub(super) fn new(bytes: usize) -> Self {
        let pages = bytes.div_ceil(4 * WORDS);
        Self(std::iter::repeat_with(|| None).take(pages).collect())
    }

    /// The last store to the word at `offset`.
    pub(super) fn find(&self, offset: usize) -> Option<Writer> {
        let page = self.0.get(offset / 4 / WORDS)?.as_ref()?;
        page[offset / 4 % WORDS].writer()
    }

    pub(super) fn note(&mut self, offset: usize, writer: &Writer) {
        let page = &mut self.0[offset / 4 / WORDS];
        let page = page.get_or_insert_with(|| Box::new([Packed::default(); WORDS]));
        page[offset / 4 % WORDS] = Packed::of(writer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_are_kept_by_word() {
        let mut writers = Writers::new(8192);
        assert_eq!(writers.find(4096), None);
        let writer = Writer {
            pc: 0xc001_0000,
            mva: 0xffff_fffe,
            domain: Some(15),
            cached: true,
            cycle: 1 << 56,
        };
        let other = Writer {
            domain: None,
            cached: false,
            cycle: 0,
            ..writer
        };
        writers.note(4096, &writer);
        writers.note(4102, &other);
        assert_eq!(writers.find(4099), Some(writer));
        assert_eq!(writers.find(4100), Some(other));
        assert_eq!(writers.find(4104), None);
        assert_eq!(writers.find(8192), None);
    }
}

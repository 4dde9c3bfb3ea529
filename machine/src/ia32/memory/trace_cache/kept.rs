// SPDX-License-Identifier: Apache-2.0
//! Lines as they were decoded, whether they are in the trace cache or not: what goes and comes back the same need
//! not be decoded again. The machine has no such thing; it takes the time that decoding takes.
//!
//! A line comes back by its address, if memory has its bytes. It mostly has been fetched from the same place
//! before, and nothing was stored there since. That is known without a look at the bytes: stores are counted by
//! pieces of memory. Those that a hint lets take the short way are not, but there is no hint for a piece with code in the
//! trace cache (`memsys/fetch.rs`), and the first store after the code has gone takes the long way.

use std::rc::Rc;

use switchyard_translator::traces::Mark;

use super::line::Line;
use super::{Key, CODE_SHIFT, SLOTS};

/// The number of a line; that of none is 0.
pub(super) type Number = u32;

/// Base-two logarithm of how many sets there are of lines that can come back: as fast as more.
const SET_BITS: u32 = 14;
const WAYS: usize = 2;
/// Lines at most, with those that can not come back and are still in a slot.
const MOST: usize = 3 << SET_BITS;
const _: () = assert!(MOST > (WAYS << SET_BITS) + SLOTS);
/// An age that no memory gets to.
const UNKNOWN: u64 = u64::MAX;

/// A line, and what is asked when it comes back: in one line of the host's cache.
#[derive(Debug, Clone)]
#[repr(align(64))]
struct Kept {
    key: Key,
    /// Where its bytes were when they were compared last, and how old that memory was then.
    pa: u32,
    age: u64,
    line: Rc<Line>,
    mark: Mark,
    size: Size,
}
const _: () = assert!(size_of::<Kept>() == 64);

/// How much a line is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// Bytes,
    pub bytes: u8,
    /// instructions,
    pub count: u8,
    /// and µops of them.
    pub uops: u8,
}

/// All of them.
#[derive(Debug)]
pub(super) struct KeptLines {
    lines: Vec<Kept>,
    /// Numbers without a line.
    free: Vec<Number>,
    /// Those that can come back: in each set the last one first, with its address.
    sets: Vec<[(u32, Number); WAYS]>,
    /// How often something was stored in each piece of memory.
    stores: Vec<u64>,
    /// How often all of memory may have changed.
    changes: u64,
}

impl KeptLines {
    /// None, of memory that has so many pieces.
    pub(super) fn new(pieces: usize) -> Self {
        let none = Kept {
            key: Key::NONE,
            pa: 0,
            age: UNKNOWN,
            line: Rc::default(),
            mark: Mark::default(),
            size: Size::default(),
        };
        Self {
            lines: vec![none],
            free: Vec::new(),
            sets: vec![[(0, 0); WAYS]; 1 << SET_BITS],
            stores: vec![0; pieces],
            changes: 0,
        }
    }

    /// Keeps a line while it is in a slot; `slots` are those that are in one now.
    pub(super) fn add(&mut self, key: Key, line: Line, slots: &[Number; SLOTS]) -> Number {
        let size = Size {
            bytes: line.bytes() as u8,
            count: line.count() as u8,
            uops: line.uops() as u8,
        };
        let kept = Kept {
            key,
            pa: 0,
            age: UNKNOWN,
            line: Rc::new(line),
            mark: Mark::default(),
            size,
        };
        if self.free.is_empty() && self.lines.len() == MOST {
            self.free_unused(slots);
        }
        if let Some(number) = self.free.pop() {
            self.lines[number as usize] = kept;
            return number;
        }
        self.lines.push(kept);
        self.lines.len() as Number - 1
    }

    /// A line was decoded from memory at `pa`, and can come back.
    pub(super) fn remember(&mut self, number: Number, pa: u32) {
        let key = self.lines[number as usize].key;
        let ways = &mut self.sets[set(key)];
        ways.rotate_right(1);
        ways[0] = (key.linear(), number);
        self.note(number, pa);
    }

    /// Those that can not come back and are in no slot are no more.
    fn free_unused(&mut self, slots: &[Number; SLOTS]) {
        let mut used = vec![false; self.lines.len()];
        let in_sets = self.sets.as_flattened().iter().map(|(_, number)| number);
        for number in in_sets.chain(slots).chain([&0]) {
            used[*number as usize] = true;
        }
        let numbers = (0..).zip(used);
        self.free
            .extend(numbers.filter_map(|(number, used)| (!used).then_some(number)));
    }

    /// The line of `key`, whose first byte is at `pa`, if it is what `bytes` there begin with.
    #[inline]
    pub(super) fn find(&mut self, key: Key, pa: u32, bytes: &[u8]) -> Option<Number> {
        for way in 0..WAYS {
            let (linear, number) = self.sets[set(key)][way];
            let kept = &self.lines[number as usize];
            if linear != key.linear() || kept.key != key {
                continue;
            }
            if kept.pa != pa || kept.age != self.age(pa, kept.size) {
                if !kept.line.is_of(bytes) {
                    continue;
                }
                self.note(number, pa);
            }
            self.sets[set(key)][..=way].rotate_right(1);
            return Some(number);
        }
        None
    }

    /// The bytes of a line are those at `pa`.
    fn note(&mut self, number: Number, pa: u32) {
        let kept = &self.lines[number as usize];
        let looked_at = kept.line.looked_at();
        let last = pa + (u32::from(kept.size.bytes) - 1);
        // Stores are compared with the pieces of its instructions.
        let known = looked_at.is_some_and(|n| piece(pa + (n - 1)) == piece(last));
        let age = if known {
            self.age(pa, kept.size)
        } else {
            UNKNOWN
        };
        let kept = &mut self.lines[number as usize];
        (kept.pa, kept.age) = (pa, age);
    }

    /// How often memory with so much at `pa` may have changed.
    #[inline]
    fn age(&self, pa: u32, size: Size) -> u64 {
        let last = pa + (u32::from(size.bytes) - 1);
        let stores = |pa| self.stores.get(piece(pa)).copied().unwrap_or(0);
        self.changes + stores(pa) + stores(last)
    }

    /// Something was stored at `pa` the long way.
    #[inline(always)]
    pub(super) fn stored(&mut self, pa: u32) {
        if let Some(stores) = self.stores.get_mut(piece(pa)) {
            *stores += 1;
        }
    }

    /// All of memory may have changed.
    pub(super) fn memory_changed(&mut self) {
        self.changes += 1;
    }

    #[inline(always)]
    pub(super) fn line(&self, number: Number) -> &Rc<Line> {
        &self.lines[number as usize].line
    }

    #[inline]
    pub(super) fn size(&self, number: Number) -> Size {
        self.lines[number as usize].size
    }

    /// What is remembered of its translation.
    #[inline]
    pub(super) fn mark(&self, number: Number) -> &Mark {
        &self.lines[number as usize].mark
    }
}

/// The set that a line comes back from.
#[inline]
fn set(key: Key) -> usize {
    let linear = key.linear() as usize;
    (linear ^ linear >> 12) % (1 << SET_BITS)
}

/// The piece of memory that `pa` is in.
#[inline(always)]
fn piece(pa: u32) -> usize {
    pa as usize >> CODE_SHIFT
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ia32::isa::cost::Cost;
    use crate::ia32::isa::encoding::Encoding;
    use crate::ia32::isa::insn::Insn;

    /// An instruction of one byte, and another one that was looked at.
    fn line(bytes: [u8; 2]) -> Line {
        let code = |n: usize| Encoding::new(&bytes[n..=n]).unwrap();
        let insn = Insn {
            length: 1,
            ..Insn::default()
        };
        let mut line = Line::of(insn, code(0), Cost::default());
        line.end_before(Some(code(1)));
        line
    }

    fn key(linear: u32) -> Key {
        Key::new(linear, true, false)
    }

    fn keep(kept: &mut KeptLines, linear: u32, bytes: [u8; 2], pa: u32) -> Number {
        let number = kept.add(key(linear), line(bytes), &[0; SLOTS]);
        kept.remember(number, pa);
        number
    }

    #[test]
    fn bytes_are_compared_where_something_was_stored() {
        let mut kept = KeptLines::new(8);
        let number = keep(&mut kept, 0x1000, [1, 2], 0x400);
        // What is not looked at may be anything.
        assert_eq!(kept.find(key(0x1000), 0x400, &[]), Some(number));
        kept.stored(0x3ff);
        kept.stored(0x800);
        assert_eq!(kept.find(key(0x1000), 0x400, &[]), Some(number));
        kept.stored(0x7ff);
        assert_eq!(kept.find(key(0x1000), 0x400, &[1, 3]), None);
        assert_eq!(kept.find(key(0x1000), 0x400, &[1, 2]), Some(number));
        assert_eq!(kept.find(key(0x1000), 0x400, &[]), Some(number));
        kept.memory_changed();
        assert_eq!(kept.find(key(0x1000), 0x400, &[1, 3]), None);
        assert_eq!(kept.find(key(0x1000), 0x800, &[1, 2]), Some(number));
        assert_eq!(
            kept.find(Key::new(0x1000, true, true), 0x800, &[1, 2]),
            None
        );
    }

    #[test]
    fn what_was_looked_at_beyond_a_line_is_compared_if_stores_are_not() {
        let mut kept = KeptLines::new(8);
        let number = keep(&mut kept, 0x13ff, [1, 2], 0x7ff);
        assert_eq!(kept.find(key(0x13ff), 0x7ff, &[1, 3]), None);
        assert_eq!(kept.find(key(0x13ff), 0x7ff, &[1, 2]), Some(number));
        assert_eq!(kept.find(key(0x13ff), 0x7ff, &[1, 3]), None);
    }

    #[test]
    fn lines_of_one_address_are_kept_together() {
        let mut kept = KeptLines::new(8);
        let one = keep(&mut kept, 0x1000, [1, 2], 0x400);
        let other = keep(&mut kept, 0x1000, [1, 3], 0x800);
        kept.memory_changed();
        assert_eq!(kept.find(key(0x1000), 0x400, &[1, 2]), Some(one));
        assert_eq!(kept.find(key(0x1000), 0x800, &[1, 3]), Some(other));
    }

    #[test]
    fn lines_that_nobody_has_make_room() {
        let mut kept = KeptLines::new(8);
        let mut slots = [0; SLOTS];
        slots[5] = keep(&mut kept, 0x1000, [9, 9], 0x400);
        for n in 0..2 * MOST as u32 {
            let number = kept.add(key(n), line([1, 2]), &slots);
            kept.remember(number, 0x800);
        }
        assert!(kept.lines.len() <= MOST);
        assert!(kept.line(slots[5]).is_of(&[9, 9]));
        assert_eq!(kept.find(key(0x1000), 0x400, &[9, 9]), None);
        let last = 2 * MOST as u32 - 1;
        assert!(kept.find(key(last), 0x800, &[1, 2]).is_some());
    }
}

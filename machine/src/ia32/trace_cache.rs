// SPDX-License-Identifier: Apache-2.0
//! The trace cache: decoded instructions by linear address, in lines of a few µops. Sources: IA-32 Intel
//! Architecture Optimization (248966), chapter 1; SDM vol. 3, 10.6 (self-modifying code); US patent
//! 6,594,734, which describes how stores are compared with code by the instruction TLB.
//!
//! A line begins at any instruction and goes on to the next ones in memory, over conditional branches
//! that are not taken, up to its last µop, any other transfer, or the end of the page. It is found by
//! its linear address alone, so it has to go with the translation by which it was fetched: when its
//! entry leaves the instruction TLB, and all of them with a load of CR3. A store into code that is
//! here, which is found by its physical address in pieces of a page, empties the trace cache.

use crate::state::{require, Damaged, Restorer, Saver, State};

use super::decoder::decode;
use super::insn::Insn;
use super::observe::Encoding;

/// Most instructions of a line: each has a µop at least.
pub const LINE_UOPS: usize = 6;
/// Lines of a set.
const WAYS: usize = 8;
/// Sets.
const SETS: usize = 256;
/// The address bits that choose a set begin here. Assumed: no source says; a line of the usual
/// instructions is some sixteen bytes long.
const SET_SHIFT: u32 = 4;
/// Base-two logarithm of the piece of a page in which a store is found to hit code: 1 KB, the subpage of
/// which 248966 (2, "placing data in code segments") says to keep data and code apart.
const CODE_SHIFT: u32 = 10;

/// A translation by which a line was fetched: its place in the instruction TLB, and how often that had
/// been filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Backing {
    place: u8,
    fills: u32,
}

/// What a line is found by: its address, and what else decides how bytes are decoded and whether they
/// may be fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key(u64);

impl Key {
    const NONE: Self = Self(0);
    const VALID: u64 = 1 << 34;

    /// Of the instruction at `linear`, in a code segment of 32 or 16 bits, at level 3 or another.
    #[inline(always)]
    #[must_use]
    pub fn new(linear: u32, big: bool, user: bool) -> Self {
        Self(u64::from(linear) | u64::from(big) << 32 | u64::from(user) << 33 | Self::VALID)
    }

    fn set(self) -> usize {
        self.0 as usize >> SET_SHIFT & (SETS - 1)
    }

    fn is_big(self) -> bool {
        self.0 & 1 << 32 != 0
    }
}

/// A line's instructions.
#[derive(Debug, Clone, Default)]
pub struct Line {
    insns: [Insn; LINE_UOPS],
    codes: [Encoding; LINE_UOPS],
    count: u8,
    /// Bytes of them all.
    bytes: u8,
    backing: [Backing; 2],
}

impl Line {
    /// An instruction alone.
    #[must_use]
    pub fn of(insn: Insn, code: Encoding) -> Self {
        let mut line = Self::default();
        line.push(insn, code);
        line
    }

    /// Appends an instruction, for which there is room.
    pub fn push(&mut self, insn: Insn, code: Encoding) {
        let n = usize::from(self.count);
        (self.insns[n], self.codes[n]) = (insn, code);
        self.count += 1;
        self.bytes += insn.length;
    }

    /// How many instructions there are.
    #[inline(always)]
    #[must_use]
    pub fn count(&self) -> usize {
        usize::from(self.count)
    }

    /// The bytes of them all.
    #[inline(always)]
    #[must_use]
    pub fn bytes(&self) -> u32 {
        u32::from(self.bytes)
    }

    /// Instruction `n`.
    #[inline(always)]
    #[must_use]
    pub fn insn(&self, n: usize) -> &Insn {
        &self.insns[n]
    }

    /// Its bytes.
    #[must_use]
    pub fn code(&self, n: usize) -> Encoding {
        self.codes[n]
    }
}

/// The trace cache.
#[derive(Debug)]
pub struct TraceCache {
    keys: Vec<Key>,
    lines: Vec<Line>,
    /// For each set the tree of its pseudo-LRU: a bit a node, the root first, which says in which half
    /// the next victim is.
    trees: Vec<u8>,
    /// How often each place of the instruction TLB was filled or emptied; the last is for addresses that
    /// are not translated.
    fills: Vec<u32>,
    /// Pieces of memory that have code here, a bit each.
    code: Vec<u64>,
}

impl TraceCache {
    /// An empty one beside an instruction TLB of so many places and memory of so many bytes.
    #[must_use]
    pub fn new(places: usize, ram_bytes: u32) -> Self {
        let pieces = (ram_bytes as usize >> CODE_SHIFT) + 1;
        Self {
            keys: vec![Key::NONE; SETS * WAYS],
            lines: vec![Line::default(); SETS * WAYS],
            trees: vec![0; SETS],
            fills: vec![0; places + 1],
            code: vec![0; pieces.div_ceil(64)],
        }
    }

    /// The place that stands for addresses that are not translated.
    #[must_use]
    pub fn untranslated(&self) -> usize {
        self.fills.len() - 1
    }

    /// The slot of the line of `key`.
    #[inline(always)]
    pub fn find(&mut self, key: Key) -> Option<usize> {
        let first = key.set() * WAYS;
        let way = self.keys[first..first + WAYS]
            .iter()
            .position(|k| *k == key)?;
        let backed = |b: Backing| self.fills[usize::from(b.place)] == b.fills;
        if !self.lines[first + way].backing.into_iter().all(backed) {
            return None;
        }
        self.use_way(key.set(), way);
        Some(first + way)
    }

    /// The line in `slot`.
    #[inline(always)]
    #[must_use]
    pub fn line(&self, slot: usize) -> &Line {
        &self.lines[slot]
    }

    /// Puts a line in, which was fetched by the translations in these places, from code at physical
    /// addresses `code` that memory has. Gives its slot.
    pub fn insert(
        &mut self,
        key: Key,
        mut line: Line,
        places: [usize; 2],
        code: [u32; 2],
    ) -> usize {
        line.backing = places.map(|place| Backing {
            place: place as u8,
            fills: self.fills[place],
        });
        for pa in code {
            let piece = pa as usize >> CODE_SHIFT;
            if let Some(word) = self.code.get_mut(piece / 64) {
                *word |= 1 << (piece % 64);
            }
        }
        let set = key.set();
        // One of the same address, whose translation is gone, is replaced first.
        let first = set * WAYS;
        let same = self.keys[first..first + WAYS]
            .iter()
            .position(|k| *k == key);
        let way = same.unwrap_or_else(|| victim(self.trees[set]));
        self.use_way(set, way);
        self.keys[first + way] = key;
        self.lines[first + way] = line;
        first + way
    }

    #[inline(always)]
    fn use_way(&mut self, set: usize, way: usize) {
        let (clear, point) = TOUCH[way];
        self.trees[set] = self.trees[set] & !clear | point;
    }

    /// The translation in `place` has gone or been replaced: its lines are no more.
    pub fn forget(&mut self, place: usize) {
        self.fills[place] = self.fills[place].wrapping_add(1);
    }

    /// Empties it.
    pub fn empty(&mut self) {
        self.keys.fill(Key::NONE);
        self.code.fill(0);
    }

    /// Whether a store at `pa` may hit code that is here.
    #[inline(always)]
    #[must_use]
    pub fn has_code(&self, pa: u32) -> bool {
        let piece = pa as usize >> CODE_SHIFT;
        self.code
            .get(piece / 64)
            .is_some_and(|word| word >> (piece % 64) & 1 != 0)
    }
}

/// The way to which a tree points: at each node left where the bit is clear.
fn victim(tree: u8) -> usize {
    let mut node = 0;
    for _ in 0..WAYS.ilog2() {
        node = 2 * node + 1 + usize::from(tree >> node & 1);
    }
    node - (WAYS - 1)
}

/// For each way the nodes on its path, and those of them that then point right: away from it.
const TOUCH: [(u8, u8); WAYS] = {
    let mut table = [(0, 0); WAYS];
    let mut way = 0;
    while way < WAYS {
        let mut node = way + WAYS - 1;
        while node > 0 {
            let parent = (node - 1) / 2;
            table[way].0 |= 1 << parent;
            if node == 2 * parent + 1 {
                table[way].1 |= 1 << parent;
            }
            node = parent;
        }
        way += 1;
    }
    table
};

impl State for TraceCache {
    /// Instructions are decoded again from their bytes.
    fn save(&self, to: &mut Saver) {
        to.put(&(&self.trees, &self.fills, &self.code));
        for (key, line) in self.keys.iter().zip(&self.lines) {
            to.put(&key.0);
            if *key != Key::NONE {
                let backing = line.backing.map(|b| (b.place, b.fills));
                let codes: Vec<&[u8]> = line.codes[..line.count()]
                    .iter()
                    .map(Encoding::bytes)
                    .collect();
                to.put(&(backing, codes));
            }
        }
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        const WRONG: &str = "has another trace cache than the machine";
        let (trees, fills, code): (Vec<u8>, Vec<u32>, Vec<u64>) = from.take()?;
        let sizes = (trees.len(), fills.len(), code.len());
        let right = sizes == (self.trees.len(), self.fills.len(), self.code.len());
        require(right, WRONG)?;
        (self.trees, self.fills, self.code) = (trees, fills, code);
        for slot in 0..self.keys.len() {
            let key = Key(from.take()?);
            self.keys[slot] = key;
            if key == Key::NONE {
                continue;
            }
            let (backing, codes): ([(u8, u32); 2], Vec<Vec<u8>>) = from.take()?;
            let places = backing
                .iter()
                .all(|(place, _)| usize::from(*place) < self.fills.len());
            let fits = (1..=LINE_UOPS).contains(&codes.len());
            require(key.set() == slot / WAYS && places && fits, WRONG)?;
            let mut line = Line {
                backing: backing.map(|(place, fills)| Backing { place, fills }),
                ..Line::default()
            };
            for bytes in codes {
                let insn = decode(&mut bytes.iter(), key.is_big());
                let insn = insn.map_err(|_| Damaged::from(WRONG))?;
                let code =
                    Encoding::new(&bytes).filter(|_| bytes.len() == usize::from(insn.length));
                line.push(insn, code.ok_or(Damaged::from(WRONG))?);
            }
            self.lines[slot] = line;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nop(length: u8) -> Line {
        let insn = Insn {
            length,
            ..Insn::default()
        };
        Line::of(insn, Encoding::default())
    }

    fn key(linear: u32) -> Key {
        Key::new(linear, true, false)
    }

    #[test]
    fn a_line_is_found_until_its_translation_goes() {
        let mut cache = TraceCache::new(4, 1 << 20);
        cache.insert(key(0x1000), nop(1), [2, 2], [0x5000, 0x5000]);
        let slot = cache.find(key(0x1000)).unwrap();
        assert_eq!(cache.line(slot).bytes(), 1);
        assert_eq!(cache.find(Key::new(0x1000, true, true)), None);
        assert_eq!(cache.find(key(0x1001)), None);
        cache.forget(3);
        assert!(cache.find(key(0x1000)).is_some());
        cache.forget(2);
        assert_eq!(cache.find(key(0x1000)), None);
    }

    #[test]
    fn stores_are_compared_with_code_by_kilobytes() {
        let mut cache = TraceCache::new(4, 1 << 20);
        cache.insert(key(0x1000), nop(1), [0, 0], [0x5400, 0x5400]);
        let hits = [0x53ff, 0x5400, 0x57ff, 0x5800].map(|pa| cache.has_code(pa));
        assert_eq!(hits, [false, true, true, false]);
        cache.empty();
        assert!(!cache.has_code(0x5400) && cache.find(key(0x1000)).is_none());
    }

    #[test]
    fn the_tree_replaces_what_was_not_used_lately() {
        let mut cache = TraceCache::new(1, 1 << 20);
        let of_one_set = |n: u32| key(n << (SET_SHIFT + SETS.ilog2()));
        for n in 0..WAYS as u32 {
            cache.insert(of_one_set(n), nop(1), [0, 0], [0, 0]);
        }
        assert!((0..WAYS as u32).all(|n| cache.find(of_one_set(n)).is_some()));
        // Used last from 0 to 7: the tree points at 0.
        cache.insert(of_one_set(100), nop(1), [0, 0], [0, 0]);
        assert_eq!(cache.find(of_one_set(0)), None);
        // It points at the other half now, where 1 was put, and used before the others.
        cache.insert(of_one_set(101), nop(1), [0, 0], [0, 0]);
        assert_eq!(cache.find(of_one_set(1)), None);
    }
}

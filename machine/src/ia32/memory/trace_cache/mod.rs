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

mod kept;
pub mod line;

use std::rc::Rc;

use serde::{Deserialize, Serialize};
use switchyard_translator::traces::{self, Stretch, Translator, Ways};

use crate::cache::HINTS;
use crate::ia32::isa::cost::{Cost, Costs};
use crate::ia32::isa::decoder::decode;
use crate::ia32::isa::encoding::Encoding;
use crate::ia32::isa::insn::Insn;
use crate::plru::PseudoLru;
use crate::state::{require, Damaged, Restorer, Saver, State};

use self::kept::{KeptLines, Number, Size};
use self::line::{Line, LINE_UOPS};

/// Lines of a set.
const WAYS: usize = 8;
/// Sets.
const SETS: usize = 256;
const SLOTS: usize = SETS * WAYS;
const _: () = assert!(SLOTS == traces::SLOTS && WAYS == traces::WAYS);
/// The address bits that choose a set begin here. Assumed: no source says; a line of the usual
/// instructions is some sixteen bytes long.
const SET_SHIFT: u32 = traces::SET_SHIFT;
/// Remembered slots of lines.
const HINT_SLOTS: usize = traces::FETCH_HINTS;
/// Base-two logarithm of the piece of a page in which a store is found to hit code: 1 KB, the subpage of
/// which 248966 (2, "placing data in code segments") says to keep data and code apart.
const CODE_SHIFT: u32 = 10;

/// Of how often a place was filled: what it holds is hidden, and so are its lines (ideal address-space
/// tags, `memsys/tags.rs`).
const HIDDEN: u32 = 1 << 31;

/// A translation by which a line was fetched: its place in the instruction TLB, and how often that had
/// been filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Backing {
    place: u8,
    fills: u32,
}

/// What a line is found by: its address, and what else decides how bytes are decoded and whether they
/// may be fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
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

    /// Whether the instructions of both are decoded alike, at the same level.
    fn is_like(self, other: Self) -> bool {
        self.0 >> 32 == other.0 >> 32
    }

    fn set(self) -> usize {
        self.0 as usize >> SET_SHIFT & (SETS - 1)
    }

    fn linear(self) -> u32 {
        self.0 as u32
    }

    /// Where the slot is remembered in which its line was.
    #[inline(always)]
    fn hint(self) -> usize {
        let linear = self.0 as usize;
        (linear ^ linear >> 12 & 0xfffff) % HINT_SLOTS
    }

    fn is_big(self) -> bool {
        self.0 & 1 << 32 != 0
    }
}

/// A line that is kept.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    number: Number,
    /// How much it is.
    pub size: Size,
}

/// An instruction in the midst of a line, with which the processor goes on: a trace is not looked for
/// again while it is followed, whatever the run loop does between two of its instructions.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Cursor {
    line: Key,
    n: u8,
    linear: u32,
}

impl Cursor {
    /// Whether there is one.
    #[inline(always)]
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.line != Key::NONE
    }
}

/// The trace cache.
#[derive(Debug)]
pub struct TraceCache {
    /// What instructions cost.
    costs: Costs,
    /// The key of the line in each slot, as a number.
    keys: Box<[u64; SLOTS]>,
    /// The line in each slot.
    lines: Box<[Number; SLOTS]>,
    /// By what each line was fetched.
    backing: Box<[[Backing; 2]; SLOTS]>,
    /// Lines as they were decoded, also those that have gone. They are shared with the run loop, which executes a
    /// line while it may go.
    kept: KeptLines,
    /// Which line of a set is replaced next.
    trees: PseudoLru,
    /// Where lines were found, by [`Key::hint`]: where to look first.
    hints: Box<[u16; HINT_SLOTS]>,
    /// The epoch in which each line was found or put in last. Another one begins with each change of what backs lines.
    found: Box<[u64; SLOTS]>,
    epoch: u64,
    /// How often each place of the instruction TLB was filled or emptied; the last is for addresses that
    /// are not translated.
    fills: Vec<u32>,
    /// Whether lines were fetched by what each place holds.
    backs: Vec<bool>,
    /// Pieces of memory that have code here, a bit each.
    code: Vec<u64>,
    /// And those to which stores may go that are not compared with it.
    hinted: Vec<u64>,
    /// What runs lines as host code.
    translator: Option<Box<Translator>>,
}

impl TraceCache {
    /// An empty one, for instructions that cost so much, beside an instruction TLB of so many places and
    /// memory of so many bytes.
    #[must_use]
    pub fn new(costs: Costs, places: usize, ram_bytes: u32) -> Self {
        let pieces = (ram_bytes as usize >> CODE_SHIFT) + 1;
        Self {
            costs,
            keys: Box::new([Key::NONE.0; SLOTS]),
            lines: Box::new([0; SLOTS]),
            backing: Box::new([[Backing::default(); 2]; SLOTS]),
            kept: KeptLines::new(pieces),
            trees: PseudoLru::new(SETS, WAYS),
            hints: Box::new([0; HINT_SLOTS]),
            found: Box::new([0; SLOTS]),
            epoch: 1,
            fills: vec![0; places + 1],
            backs: vec![false; places + 1],
            code: vec![0; pieces.div_ceil(64)],
            hinted: vec![0; pieces.div_ceil(64)],
            translator: None,
        }
    }

    /// What `insn` costs.
    #[must_use]
    pub fn cost(&self, insn: &Insn) -> Cost {
        self.costs.of(insn)
    }

    /// The price of the first µops of a repeated instruction.
    #[must_use]
    pub fn cost_of_repeat(&self, insn: &Insn) -> u32 {
        self.costs.of_repeat(insn)
    }

    /// The place that stands for addresses that are not translated.
    #[must_use]
    pub fn untranslated(&self) -> usize {
        self.fills.len() - 1
    }

    /// The slot of the line of `key`.
    #[inline(always)]
    pub fn find(&mut self, key: Key) -> Option<usize> {
        let likely = usize::from(self.hints[key.hint()]) % SLOTS;
        // What was found in this epoch is backed.
        let slot = if HINTS && self.keys[likely] == key.0 && self.found[likely] == self.epoch {
            likely
        } else {
            self.search(key)?
        };
        self.trees.touch(key.set(), slot % WAYS);
        Some(slot)
    }

    #[inline(never)]
    fn search(&mut self, key: Key) -> Option<usize> {
        let slot = self.position(key)?;
        self.hints[key.hint()] = slot as u16;
        self.found[slot] = self.epoch;
        Some(slot)
    }

    /// The cursor at instruction `n` of the line in `slot`, whose linear address is given.
    #[must_use]
    pub fn cursor(&self, slot: usize, n: usize, linear: u32) -> Cursor {
        Cursor {
            line: Key(self.keys[slot]),
            n: n as u8,
            linear,
        }
    }

    /// The slot and the instruction of `key`, if it is at the cursor and the line is still there.
    #[inline(always)]
    #[must_use]
    pub fn follow(&self, cursor: Cursor, key: Key) -> Option<(usize, usize)> {
        if cursor.linear != key.0 as u32 || !cursor.line.is_like(key) {
            return None;
        }
        let slot = self.position(cursor.line)?;
        let n = usize::from(cursor.n);
        (n < self.count(slot)).then_some((slot, n))
    }

    /// The slot of a line that is still there.
    #[inline(always)]
    fn position(&self, key: Key) -> Option<usize> {
        let first = key.set() * WAYS;
        let of_set = &self.keys[first..first + WAYS];
        let slot = first + of_set.iter().position(|k| *k == key.0)?;
        if self.is_backed(slot) {
            return Some(slot);
        }
        self.position_after(slot, key)
    }

    /// The slot of a line of `key` after `slot`, whose line is gone or hidden: one of another address space.
    #[cold]
    fn position_after(&self, slot: usize, key: Key) -> Option<usize> {
        let end = (key.set() + 1) * WAYS;
        (slot + 1..end).find(|&slot| self.keys[slot] == key.0 && self.is_backed(slot))
    }

    /// Whether the translations by which a line was fetched are there.
    #[inline(always)]
    fn is_backed(&self, slot: usize) -> bool {
        let backed = |b: Backing| self.fills.get(usize::from(b.place)) == Some(&b.fills);
        let [first, last] = self.backing[slot % SLOTS];
        backed(first) && backed(last)
    }

    /// Whether one of them is hidden, and the others are there or hidden, too.
    fn is_hidden(&self, slot: usize) -> bool {
        let kept = |b: Backing| self.fills[usize::from(b.place)] & !HIDDEN == b.fills;
        self.backing[slot].into_iter().all(kept) && !self.is_backed(slot)
    }

    /// The lines that can be found.
    pub fn valid_lines(&self) -> impl Iterator<Item = &Line> {
        let slots = self.slots().enumerate();
        slots.filter_map(|(slot, line)| line.map(|_| &**self.line(slot)))
    }

    /// By slot the linear addresses of the lines that can be found.
    pub fn slots(&self) -> impl Iterator<Item = Option<u32>> + '_ {
        self.keys.iter().enumerate().map(|(slot, &key)| {
            let key = Key(key);
            let found = key != Key::NONE && self.position(key) == Some(slot);
            found.then_some(key.0 as u32)
        })
    }

    /// Its sets and ways.
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        (SETS, WAYS)
    }

    /// The line in `slot`.
    #[inline(always)]
    #[must_use]
    pub fn line(&self, slot: usize) -> &Rc<Line> {
        self.kept.line(self.lines[slot % SLOTS])
    }

    /// How many instructions the line in `slot` has.
    #[inline(always)]
    #[must_use]
    pub fn count(&self, slot: usize) -> usize {
        usize::from(self.kept.size(self.lines[slot % SLOTS]).count)
    }

    /// The line that was decoded for `key`, if it is what `bytes` at `pa` begin with.
    #[must_use]
    pub fn known(&mut self, key: Key, pa: u32, bytes: &[u8]) -> Option<Known> {
        let number = self.kept.find(key, pa, bytes)?;
        let size = self.kept.size(number);
        Some(Known { number, size })
    }

    /// Keeps a line that was decoded for `key` from memory at `pa`.
    #[must_use]
    pub fn keep(&mut self, key: Key, line: Line, pa: u32) -> Known {
        let number = self.kept.add(key, line, &self.lines);
        self.kept.remember(number, pa);
        let size = self.kept.size(number);
        Known { number, size }
    }

    /// `bytes` of memory at `pa` were written.
    #[inline(always)]
    pub fn stored(&mut self, pa: u32, bytes: u32) {
        self.kept.stored(pa);
        let last = pa + (bytes - 1);
        if last >> CODE_SHIFT != pa >> CODE_SHIFT {
            self.kept.stored(last);
        }
    }

    /// Memory was changed by somebody else than the processor.
    pub fn memory_changed(&mut self) {
        self.empty();
        self.kept.memory_changed();
    }

    /// Puts a line in, which was fetched by the translations in these places, from code at the physical
    /// addresses `code` that memory has. Gives its slot.
    pub fn insert(&mut self, key: Key, line: Known, places: [usize; 2], code: [u32; 2]) -> usize {
        let slot = self.make_room(key);
        self.keys[slot] = key.0;
        self.hints[key.hint()] = slot as u16;
        self.found[slot] = self.epoch;
        self.backing[slot] = places.map(|place| {
            self.backs[place] = true;
            Backing {
                place: place as u8,
                fills: self.fills[place],
            }
        });
        self.put(slot, line.number);
        for pa in code {
            let (word, bit) = bit(pa);
            if let Some(word) = self.code.get_mut(word) {
                *word |= bit;
            }
        }
        slot
    }

    fn put(&mut self, slot: usize, number: Number) {
        if let Some(translator) = &mut self.translator {
            translator.line_filled(slot, self.kept.mark(number));
        }
        self.lines[slot] = number;
    }

    /// Runs lines as host code from now on, if that can be, beside a predictor that knows so many branches and caches
    /// of these shapes, the second of which takes a store in so much time.
    pub fn translate(&mut self, branches: usize, [first, second]: [Ways; 2], store: u32) {
        if self.translator.is_none() {
            let own = Ways {
                count: WAYS,
                paths: self.trees.paths(),
            };
            let ways = [own, first, second];
            self.translator = Translator::new(branches, ways, store).map(Box::new);
        }
    }

    /// The translator, if there is one.
    #[inline(always)]
    pub fn translator(&mut self) -> Option<&mut Translator> {
        self.translator.as_deref_mut()
    }

    /// The line in `slot` was reached and is not translated. `true`: it is to be.
    pub fn heats(&mut self, slot: usize) -> bool {
        let mark = self.kept.mark(self.lines[slot]);
        let translator = self.translator.as_deref_mut();
        translator.is_some_and(|translator| translator.heats((slot, mark)))
    }

    /// Translates the line in `slot`, in which `stretch` stands.
    pub fn translate_line(&mut self, slot: usize, stretch: &Stretch) {
        let mark = self.kept.mark(self.lines[slot]);
        if let Some(translator) = &mut self.translator {
            translator.translate(slot, mark, stretch);
        }
    }

    /// The translator, and what translated code looks at to find the lines of instructions like that of `key`.
    #[inline]
    pub fn lend(&mut self, key: Key) -> Option<(&mut Translator, traces::Fetch<'_>)> {
        let fetch = traces::Fetch {
            keys: &self.keys,
            kind: key.0 & !u64::from(u32::MAX),
            found: &self.found,
            epoch: self.epoch,
            hints: &self.hints,
            trees: self.trees.trees(),
        };
        Some((self.translator.as_mut()?, fetch))
    }

    /// The slot for a line of `key`: that of one of the same address, whose translation is gone for good, or
    /// else the victim's.
    fn make_room(&mut self, key: Key) -> usize {
        let set = key.set();
        let first = set * WAYS;
        let of_set = &self.keys[first..first + WAYS];
        let is_gone = |way: usize| of_set[way] == key.0 && !self.is_hidden(first + way);
        let same = (0..WAYS).find(|&way| is_gone(way));
        let way = same.unwrap_or_else(|| self.trees.victim(set));
        self.trees.touch(set, way);
        self.keys[first + way] = Key::NONE.0;
        first + way
    }

    /// The translation in `place` has gone or been replaced: its lines are no more.
    pub fn forget(&mut self, place: usize) {
        self.fills[place] = self.fills[place].wrapping_add(1) & !HIDDEN;
        if std::mem::take(&mut self.backs[place]) {
            self.epoch += 1;
        }
    }

    /// The translation in `place` answers no more, or again: its lines stay, and are not found meanwhile.
    pub fn hide(&mut self, place: usize, hidden: bool) {
        self.epoch += 1;
        self.fills[place] = self.fills[place] & !HIDDEN | if hidden { HIDDEN } else { 0 };
    }

    /// Empties it.
    pub fn empty(&mut self) {
        self.keys.fill(Key::NONE.0);
        self.backs.fill(false);
        self.code.fill(0);
    }

    /// Whether a store at `pa` may hit code that is here.
    #[inline(always)]
    #[must_use]
    pub fn has_code(&self, pa: u32) -> bool {
        let (word, bit) = bit(pa);
        self.code.get(word).is_some_and(|word| word & bit != 0)
    }

    /// Stores at `pa`, where no code is, are not compared with it from now on.
    pub fn hint_stores(&mut self, pa: u32) {
        let (word, bit) = bit(pa);
        if let Some(word) = self.hinted.get_mut(word) {
            *word |= bit;
        }
    }

    /// Whether code comes to `pa` where there was none, and stores may not be compared with it. They have to be from
    /// now on.
    pub fn ends_hints(&mut self, pa: u32) -> bool {
        if self.has_code(pa) {
            return false;
        }
        let (word, bit) = bit(pa);
        let hinted = self.hinted.get_mut(word);
        hinted.is_some_and(|word| std::mem::replace(word, *word & !bit) & bit != 0)
    }
}

/// The bit of the piece of memory at `pa`: the number of its word, and its place there.
#[inline(always)]
fn bit(pa: u32) -> (usize, u64) {
    let piece = pa as usize >> CODE_SHIFT;
    (piece / 64, 1 << (piece % 64))
}

impl State for TraceCache {
    /// Instructions are decoded again from their bytes.
    fn save(&self, to: &mut Saver) {
        to.put(&(&self.trees, &self.fills, &self.code));
        for (slot, key) in self.keys.iter().enumerate() {
            to.put(key);
            if *key != Key::NONE.0 {
                let line = self.line(slot);
                let backing = self.backing[slot].map(|b| (b.place, b.fills));
                let codes: Vec<&[u8]> = line.codes().collect();
                to.put(&(backing, codes));
            }
        }
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        const WRONG: &str = "has another trace cache than the machine";
        let (trees, fills, code): (PseudoLru, Vec<u32>, Vec<u64>) = from.take()?;
        let sizes = (fills.len(), code.len());
        let right = trees.fits(&self.trees) && sizes == (self.fills.len(), self.code.len());
        require(right, WRONG)?;
        (self.trees, self.fills, self.code) = (trees, fills, code);
        self.epoch += 1;
        self.backs.fill(true);
        self.kept.memory_changed();
        for slot in 0..self.keys.len() {
            let key = Key(from.take()?);
            self.keys[slot] = key.0;
            if key == Key::NONE {
                continue;
            }
            let (backing, codes): ([(u8, u32); 2], Vec<Vec<u8>>) = from.take()?;
            let places = backing
                .iter()
                .all(|(place, _)| usize::from(*place) < self.fills.len());
            let fits = (1..=LINE_UOPS).contains(&codes.len());
            require(key.set() == slot / WAYS && places && fits, WRONG)?;
            let mut line = Line::default();
            for bytes in codes {
                let insn = decode(&mut bytes.iter(), key.is_big());
                let insn = insn.map_err(|_| Damaged::from(WRONG))?;
                let code =
                    Encoding::new(&bytes).filter(|_| bytes.len() == usize::from(insn.length));
                let cost = self.costs.of(&insn);
                line.push(insn, code.ok_or(Damaged::from(WRONG))?, cost);
            }
            let number = self.kept.add(key, line, &self.lines);
            self.put(slot, number);
            self.backing[slot] = backing.map(|(place, fills)| Backing { place, fills });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::MachineConfig;

    fn nop(length: u8) -> Line {
        let insn = Insn {
            length,
            ..Insn::default()
        };
        Line::of(insn, Encoding::default(), Cost::default())
    }

    fn cache() -> TraceCache {
        let machine = MachineConfig::find("p4-willamette").unwrap();
        let ia32 = machine.ia32().unwrap();
        TraceCache::new(Costs::new(&ia32.latency, &ia32.price), 4, 1 << 20)
    }

    fn key(linear: u32) -> Key {
        Key::new(linear, true, false)
    }

    #[test]
    fn a_line_is_found_until_its_translation_goes() {
        let mut cache = cache();
        let line = cache.keep(key(0x1000), nop(1), 0x5000);
        cache.insert(key(0x1000), line, [2, 2], [0x5000, 0x5000]);
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
        let mut cache = cache();
        let line = cache.keep(key(0x1000), nop(1), 0x5400);
        cache.insert(key(0x1000), line, [0, 0], [0x5400, 0x5400]);
        let hits = [0x53ff, 0x5400, 0x57ff, 0x5800].map(|pa| cache.has_code(pa));
        assert_eq!(hits, [false, true, true, false]);
        cache.empty();
        assert!(!cache.has_code(0x5400) && cache.find(key(0x1000)).is_none());
    }
}

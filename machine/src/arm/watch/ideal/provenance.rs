// SPDX-License-Identifier: Apache-2.0
//! Where the newest data went: what the memory system's journal tells, and from it the reason for
//! each word that is not what the ideal machine has.

use std::collections::HashMap;

use crate::arm::memory::line::{line_address, line_word, Words, LINE_WORDS};
use crate::arm::memory::memsys::inspect::CachedLine;
use crate::arm::memory::memsys::journal::{DirtyLine, Event};
use crate::arm::memory::memsys::MemSys;
use crate::arm::memory::tlb::TlbEntry;
use crate::check::{Done, Line, Writer};
use crate::event::Cycle;

use super::space::Tag;
use super::walk::{Ideal, Walk};
use super::{Cause, Checker};

/// A line of the instruction cache as it was filled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fill {
    pa: u32,
    done: Done,
    /// Why some of it was old from the beginning.
    early: Option<(Cause, Option<Line>)>,
}

/// Where stored data have gone that memory, or a line, does not have.
#[derive(Default)]
pub(super) struct Provenance {
    /// Words of memory whose newest value is nowhere, or will never get there.
    words: HashMap<u32, (Cause, Line)>,
    /// The last store to each line of a frame that it was not meant for, by the line's address.
    misplaced: HashMap<u32, Writer>,
    /// The lines of the instruction cache, by slot.
    fills: Vec<Option<Fill>>,
    /// When the entries of the read buffer were loaded.
    read_buffer: [Cycle; 4],
    /// A list to use again.
    events: Vec<Event>,
}

impl Provenance {
    /// The word at `pa` was stored anew, and the store goes there.
    #[inline]
    pub(super) fn mend(&mut self, pa: u32) {
        if !self.words.is_empty() {
            self.words.remove(&(pa & !3));
        }
    }

    fn note(&mut self, pa: u32, cause: Cause, line: Line) {
        self.words.entry(pa & !3).or_insert((cause, line));
    }

    /// A store meant for `ideal_pa` has hit `line`, which is of another frame.
    pub(super) fn misplaced(
        &mut self,
        ideal: &Ideal,
        ideal_pa: u32,
        line: &CachedLine,
        writer: &Writer,
    ) -> Line {
        let line = self.line(ideal, "in the line", line.mva, line.pa);
        self.misplaced.insert(line.mva as u32, *writer);
        self.words.insert(ideal_pa & !3, (Cause::Misplaced, line));
        line
    }

    /// A store has gone to `pa` that was meant for `ideal_pa`, or for nothing.
    pub(super) fn astray(&mut self, pa: u32, ideal_pa: Option<u32>, writer: &Writer) {
        let line = Line {
            role: "store by",
            mva: writer.mva,
            pa,
            writer: Some(*writer),
            done: None,
        };
        self.words.insert(pa & !3, (Cause::Trampled, line));
        if let Some(ideal_pa) = ideal_pa {
            self.words.insert(ideal_pa & !3, (Cause::Astray, line));
        }
    }

    /// The last store to a line at `mva` of the frame at `pa`.
    fn writer_of_line(&self, ideal: &Ideal, mva: u32, pa: u32) -> Option<Writer> {
        let meant = (0..LINE_WORDS as u32)
            .filter_map(|n| ideal.shadow.writer(pa + 4 * n))
            .filter(|writer| line_address(writer.mva as u32) == mva && writer.cached);
        meant
            .chain(self.misplaced.get(&mva).copied())
            .max_by_key(|writer| writer.cycle)
    }

    fn line(&self, ideal: &Ideal, role: &'static str, mva: u32, pa: u32) -> Line {
        Line {
            role,
            mva: mva.into(),
            pa,
            writer: self.writer_of_line(ideal, mva, pa),
            done: None,
        }
    }
}

impl Checker {
    /// Takes the journal: what `pc` has done, or its fetch.
    #[inline(always)]
    pub(super) fn hear(&mut self, memory: &MemSys, pc: u64, fetched: bool) {
        if memory.journal.has_events() {
            self.read_journal(memory, pc, fetched);
        }
    }

    #[inline(never)]
    fn read_journal(&mut self, memory: &MemSys, pc: u64, fetched: bool) {
        let mut events = std::mem::take(&mut self.provenance.events);
        memory.journal.take(&mut events);
        self.fetches.leave();
        // What is no part of the fetch was done by the instruction before, which has faulted.
        let before = if fetched { self.pc } else { pc };
        let cycle = memory.platform.cycle;
        for event in events.drain(..) {
            match event {
                Event::WrittenBack(line) => self.written_back(memory, &line, before),
                Event::Dropped(line) => self.dropped(memory, &line, before),
                Event::InsnFilled { slot, pa, words } => self.filled(memory, slot, pa, &words, pc),
                Event::Walked {
                    fetch,
                    mva,
                    place,
                    entry,
                } => {
                    let early = self.early_walk(memory, mva, &entry);
                    self.changes += u64::from(early.is_some() || place.is_none());
                    self.walks += 1;
                    let tag = Tag {
                        walk: self.walks,
                        ttb: memory.translation_registers().0,
                        space: self.running.space,
                        pc: if fetch { pc } else { before },
                        cycle,
                        early,
                    };
                    if let Some(place) = place {
                        self.tags.set(memory, fetch, place, tag);
                    }
                }
                Event::ReadBufferLoaded { index } => self.provenance.read_buffer[index] = cycle,
            }
        }
        self.provenance.events = events;
    }

    fn written_back(&mut self, memory: &MemSys, line: &DirtyLine, pc: u64) {
        for (pa, word) in line.dirty_words() {
            let Some(newest) = self.ideal.shadow.word(pa) else {
                continue;
            };
            if newest == word {
                self.provenance.mend(pa);
                continue;
            }
            if held(memory, pa, newest, |other| other.dirty).is_some() {
                continue; // it will get there later
            }
            let mapped = if memory.translates() {
                let entry = self.ideal.walk(memory, line.mva).entry;
                entry.is_some_and(|entry| entry.translate(line.mva) == line.pa)
            } else {
                line.mva == line.pa
            };
            let cause = if mapped {
                Cause::Overwritten
            } else {
                Cause::LateWriteBack
            };
            let by = Line {
                done: Some(Done {
                    what: "written back",
                    pc,
                    cycle: memory.platform.cycle,
                }),
                ..self
                    .provenance
                    .line(&self.ideal, "by the line", line.mva, line.pa)
            };
            self.provenance.note(pa, cause, by);
        }
        self.provenance.misplaced.remove(&line.mva);
    }

    fn dropped(&mut self, memory: &MemSys, line: &DirtyLine, pc: u64) {
        for (pa, word) in line.dirty_words() {
            if self.ideal.shadow.word(pa) != Some(word)
                || settled(memory, pa) == Some(word)
                || held(memory, pa, word, |other| other.dirty).is_some()
            {
                continue;
            }
            let lost = Line {
                done: Some(Done {
                    what: "invalidated",
                    pc,
                    cycle: memory.platform.cycle,
                }),
                ..self
                    .provenance
                    .line(&self.ideal, "with the line", line.mva, line.pa)
            };
            self.provenance.note(pa, Cause::LostData, lost);
        }
        self.provenance.misplaced.remove(&line.mva);
    }

    fn filled(&mut self, memory: &MemSys, slot: usize, pa: u32, words: &Words, pc: u64) {
        let pa = line_address(pa);
        let mut old = (0u32..)
            .zip(words)
            .map(|(n, word)| (pa + 4 * n, *word))
            .filter(|(pa, word)| {
                self.ideal
                    .shadow
                    .word(*pa)
                    .is_some_and(|newest| newest != *word)
            });
        let early = old.next().map(|(pa, _)| self.not_in_memory(memory, pa));
        let fills = &mut self.provenance.fills;
        if fills.len() <= slot {
            fills.resize(slot + 1, None);
        }
        fills[slot] = Some(Fill {
            pa,
            done: Done {
                what: "filled",
                pc,
                cycle: memory.platform.cycle,
            },
            early,
        });
    }

    /// Why the processor, which has just read the word at `pa` from memory, did not get the newest
    /// code there.
    fn not_in_memory(&self, memory: &MemSys, pa: u32) -> (Cause, Option<Line>) {
        let newest = self.ideal.shadow.word(pa).unwrap_or_default();
        if let Some(line) = held(memory, pa, newest, |line| line.dirty) {
            let line = self
                .provenance
                .line(&self.ideal, "in the line", line.mva, line.pa);
            return (Cause::CodeNotCleaned, Some(line));
        }
        match self.provenance.words.get(&(pa & !3)) {
            Some((cause, line)) => (*cause, Some(*line)),
            None => (Cause::CodeNotDrained, None),
        }
    }

    /// Why a walk for `mva` that has just been made did not find what it should.
    fn early_walk(&mut self, memory: &MemSys, mva: u32, entry: &TlbEntry) -> Option<Cause> {
        let walk = self.ideal.walk(memory, mva);
        (walk.entry != Some(*entry)).then(|| self.why_late(memory, &walk))
    }

    /// Why the descriptors of a walk were not what the ideal machine has.
    fn why_late(&self, memory: &MemSys, walk: &Walk) -> Cause {
        let late = walk
            .reads()
            .find(|read| settled(memory, read.at) != read.word);
        let Some(late) = late else {
            return Cause::DescriptorNotDrained; // it is now
        };
        let newest = late.word.unwrap_or_default();
        if held(memory, late.at, newest, |line| line.dirty).is_some() {
            Cause::DescriptorNotCleaned
        } else {
            Cause::DescriptorLost
        }
    }

    /// Why an entry that nobody saw being walked is not what the page tables say.
    pub(super) fn why_stale(&self, memory: &MemSys, walk: &Walk) -> Cause {
        let mut reads = walk.reads();
        if reads.all(|read| memory.platform.bus.read_memory_word(read.at) == read.word) {
            return Cause::StaleTranslation;
        }
        self.why_late(memory, walk)
    }

    /// Why a load through `used` at `pa` did not see the newest data, and the line to blame.
    pub(super) fn why_old_data(
        &self,
        memory: &MemSys,
        mva: u32,
        pa: u32,
        used: Option<&TlbEntry>,
    ) -> (Cause, Option<Line>) {
        let newest = self.ideal.shadow.word(pa).unwrap_or_default();
        let writer = self.ideal.shadow.writer(pa);
        let cached =
            used.is_some_and(|entry| entry.attributes.cacheable()) && memory.data_caches_on();
        let own = used.and_then(|entry| memory.data_line(mva, entry));
        let line = |role, line: &CachedLine| {
            Some(self.provenance.line(&self.ideal, role, line.mva, line.pa))
        };
        if let Some(own) = own.filter(|own| own.pa != line_address(pa)) {
            return (Cause::Homonym, line("hit the line", &own));
        }
        if let Some((cause, line)) = self.provenance.words.get(&(pa & !3)) {
            return (*cause, Some(*line));
        }
        if let Some(index) = memory
            .read_buffer_entry(mva, pa)
            .filter(|_| cached && own.is_none())
        {
            let loaded = self.provenance.read_buffer[index];
            return if writer.is_some_and(|writer| writer.cycle <= loaded) {
                (Cause::ReadBufferTooEarly, None)
            } else {
                (Cause::StaleReadBuffer, None)
            };
        }
        if let Some(other) = held(memory, pa, newest, |line| line.dirty) {
            let cause = if cached && other.mva != line_address(mva) {
                Cause::Synonym
            } else {
                Cause::NotCleaned
            };
            return (cause, line("newest in the line", &other));
        }
        if cached && settled(memory, pa) == Some(newest) {
            let elsewhere =
                writer.is_some_and(|w| w.cached && line_address(w.mva as u32) != line_address(mva));
            let cause = if elsewhere {
                Cause::StaleSynonym
            } else {
                Cause::StaleLine
            };
            return (cause, own.and_then(|own| line("old in the line", &own)));
        }
        (Cause::Unexplained, None)
    }

    /// Why an instruction fetch reads what is old, and from which line.
    pub(super) fn why_old_insn(
        &self,
        memory: &MemSys,
        mva: u32,
        pa: u32,
        cacheable: bool,
    ) -> (Cause, Option<Line>) {
        if !(cacheable && memory.insn_cache_on()) {
            return self.not_in_memory(memory, pa);
        }
        let slot = memory.insn_slot(mva, pa);
        let Some(fill) = slot.and_then(|slot| *self.provenance.fills.get(slot)?) else {
            return (Cause::StaleInstruction, None);
        };
        let line = Line {
            role: "hit the line",
            mva: line_address(mva).into(),
            pa: fill.pa,
            writer: None,
            done: Some(fill.done),
        };
        if fill.pa != line_address(pa) {
            return (Cause::InstructionHomonym, Some(line));
        }
        let written = self
            .ideal
            .shadow
            .writer(pa)
            .map_or(0, |writer| writer.cycle);
        match fill.early {
            Some((cause, other)) if written <= fill.done.cycle => (cause, other.or(Some(line))),
            _ => (Cause::StaleInstruction, Some(line)),
        }
    }
}

/// A data-cache line of the frame at `pa` that `fits` and in which the word there is `value`.
fn held<'a>(
    memory: &'a MemSys,
    pa: u32,
    value: u32,
    fits: impl Fn(&CachedLine) -> bool,
) -> Option<CachedLine<'a>> {
    let index = line_word(pa);
    memory
        .data_lines()
        .find(|line| line.pa == line_address(pa) && line.words[index] == value && fits(line))
}

/// The word at `pa` as it will be in memory when the write buffer is empty.
fn settled(memory: &MemSys, pa: u32) -> Option<u32> {
    let line = memory.settled_line(pa)?;
    Some(line[line_word(pa)])
}

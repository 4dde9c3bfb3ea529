// SPDX-License-Identifier: Apache-2.0
//! The coherence checker (`--check coherence`): compares each access with what an ideal machine
//! would have done, one whose caches are physically tagged and whose TLBs never hold anything that
//! the page tables do not say now. Where the real machine differs, the kernel has forgotten to
//! clean, invalidate, drain or flush something, and the program has noticed.
//!
//! The ideal machine is a copy of memory in which every store takes effect at once, at the
//! physical address that the page tables *in that copy* give. Stale state that nobody uses is
//! legal on these processors and not reported; nor is a fault that the ideal machine would not
//! have taken, since kernels repair such faults as a matter of course.

use std::collections::BTreeMap;
use std::fmt;

use crate::arm::memsys::inspect::CachedLine;
use crate::arm::memsys::MemSys;
use crate::arm::mmu::{self, FaultKind, FirstLevel};
use crate::bus::Bus;
use crate::dev::Width;
use crate::event::Cycle;
use crate::observe::{Access, Observer};
use crate::tlb::TlbEntry;

/// What was forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// The TLB holds an entry that the page tables no longer have.
    StaleTranslation,
    /// The page tables in memory are older than what was written to them.
    DescriptorNotInMemory,
    /// The instruction cache holds an older instruction.
    StaleInstruction,
    /// The data cache line belongs to another physical address: the page was remapped.
    Homonym,
    /// Another line holds newer data of the same physical address.
    Synonym,
    /// The data cache line is older than memory.
    StaleLine,
    /// The read buffer holds older data.
    StaleReadBuffer,
    /// Memory was read past the caches while a dirty line or the write buffer held newer data.
    NotCleaned,
    /// The newest data is nowhere: its line was invalidated while it was dirty.
    LostData,
    /// A user access that only a manager domain allows.
    DomainOpen,
}

impl Cause {
    /// The name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::StaleTranslation => "stale-translation",
            Self::DescriptorNotInMemory => "descriptor-not-in-memory",
            Self::StaleInstruction => "stale-instruction",
            Self::Homonym => "homonym",
            Self::Synonym => "synonym",
            Self::StaleLine => "stale-line",
            Self::StaleReadBuffer => "stale-read-buffer",
            Self::NotCleaned => "not-cleaned",
            Self::LostData => "lost-data",
            Self::DomainOpen => "domain-open",
        }
    }

    fn explanation(self) -> &'static str {
        match self {
            Self::StaleTranslation => "TLB entry not invalidated after its descriptor changed",
            Self::DescriptorNotInMemory => "descriptor not cleaned or drained before its use",
            Self::StaleInstruction => "instruction cache not invalidated after code changed",
            Self::Homonym => "data cache line not invalidated after its address was remapped",
            Self::Synonym => "same memory at two addresses, the other line is newer",
            Self::StaleLine => "data cache line not invalidated after memory changed",
            Self::StaleReadBuffer => "read buffer entry not flushed after memory changed",
            Self::NotCleaned => "memory read past a dirty line or the write buffer",
            Self::LostData => "dirty line invalidated without cleaning",
            Self::DomainOpen => "user access allowed only by a manager domain",
        }
    }
}

/// The last store to a line of memory.
#[derive(Debug, Clone, Copy)]
pub struct Writer {
    /// The instruction.
    pub pc: u32,
    /// The address that it wrote, after relocation.
    pub mva: u32,
    /// When.
    pub cycle: Cycle,
}

/// A difference between the machine and the ideal machine, and how often it was seen from this
/// instruction. The values are those of the first time.
#[derive(Debug, Clone)]
pub struct Finding {
    /// What was forgotten.
    pub cause: Cause,
    /// The access that noticed.
    pub access: Access,
    /// Its address after relocation.
    pub mva: u32,
    /// Where the machine went.
    pub pa: u32,
    /// Where the ideal machine would have gone; `None`: it would have faulted.
    pub ideal_pa: Option<u32>,
    /// The domain of the translation that was used.
    pub domain: Option<u8>,
    /// What the machine read, and what the ideal machine would have; equal for stores.
    pub values: (u32, u32),
    /// The last store to the data, or to the descriptor for the causes that are about one.
    pub writer: Option<Writer>,
    /// How often.
    pub count: u64,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Access { cycle, pc, va, .. } = self.access;
        write!(
            f,
            "{}: {} | pc {pc:#010x} cycle {cycle} va {va:#010x} mva {:#010x} pa {:#010x}",
            self.cause.name(),
            self.cause.explanation(),
            self.mva,
            self.pa,
        )?;
        match self.ideal_pa {
            None => write!(f, ", should fault")?,
            Some(ideal) if ideal != self.pa => write!(f, ", should be pa {ideal:#010x}")?,
            Some(_) => {}
        }
        if let Some(domain) = self.domain {
            write!(f, " domain {domain}")?;
        }
        if self.values.0 != self.values.1 {
            write!(
                f,
                " | read {:#x}, newest {:#x}",
                self.values.0, self.values.1
            )?;
        }
        if let Some(writer) = self.writer {
            write!(
                f,
                " | last written by pc {:#010x} at mva {:#010x} in cycle {}",
                writer.pc, writer.mva, writer.cycle
            )?;
        }
        write!(f, " | {} times", self.count)
    }
}

/// The checker.
pub struct Checker {
    ram_base: u32,
    /// Memory as every store so far has left it.
    ideal: Vec<u8>,
    /// Who wrote each line of memory last.
    writers: Vec<Option<Writer>>,
    findings: BTreeMap<(Cause, u32), Finding>,
    /// Walks made lately, by [`Walk::slot`]: nearly every access repeats one.
    recent: Vec<Option<Walk>>,
}

/// A descriptor that a walk has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Read {
    at: u32,
    /// `None`: there is no memory.
    word: Option<u32>,
}

/// A walk through the page tables of the ideal machine.
#[derive(Debug, Clone, Copy)]
struct Walk {
    /// The smallest page (1 KB, a tiny one) that was looked for: its number.
    page: u32,
    first: Read,
    second: Option<Read>,
    entry: Option<TlbEntry>,
}

impl Walk {
    const SLOTS: usize = 1024;

    fn page(mva: u32) -> u32 {
        mva >> 10
    }

    fn slot(mva: u32) -> usize {
        Self::page(mva) as usize % Self::SLOTS
    }

    /// Where the descriptors are, in the order in which they were read.
    fn read(&self) -> impl Iterator<Item = u32> {
        [Some(self.first), self.second]
            .into_iter()
            .flatten()
            .map(|read| read.at)
    }
}

/// A translation that the ideal machine has made.
struct Ideal {
    pa: u32,
    entry: Option<TlbEntry>,
}

/// The ideal machine would have faulted.
struct NoTranslation;

impl Checker {
    /// A checker of a machine with this bus, whose memory is loaded and which has not run yet.
    #[must_use]
    pub fn new(bus: &Bus) -> Self {
        let (ram_base, bytes) = bus.ram_window();
        let ideal = bus
            .ram_slice(ram_base, bytes as usize)
            .unwrap_or_default()
            .to_vec();
        Self {
            ram_base,
            writers: vec![None; ideal.len() / 32],
            ideal,
            findings: BTreeMap::new(),
            recent: vec![None; Walk::SLOTS],
        }
    }

    /// What was found, by cause and instruction.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.findings.values()
    }

    fn offset(&self, pa: u32) -> Option<usize> {
        let offset = pa.wrapping_sub(self.ram_base) as usize;
        (offset < self.ideal.len()).then_some(offset)
    }

    fn ideal_word(&self, pa: u32) -> Option<u32> {
        let offset = self.offset(pa)? & !3;
        let bytes = self.ideal.get(offset..offset + 4)?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn writer(&self, pa: u32) -> Option<Writer> {
        self.writers[self.offset(pa)? / 32]
    }

    /// The descriptors of `mva`, as they are now, and the entry if there is one.
    fn walk(&mut self, memory: &MemSys, mva: u32) -> Walk {
        let (ttb, _) = memory.translation_registers();
        let first = self.read_descriptor(mmu::first_level_address(ttb, mva));
        let slot = Walk::slot(mva);
        if let Some(walk) = self.recent[slot] {
            let same = walk.page == Walk::page(mva)
                && walk.first == first
                && walk
                    .second
                    .is_none_or(|second| second == self.read_descriptor(second.at));
            if same {
                return walk;
            }
        }
        let mut walk = Walk {
            page: Walk::page(mva),
            first,
            second: None,
            entry: None,
        };
        match first
            .word
            .map(|d| mmu::first_level(d, mva, memory.fine_tables()))
        {
            Some(FirstLevel::Section(entry)) => walk.entry = Some(entry),
            Some(FirstLevel::Table(table)) => {
                let second = self.read_descriptor(table.descriptor_address(mva));
                walk.entry = second.word.and_then(|d| table.entry(d, mva));
                walk.second = Some(second);
            }
            _ => {}
        }
        self.recent[slot] = Some(walk);
        walk
    }

    fn read_descriptor(&self, at: u32) -> Read {
        Read {
            at,
            word: self.ideal_word(at),
        }
    }

    fn translate(
        &mut self,
        memory: &MemSys,
        mva: u32,
        access: mmu::Access,
    ) -> Result<Ideal, NoTranslation> {
        if !memory.translates() {
            return Ok(Ideal {
                pa: mva,
                entry: None,
            });
        }
        let (_, dacr) = memory.translation_registers();
        let entry = self.walk(memory, mva).entry.ok_or(NoTranslation)?;
        mmu::check(&entry, mva, access, dacr, memory.permission_table())
            .map_err(|_: FaultKind| NoTranslation)?;
        Ok(Ideal {
            pa: entry.translate(mva),
            entry: Some(entry),
        })
    }

    /// Compares the translation that was used with the ideal one. `Some` with both physical
    /// addresses if the data may be compared.
    fn check_translation(
        &mut self,
        memory: &MemSys,
        access: &Access,
        used: Option<&TlbEntry>,
        write: bool,
    ) -> Option<(u32, u32)> {
        let mva = memory.relocate(access.va);
        let pa = used.map_or(mva, |entry| entry.translate(mva));
        let wish = mmu::Access {
            write,
            privileged: access.privileged,
        };
        let ideal = self.translate(memory, mva, wish);
        let ideal_pa = ideal.as_ref().ok().map(|ideal| ideal.pa);
        if ideal_pa == Some(pa) {
            let entry = ideal.ok()?.entry;
            self.check_domain(memory, access, mva, entry.as_ref(), write);
            return Some((pa, pa));
        }
        let walk = self.walk(memory, mva);
        let late = walk
            .read()
            .find(|at| memory.bus.read_memory_word(*at) != self.ideal_word(*at));
        let cause = if late.is_some() {
            Cause::DescriptorNotInMemory
        } else {
            Cause::StaleTranslation
        };
        let writer = late.or(walk.read().last()).and_then(|at| self.writer(at));
        self.report(Finding {
            cause,
            access: *access,
            mva,
            pa,
            ideal_pa,
            domain: used.map(|entry| entry.domain),
            values: (0, 0),
            writer,
            count: 1,
        });
        None
    }

    /// A user access to a page of a manager domain that its permissions forbid.
    fn check_domain(
        &mut self,
        memory: &MemSys,
        access: &Access,
        mva: u32,
        entry: Option<&TlbEntry>,
        write: bool,
    ) {
        let Some(entry) = entry.filter(|_| !access.privileged) else {
            return;
        };
        let (_, dacr) = memory.translation_registers();
        let manager = 3 << (2 * entry.domain);
        let client = 1 << (2 * entry.domain);
        if dacr & manager != manager {
            return;
        }
        let wish = mmu::Access {
            write,
            privileged: false,
        };
        let as_client = (dacr & !manager) | client;
        if mmu::check(entry, mva, wish, as_client, memory.permission_table()).is_err() {
            let pa = entry.translate(mva);
            self.report(Finding {
                cause: Cause::DomainOpen,
                access: *access,
                mva,
                pa,
                ideal_pa: Some(pa),
                domain: Some(entry.domain),
                values: (0, 0),
                writer: None,
                count: 1,
            });
        }
    }

    fn report(&mut self, finding: Finding) {
        self.findings
            .entry((finding.cause, finding.access.pc))
            .and_modify(|known| known.count += 1)
            .or_insert(finding);
    }

    /// Why a load through `used` at `pa` did not see the newest data.
    fn cause_of_old_data(
        &self,
        memory: &MemSys,
        mva: u32,
        pa: u32,
        used: Option<&TlbEntry>,
    ) -> Cause {
        let line_pa = pa & !31;
        let index = (pa as usize / 4) & 7;
        let newest = self.ideal_word(pa);
        let cached = used.is_some_and(|e| e.attributes.cacheable()) && memory.data_caches_on();
        let own = memory.data_lines().find(|line| line.mva == mva & !31);
        let has_newest =
            |line: &CachedLine| line.pa == line_pa && Some(line.words[index]) == newest;
        let in_other_line = memory
            .data_lines()
            .any(|line| line.mva != mva & !31 && has_newest(&line));
        let in_dirty_line = memory
            .data_lines()
            .any(|line| line.dirty && has_newest(&line));
        match own.filter(|_| cached) {
            Some(line) if line.pa != line_pa => Cause::Homonym,
            None if cached && memory.read_buffer_holds(mva) => Cause::StaleReadBuffer,
            _ if cached && in_other_line => Cause::Synonym,
            _ if in_dirty_line || memory.write_is_buffered(pa) => Cause::NotCleaned,
            Some(_) if memory.bus.read_memory_word(pa) == newest => Cause::StaleLine,
            _ => Cause::LostData,
        }
    }
}

/// The part of a word that an access reads, right-aligned.
fn part(word: u32, address: u32, width: Width) -> u32 {
    match width {
        Width::Byte => (word >> (8 * (address & 3))) & 0xff,
        Width::Half => (word >> (8 * (address & 2))) & 0xffff,
        Width::Word => word,
    }
}

impl Observer for Checker {
    const ON: bool = true;

    fn fetched(&mut self, memory: &MemSys, access: &Access, insn: u32) {
        let mva = memory.relocate(access.va);
        // Without an entry the instruction came from a line that is fetched no more: the TLB was
        // invalidated since, which the next fetch will notice.
        let used = memory.insn_translation(mva).copied();
        if memory.translates() && used.is_none() {
            return;
        }
        let Some((pa, _)) = self.check_translation(memory, access, used.as_ref(), false) else {
            return;
        };
        let Some(newest) = self.ideal_word(pa) else {
            return;
        };
        let newest = part(newest, pa, access.width);
        if newest != insn {
            self.report(Finding {
                cause: Cause::StaleInstruction,
                access: *access,
                mva,
                pa,
                ideal_pa: Some(pa),
                domain: used.map(|entry| entry.domain),
                values: (insn, newest),
                writer: self.writer(pa),
                count: 1,
            });
        }
    }

    fn loaded(&mut self, memory: &MemSys, access: &Access, value: u32) {
        let mva = memory.relocate(access.va);
        let used = memory.data_translation(mva).copied();
        let used = used.filter(|_| memory.translates());
        let Some((pa, _)) = self.check_translation(memory, access, used.as_ref(), false) else {
            return;
        };
        let Some(word) = self.ideal_word(pa) else {
            return;
        };
        let newest = part(word, pa, access.width);
        if newest != value {
            let cause = self.cause_of_old_data(memory, mva, pa, used.as_ref());
            self.report(Finding {
                cause,
                access: *access,
                mva,
                pa,
                ideal_pa: Some(pa),
                domain: used.map(|entry| entry.domain),
                values: (value, newest),
                writer: self.writer(pa),
                count: 1,
            });
        }
    }

    fn stored(&mut self, memory: &MemSys, access: &Access, value: u32) {
        let mva = memory.relocate(access.va);
        let used = memory.data_translation(mva).copied();
        let used = used.filter(|_| memory.translates());
        self.check_translation(memory, access, used.as_ref(), true);
        let wish = mmu::Access {
            write: true,
            privileged: access.privileged,
        };
        let Ok(Ideal { pa, .. }) = self.translate(memory, mva, wish) else {
            return;
        };
        let Some(offset) = self.offset(pa) else {
            return;
        };
        let len = access.width.bytes() as usize;
        let start = offset & !(len - 1);
        self.ideal[start..start + len].copy_from_slice(&value.to_le_bytes()[..len]);
        self.writers[offset / 32] = Some(Writer {
            pc: access.pc,
            mva,
            cycle: access.cycle,
        });
    }

    fn poked(&mut self, pa: u32, bytes: &[u8]) {
        let Some(start) = self.offset(pa) else {
            return;
        };
        if let Some(ideal) = self.ideal.get_mut(start..start + bytes.len()) {
            ideal.copy_from_slice(bytes);
        }
    }
    fn restored(&mut self, memory: &MemSys) {
        let fresh = Self::new(&memory.bus);
        (self.ideal, self.writers) = (fresh.ideal, fresh.writers);
        for (pa, byte) in memory.unwritten() {
            self.poked(pa, &[byte]);
        }
    }
}

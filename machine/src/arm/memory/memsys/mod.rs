// SPDX-License-Identifier: Apache-2.0
//! Everything between the core and the bus: PID relocation, TLBs, caches, read and write buffer.
//! This module alone orders memory events: relocate, look up the TLB (walk if needed), check domain
//! and permission (here), look up the cache, write back what is evicted, read memory (`fetch` for
//! instructions, `data` for data), and what CP15 does to all of it (`maintenance`). Each step
//! charges its cycles to the clock of [`MemSys::platform`].
//!
//! What it holds is in parts: `registers` (CP15's), `tlbs`, `caches` with `decoded`, `hint`,
//! `read_buffer`, `refill` (the line on its way) and `counting`; `translated` lends them to the
//! translator; `cached` is how data accesses use the
//! data caches.
//!
//! Sources: SA-1110 Developer's Manual, chapters 5 (coprocessors), 6 (caches, write buffer, read
//! buffer), 7 (memory management unit), "DM"; ARM926EJ-S Technical Reference Manual (DDI 0198),
//! chapters 2 to 4, "TRM". What a manual leaves open is marked "assumed".

mod cached;
mod caches;
mod counting;
mod data;
pub mod debug;
mod decoded;
mod fetch;
mod hint;
pub mod inspect;
pub mod journal;
mod maintenance;
mod read_buffer;
mod refill;
mod registers;
mod state;
mod tags;
mod tlbs;
mod translated;

use switchyard_translator::Translator;

use crate::arm::isa::cores::Table;
use crate::arm::isa::insn::Op;
use crate::arm::memory::decode_cache::DecodeCache;
use crate::arm::memory::fault::{Fault, FaultKind};
use crate::arm::memory::line::line_address;
use crate::arm::memory::mmu::{self, Access, FirstLevel};
use crate::arm::memory::tlb::{Attributes, TlbEntry};
use crate::arm::memory::write_buffer::WriteBuffer;
use crate::bus::{Bus, Target};
use crate::bus_cost::Transfer;
use crate::config::{AddressSpaceTags, CacheConfig, MachineConfig};
use crate::event::Cycle;
use crate::journal::Journal;
use crate::platform::Platform;
use crate::tlb::Tlb;

use self::caches::{Caches, DataCache, DataLine, InsnLine};
use self::counting::Synced;
use self::decoded::KnownLines;
use self::hint::AccessHints;
use self::journal::Event;
use self::read_buffer::ReadBuffer;
use self::refill::Arrivals;
use self::registers::{Registers, Rules};
use self::tags::Tags;
use self::tlbs::Tlbs;

pub use self::data::Loaded;
pub use self::decoded::{Decoded, Ops};

/// "No line": an address that no aligned fetch compares equal to.
pub(in crate::arm) const NO_LINE: u32 = 1;

/// An access or fetch that faulted; [`MemSys::fault`] says how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abort;

/// Where an instruction comes from.
#[derive(Debug, Clone, Copy)]
pub enum Fetched {
    /// A slot of the instruction cache.
    Line(usize),
    /// Straight from memory: what it means, and its encoding.
    Single(Op, u32),
}

/// A data address after translation.
#[derive(Debug, Clone, Copy)]
struct Location {
    mva: u32,
    pa: u32,
    /// The one by which caches know it ([`MemSys::key`]).
    key: u32,
    attributes: Attributes,
}

impl Location {
    /// Address 0, in no cache.
    const NONE: Self = Self {
        mva: 0,
        pa: 0,
        key: 0,
        attributes: Attributes::NONE,
    };

    /// The byte at `offset` of its line.
    #[inline(always)]
    fn in_line(self, offset: u32) -> Self {
        let there = |address| line_address(address) | offset;
        Self {
            mva: there(self.mva),
            pa: there(self.pa),
            key: there(self.key),
            ..self
        }
    }
}

/// The memory system.
pub struct MemSys {
    /// Clock, bus and counters.
    pub platform: Platform,
    /// How many words the last `store_multiple` wrote, all of them or those before the fault.
    pub words_stored: usize,
    /// What the last [`Abort`] was about.
    pub fault: Fault,
    /// What sets the processor core apart.
    pub core: &'static Table,
    pub(in crate::arm) registers: Registers,
    /// Follow the control register.
    rules: Rules,
    tlbs: Tlbs,
    caches: Caches,
    /// What the lines of the instruction cache mean.
    decoded: Decoded,
    /// What others did that they held before.
    known_lines: KnownLines,
    /// What single words do.
    decode_cache: DecodeCache,
    /// What runs them as host code, if that is wanted.
    translator: Option<Box<Translator>>,
    /// The line that was filled last.
    arrivals: Arrivals,
    /// Virtual address of the line that the core fetched last, while nothing that its fetch looked
    /// at has changed; [`NO_LINE`] otherwise. A hint: without it every fetch looks again.
    pub(in crate::arm) line: u32,
    /// Where other accesses went.
    hints: AccessHints,
    write_buffer: WriteBuffer,
    read_buffer: ReadBuffer,
    synced: Synced,
    /// What ideal address-space tags need in addition to caches and TLBs.
    tags: Option<Box<Tags>>,
    /// For an observer.
    /// What happens other than accesses.
    pub journal: Journal<Event>,
}

impl MemSys {
    /// The memory system of `config` in front of `bus`, as reset leaves it.
    #[must_use]
    pub fn new(config: &MachineConfig, bus: Bus) -> Self {
        let arm = config.arm().expect("the machine file of an ARM");
        let core = Table::of(arm.core);
        let tlbs = Tlbs::new(arm);
        let places = [
            tlbs.insn.as_ref().map_or(0, Tlb::places),
            tlbs.data.places(),
        ];
        let ideal = arm.address_space_tags == AddressSpaceTags::Ideal;
        let tags = ideal.then(|| Box::new(Tags::new(&bus, places)));
        let [icache, dcache] = [&arm.icache, &arm.dcache].map(CacheConfig::slots);
        let registers = Registers::new(core);
        let mut decode_cache = DecodeCache::new(core.architecture);
        Self {
            platform: Platform::new(bus),
            words_stored: 0,
            fault: Fault::new(FaultKind::Translation, true, 0, 0),
            core,
            rules: Rules::of(core, registers.control()),
            registers,
            tlbs,
            caches: Caches::new(arm),
            decoded: Decoded::new(icache),
            known_lines: KnownLines::new(&mut decode_cache),
            decode_cache,
            translator: None,
            arrivals: Arrivals::none(),
            line: NO_LINE,
            hints: AccessHints::new(icache, dcache),
            write_buffer: WriteBuffer::new(arm.write_buffer.clone(), arm.memory.clone()),
            read_buffer: ReadBuffer::default(),
            synced: Synced::default(),
            tags,
            journal: Journal::default(),
        }
    }

    /// PID relocation (SA-1110 DM §5.2.13; ARM926EJ-S TRM p. 2-34): addresses below 32 MB move to
    /// the slot that the process-ID register names; on the ARM926EJ-S only while the MMU is on.
    #[inline]
    #[must_use]
    pub fn relocate(&self, va: u32) -> u32 {
        if va < self.rules.relocated_below {
            va | self.registers.pid
        } else {
            va
        }
    }

    fn fail(&mut self, kind: FaultKind, section: bool, domain: u8, mva: u32) -> Abort {
        let tally = &mut self.platform.counters.now;
        *match kind {
            FaultKind::Alignment => &mut tally.fault.alignment,
            FaultKind::Translation => &mut tally.fault.translation,
            FaultKind::Domain => &mut tally.fault.domain,
            FaultKind::Permission => &mut tally.fault.permission,
            FaultKind::External | FaultKind::ExternalLine | FaultKind::ExternalWalk => {
                &mut tally.fault.external
            }
        } += 1;
        self.fault = Fault::new(kind, section, domain, mva);
        Abort
    }

    /// Walks the page tables, which it reads from memory, not through cache or write buffer (unless
    /// tags are ideal).
    #[cold]
    fn walk(&mut self, mva: u32) -> Result<TlbEntry, Abort> {
        let descriptor = self.walk_read(mmu::first_level_address(self.registers.ttb, mva));
        let Some(descriptor) = descriptor else {
            return Err(self.fail(FaultKind::ExternalWalk, true, 0, mva));
        };
        match mmu::first_level(descriptor, mva, self.fine_tables()) {
            FirstLevel::Invalid => Err(self.fail(FaultKind::Translation, true, 0, mva)),
            FirstLevel::Section(entry) => Ok(entry),
            FirstLevel::Table(table) => {
                let Some(descriptor) = self.walk_read(table.descriptor_address(mva)) else {
                    return Err(self.fail(FaultKind::ExternalWalk, false, table.domain, mva));
                };
                table
                    .entry(descriptor, mva)
                    .ok_or_else(|| self.fail(FaultKind::Translation, false, table.domain, mva))
            }
        }
    }

    /// Whether loads of the PC may change the state now.
    #[inline]
    #[must_use]
    pub fn loads_exchange(&self) -> bool {
        self.rules.loads_exchange
    }

    /// Whether page directories may name fine tables (architecture version 5).
    #[must_use]
    pub fn fine_tables(&self) -> bool {
        self.core.fine_tables
    }

    /// Something has changed that hints rely on.
    pub(in crate::arm) fn forget_hints(&mut self) {
        self.hints.forget_all();
    }

    /// The core must look up the line that it runs anew, before its next instruction.
    #[inline]
    pub(in crate::arm) fn forget_line(&mut self) {
        self.line = NO_LINE;
        self.platform.horizon = 0;
    }

    /// The processor's mode is privileged now, or is not.
    pub(in crate::arm) fn set_privileged(&mut self, privileged: bool) {
        self.hints.set_privileged(privileged);
    }

    /// Whether it is.
    #[inline]
    #[must_use]
    pub fn privileged(&self) -> bool {
        self.hints.privileged
    }

    /// Puts what was walked for `mva` into the TLB that the access uses, or into a locked place
    /// while the guest asks for that: then the next one goes into the next place.
    fn keep_translation(&mut self, mva: u32, entry: TlbEntry, fetch: bool) {
        self.forget_hints();
        if self.tlbs.insn.is_none() {
            // What a data access brings may replace the translation of the page that runs.
            self.forget_line();
        }
        let entry = self.agreed(mva, entry);
        let lockdown = self.registers.tlb_lockdown;
        let tlb = if fetch {
            self.tlbs.for_fetches_mut()
        } else {
            &mut self.tlbs.data
        };
        let place = if lockdown & 1 == 0 {
            Some(tlb.insert(mva, entry))
        } else {
            let victim = (lockdown >> 26) & 7;
            let place = tlb.lock(victim as usize, entry);
            self.registers.tlb_lockdown = (((victim + 1) & 7) << 26) | 1;
            place
        };
        if let Some(place) = place {
            self.watch_translation(fetch, place, entry);
        }
        self.journal.note(|| Event::Walked {
            fetch,
            mva,
            place,
            entry,
        });
    }

    fn walk_read(&mut self, pa: u32) -> Option<u32> {
        let start = self.platform.cycle;
        self.read_bus(self.platform.bus.target(pa), pa);
        self.platform.counters.now.stall.walk += self.platform.cycle - start;
        self.platform.counters.now.memory.walk_reads += 1;
        self.word_to_read(pa)
    }

    /// Claims the bus for a read of `words` words at `pa`, where `target` stands: when it starts, and how it goes on.
    #[inline(always)]
    fn claim_read(&mut self, target: Target, pa: u32, words: u32) -> (Cycle, Transfer) {
        self.write_buffer.read_bus(
            target,
            pa,
            words,
            self.platform.cycle,
            &mut self.platform.bus,
            &mut self.platform.counters,
        )
    }

    /// Waits for the bus and for a word from `pa`, where `target` stands.
    #[inline(always)]
    fn read_bus(&mut self, target: Target, pa: u32) {
        let (start, transfer) = self.claim_read(target, pa, 1);
        self.platform.cycle = start + transfer.total();
    }

    /// Translates a data address and checks the access.
    #[inline(always)]
    fn locate(&mut self, va: u32, access: Access) -> Result<Location, Abort> {
        let mva = self.relocate(va);
        if !self.registers.mmu_on() {
            return Ok(Location {
                mva,
                pa: mva,
                key: mva,
                attributes: Attributes::NONE,
            });
        }
        self.platform.counters.now.dtlb.accesses += 1;
        let (dacr, permissions) = (self.registers.dacr, self.rules.permissions);
        let entry = match self.tlbs.data.lookup(mva) {
            Some(entry) => *entry,
            None => self.walked(mva)?,
        };
        match mmu::check(&entry, mva, access, dacr, permissions) {
            Ok(()) => Ok(self.location(mva, &entry)),
            Err(kind) => Err(self.fail(kind, entry.section, entry.domain, mva)),
        }
    }

    /// What translates `mva`, which the data TLB does not know yet.
    #[cold]
    fn walked(&mut self, mva: u32) -> Result<TlbEntry, Abort> {
        self.platform.counters.now.dtlb.misses += 1;
        let entry = self.walk(mva)?;
        self.keep_translation(mva, entry, false);
        Ok(entry)
    }

    /// Where `mva` is, by an entry that translates it.
    #[inline(always)]
    fn location(&self, mva: u32, entry: &TlbEntry) -> Location {
        let pa = entry.translate(mva);
        Location {
            mva,
            pa,
            key: self.key(mva, pa),
            attributes: entry.attributes,
        }
    }

    /// Writes to memory that nothing took.
    #[must_use]
    pub fn lost_writes(&self) -> u64 {
        self.write_buffer.lost
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Everything between the core and the bus: PID relocation, TLBs, caches, read and write buffer.
//! This module alone orders memory events: relocate, look up the TLB (walk if needed), check domain
//! and permission (here), look up the cache, write back what is evicted, read memory (`fetch` for
//! instructions, `data` for data), and what CP15 does to all of it (`maintenance`). Each step
//! charges its cycles to the clock of [`MemSys::platform`].
//!
//! Sources: SA-1110 Developer's Manual, chapters 5 (coprocessors), 6 (caches, write buffer, read
//! buffer), 7 (memory management unit), "DM"; ARM926EJ-S Technical Reference Manual (DDI 0198),
//! chapters 2 to 4, "TRM". What a manual leaves open is marked "assumed".

mod data;
pub mod debug;
mod fetch;
mod hint;
pub mod inspect;
pub mod journal;
mod maintenance;
mod refill;
mod state;
mod tags;

use std::cell::Cell;
use std::rc::Rc;

use crate::arm::memory::line::{Words, LINE_BYTES, LINE_WORDS};
use crate::arm::memory::tlb::{Attributes, TlbEntry};
use crate::bus::{Bus, Target};
use crate::bus_cost::Transfer;
use crate::cache::{Cache, Line};
use crate::config::{AddressSpaceTags, CacheConfig, MachineConfig, Refill, Replacement};
use crate::counters::Tally;
use crate::event::Cycle;
use crate::platform::Platform;
use crate::tlb::Tlb;

use self::hint::{Hint, Hints, Tag};
use self::journal::{Event, Journal};
use self::refill::Arrivals;
use self::tags::Tags;
use crate::arm::isa::control;
use crate::arm::isa::cores::Table;
use crate::arm::isa::insn::{Insn, Op};
use crate::arm::isa::kind::Kind;
use crate::arm::memory::decode_cache::DecodeCache;
use crate::arm::memory::fault::{Fault, FaultKind};
use crate::arm::memory::mmu;
use crate::arm::memory::mmu::{Access, FirstLevel};
use crate::arm::memory::write_buffer::WriteBuffer;

pub use data::Loaded;

/// "No line": an address that no aligned fetch compares equal to.
pub(in crate::arm) const NO_LINE: u32 = 1;

/// Addresses below this are those that PID relocation moves: 32 MB (SA-1110 DM §5.2.13; ARM926EJ-S
/// TRM §2.3.13).
const SLOT_BYTES: u32 = 32 << 20;

/// An access or fetch that faulted; [`MemSys::fault`] says how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abort;

/// A line of the instruction cache. What its words mean, decided when it was filled, stands in
/// [`MemSys::decoded`].
#[derive(Debug, Clone, Default)]
struct InsnLine {
    words: Words,
    /// Whether the words were last decoded as Thumb instructions.
    thumb: bool,
}

/// The decoded instructions of a line in ARM state, of half a line in Thumb state. Aligned as the
/// host's cache lines are: one of them then holds all eight. Part by part, so that the run loop
/// takes each part of an instruction where it needs it.
#[derive(Debug, Clone, Default)]
#[repr(align(64))]
pub struct Ops {
    insns: [Cell<Insn>; LINE_WORDS],
    sources: [Cell<u16>; LINE_WORDS],
    kinds: [Cell<Kind>; LINE_WORDS],
    conds: [Cell<u8>; LINE_WORDS],
}

impl Ops {
    /// The place of an instruction among eight, by its number in the line or in all of memory.
    #[inline(always)]
    #[must_use]
    pub fn place(number: u32) -> usize {
        number as usize % LINE_WORDS
    }

    /// The instruction in `place`.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, place: usize) -> Op {
        Op {
            insn: self.insns[place].get(),
            sources: self.sources[place].get(),
            kind: self.kinds[place].get(),
            cond: self.conds[place].get(),
        }
    }

    fn set(&self, place: usize, op: Op) {
        self.insns[place].set(op.insn);
        self.sources[place].set(op.sources);
        self.kinds[place].set(op.kind);
        self.conds[place].set(op.cond);
    }
}

/// The decoded instructions of the lines of the instruction cache, by slot; those of the upper
/// halves of lines in Thumb state follow after all others. The run loop has them as well: it goes
/// through a line while instructions in it change the memory system.
#[derive(Debug, Clone)]
pub struct Decoded(Rc<[Ops]>);

impl Decoded {
    fn new(slots: usize) -> Self {
        Self(vec![Ops::default(); 2 * slots].into())
    }

    /// Where instruction `index` of the line in `slot` is, counted in the state it is decoded for.
    #[inline(always)]
    #[must_use]
    pub fn ops(&self, slot: usize, index: usize) -> &Ops {
        let half = index / LINE_WORDS * (self.0.len() / 2);
        &self.0[slot + half]
    }
}

/// A line of a data cache.
#[derive(Debug, Clone, Default)]
struct DataLine {
    words: Words,
    /// Physical address, where a write-back goes.
    pa: u32,
    /// Dirty bits of the two halves (SA-1110 DM §6.2: one a half line).
    dirty: u8,
}

impl Line for InsnLine {
    const BYTES: u32 = LINE_BYTES;
}

impl Line for DataLine {
    const BYTES: u32 = LINE_BYTES;
}

/// Which data cache a page uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DataCache {
    Main,
    Mini,
}

/// An entry of the read buffer (SA-1110 DM §6.4).
#[derive(Debug, Clone, Copy, Default)]
struct ReadBufferEntry {
    /// Address of its first word, as caches know it ([`MemSys::key`]).
    first: u32,
    /// Words held: 0 (empty), 1, 4 or 8.
    words: u32,
    data: Words,
    /// When the last word is there.
    ready: Cycle,
}

impl ReadBufferEntry {
    /// Whether the word at `key` is in it.
    fn holds(&self, key: u32) -> bool {
        (key & !3).wrapping_sub(self.first) < 4 * self.words
    }
}

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
    /// CP15 register 5: that of data accesses where there are two.
    pub(in crate::arm) fault_status: u32,
    /// CP15 register 5, opcode 2 = 1: that of instruction fetches (ARM926EJ-S).
    pub(in crate::arm) insn_fault_status: u32,
    /// CP15 register 6.
    pub(in crate::arm) fault_address: u32,
    /// CP15 register 1.
    pub(in crate::arm) control: u32,
    /// CP15 register 2.
    pub(in crate::arm) ttb: u32,
    /// CP15 register 3.
    pub(in crate::arm) dacr: u32,
    /// CP15 register 13: the PID slot, in bits 30:25 (SA-1110) or 31:25 (ARM926EJ-S).
    pub(in crate::arm) pid: u32,
    /// CP15 register 10, TLB lockdown (ARM926EJ-S TRM §2.3.11).
    pub(in crate::arm) tlb_lockdown: u32,
    /// Where the next test-and-clean operation looks for a dirty line.
    test_clean_next: usize,
    /// Whether user mode may operate the read buffer.
    pub(in crate::arm) user_read_buffer: bool,
    permissions: u16,
    /// Low address bits that must be zero as far as the access is that wide: 3 with alignment
    /// faults on, 0 without.
    alignment_checked: u32,
    icache: Cache<InsnLine>,
    decoded: Decoded,
    decode_cache: DecodeCache,
    dcache: Cache<DataLine>,
    mini: Option<Cache<DataLine>>,
    /// The instruction TLB; `None`: `dtlb` serves fetches too.
    itlb: Option<Tlb<TlbEntry>>,
    dtlb: Tlb<TlbEntry>,
    /// Whether the guest may choose between random and round-robin replacement.
    selectable_replacement: bool,
    /// Virtual address of the line that the core fetched last, while nothing that its fetch looked
    /// at has changed; [`NO_LINE`] otherwise. A hint: without it every fetch looks again.
    pub(in crate::arm) line: u32,
    fetch_hints: Hints,
    read_hints: Hints,
    write_hints: Hints,
    /// For reads of a line of the main data cache that was on its way when this was made: words of
    /// it may have to be waited for.
    arriving: Hint,
    /// Changes with everything that a hint relies on, but the place of its line.
    epoch: u16,
    /// What hints must agree in now; follows `epoch` and `privileged`.
    tag: Tag,
    /// Whether the processor is in a privileged mode.
    privileged: bool,
    write_buffer: WriteBuffer,
    /// How lines of the instruction cache are filled.
    insn_refill: Refill,
    /// How lines of the data caches are.
    data_refill: Refill,
    /// The line that was filled last.
    arrivals: Arrivals,
    read_buffer: [ReadBufferEntry; 4],
    /// Whether any read-buffer entry is loaded.
    read_buffer_used: bool,
    /// Cycle and instruction counts when the tallies were last brought up to date.
    synced_cycle: Cycle,
    synced_instructions: u64,
    /// Instruction fetches since then that did not look into the instruction cache.
    uncached_fetches: u64,
    /// Addresses below this are relocated. Follows the control register.
    relocated_below: u32,
    /// Whether loads of the PC may change the state. Follows the control register.
    pub(in crate::arm) loads_exchange: bool,
    /// What there is beside caches and TLBs if address-space tags are ideal.
    tags: Option<Box<Tags>>,
    /// For an observer.
    journal: Journal,
}

impl MemSys {
    /// The memory system of `config` in front of `bus`, as reset leaves it.
    #[must_use]
    pub fn new(config: &MachineConfig, bus: Bus) -> Self {
        let arm = config.arm().expect("the machine file of an ARM");
        let [itlb, dtlb] = [&arm.itlb, &arm.dtlb].map(|tlb| tlb.as_ref().map(Tlb::new));
        // `MachineConfig` has checked that one of the two is there.
        let dtlb = dtlb.unwrap_or_else(|| Tlb::new(arm.tlb.as_ref().expect("a TLB")));
        let places = [itlb.as_ref().map_or(0, Tlb::places), dtlb.places()];
        let ideal = arm.address_space_tags == AddressSpaceTags::Ideal;
        let tags = ideal.then(|| Box::new(Tags::new(&bus, places)));
        let core = Table::of(arm.core);
        let [icache, dcache] = [&arm.icache, &arm.dcache].map(CacheConfig::slots);
        let mut mem = Self {
            platform: Platform::new(bus),
            words_stored: 0,
            fault: Fault::new(FaultKind::Translation, true, 0, 0),
            fault_status: 0,
            fault_address: 0,
            core,
            insn_fault_status: 0,
            tlb_lockdown: 0,
            test_clean_next: 0,
            control: core.control_fixed,
            ttb: 0,
            dacr: 0,
            pid: 0,
            user_read_buffer: false,
            permissions: mmu::permission_table(false, false),
            alignment_checked: 0,
            decoded: Decoded::new(icache),
            decode_cache: DecodeCache::new(core.architecture),
            icache: Cache::new(&arm.icache),
            dcache: Cache::new(&arm.dcache),
            mini: arm.mini_dcache.as_ref().map(Cache::new),
            itlb,
            dtlb,
            selectable_replacement: arm.icache.replacement == Replacement::Random
                && arm.dcache.replacement == Replacement::Random,
            line: NO_LINE,
            fetch_hints: Hints::new(icache),
            read_hints: Hints::new(dcache),
            write_hints: Hints::new(dcache),
            arriving: Hint::NONE,
            epoch: 0,
            tag: Tag::new(0, true),
            privileged: true,
            write_buffer: WriteBuffer::new(arm.write_buffer.clone(), arm.memory.clone()),
            insn_refill: arm.icache.refill,
            data_refill: arm.dcache.refill,
            arrivals: Arrivals::none(),
            read_buffer: [ReadBufferEntry::default(); 4],
            read_buffer_used: false,
            synced_cycle: 0,
            synced_instructions: 0,
            uncached_fetches: 0,
            relocated_below: SLOT_BYTES,
            loads_exchange: false,
            tags,
            journal: Journal::default(),
        };
        mem.follow_control();
        mem
    }

    /// PID relocation (SA-1110 DM §5.2.13; ARM926EJ-S TRM p. 2-34): addresses below 32 MB move to
    /// the slot that the process-ID register names; on the ARM926EJ-S only while the MMU is on.
    #[inline]
    #[must_use]
    pub fn relocate(&self, va: u32) -> u32 {
        if va < self.relocated_below {
            va | self.pid
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

    fn mmu_on(&self) -> bool {
        self.control & control::M != 0
    }

    /// Walks the page tables, which it reads from memory, not through cache or write buffer (unless
    /// tags are ideal).
    #[cold]
    fn walk(&mut self, mva: u32) -> Result<TlbEntry, Abort> {
        let descriptor = self.walk_read(mmu::first_level_address(self.ttb, mva));
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

    /// Whether page directories may name fine tables (architecture version 5).
    #[must_use]
    pub fn fine_tables(&self) -> bool {
        self.core.fine_tables
    }

    /// Something has changed that hints rely on.
    pub(in crate::arm) fn forget_hints(&mut self) {
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            // Those of 65,536 epochs ago must not look new.
            self.fetch_hints.clear();
            self.read_hints.clear();
            self.write_hints.clear();
            self.arriving = Hint::NONE;
        }
        self.set_privileged(self.privileged);
    }

    /// The core must look up the line that it runs anew, before its next instruction.
    #[inline]
    pub(in crate::arm) fn forget_line(&mut self) {
        self.line = NO_LINE;
        self.platform.horizon = 0;
    }

    /// The processor's mode is privileged now, or is not.
    pub(in crate::arm) fn set_privileged(&mut self, privileged: bool) {
        self.privileged = privileged;
        self.tag = Tag::new(self.epoch, privileged);
    }

    /// Whether it is.
    #[inline]
    #[must_use]
    pub fn privileged(&self) -> bool {
        self.privileged
    }

    /// The TLB that instruction fetches use.
    fn insn_tlb(&mut self) -> &mut Tlb<TlbEntry> {
        self.itlb.as_mut().unwrap_or(&mut self.dtlb)
    }

    /// Puts what was walked for `mva` into the TLB that the access uses, or into a locked place
    /// while the guest asks for that: then the next one goes into the next place.
    fn keep_translation(&mut self, mva: u32, entry: TlbEntry, fetch: bool) {
        self.forget_hints();
        if self.itlb.is_none() {
            // What a data access brings may replace the translation of the page that runs.
            self.forget_line();
        }
        let entry = self.agreed(mva, entry);
        let lockdown = self.tlb_lockdown;
        let tlb = if fetch {
            self.insn_tlb()
        } else {
            &mut self.dtlb
        };
        let place = if lockdown & 1 == 0 {
            Some(tlb.insert(mva, entry))
        } else {
            let victim = (lockdown >> 26) & 7;
            let place = tlb.lock(victim as usize, entry);
            self.tlb_lockdown = (((victim + 1) & 7) << 26) | 1;
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
    #[inline]
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
    fn read_bus(&mut self, target: Target, pa: u32) {
        let (start, transfer) = self.claim_read(target, pa, 1);
        self.platform.cycle = start + transfer.total();
    }

    /// Translates a data address and checks the access.
    #[inline(always)]
    fn locate(&mut self, va: u32, access: Access) -> Result<Location, Abort> {
        let mva = self.relocate(va);
        if !self.mmu_on() {
            return Ok(Location {
                mva,
                pa: mva,
                key: mva,
                attributes: Attributes::NONE,
            });
        }
        self.platform.counters.now.dtlb.accesses += 1;
        let (dacr, permissions) = (self.dacr, self.permissions);
        let Some(entry) = self.dtlb.lookup(mva) else {
            return self.locate_after_walk(mva, access);
        };
        let entry = *entry;
        match mmu::check(&entry, mva, access, dacr, permissions) {
            Ok(()) => Ok(self.location(mva, &entry)),
            Err(kind) => Err(self.fail(kind, entry.section, entry.domain, mva)),
        }
    }

    #[cold]
    fn locate_after_walk(&mut self, mva: u32, access: Access) -> Result<Location, Abort> {
        self.platform.counters.now.dtlb.misses += 1;
        let entry = self.walk(mva)?;
        self.keep_translation(mva, entry, false);
        mmu::check(&entry, mva, access, self.dacr, self.permissions)
            .map_err(|kind| self.fail(kind, entry.section, entry.domain, mva))?;
        Ok(self.location(mva, &entry))
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

    /// Brings the tallies that are kept by difference up to date: cycles, and the lookups that
    /// every instruction fetch makes.
    pub fn sync_counters(&mut self) {
        // Field by field: devices are met often, and most fields are zero.
        let pending = self.pending();
        let now = &mut self.platform.counters.now;
        now.run.cycles += pending.run.cycles;
        now.run.instructions += pending.run.instructions;
        now.icache.accesses += pending.icache.accesses;
        now.itlb.accesses += pending.itlb.accesses;
        now.dcache.reads += pending.dcache.reads;
        now.dcache.writes += pending.dcache.writes;
        now.dtlb.accesses += pending.dtlb.accesses;
        self.uncached_fetches -= pending.run.instructions - pending.icache.accesses;
        self.synced_cycle = self.platform.cycle;
        self.synced_instructions = self.platform.counters.fetches;
        self.platform.counters.hinted_reads = 0;
        self.platform.counters.hinted_writes = 0;
    }

    /// What is to be added to the tallies to bring them up to date.
    #[inline(always)]
    fn pending(&self) -> Tally {
        let fetches = self.platform.counters.fetches - self.synced_instructions;
        let (reads, writes) = (
            self.platform.counters.hinted_reads,
            self.platform.counters.hinted_writes,
        );
        let translated = self.control & control::M != 0;
        let mut tally = Tally::default();
        tally.run.cycles = self.platform.cycle - self.synced_cycle;
        tally.run.instructions = fetches;
        tally.icache.accesses = fetches - self.uncached_fetches.min(fetches);
        tally.itlb.accesses = if translated { fetches } else { 0 };
        tally.dcache.reads = reads;
        tally.dcache.writes = writes;
        // Hints are only for cacheable pages, and without translation there are none.
        tally.dtlb.accesses = reads + writes;
        tally
    }

    /// Everything counted so far, user and kernel together. For observers.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let mut tally = self.platform.counters.counted();
        tally += self.pending();
        tally
    }

    /// Writes to memory that nothing took.
    #[must_use]
    pub fn lost_writes(&self) -> u64 {
        self.write_buffer.lost
    }
}

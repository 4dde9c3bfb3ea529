// SPDX-License-Identifier: Apache-2.0
//! Everything between the core and the bus: control registers, linear and physical memory, ports, time
//! and counters. `translation` goes through the TLBs and walks page tables, `fetch` brings code into the
//! trace cache, `inspect` is for those who look on.
//!
//! TLB entries are used as they are, stale or not. A write through an entry that was walked while the
//! page was clean walks again, to set the dirty bit. An access that its entry forbids faults, and the
//! fault drops the entry (SDM vol. 3, 3.11 and 5.12: a handler that has granted more rights may return
//! without INVLPG); entries that are not present are not kept.

mod fetch;
pub(in crate::ia32) mod hint;
mod inspect;
mod state;
mod tags;
mod translation;

use switchyard_translator::traces::{Translator, Ways};

use crate::bus::{Bus, Target};
use crate::cache::HINTS;
use crate::config::AddressSpaceTags;
use crate::counters::{Privilege, Totals};
use crate::dev::Width;
use crate::event::Cycle;
use crate::ia32::config::Ia32Config;
use crate::ia32::isa::cost::Costs;
use crate::ia32::isa::exception::Fault;
use crate::ia32::isa::register::{cr0, cr4};
use crate::ia32::memory::held::Tags;
use crate::ia32::memory::mmu::Access;
use crate::ia32::memory::pipeline::Pipeline;
use crate::ia32::memory::tlb::TlbEntry;
use crate::ia32::memory::trace_cache::TraceCache;
use crate::ideal_tags::{DATA, INSNS};
use crate::platform::Platform;
use crate::tlb::{Entry, Tlb};

use self::hint::Hints;

const PAGE_BYTES: u32 = 0x1000;

/// Where an operand is in physical memory: in one page, or at the end of one and the start of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Its linear address.
    pub(in crate::ia32) linear: u32,
    /// Whether it is accessed with the rights of user mode.
    pub(in crate::ia32) user: bool,
    pa: u32,
    /// Bytes of it in the first page, if there is a second.
    first: u32,
    /// The physical address of those in the second page.
    second: u32,
}

impl Place {
    /// The physical address of its first byte.
    pub(in crate::ia32) fn pa(self) -> u32 {
        self.pa
    }

    /// The place `bytes` after the start of the operand here.
    #[must_use]
    pub fn plus(self, bytes: u32) -> Self {
        let linear = self.linear.wrapping_add(bytes);
        let (pa, first) = if bytes >= self.first {
            (self.second + (bytes - self.first), u32::MAX)
        } else if self.first == u32::MAX {
            (self.pa.wrapping_add(bytes), u32::MAX)
        } else {
            (self.pa.wrapping_add(bytes), self.first - bytes)
        };
        Self {
            linear,
            pa,
            first,
            ..self
        }
    }
}

/// The memory system, with the pipeline `P` whose accesses it makes.
pub struct MemSys<P> {
    /// Clock, bus and counters.
    pub platform: Platform,
    /// Control register 0.
    pub(in crate::ia32) cr0: u32,
    /// Control register 2: the address of the last page fault.
    pub(in crate::ia32) cr2: u32,
    /// Control register 3: the page directory.
    pub(in crate::ia32) cr3: u32,
    /// Control register 4.
    pub(in crate::ia32) cr4: u32,
    itlb: Tlb<TlbEntry>,
    dtlb: Tlb<TlbEntry>,
    /// Where reads and writes went.
    pub(in crate::ia32) reads: Hints,
    pub(in crate::ia32) writes: Hints,
    /// What there is beside them if address-space tags are ideal.
    tags: Option<Box<Tags>>,
    /// Decoded instructions.
    pub(in crate::ia32) traces: TraceCache,
    /// The data caches, and when what they bring is there.
    pub(in crate::ia32) time: P,
    /// Base and limit of the code segment of the program's instruction that observers were shown last, if
    /// that segment has an end.
    pub(in crate::ia32) program: Option<[u32; 2]>,
    /// Counts of cycles, instructions and µops when the tallies were last brought up to date.
    synced_cycle: Cycle,
    synced_instructions: u64,
    synced_uops: u64,
}

impl<P: Pipeline> MemSys<P> {
    /// That of `config` (validated) in front of `bus`, as after a reset: caches off (SDM vol. 3, table 8-1),
    /// paging off.
    #[must_use]
    pub fn new(config: &Ia32Config, bus: Bus, time: P) -> Self {
        let (itlb, dtlb) = (Tlb::new(&config.itlb), Tlb::new(&config.dtlb));
        let (_, ram_bytes) = bus.ram_window();
        let ideal = config.address_space_tags == AddressSpaceTags::Ideal;
        let tags = ideal.then(|| Box::new(Tags::new(&bus, [itlb.places(), dtlb.places()])));
        let mut costs = Costs::new(&config.latency, &config.price);
        if ideal {
            costs = costs.with_ideal_tags();
        }
        let traces = TraceCache::new(costs, itlb.places(), ram_bytes);
        Self {
            platform: Platform::new(bus),
            cr0: cr0::CD | cr0::NW | cr0::ET,
            cr2: 0,
            cr3: 0,
            cr4: 0,
            itlb,
            dtlb,
            reads: Hints::new(),
            writes: Hints::new(),
            tags,
            traces,
            time,
            program: None,
            synced_cycle: 0,
            synced_instructions: 0,
            synced_uops: 0,
        }
    }

    // ---- control registers -----------------------------------------------------------------

    /// Writes CR0. A change of paging or protection empties the TLBs (SDM vol. 3, 3.11).
    pub(in crate::ia32) fn set_cr0(&mut self, value: u32) {
        let value = value & cr0::IMPLEMENTED | cr0::ET;
        if (value ^ self.cr0) & (cr0::PG | cr0::PE) != 0 {
            self.flush_all();
        }
        self.cr0 = value;
        self.forget_hints();
        self.time.set_fills(value & cr0::CD == 0);
    }

    /// Writes CR3, which empties the TLBs but for global pages; with ideal tags the new directory's entries
    /// answer.
    pub(in crate::ia32) fn set_cr3(&mut self, value: u32) {
        self.cr3 = value;
        let now = &mut self.platform.counters.now;
        now.written.ttb += 1;
        now.itlb.invalidate_all += 1;
        now.dtlb.invalidate_all += 1;
        if self.tags_are_ideal() {
            return self.change_sides();
        }
        self.empty_traces();
        self.forget_hints();
        for tlb in [&mut self.itlb, &mut self.dtlb] {
            for place in 0..tlb.places() {
                if tlb.get(place).is_some_and(|entry| !entry.global) {
                    tlb.replace(place, None);
                }
            }
        }
    }

    /// Writes CR4, which empties the TLBs if global or large pages come or go.
    pub(in crate::ia32) fn set_cr4(&mut self, value: u32) {
        if (value ^ self.cr4) & (cr4::PGE | cr4::PSE) != 0 {
            self.flush_all();
        }
        self.cr4 = value;
    }

    /// INVLPG: drops what translates `linear`, global or not; with ideal tags that is true, and stays.
    pub(in crate::ia32) fn invalidate_page(&mut self, linear: u32) {
        let now = &mut self.platform.counters.now;
        now.itlb.invalidate_entry += 1;
        now.dtlb.invalidate_entry += 1;
        if !self.tags_are_ideal() {
            self.drop_insn_translation(linear);
            self.drop_data_translation(linear);
        }
    }

    /// Drops what translates fetches from `linear`, and what was decoded there.
    fn drop_insn_translation(&mut self, linear: u32) {
        for place in 0..self.itlb.places() {
            if self
                .itlb
                .get(place)
                .is_some_and(|page| page.matches(linear, ()))
            {
                self.traces.forget(place);
                self.release(INSNS, place);
            }
        }
        self.itlb.invalidate(linear);
        self.platform.horizon = 0;
    }

    /// Drops what translates reads and writes at `linear`.
    fn drop_data_translation(&mut self, linear: u32) {
        for place in 0..self.dtlb.places() {
            let page = self.dtlb.get(place).copied();
            if let Some(page) = page.filter(|page| page.matches(linear, ())) {
                self.release(DATA, place);
                self.forget_hints_of([page].into_iter());
            }
        }
        self.dtlb.invalidate(linear);
    }

    /// Runs lines of the trace cache as host code from now on, beside a predictor that knows so many branches and
    /// caches of these shapes, the second of which takes a store in so much time, if that can be: translated code
    /// goes by hints, and knows memory at 0 alone.
    pub(in crate::ia32) fn run_as_host_code(
        &mut self,
        branches: usize,
        caches: [Ways; 2],
        store: u32,
    ) {
        let (base, _) = self.platform.bus.ram_window();
        if HINTS && base == 0 && !self.tags_are_ideal() {
            self.traces.translate(branches, caches, store);
        }
    }

    /// The translator, if there is one.
    pub fn translator(&mut self) -> Option<&mut Translator> {
        self.traces.translator()
    }

    /// Memory was changed between two instructions by somebody else than the processor: perhaps code.
    pub fn memory_changed(&mut self) {
        self.traces.memory_changed();
        self.descriptors_changed();
    }

    /// Empties the trace cache, of which a line may be under way.
    fn empty_traces(&mut self) {
        self.platform.counters.now.trace.emptied += 1;
        self.traces.empty();
        self.platform.horizon = 0;
    }

    fn flush_all(&mut self) {
        let now = &mut self.platform.counters.now;
        now.itlb.invalidate_all += 1;
        now.dtlb.invalidate_all += 1;
        self.empty_traces();
        self.itlb.invalidate_all();
        self.dtlb.invalidate_all();
        self.forget_hints();
        self.release_all();
    }

    /// The translations that instruction fetches use.
    #[must_use]
    pub fn itlb(&self) -> &Tlb<TlbEntry> {
        &self.itlb
    }

    /// The translations that reads and writes use.
    #[must_use]
    pub fn dtlb(&self) -> &Tlb<TlbEntry> {
        &self.dtlb
    }

    // ---- linear memory ---------------------------------------------------------------------

    /// Where `bytes` (at most a page) at `linear` are, if they may be accessed so: whoever has a place
    /// can read or write there without a fault.
    ///
    /// # Errors
    /// A page fault.
    #[inline(always)]
    pub fn locate(&mut self, linear: u32, bytes: u32, access: Access) -> Result<Place, Fault> {
        let pa = self.translate(linear, access)?;
        let mut place = Place {
            linear,
            user: access.user,
            pa,
            first: u32::MAX,
            second: 0,
        };
        let in_page = PAGE_BYTES - (linear & (PAGE_BYTES - 1));
        if bytes > in_page {
            place.first = in_page;
            place.second = self.translate(linear.wrapping_add(in_page), access)?;
        }
        Ok(place)
    }

    /// Reads `N` bytes (1, 2 or 4).
    #[inline(always)]
    pub fn get<const N: u32>(&mut self, place: Place) -> u32 {
        if N <= place.first {
            return self.physical_read::<N>(place.pa);
        }
        let bytes = |n: u32| 8 * n;
        (0..N).fold(0, |value, n| {
            value | self.physical_read::<1>(place.plus(n).pa) << bytes(n)
        })
    }

    /// Writes `N` bytes.
    #[inline(always)]
    pub fn put<const N: u32>(&mut self, place: Place, value: u32) {
        if N <= place.first {
            return self.physical_write::<N>(place.pa, value);
        }
        for n in 0..N {
            self.physical_write::<1>(place.plus(n).pa, value >> (8 * n) & 0xff);
        }
    }

    // ---- physical memory -------------------------------------------------------------------

    /// Reads `N` bytes at `pa`. Where nothing answers, the bus has all ones.
    #[inline(always)]
    pub fn physical_read<const N: u32>(&mut self, pa: u32) -> u32 {
        let Some(value) = self.ram::<N>(pa) else {
            self.time.access_device();
            return self.read_beside_ram::<N>(pa);
        };
        self.time.load(pa, N, &mut self.platform);
        value
    }

    /// What memory has in `N` bytes at `pa`.
    #[inline(always)]
    fn ram<const N: u32>(&self, pa: u32) -> Option<u32> {
        match self.platform.bus.ram_slice(pa, N as usize) {
            Some(&[a]) => Some(u32::from(a)),
            Some(&[a, b]) => Some(u32::from(u16::from_le_bytes([a, b]))),
            Some(&[a, b, c, d]) => Some(u32::from_le_bytes([a, b, c, d])),
            _ => None,
        }
    }

    /// Writes `N` bytes at `pa`. Where nothing answers, they are lost.
    #[inline(always)]
    pub fn physical_write<const N: u32>(&mut self, pa: u32, value: u32) {
        if self.write_memory::<N>(pa, value) {
            self.time.store(pa, N, &mut self.platform);
        } else {
            self.time.access_device();
            self.write_beside_ram::<N>(pa, value);
        }
    }

    /// Writes `N` bytes of memory at `pa`, which takes no time. `false`: none is there.
    #[inline(always)]
    fn write_memory<const N: u32>(&mut self, pa: u32, value: u32) -> bool {
        match self.platform.bus.ram_slice_mut(pa, N as usize) {
            Some(bytes) => bytes.copy_from_slice(&value.to_le_bytes()[..N as usize]),
            None => return false,
        }
        if self.traces.has_code(pa) || N > 1 && self.traces.has_code(pa + (N - 1)) {
            self.empty_traces();
        }
        self.traces.stored(pa, N);
        self.stored(pa, N);
        true
    }

    #[cold]
    fn read_beside_ram<const N: u32>(&mut self, pa: u32) -> u32 {
        if pa % N == 0 {
            let target = self.platform.bus.target(pa);
            return self.read_target(target, pa, width(N));
        }
        (0..N).fold(0, |value, n| {
            let pa = pa.wrapping_add(n);
            let target = self.platform.bus.target(pa);
            value | self.read_target(target, pa, Width::Byte) << (8 * n)
        })
    }

    fn read_target(&mut self, target: Target, pa: u32, width: Width) -> u32 {
        self.time.tell(&mut self.platform);
        self.sync_counters();
        let ones = u32::MAX >> (32 - 8 * width.bytes());
        self.platform.read(target, pa, width).unwrap_or(ones)
    }

    #[cold]
    fn write_beside_ram<const N: u32>(&mut self, pa: u32, value: u32) {
        self.time.tell(&mut self.platform);
        self.sync_counters();
        if pa % N == 0 {
            self.platform.write(pa, value, width(N));
            return;
        }
        for n in 0..N {
            let byte = value >> (8 * n) & 0xff;
            self.platform.write(pa.wrapping_add(n), byte, Width::Byte);
        }
    }

    // ---- ports -----------------------------------------------------------------------------

    /// Reads `N` bytes of port `port`. Where nothing answers, the bus has all ones.
    pub fn read_port<const N: u32>(&mut self, port: u16) -> u32 {
        self.time.access_port(&mut self.platform);
        self.sync_counters();
        self.platform.read_port(port, width(N))
    }

    /// Writes `N` bytes to port `port`. Where nothing answers, they are lost.
    pub fn write_port<const N: u32>(&mut self, port: u16, value: u32) {
        self.time.access_port(&mut self.platform);
        self.sync_counters();
        self.platform.write_port(port, value, width(N));
    }

    // ---- caches ----------------------------------------------------------------------------

    /// WBINVD.
    pub(in crate::ia32) fn empty_caches(&mut self) {
        self.time.empty_caches(&mut self.platform);
    }

    /// Empties caches, TLBs and trace cache, with ideal tags too.
    pub(in crate::ia32) fn empty(&mut self) {
        self.empty_caches();
        self.flush_all();
    }

    // ---- counters --------------------------------------------------------------------------

    /// Brings the tallies that are kept by difference up to date: cycles, instructions and µops.
    pub fn sync_counters(&mut self) {
        let counters = &mut self.platform.counters;
        counters.now.run.cycles += self.platform.cycle - self.synced_cycle;
        counters.now.run.instructions += counters.fetches - self.synced_instructions;
        counters.now.uop.entered += self.time.uops() - self.synced_uops;
        self.synced_cycle = self.platform.cycle;
        self.synced_instructions = counters.fetches;
        self.synced_uops = self.time.uops();
    }

    /// Everything counted so far, by privilege.
    pub(in crate::ia32) fn counted(&mut self) -> &Totals {
        self.sync_counters();
        self.platform.counters.totals()
    }

    /// What follows is counted for user mode, or for the kernel.
    pub(in crate::ia32) fn count_for(&mut self, user: bool) {
        self.sync_counters();
        let privilege = if user {
            Privilege::User
        } else {
            Privilege::Kernel
        };
        self.platform.counters.switch_privilege(privilege);
    }
}

fn width(bytes: u32) -> Width {
    match bytes {
        1 => Width::Byte,
        2 => Width::Half,
        _ => Width::Word,
    }
}

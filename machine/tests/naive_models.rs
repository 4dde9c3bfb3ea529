// SPDX-License-Identifier: Apache-2.0
//! Caches, TLB and the whole data path against models so simple that they are obviously right.

use proptest::prelude::*;

use switchyard_machine::arm::isa::register::Register;
use switchyard_machine::arm::memory::tlb::{Attributes, TlbEntry};
use switchyard_machine::arm::Machine;
use switchyard_machine::cache::{Cache, Line};
use switchyard_machine::config::{CacheConfig, MachineConfig, Refill, Replacement, TlbConfig};
use switchyard_machine::dev::Width;
use switchyard_machine::registry;
use switchyard_machine::tlb::Tlb;

// ---- cache -------------------------------------------------------------------------------------

#[derive(Debug, Clone)]
enum CacheStep {
    /// Look the line up; fill it when it is not there.
    Access(u32),
    Invalidate(u32),
    InvalidateAll,
}

fn cache_step() -> impl Strategy<Value = CacheStep> {
    // Few enough line numbers that sets fill up, lines meet again and evict each other.
    let address = (0u32..96).prop_map(|n| 0x4000_0000 + n * 32);
    prop_oneof![
        40 => address.clone().prop_map(CacheStep::Access),
        4 => address.prop_map(CacheStep::Invalidate),
        1 => Just(CacheStep::InvalidateAll),
    ]
}

/// A line of so many bytes; what it holds says who has filled it.
#[derive(Debug, Clone, Default)]
struct Filler<const BYTES: u32>(u32);

impl<const BYTES: u32> Line for Filler<BYTES> {
    const BYTES: u32 = BYTES;
}

/// A cache as a list of places, searched from end to end.
struct NaiveCache {
    line_bytes: u32,
    sets: usize,
    ways: usize,
    lru: bool,
    /// Line number, contents, time of last use.
    places: Vec<Option<(u32, u32, u64)>>,
    pointer: Vec<usize>,
    time: u64,
}

impl NaiveCache {
    fn new(config: &CacheConfig) -> Self {
        let lines = (config.size_bytes / config.line_bytes) as usize;
        let ways = config.ways as usize;
        Self {
            line_bytes: config.line_bytes,
            sets: lines / ways,
            ways,
            lru: config.replacement == Replacement::Lru,
            places: vec![None; lines],
            pointer: vec![0; lines / ways],
            time: 0,
        }
    }

    fn find(&self, address: u32) -> Option<usize> {
        let line = address / self.line_bytes;
        self.places
            .iter()
            .position(|place| place.is_some_and(|(number, ..)| number == line))
    }

    fn access(&mut self, address: u32, fresh: u32) -> Option<u32> {
        self.time += 1;
        if let Some(at) = self.find(address) {
            let (_, contents, used) = self.places[at].as_mut().unwrap();
            *used = self.time;
            return Some(*contents);
        }
        let line = address / self.line_bytes;
        let set = line as usize % self.sets;
        let first = set * self.ways;
        let way = if self.lru {
            (0..self.ways)
                .min_by_key(|way| self.places[first + way].map_or(0, |(.., used)| used))
                .unwrap()
        } else {
            let way = self.pointer[set];
            self.pointer[set] = (way + 1) % self.ways;
            way
        };
        self.places[first + way] = Some((line, fresh, self.time));
        None
    }
}

fn check_cache<const LINE_BYTES: u32>(
    size_bytes: u32,
    ways: u32,
    replacement: Replacement,
    steps: Vec<CacheStep>,
) -> Result<(), TestCaseError> {
    let config = CacheConfig {
        size_bytes,
        ways,
        line_bytes: LINE_BYTES,
        replacement,
        refill: Refill::WholeLine,
    };
    let mut cache: Cache<Filler<LINE_BYTES>> = Cache::new(&config);
    let mut naive = NaiveCache::new(&config);
    for (number, step) in steps.into_iter().enumerate() {
        let fresh = number as u32;
        match step {
            CacheStep::Access(address) => {
                let got = cache.lookup(address).map(|slot| cache.line(slot).0);
                if got.is_none() {
                    let slot = cache.choose_victim(address);
                    cache.fill(slot, address).0 = fresh;
                }
                prop_assert_eq!(got, naive.access(address, fresh), "access {:#x}", address);
            }
            CacheStep::Invalidate(address) => {
                // A lookup is a use, in both.
                if let Some(slot) = cache.lookup(address) {
                    cache.invalidate(slot);
                }
                if let Some(at) = naive.find(address) {
                    naive.places[at] = None;
                }
            }
            CacheStep::InvalidateAll => {
                cache.invalidate_all();
                naive.places.fill(None);
            }
        }
    }
    Ok(())
}

// ---- TLB ---------------------------------------------------------------------------------------

#[derive(Debug, Clone)]
enum TlbStep {
    /// Look the address up; insert a page of this size (log 2) when it is not there.
    Access(u32, u32),
    /// Look the address up, and insert its page into a locked place.
    Lock(u32, u32, usize),
    Invalidate(u32),
    InvalidateAll,
}

fn tlb_step() -> impl Strategy<Value = TlbStep> {
    // 64 small pages in four megabytes, so that pages, large pages and sections overlap.
    let address = (0u32..64).prop_map(|n| 0x0800_0000 + (n % 4) * 0x10_0000 + (n / 4) * 0x3000);
    prop_oneof![
        40 => (address.clone(), prop_oneof![Just(12u32), Just(16), Just(20)])
            .prop_map(|(address, size)| TlbStep::Access(address, size)),
        4 => (address.clone(), prop_oneof![Just(12u32), Just(20)], 0usize..8)
            .prop_map(|(address, size, place)| TlbStep::Lock(address, size, place)),
        4 => address.prop_map(TlbStep::Invalidate),
        1 => Just(TlbStep::InvalidateAll),
    ]
}

/// A place of the naive TLB: first address, size, contents; or empty.
type Place = Option<(u32, u32, u32)>;

fn check_tlb(
    entries: u32,
    ways: u32,
    locked: u32,
    steps: Vec<TlbStep>,
) -> Result<(), TestCaseError> {
    let mut tlb: Tlb<TlbEntry> = Tlb::new(&TlbConfig {
        entries,
        ways: Some(ways),
        locked,
    });
    // The sets, each with the place that goes next, and the locked places.
    let sets = entries / ways;
    let mut naive: Vec<(usize, Vec<Place>)> = vec![(0, vec![None; ways as usize]); sets as usize];
    let mut kept: Vec<Place> = vec![None; locked as usize];
    let holds = |place: &Place, address: u32| {
        place.is_some_and(|(at, size, _)| address >> size == at >> size)
    };
    for (number, step) in steps.into_iter().enumerate() {
        let fresh = (number as u32) << 20;
        match step {
            TlbStep::Access(address, size) | TlbStep::Lock(address, size, _) => {
                let got = tlb.lookup(address).map(|e| (e.mva, e.pa));
                let peeked = tlb.peek(address).map(|(_, e)| (e.mva, e.pa));
                let (next, set) = &mut naive[(address >> 12) as usize % sets as usize];
                let found: Vec<_> = set
                    .iter()
                    .chain(&kept)
                    .filter(|p| holds(p, address))
                    .collect();
                // Overlapping entries are unpredictable on the processor: any will do here.
                let expected = found
                    .first()
                    .map(|place| place.unwrap())
                    .map(|(at, _, pa)| (at, pa));
                let any = found.len() > 1 && got.is_some();
                prop_assert!(any || (got, peeked) == (expected, expected));
                if got.is_none() {
                    let mask = !0u32 << size;
                    let place = Some((address & mask, size, fresh));
                    let entry = entry(address & mask, mask, fresh);
                    match step {
                        TlbStep::Lock(_, _, at) if locked > 0 => {
                            tlb.lock(at, entry);
                            kept[at % locked as usize] = place;
                        }
                        _ => {
                            tlb.insert(address, entry);
                            set[*next] = place;
                            *next = (*next + 1) % ways as usize;
                        }
                    }
                }
            }
            TlbStep::Invalidate(address) => {
                tlb.invalidate(address);
                let places = naive.iter_mut().flat_map(|(_, set)| set).chain(&mut kept);
                places.filter(|p| holds(p, address)).for_each(|p| *p = None);
            }
            TlbStep::InvalidateAll => {
                tlb.invalidate_all();
                naive.fill((0, vec![None; ways as usize]));
            }
        }
        let valid = naive.iter().flat_map(|(_, set)| set).chain(&kept).flatten();
        prop_assert_eq!(tlb.entries().count(), valid.count());
    }
    Ok(())
}

proptest! {
    #[test]
    fn round_robin_cache_agrees(steps in prop::collection::vec(cache_step(), 1..600)) {
        check_cache::<32>(1024, 8, Replacement::RoundRobin, steps)?;
    }

    #[test]
    fn lru_cache_agrees(steps in prop::collection::vec(cache_step(), 1..600)) {
        check_cache::<32>(512, 2, Replacement::Lru, steps)?;
    }

    #[test]
    fn caches_of_longer_lines_agree(steps in prop::collection::vec(cache_step(), 1..600)) {
        check_cache::<64>(2048, 4, Replacement::RoundRobin, steps.clone())?;
        check_cache::<128>(1024, 2, Replacement::Lru, steps)?;
    }

    #[test]
    fn fully_associative_tlb_agrees(steps in prop::collection::vec(tlb_step(), 1..400)) {
        check_tlb(8, 8, 0, steps)?;
    }

    #[test]
    fn two_way_tlb_with_locked_places_agrees(steps in prop::collection::vec(tlb_step(), 1..400)) {
        check_tlb(16, 2, 3, steps)?;
    }

    /// One address space, each location at one address: whatever caches and write buffer do, a
    /// load returns what was stored last, and after cleaning and draining memory holds it.
    #[test]
    fn data_path_keeps_what_is_stored(steps in prop::collection::vec(data_step(), 1..800)) {
        let mut machine = machine_with_identity_map();
        let mut model = vec![0u8; WINDOW as usize];
        for step in steps {
            let core = machine.core();
            match step {
                DataStep::Load(offset, width) => {
                    let got = core.mem.load(WINDOW_AT + offset, width, true);
                    prop_assert_eq!(got, Ok(from_model(&model, offset, width)));
                }
                DataStep::Store(offset, width, value) => {
                    prop_assert!(core.mem.store(WINDOW_AT + offset, width, value, true).is_ok());
                    let len = width.bytes() as usize;
                    model[offset as usize..][..len].copy_from_slice(&value.to_le_bytes()[..len]);
                }
                DataStep::LoadMultiple(offset, count) => {
                    let loaded = core.mem.load_multiple(WINDOW_AT + offset, count, true);
                    prop_assert!(loaded.is_ok());
                    for n in 0..count {
                        let word = loaded.map(|words| words.word(n)).unwrap_or_default();
                        prop_assert_eq!(word, from_model(&model, offset + 4 * n as u32, Width::Word));
                    }
                }
                DataStep::StoreMultiple(offset, words) => {
                    prop_assert!(core.mem.store_multiple(WINDOW_AT + offset, &words, true).is_ok());
                    for (n, word) in words.into_iter().enumerate() {
                        model[offset as usize + 4 * n..][..4].copy_from_slice(&word.to_le_bytes());
                    }
                }
                DataStep::CleanLine(offset) => core.write_cp15(CLEAN_LINE, WINDOW_AT + offset),
                DataStep::Drain => core.write_cp15(DRAIN, 0),
            }
        }
        let core = machine.core();
        for line in 0..WINDOW / 32 {
            core.write_cp15(CLEAN_LINE, WINDOW_AT + 32 * line);
        }
        core.write_cp15(DRAIN, 0);
        let memory = machine.bus().ram_slice(WINDOW_AT, WINDOW as usize);
        prop_assert_eq!(memory, Some(&model[..]));
    }
}

fn entry(mva: u32, mask: u32, pa: u32) -> TlbEntry {
    TlbEntry {
        mva,
        mask,
        pa,
        domain: 0,
        permissions: 0xff,
        subpage_shift: 10,
        attributes: Attributes::NONE,
        section: mask == 0xfff0_0000,
    }
}

// ---- data path ---------------------------------------------------------------------------------

/// The window straddles two sections: the first uses the main data cache, the second the mini
/// data cache. It is larger than both caches.
const WINDOW: u32 = 0x8000;
const WINDOW_AT: u32 = 0xc020_0000 - WINDOW / 2;
const TABLE_AT: u32 = 0xc000_4000;

const CLEAN_LINE: Register = Register::new(7, 10, 1);
const DRAIN: Register = Register::new(7, 10, 4);

#[derive(Debug, Clone)]
enum DataStep {
    Load(u32, Width),
    Store(u32, Width, u32),
    LoadMultiple(u32, usize),
    StoreMultiple(u32, Vec<u32>),
    CleanLine(u32),
    Drain,
}

fn data_step() -> impl Strategy<Value = DataStep> {
    let width = prop_oneof![Just(Width::Byte), Just(Width::Half), Just(Width::Word)];
    // Half of the addresses crowd in a few lines around the border, half are anywhere.
    let offset = prop_oneof![WINDOW / 2 - 256..WINDOW / 2 + 256, 0..WINDOW - 64];
    let aligned = (offset.clone(), width).prop_map(|(o, w)| (o & !(w.bytes() - 1), w));
    let word = offset.clone().prop_map(|o| o & !3);
    prop_oneof![
        8 => aligned.clone().prop_map(|(o, w)| DataStep::Load(o, w)),
        8 => (aligned, any::<u32>()).prop_map(|((o, w), v)| DataStep::Store(o, w, v)),
        3 => (word.clone(), 1usize..16).prop_map(|(o, n)| DataStep::LoadMultiple(o, n)),
        3 => (word, prop::collection::vec(any::<u32>(), 1..16))
            .prop_map(|(o, words)| DataStep::StoreMultiple(o, words)),
        1 => offset.prop_map(DataStep::CleanLine),
        1 => Just(DataStep::Drain),
    ]
}

fn from_model(model: &[u8], offset: u32, width: Width) -> u32 {
    let mut bytes = [0; 4];
    let len = width.bytes() as usize;
    bytes[..len].copy_from_slice(&model[offset as usize..][..len]);
    u32::from_le_bytes(bytes)
}

fn machine_with_identity_map() -> Machine {
    let config = MachineConfig::find("sa1110").expect("a built-in machine");
    let board = registry::board(&config.board).expect("its board");
    let mut machine = Machine::new(&config, (board.parts)(config.ram_bytes), ());
    // Sections, domain 0, full access; C and B for the main cache, C alone for the mini cache.
    for (section, bits) in [(0xc01u32, 0xc1e), (0xc02, 0xc1a)] {
        let descriptor = (section << 20) | bits;
        let at = TABLE_AT + 4 * section;
        let place = machine
            .bus()
            .ram_slice_mut(at, 4)
            .expect("the page directory");
        place.copy_from_slice(&descriptor.to_le_bytes());
    }
    let core = machine.core();
    core.write_cp15(Register::new(2, 0, 0), TABLE_AT);
    core.write_cp15(Register::new(3, 0, 0), 1);
    // MMU, data caches, write buffer.
    core.write_cp15(Register::new(1, 0, 0), 0x7d);
    machine
}

// SPDX-License-Identifier: Apache-2.0
//! Ideal address-space tags at random: loads, stores, fetches, page-table changes, switches, slots,
//! domains, caches on and off and maintenance in any order, against memory in which every store takes
//! effect at once and every access walks the tables that are there (what `arm/watch/ideal/` is for
//! whole programs). Some runs go on from a saved machine, which must change nothing.

use crate::tags::rig::{Rig, BOTH, DIRECTORY_A, DIRECTORY_B, MAINTENANCE, TABLE, TRUTH, WINDOW};
use switchyard_machine::arm::isa::register::Register;
use switchyard_machine::arm::memory::mmu::{self, FirstLevel};
use switchyard_machine::arm::Machine;
use switchyard_machine::config::MachineConfig;
use switchyard_machine::dev::Width;
use switchyard_machine::registry;
use switchyard_machine::snapshot::{self, Saved};

/// The megabytes of a test's own: two that slots 0 to 2 relocate to, and two others.
const PLACES: [u32; 5] = [
    0x0010_0000,
    0x0210_0000,
    0x0410_0000,
    0x1000_0000,
    0x2000_0000,
];
/// Page tables, one after another: coarse ones, then a fine one.
const COARSE: [u32; 3] = [TABLE, TABLE + 0x400, TABLE + 0x800];
const FINE: u32 = TABLE + 0x1000;
/// What the reference knows of memory.
const KNOWN: usize = 0x0030_0000;

const DOMAINS: Register = Register::new(3, 0, 0);
const PID: Register = Register::new(13, 0, 0);
const CONTROL: Register = Register::new(1, 0, 0);

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 20) as u32) % limit
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }
}

/// Memory in which every store has taken effect, and the registers that matter.
struct Reference {
    ram: u32,
    bytes: Vec<u8>,
    ttb: u32,
    pid: u32,
    domains: u32,
    fine_tables: bool,
}

impl Reference {
    fn word(&self, pa: u32) -> u32 {
        let at = (pa - self.ram) as usize & !3;
        u32::from_le_bytes(self.bytes[at..at + 4].try_into().expect("four bytes"))
    }

    /// Where an access goes; `None`: it faults.
    fn place(&self, va: u32, write: bool) -> Option<u32> {
        let mva = if va < 32 << 20 { va | self.pid } else { va };
        let first = self.word(mmu::first_level_address(self.ttb, mva));
        let entry = match mmu::first_level(first, mva, self.fine_tables) {
            FirstLevel::Invalid => None,
            FirstLevel::Section(entry) => Some(entry),
            FirstLevel::Table(table) => table.entry(self.word(table.descriptor_address(mva)), mva),
        }?;
        let access = mmu::Access {
            write,
            privileged: true,
        };
        let permissions = mmu::permission_table(false, false);
        mmu::check(&entry, mva, access, self.domains, permissions).ok()?;
        Some(entry.translate(mva))
    }

    fn load(&self, va: u32, width: Width) -> Option<u32> {
        let word = self.word(self.place(va, false)?);
        Some(match width {
            Width::Byte => (word >> (8 * (va & 3))) & 0xff,
            Width::Half => (word >> (8 * (va & 2))) & 0xffff,
            Width::Word => word,
        })
    }

    fn store(&mut self, va: u32, width: Width, value: u32) -> Option<()> {
        let len = width.bytes() as usize;
        let at = (self.place(va, true)? - self.ram) as usize & !(len - 1);
        self.bytes[at..at + len].copy_from_slice(&value.to_le_bytes()[..len]);
        Some(())
    }
}

struct Test {
    name: &'static str,
    rig: Rig,
    reference: Reference,
    random: Random,
    control: u32,
    /// How often loads or fetches went through, and did not.
    went: [u32; 2],
}

impl Test {
    fn new(name: &'static str, seed: u64) -> Self {
        let mut rig = Rig::new(name);
        let ram = rig.ram;
        let mut random = Random(seed * 0x9e37_79b9 + 1);
        let v5 = name.starts_with("versatile");
        for directory in [DIRECTORY_A, DIRECTORY_B] {
            for place in PLACES {
                let first = first_level(&mut random, ram, v5);
                rig.map(directory, place, first);
            }
        }
        for n in 0..256 {
            for table in COARSE {
                let page = second_level(&mut random, ram, n, false);
                rig.set_memory(table + 4 * n, page);
            }
        }
        for n in 0..1024 {
            let page = second_level(&mut random, ram, n, true);
            rig.set_memory(FINE + 4 * n, page);
        }
        let bytes = rig
            .machine
            .bus()
            .ram_slice(ram, KNOWN)
            .expect("memory")
            .to_vec();
        let reference = Reference {
            ram,
            bytes,
            ttb: ram + DIRECTORY_A,
            pid: 0,
            domains: 1,
            fine_tables: v5,
        };
        Self {
            name,
            rig,
            reference,
            random,
            control: 0x500d,
            went: [0; 2],
        }
    }

    /// An address of few lines of few pages, so that much meets.
    fn address(&mut self) -> u32 {
        let random = &mut self.random;
        let place = random.of(&PLACES);
        let page = random.of(&[0, 1, 2, 3, 15, 16, 17, 255]) << 12;
        let line = random.of(&[0, 0x20, 0x3e0, 0x400, 0xfc0, 0xfe0]);
        place + page + line + random.below(32)
    }

    fn step(&mut self) {
        match self.random.below(100) {
            0..=24 => self.load(),
            25..=49 => self.store(),
            50..=59 => self.fetch(),
            60..=67 => self.load_words(),
            68..=75 => self.store_words(),
            76..=85 => self.change_tables(),
            86..=90 => {
                let directory = self.random.of(&[DIRECTORY_A, DIRECTORY_B]);
                self.rig.switch(directory);
                self.reference.ttb = self.reference.ram + directory;
            }
            91 => {
                self.reference.pid = self.random.below(3) << 25;
                self.rig.machine.core().write_cp15(PID, self.reference.pid);
            }
            92 => {
                // Domain 0 has the windows; domain 1 comes and goes.
                self.reference.domains = 1 | self.random.below(4) << 2;
                let domains = self.reference.domains;
                self.rig.machine.core().write_cp15(DOMAINS, domains);
            }
            93 => {
                // Data cache, write buffer, instruction cache.
                if self.random.below(8) == 0 {
                    self.control ^= self.random.of(&[1 << 2, 1 << 3, 1 << 12]);
                    self.rig.machine.core().write_cp15(CONTROL, self.control);
                }
            }
            94 | 95 => self.load_read_buffer(),
            _ => self.maintain(),
        }
    }

    fn load(&mut self) {
        let va = self.address();
        let width = self.random.of(&[Width::Byte, Width::Half, Width::Word]);
        let mem = &mut self.rig.machine.core().mem;
        let found = mem.load(va, width, true).ok();
        assert_eq!(
            found,
            self.reference.load(va, width),
            "{} load {va:#x}",
            self.name
        );
        self.went[usize::from(found.is_none())] += 1;
    }

    fn store(&mut self) {
        let va = self.address();
        let width = self.random.of(&[Width::Byte, Width::Half, Width::Word]);
        let value = self.random.below(u32::MAX);
        let mem = &mut self.rig.machine.core().mem;
        let done = mem.store(va, width, value, true).is_ok();
        let expected = self.reference.store(va, width, value).is_some();
        assert_eq!(done, expected, "{} store {va:#x}", self.name);
    }

    fn fetch(&mut self) {
        let va = self.address() & !3;
        let found = self.rig.fetch(va);
        assert_eq!(
            found,
            self.reference.load(va, Width::Word),
            "{} fetch {va:#x}",
            self.name
        );
        self.went[usize::from(found.is_none())] += 1;
    }

    fn load_words(&mut self) {
        let va = self.address() & !3;
        let count = 1 + self.random.below(16);
        let mem = &mut self.rig.machine.core().mem;
        let loaded = mem.load_multiple(va, count as usize, true).ok();
        let found = loaded.map(|loaded| (0..count as usize).map(|n| loaded.word(n)).collect());
        let load = |n| self.reference.load(va + 4 * n, Width::Word);
        let expected: Option<Vec<u32>> = (0..count).map(load).collect();
        assert_eq!(found, expected, "{} {count} words from {va:#x}", self.name);
    }

    fn store_words(&mut self) {
        let va = self.address() & !3;
        let count = 1 + self.random.below(16);
        let words: Vec<u32> = (0..count).map(|_| self.random.below(u32::MAX)).collect();
        let mem = &mut self.rig.machine.core().mem;
        let done = mem.store_multiple(va, &words, true).is_ok();
        let mut stored = 0;
        for (n, word) in (0..).zip(&words) {
            if self
                .reference
                .store(va + 4 * n, Width::Word, *word)
                .is_none()
            {
                break;
            }
            stored += 1;
        }
        let found = (done, self.rig.machine.core().mem.words_stored);
        assert_eq!(
            found,
            (stored == words.len(), stored),
            "{} {va:#x}",
            self.name
        );
    }

    /// A descriptor, of either level, through the caches or past them.
    fn change_tables(&mut self) {
        let (ram, v5) = (self.reference.ram, self.reference.fine_tables);
        let random = &mut self.random;
        let (at, descriptor) = if random.below(3) == 0 {
            let directory = random.of(&[DIRECTORY_A, DIRECTORY_B]);
            let at = directory + ((random.of(&PLACES) >> 20) << 2);
            (at, first_level(random, ram, v5))
        } else {
            let page = random.of(&[0, 1, 2, 3, 15, 16, 17, 255]);
            let fine = random.below(4) == 0;
            let at = if fine {
                FINE + 16 * page + 4 * random.below(4)
            } else {
                random.of(&COARSE) + 4 * page
            };
            (at, second_level(random, ram, page, fine))
        };
        let window = random.of(&[WINDOW, WINDOW, TRUTH]);
        if random.below(2) == 0 {
            self.rig.load(window + at);
        }
        if random.below(4) == 0 {
            self.rig.store_words(window + at, &[descriptor]);
        } else {
            self.rig.store(window + at, descriptor);
        }
        self.reference.store(window + at, Width::Word, descriptor);
    }

    /// The read buffer of the SA-1110.
    fn load_read_buffer(&mut self) {
        if !self.reference.fine_tables {
            let va = self.address();
            let entry = self.random.below(4) as u8 + 4 * self.random.below(3) as u8;
            let register = Register::new(9, entry, 2);
            self.rig.machine.core().write_cp15(register, va);
        }
    }

    /// Any operation on caches, TLBs and write buffer.
    fn maintain(&mut self) {
        let va = self.address();
        let (crn, crm, op) = self.random.of(&MAINTENANCE);
        let core = self.rig.machine.core();
        core.write_cp15(Register::new(crn, crm, op), va);
    }

    /// Goes on from a copy that was saved and restored.
    fn replace(&mut self) {
        let file = saved(&mut self.rig.machine);
        let config = MachineConfig::find(self.name).expect("a built-in machine");
        let board = registry::board(&config.board).expect("its board");
        let mut other = Machine::new(&config, (board.parts)(config.ram_bytes), ());
        let opened = Saved::open(file.as_slice()).expect("a saved machine");
        opened.restore(&mut other).expect("of this kind");
        assert_eq!(saved(&mut other), file, "{}: saved again", self.name);
        self.rig.machine = other;
    }
}

fn saved(machine: &mut Machine) -> Vec<u8> {
    let mut file = Vec::new();
    snapshot::save(machine, &mut file).expect("memory can be written");
    file
}

/// A section, a page table or nothing, in domain 0 or 1.
fn first_level(random: &mut Random, ram: u32, v5: bool) -> u32 {
    let domain = random.below(2) << 5;
    match random.below(8) {
        0 => 0,
        1 | 2 => {
            let frame = ram + (1 + random.below(2)) * 0x0010_0000;
            frame | 0xc12 | domain | random.below(4) << 2
        }
        3 if v5 => (ram + FINE) | 0x13 | domain,
        _ => (ram + random.of(&COARSE)) | 0x11 | domain,
    }
}

/// The descriptor of page `n`: of a frame of few, small, large or tiny; or nothing.
fn second_level(random: &mut Random, ram: u32, n: u32, fine: bool) -> u32 {
    let bits = random.below(4) << 2 | if random.below(8) == 0 { 0 } else { 0xff0 };
    let frames = ram + 0x0010_0000;
    match random.below(8) {
        0 => 0,
        // As large pages should be, and as they are while they are being changed.
        1 => (frames + ((n / 16 % 2) << 16)) | bits | 1,
        2 if fine => (frames + (random.below(4) << 10)) | (bits & 0x3c) | 3,
        _ => (frames + (random.below(4) << 12)) | bits | 2,
    }
}

#[test]
fn nothing_is_ever_stale() {
    let mut went = [0; 2];
    for name in BOTH {
        for seed in 1..=12 {
            let mut test = Test::new(name, seed);
            for step in 0..20_000 {
                test.step();
                if seed <= 2 && step % 5_000 == 2_500 {
                    test.replace();
                }
            }
            went[0] += test.went[0];
            went[1] += test.went[1];
        }
    }
    // Neither kind is rare.
    assert!(went.iter().all(|&count| count > 20_000), "{went:?}");
}

/// A stop that is saved does not change what a run takes.
#[test]
fn a_saved_machine_goes_on_as_if_it_had_not_stopped() {
    for name in BOTH {
        let run = |stops: bool| {
            let mut test = Test::new(name, 77);
            for step in 0..6_000 {
                test.step();
                if stops && step % 1_000 == 500 {
                    test.replace();
                }
            }
            let mem = &test.rig.machine.core().mem;
            (mem.platform.cycle, format!("{:?}", mem.tally()))
        };
        assert_eq!(run(true), run(false), "{name}");
    }
}

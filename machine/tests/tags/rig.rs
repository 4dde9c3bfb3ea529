// SPDX-License-Identifier: Apache-2.0
//! A machine whose processor is driven access by access, as its core would: two page directories, a
//! page table, a window on the memory that holds them.

use switchyard_machine::arm::isa::register::Register;
use switchyard_machine::arm::memory::memsys::Fetched;
use switchyard_machine::arm::Machine;
use switchyard_machine::config::MachineConfig;
use switchyard_machine::counters::Tally;
use switchyard_machine::dev::Width;
use switchyard_machine::registry;

/// The machines with ideal tags that have all that differs.
pub const BOTH: [&str; 2] = ["sa1110-tags", "versatilepb-tags"];

// Offsets in memory.
pub const DIRECTORY_A: u32 = 0x4000;
pub const DIRECTORY_B: u32 = 0x8000;
pub const TABLE: u32 = 0xc000;
pub const FRAME_1: u32 = 0x0010_0000;
pub const FRAME_2: u32 = 0x0020_0000;
/// The first megabyte of memory, with C and B, and past the caches.
pub const WINDOW: u32 = 0x6000_0000;
pub const TRUTH: u32 = 0x6010_0000;

/// Maintenance by register 7 or 8 that both cores have: CRn, CRm, second opcode.
pub const MAINTENANCE: [(u8, u8, u8); 10] = [
    (7, 5, 0),
    (7, 6, 0),
    (7, 7, 0),
    (7, 6, 1),
    (7, 10, 1),
    (7, 10, 4),
    (8, 7, 0),
    (8, 5, 0),
    (8, 6, 0),
    (8, 6, 1),
];

const CONTROL: Register = Register::new(1, 0, 0);
const TABLE_BASE: Register = Register::new(2, 0, 0);
const DOMAINS: Register = Register::new(3, 0, 0);

pub struct Rig {
    pub machine: Machine,
    /// Physical address of memory.
    pub ram: u32,
}

impl Rig {
    /// MMU, caches and write buffer are on, all in domain 0, directory A in force. Nothing is mapped
    /// but the windows.
    pub fn new(name: &str) -> Self {
        let config = MachineConfig::find(name).expect("a built-in machine");
        let board = registry::board(&config.board).expect("its board");
        let mut machine = Machine::new(&config, (board.parts)(config.ram_bytes), ());
        let (ram, _) = machine.bus().ram_window();
        let mut rig = Self { machine, ram };
        for directory in [DIRECTORY_A, DIRECTORY_B] {
            rig.map(directory, WINDOW, ram | 0xc1e);
            rig.map(directory, TRUTH, ram | 0xc12);
        }
        let core = rig.machine.core();
        core.write_cp15(TABLE_BASE, ram + DIRECTORY_A);
        core.write_cp15(DOMAINS, 1);
        // Round robin, where it can be chosen: what is replaced is then easily told.
        core.write_cp15(CONTROL, 0x500d);
        rig
    }

    /// A first-level descriptor, in memory before anybody has read it.
    pub fn map(&mut self, directory: u32, va: u32, descriptor: u32) {
        self.set_memory(directory + ((va >> 20) << 2), descriptor);
    }

    /// A word of memory before anybody has read it.
    pub fn set_memory(&mut self, offset: u32, word: u32) {
        let place = self.machine.bus().ram_slice_mut(self.ram + offset, 4);
        place.expect("memory").copy_from_slice(&word.to_le_bytes());
    }

    pub fn switch(&mut self, directory: u32) {
        let ttb = self.ram + directory;
        self.machine.core().write_cp15(TABLE_BASE, ttb);
    }

    pub fn drain(&mut self) {
        self.machine.core().write_cp15(Register::new(7, 10, 4), 0);
    }

    pub fn load(&mut self, va: u32) -> u32 {
        self.try_load(va).expect("a load that is allowed")
    }

    pub fn try_load(&mut self, va: u32) -> Option<u32> {
        let mem = &mut self.machine.core().mem;
        mem.load(va, Width::Word, true).ok()
    }

    pub fn store(&mut self, va: u32, word: u32) {
        self.try_store(va, word).expect("a store that is allowed");
    }

    pub fn try_store(&mut self, va: u32, word: u32) -> Option<()> {
        let mem = &mut self.machine.core().mem;
        mem.store(va, Width::Word, word, true).ok()
    }

    pub fn load_words(&mut self, va: u32, count: usize) -> Vec<u32> {
        let done = self.machine.core().mem.load_multiple(va, count, true);
        let loaded = done.expect("loads that are allowed");
        (0..count).map(|n| loaded.word(n)).collect()
    }

    pub fn store_words(&mut self, va: u32, words: &[u32]) {
        let done = self.machine.core().mem.store_multiple(va, words, true);
        done.expect("stores that are allowed");
    }

    /// The instruction at `va`, if it can be fetched.
    pub fn fetch(&mut self, va: u32) -> Option<u32> {
        let mem = &mut self.machine.core().mem;
        match mem.fetch(va, true, false).ok()? {
            Fetched::Line(slot) => Some(mem.encoding(slot, va)),
            Fetched::Single(_, encoding) => Some(encoding),
        }
    }

    /// What is counted while `act` runs.
    pub fn during(&mut self, act: impl FnOnce(&mut Self)) -> Tally {
        let before = self.machine.core().mem.tally();
        act(self);
        self.machine.core().mem.tally() - before
    }

    /// Addresses and contents of the valid lines of the data caches, and which of them are dirty.
    pub fn contents(&mut self) -> Vec<(u32, [u32; 8], bool)> {
        let lines = self.machine.core().mem.data_lines();
        lines
            .map(|line| (line.mva, *line.words, line.dirty))
            .collect()
    }

    pub fn one_tlb(&mut self) -> bool {
        self.machine.core().mem.has_one_tlb()
    }

    /// Executes `count` instructions from `va` on.
    pub fn step_from(&mut self, va: u32, count: usize) {
        self.machine.core().r[15] = va;
        for _ in 0..count {
            self.machine.core().step();
        }
    }

    /// Runs from `va` for `cycles` cycles with these registers, as the machine does; what is in them
    /// afterwards.
    pub fn run_from(&mut self, va: u32, registers: &[u32], cycles: u64) -> [u32; 16] {
        let core = self.machine.core();
        core.r[..registers.len()].copy_from_slice(registers);
        core.r[15] = va;
        let until = self.machine.cycles() + cycles + 2000;
        self.machine.run(until);
        self.machine.core().r
    }
}

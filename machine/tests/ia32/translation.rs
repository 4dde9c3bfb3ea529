// SPDX-License-Identifier: Apache-2.0
//! The same as the test `translation` of the ARM for the Pentium 4: random streams of instructions on two machines
//! that are alike but for that one translates at the first chance. They run at level 3, with paging; each fault
//! comes to a handler that goes on after what faulted, and the timer interrupts.

use switchyard_machine::config::MachineConfig;
use switchyard_machine::ia32::isa::insn::reg;
use switchyard_machine::ia32::isa::register::{cr0, cr4};
use switchyard_machine::ia32::Machine;
use switchyard_machine::registry;
use switchyard_machine::snapshot::{self, Saved};
use switchyard_machine::state::{Restorer, Saver, State};

use super::rig::*;

/// Where memory can be seen from level 3: as it is, again, read only, nothing, by small pages.
pub(super) const WINDOW: u32 = 0x4000_0000;
const SYNONYM: u32 = WINDOW + (1 << 22);
const READ_ONLY: u32 = WINDOW + (2 << 22);
const NOWHERE: u32 = WINDOW + (3 << 22);
const SMALL: u32 = WINDOW + (4 << 22);
/// Bytes of code, which the handler knows too, and of data; what handlers have in common.
pub(super) const CODE_BYTES: u32 = 0x1000;
pub(super) const DATA_BYTES: u32 = 0x1000;
const COMMON: u32 = 0x7000;
const TABLE: u32 = DIRECTORY + 0x1000;

/// Streams on each machine, and stretches of each. `SWITCHYARD_FUZZ` multiplies the first.
const STREAMS: u64 = 40;
const STRETCHES: u32 = 60;

/// Bits of page-table entries.
const P: u32 = 1;
const W: u32 = 2;
const U: u32 = 4;
const A: u32 = 0x20;
const D: u32 = 0x40;
const PS: u32 = 0x80;

/// Marsaglia's xorshift.
pub(super) struct Random(pub u64);

impl Random {
    pub(super) fn word(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as u32
    }

    pub(super) fn below(&mut self, limit: u32) -> u32 {
        self.word() % limit
    }

    pub(super) fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }

    /// One in `n`.
    pub(super) fn rarely(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    /// A register that streams compute in; sometimes any.
    pub(super) fn register(&mut self) -> u8 {
        if self.rarely(16) {
            self.below(8) as u8
        } else {
            self.of(&[0, 1, 2])
        }
    }

    /// The bytes of an operand `rm` beside `reg`: in memory, mostly where a base register points to.
    pub(super) fn operand(&mut self, reg: u8, code: &mut Vec<u8>) {
        let reg = reg << 3;
        match self.below(16) {
            0..=7 => code.push(0xc0 | reg | self.register()),
            8..=12 => {
                code.push(0x40 | reg | self.of(&[3, 5, 6, 7]));
                code.push((self.below(64) & !3) as u8);
            }
            13 => {
                // A base, and an index that is often large.
                let [base, index] = [self.of(&[3, 4, 5, 6]), self.of(&[4, 4, 1, 2])];
                code.push(0x44 | reg);
                code.push((self.below(4) << 6) as u8 | index << 3 | base);
                code.push(self.below(128) as u8);
            }
            14 => {
                code.push(reg | 5);
                code.extend((WINDOW + DATA + self.below(DATA_BYTES)).to_le_bytes());
            }
            _ => {
                code.push(0x40 | reg | self.of(&[3, 5, 6, 7]));
                code.push(self.word() as u8);
            }
        }
    }

    /// Appends an instruction.
    fn instruction(&mut self, code: &mut Vec<u8>) {
        let any = self.word();
        let register = self.register();
        match self.below(100) {
            // Two operands, of all sizes.
            0..=27 => {
                if self.rarely(8) {
                    code.push(0x66);
                }
                let operation = self.of(&[0, 1, 2, 3, 4, 5, 6, 7, 7, 17, 17, 17]);
                code.push(operation << 3 | self.of(&[0, 1, 1, 2, 3, 3]));
                self.operand(register, code);
            }
            28..=37 => {
                let wide = !self.rarely(4);
                code.push(if wide { 0x83 } else { 0x80 });
                self.operand((any >> 8 & 7) as u8, code);
                code.push(any as u8);
            }
            38..=40 => {
                code.push(0x81);
                self.operand((any & 7) as u8, code);
                code.extend(self.word().to_le_bytes());
            }
            41..=43 => {
                code.push(0xb8 | register);
                code.extend(any.to_le_bytes());
            }
            44..=45 => {
                code.push(self.of(&[0xc6, 0xc7]));
                let long = code.last() == Some(&0xc7);
                self.operand(0, code);
                code.extend(&any.to_le_bytes()[..if long { 4 } else { 1 }]);
            }
            46..=48 => {
                code.push(self.of(&[0x84, 0x85, 0x85]));
                self.operand(register, code);
            }
            49..=51 => code.push(self.of(&[0x40, 0x48]) | register),
            52..=54 => {
                code.push(self.of(&[0xf6, 0xf7, 0xf7]));
                let operation = self.of(&[2, 3, 4, 5, 6, 7]);
                self.operand(operation, code);
            }
            55..=60 => {
                code.push(self.of(&[0xc1, 0xd3, 0xd1, 0xc0]));
                let constant = code.last().is_some_and(|op| op & 0x10 == 0);
                let operation = self.of(&[4, 4, 5, 5, 7, 7, 0, 1, 2, 3]);
                self.operand(operation, code);
                if constant {
                    code.push(any as u8);
                }
            }
            61..=65 => {
                code.push(0x0f);
                code.push(self.of(&[0xb6, 0xb7, 0xbe, 0xbf, 0xaf, 0xa3, 0xab, 0xbc]));
                self.operand(register, code);
            }
            66..=68 => {
                code.push(0x0f);
                code.push(self.of(&[0x40, 0x90]) | (any & 15) as u8);
                self.operand(register, code);
            }
            69..=70 => {
                code.push(0x8d);
                self.operand(register, code);
            }
            71 => {
                code.push(0x69);
                self.operand(register, code);
                code.extend(any.to_le_bytes());
            }
            72..=73 => match any % 4 {
                0 => code.push(0x90 | register),
                1 => code.extend([0x0f, 0xc8 | register]),
                2 => code.push(0x98),
                _ => code.push(0x99),
            },
            // The stack.
            74..=77 => code.push(0x50 | register),
            78..=80 => code.push(0x58 | register),
            81 => {
                code.push(0x6a);
                code.push(any as u8);
            }
            // Branches, near.
            82..=89 => {
                code.push(0x70 | (any & 15) as u8);
                code.push(self.below(64).wrapping_sub(32) as u8);
            }
            90 => {
                code.push(0xeb);
                code.push(self.below(64).wrapping_sub(32) as u8);
            }
            91..=92 => {
                code.push(0xe8);
                code.extend(self.below(256).wrapping_sub(128).to_le_bytes());
            }
            93 => {
                code.push(0xc3);
            }
            94 => {
                code.push(self.of(&[
                    0xe2, 0xe3, 0xc9, 0xf8, 0xf9, 0xf5, 0x9c, 0x9d, 0xa4, 0xa5, 0xaa,
                ]));
                if matches!(code.last(), Some(0xe2 | 0xe3)) {
                    code.push(8);
                }
            }
            95 => {
                code.push(self.of(&[0x64, 0x26, 0x36, 0x3e, 0xf0, 0x67]));
                code.push(self.of(&[0x01, 0x03, 0x89, 0x8b]));
                self.operand(register, code);
            }
            96 => {
                let (operation, reg) =
                    self.of(&[(0x87, 2), (0xff, 2), (0xff, 4), (0xff, 6), (0xff, 0)]);
                code.push(operation);
                self.operand(reg, code);
            }
            97 => code.extend(self.of(&[[0x0f, 0x31], [0xd9, 0xe8], [0xde, 0xc1], [0xcd, 0x30]])),
            _ => code.push(any as u8),
        }
    }
}

/// A machine in whose memory are `code` and `data`, as it is set up.
pub(super) fn machine(name: &str, code: &[u8], data: &[u8]) -> Machine {
    let mut config = MachineConfig::find(name).expect("a built-in machine");
    config.ram_bytes = 4 << 20;
    let mut rig = Rig::<()>::on(&config, |_| ());
    // Interrupts as Linux sets the controllers up; every 0.2 ms.
    for (port, bytes) in [
        (0x20, &[0x11][..]),
        (0x21, &[0x20, 4, 1, 0xfe]),
        (0xa0, &[0x11]),
        (0xa1, &[0x28, 2, 1, 0xff]),
        (0x43, &[0x34]),
        (0x40, &[24, 0]),
    ] {
        for byte in bytes {
            rig.core.mem.write_port::<1>(port, *byte);
        }
    }
    for (n, leaf) in [
        (0, P | W | PS),
        (WINDOW >> 22, P | W | U | PS),
        (SYNONYM >> 22, P | W | U | PS),
        (READ_ONLY >> 22, P | U | PS),
        (SMALL >> 22, TABLE | P | W | U),
    ] {
        rig.set32(DIRECTORY + 4 * n, leaf);
    }
    for page in 0..64 {
        // Some cannot be written, some were not read or written yet.
        let bits = match page % 8 {
            7 => P | U | A,
            6 => P | W | U,
            _ => P | W | U | A | D,
        };
        rig.set32(TABLE + 4 * page, page << 12 | bits);
    }
    // Each goes on three bytes after what faulted, with the stack as it was at first.
    let mut common = vec![0x83, 0x04, 0x24, 0x03, 0x81, 0x24, 0x24];
    common.extend((CODE_BYTES - 1).to_le_bytes());
    common.extend([0x81, 0x0c, 0x24]);
    common.extend((WINDOW + CODE).to_le_bytes());
    common.extend([0xc7, 0x44, 0x24, 0x0c]);
    common.extend((WINDOW + DATA + DATA_BYTES / 2).to_le_bytes());
    // TF and AC are cleared.
    common.extend([0x81, 0x64, 0x24, 0x08]);
    common.extend((!0x4_0100u32).to_le_bytes());
    common.push(0xcf);
    rig.write(COMMON, &common);
    for vector in 0..=255u8 {
        let at = handler(vector);
        let mut bytes = Vec::new();
        if vector == 0x20 {
            // push eax; mov al, 20h; out 20h, al; pop eax; iret
            bytes.extend([0x50, 0xb0, 0x20, 0xe6, 0x20, 0x58, 0xcf]);
        } else {
            if matches!(vector, DF | TS | NP | SS | GP | PF | AC) {
                bytes.extend([0x83, 0xc4, 0x04]);
            }
            let from = at + bytes.len() as u32 + 5;
            bytes.push(0xe9);
            bytes.extend(COMMON.wrapping_sub(from).to_le_bytes());
        }
        rig.write(at, &bytes);
    }
    rig.set_gate(0x30, gate(CODE0, handler(0x30), 0xee, 0));
    rig.write(CODE, code);
    rig.write(DATA, data);
    let cr0 = cr0::PE | cr0::PG | cr0::AM;
    rig.core.set_controls([cr0, DIRECTORY, cr4::PSE]);

    let board = registry::board(&config.board).expect("its board");
    let mut machine = Machine::new(&config, (board.parts)(config.ram_bytes), ());
    let mut saver = Saver::default();
    rig.core.save(&mut saver);
    let saved = saver.into_bytes();
    let restored = machine.core().restore(&mut Restorer::new(&saved));
    restored.expect("the same machine");
    let (base, bytes) = machine.bus().ram_window();
    let from = rig.core.mem.platform.bus.ram_slice(base, bytes as usize);
    let to = machine.bus().ram_slice_mut(base, bytes as usize);
    to.unwrap().copy_from_slice(from.unwrap());
    machine
}

/// Goes on at a place of the code with random registers.
fn start(machines: &mut [Machine; 2], random: &mut Random) {
    let window = |random: &mut Random| random.of(&[WINDOW, WINDOW, WINDOW, SYNONYM, SMALL]);
    let mut r = [0; 9];
    for register in [reg::EAX, reg::ECX, reg::EDX] {
        r[register] = match random.below(4) {
            0 => random.below(64),
            1 => window(random) + DATA + random.below(DATA_BYTES),
            _ => random.word(),
        };
    }
    for register in [reg::EBX, reg::ESI, reg::EDI, reg::EBP] {
        let at = match random.below(12) {
            0 => READ_ONLY + DATA,
            1 => NOWHERE,
            2 => WINDOW + CODE,
            _ => window(random) + DATA,
        };
        let at = at + random.below(DATA_BYTES);
        r[register] = if random.rarely(6) { at } else { at & !3 };
    }
    r[reg::ESP] = window(random) + DATA + DATA_BYTES / 2;
    let eip = window(random) + CODE + random.below(CODE_BYTES);
    // Now and then a data segment has an end, or the code runs at level 0.
    let level = if random.rarely(6) { 0 } else { 3 };
    let (code, data) = if level == 0 {
        (CODE0, DATA0)
    } else {
        (CODE3, DATA3)
    };
    for machine in machines {
        let core = machine.core();
        if core.dead.is_some() {
            return;
        }
        core.set_tables(GDT, GDT_LIMIT, [data, code, data, data, data, data])
            .expect("segments as they were set up");
        core.r = r;
        core.eip = eip;
        core.set_eflags(0x202);
    }
}

fn saved(machine: &mut Machine) -> Vec<u8> {
    let mut bytes = Vec::new();
    snapshot::save(machine, &mut bytes).expect("memory to write to");
    bytes
}

pub(super) fn compare(machines: &mut [Machine; 2], whole: bool, what: &str) {
    let [a, b] = machines;
    let told = format!("{what}, cycle {}, eip {:#x}", b.cycles(), b.core().eip);
    assert_eq!(
        a.cycles(),
        b.cycles(),
        "{told}: clock; eip {:#x}",
        a.core().eip
    );
    assert_eq!(a.core().eip, b.core().eip, "{told}");
    assert_eq!(a.core().r, b.core().r, "{told}");
    assert_eq!(a.core().eflags(), b.core().eflags(), "{told}: flags");
    assert_eq!(a.core().mem.tally(), b.core().mem.tally(), "{told}");
    if whole {
        assert!(saved(a) == saved(b), "{told}: saved machines differ");
    }
}

/// A run of one stream on both machines. Gives how many instructions it had.
fn stream(name: &str, seed: u64) -> u64 {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut code = Vec::new();
    while code.len() < CODE_BYTES as usize {
        random.instruction(&mut code);
    }
    code.truncate(CODE_BYTES as usize);
    // Half of the words of data are places of the code, to return to.
    let words = (0..DATA_BYTES / 4).map(|_| match random.below(2) {
        0 => WINDOW + CODE + random.below(CODE_BYTES),
        _ => random.word(),
    });
    let data: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    let mut machines = [0, 1].map(|_| machine(name, &code, &data));
    eager(&mut machines[0], seed);
    for stretch in 0..STRETCHES {
        if stretch % 4 == 0 {
            start(&mut machines, &mut random);
        }
        let cycles = if random.rarely(3) {
            random.below(8)
        } else {
            random.below(6000)
        };
        let until = machines[0].cycles() + u64::from(cycles);
        for machine in &mut machines {
            machine.run(until);
        }
        let what = format!("{name}, stream {seed}, stretch {stretch}");
        compare(&mut machines, stretch % 20 == 19, &what);
        if stretch == STRETCHES / 2 {
            // One goes on from what the other has saved.
            let bytes = saved(&mut machines[1]);
            machines[0] = machine(name, &[], &[]);
            let state = Saved::open(&bytes[..]).expect("a saved machine");
            state.restore(&mut machines[0]).expect("it is restored");
            eager(&mut machines[0], seed);
        }
    }
    machines[0].instructions()
}

/// Translates at the first chance. Every third stream has so little memory for code that it is full soon.
pub(super) fn eager(machine: &mut Machine, seed: u64) {
    let core = machine.core();
    core.run_as_host_code();
    let Some(translator) = core.mem.translator() else {
        return;
    };
    translator.set_hot(1);
    if seed % 3 == 0 {
        translator.limit_code(64);
    }
}

fn streams(name: &str) {
    let times =
        std::env::var("SWITCHYARD_FUZZ").map_or(1, |times| times.parse().expect("a number"));
    let seeds = 0..STREAMS * times;
    let instructions: u64 = seeds.map(|seed| stream(name, seed)).sum();
    // They do not all end at once.
    assert!(instructions > 10_000 * STREAMS * times, "{instructions}");
}

#[test]
fn streams_are_the_same_on_a_pentium_4() {
    streams("p4-willamette");
}

#[test]
fn streams_are_the_same_on_another_pentium_4() {
    streams("p4-northwood");
}

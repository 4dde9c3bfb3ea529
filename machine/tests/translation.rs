// SPDX-License-Identifier: Apache-2.0
//! Translated instructions against interpreted ones: random streams on two machines that are alike but for
//! that. After each stretch of a few cycles both must have the same registers, status, clock and counters,
//! and now and then the same saved state. Translation is at the first chance here, and memory for code small.

use switchyard_machine::arm::isa::register::Register;
use switchyard_machine::arm::Machine;
use switchyard_machine::config::MachineConfig;
use switchyard_machine::registry;
use switchyard_machine::snapshot::{self, Saved};

/// Offsets in memory: the page directory, code, data.
const DIRECTORY: u32 = 0x4000;
const CODE: u32 = 0x1_0000;
const DATA: u32 = 0x1_2000;
/// Bytes of code, and of data: some lines more than a way holds, so that lines come and go.
const CODE_BYTES: u32 = 0x1000;
const DATA_BYTES: u32 = 0x800;
/// Where memory can be seen: with C and B; again; read-only in user mode; not at all; without C and B; with B
/// alone.
const WINDOW: u32 = 0x6000_0000;
const SYNONYM: u32 = 0x6010_0000;
const READ_ONLY: u32 = 0x6020_0000;
const NOWHERE: u32 = 0x6030_0000;
const UNCACHED: u32 = 0x6040_0000;
const BUFFERED: u32 = 0x6050_0000;
/// A megabyte that PID slots move.
const SLOTTED: u32 = 0x0010_0000;

/// Streams on each machine, and stretches of each. `SWITCHYARD_FUZZ` multiplies them.
const STREAMS: u64 = 40;
const STRETCHES: u32 = 60;
/// How often as many loops as there is room for, words of each, and from how many states each is run, for how many
/// cycles at most.
const PROGRAMS: u64 = 11;
const LOOP_WORDS: usize = 8;
const STATES: u32 = 4;
const LOOP_CYCLES: u32 = 3000;

const CONTROL: Register = Register::new(1, 0, 0);
const TABLE_BASE: Register = Register::new(2, 0, 0);
const DOMAINS: Register = Register::new(3, 0, 0);
const PID: Register = Register::new(13, 0, 0);

/// Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as u32
    }

    fn below(&mut self, limit: u32) -> u32 {
        self.word() % limit
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }

    /// One in `n`.
    fn rarely(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    /// A condition, mostly "always".
    fn condition(&mut self) -> u32 {
        if self.rarely(3) {
            self.below(15) << 28
        } else {
            0xe000_0000
        }
    }

    /// A register that streams compute in; sometimes any.
    fn register(&mut self) -> u32 {
        if self.rarely(20) {
            self.below(16)
        } else {
            self.below(8)
        }
    }

    /// A base register: it holds an address, as long as nobody has changed it.
    fn base(&mut self) -> u32 {
        if self.rarely(20) {
            self.below(16)
        } else {
            8 + self.below(5)
        }
    }

    fn instruction(&mut self) -> u32 {
        let (rd, rn, rm, rs) = (
            self.register(),
            self.register(),
            self.register(),
            self.register(),
        );
        let (low, base) = (rd << 12 | rm, self.base() << 16);
        let condition = self.condition();
        let body = match self.below(100) {
            // Data processing: constants, registers, shifts by constants, shifts by registers.
            0..=11 => 0x0200_0000 | self.below(32) << 20 | rn << 16 | rd << 12 | self.below(4096),
            12..=21 => self.below(32) << 20 | rn << 16 | low,
            22..=37 => self.below(32) << 20 | rn << 16 | low | self.below(256) << 4 & 0xfe0,
            38..=43 => self.below(32) << 20 | rn << 16 | low | rs << 8 | 0x10 | self.below(4) << 5,
            // Loads and stores.
            44..=57 => {
                0x0400_0000 | self.below(64) << 20 & 0x01f0_0000 | base | rd << 12 | self.offset()
            }
            58..=61 => {
                0x0600_0000 | self.below(32) << 20 | base | low | self.below(256) << 4 & 0xfe0
            }
            62..=69 => {
                let offset = self.offset();
                let split = offset << 4 & 0xf00 | offset & 0xf;
                0x0040_0090 | self.below(32) << 20 | base | rd << 12 | split | self.below(4) << 5
            }
            70..=79 => 0x0800_0000 | self.below(32) << 20 | base | self.list(),
            // Branches, near.
            80..=86 => {
                0x0a00_0000 | self.below(2) << 24 | self.below(64).wrapping_sub(32) & 0xff_ffff
            }
            87 => 0x01a0_f00e,
            88 => 0x012f_ff10 | self.of(&[13, 14]),
            89..=92 => {
                self.below(16) << 20 & 0x00f0_0000 | rn << 16 | rd << 12 | rs << 8 | 0x90 | rm
            }
            // Status.
            93 => 0x010f_0000 | rd << 12,
            94 => 0x0128_f000 | rm,
            95 => 0x0f00_0000,
            96 => return self.maintenance(),
            97 => 0x0120_0050 | self.below(4) << 21 | rn << 16 | low,
            98 => 0x0100_0080 | self.below(16) << 21 & 0x0060_0000 | rn << 16 | low | rs << 8,
            _ => return self.word(),
        };
        condition | body
    }

    fn offset(&mut self) -> u32 {
        let offset = self.below(0x80);
        if self.rarely(8) {
            offset
        } else {
            offset & !3
        }
    }

    /// A register list, mostly without base registers and the program counter.
    fn list(&mut self) -> u32 {
        let list = self.word() & 0xffff;
        if self.rarely(6) {
            list
        } else {
            list & 0x40ff
        }
    }

    /// MCR: caches, TLBs, the process's slot.
    fn maintenance(&mut self) -> u32 {
        let (crn, crm, op2) = self.of(&[
            (7, 5, 0),
            (7, 6, 0),
            (7, 7, 0),
            (7, 10, 1),
            (7, 10, 4),
            (8, 7, 0),
            (7, 13, 1),
            (13, 0, 0),
        ]);
        let rd = if crn == 7 {
            self.base()
        } else {
            self.register()
        };
        0xee00_0f10 | crn << 16 | rd << 12 | op2 << 5 | crm
    }
}

/// A machine in whose memory is a page directory and `code`.
fn machine(name: &str, code: &[u32], data: &[u32]) -> Machine {
    let mut config = MachineConfig::find(name).expect("a built-in machine");
    config.ram_bytes = 4 << 20;
    let board = registry::board(&config.board).expect("its board");
    let mut machine = Machine::new(&config, (board.parts)(config.ram_bytes), ());
    let (ram, _) = machine.bus().ram_window();
    let mut put = |offset: u32, words: &[u32]| {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let place = machine.bus().ram_slice_mut(ram + offset, bytes.len());
        place.expect("memory").copy_from_slice(&bytes);
    };
    for (va, section) in [
        (0, ram | 0xc1e),
        (WINDOW, ram | 0xc1e),
        (SYNONYM, ram | 0xc1e),
        (READ_ONLY, ram | 0x81e),
        (UNCACHED, ram | 0xc12),
        (BUFFERED, ram | 0xc16),
        (SLOTTED, ram | 0xc1e),
        (SLOTTED | 1 << 25, ram | 0xc1e),
        (SLOTTED | 2 << 25, ram | 0xc1e),
    ] {
        put(DIRECTORY + (va >> 20 << 2), &[section]);
    }
    // Reset, undefined, SWI, prefetch abort, data abort, none, IRQ, FIQ: back to the next instruction.
    let next = 0xe1b0_f00e;
    let after = 0xe25e_f004;
    put(0, &[next, next, next, next, after, next, after, after]);
    put(CODE, code);
    put(DATA, data);
    let core = machine.core();
    core.write_cp15(TABLE_BASE, ram + DIRECTORY);
    core.write_cp15(DOMAINS, 1);
    core.write_cp15(CONTROL, 0x500d | 0x1000);
    machine
}

/// Starts both machines at a place of the code with random registers.
fn start(machines: &mut [Machine; 2], random: &mut Random, thumb: bool) {
    let mut r = [0; 16];
    for register in &mut r {
        *register = if random.rarely(2) {
            random.word()
        } else {
            random.below(64)
        };
    }
    let window = |random: &mut Random| random.of(&[WINDOW, WINDOW, SYNONYM, READ_ONLY, SLOTTED]);
    for register in &mut r[8..13] {
        let area = match random.below(12) {
            0 => CODE + random.below(CODE_BYTES),
            1 => NOWHERE - WINDOW,
            2 => UNCACHED - WINDOW + DATA + random.below(DATA_BYTES),
            3 => BUFFERED - WINDOW + DATA + random.below(DATA_BYTES),
            _ => DATA + random.below(DATA_BYTES),
        };
        let at = window(random) + area;
        *register = if random.rarely(6) { at } else { at & !3 };
    }
    let run = window(random) + CODE;
    r[13] = window(random) + DATA + (random.below(DATA_BYTES) & !3);
    r[14] = run + (random.below(CODE_BYTES) & !3);
    r[15] = run + (random.below(CODE_BYTES) & !3);
    let status = random.of(&[0x10, 0x13, 0x1f]) | random.below(16) << 28 | u32::from(thumb) << 5;
    for machine in machines {
        machine.core().set_cpsr(status);
        machine.core().r = r;
    }
}

fn saved(machine: &mut Machine) -> Vec<u8> {
    let mut bytes = Vec::new();
    snapshot::save(machine, &mut bytes).expect("memory to write to");
    bytes
}

fn compare(machines: &mut [Machine; 2], whole: bool, what: &str) {
    let [a, b] = machines;
    let (pc, cycles) = (a.core().r[15], a.cycles());
    assert_eq!(a.cycles(), b.cycles(), "{what}: clock; pc {pc:#x}");
    let told = format!("{what}, cycle {cycles}, pc {pc:#x}");
    assert_eq!(a.core().r.map(Hex), b.core().r.map(Hex), "{told}");
    assert_eq!(Hex(a.core().cpsr()), Hex(b.core().cpsr()), "{told}");
    assert_eq!(a.core().mem.tally(), b.core().mem.tally(), "{told}");
    assert_eq!(a.core().diagnostics, b.core().diagnostics, "{told}");
    if whole {
        assert!(saved(a) == saved(b), "{told}: saved machines differ");
    }
}

#[derive(PartialEq)]
struct Hex(u32);

impl std::fmt::Debug for Hex {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

/// A run of one stream on both machines.
fn stream(name: &str, seed: u64, thumb: bool) {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let count = CODE_BYTES / 4;
    let mut code: Vec<u32> = (0..count)
        .map(|_| {
            if thumb {
                random.word()
            } else {
                random.instruction()
            }
        })
        .collect();
    // Contents that recur in other lines.
    for _ in 0..8 {
        let (from, to) = (random.below(count / 8) * 8, random.below(count / 8) * 8);
        code.copy_within(from as usize..from as usize + 8, to as usize);
    }
    let data: Vec<u32> = (0..DATA_BYTES / 4).map(|_| random.word()).collect();
    let mut machines = [0, 1].map(|_| machine(name, &code, &data));
    let [translated, interpreted] = &mut machines;
    eager(translated, seed);
    assert!(interpreted.core().mem.translator().is_none());
    for stretch in 0..STRETCHES {
        if stretch % 4 == 0 {
            start(&mut machines, &mut random, thumb);
        }
        let cycles = if random.rarely(3) {
            random.below(8)
        } else {
            random.below(400)
        };
        let irq = random.rarely(4);
        let until = machines[0].cycles() + u64::from(cycles);
        for machine in &mut machines {
            machine.bus().pins.irq = irq;
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
}

/// Translates at the first chance. Every third stream has so little memory for code that it is full soon.
fn eager(machine: &mut Machine, seed: u64) {
    let mem = &mut machine.core().mem;
    mem.translate();
    let Some(translator) = mem.translator() else {
        return;
    };
    translator.set_hot(1);
    if seed % 3 == 0 {
        translator.limit_code(64);
    }
}

/// What `SWITCHYARD_FUZZ` says.
fn times() -> u64 {
    std::env::var("SWITCHYARD_FUZZ").map_or(1, |times| times.parse().expect("a number"))
}

fn streams(name: &str, thumb: bool) {
    for seed in 0..STREAMS * times() {
        stream(name, seed, thumb);
    }
}

/// An instruction in a loop, with two that change registers which it names, and flags.
fn looped(random: &mut Random, thumb: bool) -> [u32; LOOP_WORDS] {
    let [any, number] = [0, 1].map(|_| random.below(8));
    let low = |register: u32, other: u32| if register < 8 { register } else { other };
    if thumb {
        let code = random.word() & 0xffff;
        let [one, other] = [code >> 3 & 7, code >> random.of(&[0, 6, 8]) & 7];
        // add one, one, any; sub other, #constant; b
        let add = 0x1800 | any << 6 | one << 3 | one;
        let sub = 0x3800 | other << 8 | random.below(256);
        let back = 0xe7fb;
        return [code | add << 16, sub | back << 16, 0, 0, 0, 0, 0, 0];
    }
    let code = random.instruction();
    let one = low(code & 15, number);
    let other = low(code >> random.of(&[8, 12, 16]) & 15, number);
    // add one, one, any, ror #shift; adds other, other, #constant; b
    let add = 0xe080_0060 | one << 16 | one << 12 | random.below(32) << 7 | any;
    let adds = 0xe290_0000 | other << 16 | other << 12 | random.below(4096);
    let back = 0xeaff_fffb;
    [code, add, adds, back, 0, 0, 0, 0]
}

/// Runs each of so many loops from several states on both machines. Gives how many instructions they had executed,
/// and how many of these as host code.
fn program(name: &str, seed: u64, thumb: bool) -> [u64; 2] {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let loops = CODE_BYTES / 4 / LOOP_WORDS as u32;
    let code: Vec<u32> = (0..loops)
        .flat_map(|_| looped(&mut random, thumb))
        .collect();
    let data: Vec<u32> = (0..DATA_BYTES / 4).map(|_| random.word()).collect();
    let mut machines = [0, 1].map(|_| machine(name, &code, &data));
    eager(&mut machines[0], 1);
    for (n, words) in code.chunks(LOOP_WORDS).enumerate() {
        let what = format!("{name}, program {seed}, loop {n}, {:08x}", words[0]);
        for _ in 0..STATES {
            start(&mut machines, &mut random, thumb);
            let place = (n * LOOP_WORDS * 4) as u32;
            let until = machines[0].cycles() + u64::from(random.below(LOOP_CYCLES));
            for machine in &mut machines {
                let pc = &mut machine.core().r[15];
                *pc = *pc & !(CODE_BYTES - 1) | place;
                machine.run(until);
            }
            compare(&mut machines, false, &what);
        }
    }
    compare(&mut machines, true, name);
    let all = machines[0].instructions();
    let translator = machines[0].core().mem.translator();
    [
        all,
        translator.map_or(all, |translator| translator.executed()),
    ]
}

fn programs(name: &str, thumb: bool) {
    let ran = (0..PROGRAMS * times()).map(|seed| program(name, seed, thumb));
    let [all, host] = ran.fold([0; 2], |sum, ran| [sum[0] + ran[0], sum[1] + ran[1]]);
    println!("{name}: {all} instructions, {host} as host code");
    // A third of the loops have an instruction that is left, or faults.
    assert!(
        all > 3_500_000 * times() && host > all / 2,
        "{host} of {all}"
    );
}

#[test]
fn loops_are_the_same_on_a_strongarm() {
    programs("sa1110", false);
}

#[test]
fn loops_are_the_same_on_an_arm926() {
    programs("versatilepb", false);
}

#[test]
fn loops_are_the_same_in_thumb_state() {
    programs("versatilepb", true);
}

#[test]
fn streams_are_the_same_on_a_strongarm() {
    streams("sa1110", false);
}

#[test]
fn streams_are_the_same_on_an_arm926() {
    streams("versatilepb", false);
}

#[test]
fn streams_are_the_same_on_an_arm920() {
    streams("s3c24a0", false);
}

#[test]
fn thumb_streams_are_the_same() {
    streams("versatilepb", true);
}

#[test]
fn a_process_slot_is_known() {
    // What `streams` writes by MCR is a register of these machines.
    for name in ["sa1110", "versatilepb"] {
        let mut machine = machine(name, &[], &[]);
        machine.core().write_cp15(PID, 1 << 25);
        assert_eq!(machine.core().mem.relocate(SLOTTED), SLOTTED | 1 << 25);
    }
}

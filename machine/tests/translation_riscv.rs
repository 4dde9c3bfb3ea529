// SPDX-License-Identifier: Apache-2.0
//! The same as `translation` for the RISC-V: random streams of instructions on two machines that are alike but
//! for that one translates at the first chance. A few instructions in machine mode set up paging and leave for
//! supervisor mode; each trap comes back to a handler that sets the timer anew and goes on after what trapped.

use switchyard_machine::config::MachineConfig;
use switchyard_machine::registry;
use switchyard_machine::riscv::Machine;
use switchyard_machine::snapshot::{self, Saved};

/// Physical addresses: memory, the set-up, the trap handler, page tables, code, data.
const RAM: u32 = 0x8000_0000;
const SETUP: u32 = RAM + 0x1000;
const HANDLER: u32 = RAM + 0x2000;
const ROOT: u32 = RAM + 0x4000;
const LARGE: u32 = RAM + 0x5000;
const SMALL: u32 = RAM + 0x6000;
const CODE: u32 = 0x1_0000;
const DATA: u32 = 0x1_2000;
/// Bytes of code, which the handler knows too, and of data.
const CODE_BYTES: u32 = 0x1000;
const DATA_BYTES: u32 = 0x1000;
/// Where memory can be seen: as it is, again, read only, nothing, by small pages, the serial port's registers.
const WINDOW: u32 = 0x4000_0000;
const SYNONYM: u32 = WINDOW + (1 << 21);
const READ_ONLY: u32 = WINDOW + (2 << 21);
const NOWHERE: u32 = WINDOW + (3 << 21);
const PAGES: u32 = WINDOW + (4 << 21);
const DEVICE: u32 = WINDOW + (5 << 21);

/// Streams on each machine, and stretches of each. `SWITCHYARD_FUZZ` multiplies them.
const STREAMS: u64 = 40;
const STRETCHES: u32 = 60;
/// How often as many loops as there is room for, bytes of each, and from how many states each is run, for how many
/// cycles at most.
const PROGRAMS: u64 = 33;
const LOOP_BYTES: usize = 32;
const STATES: u32 = 4;
const LOOP_CYCLES: u32 = 3000;

/// Bits of page-table entries.
const V: u64 = 1;
const RWX: u64 = 0xe;
const RX: u64 = 0xa;
const A: u64 = 0x40;
const D: u64 = 0x80;

/// Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn double(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn word(&mut self) -> u32 {
        (self.double() >> 20) as u32
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

    /// A register that streams compute in; sometimes any.
    fn register(&mut self) -> u32 {
        match self.below(12) {
            0 => self.below(32),
            1 => self.of(&[1, 5]),
            _ => 16 + self.below(8),
        }
    }

    /// A base register: it holds an address, as long as nobody has changed it.
    fn base(&mut self) -> u32 {
        if self.rarely(20) {
            self.below(32)
        } else {
            8 + self.below(8)
        }
    }

    /// An offset to a base: mostly a multiple of eight.
    fn offset(&mut self) -> u32 {
        let offset = self.below(0x100);
        if self.rarely(8) {
            offset
        } else {
            offset & !7
        }
    }

    /// An instruction, and its bytes.
    fn instruction(&mut self) -> (u32, usize) {
        let (rd, rs1, rs2) = (self.register(), self.register(), self.register());
        let (d, a, b) = (rd << 7, rs1 << 15, rs2 << 20);
        let any = self.word();
        let funct3 = any & 0x7000;
        let code = match self.below(100) {
            0..=24 => return (self.compressed(), 2),
            // Computing with constants and registers, of 64 and 32 bits.
            25..=36 => 0x13 | d | a | any & 0xfff0_7000,
            37..=42 => 0x1b | d | a | any & 0xfff0_7000,
            43..=48 => 0x33 | d | a | b | funct3 | self.of(&[0, 0x20, 1, 1]) << 25,
            49..=51 => 0x33 | d | a | b | funct3 | self.of(&[0x10, 5, 0x20, 0x30, 4]) << 25,
            52..=55 => 0x3b | d | a | b | funct3 | self.of(&[0, 0x20, 1, 4, 0x10]) << 25,
            56..=58 => self.of(&[0x37, 0x17]) | d | any & 0xffff_f000,
            // Loads and stores.
            59..=70 => 0x03 | d | self.base() << 15 | funct3 | self.offset() << 20,
            71..=79 => {
                let offset = self.offset();
                let split = (offset & 31) << 7 | offset >> 5 << 25;
                0x23 | b | self.base() << 15 | self.below(4) << 12 | split
            }
            // Branches and jumps, near.
            80..=86 => {
                let to = self.below(64).wrapping_sub(32) << 1;
                let split = to >> 11 & 1 | (to >> 1 & 15) << 1;
                0x63 | a | b | funct3 | split << 7 | (to >> 5 & 63) << 25 | to >> 12 << 31
            }
            87..=88 => {
                let to = self.below(256).wrapping_sub(128) << 1;
                let link = self.of(&[0, 1, 5, rd]) << 7;
                let split = (to >> 1 & 0x3ff) << 21 | (to >> 11 & 1) << 20;
                0x6f | link | split | to & 0xf_f000 | to >> 20 << 31
            }
            89..=91 => {
                let link = self.of(&[0, 0, 1, 5]) << 7;
                0x67 | link | self.of(&[1, 5, 6, 7]) << 15 | (self.below(32) & !1) << 20
            }
            // Atomics, floating point, fences (the second is `pause`), registers of the system.
            92 => 0x2f | d | self.base() << 15 | b | self.of(&[2, 3]) << 12 | any & 0xf800_0000,
            93 => 0x53 | d | a | b | any & 0xfe00_7000,
            94 => 0x07 | d | self.base() << 15 | self.of(&[2, 3]) << 12 | self.offset() << 20,
            95 => {
                let base = self.base() << 15;
                self.of(&[0x0f, 0x0100_000f, 0x100f, 0x1200_0073, 0x1200_0073 | base])
            }
            96 => 0x73 | d | 0x2000 | self.of(&[0xc02, 0x100, 0x180, 0x144]) << 20,
            97 if self.rarely(3) => 0x73 | d | 0x2000 | 0xc00 << 20,
            // stvec, sscratch, sepc, scause, stval; mscratch is not for supervisors.
            97 => {
                let number = self.of(&[0x105, 0x140, 0x141, 0x142, 0x143, 0x340]);
                0x73 | d | a | self.of(&[1, 2, 3, 5, 6, 7]) << 12 | number << 20
            }
            98 => 0x5013 | d | a | self.of(&[0x287, 0x6b8]) << 20,
            _ => any,
        };
        (code, if code & 3 == 3 { 4 } else { 2 })
    }

    /// A compressed one: any that is not the beginning of a longer one.
    fn compressed(&mut self) -> u32 {
        loop {
            let code = self.word() & 0xffff;
            // The first registers that some name are base registers; c.j goes far.
            let far = code & 0xe003 == 0xa001;
            if code & 3 != 3 && (!far || self.rarely(8)) {
                return code;
            }
        }
    }
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A machine in whose memory are page tables and `code`.
fn machine(name: &str, code: &[u8], data: &[u8]) -> Machine {
    let mut config = MachineConfig::find(name).expect("a built-in machine");
    config.ram_bytes = 4 << 20;
    let board = registry::board(&config.board).expect("its board");
    let mut machine = Machine::new(&config, (board.parts)(config.ram_bytes), ());
    let mut put = |at: u32, bytes: &[u8]| {
        let place = machine.bus().ram_slice_mut(at, bytes.len());
        place.expect("memory").copy_from_slice(bytes);
    };
    let entry = |pa: u32, bits: u64| (u64::from(pa) >> 2 | bits | V).to_le_bytes();
    put(ROOT + 8, &entry(LARGE, 0));
    for (va, leaf) in [
        (WINDOW, entry(RAM, RWX | A | D)),
        (SYNONYM, entry(RAM, RWX | A | D)),
        (READ_ONLY, entry(RAM, RX | A | D)),
        (PAGES, entry(SMALL, 0)),
        (DEVICE, entry(0x1000_0000, RWX | A | D)),
    ] {
        put(LARGE + ((va - WINDOW) >> 21 << 3), &leaf);
    }
    for page in 0..64 {
        // Some cannot be written, some have not been read yet.
        let bits = match page % 8 {
            7 => RWX,
            6 => RWX | A,
            _ => RWX | A | D,
        };
        put(SMALL + 8 * page, &entry(RAM + 0x1000 * page, bits));
    }
    let csrw = |csr: u32, register: u32| 0x1073 | csr << 20 | register << 15;
    // pmpaddr0, pmpcfg0, satp, mtvec, mepc, mstatus, mie from x5 on; mret.
    let setup = [
        csrw(0x3b0, 5),
        csrw(0x3a0, 6),
        csrw(0x180, 7),
        csrw(0x305, 8),
        csrw(0x341, 9),
        csrw(0x300, 10),
        csrw(0x304, 11),
        0x3020_0073,
    ];
    put(SETUP, &bytes(&setup));
    let handler = [
        0x340f_1f73, // csrrw t5, mscratch, t5
        0x3010_2f73, // csrr t5, misa
        0xf140_2f73, // csrr t5, mhartid
        0x3421_fff3, // csrrci t6, mcause, 3
        // Accesses with the rights of who was interrupted, here and in his page tables; and without.
        0x8001_2f37, // lui t5, 0x80012
        0x020f_1f13, // slli t5, t5, 32
        0x020f_5f13, // srli t5, t5, 32
        0x000f_2f83, // lw t6, 0(t5)
        0x0002_0fb7, // lui t6, 0x20
        0x300f_af73, // csrrs t5, mstatus, t6
        0x4021_2fb7, // lui t6, 0x40212
        0x010f_ae83, // lw t4, 16(t6)
        0x01ef_a823, // sw t5, 16(t6)
        0x018f_bf03, // ld t5, 24(t6)
        0x000c_0eb7, // lui t4, 0xc0
        0x300e_aff3, // csrrs t6, mstatus, t4
        0x4021_2fb7, // lui t6, 0x40212
        0x010f_af03, // lw t5, 16(t6)
        0x000e_0eb7, // lui t4, 0xe0
        0x300e_b073, // csrc mstatus, t4
        0x3000_2ef3, // csrr t4, mstatus
        // mtimecmp = mtime + 2
        0x0200_4f37, // lui t5, 0x2004
        0x0200_cfb7, // lui t6, 0x200c
        0xff8f_bf83, // ld t6, -8(t6)
        0x002f_8f93, // addi t6, t6, 2
        0x01ff_3023, // sd t6, 0(t5)
        // mstatus.MPP = S
        0x0000_2f37, // lui t5, 2
        0x800f_0f13, // addi t5, t5, -2048
        0x300f_3073, // csrc mstatus, t5
        0x0010_0f13, // li t5, 1
        0x00bf_1f13, // slli t5, t5, 11
        0x300f_2073, // csrs mstatus, t5
        // mepc = the code's | (mepc + 4) & 0xfff
        0x3410_2ff3, // csrr t6, mepc
        0x004f_8f93, // addi t6, t6, 4
        0x034f_9f93, // slli t6, t6, 52
        0x034f_df93, // srli t6, t6, 52
        0x4001_0f37, // lui t5, 0x40010
        0x01ef_8fb3, // add t6, t6, t5
        0x341f_9073, // csrw mepc, t6
        0x3020_0073, // mret
    ];
    put(HANDLER, &bytes(&handler));
    put(RAM + CODE, code);
    put(RAM + DATA, data);
    machine
}

/// Lets both leave for supervisor mode.
fn set_up(machines: &mut [Machine; 2]) {
    for machine in machines {
        let core = machine.core();
        core.r[5] = u64::MAX >> 10;
        core.r[6] = 0x1f;
        core.r[7] = 8 << 60 | u64::from(ROOT) >> 12;
        core.r[8] = HANDLER.into();
        core.r[9] = (WINDOW + CODE).into();
        core.r[10] = 0x6880; // FS, MPP = S, MPIE
        core.r[11] = 0x80;
        core.pc = SETUP.into();
    }
}

/// Goes on at a place of the code with random registers.
fn start(machines: &mut [Machine; 2], random: &mut Random) {
    let mut r = [0; 32];
    for register in &mut r[1..] {
        *register = match random.below(4) {
            0 => random.below(64).into(),
            1 => i64::from(random.word() as i32) as u64,
            _ => random.double(),
        };
    }
    let window = |random: &mut Random| random.of(&[WINDOW, WINDOW, WINDOW, SYNONYM, PAGES]);
    let run = |random: &mut Random| window(random) + CODE + (random.below(CODE_BYTES) & !1);
    for register in [1, 5, 6, 7] {
        r[register] = run(random).into();
    }
    for register in &mut r[8..16] {
        let at = match random.below(12) {
            0 => READ_ONLY + DATA,
            1 => NOWHERE,
            2 => DEVICE,
            3 => WINDOW + CODE,
            _ => window(random) + DATA,
        };
        let at = at + random.below(DATA_BYTES / 2);
        *register = u64::from(if random.rarely(6) { at } else { at & !7 });
    }
    r[2] = u64::from(window(random) + DATA);
    let pc = run(random);
    for machine in machines {
        let core = machine.core();
        core.r[..32].copy_from_slice(&r);
        core.pc = pc.into();
    }
}

fn saved(machine: &mut Machine) -> Vec<u8> {
    let mut bytes = Vec::new();
    snapshot::save(machine, &mut bytes).expect("memory to write to");
    bytes
}

fn compare(machines: &mut [Machine; 2], whole: bool, what: &str) {
    let [a, b] = machines;
    let told = format!("{what}, cycle {}, pc {:#x}", b.cycles(), b.core().pc);
    assert_eq!(
        a.cycles(),
        b.cycles(),
        "{told}: clock; pc {:#x}",
        a.core().pc
    );
    assert_eq!(a.core().pc, b.core().pc, "{told}");
    assert_eq!(a.core().r[..64], b.core().r[..64], "{told}");
    assert_eq!(a.core().mem.tally(), b.core().mem.tally(), "{told}");
    if whole {
        assert!(saved(a) == saved(b), "{told}: saved machines differ");
    }
}

/// A run of one stream on both machines.
fn stream(name: &str, seed: u64) {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut code = Vec::new();
    while code.len() < CODE_BYTES as usize {
        let (encoding, bytes) = random.instruction();
        code.extend_from_slice(&encoding.to_le_bytes()[..bytes]);
    }
    // Contents that recur in other lines.
    for _ in 0..8 {
        let [from, to] = [0, 1].map(|_| 64 * random.below(CODE_BYTES / 64) as usize);
        code.copy_within(from..from + 64, to);
    }
    let data: Vec<u8> = (0..DATA_BYTES).map(|_| random.word() as u8).collect();
    let mut machines = [0, 1].map(|_| machine(name, &code, &data));
    eager(&mut machines[0], seed);
    set_up(&mut machines);
    for machine in &mut machines {
        machine.run(2000);
    }
    for stretch in 0..STRETCHES {
        if stretch % 4 == 0 {
            start(&mut machines, &mut random);
        }
        let cycles = if random.rarely(3) {
            random.below(8)
        } else {
            random.below(1500)
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
}

/// Translates at the first chance. Every third stream has so little memory for code that it is full soon.
fn eager(machine: &mut Machine, seed: u64) {
    let mem = &mut machine.core().mem;
    mem.run_as_host_code();
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

fn streams(name: &str) {
    for seed in 0..STREAMS * times() {
        stream(name, seed);
    }
}

/// An instruction in a loop, with two that change registers that others compute in.
fn looped(random: &mut Random) -> [u8; LOOP_BYTES] {
    let (code, length) = random.instruction();
    let [one, other] = [16, 20].map(|first| first + random.below(4));
    // add one, one, other; xori other, other, constant; j
    let add = 0x33 | one << 7 | one << 15 | other << 20;
    let xor = 0x4013 | other << 7 | other << 15 | random.below(4096) << 20;
    let to = 0u32.wrapping_sub(length as u32 + 8);
    let back = 0x800f_f06f | (to >> 1 & 0x3ff) << 21 | (to >> 11 & 1) << 20;
    let mut bytes = [0; LOOP_BYTES];
    bytes[..length].copy_from_slice(&code.to_le_bytes()[..length]);
    for (n, code) in [add, xor, back].into_iter().enumerate() {
        bytes[length + 4 * n..length + 4 * n + 4].copy_from_slice(&code.to_le_bytes());
    }
    bytes
}

/// Runs each of so many loops from several states on both machines. Gives how many instructions they had executed,
/// and how many of these as host code.
fn program(name: &str, seed: u64) -> [u64; 2] {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let loops = CODE_BYTES as usize / LOOP_BYTES;
    let code: Vec<u8> = (0..loops).flat_map(|_| looped(&mut random)).collect();
    let data: Vec<u8> = (0..DATA_BYTES).map(|_| random.word() as u8).collect();
    let mut machines = [0, 1].map(|_| machine(name, &code, &data));
    eager(&mut machines[0], 1);
    set_up(&mut machines);
    for machine in &mut machines {
        machine.run(2000);
    }
    for (n, bytes) in code.chunks(LOOP_BYTES).enumerate() {
        let what = format!("{name}, program {seed}, loop {n}, {:02x?}", &bytes[..4]);
        for _ in 0..STATES {
            start(&mut machines, &mut random);
            let until = machines[0].cycles() + u64::from(random.below(LOOP_CYCLES));
            for machine in &mut machines {
                let pc = &mut machine.core().pc;
                *pc = *pc & !u64::from(CODE_BYTES - 1) | (n * LOOP_BYTES) as u64;
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

#[test]
fn loops_are_the_same_on_a_u74() {
    let ran = (0..PROGRAMS * times()).map(|seed| program("virt-u74", seed));
    let [all, host] = ran.fold([0; 2], |sum, ran| [sum[0] + ran[0], sum[1] + ran[1]]);
    println!("{all} instructions, {host} as host code");
    // A third of the loops have an instruction that is left, or traps.
    assert!(
        all > 10_000_000 * times() && host > all / 2,
        "{host} of {all}"
    );
}

#[test]
fn streams_are_the_same_on_a_u74() {
    streams("virt-u74");
}

#[test]
fn streams_are_the_same_with_what_qemu_has() {
    streams("virt-rv64");
}

// SPDX-License-Identifier: Apache-2.0
//! Each form of instruction that is translated for the Pentium 4 against its handler: in a loop of its own, from
//! random registers, flags and memory, on a machine that translates it and on one that does not. What it gives
//! is what it has the next time, with what two more instructions make of it: they change registers and flags
//! each time.

use std::panic::{catch_unwind, AssertUnwindSafe};

use switchyard_machine::ia32::isa::insn::reg;
use switchyard_machine::ia32::Machine;

use super::rig::*;
use super::translation::{compare, eager, machine, Random, CODE_BYTES, DATA_BYTES, WINDOW};

/// Bytes of a loop: the longest instruction, what changes registers and flags, and the jump back.
const LOOP: u32 = 32;
const LOOPS: u32 = CODE_BYTES / LOOP;
/// How many states each loop runs from, for how many cycles at most, and how often each form has a loop, with other
/// operands. `SWITCHYARD_FUZZ` does all of it so often.
const STATES: u32 = 10;
const CYCLES: u32 = 1400;
const ENCODINGS: usize = 6;
/// Flags of results.
const FLAGS: u32 = 0x8d5;

/// What stands after the opcode.
#[derive(Debug, Clone, Copy)]
enum Rest {
    /// Nothing.
    Nothing,
    /// Operands in memory or registers, and so many bytes of a constant. `Some`: of one operation of the opcode.
    Operands(Option<u8>, usize),
    /// A register, and an operand in memory.
    Memory,
    /// Operands in registers.
    Registers(Option<u8>, usize),
    /// A register in the opcode, and a constant.
    Register(usize),
    /// A constant.
    Constant(usize),
    /// A place near.
    Near(usize),
    /// Nothing; and the frame pointer is set to somewhere in memory afterwards.
    Frame,
}

/// A form: prefix and opcode, and what follows.
#[derive(Debug)]
struct Form(Vec<u8>, Rest);

impl Form {
    /// How many instructions its loop has.
    fn in_loop(&self) -> u64 {
        match self.1 {
            Rest::Frame => 5,
            _ => 4,
        }
    }

    /// An instruction of this form.
    fn encode(&self, random: &mut Random) -> Vec<u8> {
        let Self(opcode, rest) = self;
        let mut code = opcode.clone();
        let mut constant = 0;
        match *rest {
            Rest::Nothing => {}
            Rest::Operands(operation, bytes) => {
                let reg = operation.unwrap_or_else(|| random.register());
                random.operand(reg, &mut code);
                constant = bytes;
            }
            Rest::Memory => loop {
                code.truncate(opcode.len());
                let reg = random.register();
                random.operand(reg, &mut code);
                if code[opcode.len()] < 0xc0 {
                    break;
                }
            },
            Rest::Registers(operation, bytes) => {
                let reg = operation.unwrap_or_else(|| random.register());
                code.push(0xc0 | reg << 3 | random.register());
                constant = bytes;
            }
            Rest::Register(bytes) => {
                *code.last_mut().unwrap() |= random.register();
                constant = bytes;
            }
            Rest::Constant(bytes) => constant = bytes,
            // Over one or both of those that stir, or to another loop.
            Rest::Near(bytes) => {
                let away = [LOOP, 0u32.wrapping_sub(LOOP)];
                let to = if random.rarely(5) {
                    random.of(&away)
                } else {
                    random.of(&[7, 13])
                };
                code.extend(&to.to_le_bytes()[..bytes]);
            }
            Rest::Frame => {
                code.push(0xbd);
                code.extend((WINDOW + DATA + (random.below(DATA_BYTES) & !3)).to_le_bytes());
            }
        }
        let value = random.word().to_le_bytes();
        code.extend(&value[..constant]);
        code
    }
}

/// All forms that are translated.
fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    let mut add = |opcode: &[u8], rest| forms.push(Form(opcode.to_vec(), rest));
    let both = Rest::Operands(None, 0);
    let of = |operation, bytes| Rest::Operands(Some(operation), bytes);
    for operation in 0..8 {
        let first = operation << 3;
        for opcode in 0..4 {
            add(&[first | opcode], both);
        }
        add(&[0x66, first | 1], both);
        add(&[0x66, first | 3], both);
        add(&[first | 4], Rest::Constant(1));
        add(&[first | 5], Rest::Constant(4));
        add(&[0x80], of(operation, 1));
        add(&[0x81], of(operation, 4));
        add(&[0x83], of(operation, 1));
        add(&[0x66, 0x81], of(operation, 2));
        add(&[0x66, 0x83], of(operation, 1));
    }
    for opcode in [0x84, 0x85, 0x88, 0x89, 0x8a, 0x8b] {
        add(&[opcode], both);
        if opcode & 1 != 0 {
            add(&[0x66, opcode], both);
        }
    }
    add(&[0xa8], Rest::Constant(1));
    add(&[0xa9], Rest::Constant(4));
    add(&[0xb0], Rest::Register(1));
    add(&[0xb8], Rest::Register(4));
    add(&[0x66, 0xb8], Rest::Register(2));
    for (opcode, bytes) in [(0xc6, 1), (0xc7, 4), (0xf6, 1), (0xf7, 4)] {
        add(&[opcode], of(0, bytes));
    }
    add(&[0x66, 0xc7], of(0, 2));
    for opcode in [0x40, 0x48, 0x50, 0x58] {
        add(&[opcode], Rest::Register(0));
    }
    for operation in 0..2 {
        add(&[0xfe], of(operation, 0));
        add(&[0xff], of(operation, 0));
        add(&[0x66, 0xff], of(operation, 0));
    }
    for operation in 2..4 {
        add(&[0xf6], of(operation, 0));
        add(&[0x66, 0xf7], of(operation, 0));
    }
    for operation in 2..6 {
        add(&[0xf7], of(operation, 0));
    }
    for operation in [0, 1, 4, 5, 7] {
        add(&[0xc1], Rest::Registers(Some(operation), 1));
        add(&[0xd1], Rest::Registers(Some(operation), 0));
        add(&[0xd3], Rest::Registers(Some(operation), 0));
    }
    add(&[0x0f, 0xaf], both);
    for opcode in [0xb6, 0xb7, 0xbe, 0xbf] {
        add(&[0x0f, opcode], both);
        add(&[0x66, 0x0f, opcode], both);
    }
    for condition in 0..16 {
        add(&[0x0f, 0x40 | condition], both);
        add(&[0x0f, 0x90 | condition], both);
        add(&[0x70 | condition], Rest::Near(1));
        add(&[0x0f, 0x80 | condition], Rest::Near(4));
    }
    add(&[0x69], Rest::Operands(None, 4));
    add(&[0x6b], Rest::Operands(None, 1));
    add(&[0x8d], Rest::Memory);
    add(&[0x87], Rest::Registers(None, 0));
    add(&[0x0f, 0xc8], Rest::Register(0));
    add(&[0x68], Rest::Constant(4));
    add(&[0x6a], Rest::Constant(1));
    add(&[0xc9], Rest::Frame);
    for opcode in [0x98, 0x99, 0xa4, 0xa5, 0xc3] {
        add(&[opcode], Rest::Nothing);
    }
    add(&[0x0f, 0x31], Rest::Nothing);
    add(&[0xeb], Rest::Near(1));
    add(&[0xe9], Rest::Near(4));
    add(&[0xe8], Rest::Near(4));
    add(&[0xc2, 8, 0], Rest::Nothing);
    for operation in [2, 4, 6] {
        add(&[0xff], of(operation, 0));
    }
    forms
}

/// Sets both machines to a random state before `eip`.
fn begin(machines: &mut [Machine; 2], random: &mut Random, eip: u32) {
    let data = |random: &mut Random| WINDOW + DATA + (random.below(DATA_BYTES) & !3);
    let mut r = [0; 9];
    for register in [reg::EAX, reg::ECX, reg::EDX] {
        r[register] = match random.below(4) {
            0 => random.below(40),
            1 => random.of(&[
                0,
                1,
                0x7f,
                0x80,
                0xff,
                0x7fff,
                0x8000,
                0x7fff_ffff,
                1 << 31,
                u32::MAX,
            ]),
            _ => random.word(),
        };
    }
    for register in [reg::EBX, reg::ESI, reg::EDI, reg::EBP] {
        r[register] = data(random) + u32::from(random.rarely(8));
    }
    r[reg::ESP] = data(random);
    let flags = 2 | random.word() & FLAGS;
    for machine in machines {
        let core = machine.core();
        core.set_tables(GDT, GDT_LIMIT, [DATA3, CODE3, DATA3, DATA3, DATA3, DATA3])
            .expect("segments as they were set up");
        core.r = r;
        core.eip = eip;
        core.set_eflags(flags);
    }
}

fn memory(machine: &mut Machine) -> &[u8] {
    let place = machine.bus().ram_slice(DATA - 0x1000, 0x3000);
    place.expect("memory")
}

/// Two instructions of 7 and 6 bytes that change the registers that others compute in, and the flags.
fn stir(random: &mut Random, code: &mut Vec<u8>) {
    let [one, other] = random.of(&[[0, 1], [1, 2], [2, 0], [1, 0], [2, 1], [0, 2]]);
    // lea one, [one + other * scale + constant]
    code.extend([0x8d, 0x84 | one << 3]);
    code.push((random.below(4) << 6) as u8 | other << 3 | one);
    code.extend(random.word().to_le_bytes());
    if random.rarely(2) {
        // test other, two bits: often neither is set
        code.extend([0xf7, 0xc0 | other]);
        code.extend((1u32 << random.below(32) | 1 << random.below(32)).to_le_bytes());
    } else {
        // add, adc, sub or xor other, constant
        code.extend([0x81, 0xc0 | random.of(&[0, 2, 5, 6]) << 3 | other]);
        code.extend((random.word() | 1).to_le_bytes());
    }
}

/// Loops with instructions of some forms.
struct Loops {
    code: Vec<u8>,
    data: Vec<u8>,
    shown: Vec<String>,
}

impl Loops {
    fn new(forms: &[&Form], random: &mut Random) -> Self {
        let mut code = vec![0x90; CODE_BYTES as usize];
        let mut shown = Vec::new();
        for (form, place) in forms.iter().zip(code.chunks_mut(LOOP as usize)) {
            let mut bytes = form.encode(random);
            shown.push(format!("{bytes:02x?}"));
            stir(random, &mut bytes);
            bytes.push(0xeb);
            bytes.push(0u8.wrapping_sub(bytes.len() as u8 + 1));
            place[..bytes.len()].copy_from_slice(&bytes);
        }
        let words = (0..DATA_BYTES / 4).map(|_| match random.below(4) {
            0 => random.word(),
            _ => WINDOW + CODE + LOOP * random.below(LOOPS),
        });
        let data = words.flat_map(u32::to_le_bytes).collect();
        Self { code, data, shown }
    }

    /// Runs them on two machines, the second of which has other code if `instead` says so: what each had executed, and
    /// how much of that as host code.
    fn run(&self, instead: Option<&[u8]>, random: &mut Random, states: u32) -> Vec<[u64; 2]> {
        let codes = [&self.code[..], instead.unwrap_or(&self.code)];
        let mut machines = codes.map(|code| machine("p4-willamette", code, &self.data));
        eager(&mut machines[0], 1);
        let mut ran = Vec::new();
        for (n, what) in self.shown.iter().enumerate() {
            let before = executed(&mut machines[0]);
            for state in 0..states {
                begin(&mut machines, random, WINDOW + CODE + LOOP * n as u32);
                // The first time is what it takes to fetch it.
                let cycles = match state {
                    0 => 1500,
                    1 => 10 + random.below(40),
                    _ => random.below(CYCLES),
                };
                let until = machines[0].cycles() + u64::from(cycles);
                for machine in &mut machines {
                    machine.run(until);
                }
                compare(&mut machines, false, what);
                let [a, b] = &mut machines;
                if instead.is_none() {
                    assert!(memory(a) == memory(b), "{what}: memory");
                }
            }
            let after = executed(&mut machines[0]);
            ran.push([after[0] - before[0], after[1] - before[1]]);
        }
        compare(&mut machines, instead.is_none(), "all");
        ran
    }
}

/// The instructions that a machine has executed, and those of them as host code.
fn executed(machine: &mut Machine) -> [u64; 2] {
    let all = machine.instructions();
    let translator = machine.core().mem.translator();
    [
        all,
        translator.map_or(0, |translator| translator.executed()),
    ]
}

/// Whether instructions are translated on this host.
fn translates() -> bool {
    let mut machine = machine("p4-willamette", &[], &[]);
    eager(&mut machine, 1);
    machine.core().mem.translator().is_some()
}

#[test]
fn each_form_is_as_its_handler() {
    let times: u32 =
        std::env::var("SWITCHYARD_FUZZ").map_or(1, |times| times.parse().expect("a number"));
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let forms = forms();
    let mut order: Vec<usize> = (0..ENCODINGS * forms.len())
        .map(|n| n % forms.len())
        .collect();
    // Of each form, how often it was executed as host code at least: whatever else is in its loop was not always.
    let (mut translated, mut others) = (vec![0; forms.len()], 0);
    // Other operands each time.
    for _ in 0..times {
        for n in (1..order.len()).rev() {
            order.swap(n, random.below(n as u32 + 1) as usize);
        }
        for some in order.chunks(LOOPS as usize) {
            let chosen: Vec<&Form> = some.iter().map(|&form| &forms[form]).collect();
            let ran = Loops::new(&chosen, &mut random).run(None, &mut random, STATES);
            for (&form, [all, host]) in some.iter().zip(ran) {
                let own = host.saturating_sub(all - all / forms[form].in_loop());
                translated[form] += own;
                others += host - own;
            }
        }
    }
    if !translates() {
        return;
    }
    let all: u64 = translated.iter().sum();
    println!(
        "{} forms: {all} executions, and {others} of others",
        forms.len()
    );
    let enough = 100 * u64::from(times);
    let few: Vec<_> = std::iter::zip(&forms, &translated)
        .filter(|(_, times)| **times < enough)
        .collect();
    assert!(few.is_empty(), "left to their handlers: {few:x?}");
    let of_all = all + others;
    assert!(of_all > 10_000_000 * u64::from(times), "{of_all}");
}

#[test]
fn a_wrong_template_would_be_found() {
    if !translates() {
        return;
    }
    // What has the price of another, and mostly gives the same.
    let both = Rest::Operands(None, 0);
    let of = |operation| Rest::Registers(Some(operation), 0);
    let register = Rest::Registers(None, 0);
    let pairs: [(&[u8], Rest, &[u8], Rest); 12] = [
        // Signed where it is not: shifts, products, extension.
        (&[0xd3], of(7), &[0xd3], of(5)),
        (&[0xf7], of(5), &[0xf7], of(4)),
        (&[0x0f, 0xbe], both, &[0x0f, 0xb6], both),
        (&[0x0f, 0xbf], both, &[0x0f, 0xb7], both),
        // A flag is not looked at: overflow, zero, carry, parity for zero.
        (&[0x0f, 0x4c], both, &[0x0f, 0x48], both),
        (&[0x0f, 0x4f], both, &[0x0f, 0x4d], both),
        (&[0x0f, 0x96], both, &[0x0f, 0x92], both),
        (&[0x0f, 0x47], register, &[0x0f, 0x45], register),
        (&[0x7e], Rest::Near(1), &[0x7c], Rest::Near(1)),
        (&[0x0f, 0x8d], Rest::Near(4), &[0x0f, 0x89], Rest::Near(4)),
        (&[0x7a], Rest::Near(1), &[0x74], Rest::Near(1)),
        // A carry between bits is lost.
        (&[0x01], both, &[0x09], both),
    ];
    for (right, rest, wrong, other) in pairs {
        let found = (0..ENCODINGS as u64).any(|seed| {
            let mut random = Random(0x9e37_79b9_7f4a_7c15 + seed);
            let mut again = Random(random.0);
            let loops = Loops::new(&[&Form(right.to_vec(), rest)], &mut random);
            let instead = Loops::new(&[&Form(wrong.to_vec(), other)], &mut again);
            let run = || loops.run(Some(&instead.code), &mut random, STATES);
            catch_unwind(AssertUnwindSafe(run)).is_err()
        });
        assert!(found, "{wrong:02x?} for {right:02x?}");
    }
}

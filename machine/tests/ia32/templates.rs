// SPDX-License-Identifier: Apache-2.0
//! Each form of instruction that is translated for the Pentium 4 against its handler, by itself: in a loop with
//! a jump back to it, from random registers, flags and memory, on a machine that translates it and on one that
//! does not. What an instruction gives is what it has the next time.

use switchyard_machine::ia32::isa::insn::reg;
use switchyard_machine::ia32::Machine;

use super::rig::*;
use super::translation::{compare, eager, machine, Random, CODE_BYTES, DATA_BYTES, WINDOW};

/// Bytes of a loop: the longest instruction and the jump.
const LOOP: u32 = 32;
const LOOPS: u32 = CODE_BYTES / LOOP;
/// How many states each loop runs from, and how often each form has a loop, with other operands.
/// `SWITCHYARD_FUZZ` does all of it so often.
const STATES: u32 = 12;
const ENCODINGS: usize = 2;
/// Flags of results.
const FLAGS: u32 = 0x8d5;

/// What stands after the opcode.
#[derive(Debug, Clone, Copy)]
enum Rest {
    /// Nothing.
    Nothing,
    /// Operands in memory or registers, and so many bytes of a constant. `Some`: of one operation of the opcode.
    Operands(Option<u8>, usize),
    /// Operands in registers.
    Registers(Option<u8>, usize),
    /// A register in the opcode, and a constant.
    Register(usize),
    /// A constant.
    Constant(usize),
    /// A place near.
    Near(usize),
}

/// A form: prefix and opcode, and what follows.
#[derive(Debug)]
struct Form(Vec<u8>, Rest);

impl Form {
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
            Rest::Near(bytes) => {
                let to = random.of(&[0, 2, LOOP, 0u32.wrapping_sub(LOOP)]);
                code.extend(&to.to_le_bytes()[..bytes]);
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
    for operation in 2..6 {
        add(&[0xf6], of(operation, 0));
        add(&[0xf7], of(operation, 0));
        add(&[0x66, 0xf7], of(operation, 0));
    }
    for operation in [4, 5, 7] {
        add(&[0xc1], Rest::Registers(Some(operation), 1));
        add(&[0xd1], Rest::Registers(Some(operation), 0));
        add(&[0xd3], Rest::Registers(Some(operation), 0));
    }
    for opcode in [0xb6, 0xb7, 0xbe, 0xbf, 0xaf] {
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
    add(&[0x8d], both);
    add(&[0x87], Rest::Registers(None, 0));
    add(&[0x0f, 0xc8], Rest::Register(0));
    add(&[0x68], Rest::Constant(4));
    add(&[0x6a], Rest::Constant(1));
    for opcode in [0x98, 0x99, 0xc9, 0xa4, 0xa5, 0xc3] {
        add(&[opcode], Rest::Nothing);
    }
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

/// Runs loops with instructions of `forms`.
fn loops(forms: &[&Form], random: &mut Random, states: u32) -> u64 {
    let mut code = vec![0x90; CODE_BYTES as usize];
    let mut shown = Vec::new();
    for (form, place) in forms.iter().zip(code.chunks_mut(LOOP as usize)) {
        let mut bytes = form.encode(random);
        shown.push(format!("{bytes:02x?}"));
        bytes.push(0xeb);
        bytes.push(0u8.wrapping_sub(bytes.len() as u8 + 1));
        place[..bytes.len()].copy_from_slice(&bytes);
    }
    let words = (0..DATA_BYTES / 4).map(|_| match random.below(4) {
        0 => WINDOW + CODE + LOOP * random.below(LOOPS),
        _ => random.word(),
    });
    let data: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    let mut machines = [0, 1].map(|_| machine("p4-willamette", &code, &data));
    eager(&mut machines[0], 1);
    for (n, what) in shown.iter().enumerate() {
        for state in 0..states {
            begin(&mut machines, random, WINDOW + CODE + LOOP * n as u32);
            // The first time is what it takes to fetch it.
            let cycles = if state == 0 {
                1500
            } else {
                10 + random.below(100)
            };
            let until = machines[0].cycles() + u64::from(cycles);
            for machine in &mut machines {
                machine.run(until);
            }
            compare(&mut machines, false, what);
            let [a, b] = &mut machines;
            assert!(memory(a) == memory(b), "{what}: memory");
        }
    }
    compare(&mut machines, true, "all");
    machines[0].instructions()
}

#[test]
fn each_form_is_as_its_handler() {
    let times: u32 =
        std::env::var("SWITCHYARD_FUZZ").map_or(1, |times| times.parse().expect("a number"));
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let forms = forms();
    let mut each: Vec<&Form> = forms.iter().cycle().take(ENCODINGS * forms.len()).collect();
    let mut instructions = 0;
    // Other operands each time.
    for _ in 0..times {
        for n in (1..each.len()).rev() {
            each.swap(n, random.below(n as u32 + 1) as usize);
        }
        for some in each.chunks(LOOPS as usize) {
            instructions += loops(some, &mut random, STATES);
        }
    }
    assert!(instructions > 100_000 * u64::from(times), "{instructions}");
}

// SPDX-License-Identifier: Apache-2.0
//! Test vectors of ARMs (`tests/differential/README.md`).

use std::io::{Read, Write};

use crate::arm::cpu::core::Core;
use crate::arm::isa::control;
use crate::arm::isa::exception::Exception;
use crate::arm::isa::mode::{bank, Bank};
use crate::arm::isa::register::Register;
use crate::arm::memory::line::{line_address, LINE_BYTES};
use crate::arm::Machine;
use crate::bus::{BoardParts, Bus};
use crate::config::MachineConfig;

use crate::vectors::reader::{self, add_words, Block, Range, Reader, ANSWER_MAGIC};
use crate::vectors::Caches;

const STATE_WORDS: usize = 37;
/// The flag of a case with an address space of its own.
const SPACE: u32 = 1;

/// The 37 words of a state record.
type State = [u32; STATE_WORDS];

struct Case {
    id: u32,
    limit: u32,
    state: State,
    space: Option<Space>,
    blocks: Vec<Block>,
    ranges: Vec<Range>,
}

/// An address space: what CP15 holds when the stream starts. Page tables are among the blocks.
struct Space {
    control: u32,
    table_base: u32,
    domains: u32,
    process: u32,
}

/// Answers every case from `input` on `output`, on a machine made from `config` and `parts`.
///
/// # Errors
/// One line that says which case is malformed and what was expected, or that reading or writing
/// failed.
pub(super) fn run(
    config: &MachineConfig,
    parts: BoardParts,
    caches: Caches,
    input: &mut dyn Read,
    output: &mut dyn Write,
) -> Result<(), String> {
    let mut machine = Machine::new(config, parts, ());
    if caches == Caches::On {
        map_memory(&mut machine);
    }
    let mut reader = Reader::new(input);
    while let Some(case) = read_case(&mut reader, machine.bus())? {
        let answer = match &case.space {
            None => answer(&mut machine, caches, &case),
            Some(space) => answer_in_space(&mut machine, &case, space),
        };
        output
            .write_all(&answer)
            .map_err(|e| format!("writing an answer: {e}"))?;
    }
    output.flush().map_err(|e| format!("writing answers: {e}"))
}

/// How the protocol numbers exceptions.
fn number(exception: Option<Exception>) -> u32 {
    match exception {
        None => 0,
        Some(Exception::Undefined) => 1,
        Some(Exception::Swi) => 2,
        Some(Exception::PrefetchAbort) => 3,
        Some(Exception::DataAbort) => 4,
        Some(Exception::Irq) => 5,
        Some(Exception::Fiq) => 6,
    }
}

/// A case with an address space: exceptions are recorded, and execution goes on at their vectors.
fn answer_in_space(machine: &mut Machine, case: &Case, space: &Space) -> Vec<u8> {
    reader::write_blocks(machine.bus(), &case.blocks);
    let core = machine.core();
    let setup = [
        (CONTROL, 0),
        (INVALIDATE_CACHES, 0),
        (INVALIDATE_TLBS, 0),
        (TABLE_BASE, space.table_base),
        (DOMAINS, space.domains),
        (PROCESS, space.process),
        (DATA_FAULT, 0),
        (INSN_FAULT, 0),
        (FAULT_ADDRESS, 0),
        (CONTROL, space.control),
    ];
    for (register, value) in setup {
        core.write_cp15(register, value);
    }
    set_state(core, &case.state);
    let mut exceptions = Vec::new();
    let mut number_of_exceptions = 0;
    for step in 0..case.limit {
        core.taken = None;
        core.step();
        if let Some(exception) = core.taken {
            number_of_exceptions += 1;
            let faults = faults(core);
            let spsr = bank(core.cpsr()).map_or(0, |bank| *core.spsr_of(bank));
            let entry = [core.r[14], spsr, core.cpsr(), core.r[15]];
            let head = [step, number(Some(exception))];
            add_words(&mut exceptions, head.into_iter().chain(faults).chain(entry));
        }
    }
    // A loop at a vector is an answer, too.
    core.dead = None;
    let (state, faults) = (get_state(core), faults(core));
    core.write_cp15(PROCESS, 0);
    let lines: Vec<u32> = core.mem.data_lines().map(|line| line.mva).collect();
    for line in lines {
        core.write_cp15(CLEAN_LINE, line);
    }
    core.write_cp15(DRAIN, 0);
    core.write_cp15(CONTROL, 0);
    let mut answer = Vec::new();
    add_words(&mut answer, [ANSWER_MAGIC, case.id, case.limit, 0]);
    add_words(&mut answer, state.into_iter().chain(faults));
    add_words(&mut answer, [number_of_exceptions]);
    answer.extend(exceptions);
    reader::add_ranges(&mut answer, machine.bus(), &case.ranges);
    answer
}

/// Status of the last data and instruction fault, address of the last data fault. A core without
/// a register for the second has 0 there.
fn faults(core: &mut Core<()>) -> [u32; 3] {
    let insn = if core.mem.core.insn_fault_status {
        core.read_cp15(INSN_FAULT)
    } else {
        0
    };
    [
        core.read_cp15(DATA_FAULT),
        insn,
        core.read_cp15(FAULT_ADDRESS),
    ]
}

fn answer(machine: &mut Machine, caches: Caches, case: &Case) -> Vec<u8> {
    reader::write_blocks(machine.bus(), &case.blocks);
    let core = machine.core();
    if caches == Caches::On {
        core.write_cp15(INVALIDATE_CACHES, 0);
        core.write_cp15(CONTROL, control::M | control::C | control::W | control::I);
    }
    set_state(core, &case.state);
    let mut executed = 0;
    core.taken = None;
    while executed < case.limit && core.taken.is_none() {
        core.step();
        executed += u32::from(core.taken.is_none());
    }
    let exception = number(core.taken);
    let state = get_state(core);
    if caches == Caches::On {
        for (first, length) in written(case) {
            for line in (first..first + length).step_by(LINE_BYTES as usize) {
                core.write_cp15(CLEAN_LINE, line);
            }
        }
        core.write_cp15(DRAIN, 0);
        core.write_cp15(CONTROL, 0);
    }
    let mut answer = Vec::new();
    add_words(&mut answer, [ANSWER_MAGIC, case.id, executed, exception]);
    add_words(&mut answer, state);
    reader::add_ranges(&mut answer, machine.bus(), &case.ranges);
    answer
}

/// CP15 operations, by CRn, CRm and opcode 2 (SA-1110 DM §5.2; ARM926EJ-S TRM §2.3).
const CONTROL: Register = Register::new(1, 0, 0);
const TABLE_BASE: Register = Register::new(2, 0, 0);
const DOMAINS: Register = Register::new(3, 0, 0);
const DATA_FAULT: Register = Register::new(5, 0, 0);
const INSN_FAULT: Register = Register::new(5, 0, 1);
const FAULT_ADDRESS: Register = Register::new(6, 0, 0);
const INVALIDATE_CACHES: Register = Register::new(7, 7, 0);
const CLEAN_LINE: Register = Register::new(7, 10, 1);
const DRAIN: Register = Register::new(7, 10, 4);
const INVALIDATE_TLBS: Register = Register::new(8, 7, 0);
const PROCESS: Register = Register::new(13, 0, 0);

/// Maps memory where it is, by sections with full access, C and B, in domain 0.
fn map_memory(machine: &mut Machine) {
    let (base, bytes) = machine.bus().ram_window();
    let directory = base + bytes - 0x4000;
    for section in base >> 20..(base + bytes) >> 20 {
        let descriptor = (section << 20) | 0xc1e;
        if let Some(place) = machine.bus().ram_slice_mut(directory + 4 * section, 4) {
            place.copy_from_slice(&descriptor.to_le_bytes());
        }
    }
    let core = machine.core();
    core.write_cp15(TABLE_BASE, directory);
    core.write_cp15(DOMAINS, 1);
}

/// Where a case may have left dirty lines: whole lines around its blocks and ranges.
fn written(case: &Case) -> impl Iterator<Item = Range> + '_ {
    let blocks = case
        .blocks
        .iter()
        .map(|(at, bytes)| (*at, bytes.len() as u32));
    blocks
        .chain(case.ranges.iter().copied())
        .map(|(at, length)| {
            let first = line_address(at);
            (first, at + length - first)
        })
}

/// Which register of which bank each word of a state record after r0 to r7 is.
fn banked_words() -> impl Iterator<Item = (usize, Bank, usize)> {
    let usr = (8..15).map(|n| (Bank::Usr, n));
    let fiq = (8..15).map(|n| (Bank::Fiq, n));
    let others = [Bank::Svc, Bank::Abt, Bank::Und, Bank::Irq]
        .into_iter()
        .flat_map(|bank| [(bank, 13), (bank, 14)]);
    let registers = usr.chain(fiq).chain(others).enumerate();
    registers.map(|(index, (bank, n))| (8 + index, bank, n))
}

const SPSR_WORDS: [(usize, Bank); 5] = [
    (30, Bank::Fiq),
    (31, Bank::Svc),
    (32, Bank::Abt),
    (33, Bank::Und),
    (34, Bank::Irq),
];

fn set_state(core: &mut Core<()>, state: &State) {
    core.set_cpsr(state[36]);
    core.r[..8].copy_from_slice(&state[..8]);
    for (word, bank, n) in banked_words() {
        *core.banked_register(bank, n) = state[word];
    }
    for (word, bank) in SPSR_WORDS {
        *core.spsr_of(bank) = state[word];
    }
    core.r[15] = state[35];
}

fn get_state(core: &mut Core<()>) -> State {
    let mut state = [0; STATE_WORDS];
    state[..8].copy_from_slice(&core.r[..8]);
    for (word, bank, n) in banked_words() {
        state[word] = *core.banked_register(bank, n);
    }
    for (word, bank) in SPSR_WORDS {
        state[word] = *core.spsr_of(bank);
    }
    state[35] = core.r[15];
    state[36] = core.cpsr();
    state
}

/// The next case, `None` at the end of the input.
fn read_case(reader: &mut Reader, bus: &Bus) -> Result<Option<Case>, String> {
    let Some(id) = reader.begin()? else {
        return Ok(None);
    };
    let flags = reader.word()?;
    if flags & !SPACE != 0 {
        return Err(reader.wrong(&format!("has flags {flags:#x}; expected 0 or 1")));
    }
    let limit = reader.word()?;
    let state = reader.words()?;
    if bank(state[36]).is_none() {
        let what = format!(
            "has CPSR {:#010x}; expected one that names a mode",
            state[36]
        );
        return Err(reader.wrong(&what));
    }
    let space = if flags & SPACE != 0 {
        let [control, table_base, domains, process] = reader.words()?;
        Some(Space {
            control,
            table_base,
            domains,
            process,
        })
    } else {
        None
    };
    Ok(Some(Case {
        id,
        limit,
        state,
        space,
        blocks: reader.blocks(bus)?,
        ranges: reader.ranges(bus)?,
    }))
}

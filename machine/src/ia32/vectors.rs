// SPDX-License-Identifier: Apache-2.0
//! Test vectors of IA-32 processors (`tests/ia32/README.md`).

use std::io::{Read, Write};

use crate::bus::{BoardParts, Bus};
use crate::config::MachineConfig;
use crate::ia32::cpu::core::Core;
use crate::ia32::isa::insn::Seg;
use crate::ia32::Machine;

use crate::vectors::reader::{self, add_words, Block, Range, Reader, ANSWER_MAGIC};

/// General registers, EIP, EFLAGS, and the selectors in the order of their numbers.
const STATE_WORDS: usize = 8 + 2 + 6;

const CANNOT_BE_LOADED: &str =
    "has selectors that cannot be loaded; expected those of its descriptors";

/// The stride of a case whose faults are delivered: its memory has handlers.
const DELIVERED: u32 = u32::MAX;

/// The vector that an answer has where the processor shut down.
const SHUTDOWN: u32 = 0x100;

type State = [u32; STATE_WORDS];

struct Case {
    id: u32,
    limit: u32,
    /// Stops where EIP is this.
    end: u32,
    /// After a fault it goes on at the next multiple of this, in the code segment that it began with;
    /// 0: the fault ends it; [`DELIVERED`].
    stride: u32,
    state: State,
    /// CR0, CR3, CR4.
    control: [u32; 3],
    /// Base and limit of the GDT, which is the LDT, too.
    table: [u32; 2],
    blocks: Vec<Block>,
    ranges: Vec<Range>,
}

/// Answers every case from `input` on `output`, on a machine made from `config` and `parts`.
///
/// # Errors
/// One line that says which case is malformed and what was expected, or that reading or writing
/// failed.
pub(super) fn run(
    config: &MachineConfig,
    parts: BoardParts,
    input: &mut dyn Read,
    output: &mut dyn Write,
) -> Result<(), String> {
    let mut machine = Machine::<()>::new(config, parts, ());
    let mut reader = Reader::new(input);
    while let Some(case) = read_case(&mut reader, machine.bus())? {
        let answer = answer(&mut machine, &case).map_err(|what| reader.wrong(&what))?;
        output
            .write_all(&answer)
            .map_err(|e| format!("writing an answer: {e}"))?;
    }
    output.flush().map_err(|e| format!("writing answers: {e}"))
}

fn answer(machine: &mut Machine, case: &Case) -> Result<Vec<u8>, String> {
    reader::write_blocks(machine.bus(), &case.blocks);
    let core = machine.core();
    core.mem.memory_changed();
    set_state(core, case)?;
    let cs = core.segment(Seg::Cs).selector;
    let mut faults = Vec::new();
    let mut count = 0;
    let mut steps = 0;
    while steps < case.limit && core.eip != case.end {
        steps += 1;
        if case.stride == DELIVERED {
            core.step();
            if core.dead.take().is_some() {
                count += 1;
                add_words(&mut faults, [SHUTDOWN, u32::MAX, core.control(2), core.eip]);
                break;
            }
            continue;
        }
        let Err(fault) = core.execute() else {
            continue;
        };
        count += 1;
        let code = fault.code.map_or(u32::MAX, u32::from);
        let vector = u32::from(fault.vector);
        add_words(&mut faults, [vector, code, core.control(2), core.eip]);
        if case.stride == 0 {
            break;
        }
        core.eip = (core.eip / case.stride + 1).wrapping_mul(case.stride);
        if core.segment(Seg::Cs).selector != cs {
            core.set_code(cs).map_err(|_| CANNOT_BE_LOADED)?;
        }
    }
    let state = get_state(core);
    let mut answer = Vec::new();
    add_words(&mut answer, [ANSWER_MAGIC, case.id, steps]);
    add_words(&mut answer, state);
    add_words(&mut answer, [count]);
    answer.extend(faults);
    reader::add_ranges(&mut answer, machine.bus(), &case.ranges);
    Ok(answer)
}

fn set_state(core: &mut Core, case: &Case) -> Result<(), String> {
    let state = &case.state;
    let [base, limit] = case.table;
    let selectors = std::array::from_fn(|n| state[10 + n] as u16);
    core.start_flat(state[8]);
    core.set_controls([0, 0, 0]);
    core.set_local_table(base, limit as u16);
    core.set_tables(base, limit as u16, selectors)
        .map_err(|_| CANNOT_BE_LOADED)?;
    core.set_controls(case.control);
    core.r[..8].copy_from_slice(&state[..8]);
    core.set_eflags(state[9]);
    core.fpu.initialize();
    Ok(())
}

fn get_state(core: &Core) -> State {
    let mut state = [0; STATE_WORDS];
    state[..8].copy_from_slice(&core.r[..8]);
    state[8] = core.eip;
    state[9] = core.eflags();
    for (word, seg) in state[10..].iter_mut().zip(Seg::ALL) {
        *word = u32::from(core.segment(seg).selector);
    }
    state
}

/// The next case, `None` at the end of the input.
fn read_case(reader: &mut Reader, bus: &Bus) -> Result<Option<Case>, String> {
    let Some(id) = reader.begin()? else {
        return Ok(None);
    };
    let [limit, end, stride] = reader.words()?;
    Ok(Some(Case {
        id,
        limit,
        end,
        stride,
        state: reader.words()?,
        control: reader.words()?,
        table: reader.words()?,
        blocks: reader.blocks(bus)?,
        ranges: reader.ranges(bus)?,
    }))
}

// SPDX-License-Identifier: Apache-2.0
//! Architectural test vectors: a processor's state and memory come in, some instructions run, the
//! state and memory go out. The protocol is specified in `tests/differential/README.md`, whose
//! tests compare the answers with those of a processor that is not ours.

use std::io::{Read, Write};

use crate::arm::core::{bank, Bank, Exception};
use crate::bus::BoardParts;
use crate::config::MachineConfig;
use crate::machine::Machine;

const CASE_MAGIC: u32 = 0x4356_5953;
const ANSWER_MAGIC: u32 = 0x4156_5953;
const STATE_WORDS: usize = 37;

/// The 37 words of a state record.
type State = [u32; STATE_WORDS];

/// A stretch of memory that a case asks for: address and length.
type Range = (u32, u32);

struct Case {
    id: u32,
    limit: u32,
    state: State,
    blocks: Vec<(u32, Vec<u8>)>,
    ranges: Vec<Range>,
}

/// Answers every case from `input` on `output`, on a machine made from `config` and `parts` whose
/// MMU and caches stay off.
///
/// # Errors
/// One line that says which case is malformed and what was expected, or that reading or writing
/// failed.
pub fn run(
    config: &MachineConfig,
    parts: BoardParts,
    input: &mut impl Read,
    output: &mut impl Write,
) -> Result<(), String> {
    let mut machine = Machine::new(config, parts, ());
    let mut reader = Reader {
        input,
        case: "the first case".to_owned(),
    };
    while let Some(case) = reader.case(&mut machine)? {
        let answer = answer(&mut machine, &case);
        output
            .write_all(&answer)
            .map_err(|e| format!("writing an answer: {e}"))?;
    }
    output.flush().map_err(|e| format!("writing answers: {e}"))
}

fn answer(machine: &mut Machine, case: &Case) -> Vec<u8> {
    for (address, bytes) in &case.blocks {
        if let Some(memory) = machine.bus().ram_slice_mut(*address, bytes.len()) {
            memory.copy_from_slice(bytes);
        }
    }
    let core = machine.core();
    set_state(core, &case.state);
    let mut executed = 0;
    core.taken = None;
    while executed < case.limit && core.taken.is_none() {
        core.step();
        executed += u32::from(core.taken.is_none());
    }
    let exception = match core.taken {
        None => 0,
        Some(Exception::Undefined) => 1,
        Some(Exception::Swi) => 2,
        Some(Exception::PrefetchAbort) => 3,
        Some(Exception::DataAbort) => 4,
        Some(Exception::Irq) => 5,
        Some(Exception::Fiq) => 6,
    };
    let state = get_state(core);
    let length: u32 = case.ranges.iter().map(|(_, length)| length).sum();
    let mut answer = Vec::new();
    let head = [ANSWER_MAGIC, case.id, executed, exception];
    for word in head.into_iter().chain(state).chain([length]) {
        answer.extend(word.to_le_bytes());
    }
    for &(address, length) in &case.ranges {
        if let Some(memory) = machine.bus().ram_slice(address, length as usize) {
            answer.extend(memory);
        }
    }
    answer
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

fn set_state(core: &mut crate::arm::core::Core<()>, state: &State) {
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

fn get_state(core: &mut crate::arm::core::Core<()>) -> State {
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

/// Reads cases and checks them.
struct Reader<'a, R> {
    input: &'a mut R,
    /// What is being read, for messages.
    case: String,
}

impl<R: Read> Reader<'_, R> {
    /// The next case, `None` at the end of the input.
    fn case(&mut self, machine: &mut Machine) -> Result<Option<Case>, String> {
        let mut magic = [0; 4];
        let mut have = 0;
        while have < 4 {
            match self.input.read(&mut magic[have..]) {
                Ok(0) if have == 0 => return Ok(None),
                Ok(0) => return Err(self.wrong("ends inside its magic; expected a whole case")),
                Ok(n) => have += n,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(self.wrong(&format!("cannot be read: {e}"))),
            }
        }
        let magic = u32::from_le_bytes(magic);
        if magic != CASE_MAGIC {
            let what = format!("has magic {magic:#010x}; expected {CASE_MAGIC:#010x}");
            return Err(self.wrong(&what));
        }
        let id = self.word()?;
        self.case = format!("case {id}");
        let flags = self.word()?;
        if flags != 0 {
            return Err(self.wrong(&format!("has flags {flags:#x}; expected 0")));
        }
        let limit = self.word()?;
        let mut state = [0; STATE_WORDS];
        for word in &mut state {
            *word = self.word()?;
        }
        if bank(state[36]).is_none() {
            let what = format!(
                "has CPSR {:#010x}; expected one that names a mode",
                state[36]
            );
            return Err(self.wrong(&what));
        }
        let mut blocks = Vec::new();
        for _ in 0..self.word()? {
            let (address, length) = self.range(machine)?;
            let mut bytes = vec![0; length as usize];
            self.fill(&mut bytes)?;
            blocks.push((address, bytes));
        }
        let mut ranges = Vec::new();
        for _ in 0..self.word()? {
            ranges.push(self.range(machine)?);
        }
        Ok(Some(Case {
            id,
            limit,
            state,
            blocks,
            ranges,
        }))
    }

    fn range(&mut self, machine: &mut Machine) -> Result<Range, String> {
        let (address, length) = (self.word()?, self.word()?);
        let aligned = address % 4 == 0 && length % 4 == 0;
        if !aligned || machine.bus().ram_slice(address, length as usize).is_none() {
            let (base, size) = machine.bus().ram_window();
            return Err(self.wrong(&format!(
                "has {length} bytes at {address:#010x}; expected whole words within the {size} \
                 bytes of memory at {base:#010x}"
            )));
        }
        Ok((address, length))
    }

    fn word(&mut self) -> Result<u32, String> {
        let mut bytes = [0; 4];
        self.fill(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), String> {
        self.input
            .read_exact(bytes)
            .map_err(|_| self.wrong("ends too early; expected a whole case"))
    }

    fn wrong(&self, what: &str) -> String {
        format!("vectors: {} {what}", self.case)
    }
}

// SPDX-License-Identifier: Apache-2.0
//! The instruction log (`--log`): one line an instruction, with the registers that it changed.
//!
//! `CYCLE PC ENCODING [-] [NAME=VALUE...] [<FUNCTION+OFFSET>]`; `-` marks an instruction whose
//! condition failed, a Thumb instruction's encoding has four digits, and the function is there if
//! `--symbols` names a file that has it. Numbers other than the cycle are hexadecimal.

use std::io::{self, Write};

use crate::observe::{Commit, Observed, Observer, Word};
use crate::symbols::Symbols;

/// Writes the log.
#[derive(Debug)]
pub struct Log<W: Write, R> {
    out: W,
    /// The registers as they were last.
    before: Vec<R>,
    status: R,
    symbols: Symbols,
    failed: Option<io::Error>,
}

impl<W: Write, R: Word> Log<W, R> {
    /// A log of a machine whose registers are zero; places are named by `symbols`.
    pub fn new(out: W, symbols: Symbols) -> Self {
        Self {
            out,
            before: Vec::new(),
            status: R::default(),
            symbols,
            failed: None,
        }
    }

    /// Ends the log.
    ///
    /// # Errors
    /// The first error that writing has met.
    pub fn finish(&mut self) -> io::Result<()> {
        match self.failed.take() {
            Some(error) => Err(error),
            None => self.out.flush(),
        }
    }

    /// What it was written to, once it has ended.
    pub fn into_inner(self) -> W {
        self.out
    }

    fn line<A: Observed<Word = R>>(&mut self, commit: &Commit<'_, A>) -> io::Result<()> {
        let out = &mut self.out;
        let digits = R::DIGITS;
        let Commit {
            cycle, pc, code, ..
        } = commit;
        write!(out, "{cycle} {pc:0digits$x} {code}")?;
        if !commit.executed {
            write!(out, " -")?;
        }
        self.before.resize(commit.registers.len(), R::default());
        let registers = self.before.iter().zip(commit.registers);
        for (name, (before, after)) in A::REGISTERS.iter().zip(registers) {
            if before != after {
                write!(out, " {name}={after:0digits$x}")?;
            }
        }
        if self.status != commit.status {
            write!(out, " {}={:0digits$x}", A::STATUS, commit.status)?;
        }
        if let Some((name, offset)) = self.symbols.find(commit.pc) {
            write!(out, " <{name}+{offset:#x}>")?;
        }
        writeln!(out)
    }
}

impl<W: Write, A: Observed> Observer<A> for Log<W, A::Word> {
    const ON: bool = true;

    fn commit(&mut self, commit: &Commit<'_, A>) {
        if self.failed.is_some() {
            return;
        }
        if let Err(error) = self.line(commit) {
            self.failed = Some(error);
        }
        self.before.copy_from_slice(commit.registers);
        self.status = commit.status;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arm::isa::{encoding::Encoding, Arm};
    use crate::arm::memory::memsys::MemSys;
    use crate::bus::Bus;
    use crate::config::MachineConfig;
    use crate::registry;

    #[test]
    fn a_line_names_what_changed() {
        let config = MachineConfig::find("sa1110").unwrap();
        let parts = (registry::board(&config.board).unwrap().parts)(config.ram_bytes);
        let memory = MemSys::new(&config, Bus::new(parts, config.clock_hz));
        let mut out = Vec::new();
        let mut log = Log::new(&mut out, Symbols::new());
        let mut registers = [0; 16];
        registers[0] = 1;
        let mut commit = Commit::<Arm> {
            cycle: 22,
            pc: 0xc000_8000,
            code: Encoding {
                word: 0xe3a0_0001,
                thumb: false,
            },
            executed: true,
            next_pc: 0xc000_8004,
            mode: 0x13,
            registers: &registers,
            status: 0xd3,
            memory: &memory,
        };
        log.commit(&commit);
        commit.cycle = 23;
        commit.executed = false;
        log.commit(&commit);
        log.finish().unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "22 c0008000 e3a00001 r0=00000001 cpsr=000000d3\n23 c0008000 e3a00001 -\n"
        );
    }
}

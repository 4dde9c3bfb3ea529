// SPDX-License-Identifier: Apache-2.0
//! The instruction log (`--log`): one line an instruction, with the registers that it changed.
//!
//! `CYCLE PC ENCODING [-] [rN=VALUE...] [cpsr=VALUE] [<FUNCTION+OFFSET>]`; `-` marks an instruction
//! whose condition failed, a Thumb instruction's encoding has four digits, and the function is there
//! if `--symbols` names a file that has it. Numbers other than the cycle are hexadecimal.

use std::io::{self, Write};

use crate::arm::memsys::MemSys;
use crate::arm::observe::{Access, Commit, Observer};
use crate::dev::Width;
use crate::symbols::Symbols;

/// Writes the log.
#[derive(Debug)]
pub struct Log<W: Write> {
    out: W,
    before: [u32; 15],
    cpsr: u32,
    /// Whether the instruction is a Thumb instruction.
    thumb: bool,
    symbols: Symbols,
    failed: Option<io::Error>,
}

impl<W: Write> Log<W> {
    /// A log of a machine whose registers are zero; places are named by `symbols`.
    pub fn new(out: W, symbols: Symbols) -> Self {
        Self {
            out,
            before: [0; 15],
            cpsr: 0,
            thumb: false,
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

    fn line(&mut self, commit: &Commit) -> io::Result<()> {
        let out = &mut self.out;
        let digits = if self.thumb { 4 } else { 8 };
        write!(
            out,
            "{} {:08x} {:0digits$x}",
            commit.cycle, commit.pc, commit.insn
        )?;
        if !commit.executed {
            write!(out, " -")?;
        }
        for (n, (before, after)) in self.before.iter().zip(commit.r).enumerate() {
            if *before != after {
                write!(out, " r{n}={after:08x}")?;
            }
        }
        if self.cpsr != commit.cpsr {
            write!(out, " cpsr={:08x}", commit.cpsr)?;
        }
        if let Some((name, offset)) = self.symbols.find(commit.pc) {
            write!(out, " <{name}+{offset:#x}>")?;
        }
        writeln!(out)
    }
}

impl<W: Write> Observer for Log<W> {
    const ON: bool = true;

    fn fetched(&mut self, _memory: &MemSys, access: &Access, _insn: u32) {
        self.thumb = access.width == Width::Half;
    }

    fn commit(&mut self, commit: &Commit) {
        if self.failed.is_some() {
            return;
        }
        if let Err(error) = self.line(commit) {
            self.failed = Some(error);
        }
        self.before.copy_from_slice(&commit.r[..15]);
        self.cpsr = commit.cpsr;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_what_changed() {
        let mut out = Vec::new();
        let mut log = Log::new(&mut out, Symbols::new());
        let mut commit = Commit {
            cycle: 22,
            pc: 0xc000_8000,
            insn: 0xe3a0_0001,
            executed: true,
            cpsr: 0xd3,
            r: [0; 16],
        };
        commit.r[0] = 1;
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

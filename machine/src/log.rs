// SPDX-License-Identifier: Apache-2.0
//! The instruction log (`--log`): one line an instruction, with the registers that it changed.
//!
//! `CYCLE PC ENCODING [-] [rN=VALUE...] [cpsr=VALUE]`; `-` marks an instruction whose condition
//! failed. Numbers other than the cycle are hexadecimal.

use std::io::{self, Write};

use crate::observe::{Commit, Observer};

/// Writes the log.
#[derive(Debug)]
pub struct Log<W: Write> {
    out: W,
    before: [u32; 15],
    cpsr: u32,
    failed: Option<io::Error>,
}

impl<W: Write> Log<W> {
    /// A log of a machine that starts with these registers.
    pub fn new(out: W) -> Self {
        Self {
            out,
            before: [0; 15],
            cpsr: 0,
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
        write!(
            out,
            "{} {:08x} {:08x}",
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
        writeln!(out)
    }
}

impl<W: Write> Observer for Log<W> {
    const ON: bool = true;

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
        let mut log = Log::new(&mut out);
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

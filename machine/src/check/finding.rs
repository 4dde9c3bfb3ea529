// SPDX-License-Identifier: Apache-2.0
//! What the checker has found, and how it says so.

use std::fmt;

use crate::event::Cycle;
use crate::observe::Access;
use crate::symbols::Symbols;

use super::Writer;

/// A line of a cache, or what took its place, that is to blame.
#[derive(Debug, Clone, Copy)]
pub struct Line {
    /// What it has to do with the access.
    pub role: &'static str,
    /// The address that it answers to.
    pub mva: u64,
    /// The frame's address to which it belongs.
    pub pa: u32,
    /// The last store to it, if any.
    pub writer: Option<Writer>,
    /// What was done with it and mattered: by which instruction, and when.
    pub done: Option<Done>,
}

/// Something that an instruction did.
#[derive(Debug, Clone, Copy)]
pub struct Done {
    /// What.
    pub what: &'static str,
    /// The instruction.
    pub pc: u64,
    /// When.
    pub cycle: Cycle,
}

/// A difference between the machine and the ideal machine, and how often it was seen from this
/// instruction. The values are those of the first time.
#[derive(Debug, Clone)]
pub struct Finding {
    /// What was forgotten, by its name ...
    pub cause: &'static str,
    /// ... and in words.
    pub explanation: &'static str,
    /// The access that noticed.
    pub access: Access,
    /// Its address after relocation.
    pub mva: u64,
    /// Where the machine went.
    pub pa: u32,
    /// Where the ideal machine would have gone; `None`: it would have faulted.
    pub ideal_pa: Option<u32>,
    /// The domain of the translation that was used.
    pub domain: Option<u8>,
    /// What the machine read, and what the ideal machine would have; equal for stores.
    pub values: (u32, u32),
    /// The last store to the data, or to the descriptor for the causes that are about one.
    pub writer: Option<Writer>,
    /// The line that is to blame, if one is.
    pub line: Option<Line>,
    /// Where the translation came from, for the causes that are about one.
    pub translated: Option<Done>,
    /// The running space, and the one for which the translation was made, as the guest names them.
    pub spaces: Option<(u32, u32)>,
    /// What should have been followed by what was forgotten, where that is no store to memory.
    pub changed: Option<Done>,
    /// How often.
    pub count: u64,
}

impl Finding {
    /// The finding in one line; places have the names that `symbols` knows.
    #[must_use]
    pub fn told<'a>(&'a self, symbols: &'a Symbols) -> impl fmt::Display + 'a {
        Told {
            finding: self,
            symbols,
        }
    }
}

struct Told<'a> {
    finding: &'a Finding,
    symbols: &'a Symbols,
}

impl Told<'_> {
    fn place(&self, pc: u64) -> String {
        match self.symbols.find(pc) {
            Some((name, offset)) => format!("{pc:#010x} <{name}+{offset:#x}>"),
            None => format!("{pc:#010x}"),
        }
    }

    fn done(&self, f: &mut fmt::Formatter<'_>, done: &Done) -> fmt::Result {
        let Done { what, pc, cycle } = *done;
        write!(f, " {what} by pc {} in cycle {cycle}", self.place(pc))
    }

    fn writer(&self, f: &mut fmt::Formatter<'_>, writer: &Writer) -> fmt::Result {
        let Writer { pc, mva, cycle, .. } = *writer;
        write!(
            f,
            " last written by pc {} at mva {mva:#010x}",
            self.place(pc)
        )?;
        if let Some(domain) = writer.domain {
            write!(f, " domain {domain}")?;
        }
        write!(f, " in cycle {cycle}")
    }
}

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding {
            cause,
            explanation,
            access,
            ..
        } = self.finding;
        write!(
            f,
            "{cause}: {explanation} | pc {} cycle {} va {:#010x} mva {:#010x} pa {:#010x}",
            self.place(access.pc),
            access.cycle,
            access.va,
            self.finding.mva,
            self.finding.pa,
        )?;
        match self.finding.ideal_pa {
            None => write!(f, ", should fault")?,
            Some(ideal) if ideal != self.finding.pa => write!(f, ", should be pa {ideal:#010x}")?,
            Some(_) => {}
        }
        if let Some(domain) = self.finding.domain {
            write!(f, " domain {domain}")?;
        }
        let (read, newest) = self.finding.values;
        if read != newest {
            write!(f, " | read {read:#x}, newest {newest:#x}")?;
        }
        if let Some(writer) = &self.finding.writer {
            f.write_str(" |")?;
            self.writer(f, writer)?;
        }
        if let Some(line) = &self.finding.line {
            let Line { role, mva, pa, .. } = line;
            write!(f, " | {role} mva {mva:#010x} pa {pa:#010x}")?;
            if let Some(writer) = &line.writer {
                f.write_str(",")?;
                self.writer(f, writer)?;
            }
            if let Some(done) = &line.done {
                f.write_str(",")?;
                self.done(f, done)?;
            }
        }
        if let Some(done) = &self.finding.changed {
            f.write_str(" |")?;
            self.done(f, done)?;
        }
        if let Some(done) = &self.finding.translated {
            f.write_str(" |")?;
            self.done(f, done)?;
        }
        if let Some((running, other)) = self.finding.spaces {
            write!(f, " | running space {running:#010x}")?;
            if other != running {
                write!(f, ", made for space {other:#010x}")?;
            }
        }
        write!(f, " | {} times", self.finding.count)
    }
}

// SPDX-License-Identifier: Apache-2.0
//! The registers as GDB sees them: r0 to r15 and cpsr as its own ARM feature, those of CP15 and of
//! the other modes in features of ours, described to it in XML.

use std::fmt::Write as _;
use std::num::NonZeroUsize;

use gdbstub::arch::{Arch, RegId, Registers};

use crate::arm::core::{bank, Bank, Core};
use crate::arm::cores;
use crate::arm::cp15::Register;
use crate::arm::observe::Observer;

/// The program counter's number.
pub const PC: usize = 15;
/// More than any processor has.
const MOST: usize = 128;

/// Where a register is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// r0 to r15 of the current mode.
    Current(usize),
    Cpsr,
    /// Of CP15: CRn and opcode 2.
    System(u8, u8),
    /// r8 to r14 of the modes of a bank.
    Banked(Bank, usize),
    /// A saved status register.
    Saved(Bank),
}

/// A processor's registers by number, with their names.
#[derive(Debug, Clone)]
pub struct Table {
    core: &'static cores::Table,
    registers: Vec<(String, Place)>,
}

impl Table {
    /// Those of `core`.
    #[must_use]
    pub fn new(core: &'static cores::Table) -> Self {
        let mut registers: Vec<(String, Place)> = (0..=PC)
            .map(|n| (current_name(n), Place::Current(n)))
            .collect();
        registers.push(("cpsr".to_string(), Place::Cpsr));
        for &(name, crn, opcode_2) in core.shown {
            registers.push((name.to_string(), Place::System(crn, opcode_2)));
        }
        for (bank, mode) in [
            (Bank::Usr, "usr"),
            (Bank::Fiq, "fiq"),
            (Bank::Irq, "irq"),
            (Bank::Svc, "svc"),
            (Bank::Abt, "abt"),
            (Bank::Und, "und"),
        ] {
            let first = if matches!(bank, Bank::Usr | Bank::Fiq) {
                8
            } else {
                13
            };
            for n in first..PC {
                let name = format!("{}_{mode}", current_name(n));
                registers.push((name, Place::Banked(bank, n)));
            }
            if bank != Bank::Usr {
                registers.push((format!("spsr_{mode}"), Place::Saved(bank)));
            }
        }
        Self { core, registers }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.registers.len()
    }

    /// The description for GDB.
    #[must_use]
    pub fn description(&self) -> String {
        let architecture = self.core.architecture.name();
        let mut text = format!(
            "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n\
             <target version=\"1.0\">\n<architecture>{architecture}</architecture>\n"
        );
        let mut feature = "";
        for (name, place) in &self.registers {
            let (mine, group) = match place {
                Place::Current(_) | Place::Cpsr => ("org.gnu.gdb.arm.core", ""),
                Place::System(..) => ("switchyard.cp15", " group=\"general\""),
                // not among what `info registers` shows, but `info registers banked`
                Place::Banked(..) | Place::Saved(_) => ("switchyard.banked", " group=\"banked\""),
            };
            if mine != feature {
                if !feature.is_empty() {
                    text.push_str("</feature>\n");
                }
                let _ = writeln!(text, "<feature name=\"{mine}\">");
                feature = mine;
            }
            let kind = match name.as_str() {
                "sp" => "data_ptr",
                "lr" | "pc" => "code_ptr",
                _ => "uint32",
            };
            let _ = writeln!(
                text,
                "<reg name=\"{name}\" bitsize=\"32\" type=\"{kind}\"{group}/>"
            );
        }
        text.push_str("</feature>\n</target>\n");
        text
    }

    /// Reads register `number`.
    pub fn read<O: Observer>(&self, core: &mut Core<O>, number: usize) -> Option<u32> {
        let (_, place) = self.registers.get(number)?;
        Some(match *place {
            Place::Current(n) => core.r[n],
            Place::Cpsr => core.cpsr(),
            Place::System(crn, opcode_2) => core.read_cp15(Register::new(crn, 0, opcode_2)),
            Place::Banked(bank, n) => *core.banked_register(bank, n),
            Place::Saved(bank) => *core.spsr_of(bank),
        })
    }

    /// Writes register `number`. One of CP15 is written as the guest would, with the effects and
    /// the count of that. `false`: no such register or value.
    pub fn write<O: Observer>(&self, core: &mut Core<O>, number: usize, value: u32) -> bool {
        let Some((_, place)) = self.registers.get(number) else {
            return false;
        };
        match *place {
            Place::Current(PC) => core.r[PC] = value & if core.thumb() { !1 } else { !3 },
            Place::Current(n) => core.r[n] = value,
            Place::Cpsr if bank(value).is_none() => return false,
            Place::Cpsr => core.set_cpsr(value),
            Place::System(crn, opcode_2) => {
                core.write_cp15(Register::new(crn, 0, opcode_2), value);
            }
            Place::Banked(bank, n) => *core.banked_register(bank, n) = value,
            Place::Saved(bank) => *core.spsr_of(bank) = value,
        }
        true
    }
}

fn current_name(n: usize) -> String {
    match n {
        13 => "sp".to_string(),
        14 => "lr".to_string(),
        PC => "pc".to_string(),
        _ => format!("r{n}"),
    }
}

/// The architecture, as the protocol needs it.
#[derive(Debug)]
pub enum Arm {}

impl Arch for Arm {
    type Usize = u32;
    type Registers = Values;
    type BreakpointKind = usize;
    type RegId = Number;
}

/// A register's number in the description.
#[derive(Debug, Clone, Copy)]
pub struct Number(pub usize);

impl RegId for Number {
    fn from_raw_id(id: usize) -> Option<(Self, Option<NonZeroUsize>)> {
        (id < MOST).then_some((Self(id), NonZeroUsize::new(4)))
    }

    fn to_raw_id(&self) -> Option<usize> {
        Some(self.0)
    }
}

/// All registers, in the order of their numbers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Values(pub Vec<u32>);

impl Registers for Values {
    type ProgramCounter = u32;

    fn pc(&self) -> u32 {
        self.0.get(PC).copied().unwrap_or(0)
    }

    fn gdb_serialize(&self, mut write_byte: impl FnMut(Option<u8>)) {
        for byte in self.0.iter().flat_map(|value| value.to_le_bytes()) {
            write_byte(Some(byte));
        }
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        if bytes.len() % 4 != 0 || bytes.len() / 4 > MOST {
            return Err(());
        }
        let words = bytes.chunks_exact(4);
        self.0 = words
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ArmCore;

    #[test]
    fn each_register_is_described_once() {
        for (core, count) in [
            (ArmCore::Sa1110, 50),
            (ArmCore::Arm920, 51),
            (ArmCore::Arm926, 52),
        ] {
            let table = Table::new(cores::Table::of(core));
            let text = table.description();
            assert_eq!(table.count(), count);
            assert_eq!(text.matches("<reg ").count(), count);
            assert_eq!(text.matches("<feature ").count(), 3);
            assert_eq!(text.matches("</feature>").count(), 3);
            for (name, _) in &table.registers {
                assert_eq!(text.matches(&format!("\"{name}\"")).count(), 1, "{name}");
            }
        }
    }
}

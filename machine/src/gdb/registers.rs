// SPDX-License-Identifier: Apache-2.0
//! The registers as GDB sees them: r0 to r15 and cpsr as its own ARM feature, and the registers of
//! CP15 in a feature of ours, described to it in XML.

use std::num::NonZeroUsize;

use gdbstub::arch::{Arch, RegId, Registers};

use crate::arm::core::{bank, Core};
use crate::arm::cp15::Register;
use crate::observe::Observer;

/// r0 to r15, cpsr, then CP15.
pub const COUNT: usize = 17 + CP15.len();
/// The program counter's number.
pub const PC: usize = 15;
const CPSR: usize = 16;
/// The CP15 registers by number (CRn), in the order of the description.
const CP15: [u8; 6] = [1, 2, 3, 5, 6, 13];

const DESCRIPTION: &str = r#"<?xml version="1.0"?>
<!DOCTYPE target SYSTEM "gdb-target.dtd">
<target version="1.0">
<architecture>armv4</architecture>
<feature name="org.gnu.gdb.arm.core">
<reg name="r0" bitsize="32" type="uint32"/>
<reg name="r1" bitsize="32" type="uint32"/>
<reg name="r2" bitsize="32" type="uint32"/>
<reg name="r3" bitsize="32" type="uint32"/>
<reg name="r4" bitsize="32" type="uint32"/>
<reg name="r5" bitsize="32" type="uint32"/>
<reg name="r6" bitsize="32" type="uint32"/>
<reg name="r7" bitsize="32" type="uint32"/>
<reg name="r8" bitsize="32" type="uint32"/>
<reg name="r9" bitsize="32" type="uint32"/>
<reg name="r10" bitsize="32" type="uint32"/>
<reg name="r11" bitsize="32" type="uint32"/>
<reg name="r12" bitsize="32" type="uint32"/>
<reg name="sp" bitsize="32" type="data_ptr"/>
<reg name="lr" bitsize="32" type="code_ptr"/>
<reg name="pc" bitsize="32" type="code_ptr"/>
<reg name="cpsr" bitsize="32" type="uint32"/>
</feature>
<feature name="switchyard.cp15">
<reg name="control" bitsize="32" type="uint32" group="general"/>
<reg name="ttb" bitsize="32" type="uint32" group="general"/>
<reg name="dacr" bitsize="32" type="uint32" group="general"/>
<reg name="fsr" bitsize="32" type="uint32" group="general"/>
<reg name="far" bitsize="32" type="uint32" group="general"/>
<reg name="pid" bitsize="32" type="uint32" group="general"/>
</feature>
</target>
"#;

/// The architecture, as the protocol needs it.
#[derive(Debug)]
pub enum Arm {}

impl Arch for Arm {
    type Usize = u32;
    type Registers = Values;
    type BreakpointKind = usize;
    type RegId = Number;

    fn target_description_xml() -> Option<&'static str> {
        Some(DESCRIPTION)
    }
}

/// A register's number in the description.
#[derive(Debug, Clone, Copy)]
pub struct Number(pub usize);

impl RegId for Number {
    fn from_raw_id(id: usize) -> Option<(Self, Option<NonZeroUsize>)> {
        (id < COUNT).then_some((Self(id), NonZeroUsize::new(4)))
    }

    fn to_raw_id(&self) -> Option<usize> {
        Some(self.0)
    }
}

/// All registers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Values(pub [u32; COUNT]);

impl Registers for Values {
    type ProgramCounter = u32;

    fn pc(&self) -> u32 {
        self.0[PC]
    }

    fn gdb_serialize(&self, mut write_byte: impl FnMut(Option<u8>)) {
        for byte in self.0.iter().flat_map(|value| value.to_le_bytes()) {
            write_byte(Some(byte));
        }
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        if bytes.len() != 4 * COUNT {
            return Err(());
        }
        for (value, bytes) in self.0.iter_mut().zip(bytes.chunks_exact(4)) {
            *value = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        Ok(())
    }
}

fn cp15(number: usize) -> Register {
    Register {
        crn: CP15[number - CPSR - 1],
        crm: 0,
        opcode_2: 0,
    }
}

/// Reads register `number` (below [`COUNT`]).
pub fn read<O: Observer>(core: &mut Core<O>, number: usize) -> u32 {
    match number {
        0..=PC => core.r[number],
        CPSR => core.cpsr(),
        _ => core.read_cp15(cp15(number)),
    }
}

/// Writes register `number`. One of CP15 is written as the guest would, with the effects and the
/// count of that. `false`: no such value.
pub fn write<O: Observer>(core: &mut Core<O>, number: usize, value: u32) -> bool {
    match number {
        PC => core.r[PC] = value & !3,
        0..=14 => core.r[number] = value,
        CPSR if bank(value).is_none() => return false,
        CPSR => core.set_cpsr(value),
        _ => core.write_cp15(cp15(number), value),
    }
    true
}

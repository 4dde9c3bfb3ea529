// SPDX-License-Identifier: Apache-2.0
//! Thumb instructions (DDI 0100, chapter A7), each decoded into the ARM instruction that does the
//! same, as the first Thumb processors did in their decode stage; the few that none equals have
//! handlers of their own.

use crate::arm::isa::architecture::Architecture;
use crate::arm::isa::decoder;
use crate::arm::isa::insn::{Insn, Op};
use crate::arm::isa::kind::{self, Kind};

/// The condition "always".
const ALWAYS: u32 = 0xe000_0000;
/// The S bit of data processing.
const S: u32 = 1 << 20;
/// Data processing with a constant.
const CONSTANT: u32 = 1 << 25;
/// A constant rotated right by 30: four times as large.
const TIMES_4: u32 = 15 << 8;
/// LDR with an offset added, without writeback; STR lacks the load bit.
const LDR: u32 = ALWAYS | 0x0590_0000;
const STR: u32 = ALWAYS | 0x0580_0000;
const BYTE: u32 = 1 << 22;
/// LDRH and STRH with a constant offset added.
const LDRH: u32 = ALWAYS | 0x01d0_00b0;
const STRH: u32 = ALWAYS | 0x01c0_00b0;
const SP: u32 = 13;

/// Opcodes of data processing, bits 24:21 of an ARM instruction.
mod opcode {
    pub const AND: u32 = 0;
    pub const EOR: u32 = 1;
    pub const SUB: u32 = 2;
    pub const RSB: u32 = 3;
    pub const ADD: u32 = 4;
    pub const ADC: u32 = 5;
    pub const SBC: u32 = 6;
    pub const TST: u32 = 8;
    pub const CMP: u32 = 10;
    pub const CMN: u32 = 11;
    pub const ORR: u32 = 12;
    pub const MOV: u32 = 13;
    pub const BIC: u32 = 14;
    pub const MVN: u32 = 15;
}

/// Decodes the Thumb instruction `half`. BKPT and both forms of BLX came with version 5.
#[must_use]
pub fn decode(half: u16, architecture: Architecture) -> Op {
    let (word, mut kind) = expand(u32::from(half));
    let later = [
        kind::BREAKPOINT,
        kind::BRANCH_LINK_EXCHANGE,
        kind::THUMB_LINK_EXCHANGE,
    ];
    if architecture < Architecture::V5Te && kind.is_some_and(|kind| later.contains(&kind)) {
        kind = Some(kind::UNDEFINED);
    }
    let insn = Insn(word);
    Op::new(insn, kind.unwrap_or_else(|| decoder::kind_v5(insn).1))
}

/// The ARM instruction, or what a handler for Thumb alone reads (`Some`).
fn expand(half: u32) -> (u32, Option<Kind>) {
    let low = |at: u32| (half >> at) & 7;
    match half >> 11 {
        0..=2 => (shift_by_constant(half), None),
        3 => (add_or_subtract(half), None),
        4..=7 => (with_byte(half), None),
        8 if half & 0x400 == 0 => (data_processing(half), None),
        8 => high_registers(half),
        9 => {
            let insn = (low(8) << 12) | ((half & 0xff) << 2);
            (ALWAYS | insn, Some(kind::THUMB_LOAD_PC_RELATIVE))
        }
        10 | 11 => (with_register_offset(half), None),
        12..=15 => (with_offset(half), None),
        16 | 17 => {
            // Halfwords; the offset, twice five bits, is split over two fields.
            let offset = (half >> 5) & 0x3e;
            let form = if half & 0x800 == 0 { STRH } else { LDRH };
            let split = ((offset & 0xf0) << 4) | (offset & 0xf);
            (form | (low(3) << 16) | (low(0) << 12) | split, None)
        }
        18 | 19 => {
            let form = if half & 0x800 == 0 { STR } else { LDR };
            (
                form | (SP << 16) | (low(8) << 12) | ((half & 0xff) << 2),
                None,
            )
        }
        20 => {
            let insn = (low(8) << 12) | ((half & 0xff) << 2);
            (ALWAYS | insn, Some(kind::THUMB_ADDRESS))
        }
        21 => (
            data(
                opcode::ADD,
                0,
                SP,
                low(8),
                CONSTANT | TIMES_4 | (half & 0xff),
            ),
            None,
        ),
        22 | 23 => miscellaneous(half),
        24 => (ALWAYS | 0x08a0_0000 | (low(8) << 16) | (half & 0xff), None),
        25 => (load_multiple(half), None),
        26 | 27 => conditional(half),
        28 => branch(14, (half & 0x7ff) << 1, 12),
        29 if half & 1 != 0 => undefined(half),
        29 => (ALWAYS | (half & 0x7ff), Some(kind::THUMB_LINK_EXCHANGE)),
        30 => (ALWAYS | (half & 0x7ff), Some(kind::THUMB_LINK_HIGH)),
        _ => (ALWAYS | (half & 0x7ff), Some(kind::THUMB_LINK_LOW)),
    }
}

/// A data-processing instruction.
fn data(opcode: u32, s: u32, rn: u32, rd: u32, operand: u32) -> u32 {
    ALWAYS | (opcode << 21) | s | (rn << 16) | (rd << 12) | operand
}

fn undefined(half: u32) -> (u32, Option<Kind>) {
    (ALWAYS | half, Some(kind::UNDEFINED))
}

/// LSL, LSR and ASR by a constant, which is encoded as in ARM state.
fn shift_by_constant(half: u32) -> u32 {
    let (kind, amount) = ((half >> 11) & 3, (half >> 6) & 31);
    let operand = (amount << 7) | (kind << 5) | ((half >> 3) & 7);
    data(opcode::MOV, S, 0, half & 7, operand)
}

/// ADD and SUB of a register or a three-bit constant.
fn add_or_subtract(half: u32) -> u32 {
    let opcode = if half & 0x200 == 0 {
        opcode::ADD
    } else {
        opcode::SUB
    };
    let constant = if half & 0x400 == 0 { 0 } else { CONSTANT };
    let operand = constant | ((half >> 6) & 7);
    data(opcode, S, (half >> 3) & 7, half & 7, operand)
}

/// MOV, CMP, ADD and SUB with an eight-bit constant.
fn with_byte(half: u32) -> u32 {
    let register = (half >> 8) & 7;
    let operand = CONSTANT | (half & 0xff);
    match (half >> 11) & 3 {
        0 => data(opcode::MOV, S, 0, register, operand),
        1 => data(opcode::CMP, S, register, 0, operand),
        2 => data(opcode::ADD, S, register, register, operand),
        _ => data(opcode::SUB, S, register, register, operand),
    }
}

/// Format 4: the sixteen operations of two low registers.
fn data_processing(half: u32) -> u32 {
    let (rm, rd) = ((half >> 3) & 7, half & 7);
    // MOVS rd, rd, shifted by rm.
    let shift = |kind: u32| data(opcode::MOV, S, 0, rd, (rm << 8) | (kind << 5) | 0x10 | rd);
    let two = |opcode: u32| data(opcode, S, rd, rd, rm);
    let compare = |opcode: u32| data(opcode, S, rd, 0, rm);
    match (half >> 6) & 15 {
        0 => two(opcode::AND),
        1 => two(opcode::EOR),
        2 => shift(0),
        3 => shift(1),
        4 => shift(2),
        5 => two(opcode::ADC),
        6 => two(opcode::SBC),
        7 => shift(3),
        8 => compare(opcode::TST),
        // NEG: RSBS rd, rm, #0.
        9 => data(opcode::RSB, S, rm, rd, CONSTANT),
        10 => compare(opcode::CMP),
        11 => compare(opcode::CMN),
        12 => two(opcode::ORR),
        // MULS rd, rm, rd.
        13 => ALWAYS | S | (rd << 16) | (rd << 8) | 0x90 | rm,
        14 => two(opcode::BIC),
        _ => data(opcode::MVN, S, 0, rd, rm),
    }
}

/// Format 5: ADD, CMP and MOV of all registers; BX and BLX.
fn high_registers(half: u32) -> (u32, Option<Kind>) {
    let rm = (half >> 3) & 15;
    let rd = (half & 7) | ((half >> 4) & 8);
    match (half >> 8) & 3 {
        0 => (data(opcode::ADD, 0, rd, rd, rm), None),
        1 => (data(opcode::CMP, S, rd, 0, rm), None),
        2 => (data(opcode::MOV, 0, 0, rd, rm), None),
        _ if half & 0x80 == 0 => (ALWAYS | rm, Some(kind::BRANCH_EXCHANGE)),
        _ => (ALWAYS | rm, Some(kind::BRANCH_LINK_EXCHANGE)),
    }
}

/// Formats 7 and 8: loads and stores with a register offset.
fn with_register_offset(half: u32) -> u32 {
    const REGISTER: u32 = 1 << 25;
    let registers = (((half >> 3) & 7) << 16) | ((half & 7) << 12) | ((half >> 6) & 7);
    let form = match (half >> 9) & 7 {
        0 => STR | REGISTER,
        1 => ALWAYS | 0x0180_00b0,
        2 => STR | REGISTER | BYTE,
        3 => ALWAYS | 0x0190_00d0,
        4 => LDR | REGISTER,
        5 => ALWAYS | 0x0190_00b0,
        6 => LDR | REGISTER | BYTE,
        _ => ALWAYS | 0x0190_00f0,
    };
    form | registers
}

/// Format 9: words and bytes with a five-bit offset, of words counted in words.
fn with_offset(half: u32) -> u32 {
    let offset = (half >> 6) & 31;
    let form = if half & 0x800 == 0 { STR } else { LDR };
    let registers = (((half >> 3) & 7) << 16) | ((half & 7) << 12);
    if half & 0x1000 == 0 {
        form | registers | (offset << 2)
    } else {
        form | BYTE | registers | offset
    }
}

/// LDMIA: without writeback where the base is loaded.
fn load_multiple(half: u32) -> u32 {
    let base = (half >> 8) & 7;
    let writeback = if half & (1 << base) == 0 { 1 << 21 } else { 0 };
    ALWAYS | 0x0890_0000 | writeback | (base << 16) | (half & 0xff)
}

/// Adjustment of the stack pointer, PUSH, POP and BKPT; all else is undefined before ARMv6.
fn miscellaneous(half: u32) -> (u32, Option<Kind>) {
    let list = half & 0xff;
    let extra = (half >> 8) & 1;
    match (half >> 8) & 15 {
        0 => {
            let opcode = if half & 0x80 == 0 {
                opcode::ADD
            } else {
                opcode::SUB
            };
            let operand = CONSTANT | TIMES_4 | (half & 0x7f);
            (data(opcode, 0, SP, SP, operand), None)
        }
        // STMDB sp! with r14, LDMIA sp! with r15.
        4 | 5 => (ALWAYS | 0x092d_0000 | (extra << 14) | list, None),
        12 | 13 => (ALWAYS | 0x08bd_0000 | (extra << 15) | list, None),
        14 => (ALWAYS | list, Some(kind::BREAKPOINT)),
        _ => undefined(half),
    }
}

/// Conditional branches and SWI.
fn conditional(half: u32) -> (u32, Option<Kind>) {
    match (half >> 8) & 15 {
        14 => undefined(half),
        15 => (ALWAYS | 0x0f00_0000 | (half & 0xff), None),
        cond => branch(cond, (half & 0xff) << 1, 9),
    }
}

/// A branch by an offset of `bits` bits, the highest of them the sign.
fn branch(cond: u32, offset: u32, bits: u32) -> (u32, Option<Kind>) {
    let shift = 32 - bits;
    let offset = ((offset << shift) as i32 >> shift) as u32;
    (
        (cond << 28) | (offset & 0x00ff_ffff),
        Some(kind::THUMB_BRANCH),
    )
}

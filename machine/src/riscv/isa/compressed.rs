// SPDX-License-Identifier: Apache-2.0
//! Compressed instructions (I, "C" extension), as the encodings of 32 bits that they stand for.

const LOAD: u32 = 0x03;
const LOAD_FP: u32 = 0x07;
const OP_IMM: u32 = 0x13;
const OP_IMM_32: u32 = 0x1b;
const STORE: u32 = 0x23;
const STORE_FP: u32 = 0x27;
const OP: u32 = 0x33;
const LUI: u32 = 0x37;
const OP_32: u32 = 0x3b;
const BRANCH: u32 = 0x63;
const JALR: u32 = 0x67;
const JAL: u32 = 0x6f;
const EBREAK: u32 = 0x0010_0073;
const SP: u32 = 2;

/// The instruction that `code` stands for; `None`: reserved, or illegal.
#[must_use]
pub fn expand(code: u16) -> Option<u32> {
    let code = u32::from(code);
    match (code & 3, code >> 13) {
        (0, 0) => addi4spn(code),
        (0, 1) => Some(load(
            LOAD_FP,
            3,
            offset_8(code),
            short(code, 7),
            short(code, 2),
        )),
        (0, 2) => Some(load(
            LOAD,
            2,
            offset_4(code),
            short(code, 7),
            short(code, 2),
        )),
        (0, 3) => Some(load(
            LOAD,
            3,
            offset_8(code),
            short(code, 7),
            short(code, 2),
        )),
        (0, 5) => Some(store(
            STORE_FP,
            3,
            offset_8(code),
            short(code, 7),
            short(code, 2),
        )),
        (0, 6) => Some(store(
            STORE,
            2,
            offset_4(code),
            short(code, 7),
            short(code, 2),
        )),
        (0, 7) => Some(store(
            STORE,
            3,
            offset_8(code),
            short(code, 7),
            short(code, 2),
        )),
        (1, 0) => Some(immediate(OP_IMM, 0, signed_6(code), rd(code), rd(code))),
        (1, 1) if rd(code) == 0 => None,
        (1, 1) => Some(immediate(OP_IMM_32, 0, signed_6(code), rd(code), rd(code))),
        (1, 2) => Some(immediate(OP_IMM, 0, signed_6(code), 0, rd(code))),
        (1, 3) => lui_or_addi16sp(code),
        (1, 4) => arithmetic(code),
        (1, 5) => Some(jal(jump_offset(code))),
        (1, 6) => Some(branch(0, branch_offset(code), short(code, 7))),
        (1, 7) => Some(branch(1, branch_offset(code), short(code, 7))),
        (2, 0) => Some(immediate(OP_IMM, 1, shift(code), rd(code), rd(code))),
        (2, 1) => Some(load(LOAD_FP, 3, stack_load_8(code), SP, rd(code))),
        (2, 2) if rd(code) != 0 => Some(load(LOAD, 2, stack_load_4(code), SP, rd(code))),
        (2, 3) if rd(code) != 0 => Some(load(LOAD, 3, stack_load_8(code), SP, rd(code))),
        (2, 4) => jump_or_move(code),
        (2, 5) => Some(store(STORE_FP, 3, stack_store_8(code), SP, rs2(code))),
        (2, 6) => Some(store(STORE, 2, stack_store_4(code), SP, rs2(code))),
        (2, 7) => Some(store(STORE, 3, stack_store_8(code), SP, rs2(code))),
        _ => None,
    }
}

/// C.ADDI4SPN.
fn addi4spn(code: u32) -> Option<u32> {
    let offset = bits(code, 11, 2) << 4
        | bits(code, 7, 4) << 6
        | bits(code, 6, 1) << 2
        | bits(code, 5, 1) << 3;
    (offset != 0).then(|| immediate(OP_IMM, 0, offset, SP, short(code, 2)))
}

/// C.LUI, C.ADDI16SP.
fn lui_or_addi16sp(code: u32) -> Option<u32> {
    if rd(code) == SP {
        let offset = bits(code, 12, 1) << 9
            | bits(code, 6, 1) << 4
            | bits(code, 5, 1) << 6
            | bits(code, 3, 2) << 7
            | bits(code, 2, 1) << 5;
        return (offset != 0).then(|| immediate(OP_IMM, 0, extend(offset, 10), SP, SP));
    }
    let value = signed_6(code);
    (value != 0).then(|| value << 12 | rd(code) << 7 | LUI)
}

/// C.SRLI, C.SRAI, C.ANDI and those of two registers.
fn arithmetic(code: u32) -> Option<u32> {
    let (rd, rs2) = (short(code, 7), short(code, 2));
    match bits(code, 10, 2) {
        0 => Some(immediate(OP_IMM, 5, shift(code), rd, rd)),
        1 => Some(immediate(OP_IMM, 5, shift(code) | 0x400, rd, rd)),
        2 => Some(immediate(OP_IMM, 7, signed_6(code), rd, rd)),
        _ => {
            let (opcode, funct3, funct7) = match (bits(code, 12, 1), bits(code, 5, 2)) {
                (0, 0) => (OP, 0, 0x20),
                (0, 1) => (OP, 4, 0),
                (0, 2) => (OP, 6, 0),
                (0, 3) => (OP, 7, 0),
                (1, 0) => (OP_32, 0, 0x20),
                (1, 1) => (OP_32, 0, 0),
                _ => return None,
            };
            Some(registers(opcode, funct3, funct7, rd, rs2, rd))
        }
    }
}

/// C.JR, C.MV, C.EBREAK, C.JALR, C.ADD.
fn jump_or_move(code: u32) -> Option<u32> {
    let (rd, rs2) = (rd(code), rs2(code));
    match (bits(code, 12, 1), rd, rs2) {
        (0, 0, 0) => None,
        (0, _, 0) => Some(immediate(JALR, 0, 0, rd, 0)),
        (0, ..) => Some(registers(OP, 0, 0, 0, rs2, rd)),
        (_, 0, 0) => Some(EBREAK),
        (_, _, 0) => Some(immediate(JALR, 0, 0, rd, 1)),
        _ => Some(registers(OP, 0, 0, rd, rs2, rd)),
    }
}

fn bits(code: u32, at: u32, count: u32) -> u32 {
    code >> at & ((1 << count) - 1)
}

/// One of the eight registers of short fields.
fn short(code: u32, at: u32) -> u32 {
    bits(code, at, 3) + 8
}

fn rd(code: u32) -> u32 {
    bits(code, 7, 5)
}

fn rs2(code: u32) -> u32 {
    bits(code, 2, 5)
}

/// The sign of a value of `count` bits goes on.
fn extend(value: u32, count: u32) -> u32 {
    let unused = 32 - count;
    ((value << unused) as i32 >> unused) as u32
}

fn shift(code: u32) -> u32 {
    bits(code, 12, 1) << 5 | bits(code, 2, 5)
}

fn signed_6(code: u32) -> u32 {
    extend(shift(code), 6)
}

fn offset_4(code: u32) -> u32 {
    bits(code, 10, 3) << 3 | bits(code, 6, 1) << 2 | bits(code, 5, 1) << 6
}

fn offset_8(code: u32) -> u32 {
    bits(code, 10, 3) << 3 | bits(code, 5, 2) << 6
}

fn stack_load_4(code: u32) -> u32 {
    bits(code, 12, 1) << 5 | bits(code, 4, 3) << 2 | bits(code, 2, 2) << 6
}

fn stack_load_8(code: u32) -> u32 {
    bits(code, 12, 1) << 5 | bits(code, 5, 2) << 3 | bits(code, 2, 3) << 6
}

fn stack_store_4(code: u32) -> u32 {
    bits(code, 9, 4) << 2 | bits(code, 7, 2) << 6
}

fn stack_store_8(code: u32) -> u32 {
    bits(code, 10, 3) << 3 | bits(code, 7, 3) << 6
}

fn jump_offset(code: u32) -> u32 {
    let offset = bits(code, 12, 1) << 11
        | bits(code, 11, 1) << 4
        | bits(code, 9, 2) << 8
        | bits(code, 8, 1) << 10
        | bits(code, 7, 1) << 6
        | bits(code, 6, 1) << 7
        | bits(code, 3, 3) << 1
        | bits(code, 2, 1) << 5;
    extend(offset, 12)
}

fn branch_offset(code: u32) -> u32 {
    let offset = bits(code, 12, 1) << 8
        | bits(code, 10, 2) << 3
        | bits(code, 5, 2) << 6
        | bits(code, 3, 2) << 1
        | bits(code, 2, 1) << 5;
    extend(offset, 9)
}

fn immediate(opcode: u32, funct3: u32, value: u32, rs1: u32, rd: u32) -> u32 {
    (value & 0xfff) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

fn load(opcode: u32, funct3: u32, offset: u32, rs1: u32, rd: u32) -> u32 {
    immediate(opcode, funct3, offset, rs1, rd)
}

fn store(opcode: u32, funct3: u32, offset: u32, rs1: u32, rs2: u32) -> u32 {
    bits(offset, 5, 7) << 25
        | rs2 << 20
        | rs1 << 15
        | funct3 << 12
        | bits(offset, 0, 5) << 7
        | opcode
}

fn registers(opcode: u32, funct3: u32, funct7: u32, rs1: u32, rs2: u32, rd: u32) -> u32 {
    funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

fn jal(offset: u32) -> u32 {
    bits(offset, 20, 1) << 31
        | bits(offset, 1, 10) << 21
        | bits(offset, 11, 1) << 20
        | bits(offset, 12, 8) << 12
        | JAL
}

fn branch(funct3: u32, offset: u32, rs1: u32) -> u32 {
    bits(offset, 12, 1) << 31
        | bits(offset, 5, 6) << 25
        | rs1 << 15
        | funct3 << 12
        | bits(offset, 1, 4) << 8
        | bits(offset, 11, 1) << 7
        | BRANCH
}

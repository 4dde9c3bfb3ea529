// SPDX-License-Identifier: Apache-2.0
//! From encodings to what they mean (I, "RV32/64G Instruction Set Listings"; II, "Supervisor-Level
//! ISA"). What an extension that the core has not would take is illegal.

use super::compressed;
use super::insn::{Op, Operands};
use super::kind::{Class, Kind};
use super::register::{FLOAT, NOWHERE};

/// The extensions that cores may have beside RV64GC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extensions {
    /// Address generation.
    pub zba: bool,
    /// Basic bit manipulation.
    pub zbb: bool,
    /// Fine-grained invalidation of translations.
    pub svinval: bool,
}

/// The rounding mode that says to take the register's.
pub const DYNAMIC: u8 = 7;

/// Decodes what begins with `code`: the low 16 bits of it, if it is compressed.
#[must_use]
pub fn decode(code: u32, extensions: Extensions) -> Op {
    if code & 3 == 3 {
        return decode_word(code, extensions).op();
    }
    let half = code as u16;
    let found = match compressed::expand(half) {
        Some(word) => Operands {
            len: 2,
            ..decode_word(word, extensions)
        },
        None => Operands::illegal(u32::from(half), 2),
    };
    found.op()
}

fn decode_word(code: u32, extensions: Extensions) -> Operands {
    let kind = match code & 0x7f {
        0x03 => pick(code, &LOADS),
        0x07 => match funct3(code) {
            2 => Some(Kind::Flw),
            3 => Some(Kind::Fld),
            _ => None,
        },
        0x0f => match funct3(code) {
            0 => Some(Kind::Fence),
            1 => Some(Kind::FenceI),
            _ => None,
        },
        0x13 => op_imm(code, extensions),
        0x17 => Some(Kind::Auipc),
        0x1b => op_imm_32(code, extensions),
        0x23 => pick(code, &STORES),
        0x27 => match funct3(code) {
            2 => Some(Kind::Fsw),
            3 => Some(Kind::Fsd),
            _ => None,
        },
        0x2f => atomic(code),
        0x33 => op(code, extensions),
        0x37 => Some(Kind::Li),
        0x3b => op_32(code, extensions),
        0x43 => fused(code, Kind::FmaddS, Kind::FmaddD),
        0x47 => fused(code, Kind::FmsubS, Kind::FmsubD),
        0x4b => fused(code, Kind::FnmsubS, Kind::FnmsubD),
        0x4f => fused(code, Kind::FnmaddS, Kind::FnmaddD),
        0x53 => float(code),
        0x63 => pick(code, &BRANCHES),
        0x67 => (funct3(code) == 0).then_some(Kind::Jalr),
        0x6f => Some(Kind::Jal),
        0x73 => system(code, extensions),
        _ => None,
    };
    match kind {
        Some(kind) => with_operands(kind, code),
        None => Operands::illegal(code, 4),
    }
}

const LOADS: [Option<Kind>; 8] = [
    Some(Kind::Lb),
    Some(Kind::Lh),
    Some(Kind::Lw),
    Some(Kind::Ld),
    Some(Kind::Lbu),
    Some(Kind::Lhu),
    Some(Kind::Lwu),
    None,
];
const STORES: [Option<Kind>; 8] = [
    Some(Kind::Sb),
    Some(Kind::Sh),
    Some(Kind::Sw),
    Some(Kind::Sd),
    None,
    None,
    None,
    None,
];
const BRANCHES: [Option<Kind>; 8] = [
    Some(Kind::Beq),
    Some(Kind::Bne),
    None,
    None,
    Some(Kind::Blt),
    Some(Kind::Bge),
    Some(Kind::Bltu),
    Some(Kind::Bgeu),
];

fn pick(code: u32, by_funct3: &[Option<Kind>; 8]) -> Option<Kind> {
    by_funct3[funct3(code) as usize]
}

fn op_imm(code: u32, extensions: Extensions) -> Option<Kind> {
    let zbb = |kind| extensions.zbb.then_some(kind);
    match (funct3(code), code >> 26) {
        (0, _) => Some(Kind::Addi),
        (1, 0) => Some(Kind::Slli),
        (1, 0x18) => match rs2(code) {
            0 => zbb(Kind::Clz),
            1 => zbb(Kind::Ctz),
            2 => zbb(Kind::Cpop),
            4 => zbb(Kind::SextB),
            5 => zbb(Kind::SextH),
            _ => None,
        }
        .filter(|_| !bit_25(code)),
        (2, _) => Some(Kind::Slti),
        (3, _) => Some(Kind::Sltiu),
        (4, _) => Some(Kind::Xori),
        (5, 0) => Some(Kind::Srli),
        (5, 0x10) => Some(Kind::Srai),
        (5, 0x18) => zbb(Kind::Rori),
        (5, _) if code >> 20 == 0x287 => zbb(Kind::OrcB),
        (5, _) if code >> 20 == 0x6b8 => zbb(Kind::Rev8),
        (6, _) => Some(Kind::Ori),
        (7, _) => Some(Kind::Andi),
        _ => None,
    }
}

fn op_imm_32(code: u32, extensions: Extensions) -> Option<Kind> {
    let zbb = |kind| extensions.zbb.then_some(kind);
    match (funct3(code), code >> 25) {
        (0, _) => Some(Kind::Addiw),
        (1, 0) => Some(Kind::Slliw),
        (1, 4 | 5) => extensions.zba.then_some(Kind::SlliUw),
        (1, 0x30) => match rs2(code) {
            0 => zbb(Kind::Clzw),
            1 => zbb(Kind::Ctzw),
            2 => zbb(Kind::Cpopw),
            _ => None,
        },
        (5, 0) => Some(Kind::Srliw),
        (5, 0x20) => Some(Kind::Sraiw),
        (5, 0x30) => zbb(Kind::Roriw),
        _ => None,
    }
}

fn op(code: u32, extensions: Extensions) -> Option<Kind> {
    let zba = |kind| extensions.zba.then_some(kind);
    let zbb = |kind| extensions.zbb.then_some(kind);
    match (code >> 25, funct3(code)) {
        (0, 0) => Some(Kind::Add),
        (0, 1) => Some(Kind::Sll),
        (0, 2) => Some(Kind::Slt),
        (0, 3) => Some(Kind::Sltu),
        (0, 4) => Some(Kind::Xor),
        (0, 5) => Some(Kind::Srl),
        (0, 6) => Some(Kind::Or),
        (0, 7) => Some(Kind::And),
        (0x20, 0) => Some(Kind::Sub),
        (0x20, 5) => Some(Kind::Sra),
        (1, 0) => Some(Kind::Mul),
        (1, 1) => Some(Kind::Mulh),
        (1, 2) => Some(Kind::Mulhsu),
        (1, 3) => Some(Kind::Mulhu),
        (1, 4) => Some(Kind::Div),
        (1, 5) => Some(Kind::Divu),
        (1, 6) => Some(Kind::Rem),
        (1, 7) => Some(Kind::Remu),
        (0x10, 2) => zba(Kind::Sh1add),
        (0x10, 4) => zba(Kind::Sh2add),
        (0x10, 6) => zba(Kind::Sh3add),
        (0x20, 4) => zbb(Kind::Xnor),
        (0x20, 6) => zbb(Kind::Orn),
        (0x20, 7) => zbb(Kind::Andn),
        (5, 4) => zbb(Kind::Min),
        (5, 5) => zbb(Kind::Minu),
        (5, 6) => zbb(Kind::Max),
        (5, 7) => zbb(Kind::Maxu),
        (0x30, 1) => zbb(Kind::Rol),
        (0x30, 5) => zbb(Kind::Ror),
        _ => None,
    }
}

fn op_32(code: u32, extensions: Extensions) -> Option<Kind> {
    let zba = |kind| extensions.zba.then_some(kind);
    let zbb = |kind| extensions.zbb.then_some(kind);
    match (code >> 25, funct3(code)) {
        (0, 0) => Some(Kind::Addw),
        (0, 1) => Some(Kind::Sllw),
        (0, 5) => Some(Kind::Srlw),
        (0x20, 0) => Some(Kind::Subw),
        (0x20, 5) => Some(Kind::Sraw),
        (1, 0) => Some(Kind::Mulw),
        (1, 4) => Some(Kind::Divw),
        (1, 5) => Some(Kind::Divuw),
        (1, 6) => Some(Kind::Remw),
        (1, 7) => Some(Kind::Remuw),
        (4, 0) => zba(Kind::AddUw),
        (0x10, 2) => zba(Kind::Sh1addUw),
        (0x10, 4) => zba(Kind::Sh2addUw),
        (0x10, 6) => zba(Kind::Sh3addUw),
        (4, 4) if rs2(code) == 0 => zbb(Kind::ZextH),
        (0x30, 1) => zbb(Kind::Rolw),
        (0x30, 5) => zbb(Kind::Rorw),
        _ => None,
    }
}

fn atomic(code: u32) -> Option<Kind> {
    let (word, double) = match code >> 27 {
        2 if rs2(code) == 0 => (Kind::LrW, Kind::LrD),
        3 => (Kind::ScW, Kind::ScD),
        1 => (Kind::AmoSwapW, Kind::AmoSwapD),
        0 => (Kind::AmoAddW, Kind::AmoAddD),
        4 => (Kind::AmoXorW, Kind::AmoXorD),
        12 => (Kind::AmoAndW, Kind::AmoAndD),
        8 => (Kind::AmoOrW, Kind::AmoOrD),
        16 => (Kind::AmoMinW, Kind::AmoMinD),
        20 => (Kind::AmoMaxW, Kind::AmoMaxD),
        24 => (Kind::AmoMinuW, Kind::AmoMinuD),
        28 => (Kind::AmoMaxuW, Kind::AmoMaxuD),
        _ => return None,
    };
    match funct3(code) {
        2 => Some(word),
        3 => Some(double),
        _ => None,
    }
}

fn fused(code: u32, single: Kind, double: Kind) -> Option<Kind> {
    match code >> 25 & 3 {
        0 => rounded(code, single),
        1 => rounded(code, double),
        _ => None,
    }
}

/// `kind`, if the field of the rounding mode names one.
fn rounded(code: u32, kind: Kind) -> Option<Kind> {
    (funct3(code) != 5 && funct3(code) != 6).then_some(kind)
}

fn float(code: u32) -> Option<Kind> {
    let by_rs2 = |kinds: [Kind; 4]| {
        let kind = kinds.get(rs2(code) as usize).copied();
        kind.and_then(|kind| rounded(code, kind))
    };
    let by_funct3 = |kinds: [Kind; 3]| kinds.get(funct3(code) as usize).copied();
    let alone = |kind, funct3_is| (rs2(code) == 0 && funct3(code) == funct3_is).then_some(kind);
    match code >> 25 {
        0x00 => rounded(code, Kind::FaddS),
        0x01 => rounded(code, Kind::FaddD),
        0x04 => rounded(code, Kind::FsubS),
        0x05 => rounded(code, Kind::FsubD),
        0x08 => rounded(code, Kind::FmulS),
        0x09 => rounded(code, Kind::FmulD),
        0x0c => rounded(code, Kind::FdivS),
        0x0d => rounded(code, Kind::FdivD),
        0x2c if rs2(code) == 0 => rounded(code, Kind::FsqrtS),
        0x2d if rs2(code) == 0 => rounded(code, Kind::FsqrtD),
        0x10 => by_funct3([Kind::FsgnjS, Kind::FsgnjnS, Kind::FsgnjxS]),
        0x11 => by_funct3([Kind::FsgnjD, Kind::FsgnjnD, Kind::FsgnjxD]),
        0x14 if funct3(code) < 2 => by_funct3([Kind::FminS, Kind::FmaxS, Kind::FmaxS]),
        0x15 if funct3(code) < 2 => by_funct3([Kind::FminD, Kind::FmaxD, Kind::FmaxD]),
        0x20 if rs2(code) == 1 => rounded(code, Kind::FcvtSD),
        0x21 if rs2(code) == 0 => rounded(code, Kind::FcvtDS),
        0x50 => by_funct3([Kind::FleS, Kind::FltS, Kind::FeqS]),
        0x51 => by_funct3([Kind::FleD, Kind::FltD, Kind::FeqD]),
        0x60 => by_rs2([Kind::FcvtWS, Kind::FcvtWuS, Kind::FcvtLS, Kind::FcvtLuS]),
        0x61 => by_rs2([Kind::FcvtWD, Kind::FcvtWuD, Kind::FcvtLD, Kind::FcvtLuD]),
        0x68 => by_rs2([Kind::FcvtSW, Kind::FcvtSWu, Kind::FcvtSL, Kind::FcvtSLu]),
        0x69 => by_rs2([Kind::FcvtDW, Kind::FcvtDWu, Kind::FcvtDL, Kind::FcvtDLu]),
        0x70 => alone(Kind::FmvXW, 0).or_else(|| alone(Kind::FclassS, 1)),
        0x71 => alone(Kind::FmvXD, 0).or_else(|| alone(Kind::FclassD, 1)),
        0x78 => alone(Kind::FmvWX, 0),
        0x79 => alone(Kind::FmvDX, 0),
        _ => None,
    }
}

fn system(code: u32, extensions: Extensions) -> Option<Kind> {
    let svinval = |kind| extensions.svinval.then_some(kind);
    match funct3(code) {
        0 => match code {
            0x0000_0073 => Some(Kind::Ecall),
            0x0010_0073 => Some(Kind::Ebreak),
            0x1020_0073 => Some(Kind::Sret),
            0x3020_0073 => Some(Kind::Mret),
            0x1050_0073 => Some(Kind::Wfi),
            0x1800_0073 => svinval(Kind::SfenceWInval),
            0x1810_0073 => svinval(Kind::SfenceInvalIr),
            _ if rd(code) != 0 => None,
            _ => match code >> 25 {
                0x09 => Some(Kind::SfenceVma),
                0x0b => svinval(Kind::SinvalVma),
                _ => None,
            },
        },
        1 => Some(Kind::Csrrw),
        2 => Some(Kind::Csrrs),
        3 => Some(Kind::Csrrc),
        5 => Some(Kind::Csrrwi),
        6 => Some(Kind::Csrrsi),
        7 => Some(Kind::Csrrci),
        _ => None,
    }
}

/// `kind` with the operands that its class has.
fn with_operands(kind: Kind, code: u32) -> Operands {
    let x = |number: u32| number as u8;
    let f = |number: u32| FLOAT + number as u8;
    let mut op = Operands::bare(kind, 0);
    op.mode = funct3(code) as u8;
    let to_x = match rd(code) {
        0 => NOWHERE,
        number => x(number),
    };
    let (rd_f, rs1_x, rs2_x) = (f(rd(code)), x(rs1(code)), x(rs2(code)));
    let (rs1_f, rs2_f) = (f(rs1(code)), f(rs2(code)));
    match kind.class() {
        Class::Alu | Class::SlotB | Class::Multiply | Class::Divide => match code & 0x7f {
            0x13 | 0x1b => {
                (op.rd, op.rs1) = (to_x, rs1_x);
                op.imm = match kind {
                    Kind::Slli | Kind::Srli | Kind::Srai | Kind::Rori | Kind::SlliUw => {
                        (code >> 20 & 63) as i32
                    }
                    Kind::Slliw | Kind::Srliw | Kind::Sraiw | Kind::Roriw => {
                        (code >> 20 & 31) as i32
                    }
                    _ => immediate_i(code),
                };
            }
            0x17 | 0x37 => (op.rd, op.imm) = (to_x, (code & 0xffff_f000) as i32),
            _ => (op.rd, op.rs1, op.rs2) = (to_x, rs1_x, rs2_x),
        },
        Class::Jump if kind == Kind::Jal => (op.rd, op.imm) = (to_x, immediate_j(code)),
        Class::Jump | Class::Load => {
            (op.rd, op.rs1, op.imm) = (to_x, rs1_x, immediate_i(code));
        }
        Class::FloatLoad => (op.rd, op.rs1, op.imm) = (rd_f, rs1_x, immediate_i(code)),
        Class::Store => (op.rs1, op.rs2, op.imm) = (rs1_x, rs2_x, immediate_s(code)),
        Class::FloatStore => (op.rs1, op.rs2, op.imm) = (rs1_x, rs2_f, immediate_s(code)),
        Class::Branch => (op.rs1, op.rs2, op.imm) = (rs1_x, rs2_x, immediate_b(code)),
        Class::Atomic => {
            (op.rd, op.rs1, op.rs2) = (to_x, rs1_x, rs2_x);
            op.mode = (code >> 25 & 3) as u8;
        }
        Class::FloatSum => {
            (op.rd, op.rs1, op.rs2) = (rd_f, rs1_f, rs2_f);
            if code & 0x7f != 0x53 {
                op.rs3 = f(code >> 27);
            }
        }
        Class::FloatSimple | Class::FloatDivide => {
            (op.rd, op.rs1, op.rs2) = (rd_f, rs1_f, rs2_f);
        }
        Class::FloatConvert | Class::FloatRoot => (op.rd, op.rs1) = (rd_f, rs1_f),
        Class::FloatMoveTo => (op.rd, op.rs1) = (to_x, rs1_f),
        Class::FloatFromInteger => (op.rd, op.rs1) = (rd_f, rs1_x),
        Class::FloatToInteger => {
            (op.rd, op.rs1) = (to_x, rs1_f);
            let compares = matches!(
                kind,
                Kind::FeqS | Kind::FltS | Kind::FleS | Kind::FeqD | Kind::FltD | Kind::FleD
            );
            if compares {
                op.rs2 = rs2_f;
            }
        }
        Class::System => {
            (op.rd, op.rs1, op.rs2) = (to_x, rs1_x, rs2_x);
            op.imm = match kind {
                Kind::Csrrw
                | Kind::Csrrs
                | Kind::Csrrc
                | Kind::Csrrwi
                | Kind::Csrrsi
                | Kind::Csrrci => (code >> 20) as i32,
                _ => 0,
            };
        }
    }
    op
}

fn funct3(code: u32) -> u32 {
    code >> 12 & 7
}

fn rd(code: u32) -> u32 {
    code >> 7 & 31
}

fn rs1(code: u32) -> u32 {
    code >> 15 & 31
}

fn rs2(code: u32) -> u32 {
    code >> 20 & 31
}

fn bit_25(code: u32) -> bool {
    code >> 25 & 1 != 0
}

fn immediate_i(code: u32) -> i32 {
    code as i32 >> 20
}

fn immediate_s(code: u32) -> i32 {
    (code as i32 >> 25) << 5 | (code >> 7 & 31) as i32
}

fn immediate_b(code: u32) -> i32 {
    (code as i32 >> 31) << 12
        | ((code >> 7 & 1) << 11 | (code >> 25 & 63) << 5 | (code >> 8 & 15) << 1) as i32
}

fn immediate_j(code: u32) -> i32 {
    (code as i32 >> 31) << 20
        | ((code >> 12 & 255) << 12 | (code >> 20 & 1) << 11 | (code >> 21 & 0x3ff) << 1) as i32
}

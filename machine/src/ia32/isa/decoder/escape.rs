// SPDX-License-Identifier: Apache-2.0
//! The escape opcodes D8 to DF, which are the floating-point instructions (SDM vol. 2, appendix
//! A.5), with the second encodings that no manual has and every processor since the 8087 decodes.

use crate::ia32::isa::insn::{Form, Format, Insn};
use crate::ia32::isa::kind::Kind;

/// No instruction.
const U: Kind = Kind::Undefined;

/// Arithmetic and comparison with ST(0), by the `reg` field; in 3 the comparison pops.
const ARITHMETIC: [Kind; 8] = [
    Kind::Fadd,
    Kind::Fmul,
    Kind::Fcom,
    Kind::Fcom,
    Kind::Fsub,
    Kind::FsubReversed,
    Kind::Fdiv,
    Kind::FdivReversed,
];

/// The formats of memory operands, by bits 2:1 of the opcode.
const FORMATS: [Format; 4] = [
    Format::Single,
    Format::Integer32,
    Format::Double,
    Format::Integer16,
];

/// D9 E0 to FF.
const PLAIN: [Kind; 32] = [
    Kind::Fchs,
    Kind::Fabs,
    U,
    U,
    Kind::Ftst,
    Kind::Fxam,
    U,
    U,
    Kind::FloadConstant,
    Kind::FloadConstant,
    Kind::FloadConstant,
    Kind::FloadConstant,
    Kind::FloadConstant,
    Kind::FloadConstant,
    Kind::FloadConstant,
    U,
    Kind::F2xm1,
    Kind::Fyl2x,
    Kind::Fptan,
    Kind::Fpatan,
    Kind::Fxtract,
    Kind::Fprem1,
    Kind::Fdecstp,
    Kind::Fincstp,
    Kind::Fprem,
    Kind::Fyl2xp1,
    Kind::Fsqrt,
    Kind::Fsincos,
    Kind::Frndint,
    Kind::Fscale,
    Kind::Fsin,
    Kind::Fcos,
];

/// Completes an instruction whose opcode and ModRM byte are these, and whose operand is decoded.
/// `imm` becomes the opcode as the unit keeps it, `imm2` how many registers are popped after it.
pub(in crate::ia32) fn complete(insn: &mut Insn, opcode: u8, modrm: u8) {
    insn.imm = u32::from(opcode & 7) << 8 | u32::from(modrm);
    if insn.memory {
        with_memory(insn, opcode);
    } else {
        with_register(insn, opcode);
    }
}

fn with_memory(insn: &mut Insn, opcode: u8) {
    let short = FORMATS[usize::from(opcode >> 1 & 3)];
    let reg = insn.reg;
    let (kind, format, pops) = match (opcode, reg) {
        (0xd8 | 0xda | 0xdc | 0xde, _) => {
            (ARITHMETIC[usize::from(reg)], short, u16::from(reg == 3))
        }
        (_, 0) => (Kind::Fld, short, 0),
        (_, 2) => (Kind::Fst, short, 0),
        (_, 3) => (Kind::Fst, short, 1),
        (0xd9, 4) => (Kind::Fldenv, short, 0),
        (0xd9, 5) => (Kind::Fldcw, short, 0),
        (0xd9, 6) => (Kind::Fnstenv, short, 0),
        (0xd9, 7) => (Kind::Fnstcw, short, 0),
        (0xdb, 5) => (Kind::Fld, Format::Extended, 0),
        (0xdb, 7) => (Kind::Fst, Format::Extended, 1),
        (0xdd, 4) => (Kind::Frstor, short, 0),
        (0xdd, 6) => (Kind::Fnsave, short, 0),
        (0xdd, 7) => (Kind::Fnstsw, short, 0),
        (0xdf, 4) => (Kind::Fld, Format::Decimal, 0),
        (0xdf, 5) => (Kind::Fld, Format::Integer64, 0),
        (0xdf, 6) => (Kind::Fst, Format::Decimal, 1),
        (0xdf, 7) => (Kind::Fst, Format::Integer64, 1),
        _ => (U, short, 0),
    };
    (insn.kind, insn.format, insn.imm2) = (kind, format, pops);
}

fn with_register(insn: &mut Insn, opcode: u8) {
    let (reg, rm) = (insn.reg, insn.rm);
    let arithmetic = ARITHMETIC[usize::from(reg)];
    let (kind, pops) = match (opcode, reg, rm) {
        (0xd8, 3, _) => (Kind::Fcom, 1),
        (0xd8, ..) => (arithmetic, 0),
        (0xd9, 0, _) => (Kind::Fld, 0),
        (0xd9, 1, _) => (Kind::Fxch, 0),
        (0xd9, 2, 0) => (Kind::Fnop, 0),
        (0xd9, 3, _) => (Kind::FstUnchecked, 0),
        (0xd9, 4.., _) => (PLAIN[usize::from((reg & 3) << 3 | rm)], 0),
        (0xda, 5, 1) => (Kind::Fucom, 2),
        (0xda | 0xdb, 0..=3, _) => {
            // Below, equal, below or equal, parity; the other half of them negated.
            insn.reg = [2, 4, 6, 10][usize::from(reg)] | opcode & 1;
            (Kind::Fcmov, 0)
        }
        // FNENI, FNDISI and FNSETPM of the 8087 and 80287 do nothing.
        (0xdb, 4, 0 | 1 | 4) => (Kind::Nop, 0),
        (0xdb, 4, 2) => (Kind::Fnclex, 0),
        (0xdb, 4, 3) => (Kind::Fninit, 0),
        (0xdb, 5, _) => (Kind::Fucomi, 0),
        (0xdb, 6, _) => (Kind::Fcomi, 0),
        (0xdc, 2, _) => (Kind::Fcom, 0),
        (0xdc, 3, _) => (Kind::Fcom, 1),
        (0xdd, 0, _) => (Kind::Ffree, 0),
        (0xdd | 0xdf, 1, _) => (Kind::Fxch, 0),
        (0xdd, 2, _) => (Kind::Fst, 0),
        (0xdd, 3, _) => (Kind::Fst, 1),
        (0xdd, 4, _) => (Kind::Fucom, 0),
        (0xdd, 5, _) => (Kind::Fucom, 1),
        (0xde, 2, _) => (Kind::Fcom, 1),
        (0xde, 3, 1) => (Kind::Fcom, 2),
        (0xde, 3, _) => (U, 0),
        (0xdc | 0xde, ..) => {
            insn.form = Form::RmReg;
            (arithmetic, u16::from(opcode == 0xde))
        }
        (0xdf, 0, _) => (Kind::Ffree, 1),
        (0xdf, 2 | 3, _) => (Kind::Fst, 1),
        (0xdf, 4, 0) => (Kind::Fnstsw, 0),
        (0xdf, 5, _) => (Kind::Fucomi, 1),
        (0xdf, 6, _) => (Kind::Fcomi, 1),
        _ => (U, 0),
    };
    (insn.kind, insn.imm2) = (kind, pops);
}

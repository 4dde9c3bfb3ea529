// SPDX-License-Identifier: Apache-2.0
//! The one-byte opcodes (SDM vol. 2, table A-2), and the groups among them.

use crate::ia32::isa::exception::Fault;
use crate::ia32::isa::insn::reg::EAX;
use crate::ia32::isa::insn::{Form, Seg, Size};
use crate::ia32::isa::kind::Kind;

use super::{escape, Bytes, Decoder, U};

/// The arithmetic instructions, by bits 5:3 of an opcode or by the `reg` field.
const ARITHMETIC: [Kind; 8] = [
    Kind::Add,
    Kind::Or,
    Kind::Adc,
    Kind::Sbb,
    Kind::And,
    Kind::Sub,
    Kind::Xor,
    Kind::Compare,
];

/// The shifts and rotates, by the `reg` field.
const SHIFTS: [Kind; 8] = [
    Kind::Rol,
    Kind::Ror,
    Kind::Rcl,
    Kind::Rcr,
    Kind::Shl,
    Kind::Shr,
    Kind::Shl,
    Kind::Sar,
];

impl<B: Bytes> Decoder<'_, B> {
    /// Decodes what follows a one-byte opcode.
    pub(super) fn one_byte(&mut self, opcode: u8) -> Result<(), Fault> {
        let full = self.full;
        match opcode {
            0x0f => {
                let second = self.byte()?;
                return self.two_bytes(second);
            }
            0x27 => self.plain(Kind::Daa, Size::Byte),
            0x2f => self.plain(Kind::Das, Size::Byte),
            0x37 => self.plain(Kind::Aaa, Size::Byte),
            0x3f => self.plain(Kind::Aas, Size::Byte),
            0x06 | 0x0e | 0x16 | 0x1e => {
                self.plain(Kind::PushSegment, full);
                self.insn.reg = opcode >> 3;
            }
            0x07 | 0x17 | 0x1f => {
                self.plain(Kind::PopSegment, full);
                self.insn.reg = opcode >> 3;
            }
            0x00..=0x3f => return self.arithmetic(opcode),
            0x40..=0x47 => self.on_register(Kind::Inc, full, opcode),
            0x48..=0x4f => self.on_register(Kind::Dec, full, opcode),
            0x50..=0x57 => self.on_register(Kind::Push, full, opcode),
            0x58..=0x5f => self.on_register(Kind::Pop, full, opcode),
            0x60 => self.plain(Kind::PushAll, full),
            0x61 => self.plain(Kind::PopAll, full),
            0x62 => return self.with_memory(Kind::Bound, full, Form::RegRm),
            0x63 => return self.with_modrm(Kind::Arpl, Size::Word, Form::RmReg),
            0x68 => {
                self.plain(Kind::Push, full);
                self.insn.form = Form::Imm;
                self.insn.imm = self.constant(full)?;
            }
            0x6a => {
                self.plain(Kind::Push, full);
                self.insn.form = Form::Imm;
                self.insn.imm = self.short_constant()?;
            }
            0x69 => {
                self.with_modrm(Kind::Imul, full, Form::RmImm)?;
                self.insn.imm = self.constant(full)?;
            }
            0x6b => {
                self.with_modrm(Kind::Imul, full, Form::RmImm)?;
                self.insn.imm = self.short_constant()?;
            }
            0x6c | 0x6d => self.string(Kind::Ins, opcode),
            0x6e | 0x6f => self.string(Kind::Outs, opcode),
            0x70..=0x7f => {
                self.short_jump(Kind::JumpIf)?;
                self.insn.reg = opcode & 15;
            }
            0x80..=0x83 => {
                self.with_modrm(Kind::Add, self.sized(opcode), Form::RmImm)?;
                self.insn.kind = ARITHMETIC[usize::from(self.insn.reg)];
                self.insn.imm = if opcode == 0x81 {
                    self.constant(full)?
                } else {
                    self.short_constant()?
                };
            }
            0x84 | 0x85 => return self.with_modrm(Kind::Test, self.sized(opcode), Form::RmReg),
            0x86 | 0x87 => return self.with_modrm(Kind::Xchg, self.sized(opcode), Form::RmReg),
            0x88 | 0x89 => return self.with_modrm(Kind::Mov, self.sized(opcode), Form::RmReg),
            0x8a | 0x8b => return self.with_modrm(Kind::Mov, self.sized(opcode), Form::RegRm),
            0x8c => {
                self.with_modrm(Kind::MovFromSegment, full, Form::RmReg)?;
                if Seg::numbered(self.insn.reg).is_none() {
                    self.insn.kind = Kind::Undefined;
                }
            }
            0x8d => return self.with_memory(Kind::Lea, full, Form::RegRm),
            0x8e => {
                self.with_modrm(Kind::MovToSegment, Size::Word, Form::RegRm)?;
                if matches!(Seg::numbered(self.insn.reg), None | Some(Seg::Cs)) {
                    self.insn.kind = Kind::Undefined;
                }
            }
            0x8f => return self.group(full, [Kind::Pop, U, U, U, U, U, U, U]),
            0x90..=0x97 => {
                self.on_register(Kind::Xchg, full, opcode);
                self.insn.form = Form::RmReg;
                self.insn.reg = EAX as u8;
                if opcode == 0x90 {
                    self.insn.kind = Kind::Nop;
                }
            }
            0x98 => self.plain(Kind::ExtendAccumulator, full),
            0x99 => self.plain(Kind::SignToEdx, full),
            0x9a => return self.far_pointer(Kind::CallFar),
            0x9b => self.plain(Kind::Wait, full),
            0x9c => self.plain(Kind::PushFlags, full),
            0x9d => self.plain(Kind::PopFlags, full),
            0x9e => self.plain(Kind::Sahf, Size::Byte),
            0x9f => self.plain(Kind::Lahf, Size::Byte),
            0xa0..=0xa3 => {
                self.plain(Kind::Mov, self.sized(opcode));
                self.insn.form = if opcode < 0xa2 {
                    Form::RegRm
                } else {
                    Form::RmReg
                };
                self.insn.memory = true;
                self.insn.seg = self.segment.unwrap_or(Seg::Ds);
                self.insn.displacement = if self.insn.address16 {
                    u32::from(self.half()?)
                } else {
                    self.word()?
                };
            }
            0xa4 | 0xa5 => self.string(Kind::Movs, opcode),
            0xa6 | 0xa7 => self.string(Kind::Cmps, opcode),
            0xa8 | 0xa9 => return self.on_accumulator(Kind::Test, self.sized(opcode)),
            0xaa | 0xab => self.string(Kind::Stos, opcode),
            0xac | 0xad => self.string(Kind::Lods, opcode),
            0xae | 0xaf => self.string(Kind::Scas, opcode),
            0xb0..=0xbf => {
                let size = if opcode < 0xb8 { Size::Byte } else { full };
                self.on_register(Kind::Mov, size, opcode);
                self.insn.form = Form::RmImm;
                self.insn.imm = self.constant(size)?;
            }
            0xc0 | 0xc1 => {
                self.shift(opcode, Form::RmImm)?;
                self.insn.imm = u32::from(self.byte()?);
            }
            0xc2 | 0xc3 => {
                self.plain(Kind::Ret, full);
                if opcode == 0xc2 {
                    self.insn.imm = u32::from(self.half()?);
                }
            }
            0xc4 | 0xc5 => {
                self.with_memory(Kind::LoadFarPointer, full, Form::RegRm)?;
                self.insn.imm2 = if opcode == 0xc4 { Seg::Es } else { Seg::Ds } as u16;
            }
            0xc6 | 0xc7 => {
                let size = self.sized(opcode);
                self.group(size, [Kind::Mov, U, U, U, U, U, U, U])?;
                self.insn.form = Form::RmImm;
                self.insn.imm = self.constant(size)?;
            }
            0xc8 => {
                self.plain(Kind::Enter, full);
                self.insn.imm = u32::from(self.half()?);
                self.insn.imm2 = u16::from(self.byte()? & 31);
            }
            0xc9 => self.plain(Kind::Leave, full),
            0xca | 0xcb => {
                self.plain(Kind::RetFar, full);
                if opcode == 0xca {
                    self.insn.imm = u32::from(self.half()?);
                }
            }
            0xcc => self.plain(Kind::Int3, full),
            0xcd => {
                self.plain(Kind::Int, full);
                self.insn.imm = u32::from(self.byte()?);
            }
            0xce => self.plain(Kind::Into, full),
            0xcf => self.plain(Kind::Iret, full),
            0xd0 | 0xd1 => {
                self.shift(opcode, Form::RmImm)?;
                self.insn.imm = 1;
            }
            0xd2 | 0xd3 => return self.shift(opcode, Form::RmCl),
            0xd4 | 0xd5 => {
                let kind = if opcode == 0xd4 { Kind::Aam } else { Kind::Aad };
                self.plain(kind, Size::Byte);
                self.insn.imm = u32::from(self.byte()?);
            }
            0xd6 => self.plain(Kind::Salc, Size::Byte),
            0xd7 => {
                self.plain(Kind::Xlat, Size::Byte);
                self.insn.seg = self.segment.unwrap_or(Seg::Ds);
            }
            0xd8..=0xdf => {
                self.with_modrm(U, full, Form::RegRm)?;
                escape::complete(&mut self.insn, opcode, self.modrm);
            }
            0xe0 => return self.short_jump(Kind::LoopNotEqual),
            0xe1 => return self.short_jump(Kind::LoopEqual),
            0xe2 => return self.short_jump(Kind::Loop),
            0xe3 => return self.short_jump(Kind::JumpIfCountZero),
            0xe4..=0xe7 => {
                let kind = if opcode < 0xe6 { Kind::In } else { Kind::Out };
                self.plain(kind, self.sized(opcode));
                self.insn.form = Form::Imm;
                self.insn.imm = u32::from(self.byte()?);
            }
            0xe8 => return self.near_jump(Kind::Call),
            0xe9 => return self.near_jump(Kind::Jump),
            0xea => return self.far_pointer(Kind::JumpFar),
            0xeb => return self.short_jump(Kind::Jump),
            0xec..=0xef => {
                let kind = if opcode < 0xee { Kind::In } else { Kind::Out };
                self.plain(kind, self.sized(opcode));
            }
            0xf1 => self.plain(Kind::Int1, full),
            0xf4 => self.plain(Kind::Hlt, full),
            0xf5 => self.plain(Kind::Cmc, full),
            0xf6 | 0xf7 => return self.group3(opcode),
            0xf8 => self.plain(Kind::Clc, full),
            0xf9 => self.plain(Kind::Stc, full),
            0xfa => self.plain(Kind::Cli, full),
            0xfb => self.plain(Kind::Sti, full),
            0xfc => self.plain(Kind::Cld, full),
            0xfd => self.plain(Kind::Std, full),
            0xfe => return self.group(Size::Byte, [Kind::Inc, Kind::Dec, U, U, U, U, U, U]),
            0xff => return self.group5(),
            // Those that are prefixes do not come here.
            _ => {}
        }
        Ok(())
    }

    /// ADD, OR, ADC, SBB, AND, SUB, XOR, CMP.
    fn arithmetic(&mut self, opcode: u8) -> Result<(), Fault> {
        let kind = ARITHMETIC[usize::from(opcode >> 3)];
        let size = self.sized(opcode);
        match opcode & 7 {
            0 | 1 => self.with_modrm(kind, size, Form::RmReg),
            2 | 3 => self.with_modrm(kind, size, Form::RegRm),
            _ => self.on_accumulator(kind, size),
        }
    }

    fn shift(&mut self, opcode: u8, form: Form) -> Result<(), Fault> {
        self.group(self.sized(opcode), SHIFTS)?;
        self.insn.form = form;
        Ok(())
    }

    fn group3(&mut self, opcode: u8) -> Result<(), Fault> {
        let size = self.sized(opcode);
        let kinds = [
            Kind::Test,
            Kind::Test,
            Kind::Not,
            Kind::Neg,
            Kind::Mul,
            Kind::ImulAccumulator,
            Kind::Div,
            Kind::Idiv,
        ];
        self.group(size, kinds)?;
        if self.insn.kind == Kind::Test {
            self.insn.form = Form::RmImm;
            self.insn.imm = self.constant(size)?;
        }
        Ok(())
    }

    fn group5(&mut self) -> Result<(), Fault> {
        let kinds = [
            Kind::Inc,
            Kind::Dec,
            Kind::CallIndirect,
            Kind::CallFarIndirect,
            Kind::JumpIndirect,
            Kind::JumpFarIndirect,
            Kind::Push,
            U,
        ];
        self.group(self.full, kinds)?;
        let far = matches!(
            self.insn.kind,
            Kind::CallFarIndirect | Kind::JumpFarIndirect
        );
        if far && !self.insn.memory {
            self.insn.kind = U;
        }
        Ok(())
    }
}

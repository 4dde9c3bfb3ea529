// SPDX-License-Identifier: Apache-2.0
//! The two-byte opcodes, after 0F (SDM vol. 2, table A-3), and the groups among them.

use crate::ia32::isa::exception::Fault;
use crate::ia32::isa::insn::{Form, Seg, Size};
use crate::ia32::isa::kind::Kind;

use super::{Bytes, Decoder, U};

impl<B: Bytes> Decoder<'_, B> {
    /// Decodes what follows a two-byte opcode.
    pub(super) fn two_bytes(&mut self, opcode: u8) -> Result<(), Fault> {
        let full = self.full;
        match opcode {
            0x00 => {
                return self.group(
                    full,
                    [
                        Kind::Sldt,
                        Kind::Str,
                        Kind::Lldt,
                        Kind::Ltr,
                        Kind::Verr,
                        Kind::Verw,
                        U,
                        U,
                    ],
                );
            }
            0x01 => return self.group7(),
            0x02 => return self.with_modrm(Kind::Lar, full, Form::RegRm),
            0x03 => return self.with_modrm(Kind::Lsl, full, Form::RegRm),
            0x06 => self.plain(Kind::Clts, full),
            // INVD and WBINVD.
            0x08 | 0x09 => self.plain(Kind::FlushCaches, full),
            // Hints and no operation, with operands.
            0x18..=0x1f => return self.with_modrm(Kind::Nop, full, Form::Rm),
            0x20..=0x23 => {
                let kinds = [
                    Kind::MovFromControl,
                    Kind::MovFromDebug,
                    Kind::MovToControl,
                    Kind::MovToDebug,
                ];
                let kind = kinds[usize::from(opcode & 3)];
                // The mode field is not looked at: `rm` is a register.
                let byte = self.byte()?;
                self.plain(kind, Size::Long);
                (self.insn.reg, self.insn.rm) = (byte >> 3 & 7, byte & 7);
            }
            0x30 => self.plain(Kind::Wrmsr, full),
            0x31 => self.plain(Kind::Rdtsc, full),
            0x32 => self.plain(Kind::Rdmsr, full),
            0x33 => self.plain(Kind::Rdpmc, full),
            0x34 => self.plain(Kind::Sysenter, full),
            0x35 => self.plain(Kind::Sysexit, full),
            0x40..=0x4f => {
                self.with_modrm(Kind::MovIf, full, Form::RegRm)?;
                self.insn.imm = u32::from(opcode & 15);
            }
            0x80..=0x8f => {
                self.near_jump(Kind::JumpIf)?;
                self.insn.reg = opcode & 15;
            }
            0x90..=0x9f => {
                self.with_modrm(Kind::SetIf, Size::Byte, Form::Rm)?;
                self.insn.reg = opcode & 15;
            }
            0xa0 | 0xa8 => {
                self.plain(Kind::PushSegment, full);
                self.insn.reg = opcode >> 3 & 7;
            }
            0xa1 | 0xa9 => {
                self.plain(Kind::PopSegment, full);
                self.insn.reg = opcode >> 3 & 7;
            }
            0xa2 => self.plain(Kind::Cpuid, full),
            0xa3 => return self.with_modrm(Kind::Bt, full, Form::RmReg),
            0xab => return self.with_modrm(Kind::Bts, full, Form::RmReg),
            0xb3 => return self.with_modrm(Kind::Btr, full, Form::RmReg),
            0xbb => return self.with_modrm(Kind::Btc, full, Form::RmReg),
            0xa4 | 0xac => {
                let kind = if opcode == 0xa4 {
                    Kind::Shld
                } else {
                    Kind::Shrd
                };
                self.with_modrm(kind, full, Form::RmImm)?;
                self.insn.imm = u32::from(self.byte()?);
            }
            0xa5 => return self.with_modrm(Kind::Shld, full, Form::RmCl),
            0xad => return self.with_modrm(Kind::Shrd, full, Form::RmCl),
            0xaf => return self.with_modrm(Kind::Imul, full, Form::RegRm),
            0xb0 | 0xb1 => {
                let size = self.sized(opcode);
                return self.with_modrm(Kind::CompareExchange, size, Form::RmReg);
            }
            0xb2 | 0xb4 | 0xb5 => {
                self.with_memory(Kind::LoadFarPointer, full, Form::RegRm)?;
                self.insn.imm2 = match opcode {
                    0xb2 => Seg::Ss,
                    0xb4 => Seg::Fs,
                    _ => Seg::Gs,
                } as u16;
            }
            0xb6 => return self.with_modrm(Kind::MovZeroByte, full, Form::RegRm),
            0xb7 => return self.with_modrm(Kind::MovZeroWord, full, Form::RegRm),
            0xba => {
                self.group(
                    full,
                    [U, U, U, U, Kind::Bt, Kind::Bts, Kind::Btr, Kind::Btc],
                )?;
                self.insn.form = Form::RmImm;
                self.insn.imm = u32::from(self.byte()?);
            }
            0xbc => return self.with_modrm(Kind::Bsf, full, Form::RegRm),
            0xbd => return self.with_modrm(Kind::Bsr, full, Form::RegRm),
            0xbe => return self.with_modrm(Kind::MovSignByte, full, Form::RegRm),
            0xbf => return self.with_modrm(Kind::MovSignWord, full, Form::RegRm),
            0xc0 | 0xc1 => return self.with_modrm(Kind::Xadd, self.sized(opcode), Form::RmReg),
            0xc7 => {
                self.with_memory(Kind::CompareExchange8, Size::Long, Form::Rm)?;
                if self.insn.reg != 1 {
                    self.insn.kind = U;
                }
            }
            0xc8..=0xcf => self.on_register(Kind::Bswap, full, opcode),
            _ => {}
        }
        Ok(())
    }

    /// The system tables, the machine status word, INVLPG.
    fn group7(&mut self) -> Result<(), Fault> {
        let kinds = [
            Kind::Sgdt,
            Kind::Sidt,
            Kind::Lgdt,
            Kind::Lidt,
            Kind::Smsw,
            U,
            Kind::Lmsw,
            Kind::Invlpg,
        ];
        self.group(self.full, kinds)?;
        let register = matches!(self.insn.kind, Kind::Smsw | Kind::Lmsw);
        if !register && !self.insn.memory {
            self.insn.kind = U;
        }
        Ok(())
    }
}

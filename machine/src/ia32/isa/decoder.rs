// SPDX-License-Identifier: Apache-2.0
//! Decoding (SDM vol. 2, chapter 2 and appendix A, the opcode map): bytes in, an [`Insn`] out. What is
//! no instruction of the model becomes one that raises the invalid opcode exception; MMX, SSE and what
//! came after them are among it.

use crate::ia32::isa::escape;
use crate::ia32::isa::exception::Fault;
use crate::ia32::isa::insn::reg::{EAX, EBP, EBX, EDI, ESI, ESP, NONE};
use crate::ia32::isa::insn::{Form, Insn, Repeat, Seg, Size};
use crate::ia32::isa::kind::Kind;

/// Where the bytes of an instruction come from.
pub trait Bytes {
    /// The next byte.
    ///
    /// # Errors
    /// It cannot be fetched, or the instruction is too long.
    fn next(&mut self) -> Result<u8, Fault>;
}

/// Bytes that are there already; too few are a general protection fault, as too many are.
impl Bytes for std::slice::Iter<'_, u8> {
    fn next(&mut self) -> Result<u8, Fault> {
        Iterator::next(self).copied().ok_or(Fault::protection(0))
    }
}

/// Decodes an instruction; `big`: of a code segment whose operands and offsets have 32 bits.
///
/// # Errors
/// Its bytes could not be fetched.
pub fn decode<B: Bytes>(bytes: &mut B, big: bool) -> Result<Insn, Fault> {
    let mut decoder = Decoder {
        bytes,
        insn: Insn {
            base: NONE as u8,
            index: NONE as u8,
            address16: !big,
            ..Insn::default()
        },
        full: if big { Size::Long } else { Size::Word },
        segment: None,
        modrm: 0,
    };
    let opcode = decoder.prefixes(big)?;
    decoder.one_byte(opcode)?;
    let mut insn = decoder.insn;
    if insn.locked && !is_lockable(&insn) {
        insn.kind = Kind::Undefined;
    }
    Ok(insn)
}

/// Whether LOCK may stand before an instruction: those that read, change and write memory.
fn is_lockable(insn: &Insn) -> bool {
    let changes = matches!(
        insn.kind,
        Kind::Add
            | Kind::Or
            | Kind::Adc
            | Kind::Sbb
            | Kind::And
            | Kind::Sub
            | Kind::Xor
            | Kind::Not
            | Kind::Neg
            | Kind::Inc
            | Kind::Dec
            | Kind::Bts
            | Kind::Btr
            | Kind::Btc
            | Kind::Xchg
            | Kind::Xadd
            | Kind::CompareExchange
            | Kind::CompareExchange8
    );
    changes && insn.memory && insn.form != Form::RegRm
}

struct Decoder<'a, B> {
    bytes: &'a mut B,
    insn: Insn,
    /// The size of operands that are no bytes.
    full: Size,
    /// The segment that a prefix asks for.
    segment: Option<Seg>,
    /// The ModRM byte.
    modrm: u8,
}

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
    // ---- bytes -----------------------------------------------------------------------------

    fn byte(&mut self) -> Result<u8, Fault> {
        let byte = self.bytes.next()?;
        self.insn.length += 1;
        Ok(byte)
    }

    fn half(&mut self) -> Result<u16, Fault> {
        Ok(u16::from_le_bytes([self.byte()?, self.byte()?]))
    }

    fn word(&mut self) -> Result<u32, Fault> {
        Ok(u32::from(self.half()?) | u32::from(self.half()?) << 16)
    }

    /// A constant of an operand's size.
    fn constant(&mut self, size: Size) -> Result<u32, Fault> {
        match size {
            Size::Byte => Ok(u32::from(self.byte()?)),
            Size::Word => Ok(u32::from(self.half()?)),
            Size::Long => self.word(),
        }
    }

    /// A signed byte, extended to the operand's size.
    fn short_constant(&mut self) -> Result<u32, Fault> {
        let value = self.byte()? as i8 as u32;
        Ok(match self.insn.size {
            Size::Byte => value & 0xff,
            Size::Word => value & 0xffff,
            Size::Long => value,
        })
    }

    /// The prefixes; the opcode that ends them.
    fn prefixes(&mut self, big: bool) -> Result<u8, Fault> {
        loop {
            let byte = self.byte()?;
            match byte {
                0x26 => self.segment = Some(Seg::Es),
                0x2e => self.segment = Some(Seg::Cs),
                0x36 => self.segment = Some(Seg::Ss),
                0x3e => self.segment = Some(Seg::Ds),
                0x64 => self.segment = Some(Seg::Fs),
                0x65 => self.segment = Some(Seg::Gs),
                0x66 => self.full = if big { Size::Word } else { Size::Long },
                0x67 => self.insn.address16 = big,
                0xf0 => self.insn.locked = true,
                0xf2 => self.insn.repeat = Repeat::WhileNotEqual,
                0xf3 => self.insn.repeat = Repeat::WhileEqual,
                opcode => return Ok(opcode),
            }
        }
    }

    /// The ModRM byte, and what follows it for a memory operand (SDM vol. 2, tables 2-1 to 2-3).
    fn modrm(&mut self) -> Result<(), Fault> {
        let byte = self.byte()?;
        self.modrm = byte;
        let (mode, rm) = (byte >> 6, byte & 7);
        self.insn.reg = byte >> 3 & 7;
        self.insn.rm = rm;
        if mode == 3 {
            return Ok(());
        }
        self.insn.memory = true;
        let on_stack = if self.insn.address16 {
            self.address16(mode, rm)?
        } else {
            self.address32(mode, rm)?
        };
        let own = if on_stack { Seg::Ss } else { Seg::Ds };
        self.insn.seg = self.segment.unwrap_or(own);
        Ok(())
    }

    /// A 16-bit address. Whether its segment is SS.
    fn address16(&mut self, mode: u8, rm: u8) -> Result<bool, Fault> {
        const BASE: [usize; 8] = [EBX, EBX, EBP, EBP, NONE, NONE, EBP, EBX];
        const INDEX: [usize; 8] = [ESI, EDI, ESI, EDI, ESI, EDI, NONE, NONE];
        if mode == 0 && rm == 6 {
            self.insn.displacement = u32::from(self.half()?);
            return Ok(false);
        }
        let base = BASE[usize::from(rm)];
        self.insn.base = base as u8;
        self.insn.index = INDEX[usize::from(rm)] as u8;
        self.insn.displacement = match mode {
            0 => 0,
            1 => self.byte()? as i8 as u32,
            _ => u32::from(self.half()?),
        };
        Ok(base == EBP)
    }

    /// A 32-bit address. Whether its segment is SS.
    fn address32(&mut self, mode: u8, rm: u8) -> Result<bool, Fault> {
        let mut base = rm;
        if rm == ESP as u8 {
            let sib = self.byte()?;
            base = sib & 7;
            let index = sib >> 3 & 7;
            if index != ESP as u8 {
                self.insn.index = index;
                self.insn.scale = sib >> 6;
            }
        }
        if mode == 0 && base == EBP as u8 {
            self.insn.displacement = self.word()?;
            return Ok(false);
        }
        self.insn.base = base;
        self.insn.displacement = match mode {
            0 => 0,
            1 => self.byte()? as i8 as u32,
            _ => self.word()?,
        };
        Ok(base == ESP as u8 || base == EBP as u8)
    }

    // ---- layouts ---------------------------------------------------------------------------

    /// A byte, or the full size, as bit 0 of the opcode says.
    fn sized(&self, opcode: u8) -> Size {
        if opcode & 1 == 0 {
            Size::Byte
        } else {
            self.full
        }
    }

    /// An instruction without operands, or whose operands are implied.
    fn plain(&mut self, kind: Kind, size: Size) {
        self.insn.kind = kind;
        self.insn.size = size;
    }

    /// One with a ModRM byte.
    fn with_modrm(&mut self, kind: Kind, size: Size, form: Form) -> Result<(), Fault> {
        self.plain(kind, size);
        self.insn.form = form;
        self.modrm()
    }

    /// One whose `rm` must be memory.
    fn with_memory(&mut self, kind: Kind, size: Size, form: Form) -> Result<(), Fault> {
        self.with_modrm(kind, size, form)?;
        if !self.insn.memory {
            self.insn.kind = Kind::Undefined;
        }
        Ok(())
    }

    /// One that works on the register that the opcode's low bits name.
    fn on_register(&mut self, kind: Kind, size: Size, opcode: u8) {
        self.plain(kind, size);
        self.insn.rm = opcode & 7;
    }

    /// One that works on the accumulator and a constant.
    fn on_accumulator(&mut self, kind: Kind, size: Size) -> Result<(), Fault> {
        self.plain(kind, size);
        self.insn.form = Form::RmImm;
        self.insn.rm = EAX as u8;
        self.insn.imm = self.constant(size)?;
        Ok(())
    }

    /// A jump by a signed byte.
    fn short_jump(&mut self, kind: Kind) -> Result<(), Fault> {
        self.plain(kind, self.full);
        self.insn.imm = self.byte()? as i8 as u32;
        Ok(())
    }

    /// A jump by a displacement of the operand's size.
    fn near_jump(&mut self, kind: Kind) -> Result<(), Fault> {
        self.plain(kind, self.full);
        self.insn.imm = match self.full {
            Size::Word => self.half()? as i16 as u32,
            _ => self.word()?,
        };
        Ok(())
    }

    /// One with a far pointer after it.
    fn far_pointer(&mut self, kind: Kind) -> Result<(), Fault> {
        self.plain(kind, self.full);
        self.insn.imm = self.constant(self.full)?;
        self.insn.imm2 = self.half()?;
        Ok(())
    }

    /// A string instruction: its source is in the segment that a prefix may change.
    fn string(&mut self, kind: Kind, opcode: u8) {
        self.plain(kind, self.sized(opcode));
        self.insn.seg = self.segment.unwrap_or(Seg::Ds);
    }

    // ---- the opcode map --------------------------------------------------------------------

    fn one_byte(&mut self, opcode: u8) -> Result<(), Fault> {
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

    /// A group of instructions that the `reg` field tells apart.
    fn group(&mut self, size: Size, kinds: [Kind; 8]) -> Result<(), Fault> {
        self.with_modrm(U, size, Form::Rm)?;
        self.insn.kind = kinds[usize::from(self.insn.reg)];
        Ok(())
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

    fn two_bytes(&mut self, opcode: u8) -> Result<(), Fault> {
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

/// No instruction.
const U: Kind = Kind::Undefined;

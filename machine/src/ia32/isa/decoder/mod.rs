// SPDX-License-Identifier: Apache-2.0
//! Decoding (SDM vol. 2, chapter 2 and appendix A, the opcode map): bytes in, an [`Insn`] out. What is
//! no instruction of the model becomes one that raises the invalid opcode exception; MMX, SSE and what
//! came after them are among it. Here are prefixes, constants and the layouts that opcodes share; `address` has
//! the ModRM byte, `one_byte`, `two_bytes` and `escape` the opcode map.

mod address;
mod escape;
mod one_byte;
mod two_bytes;

use crate::ia32::isa::exception::Fault;
use crate::ia32::isa::insn::reg::{EAX, NONE};
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

    /// A group of instructions that the `reg` field tells apart.
    fn group(&mut self, size: Size, kinds: [Kind; 8]) -> Result<(), Fault> {
        self.with_modrm(U, size, Form::Rm)?;
        self.insn.kind = kinds[usize::from(self.insn.reg)];
        Ok(())
    }
}

/// No instruction.
const U: Kind = Kind::Undefined;

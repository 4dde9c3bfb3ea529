// SPDX-License-Identifier: Apache-2.0
//! The decoded form of an instruction: all that executing it needs, without its bytes.

use super::kind::{Kind, KINDS};

/// General registers by their numbers in an instruction (SDM vol. 2, table 2-1).
pub mod reg {
    /// EAX; AL, AX in narrower operands.
    pub const EAX: usize = 0;
    /// ECX.
    pub const ECX: usize = 1;
    /// EDX.
    pub const EDX: usize = 2;
    /// EBX.
    pub const EBX: usize = 3;
    /// ESP; as a byte, AH.
    pub const ESP: usize = 4;
    /// EBP.
    pub const EBP: usize = 5;
    /// ESI.
    pub const ESI: usize = 6;
    /// EDI.
    pub const EDI: usize = 7;
    /// No register: reads as 0. An address without base or index has this one.
    pub const NONE: usize = 8;
}

/// Segment registers, as instructions number them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Seg {
    /// ES.
    Es,
    /// CS.
    Cs,
    /// SS.
    Ss,
    /// DS.
    #[default]
    Ds,
    /// FS.
    Fs,
    /// GS.
    Gs,
}

impl Seg {
    /// Every one, in order.
    pub const ALL: [Self; 6] = [Self::Es, Self::Cs, Self::Ss, Self::Ds, Self::Fs, Self::Gs];

    /// The one of this number, if there is one.
    #[must_use]
    pub fn numbered(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

/// The size of an operand: an index into rows of handlers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Size {
    /// 8 bits.
    Byte,
    /// 16 bits.
    Word,
    /// 32 bits.
    #[default]
    Long,
}

impl Size {
    /// In bytes.
    #[must_use]
    pub fn bytes(self) -> u32 {
        1 << self as u32
    }
}

/// Which operands there are, the destination first. `rm` is the register or the memory that the ModRM
/// byte says, `reg` the register that it says, or what an opcode names in their place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// `rm`, or none.
    #[default]
    Rm,
    /// `rm`, `reg`.
    RmReg,
    /// `reg`, `rm`.
    RegRm,
    /// `rm` (or, with two operands to read, `reg` and `rm`) and the constant.
    RmImm,
    /// `rm` and CL.
    RmCl,
    /// The constant alone.
    Imm,
}

/// The prefix that repeats a string instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Repeat {
    /// None.
    #[default]
    No,
    /// F3: REP, REPE.
    WhileEqual,
    /// F2: REPNE.
    WhileNotEqual,
}

/// The format of a floating-point instruction's operand in memory (SDM vol. 1, 4.2.2, 4.7 and 8.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// 32 bits.
    #[default]
    Single,
    /// 64 bits.
    Double,
    /// 80 bits, as registers have it.
    Extended,
    /// An integer of 16 bits.
    Integer16,
    /// An integer of 32 bits.
    Integer32,
    /// An integer of 64 bits.
    Integer64,
    /// 18 decimal digits, two a byte, and a sign.
    Decimal,
}

impl Format {
    /// Its bytes.
    #[must_use]
    pub fn bytes(self) -> u32 {
        match self {
            Self::Integer16 => 2,
            Self::Single | Self::Integer32 => 4,
            Self::Double | Self::Integer64 => 8,
            Self::Extended | Self::Decimal => 10,
        }
    }
}

/// Kinds that are common enough to have a handler for each shape of operands of 32 bits, which then need not
/// look what they are.
pub const SHAPED: [Kind; 8] = [
    Kind::Mov,
    Kind::Add,
    Kind::Or,
    Kind::And,
    Kind::Sub,
    Kind::Xor,
    Kind::Compare,
    Kind::Test,
];

/// The shapes of operands: which there are, and whether `rm` is memory.
pub const SHAPES: [(Form, bool); 6] = [
    (Form::RegRm, false),
    (Form::RegRm, true),
    (Form::RmReg, false),
    (Form::RmReg, true),
    (Form::RmImm, false),
    (Form::RmImm, true),
];

/// Sizes of operands.
pub const SIZES: usize = 3;

/// How many operations there are: kinds by size of the operands, and then those of [`SHAPED`] by shape.
pub const OPERATIONS: usize = KINDS * SIZES + SHAPED.len() * SHAPES.len();

impl Insn {
    /// The number of its operation, less than [`OPERATIONS`].
    #[must_use]
    pub fn operation(&self) -> usize {
        let operands = (self.form, self.memory);
        let kind = SHAPED.iter().position(|kind| *kind == self.kind);
        let shape = SHAPES.iter().position(|shape| *shape == operands);
        match (kind, shape) {
            (Some(kind), Some(shape)) if self.size == Size::Long && !self.address16 => {
                KINDS * SIZES + kind * SHAPES.len() + shape
            }
            _ => self.kind as usize * SIZES + self.size as usize,
        }
    }

    /// How many µops it is: one for what it does, one for what it reads of memory and two for what it
    /// writes there (248966, appendix C has the numbers of each: simple ones are as many). Those that the
    /// microcode has are one in the trace cache.
    #[must_use]
    pub fn uops(&self) -> usize {
        use Kind::{
            Call, CallIndirect, Compare, Lea, Mov, MovFromSegment, Pop, Push, Ret, Test, Undefined,
        };
        let memory = usize::from(self.memory);
        match self.kind {
            Undefined => 1,
            Lea => 1,
            Compare | Test => 1 + memory,
            Mov | MovFromSegment => match (self.memory, self.form) {
                (true, Form::RegRm) | (false, _) => 1,
                _ => 2,
            },
            Push => 2 + memory,
            Pop => 2 + 2 * memory,
            Call => 3,
            CallIndirect => 3 + memory,
            Ret => 3,
            kind if kind.reads_only() => 1 + memory,
            _ if self.form == Form::RegRm => 1 + memory,
            _ => 1 + 3 * memory,
        }
    }

    /// Whether a trace ends with it: it goes elsewhere always, or may change how bytes are decoded.
    #[must_use]
    pub fn ends_trace(&self) -> bool {
        self.kind.transfers()
    }
}

/// A decoded instruction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Insn {
    /// What it does.
    pub kind: Kind,
    /// The size of its operands.
    pub size: Size,
    /// Which operands it has.
    pub form: Form,
    /// Bytes of its encoding, prefixes included.
    pub length: u8,
    /// Whether offsets have 16 bits, not 32.
    pub address16: bool,
    /// Whether `rm` is memory.
    pub memory: bool,
    /// Whether LOCK stands before it.
    pub locked: bool,
    /// The format of a floating-point instruction's operand in memory.
    pub format: Format,
    /// REP and its like.
    pub repeat: Repeat,
    /// The register `reg`, the condition of a conditional instruction, or the segment register.
    pub reg: u8,
    /// The register `rm`.
    pub rm: u8,
    /// The memory operand's segment.
    pub seg: Seg,
    /// Its base register.
    pub base: u8,
    /// Its index register, which is shifted left by `scale`.
    pub index: u8,
    /// See `index`.
    pub scale: u8,
    /// What is added to both.
    pub displacement: u32,
    /// The constant, sign-extended where the instruction extends it; a far pointer's offset, ENTER's
    /// size, the condition of CMOVcc, a floating-point instruction's opcode as FSTENV stores it.
    pub imm: u32,
    /// A far pointer's selector, ENTER's level, how often a floating-point instruction pops.
    pub imm2: u16,
}

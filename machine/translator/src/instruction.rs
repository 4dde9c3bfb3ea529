// SPDX-License-Identifier: Apache-2.0
//! An instruction as an architecture describes it to the translator: what it does and what it costs.
//! Registers are numbers below [`REGISTERS`]; an address within the program is relative to the line in
//! which the instruction stands, as a translation belongs to a line's contents wherever it lies.

/// Registers that an instruction can name; as many as the widest architecture has.
pub const REGISTERS: usize = 32;

/// A register of the guest.
pub type Register = u8;

/// An instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    /// When it is executed.
    pub condition: Condition,
    /// The registers that it reads, one bit each: it waits for those whose result is delayed, whether its
    /// condition holds or not.
    pub sources: u32,
    /// Cycles beyond the first, if it is executed.
    pub issue: u32,
    /// How many cycles later than it would otherwise its result may be used.
    pub delay: u32,
    /// What it does.
    pub action: Action,
}

impl Instruction {
    /// One that the interpreter executes.
    pub const LEFT: Self = Self {
        condition: Condition::Always,
        sources: 0,
        issue: 0,
        delay: 0,
        action: Action::Leave,
    };
}

/// A condition on the flags N, Z, C and V: those of ARM's condition field (DDI 0100, table A3-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Condition {
    Equal,
    NotEqual,
    CarrySet,
    CarryClear,
    Negative,
    Positive,
    Overflow,
    NoOverflow,
    Higher,
    LowerOrSame,
    GreaterOrEqual,
    Less,
    Greater,
    LessOrEqual,
    Always,
}

impl Condition {
    /// All, in the order of ARM's condition field.
    pub const ALL: [Self; 15] = [
        Self::Equal,
        Self::NotEqual,
        Self::CarrySet,
        Self::CarryClear,
        Self::Negative,
        Self::Positive,
        Self::Overflow,
        Self::NoOverflow,
        Self::Higher,
        Self::LowerOrSame,
        Self::GreaterOrEqual,
        Self::Less,
        Self::Greater,
        Self::LessOrEqual,
        Self::Always,
    ];
}

/// What an instruction does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Computes a word.
    Compute {
        /// How.
        operation: Operation,
        /// Where it goes; `None`: the flags alone are wanted.
        destination: Option<Register>,
        /// The first operand; those that have one take no notice of it.
        first: Value,
        /// The second.
        second: Operand,
        /// What becomes of the flags.
        flags: Flags,
    },
    /// Multiplies two words, and adds a third; 32 bits of it.
    Multiply {
        /// Where it goes.
        destination: Register,
        /// One factor.
        first: Register,
        /// The other: it says how long the multiplier is busy.
        second: Register,
        /// What is added.
        added: Option<Register>,
        /// Bits that the multiplier retires in a cycle; 32: it takes one cycle.
        bits_per_cycle: u32,
    },
    /// Reads a word or a part of one.
    Load {
        /// Where it goes.
        destination: Register,
        /// How much.
        width: Width,
        /// Whether the sign is extended.
        signed: bool,
        /// Where from.
        address: Address,
    },
    /// Writes a word or a part of one.
    Store {
        /// What.
        source: Register,
        /// How much.
        width: Width,
        /// Where to.
        address: Address,
    },
    /// Reads consecutive words into registers.
    LoadMultiple {
        /// The register from which the first word's address is counted.
        base: Register,
        /// How far it is.
        start: i32,
        /// The registers, one bit each, the lowest first; [`LoadMultiple`](Self::LoadMultiple) delays the
        /// highest.
        list: u16,
        /// What is added to the base before it is loaded, if anything.
        write_back: Option<i32>,
        /// A last word that is where the program goes on.
        jump: Option<Jump>,
    },
    /// Writes registers to consecutive words.
    StoreMultiple {
        /// The register from which the first word's address is counted.
        base: Register,
        /// How far it is.
        start: i32,
        /// The registers, one bit each, the lowest first.
        list: u16,
        /// What is added to the base afterwards, if anything.
        write_back: Option<i32>,
    },
    /// Goes on elsewhere.
    Branch {
        /// Where: bytes from the line's address.
        to: i32,
        /// The register that gets a return address, and that, as bytes from the line's address.
        link: Option<(Register, i32)>,
    },
    /// Goes on where a register says.
    BranchRegister {
        /// Which.
        target: Register,
        /// How.
        jump: Jump,
    },
    /// Is executed by the interpreter.
    Leave,
}

/// How the program goes on at an address that it has computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Jump {
    /// The address bits that count.
    pub mask: u32,
    /// Bits that must be 0; otherwise the interpreter executes the instruction.
    pub zero: u32,
    /// Cycles that it takes beyond those of the instruction.
    pub extra: u32,
}

/// Operations with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Both.
    And,
    /// Either but not both.
    ExclusiveOr,
    /// First less second.
    Subtract,
    /// Second less first.
    ReverseSubtract,
    /// First and second.
    Add,
    /// First and second and carry.
    AddWithCarry,
    /// First less second less the inverted carry.
    SubtractWithCarry,
    /// Either.
    Or,
    /// The second.
    Move,
    /// First without the bits of the second.
    BitClear,
    /// The second, inverted.
    Not,
}

impl Operation {
    /// Whether there is no first operand.
    #[must_use]
    pub fn is_unary(self) -> bool {
        matches!(self, Self::Move | Self::Not)
    }

    /// Whether it says itself what becomes of carry and overflow.
    #[must_use]
    pub fn is_arithmetic(self) -> bool {
        matches!(
            self,
            Self::Subtract
                | Self::ReverseSubtract
                | Self::Add
                | Self::AddWithCarry
                | Self::SubtractWithCarry
        )
    }
}

/// What becomes of the flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flags {
    /// They stay.
    Kept,
    /// All four follow an arithmetic operation; of a subtraction carry is set if nothing was borrowed. N and Z
    /// follow any other, which leaves V; what becomes of C is said.
    Set(Carry),
}

/// What becomes of the carry flag of an operation that is not arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carry {
    /// It stays.
    Kept,
    /// It is this.
    Constant(bool),
    /// It is the last bit that was shifted out of the second operand.
    Shifted,
}

/// A word that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// A register's.
    Register(Register),
    /// The line's address and so many bytes.
    Line(i32),
}

/// A second operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    /// A number.
    Constant(u32),
    /// A word that is there.
    Value(Value),
    /// A register's, shifted by 1 to 31.
    Shifted(Register, Shift, u8),
    /// A register's, shifted by the low byte of another one's.
    ShiftedBy(Register, Shift, Register),
}

/// Directions of shifts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Shift {
    Left,
    LogicalRight,
    ArithmeticRight,
    RotateRight,
}

/// How much a load or store moves. An address that is no multiple of it is left to the interpreter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Width {
    Byte,
    Half,
    Word,
}

impl Width {
    /// In bytes.
    #[must_use]
    pub fn bytes(self) -> u32 {
        match self {
            Self::Byte => 1,
            Self::Half => 2,
            Self::Word => 4,
        }
    }
}

/// Where a load or store goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    /// What is counted from.
    pub base: Value,
    /// How far.
    pub offset: Offset,
    /// Which of both is accessed, and whether the base is written.
    pub mode: Mode,
}

/// A distance from a base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offset {
    /// So many bytes.
    Constant(i32),
    /// A register's value, shifted by 0 to 31; subtracted, if `true`.
    Register(Register, Shift, u8, bool),
}

/// Addressing modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Base and offset are accessed.
    Offset,
    /// They are, and the base register becomes that.
    PreIndexed,
    /// The base is accessed, and its register becomes base and offset.
    PostIndexed,
}

impl Address {
    /// The base register, if it is written.
    pub(crate) fn written_base(self) -> Option<Register> {
        match (self.base, self.mode) {
            (Value::Register(register), Mode::PreIndexed | Mode::PostIndexed) => Some(register),
            _ => None,
        }
    }
}

impl Action {
    /// The registers that it names, one bit each.
    ///
    /// # Panics
    /// There is no such register.
    pub(crate) fn registers(&self) -> u32 {
        let bit = |register: Register| {
            assert!(usize::from(register) < REGISTERS, "a register");
            1u32 << register
        };
        let value = |value: Value| match value {
            Value::Register(register) => bit(register),
            Value::Line(_) => 0,
        };
        let place = |address: Address| {
            value(address.base)
                | match address.offset {
                    Offset::Constant(_) => 0,
                    Offset::Register(register, ..) => bit(register),
                }
        };
        match *self {
            Self::Compute {
                destination,
                first,
                second,
                ..
            } => {
                let second = match second {
                    Operand::Constant(_) => 0,
                    Operand::Value(second) => value(second),
                    Operand::Shifted(register, ..) => bit(register),
                    Operand::ShiftedBy(register, _, by) => bit(register) | bit(by),
                };
                destination.map_or(0, bit) | value(first) | second
            }
            Self::Multiply {
                destination,
                first,
                second,
                added,
                ..
            } => bit(destination) | bit(first) | bit(second) | added.map_or(0, bit),
            Self::Load {
                destination,
                address,
                ..
            } => bit(destination) | place(address),
            Self::Store {
                source, address, ..
            } => bit(source) | place(address),
            Self::LoadMultiple { base, list, .. } | Self::StoreMultiple { base, list, .. } => {
                bit(base) | u32::from(list)
            }
            Self::Branch { link, .. } => link.map_or(0, |(register, _)| bit(register)),
            Self::BranchRegister { target, .. } => bit(target),
            Self::Leave => 0,
        }
    }
}

impl Instruction {
    /// How the program goes on after it, if at an address that it has computed.
    pub(crate) fn jump(&self) -> Option<Jump> {
        match self.action {
            Action::LoadMultiple { jump, .. } => jump,
            Action::BranchRegister { jump, .. } => Some(jump),
            _ => None,
        }
    }

    /// The register whose result is delayed, if it has one; `None`: its time is not known beforehand.
    pub(crate) fn result(&self) -> Option<Option<Register>> {
        match self.action {
            Action::Compute { destination, .. } => Some(destination),
            Action::Load { destination, .. } => Some(Some(destination)),
            Action::LoadMultiple { list, .. } => Some(list.checked_ilog2().map(|n| n as Register)),
            Action::Store { .. }
            | Action::StoreMultiple { .. }
            | Action::Branch { .. }
            | Action::BranchRegister { .. } => Some(None),
            Action::Multiply { .. } | Action::Leave => None,
        }
    }

    /// The same, if it is followed by the next instruction when it is executed.
    pub(crate) fn stays_in_sequence(&self) -> Option<Option<Register>> {
        let branches = matches!(self.action, Action::Branch { .. }) || self.jump().is_some();
        self.result().filter(|_| !branches)
    }
}

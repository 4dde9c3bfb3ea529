// SPDX-License-Identifier: Apache-2.0
//! Instructions as the architecture describes them, and the time that they take. An address within the
//! program is relative to the line, as a translation belongs to a line's contents wherever it lies.

/// A register of the guest.
pub type Register = u8;

/// A unit as the architecture describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// Instructions in sequence, none of them [`Action::Leave`].
    pub steps: Vec<Step>,
    /// What has passed before each of them, and after the last, if every register was there in time
    /// (`needed`) and the first instruction issued in a cycle of its own.
    pub passed: Vec<Passed>,
    /// The registers that it reads or writes, and how many cycles after its beginning what was under way
    /// before must be there at the latest.
    pub needed: Vec<(Register, u32)>,
    /// The place after the last.
    pub end: usize,
    /// If the last one goes on in the next line: the halfword that is first there. Its place is −1 then, and
    /// places and addresses of it are relative to that line; `end` is the place where it begins in its own.
    pub crossing: Option<u16>,
    /// What wrong predictions cost.
    pub penalties: Penalties,
}

/// An instruction of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Its place in the line.
    pub place: i32,
    /// The place of the next in sequence.
    pub next: i32,
    /// What it does.
    pub action: Action,
    /// Whether a late stage of the pipeline does it, if everything was there in time.
    pub late: bool,
    /// How it issues, if not.
    pub issue: Issue,
}

/// How an instruction issues: in order, with the one before if a slot is free, when its operands are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Issue {
    /// The registers that it reads; 0, which is always there, if none.
    pub sources: [Register; 2],
    /// Where its result goes; some register, if nowhere.
    pub result: Register,
    /// The issue slots that it can take, and those that it leaves to the next instruction.
    pub slots: u8,
    /// The latter.
    pub leaves: u8,
    /// What it waits for.
    pub wait: Wait,
    /// Cycles from issue until the result is there, early and late.
    pub delays: [u32; 2],
    /// The same, if the late stage does it.
    pub late_delays: [u32; 2],
}

/// What an instruction waits for. If both operands are there early, that is enough in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Both early.
    Early,
    /// Both late: the late stage can do it.
    Either,
    /// The first early, the second late.
    Stored,
    /// Everything before it, whatever registers it reads. Such an instruction is a unit of its own.
    All,
}

/// What has passed since a unit began.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Passed {
    /// Cycles.
    pub cycles: u32,
    /// Issue slots that the next instruction may take in the cycle that is over.
    pub open: u8,
    /// Registers that may have to be waited for: how many cycles from now they are there, early and late;
    /// negative: they were in the cycle that is over.
    pub pending: Vec<(Register, [i32; 2])>,
}

/// What wrong predictions cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Penalties {
    /// A target that is found at decode.
    pub decoded_target: u32,
    /// A wrong direction or indirect target.
    pub mispredicted: u32,
    /// What is added if a late stage finds that out.
    pub late: u32,
}

/// What an instruction does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Computes.
    Compute {
        /// How.
        operation: Operation,
        /// Where it goes; `None`: nowhere.
        destination: Option<Register>,
        /// The first operand.
        first: Register,
        /// The second.
        second: Operand,
    },
    /// Puts a number in a register.
    Constant {
        /// Where it goes.
        destination: Option<Register>,
        /// The number.
        value: i32,
    },
    /// Puts an address in a register.
    Address {
        /// Where it goes.
        destination: Option<Register>,
        /// Bytes from the line's address.
        from_line: i64,
    },
    /// Reads memory.
    Load {
        /// Where it goes.
        destination: Option<Register>,
        /// How much.
        width: Width,
        /// Whether the sign is extended.
        signed: bool,
        /// The register that has the address, but for
        base: Register,
        /// what is added.
        offset: i32,
    },
    /// Writes memory.
    Store {
        /// What.
        source: Register,
        /// How much.
        width: Width,
        /// The register that has the address, but for
        base: Register,
        /// what is added.
        offset: i32,
    },
    /// Goes on elsewhere, if two registers compare so.
    Branch {
        /// How.
        condition: Condition,
        /// One.
        first: Register,
        /// The other.
        second: Register,
        /// Where: bytes from the line's address.
        to: i64,
    },
    /// Goes on elsewhere.
    Jump {
        /// Where: bytes from the line's address.
        to: i64,
        /// The register that gets the address of the next instruction.
        link: Option<Register>,
        /// Whether it is a call.
        calls: bool,
    },
    /// Goes on where a register says.
    JumpRegister {
        /// The register that has the address, whose lowest bit does not count, but for
        target: Register,
        /// what is added.
        offset: i32,
        /// The register that gets the address of the next instruction.
        link: Option<Register>,
        /// Whether it is a call.
        calls: bool,
        /// Whether it is a return.
        returns: bool,
    },
    /// Divides. It is the last of its unit, as how long it takes goes by the operands.
    Divide {
        /// How.
        division: Division,
        /// Where it goes; `None`: nowhere.
        destination: Option<Register>,
        /// What is divided.
        first: Register,
        /// By what.
        second: Register,
        /// Cycles that it takes if the quotient has no bits,
        least: u32,
        /// and how many more if it had 64.
        span: u32,
    },
    /// Waits until all stores have their lines, and for so many cycles.
    Fence(u32),
    /// Reads a register of the system, and may change it.
    System {
        /// Which.
        register: SystemRegister,
        /// Where what it held goes; `None`: nowhere.
        destination: Option<Register>,
        /// What becomes of it.
        change: Change,
        /// The lowest level of privilege that may do that.
        level: u8,
        /// Cycles that it takes.
        cycles: u32,
    },
    /// Reads the status register, and may change it. One that the layout has for the interpreter is left.
    Status {
        /// What its bits are.
        layout: &'static StatusLayout,
        /// Where what it held goes; `None`: nowhere.
        destination: Option<Register>,
        /// What becomes of it.
        change: Change,
        /// Cycles that it takes.
        cycles: u32,
    },
    /// Is executed by the interpreter.
    Leave,
}

/// What the bits of a status register are on which accesses depend. It is for the highest level of privilege.
#[derive(Debug, PartialEq, Eq)]
pub struct StatusLayout {
    /// Bits that read as set.
    pub fixed: u64,
    /// Bits that can be written.
    pub writable: u64,
    /// If all of these are set,
    pub all: u64,
    /// this reads as set.
    pub summary: u64,
    /// Bits that only the interpreter sets: something may happen at once.
    pub alarms: u32,
    /// Where the two bits are that have another level of privilege.
    pub other_level: u8,
    /// A value of them that only the interpreter writes.
    pub no_level: u8,
    /// The number of the bit by which data accesses are of that level. It is in the lowest two bits of their tags.
    pub uses_other: u8,
    /// How far above the bits of the tags are those that they follow,
    pub tag_shift: u8,
    /// and which of the tag these are.
    pub tag_bits: u8,
}

/// The highest level of privilege. Its accesses are not translated.
pub const HIGHEST_LEVEL: u8 = 3;

/// A division. By zero, the quotient is −1 and the remainder what is divided; the quotient of the least number and
/// −1 is the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Division {
    /// Whether operands have signs.
    pub signed: bool,
    /// Whether it is of low words, and the sign of its result extended.
    pub word: bool,
    /// Whether the remainder is wanted, not the quotient.
    pub remainder: bool,
}

/// A register of the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemRegister {
    /// One that is always the same.
    Constant(i64),
    /// One of those that are lent: which, and the bits of it that can be set.
    Lent(u8, i32),
}

/// What becomes of a register of the system; of one that is always the same, nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It stays.
    Kept,
    /// It becomes this.
    Replaced(Operand),
    /// These bits are set.
    Set(Operand),
    /// These bits are cleared.
    Cleared(Operand),
}

impl Change {
    /// The register that says how.
    fn register(self) -> Option<Register> {
        match self {
            Self::Replaced(by) | Self::Set(by) | Self::Cleared(by) => match by {
                Operand::Register(register) => Some(register),
                Operand::Constant(_) => None,
            },
            Self::Kept => None,
        }
    }
}

/// Operations with two operands. Those of words extend the sign of their result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Operation {
    Add,
    Subtract,
    And,
    Or,
    ExclusiveOr,
    /// The second is inverted before.
    AndNot,
    OrNot,
    ExclusiveOrNot,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    /// 1 if the first is less.
    Less,
    LessUnsigned,
    AddWord,
    SubtractWord,
    ShiftLeftWord,
    ShiftRightWord,
    ShiftRightSignedWord,
    Multiply,
    MultiplyWord,
    /// The high half of the product.
    MultiplyHigh,
    MultiplyHighUnsigned,
    /// The first is shifted left before: by 1 to 3.
    AddShifted(u8),
    /// The same of its low word.
    AddShiftedWord(u8),
    Minimum,
    MinimumUnsigned,
    Maximum,
    MaximumUnsigned,
    /// The first alone, its low byte or half with or without sign.
    SignByte,
    SignHalf,
    ZeroHalf,
}

/// A second operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    /// A number.
    Constant(i32),
    /// A register's.
    Register(Register),
}

/// How two registers compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Condition {
    Equal,
    NotEqual,
    Less,
    GreaterOrEqual,
    Below,
    AboveOrEqual,
}

/// How much a load or store moves. An address that is no multiple of it is left to the interpreter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Width {
    Byte,
    Half,
    Word,
    Double,
}

impl Width {
    /// In bytes.
    #[must_use]
    pub fn bytes(self) -> u32 {
        1 << self as u32
    }
}

impl Action {
    /// Whether the next instruction in sequence never follows it.
    #[must_use]
    pub fn ends_sequence(&self) -> bool {
        matches!(
            self,
            Self::Jump { .. } | Self::JumpRegister { .. } | Self::Leave
        )
    }

    /// Whether nothing follows it in its unit: the sequence ends, or what it takes is not known beforehand.
    #[must_use]
    pub fn ends_unit(&self) -> bool {
        self.ends_sequence()
            || matches!(
                self,
                Self::Divide { .. } | Self::Fence(_) | Self::System { .. } | Self::Status { .. }
            )
    }

    /// The highest register that it names.
    pub(super) fn highest_register(&self) -> Register {
        let all = match *self {
            Self::Compute {
                destination,
                first,
                second,
                ..
            } => {
                let second = match second {
                    Operand::Constant(_) => None,
                    Operand::Register(register) => Some(register),
                };
                [destination, Some(first), second]
            }
            Self::Constant { destination, .. } | Self::Address { destination, .. } => {
                [destination, None, None]
            }
            Self::Load {
                destination, base, ..
            } => [destination, Some(base), None],
            Self::Store { source, base, .. } => [Some(source), Some(base), None],
            Self::Branch { first, second, .. } => [Some(first), Some(second), None],
            Self::Jump { link, .. } => [link, None, None],
            Self::JumpRegister { target, link, .. } => [Some(target), link, None],
            Self::Divide {
                destination,
                first,
                second,
                ..
            } => [destination, Some(first), Some(second)],
            Self::System {
                destination,
                change,
                ..
            }
            | Self::Status {
                destination,
                change,
                ..
            } => [destination, change.register(), None],
            Self::Fence(_) | Self::Leave => [None; 3],
        };
        all.into_iter().flatten().max().unwrap_or(0)
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Instructions as the architecture describes them: what each does and what it costs. As a translation belongs to
//! a line of one address, addresses within the program are as they are.

/// A general register of the guest, by its number. Of byte registers 4 to 7 are the second bytes of 0 to 3.
pub type Register = u8;
/// General registers, and one that is always 0.
pub const REGISTERS: usize = 9;
/// The register that is always 0: a part of an address that there is none of.
pub const NONE: Register = 8;
/// What an instruction may wait for: registers, flags, whatever the architecture has beside.
pub const RESULTS: usize = 16;
/// Instructions of a line at most.
pub const MOST_STEPS: usize = 8;

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// The address of its first instruction.
    pub address: u32,
    /// Its instructions.
    pub steps: Vec<Step>,
    /// Prices that instructions share.
    pub prices: Prices,
}

/// Prices, in units of the guest's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prices {
    /// A µop's entry into the window.
    pub uop: u32,
    /// How long an access keeps its port.
    pub port: u32,
    /// From the access to what it reads, in the first-level cache.
    pub load: u32,
    /// From an operand to a stack pointer that is changed by the way.
    pub early: u32,
    /// From a wrongly predicted branch's execution to the next instruction.
    pub mispredicted: u32,
}

/// An instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Its bytes.
    pub bytes: u32,
    /// Its µops.
    pub uops: u32,
    /// From its operands, or what it reads of memory, to its results.
    pub latency: u32,
    /// What it waits for.
    pub sources: [Option<u8>; 3],
    /// What it gives.
    pub results: [Option<u8>; 2],
    /// What it gives without waiting for memory.
    pub early: Option<u8>,
    /// Whether the clock keeps when its accesses could be made.
    pub accesses: bool,
    /// What it does.
    pub action: Action,
}

/// What an instruction does. It sets flags as the host's instruction of that name, but where something else is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Nothing.
    Nothing,
    /// Combines two operands, not both of them in memory.
    Binary {
        /// How.
        operation: Binary,
        /// How wide they are.
        width: Width,
        /// The first, which gets the result if there is one.
        first: Operand,
        /// The second.
        second: Operand,
    },
    /// Changes an operand.
    Unary {
        /// How.
        operation: Unary,
        /// How wide it is.
        width: Width,
        /// It.
        operand: Operand,
    },
    /// Copies an operand.
    Move {
        /// How wide it is.
        width: Width,
        /// Where to.
        to: Operand,
        /// From where.
        from: Operand,
    },
    /// Copies a narrower operand into a register.
    Extend {
        /// How wide the register is.
        width: Width,
        /// How wide the operand is.
        from_width: Width,
        /// Whether its sign is extended.
        signed: bool,
        /// Where to.
        to: Register,
        /// From where.
        from: Operand,
    },
    /// Puts an address into a register.
    Address {
        /// Where to.
        to: Register,
        /// It.
        address: Address,
    },
    /// Shifts a register of 32 bits. AF stays; OF is that of a shift by one, also of others: to the left whether the
    /// sign is another than CF, to the right the sign as it was, arithmetically 0. Of rotates CF and OF are those flags,
    /// and the others stay.
    Shift {
        /// How.
        operation: Shift,
        /// It.
        register: Register,
        /// How far, modulo 32.
        count: Count,
    },
    /// Multiplies two words, signed; of the flags CF and OF say whether 32 bits are too few, the others stay.
    Multiply {
        /// Where to.
        to: Register,
        /// One factor.
        first: Operand,
        /// The other: no memory.
        second: Operand,
    },
    /// Multiplies EAX by a word; the product is in EDX and EAX. Of the flags CF and OF say whether 32 bits are too
    /// few, the others stay.
    MultiplyWide {
        /// Whether they are signed.
        signed: bool,
        /// The word.
        by: Operand,
    },
    /// Copies an operand of 32 bits into a register if a condition holds.
    MoveIf {
        /// Which, as opcodes number them.
        condition: u8,
        /// Where to.
        to: Register,
        /// From where.
        from: Operand,
    },
    /// Sets a byte to whether a condition holds.
    SetIf {
        /// Which, as opcodes number them.
        condition: u8,
        /// It.
        to: Operand,
    },
    /// Swaps two registers of 32 bits.
    Exchange(Register, Register),
    /// Turns the bytes of a register of 32 bits round.
    SwapBytes(Register),
    /// Extends the sign of AX to EAX.
    ExtendAccumulator,
    /// Fills EDX with the sign of EAX.
    SignToEdx,
    /// Puts the time in whole cycles at which it enters, and what the clock's offset is, into EDX and EAX. Nothing
    /// enters for a while then.
    TimeStamp {
        /// How long.
        held: u32,
    },
    /// Pushes a word.
    Push(Operand),
    /// Pops a word into a register, not the stack pointer.
    Pop(Register),
    /// Drops what is below the frame pointer, and pops that.
    DropFrame,
    /// Copies memory at ESI to EDI, which go on to the next element, up or down.
    MoveString(Width),
    /// Goes on elsewhere.
    Jump {
        /// Where.
        to: u32,
    },
    /// The same, if a condition holds.
    JumpIf {
        /// Which, as opcodes number them.
        condition: u8,
        /// Where.
        to: u32,
        /// Whether it is taken to be backward.
        backward: bool,
    },
    /// Goes on elsewhere, and pushes the address of the next instruction.
    Call {
        /// Where.
        to: u32,
    },
    /// Goes on where an operand says.
    JumpTo(Operand),
    /// The same, and pushes the address of the next instruction.
    CallTo(Operand),
    /// Goes on where the top of the stack says, and drops that and so many bytes.
    Return {
        /// How many.
        bytes: u32,
    },
    /// Is executed by the interpreter.
    Leave,
}

/// Operations with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Binary {
    Add,
    AddWithCarry,
    Subtract,
    SubtractWithBorrow,
    /// AF is cleared by this and those that follow.
    And,
    Or,
    ExclusiveOr,
    /// Only the flags are wanted: of a subtraction,
    Compare,
    /// and of And.
    Test,
}

impl Binary {
    /// Whether it is one of bits.
    pub(crate) fn is_logic(self) -> bool {
        matches!(self, Self::And | Self::Or | Self::ExclusiveOr | Self::Test)
    }

    /// Whether the first operand stays.
    pub(crate) fn compares(self) -> bool {
        matches!(self, Self::Compare | Self::Test)
    }

    pub(crate) fn takes_carry(self) -> bool {
        matches!(self, Self::AddWithCarry | Self::SubtractWithBorrow)
    }
}

/// Operations with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Unary {
    Increment,
    Decrement,
    Negate,
    Not,
}

/// Shifts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Shift {
    Left,
    Right,
    RightSigned,
    RotateLeft,
    RotateRight,
}

impl Shift {
    pub(crate) fn rotates(self) -> bool {
        matches!(self, Self::RotateLeft | Self::RotateRight)
    }
}

/// How far to shift.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// So far.
    Constant(u8),
    /// As CL says.
    Register,
}

/// How wide an operand is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Width {
    Byte,
    Word,
    Long,
}

impl Width {
    /// In bytes.
    #[must_use]
    pub fn bytes(self) -> i32 {
        1 << self as i32
    }
}

/// An operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    /// A register.
    Register(Register),
    /// Memory.
    Memory(Address),
    /// A number.
    Constant(u32),
}

impl Operand {
    /// Its address, if it is in memory.
    pub(crate) fn address(self) -> Option<Address> {
        match self {
            Self::Memory(address) => Some(address),
            _ => None,
        }
    }
}

/// An address: base, index shifted left by the scale, and displacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Address {
    pub base: Register,
    pub index: Register,
    pub scale: u8,
    pub displacement: u32,
}

/// What an instruction does to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Access {
    pub address: Address,
    pub width: Width,
    pub reads: bool,
    pub writes: bool,
}

/// The stack pointer, the frame pointer, and the registers that go through strings.
const ESP: Register = 4;
const EBP: Register = 5;
const ESI: Register = 6;
const EDI: Register = 7;

/// Where a register points to, and what is below it by so many bytes.
fn below(base: Register, bytes: u32) -> Address {
    Address {
        base,
        index: NONE,
        scale: 0,
        displacement: bytes.wrapping_neg(),
    }
}

impl Action {
    /// What it reads at one place before it writes at another, if it does.
    pub(crate) fn read_before(&self) -> Option<Access> {
        let (address, width) = match *self {
            Self::Push(from) => (from.address()?, Width::Long),
            Self::CallTo(target) => (target.address()?, Width::Long),
            Self::MoveString(width) => (below(ESI, 0), width),
            _ => return None,
        };
        Some(Access {
            address,
            width,
            reads: true,
            writes: false,
        })
    }

    /// Its access to memory, if it makes one; the second, if it makes two.
    pub(crate) fn access(&self) -> Option<Access> {
        let access = |address, width, reads, writes| {
            Some(Access {
                address,
                width,
                reads,
                writes,
            })
        };
        match *self {
            Self::Binary {
                operation,
                width,
                first,
                second,
            } => match (first.address(), second.address()) {
                (Some(address), _) => access(address, width, true, !operation.compares()),
                (None, Some(address)) => access(address, width, true, false),
                (None, None) => None,
            },
            Self::Unary { width, operand, .. } => access(operand.address()?, width, true, true),
            Self::Move { width, to, from } => match (to.address(), from.address()) {
                (Some(address), _) => access(address, width, false, true),
                (None, Some(address)) => access(address, width, true, false),
                (None, None) => None,
            },
            Self::Extend {
                from_width, from, ..
            } => access(from.address()?, from_width, true, false),
            Self::Multiply { first, .. } => access(first.address()?, Width::Long, true, false),
            Self::MultiplyWide { by, .. } => access(by.address()?, Width::Long, true, false),
            Self::MoveIf { from, .. } => access(from.address()?, Width::Long, true, false),
            Self::SetIf { to, .. } => access(to.address()?, Width::Byte, false, true),
            Self::Push(_) | Self::Call { .. } | Self::CallTo(_) => {
                access(below(ESP, 4), Width::Long, false, true)
            }
            Self::Pop(_) | Self::Return { .. } => access(below(ESP, 0), Width::Long, true, false),
            Self::DropFrame => access(below(EBP, 0), Width::Long, true, false),
            Self::MoveString(width) => access(below(EDI, 0), width, false, true),
            Self::JumpTo(target) => access(target.address()?, Width::Long, true, false),
            _ => None,
        }
    }

    /// Whether it sets all flags whatever they were.
    pub(crate) fn sets_flags(&self) -> bool {
        match *self {
            Self::Binary { operation, .. } => !operation.takes_carry(),
            Self::Unary { operation, .. } => operation == Unary::Negate,
            _ => false,
        }
    }

    /// Whether what flags there are makes no difference to it, and it cannot be left.
    pub(crate) fn is_indifferent(&self) -> bool {
        self.access().is_none()
            && matches!(
                self,
                Self::Nothing
                    | Self::Move { .. }
                    | Self::Extend { .. }
                    | Self::Address { .. }
                    | Self::Exchange(..)
                    | Self::SwapBytes(_)
                    | Self::ExtendAccumulator
                    | Self::SignToEdx
            )
    }

    /// Whether the next instruction in sequence never follows it.
    #[must_use]
    pub fn ends_sequence(&self) -> bool {
        matches!(
            self,
            Self::Jump { .. }
                | Self::JumpTo(_)
                | Self::Call { .. }
                | Self::CallTo(_)
                | Self::Return { .. }
                | Self::Leave
        )
    }

    /// Whether the registers that it names are there.
    pub(crate) fn is_sound(&self) -> bool {
        let register = |register: Register| register < NONE;
        let address = |address: Address| address.base <= NONE && address.index <= NONE;
        let operand = |operand: Operand| match operand {
            Operand::Register(n) => register(n),
            Operand::Memory(at) => address(at),
            Operand::Constant(_) => true,
        };
        match *self {
            Self::Binary { first, second, .. } => operand(first) && operand(second),
            Self::Unary { operand: one, .. } => operand(one),
            Self::Move { to, from, .. } => operand(to) && operand(from),
            Self::Extend { to, from, .. } | Self::MoveIf { to, from, .. } => {
                register(to) && operand(from)
            }
            Self::Address { to, address: at } => register(to) && address(at),
            Self::Shift { register: n, .. } | Self::SwapBytes(n) | Self::Pop(n) => register(n),
            Self::Multiply { to, first, second } => {
                register(to) && operand(first) && operand(second)
            }
            Self::MultiplyWide { by, .. } => operand(by),
            Self::SetIf { to, .. } => operand(to),
            Self::Exchange(one, other) => register(one) && register(other),
            Self::Push(from) | Self::JumpTo(from) | Self::CallTo(from) => operand(from),
            Self::Nothing
            | Self::DropFrame
            | Self::MoveString(_)
            | Self::ExtendAccumulator
            | Self::SignToEdx
            | Self::TimeStamp { .. }
            | Self::Jump { .. }
            | Self::JumpIf { .. }
            | Self::Call { .. }
            | Self::Return { .. }
            | Self::Leave => true,
        }
    }
}

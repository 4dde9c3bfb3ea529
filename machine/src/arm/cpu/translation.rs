// SPDX-License-Identifier: Apache-2.0
//! The ARM's instructions as the translator wants them described: each says what its handler in `exec/`
//! does, in the cases that matter for speed, and what that costs. All other cases are left to the handler.

use switchyard_translator::{
    Action, Address, Carry, Condition, Flags, Instruction, Jump, Mode, Offset, Operand, Operation,
    Shift, Value, Width,
};

use crate::arm::config::PipelineConfig;
use crate::arm::cpu::exec::block_of;
use crate::arm::isa::insn::{Insn, Op};
use crate::arm::isa::kind::{self, shape, Kind, DATA_KINDS};

/// The program counter.
const PC: u8 = 15;
/// The link register.
const LR: u8 = 14;

/// An instruction in its line.
struct Placed<'a> {
    op: Op,
    insn: Insn,
    /// What r15 reads as, from the line's address.
    pc: i32,
    /// Base-two logarithm of an instruction's bytes.
    shift: u32,
    config: &'a PipelineConfig,
}

/// Describes instruction `place` of a line of instructions of `1 << shift` bytes.
pub(super) fn describe(op: Op, place: usize, shift: u32, config: &PipelineConfig) -> Instruction {
    let Some(&condition) = Condition::ALL.get(usize::from(op.cond)) else {
        return Instruction::LEFT;
    };
    let placed = Placed {
        op,
        insn: op.insn,
        pc: (place as i32 + 2) << shift,
        shift,
        config,
    };
    let Some((action, issue, delay)) = placed.action() else {
        return Instruction::LEFT;
    };
    Instruction {
        condition,
        sources: u32::from(op.sources & !(1 << PC)),
        issue,
        delay,
        action,
    }
}

/// What an instruction does, its cycles beyond the first, and the delay of its result.
type Described = (Action, u32, u32);

impl Placed<'_> {
    fn action(&self) -> Option<Described> {
        let (insn, config) = (self.insn, self.config);
        match self.op.kind {
            Kind(number) if number < DATA_KINDS => self.data(number),
            kind::MULTIPLY => self.multiply(),
            kind::LOAD_WORD | kind::LOAD_WORD_OFFSET => {
                self.load(Width::Word, false, config.load_delay, self.single()?)
            }
            kind::LOAD_BYTE | kind::LOAD_BYTE_OFFSET => {
                self.load(Width::Byte, false, config.load_narrow_delay, self.single()?)
            }
            kind::LOAD_HALF => {
                self.load(Width::Half, false, config.load_narrow_delay, self.half()?)
            }
            kind::LOAD_SIGNED_BYTE => {
                self.load(Width::Byte, true, config.load_signed_delay, self.half()?)
            }
            kind::LOAD_SIGNED_HALF => {
                self.load(Width::Half, true, config.load_signed_delay, self.half()?)
            }
            kind::STORE_WORD | kind::STORE_WORD_OFFSET => self.store(Width::Word, self.single()?),
            kind::STORE_BYTE | kind::STORE_BYTE_OFFSET => self.store(Width::Byte, self.single()?),
            kind::STORE_HALF => self.store(Width::Half, self.half()?),
            kind::LOAD_MULTIPLE => self.load_multiple(),
            kind::STORE_MULTIPLE => self.store_multiple(),
            kind::BRANCH | kind::BRANCH_LINK => {
                let link = self.op.kind == kind::BRANCH_LINK;
                self.branch(insn.branch_offset() as i32, link)
            }
            kind::THUMB_BRANCH => self.branch((insn.0 << 8) as i32 >> 8, false),
            kind::BRANCH_EXCHANGE => self.jump(config.pc_write),
            kind::THUMB_LINK_HIGH => {
                let offset = (insn.0 << 21) as i32 >> 9;
                Some(self.address_into(LR, self.pc + offset))
            }
            kind::THUMB_ADDRESS => {
                let to = register(insn.rd())?;
                Some(self.address_into(to, (self.pc & !3) + (insn.0 & 0xfff) as i32))
            }
            kind::THUMB_LOAD_PC_RELATIVE => {
                let address = Address {
                    base: Value::Line(self.pc & !3),
                    offset: Offset::Constant((insn.0 & 0xfff) as i32),
                    mode: Mode::Offset,
                };
                self.load(Width::Word, false, config.load_delay, address)
            }
            _ => None,
        }
    }

    /// An operand register's value.
    fn value(&self, register: usize) -> Value {
        if register == usize::from(PC) {
            Value::Line(self.pc)
        } else {
            Value::Register(register as u8)
        }
    }

    fn address_into(&self, register: u8, offset: i32) -> Described {
        let action = Action::Compute {
            operation: Operation::Move,
            destination: Some(register),
            first: Value::Line(0),
            second: Operand::Value(Value::Line(offset)),
            flags: Flags::Kept,
        };
        (action, 0, 0)
    }

    /// `exec/data.rs`.
    fn data(&self, number: u8) -> Option<Described> {
        let (insn, config) = (self.insn, self.config);
        let (opcode, sets, shape) = (number / 8, number & 4 != 0, number % 4);
        let operation = match opcode {
            0 | 8 => Operation::And,
            1 | 9 => Operation::ExclusiveOr,
            2 | 10 => Operation::Subtract,
            3 => Operation::ReverseSubtract,
            4 | 11 => Operation::Add,
            5 => Operation::AddWithCarry,
            6 => Operation::SubtractWithCarry,
            12 => Operation::Or,
            13 => Operation::Move,
            14 => Operation::BitClear,
            15 => Operation::Not,
            _ => return None,
        };
        let writes = !(8..12).contains(&opcode);
        if writes && insn.rd() == usize::from(PC) {
            let moves = operation == Operation::Move && shape == shape::REGISTER && !sets;
            let extra = config.pc_write_logical.unwrap_or(config.pc_write);
            return moves.then(|| self.jump_by_mask(extra, 0))?;
        }
        let mut carry = Carry::Kept;
        let mut issue = 0;
        let second = match shape {
            shape::CONSTANT => {
                let rotation = 2 * ((insn.0 >> 8) & 15);
                let value = (insn.0 & 0xff).rotate_right(rotation);
                if rotation != 0 {
                    carry = Carry::Constant(value >> 31 != 0);
                }
                Operand::Constant(value)
            }
            shape::REGISTER => Operand::Value(self.value(insn.rm())),
            shape::SHIFTED => {
                carry = Carry::Shifted;
                // By 0 other shifts are by 32, or by one with the carry.
                let (shift, by) = shift(insn)?;
                (by != 0).then_some(())?;
                Operand::Shifted(register(insn.rm())?, shift, by)
            }
            _ => {
                if sets && !operation.is_arithmetic() {
                    return None;
                }
                register(insn.rn())?;
                issue = config.shift_by_register_issue - 1;
                let shift = direction(insn);
                Operand::ShiftedBy(register(insn.rm())?, shift, register(insn.rs())?)
            }
        };
        let action = Action::Compute {
            operation,
            destination: writes.then_some(insn.rd() as u8),
            first: self.value(insn.rn()),
            second,
            flags: if sets { Flags::Set(carry) } else { Flags::Kept },
        };
        Some((action, issue, 0))
    }

    /// `exec/multiply.rs`.
    fn multiply(&self) -> Option<Described> {
        let (insn, config) = (self.insn, self.config);
        if insn.bit(20) {
            return None;
        }
        let added = insn.bit(21).then(|| register(insn.rd()));
        let action = Action::Multiply {
            destination: register(insn.rn())?,
            first: register(insn.rm())?,
            second: register(insn.rs())?,
            added: match added {
                Some(added) => Some(added?),
                None => None,
            },
            bits_per_cycle: config.multiply_bits_per_cycle,
        };
        Some((action, config.multiply_issue - 1, 0))
    }

    /// `exec/branch.rs`.
    fn branch(&self, offset: i32, link: bool) -> Option<Described> {
        let size = 1 << self.shift;
        let to = self.pc + offset;
        // To itself: perhaps for ever.
        if !link && to == self.pc - 2 * size {
            return None;
        }
        let link = link.then_some((LR, self.pc - size));
        Some((Action::Branch { to, link }, self.config.branch_taken, 0))
    }

    /// BX to where the state is the same.
    fn jump(&self, extra: u32) -> Option<Described> {
        if self.shift != 2 {
            return None;
        }
        self.jump_by_mask(extra, 1)
    }

    fn jump_by_mask(&self, extra: u32, zero: u32) -> Option<Described> {
        let action = Action::BranchRegister {
            target: register(self.insn.rm())?,
            jump: Jump {
                mask: !((1 << self.shift) - 1),
                zero,
                extra,
            },
        };
        Some((action, 0, 0))
    }

    /// `exec/single.rs`, loads.
    fn load(&self, width: Width, signed: bool, delay: u32, address: Address) -> Option<Described> {
        let action = Action::Load {
            destination: register(self.insn.rd())?,
            width,
            signed,
            address,
        };
        Some((action, self.offset_issue(), delay))
    }

    /// `exec/single.rs`, stores.
    fn store(&self, width: Width, address: Address) -> Option<Described> {
        let action = Action::Store {
            source: register(self.insn.rd())?,
            width,
            address,
        };
        Some((action, self.offset_issue(), 0))
    }

    /// What the shift of a word's or byte's register offset takes.
    fn offset_issue(&self) -> u32 {
        let scaled = matches!(
            self.op.kind,
            kind::LOAD_WORD | kind::LOAD_BYTE | kind::STORE_WORD | kind::STORE_BYTE
        );
        if scaled && self.insn.bit(25) && self.insn.0 & 0xff0 != 0 {
            self.config.scaled_offset_issue - 1
        } else {
            0
        }
    }

    /// The address of a word's or byte's access.
    fn single(&self) -> Option<Address> {
        let insn = self.insn;
        // The translated forms have other rights.
        if !insn.bit(24) && insn.bit(21) {
            return None;
        }
        let offset = if insn.bit(25) {
            let (shift, by) = shift(insn)?;
            Offset::Register(register(insn.rm())?, shift, by, !insn.bit(23))
        } else {
            self.constant(insn.0 & 0xfff)
        };
        self.address(offset)
    }

    /// The address of a halfword's or signed access.
    fn half(&self) -> Option<Address> {
        let insn = self.insn;
        let offset = if insn.bit(22) {
            self.constant(((insn.0 >> 4) & 0xf0) | (insn.0 & 0xf))
        } else {
            Offset::Register(register(insn.rm())?, Shift::Left, 0, !insn.bit(23))
        };
        self.address(offset)
    }

    fn constant(&self, offset: u32) -> Offset {
        let offset = offset as i32;
        Offset::Constant(if self.insn.bit(23) { offset } else { -offset })
    }

    fn address(&self, offset: Offset) -> Option<Address> {
        let mode = match (self.insn.bit(24), self.insn.bit(21)) {
            (true, false) => Mode::Offset,
            (true, true) => Mode::PreIndexed,
            (false, _) => Mode::PostIndexed,
        };
        if mode != Mode::Offset {
            register(self.insn.rn())?;
        }
        Some(Address {
            base: self.value(self.insn.rn()),
            offset,
            mode,
        })
    }

    /// `exec/multiple.rs`, loads.
    fn load_multiple(&self) -> Option<Described> {
        let (base, start, write_back, issue) = self.block()?;
        let list = self.insn.register_list();
        let jump = if list & (1 << PC) == 0 {
            None
        } else if self.shift == 2 {
            // To Thumb state goes the handler.
            Some(Jump {
                mask: !3,
                zero: 1,
                extra: self.config.pc_load,
            })
        } else {
            return None;
        };
        let action = Action::LoadMultiple {
            base,
            start,
            list: list & !(1 << PC),
            write_back,
            jump,
        };
        Some((action, issue, self.config.load_delay))
    }

    /// `exec/multiple.rs`, stores.
    fn store_multiple(&self) -> Option<Described> {
        let (base, start, write_back, issue) = self.block()?;
        let list = self.insn.register_list();
        if list & (1 << PC) != 0 {
            return None;
        }
        let action = Action::StoreMultiple {
            base,
            start,
            list,
            write_back,
        };
        Some((action, issue, 0))
    }

    /// The base of a block of words, where it begins, what is added to the base, and further cycles.
    fn block(&self) -> Option<(u8, i32, Option<i32>, u32)> {
        let insn = self.insn;
        let count = insn.register_list().count_ones();
        // The user's registers, or a return from an exception.
        if insn.bit(22) || count == 0 {
            return None;
        }
        let (start, end) = block_of(insn);
        let write_back = insn.bit(21).then_some(end);
        let issue = count.max(self.config.multiple_min_issue) - 1;
        Some((register(insn.rn())?, start, write_back, issue))
    }
}

/// A register that is not the program counter.
fn register(number: usize) -> Option<u8> {
    (number != usize::from(PC)).then_some(number as u8)
}

/// The direction in which an operand is shifted, bits 6:5.
fn direction(insn: Insn) -> Shift {
    match (insn.0 >> 5) & 3 {
        0 => Shift::Left,
        1 => Shift::LogicalRight,
        2 => Shift::ArithmeticRight,
        _ => Shift::RotateRight,
    }
}

/// A shift by a constant, 0 to 31; `None`: by 32, or by one with the carry.
fn shift(insn: Insn) -> Option<(Shift, u8)> {
    let (direction, by) = (direction(insn), ((insn.0 >> 7) & 31) as u8);
    (by != 0 || direction == Shift::Left).then_some((direction, by))
}

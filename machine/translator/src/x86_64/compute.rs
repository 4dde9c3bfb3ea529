// SPDX-License-Identifier: Apache-2.0
//! What computes: conditions, operands, results and flags.

use dynasmrt::{dynasm, DynamicLabel, DynasmApi, DynasmLabelApi};

use crate::instruction::{Carry, Condition, Flags, Operand, Operation, Register, Shift, Value};

use super::frame;
use super::unit::{at, Unit};

/// A second operand, ready.
enum Second {
    Constant(i32),
    /// It is a register of the guest, in memory.
    Register(Register),
    /// It is in ecx.
    Computed,
}

/// An instruction of the host with two operands, on edx, or on the guest's register `$to` in memory.
macro_rules! combine {
    ($unit:ident, $name:ident, $second:ident, in_edx) => {
        match $second {
            Second::Constant(value) => dynasm!($unit.asm ; .arch x64 ; $name edx, value),
            Second::Register(register) => {
                dynasm!($unit.asm ; .arch x64 ; $name edx, [rbx + at(register)])
            }
            Second::Computed => dynasm!($unit.asm ; .arch x64 ; $name edx, ecx),
        }
    };
    ($unit:ident, $name:ident, $second:ident, $to:expr) => {
        match $second {
            Second::Constant(value) => {
                dynasm!($unit.asm ; .arch x64 ; $name DWORD [rbx + at($to)], value)
            }
            Second::Register(_) | Second::Computed => {
                dynasm!($unit.asm ; .arch x64 ; $name [rbx + at($to)], ecx)
            }
        }
    };
}

macro_rules! combine_by {
    ($unit:ident, $operation:expr, $second:ident, $($where:tt)+) => {
        match $operation {
            Operation::And | Operation::BitClear => combine!($unit, and, $second, $($where)+),
            Operation::ExclusiveOr => combine!($unit, xor, $second, $($where)+),
            Operation::Or => combine!($unit, or, $second, $($where)+),
            Operation::Add => combine!($unit, add, $second, $($where)+),
            Operation::AddWithCarry => combine!($unit, adc, $second, $($where)+),
            Operation::SubtractWithCarry => combine!($unit, sbb, $second, $($where)+),
            _ => combine!($unit, sub, $second, $($where)+),
        }
    };
}

impl Unit<'_> {
    /// Goes past what follows unless `condition` holds: to the label.
    pub(super) fn unless(&mut self, condition: Condition) -> Option<DynamicLabel> {
        if condition == Condition::Always {
            return None;
        }
        let skipped = self.asm.new_dynamic_label();
        if !self.flags_at_hand {
            match condition {
                Condition::Equal | Condition::NotEqual => {
                    dynasm!(self.asm ; .arch x64 ; test BYTE [rbp + frame::NZC], 0x40);
                }
                Condition::CarrySet | Condition::CarryClear => {
                    dynasm!(self.asm ; .arch x64 ; test BYTE [rbp + frame::NZC], 1);
                }
                Condition::Negative | Condition::Positive => {
                    dynasm!(self.asm ; .arch x64 ; test BYTE [rbp + frame::NZC], 0x80u8 as i8);
                }
                Condition::Overflow | Condition::NoOverflow => {
                    dynasm!(self.asm ; .arch x64 ; test BYTE [rbp + frame::OVERFLOW], 1);
                }
                _ => {
                    // The host's flags become the guest's: 1 + 127 overflows.
                    dynasm!(self.asm
                        ; .arch x64
                        ; movzx eax, WORD [rbp + frame::OVERFLOW]
                        ; add al, 0x7f
                        ; sahf
                    );
                }
            }
            match condition {
                // What was tested is a bit that must be set, or clear.
                Condition::Equal
                | Condition::CarrySet
                | Condition::Negative
                | Condition::Overflow => dynasm!(self.asm ; .arch x64 ; jz =>skipped),
                Condition::NotEqual
                | Condition::CarryClear
                | Condition::Positive
                | Condition::NoOverflow => dynasm!(self.asm ; .arch x64 ; jnz =>skipped),
                _ => self.jump_unless(condition, skipped),
            }
            return Some(skipped);
        }
        self.jump_unless(condition, skipped);
        Some(skipped)
    }

    /// By the host's flags, which are the guest's.
    fn jump_unless(&mut self, condition: Condition, to: DynamicLabel) {
        match condition {
            Condition::Equal => dynasm!(self.asm ; .arch x64 ; jne =>to),
            Condition::NotEqual => dynasm!(self.asm ; .arch x64 ; je =>to),
            Condition::CarrySet => dynasm!(self.asm ; .arch x64 ; jnc =>to),
            Condition::CarryClear => dynasm!(self.asm ; .arch x64 ; jc =>to),
            Condition::Negative => dynasm!(self.asm ; .arch x64 ; jns =>to),
            Condition::Positive => dynasm!(self.asm ; .arch x64 ; js =>to),
            Condition::Overflow => dynasm!(self.asm ; .arch x64 ; jno =>to),
            Condition::NoOverflow => dynasm!(self.asm ; .arch x64 ; jo =>to),
            // Carry set and not zero: with the carry as the host's subtractions have it, "above".
            Condition::Higher => dynasm!(self.asm ; .arch x64 ; cmc ; jbe =>to),
            Condition::LowerOrSame => dynasm!(self.asm ; .arch x64 ; cmc ; ja =>to),
            Condition::GreaterOrEqual => dynasm!(self.asm ; .arch x64 ; jl =>to),
            Condition::Less => dynasm!(self.asm ; .arch x64 ; jge =>to),
            Condition::Greater => dynasm!(self.asm ; .arch x64 ; jle =>to),
            Condition::LessOrEqual => dynasm!(self.asm ; .arch x64 ; jg =>to),
            Condition::Always => {}
        }
    }

    /// An operation with two operands.
    pub(super) fn compute(
        &mut self,
        operation: Operation,
        destination: Option<Register>,
        first: Value,
        second: Operand,
        flags: Flags,
    ) {
        let shifted = flags == Flags::Set(Carry::Shifted) && !operation.is_arithmetic();
        let mut second = self.second(second, shifted);
        match (operation, &second) {
            (Operation::BitClear | Operation::Not, Second::Constant(value)) => {
                second = Second::Constant(!value);
            }
            (Operation::BitClear, Second::Register(register)) => {
                dynasm!(self.asm ; .arch x64 ; mov ecx, [rbx + at(*register)] ; not ecx);
                second = Second::Computed;
            }
            (Operation::BitClear, Second::Computed) => dynasm!(self.asm ; .arch x64 ; not ecx),
            _ => {}
        }
        if operation.is_unary() {
            self.move_second(operation, destination, second, flags);
            return;
        }
        let reverse = operation == Operation::ReverseSubtract;
        let in_place = destination.filter(|d| !reverse && first == Value::Register(*d));
        if reverse {
            self.load_edx(&second);
            second = match first {
                Value::Register(register) => Second::Register(register),
                Value::Line(_) => {
                    self.value_to_ecx(first);
                    Second::Computed
                }
            };
            combine!(self, sub, second, in_edx);
        } else if let Some(register) = in_place {
            if let Second::Register(other) = second {
                dynasm!(self.asm ; .arch x64 ; mov ecx, [rbx + at(other)]);
            }
            self.carry_in(operation);
            combine_by!(self, operation, second, register);
        } else {
            match first {
                Value::Register(register) => {
                    dynasm!(self.asm ; .arch x64 ; mov edx, [rbx + at(register)]);
                }
                Value::Line(offset) => dynasm!(self.asm
                    ; .arch x64
                    ; mov edx, [rbp + frame::LINE]
                    ; add edx, offset
                ),
            }
            self.carry_in(operation);
            combine_by!(self, operation, second, in_edx);
        }
        // No flag of the host changes with the moves from here on.
        if let (Some(register), None) = (destination, in_place) {
            dynasm!(self.asm ; .arch x64 ; mov [rbx + at(register)], edx);
        }
        match flags {
            Flags::Kept => {}
            Flags::Set(_) if operation.is_arithmetic() => {
                let borrows = !matches!(operation, Operation::Add | Operation::AddWithCarry);
                if borrows {
                    dynasm!(self.asm ; .arch x64 ; cmc);
                }
                dynasm!(self.asm
                    ; .arch x64
                    ; seto [rbp + frame::OVERFLOW]
                    ; lahf
                    ; mov [rbp + frame::NZC], ah
                );
                self.flags_at_hand = true;
            }
            Flags::Set(carry) => self.set_logical(carry),
        }
    }

    /// MOV and MVN.
    fn move_second(
        &mut self,
        operation: Operation,
        destination: Option<Register>,
        second: Second,
        flags: Flags,
    ) {
        if let (Second::Constant(value), Some(register), Flags::Kept) =
            (&second, destination, flags)
        {
            dynasm!(self.asm ; .arch x64 ; mov DWORD [rbx + at(register)], *value);
            return;
        }
        self.load_edx(&second);
        if operation == Operation::Not && !matches!(second, Second::Constant(_)) {
            dynasm!(self.asm ; .arch x64 ; not edx);
        }
        if let Some(register) = destination {
            dynasm!(self.asm ; .arch x64 ; mov [rbx + at(register)], edx);
        }
        if let Flags::Set(carry) = flags {
            dynasm!(self.asm ; .arch x64 ; test edx, edx);
            self.set_logical(carry);
        }
    }

    fn load_edx(&mut self, second: &Second) {
        match second {
            Second::Constant(value) => dynasm!(self.asm ; .arch x64 ; mov edx, *value),
            Second::Register(register) => {
                dynasm!(self.asm ; .arch x64 ; mov edx, [rbx + at(*register)]);
            }
            Second::Computed => dynasm!(self.asm ; .arch x64 ; mov edx, ecx),
        }
    }

    fn value_to_ecx(&mut self, value: Value) {
        match value {
            Value::Register(register) => {
                dynasm!(self.asm ; .arch x64 ; mov ecx, [rbx + at(register)]);
            }
            Value::Line(offset) => dynasm!(self.asm
                ; .arch x64
                ; mov ecx, [rbp + frame::LINE]
                ; add ecx, offset
            ),
        }
    }

    /// N and Z are in the host's flags, whose carry is clear.
    fn set_logical(&mut self, carry: Carry) {
        dynasm!(self.asm ; .arch x64 ; lahf);
        match carry {
            Carry::Kept => dynasm!(self.asm ; .arch x64 ; and BYTE [rbp + frame::NZC], 1),
            Carry::Constant(set) => {
                dynasm!(self.asm ; .arch x64 ; mov BYTE [rbp + frame::NZC], i8::from(set));
            }
            // It is there already.
            Carry::Shifted => {}
        }
        dynasm!(self.asm ; .arch x64 ; or [rbp + frame::NZC], ah);
    }

    /// The host's carry becomes what an operation with carry wants.
    fn carry_in(&mut self, operation: Operation) {
        match operation {
            Operation::AddWithCarry => {
                dynasm!(self.asm ; .arch x64 ; bt DWORD [rbp + frame::NZC], 0);
            }
            Operation::SubtractWithCarry => {
                dynasm!(self.asm ; .arch x64 ; bt DWORD [rbp + frame::NZC], 0 ; cmc);
            }
            _ => {}
        }
    }

    /// Brings a second operand about; if `carry`, the last bit shifted out is put into the guest's
    /// flags, alone.
    fn second(&mut self, operand: Operand, carry: bool) -> Second {
        match operand {
            Operand::Constant(value) => return Second::Constant(value as i32),
            Operand::Value(Value::Register(register)) => return Second::Register(register),
            Operand::Value(value) => self.value_to_ecx(value),
            Operand::Shifted(register, shift, by) => {
                dynasm!(self.asm ; .arch x64 ; mov ecx, [rbx + at(register)]);
                self.shift_ecx(shift, by);
                if carry {
                    dynasm!(self.asm ; .arch x64 ; setc [rbp + frame::NZC]);
                }
            }
            Operand::ShiftedBy(register, shift, by) => self.shift_by(register, shift, by),
        }
        Second::Computed
    }

    /// Shifts ecx by a constant from 1 to 31.
    pub(super) fn shift_ecx(&mut self, shift: Shift, by: u8) {
        let by = by as i8;
        match shift {
            Shift::Left => dynasm!(self.asm ; .arch x64 ; shl ecx, by),
            Shift::LogicalRight => dynasm!(self.asm ; .arch x64 ; shr ecx, by),
            Shift::ArithmeticRight => dynasm!(self.asm ; .arch x64 ; sar ecx, by),
            Shift::RotateRight => dynasm!(self.asm ; .arch x64 ; ror ecx, by),
        }
    }

    /// Shifts a register by the low byte of another one, into ecx: by 32 and more, too, which the host's
    /// shifts take modulo 32.
    fn shift_by(&mut self, register: Register, shift: Shift, by: Register) {
        dynasm!(self.asm
            ; .arch x64
            ; mov edx, [rbx + at(register)]
            ; movzx ecx, BYTE [rbx + at(by)]
        );
        match shift {
            Shift::Left => dynasm!(self.asm
                ; .arch x64
                ; xor eax, eax
                ; shl edx, cl
                ; cmp ecx, 32
                ; cmovae edx, eax
            ),
            Shift::LogicalRight => dynasm!(self.asm
                ; .arch x64
                ; xor eax, eax
                ; shr edx, cl
                ; cmp ecx, 32
                ; cmovae edx, eax
            ),
            Shift::ArithmeticRight => dynasm!(self.asm
                ; .arch x64
                ; mov eax, 31
                ; cmp ecx, eax
                ; cmova ecx, eax
                ; sar edx, cl
            ),
            Shift::RotateRight => dynasm!(self.asm ; .arch x64 ; ror edx, cl),
        }
        dynasm!(self.asm ; .arch x64 ; mov ecx, edx);
    }

    /// Multiplies; leaves the second factor in edi.
    pub(super) fn multiply(
        &mut self,
        destination: Register,
        first: Register,
        second: Register,
        added: Option<Register>,
    ) {
        dynasm!(self.asm
            ; .arch x64
            ; mov edi, [rbx + at(second)]
            ; mov edx, [rbx + at(first)]
            ; imul edx, edi
        );
        if let Some(register) = added {
            dynasm!(self.asm ; .arch x64 ; add edx, [rbx + at(register)]);
        }
        dynasm!(self.asm ; .arch x64 ; mov [rbx + at(destination)], edx);
    }
}

// SPDX-License-Identifier: Apache-2.0
//! What computes.

use dynasmrt::{dynasm, DynasmApi};

use super::unit::{at, Unit};
use crate::wide::{Operand, Operation, Register};

/// An instruction of the host on rax, or eax, and a second operand.
macro_rules! combine {
    ($unit:ident, $name:ident, $register:ident, $second:ident) => {
        match $second {
            Operand::Constant(value) => dynasm!($unit.asm ; .arch x64 ; $name $register, value),
            Operand::Register(second) => {
                dynasm!($unit.asm ; .arch x64 ; $name $register, [rbx + at(second)])
            }
        }
    };
}

/// A shift of rax, or eax: the host takes as many bits of how far as the guest does.
macro_rules! shift {
    ($unit:ident, $name:ident, $register:ident, $mask:literal, $second:ident) => {
        match $second {
            Operand::Constant(by) => {
                dynasm!($unit.asm ; .arch x64 ; $name $register, (by & $mask) as i8)
            }
            Operand::Register(second) => dynasm!($unit.asm
                ; .arch x64
                ; mov ecx, [rbx + at(second)]
                ; $name $register, cl
            ),
        }
    };
}

/// Sets rax to whether a flag of the host is set after a comparison.
macro_rules! compare {
    ($unit:ident, $name:ident, $second:ident) => {{
        combine!($unit, cmp, rax, $second);
        dynasm!($unit.asm ; .arch x64 ; $name al ; movzx eax, al);
    }};
}

/// The first or the second operand, by a comparison.
macro_rules! choose {
    ($unit:ident, $name:ident, $second:ident) => {{
        $unit.second_to_rcx($second);
        dynasm!($unit.asm ; .arch x64 ; cmp rax, rcx ; $name rax, rcx);
    }};
}

impl Unit {
    /// An operation with two operands.
    pub(super) fn compute(
        &mut self,
        operation: Operation,
        destination: Register,
        first: Register,
        second: Operand,
    ) {
        dynasm!(self.asm ; .arch x64 ; mov rax, [rbx + at(first)]);
        match operation {
            Operation::Add => combine!(self, add, rax, second),
            Operation::Subtract => combine!(self, sub, rax, second),
            Operation::And => combine!(self, and, rax, second),
            Operation::Or => combine!(self, or, rax, second),
            Operation::ExclusiveOr => combine!(self, xor, rax, second),
            Operation::AndNot | Operation::OrNot | Operation::ExclusiveOrNot => {
                self.second_to_rcx(second);
                dynasm!(self.asm ; .arch x64 ; not rcx);
                match operation {
                    Operation::AndNot => dynasm!(self.asm ; .arch x64 ; and rax, rcx),
                    Operation::OrNot => dynasm!(self.asm ; .arch x64 ; or rax, rcx),
                    _ => dynasm!(self.asm ; .arch x64 ; xor rax, rcx),
                }
            }
            Operation::ShiftLeft => shift!(self, shl, rax, 63, second),
            Operation::ShiftRight => shift!(self, shr, rax, 63, second),
            Operation::ShiftRightSigned => shift!(self, sar, rax, 63, second),
            Operation::Less => compare!(self, setl, second),
            Operation::LessUnsigned => compare!(self, setb, second),
            Operation::AddWord => combine!(self, add, eax, second),
            Operation::SubtractWord => combine!(self, sub, eax, second),
            Operation::ShiftLeftWord => shift!(self, shl, eax, 31, second),
            Operation::ShiftRightWord => shift!(self, shr, eax, 31, second),
            Operation::ShiftRightSignedWord => shift!(self, sar, eax, 31, second),
            Operation::Multiply | Operation::MultiplyWord => {
                self.second_to_rcx(second);
                dynasm!(self.asm ; .arch x64 ; imul rax, rcx);
            }
            Operation::MultiplyHigh => {
                self.second_to_rcx(second);
                dynasm!(self.asm ; .arch x64 ; imul rcx ; mov rax, rdx);
            }
            Operation::MultiplyHighUnsigned => {
                self.second_to_rcx(second);
                dynasm!(self.asm ; .arch x64 ; mul rcx ; mov rax, rdx);
            }
            Operation::AddShifted(by) | Operation::AddShiftedWord(by) => {
                if matches!(operation, Operation::AddShiftedWord(_)) {
                    dynasm!(self.asm ; .arch x64 ; mov eax, eax);
                }
                dynasm!(self.asm ; .arch x64 ; shl rax, by as i8);
                combine!(self, add, rax, second);
            }
            Operation::Minimum => choose!(self, cmovg, second),
            Operation::MinimumUnsigned => choose!(self, cmova, second),
            Operation::Maximum => choose!(self, cmovl, second),
            Operation::MaximumUnsigned => choose!(self, cmovb, second),
            Operation::SignByte => dynasm!(self.asm ; .arch x64 ; movsx rax, al),
            Operation::SignHalf => dynasm!(self.asm ; .arch x64 ; movsx rax, ax),
            Operation::ZeroHalf => dynasm!(self.asm ; .arch x64 ; movzx eax, ax),
        }
        if matches!(
            operation,
            Operation::AddWord
                | Operation::SubtractWord
                | Operation::ShiftLeftWord
                | Operation::ShiftRightWord
                | Operation::ShiftRightSignedWord
                | Operation::MultiplyWord
        ) {
            dynasm!(self.asm ; .arch x64 ; movsxd rax, eax);
        }
        dynasm!(self.asm ; .arch x64 ; mov [rbx + at(destination)], rax);
    }

    fn second_to_rcx(&mut self, second: Operand) {
        match second {
            Operand::Constant(value) => dynasm!(self.asm ; .arch x64 ; mov rcx, value),
            Operand::Register(register) => {
                dynasm!(self.asm ; .arch x64 ; mov rcx, [rbx + at(register)]);
            }
        }
    }
}

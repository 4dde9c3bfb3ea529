// SPDX-License-Identifier: Apache-2.0
//! Fences and registers of the system. They issue by themselves, and the next does not issue with them.

use dynasmrt::{dynasm, DynamicLabel, DynasmApi, DynasmLabelApi};

use super::frame;
use super::unit::{at, Unit};
use crate::wide::{Change, Operand, Register, SystemRegister};

impl Unit {
    /// Goes to `left` below this level of privilege.
    pub(super) fn check_level(&mut self, level: u8, left: DynamicLabel) {
        if level != 0 {
            dynasm!(self.asm
                ; .arch x64
                ; cmp BYTE [rbp + frame::LEVEL], level as i8
                ; jb =>left
            );
        }
    }

    /// All stores have their lines, `cycles` before it is over.
    pub(super) fn fence(&mut self, cycles: u32) {
        dynasm!(self.asm
            ; .arch x64
            ; mov rax, [rbp + frame::DRAINED]
            ; cmp r12, rax
            ; cmovb r12, rax
            ; add r12, cycles as i32
        );
    }

    /// Reads a register of the system and changes it. Changes rax, rcx and rsi.
    pub(super) fn system(
        &mut self,
        register: SystemRegister,
        destination: Option<Register>,
        change: Change,
        cycles: u32,
    ) {
        match register {
            SystemRegister::Constant(value) => {
                dynasm!(self.asm ; .arch x64 ; mov rax, QWORD value);
            }
            SystemRegister::Lent(number, writable) => {
                dynasm!(self.asm
                    ; .arch x64
                    ; mov rsi, [rbp + frame::SYSTEM]
                    ; mov rsi, [rsi + 8 * i32::from(number)]
                    ; mov rax, [rsi]
                );
                self.change(change, writable);
            }
        }
        if let Some(destination) = destination {
            dynasm!(self.asm ; .arch x64 ; mov [rbx + at(destination)], rax);
        }
        dynasm!(self.asm ; .arch x64 ; add r12, cycles as i32);
    }

    /// Changes the register of the system at rsi, which holds what rax does.
    fn change(&mut self, change: Change, writable: i32) {
        if !self.changed_to_rcx(change) {
            return;
        }
        if writable != -1 {
            dynasm!(self.asm ; .arch x64 ; and rcx, writable);
        }
        dynasm!(self.asm ; .arch x64 ; mov [rsi], rcx);
    }

    /// What becomes of a register that reads as rax does, in rcx. `false`: it stays.
    pub(super) fn changed_to_rcx(&mut self, change: Change) -> bool {
        let (Change::Replaced(operand) | Change::Set(operand) | Change::Cleared(operand)) = change
        else {
            return false;
        };
        match operand {
            Operand::Constant(value) => dynasm!(self.asm ; .arch x64 ; mov rcx, value),
            Operand::Register(register) => {
                dynasm!(self.asm ; .arch x64 ; mov rcx, [rbx + at(register)]);
            }
        }
        match change {
            Change::Set(_) => dynasm!(self.asm ; .arch x64 ; or rcx, rax),
            Change::Cleared(_) => dynasm!(self.asm ; .arch x64 ; not rcx ; and rcx, rax),
            _ => {}
        }
        true
    }
}

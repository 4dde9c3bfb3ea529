// SPDX-License-Identifier: Apache-2.0
//! Divisions: what they give, and how long they take.

use dynasmrt::{dynasm, DynasmApi, DynasmLabelApi};

use super::frame;
use super::unit::{at, Unit};
use crate::wide::{Division, Register};

/// An operand of a division in a register of the host.
macro_rules! operand {
    ($unit:ident, $wide:ident, $low:ident, $source:ident, $word:ident, $signed:ident) => {
        match ($word, $signed) {
            (true, true) => dynasm!($unit.asm
                ; .arch x64
                ; movsxd $wide, DWORD [rbx + at($source)]
            ),
            (true, false) => dynasm!($unit.asm ; .arch x64 ; mov $low, [rbx + at($source)]),
            (false, _) => dynasm!($unit.asm ; .arch x64 ; mov $wide, [rbx + at($source)]),
        }
    };
}

impl Unit {
    /// Divides. Puts the number of bits of the quotient in esi: those of what is divided less those of what it
    /// is divided by and one more; none if that is 0 or larger. Changes rax, rcx, rdx and rdi.
    pub(super) fn divide(
        &mut self,
        division: Division,
        destination: Option<Register>,
        (first, second): (Register, Register),
    ) {
        let Division {
            signed,
            word,
            remainder,
        } = division;
        operand!(self, rax, eax, first, word, signed);
        operand!(self, rcx, ecx, second, word, signed);
        let [by_zero, divided, small, counted] =
            std::array::from_fn(|_| self.asm.new_dynamic_label());
        // rsi and rdi: both without their signs.
        dynasm!(self.asm ; .arch x64 ; mov rsi, rax ; mov rdi, rcx);
        if signed {
            dynasm!(self.asm
                ; .arch x64
                ; neg rsi
                ; cmovs rsi, rax
                ; neg rdi
                ; cmovs rdi, rcx
            );
        }
        dynasm!(self.asm
            ; .arch x64
            ; test rdi, rdi
            ; jz =>by_zero
            ; cmp rsi, rdi
            ; jb =>small
            ; bsr rsi, rsi
            ; bsr rdi, rdi
            ; sub esi, edi
            ; inc esi
            ; jmp =>counted
            ; =>small
            ; xor esi, esi
            ; =>counted
        );
        if signed {
            // The host does not divide the least number by -1.
            dynasm!(self.asm
                ; .arch x64
                ; cmp rcx, -1
                ; jne >other
                ; neg rax
                ; xor edx, edx
                ; jmp =>divided
                ; other:
                ; cqo
                ; idiv rcx
            );
        } else {
            dynasm!(self.asm ; .arch x64 ; xor edx, edx ; div rcx);
        }
        dynasm!(self.asm
            ; .arch x64
            ; jmp =>divided
            ; =>by_zero
            ; xor esi, esi
            ; mov rdx, rax
            ; mov rax, -1
            ; =>divided
        );
        let Some(destination) = destination else {
            return;
        };
        if remainder {
            dynasm!(self.asm ; .arch x64 ; mov rax, rdx);
        }
        if word {
            dynasm!(self.asm ; .arch x64 ; movsxd rax, eax);
        }
        dynasm!(self.asm ; .arch x64 ; mov [rbx + at(destination)], rax);
    }

    /// The divider, free or when it is, takes `least` cycles for a quotient without bits and `span` more for one of
    /// 64; esi: how many it has. The instruction has issued in the cycle before the clock. Changes rsi and rdi.
    pub(super) fn occupy_divider(&mut self, result: Register, least: u32, span: u32) {
        dynasm!(self.asm
            ; .arch x64
            ; imul esi, esi, span as i32
            ; shr esi, 6
            ; lea rdi, [r12 - 1]
            ; cmp rdi, [rbp + frame::DIVIDER]
            ; cmovb rdi, [rbp + frame::DIVIDER]
            ; lea rdi, [rdi + rsi + least as i32]
            ; mov [rbp + frame::DIVIDER], rdi
            ; mov rsi, [rbp + frame::READY]
            ; mov [rsi + 2 * at(result)], rdi
            ; mov [rsi + 2 * at(result) + 8], rdi
            ; cmp rdi, [rbp + frame::ALL_READY]
            ; jbe >earlier
            ; mov [rbp + frame::ALL_READY], rdi
            ; earlier:
        );
    }
}

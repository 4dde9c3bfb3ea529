// SPDX-License-Identifier: Apache-2.0
//! Loads and stores where a hint says; otherwise nothing is changed and the instruction left to the interpreter.

use dynasmrt::{dynasm, DynamicLabel, DynasmApi, DynasmLabelApi};

use super::frame;
use super::unit::{at, Unit};
use super::{HINT_MASK, LINE_SHIFT};
use crate::wide::{Register, Width, LINE_BYTES, PAGE_BYTES};

const PAGE_SHIFT: i8 = PAGE_BYTES.trailing_zeros() as i8;

impl Unit {
    pub(super) fn load(
        &mut self,
        destination: Option<Register>,
        width: Width,
        signed: bool,
        address: (Register, i32),
        left: DynamicLabel,
    ) {
        self.hinted(address, width, false, left);
        let Some(destination) = destination else {
            return;
        };
        match (width, signed) {
            (Width::Byte, false) => dynasm!(self.asm ; .arch x64 ; movzx eax, BYTE [r15 + rdi]),
            (Width::Byte, true) => dynasm!(self.asm ; .arch x64 ; movsx rax, BYTE [r15 + rdi]),
            (Width::Half, false) => dynasm!(self.asm ; .arch x64 ; movzx eax, WORD [r15 + rdi]),
            (Width::Half, true) => dynasm!(self.asm ; .arch x64 ; movsx rax, WORD [r15 + rdi]),
            (Width::Word, false) => dynasm!(self.asm ; .arch x64 ; mov eax, [r15 + rdi]),
            (Width::Word, true) => dynasm!(self.asm ; .arch x64 ; movsxd rax, DWORD [r15 + rdi]),
            (Width::Double, _) => dynasm!(self.asm ; .arch x64 ; mov rax, [r15 + rdi]),
        }
        dynasm!(self.asm ; .arch x64 ; mov [rbx + at(destination)], rax);
    }

    pub(super) fn store(
        &mut self,
        source: Register,
        width: Width,
        address: (Register, i32),
        left: DynamicLabel,
    ) {
        self.hinted(address, width, true, left);
        dynasm!(self.asm ; .arch x64 ; mov rax, [rbx + at(source)]);
        match width {
            Width::Byte => dynasm!(self.asm ; .arch x64 ; mov [r15 + rdi], al),
            Width::Half => dynasm!(self.asm ; .arch x64 ; mov [r15 + rdi], ax),
            Width::Word => dynasm!(self.asm ; .arch x64 ; mov [r15 + rdi], eax),
            Width::Double => dynasm!(self.asm ; .arch x64 ; mov [r15 + rdi], rax),
        }
        dynasm!(self.asm
            ; .arch x64
            ; shr rdi, PAGE_SHIFT
            ; add rdi, [rbp + frame::WRITTEN]
            ; mov BYTE [rdi], 1
        );
    }

    /// The offset in memory of an address, a multiple of `width`, in rdi. Changes rcx and rdx.
    fn hinted(
        &mut self,
        (base, offset): (Register, i32),
        width: Width,
        write: bool,
        left: DynamicLabel,
    ) {
        let mask = -(LINE_BYTES as i32) | (width.bytes() as i32 - 1);
        dynasm!(self.asm ; .arch x64 ; mov rdi, [rbx + at(base)]);
        if offset != 0 {
            dynasm!(self.asm ; .arch x64 ; add rdi, offset);
        }
        dynasm!(self.asm
            ; .arch x64
            ; mov rcx, rdi
            ; mov rdx, rdi
            ; shr rcx, LINE_SHIFT
            ; and ecx, HINT_MASK
            ; lea rcx, [rcx + rcx * 2]
            ; and rdx, mask
        );
        if write {
            dynasm!(self.asm ; .arch x64 ; lea rcx, [r9 + rcx * 8]);
        } else {
            dynasm!(self.asm ; .arch x64 ; lea rcx, [r14 + rcx * 8]);
        }
        // A hint's offset is that of a line: no two bits of the sum meet.
        dynasm!(self.asm
            ; .arch x64
            ; cmp rdx, [rcx]
            ; jne =>left
            ; cmp r8d, [rcx + frame::HINT_TAG]
            ; jne =>left
            ; and edi, LINE_BYTES as i32 - 1
            ; add rdi, [rcx + frame::HINT_OFFSET]
            ; cmp rdi, r11
            ; ja =>left
        );
    }
}

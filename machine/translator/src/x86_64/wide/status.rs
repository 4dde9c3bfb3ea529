// SPDX-License-Identifier: Apache-2.0
//! The status register: it says of which level of privilege data accesses are, which is in the tag of their hints.

use dynasmrt::{dynasm, DynamicLabel, DynasmApi, DynasmLabelApi};

use super::frame;
use super::unit::{at, Unit};
use crate::wide::{Change, Register, StatusLayout, HIGHEST_LEVEL};

impl Unit {
    /// Notes what the status register reads as and what it is to become; goes to `left` if that is for the
    /// interpreter. Nothing has changed yet. Changes rax, rcx and rdx.
    pub(super) fn prepare_status(
        &mut self,
        layout: &StatusLayout,
        change: Change,
        left: DynamicLabel,
    ) {
        self.check_level(HIGHEST_LEVEL, left);
        dynasm!(self.asm
            ; .arch x64
            ; mov rax, QWORD layout.fixed as i64
            ; or rax, [rbp + frame::STATUS]
            ; mov rcx, QWORD layout.all as i64
            ; mov rdx, rcx
            ; and rdx, rax
            ; cmp rdx, rcx
            ; jne >some
            ; mov rcx, QWORD layout.summary as i64
            ; or rax, rcx
            ; some:
            ; mov [rbp + frame::OLD_STATUS], rax
        );
        if !self.changed_to_rcx(change) {
            return;
        }
        dynasm!(self.asm
            ; .arch x64
            ; mov rdx, QWORD layout.writable as i64
            ; and rcx, rdx
            ; mov edx, ecx
            ; shr edx, layout.other_level as i8
            ; and edx, 3
            ; cmp edx, layout.no_level as i32
            ; je =>left
            ; not eax
            ; and eax, ecx
            ; test eax, layout.alarms as i32
            ; jnz =>left
            ; mov [rbp + frame::NEW_STATUS], rcx
        );
    }

    /// Does what was prepared. Changes rax, rcx, rdx, rsi and rdi.
    pub(super) fn change_status(
        &mut self,
        layout: &StatusLayout,
        destination: Option<Register>,
        change: Change,
        cycles: u32,
    ) {
        dynasm!(self.asm ; .arch x64 ; add r12, cycles as i32);
        if let Some(destination) = destination {
            dynasm!(self.asm
                ; .arch x64
                ; mov rax, [rbp + frame::OLD_STATUS]
                ; mov [rbx + at(destination)], rax
            );
        }
        if change == Change::Kept {
            return;
        }
        // eax: the level of data accesses till now; edi: from now on.
        dynasm!(self.asm
            ; .arch x64
            ; mov rcx, [rbp + frame::NEW_STATUS]
            ; mov [rbp + frame::STATUS], rcx
            ; mov edi, HIGHEST_LEVEL as i32
            ; bt rcx, layout.uses_other as i8
            ; jnc >own
            ; mov edi, ecx
            ; shr edi, layout.other_level as i8
            ; and edi, 3
            ; own:
            ; mov eax, r8d
            ; and eax, 3
            ; cmp eax, edi
            ; je >same
            ; mov rdx, [rbp + frame::WORDS_READ]
            ; mov rsi, [rbp + frame::WORDS_WRITTEN]
            ; cmp eax, HIGHEST_LEVEL as i32
            ; je >not_translated
            ; cmp BYTE [rbp + frame::TRANSLATES], 0
            ; je >not_translated
            ; lea rax, [rdx + rsi]
            ; sub rax, [rbp + frame::BEFORE_READS]
            ; sub rax, [rbp + frame::BEFORE_WRITES]
            ; add [rbp + frame::BEFORE_TRANSLATED], rax
            ; not_translated:
            ; mov [rbp + frame::BEFORE_READS], rdx
            ; mov [rbp + frame::BEFORE_WRITES], rsi
            ; same:
            ; shr rcx, layout.tag_shift as i8
            ; and ecx, layout.tag_bits as i32
            ; or ecx, edi
            ; and r8d, !(3 | i32::from(layout.tag_bits))
            ; or r8d, ecx
        );
    }
}

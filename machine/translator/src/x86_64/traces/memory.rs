// SPDX-License-Identifier: Apache-2.0
//! Where operands are in memory: in the line that a hint says, if it is in the first level (what is read) and the
//! store is combined with the last one (what is written).

use dynasmrt::{dynasm, DynamicLabel, DynasmApi, DynasmLabelApi};

use super::frame;
use super::unit::{at, Unit};
use crate::traces::{Access, Address, HINTS, LINE_BYTES, NONE, PAGE_BYTES};

/// Base-two logarithm of a line's bytes.
const LINE_SHIFT: i8 = LINE_BYTES.trailing_zeros() as i8;
const HINT_MASK: i32 = HINTS as i32 - 1;
const OFFSET: i32 = LINE_BYTES as i32 - 1;

impl Unit {
    /// Where `access` goes, in rdi; or goes to `left`, and has changed nothing. The use of the line is noted.
    /// Changes rax, rcx, rdx and rsi.
    pub(super) fn find(&mut self, access: &Access, left: DynamicLabel) {
        self.address(access.address);
        let last = LINE_BYTES as i32 - access.width.bytes();
        if access.writes {
            dynasm!(self.asm
                ; .arch x64
                ; mov eax, edi
                ; shr eax, LINE_SHIFT
                ; mov edx, eax
                ; and edx, HINT_MASK
                ; shl edx, 4
                ; add rdx, [rbp + frame::WRITES]
                ; or rax, [rbp + frame::WRITE_TAG]
                ; cmp rax, [rdx]
                ; jne =>left
                ; mov esi, [rdx + frame::HINT_PA]
                ; mov eax, esi
                ; shr eax, LINE_SHIFT
                ; cmp eax, [rbp + frame::COMBINING]
                ; jne =>left
            );
        }
        if access.reads {
            dynasm!(self.asm
                ; .arch x64
                ; mov eax, edi
                ; shr eax, LINE_SHIFT
                ; mov edx, eax
                ; and edx, HINT_MASK
                ; shl edx, 4
                ; or rax, r9
                ; cmp rax, [r10 + rdx]
                ; jne =>left
                ; mov esi, [r10 + rdx + frame::HINT_PA]
            );
        }
        dynasm!(self.asm
            ; .arch x64
            ; mov ecx, edi
            ; and ecx, OFFSET
            ; cmp esi, [rbp + frame::LAST_LINE]
            ; ja =>left
        );
        if last != OFFSET {
            dynasm!(self.asm ; .arch x64 ; cmp ecx, last ; ja =>left);
        }
        if access.reads {
            let shift = self.ways.trailing_zeros() as i8;
            dynasm!(self.asm
                ; .arch x64
                ; mov eax, esi
                ; shr eax, LINE_SHIFT
                ; cmp eax, [rbp + frame::RECENT]
                ; je >recent
                ; mov edx, [r10 + rdx + frame::HINT_SLOT]
                ; cmp edx, [rbp + frame::DATA_SLOTS]
                ; jae =>left
                ; lea edi, [rsi + 1]
                ; mov rax, [rbp + frame::DATA_TAGS]
                ; cmp [rax + rdx * 4], edi
                ; jne =>left
                ; mov eax, esi
                ; shr eax, LINE_SHIFT
                ; mov [rbp + frame::RECENT], eax
                ; mov eax, edx
                ; shr eax, shift
                ; and edx, self.ways as i32 - 1
                ; add rax, [rbp + frame::DATA_TREES]
                ; mov dil, [rax]
                ; and dil, [rbp + rdx * 2 + frame::DATA_PATHS]
                ; or dil, [rbp + rdx * 2 + frame::DATA_PATHS + 1]
                ; mov [rax], dil
                ; recent:
            );
        }
        dynasm!(self.asm
            ; .arch x64
            ; lea rdi, [r15 + rsi]
            ; add rdi, rcx
        );
        if access.writes {
            dynasm!(self.asm
                ; .arch x64
                ; shr esi, PAGE_BYTES.trailing_zeros() as i8
                ; add rsi, [rbp + frame::WRITTEN]
                ; mov BYTE [rsi], 1
            );
        }
    }

    /// An address, in edi. Changes rax.
    pub(super) fn address(&mut self, address: Address) {
        let Address {
            base,
            index,
            scale,
            displacement,
        } = address;
        if base == NONE {
            dynasm!(self.asm ; .arch x64 ; mov edi, displacement as i32);
        } else {
            dynasm!(self.asm ; .arch x64 ; mov edi, [rbx + at(base)]);
            if displacement != 0 {
                dynasm!(self.asm ; .arch x64 ; add edi, displacement as i32);
            }
        }
        if index != NONE {
            dynasm!(self.asm ; .arch x64 ; mov eax, [rbx + at(index)]);
            if scale != 0 {
                dynasm!(self.asm ; .arch x64 ; shl eax, scale as i8);
            }
            dynasm!(self.asm ; .arch x64 ; add edi, eax);
        }
    }
}

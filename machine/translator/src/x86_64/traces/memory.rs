// SPDX-License-Identifier: Apache-2.0
//! Where operands are in memory: in the line that a hint says, if it is in the first level (what is read) and the
//! store is combined with the last one (what is written).

use dynasmrt::{dynasm, DynamicLabel, DynasmApi, DynasmLabelApi};

use super::frame;
use super::unit::{at, Unit};
use super::{assembler, finished};
use crate::traces::step::Access;
use crate::traces::{Address, HINTS, LINE_BYTES, NONE, PAGE_BYTES, STORES, WAY_HINTS};

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
            let [another, prepared] = self.another(left);
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
                ; sub eax, [rbp + frame::COMBINING]
                ; mov [rbp + frame::ANOTHER], eax
                ; jnz =>another
                ; =>prepared
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

/// Looks whether a store to the line at esi, another one than the last, can be made: it hits the second level, where
/// that is remembered, and a buffer is free. If not, ZF is clear. Changes rax, rcx and rdx.
pub(super) fn prepare(ways: usize) -> Vec<u8> {
    let shift = ways.trailing_zeros() as i8;
    let mut asm = assembler();
    dynasm!(asm
        ; .arch x64
        ; mov rax, [rbp + frame::NEXT_STORE]
        ; mov rcx, [rbp + frame::STORES]
        ; cmp [rcx + rax * 8], r12
        ; ja >no
        ; mov eax, esi
        ; shr eax, LINE_SHIFT + 1
        ; mov edx, eax
        ; and edx, WAY_HINTS as i32 - 1
        ; mov rcx, [rbp + frame::SECOND_WAYS]
        ; movzx edx, BYTE [rcx + rdx]
        ; and eax, [rbp + frame::SECOND_SETS]
        ; shl eax, shift
        ; add eax, edx
        ; cmp eax, [rbp + frame::SECOND_SLOTS]
        ; jae >no
        ; mov edx, esi
        ; and edx, -2 * LINE_BYTES as i32
        ; inc edx
        ; mov rcx, [rbp + frame::SECOND_TAGS]
        ; cmp [rcx + rax * 4], edx
        ; jne >no
        ; mov ecx, esi
        ; shr ecx, LINE_SHIFT
        ; and ecx, 1
        ; inc ecx
        ; mov rdx, [rbp + frame::SECTORS]
        ; test BYTE [rdx + rax * 2], cl
        ; jz >no
        ; mov [rbp + frame::STORE_SLOT], eax
        ; mov [rbp + frame::STORE_HALF], ecx
        ; mov [rbp + frame::STORE_LINE], esi
        ; xor eax, eax
        ; ret
        ; no:
        ; or eax, -1
        ; ret
    );
    finished(asm)
}

/// Makes the store that was prepared, whose data is there at rax and before which all has retired at r13. Changes rcx
/// and rdx.
pub(super) fn store(ways: usize, latency: u32) -> Vec<u8> {
    let shift = ways.trailing_zeros() as i8;
    let mut asm = assembler();
    dynasm!(asm
        ; .arch x64
        ; push rax
        ; push rsi
        ; cmp rax, r13
        ; cmovb rax, r13
        ; mov rsi, [rbp + frame::NEXT_STORE]
        ; mov rcx, [rbp + frame::STORES]
        // They are written in order: after the last one.
        ; mov edx, STORES as i32
        ; test esi, esi
        ; cmovnz edx, esi
        ; dec edx
        ; mov rdx, [rcx + rdx * 8]
        ; cmp rax, rdx
        ; cmovb rax, rdx
        ; mov rdx, [rcx + rsi * 8]
        ; cmp rax, rdx
        ; cmovb rax, rdx
        ; add rax, latency as i32
        ; mov [rcx + rsi * 8], rax
        ; inc esi
        ; xor edx, edx
        ; cmp esi, STORES as i32
        ; cmove esi, edx
        ; mov [rbp + frame::NEXT_STORE], rsi
        ; mov esi, [rbp + frame::STORE_SLOT]
        ; mov rcx, [rbp + frame::SECTORS]
        ; mov edx, [rbp + frame::STORE_HALF]
        ; or [rcx + rsi * 2 + frame::DIRTY], dl
        ; mov eax, esi
        ; and eax, ways as i32 - 1
        ; shr esi, shift
        ; add rsi, [rbp + frame::SECOND_TREES]
        ; mov dl, [rsi]
        ; and dl, [rbp + rax * 2 + frame::SECOND_PATHS]
        ; or dl, [rbp + rax * 2 + frame::SECOND_PATHS + 1]
        ; mov [rsi], dl
        ; mov eax, [rbp + frame::STORE_LINE]
        ; shr eax, LINE_SHIFT
        ; mov [rbp + frame::COMBINING], eax
        ; inc QWORD [rbp + frame::SECOND_WRITES]
        ; pop rsi
        ; pop rax
        ; ret
    );
    finished(asm)
}

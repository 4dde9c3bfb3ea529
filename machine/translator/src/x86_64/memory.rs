// SPDX-License-Identifier: Apache-2.0
//! What loads and stores, where a hint says: every template makes sure of that before it changes
//! anything, and leaves its instruction to the interpreter otherwise.

use dynasmrt::{dynasm, DynamicLabel, DynasmApi, DynasmLabelApi};

use crate::guest::{DataLine, DIRTY, LINE_BYTES};
use crate::instruction::{Address, Jump, Mode, Offset, Register, Value, Width};

use super::frame;
use super::unit::{at, registers, Unit, HINT_MASK};

/// Where the dirty bits of a line are.
const DIRTY_AT: i32 = 4 * DIRTY as i32;
/// Bytes of half a line, which has a dirty bit.
const HALF: i32 = LINE_BYTES as i32 / 2;

const _: () = assert!(size_of::<DataLine>() == 5 * 8, "as `hinted` computes");

impl Unit<'_> {
    /// Loads one word or a part of one.
    pub(super) fn load(
        &mut self,
        destination: Register,
        width: Width,
        signed: bool,
        address: Address,
        left: DynamicLabel,
    ) {
        self.address(address);
        self.hinted(width, false, left);
        dynasm!(self.asm ; .arch x64 ; and edi, LINE_BYTES as i32 - 1);
        match (width, signed) {
            (Width::Word, _) => dynasm!(self.asm ; .arch x64 ; mov eax, [rcx + rdi]),
            (Width::Half, false) => dynasm!(self.asm ; .arch x64 ; movzx eax, WORD [rcx + rdi]),
            (Width::Half, true) => dynasm!(self.asm ; .arch x64 ; movsx eax, WORD [rcx + rdi]),
            (Width::Byte, false) => dynasm!(self.asm ; .arch x64 ; movzx eax, BYTE [rcx + rdi]),
            (Width::Byte, true) => dynasm!(self.asm ; .arch x64 ; movsx eax, BYTE [rcx + rdi]),
        }
        // A loaded base wins.
        self.write_base(address);
        dynasm!(self.asm ; .arch x64 ; mov [rbx + at(destination)], eax);
    }

    /// Stores one word or a part of one.
    pub(super) fn store(
        &mut self,
        source: Register,
        width: Width,
        address: Address,
        left: DynamicLabel,
    ) {
        self.address(address);
        self.hinted(width, true, left);
        dynasm!(self.asm
            ; .arch x64
            ; and edi, LINE_BYTES as i32 - 1
            ; mov eax, [rbx + at(source)]
        );
        match width {
            Width::Word => dynasm!(self.asm ; .arch x64 ; mov [rcx + rdi], eax),
            Width::Half => dynasm!(self.asm ; .arch x64 ; mov [rcx + rdi], ax),
            Width::Byte => dynasm!(self.asm ; .arch x64 ; mov [rcx + rdi], al),
        }
        // 1 or 2.
        dynasm!(self.asm
            ; .arch x64
            ; shr edi, HALF.trailing_zeros() as i8
            ; inc edi
            ; or [rcx + DIRTY_AT], edi
        );
        self.write_base(address);
    }

    /// The address of an access in edi, and what the base becomes in esi.
    fn address(&mut self, address: Address) {
        match address.base {
            Value::Register(register) => {
                dynasm!(self.asm ; .arch x64 ; mov edi, [rbx + at(register)]);
            }
            Value::Line(offset) => dynasm!(self.asm
                ; .arch x64
                ; mov edi, [rbp + frame::LINE]
                ; add edi, offset
            ),
        }
        match (address.mode, address.offset) {
            (Mode::PostIndexed, offset) => {
                dynasm!(self.asm ; .arch x64 ; mov esi, edi);
                self.offset_esi(offset);
            }
            (mode, offset) => {
                match offset {
                    Offset::Constant(0) => {}
                    Offset::Constant(bytes) => dynasm!(self.asm ; .arch x64 ; add edi, bytes),
                    Offset::Register(register, shift, by, subtracted) => {
                        dynasm!(self.asm ; .arch x64 ; mov ecx, [rbx + at(register)]);
                        if by != 0 {
                            self.shift_ecx(shift, by);
                        }
                        if subtracted {
                            dynasm!(self.asm ; .arch x64 ; sub edi, ecx);
                        } else {
                            dynasm!(self.asm ; .arch x64 ; add edi, ecx);
                        }
                    }
                }
                if mode == Mode::PreIndexed {
                    dynasm!(self.asm ; .arch x64 ; mov esi, edi);
                }
            }
        }
    }

    fn offset_esi(&mut self, offset: Offset) {
        match offset {
            Offset::Constant(bytes) => dynasm!(self.asm ; .arch x64 ; add esi, bytes),
            Offset::Register(register, shift, by, subtracted) => {
                dynasm!(self.asm ; .arch x64 ; mov ecx, [rbx + at(register)]);
                if by != 0 {
                    self.shift_ecx(shift, by);
                }
                if subtracted {
                    dynasm!(self.asm ; .arch x64 ; sub esi, ecx);
                } else {
                    dynasm!(self.asm ; .arch x64 ; add esi, ecx);
                }
            }
        }
    }

    fn write_base(&mut self, address: Address) {
        if let Some(register) = address.written_base() {
            dynasm!(self.asm ; .arch x64 ; mov [rbx + at(register)], esi);
        }
    }

    /// The line of the address in edi, a multiple of `width`: where it is, in rcx. Changes rdx.
    fn hinted(&mut self, width: Width, write: bool, left: DynamicLabel) {
        let mask = -(LINE_BYTES as i32) | (width.bytes() as i32 - 1);
        dynasm!(self.asm
            ; .arch x64
            ; mov ecx, edi
            ; and ecx, mask
            ; shl rcx, 32
            ; or rcx, r8
            ; mov edx, edi
            ; shr edx, 2
            ; and edx, HINT_MASK
        );
        if write {
            dynasm!(self.asm ; .arch x64 ; xor rcx, [r9 + rdx]);
        } else {
            dynasm!(self.asm ; .arch x64 ; xor rcx, [r14 + rdx]);
        }
        dynasm!(self.asm
            ; .arch x64
            ; cmp rcx, r11
            ; jae =>left
            ; lea rcx, [rcx + rcx * 4]
            ; lea rcx, [r15 + rcx * 8]
        );
    }

    /// Loads consecutive words, from one line or two. A target is in ecx afterwards.
    pub(super) fn load_multiple(
        &mut self,
        base: Register,
        start: i32,
        list: u16,
        write_back: Option<i32>,
        jump: Option<Jump>,
        left: DynamicLabel,
    ) {
        let bytes = 4 * (list.count_ones() as i32 + i32::from(jump.is_some()));
        let line = LINE_BYTES as i32;
        let one = self.asm.new_dynamic_label();
        dynasm!(self.asm
            ; .arch x64
            ; mov edi, [rbx + at(base)]
            ; add edi, start
        );
        self.hinted(Width::Word, false, left);
        dynasm!(self.asm
            ; .arch x64
            ; mov rsi, rcx
            ; mov eax, edi
            ; and eax, line - 1
            ; cmp eax, line - bytes
            ; jle =>one
            ; cmp eax, 2 * line - bytes
            ; jg =>left
            ; add edi, bytes - 4
        );
        self.hinted(Width::Word, false, left);
        for (half, at) in [(0, frame::WORDS), (HALF, frame::WORDS + HALF)] {
            dynasm!(self.asm
                ; .arch x64
                ; movups xmm0, [rsi + half]
                ; movups xmm1, [rcx + half]
                ; movups [rbp + at], xmm0
                ; movups [rbp + at + line], xmm1
            );
        }
        dynasm!(self.asm
            ; .arch x64
            ; lea rsi, [rbp + frame::WORDS]
            ; =>one
            ; add rsi, rax
        );
        if let Some(jump) = jump {
            dynasm!(self.asm ; .arch x64 ; mov ecx, [rsi + bytes - 4]);
            self.check_target(jump.zero, left);
        }
        if let Some(bytes) = write_back {
            dynasm!(self.asm ; .arch x64 ; add DWORD [rbx + at(base)], bytes);
        }
        for (n, register) in registers(list.into()).enumerate() {
            dynasm!(self.asm
                ; .arch x64
                ; mov edx, [rsi + 4 * n as i32]
                ; mov [rbx + at(register)], edx
            );
        }
    }

    /// Stores consecutive words into one line.
    pub(super) fn store_multiple(
        &mut self,
        base: Register,
        start: i32,
        list: u16,
        write_back: Option<i32>,
        left: DynamicLabel,
    ) {
        let bytes = 4 * list.count_ones() as i32;
        dynasm!(self.asm
            ; .arch x64
            ; mov edi, [rbx + at(base)]
            ; add edi, start
        );
        self.hinted(Width::Word, true, left);
        dynasm!(self.asm
            ; .arch x64
            ; and edi, LINE_BYTES as i32 - 1
            ; cmp edi, LINE_BYTES as i32 - bytes
            ; jg =>left
            ; lea rsi, [rcx + rdi]
        );
        for (n, register) in registers(list.into()).enumerate() {
            dynasm!(self.asm
                ; .arch x64
                ; mov edx, [rbx + at(register)]
                ; mov [rsi + 4 * n as i32], edx
            );
        }
        // Bit 0 if the first word is in the lower half, bit 1 if the last is in the upper one.
        dynasm!(self.asm
            ; .arch x64
            ; xor eax, eax
            ; cmp edi, HALF
            ; setl al
            ; xor edx, edx
            ; cmp edi, HALF - bytes
            ; setg dl
            ; lea eax, [rax + rdx * 2]
            ; or [rcx + DIRTY_AT], eax
        );
        if let Some(bytes) = write_back {
            dynasm!(self.asm ; .arch x64 ; add DWORD [rbx + at(base)], bytes);
        }
    }
}

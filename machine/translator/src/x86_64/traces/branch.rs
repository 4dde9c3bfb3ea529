// SPDX-License-Identifier: Apache-2.0
//! Branches, and what their prediction remembers and costs. When one is done is in rax at its beginning.

use dynasmrt::{dynasm, DynasmApi, DynasmLabelApi};

use super::frame;
use super::unit::{at, Unit, ESP};

impl Unit {
    /// A conditional branch. If it is not taken, what follows goes on.
    pub(super) fn jump_if(&mut self, condition: u8, to: u32, backward: bool) {
        let [taken, new, fresh, right, wrong, go, continued, too_late] =
            std::array::from_fn(|_| self.asm.new_dynamic_label());
        let after = self.passed.address;
        let place = self.place();
        let mask = self.branches as i32 - 1;
        // rdi: when it is done; esi: the history; rdx: where the counter is; ecx: the counter.
        dynasm!(self.asm
            ; .arch x64
            ; mov rdi, rax
            ; mov esi, [rbp + frame::HISTORY]
            ; mov edx, esi
            ; and edx, mask
            ; xor edx, place
            ; add rdx, [rbp + frame::COUNTERS]
            ; movzx ecx, BYTE [rdx]
            ; add esi, esi
            ; inc QWORD [rbp + frame::EXECUTED]
        );
        self.go_if(condition, taken);
        // Not taken.
        dynasm!(self.asm
            ; .arch x64
            ; and esi, [rbp + frame::HISTORY_MASK]
            ; mov [rbp + frame::HISTORY], esi
            ; mov eax, ecx
            ; sub al, 1
            ; adc al, 0
            ; mov [rdx], al
            ; mov rdx, [rbp + frame::BRANCHES]
            ; cmp DWORD [rdx + place * 8], after as i32
            ; jne =>new
            ; cmp ecx, 2
            ; jb =>continued
            ; =>wrong
        );
        self.hold_after_branch();
        dynasm!(self.asm
            ; .arch x64
            ; lea rax, [r12 + self.last]
            ; cmp rax, r8
            ; jb =>continued
            ; =>too_late
        );
        let passed = self.passed;
        self.leave_here(frame::LEFT);
        self.passed = passed;
        dynasm!(self.asm ; .arch x64 ; =>new);
        if backward {
            dynasm!(self.asm
                ; .arch x64
                ; mov DWORD [rdx + place * 8], after as i32
                ; mov DWORD [rdx + place * 8 + 4], after as i32
                ; jmp =>wrong
            );
        } else {
            dynasm!(self.asm ; .arch x64 ; jmp =>continued);
        }
        // Taken.
        dynasm!(self.asm
            ; .arch x64
            ; =>taken
            ; inc esi
            ; and esi, [rbp + frame::HISTORY_MASK]
            ; mov [rbp + frame::HISTORY], esi
            ; cmp ecx, 3
            ; adc BYTE [rdx], 0
            ; inc QWORD [rbp + frame::TAKEN]
            ; mov rdx, [rbp + frame::BRANCHES]
            ; cmp DWORD [rdx + place * 8], after as i32
            ; jne =>fresh
            ; cmp ecx, 2
            ; jae =>go
            ; =>right
            ; inc QWORD [rbp + frame::MISPREDICTED_TAKEN]
        );
        self.hold_after_branch();
        dynasm!(self.asm ; .arch x64 ; =>go);
        self.pass();
        self.go_on(to);
        dynasm!(self.asm
            ; .arch x64
            ; =>fresh
            ; mov DWORD [rdx + place * 8], after as i32
            ; mov DWORD [rdx + place * 8 + 4], to as i32
        );
        if backward {
            dynasm!(self.asm ; .arch x64 ; jmp =>go);
        } else {
            dynasm!(self.asm ; .arch x64 ; jmp =>right);
        }
        dynasm!(self.asm ; .arch x64 ; =>continued);
    }

    /// The branch that was done at rdi was predicted wrong: nothing enters before the price is paid. Changes rax and
    /// rcx.
    fn hold_after_branch(&mut self) {
        let time = self.passed.time;
        dynasm!(self.asm
            ; .arch x64
            ; inc QWORD [rbp + frame::MISPREDICTED]
            ; lea rax, [rdi + self.prices.mispredicted as i32]
            ; lea rcx, [r12 + time]
            ; sub rax, rcx
            ; jbe >enough
            ; add r12, rax
            ; add [rbp + frame::HELD], rax
            ; enough:
        );
    }

    /// A call, but for what it pushes.
    pub(super) fn call(&mut self, to: u32) {
        self.remember_return();
        dynasm!(self.asm
            ; .arch x64
            ; inc QWORD [rbp + frame::EXECUTED]
            ; inc QWORD [rbp + frame::TAKEN]
        );
        self.pass();
        self.go_on(to);
    }

    /// The address of the next instruction is one to return to. Changes rax, rcx and rdx.
    fn remember_return(&mut self) {
        dynasm!(self.asm
            ; .arch x64
            ; mov rdx, [rbp + frame::RETURNS]
            ; mov rcx, [rbp + frame::TOP]
            ; mov DWORD [rdx + rcx * 4], self.passed.address as i32
            ; xor eax, eax
            ; inc rcx
            ; cmp rcx, [rbp + frame::RETURNS_COUNT]
            ; cmove rcx, rax
            ; mov [rbp + frame::TOP], rcx
        );
    }

    /// A jump to the address in edi; `calls`: a call, whose place on the stack was found.
    pub(super) fn jump_to(&mut self, calls: bool) {
        let right = self.asm.new_dynamic_label();
        let after = self.passed.address;
        let place = self.place();
        // esi: where it goes; rdi: when it is done.
        dynasm!(self.asm ; .arch x64 ; mov esi, edi ; mov rdi, rax);
        if calls {
            dynasm!(self.asm
                ; .arch x64
                ; mov rcx, [rbp + frame::DESTINATION]
                ; mov DWORD [rcx], after as i32
                ; sub DWORD [rbx + at(ESP)], 4
            );
            self.remember_return();
        }
        let kind = if calls {
            frame::MISPREDICTED_CALLS
        } else {
            frame::MISPREDICTED_JUMPS
        };
        // edx: whether it goes elsewhere than to the next instruction; rax: 0 if it was predicted.
        dynasm!(self.asm
            ; .arch x64
            ; xor edx, edx
            ; cmp esi, after as i32
            ; setne dl
            ; inc QWORD [rbp + frame::EXECUTED]
            ; add [rbp + frame::TAKEN], rdx
            ; mov rcx, [rbp + frame::BRANCHES]
            ; mov eax, [rcx + place * 8]
            ; mov DWORD [rcx + place * 8], after as i32
            ; xor eax, after as i32
            ; mov r8d, [rcx + place * 8 + 4]
            ; mov [rcx + place * 8 + 4], esi
            ; xor r8d, esi
            ; or eax, r8d
            ; mov r8, [rbp + frame::HORIZON]
            ; test eax, eax
            ; jz =>right
            ; inc QWORD [rbp + kind]
            ; add [rbp + frame::MISPREDICTED_TAKEN], rdx
        );
        self.hold_after_branch();
        dynasm!(self.asm ; .arch x64 ; =>right);
        self.pass();
        dynasm!(self.asm
            ; .arch x64
            ; mov ecx, esi
            ; jmp QWORD [rbp + frame::CROSS]
        );
    }

    /// The place of the branch before the next instruction among those that are known.
    fn place(&self) -> i32 {
        let after = self.passed.address;
        (after ^ after >> 12) as i32 & (self.branches as i32 - 1)
    }

    /// A return to the address in edi.
    pub(super) fn returns(&mut self) {
        let (right, wrong) = (self.asm.new_dynamic_label(), self.asm.new_dynamic_label());
        let after = self.passed.address;
        // esi: where it goes; rdi: when it is done; edx: whether that is elsewhere.
        dynasm!(self.asm
            ; .arch x64
            ; mov esi, edi
            ; mov rdi, rax
            ; xor edx, edx
            ; cmp esi, after as i32
            ; setne dl
            ; inc QWORD [rbp + frame::EXECUTED]
            ; add [rbp + frame::TAKEN], rdx
            ; mov rcx, [rbp + frame::TOP]
            ; test rcx, rcx
            ; cmovz rcx, [rbp + frame::RETURNS_COUNT]
            ; dec rcx
            ; mov [rbp + frame::TOP], rcx
            ; mov rax, [rbp + frame::RETURNS]
            ; cmp esi, [rax + rcx * 4]
            ; je =>right
            ; =>wrong
            ; inc QWORD [rbp + frame::MISPREDICTED_RETURNS]
            ; add [rbp + frame::MISPREDICTED_TAKEN], rdx
        );
        self.hold_after_branch();
        dynasm!(self.asm ; .arch x64 ; =>right);
        self.pass();
        dynasm!(self.asm
            ; .arch x64
            ; mov ecx, esi
            ; jmp QWORD [rbp + frame::CROSS]
        );
    }
}

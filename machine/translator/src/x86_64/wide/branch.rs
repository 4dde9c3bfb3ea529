// SPDX-License-Identifier: Apache-2.0
//! Branches and jumps, and what their prediction remembers and costs.

use dynasmrt::{dynasm, DynamicLabel, DynasmApi, DynasmLabelApi};

use super::frame;
use super::unit::{at, Unit};
use crate::wide::{Condition, Passed, Register, Step};

impl Unit {
    /// The address of the instruction at `place`, in rdx.
    fn own_address(&mut self, step: &Step) {
        dynasm!(self.asm ; .arch x64 ; mov rdx, [rbp + frame::LINE]);
        if step.place != 0 {
            dynasm!(self.asm ; .arch x64 ; add rdx, 2 * step.place);
        }
    }

    /// The target of the instruction at the address in rdx is known from now on; the instruction whose target was
    /// known till now in rcx. Changes rsi.
    fn know_target(&mut self) {
        dynasm!(self.asm
            ; .arch x64
            ; mov rsi, rdx
            ; shr rsi, 1
            ; and esi, [rbp + frame::TARGET_MASK]
            ; shl esi, 3
            ; add rsi, [rbp + frame::TARGETS]
            ; mov rcx, [rsi]
            ; mov [rsi], rdx
        );
    }

    /// A conditional branch. If it is not taken, what follows goes on; at `wrong`, if that was not predicted.
    pub(super) fn branch(
        &mut self,
        condition: Condition,
        (first, second): (Register, Register),
        to: i64,
        step: &Step,
        after: Option<&Passed>,
        wrong: DynamicLabel,
    ) {
        let [taken, late, mispredicted, go] = std::array::from_fn(|_| self.asm.new_dynamic_label());
        let continued = self.asm.new_dynamic_label();
        self.own_address(step);
        // rcx: where the counter is; edi: the counter; esi: the history, and a 0 more.
        dynasm!(self.asm
            ; .arch x64
            ; mov rcx, rdx
            ; shr rcx, 1
            ; mov esi, [rbp + frame::HISTORY]
            ; xor ecx, esi
            ; and ecx, [rbp + frame::COUNTER_MASK]
            ; add rcx, [rbp + frame::COUNTERS]
            ; movzx edi, BYTE [rcx]
            ; add esi, esi
            ; inc QWORD [rbp + frame::EXECUTED]
            ; mov rax, [rbx + at(first)]
            ; cmp rax, [rbx + at(second)]
        );
        match condition {
            Condition::Equal => dynasm!(self.asm ; .arch x64 ; je =>taken),
            Condition::NotEqual => dynasm!(self.asm ; .arch x64 ; jne =>taken),
            Condition::Less => dynasm!(self.asm ; .arch x64 ; jl =>taken),
            Condition::GreaterOrEqual => dynasm!(self.asm ; .arch x64 ; jge =>taken),
            Condition::Below => dynasm!(self.asm ; .arch x64 ; jb =>taken),
            Condition::AboveOrEqual => dynasm!(self.asm ; .arch x64 ; jae =>taken),
        }
        dynasm!(self.asm
            ; .arch x64
            ; and esi, [rbp + frame::HISTORY_MASK]
            ; mov [rbp + frame::HISTORY], esi
            ; mov eax, edi
            ; sub al, 1
            ; adc al, 0
            ; mov [rcx], al
            ; cmp edi, 2
            ; jae =>wrong
            ; jmp =>continued

            ; =>taken
            ; inc esi
            ; and esi, [rbp + frame::HISTORY_MASK]
            ; mov [rbp + frame::HISTORY], esi
            ; cmp edi, 3
            ; adc BYTE [rcx], 0
            ; inc QWORD [rbp + frame::TAKEN]
        );
        self.know_target();
        self.pass(after, self.counted, true);
        dynasm!(self.asm
            ; .arch x64
            ; cmp edi, 2
            ; jb =>mispredicted
            ; cmp rcx, rdx
            ; jne =>late
            ; =>go
        );
        self.go_to(to);
        let decoded = self.penalties.decoded_target;
        dynasm!(self.asm
            ; .arch x64
            ; =>mispredicted
            ; inc QWORD [rbp + frame::MISPREDICTED]
            ; inc QWORD [rbp + frame::MISPREDICTED_TAKEN]
        );
        self.charge_wrong(step, after.is_none());
        dynasm!(self.asm
            ; .arch x64
            ; jmp =>go
            ; =>late
            ; add r12, decoded as i32
            ; jmp =>go
            ; =>continued
        );
    }

    /// A jump to where the code says.
    pub(super) fn jump(
        &mut self,
        to: i64,
        link: Option<Register>,
        calls: bool,
        step: &Step,
        after: Option<&Passed>,
    ) {
        let known = self.asm.new_dynamic_label();
        self.link(link, calls, step);
        self.own_address(step);
        self.know_target();
        self.pass(after, self.counted, true);
        let decoded = self.penalties.decoded_target as i32;
        dynasm!(self.asm
            ; .arch x64
            ; inc QWORD [rbp + frame::TAKEN]
            ; cmp rcx, rdx
            ; je =>known
            ; add r12, decoded
            ; =>known
        );
        self.go_to(to);
    }

    /// The address of the next instruction is put in a register, and remembered if this is a call. Changes rax,
    /// rcx and rsi.
    fn link(&mut self, link: Option<Register>, calls: bool, step: &Step) {
        if link.is_none() && !calls {
            return;
        }
        self.address_from_line(2 * i64::from(step.next));
        if let Some(register) = link {
            dynasm!(self.asm ; .arch x64 ; mov [rbx + at(register)], rcx);
        }
        if calls {
            dynasm!(self.asm
                ; .arch x64
                ; mov rsi, [rbp + frame::RETURNS]
                ; mov rax, [rbp + frame::TOP]
                ; mov [rsi + rax * 8], rcx
                ; xor ecx, ecx
                ; inc rax
                ; cmp rax, [rbp + frame::RETURNS_COUNT]
                ; cmove rax, rcx
                ; mov [rbp + frame::TOP], rax
                ; mov rax, [rbp + frame::DEPTH]
                ; cmp rax, [rbp + frame::RETURNS_COUNT]
                ; adc QWORD [rbp + frame::DEPTH], 0
            );
        }
    }

    /// A jump to where a register says.
    pub(super) fn jump_register(
        &mut self,
        (target, offset): (Register, i32),
        link: Option<Register>,
        (calls, returns): (bool, bool),
        step: &Step,
        after: Option<&Passed>,
    ) {
        let [right, wrong] = std::array::from_fn(|_| self.asm.new_dynamic_label());
        // rdi: where it goes; rdx: 0 if that was predicted.
        dynasm!(self.asm ; .arch x64 ; mov rdi, [rbx + at(target)]);
        if offset != 0 {
            dynasm!(self.asm ; .arch x64 ; add rdi, offset);
        }
        dynasm!(self.asm ; .arch x64 ; and rdi, -2);
        if returns {
            let popped = self.asm.new_dynamic_label();
            dynasm!(self.asm
                ; .arch x64
                ; mov edx, 1
                ; cmp QWORD [rbp + frame::DEPTH], 0
                ; je =>popped
                ; dec QWORD [rbp + frame::DEPTH]
                ; mov rax, [rbp + frame::TOP]
                ; test rax, rax
                ; cmovz rax, [rbp + frame::RETURNS_COUNT]
                ; dec rax
                ; mov [rbp + frame::TOP], rax
                ; mov rsi, [rbp + frame::RETURNS]
                ; mov rdx, [rsi + rax * 8]
                ; xor rdx, rdi
                ; =>popped
            );
        } else {
            self.own_address(step);
            dynasm!(self.asm
                ; .arch x64
                ; mov rsi, rdx
                ; shr rsi, 1
                ; and esi, [rbp + frame::INDIRECT_MASK]
                ; shl rsi, 4
                ; add rsi, [rbp + frame::INDIRECT]
                ; mov rax, [rsi]
                ; mov [rsi], rdx
                ; xor rdx, rax
                ; mov rax, [rsi + 8]
                ; mov [rsi + 8], rdi
                ; xor rax, rdi
                ; or rdx, rax
            );
        }
        self.link(link, calls, step);
        self.pass(after, self.counted, true);
        dynasm!(self.asm
            ; .arch x64
            ; inc QWORD [rbp + frame::EXECUTED]
            ; inc QWORD [rbp + frame::TAKEN]
            ; mov rcx, rdi
            ; test rdx, rdx
            ; jnz =>wrong
            ; =>right
            ; jmp QWORD [rbp + frame::CROSS]
        );
        let kind = if returns {
            frame::MISPREDICTED_RETURNS
        } else if calls {
            frame::MISPREDICTED_CALLS
        } else {
            frame::MISPREDICTED_JUMPS
        };
        dynasm!(self.asm
            ; .arch x64
            ; =>wrong
            ; inc QWORD [rbp + frame::MISPREDICTED]
            ; inc QWORD [rbp + kind]
        );
        self.charge_wrong(step, after.is_none());
        dynasm!(self.asm ; .arch x64 ; jmp =>right);
    }
}

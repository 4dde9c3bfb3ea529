// SPDX-License-Identifier: Apache-2.0
//! An instruction that issues by itself: it finds out what it has to wait for, and notes when its result is
//! there.

use dynasmrt::{dynasm, DynasmApi, DynasmLabelApi};

use super::frame;
use super::unit::{at, Unit};
use crate::wide::{Issue, Register, Wait};

/// Which of the two times of a register.
const EARLY: i32 = 0;
const LATE: i32 = 8;

impl Unit {
    /// Issues at the clock or later, and puts the clock on the cycle after that. Changes rax, rcx, rdx, rsi
    /// and rdi.
    pub(super) fn issue(&mut self, issue: &Issue) {
        if issue.wait == Wait::All {
            self.issue_after_all(issue);
            return;
        }
        let Issue {
            sources: [first, second],
            ..
        } = *issue;
        let [paired, late, noted] = std::array::from_fn(|_| self.asm.new_dynamic_label());
        dynasm!(self.asm ; .arch x64 ; mov rsi, [rbp + frame::READY]);
        // rax: when both operands are there early.
        self.times_to_rax((first, EARLY), (second, EARLY));
        // rdx: 1 if it would issue in the cycle that is over; rcx: when it would issue.
        dynasm!(self.asm
            ; .arch x64
            ; xor edx, edx
            ; mov rcx, r12
            ; test BYTE [rbp + frame::OPEN], issue.slots as i8
            ; jz >known
            ; cmp r12, [rbp + frame::OPEN_AT]
            ; sete dl
            ; sub rcx, rdx
            ; known:
            ; mov rdi, rax
        );
        // rdi: when it can.
        if issue.wait != Wait::Early {
            let first_by = if issue.wait == Wait::Either {
                LATE
            } else {
                EARLY
            };
            dynasm!(self.asm ; .arch x64 ; cmp rax, rcx ; jbe >plain);
            self.times_to_rax((first, first_by), (second, LATE));
            dynasm!(self.asm ; .arch x64 ; xchg rax, rdi ; plain:);
        }
        dynasm!(self.asm
            ; .arch x64
            ; test edx, edx
            ; jz >by_itself
            ; cmp rdi, r12
            ; jb =>paired
            ; by_itself:
            ; mov rcx, r12
            ; cmp rdi, rcx
            ; cmova rcx, rdi
            ; lea rdi, [rcx + 1]
            ; mov [rbp + frame::OPEN_AT], rdi
            ; mov BYTE [rbp + frame::OPEN], issue.leaves as i8
            ; jmp >issued
            ; =>paired
            ; mov BYTE [rbp + frame::OPEN], 0
            ; issued:
            ; cmp rax, rcx
            ; seta BYTE [rbp + frame::LATE]
        );
        let [[early, later], [late_early, late_later]] =
            [issue.delays, issue.late_delays].map(|delays| delays.map(|delay| delay as i32));
        if issue.wait == Wait::Either {
            dynasm!(self.asm ; .arch x64 ; ja =>late);
        }
        dynasm!(self.asm
            ; .arch x64
            ; lea rdi, [rcx + early]
            ; lea rdx, [rcx + later]
            ; =>noted
            ; mov [rsi + 2 * at(issue.result)], rdi
            ; mov [rsi + 2 * at(issue.result) + LATE], rdx
            ; cmp rdi, rdx
            ; cmovb rdi, rdx
            ; cmp rdi, [rbp + frame::ALL_READY]
            ; jbe >earlier
            ; mov [rbp + frame::ALL_READY], rdi
            ; earlier:
            ; inc rcx
            ; cmp rcx, r12
            ; cmova r12, rcx
        );
        if issue.wait == Wait::Either {
            dynasm!(self.asm
                ; .arch x64
                ; jmp >over
                ; =>late
                ; lea rdi, [rcx + late_early]
                ; lea rdx, [rcx + late_later]
                ; jmp =>noted
                ; over:
            );
        } else {
            // Nobody jumps there.
            dynasm!(self.asm ; .arch x64 ; =>late);
        }
    }

    /// Issues when the divider is free and all registers are there.
    fn issue_after_all(&mut self, issue: &Issue) {
        let [early, late] = issue.delays.map(|delay| delay as i32);
        dynasm!(self.asm
            ; .arch x64
            ; mov rax, [rbp + frame::DIVIDER]
            ; cmp rax, r12
            ; cmovb rax, r12
            ; cmp rax, [rbp + frame::ALL_READY]
            ; jae >drained
            ; call QWORD [rbp + frame::DRAIN]
            ; drained:
            ; lea r12, [rax + 1]
            ; mov [rbp + frame::OPEN_AT], r12
            ; mov BYTE [rbp + frame::OPEN], issue.leaves as i8
            ; mov rsi, [rbp + frame::READY]
            ; lea rdi, [rax + early]
            ; lea rdx, [rax + late]
            ; mov [rsi + 2 * at(issue.result)], rdi
            ; mov [rsi + 2 * at(issue.result) + LATE], rdx
            ; cmp rdi, rdx
            ; cmovb rdi, rdx
            ; cmp rdi, [rbp + frame::ALL_READY]
            ; jbe >earlier
            ; mov [rbp + frame::ALL_READY], rdi
            ; earlier:
        );
    }

    /// The later of two registers' times in rax; register 0 is always there. rsi has the table.
    fn times_to_rax(&mut self, first: (Register, i32), second: (Register, i32)) {
        let place = |(register, which): (Register, i32)| 2 * at(register) + which;
        match (first.0, second.0) {
            (0, 0) => dynasm!(self.asm ; .arch x64 ; xor eax, eax),
            (0, _) => dynasm!(self.asm ; .arch x64 ; mov rax, [rsi + place(second)]),
            (_, 0) => dynasm!(self.asm ; .arch x64 ; mov rax, [rsi + place(first)]),
            _ => dynasm!(self.asm
                ; .arch x64
                ; mov rax, [rsi + place(first)]
                ; cmp rax, [rsi + place(second)]
                ; cmovb rax, [rsi + place(second)]
            ),
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
//! A unit. Its entry looks whether everything is there in time and the first instruction cannot issue with the
//! last one, and whether the unit comes to its end before the horizon; then what has passed at each point is known
//! beforehand. If not, the first instruction issues by itself (`issue.rs`), and the unit from the next one
//! on is gone to.

use dynasmrt::{dynasm, DynamicLabel, DynasmApi, DynasmLabelApi};

use super::super::frame::{HORIZON_NEAR, LEFT};
use super::frame;
use super::{assembler, finished, HINT_MASK, LINE_SHIFT, ROW_BYTES};
use crate::host::Assembler;
use crate::wide::{Action, Passed, Penalties, Register, Step, Stretch, Wait, LINE_BYTES, PLACES};

/// A unit that is being translated.
pub(super) struct Unit {
    pub asm: Assembler,
    pub penalties: Penalties,
    /// Instructions and what they have counted up to the one that is translated.
    pub counted: Counted,
    /// Where the code goes on that is rarely reached.
    rare: Vec<Rare>,
}

/// What instructions of a unit have counted.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counted {
    pub instructions: i32,
    pub reads: i32,
    pub writes: i32,
}

/// Code that stands behind the unit.
struct Rare {
    label: DynamicLabel,
    /// `None`: it is there already.
    passed: Option<Passed>,
    counted: Counted,
    then: Then,
}

/// What it does.
enum Then {
    /// Gives the instruction at this place to the interpreter.
    Leave(i32),
    /// This conditional branch was not taken, against its prediction: it goes on with the next instruction.
    GoOn(Step),
}

/// Where the guest's register `register` is, from rbx.
pub(super) fn at(register: Register) -> i32 {
    8 * i32::from(register)
}

impl Unit {
    /// The code of `stretch`, which has a step.
    pub(super) fn translate(stretch: &Stretch) -> Vec<u8> {
        let mut unit = Self {
            asm: assembler(),
            penalties: stretch.penalties,
            counted: Counted::default(),
            rare: Vec::new(),
        };
        unit.assemble(stretch);
        finished(unit.asm)
    }

    fn assemble(&mut self, stretch: &Stretch) {
        let [busy, near] = std::array::from_fn(|_| self.asm.new_dynamic_label());
        let first = &stretch.steps[0];
        // The line is still the one where it begins.
        let place = if first.place < 0 {
            stretch.end as i32
        } else {
            first.place
        };
        if first.issue.wait != Wait::All {
            self.together(stretch, busy, near);
        }
        dynasm!(self.asm
            ; .arch x64
            ; =>busy
            ; cmp r12, r10
            ; jae =>near
        );
        self.counted = Counted::default();
        if first.place < 0 {
            self.cross(stretch, None);
        }
        self.alone(first);
        self.rarely_reached();
        dynasm!(self.asm
            ; .arch x64
            ; =>near
            ; mov eax, HORIZON_NEAR
            ; mov ecx, place
            ; jmp QWORD [rbp + frame::LEAVE]
        );
    }

    /// The unit whole, if everything is there in time; otherwise goes to `busy`.
    fn together(&mut self, stretch: &Stretch, busy: DynamicLabel, near: DynamicLabel) {
        let [under_way, ready, open, closed] =
            std::array::from_fn(|_| self.asm.new_dynamic_label());
        let slots = stretch.steps[0].issue.slots as i8;
        let count = stretch.steps.len();
        let last = stretch.passed[count - 1].cycles as i32;
        dynasm!(self.asm
            ; .arch x64
            ; cmp r12, [rbp + frame::ALL_READY]
            ; jb =>under_way
            ; =>ready
            ; test BYTE [rbp + frame::OPEN], slots
            ; jnz =>open
            ; =>closed
            ; lea rax, [r12 + last]
            ; cmp rax, r10
            ; jae =>near
        );
        let mut ended = false;
        for (n, step) in stretch.steps.iter().enumerate() {
            let (before, after) = (&stretch.passed[n], &stretch.passed[n + 1]);
            if step.place < 0 {
                self.cross(stretch, Some(before));
            }
            self.step(step, Some((before, after)));
            ended = step.action.ends_unit();
        }
        if !ended {
            self.pass(Some(&stretch.passed[count]), self.counted, false);
            let next = stretch.steps[count - 1].next;
            self.go_to(i64::from(next) << 1);
        }
        dynasm!(self.asm
            ; .arch x64
            ; =>open
            ; cmp r12, [rbp + frame::OPEN_AT]
            ; jne =>closed
            ; jmp =>busy
            ; =>under_way
            ; mov rcx, [rbp + frame::ALL_READY]
            ; mov rsi, [rbp + frame::READY]
        );
        self.look_at_needed(&stretch.needed, ready, busy);
    }

    /// The code that is rarely reached.
    fn rarely_reached(&mut self) {
        for rare in std::mem::take(&mut self.rare) {
            dynasm!(self.asm ; .arch x64 ; =>rare.label);
            match rare.then {
                Then::Leave(place) => {
                    self.pass(rare.passed.as_ref(), rare.counted, false);
                    dynasm!(self.asm
                        ; .arch x64
                        ; mov eax, LEFT
                        ; mov rcx, place
                        ; jmp QWORD [rbp + frame::LEAVE]
                    );
                }
                Then::GoOn(step) => {
                    self.pass(rare.passed.as_ref(), rare.counted, true);
                    dynasm!(self.asm ; .arch x64 ; inc QWORD [rbp + frame::MISPREDICTED]);
                    self.charge_wrong(&step, rare.passed.is_none());
                    self.go_to(i64::from(step.next) << 1);
                }
            }
        }
    }

    /// Goes to `ready` if all that is needed is there in time; rcx: when all is there; rsi: when each register is.
    fn look_at_needed(
        &mut self,
        needed: &[(Register, u32)],
        ready: DynamicLabel,
        busy: DynamicLabel,
    ) {
        let mut needed = needed.to_vec();
        needed.sort_by_key(|(_, within)| *within);
        let mut last = None;
        for (register, within) in needed {
            if last != Some(within) {
                last = Some(within);
                dynasm!(self.asm
                    ; .arch x64
                    ; lea rax, [r12 + within as i32]
                    ; cmp rcx, rax
                    ; jbe =>ready
                );
            }
            dynasm!(self.asm
                ; .arch x64
                ; cmp [rsi + 2 * at(register)], rax
                ; ja =>busy
                ; cmp [rsi + 2 * at(register) + 8], rax
                ; ja =>busy
            );
        }
        dynasm!(self.asm ; .arch x64 ; jmp =>ready);
    }

    /// Translates an instruction that issues by itself, and goes on.
    fn alone(&mut self, step: &Step) {
        // What may be left to the interpreter must have changed nothing.
        if let Action::System { level, .. } = step.action {
            let left = self.rarely(None, self.counted, Then::Leave(step.place));
            self.check_level(level, left);
        }
        if let Action::Status { layout, change, .. } = step.action {
            let left = self.rarely(None, self.counted, Then::Leave(step.place));
            self.prepare_status(layout, change, left);
        }
        let issues_first = matches!(step.action, Action::Branch { .. }) || step.action.ends_unit();
        if issues_first {
            self.issue(&step.issue);
        }
        self.step(step, None);
        if !issues_first {
            self.issue(&step.issue);
        }
        if !step.action.ends_sequence() {
            self.pass(None, self.counted, false);
            self.go_to(i64::from(step.next) << 1);
        }
    }

    /// Goes to the next line in the middle of the last instruction, if a hint says where that is and it begins
    /// as it did when this was translated. `before` has passed; `None`: it is there already.
    fn cross(&mut self, stretch: &Stretch, before: Option<&Passed>) {
        let left = self.rarely(before, self.counted, Then::Leave(stretch.end as i32));
        let rest = stretch.crossing.expect("an instruction that goes on");
        dynasm!(self.asm
            ; .arch x64
            ; mov rax, [rbp + frame::LINE]
            ; add rax, LINE_BYTES as i32
            ; mov rsi, rax
            ; shr rsi, LINE_SHIFT
            ; and esi, HINT_MASK
            ; lea rsi, [rsi + rsi * 2]
            ; mov rdi, [rbp + frame::FETCHES]
            ; lea rdi, [rdi + rsi * 8]
            ; cmp rax, [rdi]
            ; jne =>left
            ; mov edx, [rbp + frame::FETCH_TAG]
            ; cmp edx, [rdi + frame::HINT_TAG]
            ; jne =>left
            ; mov edx, [rdi + frame::HINT_SLOT]
            ; cmp rdx, [rbp + frame::INSN_SLOTS]
            ; jae =>left
            ; mov rsi, [rbp + frame::NUMBERS]
            ; mov esi, [rsi + rdx * 4]
            ; mov rcx, [rbp + frame::FIRSTS]
            ; cmp WORD [rcx + rsi * 2], rest as i16
            ; jne =>left
            ; imul rcx, rsi, ROW_BYTES
            ; add rcx, [rbp + frame::ENTRIES]
            ; mov r13, rcx
            ; mov [rbp + frame::LINE], rax
            ; mov [rbp + frame::SLOT], rdx
        );
    }

    /// Translates an instruction. What has passed before it and after is known, or there.
    fn step(&mut self, step: &Step, passed: Option<(&Passed, &Passed)>) {
        let (before, after) = passed.unzip();
        let counted = self.counted;
        self.counted.instructions += 1;
        match step.action {
            Action::Compute {
                operation,
                destination,
                first,
                second,
            } => {
                if let Some(destination) = destination {
                    self.compute(operation, destination, first, second);
                }
            }
            Action::Constant { destination, value } => {
                if let Some(destination) = destination {
                    dynasm!(self.asm ; .arch x64 ; mov QWORD [rbx + at(destination)], value);
                }
            }
            Action::Address {
                destination,
                from_line,
            } => {
                if let Some(destination) = destination {
                    self.address_from_line(from_line);
                    dynasm!(self.asm ; .arch x64 ; mov [rbx + at(destination)], rcx);
                }
            }
            Action::Load {
                destination,
                width,
                signed,
                base,
                offset,
            } => {
                let left = self.rarely(before, counted, Then::Leave(step.place));
                self.load(destination, width, signed, (base, offset), left);
                self.counted.reads += 1;
            }
            Action::Store {
                source,
                width,
                base,
                offset,
            } => {
                let left = self.rarely(before, counted, Then::Leave(step.place));
                self.store(source, width, (base, offset), left);
                self.counted.writes += 1;
            }
            Action::Branch {
                condition,
                first,
                second,
                to,
            } => {
                let wrong = self.rarely(after, self.counted, Then::GoOn(*step));
                self.branch(condition, (first, second), to, step, after, wrong);
            }
            Action::Jump { to, link, calls } => self.jump(to, link, calls, step, after),
            Action::JumpRegister {
                target,
                offset,
                link,
                calls,
                returns,
            } => {
                self.jump_register((target, offset), link, (calls, returns), step, after);
            }
            Action::Divide {
                division,
                destination,
                first,
                second,
                least,
                span,
            } => {
                if after.is_some() {
                    self.pass(after, self.counted, false);
                }
                self.divide(division, destination, (first, second));
                self.occupy_divider(step.issue.result, least, span);
                if after.is_some() {
                    self.go_to(i64::from(step.next) << 1);
                }
            }
            Action::Fence(cycles) => self.fence(cycles),
            Action::System {
                register,
                destination,
                change,
                cycles,
                ..
            } => self.system(register, destination, change, cycles),
            Action::Status {
                layout,
                destination,
                change,
                cycles,
            } => self.change_status(layout, destination, change, cycles),
            Action::Leave => unreachable!("no stretch has it"),
        }
    }

    /// Charges what a wrong prediction of this branch costs; `alone`: it has issued by itself.
    pub(super) fn charge_wrong(&mut self, step: &Step, alone: bool) {
        let Penalties {
            mispredicted, late, ..
        } = self.penalties;
        if alone {
            dynasm!(self.asm
                ; .arch x64
                ; add r12, mispredicted as i32
                ; cmp BYTE [rbp + frame::LATE], 0
                ; je >early
                ; add r12, late as i32
                ; early:
            );
        } else {
            let price = mispredicted + if step.late { late } else { 0 };
            dynasm!(self.asm ; .arch x64 ; add r12, price as i32);
        }
    }

    fn rarely(&mut self, passed: Option<&Passed>, counted: Counted, then: Then) -> DynamicLabel {
        let label = self.asm.new_dynamic_label();
        self.rare.push(Rare {
            label,
            passed: passed.cloned(),
            counted,
            then,
        });
        label
    }

    /// Puts what has passed where it belongs; if `closed`, the next instruction takes no slot of the cycle that
    /// is over. Without `passed`, time is right already. Changes rax and rsi.
    pub(super) fn pass(&mut self, passed: Option<&Passed>, counted: Counted, closed: bool) {
        let counts = [
            (frame::INSTRUCTIONS, counted.instructions),
            (frame::WORDS_READ, counted.reads),
            (frame::WORDS_WRITTEN, counted.writes),
        ];
        for (counter, count) in counts {
            if count != 0 {
                dynasm!(self.asm ; .arch x64 ; add QWORD [rbp + counter], count);
            }
        }
        let Some(passed) = passed else {
            if closed {
                dynasm!(self.asm ; .arch x64 ; mov BYTE [rbp + frame::OPEN], 0);
            }
            return;
        };
        if passed.cycles != 0 {
            dynasm!(self.asm ; .arch x64 ; add r12, passed.cycles as i32);
        }
        let open = if closed { 0 } else { passed.open };
        dynasm!(self.asm ; .arch x64 ; mov BYTE [rbp + frame::OPEN], open as i8);
        if open != 0 {
            dynasm!(self.asm ; .arch x64 ; mov [rbp + frame::OPEN_AT], r12);
        }
        let least = i32::from(open == 0);
        let mut latest = 0;
        for (register, [early, late]) in &passed.pending {
            let last = *early.max(late);
            if last < least {
                continue;
            }
            latest = latest.max(last);
            let register = 2 * at(*register);
            dynasm!(self.asm
                ; .arch x64
                ; mov rsi, [rbp + frame::READY]
                ; lea rax, [r12 + *early]
                ; mov [rsi + register], rax
                ; lea rax, [r12 + *late]
                ; mov [rsi + register + 8], rax
            );
        }
        if latest != 0 {
            dynasm!(self.asm
                ; .arch x64
                ; lea rax, [r12 + latest]
                ; cmp rax, [rbp + frame::ALL_READY]
                ; jbe >earlier
                ; mov [rbp + frame::ALL_READY], rax
                ; earlier:
            );
        }
    }

    /// The line's address and so many bytes, in rcx.
    pub(super) fn address_from_line(&mut self, bytes: i64) {
        dynasm!(self.asm ; .arch x64 ; mov rcx, [rbp + frame::LINE]);
        match i32::try_from(bytes) {
            Ok(0) => {}
            Ok(bytes) => dynasm!(self.asm ; .arch x64 ; add rcx, bytes),
            Err(_) => dynasm!(self.asm ; .arch x64 ; mov rax, QWORD bytes ; add rcx, rax),
        }
    }

    /// Goes on so many bytes from the line's address.
    pub(super) fn go_to(&mut self, to: i64) {
        if (0..2 * PLACES as i64).contains(&to) {
            let place = (to >> 1) as i32;
            dynasm!(self.asm ; .arch x64 ; jmp QWORD [r13 + place * 8]);
        } else {
            self.address_from_line(to);
            dynasm!(self.asm ; .arch x64 ; jmp QWORD [rbp + frame::CROSS]);
        }
    }
}

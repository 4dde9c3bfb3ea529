// SPDX-License-Identifier: Apache-2.0
//! A unit: the instructions of a line, up to one that is left. Its entry looks whether it comes to its end before
//! the horizon, and whether there is room in the window for all of it. If not, a second translation waits for room
//! before each instruction.
//!
//! What may leave an instruction to the interpreter is looked at before anything of it is done; then its time is
//! computed, and then it is executed.

use dynasmrt::{dynasm, DynamicLabel, DynasmApi, DynasmLabelApi};

use super::frame;
use super::{assembler, finished};
use crate::host::Assembler;
use crate::traces::{Action, Prices, Register, Step, Stretch, Width, WINDOW};

/// A unit that is being translated.
pub(super) struct Unit {
    pub asm: Assembler,
    pub prices: Prices,
    /// How many branches are known, and how many ways the first level has.
    pub branches: usize,
    pub ways: usize,
    /// What has passed before the instruction that is translated.
    pub passed: Passed,
    /// When the last instruction of the unit enters, after its beginning.
    pub last: i32,
    /// Whether room in the window is waited for.
    waits: bool,
    /// Where the code goes on that gives an instruction to the interpreter.
    left: Vec<(DynamicLabel, Passed)>,
    /// Where it waits for room, and goes on then.
    waiting: Vec<(DynamicLabel, DynamicLabel, Passed)>,
    /// Where a store goes to another line than the last one: to be prepared, or left; and where it is made.
    others: Vec<[DynamicLabel; 3]>,
    stores: Vec<[DynamicLabel; 2]>,
}

/// What has passed of a unit.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Passed {
    pub instructions: i32,
    pub accesses: i32,
    pub reads: i32,
    pub writes: i32,
    /// Time since its beginning, but for what is added to r12.
    pub time: i32,
    /// The address of the next instruction.
    pub address: u32,
}

/// The guest's registers for results of two words, and its stack pointer.
const EAX: Register = 0;
const EDX: Register = 2;
pub(super) const ESP: Register = 4;

/// Where a register is from rbx.
pub(super) fn at(register: Register) -> i32 {
    4 * i32::from(register)
}

/// Where a register of so many bits is from rbx.
pub(super) fn part(register: Register, width: Width) -> i32 {
    match width {
        Width::Byte => at(register & 3) + i32::from(register >> 2),
        _ => at(register),
    }
}

/// Where what is waited for is from r11.
fn ready(slot: u8) -> i32 {
    8 * i32::from(slot)
}

impl Unit {
    /// The code of `stretch`.
    pub(super) fn translate(stretch: &Stretch, branches: usize, ways: usize) -> Vec<u8> {
        let mut unit = Self {
            asm: assembler(),
            prices: stretch.prices,
            branches,
            ways,
            passed: Passed::default(),
            last: 0,
            waits: false,
            left: Vec::new(),
            waiting: Vec::new(),
            others: Vec::new(),
            stores: Vec::new(),
        };
        unit.assemble(stretch);
        finished(unit.asm)
    }

    fn assemble(&mut self, stretch: &Stretch) {
        let end = stretch.steps.iter().position(|s| s.action == Action::Leave);
        let steps = &stretch.steps[..end.unwrap_or(stretch.steps.len())];
        let begin = Passed {
            address: stretch.address,
            ..Passed::default()
        };
        if steps.is_empty() {
            self.passed = begin;
            self.leave_here(frame::LEFT);
            return;
        }
        let time: u32 = steps[..steps.len() - 1].iter().map(|s| s.uops).sum();
        self.last = (time * self.prices.uop) as i32;
        let [near, full, moved] = std::array::from_fn(|_| self.asm.new_dynamic_label());
        dynasm!(self.asm
            ; .arch x64
            ; cmp r14, [rbp + frame::LAST_WINDOW]
            ; ja =>moved
            ; lea rax, [r12 + self.last]
            ; cmp rax, r8
            ; jae =>near
            ; mov rax, [r14 + 8 * (steps.len() as i32 - 1 - WINDOW as i32)]
            ; cmp rax, r12
            ; ja =>full
        );
        self.body(steps, begin, end.is_some());
        // Waiting for room comes to an end before the horizon, whatever is waited for: the last place is the latest.
        dynasm!(self.asm
            ; .arch x64
            ; =>full
            ; add rax, self.last
            ; cmp rax, r8
            ; jae =>near
        );
        self.waits = true;
        self.body(steps, begin, end.is_some());
        self.passed = begin;
        dynasm!(self.asm ; .arch x64 ; =>near);
        self.leave_here(frame::LEFT);
        dynasm!(self.asm ; .arch x64 ; =>moved);
        self.leave_here(frame::WINDOW_FULL);
    }

    /// Translates instructions; `left`: then comes one for the interpreter.
    fn body(&mut self, steps: &[Step], begin: Passed, left: bool) {
        self.passed = begin;
        let mut ended = false;
        for (n, step) in steps.iter().enumerate() {
            let flags = flags_are_wanted(&steps[n + 1..]);
            self.step(step, flags);
            ended = step.action.ends_sequence();
        }
        if left {
            self.leave_here(frame::LEFT);
        } else if !ended {
            self.pass();
            self.go_on(self.passed.address);
        }
        for (label, passed) in std::mem::take(&mut self.left) {
            dynasm!(self.asm ; .arch x64 ; =>label);
            self.passed = passed;
            self.leave_here(frame::LEFT);
        }
        for (label, back, passed) in std::mem::take(&mut self.waiting) {
            dynasm!(self.asm ; .arch x64 ; =>label);
            self.wait(passed);
            dynasm!(self.asm ; .arch x64 ; jmp =>back);
        }
        for [label, back, left] in std::mem::take(&mut self.others) {
            dynasm!(self.asm
                ; .arch x64
                ; =>label
                ; call QWORD [rbp + frame::PREPARE]
                ; jz =>back
                ; jmp =>left
            );
        }
        for [label, back] in std::mem::take(&mut self.stores) {
            dynasm!(self.asm
                ; .arch x64
                ; =>label
                ; call QWORD [rbp + frame::STORE]
                ; jmp =>back
            );
        }
    }

    fn step(&mut self, step: &Step, flags: bool) {
        let (access, before) = (step.action.access(), step.action.read_before());
        for access in access.into_iter().chain(before) {
            let left = self.left();
            self.find(&access, left);
            if access.writes && (before.is_some() || matches!(step.action, Action::CallTo(_))) {
                dynasm!(self.asm ; .arch x64 ; mov [rbp + frame::DESTINATION], rdi);
            }
        }
        self.load_target(&step.action);
        self.take_time(step);
        if matches!(step.action, Action::TimeStamp { .. }) {
            self.time_stamp();
        }
        self.passed.instructions += 1;
        self.passed.time += (step.uops * self.prices.uop) as i32;
        self.passed.address = self.passed.address.wrapping_add(step.bytes);
        for access in access.into_iter().chain(before) {
            self.passed.accesses += 1;
            self.passed.reads += i32::from(access.reads);
            self.passed.writes += i32::from(access.writes);
        }
        self.execute(&step.action, flags);
    }

    /// A label at which the instruction that is translated is left to the interpreter.
    fn left(&mut self) -> DynamicLabel {
        let label = self.asm.new_dynamic_label();
        self.left.push((label, self.passed));
        label
    }

    /// Labels at which a store is prepared that goes to another line than the last one, and where it goes on then.
    pub(super) fn another(&mut self, left: DynamicLabel) -> [DynamicLabel; 2] {
        let labels = [self.asm.new_dynamic_label(), self.asm.new_dynamic_label()];
        self.others.push([labels[0], labels[1], left]);
        labels
    }

    /// An instruction enters, waits for its operands, executes and retires; when it is done is in rax. Changes rcx
    /// and rdx.
    fn take_time(&mut self, step: &Step) {
        let Passed {
            instructions: place,
            time,
            ..
        } = self.passed;
        let place = 8 * place;
        dynasm!(self.asm ; .arch x64 ; lea rax, [r12 + time]);
        if self.waits {
            let (wait, back) = (self.asm.new_dynamic_label(), self.asm.new_dynamic_label());
            self.waiting.push((wait, back, self.passed));
            dynasm!(self.asm
                ; .arch x64
                ; cmp rax, [r14 + place - 8 * WINDOW as i32]
                ; jb =>wait
                ; =>back
            );
        }
        let mut seen = Vec::new();
        for source in step.sources.into_iter().flatten() {
            if !seen.contains(&source) {
                seen.push(source);
                dynasm!(self.asm
                    ; .arch x64
                    ; mov rcx, [r11 + ready(source)]
                    ; cmp rax, rcx
                    ; cmovb rax, rcx
                );
            }
        }
        if step.accesses {
            dynasm!(self.asm ; .arch x64 ; mov [rbp + frame::ACCESS], rax);
        }
        let early = step.early.map(|early| {
            dynasm!(self.asm ; .arch x64 ; lea rsi, [rax + self.prices.early as i32]);
            ready(early)
        });
        let accesses = [step.action.read_before(), step.action.access()];
        let accesses = accesses.into_iter().flatten();
        let (reads, writes) = accesses.fold((false, false), |(reads, writes), access| {
            (reads || access.reads, writes || access.writes)
        });
        let port = self.prices.port as i32;
        if reads {
            dynasm!(self.asm
                ; .arch x64
                ; lea rcx, [r12 + time]
                ; mov rdx, [rbp + frame::LOAD_PORT]
                ; cmp rcx, rdx
                ; cmovb rcx, rdx
                ; lea rdx, [rcx + port]
                ; mov [rbp + frame::LOAD_PORT], rdx
                ; cmp rax, rcx
                ; cmovb rax, rcx
                ; add rax, self.prices.load as i32
            );
        }
        if writes {
            let (label, back) = (self.asm.new_dynamic_label(), self.asm.new_dynamic_label());
            dynasm!(self.asm
                ; .arch x64
                ; lea rcx, [r12 + time]
                ; mov rdx, [rbp + frame::STORE_PORT]
                ; cmp rcx, rdx
                ; cmovb rcx, rdx
                ; lea rdx, [rcx + port]
                ; mov [rbp + frame::STORE_PORT], rdx
                ; cmp rax, rcx
                ; cmovb rax, rcx
                ; cmp DWORD [rbp + frame::ANOTHER], 0
                ; jne =>label
                ; =>back
            );
            self.stores.push([label, back]);
        }
        if step.latency != 0 {
            dynasm!(self.asm ; .arch x64 ; add rax, step.latency as i32);
        }
        for result in step.results.into_iter().flatten() {
            dynasm!(self.asm ; .arch x64 ; mov [r11 + ready(result)], rax);
        }
        if let Some(early) = early {
            dynasm!(self.asm ; .arch x64 ; mov [r11 + early], rsi);
        }
        dynasm!(self.asm
            ; .arch x64
            ; cmp r13, rax
            ; cmovb r13, rax
            ; mov [r14 + place], r13
        );
    }

    /// The time stamp when the instruction that is translated enters, in EDX and EAX.
    fn time_stamp(&mut self) {
        dynasm!(self.asm ; .arch x64 ; lea rcx, [r12 + self.passed.time]);
        self.whole_cycles();
        dynasm!(self.asm
            ; .arch x64
            ; add rdx, [rbp + frame::AHEAD]
            ; mov [rbx + at(EAX)], edx
            ; shr rdx, 32
            ; mov [rbx + at(EDX)], edx
        );
    }

    /// Nothing enters for so long after what has passed. If the unit does not come to its end before the horizon then,
    /// it is left.
    pub(super) fn hold(&mut self, time: u32) {
        let continued = self.asm.new_dynamic_label();
        dynasm!(self.asm
            ; .arch x64
            ; add r12, time as i32
            ; add QWORD [rbp + frame::HELD], time as i32
            ; lea rax, [r12 + self.last]
            ; cmp rax, r8
            ; jb =>continued
        );
        let passed = self.passed;
        self.leave_here(frame::LEFT);
        self.passed = passed;
        dynasm!(self.asm ; .arch x64 ; =>continued);
    }

    /// In rdx the whole cycles of six in rcx: multiplied by 2^64/6, rounded up, which is exact below 2^62. Changes rax.
    fn whole_cycles(&mut self) {
        dynasm!(self.asm
            ; .arch x64
            ; mov rax, QWORD 0x2aaa_aaaa_aaaa_aaab
            ; mul rcx
        );
    }

    /// Waits for room in the window, which comes before the horizon; rax: when the instruction enters.
    fn wait(&mut self, passed: Passed) {
        dynasm!(self.asm
            ; .arch x64
            ; mov rcx, [r14 + 8 * (passed.instructions - WINDOW as i32)]
            ; sub rcx, rax
            ; add r12, rcx
            ; add [rbp + frame::HELD], rcx
        );
        self.whole_cycles();
        dynasm!(self.asm
            ; .arch x64
            ; add [rbp + frame::FULL], rdx
            ; lea rax, [r12 + passed.time]
        );
    }

    /// Puts what has passed where it belongs. Changes nothing else.
    pub(super) fn pass(&mut self) {
        let Passed {
            instructions,
            accesses,
            reads,
            writes,
            time,
            ..
        } = self.passed;
        let counts = [
            (frame::INSTRUCTIONS, instructions),
            (frame::ACCESSES, accesses),
            (frame::READS_COUNT, reads),
            (frame::WRITES_COUNT, writes),
        ];
        for (counter, count) in counts {
            if count != 0 {
                dynasm!(self.asm ; .arch x64 ; add QWORD [rbp + counter], count);
            }
        }
        if instructions != 0 {
            dynasm!(self.asm ; .arch x64 ; add r12, time ; add r14, 8 * instructions);
        }
    }

    /// Comes back before the next instruction.
    pub(super) fn leave_here(&mut self, why: i32) {
        self.pass();
        let Passed {
            instructions,
            address,
            ..
        } = self.passed;
        dynasm!(self.asm
            ; .arch x64
            ; mov eax, why
            ; mov ecx, address as i32
            ; mov edx, instructions
            ; jmp QWORD [rbp + frame::LEAVE]
        );
    }

    /// Goes on at `address`, after what has passed.
    pub(super) fn go_on(&mut self, address: u32) {
        dynasm!(self.asm
            ; .arch x64
            ; mov ecx, address as i32
            ; jmp QWORD [rbp + frame::CROSS]
        );
    }
}

/// Whether somebody may look at the flags that are there before `steps`.
fn flags_are_wanted(steps: &[Step]) -> bool {
    for step in steps {
        if step.action.is_indifferent() {
            continue;
        }
        return step.action.access().is_some() || !step.action.sets_flags();
    }
    true
}

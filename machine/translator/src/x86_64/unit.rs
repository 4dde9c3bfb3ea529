// SPDX-License-Identifier: Apache-2.0
//! A unit: instructions in sequence. Its entry looks whether results are delayed, and whether it comes to
//! its end before the horizon; what its instructions take is summed beforehand (`schedule.rs`).
//!
//! If results are delayed that its first instruction waits for, and all others are there when they can be
//! needed, the unit waits and runs. If not even that is known, a second translation of the first instruction
//! alone runs: it waits and leaves delays as the interpreter does, and the unit from the next one on is gone to.

use dynasmrt::{dynasm, DynamicLabel, DynasmApi, DynasmLabelApi};

use crate::guest::{HINTS, LINE_BYTES};
use crate::instruction::{Action, Condition, Instruction, Register, Width};
use crate::schedule::Schedule;
use crate::PLACES;

use super::frame;
use super::{assembler, finished, Assembler};

/// Where the hint of an address stands in its table: `address / 4 & HINT_MASK` bytes.
pub(super) const HINT_MASK: i32 = (HINTS as i32 - 1) * 8;

/// A unit that is being translated.
pub(super) struct Unit<'a> {
    pub asm: Assembler,
    /// All of the line's.
    line: &'a [Instruction],
    /// Base-two logarithm of an instruction's bytes.
    shift: u32,
    /// Where the code goes on that gives an instruction to the interpreter.
    left: Vec<Left>,
    /// Where it goes on when no hint answers an access.
    slow: Vec<Slow>,
    /// Whether the host's flags are the guest's: sign, zero and overflow as they are, and carry.
    pub flags_at_hand: bool,
    /// Whether delays from before may outlast those of the unit.
    alone: bool,
}

/// An instruction is given to the interpreter.
struct Left {
    label: DynamicLabel,
    /// What had passed before it.
    before: Schedule,
    place: usize,
}

/// An access that the machine does.
struct Slow {
    label: DynamicLabel,
    /// What had passed before the instruction, and has when it accesses memory.
    before: Schedule,
    passed: Schedule,
    place: usize,
}

/// Where the guest's register `register` is, from rbx.
pub(super) fn at(register: Register) -> i32 {
    4 * i32::from(register)
}

impl<'a> Unit<'a> {
    /// The code of the unit of `line` that begins at `place`; `None`: it would be empty.
    ///
    /// # Panics
    /// There is no such place.
    pub(super) fn translate(line: &'a [Instruction], place: usize) -> Option<Vec<u8>> {
        assert!(place < line.len() && line.len() <= PLACES);
        if line[place].action == Action::Leave {
            return None;
        }
        let mut unit = Self {
            asm: assembler(),
            line,
            shift: (LINE_BYTES / line.len() as u32).trailing_zeros(),
            left: Vec::new(),
            slow: Vec::new(),
            flags_at_hand: false,
            alone: false,
        };
        unit.assemble(place);
        Some(finished(unit.asm))
    }

    fn assemble(&mut self, place: usize) {
        let [delayed, body, near, alone, there] =
            std::array::from_fn(|_| self.asm.new_dynamic_label());
        let last = self.cycles_before_last(place) as i32;
        dynasm!(self.asm
            ; .arch x64
            ; cmp r12, [rbp + frame::ALL_READY]
            ; jb =>delayed
            ; lea rax, [r12 + last]
            ; cmp rax, r10
            ; jae =>near
            ; =>body
        );
        let mut passed = Schedule::new();
        let mut next = place;
        loop {
            if next == self.line.len() || self.line[next].action == Action::Leave {
                self.go_on(&passed, next);
                break;
            }
            if !self.instruction(&mut passed, next) {
                break;
            }
            next += 1;
        }
        self.leave_what_is_left();

        // rdx: when the first instruction has what it reads.
        dynasm!(self.asm
            ; .arch x64
            ; =>delayed
            ; mov rdx, r12
            ; mov rsi, [rbp + frame::READY]
        );
        for register in registers(self.line[place].sources) {
            dynasm!(self.asm
                ; .arch x64
                ; mov rax, [rsi + 2 * at(register)]
                ; cmp rax, rdx
                ; cmova rdx, rax
            );
        }
        // All others are there when the second one begins, or when the third does and the second needs none.
        dynasm!(self.asm
            ; .arch x64
            ; lea rax, [rdx + 1]
            ; cmp rax, [rbp + frame::ALL_READY]
            ; jae =>there
            ; inc rax
            ; cmp rax, [rbp + frame::ALL_READY]
            ; jb =>alone
            ; dec rax
        );
        let second = self.line.get(place + 1);
        for register in registers(second.map_or(0, |second| second.sources)) {
            dynasm!(self.asm
                ; .arch x64
                ; cmp [rsi + 2 * at(register)], rax
                ; ja =>alone
            );
        }
        dynasm!(self.asm
            ; .arch x64
            ; =>there
            ; lea rax, [rdx + last]
            ; cmp rax, r10
            ; jae =>near
            ; mov r12, rdx
            ; jmp =>body

            ; =>near
            ; mov eax, frame::HORIZON_NEAR
            ; mov ecx, place as i32
            ; jmp QWORD [rbp + frame::LEAVE]

            ; =>alone
            ; cmp rdx, r10
            ; jae =>near
            ; mov r12, rdx
        );
        self.alone = true;
        self.flags_at_hand = false;
        let mut passed = Schedule::new();
        if self.instruction(&mut passed, place) {
            self.go_on(&passed, place + 1);
        }
        self.leave_what_is_left();
    }

    /// How many cycles the unit takes at most until its last instruction begins.
    fn cycles_before_last(&self, place: usize) -> u32 {
        let mut passed = Schedule::new();
        let mut before = 0;
        for instruction in &self.line[place..] {
            if instruction.action == Action::Leave {
                break;
            }
            before = passed.cycles;
            passed.issue(instruction);
            // What has a condition and takes longer if that holds goes on in another unit then.
            if instruction.condition == Condition::Always {
                let Some(result) = instruction.stays_in_sequence() else {
                    break;
                };
                passed.cycles += instruction.issue;
                if let Some(register) = result {
                    passed.delay(register, instruction.delay);
                }
            }
        }
        before
    }

    /// Translates an instruction. `false`: nothing follows it.
    fn instruction(&mut self, passed: &mut Schedule, place: usize) -> bool {
        let instruction = self.line[place];
        let before = passed.clone();
        passed.issue(&instruction);
        let left = self.asm.new_dynamic_label();
        let skipped = self.unless(instruction.condition);
        self.flags_at_hand = false;
        // What has passed if it is executed.
        let mut done = passed.clone();
        done.cycles += instruction.issue;
        let access = done.clone();
        let leaves = match instruction.action {
            Action::Compute {
                operation,
                destination,
                first,
                second,
                flags,
            } => {
                self.compute(operation, destination, first, second, flags);
                self.flags_at_hand &= skipped.is_none();
                false
            }
            Action::Load {
                destination,
                width,
                signed,
                address,
            } => {
                self.load(destination, width, signed, address, left);
                done.reads += 1;
                true
            }
            Action::Store {
                source,
                width,
                address,
            } => {
                self.store(source, width, address, left);
                done.writes += 1;
                true
            }
            Action::LoadMultiple {
                base,
                start,
                list,
                write_back,
                jump,
            } => {
                self.load_multiple(base, start, list, write_back, jump, left);
                done.reads += list.count_ones() + u32::from(jump.is_some());
                true
            }
            Action::StoreMultiple {
                base,
                start,
                list,
                write_back,
            } => {
                self.store_multiple(base, start, list, write_back, left);
                done.writes += list.count_ones();
                true
            }
            Action::Branch { to, link } => {
                if let Some((register, address)) = link {
                    dynasm!(self.asm
                        ; .arch x64
                        ; mov eax, [rbp + frame::LINE]
                        ; add eax, address
                        ; mov [rbx + at(register)], eax
                    );
                }
                self.pass(&done);
                self.go_to(to);
                false
            }
            Action::BranchRegister { target, jump } => {
                dynasm!(self.asm ; .arch x64 ; mov ecx, [rbx + at(target)]);
                self.check_target(jump.zero, left);
                true
            }
            Action::Multiply {
                destination,
                first,
                second,
                added,
                bits_per_cycle,
            } => {
                self.pass(passed);
                self.multiply(destination, first, second, added);
                self.occupy_multiplier(destination, bits_per_cycle, instruction.issue);
                self.go_to_place(place + 1);
                false
            }
            Action::Leave => unreachable!("no unit has it"),
        };
        if matches!(
            instruction.action,
            Action::Load { .. } | Action::Store { .. }
        ) {
            self.slow.push(Slow {
                label: left,
                before,
                passed: access,
                place,
            });
        } else if leaves {
            self.left.push(Left {
                label: left,
                before,
                place,
            });
        } else {
            // Nobody jumps there.
            dynasm!(self.asm ; .arch x64 ; =>left);
        }
        if let Some(jump) = instruction.jump() {
            self.delay(&mut done, &instruction);
            done.cycles += jump.extra;
            dynasm!(self.asm ; .arch x64 ; and ecx, jump.mask as i32);
            self.pass(&done);
            dynasm!(self.asm ; .arch x64 ; jmp QWORD [rbp + frame::CROSS]);
        } else if instruction.stays_in_sequence().is_some() {
            self.delay(&mut done, &instruction);
            let Some(label) = skipped else {
                *passed = done;
                return true;
            };
            if done != *passed {
                // The unit goes on as if it had been skipped.
                self.pass(&done);
                self.go_to_place(place + 1);
            }
            dynasm!(self.asm ; .arch x64 ; =>label);
            return true;
        }
        match skipped {
            Some(label) => {
                dynasm!(self.asm ; .arch x64 ; =>label);
                true
            }
            None => false,
        }
    }

    fn delay(&self, done: &mut Schedule, instruction: &Instruction) {
        if let Some(Some(register)) = instruction.result() {
            done.delay(register, instruction.delay);
        }
    }

    /// Has the machine do the accesses of which no hint knows, and gives the instructions to the interpreter that
    /// could not be executed.
    fn leave_what_is_left(&mut self) {
        for slow in std::mem::take(&mut self.slow) {
            dynasm!(self.asm ; .arch x64 ; =>slow.label);
            self.slow_access(slow);
        }
        for left in std::mem::take(&mut self.left) {
            dynasm!(self.asm ; .arch x64 ; =>left.label);
            self.pass(&left.before);
            dynasm!(self.asm
                ; .arch x64
                ; mov eax, frame::LEFT
                ; mov ecx, left.place as i32
                ; jmp QWORD [rbp + frame::LEAVE]
            );
        }
    }

    /// An access to the address in edi; esi is what the base becomes. Nobody knows when it is over: the next
    /// instruction begins another unit.
    fn slow_access(&mut self, slow: Slow) {
        let instruction = self.line[slow.place];
        let address = match instruction.action {
            Action::Load { address, .. } | Action::Store { address, .. } => address,
            _ => unreachable!("only these are accesses"),
        };
        let base = address.written_base();
        if let Action::Load {
            width: Width::Word, ..
        } = instruction.action
        {
            // It is rotated.
            let label = self.asm.new_dynamic_label();
            dynasm!(self.asm ; .arch x64 ; test edi, 3 ; jnz =>label);
            self.left.push(Left {
                label,
                before: slow.before,
                place: slow.place,
            });
        }
        if base.is_some() {
            dynasm!(self.asm ; .arch x64 ; mov [rbp + frame::BASE], esi);
        }
        self.pass(&slow.passed);
        dynasm!(self.asm ; .arch x64 ; mov ecx, slow.place as i32);
        match instruction.action {
            Action::Load {
                destination,
                width,
                signed,
                ..
            } => {
                dynasm!(self.asm
                    ; .arch x64
                    ; mov esi, width.bytes() as i32
                    ; call QWORD [rbp + frame::SLOW_LOAD]
                );
                self.write_kept_base(base);
                match width {
                    Width::Half if signed => dynasm!(self.asm ; .arch x64 ; movsx eax, ax),
                    Width::Byte if signed => dynasm!(self.asm ; .arch x64 ; movsx eax, al),
                    _ => {}
                }
                dynasm!(self.asm ; .arch x64 ; mov [rbx + at(destination)], eax);
                if instruction.delay != 0 {
                    dynasm!(self.asm ; .arch x64 ; lea rax, [r12 + instruction.delay as i32]);
                    self.delayed_until_rax(destination, true);
                }
            }
            Action::Store { source, width, .. } => {
                dynasm!(self.asm
                    ; .arch x64
                    ; mov esi, width.bytes() as i32
                    ; mov edx, [rbx + at(source)]
                    ; call QWORD [rbp + frame::SLOW_STORE]
                );
                self.write_kept_base(base);
            }
            _ => {}
        }
        self.go_to_place(slow.place + 1);
    }

    fn write_kept_base(&mut self, base: Option<Register>) {
        if let Some(base) = base {
            dynasm!(self.asm
                ; .arch x64
                ; mov ecx, [rbp + frame::BASE]
                ; mov [rbx + at(base)], ecx
            );
        }
    }

    /// Puts what has passed where it belongs. Changes rax and rsi.
    fn pass(&mut self, passed: &Schedule) {
        let counted = [
            (frame::INSTRUCTIONS, passed.instructions),
            (frame::WORDS_READ, passed.reads),
            (frame::WORDS_WRITTEN, passed.writes),
        ];
        if passed.cycles != 0 {
            dynasm!(self.asm ; .arch x64 ; add r12, passed.cycles as i32);
        }
        for (counter, count) in counted {
            if count != 0 {
                dynasm!(self.asm ; .arch x64 ; add QWORD [rbp + counter], count as i32);
            }
        }
        let mut latest = 0;
        for (register, ahead) in passed.delayed() {
            dynasm!(self.asm
                ; .arch x64
                ; lea rax, [r12 + ahead as i32]
            );
            self.delayed_until_rax(register, self.alone || ahead > latest);
            latest = latest.max(ahead);
        }
    }

    /// The result in `register` is there at the cycle in rax, and `last`: none later. Changes rsi.
    fn delayed_until_rax(&mut self, register: Register, last: bool) {
        dynasm!(self.asm
            ; .arch x64
            ; mov rsi, [rbp + frame::READY]
            ; mov [rsi + 2 * at(register)], rax
            ; or DWORD [rbp + frame::PENDING], 1 << register
        );
        if last {
            dynasm!(self.asm
                ; .arch x64
                ; cmp rax, [rbp + frame::ALL_READY]
                ; jbe >earlier
                ; mov [rbp + frame::ALL_READY], rax
                ; earlier:
            );
        }
    }

    /// The multiplier, free or when it is, multiplies by the factor in edi, and issues for `issue` cycles more.
    fn occupy_multiplier(&mut self, result: Register, bits: u32, issue: u32) {
        dynasm!(self.asm
            ; .arch x64
            ; mov rax, [rbp + frame::MULTIPLIER_FREE]
            ; cmp r12, rax
            ; cmovb r12, rax
            ; mov edx, 1
        );
        let bits = bits.max(1);
        if bits < 32 {
            // As many bits a cycle as it retires, until the rest is sign (`multiply_cycles` of the ARM): one
            // bit of the first step is the sign.
            dynasm!(self.asm
                ; .arch x64
                ; mov eax, edi
                ; sar eax, 31
                ; xor eax, edi
            );
            let mut retired = bits;
            while retired < 32 {
                let limit = 1u32 << (retired - 1);
                dynasm!(self.asm
                    ; .arch x64
                    ; cmp eax, limit as i32
                    ; cmc
                    ; adc edx, 0
                );
                retired += bits;
            }
        }
        dynasm!(self.asm
            ; .arch x64
            ; lea rax, [r12 + rdx]
            ; mov [rbp + frame::MULTIPLIER_FREE], rax
            ; add r12, issue as i32
            ; lea rax, [r12 + rdx]
        );
        self.delayed_until_rax(result, true);
    }

    /// Goes on at an instruction of the line, or at the first of the next line, after what has passed.
    fn go_on(&mut self, passed: &Schedule, place: usize) {
        self.pass(passed);
        self.go_to_place(place);
    }

    fn go_to_place(&mut self, place: usize) {
        self.go_to((place as i32) << self.shift);
    }

    /// Goes on so many bytes from the line's address.
    fn go_to(&mut self, to: i32) {
        if (0..LINE_BYTES as i32).contains(&to) {
            let place = to >> self.shift;
            dynasm!(self.asm ; .arch x64 ; jmp QWORD [r13 + place * 8]);
        } else {
            dynasm!(self.asm
                ; .arch x64
                ; mov ecx, [rbp + frame::LINE]
                ; add ecx, to
                ; jmp QWORD [rbp + frame::CROSS]
            );
        }
    }

    /// The address in ecx must have none of these bits.
    pub(super) fn check_target(&mut self, zero: u32, left: DynamicLabel) {
        if zero != 0 {
            dynasm!(self.asm
                ; .arch x64
                ; test ecx, zero as i32
                ; jnz =>left
            );
        }
    }
}

/// The numbers of the bits that are set.
pub(super) fn registers(mask: u32) -> impl Iterator<Item = Register> {
    (0..32).filter(move |n| mask & (1 << n) != 0)
}

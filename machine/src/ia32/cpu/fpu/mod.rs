// SPDX-License-Identifier: Apache-2.0
//! The x87 floating-point unit (SDM vol. 1, chapter 8): its registers here, `control` has the
//! control word, `environment` what FSTENV and FSAVE store; `extended` and `format` have the
//! formats of numbers, `arith` and `transcendental` compute with them, `round` rounds. What an
//! instruction reads and writes, and when, is in [`exec`](crate::ia32::cpu::exec).

pub mod arith;
pub mod constant;
pub mod control;
pub mod environment;
pub mod extended;
pub mod format;
pub mod round;
pub mod transcendental;

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use self::arith::Outcome;
use self::control::{exception, Control};
use self::extended::{Class, Extended, Operand};

/// Bits of the status word that are no exceptions (SDM vol. 1, 8.1.3).
pub mod status {
    /// The invalid operation was a stack overflow or underflow.
    pub const STACK_FAULT: u16 = 1 << 6;
    /// An unmasked exception is pending.
    pub const SUMMARY: u16 = 1 << 7;
    /// Condition codes.
    pub const C0: u16 = 1 << 8;
    /// Also: a result was rounded up; a stack fault was an overflow.
    pub const C1: u16 = 1 << 9;
    /// Also: a reduction is not complete.
    pub const C2: u16 = 1 << 10;
    /// The last one.
    pub const C3: u16 = 1 << 14;
    /// All four.
    pub const CODES: u16 = C0 | C1 | C2 | C3;
    /// The number of the register that is ST(0).
    pub const TOP: u16 = 7 << 11;
    /// As `SUMMARY`: that the 8087 was busy.
    pub const BUSY: u16 = 1 << 15;
}

use self::status::{BUSY, C0, C1, C2, C3, CODES, STACK_FAULT, SUMMARY, TOP};

/// The last instruction that was no control instruction, and its operand (SDM vol. 1, 8.1.8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Last {
    /// Its code segment.
    pub cs: u16,
    /// Its offset there.
    pub ip: u32,
    /// Its opcode, without what all have in common: of one with an unmasked exception alone, as
    /// processors since the Pentium 4 have it, unless an MSR says otherwise (8.1.9.1).
    pub opcode: u16,
    /// Its operand's segment.
    pub ds: u16,
    /// Its operand's offset.
    pub dp: u32,
}

/// The floating-point unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fpu {
    /// The registers by their own numbers, R0 to R7.
    registers: [Extended; 8],
    /// Those that are empty, a bit each.
    empty: u8,
    /// The control word.
    pub control: Control,
    /// The status word but for TOP.
    status: u16,
    /// The register that is ST(0).
    top: u8,
    /// See [`Last`].
    pub last: Last,
}

impl Default for Fpu {
    /// As a reset leaves it.
    fn default() -> Self {
        Self {
            registers: [Extended::default(); 8],
            empty: 0,
            control: Control::RESET,
            status: 0,
            top: 0,
            last: Last::default(),
        }
    }
}

impl Fpu {
    /// FNINIT: all but the registers' contents.
    pub fn initialize(&mut self) {
        *self = Self {
            registers: self.registers,
            empty: 0xff,
            control: Control::INITIAL,
            ..Self::default()
        };
    }

    /// Whether the unit can be in this state.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let words = self.control == Control::new(self.control.word()) && self.status & TOP == 0;
        self.top < 8 && words
    }

    // ---- control and status ----------------------------------------------------------------

    /// FLDCW.
    pub fn set_control(&mut self, control: Control) {
        self.control = control;
        self.summarize();
    }

    /// The status word.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status | u16::from(self.top) << 11
    }

    /// Sets the status word; whether an exception is pending the masks say.
    pub fn set_status(&mut self, word: u16) {
        self.top = (word >> 11 & 7) as u8;
        self.status = word & (exception::ALL | STACK_FAULT | CODES);
        self.summarize();
    }

    /// FNCLEX.
    pub fn clear_exceptions(&mut self) {
        self.status &= CODES;
    }

    /// Whether an unmasked exception is pending: the next instruction that waits takes it.
    #[inline]
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.status & SUMMARY != 0
    }

    fn summarize(&mut self) {
        self.status &= !(SUMMARY | BUSY);
        if !self.control.masks(self.status) {
            self.status |= SUMMARY | BUSY;
        }
    }

    fn raise(&mut self, exceptions: u16) {
        self.status |= exceptions;
        self.summarize();
    }

    /// Sets the condition codes `among` to `codes`.
    pub fn set_codes(&mut self, among: u16, codes: u16) {
        self.status = self.status & !among | codes;
    }

    // ---- the stack -------------------------------------------------------------------------

    fn place(&self, i: u8) -> usize {
        usize::from(self.top.wrapping_add(i) & 7)
    }

    /// Whether ST(i) is empty; ST(7) is where a push goes.
    #[must_use]
    pub fn is_empty(&self, i: u8) -> bool {
        self.empty >> self.place(i) & 1 != 0
    }

    /// ST(i) as it is, empty or not.
    #[must_use]
    pub fn contents(&self, i: u8) -> Extended {
        self.registers[self.place(i)]
    }

    /// ST(i), unless it is empty.
    #[must_use]
    pub fn get(&self, i: u8) -> Option<Extended> {
        (!self.is_empty(i)).then(|| self.contents(i))
    }

    /// ST(i) as an operand, unless it is empty.
    #[must_use]
    pub fn operand(&self, i: u8) -> Option<Operand> {
        self.get(i).map(Extended::operand)
    }

    /// Puts a number into ST(i).
    pub fn set(&mut self, i: u8, value: Extended) {
        let place = self.place(i);
        self.registers[place] = value;
        self.empty &= !(1 << place);
    }

    /// Replaces the value of ST(i); whether it is empty stays. For images of the unit's state, and debuggers.
    pub fn set_contents(&mut self, i: u8, value: Extended) {
        let place = self.place(i);
        self.registers[place] = value;
    }

    /// FFREE.
    pub fn free(&mut self, i: u8) {
        self.empty |= 1 << self.place(i);
    }

    /// Moves TOP by `by`, modulo 8.
    pub fn turn(&mut self, by: u8) {
        self.top = self.top.wrapping_add(by) & 7;
    }

    /// Pops so many registers.
    pub fn pop(&mut self, count: u16) {
        for _ in 0..count {
            self.free(0);
            self.turn(1);
        }
    }

    /// Pushes a number.
    pub fn push(&mut self, value: Extended) {
        self.turn(7);
        self.set(0, value);
    }

    /// The tag word: tags follow from what is in the registers.
    #[must_use]
    pub fn tags(&self) -> u16 {
        (0..8).fold(0, |word, n| {
            let value = self.registers[n];
            let tag = if self.empty >> n & 1 != 0 {
                3
            } else if value.is_zero() {
                1
            } else if value.is_normal() {
                0
            } else {
                2
            };
            word | tag << (2 * n)
        })
    }

    /// Loads the tag word, of which is used which registers are empty.
    pub fn set_tags(&mut self, word: u16) {
        self.empty = (0..8).fold(0, |empty, n| {
            empty | u8::from(word >> (2 * n) & 3 == 3) << n
        });
    }

    // ---- what operations come to -----------------------------------------------------------

    /// Notes the exceptions of an operation and how it rounded; gives its result, unless an
    /// unmasked exception leaves everything as it was.
    pub fn settle(&mut self, outcome: Outcome) -> Option<Extended> {
        self.settled(outcome.raised, outcome.up, exception::BEFORE)
            .then_some(outcome.value)
    }

    /// Notes the exceptions of any result: whether there is one. Unmasked, exceptions of `keep` keep it back,
    /// and what would be seen later is not.
    pub fn settled(&mut self, raised: u16, up: bool, keep: u16) -> bool {
        let done = self.control.masks(raised & keep);
        let seen = if done { raised } else { raised & keep };
        self.set_codes(C1, if up && done { C1 } else { 0 });
        self.raise(seen);
        done
    }

    /// An operand was an empty register: the masked answer, if it is masked.
    pub fn underflow(&mut self) -> Option<Extended> {
        self.stack_fault(0)
    }

    /// There was no room for a push.
    pub fn overflow(&mut self) -> Option<Extended> {
        self.stack_fault(C1)
    }

    fn stack_fault(&mut self, code: u16) -> Option<Extended> {
        self.set_codes(C1, code);
        self.raise(exception::INVALID | STACK_FAULT);
        self.control
            .masks(exception::INVALID)
            .then_some(Extended::INDEFINITE)
    }

    /// Pushes what a load came to, if there is room; that it was denormal does not keep it back.
    pub fn push_outcome(&mut self, outcome: Outcome) {
        let value = if self.is_empty(7) {
            self.settled(outcome.raised, outcome.up, exception::INVALID)
                .then_some(outcome.value)
        } else {
            self.overflow()
        };
        if let Some(value) = value {
            self.push(value);
        }
    }

    /// Compares, and notes the exceptions: C3, C2 and C0 as compare instructions set them, even if
    /// an exception is not masked, and whether none is.
    pub fn compare(&mut self, a: Option<Operand>, b: Option<Operand>, quiet: bool) -> (u16, bool) {
        const UNORDERED: u16 = C3 | C2 | C0;
        let (Some(a), Some(b)) = (a, b) else {
            return (UNORDERED, self.underflow().is_some());
        };
        let (order, raised) = arith::compare(&a, &b, quiet);
        let codes = match order {
            None => UNORDERED,
            Some(Ordering::Less) => C0,
            Some(Ordering::Equal) => C3,
            Some(Ordering::Greater) => 0,
        };
        (codes, self.settled(raised, false, exception::BEFORE))
    }

    /// What FXAM says of ST(0): its class, and its sign in C1, also where it is empty.
    #[must_use]
    pub fn examine(&self) -> u16 {
        let value = self.contents(0);
        let operand = value.operand();
        let class = match operand.class {
            _ if self.is_empty(0) => C3 | C0,
            Class::Unsupported => 0,
            Class::Quiet | Class::Signaling => C0,
            Class::Finite if operand.denormal => C3 | C2,
            Class::Finite => C2,
            Class::Infinity => C2 | C0,
            Class::Zero => C3,
        };
        class | if value.is_negative() { C1 } else { 0 }
    }
}

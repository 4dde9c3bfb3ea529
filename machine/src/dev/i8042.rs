// SPDX-License-Identifier: Apache-2.0
//! The keyboard controller of a PC, an 8042 (IBM PC AT Technical Reference, "Keyboard Controller"), at
//! ports 0x60 and 0x64, and port 0x92, which does two of its tasks faster (IBM PS/2 Technical
//! Reference, "System Control Port A"): both reset the processor and open address line 20.
//!
//! Its keyboard is `keyboard.rs`. There is no port for a mouse: what is sent to it times out. A reset
//! ends the run, as on the Versatile: the board cannot switch itself off, so this is how an orderly end
//! looks. Line 20 is always open.

use super::keyboard::{translated, Key, Keyboard};
use super::{cycle_of, DevCtx, Device, Role, Width};
use crate::event::{Cycle, NEVER};
use crate::state::plausible;

/// Offsets: ports 0x60, 0x64 and 0x92.
const DATA: u32 = 0;
const COMMAND: u32 = 1;
const PORT_A: u32 = 2;

/// Status: output full, self-test done, the last write was a command, keyboard not locked, time-out.
const FULL: u8 = 0x01;
const TESTED: u8 = 0x04;
const COMMANDED: u8 = 0x08;
const UNLOCKED: u8 = 0x10;
const TIMEOUT: u8 = 0x40;

/// The command byte, first of the controller's memory: the output interrupts, the self-test is done,
/// the keyboard is off, its codes are translated.
const INTERRUPTS: u8 = 0x01;
const SYSTEM: u8 = 0x04;
const KEYBOARD_OFF: u8 = 0x10;
const TRANSLATES: u8 = 0x40;

/// Commands; the first and the second have the number of a byte of memory in their low five bits.
const READ: u8 = 0x20;
const WRITE: u8 = 0x60;
const MOUSE_TEST: u8 = 0xa9;
const SELF_TEST: u8 = 0xaa;
const KEYBOARD_TEST: u8 = 0xab;
const DISABLE: u8 = 0xad;
const ENABLE: u8 = 0xae;
const READ_INPUT: u8 = 0xc0;
const READ_OUTPUT: u8 = 0xd0;
const WRITE_OUTPUT: u8 = 0xd1;
const WRITE_KEYBOARD_BUFFER: u8 = 0xd2;
const WRITE_MOUSE_BUFFER: u8 = 0xd3;
const WRITE_MOUSE: u8 = 0xd4;
/// From here on: pulses those lines of the output port whose bits are 0.
const PULSE: u8 = 0xf0;

/// Answers: the self-test is passed; a line is stuck, as one is where no port is; send it again.
const PASSED: u8 = 0x55;
const STUCK: u8 = 0x01;
const RESEND: u8 = 0xfe;
/// The input port: the keyboard is not locked, no jumper is set.
const INPUT_PORT: u8 = 0xa0;
/// The output port: the processor is not reset, line 20 is open, the output is full.
const RUNS: u8 = 0x01;
const A20: u8 = 0x02;
const OUTPUT_FULL: u8 = 0x10;
/// Port 0x92: 1 resets, line 20 is open.
const RESETS: u8 = 0x01;

/// Microseconds that a byte takes on the keyboard's cable: 11 bits of 60 to 100 µs (*Personal System/2 Hardware
/// Interface Technical Reference*, "Keyboard and Auxiliary Device Controller": both halves of the clock's period).
const BYTE_US: u64 = 11 * 80;

/// The controller.
#[derive(Debug)]
pub struct I8042 {
    line: u32,
    memory: [u8; 32],
    output: u8,
    full: bool,
    timed_out: bool,
    output_port: u8,
    port_a: u8,
    /// The last write was a command; the one whose parameter is to come.
    commanded: bool,
    expects: Option<u8>,
    keyboard: Keyboard,
    /// When the byte that the keyboard sends is here; of a code that is translated F0h was.
    arrives: Option<Cycle>,
    released: bool,
}

impl I8042 {
    /// A controller that asserts interrupt source `line`, as a BIOS leaves it.
    #[must_use]
    pub fn new(line: u32) -> Self {
        let mut memory = [0; 32];
        memory[0] = INTERRUPTS | SYSTEM | TRANSLATES;
        Self {
            line,
            memory,
            output: 0,
            full: false,
            timed_out: false,
            output_port: RUNS | A20,
            port_a: A20,
            commanded: false,
            expects: None,
            keyboard: Keyboard::default(),
            arrives: None,
            released: false,
        }
    }

    fn answer(&mut self, byte: u8) {
        self.output = byte;
        self.full = true;
        self.timed_out = false;
    }

    fn command(&mut self, command: u8, ctx: &mut DevCtx) {
        let number = usize::from(command & 0x1f);
        self.expects = None;
        match command {
            READ..=0x3f => self.answer(self.memory[number]),
            MOUSE_TEST => self.answer(STUCK),
            SELF_TEST => {
                self.memory[0] |= SYSTEM;
                self.answer(PASSED);
            }
            KEYBOARD_TEST => self.answer(0),
            DISABLE => self.memory[0] |= KEYBOARD_OFF,
            ENABLE => self.memory[0] &= !KEYBOARD_OFF,
            READ_INPUT => self.answer(INPUT_PORT),
            READ_OUTPUT => {
                let full = if self.full { OUTPUT_FULL } else { 0 };
                self.answer(self.output_port | full);
            }
            PULSE.. if command & RUNS == 0 => reset(ctx),
            WRITE..=0x7f | WRITE_OUTPUT..=WRITE_MOUSE => self.expects = Some(command),
            _ => {}
        }
    }

    fn data(&mut self, byte: u8, ctx: &mut DevCtx) {
        match self.expects.take() {
            Some(command @ WRITE..=0x7f) => self.memory[usize::from(command & 0x1f)] = byte,
            Some(WRITE_OUTPUT) => {
                self.output_port = byte & (RUNS | A20);
                if byte & RUNS == 0 {
                    reset(ctx);
                }
            }
            Some(WRITE_KEYBOARD_BUFFER | WRITE_MOUSE_BUFFER) => self.answer(byte),
            // For the mouse, which does not answer.
            Some(_) => {
                self.answer(RESEND);
                self.timed_out = true;
            }
            // For the keyboard, which is on again then, and answers when it has all of it.
            None => {
                self.memory[0] &= !KEYBOARD_OFF;
                self.keyboard.take(byte);
                self.arrives = Some(ctx.now + byte_cycles(ctx) * 2);
            }
        }
    }

    fn status(&self) -> u8 {
        let mut status = UNLOCKED;
        for (flag, is) in [
            (FULL, self.full),
            (TESTED, self.memory[0] & SYSTEM != 0),
            (COMMANDED, self.commanded),
            (TIMEOUT, self.timed_out),
        ] {
            if is {
                status |= flag;
            }
        }
        status
    }

    /// The keyboard may send while the output is empty and it is not off.
    fn receives(&self) -> bool {
        !self.full && self.memory[0] & KEYBOARD_OFF == 0
    }

    fn settle(&mut self, ctx: &mut DevCtx) {
        ctx.set_line(self.line, self.full && self.memory[0] & INTERRUPTS != 0);
        if self.arrives.is_none() && self.receives() && self.keyboard.has_more() {
            self.arrives = Some(ctx.now + byte_cycles(ctx));
        }
        ctx.wake_at(self.arrives.unwrap_or(NEVER));
    }
}

fn byte_cycles(ctx: &DevCtx) -> Cycle {
    cycle_of(BYTE_US, 1_000_000, ctx.clock_hz)
}

fn reset(ctx: &mut DevCtx) {
    ctx.host.power_off = Some("reset of the processor");
}

crate::saved!(I8042 {
    memory, output, full, timed_out, output_port, port_a, commanded, expects, keyboard, arrives, released,
} given { line } if |it| it.arrives.is_none_or(plausible));

impl super::KeyboardPort for I8042 {
    fn key(&mut self, key: Key, pressed: bool, ctx: &mut DevCtx) {
        self.keyboard.key(key, pressed);
        self.settle(ctx);
    }
}

impl Device for I8042 {
    fn name(&self) -> &'static str {
        "keyboard"
    }

    fn read(&mut self, offset: u32, _width: Width, ctx: &mut DevCtx) -> u32 {
        let value = match offset {
            DATA => {
                self.full = false;
                self.timed_out = false;
                self.output
            }
            COMMAND => self.status(),
            _ => self.port_a,
        };
        self.settle(ctx);
        u32::from(value)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, ctx: &mut DevCtx) {
        let value = value as u8;
        match offset {
            DATA => {
                self.commanded = false;
                self.data(value, ctx);
            }
            COMMAND => {
                self.commanded = true;
                self.command(value, ctx);
            }
            PORT_A => {
                if value & !self.port_a & RESETS != 0 {
                    reset(ctx);
                }
                self.port_a = value;
            }
            _ => {}
        }
        self.settle(ctx);
    }

    fn fire(&mut self, ctx: &mut DevCtx) {
        if self.arrives.take_if(|at| *at <= ctx.now).is_some() && self.receives() {
            if let Some(byte) = self.keyboard.next_byte() {
                let passed = match self.memory[0] & TRANSLATES {
                    0 => Some(byte),
                    _ => translated(byte, self.released),
                };
                self.released = passed.is_none();
                if let Some(byte) = passed {
                    self.answer(byte);
                }
            }
        }
        self.settle(ctx);
    }

    fn role(&mut self) -> Role<'_> {
        Role::KeyboardPort(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev::bench::{Bench, CLOCK_HZ};
    use crate::dev::KeyboardPort as _;

    fn controller() -> Bench<I8042> {
        Bench::new(I8042::new(1))
    }

    #[test]
    fn it_tests_itself() {
        let mut b = controller();
        assert_eq!(b.read(COMMAND), 0x14);
        b.write(COMMAND, 0xaa);
        assert_eq!((b.read(COMMAND), b.lines), (0x1d, 2));
        assert_eq!((b.read(DATA), b.read(COMMAND), b.lines), (0x55, 0x1c, 0));
        b.write(COMMAND, 0xab);
        assert_eq!(b.read(DATA), 0);
        // No mouse: neither its port nor its buffer is there.
        b.write(COMMAND, 0xa9);
        assert_eq!(b.read(DATA), 1);
        b.write(COMMAND, 0xd3);
        b.write(DATA, 0x5a);
        assert_eq!((b.read(COMMAND) & 0x20, b.read(DATA)), (0, 0x5a));
    }

    #[test]
    fn the_command_byte() {
        let mut b = controller();
        b.write(COMMAND, 0x20);
        assert_eq!(b.read(DATA), 0x45);
        b.write(COMMAND, 0x60);
        b.write(DATA, 0x44);
        b.write(COMMAND, 0xad);
        b.write(COMMAND, 0x20);
        assert_eq!((b.lines, b.read(DATA)), (0, 0x54));
        b.write(COMMAND, 0xae);
        b.write(COMMAND, 0x20);
        assert_eq!(b.read(DATA), 0x44);
        b.write(COMMAND, 0x7f);
        b.write(DATA, 0x99);
        b.write(COMMAND, 0x3f);
        assert_eq!(b.read(DATA), 0x99);
    }

    /// Lets the next byte come, and reads it.
    fn next(b: &mut Bench<I8042>) -> u32 {
        while b.read(COMMAND) & 1 == 0 && b.deadline() != NEVER {
            b.run_to(b.deadline());
        }
        b.read(DATA)
    }

    fn press(b: &mut Bench<I8042>, name: &str, pressed: bool) {
        let key = Key::named(name).unwrap();
        b.with(|device, ctx| device.key(key, pressed, ctx));
    }

    #[test]
    fn the_keyboard_answers_in_its_time() {
        let mut b = controller();
        b.write(DATA, 0xf2);
        assert_eq!((b.read(COMMAND), b.lines), (0x14, 0));
        let byte = CLOCK_HZ * BYTE_US / 1_000_000;
        assert_eq!(b.deadline(), 2 * byte);
        b.run_to(2 * byte);
        assert_eq!((b.read(COMMAND), b.lines), (0x15, 2));
        // the next byte waits until this one is read
        assert_eq!(b.deadline(), NEVER);
        assert_eq!((b.read(DATA), b.lines, b.deadline()), (0xfa, 0, 3 * byte));
        assert_eq!([next(&mut b), next(&mut b)], [0xab, 0x41]);
        assert_eq!(b.deadline(), NEVER);
    }

    #[test]
    fn codes_are_translated_or_not() {
        let mut b = controller();
        press(&mut b, "up", true);
        press(&mut b, "up", false);
        assert_eq!([0; 4].map(|_| next(&mut b)), [0xe0, 0x48, 0xe0, 0xc8]);
        b.write(COMMAND, 0x60);
        b.write(DATA, 0x05);
        press(&mut b, "up", false);
        assert_eq!([0; 3].map(|_| next(&mut b)), [0xe0, 0xf0, 0x75]);
        b.write(DATA, 0xf2);
        assert_eq!([0; 3].map(|_| next(&mut b)), [0xfa, 0xab, 0x83]);
    }

    #[test]
    fn while_it_is_off_the_keyboard_waits() {
        let mut b = controller();
        b.write(COMMAND, 0xad);
        press(&mut b, "a", true);
        assert_eq!((b.deadline(), b.read(COMMAND)), (NEVER, 0x1c));
        b.write(COMMAND, 0xae);
        assert_eq!(next(&mut b), 0x1e);
        // off while the byte is on its way: it comes again
        press(&mut b, "a", false);
        b.write(COMMAND, 0xad);
        b.run_to(b.deadline());
        assert_eq!(b.read(COMMAND) & 1, 0);
        b.write(COMMAND, 0xae);
        assert_eq!(next(&mut b), 0x9e);
        // what is sent to it switches it on
        b.write(COMMAND, 0xad);
        b.write(DATA, 0xee);
        assert_eq!(next(&mut b), 0xee);
    }

    #[test]
    fn no_mouse_answers_behind_it() {
        let mut b = controller();
        b.write(COMMAND, 0xd4);
        b.write(DATA, 0xf2);
        assert_eq!((b.read(COMMAND), b.read(DATA)), (0x55, 0xfe));
        // Unless it is written into the buffer.
        b.write(COMMAND, 0xd2);
        b.write(DATA, 0x1c);
        assert_eq!((b.lines, b.read(DATA)), (2, 0x1c));
        assert_eq!(b.lines, 0);
        b.write(COMMAND, 0xc0);
        assert_eq!(b.read(DATA), 0xa0);
    }

    #[test]
    fn every_way_to_reset() {
        type Write = (u32, u32);
        let ways: [&[Write]; 4] = [
            &[(COMMAND, 0xfe)],
            &[(COMMAND, 0xf0)],
            &[(COMMAND, 0xd1), (DATA, 0xfe)],
            &[(PORT_A, 0x03)],
        ];
        for way in ways {
            let mut b = controller();
            for (offset, value) in way {
                assert!(b.host.power_off.is_none(), "{way:x?}");
                b.write(*offset, *value);
            }
            assert!(b.host.power_off.is_some(), "{way:x?}");
        }
        // Line 20 alone does not, nor other lines.
        let mut b = controller();
        b.write(COMMAND, 0xd1);
        b.write(DATA, 0xdf);
        b.write(COMMAND, 0xd0);
        assert_eq!(b.read(DATA), 0x03);
        b.write(COMMAND, 0xd1);
        b.write(DATA, 0xdd);
        b.write(COMMAND, 0xd0);
        assert_eq!(b.read(DATA), 0x01);
        b.write(PORT_A, 0);
        assert_eq!(b.read(PORT_A), 0);
        b.write(COMMAND, 0xfd);
        b.write(COMMAND, 0xff);
        assert!(b.host.power_off.is_none());
    }
}

// SPDX-License-Identifier: Apache-2.0
//! ARM's keyboard and mouse interface PL050 (DDI 0143), with nothing plugged in: what is sent to
//! the device vanishes and nothing comes back, so a driver finds no keyboard and goes on.

use super::primecell::PeriphId;
use super::{lane, DevCtx, Device, Width};

const ID: PeriphId = PeriphId([0x50, 0x10, 0x04, 0x00]);

const CONTROL: u32 = 0x00;
/// Lines idle (high, bits 0 and 1), nothing received, the transmitter empty. The transmitter of a
/// real one would stay full for ever, and each byte cost a driver its patience.
const STATUS: u32 = 0x04;
const IDLE: u32 = 0x43;
const CLOCK: u32 = 0x0c;
/// Bit 1: the transmitter is empty; it interrupts if control bit 3 lets it.
const INTERRUPTS: u32 = 0x10;

/// Control: the interface works; its transmitter interrupts.
const ENABLE: u32 = 4;
const TX_INTERRUPT: u32 = 8;

/// The interface.
#[derive(Debug)]
pub struct Pl050 {
    name: &'static str,
    line: u32,
    control: u32,
    divisor: u32,
}

impl Pl050 {
    /// An interface that asserts interrupt source `line`.
    #[must_use]
    pub fn new(name: &'static str, line: u32) -> Self {
        Self {
            name,
            line,
            control: 0,
            divisor: 0,
        }
    }

    fn interrupts(&self) -> bool {
        self.control & (ENABLE | TX_INTERRUPT) == ENABLE | TX_INTERRUPT
    }
}

crate::saved!(Pl050 { control, divisor } given { name, line });

impl Device for Pl050 {
    fn name(&self) -> &'static str {
        self.name
    }

    fn read(&mut self, offset: u32, width: Width, _ctx: &mut DevCtx) -> u32 {
        let word = match offset & !3 {
            CONTROL => self.control,
            STATUS => IDLE,
            CLOCK => self.divisor,
            INTERRUPTS => 2 * u32::from(self.interrupts()),
            at => ID.read(at).unwrap_or(0),
        };
        lane(word, offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, ctx: &mut DevCtx) {
        match offset & !3 {
            CONTROL => self.control = value & 0x3f,
            CLOCK => self.divisor = value & 0xf,
            _ => {}
        }
        ctx.set_line(self.line, self.interrupts());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev::bench::Bench;

    #[test]
    fn nothing_is_plugged_in() {
        let mut b = Bench::new(Pl050::new("kmi0", 35));
        assert_eq!((b.read(STATUS), b.read(0xfe0)), (IDLE, 0x50));
        b.write(CONTROL, ENABLE | 0x10);
        b.write(0x08, 0xff);
        assert_eq!((b.read(STATUS), b.read(0x08), b.lines), (IDLE, 0, 0));
        b.write(CONTROL, ENABLE | TX_INTERRUPT);
        assert_eq!((b.read(INTERRUPTS), b.lines), (2, 1 << 35));
        b.write(CONTROL, 0);
        assert_eq!((b.read(INTERRUPTS), b.lines), (0, 0));
    }
}

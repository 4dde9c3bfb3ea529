// SPDX-License-Identifier: Apache-2.0
//! The peripheral pin controller (SA-1110 DM 11.13): the pins of unused peripherals as
//! general-purpose pins. Nothing drives them from outside.

use super::{lane, DevCtx, Device, Width};

/// Direction: 1 is an output.
const PPDR: u32 = 0x00;
/// State of the pins.
const PPSR: u32 = 0x04;
/// Assignment.
const PPAR: u32 = 0x08;
/// Direction in sleep mode.
const PSDR: u32 = 0x0c;

/// The pins of the LCD controller and the serial ports.
#[derive(Debug, Default)]
pub struct Ppc {
    direction: u32,
    output: u32,
    assignment: u32,
    sleep: u32,
}

/// 22 pins.
const PINS: u32 = 0x003f_ffff;

crate::saved!(Ppc {
    direction,
    output,
    assignment,
    sleep
});

impl Device for Ppc {
    fn name(&self) -> &'static str {
        "ppc"
    }

    fn read(&mut self, offset: u32, width: Width, _ctx: &mut DevCtx) -> u32 {
        let word = match offset & !3 {
            PPDR => self.direction,
            PPSR => self.output & self.direction,
            PPAR => self.assignment,
            PSDR => self.sleep,
            // PPFR: no peripheral has set its flag.
            _ => 0,
        };
        lane(word, offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, _ctx: &mut DevCtx) {
        match offset & !3 {
            PPDR => self.direction = value & PINS,
            PPSR => self.output = value & PINS,
            PPAR => self.assignment = value,
            PSDR => self.sleep = value & PINS,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev::bench::Bench;

    #[test]
    fn only_outputs_read_back() {
        let mut b = Bench::new(Ppc::default());
        b.write(PPSR, 0xff);
        b.write(PPDR, 0x0f);
        assert_eq!(b.read(PPSR), 0x0f);
        assert_eq!(b.read(PPDR), 0x0f);
    }
}

// SPDX-License-Identifier: Apache-2.0
//! General-purpose input and output (SA-1110 DM 9.1): 28 pins with edge detection. Nothing drives
//! the pins from outside: inputs read 0, outputs read what they drive.

use super::{lane, DevCtx, Device, Width};

/// Pins 0 to 27.
const PINS: u32 = 0x0fff_ffff;
/// Pins 0 to 10 have an interrupt source each; the others share this one.
const LINE_SHARED: u32 = 11;

/// Levels of the pins.
const GPLR: u32 = 0x00;
/// Direction: 1 is an output.
const GPDR: u32 = 0x04;
/// Writing 1 sets an output.
const GPSR: u32 = 0x08;
/// Writing 1 clears an output.
const GPCR: u32 = 0x0c;
/// Rising edges to detect.
const GRER: u32 = 0x10;
/// Falling edges to detect.
const GFER: u32 = 0x14;
/// Detected edges; writing 1 clears.
const GEDR: u32 = 0x18;
/// Alternate functions.
const GAFR: u32 = 0x1c;

/// The pins.
#[derive(Debug, Default)]
pub struct Gpio {
    direction: u32,
    output: u32,
    rising: u32,
    falling: u32,
    edges: u32,
    alternate: u32,
}

impl Gpio {
    fn levels(&self) -> u32 {
        self.output & self.direction
    }
}

crate::saved!(Gpio {
    direction,
    output,
    rising,
    falling,
    edges,
    alternate
});

impl Device for Gpio {
    fn name(&self) -> &'static str {
        "gpio"
    }

    fn read(&mut self, offset: u32, width: Width, _ctx: &mut DevCtx) -> u32 {
        let word = match offset & !3 {
            GPLR => self.levels(),
            GPDR => self.direction,
            GRER => self.rising,
            GFER => self.falling,
            GEDR => self.edges,
            GAFR => self.alternate,
            // GPSR and GPCR are write-only.
            _ => 0,
        };
        lane(word, offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, ctx: &mut DevCtx) {
        let value = value & PINS;
        let before = self.levels();
        match offset & !3 {
            GPDR => self.direction = value,
            GPSR => self.output |= value,
            GPCR => self.output &= !value,
            GRER => self.rising = value,
            GFER => self.falling = value,
            GEDR => self.edges &= !value,
            GAFR => self.alternate = value,
            _ => {}
        }
        let after = self.levels();
        self.edges |= !before & after & self.rising | before & !after & self.falling;
        for line in 0..LINE_SHARED {
            ctx.set_line(line, self.edges & 1 << line != 0);
        }
        ctx.set_line(LINE_SHARED, self.edges >> LINE_SHARED != 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev::bench::Bench;

    #[test]
    fn edges_of_outputs_interrupt() {
        let mut b = Bench::new(Gpio::default());
        b.write(GPDR, 1 << 3 | 1 << 20);
        b.write(GRER, 1 << 3);
        b.write(GFER, 1 << 20);
        b.write(GPSR, PINS);
        assert_eq!(b.read(GPLR), 1 << 3 | 1 << 20);
        assert_eq!(b.lines, 1 << 3);
        b.write(GPCR, 1 << 20);
        assert_eq!(b.read(GEDR), 1 << 3 | 1 << 20);
        assert_eq!(b.lines, 1 << 3 | 1 << LINE_SHARED);
        b.write(GEDR, PINS);
        assert_eq!(b.lines, 0);
    }
}

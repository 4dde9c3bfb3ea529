// SPDX-License-Identifier: Apache-2.0
//! The Versatile's secondary interrupt controller (DUI 0225, 4.13; registers of the board's FPGA):
//! 32 sources of its own. Those that it enables drive source 31 of the vectored controller;
//! sources 21 to 30 can instead be passed through to the same sources of that controller.

use super::{lane, DevCtx, Device, Role, SecondaryController, Width};

/// Where its sources stand among all sources of the board.
pub const FIRST: u32 = 32;
/// The vectored controller's source that it drives.
const OUTPUT: u32 = 31;
/// Sources that can be passed through.
const PASSED: u32 = 0x7fe0_0000;

/// Pending and enabled.
const STATUS: u32 = 0x00;
/// Sources, the soft interrupt among them.
const RAW: u32 = 0x04;
/// Reads and sets; the next one clears.
const ENABLE: u32 = 0x08;
const ENABLE_CLEAR: u32 = 0x0c;
/// The interrupt by software, source 0: reads and sets; the next one clears.
const SOFT: u32 = 0x10;
const SOFT_CLEAR: u32 = 0x14;
/// Pass-through: reads and sets; the next one clears.
const PASS: u32 = 0x20;
const PASS_CLEAR: u32 = 0x24;

/// The controller.
#[derive(Debug, Default)]
pub struct Sic {
    enable: u32,
    soft: u32,
    pass: u32,
}

impl Sic {
    fn raw(&self, lines: u64) -> u32 {
        (lines >> FIRST) as u32 | self.soft
    }
}

crate::saved!(Sic { enable, soft, pass });

impl Device for Sic {
    fn name(&self) -> &'static str {
        "sic"
    }

    fn read(&mut self, offset: u32, width: Width, ctx: &mut DevCtx) -> u32 {
        let raw = self.raw(*ctx.lines);
        let word = match offset & !3 {
            STATUS => raw & self.enable,
            RAW => raw,
            ENABLE => self.enable,
            SOFT => self.soft,
            PASS => self.pass,
            _ => 0,
        };
        lane(word, offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, _ctx: &mut DevCtx) {
        match offset & !3 {
            ENABLE => self.enable |= value,
            ENABLE_CLEAR => self.enable &= !value,
            SOFT => self.soft |= value & 1,
            SOFT_CLEAR => self.soft &= !value,
            PASS => self.pass |= value & PASSED,
            PASS_CLEAR => self.pass &= !value,
            _ => {}
        }
    }

    fn role(&mut self) -> Role<'_> {
        Role::SecondaryController(self)
    }
}

impl SecondaryController for Sic {
    fn cascade(&self, sources: u64) -> u64 {
        let raw = self.raw(sources);
        let mut driven = raw & self.pass;
        if raw & self.enable != 0 {
            driven |= 1 << OUTPUT;
        }
        sources & !u64::from(PASSED | 1 << OUTPUT) | u64::from(driven)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev::bench::Bench;

    fn driven(b: &Bench<Sic>) -> u32 {
        b.device.cascade(b.lines) as u32
    }

    #[test]
    fn enabled_sources_drive_source_31() {
        let mut b = Bench::new(Sic::default());
        b.lines = 1 << (FIRST + 25) | 1 << 4;
        assert_eq!(driven(&b), 1 << 4);
        assert_eq!((b.read(RAW), b.read(STATUS)), (1 << 25, 0));
        b.write(ENABLE, 1 << 25 | 1 << 3);
        assert_eq!(driven(&b), 1 << 31 | 1 << 4);
        assert_eq!(
            (b.read(STATUS), b.read(ENABLE)),
            (1 << 25, 1 << 25 | 1 << 3)
        );
        // What it drove before is no source of its own.
        b.lines = b.device.cascade(b.lines) & !(1 << (FIRST + 25));
        assert_eq!(driven(&b), 1 << 4);
        b.write(ENABLE_CLEAR, 1 << 25);
        assert_eq!(b.read(ENABLE), 1 << 3);
    }

    #[test]
    fn some_sources_can_be_passed_through() {
        let mut b = Bench::new(Sic::default());
        b.lines = 1 << (FIRST + 25) | 1 << (FIRST + 3);
        b.write(PASS, u32::MAX);
        assert_eq!(b.read(PASS), PASSED);
        assert_eq!(driven(&b), 1 << 25);
        b.write(PASS_CLEAR, 1 << 25);
        assert_eq!(driven(&b), 0);
    }

    #[test]
    fn the_soft_interrupt() {
        let mut b = Bench::new(Sic::default());
        b.write(ENABLE, 1);
        b.write(SOFT, u32::MAX);
        assert_eq!((b.read(SOFT), b.read(STATUS), driven(&b)), (1, 1, 1 << 31));
        b.write(SOFT_CLEAR, 1);
        assert_eq!(driven(&b), 0);
    }
}

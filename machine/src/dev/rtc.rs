// SPDX-License-Identifier: Apache-2.0
//! The real-time clock (SA-1110 DM 9.3): a counter of seconds with an alarm and a 1 Hz interrupt.
//! It starts at 0 at reset, never at the host's time, so that runs repeat. The trim register only
//! stores: the clock is exact.

use super::{lane, DevCtx, Device, Width};
use crate::event::NEVER;

const LINE_HZ: u32 = 30;
const LINE_ALARM: u32 = 31;

/// Alarm.
const RTAR: u32 = 0x00;
/// Counter of seconds.
const RCNR: u32 = 0x04;
/// Trim.
const RTTR: u32 = 0x08;
/// Status and enables.
const RTSR: u32 = 0x10;

/// Status bits: alarm seen, second seen; cleared by writing 1.
const AL: u32 = 1;
const HZ: u32 = 2;
/// Their enables.
const ALE: u32 = 4;
const HZE: u32 = 8;

/// The clock.
#[derive(Debug)]
pub struct Rtc {
    alarm: u32,
    offset: u32,
    /// Seconds up to which the alarm and the 1 Hz edge have been looked for.
    seen: u64,
    trim: u32,
    status: u32,
}

impl Default for Rtc {
    fn default() -> Self {
        Self {
            alarm: 0,
            offset: 0,
            seen: 0,
            // DM 9.3: 32768 crystal cycles a second.
            trim: 0x7fff,
            status: 0,
        }
    }
}

impl Rtc {
    fn counter(&self) -> u32 {
        (self.seen as u32).wrapping_add(self.offset)
    }

    fn catch_up(&mut self, ctx: &mut DevCtx) {
        let second = ctx.now / ctx.clock_hz;
        let passed = second - self.seen;
        if passed > 0 && self.status & HZE != 0 {
            self.status |= HZ;
        }
        let to_alarm = u64::from(self.alarm.wrapping_sub(self.counter()).wrapping_sub(1)) + 1;
        if to_alarm <= passed && self.status & ALE != 0 {
            self.status |= AL;
        }
        self.seen = second;
    }

    fn settle(&self, ctx: &mut DevCtx) {
        ctx.set_line(LINE_HZ, self.status & HZ != 0);
        ctx.set_line(LINE_ALARM, self.status & AL != 0);
        let waits = self.status & (HZE | ALE) != 0;
        ctx.wake_at(if waits {
            (self.seen + 1) * ctx.clock_hz
        } else {
            NEVER
        });
    }
}

crate::saved!(Rtc {
    alarm,
    offset,
    seen,
    trim,
    status
});

impl Device for Rtc {
    fn name(&self) -> &'static str {
        "rtc"
    }

    fn read(&mut self, offset: u32, width: Width, ctx: &mut DevCtx) -> u32 {
        self.catch_up(ctx);
        self.settle(ctx);
        let word = match offset & !3 {
            RTAR => self.alarm,
            RCNR => self.counter(),
            RTTR => self.trim,
            RTSR => self.status,
            _ => 0,
        };
        lane(word, offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, ctx: &mut DevCtx) {
        self.catch_up(ctx);
        match offset & !3 {
            RTAR => self.alarm = value,
            RCNR => self.offset = value.wrapping_sub(self.seen as u32),
            RTTR => self.trim = value,
            RTSR => {
                self.status = self.status & (AL | HZ) & !value | value & (ALE | HZE);
            }
            _ => {}
        }
        self.settle(ctx);
    }

    fn fire(&mut self, ctx: &mut DevCtx) {
        self.catch_up(ctx);
        self.settle(ctx);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev::bench::{Bench, CLOCK_HZ};

    #[test]
    fn seconds_pass_and_the_alarm_rings_once() {
        let mut b = Bench::new(Rtc::default());
        b.write(RCNR, 1000);
        b.write(RTAR, 1002);
        b.write(RTSR, ALE);
        b.run_to(2 * CLOCK_HZ - 1);
        assert_eq!((b.read(RCNR), b.lines), (1001, 0));
        b.run_to(2 * CLOCK_HZ);
        assert_eq!((b.read(RCNR), b.lines), (1002, 1 << LINE_ALARM));
        b.write(RTSR, ALE | AL);
        assert_eq!(b.lines, 0);
        b.run_to(5 * CLOCK_HZ);
        assert_eq!(b.lines, 0);
    }

    #[test]
    fn one_hertz_interrupt() {
        let mut b = Bench::new(Rtc::default());
        b.write(RTSR, HZE);
        b.run_to(CLOCK_HZ);
        assert_eq!(b.lines, 1 << LINE_HZ);
    }
}

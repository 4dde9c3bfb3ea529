// SPDX-License-Identifier: Apache-2.0
//! The real-time clock of Android's emulator, "goldfish", as QEMU's `virt` has it (hw/rtc/goldfish_rtc.c;
//! goldfish-VIRTUAL-HARDWARE.TXT): nanoseconds since 1970, an alarm, an interrupt. It starts at the same
//! moment in every run, never at the host's time, so that runs repeat.

use super::pl031::START;
use super::{lane, DevCtx, Device, Timebase, Width};
use crate::event::NEVER;

/// Bytes of registers.
pub const BYTES: u32 = 0x1000;

const NANOSECONDS: u64 = 1_000_000_000;

/// Reading the low word keeps the high one for the next read.
const TIME_LOW: u32 = 0x00;
const TIME_HIGH: u32 = 0x04;
/// Writing the low word sets the alarm.
const ALARM_LOW: u32 = 0x08;
const ALARM_HIGH: u32 = 0x0c;
const IRQ_ENABLED: u32 = 0x10;
const CLEAR_ALARM: u32 = 0x14;
const ALARM_STATUS: u32 = 0x18;
const CLEAR_INTERRUPT: u32 = 0x1c;

/// The clock.
#[derive(Debug)]
pub struct GoldfishRtc {
    line: u32,
    /// What it said at cycle 0.
    offset: u64,
    high: u32,
    alarm: u64,
    set: bool,
    enabled: bool,
    pending: bool,
}

impl GoldfishRtc {
    /// A clock that asserts interrupt source `line`.
    #[must_use]
    pub fn new(line: u32) -> Self {
        Self {
            line,
            offset: u64::from(START) * NANOSECONDS,
            high: 0,
            alarm: 0,
            set: false,
            enabled: false,
            pending: false,
        }
    }

    /// Nanoseconds of the run.
    fn passed(ctx: &DevCtx) -> u64 {
        super::ticks(ctx.now, NANOSECONDS, ctx.clock_hz)
    }

    fn settle(&mut self, ctx: &mut DevCtx) {
        let now = self.offset.wrapping_add(Self::passed(ctx));
        if self.set && self.alarm <= now {
            (self.set, self.pending) = (false, true);
        }
        ctx.set_line(self.line, self.pending && self.enabled);
        let clock = Timebase {
            hz: NANOSECONDS,
            start: self.offset,
        };
        ctx.wake_at(if self.set {
            clock.cycle_of(self.alarm, ctx.now, ctx.clock_hz)
        } else {
            NEVER
        });
    }
}

crate::saved!(GoldfishRtc { offset, high, alarm, set, enabled, pending } given { line });

impl Device for GoldfishRtc {
    fn name(&self) -> &'static str {
        "rtc"
    }

    fn read(&mut self, offset: u32, width: Width, ctx: &mut DevCtx) -> u32 {
        let word = match offset & !3 {
            TIME_LOW => {
                let now = self.offset.wrapping_add(Self::passed(ctx));
                self.high = (now >> 32) as u32;
                now as u32
            }
            TIME_HIGH => self.high,
            ALARM_LOW => self.alarm as u32,
            ALARM_HIGH => (self.alarm >> 32) as u32,
            IRQ_ENABLED => self.enabled.into(),
            ALARM_STATUS => self.set.into(),
            _ => 0,
        };
        lane(word, offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, width: Width, ctx: &mut DevCtx) {
        if width != Width::Word {
            return;
        }
        let low = |old: u64| old & !0xffff_ffff | u64::from(value);
        let high = |old: u64| old & 0xffff_ffff | u64::from(value) << 32;
        match offset {
            TIME_LOW | TIME_HIGH => {
                let passed = Self::passed(ctx);
                let now = self.offset.wrapping_add(passed);
                let set = if offset == TIME_LOW {
                    low(now)
                } else {
                    high(now)
                };
                self.offset = set.wrapping_sub(passed);
            }
            ALARM_LOW => {
                self.alarm = low(self.alarm);
                self.set = true;
            }
            ALARM_HIGH => self.alarm = high(self.alarm),
            IRQ_ENABLED => self.enabled = value & 1 != 0,
            CLEAR_ALARM => self.set = false,
            CLEAR_INTERRUPT => self.pending = false,
            _ => {}
        }
        self.settle(ctx);
    }

    fn fire(&mut self, ctx: &mut DevCtx) {
        self.settle(ctx);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev::bench::{Bench, CLOCK_HZ};

    fn now(b: &mut Bench<GoldfishRtc>) -> u64 {
        let low = b.read(TIME_LOW);
        u64::from(low) | u64::from(b.read(TIME_HIGH)) << 32
    }

    #[test]
    fn it_counts_nanoseconds_from_the_same_moment() {
        let mut b = Bench::new(GoldfishRtc::new(11));
        let start = u64::from(START) * NANOSECONDS;
        assert_eq!(now(&mut b), start);
        b.run_to(3 * CLOCK_HZ);
        assert_eq!(now(&mut b), start + 3 * NANOSECONDS);
        b.write(TIME_HIGH, 1);
        b.write(TIME_LOW, 5);
        assert_eq!(now(&mut b), (1 << 32) + 5);
    }

    #[test]
    fn an_alarm_interrupts_once() {
        let mut b = Bench::new(GoldfishRtc::new(11));
        let at = now(&mut b) + NANOSECONDS;
        b.write(IRQ_ENABLED, 1);
        b.write(ALARM_HIGH, (at >> 32) as u32);
        b.write(ALARM_LOW, at as u32);
        assert_eq!((b.read(ALARM_STATUS), b.deadline()), (1, CLOCK_HZ));
        b.run_to(CLOCK_HZ);
        assert_eq!((b.read(ALARM_STATUS), b.lines), (0, 1 << 11));
        b.write(CLEAR_INTERRUPT, 1);
        assert_eq!((b.lines, b.deadline()), (0, NEVER));
        // one that is over comes at once, one that never comes is waited for by nobody
        b.write(ALARM_LOW, 0);
        assert_eq!(b.lines, 1 << 11);
        b.write(CLEAR_INTERRUPT, 1);
        b.write(ALARM_HIGH, u32::MAX);
        b.write(ALARM_LOW, u32::MAX);
        b.write(CLEAR_ALARM, 1);
        assert_eq!(b.deadline(), NEVER);
    }
}

// SPDX-License-Identifier: Apache-2.0
//! The core-local interruptor of SiFive's platforms, for one hart: software interrupt, `mtime` and
//! `mtimecmp` (SiFive FU540-C000 Manual v1p0, chapter 9; RISC-V ACLINT specification 1.0-rc4, which has
//! the same registers). Registers of 64 bits are written as a whole by two words, in any order.
//!
//! The timer's interrupt is a level: it is pending as long as `mtime` is not below `mtimecmp`.

use super::{lane, DevCtx, Device, Role, Width};
use crate::event::NEVER;

/// The interrupt sources by which the platform's interrupt controller knows the two.
pub const LINE_SOFTWARE: u32 = 62;
/// The timer's.
pub const LINE_TIMER: u32 = 63;
/// Bytes of registers.
pub const BYTES: u32 = 0x1_0000;

const MSIP: u32 = 0x0000;
const MTIMECMP: u32 = 0x4000;
const MTIMECMP_HIGH: u32 = 0x4004;
const MTIME: u32 = 0xbff8;
const MTIME_HIGH: u32 = 0xbffc;

/// The interruptor.
#[derive(Debug)]
pub struct Clint {
    /// Ticks of `mtime` a second.
    hz: u64,
    software: bool,
    compare: u64,
}

impl Clint {
    /// One whose `mtime` has so many ticks a second, as reset leaves it: no manual says what `mtimecmp`
    /// holds then; here nothing is pending.
    #[must_use]
    pub fn new(hz: u64) -> Self {
        Self {
            hz,
            software: false,
            compare: u64::MAX,
        }
    }
}

crate::saved!(Clint { software, compare } given { hz });

/// `value` with its low or high word replaced.
fn with_word(value: u64, high: bool, word: u32) -> u64 {
    if high {
        value & 0xffff_ffff | u64::from(word) << 32
    } else {
        value & !0xffff_ffff | u64::from(word)
    }
}

impl Clint {
    fn settle(&self, ctx: &mut DevCtx) {
        let time = ctx.host.timebase.ticks(ctx.now, ctx.clock_hz);
        let pending = time >= self.compare;
        ctx.set_line(LINE_SOFTWARE, self.software);
        ctx.set_line(LINE_TIMER, pending);
        ctx.wake_at(if pending {
            NEVER
        } else {
            ctx.host
                .timebase
                .cycle_of(self.compare, ctx.now, ctx.clock_hz)
        });
    }
}

impl Device for Clint {
    fn name(&self) -> &'static str {
        "clint"
    }

    fn read(&mut self, offset: u32, width: Width, ctx: &mut DevCtx) -> u32 {
        let time = ctx.host.timebase.ticks(ctx.now, ctx.clock_hz);
        let word = match offset & !3 {
            MSIP => self.software.into(),
            MTIMECMP => self.compare as u32,
            MTIMECMP_HIGH => (self.compare >> 32) as u32,
            MTIME => time as u32,
            MTIME_HIGH => (time >> 32) as u32,
            _ => 0,
        };
        lane(word, offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, width: Width, ctx: &mut DevCtx) {
        if width != Width::Word {
            return; // only whole words are written (FU540 9.2)
        }
        match offset {
            MSIP => self.software = value & 1 != 0,
            MTIMECMP | MTIMECMP_HIGH => {
                self.compare = with_word(self.compare, offset == MTIMECMP_HIGH, value);
            }
            MTIME | MTIME_HIGH => {
                let now = ctx.host.timebase.ticks(ctx.now, ctx.clock_hz);
                let time = with_word(now, offset == MTIME_HIGH, value);
                let start = ctx.host.timebase.start;
                ctx.host.timebase.start = start.wrapping_add(time.wrapping_sub(now));
            }
            _ => {}
        }
        self.settle(ctx);
    }

    fn fire(&mut self, ctx: &mut DevCtx) {
        self.settle(ctx);
    }

    fn role(&mut self) -> Role<'_> {
        Role::Clock(self.hz)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev::bench::{Bench, CLOCK_HZ};
    use crate::dev::Timebase;

    /// With 20 cycles a tick.
    fn bench() -> Bench<Clint> {
        let mut bench = Bench::new(Clint::new(CLOCK_HZ / 20));
        bench.host.timebase = Timebase {
            hz: CLOCK_HZ / 20,
            start: 0,
        };
        bench
    }

    fn timer(b: &Bench<Clint>) -> bool {
        b.lines >> LINE_TIMER & 1 != 0
    }

    #[test]
    fn the_timer_is_a_level() {
        let mut b = bench();
        b.write(MTIMECMP_HIGH, 0);
        assert!(!timer(&b), "the low word is still all ones");
        b.write(MTIMECMP, 100);
        assert_eq!(b.deadline(), 2000);
        b.run_to(1999);
        assert!(!timer(&b));
        assert_eq!(b.read(MTIME), 99);
        b.run_to(2000);
        assert!(timer(&b));
        assert_eq!(b.deadline(), NEVER);
        b.write(MTIMECMP, 101);
        assert!(!timer(&b));
        b.write(MTIMECMP, 100);
        assert!(timer(&b));
    }

    #[test]
    fn time_can_be_set() {
        let mut b = bench();
        b.run_to(40);
        b.write(MTIME_HIGH, 7);
        b.write(MTIME, 1000);
        b.run_to(80);
        assert_eq!((b.read(MTIME_HIGH), b.read(MTIME)), (7, 1002));
        b.write(MTIMECMP, 0);
        b.write(MTIMECMP_HIGH, 8);
        assert!(!timer(&b));
        // a deadline before what it said at cycle 0 is over
        b.write(MTIMECMP_HIGH, 0);
        assert!(timer(&b));
    }

    #[test]
    fn a_software_interrupt_has_one_bit() {
        let mut b = bench();
        b.write(MSIP, 0xffff_ffff);
        assert_eq!((b.lines >> LINE_SOFTWARE & 1, b.read(MSIP)), (1, 1));
        b.write(MSIP, 0xffff_fffe);
        assert_eq!(b.lines >> LINE_SOFTWARE & 1, 0);
        assert_eq!(b.read(MSIP + 4), 0, "of another hart");
    }
}

// SPDX-License-Identifier: Apache-2.0
//! The operating-system timer (SA-1110 DM 9.4): a free-running 3.6864 MHz counter and four match
//! registers, the fourth of which can be a watchdog.
//!
//! The counter is no state that ticks: it is computed from the cycle, by exact integer
//! arithmetic, so that no rounding accumulates however often it is read.

use super::{cycle_of, lane, ticks, DevCtx, Device, Width};
use crate::event::NEVER;

/// The frequency of the counter (DM 9.4): the 3.6864 MHz crystal.
pub const OSCR_HZ: u64 = 3_686_400;

/// Interrupt source of match register 0; the others follow.
const LINE_MATCH_0: u32 = 26;

/// Match registers 0 to 3 stand at 0x00 to 0x0c.
const OSMR3: u32 = 0x0c;
/// The counter.
const OSCR: u32 = 0x10;
/// Status: a bit a match register, cleared by writing 1.
const OSSR: u32 = 0x14;
/// Watchdog enable; once set it stays set.
const OWER: u32 = 0x18;
/// Interrupt enable: a match sets its status bit only if it is enabled here.
const OIER: u32 = 0x1c;

/// The timer.
#[derive(Debug, Default)]
pub struct OsTimer {
    matches: [u32; 4],
    /// What the guest's writes of the counter have added to the ticks since reset.
    offset: u32,
    /// Ticks up to which matches have been looked for.
    seen: u64,
    status: u32,
    enable: u32,
    watchdog: bool,
}

impl OsTimer {
    /// Ticks from `tick` to the next match of register `number`, 1 to 2^32: a match register is
    /// compared when the counter has counted, so one that equals the counter waits for a whole turn.
    fn ticks_to_match(&self, number: usize, tick: u64) -> u64 {
        let counter = (tick as u32).wrapping_add(self.offset);
        u64::from(self.matches[number].wrapping_sub(counter).wrapping_sub(1)) + 1
    }

    /// Notes every match since the last look.
    fn catch_up(&mut self, ctx: &mut DevCtx) {
        let tick = ticks(ctx.now, OSCR_HZ, ctx.clock_hz);
        let passed = tick - self.seen;
        for number in 0..4 {
            if self.ticks_to_match(number, self.seen) <= passed {
                self.status |= self.enable & 1 << number;
                if number == 3 && self.watchdog {
                    ctx.host.stopped = Some("watchdog reset by the operating-system timer");
                }
            }
        }
        self.seen = tick;
    }

    /// Drives the interrupt sources and asks to be woken at the next match that does anything.
    fn settle(&self, ctx: &mut DevCtx) {
        let mut next = NEVER;
        for number in 0..4 {
            ctx.set_line(LINE_MATCH_0 + number, self.status & 1 << number != 0);
            let waits = self.enable & !self.status & 1 << number != 0;
            if waits || number == 3 && self.watchdog {
                let tick = self.seen + self.ticks_to_match(number as usize, self.seen);
                next = next.min(cycle_of(tick, OSCR_HZ, ctx.clock_hz));
            }
        }
        ctx.wake_at(next);
    }
}

crate::saved!(OsTimer {
    matches,
    offset,
    seen,
    status,
    enable,
    watchdog
});

impl Device for OsTimer {
    fn name(&self) -> &'static str {
        "ostimer"
    }

    fn may_reset(&self) -> bool {
        self.watchdog
    }

    fn read(&mut self, offset: u32, width: Width, ctx: &mut DevCtx) -> u32 {
        self.catch_up(ctx);
        self.settle(ctx);
        let word = match offset & !3 {
            at @ 0..=OSMR3 => self.matches[(at / 4) as usize],
            OSCR => (self.seen as u32).wrapping_add(self.offset),
            OSSR => self.status,
            OWER => u32::from(self.watchdog),
            OIER => self.enable,
            _ => 0,
        };
        lane(word, offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, ctx: &mut DevCtx) {
        self.catch_up(ctx);
        match offset & !3 {
            at @ 0..=OSMR3 => self.matches[(at / 4) as usize] = value,
            OSCR => self.offset = value.wrapping_sub(self.seen as u32),
            OSSR => self.status &= !value,
            OWER => self.watchdog |= value & 1 != 0,
            OIER => self.enable = value & 0xf,
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
    fn counter_is_exact_after_any_number_of_reads() {
        let mut b = Bench::new(OsTimer::default());
        for now in (0..CLOCK_HZ).step_by(999_983) {
            b.now = now;
            assert_eq!(u64::from(b.read(OSCR)), now * OSCR_HZ / CLOCK_HZ);
        }
        b.now = CLOCK_HZ;
        assert_eq!(u64::from(b.read(OSCR)), OSCR_HZ);
        // 2^40 cycles are 91 minutes: the counter has wrapped, exactly.
        b.now = 1 << 40;
        let exact = (1u128 << 40) * u128::from(OSCR_HZ) / u128::from(CLOCK_HZ);
        assert_eq!(b.read(OSCR), exact as u32);
    }

    #[test]
    fn an_enabled_match_asserts_its_source_at_the_exact_cycle() {
        let mut b = Bench::new(OsTimer::default());
        b.write(0x04, 100);
        b.write(OIER, 0b0010);
        // The first cycle c with c * 3686400 / 200000000 >= 100.
        assert_eq!(b.deadline(), 5426);
        b.now = 5425;
        assert_eq!(b.read(OSCR), 99);
        b.run_to(5426);
        assert_eq!(b.read(OSCR), 100);
        assert_eq!(b.read(OSSR), 0b0010);
        assert_eq!(b.lines, 1 << 27);
        b.write(OSSR, 0b0010);
        assert_eq!((b.read(OSSR), b.lines), (0, 0));
    }

    #[test]
    fn a_match_that_is_not_enabled_sets_no_status() {
        let mut b = Bench::new(OsTimer::default());
        b.write(0x00, 10);
        b.run_to(CLOCK_HZ);
        assert_eq!((b.read(OSSR), b.lines), (0, 0));
    }

    #[test]
    fn a_match_register_behind_the_counter_waits_for_the_wrap() {
        let mut b = Bench::new(OsTimer::default());
        b.write(OSCR, 0xffff_fff0);
        b.write(0x00, 0xffff_fff0);
        b.write(OIER, 1);
        assert_eq!(b.deadline(), cycle_of(1 << 32, OSCR_HZ, CLOCK_HZ));
        b.write(0x00, 4);
        assert_eq!(b.deadline(), cycle_of(20, OSCR_HZ, CLOCK_HZ));
    }

    #[test]
    fn the_watchdog_resets_and_cannot_be_disabled() {
        let mut b = Bench::new(OsTimer::default());
        b.write(OSMR3, 1000);
        b.write(OWER, 1);
        b.write(OWER, 0);
        assert_eq!(b.read(OWER), 1);
        let deadline = b.deadline();
        b.run_to(deadline - 1);
        assert!(b.host.stopped.is_none());
        b.run_to(deadline);
        assert!(b.host.stopped.unwrap().contains("watchdog"));
    }
}

// SPDX-License-Identifier: Apache-2.0
//! ARM's dual timer SP804 (DDI 0271): two down counters with a common interrupt line. On the
//! Versatile both count a clock of 1 MHz (TIMCLK), divided by 1, 16 or 256.
//!
//! A counter is no state that ticks: it is its value at some tick of the divided clock, and what it
//! is now follows from the cycle. The clock enables that the system controller could choose
//! instead (32 kHz) are not modelled: every boot loader and QEMU have TIMCLK.

use serde::{Deserialize, Serialize};

use super::primecell::PeriphId;
use super::{cycle_of, lane, ticks, DevCtx, Device, Width};
use crate::event::{Cycle, NEVER};

/// TIMCLK (DUI 0225: the 24 MHz oscillator, divided by 24).
pub const TIMCLK_HZ: u64 = 1_000_000;

/// More than a machine gets to in years; far from overflow in what is computed from it.
const MOST_TICKS: u64 = 1 << 48;

const ID: PeriphId = PeriphId([0x04, 0x18, 0x14, 0x00]);

/// The registers of timer 1; those of timer 2 follow at 0x20. Load restarts the counter.
const LOAD: u32 = 0x00;
const VALUE: u32 = 0x04;
const CONTROL: u32 = 0x08;
const INT_CLR: u32 = 0x0c;
const RIS: u32 = 0x10;
const MIS: u32 = 0x14;
/// Load for the next time that the counter has reached zero.
const BG_LOAD: u32 = 0x18;
const SECOND: u32 = 0x20;

/// Control: halts at zero until it is loaded again.
const ONE_SHOT: u32 = 1;
/// 32 bits; else the low 16 count.
const WIDE: u32 = 2;
/// Field of the divider: 1, 16, 256; 3 is undefined (here 256).
const PRESCALE: u32 = 12;
const INT_ENABLE: u32 = 0x20;
/// Begins again from Load; else from the largest number.
const PERIODIC: u32 = 0x40;
const ENABLE: u32 = 0x80;

/// One of the two.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Counter {
    load: u32,
    control: u32,
    /// The counter at tick `since` of the divided clock.
    value: u32,
    since: u64,
    pending: bool,
}

impl Counter {
    /// As reset leaves it.
    fn new() -> Self {
        Self {
            load: 0,
            control: INT_ENABLE,
            value: u32::MAX,
            since: 0,
            pending: false,
        }
    }

    fn is(&self, bit: u32) -> bool {
        self.control & bit != 0
    }

    fn hz_divisor(&self) -> u64 {
        match (self.control & PRESCALE) >> 2 {
            0 => 1,
            1 => 16,
            _ => 256,
        }
    }

    /// Ticks of the divided clock until `now`. A prescaler of 16 or 256 ticks at every such
    /// multiple of TIMCLK: what the guest's enabling does to its phase is not modelled.
    fn tick(&self, now: Cycle, clock_hz: u64) -> u64 {
        ticks(now, TIMCLK_HZ, clock_hz) / self.hz_divisor()
    }

    fn mask(&self) -> u32 {
        if self.is(WIDE) {
            u32::MAX
        } else {
            0xffff
        }
    }

    /// What follows zero: the counter wraps past zero, so a turn takes one tick more than this
    /// (DDI 0271, 2.1.1).
    fn top(&self) -> u32 {
        if self.is(PERIODIC) {
            self.load & self.mask()
        } else {
            self.mask()
        }
    }

    /// Lets the counter do what it has done up to tick `tick`.
    fn catch_up(&mut self, tick: u64) {
        let passed = tick.saturating_sub(self.since);
        self.since = tick;
        if !self.is(ENABLE) || passed == 0 {
            return;
        }
        let value = u64::from(self.value & self.mask());
        if value == 0 && self.is(ONE_SHOT) {
            return;
        }
        // The counter at zero now has been noted; its next zero is a whole turn away.
        let to_zero = if value == 0 { self.turn() } else { value };
        if passed < to_zero {
            self.value = (to_zero - passed) as u32;
            return;
        }
        self.pending = true;
        self.value = 0;
        if !self.is(ONE_SHOT) {
            let into = (passed - to_zero) % self.turn();
            if into > 0 {
                self.value = (self.turn() - into) as u32;
            }
        }
    }

    /// Ticks from one zero to the next.
    fn turn(&self) -> u64 {
        u64::from(self.top()) + 1
    }

    /// The cycle of the next zero, if the counter gets there.
    fn next_zero(&self, clock_hz: u64) -> Cycle {
        let value = u64::from(self.value & self.mask());
        if !self.is(ENABLE) || value == 0 && self.is(ONE_SHOT) {
            return NEVER;
        }
        let to_zero = if value == 0 { self.turn() } else { value };
        let tick = (self.since + to_zero) * self.hz_divisor();
        cycle_of(tick, TIMCLK_HZ, clock_hz)
    }

    fn read(&self, register: u32) -> u32 {
        match register {
            LOAD | BG_LOAD => self.load,
            VALUE => self.value & self.mask(),
            CONTROL => self.control,
            RIS => u32::from(self.pending),
            MIS => u32::from(self.interrupts()),
            _ => 0,
        }
    }

    fn write(&mut self, register: u32, value: u32, now: Cycle, clock_hz: u64) {
        match register {
            LOAD => {
                self.load = value;
                self.value = value;
                // A load of zero interrupts at once (DDI 0271, 3.3.1).
                self.pending |= value & self.mask() == 0 && self.is(ENABLE);
            }
            BG_LOAD => self.load = value,
            CONTROL => {
                self.control = value & 0xff;
                // Another divider counts in other ticks.
                self.since = self.tick(now, clock_hz);
            }
            INT_CLR => self.pending = false,
            _ => {}
        }
    }

    fn interrupts(&self) -> bool {
        self.pending && self.is(INT_ENABLE)
    }
}

/// The two timers.
#[derive(Debug)]
pub struct Sp804 {
    name: &'static str,
    line: u32,
    counters: [Counter; 2],
}

impl Sp804 {
    /// Timers that assert interrupt source `line`.
    #[must_use]
    pub fn new(name: &'static str, line: u32) -> Self {
        Self {
            name,
            line,
            counters: [Counter::new(), Counter::new()],
        }
    }

    fn catch_up(&mut self, ctx: &DevCtx) {
        for counter in &mut self.counters {
            let tick = counter.tick(ctx.now, ctx.clock_hz);
            counter.catch_up(tick);
        }
    }

    fn settle(&self, ctx: &mut DevCtx) {
        let mut next = NEVER;
        for counter in &self.counters {
            if counter.is(INT_ENABLE) && !counter.pending {
                next = next.min(counter.next_zero(ctx.clock_hz));
            }
        }
        ctx.set_line(self.line, self.counters.iter().any(Counter::interrupts));
        ctx.wake_at(next);
    }
}

crate::saved!(Sp804 { counters } given { name, line }
if |timers| timers.counters.iter().all(|c| c.since < MOST_TICKS));

impl Device for Sp804 {
    fn name(&self) -> &'static str {
        self.name
    }

    fn read(&mut self, offset: u32, width: Width, ctx: &mut DevCtx) -> u32 {
        self.catch_up(ctx);
        self.settle(ctx);
        let word = match offset & !3 {
            at if at < SECOND => self.counters[0].read(at),
            at if at < 2 * SECOND => self.counters[1].read(at - SECOND),
            at => ID.read(at).unwrap_or(0),
        };
        lane(word, offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, ctx: &mut DevCtx) {
        self.catch_up(ctx);
        let at = offset & !3;
        if let Some(counter) = self.counters.get_mut((at / SECOND) as usize) {
            counter.write(at % SECOND, value, ctx.now, ctx.clock_hz);
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

    /// Cycles of a tick of TIMCLK.
    const TICK: u64 = CLOCK_HZ / TIMCLK_HZ;

    fn timers() -> Bench<Sp804> {
        Bench::new(Sp804::new("timer01", 4))
    }

    #[test]
    fn reset_values() {
        let mut b = timers();
        b.now = 1000 * TICK;
        let of = |b: &mut Bench<_>, base: u32| {
            let registers = [LOAD, VALUE, CONTROL, INT_CLR, RIS, MIS, BG_LOAD];
            registers.map(|r| b.read(base + r))
        };
        assert_eq!(of(&mut b, 0), [0, 0xffff, 0x20, 0, 0, 0, 0]);
        assert_eq!(of(&mut b, SECOND), [0, 0xffff, 0x20, 0, 0, 0, 0]);
        assert_eq!((b.read(0xfe0), b.read(0xfe4)), (0x04, 0x18));
        assert_eq!(b.deadline(), NEVER);
    }

    #[test]
    fn periodic() {
        let mut b = timers();
        b.write(CONTROL, ENABLE | PERIODIC | INT_ENABLE | WIDE);
        b.write(LOAD, 9);
        b.run_to(9 * TICK - 1);
        assert_eq!((b.read(VALUE), b.lines), (1, 0));
        b.run_to(9 * TICK);
        assert_eq!((b.read(VALUE), b.lines), (0, 1 << 4));
        b.run_to(10 * TICK);
        assert_eq!((b.read(VALUE), b.read(RIS), b.read(MIS)), (9, 1, 1));
        b.write(INT_CLR, 0);
        assert_eq!((b.read(RIS), b.lines), (0, 0));
        b.run_to(19 * TICK - 1);
        assert_eq!(b.lines, 0);
        b.run_to(19 * TICK);
        assert_eq!(b.lines, 1 << 4);
        // The next load is for the turn after the next zero.
        b.write(INT_CLR, 0);
        b.write(BG_LOAD, 4);
        assert_eq!((b.read(LOAD), b.read(VALUE)), (4, 0));
        b.run_to(20 * TICK);
        assert_eq!(b.read(VALUE), 4);
    }

    #[test]
    fn a_background_load_does_not_disturb_the_turn() {
        let mut b = timers();
        b.write(CONTROL, ENABLE | PERIODIC | WIDE);
        b.write(LOAD, 9);
        b.now = 3 * TICK;
        b.write(BG_LOAD, 4);
        assert_eq!(b.read(VALUE), 6);
        b.now = 11 * TICK;
        assert_eq!((b.read(VALUE), b.read(RIS), b.read(MIS)), (3, 1, 0));
        assert_eq!(b.lines, 0);
    }

    #[test]
    fn one_shot_halts_until_it_is_loaded() {
        let mut b = timers();
        b.write(SECOND + LOAD, 5);
        b.write(SECOND + CONTROL, ENABLE | ONE_SHOT | INT_ENABLE | WIDE);
        b.run_to(5 * TICK);
        assert_eq!((b.read(SECOND + VALUE), b.lines), (0, 1 << 4));
        b.write(SECOND + INT_CLR, 1);
        assert_eq!((b.lines, b.deadline()), (0, NEVER));
        b.run_to(500 * TICK);
        assert_eq!((b.read(SECOND + VALUE), b.read(SECOND + RIS)), (0, 0));
        b.write(SECOND + LOAD, 2);
        b.run_to(502 * TICK);
        assert_eq!(b.lines, 1 << 4);
    }

    #[test]
    fn free_running_wraps_to_the_largest_number() {
        let mut b = timers();
        b.write(LOAD, 2);
        b.write(CONTROL, ENABLE | WIDE);
        b.now = 3 * TICK;
        assert_eq!((b.read(VALUE), b.read(RIS)), (u32::MAX, 1));
        assert_eq!(b.deadline(), NEVER);
        b.write(CONTROL, ENABLE);
        b.write(LOAD, 2);
        b.now = 6 * TICK;
        assert_eq!(b.read(VALUE), 0xffff);
    }

    #[test]
    fn dividers() {
        for (field, divider) in [(0, 1), (1 << 2, 16), (2 << 2, 256)] {
            let mut b = timers();
            b.write(CONTROL, ENABLE | PERIODIC | INT_ENABLE | WIDE | field);
            b.write(LOAD, 3);
            b.run_to(3 * divider * TICK - 1);
            assert_eq!((b.read(VALUE), b.lines), (1, 0));
            b.run_to(3 * divider * TICK);
            assert_eq!((b.read(VALUE), b.lines), (0, 1 << 4));
        }
    }

    #[test]
    fn a_disabled_counter_stands_still() {
        let mut b = timers();
        b.write(LOAD, 100);
        b.write(CONTROL, ENABLE | WIDE);
        b.now = 10 * TICK;
        b.write(CONTROL, WIDE);
        b.now = 50 * TICK;
        assert_eq!(b.read(VALUE), 90);
        b.write(CONTROL, ENABLE | WIDE);
        b.now = 60 * TICK;
        assert_eq!(b.read(VALUE), 80);
    }

    #[test]
    fn a_load_of_zero_interrupts_at_once_and_each_tick() {
        let mut b = timers();
        b.write(CONTROL, ENABLE | PERIODIC | INT_ENABLE | WIDE);
        b.write(LOAD, 0);
        assert_eq!(b.lines, 1 << 4);
        b.write(INT_CLR, 0);
        assert_eq!(b.lines, 0);
        b.run_to(TICK);
        assert_eq!(b.lines, 1 << 4);
    }
}

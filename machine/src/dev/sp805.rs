// SPDX-License-Identifier: Apache-2.0
//! ARM's watchdog SP805 (DDI 0270): a down counter that interrupts at zero, and that resets the
//! board when it gets there once more before anybody has cleared the interrupt. A reset ends the
//! run. It counts TIMCLK, 1 MHz.

use super::primecell::PeriphId;
use super::sp804::TIMCLK_HZ;
use super::{cycle_of, lane, ticks, DevCtx, Device, Width};
use crate::event::{Cycle, NEVER};

const ID: PeriphId = PeriphId([0x05, 0x18, 0x14, 0x00]);

const LOAD: u32 = 0x000;
const VALUE: u32 = 0x004;
const CONTROL: u32 = 0x008;
/// Any write clears the interrupt and starts the counter anew.
const CLEAR: u32 = 0x00c;
const RIS: u32 = 0x010;
const MIS: u32 = 0x014;
/// The key lets the other registers be written; reads 1 while locked.
const LOCK: u32 = 0xc00;
const KEY: u32 = 0x1acc_e551;

/// Control: the counter runs and interrupts; it may reset.
const INT_ENABLE: u32 = 1;
const RESET_ENABLE: u32 = 2;

/// The watchdog.
#[derive(Debug)]
pub struct Sp805 {
    line: u32,
    load: u32,
    control: u32,
    locked: bool,
    pending: bool,
    /// The counter at tick `since`.
    value: u32,
    since: u64,
}

impl Sp805 {
    /// A watchdog that asserts interrupt source `line`.
    #[must_use]
    pub fn new(line: u32) -> Self {
        Self {
            line,
            load: u32::MAX,
            control: 0,
            locked: false,
            pending: false,
            value: u32::MAX,
            since: 0,
        }
    }

    fn runs(&self) -> bool {
        self.control & INT_ENABLE != 0
    }

    fn catch_up(&mut self, ctx: &mut DevCtx) {
        let tick = ticks(ctx.now, TIMCLK_HZ, ctx.clock_hz);
        let passed = tick.saturating_sub(self.since);
        self.since = tick;
        if !self.runs() {
            return;
        }
        let value = u64::from(self.value);
        if passed <= value {
            self.value = (value - passed) as u32;
            return;
        }
        // The counter has wrapped past zero, this many times.
        let turn = u64::from(self.load) + 1;
        let behind = passed - value - 1;
        let times = 1 + behind / turn;
        self.value = self.load - (behind % turn) as u32;
        if (self.pending || times > 1) && self.control & RESET_ENABLE != 0 {
            ctx.host.stopped = Some("reset by the watchdog");
        }
        self.pending = true;
    }

    fn settle(&self, ctx: &mut DevCtx) {
        ctx.set_line(self.line, self.pending && self.runs());
        let waits = self.runs() && (!self.pending || self.control & RESET_ENABLE != 0);
        ctx.wake_at(if waits { self.end(ctx.clock_hz) } else { NEVER });
    }

    /// The cycle at which the counter wraps.
    fn end(&self, clock_hz: u64) -> Cycle {
        let tick = self.since + u64::from(self.value) + 1;
        cycle_of(tick, TIMCLK_HZ, clock_hz)
    }
}

crate::saved!(Sp805 { load, control, locked, pending, value, since } given { line }
if |watchdog| watchdog.since < 1 << 48);

impl Device for Sp805 {
    fn name(&self) -> &'static str {
        "watchdog"
    }

    fn may_reset(&self) -> bool {
        self.runs() && self.control & RESET_ENABLE != 0
    }

    fn read(&mut self, offset: u32, width: Width, ctx: &mut DevCtx) -> u32 {
        self.catch_up(ctx);
        self.settle(ctx);
        let word = match offset & !3 {
            LOAD => self.load,
            VALUE => self.value,
            CONTROL => self.control,
            RIS => u32::from(self.pending),
            MIS => u32::from(self.pending && self.runs()),
            LOCK => u32::from(self.locked),
            at => ID.read(at).unwrap_or(0),
        };
        lane(word, offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, ctx: &mut DevCtx) {
        self.catch_up(ctx);
        match offset & !3 {
            LOCK => self.locked = value != KEY,
            _ if self.locked => {}
            LOAD => {
                self.load = value;
                self.value = value;
            }
            CONTROL => {
                // Enabling the interrupt starts the counter anew (DDI 0270, 3.3.3).
                if value & INT_ENABLE != 0 && !self.runs() {
                    self.value = self.load;
                }
                self.control = value & (INT_ENABLE | RESET_ENABLE);
            }
            CLEAR => {
                self.pending = false;
                self.value = self.load;
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

    const TICK: u64 = CLOCK_HZ / TIMCLK_HZ;

    #[test]
    fn interrupts_then_resets() {
        let mut b = Bench::new(Sp805::new(0));
        b.write(LOAD, 99);
        b.write(CONTROL, INT_ENABLE | RESET_ENABLE);
        b.run_to(99 * TICK);
        assert_eq!((b.read(VALUE), b.lines), (0, 0));
        b.run_to(100 * TICK);
        assert_eq!((b.read(VALUE), b.read(MIS), b.lines), (99, 1, 1));
        b.run_to(150 * TICK);
        b.write(CLEAR, 0);
        assert_eq!((b.read(VALUE), b.lines), (99, 0));
        b.run_to(250 * TICK);
        assert!(b.host.stopped.is_none());
        assert_eq!(b.lines, 1);
        b.run_to(350 * TICK);
        assert_eq!(b.host.stopped, Some("reset by the watchdog"));
    }

    #[test]
    fn without_reset_it_only_interrupts() {
        let mut b = Bench::new(Sp805::new(0));
        b.write(LOAD, 0);
        b.write(CONTROL, INT_ENABLE);
        b.run_to(1000 * TICK);
        assert_eq!((b.lines, b.deadline()), (1, NEVER));
        assert!(b.host.stopped.is_none());
    }

    #[test]
    fn the_lock_holds_off_writes() {
        let mut b = Bench::new(Sp805::new(0));
        assert_eq!(b.read(LOCK), 0);
        b.write(LOCK, 1);
        b.write(LOAD, 5);
        b.write(CONTROL, INT_ENABLE);
        assert_eq!(
            (b.read(LOCK), b.read(LOAD), b.read(CONTROL)),
            (1, u32::MAX, 0)
        );
        b.write(LOCK, KEY);
        b.write(LOAD, 5);
        assert_eq!((b.read(LOCK), b.read(LOAD)), (0, 5));
        assert_eq!((b.read(0xfe0), b.read(0xff4)), (0x05, 0xf0));
    }
}

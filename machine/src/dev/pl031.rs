// SPDX-License-Identifier: Apache-2.0
//! ARM's real-time clock PL031 (DDI 0224): seconds since 1970, a match register, an interrupt. It
//! starts at the same moment in every run, [`START`], never at the host's time, so that runs
//! repeat.

use super::primecell::PeriphId;
use super::{lane, DevCtx, Device, Width};
use crate::event::NEVER;

const ID: PeriphId = PeriphId([0x31, 0x10, 0x14, 0x00]);

/// What the clock says at cycle 0: 2000-01-01 00:00:00 UTC (a choice).
pub const START: u32 = 946_684_800;

const DATA: u32 = 0x00;
const MATCH: u32 = 0x04;
const LOAD: u32 = 0x08;
/// Bit 0: the clock runs; here it always does.
const CONTROL: u32 = 0x0c;
const MASK: u32 = 0x10;
const RIS: u32 = 0x14;
const MIS: u32 = 0x18;
const CLEAR: u32 = 0x1c;

/// The clock.
#[derive(Debug)]
pub struct Pl031 {
    line: u32,
    /// What the clock says in second 0 of the run.
    offset: u32,
    load: u32,
    matches: u32,
    mask: bool,
    pending: bool,
    /// Seconds of the run up to which the match has been looked for.
    seen: u64,
}

impl Pl031 {
    /// A clock that asserts interrupt source `line`.
    #[must_use]
    pub fn new(line: u32) -> Self {
        Self {
            line,
            offset: START,
            load: 0,
            matches: 0,
            mask: false,
            pending: false,
            seen: 0,
        }
    }

    fn now(&self) -> u32 {
        (self.seen as u32).wrapping_add(self.offset)
    }

    /// Seconds to the match, 1 to 2^32: it is compared when the clock has counted.
    fn to_match(&self) -> u64 {
        u64::from(self.matches.wrapping_sub(self.now()).wrapping_sub(1)) + 1
    }

    fn catch_up(&mut self, ctx: &DevCtx) {
        let second = ctx.now / ctx.clock_hz;
        self.pending |= self.to_match() <= second.saturating_sub(self.seen);
        self.seen = second;
    }

    fn settle(&self, ctx: &mut DevCtx) {
        ctx.set_line(self.line, self.pending && self.mask);
        let waits = self.mask && !self.pending;
        ctx.wake_at(if waits {
            (self.seen + self.to_match()).saturating_mul(ctx.clock_hz)
        } else {
            NEVER
        });
    }
}

crate::saved!(Pl031 { offset, load, matches, mask, pending, seen } given { line } if |rtc| rtc.seen < 1 << 48);

impl Device for Pl031 {
    fn name(&self) -> &'static str {
        "rtc"
    }

    fn read(&mut self, offset: u32, width: Width, ctx: &mut DevCtx) -> u32 {
        self.catch_up(ctx);
        self.settle(ctx);
        let word = match offset & !3 {
            DATA => self.now(),
            MATCH => self.matches,
            LOAD => self.load,
            CONTROL => 1,
            MASK => u32::from(self.mask),
            RIS => u32::from(self.pending),
            MIS => u32::from(self.pending && self.mask),
            at => ID.read(at).unwrap_or(0),
        };
        lane(word, offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, ctx: &mut DevCtx) {
        self.catch_up(ctx);
        match offset & !3 {
            MATCH => self.matches = value,
            LOAD => {
                self.load = value;
                self.offset = value.wrapping_sub(self.seen as u32);
            }
            MASK => self.mask = value & 1 != 0,
            CLEAR if value & 1 != 0 => self.pending = false,
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
    fn the_clock_runs_from_its_start_and_from_what_is_loaded() {
        let mut b = Bench::new(Pl031::new(10));
        assert_eq!((b.read(DATA), b.read(CONTROL)), (START, 1));
        b.now = 3 * CLOCK_HZ;
        assert_eq!(b.read(DATA), START + 3);
        b.write(LOAD, 100);
        b.now = 5 * CLOCK_HZ;
        assert_eq!((b.read(DATA), b.read(LOAD)), (102, 100));
        assert_eq!(b.read(0xfe0), 0x31);
    }

    #[test]
    fn the_match_interrupts_once() {
        let mut b = Bench::new(Pl031::new(10));
        b.write(MATCH, START + 2);
        b.write(MASK, 1);
        b.run_to(2 * CLOCK_HZ - 1);
        assert_eq!(b.lines, 0);
        b.run_to(2 * CLOCK_HZ);
        assert_eq!((b.lines, b.read(MIS)), (1 << 10, 1));
        b.write(MASK, 0);
        assert_eq!((b.lines, b.read(RIS), b.read(MIS)), (0, 1, 0));
        b.write(CLEAR, 1);
        b.write(MASK, 1);
        b.run_to(9 * CLOCK_HZ);
        assert_eq!((b.lines, b.read(RIS)), (0, 0));
    }
}

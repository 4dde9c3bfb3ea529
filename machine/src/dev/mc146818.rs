// SPDX-License-Identifier: Apache-2.0
//! The clock of a PC: Motorola's MC146818 (data sheet ADI-856, "DS" below), with the battery-backed
//! bytes in which a BIOS keeps what it knows of the machine (IBM PC AT Technical Reference, "CMOS RAM").
//! Port 0x70 chooses a byte, port 0x71 is that byte.
//!
//! It starts at the same moment in every run, that of `pl031.rs`, never at the host's time, so that
//! runs repeat. The crystal is of 32,768 Hz, and the time changes where seconds of the run begin,
//! unless the guest has stopped the divider. Daylight saving and the square wave are not modelled.

use super::pl031::START;
use super::{cycle_of, ticks, DevCtx, Device, Width};
use crate::event::{Cycle, NEVER};
use crate::state::plausible;

const CRYSTAL_HZ: u64 = 32_768;
/// How long before the time changes UIP is set: 244 us, and the 1984 us that the update takes (DS,
/// table 6).
const UPDATE_US: u64 = 244 + 1984;

/// Bytes: the time and its alarm, the registers, then RAM.
const SECONDS: usize = 0;
const SECONDS_ALARM: usize = 1;
const MINUTES: usize = 2;
const MINUTES_ALARM: usize = 3;
const HOURS: usize = 4;
const HOURS_ALARM: usize = 5;
const WEEKDAY: usize = 6;
const DAY: usize = 7;
const MONTH: usize = 8;
const YEAR: usize = 9;
const A: usize = 10;
const B: usize = 11;
const C: usize = 12;
const D: usize = 13;
const BYTES: usize = 128;

/// Register A: an update is near or under way; the divider, which runs with 010 (11x holds it, others
/// are for other crystals); the rate.
const UIP: u8 = 0x80;
const DIVIDER: u8 = 0x70;
const RUNS: u8 = 0x20;
const RATE: u8 = 0x0f;
/// Register B: no updates; the interrupts, in the places that they have in C; binary; 24 hours.
const SET: u8 = 0x80;
const BINARY: u8 = 0x04;
const HOURS24: u8 = 0x02;
/// Interrupts, as B enables them and C shows them: periodic, alarm, update ended; any of them.
const PERIODIC: u8 = 0x40;
const ALARM: u8 = 0x20;
const UPDATED: u8 = 0x10;
const ANY: u8 = 0x80;
/// Register D: the battery is good.
const VALID: u8 = 0x80;
/// Hours of 12: afternoon. Alarm: any value of these will do.
const PM: u8 = 0x80;
const ANY_VALUE: u8 = 0xc0;

/// What a BIOS has found: equipment (a coprocessor), memory in KB below and above 1 MB, also above
/// 16 MB in 64 KB, a checksum; the century.
const EQUIPMENT: usize = 0x14;
const BASE_MEMORY: usize = 0x15;
const EXTENDED_MEMORY: [usize; 2] = [0x17, 0x30];
const MEMORY_ABOVE_16MB: usize = 0x34;
const CHECKED: std::ops::Range<usize> = 0x10..0x2e;
const CHECKSUM: usize = 0x2e;
const CENTURY: usize = 0x32;

/// A time of day and a date, in plain numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Time {
    second: u8,
    minute: u8,
    hour: u8,
    /// 1 to 7, Sunday the first.
    weekday: u8,
    day: u8,
    month: u8,
    /// Of the century.
    year: u8,
}

impl Time {
    fn next_second(&mut self) {
        let carries = |field: &mut u8, most: u8, first: u8| {
            *field = if *field == most { first } else { *field + 1 };
            *field == first
        };
        let all = carries(&mut self.second, 59, 0)
            && carries(&mut self.minute, 59, 0)
            && carries(&mut self.hour, 23, 0);
        if all {
            self.next_day();
        }
    }

    fn next_day(&mut self) {
        self.weekday = self.weekday % 7 + 1;
        // Leap years until 2100 (DS: those that 4 divides).
        let days = match self.month {
            2 if self.year % 4 == 0 => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        if self.day < days {
            self.day += 1;
            return;
        }
        self.day = 1;
        if self.month < 12 {
            self.month += 1;
            return;
        }
        self.month = 1;
        self.year = if self.year < 99 { self.year + 1 } else { 0 };
    }
}

/// The clock.
#[derive(Debug)]
pub struct Mc146818 {
    line: u32,
    index: u8,
    bytes: Vec<u8>,
    /// The cycle of the first change of the time since the divider was let go, and how many changes
    /// have been seen.
    first: Cycle,
    seconds: u64,
    /// Periods of the periodic interrupt that have been seen.
    periods: u64,
}

impl Mc146818 {
    /// A clock that asserts interrupt source `line`, in a machine with so many bytes of memory.
    #[must_use]
    pub fn new(line: u32, ram_bytes: u32) -> Self {
        let mut bytes = vec![0; BYTES];
        bytes[A] = RUNS | 6; // as a BIOS has it: 1024 Hz
        bytes[B] = HOURS24;
        bytes[D] = VALID;
        bytes[EQUIPMENT] = 0x02;
        let put = |bytes: &mut Vec<u8>, at: usize, value: u32| {
            let value = value.min(0xffff) as u16;
            bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
        };
        put(&mut bytes, BASE_MEMORY, 640);
        for at in EXTENDED_MEMORY {
            put(&mut bytes, at, (ram_bytes >> 10).saturating_sub(1024));
        }
        put(
            &mut bytes,
            MEMORY_ABOVE_16MB,
            ram_bytes.saturating_sub(16 << 20) >> 16,
        );
        let sum: u32 = bytes[CHECKED].iter().map(|&byte| u32::from(byte)).sum();
        bytes[CHECKSUM..CHECKSUM + 2].copy_from_slice(&(sum as u16).to_be_bytes());
        bytes[CENTURY] = 0x20;
        let mut clock = Self {
            line,
            index: 0,
            bytes,
            // The time is that after a change at cycle 0.
            first: 0,
            seconds: 1,
            periods: 0,
        };
        clock.set_time(&START_TIME);
        clock
    }

    // ---- the time --------------------------------------------------------------------------

    /// A byte of time as a number; a digit that is none counts as what it is worth.
    fn number(&self, byte: u8) -> u8 {
        if self.bytes[B] & BINARY != 0 {
            byte
        } else {
            (byte >> 4).wrapping_mul(10).wrapping_add(byte & 0xf)
        }
    }

    fn byte(&self, number: u8) -> u8 {
        if self.bytes[B] & BINARY != 0 {
            number
        } else {
            ((number / 10) << 4) | (number % 10)
        }
    }

    /// An hour, 0 to 23.
    fn hour(&self, byte: u8) -> u8 {
        if self.bytes[B] & HOURS24 != 0 {
            return self.number(byte);
        }
        let hour = self.number(byte & !PM) % 12;
        if byte & PM != 0 {
            hour + 12
        } else {
            hour
        }
    }

    fn hour_byte(&self, hour: u8) -> u8 {
        if self.bytes[B] & HOURS24 != 0 {
            return self.byte(hour);
        }
        let pm = if hour >= 12 { PM } else { 0 };
        self.byte((hour + 11) % 12 + 1) | pm
    }

    /// The time in the bytes. A number that is too large or too small counts as the nearest.
    fn time(&self) -> Time {
        let number = |at: usize| self.number(self.bytes[at]);
        Time {
            second: number(SECONDS).min(59),
            minute: number(MINUTES).min(59),
            hour: self.hour(self.bytes[HOURS]).min(23),
            weekday: number(WEEKDAY).clamp(1, 7),
            day: number(DAY).clamp(1, 31),
            month: number(MONTH).clamp(1, 12),
            year: number(YEAR).min(99),
        }
    }

    fn set_time(&mut self, time: &Time) {
        self.bytes[SECONDS] = self.byte(time.second);
        self.bytes[MINUTES] = self.byte(time.minute);
        self.bytes[HOURS] = self.hour_byte(time.hour);
        self.bytes[WEEKDAY] = self.byte(time.weekday);
        self.bytes[DAY] = self.byte(time.day);
        self.bytes[MONTH] = self.byte(time.month);
        self.bytes[YEAR] = self.byte(time.year);
    }

    /// Whether the alarm is for this time.
    fn rings(&self, time: &Time) -> bool {
        let is = |at: usize, is: bool| self.bytes[at] & ANY_VALUE == ANY_VALUE || is;
        is(
            SECONDS_ALARM,
            self.number(self.bytes[SECONDS_ALARM]) == time.second,
        ) && is(
            MINUTES_ALARM,
            self.number(self.bytes[MINUTES_ALARM]) == time.minute,
        ) && is(HOURS_ALARM, self.hour(self.bytes[HOURS_ALARM]) == time.hour)
    }

    fn runs(&self) -> bool {
        self.bytes[A] & DIVIDER == RUNS
    }

    /// Lets the clock do what it has done since the last look.
    fn catch_up(&mut self, ctx: &DevCtx) {
        if self.runs() {
            let since = ctx.now.checked_sub(self.first);
            let seconds = since.map_or(0, |since| 1 + since / ctx.clock_hz);
            self.update(seconds.saturating_sub(self.seconds));
            self.seconds = seconds;
        }
        let periods = self.period().map_or(self.periods, |period| {
            ticks(ctx.now, CRYSTAL_HZ, ctx.clock_hz) / period
        });
        if periods > self.periods {
            self.bytes[C] |= PERIODIC;
        }
        self.periods = periods;
    }

    /// The cycle at which the time changes next.
    fn next_update(&self, clock_hz: u64) -> Cycle {
        if self.runs() && self.bytes[B] & SET == 0 {
            self.first + self.seconds * clock_hz
        } else {
            NEVER
        }
    }

    /// So many seconds have passed.
    fn update(&mut self, seconds: u64) {
        if seconds == 0 || self.bytes[B] & SET != 0 {
            return;
        }
        let mut time = self.time();
        // The alarm comes once a day at least, if it can come.
        let days = seconds / 86_400;
        for _ in 0..days.saturating_sub(1) {
            time.next_day();
        }
        for _ in 0..seconds - 86_400 * days.saturating_sub(1) {
            time.next_second();
            if self.rings(&time) {
                self.bytes[C] |= ALARM;
            }
        }
        self.set_time(&time);
        self.bytes[C] |= UPDATED;
    }

    /// Ticks of the crystal between two periodic interrupts (DS, table 5).
    fn period(&self) -> Option<u64> {
        match self.bytes[A] & RATE {
            _ if !self.runs() => None,
            0 => None,
            // The two slowest of the crystal's divider come first.
            rate @ (1 | 2) => Some(1 << (rate + 6)),
            rate => Some(1 << (rate - 1)),
        }
    }

    fn is_updating(&self, ctx: &DevCtx) -> bool {
        let early = cycle_of(UPDATE_US, 1_000_000, ctx.clock_hz);
        self.next_update(ctx.clock_hz) - ctx.now <= early
    }

    fn asks(&self) -> bool {
        self.bytes[B] & self.bytes[C] & (PERIODIC | ALARM | UPDATED) != 0
    }

    /// Drives the interrupt source and asks to be woken when it may change.
    fn settle(&mut self, ctx: &mut DevCtx) {
        ctx.set_line(self.line, self.asks());
        let waits_for = self.bytes[B] & !self.bytes[C];
        let mut next = NEVER;
        if !self.asks() && waits_for & (ALARM | UPDATED) != 0 {
            next = self.next_update(ctx.clock_hz);
        }
        if let (false, true, Some(period)) = (self.asks(), waits_for & PERIODIC != 0, self.period())
        {
            let tick = (self.periods + 1) * period;
            next = next.min(cycle_of(tick, CRYSTAL_HZ, ctx.clock_hz));
        }
        ctx.wake_at(next);
    }

    // ---- the bytes -------------------------------------------------------------------------

    fn read_byte(&mut self, ctx: &DevCtx) -> u8 {
        let at = usize::from(self.index);
        match at {
            A if self.is_updating(ctx) => self.bytes[A] | UIP,
            // Reading says that the interrupts were noticed.
            C => {
                let any = if self.asks() { ANY } else { 0 };
                std::mem::take(&mut self.bytes[C]) | any
            }
            _ => self.bytes[at],
        }
    }

    fn write_byte(&mut self, value: u8, ctx: &DevCtx) {
        let at = usize::from(self.index);
        match at {
            A => {
                let ran = self.runs();
                self.bytes[A] = value & !UIP;
                if !ran {
                    // The first update comes half a second after the divider is let go (DS).
                    self.first = ctx.now + ctx.clock_hz / 2;
                    self.seconds = 0;
                }
                let now = ticks(ctx.now, CRYSTAL_HZ, ctx.clock_hz);
                self.periods = self.period().map_or(0, |period| now / period);
            }
            B => {
                self.bytes[B] = value;
                if value & SET != 0 {
                    // DS: it clears UIE.
                    self.bytes[B] &= !UPDATED;
                }
            }
            // These can only be read.
            C | D => {}
            _ => self.bytes[at] = value,
        }
    }
}

/// [`START`], a Saturday.
const START_TIME: Time = {
    assert!(START == 946_684_800);
    Time {
        second: 0,
        minute: 0,
        hour: 0,
        weekday: 7,
        day: 1,
        month: 1,
        year: 0,
    }
};

crate::saved!(Mc146818 { index, bytes, first, seconds, periods } given { line }
if |clock| clock.bytes.len() == BYTES && usize::from(clock.index) < BYTES
    && clock.first != NEVER && plausible(clock.first) && clock.seconds < 1 << 32
    && clock.periods < 1 << 48);

impl Device for Mc146818 {
    fn name(&self) -> &'static str {
        "rtc"
    }

    fn read(&mut self, offset: u32, _width: Width, ctx: &mut DevCtx) -> u32 {
        self.catch_up(ctx);
        // The index cannot be read.
        let value = if offset == 0 {
            0xff
        } else {
            self.read_byte(ctx)
        };
        self.settle(ctx);
        u32::from(value)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, ctx: &mut DevCtx) {
        self.catch_up(ctx);
        if offset == 0 {
            // The highest bit masks the NMI, which the board has not.
            self.index = value as u8 & 0x7f;
        } else {
            self.write_byte(value as u8, ctx);
        }
        self.settle(ctx);
    }

    fn fire(&mut self, ctx: &mut DevCtx) {
        self.catch_up(ctx);
        self.settle(ctx);
    }
}

#[cfg(test)]
#[path = "mc146818_tests.rs"]
mod tests;

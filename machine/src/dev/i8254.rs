// SPDX-License-Identifier: Apache-2.0
//! The timer of a PC: an 8254 (Intel data sheet 231164, "DS" below) and port 0x61, which has the gate
//! and the output of its counter 2 (IBM PC AT Technical Reference, "Port B"). The three counters
//! count 14.31818 MHz / 12. Counter 0 drives IRQ 0; counter 1 asks for the refresh of memory, which
//! bit 4 of port 0x61 shows; counter 2 is for the speaker, which is not there.
//!
//! A counter is no state that ticks: it is what it was at some tick, and what it is now follows from
//! the cycle. A write comes between two ticks.

use serde::{Deserialize, Serialize};

use super::{cycle_of, ticks, DevCtx, Device, Width};
use crate::event::{Cycle, NEVER};
use crate::state::plausible;

/// The clock in Hz is this, divided by [`CLOCK_DIVISOR`]: 1.193182 MHz.
const CLOCK_TIMES: u64 = 105_000_000;
const CLOCK_DIVISOR: u64 = 88;

/// More than a machine gets to in years; far from overflow in what is computed from it.
const MOST_TICKS: u64 = 1 << 48;

/// Offsets: the counters, their control words, port 0x61.
const CONTROL: u32 = 3;
const PORT_B: u32 = 4;

/// The counter of IRQ 0, the one of the refresh, and the one with a gate.
const SYSTEM: usize = 0;
const REFRESH: usize = 1;
const SPEAKER: usize = 2;
/// What a BIOS gives to the refresh counter: mode 2, every 18 ticks.
const REFRESH_TICKS: u8 = 18;

/// Port 0x61: the gate, bits that are kept (speaker, parity checks), the refresh, the output.
const GATE2: u8 = 0x01;
const KEPT: u8 = 0x0f;
const REFRESHED: u8 = 0x10;
const OUT2: u8 = 0x20;

/// A control word for all counters: read back.
const READ_BACK: u8 = 3;
/// Read back: no count, no status.
const NO_COUNT: u8 = 0x20;
const NO_STATUS: u8 = 0x10;
/// Status: the output, the count is not in the counter yet.
const OUT: u8 = 0x80;
const NULL_COUNT: u8 = 0x40;

/// How a counter's register is read and written (RW in the control word); 0 latches.
const LOW: u8 = 1;
const HIGH: u8 = 2;

/// One of the three.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Counter {
    /// RW, mode and BCD, as the last control word had them.
    word: u8,
    gate: bool,
    out: bool,
    /// The count register: 1 to 65536, or to 10000 in BCD.
    count: u32,
    /// A count is in that register: the counter has something to do.
    written: bool,
    /// It goes into the counter at the next tick.
    loads: bool,
    /// It has not been in the counter yet.
    null: bool,
    /// The counter counts: it has been loaded since the control word.
    counts: bool,
    /// What it counts leads to something (modes 0, 1, 4, 5), once.
    armed: bool,
    /// The counter at tick `since`, and in mode 3 whether the count that it began with was odd.
    value: u32,
    odd: bool,
    since: u64,
    /// How often the output has risen since somebody asked.
    rises: u64,
    /// The first byte of a count that is written in two.
    half: Option<u8>,
    /// The next read of a count in two bytes is of the second.
    second: bool,
    latched: Option<u16>,
    latched_status: Option<u8>,
}

impl Counter {
    /// One that has never been told anything: it does not count.
    fn new(gate: bool) -> Self {
        Self {
            word: (LOW | HIGH) << 4,
            gate,
            out: false,
            count: 1 << 16,
            written: false,
            loads: false,
            null: true,
            counts: false,
            armed: false,
            value: 0,
            odd: false,
            since: 0,
            rises: 0,
            half: None,
            second: false,
            latched: None,
            latched_status: None,
        }
    }

    fn plausible(&self) -> bool {
        (1..=self.modulus()).contains(&self.count)
            && (self.count > 1 || !self.periodic() || !self.written)
            && self.value <= self.modulus()
            && self.since < MOST_TICKS
    }

    /// The mode, 0 to 5.
    fn mode(&self) -> u8 {
        match self.word >> 1 & 7 {
            mode @ 6.. => mode - 4,
            mode => mode,
        }
    }

    fn periodic(&self) -> bool {
        matches!(self.mode(), 2 | 3)
    }

    /// Whether the gate starts it (modes 1 and 5) instead of letting it count.
    fn triggered(&self) -> bool {
        matches!(self.mode(), 1 | 5)
    }

    fn modulus(&self) -> u32 {
        if self.word & 1 == 0 {
            1 << 16
        } else {
            10_000
        }
    }

    fn rw(&self) -> u8 {
        self.word >> 4 & 3
    }

    fn drive(&mut self, out: bool) {
        self.rises += u64::from(out && !self.out);
        self.out = out;
    }

    // ---- time ------------------------------------------------------------------------------

    /// Whether it counts at the next tick, if it does not load.
    fn runs(&self) -> bool {
        // The first byte of a new count stops it in mode 0.
        let stopped = self.mode() == 0 && self.half.is_some();
        self.counts && !stopped && (self.gate || self.triggered())
    }

    /// Whether a strobe is out, which takes one tick, whatever the gate does.
    fn strobes(&self) -> bool {
        matches!(self.mode(), 4 | 5) && self.counts && !self.out
    }

    /// Ticks to the next change of the output, or to the next load; none if there will be none.
    fn to_change(&self) -> Option<u64> {
        if self.loads || self.strobes() {
            return Some(1);
        }
        if !self.runs() {
            return None;
        }
        let value = u64::from(self.value);
        match self.mode() {
            // Low at 1; then it loads.
            2 => Some(value.saturating_sub(1).max(1)),
            // Two a tick. An odd count takes one tick more while the output is high.
            3 => Some((value / 2 + u64::from(self.odd && self.out)).max(1)),
            _ if self.armed => Some(value.max(1)),
            _ => None,
        }
    }

    /// Lets it do what it has done up to tick `tick`.
    fn catch_up(&mut self, tick: u64) {
        let mut left = tick.saturating_sub(self.since);
        self.since = tick;
        while left > 0 {
            let change = self.to_change();
            match change {
                Some(ticks) if ticks <= left => {
                    left -= ticks;
                    self.change(ticks);
                    self.skip_periods(&mut left);
                }
                _ => {
                    self.pass(left);
                    left = 0;
                }
            }
        }
    }

    /// `ticks` pass without a change.
    fn pass(&mut self, ticks: u64) {
        if !self.runs() {
            return;
        }
        let (value, modulus) = (u64::from(self.value), u64::from(self.modulus()));
        self.value = match self.mode() {
            2 => value.saturating_sub(ticks),
            3 => value.saturating_sub(2 * ticks),
            // These go on from the other end.
            _ => (value + modulus - ticks % modulus) % modulus,
        } as u32;
    }

    /// The last of `ticks` ticks is the one at which something changes.
    fn change(&mut self, ticks: u64) {
        if self.strobes() {
            self.pass(1);
            self.drive(true);
        }
        if self.loads {
            self.load();
            match self.mode() {
                1 => self.drive(false),
                5 => self.drive(true),
                _ => {}
            }
            return;
        }
        if !self.runs() {
            return;
        }
        match self.mode() {
            2 if self.value > 1 => {
                self.value = 1;
                self.drive(false);
            }
            2 => {
                self.load();
                self.drive(true);
            }
            3 => {
                self.load();
                self.drive(!self.out);
            }
            mode if self.armed => {
                self.pass(ticks);
                self.armed = false;
                self.drive(mode < 4);
            }
            _ => {}
        }
    }

    /// The count goes into the counter.
    fn load(&mut self) {
        self.loads = false;
        self.null = false;
        self.counts = true;
        self.armed = true;
        self.value = self.count;
        self.odd = false;
        if self.mode() == 3 {
            self.odd = self.count & 1 != 0;
            self.value = self.count & !1;
        }
    }

    /// Of the ticks that are left, takes those of whole periods: nothing else can happen in them.
    fn skip_periods(&mut self, left: &mut u64) {
        let as_loaded = self.value == self.count & !u32::from(self.odd);
        if self.periodic() && self.runs() && as_loaded {
            let period = u64::from(self.count);
            self.rises += *left / period;
            *left %= period;
        }
    }

    // ---- the processor's side --------------------------------------------------------------

    fn set_gate(&mut self, gate: bool) {
        let rises = gate && !self.gate;
        self.gate = gate;
        if rises && self.written && (self.triggered() || self.periodic()) {
            self.loads = true;
        }
        if !gate && self.periodic() && self.counts {
            self.drive(true);
        }
    }

    /// A control word for this counter.
    fn set_word(&mut self, word: u8) {
        self.word = word & 0x3f;
        self.written = false;
        self.loads = false;
        self.null = true;
        self.counts = false;
        self.armed = false;
        self.count = self.count.min(self.modulus());
        self.value = self.value.min(self.modulus());
        self.half = None;
        self.second = false;
        self.latched = None;
        self.latched_status = None;
        self.drive(self.mode() != 0);
    }

    fn write(&mut self, byte: u8) {
        let bytes = match (self.rw(), self.half) {
            (LOW, _) => [byte, 0],
            (HIGH, _) => [0, byte],
            (_, Some(low)) => [low, byte],
            (_, None) => {
                self.half = Some(byte);
                if self.mode() == 0 {
                    self.drive(false);
                }
                return;
            }
        };
        self.half = None;
        let written = u32::from(u16::from_le_bytes(bytes));
        let count = if self.word & 1 == 0 {
            written
        } else {
            // A digit above 9, which is none, counts as what it is worth.
            (0..4)
                .rev()
                .fold(0, |sum, n| 10 * sum + (written >> (4 * n) & 0xf))
                % 10_000
        };
        self.count = match count {
            0 => self.modulus(),
            // DS forbids it.
            1 if self.periodic() => 2,
            count => count,
        };
        self.written = true;
        self.null = true;
        match self.mode() {
            0 => {
                self.drive(false);
                self.loads = true;
            }
            4 => self.loads = true,
            // These take a new count when the one under way is done.
            2 | 3 if !self.counts => self.loads = true,
            _ => {}
        }
    }

    /// The counter as it is read.
    fn reading(&self) -> u16 {
        let value = self.value % self.modulus();
        if self.word & 1 == 0 {
            return value as u16;
        }
        let digit = |n: u32| (value / 10u32.pow(n) % 10) << (4 * n);
        (digit(0) | digit(1) | digit(2) | digit(3)) as u16
    }

    fn latch(&mut self) {
        if self.latched.is_none() {
            self.latched = Some(self.reading());
        }
    }

    fn latch_status(&mut self) {
        let flag = |bit, is| if is { bit } else { 0 };
        if self.latched_status.is_none() {
            let status = self.word | flag(OUT, self.out) | flag(NULL_COUNT, self.null);
            self.latched_status = Some(status);
        }
    }

    fn read(&mut self) -> u8 {
        if let Some(status) = self.latched_status.take() {
            return status;
        }
        let [low, high] = self.latched.unwrap_or_else(|| self.reading()).to_le_bytes();
        let (byte, last) = match self.rw() {
            LOW => (low, true),
            HIGH => (high, true),
            _ if self.second => (high, true),
            _ => (low, false),
        };
        self.second = !last;
        if last {
            self.latched = None;
        }
        byte
    }
}

/// The timer.
#[derive(Debug)]
pub struct I8254 {
    line: u32,
    counters: [Counter; 3],
    port_b: u8,
    /// The refresh asked for an odd number of rows.
    refreshed: bool,
    /// An edge of counter 0 came and went unseen: the line is low until this cycle, and rises then.
    rises_at: Cycle,
}

impl I8254 {
    /// A timer whose counter 0 drives interrupt source `line`.
    #[must_use]
    pub fn new(line: u32) -> Self {
        let mut refresh = Counter::new(true);
        refresh.set_word(LOW << 4 | 2 << 1);
        refresh.write(REFRESH_TICKS);
        refresh.rises = 0;
        Self {
            line,
            counters: [Counter::new(true), refresh, Counter::new(false)],
            port_b: 0,
            refreshed: false,
            rises_at: NEVER,
        }
    }

    fn catch_up(&mut self, ctx: &DevCtx) {
        let tick = ticks(ctx.now, CLOCK_TIMES, CLOCK_DIVISOR * ctx.clock_hz);
        for counter in &mut self.counters {
            counter.catch_up(tick);
        }
        let rows = std::mem::take(&mut self.counters[REFRESH].rises);
        self.refreshed ^= rows % 2 != 0;
        self.counters[SPEAKER].rises = 0;
    }

    /// Drives the interrupt source, and asks to be woken when it changes. Where the output fell and
    /// rose since the last look, the source does it now.
    fn settle(&mut self, ctx: &mut DevCtx) {
        let was_high = *ctx.lines >> self.line & 1 != 0;
        let system = &mut self.counters[SYSTEM];
        let rises = std::mem::take(&mut system.rises);
        if self.rises_at <= ctx.now {
            self.rises_at = NEVER;
        }
        if system.out && was_high && rises > 0 {
            self.rises_at = ctx.now + 1;
        } else if !system.out {
            self.rises_at = NEVER;
        }
        ctx.set_line(self.line, system.out && self.rises_at == NEVER);
        let change = system.to_change().map_or(NEVER, |ticks| {
            let tick = system.since + ticks;
            cycle_of(tick, CLOCK_TIMES, CLOCK_DIVISOR * ctx.clock_hz)
        });
        ctx.wake_at(change.min(self.rises_at));
    }

    fn control(&mut self, word: u8) {
        let number = word >> 6;
        if number == READ_BACK {
            for (n, counter) in self.counters.iter_mut().enumerate() {
                if word >> (n + 1) & 1 != 0 {
                    if word & NO_COUNT == 0 {
                        counter.latch();
                    }
                    if word & NO_STATUS == 0 {
                        counter.latch_status();
                    }
                }
            }
            return;
        }
        let counter = &mut self.counters[usize::from(number)];
        if word >> 4 & 3 == 0 {
            counter.latch();
        } else {
            counter.set_word(word);
        }
    }
}

crate::saved!(I8254 { counters, port_b, refreshed, rises_at } given { line }
if |timer| timer.counters.iter().all(Counter::plausible) && plausible(timer.rises_at));

impl Device for I8254 {
    fn name(&self) -> &'static str {
        "pit"
    }

    fn read(&mut self, offset: u32, _width: Width, ctx: &mut DevCtx) -> u32 {
        self.catch_up(ctx);
        let value = match offset {
            PORT_B => {
                let flag = |bit, is| if is { bit } else { 0 };
                let out = self.counters[SPEAKER].out;
                self.port_b | flag(REFRESHED, self.refreshed) | flag(OUT2, out)
            }
            // The control words cannot be read.
            CONTROL.. => 0xff,
            counter => self.counters[counter as usize].read(),
        };
        self.settle(ctx);
        u32::from(value)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, ctx: &mut DevCtx) {
        self.catch_up(ctx);
        let value = value as u8;
        match offset {
            PORT_B => {
                self.port_b = value & KEPT;
                self.counters[SPEAKER].set_gate(value & GATE2 != 0);
            }
            CONTROL => self.control(value),
            counter => {
                if let Some(counter) = self.counters.get_mut(counter as usize) {
                    counter.write(value);
                }
            }
        }
        self.settle(ctx);
    }

    fn fire(&mut self, ctx: &mut DevCtx) {
        self.catch_up(ctx);
        self.settle(ctx);
    }
}

#[cfg(test)]
#[path = "i8254_tests.rs"]
mod tests;

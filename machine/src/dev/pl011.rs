// SPDX-License-Identifier: Apache-2.0
//! ARM's UART PL011 (DDI 0183): FIFOs that fill and empty at the speed of the line, and their
//! interrupts. No modem lines, no DMA.
//!
//! Two liberties, both at the far end of the wire, as in `uart.rs`: a character that the transmit
//! FIFO accepts reaches the host's console at once, and host input waits until the receive FIFO
//! has room. So there are no receive errors.
//!
//! A third, as in QEMU, for the first program that only writes UARTDR, and looks at no flag: reset
//! leaves UARTEN at 0, but until a guest writes UARTCR the UART works as if it were 1; and while
//! UARTIBRD is 0, as reset leaves it, characters take no time.

use std::collections::VecDeque;

use super::primecell::PeriphId;
use super::{lane, DevCtx, Device, Role, SerialPort, Width};
use crate::event::{Cycle, NEVER};
use crate::state::plausible;

/// UARTCLK of the Versatile (DUI 0225).
const UARTCLK_HZ: u64 = 24_000_000;

const ID: PeriphId = PeriphId([0x11, 0x10, 0x14, 0x00]);

const DR: u32 = 0x00;
/// Receive errors; writing clears them. There are none.
const FR: u32 = 0x18;
/// Infrared divisor: only stores.
const ILPR: u32 = 0x20;
/// Baud-rate divisor: whole and 64ths.
const IBRD: u32 = 0x24;
const FBRD: u32 = 0x28;
/// Line control.
const LCR_H: u32 = 0x2c;
const CR: u32 = 0x30;
/// FIFO levels.
const IFLS: u32 = 0x34;
/// Interrupts: mask, raw, masked, clear.
const IMSC: u32 = 0x38;
const RIS: u32 = 0x3c;
const MIS: u32 = 0x40;
const ICR: u32 = 0x44;
const DMACR: u32 = 0x48;

/// FR: transmitter busy, receive FIFO empty, transmit FIFO full, receive full, transmit empty.
const BUSY: u32 = 1 << 3;
const RXFE: u32 = 1 << 4;
const TXFF: u32 = 1 << 5;
const RXFF: u32 = 1 << 6;
const TXFE: u32 = 1 << 7;
/// LCR_H: parity, two stop bits, FIFOs, word length (5 bits and more).
const PEN: u32 = 1 << 1;
const STP2: u32 = 1 << 3;
const FEN: u32 = 1 << 4;
/// CR: UART, loop back, transmitter, receiver.
const UARTEN: u32 = 1;
const LBE: u32 = 1 << 7;
const TXE: u32 = 1 << 8;
const RXE: u32 = 1 << 9;
/// Interrupts: receive, transmit, receive timeout.
const RX: u32 = 1 << 4;
const TX: u32 = 1 << 5;
const RT: u32 = 1 << 6;

/// Entries of each FIFO; one when FIFOs are off.
const FIFO: usize = 16;
/// Bits of the line without a character after which received ones time out.
const TIMEOUT_BITS: u64 = 32;

/// A UART.
#[derive(Debug)]
pub struct Pl011 {
    name: &'static str,
    line: u32,
    ilpr: u32,
    divisor: u32,
    fraction: u32,
    format: u32,
    control: u32,
    /// Whether the guest has ever written [`CR`].
    controlled: bool,
    levels: u32,
    mask: u32,
    raw: u32,
    dma: u32,
    /// Characters in the transmit FIFO.
    tx: VecDeque<u8>,
    /// How many of them, the last ones, the host has not been told of.
    unreported: usize,
    /// The one in the shift register, and when it is out; [`NEVER`] if there is none.
    shifting: u8,
    tx_done: Cycle,
    rx: VecDeque<u8>,
    /// When the character that is coming in is there, [`NEVER`] if none comes.
    rx_done: Cycle,
    /// When what has been received times out, [`NEVER`] if it has or nothing came.
    rx_timeout: Cycle,
}

impl Pl011 {
    /// A UART that asserts interrupt source `line`, as reset leaves it.
    #[must_use]
    pub fn new(name: &'static str, line: u32) -> Self {
        Self {
            name,
            line,
            ilpr: 0,
            divisor: 0,
            fraction: 0,
            format: 0,
            control: TXE | RXE,
            controlled: false,
            levels: 0x12,
            mask: 0,
            raw: 0,
            dma: 0,
            tx: VecDeque::new(),
            unreported: 0,
            shifting: 0,
            tx_done: NEVER,
            rx: VecDeque::new(),
            rx_done: NEVER,
            rx_timeout: NEVER,
        }
    }

    fn is(&self, enables: u32) -> bool {
        let assumed = if self.controlled { 0 } else { UARTEN };
        (self.control | assumed) & enables == enables
    }

    /// Cycles that `bits` take on the line: 16 * (IBRD + FBRD / 64) of UARTCLK each. None at the
    /// divisor 0 of reset, which the manual does not allow.
    fn bits(&self, bits: u64, clock_hz: u64) -> u64 {
        if self.divisor == 0 {
            return 0;
        }
        let divisor = u64::from(self.divisor) * 64 + u64::from(self.fraction);
        (bits * 16 * divisor * clock_hz).div_ceil(64 * UARTCLK_HZ)
    }

    /// Cycles that a character takes.
    fn frame(&self, clock_hz: u64) -> u64 {
        let data = 5 + u64::from(self.format >> 5 & 3);
        let parity = u64::from(self.format & PEN != 0);
        let stop = 1 + u64::from(self.format & STP2 != 0);
        self.bits(1 + data + parity + stop, clock_hz)
    }

    fn depth(&self) -> usize {
        if self.format & FEN != 0 {
            FIFO
        } else {
            1
        }
    }

    /// The number of entries that a field of IFLS means: an eighth, quarter, half, three quarters,
    /// seven eighths of the FIFO.
    fn level(&self, field: u32) -> usize {
        match self.levels >> field & 7 {
            0 => FIFO / 8,
            1 => FIFO / 4,
            2 => FIFO / 2,
            3 => FIFO * 3 / 4,
            _ => FIFO * 7 / 8,
        }
    }

    /// At most so many characters wait when the transmit interrupt comes; it comes when the FIFO
    /// gets there, not while it is there.
    fn tx_level(&self) -> usize {
        if self.depth() == 1 {
            0
        } else {
            self.level(0)
        }
    }

    /// At least so many when the receive interrupt does.
    fn rx_level(&self) -> usize {
        if self.depth() == 1 {
            1
        } else {
            self.level(3)
        }
    }

    /// When the line next does something.
    #[inline(always)]
    fn next_change(&self) -> Cycle {
        self.tx_done.min(self.rx_done).min(self.rx_timeout)
    }

    /// Lets the line do what it has done since the last look.
    fn catch_up(&mut self, ctx: &mut DevCtx) {
        loop {
            let next = self.next_change();
            if next > ctx.now {
                return;
            }
            if next == self.tx_done {
                self.tx_done = NEVER;
                if self.is(LBE) {
                    self.received(self.shifting, next, ctx.clock_hz);
                }
                self.start_transmission(next, ctx.clock_hz);
            } else if next == self.rx_done {
                self.rx_done = NEVER;
                if let Some(byte) = ctx.host.input.pop_front() {
                    self.received(byte, next, ctx.clock_hz);
                }
                self.start_reception(next, ctx);
            } else {
                self.rx_timeout = NEVER;
                self.raw |= RT;
            }
        }
    }

    /// Moves the next character into the shift register if that is free and there is one.
    fn start_transmission(&mut self, start: Cycle, clock_hz: u64) {
        if self.tx_done != NEVER || !self.is(UARTEN | TXE) {
            return;
        }
        let Some(byte) = self.tx.pop_front() else {
            return;
        };
        self.unreported = self.unreported.min(self.tx.len());
        self.shifting = byte;
        self.tx_done = start + self.frame(clock_hz);
        if self.tx.len() == self.tx_level() {
            self.raw |= TX;
        }
    }

    /// Begins to receive the next character at cycle `start`, if there are one and room for it.
    fn start_reception(&mut self, start: Cycle, ctx: &DevCtx) {
        let waiting = self.is(UARTEN | RXE) && ctx.host.has_input_for(self.name);
        let room = self.rx.len() < self.depth() && !self.is(LBE);
        if waiting && room && self.rx_done == NEVER {
            self.rx_done = start + self.frame(ctx.clock_hz);
        }
    }

    fn received(&mut self, byte: u8, at: Cycle, clock_hz: u64) {
        if self.rx.len() >= self.depth() || !self.is(UARTEN | RXE) {
            return;
        }
        self.rx.push_back(byte);
        if self.rx.len() >= self.rx_level() {
            self.raw |= RX;
        }
        self.rx_timeout = at + self.bits(TIMEOUT_BITS, clock_hz);
    }

    /// Tells the host of characters that are going out, each of them once.
    fn report(&mut self, ctx: &mut DevCtx) {
        if self.is(UARTEN | TXE) && !self.is(LBE) {
            let told = self.tx.len() - self.unreported;
            ctx.host.sent(self.name, self.tx.iter().skip(told).copied());
            self.unreported = 0;
        }
    }

    fn transmit(&mut self, byte: u8, ctx: &mut DevCtx) {
        // A full FIFO loses the character.
        if self.tx.len() >= self.depth() {
            return;
        }
        self.tx.push_back(byte);
        self.unreported += 1;
        self.report(ctx);
        self.start_transmission(ctx.now, ctx.clock_hz);
        if self.tx.len() > self.tx_level() {
            self.raw &= !TX;
        }
    }

    fn take(&mut self, now: Cycle, clock_hz: u64) -> u32 {
        let byte = self.rx.pop_front();
        if self.rx.len() < self.rx_level() {
            self.raw &= !RX;
        }
        if self.rx.is_empty() {
            self.raw &= !RT;
            self.rx_timeout = NEVER;
        } else if self.rx_timeout != NEVER {
            // Each read starts the timeout anew.
            self.rx_timeout = now + self.bits(TIMEOUT_BITS, clock_hz);
        }
        byte.map_or(0, u32::from)
    }

    fn flags(&self) -> u32 {
        // Clear to send, data set ready and carrier detect: nothing drives them.
        let flag = |flag: u32, is: bool| if is { flag } else { 0 };
        flag(BUSY, self.tx_done != NEVER || !self.tx.is_empty())
            | flag(RXFE, self.rx.is_empty())
            | flag(TXFF, self.tx.len() >= self.depth())
            | flag(RXFF, self.rx.len() >= self.depth())
            | flag(TXFE, self.tx.is_empty())
    }

    /// Characters that were written while the UART was off go out when it comes on.
    fn set_control(&mut self, value: u32, ctx: &mut DevCtx) {
        self.control = value & 0xffff;
        self.controlled = true;
        self.report(ctx);
        self.start_transmission(ctx.now, ctx.clock_hz);
        if !self.is(UARTEN | RXE) {
            self.rx_done = NEVER;
        }
    }

    fn set_format(&mut self, value: u32) {
        // Turning the FIFOs off empties them.
        if self.format & FEN != 0 && value & FEN == 0 {
            self.tx.clear();
            self.unreported = 0;
            self.rx.clear();
            self.rx_timeout = NEVER;
        }
        self.format = value & 0xff;
    }

    /// Drives the interrupt source and asks to be woken when it may change.
    fn settle(&mut self, ctx: &mut DevCtx) {
        self.start_reception(ctx.now, ctx);
        ctx.set_line(self.line, self.raw & self.mask != 0);
        let mut next = NEVER;
        if self.mask & TX != 0 && !self.tx.is_empty() || self.is(LBE) {
            next = self.tx_done;
        }
        if self.mask & (RX | RT) != 0 {
            next = next.min(self.rx_done).min(self.rx_timeout);
        }
        ctx.wake_at(next);
    }
}

crate::saved!(Pl011 {
    ilpr, divisor, fraction, format, control, controlled, levels, mask, raw, dma,
    tx, unreported, shifting, tx_done, rx, rx_done, rx_timeout,
} given { name, line }
if |uart| uart.tx.len() <= FIFO && uart.unreported <= uart.tx.len() && uart.rx.len() <= FIFO && uart.divisor < 1 << 16
    && uart.fraction < 64
    && [uart.tx_done, uart.rx_done, uart.rx_timeout].into_iter().all(plausible));

impl Device for Pl011 {
    fn name(&self) -> &'static str {
        self.name
    }

    fn read(&mut self, offset: u32, width: Width, ctx: &mut DevCtx) -> u32 {
        let rests = self.next_change() > ctx.now;
        // A driver that polls the flags changes nothing: what was driven and asked for last holds.
        if offset & !3 == FR && rests && ctx.host.input.is_empty() {
            return lane(self.flags(), offset, width);
        }
        self.catch_up(ctx);
        let word = match offset & !3 {
            DR => self.take(ctx.now, ctx.clock_hz),
            FR => self.flags(),
            ILPR => self.ilpr,
            IBRD => self.divisor,
            FBRD => self.fraction,
            LCR_H => self.format,
            CR => self.control,
            IFLS => self.levels,
            IMSC => self.mask,
            RIS => self.raw,
            MIS => self.raw & self.mask,
            DMACR => self.dma,
            at => ID.read(at).unwrap_or(0),
        };
        self.settle(ctx);
        lane(word, offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, ctx: &mut DevCtx) {
        self.catch_up(ctx);
        match offset & !3 {
            DR => self.transmit(value as u8, ctx),
            ILPR => self.ilpr = value & 0xff,
            IBRD => self.divisor = value & 0xffff,
            FBRD => self.fraction = value & 0x3f,
            LCR_H => self.set_format(value),
            CR => self.set_control(value, ctx),
            IFLS => self.levels = value & 0x3f,
            IMSC => self.mask = value & 0x7ff,
            ICR => self.raw &= !value,
            DMACR => self.dma = value & 7,
            _ => {}
        }
        self.settle(ctx);
    }

    fn fire(&mut self, ctx: &mut DevCtx) {
        self.catch_up(ctx);
        self.settle(ctx);
    }

    fn role(&mut self) -> Role<'_> {
        Role::SerialPort(self)
    }
}

impl SerialPort for Pl011 {
    fn input_arrived(&mut self, ctx: &mut DevCtx) {
        self.catch_up(ctx);
        self.settle(ctx);
    }
}

#[cfg(test)]
#[path = "pl011_tests.rs"]
mod tests;

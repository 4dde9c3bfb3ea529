// SPDX-License-Identifier: Apache-2.0
//! A UART of the SA-1110's serial ports (DM 11.11; ports 1 and 2 have the same registers in UART
//! mode): FIFOs that fill and empty at the speed of the line, and their interrupts.
//!
//! Two liberties, both at the far end of the wire: a character that the transmit FIFO accepts
//! reaches the host's console at once (so none is lost when a guest ends the run with a full
//! FIFO), and host input waits until the receive FIFO has room (so it never overruns).

use std::collections::VecDeque;

use super::{lane, DevCtx, Device, Role, SerialPort, Width};
use crate::dev::os_timer::OSCR_HZ;
use crate::event::{Cycle, NEVER};
use crate::state::plausible;

/// Frame format.
const UTCR0: u32 = 0x00;
/// Baud-rate divisor, high 4 bits.
const UTCR1: u32 = 0x04;
/// Baud-rate divisor, low 8 bits.
const UTCR2: u32 = 0x08;
/// Enables.
const UTCR3: u32 = 0x0c;
/// Data.
const UTDR: u32 = 0x14;
/// Status that interrupts.
const UTSR0: u32 = 0x1c;
/// Status that does not.
const UTSR1: u32 = 0x20;

/// UTCR0: parity enable, two stop bits, eight data bits.
const PE: u32 = 1;
const SBS: u32 = 4;
const DSS: u32 = 8;
/// UTCR3: receiver, transmitter and their interrupts.
const RXE: u32 = 1;
const TXE: u32 = 2;
const RIE: u32 = 8;
const TIE: u32 = 16;
/// UTSR0: transmit FIFO at most half full, receive FIFO at least a third full, receiver idle.
const TFS: u32 = 1;
const RFS: u32 = 2;
const RID: u32 = 4;
/// UTSR1: transmitter busy, receive FIFO not empty, transmit FIFO not full.
const TBY: u32 = 1;
const RNE: u32 = 2;
const TNF: u32 = 4;

/// Entries of the transmit FIFO (DM 11.11), beside the shift register.
const TX_FIFO: u32 = 8;
/// Entries of the receive FIFO.
const RX_FIFO: usize = 12;
/// The receive FIFO asks for service from this many entries on: a third.
const RX_SERVICE: usize = 4;
/// Frame times without a character after which the receiver is idle.
const IDLE_FRAMES: u64 = 3;

/// A UART.
#[derive(Debug)]
pub struct Uart {
    name: &'static str,
    line: u32,
    format: u32,
    divisor: u32,
    control: u32,
    /// Characters waiting in the transmit FIFO.
    tx_waiting: u32,
    /// When the character in the shift register is out, [`NEVER`] if there is none.
    tx_done: Cycle,
    rx: VecDeque<u8>,
    /// When the character that is coming in is there, [`NEVER`] if none comes.
    rx_done: Cycle,
    /// When the receiver counts as idle, [`NEVER`] if it does already or nothing came.
    rx_idle: Cycle,
    idle: bool,
}

impl Uart {
    /// A UART that asserts interrupt source `line`.
    #[must_use]
    pub fn new(name: &'static str, line: u32) -> Self {
        Self {
            name,
            line,
            // The manual leaves format and divisor undefined at reset. A boot loader on the
            // Assabet leaves 115200 baud, 8N1; a kernel that relies on it finds it.
            format: DSS,
            divisor: 1,
            control: 0,
            tx_waiting: 0,
            tx_done: NEVER,
            rx: VecDeque::new(),
            rx_done: NEVER,
            rx_idle: NEVER,
            idle: false,
        }
    }

    /// Cycles that one character takes on the line (DM 11.11: a bit is 16 * (divisor + 1)
    /// clocks of 3.6864 MHz).
    fn frame(&self, clock_hz: u64) -> u64 {
        let data = 7 + u64::from(self.format & DSS != 0);
        let parity = u64::from(self.format & PE != 0);
        let stop = 1 + u64::from(self.format & SBS != 0);
        let clocks = (1 + data + parity + stop) * 16 * (u64::from(self.divisor) + 1);
        (clocks * clock_hz).div_ceil(OSCR_HZ)
    }

    /// Lets the line do what it has done since the last look. False: nothing.
    fn catch_up(&mut self, ctx: &mut DevCtx) -> bool {
        if self.tx_done.min(self.rx_done).min(self.rx_idle) > ctx.now {
            return false;
        }
        let frame = self.frame(ctx.clock_hz);
        while self.tx_done <= ctx.now {
            if self.tx_waiting > 0 {
                self.tx_waiting -= 1;
                self.tx_done += frame;
            } else {
                self.tx_done = NEVER;
            }
        }
        while self.rx_done <= ctx.now {
            self.rx.extend(ctx.host.input.pop_front());
            let arrived = self.rx_done;
            self.rx_done = NEVER;
            self.rx_idle = arrived + IDLE_FRAMES * frame;
            self.start_reception(arrived, frame, ctx);
        }
        if self.rx_idle <= ctx.now {
            self.rx_idle = NEVER;
            self.idle = !self.rx.is_empty();
        }
        true
    }

    /// Begins to receive the next character at cycle `start`, if there are one and room for it.
    fn start_reception(&mut self, start: Cycle, frame: u64, ctx: &DevCtx) {
        let waiting = self.control & RXE != 0 && ctx.host.has_input_for(self.name);
        if waiting && self.rx_done == NEVER && self.rx.len() < RX_FIFO {
            self.rx_done = start + frame;
        }
    }

    fn status0(&self) -> u32 {
        let mut status = 0;
        if self.control & TXE != 0 && self.tx_waiting <= TX_FIFO / 2 {
            status |= TFS;
        }
        if self.rx.len() >= RX_SERVICE {
            status |= RFS;
        }
        if self.idle {
            status |= RID;
        }
        status
    }

    fn status1(&self) -> u32 {
        let mut status = 0;
        if self.tx_done != NEVER {
            status |= TBY;
        }
        if !self.rx.is_empty() {
            status |= RNE;
        }
        if self.tx_waiting < TX_FIFO {
            status |= TNF;
        }
        status
    }

    fn transmit(&mut self, byte: u8, ctx: &mut DevCtx) {
        // A disabled transmitter holds its FIFO empty; a full one loses the character.
        if self.control & TXE == 0 || self.tx_waiting == TX_FIFO {
            return;
        }
        ctx.host.sent(self.name, [byte]);
        if self.tx_done == NEVER {
            self.tx_done = ctx.now + self.frame(ctx.clock_hz);
        } else {
            self.tx_waiting += 1;
        }
    }

    /// Drives the interrupt source and asks to be woken when it may change.
    fn settle(&mut self, ctx: &mut DevCtx) {
        let frame = self.frame(ctx.clock_hz);
        self.start_reception(ctx.now, frame, ctx);
        let status = self.status0();
        let level = self.control & RIE != 0 && status & (RFS | RID) != 0
            || self.control & TIE != 0 && status & TFS != 0;
        ctx.set_line(self.line, level);
        let mut next = NEVER;
        if self.control & RIE != 0 {
            next = self.rx_done.min(self.rx_idle);
        }
        if self.control & TIE != 0 {
            next = next.min(self.tx_done);
        }
        ctx.wake_at(next);
    }
}

crate::saved!(Uart {
    format, divisor, control, tx_waiting, tx_done, rx, rx_done, rx_idle, idle,
} given { name, line }
if |uart| uart.tx_waiting <= TX_FIFO && uart.rx.len() <= RX_FIFO && uart.divisor < 1 << 12
    && [uart.tx_done, uart.rx_done, uart.rx_idle].into_iter().all(plausible));

impl Device for Uart {
    fn name(&self) -> &'static str {
        self.name
    }

    fn read(&mut self, offset: u32, width: Width, ctx: &mut DevCtx) -> u32 {
        let did = self.catch_up(ctx);
        let register = offset & !3;
        let word = match register {
            UTCR0 => self.format,
            UTCR1 => self.divisor >> 8,
            UTCR2 => self.divisor & 0xff,
            UTCR3 => self.control,
            UTDR => self.rx.pop_front().map_or(0, u32::from),
            UTSR0 => self.status0(),
            UTSR1 => self.status1(),
            _ => 0,
        };
        // A driver that polls a flag changes nothing: what was driven and asked for last holds.
        if did || register == UTDR || !ctx.host.input.is_empty() {
            self.settle(ctx);
        }
        lane(word, offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, ctx: &mut DevCtx) {
        self.catch_up(ctx);
        match offset & !3 {
            UTCR0 => self.format = value & 0x7f,
            UTCR1 => self.divisor = self.divisor & 0xff | (value & 0xf) << 8,
            UTCR2 => self.divisor = self.divisor & 0xf00 | value & 0xff,
            UTCR3 => {
                self.control = value & 0x3f;
                if value & TXE == 0 {
                    self.tx_waiting = 0;
                    self.tx_done = NEVER;
                }
                if value & RXE == 0 {
                    self.rx.clear();
                    self.rx_done = NEVER;
                    self.rx_idle = NEVER;
                    self.idle = false;
                }
            }
            UTDR => self.transmit(value as u8, ctx),
            UTSR0 if value & RID != 0 => self.idle = false,
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

impl SerialPort for Uart {
    fn input_arrived(&mut self, ctx: &mut DevCtx) {
        self.catch_up(ctx);
        self.settle(ctx);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev::bench::Bench;

    /// 10 bits of 32 clocks of 3.6864 MHz at 200 MHz.
    const FRAME: u64 = 17362;

    fn enabled(control: u32) -> Bench<Uart> {
        let mut b = Bench::new(Uart::new("uart1", 15));
        b.write(UTCR3, control);
        b
    }

    #[test]
    fn a_polling_driver_sees_the_fifo_fill_and_the_line_drain_it() {
        let mut b = enabled(TXE);
        assert_eq!(b.read(UTSR1), TNF);
        for n in 0..9u32 {
            assert_eq!(b.read(UTSR1) & TNF, TNF, "room for character {n}");
            b.write(UTDR, u32::from(b'a') + n);
        }
        // One in the shift register, eight in the FIFO: the tenth is lost.
        assert_eq!(b.read(UTSR1), TBY);
        b.write(UTDR, u32::from(b'z'));
        assert_eq!(b.host.output, b"abcdefghi");
        b.now = FRAME - 1;
        assert_eq!(b.read(UTSR1), TBY);
        b.now = FRAME;
        assert_eq!(b.read(UTSR1), TBY | TNF);
        b.now = 9 * FRAME - 1;
        assert_eq!(b.read(UTSR1), TBY | TNF);
        b.now = 9 * FRAME;
        assert_eq!(b.read(UTSR1), TNF);
    }

    #[test]
    fn a_disabled_transmitter_sends_nothing() {
        let mut b = enabled(0);
        b.write(UTDR, u32::from(b'a'));
        assert!(b.host.output.is_empty());
    }

    #[test]
    fn the_transmit_interrupt_follows_the_fifo() {
        let mut b = enabled(TXE | TIE);
        assert_eq!(b.lines, 1 << 15);
        for _ in 0..9 {
            b.write(UTDR, 0x20);
        }
        assert_eq!(b.lines, 0);
        // Eight wait; at most four wait when four more characters have left the shift register.
        b.run_to(4 * FRAME - 1);
        assert_eq!(b.lines, 0);
        b.run_to(4 * FRAME);
        assert_eq!(b.lines, 1 << 15);
    }

    #[test]
    fn input_arrives_at_the_speed_of_the_line() {
        let mut b = enabled(RXE | RIE);
        b.host.input.extend(b"hello");
        b.with(|device, ctx| device.input_arrived(ctx));
        b.run_to(FRAME - 1);
        assert_eq!(b.read(UTSR1) & RNE, 0);
        b.run_to(FRAME);
        assert_eq!(b.read(UTSR1) & RNE, RNE);
        assert_eq!(b.lines, 0);
        b.run_to(4 * FRAME);
        assert_eq!((b.read(UTSR0), b.lines), (RFS, 1 << 15));
        b.run_to(5 * FRAME);
        for byte in b"hell" {
            assert_eq!(b.read(UTDR), u32::from(*byte));
        }
        assert_eq!(b.lines, 0);
        b.run_to(8 * FRAME);
        assert_eq!((b.read(UTSR0), b.lines), (RID, 1 << 15));
        assert_eq!(b.read(UTDR), u32::from(b'o'));
        b.write(UTSR0, RID);
        assert_eq!((b.read(UTSR0), b.read(UTSR1) & RNE, b.lines), (0, 0, 0));
    }

    #[test]
    fn input_waits_for_room() {
        let mut b = enabled(RXE);
        b.host.input.extend(0..40u8);
        b.with(|device, ctx| device.input_arrived(ctx));
        b.run_to(100 * FRAME);
        let mut got = Vec::new();
        while got.len() < 40 {
            if b.read(UTSR1) & RNE != 0 {
                got.push(b.read(UTDR) as u8);
            }
            b.now += FRAME / 2;
        }
        assert_eq!(got, (0..40).collect::<Vec<u8>>());
    }

    #[test]
    fn slower_lines_take_longer() {
        let mut b = enabled(TXE);
        b.write(UTCR1, 0);
        b.write(UTCR2, 23);
        b.write(UTDR, 0x20);
        b.now = 12 * FRAME - 12;
        assert_eq!(b.read(UTSR1) & TBY, TBY);
        b.now = 12 * FRAME;
        assert_eq!(b.read(UTSR1) & TBY, 0);
    }
}

// SPDX-License-Identifier: Apache-2.0
//! A serial port of a PC: National's UART PC16550D (data sheet TL/C/8652, "DS" below), with FIFOs that
//! fill and empty at the speed of the line. As PCs wire it, its interrupt reaches the bus when OUT2
//! is set (IBM PC AT Technical Reference, "Serial/Parallel Adapter").
//!
//! Two liberties, both at the far end of the wire, as in `uart.rs`: a character that the transmitter
//! accepts reaches the host's console at once, and host input waits until the receiver has room. So
//! there are no receive errors but of characters that the port sends to itself, and no breaks. Who is
//! at the other end is ready: its modem lines are set. In FIFO mode the transmitter says that it is
//! empty when it is, not up to a character later (DS, "FIFO interrupt mode operation").
//!
//! That of QEMU's RISC-V board ([`Ns16550::direct`]) has no line: a character takes a microsecond, whatever
//! the divisor says, and the interrupt does not need OUT2.

use std::collections::VecDeque;

use super::{DevCtx, Device, Role, SerialPort, Width};
use crate::event::{Cycle, NEVER};
use crate::state::plausible;

/// The crystal of a PC's adapter.
const CLOCK_HZ: u64 = 1_843_200;
/// Characters a second without a line (assumed: QEMU's take none of the guest's time).
const DIRECT_HZ: u64 = 1_000_000;

/// Offsets. The first two are the divisor while DLAB is set.
const DATA: u32 = 0;
const IER: u32 = 1;
/// Read: interrupt identification; write: FIFO control.
const IIR: u32 = 2;
const LCR: u32 = 3;
const MCR: u32 = 4;
const LSR: u32 = 5;
const MSR: u32 = 6;
const SCR: u32 = 7;

/// Interrupts, as IER enables them: received data, transmitter empty, line status, modem status.
const IER_RX: u8 = 1;
const IER_TX: u8 = 2;
const IER_LINE: u8 = 4;
const IER_MODEM: u8 = 8;
/// What IIR says, most urgent first; FIFOs are on.
const IIR_LINE: u8 = 0x06;
const IIR_RX: u8 = 0x04;
const IIR_TIMEOUT: u8 = 0x0c;
const IIR_TX: u8 = 0x02;
const IIR_MODEM: u8 = 0x00;
const IIR_NONE: u8 = 0x01;
const IIR_FIFO: u8 = 0xc0;
/// FIFO control: on, clear the receiver's, clear the transmitter's; the level in the highest bits.
const FCR_ON: u8 = 1;
const FCR_CLEAR_RX: u8 = 2;
const FCR_CLEAR_TX: u8 = 4;
const LEVELS: [usize; 4] = [1, 4, 8, 14];
/// Line control: length (5 bits and more), more than one stop bit, parity, divisor latch.
const LCR_LENGTH: u8 = 3;
const LCR_STOP: u8 = 4;
const LCR_PARITY: u8 = 8;
const LCR_DLAB: u8 = 0x80;
/// Modem control: its four outputs, of which OUT2 lets interrupts through; loop back.
const MCR_OUT2: u8 = 8;
const MCR_LOOP: u8 = 0x10;
/// Line status: data ready, overrun, transmitter's FIFO empty, transmitter empty.
const LSR_DATA: u8 = 1;
const LSR_OVERRUN: u8 = 2;
const LSR_EMPTY: u8 = 0x20;
const LSR_IDLE: u8 = 0x40;
/// Modem status: clear to send, data set ready, ring, carrier; in the low bits which have changed
/// (of ring, whether it has ended).
const MSR_CTS: u8 = 0x10;
const MSR_DSR: u8 = 0x20;
const MSR_RI: u8 = 0x40;
const MSR_DCD: u8 = 0x80;

/// Entries of each FIFO; one when FIFOs are off.
const FIFO: usize = 16;
/// Characters' times without one after which received ones time out (DS).
const TIMEOUT_FRAMES: u64 = 4;

/// A serial port.
#[derive(Debug)]
pub struct Ns16550 {
    name: &'static str,
    line: u32,
    /// Whether there is no line.
    direct: bool,
    divisor: u16,
    ier: u8,
    fcr: u8,
    lcr: u8,
    mcr: u8,
    /// The modem lines as they were read last, and their changes since.
    modem: u8,
    scratch: u8,
    overrun: bool,
    /// The transmitter has become empty and nobody has noticed.
    tx_empty: bool,
    /// Received characters have timed out.
    timed_out: bool,
    /// Characters that wait to be sent.
    tx: VecDeque<u8>,
    /// The one in the shift register, and when it is out; [`NEVER`] if there is none.
    shifting: u8,
    tx_done: Cycle,
    rx: VecDeque<u8>,
    /// When the character that is coming in is there, [`NEVER`] if none comes.
    rx_done: Cycle,
    /// When what has been received times out, [`NEVER`] if it has or nothing came.
    rx_timeout: Cycle,
}

impl Ns16550 {
    /// A port that asserts interrupt source `line`, as reset leaves it (DS, table I). The divisor,
    /// which reset leaves as it is, is that of 9600 baud, as a BIOS has it.
    #[must_use]
    pub fn new(name: &'static str, line: u32) -> Self {
        Self {
            name,
            line,
            direct: false,
            divisor: 12,
            ier: 0,
            fcr: 0,
            lcr: LCR_LENGTH,
            mcr: 0,
            modem: MSR_CTS | MSR_DSR | MSR_DCD,
            scratch: 0,
            overrun: false,
            tx_empty: true,
            timed_out: false,
            tx: VecDeque::new(),
            shifting: 0,
            tx_done: NEVER,
            rx: VecDeque::new(),
            rx_done: NEVER,
            rx_timeout: NEVER,
        }
    }

    /// One without a line, and without a PC's gate for its interrupt.
    #[must_use]
    pub fn direct(name: &'static str, line: u32) -> Self {
        Self {
            direct: true,
            ..Self::new(name, line)
        }
    }

    fn loops(&self) -> bool {
        self.mcr & MCR_LOOP != 0
    }

    fn fifos(&self) -> bool {
        self.fcr & FCR_ON != 0
    }

    fn depth(&self) -> usize {
        if self.fifos() {
            FIFO
        } else {
            1
        }
    }

    /// The number of characters at which the receiver asks for service.
    fn level(&self) -> usize {
        if self.fifos() {
            LEVELS[usize::from(self.fcr >> 6)]
        } else {
            1
        }
    }

    /// Cycles that a character takes on the line: each bit is 16 times the divisor of the clock. The
    /// stop bits of 5 data bits are 1.5. A divisor of 0 counts as 1.
    fn frame(&self, clock_hz: u64) -> u64 {
        if self.direct {
            return clock_hz.div_ceil(DIRECT_HZ);
        }
        let data = 5 + u64::from(self.lcr & LCR_LENGTH);
        let parity = u64::from(self.lcr & LCR_PARITY != 0);
        let half_stops = match (self.lcr & LCR_STOP != 0, data) {
            (false, _) => 2,
            (true, 5) => 3,
            (true, _) => 4,
        };
        let half_bits = 2 * (1 + data + parity) + half_stops;
        let clocks = half_bits * 8 * u64::from(self.divisor.max(1));
        (clocks * clock_hz).div_ceil(CLOCK_HZ)
    }

    // ---- the line --------------------------------------------------------------------------

    /// Lets the line do what it has done since the last look. False: nothing.
    fn catch_up(&mut self, ctx: &mut DevCtx) -> bool {
        let mut did = false;
        loop {
            let next = self.tx_done.min(self.rx_done).min(self.rx_timeout);
            if next > ctx.now {
                return did;
            }
            did = true;
            if next == self.tx_done {
                self.tx_done = NEVER;
                if self.loops() {
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
                self.timed_out = true;
            }
        }
    }

    /// Moves the next character into the shift register if that is free and there is one.
    fn start_transmission(&mut self, start: Cycle, clock_hz: u64) {
        if self.tx_done != NEVER {
            return;
        }
        let Some(byte) = self.tx.pop_front() else {
            return;
        };
        self.shifting = byte & self.data_bits();
        self.tx_done = start + self.frame(clock_hz);
        if self.tx.is_empty() {
            self.tx_empty = true;
        }
    }

    /// The bits of a character that are on the line.
    fn data_bits(&self) -> u8 {
        0xff >> (3 - (self.lcr & LCR_LENGTH))
    }

    /// Begins to receive the next character at cycle `start`, if there are one and room for it.
    fn start_reception(&mut self, start: Cycle, ctx: &DevCtx) {
        let room = self.rx.len() < self.depth() && !self.loops();
        if room && self.rx_done == NEVER && ctx.host.has_input_for(self.name) {
            self.rx_done = start + self.frame(ctx.clock_hz);
        }
    }

    /// A character is in. Without room it is lost; without FIFOs it replaces the one that is there.
    fn received(&mut self, byte: u8, at: Cycle, clock_hz: u64) {
        if self.rx.len() >= self.depth() {
            self.overrun = true;
            if self.fifos() {
                return;
            }
            self.rx.clear();
        }
        self.rx.push_back(byte & self.data_bits());
        if !self.timed_out {
            self.restart_timeout(at, clock_hz);
        }
    }

    /// The receiver's timeout begins anew with each character that is read, or comes before it is over.
    fn restart_timeout(&mut self, now: Cycle, clock_hz: u64) {
        self.timed_out = false;
        self.rx_timeout = if self.fifos() && !self.rx.is_empty() {
            now + TIMEOUT_FRAMES * self.frame(clock_hz)
        } else {
            NEVER
        };
    }

    // ---- registers -------------------------------------------------------------------------

    fn take(&mut self, now: Cycle, clock_hz: u64) -> u8 {
        let byte = self.rx.pop_front().unwrap_or(0);
        self.restart_timeout(now, clock_hz);
        byte
    }

    fn transmit(&mut self, byte: u8, ctx: &mut DevCtx) {
        self.tx_empty = false;
        // A full FIFO loses the character; without FIFOs it replaces the one that waits.
        if self.tx.len() >= self.depth() {
            if self.fifos() {
                return;
            }
            self.tx.clear();
        }
        if !self.loops() {
            ctx.host.sent(self.name, [byte & self.data_bits()]);
        }
        self.tx.push_back(byte);
        self.start_transmission(ctx.now, ctx.clock_hz);
    }

    fn line_status(&self) -> u8 {
        let mut status = 0;
        for (flag, is) in [
            (LSR_DATA, !self.rx.is_empty()),
            (LSR_OVERRUN, self.overrun),
            (LSR_EMPTY, self.tx.is_empty()),
            (LSR_IDLE, self.tx.is_empty() && self.tx_done == NEVER),
        ] {
            if is {
                status |= flag;
            }
        }
        status
    }

    /// The modem lines: those of the other end, or looped back its own outputs.
    fn modem_lines(&self) -> u8 {
        if !self.loops() {
            return MSR_CTS | MSR_DSR | MSR_DCD;
        }
        let outputs = [MSR_DSR, MSR_CTS, MSR_RI, MSR_DCD];
        let set = |n: usize| {
            if self.mcr >> n & 1 != 0 {
                outputs[n]
            } else {
                0
            }
        };
        (0..4).fold(0, |lines, n| lines | set(n))
    }

    /// Modem status follows the lines; of ring only its end counts as a change.
    fn look_at_modem(&mut self) {
        let lines = self.modem_lines();
        let changed = (lines ^ self.modem) & !(lines & MSR_RI) & 0xf0;
        self.modem = lines | self.modem & 0x0f | changed >> 4;
    }

    /// The most urgent interrupt that is enabled.
    fn interrupt(&self) -> u8 {
        let enabled = |bit| self.ier & bit != 0;
        if enabled(IER_LINE) && self.overrun {
            IIR_LINE
        } else if enabled(IER_RX) && self.rx.len() >= self.level() {
            IIR_RX
        } else if enabled(IER_RX) && self.timed_out {
            IIR_TIMEOUT
        } else if enabled(IER_TX) && self.tx_empty {
            IIR_TX
        } else if enabled(IER_MODEM) && self.modem & 0x0f != 0 {
            IIR_MODEM
        } else {
            IIR_NONE
        }
    }

    /// Reading what has been asked for says that it was noticed, if it is the transmitter.
    fn identify(&mut self) -> u8 {
        let interrupt = self.interrupt();
        if interrupt == IIR_TX {
            self.tx_empty = false;
        }
        interrupt | if self.fifos() { IIR_FIFO } else { 0 }
    }

    fn set_ier(&mut self, value: u8) {
        // Enabling it finds an empty transmitter anew, as drivers rely on.
        if value & IER_TX != 0 && self.ier & IER_TX == 0 && self.tx.is_empty() {
            self.tx_empty = true;
        }
        self.ier = value & 0x0f;
    }

    fn set_fcr(&mut self, value: u8) {
        let turns = (value ^ self.fcr) & FCR_ON != 0;
        if turns || value & (FCR_ON | FCR_CLEAR_RX) == FCR_ON | FCR_CLEAR_RX {
            self.rx.clear();
            self.rx_timeout = NEVER;
            self.timed_out = false;
        }
        if turns || value & (FCR_ON | FCR_CLEAR_TX) == FCR_ON | FCR_CLEAR_TX {
            self.tx_empty |= !self.tx.is_empty();
            self.tx.clear();
        }
        // The other bits are written only with the one that turns FIFOs on.
        self.fcr = if value & FCR_ON != 0 { value & 0xc9 } else { 0 };
    }

    /// What still waits when a loop is opened is lost.
    fn set_mcr(&mut self, value: u8) {
        let looped = self.loops();
        self.mcr = value & 0x1f;
        self.look_at_modem();
        if self.loops() {
            self.rx_done = NEVER;
        } else if looped {
            self.tx.clear();
        }
    }

    /// Drives the interrupt source and asks to be woken when it may change.
    fn settle(&mut self, ctx: &mut DevCtx) {
        self.start_reception(ctx.now, ctx);
        let through = (self.direct || self.mcr & MCR_OUT2 != 0) && !self.loops();
        ctx.set_line(self.line, through && self.interrupt() != IIR_NONE);
        let mut next = NEVER;
        if self.ier & IER_TX != 0 && !self.tx.is_empty() || self.loops() {
            next = self.tx_done;
        }
        if self.ier & IER_RX != 0 {
            next = next.min(self.rx_done).min(self.rx_timeout);
        }
        ctx.wake_at(next);
    }
}

crate::saved!(Ns16550 {
    divisor, ier, fcr, lcr, mcr, modem, scratch, overrun, tx_empty, timed_out, tx, shifting, tx_done,
    rx, rx_done, rx_timeout,
} given { name, line, direct }
if |uart| uart.tx.len() <= FIFO && uart.rx.len() <= FIFO
    && [uart.tx_done, uart.rx_done, uart.rx_timeout].into_iter().all(plausible));

impl Device for Ns16550 {
    fn name(&self) -> &'static str {
        self.name
    }

    fn read(&mut self, offset: u32, _width: Width, ctx: &mut DevCtx) -> u32 {
        let did = self.catch_up(ctx);
        // A driver that polls the line changes nothing: what was driven and asked for last holds.
        if offset == LSR && !did && !self.overrun && ctx.host.input.is_empty() {
            return u32::from(self.line_status());
        }
        let [low, high] = self.divisor.to_le_bytes();
        let latch = self.lcr & LCR_DLAB != 0;
        let value = match offset {
            DATA if latch => low,
            IER if latch => high,
            DATA => self.take(ctx.now, ctx.clock_hz),
            IER => self.ier,
            IIR => self.identify(),
            LCR => self.lcr,
            MCR => self.mcr,
            LSR => {
                let status = self.line_status();
                self.overrun = false;
                status
            }
            MSR => {
                let status = self.modem;
                self.modem &= 0xf0;
                status
            }
            SCR => self.scratch,
            _ => 0xff,
        };
        self.settle(ctx);
        u32::from(value)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, ctx: &mut DevCtx) {
        self.catch_up(ctx);
        let value = value as u8;
        let [low, high] = self.divisor.to_le_bytes();
        let latch = self.lcr & LCR_DLAB != 0;
        match offset {
            DATA if latch => self.divisor = u16::from_le_bytes([value, high]),
            IER if latch => self.divisor = u16::from_le_bytes([low, value]),
            DATA => self.transmit(value, ctx),
            IER => self.set_ier(value),
            IIR => self.set_fcr(value),
            LCR => self.lcr = value,
            MCR => self.set_mcr(value),
            SCR => self.scratch = value,
            // Status registers are for reading.
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

impl SerialPort for Ns16550 {
    fn input_arrived(&mut self, ctx: &mut DevCtx) {
        self.catch_up(ctx);
        self.settle(ctx);
    }
}

#[cfg(test)]
#[path = "ns16550_tests.rs"]
mod tests;

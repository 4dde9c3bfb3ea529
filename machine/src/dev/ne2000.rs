// SPDX-License-Identifier: Apache-2.0
//! Novell's Ethernet card NE2000 on the ISA bus: National's controller DP8390D (data sheet TL/F/8582,
//! "DS" below), 16 KB of memory in front of it, and a PROM with the address. It has 10 Mbit/s.
//!
//! A frame takes its time on the wire, in both directions at once: when it has gone out it is in
//! `host.net`, and one that stands in `host.net` comes in at that speed. There are no collisions and no
//! errors on the wire. Data move between the card's memory and the processor by remote DMA, through
//! one port and without delay. What the card is like beside the controller (memory, PROM, ports) is
//! what Linux' driver `ne.c` and QEMU's device have in common.
//!
//! Loop back gives the status that National saw (AN-937, 6.0); the controller's FIFO, in which a guest
//! would find the end of the frame, is not modelled, nor is the other order of bytes (BOS).

use super::{cycle_of, ethernet, DevCtx, Device, NetworkInterface, Role, Width};
use crate::event::{Cycle, NEVER};
use crate::state::plausible;

const BIT_RATE: u64 = 10_000_000;

/// Offsets: the controller's registers, the data port, the port whose read resets the card.
const COMMAND: u32 = 0x00;
const DATA: u32 = 0x10;
const RESET: u32 = 0x18;

/// Command: stop, start, transmit; the remote DMA's and the page of registers in the bits above.
const STP: u8 = 0x01;
const STA: u8 = 0x02;
const TXP: u8 = 0x04;
/// Remote DMA: read, write, send the first packet of the ring; all from 4 on abort it.
const DMA_READ: u8 = 1;
const DMA_WRITE: u8 = 2;
const DMA_SEND: u8 = 3;
const DMA_NONE: u8 = 4;
/// Interrupts: received, transmitted, received with an error, ring overflow, counters are half full,
/// remote DMA done; and that the controller is stopped, which is none.
const PRX: u8 = 0x01;
const PTX: u8 = 0x02;
const RXE: u8 = 0x04;
const OVW: u8 = 0x10;
const CNT: u8 = 0x20;
const RDC: u8 = 0x40;
const RST: u8 = 0x80;
/// Data configuration: words.
const WTS: u8 = 0x01;
/// Transmit configuration: the guest appends the CRC; the way of loop back.
const OWN_CRC: u8 = 0x01;
const LOOP: u8 = 0x06;
/// Transmit status: done, carrier lost, no heartbeat of the transceiver.
const TSR_DONE: u8 = 0x01;
const TSR_NO_CARRIER: u8 = 0x10;
const TSR_NO_HEARTBEAT: u8 = 0x40;
/// Receive configuration: broadcasts, multicasts, all single addresses, keep nothing.
const AB: u8 = 0x04;
const AM: u8 = 0x08;
const PRO: u8 = 0x10;
const MON: u8 = 0x20;
/// Receive status: intact, wrong CRC, missed, to a group, the receiver only monitors.
const RSR_INTACT: u8 = 0x01;
const RSR_CRC: u8 = 0x02;
const RSR_MISSED: u8 = 0x10;
const RSR_GROUP: u8 = 0x20;
const RSR_MONITORS: u8 = 0x40;

/// Counters: frames with a wrong CRC, missed ones. They end at 192, and the highest bit interrupts.
const TALLY_CRC: usize = 1;
const TALLY_MISSED: usize = 2;
const TALLY_MOST: u8 = 192;

/// Where the card's memory is for the controller, in pages of 256 bytes; below is the PROM.
const RAM_BIT: u16 = 0x4000;
const RAM_BYTES: usize = 0x4000;
/// Bytes before a packet in the ring: status, page of the next one, and its length with the CRC.
const HEADER: usize = 4;

/// The card.
#[derive(Debug)]
pub struct Ne2000 {
    line: u32,
    ram: Vec<u8>,
    page: u8,
    running: bool,
    /// The remote DMA under way, its next address and the bytes that are left.
    dma: u8,
    dma_at: u16,
    dma_left: u16,
    isr: u8,
    imr: u8,
    dcr: u8,
    tcr: u8,
    tsr: u8,
    rcr: u8,
    rsr: u8,
    tallies: [u8; 3],
    address: [u8; 6],
    multicast: [u8; 8],
    /// The frame to send: its page and length.
    tx_page: u8,
    tx_bytes: u16,
    /// The ring: its first page, the one after its last, the first that the guest has not freed, and
    /// the one for the next packet. Where the last two meet it is empty, unless the last packet got
    /// there.
    start: u8,
    stop: u8,
    boundary: u8,
    current: u8,
    full: bool,
    /// A packet did not fit, and the guest has freed nothing since.
    overflowed: bool,
    /// When the frame that goes out is out, and the one that comes in is in.
    tx_done: Cycle,
    rx_done: Cycle,
}

impl Ne2000 {
    /// A card that asserts interrupt source `line`. Its address and its cable are those of `host.net`.
    #[must_use]
    pub fn new(line: u32) -> Self {
        Self {
            line,
            ram: vec![0; RAM_BYTES],
            page: 0,
            running: false,
            dma: DMA_NONE,
            dma_at: 0,
            dma_left: 0,
            isr: 0,
            imr: 0,
            dcr: 0,
            tcr: 0,
            tsr: 0,
            rcr: 0,
            rsr: 0,
            tallies: [0; 3],
            address: [0; 6],
            multicast: [0; 8],
            tx_page: 0,
            tx_bytes: 0,
            start: 0,
            stop: 0,
            boundary: 0,
            current: 0,
            full: false,
            overflowed: false,
            tx_done: NEVER,
            rx_done: NEVER,
        }
    }

    /// What the reset port does (DS 11.0); the ring stays as it is.
    fn reset(&mut self) {
        self.page = 0;
        self.running = false;
        self.dma = DMA_NONE;
        self.imr = 0;
        self.tcr &= !LOOP;
        self.tx_done = NEVER;
    }

    // ---- the card's memory -----------------------------------------------------------------

    /// The byte at an address of the controller: of memory, or of the PROM, in which each byte of the
    /// address stands twice, and two letters W after it (for a card of 16 bits).
    fn byte(&self, at: u16, ctx: &DevCtx) -> u8 {
        if at & RAM_BIT != 0 {
            return self.ram[usize::from(at) % RAM_BYTES];
        }
        match usize::from(at / 2 % 16) {
            n @ 0..=5 => ctx.host.net.mac.0[n],
            14 | 15 => b'W',
            _ => 0,
        }
    }

    fn set_byte(&mut self, at: u16, value: u8) {
        if at & RAM_BIT != 0 {
            self.ram[usize::from(at) % RAM_BYTES] = value;
        }
    }

    /// The address after `at`: the end of the ring is its start.
    fn after(&self, at: u16) -> u16 {
        let next = at.wrapping_add(1);
        if next == u16::from(self.stop) << 8 {
            u16::from(self.start) << 8
        } else {
            next
        }
    }

    fn next_page(&self, page: u8) -> u8 {
        let next = page.wrapping_add(1);
        if next == self.stop {
            self.start
        } else {
            next
        }
    }

    // ---- remote DMA ------------------------------------------------------------------------

    fn start_dma(&mut self, dma: u8, ctx: &DevCtx) {
        self.dma = dma;
        if dma == DMA_SEND {
            self.dma_at = u16::from(self.boundary) << 8;
            let [low, high] = [2, 3].map(|n| self.byte(self.dma_at + n, ctx));
            self.dma_left = u16::from_le_bytes([low, high]);
        }
        if self.dma_left == 0 {
            self.end_dma(ctx);
        }
    }

    fn end_dma(&mut self, ctx: &DevCtx) {
        if self.dma == DMA_SEND {
            let next = self.byte((u16::from(self.boundary) << 8) + 1, ctx);
            self.set_boundary(next);
        }
        self.dma = DMA_NONE;
        self.isr |= RDC;
    }

    /// Bytes that one access to the data port moves.
    fn unit(&self) -> u16 {
        if self.dcr & WTS != 0 {
            2
        } else {
            1
        }
    }

    /// The address of the unit: memory is of words where the data port is.
    fn unit_at(&self) -> u16 {
        self.dma_at & !(self.unit() - 1)
    }

    /// After each access: the unit is done.
    fn count_dma(&mut self, ctx: &DevCtx) {
        for _ in 0..self.unit() {
            self.dma_at = self.after(self.dma_at);
        }
        self.dma_left = self.dma_left.saturating_sub(self.unit());
        if self.dma_left == 0 {
            self.end_dma(ctx);
        }
    }

    fn read_data(&mut self, ctx: &DevCtx) -> u32 {
        if !matches!(self.dma, DMA_READ | DMA_SEND) {
            return 0xffff;
        }
        let byte = |n: u16| u32::from(self.byte(self.unit_at() + n, ctx)) << (8 * n);
        let value = (0..self.unit()).map(byte).sum();
        self.count_dma(ctx);
        value
    }

    fn write_data(&mut self, value: u32, ctx: &DevCtx) {
        if self.dma != DMA_WRITE {
            return;
        }
        for n in 0..self.unit() {
            self.set_byte(self.unit_at() + n, (value >> (8 * n)) as u8);
        }
        self.count_dma(ctx);
    }

    // ---- the wire --------------------------------------------------------------------------

    fn duration(bytes: usize, clock_hz: u64) -> u64 {
        cycle_of(ethernet::wire_bits(bytes), BIT_RATE, clock_hz)
    }

    /// Lets the wire do what it has done since the last look.
    fn catch_up(&mut self, ctx: &mut DevCtx) {
        if self.tx_done <= ctx.now {
            self.tx_done = NEVER;
            self.transmitted(ctx);
        }
        if !ctx.host.net.cable {
            ctx.host.net.incoming.clear();
            self.rx_done = NEVER;
        }
        while self.rx_done <= ctx.now {
            let done = std::mem::replace(&mut self.rx_done, NEVER);
            if let Some(frame) = ctx.host.net.incoming.pop_front() {
                self.arrived(frame);
            }
            self.start_reception(done, ctx);
        }
    }

    fn start_reception(&mut self, start: Cycle, ctx: &DevCtx) {
        if let (Some(frame), NEVER) = (ctx.host.net.incoming.front(), self.rx_done) {
            self.rx_done = start + Self::duration(frame.len(), ctx.clock_hz);
        }
    }

    /// The frame has gone out, or around.
    fn transmitted(&mut self, ctx: &mut DevCtx) {
        let start = u16::from(self.tx_page) << 8;
        let at = |n: u16| self.byte(start.wrapping_add(n), ctx);
        let data: Vec<u8> = (0..self.tx_bytes).map(at).collect();
        let sent = ethernet::on_wire(&data, false, self.tcr & OWN_CRC == 0);
        self.isr |= PTX;
        self.tsr = TSR_DONE;
        match self.tcr & LOOP {
            0 => {
                if !ctx.host.net.cable {
                    self.tsr |= TSR_NO_CARRIER;
                }
                if let Some(frame) = sent {
                    ctx.host.net.send(frame);
                }
                return;
            }
            0x02 => self.tsr |= TSR_NO_CARRIER | TSR_NO_HEARTBEAT,
            0x04 => self.tsr |= TSR_NO_HEARTBEAT,
            _ => {}
        }
        // The receiver takes a CRC that the controller makes at the same time for a wrong one.
        let intact = self.tcr & OWN_CRC != 0 && sent.is_some();
        let wanted = data.get(..6).is_some_and(|target| self.wants(target));
        self.rsr = RSR_INTACT;
        if wanted && !intact {
            self.rsr = RSR_CRC;
            self.isr |= RXE;
            self.count(TALLY_CRC);
        }
    }

    /// Whether the receiver listens to this address.
    fn wants(&self, target: &[u8]) -> bool {
        if target == [0xff; 6] {
            self.rcr & AB != 0
        } else if target[0] & 1 != 0 {
            let hash = ethernet::hash(target);
            let listed = self.multicast[usize::from(hash >> 3)] & 1 << (hash & 7) != 0;
            listed && self.rcr & AM != 0
        } else {
            target == self.address || self.rcr & PRO != 0
        }
    }

    /// A frame is here: puts it into the ring if it is for this interface and there is room.
    fn arrived(&mut self, frame: Vec<u8>) {
        let hears = self.running && self.tcr & LOOP == 0;
        if !hears || !frame.get(..6).is_some_and(|target| self.wants(target)) {
            return;
        }
        let group = if frame[0] & 1 != 0 { RSR_GROUP } else { 0 };
        if self.rcr & MON != 0 {
            self.rsr = RSR_MONITORS | RSR_MISSED | group;
            self.count(TALLY_MISSED);
            return;
        }
        let mut data = frame;
        // A real sender never sends less; stacks on the host do.
        let least = ethernet::LEAST - ethernet::CRC_BYTES;
        data.resize(data.len().max(least), 0);
        data.extend(ethernet::crc(&data));
        match self.room(HEADER + data.len()) {
            Some(next) => {
                self.rsr = RSR_INTACT | group;
                self.isr |= PRX;
                self.store(&data, next);
            }
            None => {
                self.rsr = RSR_MISSED | group;
                self.isr |= OVW;
                self.overflowed = true;
                self.count(TALLY_MISSED);
            }
        }
    }

    /// Whether so many bytes fit into the ring: the page after them.
    fn room(&self, bytes: usize) -> Option<u8> {
        let mut page = self.current;
        for n in 0..bytes.div_ceil(256) {
            // The boundary is passed over only by the first page of an empty ring.
            if page == self.boundary && (n > 0 || self.full) {
                return None;
            }
            page = self.next_page(page);
        }
        Some(page)
    }

    fn store(&mut self, data: &[u8], next: u8) {
        let [low, high] = (data.len() as u16).to_le_bytes();
        let mut at = u16::from(self.current) << 8;
        for &byte in [self.rsr, next, low, high].iter().chain(data) {
            self.set_byte(at, byte);
            at = self.after(at);
        }
        self.current = next;
        self.full = next == self.boundary;
    }

    fn count(&mut self, tally: usize) {
        let count = &mut self.tallies[tally];
        *count = (*count + 1).min(TALLY_MOST);
        if *count & 0x80 != 0 {
            self.isr |= CNT;
        }
    }

    // ---- registers -------------------------------------------------------------------------

    fn set_boundary(&mut self, page: u8) {
        self.boundary = page;
        self.full = false;
        self.overflowed = false;
    }

    fn command(&self) -> u8 {
        let state = if self.running { STA } else { STP };
        let sends = if self.tx_done == NEVER { 0 } else { TXP };
        self.page << 6 | self.dma << 3 | sends | state
    }

    fn set_command(&mut self, value: u8, ctx: &DevCtx) {
        self.page = value >> 6;
        if value & STP != 0 {
            // A frame on its way goes on.
            self.running = false;
        } else if value & STA != 0 {
            self.running = true;
        }
        match value >> 3 & 7 {
            0 => {}
            dma @ DMA_READ..=DMA_SEND => self.start_dma(dma, ctx),
            _ => self.dma = DMA_NONE,
        }
        if value & TXP != 0 && self.running && self.tx_done == NEVER {
            self.tx_done = ctx.now + Self::duration(usize::from(self.tx_bytes), ctx.clock_hz);
        }
    }

    fn status(&self) -> u8 {
        let stopped = !self.running && self.tx_done == NEVER;
        self.isr | if stopped || self.overflowed { RST } else { 0 }
    }

    fn read_register(&mut self, offset: u32) -> u8 {
        let n = offset as usize;
        match (self.page, offset) {
            (_, COMMAND) => self.command(),
            (0, 0x3) => self.boundary,
            (0, 0x4) => self.tsr,
            // Collisions; the FIFO; the local DMA's address, which is at the next packet.
            (0, 0x1 | 0x5 | 0x6) => 0,
            (0, 0x2) => self.current,
            (0, 0x7) => self.status(),
            (0, 0x8) => self.dma_at as u8,
            (0, 0x9) => (self.dma_at >> 8) as u8,
            (0, 0xc) => self.rsr,
            (0, 0xd..=0xf) => std::mem::take(&mut self.tallies[n - 0xd]),
            (1, 0x1..=0x6) => self.address[n - 1],
            (1, 0x7) => self.current,
            (1, 0x8..=0xf) => self.multicast[n - 8],
            (2, 0x1) => self.start,
            (2, 0x2) => self.stop,
            (2, 0x4) => self.tx_page,
            (2, 0xc) => self.rcr,
            (2, 0xd) => self.tcr,
            (2, 0xe) => self.dcr,
            (2, 0xf) => self.imr,
            _ => 0xff,
        }
    }

    fn write_register(&mut self, offset: u32, value: u8, ctx: &DevCtx) {
        let n = offset as usize;
        let low = |old: u16| old & 0xff00 | u16::from(value);
        let high = |old: u16| old & 0x00ff | u16::from(value) << 8;
        match (self.page, offset) {
            (_, COMMAND) => self.set_command(value, ctx),
            (0, 0x1) => self.start = value,
            (0, 0x2) => self.stop = value,
            (0, 0x3) => self.set_boundary(value),
            (0, 0x4) => self.tx_page = value,
            (0, 0x5) => self.tx_bytes = low(self.tx_bytes),
            (0, 0x6) => self.tx_bytes = high(self.tx_bytes),
            (0, 0x7) => self.isr &= !value,
            (0, 0x8) => self.dma_at = low(self.dma_at),
            (0, 0x9) => self.dma_at = high(self.dma_at),
            (0, 0xa) => self.dma_left = low(self.dma_left),
            (0, 0xb) => self.dma_left = high(self.dma_left),
            (0, 0xc) => {
                self.rcr = value & 0x3f;
                let monitors = if value & MON != 0 { RSR_MONITORS } else { 0 };
                self.rsr = self.rsr & !RSR_MONITORS | monitors;
            }
            (0, 0xd) => self.tcr = value & 0x1f,
            (0, 0xe) => self.dcr = value & 0x7f,
            (0, 0xf) => self.imr = value & 0x7f,
            (1, 0x1..=0x6) => self.address[n - 1] = value,
            (1, 0x7) => {
                self.current = value;
                self.full = false;
            }
            (1, 0x8..=0xf) => self.multicast[n - 8] = value,
            // The rest are for the controller's own tests.
            _ => {}
        }
    }

    /// Drives the interrupt source and asks to be woken when something will be done.
    fn settle(&mut self, ctx: &mut DevCtx) {
        self.start_reception(ctx.now, ctx);
        ctx.set_line(self.line, self.isr & self.imr != 0);
        ctx.wake_at(self.tx_done.min(self.rx_done));
    }
}

crate::saved!(Ne2000 {
    ram, page, running, dma, dma_at, dma_left, isr, imr, dcr, tcr, tsr, rcr, rsr, tallies, address,
    multicast, tx_page, tx_bytes, start, stop, boundary, current, full, overflowed, tx_done, rx_done,
} given { line }
if |card| card.ram.len() == RAM_BYTES && card.page < 4 && card.dma <= DMA_NONE
    && card.tallies.iter().all(|&n| n <= TALLY_MOST)
    && plausible(card.tx_done) && plausible(card.rx_done));

impl Device for Ne2000 {
    fn name(&self) -> &'static str {
        "ne2000"
    }

    fn read(&mut self, offset: u32, width: Width, ctx: &mut DevCtx) -> u32 {
        self.catch_up(ctx);
        let value = match offset {
            0..DATA => u32::from(self.read_register(offset)),
            DATA..RESET => self.read_data(ctx) & (u32::MAX >> (32 - 8 * width.bytes())),
            _ => {
                self.reset();
                0
            }
        };
        self.settle(ctx);
        value
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, ctx: &mut DevCtx) {
        self.catch_up(ctx);
        match offset {
            0..DATA => self.write_register(offset, value as u8, ctx),
            DATA..RESET => self.write_data(value, ctx),
            // Drivers write back what they have read there.
            _ => {}
        }
        self.settle(ctx);
    }

    fn takes_half(&self, offset: u32) -> bool {
        (DATA..RESET).contains(&offset) && self.dcr & WTS != 0
    }

    fn fire(&mut self, ctx: &mut DevCtx) {
        self.catch_up(ctx);
        self.settle(ctx);
    }

    fn role(&mut self) -> Role<'_> {
        Role::NetworkInterface(self)
    }
}

impl NetworkInterface for Ne2000 {
    fn network_arrived(&mut self, ctx: &mut DevCtx) {
        self.catch_up(ctx);
        self.settle(ctx);
    }
}

#[cfg(test)]
#[path = "ne2000_tests.rs"]
mod tests;

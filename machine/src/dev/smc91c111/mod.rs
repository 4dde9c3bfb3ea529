// SPDX-License-Identifier: Apache-2.0
//! The Ethernet interface LAN91C111 (SMSC; data sheet DS00002276, "DS" below): four banks of
//! registers, packet memory with its own management unit, and a transceiver.
//!
//! A frame takes its time on the wire, at 100 or 10 Mbit/s, in both directions at once: when it has
//! gone out it is in `host.net`, and one that stands in `host.net` comes in at that speed. There
//! are no collisions and no errors on the wire. A frame for which there is no packet memory is
//! lost, as on hardware. What needs a time of its own there (the management unit's commands, data
//! that is fetched ahead for the pointer register) is done at once.
//!
//! Section numbers and register layouts were compared with Linux's driver and QEMU's device; DS
//! itself was not read (docs/network.md).

mod frame;
mod packets;
mod phy;
#[cfg(test)]
mod tests;

use super::{cycle_of, ethernet, DevCtx, Device, NetworkInterface, Role, Width};
use crate::event::{Cycle, NEVER};
use crate::state::plausible;

use frame::{RS_BROADCAST, RS_MULTICAST};
use packets::{Packets, NONE, PACKETS};
use phy::Phy;

/// Transmit control: own frames come in too, loop back, watch the carrier, full duplex, append no
/// CRC, pad, enable.
const TCR_SWFDUP: u16 = 0x8000;
const TCR_EPH_LOOP: u16 = 0x2000;
const TCR_FDUPLX: u16 = 0x0800;
const TCR_MON_CSN: u16 = 0x0400;
const TCR_NOCRC: u16 = 0x0100;
const TCR_PAD_EN: u16 = 0x0080;
const TCR_TXENA: u16 = 0x0001;
/// EPH status: link, carrier lost, last frame was a broadcast, a multicast, was sent.
const ES_LINK_OK: u16 = 0x4000;
const ES_LOST_CARRIER: u16 = 0x0400;
const ES_LTX_BRD: u16 = 0x0040;
const ES_LTX_MULT: u16 = 0x0008;
const ES_TX_SUC: u16 = 0x0001;
/// Receive control.
const RCR_SOFT_RST: u16 = 0x8000;
const RCR_STRIP_CRC: u16 = 0x0200;
const RCR_RXEN: u16 = 0x0100;
const RCR_ALMUL: u16 = 0x0004;
const RCR_PRMS: u16 = 0x0002;
const RCR_RX_ABORT: u16 = 0x0001;
/// Configuration after power-on (DS 8.11), and its power bit.
const CR_RESET: u16 = 0xa0b1;
const CR_EPH_POWER_EN: u16 = 0x8000;
/// Base address, of which the EEPROM's is 0: this board decodes the address itself.
const BASE: u16 = 0x0001;
/// Control.
const CTR_RESET: u16 = 0x1210;
const CTR_AUTO_RELEASE: u16 = 0x0800;
const CTR_LE_ENABLE: u16 = 0x0080;
const CTR_TE_ENABLE: u16 = 0x0020;
const CTR_EEPROM_SELECT: u16 = 0x0004;
const CTR_RELOAD: u16 = 0x0002;
const CTR_STORE: u16 = 0x0001;
/// Words of the EEPROM that hold the address (DS 11).
const EEPROM_ADDRESS: u16 = 0x20;
/// Pointer.
const PTR_RCV: u16 = 0x8000;
const PTR_AUTO_INCR: u16 = 0x4000;
/// Interrupts.
const INT_MD: u8 = 0x80;
const INT_EPH: u8 = 0x20;
const INT_RX_OVRN: u8 = 0x10;
const INT_ALLOC: u8 = 0x08;
const INT_TX_EMPTY: u8 = 0x04;
const INT_TX: u8 = 0x02;
const INT_RCV: u8 = 0x01;
/// Those that stay until they are acknowledged.
const LATCHED: u8 = INT_MD | INT_RX_OVRN | INT_TX_EMPTY;
/// Management interface: data out, data in, clock, output enable.
const MGMT_MDO: u8 = 0x01;
const MGMT_MDI: u8 = 0x02;
const MGMT_MCLK: u8 = 0x04;
const MGMT_MDOE: u8 = 0x08;
/// Chip 9, revision 1, as QEMU's.
const REVISION: u16 = 0x3391;
/// Bits of the management register and of ERCV that read as ones.
const MGMT_FIXED: u16 = 0x3330;
const ERCV: u16 = 0x001f;

/// The interface.
#[derive(Debug)]
pub struct Smc91c111 {
    line: u32,
    bank: u8,
    tcr: u16,
    /// EPH status of the last transmission.
    sent_status: u16,
    rcr: u16,
    rpcr: u16,
    cr: u16,
    base: u16,
    /// The interface's address, unless it is still the EEPROM's.
    address: Option<[u8; 6]>,
    gpr: u16,
    ctr: u16,
    number: u8,
    pointer: u16,
    latched: u8,
    mask: u8,
    multicast: [u8; 8],
    mgmt: u8,
    packets: Packets,
    phy: Phy,
    /// The link as the MAC saw it last, and whether it has changed since that was asked for.
    link: bool,
    link_changed: bool,
    /// A transmission failed since the transmitter was enabled.
    failed: bool,
    /// When the frame that goes out is out, and the one that comes in is in.
    tx_done: Cycle,
    rx_done: Cycle,
}

crate::saved!(Smc91c111 {
    bank, tcr, sent_status, rcr, rpcr, cr, base, address, gpr, ctr, number, pointer, latched, mask,
    multicast, mgmt, packets, phy, link, link_changed, failed, tx_done, rx_done,
} given { line }
if |nic| nic.packets.plausible() && nic.phy.plausible() && plausible(nic.tx_done)
    && plausible(nic.rx_done) && (nic.tx_done == NEVER || !nic.packets.to_send.is_empty()));

impl Smc91c111 {
    /// An interface that asserts interrupt source `line`. Its address and its cable are those of
    /// `host.net`.
    #[must_use]
    pub fn new(line: u32) -> Self {
        Self {
            line,
            bank: 0,
            tcr: 0,
            sent_status: 0,
            rcr: 0,
            rpcr: 0,
            cr: CR_RESET,
            base: BASE,
            address: None,
            gpr: 0,
            ctr: CTR_RESET,
            number: 0,
            pointer: 0,
            latched: 0,
            mask: 0,
            multicast: [0; 8],
            mgmt: 0,
            packets: Packets::default(),
            phy: Phy::default(),
            link: false,
            link_changed: false,
            failed: false,
            tx_done: NEVER,
            rx_done: NEVER,
        }
    }

    /// A reset by RCR: all but configuration, base and the EEPROM's (DS 8.6). Packet memory keeps
    /// its bytes, the transceiver its state.
    fn soft_reset(&mut self) {
        let old = std::mem::replace(self, Self::new(self.line));
        self.packets = old.packets;
        self.packets.reset();
        (self.phy, self.link) = (old.phy, old.link);
        (self.cr, self.base) = (old.cr, old.base);
        self.rcr = RCR_SOFT_RST;
    }

    fn powered(&self) -> bool {
        self.cr & CR_EPH_POWER_EN != 0
    }

    fn address(&self, ctx: &DevCtx) -> [u8; 6] {
        self.address.unwrap_or(ctx.host.net.mac.0)
    }

    /// Cycles that a frame of `bytes` takes on the wire.
    fn duration(&self, bytes: usize, clock_hz: u64) -> u64 {
        cycle_of(ethernet::wire_bits(bytes), self.phy.bit_rate(), clock_hz)
    }

    /// Lets the wire do what it has done since the last look.
    fn catch_up(&mut self, ctx: &mut DevCtx) {
        if self.phy.look(ctx.host.net.cable, ctx.now, ctx.clock_hz) {
            self.latched |= INT_MD;
        }
        if self.phy.up() != self.link {
            self.link = !self.link;
            self.link_changed = true;
        }
        while self.tx_done <= ctx.now {
            let done = std::mem::replace(&mut self.tx_done, NEVER);
            self.transmitted(ctx);
            self.start_transmission(done, ctx.clock_hz);
        }
        if !self.link {
            ctx.host.net.incoming.clear();
            self.rx_done = NEVER;
        }
        while self.rx_done <= ctx.now {
            let done = std::mem::replace(&mut self.rx_done, NEVER);
            if let Some(frame) = ctx.host.net.incoming.pop_front() {
                self.receive(&frame, ctx);
            }
            self.start_reception(done, ctx);
        }
    }

    fn start_transmission(&mut self, start: Cycle, clock_hz: u64) {
        let Some(&number) = self.packets.to_send.front() else {
            return;
        };
        if self.tx_done == NEVER && self.tcr & TCR_TXENA != 0 && self.powered() {
            let packet = self.packets.bytes(number).and_then(frame::outgoing);
            let bytes = packet.map_or(0, |(data, _)| data.len());
            self.tx_done = start + self.duration(bytes, clock_hz);
        }
    }

    fn start_reception(&mut self, start: Cycle, ctx: &DevCtx) {
        if let (Some(frame), NEVER, true) = (ctx.host.net.incoming.front(), self.rx_done, self.link)
        {
            self.rx_done = start + self.duration(frame.len(), ctx.clock_hz);
        }
    }

    /// The first packet of the queue has gone out.
    fn transmitted(&mut self, ctx: &mut DevCtx) {
        let Some(number) = self.packets.to_send.pop_front() else {
            return;
        };
        let packet = self.packets.bytes(number).and_then(frame::outgoing);
        let sent = packet.and_then(|(data, crc)| {
            let pad = self.tcr & TCR_PAD_EN != 0;
            ethernet::on_wire(data, pad, crc || self.tcr & TCR_NOCRC == 0)
        });
        let mut status = match sent.as_ref().map(|frame| &frame[..6]) {
            Some([0xff, 0xff, 0xff, 0xff, 0xff, 0xff]) => ES_LTX_BRD,
            Some([first, ..]) if first & 1 != 0 => ES_LTX_MULT,
            _ => 0,
        };
        let loops = self.tcr & TCR_EPH_LOOP != 0 || self.phy.loops();
        let full_duplex = self.tcr & (TCR_SWFDUP | TCR_FDUPLX) != 0;
        if self.tcr & TCR_MON_CSN != 0 && !full_duplex && !loops && !self.link {
            status |= ES_LOST_CARRIER;
            self.failed = true;
            self.tcr &= !TCR_TXENA;
        } else {
            status |= ES_TX_SUC;
            match sent {
                // Without full duplex an interface does not hear itself (DS 8.4).
                Some(frame) if loops && !full_duplex && frame[6..12] == self.address(ctx) => {}
                Some(frame) if loops => self.receive(&frame, ctx),
                Some(frame) if self.link => ctx.host.net.send(frame),
                _ => {}
            }
        }
        self.sent_status = status;
        let status = self.eph_status().to_le_bytes();
        if let Some(packet) = self.packets.bytes_mut(number) {
            packet[..2].copy_from_slice(&status);
        }
        if self.ctr & CTR_AUTO_RELEASE != 0 && !self.failed {
            self.packets.release(number);
        } else {
            Packets::push(&mut self.packets.sent, number);
        }
        if self.packets.to_send.is_empty() {
            self.latched |= INT_TX_EMPTY;
        }
    }

    /// A frame is here: keeps it, if it is for this interface and there is room.
    fn receive(&mut self, frame: &[u8], ctx: &DevCtx) {
        let Some((target, _)) = frame.split_at_checked(6) else {
            return;
        };
        if self.rcr & RCR_RXEN == 0 || !self.powered() {
            return;
        }
        let hash = ethernet::hash(target);
        let mut status = u16::from(hash) << 1;
        let wanted = if target == [0xff; 6] {
            status |= RS_BROADCAST;
            true
        } else if target[0] & 1 != 0 {
            status |= RS_MULTICAST;
            let listed = self.multicast[usize::from(hash >> 3)] & 1 << (hash & 7) != 0;
            listed || self.rcr & RCR_ALMUL != 0
        } else {
            target == self.address(ctx)
        };
        if !wanted && self.rcr & RCR_PRMS == 0 {
            return;
        }
        let strip = self.rcr & RCR_STRIP_CRC != 0;
        let Some(number) = self.packets.take() else {
            self.latched |= INT_RX_OVRN;
            return;
        };
        let packet = self.packets.bytes_mut(number);
        if packet.is_some_and(|packet| frame::store(packet, frame, status, strip)) {
            Packets::push(&mut self.packets.received, number);
        } else {
            self.packets.release(number);
            self.rcr |= RCR_RX_ABORT;
            self.latched |= INT_RX_OVRN;
        }
    }

    fn eph_status(&self) -> u16 {
        self.sent_status | if self.link { ES_LINK_OK } else { 0 }
    }

    /// The interrupt status register.
    fn interrupts(&self) -> u8 {
        let when = |condition: bool, bit: u8| if condition { bit } else { 0 };
        let link = self.link_changed && self.ctr & CTR_LE_ENABLE != 0;
        let failed = self.failed && self.ctr & CTR_TE_ENABLE != 0;
        self.latched
            | when(self.packets.to_send.is_empty(), INT_TX_EMPTY)
            | when(link || failed, INT_EPH)
            | when(self.packets.allocated() != NONE, INT_ALLOC)
            | when(!self.packets.sent.is_empty(), INT_TX)
            | when(!self.packets.received.is_empty(), INT_RCV)
    }

    /// Drives the interrupt source and asks to be woken when something will be done.
    fn settle(&mut self, ctx: &mut DevCtx) {
        self.start_transmission(ctx.now, ctx.clock_hz);
        self.start_reception(ctx.now, ctx);
        ctx.set_line(self.line, self.interrupts() & self.mask != 0);
        ctx.wake_at(self.tx_done.min(self.rx_done).min(self.phy.deadline()));
    }

    /// A command to the memory management unit (DS 8.16).
    fn command(&mut self, command: u8) {
        match command {
            1 => self.packets.allocate(),
            2 => {
                self.packets.reset();
                self.number = 0;
                self.tx_done = NEVER;
                self.latched &= !INT_RX_OVRN;
            }
            3 => {
                self.packets.received.pop_front();
            }
            4 => {
                if let Some(number) = self.packets.received.pop_front() {
                    self.packets.release(number);
                }
            }
            5 => self.packets.release(self.number),
            6 => self.packets.enqueue(self.number),
            7 => {
                self.packets.to_send.clear();
                self.packets.sent.clear();
                self.tx_done = NEVER;
            }
            _ => {}
        }
    }

    /// The packet and the place in it to which the data register leads, which moves on. Without
    /// auto-increment the place also depends on the byte of the register (as QEMU has it).
    fn data_place(&mut self, offset: u32) -> (u8, usize) {
        let number = if self.pointer & PTR_RCV != 0 {
            self.packets.received.front().copied().unwrap_or(PACKETS)
        } else {
            self.number
        };
        let mut at = self.pointer & 0x7ff;
        if self.pointer & PTR_AUTO_INCR != 0 {
            self.pointer = self.pointer & 0xf800 | (at + 1) & 0x7ff;
        } else {
            at = (at + (offset & 3) as u16) & 0x7ff;
        }
        (number, usize::from(at))
    }

    /// Reads or stores the EEPROM, as the control register's two lowest bits ask. Only the
    /// interface's address is in it, and it cannot be written.
    fn use_eeprom(&mut self, ctx: &DevCtx) {
        if self.ctr & CTR_RELOAD != 0 {
            if self.ctr & CTR_EEPROM_SELECT == 0 {
                (self.cr, self.base, self.address) = (CR_RESET, BASE, None);
            } else {
                let word = usize::from((self.pointer & 0x3f).wrapping_sub(EEPROM_ADDRESS));
                let bytes = ctx.host.net.mac.0;
                let bytes = bytes.chunks(2).nth(word).unwrap_or(&[0, 0]);
                self.gpr = u16::from_le_bytes([bytes[0], bytes[1]]);
            }
        }
        self.ctr &= !(CTR_RELOAD | CTR_STORE);
    }

    fn read_byte(&mut self, offset: u32, ctx: &DevCtx) -> u8 {
        if let (2, 8..=11) = (self.bank, offset) {
            let (number, at) = self.data_place(offset);
            return self.packets.bytes(number).map_or(0, |packet| packet[at]);
        }
        let number = |queue: &std::collections::VecDeque<u8>| {
            u16::from(queue.front().copied().unwrap_or(NONE))
        };
        let register = match (self.bank, offset & !1) {
            (_, 14) => 0x3300 | u16::from(self.bank),
            (0, 0) => self.tcr,
            (0, 2) => self.eph_status(),
            (0, 4) => self.rcr,
            (0, 8) => u16::from(self.packets.free()) << 8 | u16::from(PACKETS),
            (0, 10) => self.rpcr,
            (1, 0) => self.cr,
            (1, 2) => self.base,
            (1, 4..=9) => return self.address(ctx)[offset as usize - 4],
            (1, 10) => self.gpr,
            (1, 12) => self.ctr,
            (2, 2) => u16::from(self.packets.allocated()) << 8 | u16::from(self.number),
            (2, 4) => number(&self.packets.received) << 8 | number(&self.packets.sent),
            (2, 6) => self.pointer,
            (2, 12) => u16::from(self.mask) << 8 | u16::from(self.interrupts()),
            (3, 0..=7) => return self.multicast[offset as usize],
            (3, 8) => {
                let driven = self.mgmt & MGMT_MDOE != 0;
                let data = !driven && self.phy.data() || driven && self.mgmt & MGMT_MDO != 0;
                MGMT_FIXED | u16::from(self.mgmt) | if data { u16::from(MGMT_MDI) } else { 0 }
            }
            (3, 10) => REVISION,
            (3, 12) => ERCV,
            // No collision is ever counted, the management unit is never busy.
            _ => 0,
        };
        register.to_le_bytes()[offset as usize & 1]
    }

    fn write_byte(&mut self, offset: u32, byte: u8, ctx: &DevCtx) {
        let put = |register: &mut u16| {
            let mut bytes = register.to_le_bytes();
            bytes[offset as usize & 1] = byte;
            *register = u16::from_le_bytes(bytes);
        };
        match (self.bank, offset) {
            (_, 14) => self.bank = byte & 7,
            (0, 0 | 1) => {
                let enabled = self.tcr & TCR_TXENA != 0;
                put(&mut self.tcr);
                if !enabled && self.tcr & TCR_TXENA != 0 {
                    self.sent_status = 0;
                    self.failed = false;
                }
            }
            (0, 4 | 5) => {
                put(&mut self.rcr);
                if self.rcr & RCR_SOFT_RST != 0 {
                    self.soft_reset();
                }
            }
            (0, 10 | 11) => put(&mut self.rpcr),
            (1, 0 | 1) => put(&mut self.cr),
            (1, 2 | 3) => put(&mut self.base),
            (1, 4..=9) => {
                let mut address = self.address(ctx);
                address[offset as usize - 4] = byte;
                self.address = Some(address);
            }
            (1, 10 | 11) => put(&mut self.gpr),
            (1, 12 | 13) => {
                put(&mut self.ctr);
                if self.ctr & CTR_LE_ENABLE == 0 {
                    self.link_changed = false;
                }
                self.use_eeprom(ctx);
            }
            (2, 0) => self.command(byte >> 5),
            (2, 2) => self.number = byte & 0x3f,
            (2, 6 | 7) => put(&mut self.pointer),
            (2, 8..=11) => {
                let (number, at) = self.data_place(offset);
                if let Some(packet) = self.packets.bytes_mut(number) {
                    packet[at] = byte;
                }
            }
            (2, 12) => {
                self.latched &= !(byte & LATCHED);
                if byte & INT_TX != 0 {
                    self.packets.sent.pop_front();
                }
            }
            (2, 13) => self.mask = byte,
            (3, 0..=7) => self.multicast[offset as usize] = byte,
            (3, 8) => {
                self.mgmt = byte & (MGMT_MDO | MGMT_MCLK | MGMT_MDOE);
                let (clock, driven) = (byte & MGMT_MCLK != 0, byte & MGMT_MDOE != 0);
                self.phy.clock(clock, driven, byte & MGMT_MDO != 0);
            }
            // The rest is read-only or not there.
            _ => {}
        }
    }
}

impl Device for Smc91c111 {
    fn name(&self) -> &'static str {
        "smc91c111"
    }

    fn read(&mut self, offset: u32, width: Width, ctx: &mut DevCtx) -> u32 {
        self.catch_up(ctx);
        let start = offset & 15 & !(width.bytes() - 1);
        let mut value = 0;
        for byte in 0..width.bytes() {
            value |= u32::from(self.read_byte(start + byte, ctx)) << (8 * byte);
        }
        self.settle(ctx);
        value
    }

    fn write(&mut self, offset: u32, value: u32, width: Width, ctx: &mut DevCtx) {
        self.catch_up(ctx);
        let start = offset & 15 & !(width.bytes() - 1);
        // A word that holds the bank select register writes nothing but that: drivers select banks
        // so where the bus cannot write half of a word (as Linux's and QEMU have it).
        let skip = if start == 12 && width == Width::Word {
            2
        } else {
            0
        };
        for byte in skip..width.bytes() {
            self.write_byte(start + byte, (value >> (8 * byte)) as u8, ctx);
        }
        // Register 18 of the transceiver follows what was written to it at once.
        self.catch_up(ctx);
        self.settle(ctx);
    }

    fn fire(&mut self, ctx: &mut DevCtx) {
        self.catch_up(ctx);
        self.settle(ctx);
    }

    fn role(&mut self) -> Role<'_> {
        Role::NetworkInterface(self)
    }
}

impl NetworkInterface for Smc91c111 {
    fn network_arrived(&mut self, ctx: &mut DevCtx) {
        self.catch_up(ctx);
        self.settle(ctx);
    }
}

// SPDX-License-Identifier: Apache-2.0
//! The interface as a driver meets it, register by register.

use super::*;
use crate::dev::bench::{Bench, CLOCK_HZ};
use crate::dev::network::Mac;

const LINE: u32 = 25;
const MAC: [u8; 6] = [2, 4, 6, 8, 10, 12];
/// Cycles that a byte takes at 100 Mbit/s.
const BYTE: u64 = CLOCK_HZ / 12_500_000;

type Nic = Bench<Smc91c111>;

/// An interface with a cable, reset and enabled as a driver does it.
fn enabled() -> Nic {
    let mut b = plugged();
    b.set(0, 0, TCR_TXENA | TCR_PAD_EN);
    b.set(0, 4, RCR_RXEN | RCR_STRIP_CRC);
    b.set(1, 12, b_control() | CTR_AUTO_RELEASE);
    b
}

fn b_control() -> u16 {
    CTR_RESET
}

fn plugged() -> Nic {
    let mut b = Bench::new(Smc91c111::new(LINE));
    b.host.net.mac = Mac(MAC);
    b.host.net.cable = true;
    b
}

impl Nic {
    fn half(&mut self, offset: u32, value: u16) {
        self.with(|d, ctx| d.write(offset, u32::from(value), Width::Half, ctx));
    }

    fn set(&mut self, bank: u16, offset: u32, value: u16) {
        self.half(14, bank);
        self.half(offset, value);
    }

    fn get(&mut self, bank: u16, offset: u32) -> u16 {
        self.half(14, bank);
        self.read_part(offset, Width::Half) as u16
    }

    fn status(&mut self) -> u8 {
        self.get(2, 12) as u8
    }

    /// Puts a packet into memory as Linux's driver does, and queues it. Returns its number.
    fn transmit(&mut self, data: &[u8]) -> u16 {
        self.set(2, 0, 1 << 5);
        assert_eq!(self.status() & INT_ALLOC, INT_ALLOC);
        let number = self.get(2, 2) >> 8;
        self.set(2, 2, number);
        self.set(2, 6, PTR_AUTO_INCR);
        self.half(8, 0);
        self.half(8, data.len() as u16 + 6);
        for pair in data.chunks_exact(2) {
            self.half(8, u16::from_le_bytes([pair[0], pair[1]]));
        }
        match data.chunks_exact(2).remainder() {
            [last] => self.half(8, 0x2000 | u16::from(*last)),
            _ => self.half(8, 0),
        }
        self.set(2, 0, 6 << 5);
        number
    }

    /// A frame comes in, which takes until its end.
    fn arrives(&mut self, frame: &[u8]) {
        self.host.net.incoming.push_back(frame.to_vec());
        self.with(|device, ctx| device.network_arrived(ctx));
        let wire = (frame.len().max(60) as u64 + 24) * BYTE;
        let end = self.now + wire;
        self.run_to(end);
    }

    /// Takes the first received packet: status, count and everything after.
    fn take(&mut self) -> (u16, u16, Vec<u8>) {
        self.set(2, 6, PTR_RCV | PTR_AUTO_INCR | 0x2000);
        let status = self.read_part(8, Width::Half) as u16;
        let count = self.read_part(8, Width::Half) as u16;
        let mut data = Vec::new();
        while data.len() + 4 < usize::from(count) {
            data.extend((self.read_part(8, Width::Half) as u16).to_le_bytes());
        }
        self.set(2, 0, 4 << 5);
        (status, count, data)
    }

    fn mdio(&mut self, bits: u64, count: u32) {
        for n in (0..count).rev() {
            let bit = (bits >> n & 1) as u16;
            self.set(3, 8, 8 | bit);
            self.set(3, 8, 8 | 4 | bit);
        }
    }

    fn phy_read(&mut self, address: u64, register: u64) -> u16 {
        self.mdio(u64::from(u32::MAX), 32);
        self.mdio(0b0110 << 10 | address << 5 | register, 14);
        let mut value = 0u32;
        for _ in 0..18 {
            self.set(3, 8, 0);
            value = value << 1 | u32::from(self.get(3, 8) >> 1 & 1);
            self.set(3, 8, 4);
        }
        value as u16
    }

    fn phy_write(&mut self, register: u64, value: u16) {
        self.mdio(u64::from(u32::MAX), 32);
        self.mdio(
            0b0101 << 28 | register << 18 | 2 << 16 | u64::from(value),
            32,
        );
        self.set(3, 8, 0);
    }
}

fn frame_to(target: [u8; 6], length: usize) -> Vec<u8> {
    let mut frame = target.to_vec();
    frame.extend([2, 0, 0, 0, 0, 9, 8, 0]);
    frame.extend((frame.len()..length).map(|n| n as u8));
    frame
}

#[test]
fn a_driver_finds_chip_and_address() {
    let mut b = plugged();
    assert_eq!(b.get(3, 14), 0x3303);
    assert_eq!(b.get(3, 10), 0x3391);
    assert_eq!(b.get(0, 8), 0x0404);
    assert_eq!(
        [b.get(1, 4), b.get(1, 6), b.get(1, 8)],
        [0x0402, 0x0806, 0x0c0a]
    );
    // in bytes and in words as well
    b.half(14, 1);
    assert_eq!(b.read_part(5, Width::Byte), 4);
    assert_eq!(b.read_part(4, Width::Word), 0x0806_0402);
    // a word at the bank register writes nothing else
    b.set(2, 12, 0xff00);
    b.write(12, 3 << 16);
    assert_eq!((b.get(3, 14), b.get(2, 12) >> 8), (0x3303, 0xff));
    // another address, until reset
    b.set(1, 4, 0x1100);
    assert_eq!(b.get(1, 4), 0x1100);
    b.set(0, 4, RCR_SOFT_RST);
    b.set(0, 4, 0);
    assert_eq!((b.get(1, 4), b.get(2, 12) >> 8), (0x0402, 0));
}

#[test]
fn a_frame_goes_out_in_its_time() {
    let mut b = enabled();
    b.set(2, 12, u16::from(INT_TX_EMPTY) << 8);
    assert_eq!(b.lines, 1 << LINE); // nothing is queued
    let sent = frame_to([0x10, 2, 3, 4, 5, 6], 101);
    b.transmit(&sent);
    b.half(12, u16::from(INT_TX_EMPTY) << 8 | u16::from(INT_TX_EMPTY));
    assert_eq!((b.lines, b.get(0, 8)), (0, 0x0304));
    // preamble, frame, CRC, gap
    let done = (101 + 24) * BYTE;
    b.run_to(done - 1);
    assert!(b.host.net.outgoing.is_empty() && b.lines == 0);
    b.run_to(done);
    assert_eq!(b.host.net.outgoing, [sent]);
    assert_eq!((b.lines, b.get(0, 8)), (1 << LINE, 0x0404)); // released by itself
    assert_eq!(b.get(0, 2), ES_LINK_OK | ES_TX_SUC);
    assert_eq!(b.status() & INT_TX, 0);
}

#[test]
fn short_frames_are_padded_or_lost() {
    let mut b = enabled();
    let short = frame_to([0xff; 6], 20);
    b.transmit(&short);
    b.run_to(84 * BYTE);
    let mut padded = short.clone();
    padded.resize(60, 0);
    assert_eq!(b.host.net.outgoing, [padded]);
    assert_eq!(b.get(0, 2), ES_LINK_OK | ES_LTX_BRD | ES_TX_SUC);
    b.set(0, 0, TCR_TXENA);
    b.transmit(&short);
    b.run_to(1000 * BYTE);
    assert_eq!(b.host.net.outgoing.len(), 1);
}

#[test]
fn a_crc_of_the_guests_own_must_be_right() {
    let mut b = enabled();
    b.set(0, 0, TCR_TXENA | TCR_NOCRC);
    let mut frame = frame_to([0x10; 6], 64);
    let crc = ethernet::crc(&frame);
    frame.extend(crc);
    b.transmit(&frame);
    frame[67] ^= 1;
    b.transmit(&frame);
    b.run_to(1000 * BYTE);
    assert_eq!(b.host.net.outgoing, [frame[..64].to_vec()]);
    assert_eq!(ethernet::crc(b"123456789"), 0xcbf4_3926u32.to_le_bytes());
}

#[test]
fn without_auto_release_completion_is_reported_in_order() {
    let mut b = enabled();
    b.set(1, 12, CTR_RESET & !CTR_AUTO_RELEASE);
    let first = b.transmit(&frame_to([0x11; 6], 60));
    let second = b.transmit(&frame_to([0x10; 6], 60));
    assert_eq!(b.get(2, 4), 0x8080);
    b.run_to(84 * BYTE);
    assert_eq!(b.get(2, 4), 0x8000 | first);
    b.run_to(2 * 84 * BYTE);
    assert_eq!(b.host.net.outgoing.len(), 2);
    // status word in memory: a multicast
    b.set(2, 2, first);
    b.set(2, 6, PTR_AUTO_INCR | 0x2000);
    assert_eq!(
        b.read_part(8, Width::Half) as u16,
        ES_LINK_OK | ES_LTX_MULT | ES_TX_SUC
    );
    b.set(2, 0, 5 << 5);
    b.set(2, 12, u16::from(INT_TX));
    assert_eq!(
        (b.get(2, 4), b.status() & INT_TX),
        (0x8000 | second, INT_TX)
    );
    b.set(2, 12, u16::from(INT_TX));
    assert_eq!((b.get(2, 4), b.status() & INT_TX), (0x8080, 0));
    assert_eq!(b.get(0, 8), 0x0304);
}

#[test]
fn an_allocation_waits_for_memory() {
    let mut b = enabled();
    for number in 0..4 {
        b.set(2, 0, 1 << 5);
        assert_eq!(b.get(2, 2) >> 8, number);
    }
    b.set(2, 12, u16::from(INT_ALLOC) << 8);
    b.set(2, 0, 1 << 5);
    assert_eq!((b.get(2, 2) >> 8, b.lines), (0x80, 0));
    b.set(2, 2, 2);
    b.set(2, 0, 5 << 5);
    assert_eq!((b.get(2, 2) >> 8, b.lines), (2, 1 << LINE));
    b.set(2, 0, 2 << 5);
    assert_eq!((b.get(2, 2), b.lines, b.get(0, 8)), (0x8000, 0, 0x0404));
}

#[test]
fn frames_come_in_with_status_count_and_control() {
    let mut b = enabled();
    b.set(2, 12, u16::from(INT_RCV) << 8);
    let even = frame_to(MAC, 60);
    b.arrives(&even);
    assert_eq!((b.lines, b.get(2, 4)), (1 << LINE, 0x0080));
    let (status, count, data) = b.take();
    assert_eq!((status & !0x7e, count), (0, 66));
    assert_eq!((&data[..60], &data[60..]), (&even[..], &[0, 0x40][..]));
    assert_eq!((b.lines, b.get(0, 8)), (0, 0x0404));
    let odd = frame_to([0xff; 6], 61);
    b.arrives(&odd);
    let (status, count, data) = b.take();
    assert_eq!((status & !0x7e, count), (0x5000, 66));
    assert_eq!((&data[..61], data[61]), (&odd[..], 0x60));
    // with its CRC, and padded by who sent it
    b.set(0, 4, RCR_RXEN);
    b.arrives(&frame_to(MAC, 42));
    let (_, count, data) = b.take();
    assert_eq!((count, data.len()), (70, 66));
    assert_eq!(data[60..64], ethernet::crc(&data[..60]));
    // reads of other widths take the same bytes
    b.arrives(&even);
    b.set(2, 6, PTR_RCV | PTR_AUTO_INCR | 4);
    assert_eq!(b.read(8).to_le_bytes(), even[..4]);
    assert_eq!(b.read_part(10, Width::Byte), u32::from(even[4]));
    assert_eq!(b.get(2, 6) & 0x7ff, 9);
}

#[test]
fn only_frames_for_this_interface_come_in() {
    let mut b = enabled();
    let group = [0x01, 0x00, 0x5e, 0x00, 0x00, 0xfb];
    let comes = |b: &mut Nic, target| {
        b.arrives(&frame_to(target, 64));
        let here = b.status() & INT_RCV != 0;
        b.set(2, 0, 4 << 5);
        here
    };
    assert!(comes(&mut b, MAC) && comes(&mut b, [0xff; 6]));
    assert!(!comes(&mut b, [2, 4, 6, 8, 10, 13]) && !comes(&mut b, group));
    // the place of the group in the table, as Linux's driver computes it
    let position = ethernet::crc_register(&group) & 0x3f;
    let invert = |n: u32| [0, 4, 2, 6, 1, 5, 3, 7][n as usize & 7];
    let (byte, bit) = (invert(position), invert(position >> 3));
    let half = 1u16 << bit << (8 * (byte & 1));
    b.set(3, byte & !1, half);
    assert!(comes(&mut b, group) && !comes(&mut b, [0x01, 0, 0x5e, 0, 0, 0xfa]));
    b.set(3, byte & !1, 0);
    b.set(0, 4, RCR_RXEN | RCR_ALMUL);
    assert!(comes(&mut b, group) && !comes(&mut b, [2; 6]));
    b.set(0, 4, RCR_RXEN | RCR_PRMS);
    assert!(comes(&mut b, [2; 6]));
    b.set(0, 4, 0);
    assert!(!comes(&mut b, MAC));
}

#[test]
fn what_does_not_fit_is_lost_and_said() {
    let mut b = enabled();
    b.set(2, 12, u16::from(INT_RX_OVRN) << 8);
    for n in 0..5 {
        assert_eq!(b.lines, 0, "{n}");
        b.arrives(&frame_to(MAC, 64 + n));
    }
    assert_eq!((b.lines, b.get(0, 8)), (1 << LINE, 0x0004));
    b.set(2, 12, u16::from(INT_RX_OVRN) << 8 | u16::from(INT_RX_OVRN));
    assert_eq!(b.lines, 0);
    for n in 0..4 {
        assert_eq!(b.take().2.len(), (66 + n) & !1);
    }
    assert_eq!(b.get(2, 4), 0x8080);
    // the longest, longer than Ethernet's, and longer than a packet
    b.arrives(&frame_to(MAC, 1514));
    assert_eq!(b.take().0 & 0x0800, 0);
    b.arrives(&frame_to(MAC, 2042));
    assert_eq!((b.take().0 & 0x0800, b.get(0, 4) & 1), (0x0800, 0));
    b.arrives(&frame_to(MAC, 2044));
    assert_eq!(
        (b.get(2, 4), b.get(0, 4) & 1, b.get(0, 8)),
        (0x8080, 1, 0x0404)
    );
}

#[test]
fn every_byte_of_the_longest_frames_is_kept() {
    let mut b = enabled();
    for length in [1513, 1514] {
        let frame: Vec<u8> = frame_to(MAC, length)
            .iter()
            .enumerate()
            .map(|(n, byte)| if n < 14 { *byte } else { (n * 7 / 5) as u8 })
            .collect();
        b.arrives(&frame);
        assert_eq!(b.take().2[..length], frame);
        b.transmit(&frame);
        let sent = b.now + (length as u64 + 24) * BYTE;
        b.run_to(sent);
        assert_eq!(b.host.net.outgoing.pop(), Some(frame));
    }
}

#[test]
fn commands_move_packets_between_queues() {
    let mut b = enabled();
    let command = |b: &mut Nic, number: u16| b.set(2, 0, number << 5);
    // 3: the first of those received goes out of the queue and stays held, until 5 releases it
    b.arrives(&frame_to(MAC, 60));
    b.arrives(&frame_to(MAC, 70));
    let first = b.get(2, 4) >> 8;
    command(&mut b, 3);
    assert_ne!(b.get(2, 4) >> 8, first);
    assert_eq!(b.get(0, 8), 0x0204);
    b.set(2, 2, first);
    command(&mut b, 5);
    assert_eq!(b.get(0, 8), 0x0304);
    // its bytes are still those of the frame, read by its number instead of as received
    b.set(2, 6, PTR_AUTO_INCR | 4);
    assert_eq!(b.read(8).to_le_bytes(), MAC[..4]);
    // 4: the second goes out of the queue and is released
    command(&mut b, 4);
    assert_eq!((b.get(2, 4), b.get(0, 8)), (0x8080, 0x0404));
    // 7: what waits to be sent never is, and its packets stay held
    b.set(1, 12, CTR_RESET & !CTR_AUTO_RELEASE);
    let sent = b.transmit(&frame_to([0x10; 6], 60));
    let next = b.now + 84 * BYTE;
    b.run_to(next);
    b.transmit(&frame_to([0x10; 6], 61));
    b.transmit(&frame_to([0x10; 6], 62));
    assert_eq!(b.get(2, 4), 0x8000 | sent);
    command(&mut b, 7);
    let later = b.now + 1000 * BYTE;
    b.run_to(later);
    assert_eq!(b.host.net.outgoing.len(), 1);
    assert_eq!((b.get(2, 4), b.get(0, 8)), (0x8080, 0x0104));
    // 2: all is free again, and it goes on as ever
    command(&mut b, 2);
    assert_eq!(b.get(0, 8), 0x0404);
    let again = frame_to([0x10; 6], 63);
    b.transmit(&again);
    let later = b.now + 1000 * BYTE;
    b.run_to(later);
    assert_eq!(b.host.net.outgoing.last(), Some(&again));
}

#[test]
fn a_frame_that_comes_during_another_takes_its_turn() {
    let mut b = enabled();
    b.set(2, 12, u16::from(INT_RCV) << 8);
    b.host.net.incoming.push_back(frame_to(MAC, 100));
    b.host.net.incoming.push_back(frame_to([0xff; 6], 200));
    b.with(|device, ctx| device.network_arrived(ctx));
    b.run_to((100 + 24) * BYTE - 1);
    assert_eq!((b.lines, b.get(0, 8)), (0, 0x0404));
    b.run_to((100 + 24) * BYTE);
    assert_eq!((b.lines, b.get(0, 8)), (1 << LINE, 0x0304));
    b.run_to((100 + 24 + 200 + 24) * BYTE - 1);
    assert_eq!(b.get(0, 8), 0x0304);
    b.run_to((100 + 24 + 200 + 24) * BYTE);
    assert_eq!(b.get(0, 8), 0x0204);
    // the interrupt stays until the last is taken
    assert_eq!(b.take().2.len(), 102);
    assert_eq!(b.lines, 1 << LINE);
    assert_eq!(b.take().2.len(), 202);
    assert_eq!(b.lines, 0);
}

#[test]
fn the_transceiver_is_found_and_negotiates() {
    let mut b = plugged();
    assert_eq!(b.phy_read(0, 2), 0x0016);
    assert_eq!(b.phy_read(0, 3), 0xf840);
    assert_eq!([b.phy_read(1, 2), b.phy_read(31, 3)], [0, 0]);
    assert_eq!(b.phy_read(0, 1) & 0x7849, 0x7809);
    assert_eq!(b.phy_read(0, 1) & 4, 4);
    // down until negotiation is over; that it was is seen once more
    b.phy_read(0, 18);
    b.phy_write(19, 0xff80 & !0x4000);
    b.set(2, 12, u16::from(INT_MD) << 8);
    b.phy_write(4, 0x0021);
    assert_eq!(b.phy_read(0, 4), 0x0021);
    b.phy_write(0, 0x1200);
    assert_eq!((b.phy_read(0, 1) & 0x24, b.get(0, 2) & ES_LINK_OK), (0, 0));
    assert_eq!(b.lines, 1 << LINE);
    assert_eq!(b.phy_read(0, 18) & 0xc000, 0xc000);
    b.set(2, 12, u16::from(INT_MD) << 8 | u16::from(INT_MD));
    assert_eq!(b.lines, 0);
    b.run_to(CLOCK_HZ * 3 / 2);
    assert_eq!((b.lines, b.get(0, 2)), (1 << LINE, ES_LINK_OK));
    assert_eq!(
        [b.phy_read(0, 1) & 0x24, b.phy_read(0, 1) & 0x24],
        [0x20, 0x24]
    );
    assert_eq!(b.phy_read(0, 18) & 0xc0c0, 0x8000);
    assert_eq!(b.phy_read(0, 18) & 0xc0c0, 0);
    // a change that was latched while it was masked does not hide the next
    b.phy_write(19, 0xffc0);
    b.phy_write(0, 0x1200);
    b.phy_write(19, 0x3fc0);
    b.set(2, 12, u16::from(INT_MD) << 8 | u16::from(INT_MD));
    assert_eq!(b.lines, 0);
    b.run_to(CLOCK_HZ * 3);
    assert_eq!(b.lines, 1 << LINE);
    // 10 Mbit/s was all that it advertised
    b.set(0, 0, TCR_TXENA | TCR_PAD_EN);
    let start = b.now;
    b.transmit(&frame_to([0x10; 6], 60));
    b.run_to(start + 840 * BYTE - 1);
    assert!(b.host.net.outgoing.is_empty());
    b.run_to(start + 840 * BYTE);
    assert_eq!(b.host.net.outgoing.len(), 1);
}

#[test]
fn without_a_cable_frames_vanish_and_the_link_is_down() {
    let mut b = enabled();
    b.set(1, 12, CTR_RESET | CTR_LE_ENABLE | CTR_AUTO_RELEASE);
    b.set(2, 12, u16::from(INT_EPH) << 8);
    assert_eq!(b.get(0, 2), ES_LINK_OK);
    b.set(1, 12, CTR_RESET | CTR_AUTO_RELEASE);
    b.set(1, 12, CTR_RESET | CTR_LE_ENABLE | CTR_AUTO_RELEASE);
    assert_eq!(b.lines, 0);
    b.host.net.cable = false;
    b.with(|device, ctx| device.network_arrived(ctx));
    assert_eq!((b.get(0, 2), b.lines), (0, 1 << LINE));
    b.transmit(&frame_to([0x10; 6], 60));
    b.arrives(&frame_to(MAC, 60));
    assert!(b.host.net.outgoing.is_empty() && b.host.net.incoming.is_empty());
    assert_eq!(
        (b.get(0, 2), b.get(2, 4), b.get(0, 8)),
        (ES_TX_SUC, 0x8080, 0x0404)
    );
    // who watches the carrier fails instead, and stops
    b.set(0, 0, TCR_TXENA | TCR_MON_CSN);
    let number = b.transmit(&frame_to([0x10; 6], 60));
    let later = b.now + 1000 * BYTE;
    b.run_to(later);
    assert_eq!(
        (b.get(0, 2), b.get(2, 4)),
        (ES_LOST_CARRIER, 0x8000 | number)
    );
    assert_eq!((b.get(0, 0) & TCR_TXENA, b.status() & INT_TX), (0, INT_TX));
}

#[test]
fn it_hears_itself_when_looped() {
    let mut b = enabled();
    b.set(0, 0, TCR_TXENA | TCR_EPH_LOOP | TCR_FDUPLX);
    let own = frame_to(MAC, 70);
    b.transmit(&own);
    b.run_to(94 * BYTE);
    assert!(b.host.net.outgoing.is_empty());
    assert_eq!(b.take().2[..70], own);
}

proptest::proptest! {
    /// Whatever a guest does and whatever comes in: no panic, and no more memory than there is.
    #[test]
    fn any_access_is_survived(steps: Vec<(u8, u8, u32, bool)>) {
        let mut b = plugged();
        for (what, offset, value, byte) in steps {
            let width = [Width::Byte, Width::Half, Width::Word][usize::from(what % 3)];
            match what >> 5 {
                0 => { b.read_part(u32::from(offset), width); }
                1 => b.half(14, u16::from(offset % 4)),
                2 => b.half(8, value as u16),
                3 => { b.half(14, 2); b.half(0, (value % 8) as u16 * 32); }
                4 => b.arrives(&vec![if byte { 0xff } else { 1 }; value as usize % 3000]),
                5 => { let then = b.now + u64::from(value); b.run_to(then); }
                _ => b.with(|d, ctx| d.write(u32::from(offset), value, width, ctx)),
            }
            proptest::prop_assert!(b.device.packets.plausible() && b.device.phy.plausible());
        }
    }
}

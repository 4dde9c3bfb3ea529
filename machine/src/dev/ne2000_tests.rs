// SPDX-License-Identifier: Apache-2.0
//! The card as a driver meets it, register by register.

use super::*;
use crate::dev::bench::{Bench, CLOCK_HZ};
use crate::dev::network::Mac;

const LINE: u32 = 9;
const ADDRESS: [u8; 6] = [2, 4, 6, 8, 10, 12];
/// Cycles that a byte takes at 10 Mbit/s.
const BYTE: u64 = CLOCK_HZ / 1_250_000;
/// The ring of these tests: six pages for transmission, then so many that three frames of the
/// longest fit.
const TX_PAGE: u8 = 0x40;
const START: u8 = 0x46;
const STOP: u8 = 0x58;

/// Page 0 registers.
const PSTART: u32 = 0x1;
const PSTOP: u32 = 0x2;
const BNRY: u32 = 0x3;
const TPSR: u32 = 0x4;
const TBCR: u32 = 0x5;
const ISR: u32 = 0x7;
const RSAR: u32 = 0x8;
const RBCR: u32 = 0xa;
const RCR: u32 = 0xc;
const TCR: u32 = 0xd;
const DCR: u32 = 0xe;
const IMR: u32 = 0xf;

type Card = Bench<Ne2000>;

/// A card with a cable, its address set and its ring empty, stopped.
fn stopped() -> Card {
    let mut b = Bench::new(Ne2000::new(LINE));
    b.host.net.mac = Mac(ADDRESS);
    b.host.net.cable = true;
    // As Linux' __NS8390_init.
    for (register, value) in [
        (COMMAND, 0x21),
        (DCR, 0x49),
        (RBCR, 0),
        (RBCR + 1, 0),
        (RCR, 0x20),
        (TCR, 0x02),
        (TPSR, TX_PAGE),
        (PSTART, START),
        (BNRY, STOP - 1),
        (PSTOP, STOP),
        (ISR, 0xff),
        (IMR, 0),
        (COMMAND, 0x61),
    ] {
        b.set(register, value);
    }
    for (n, byte) in ADDRESS.into_iter().enumerate() {
        b.set(1 + n as u32, byte);
    }
    b.set(0x7, START);
    b.set(COMMAND, 0x21);
    b
}

/// A card that has been started.
fn started() -> Card {
    let mut b = stopped();
    for (register, value) in [(COMMAND, 0x22), (TCR, 0), (RCR, 0x04), (ISR, 0xff)] {
        b.set(register, value);
    }
    b
}

impl Card {
    fn set(&mut self, register: u32, value: u8) {
        self.with(|d, ctx| d.write(register, u32::from(value), Width::Byte, ctx));
    }

    fn get(&mut self, register: u32) -> u8 {
        self.read_part(register, Width::Byte) as u8
    }

    fn current(&mut self) -> u8 {
        self.set(COMMAND, 0x62);
        let current = self.get(0x7);
        self.set(COMMAND, 0x22);
        current
    }

    fn dma(&mut self, command: u8, at: u16, bytes: usize) {
        let [at, bytes] = [at, bytes as u16].map(u16::to_le_bytes);
        for (n, register) in [0, 1].into_iter().zip([RSAR, RSAR + 1]) {
            self.set(register, at[n]);
            self.set(register + 2, bytes[n]);
        }
        self.set(COMMAND, command << 3 | 2);
    }

    /// Reads memory by words, with the last byte of an odd number by itself.
    fn fetch(&mut self, at: u16, bytes: usize) -> Vec<u8> {
        self.dma(DMA_READ, at, bytes);
        let mut data = Vec::new();
        for _ in 0..bytes / 2 {
            data.extend((self.read_part(DATA, Width::Half) as u16).to_le_bytes());
        }
        if bytes % 2 == 1 {
            data.push(self.get(DATA));
        }
        data
    }

    fn put(&mut self, at: u16, data: &[u8]) {
        self.dma(DMA_WRITE, at, data.len().next_multiple_of(2));
        for pair in data.chunks(2) {
            let word = u32::from(pair[0]) | u32::from(*pair.get(1).unwrap_or(&0)) << 8;
            self.with(|d, ctx| d.write(DATA, word, Width::Half, ctx));
        }
    }

    /// Puts a frame into the transmit buffer and sends it.
    fn transmit(&mut self, data: &[u8]) {
        self.put(u16::from(TX_PAGE) << 8, data);
        self.set(ISR, RDC);
        let [low, high] = (data.len() as u16).to_le_bytes();
        self.set(TBCR, low);
        self.set(TBCR + 1, high);
        self.set(COMMAND, 0x26);
    }

    /// A frame comes in, which takes until its end.
    fn arrives(&mut self, frame: &[u8]) {
        self.host.net.incoming.push_back(frame.to_vec());
        self.with(|device, ctx| device.network_arrived(ctx));
        let end = self.now + (frame.len().max(60) as u64 + 24) * BYTE;
        self.run_to(end);
    }

    /// Takes the first packet of the ring as Linux does: status and bytes with their CRC.
    fn take(&mut self) -> (u8, Vec<u8>) {
        let page = self.get(BNRY) + 1;
        let page = if page == STOP { START } else { page };
        let header = self.fetch(u16::from(page) << 8, HEADER);
        let bytes = usize::from(u16::from_le_bytes([header[2], header[3]]));
        let data = self.fetch((u16::from(page) << 8) + HEADER as u16, bytes);
        let boundary = if header[1] == START { STOP } else { header[1] } - 1;
        self.set(BNRY, boundary);
        (header[0], data)
    }

    fn later(&mut self, cycles: u64) {
        let then = self.now + cycles;
        self.run_to(then);
    }
}

fn frame_to(target: [u8; 6], length: usize) -> Vec<u8> {
    let mut frame = target.to_vec();
    frame.extend([2, 0, 0, 0, 0, 9, 8, 0]);
    frame.extend((frame.len()..length).map(|n| (n * 7 / 5) as u8));
    frame
}

fn with_crc(frame: &[u8]) -> Vec<u8> {
    let mut all = frame.to_vec();
    all.extend(ethernet::crc(frame));
    all
}

#[test]
fn a_driver_finds_card_and_address() {
    // As Linux' ne_probe1.
    let mut b = Bench::new(Ne2000::new(LINE));
    b.host.net.mac = Mac(ADDRESS);
    assert_eq!((b.get(COMMAND), b.get(ISR)), (0x21, RST));
    b.set(COMMAND, 0x61);
    let old = b.get(0xd);
    b.set(0xd, 0xff);
    b.set(COMMAND, 0x20);
    b.get(0xd);
    assert_eq!((b.get(0xd), old), (0, 0));
    let value = b.get(0x1f);
    b.set(0x1f, value);
    assert_eq!(b.get(ISR), RST);
    b.set(COMMAND, 0x21);
    b.set(DCR, 0x48);
    b.dma(DMA_READ, 0, 32);
    let prom: Vec<u8> = (0..32).map(|_| b.get(DATA)).collect();
    assert!(prom.chunks(2).all(|pair| pair[0] == pair[1]));
    let prom: Vec<u8> = prom.into_iter().step_by(2).collect();
    assert_eq!((&prom[..6], &prom[14..]), (&ADDRESS[..], &b"WW"[..]));
    // The interrupt, by a transfer of nothing.
    b.set(ISR, 0xff);
    b.set(IMR, 0x50);
    assert_eq!(b.lines, 0);
    b.set(COMMAND, 0x0a);
    assert_eq!(b.lines, 1 << LINE);
    b.set(IMR, 0);
    assert_eq!(b.lines, 0);
}

#[test]
fn registers_read_back() {
    let mut b = stopped();
    b.set(COMMAND, 0xa1);
    let registers = [PSTART, PSTOP, TPSR, RCR, TCR, DCR, IMR];
    assert_eq!(
        registers.map(|r| b.get(r)),
        [START, STOP, TX_PAGE, 0x20, 0x02, 0x49, 0]
    );
    b.set(COMMAND, 0x61);
    for n in 0..8u8 {
        b.set(8 + u32::from(n), 0x11 * n);
    }
    let multicast: Vec<u8> = (8..16).map(|n| b.get(n)).collect();
    assert_eq!(multicast, [0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77]);
    assert_eq!((1..7).map(|n| b.get(n)).collect::<Vec<u8>>(), ADDRESS);
    // A page without a start or a stop changes nothing else; the fourth is none.
    b.set(COMMAND, 0x22);
    b.set(COMMAND, 0xe0);
    assert_eq!((b.get(COMMAND), b.get(1)), (0xe2, 0xff));
}

#[test]
fn memory_is_reached_by_remote_dma() {
    let mut b = started();
    let data: Vec<u8> = (0..300).map(|n| (n * 3) as u8).collect();
    b.put(0x4100, &data);
    assert_eq!(b.get(ISR), RDC);
    b.set(ISR, RDC);
    b.dma(DMA_READ, 0x4101, 299);
    assert_eq!((b.get(ISR), b.get(RSAR), b.get(RSAR + 1)), (0, 0x01, 0x41));
    // A word is at an even address.
    assert_eq!(b.read_part(DATA, Width::Half), 0x0300);
    assert_eq!((b.get(RSAR), b.get(COMMAND)), (0x03, 0x0a));
    assert_eq!(b.fetch(0x4100, 299), data[..299]);
    assert_eq!(b.get(ISR), RDC);
    // Aborted, and after the end: nothing moves.
    b.dma(DMA_WRITE, 0x4100, 4);
    b.set(COMMAND, 0x22);
    b.with(|d, ctx| d.write(DATA, 0, Width::Half, ctx));
    assert_eq!(b.read_part(DATA, Width::Half), 0xffff);
    assert_eq!(b.fetch(0x4100, 2), data[..2]);
    // The PROM cannot be written; memory comes back above 32 KB.
    b.put(0x0000, &[0xaa, 0xaa]);
    assert_eq!(b.fetch(0x0000, 2), [2, 2]);
    assert_eq!(b.fetch(0xc100, 4), data[..4]);
    // Reads go on from the end of the ring at its start.
    b.put(u16::from(STOP) * 256 - 2, &[1, 2, 3, 4]);
    assert_eq!(b.fetch(u16::from(START) * 256, 2), [3, 4]);
    assert_eq!(b.fetch(u16::from(STOP) * 256 - 2, 3), [1, 2, 3]);
    // Of a width of bytes, and which port is which.
    assert!(b.device.takes_half(DATA) && b.device.takes_half(DATA + 6));
    assert!(!b.device.takes_half(ISR) && !b.device.takes_half(RESET));
    b.set(DCR, 0x48);
    assert!(!b.device.takes_half(DATA));
    b.dma(DMA_READ, 0x4100, 2);
    assert_eq!((b.get(DATA), b.get(DATA), b.get(ISR)), (0, 3, RDC));
}

#[test]
fn a_frame_goes_out_in_its_time() {
    let mut b = started();
    b.set(IMR, PTX);
    let sent = frame_to([0x10, 2, 3, 4, 5, 6], 101);
    b.transmit(&sent);
    assert_eq!(b.get(COMMAND) & TXP, TXP);
    // preamble, frame, CRC, gap
    let done = (101 + 24) * BYTE;
    b.run_to(done - 1);
    assert!(b.host.net.outgoing.is_empty() && b.lines == 0);
    b.run_to(done);
    assert_eq!(b.host.net.outgoing, [sent]);
    assert_eq!(
        (b.lines, b.get(COMMAND), b.get(TPSR)),
        (1 << LINE, 0x22, 0x01)
    );
    b.set(ISR, PTX);
    assert_eq!((b.lines, b.get(ISR)), (0, 0));
    // A stopped card sends nothing, but finishes what it has begun.
    b.transmit(&frame_to([0x10; 6], 60));
    b.set(COMMAND, 0x21);
    assert_eq!(b.get(ISR) & RST, 0);
    b.later(84 * BYTE);
    assert_eq!((b.host.net.outgoing.len(), b.get(ISR)), (2, PTX | RST));
    b.set(COMMAND, 0x25);
    b.later(1000 * BYTE);
    assert_eq!((b.host.net.outgoing.len(), b.get(COMMAND)), (2, 0x21));
}

#[test]
fn fragments_and_wrong_crcs_do_not_arrive() {
    let mut b = started();
    b.transmit(&frame_to([0xff; 6], 59));
    b.later(100 * BYTE);
    assert_eq!((b.host.net.outgoing.len(), b.get(ISR)), (0, PTX));
    b.set(TCR, OWN_CRC);
    let frame = frame_to([0x10; 6], 64);
    let mut own = with_crc(&frame);
    b.transmit(&own);
    b.later(100 * BYTE);
    assert_eq!(b.host.net.outgoing, [frame]);
    own[67] ^= 1;
    b.transmit(&own);
    b.later(100 * BYTE);
    assert_eq!(b.host.net.outgoing.len(), 1);
}

#[test]
fn without_a_cable_the_carrier_is_lost() {
    let mut b = started();
    b.host.net.cable = false;
    b.transmit(&frame_to([0x10; 6], 60));
    b.arrives(&frame_to(ADDRESS, 60));
    assert_eq!((b.get(TPSR), b.get(ISR)), (0x11, PTX));
    assert!(b.host.net.outgoing.is_empty() && b.host.net.incoming.is_empty());
}

#[test]
fn frames_come_in_with_a_header_and_their_crc() {
    let mut b = started();
    b.set(IMR, PRX);
    let first = frame_to(ADDRESS, 60);
    b.arrives(&first);
    assert_eq!((b.lines, b.get(ISR), b.get(RCR)), (1 << LINE, PRX, 0x01));
    assert_eq!(b.current(), START + 1);
    let header = b.fetch(u16::from(START) << 8, HEADER);
    assert_eq!(header, [0x01, START + 1, 64, 0]);
    let all = b.fetch((u16::from(START) << 8) + 4, 64);
    assert_eq!(all, with_crc(&first));
    b.take();
    b.set(ISR, PRX);
    assert_eq!(b.lines, 0);
    // To everybody, odd, and over two pages; then one that its sender has not padded.
    let second = frame_to([0xff; 6], 301);
    b.arrives(&second);
    assert_eq!(b.current(), START + 3);
    assert_eq!(b.take(), (0x21, with_crc(&second)));
    b.arrives(&frame_to(ADDRESS, 20));
    let mut padded = frame_to(ADDRESS, 20);
    padded.resize(60, 0);
    assert_eq!(b.take(), (0x01, with_crc(&padded)));
    // The last byte of its CRC is the last of the page, and then one more.
    b.arrives(&frame_to(ADDRESS, 248));
    assert_eq!(b.current(), START + 5);
    b.arrives(&frame_to(ADDRESS, 249));
    assert_eq!(b.current(), START + 7);
}

#[test]
fn only_frames_for_this_interface_come_in() {
    let mut b = started();
    let group = [0x01, 0x00, 0x5e, 0x00, 0x00, 0xfb];
    let comes = |b: &mut Card, target| {
        b.arrives(&frame_to(target, 64));
        let here = b.get(ISR) & PRX != 0;
        if here {
            b.take();
        }
        b.set(ISR, 0xff);
        here
    };
    assert!(comes(&mut b, ADDRESS) && comes(&mut b, [0xff; 6]));
    assert!(!comes(&mut b, [2, 4, 6, 8, 10, 13]) && !comes(&mut b, group));
    b.set(RCR, 0);
    assert!(comes(&mut b, ADDRESS) && !comes(&mut b, [0xff; 6]));
    // The place of the group in the table, as Linux computes it: the CRC, highest bit first.
    let crc = ethernet::crc_register(&group).reverse_bits();
    b.set(COMMAND, 0x62);
    b.set(8 + (crc >> 29), 1 << (crc >> 26 & 7));
    b.set(COMMAND, 0x22);
    assert!(!comes(&mut b, group));
    b.set(RCR, AM);
    assert!(comes(&mut b, group) && !comes(&mut b, [0x01, 0, 0x5e, 0, 0, 0xfa]));
    b.set(RCR, PRO);
    assert!(comes(&mut b, [2; 6]) && !comes(&mut b, group));
    // Not while it monitors, loops or stands; what it would have kept is counted while it monitors.
    assert_eq!(b.get(IMR), 0);
    b.set(RCR, MON);
    assert!(!comes(&mut b, ADDRESS) && !comes(&mut b, [2; 6]));
    assert_eq!((b.get(RCR), b.get(IMR), b.get(IMR)), (0x50, 1, 0));
    b.set(RCR, 0);
    b.set(TCR, 0x02);
    assert!(!comes(&mut b, ADDRESS));
    b.set(TCR, 0);
    b.set(COMMAND, 0x21);
    assert!(!comes(&mut b, ADDRESS));
}

#[test]
fn the_ring_wraps() {
    let mut b = started();
    // Pages of the ring: 18. Frames of 5 pages wrap at different places.
    let mut page = START;
    for n in 0..40 {
        let frame = frame_to(ADDRESS, 1100 + n);
        b.arrives(&frame);
        page = if page + 5 >= STOP {
            page + 5 - (STOP - START)
        } else {
            page + 5
        };
        assert_eq!(b.current(), page, "{n}");
        assert_eq!(b.take(), (0x01, with_crc(&frame)), "{n}");
    }
}

#[test]
fn what_does_not_fit_is_lost_and_said() {
    let mut b = started();
    b.set(IMR, OVW);
    let frames: Vec<_> = (0..4).map(|n| frame_to(ADDRESS, 1100 + n)).collect();
    for frame in &frames {
        assert_eq!(b.lines, 0);
        b.arrives(frame);
    }
    // Three of five pages, and the boundary stands one page before the first.
    assert_eq!((b.lines, b.get(ISR)), (1 << LINE, PRX | OVW | RST));
    assert_eq!((b.get(RCR), b.get(IMR)), (RSR_MISSED, 1));
    assert_eq!(b.current(), START + 15);
    // A small one fits still, the next one page more, and then the ring is full to the boundary.
    b.arrives(&frame_to(ADDRESS, 60));
    b.arrives(&frame_to(ADDRESS, 61));
    assert_eq!(b.current(), STOP - 1);
    b.arrives(&frame_to(ADDRESS, 62));
    assert_eq!((b.current(), b.get(IMR)), (STOP - 1, 1));
    for frame in &frames[..3] {
        assert_eq!(b.take().1, with_crc(frame));
    }
    assert_eq!((b.take().1.len(), b.take().1.len()), (64, 65));
    b.set(ISR, 0xff);
    assert_eq!((b.lines, b.get(ISR)), (0, 0));
    b.arrives(&frames[3]);
    assert_eq!(b.take().1, with_crc(&frames[3]));
}

#[test]
fn boundary_and_current_page_meet_in_an_empty_and_a_full_ring() {
    let mut b = started();
    b.set(BNRY, START);
    // 18 pages: the last packet comes to the boundary.
    for _ in 0..18 {
        b.arrives(&frame_to(ADDRESS, 60));
    }
    assert_eq!((b.current(), b.get(ISR)), (START, PRX));
    b.arrives(&frame_to(ADDRESS, 60));
    assert_eq!((b.current(), b.get(ISR)), (START, PRX | OVW | RST));
    b.set(BNRY, START + 1);
    b.arrives(&frame_to(ADDRESS, 60));
    assert_eq!(b.current(), START + 1);
    b.set(BNRY, START + 1);
    b.arrives(&frame_to(ADDRESS, 60));
    assert_eq!(b.current(), START + 2);
}

#[test]
fn the_first_packet_can_be_sent_to_the_processor() {
    let mut b = started();
    b.set(BNRY, START);
    let frame = frame_to(ADDRESS, 300);
    b.arrives(&frame);
    b.set(COMMAND, DMA_SEND << 3 | 2);
    let mut data = Vec::new();
    while b.get(ISR) & RDC == 0 {
        data.extend((b.read_part(DATA, Width::Half) as u16).to_le_bytes());
    }
    assert_eq!(data.len(), 304);
    assert_eq!(data[..4], [0x01, START + 2, 0x30, 0x01]);
    assert_eq!(data[4..], frame[..300]);
    assert_eq!(b.get(BNRY), START + 2);
}

#[test]
fn missed_frames_are_counted_up_to_192() {
    let mut b = started();
    b.set(RCR, MON);
    b.set(IMR, CNT);
    for n in 1..=200 {
        b.arrives(&frame_to(ADDRESS, 60));
        assert_eq!(b.lines != 0, n >= 128, "{n}");
    }
    assert_eq!((b.get(IMR), b.get(IMR)), (192, 0));
    b.set(ISR, CNT);
    assert_eq!(b.lines, 0);
}

#[test]
fn looped_back_frames_leave_their_status() {
    // AN-937, 6.0: the way, transmit status, and what RSR and ISR say.
    for (tcr, target, own, tsr, rsr, isr) in [
        (0x02, ADDRESS, None, 0x51, 0x02, 0x06),
        (0x02, [2; 6], None, 0x51, 0x01, 0x02),
        (0x04, ADDRESS, None, 0x41, 0x02, 0x06),
        (0x06, ADDRESS, None, 0x01, 0x02, 0x06),
        (0x03, ADDRESS, Some(0), 0x51, 0x01, 0x02),
        (0x03, ADDRESS, Some(1), 0x51, 0x02, 0x06),
    ] {
        let mut b = started();
        b.set(TCR, tcr);
        let mut frame = frame_to(target, 64);
        if let Some(wrong) = own {
            frame = with_crc(&frame);
            frame[67] ^= wrong;
        }
        b.transmit(&frame);
        b.later(200 * BYTE);
        let seen = (b.get(TPSR), b.get(RCR), b.get(ISR));
        assert_eq!(seen, (tsr, rsr, isr), "{tcr:#x} {target:x?}");
        assert!(b.host.net.outgoing.is_empty());
        assert_eq!(b.current(), START);
    }
}

#[test]
fn frames_come_in_one_behind_the_other() {
    let mut b = started();
    b.set(IMR, PRX);
    b.host.net.incoming.push_back(frame_to(ADDRESS, 100));
    b.host.net.incoming.push_back(frame_to([0xff; 6], 200));
    b.with(|device, ctx| device.network_arrived(ctx));
    b.run_to((100 + 24) * BYTE - 1);
    assert_eq!((b.lines, b.current()), (0, START));
    b.run_to((100 + 24) * BYTE);
    assert_eq!((b.lines, b.current()), (1 << LINE, START + 1));
    b.run_to((100 + 24 + 200 + 24) * BYTE - 1);
    assert_eq!(b.current(), START + 1);
    b.run_to((100 + 24 + 200 + 24) * BYTE);
    assert_eq!(b.current(), START + 2);
}

proptest::proptest! {
    /// Whatever a guest does and whatever comes in: no panic.
    #[test]
    fn any_access_is_survived(steps: Vec<(u8, u8, u32)>) {
        let mut b = stopped();
        for (what, offset, value) in steps {
            let offset = u32::from(offset % 0x20);
            match what >> 5 {
                0 => { b.get(offset); }
                1 => { b.read_part(DATA, Width::Half); }
                2 => b.with(|d, ctx| d.write(DATA, value & 0xffff, Width::Half, ctx)),
                3 => b.arrives(&vec![if value % 3 == 0 { 0xff } else { 1 }; value as usize % 3000]),
                4 => b.later(u64::from(value)),
                5 => b.arrives(&frame_to(ADDRESS, value as usize % 70_000)),
                6 => b.set(COMMAND, value as u8 & 0x3e),
                _ => b.set(offset, value as u8),
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Tests of the serial port: FIFOs, line speed, interrupts and what drivers find a 16550A by.

use super::*;
use crate::dev::bench::{Bench, CLOCK_HZ as CPU_HZ};

const LINE: u64 = 1 << 4;
/// 10 bits at 115200 baud.
const FRAME: u64 = (160 * CPU_HZ).div_ceil(CLOCK_HZ);

type Port = Bench<Ns16550>;

/// A port at 115200 baud, 8N1.
fn port(fcr: u8, ier: u8) -> Port {
    let mut b = Bench::new(Ns16550::new("serial0", 4));
    b.write(LCR, 0x83);
    b.write(DATA, 1);
    b.write(IER, 0);
    b.write(LCR, 0x03);
    b.write(IIR, u32::from(fcr));
    b.write(MCR, 0x0b);
    b.write(IER, u32::from(ier));
    b
}

fn typed(b: &mut Port, text: &[u8]) {
    b.host.input.extend(text);
    b.with(|device, ctx| device.input_arrived(ctx));
}

/// FIFOs on, with a level of 8.
const FIFOS: u8 = 0x81;

#[test]
fn without_a_line_there_is_no_gate_and_no_speed() {
    let mut b = Bench::new(Ns16550::direct("uart0", 4));
    b.write(IER, 1);
    b.write(LCR, 0x83);
    b.write(IER, 0xff); // the slowest speed that there is
    b.write(LCR, 0x03);
    typed(&mut b, b"x");
    b.run_to(CPU_HZ / DIRECT_HZ);
    assert_eq!((b.lines, b.read(DATA)), (LINE, u32::from(b'x')));
}

#[test]
fn reset_values() {
    let mut b = Bench::new(Ns16550::new("serial0", 4));
    let registers = [IER, IIR, LCR, MCR, LSR, MSR];
    assert_eq!(registers.map(|r| b.read(r)), [0, 1, 3, 0, 0x60, 0xb0]);
    b.write(SCR, 0x5a);
    b.write(LCR, 0x80);
    assert_eq!((b.read(SCR), b.read(DATA), b.read(IER)), (0x5a, 12, 0));
}

#[test]
fn a_driver_finds_a_16550a() {
    // As Linux' autoconfig does it.
    let mut b = port(0, 0);
    b.write(IER, 0xff);
    assert_eq!(b.read(IER), 0x0f);
    b.write(IER, 0);
    b.write(MCR, 0x1a);
    assert_eq!(b.read(MSR) & 0xf0, 0x90);
    b.write(MCR, 0xff);
    assert_eq!(b.read(MCR), 0x1f);
    b.write(MCR, 0);
    b.write(IIR, 0x01);
    assert_eq!(b.read(IIR), 0xc1);
    b.write(IIR, 0x21);
    assert_eq!(b.read(IIR), 0xc1, "no FIFO of 64");
    b.write(IIR, 0x00);
    assert_eq!(b.read(IIR), 0x01);
}

#[test]
fn the_transmitter_fills_and_the_line_drains_it() {
    let mut b = port(FIFOS, 0);
    for n in 0..17u32 {
        b.write(DATA, u32::from(b'a') + n);
    }
    assert_eq!(b.read(LSR), 0);
    // One in the shift register, sixteen in the FIFO: the next is lost.
    b.write(DATA, u32::from(b'z'));
    assert_eq!(b.host.output, b"abcdefghijklmnopq");
    b.now = 16 * FRAME - 1;
    assert_eq!(b.read(LSR), 0);
    b.now = 16 * FRAME;
    assert_eq!(b.read(LSR), u32::from(LSR_EMPTY));
    b.now = 17 * FRAME - 1;
    assert_eq!(b.read(LSR), u32::from(LSR_EMPTY));
    b.now = 17 * FRAME;
    assert_eq!(b.read(LSR), u32::from(LSR_EMPTY | LSR_IDLE));
}

#[test]
fn without_fifos_one_character_waits() {
    let mut b = port(0, IER_TX);
    assert_eq!((b.lines, b.read(IIR)), (LINE, 0x02));
    assert_eq!((b.lines, b.read(IIR)), (0, 0x01));
    b.write(DATA, u32::from(b'a'));
    assert_eq!(b.lines, LINE);
    b.write(DATA, u32::from(b'b'));
    assert_eq!((b.lines, b.read(LSR)), (0, 0));
    b.run_to(FRAME - 1);
    assert_eq!(b.lines, 0);
    b.run_to(FRAME);
    assert_eq!((b.lines, b.read(LSR)), (LINE, u32::from(LSR_EMPTY)));
    assert_eq!(b.host.output, b"ab");
}

#[test]
fn the_transmit_interrupt() {
    let mut b = port(FIFOS, IER_TX);
    assert_eq!((b.lines, b.read(IIR)), (LINE, 0xc2));
    assert_eq!((b.lines, b.read(IIR)), (0, 0xc1));
    // Enabled anew it is there anew.
    b.write(IER, 0);
    b.write(IER, u32::from(IER_TX));
    assert_eq!((b.lines, b.read(IIR)), (LINE, 0xc2));
    for _ in 0..5 {
        b.write(DATA, 0x20);
    }
    assert_eq!(b.lines, 0);
    b.run_to(4 * FRAME - 1);
    assert_eq!(b.lines, 0);
    b.run_to(4 * FRAME);
    assert_eq!((b.lines, b.read(IIR)), (LINE, 0xc2));
    b.run_to(9 * FRAME);
    assert_eq!((b.lines, b.deadline()), (0, NEVER));
    // Not without OUT2.
    b.write(MCR, 0x03);
    b.write(DATA, 0x20);
    assert_eq!((b.lines, b.read(IIR)), (0, 0xc2));
}

#[test]
fn input_arrives_at_the_speed_of_the_line() {
    let mut b = port(FIFOS, IER_RX);
    typed(&mut b, b"0123456789");
    b.run_to(FRAME - 1);
    assert_eq!(b.read(LSR) & 1, 0);
    b.run_to(FRAME);
    assert_eq!((b.read(LSR) & 1, b.lines), (1, 0));
    b.run_to(8 * FRAME - 1);
    assert_eq!((b.lines, b.read(IIR)), (0, 0xc1));
    b.run_to(8 * FRAME);
    assert_eq!((b.lines, b.read(IIR)), (LINE, 0xc4));
    assert_eq!(b.read(DATA), u32::from(b'0'));
    assert_eq!((b.lines, b.read(IIR)), (0, 0xc1));
    for byte in b"1234567" {
        assert_eq!(b.read(DATA), u32::from(*byte));
    }
    // Two more come, and wait for four characters' time.
    b.run_to(14 * FRAME - 1);
    assert_eq!(b.lines, 0);
    b.run_to(14 * FRAME);
    assert_eq!((b.lines, b.read(IIR)), (LINE, 0xcc));
    assert_eq!(b.read(DATA), u32::from(b'8'));
    assert_eq!((b.lines, b.read(IIR)), (0, 0xc1));
    b.run_to(18 * FRAME);
    assert_eq!((b.lines, b.read(IIR)), (LINE, 0xcc));
    assert_eq!((b.read(DATA), b.lines), (u32::from(b'9'), 0));
    assert_eq!((b.read(LSR) & 1, b.deadline()), (0, NEVER));
}

#[test]
fn trigger_levels() {
    for (fcr, level) in [(0x01, 1), (0x41, 4), (0x81, 8), (0xc1, 14)] {
        let mut b = port(fcr, IER_RX);
        typed(&mut b, &[0x55; 16]);
        b.run_to(level * FRAME - 1);
        assert_eq!(b.lines, 0, "{fcr:#x}");
        b.run_to(level * FRAME);
        assert_eq!(b.lines, LINE, "{fcr:#x}");
    }
}

#[test]
fn a_timeout_stays_until_a_character_is_read() {
    let mut b = port(FIFOS, IER_RX);
    typed(&mut b, b"a");
    b.run_to(5 * FRAME);
    assert_eq!((b.lines, b.read(IIR)), (LINE, 0xcc));
    typed(&mut b, b"b");
    b.run_to(6 * FRAME);
    assert_eq!((b.lines, b.read(IIR)), (LINE, 0xcc));
}

#[test]
fn input_waits_for_room() {
    for fcr in [0, FIFOS] {
        let mut b = port(fcr, 0);
        typed(&mut b, &(0..40).collect::<Vec<u8>>());
        b.run_to(100 * FRAME);
        let mut got = Vec::new();
        while got.len() < 40 {
            if b.read(LSR) & 1 != 0 {
                got.push(b.read(DATA) as u8);
            }
            b.now += FRAME / 2;
        }
        assert_eq!(got, (0..40).collect::<Vec<u8>>());
    }
}

#[test]
fn looped_back_characters_come_back() {
    let mut b = port(FIFOS, IER_RX | IER_LINE | IER_MODEM);
    b.read(MSR);
    b.write(MCR, 0x1b);
    // Its outputs are its inputs; ring has not ended, and OUT2 does not reach the bus.
    assert_eq!((b.read(IIR), b.lines), (0xc1, 0));
    assert_eq!(b.read(MSR), 0xb0);
    b.write(MCR, 0x1f);
    assert_eq!(b.read(MSR), 0xf0);
    b.write(MCR, 0x10);
    assert_eq!((b.read(IIR), b.lines), (0xc0, 0));
    assert_eq!(b.read(MSR), 0x0f);
    assert_eq!(b.read(IIR), 0xc1);
    for n in 0..18 {
        b.write(DATA, 0x40 + n);
        let next = b.now + FRAME;
        b.run_to(next);
    }
    assert!(b.host.output.is_empty());
    // The FIFO has overrun, and keeps what was in it.
    assert_eq!(b.read(IIR), 0xc6);
    assert_eq!(b.read(LSR), 0x63);
    assert_eq!((b.read(LSR), b.read(IIR)), (0x61, 0xc4));
    for n in 0..16 {
        assert_eq!(b.read(DATA), 0x40 + n);
    }
    assert_eq!((b.read(LSR), b.read(DATA)), (0x60, 0));
    // Without FIFOs the last one stays.
    b.write(IIR, 0);
    b.write(DATA, 1);
    b.write(DATA, 2);
    let next = b.now + 2 * FRAME;
    b.run_to(next);
    assert_eq!((b.read(LSR), b.read(DATA)), (0x63, 2));
}

#[test]
fn the_bits_of_a_character_are_those_of_its_length() {
    let mut b = port(FIFOS, 0);
    b.write(LCR, 0x02);
    b.write(DATA, 0xe1);
    assert_eq!(b.host.output, [0x61]);
    b.write(MCR, 0x10);
    b.write(LCR, 0x00);
    b.now += 2 * FRAME;
    b.read(LSR);
    b.write(DATA, 0xff);
    b.now += 2 * FRAME;
    b.read(DATA);
    assert_eq!(b.read(DATA), 0x1f);
}

#[test]
fn fifos_can_be_emptied() {
    let mut b = port(FIFOS, IER_TX | IER_RX);
    typed(&mut b, b"abc");
    b.run_to(3 * FRAME);
    for _ in 0..3 {
        b.write(DATA, 0x20);
    }
    assert_eq!((b.read(LSR), b.lines), (1, 0));
    b.write(IIR, u32::from(FIFOS | FCR_CLEAR_RX));
    assert_eq!(b.read(LSR), 0);
    b.write(IIR, u32::from(FIFOS | FCR_CLEAR_TX));
    assert_eq!((b.read(LSR), b.lines), (0x20, LINE));
    assert_eq!(b.read(IIR), 0xc2);
}

#[test]
fn frames_depend_on_format_and_divisor() {
    let b = |lcr: u32, divisor: u32| {
        let mut b = port(FIFOS, 0);
        b.write(LCR, 0x80);
        b.write(DATA, divisor & 0xff);
        b.write(IER, divisor >> 8);
        b.write(LCR, lcr);
        b.device.frame(CLOCK_HZ)
    };
    // Clocks of the crystal: 16 a bit.
    assert_eq!(b(0x03, 1), 160);
    assert_eq!(b(0x03, 12), 1920);
    assert_eq!(b(0x03, 0x300), 160 * 0x300);
    assert_eq!(b(0x0f, 1), 16 * 12);
    assert_eq!(b(0x00, 1), 16 * 7);
    assert_eq!(b(0x04, 1), 16 * 7 + 8);
    assert_eq!(b(0x05, 1), 16 * 9);
    assert_eq!(b(0x03, 0), 160);
}

proptest::proptest! {
    /// Who looks many times in a character's time sees the same as who has not looked for long.
    #[test]
    fn looking_more_often_changes_nothing(typed in "[a-z]{0,60}", steps: Vec<(u8, u8, u16)>) {
        let (mut seldom, mut often) = (port(FIFOS, 0), port(FIFOS, 0));
        for b in [&mut seldom, &mut often] {
            super::tests::typed(b, typed.as_bytes());
        }
        for (what, value, pause) in steps {
            let register = u32::from(what % 8);
            let mut seen = Vec::new();
            for b in [&mut seldom, &mut often] {
                if what & 0x80 != 0 {
                    seen.push(b.read(register));
                } else {
                    b.write(register, u32::from(value));
                    seen.push(b.read(IER));
                }
            }
            proptest::prop_assert_eq!(seen[0], seen[1], "{}", register);
            for _ in 0..pause % 300 {
                often.now += FRAME / 8;
                often.read(SCR);
            }
            seldom.now = often.now;
        }
        proptest::prop_assert_eq!(&seldom.host.output, &often.host.output);
    }
}

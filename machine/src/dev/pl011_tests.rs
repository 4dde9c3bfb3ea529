// SPDX-License-Identifier: Apache-2.0
//! Tests of the PL011: FIFOs, line speed, interrupts.

use super::*;
use crate::dev::bench::{Bench, CLOCK_HZ};

/// Cycles of a bit at 115200 baud: 16 * 13 1/64 of UARTCLK.
const BIT: u64 = (16 * (13 * 64 + 1) * CLOCK_HZ).div_ceil(64 * UARTCLK_HZ);

/// 10 bits at 115200 baud.
fn frame(b: &Bench<Pl011>) -> u64 {
    b.device.frame(CLOCK_HZ)
}

fn uart(format: u32, mask: u32) -> Bench<Pl011> {
    let mut b = Bench::new(Pl011::new("uart0", 12));
    b.write(CR, 0);
    b.write(IBRD, 13);
    b.write(FBRD, 1);
    b.write(LCR_H, 3 << 5 | format);
    b.write(CR, UARTEN | TXE | RXE);
    b.write(IMSC, mask);
    b
}

fn typed(b: &mut Bench<Pl011>, text: &[u8]) {
    b.host.input.extend(text);
    b.with(|device, ctx| device.input_arrived(ctx));
}

#[test]
fn reset_values_and_identification() {
    let mut b = Bench::new(Pl011::new("uart1", 13));
    let registers = [DR, FR, IBRD, FBRD, LCR_H, CR, IFLS, IMSC, RIS, MIS, DMACR];
    assert_eq!(
        registers.map(|r| b.read(r)),
        [0, TXFE | RXFE, 0, 0, 0, 0x300, 0x12, 0, 0, 0, 0]
    );
    let id: Vec<u32> = (0..8).map(|n| b.read(0xfe0 + 4 * n)).collect();
    assert_eq!(id, [0x11, 0x10, 0x14, 0, 0x0d, 0xf0, 0x05, 0xb1]);
}

#[test]
fn the_transmit_fifo_fills_and_the_line_drains_it() {
    let mut b = uart(FEN, 0);
    let frame = frame(&b);
    assert!((10 * BIT - 10..=10 * BIT).contains(&frame));
    for n in 0..17u32 {
        assert_eq!(b.read(FR) & TXFF, 0, "room for character {n}");
        b.write(DR, u32::from(b'a') + n);
    }
    // One in the shift register, sixteen in the FIFO: the next is lost.
    assert_eq!(b.read(FR), TXFF | BUSY | RXFE);
    b.write(DR, u32::from(b'z'));
    assert_eq!(b.host.output, b"abcdefghijklmnopq");
    b.now = frame - 1;
    assert_eq!(b.read(FR) & TXFF, TXFF);
    b.now = frame;
    assert_eq!(b.read(FR), BUSY | RXFE);
    b.now = 17 * frame - 1;
    assert_eq!(b.read(FR), BUSY | RXFE | TXFE);
    b.now = 17 * frame;
    assert_eq!(b.read(FR), RXFE | TXFE);
}

#[test]
fn without_fifos_there_is_room_for_one() {
    let mut b = uart(0, TX);
    b.write(DR, 1);
    assert_eq!((b.read(FR) & TXFF, b.lines), (0, 1 << 12));
    b.write(DR, 2);
    assert_eq!((b.read(FR) & TXFF, b.lines), (TXFF, 0));
    let frame = frame(&b);
    b.run_to(frame);
    assert_eq!((b.read(FR) & TXFF, b.lines), (0, 1 << 12));
}

#[test]
fn the_transmit_interrupt_comes_with_the_transition() {
    let mut b = uart(FEN, TX);
    assert_eq!((b.read(RIS), b.lines), (0, 0));
    for _ in 0..17 {
        b.write(DR, 0x20);
    }
    // Half the FIFO is the level: eight leave it, after the shift register has done eight.
    let frame = frame(&b);
    b.run_to(8 * frame - 1);
    assert_eq!(b.lines, 0);
    b.run_to(8 * frame);
    assert_eq!((b.read(MIS), b.lines), (TX, 1 << 12));
    b.write(ICR, TX);
    assert_eq!((b.read(RIS), b.lines), (0, 0));
    b.run_to(20 * frame);
    assert_eq!((b.read(RIS), b.lines, b.deadline()), (0, 0, NEVER));
}

#[test]
fn filling_past_the_level_ends_the_transmit_interrupt() {
    let mut b = uart(FEN, TX);
    for _ in 0..10 {
        b.write(DR, 0x20);
    }
    let frame = frame(&b);
    b.run_to(frame);
    assert_eq!(b.lines, 1 << 12);
    b.write(DR, 0x20);
    assert_eq!(b.lines, 0);
}

#[test]
fn input_arrives_at_the_speed_of_the_line() {
    let mut b = uart(FEN, RX | RT);
    typed(&mut b, b"0123456789");
    let frame = frame(&b);
    b.run_to(frame - 1);
    assert_eq!(b.read(FR) & RXFE, RXFE);
    b.run_to(frame);
    assert_eq!((b.read(FR) & RXFE, b.lines), (0, 0));
    b.run_to(8 * frame);
    assert_eq!((b.read(RIS), b.lines), (RX, 1 << 12));
    assert_eq!(b.read(DR), u32::from(b'0'));
    assert_eq!((b.read(RIS), b.lines), (0, 0));
    for byte in b"1234567" {
        assert_eq!(b.read(DR), u32::from(*byte));
    }
    b.run_to(10 * frame + 31 * BIT);
    assert_eq!(b.lines, 0);
    b.run_to(10 * frame + 32 * BIT);
    assert_eq!((b.read(RIS), b.lines), (RT, 1 << 12));
    assert_eq!(b.read(DR), u32::from(b'8'));
    assert_eq!(b.lines, 1 << 12);
    assert_eq!(b.read(DR), u32::from(b'9'));
    assert_eq!((b.read(RIS), b.lines, b.read(DR)), (0, 0, 0));
}

#[test]
fn input_waits_for_room() {
    let mut b = uart(FEN, 0);
    typed(&mut b, &(0..40).collect::<Vec<u8>>());
    let frame = frame(&b);
    b.run_to(100 * frame);
    assert_eq!(b.read(FR) & RXFF, RXFF);
    let mut got = Vec::new();
    while got.len() < 40 {
        if b.read(FR) & RXFE == 0 {
            got.push(b.read(DR) as u8);
        }
        b.now += frame / 2;
    }
    assert_eq!(got, (0..40).collect::<Vec<u8>>());
}

#[test]
fn a_disabled_uart_keeps_what_is_written_until_it_is_enabled() {
    let mut b = uart(FEN, 0);
    b.write(CR, TXE);
    b.write(DR, u32::from(b'x'));
    assert!(b.host.output.is_empty());
    b.now = 1 << 40;
    assert_eq!(b.read(FR) & (TXFE | BUSY), BUSY);
    b.write(CR, UARTEN | TXE);
    assert_eq!(b.host.output, b"x");
}

#[test]
fn a_uart_that_is_enabled_again_reports_no_character_twice() {
    let mut b = uart(FEN, 0);
    for byte in b"hello" {
        b.write(DR, u32::from(*byte));
    }
    // Off and on again with four in the FIFO, as a driver does that sets the line's speed.
    b.write(CR, 0);
    b.write(DR, u32::from(b'!'));
    assert_eq!(b.host.output, b"hello");
    b.write(CR, UARTEN | TXE | RXE);
    assert_eq!(b.host.output, b"hello!");
    b.write(CR, UARTEN | TXE);
    b.write(CR, UARTEN | TXE | RXE);
    assert_eq!(b.host.output, b"hello!");
    // What has been emptied is not reported later.
    b.write(CR, 0);
    b.write(DR, u32::from(b'x'));
    b.write(LCR_H, 0);
    b.write(LCR_H, FEN);
    b.write(CR, UARTEN | TXE);
    b.write(DR, u32::from(b'y'));
    assert_eq!(b.host.output, b"hello!y");
}

#[test]
fn what_has_been_looped_back_is_not_reported() {
    let mut b = uart(FEN, 0);
    b.write(CR, UARTEN | LBE | TXE | RXE);
    b.write(DR, u32::from(b'a'));
    b.write(DR, u32::from(b'b'));
    // The first is in the shift register, the second leaves when the loop is open.
    b.write(CR, UARTEN | TXE | RXE);
    assert_eq!(b.host.output, b"b");
}

#[test]
fn a_uart_that_nobody_has_set_up_works() {
    let mut b = Bench::new(Pl011::new("uart0", 12));
    b.write(IMSC, RX);
    b.write(DR, u32::from(b'>'));
    assert_eq!(b.host.output, b">");
    assert_eq!(b.read(CR), TXE | RXE);
    // It loses nothing of what comes without a look at its flags.
    b.write(DR, u32::from(b'a'));
    b.write(DR, u32::from(b'b'));
    assert_eq!(b.host.output, b">ab");
    assert_eq!(b.read(FR), RXFE | TXFE);
    // Without FIFOs each character interrupts.
    typed(&mut b, b"ab");
    for byte in b"ab" {
        let at = b.now + 1;
        b.run_to(at);
        assert_eq!(b.lines, 1 << 12);
        assert_eq!(b.read(DR), u32::from(*byte));
    }
    assert_eq!(b.lines, 0);
    // From the first write of its control register on, that counts.
    b.write(CR, TXE | RXE);
    b.write(DR, u32::from(b'x'));
    assert_eq!(b.host.output, b">ab");
}

#[test]
fn looped_back_characters_come_back() {
    let mut b = uart(FEN, RT);
    b.write(CR, UARTEN | LBE | TXE | RXE);
    b.write(DR, 0x5a);
    assert!(b.host.output.is_empty());
    let frame = frame(&b);
    b.run_to(frame);
    assert_eq!(b.read(FR) & RXFE, 0);
    b.run_to(frame + 32 * BIT);
    assert_eq!(b.lines, 1 << 12);
    assert_eq!(b.read(DR), 0x5a);
}

#[test]
fn frames_depend_on_format_and_divisor() {
    let mut b = uart(FEN, 0);
    let eight = frame(&b);
    b.write(LCR_H, 3 << 5 | PEN | STP2);
    assert!(frame(&b) > eight + 2 * BIT - 3);
    b.write(LCR_H, 0);
    assert!(frame(&b) <= 7 * BIT);
    b.write(IBRD, 0);
    assert_eq!(frame(&b), 0);
}

// SPDX-License-Identifier: Apache-2.0
//! Tests of the PL181, alone and with a card: commands, FIFO, interrupts.

use std::fs::File;
use std::io::Write;

use super::*;
use crate::dev::bench::Bench;
use crate::dev::medium::Medium;

const SIZE: u64 = 1 << 20;

/// A file that is gone when it is closed; its words are their numbers.
pub fn file(bytes: u64) -> File {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let name = format!("switchyard-card-{}-{number}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let mut file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .open(&path)
        .unwrap();
    std::fs::remove_file(path).unwrap();
    let words = (0..(bytes.min(SIZE) / 4) as u32).flat_map(u32::to_le_bytes);
    file.write_all(&words.collect::<Vec<u8>>()).unwrap();
    file.set_len(bytes).unwrap();
    file
}

fn slot() -> Bench<Pl181> {
    Bench::new(Pl181::new("mmci0", [54, 33]))
}

/// A command's status bits, which are cleared, and its response.
fn command(b: &mut Bench<Pl181>, value: u32, argument: u32) -> (u32, u32) {
    b.write(ARGUMENT, argument);
    b.write(COMMAND, SEND | value);
    let status = b.read(STATUS) & (COMMAND_TIMED_OUT | RESPONSE_END | SENT);
    b.write(CLEAR, status);
    (status, b.read(RESPONSE0))
}

/// With a card that is selected.
fn with_card() -> Bench<Pl181> {
    let mut b = slot();
    b.device.card = Some(Card::new(Medium::new(file(SIZE), SIZE)));
    assert_eq!(command(&mut b, 0, 0).0, SENT);
    command(&mut b, WANTS_RESPONSE | 55, 0);
    let (status, ocr) = command(&mut b, WANTS_RESPONSE | 41, 0x00ff_8000);
    assert_eq!((status, ocr), (RESPONSE_END, 0x80ff_8000));
    assert_eq!(
        command(&mut b, WANTS_RESPONSE | LONG | 2, 0).0,
        RESPONSE_END
    );
    let (_, address) = command(&mut b, WANTS_RESPONSE | 3, 0);
    let selected = command(&mut b, WANTS_RESPONSE | 7, address & 0xffff_0000);
    assert_eq!(selected, (RESPONSE_END, 3 << 9 | 1 << 8));
    b
}

fn begin(b: &mut Bench<Pl181>, bytes: u32, from_card: bool) {
    b.write(DATA_TIMER, 1000);
    b.write(DATA_LENGTH, bytes);
    b.write(
        DATA_CONTROL,
        ENABLE | 9 << 4 | if from_card { FROM_CARD } else { 0 },
    );
}

#[test]
fn no_card_answers() {
    let mut b = slot();
    b.write(MASK0, COMMAND_TIMED_OUT | SENT);
    b.write(COMMAND, SEND);
    assert_eq!((b.read(STATUS) & CLEARABLE, b.lines), (SENT, 1 << 54));
    b.write(CLEAR, SENT);
    assert_eq!(b.lines, 0);
    b.write(COMMAND, SEND | WANTS_RESPONSE | 8);
    let timed_out = (COMMAND_TIMED_OUT, 1 << 54);
    assert_eq!((b.read(STATUS) & CLEARABLE, b.lines), timed_out);
    b.write(MASK1, COMMAND_TIMED_OUT);
    assert_eq!(b.lines, 1 << 54 | 1 << 33);
    b.write(CLEAR, CLEARABLE);
    assert_eq!(
        (b.lines, b.read(STATUS)),
        (0, TX_EMPTY | RX_EMPTY | TX_HALF_EMPTY)
    );
    let kept = SEND | WANTS_RESPONSE | 8;
    assert_eq!((b.read(COMMAND), b.read(0xfe0)), (kept, 0x81));
}

#[test]
fn blocks_come_through_the_fifo() {
    let mut b = with_card();
    begin(&mut b, 1024, true);
    assert_eq!(b.read(STATUS) & (RX_ACTIVE | RX_DATA), RX_ACTIVE);
    b.write(MASK1, RX_HALF_FULL);
    command(&mut b, WANTS_RESPONSE | 18, 512);
    assert_eq!(
        b.read(STATUS) & (RX_FULL | RX_DATA | TX_ACTIVE),
        RX_FULL | RX_DATA
    );
    assert_eq!((b.lines, b.read(DATA_COUNT)), (1 << 33, 1024 - 64));
    for number in 0..256 {
        let both = RX_DATA | RX_ACTIVE;
        assert_eq!(b.read(STATUS) & both, both);
        let end = if number >= 240 { DATA_END } else { 0 };
        assert_eq!(b.read(STATUS) & DATA_END, end, "{number}");
        assert_eq!(b.read(FIFO + 4 * (number % 16)), 128 + number);
    }
    assert_eq!(b.read(STATUS) & (RX_DATA | RX_ACTIVE | DATA_END), DATA_END);
    assert_eq!((b.lines, b.deadline()), (0, NEVER));
    let (_, status) = command(&mut b, WANTS_RESPONSE | 12, 0);
    assert_eq!(status >> 9 & 0xf, 5, "it was sending");
}

#[test]
fn blocks_go_through_the_fifo() {
    let mut b = with_card();
    command(&mut b, WANTS_RESPONSE | 24, 1024);
    begin(&mut b, 512, false);
    for number in 0..128 {
        assert_eq!(b.read(STATUS) & (TX_ACTIVE | DATA_END), TX_ACTIVE);
        b.write(FIFO, !number);
    }
    let end = DATA_END | DATA_BLOCK_END | TX_EMPTY;
    assert_eq!(b.read(STATUS) & (end | TX_ACTIVE), end);
    let card = b.device.card.as_mut().unwrap();
    let block = card.medium().read(2).unwrap();
    assert_eq!(&block[..8], [255, 255, 255, 255, 254, 255, 255, 255]);
    card.medium().write_back().unwrap();
    command(&mut b, WANTS_RESPONSE | 17, 1024);
    begin(&mut b, 512, true);
    assert_eq!([b.read(FIFO), b.read(FIFO)], [u32::MAX, u32::MAX - 1]);
}

#[test]
fn a_card_that_sends_nothing_is_waited_for() {
    let mut b = with_card();
    b.write(CLOCK, 11);
    begin(&mut b, 512, true);
    // 1000 clocks of 1 MHz.
    let end = 1000 * crate::dev::bench::CLOCK_HZ / 1_000_000;
    assert_eq!(b.deadline(), end);
    b.run_to(end);
    assert_eq!(
        b.read(STATUS) & (DATA_TIMED_OUT | RX_ACTIVE),
        DATA_TIMED_OUT
    );
}

#[test]
fn a_saved_card_has_its_blocks() {
    let mut b = with_card();
    command(&mut b, WANTS_RESPONSE | 24, 0);
    begin(&mut b, 512, false);
    for _ in 0..128 {
        b.write(FIFO, 0x5a5a_5a5a);
    }
    command(&mut b, WANTS_RESPONSE | 17, 0);
    begin(&mut b, 512, true);
    let mut saver = Saver::default();
    b.device.save(&mut saver);
    let saved = saver.into_bytes();
    let mut other = slot();
    let bare = other
        .device
        .restore(&mut Restorer::new(&saved))
        .unwrap_err();
    assert!(bare.0.contains("--drive"), "{bare:?}");
    other.device.card = Some(Card::new(Medium::new(file(SIZE), SIZE)));
    other.device.restore(&mut Restorer::new(&saved)).unwrap();
    for _ in 0..128 {
        assert_eq!(other.read(FIFO), 0x5a5a_5a5a);
    }
    let mut smaller = slot();
    smaller.device.card = Some(Card::new(Medium::new(file(SIZE / 2), SIZE / 2)));
    let other_size = smaller
        .device
        .restore(&mut Restorer::new(&saved))
        .unwrap_err();
    assert_eq!(other_size.0, "has a drive of 1048576 bytes, not 524288");
}

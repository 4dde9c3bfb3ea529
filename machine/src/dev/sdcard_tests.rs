// SPDX-License-Identifier: Apache-2.0
//! Tests of the SD card: registers by size, states, errors.

use super::*;
use crate::dev::pl181::tests::file;

fn card(bytes: u64) -> Card {
    Card::new(Medium::new(file(bytes), bytes))
}

/// One that is selected, and its address as an argument.
fn selected(bytes: u64) -> (Card, u32) {
    let mut card = card(bytes);
    card.command(0, 0);
    assert_eq!(card.command(8, 0x1aa), Answer::Short(0x1aa));
    card.command(55, 0);
    card.command(41, HIGH_CAPACITY | VOLTAGES);
    card.command(2, 0);
    let Answer::Short(address) = card.command(3, 0) else {
        panic!("no address");
    };
    let address = address & 0xffff_0000;
    card.command(7, address);
    (card, address)
}

fn bits(words: [u32; 4], low: usize, count: usize) -> u64 {
    (0..count).rev().fold(0, |value, bit| {
        let at = low + bit;
        value << 1 | u64::from(words[3 - at / 32] >> (at % 32) & 1)
    })
}

fn status(card: &mut Card, address: u32) -> u32 {
    match card.command(13, address) {
        Answer::Short(status) => status,
        other => panic!("{other:?}"),
    }
}

/// The capacity that a host computes from the register (5.3.2, 5.3.3).
#[test]
fn the_size_is_in_the_csd() {
    for bytes in [
        1 << 11,
        1 << 20,
        3 << 20,
        64 << 20,
        1 << 30,
        2 << 30,
        4 << 30,
        33 << 30,
    ] {
        assert_eq!(check_size(bytes), Ok(()));
        let csd = card(bytes).csd();
        let told = if bits(csd, 126, 2) == 1 {
            (bits(csd, 48, 22) + 1) * HIGH_UNIT
        } else {
            (bits(csd, 62, 12) + 1) << (bits(csd, 47, 3) + 2 + bits(csd, 80, 4))
        };
        assert_eq!(told, bytes);
        assert_eq!(bits(csd, 126, 2) == 1, bytes > 2 << 30);
    }
    for (bytes, expected) in [
        (0, "2048 to"),
        (1 << 42, "2048 to"),
        (1000, "a multiple of 2048"),
        ((2 << 30) + 512, "a multiple of 524288"),
        ((64 << 20) + 512, "a multiple of 32768"),
    ] {
        let line = check_size(bytes).unwrap_err();
        assert!(line.starts_with(expected), "{bytes}: {line}");
    }
}

/// The examples of the specification (4.5): CMD0, CMD17 and its response are guarded by 0x4a, 0x2a, 0x33.
#[test]
fn registers_are_guarded() {
    // x^7 + x^3 + 1 over the 120 bits, against a division written out.
    let words = guarded([0x1234_5678, 0x9abc_def0, 0x0f1e_2d3c, 0x4b5a_6900]);
    let mut rest: u128 = words
        .iter()
        .fold(0, |all, word| all << 32 | u128::from(*word));
    assert_eq!(rest & 1, 1);
    rest >>= 1;
    for bit in (7..127).rev() {
        if rest >> bit & 1 == 1 {
            rest ^= 0x89 << (bit - 7);
        }
    }
    assert_eq!(rest, 0);
}

#[test]
fn a_card_is_identified_and_selected() {
    let mut card = card(1 << 20);
    assert_eq!(card.command(2, 0), Answer::Silence, "not yet");
    card.command(55, 0);
    assert_eq!(card.command(41, 0), Answer::Short(VOLTAGES), "only asks");
    let (mut card, address) = selected(1 << 20);
    assert_eq!(status(&mut card, address), 4 << 9 | READY_FOR_DATA);
    assert_eq!(
        card.command(9, address),
        Answer::Silence,
        "only in stand-by"
    );
    assert_eq!(
        status(&mut card, address),
        ILLEGAL_COMMAND | 4 << 9 | READY_FOR_DATA
    );
    assert_eq!(status(&mut card, address), 4 << 9 | READY_FOR_DATA);
    assert_eq!(card.command(7, 0), Answer::Silence);
    assert!(matches!(card.command(9, address), Answer::Long(_)));
    assert_eq!(card.command(10, address), Answer::Long(Card::cid()));
    assert_eq!(card.command(13, address + 0x1_0000), Answer::Silence);
}

/// One of high capacity stays idle while the host does not know of such.
#[test]
fn high_capacity_is_for_hosts_that_know_it() {
    let mut card = card(4 << 30);
    card.command(55, 0);
    assert_eq!(card.command(41, VOLTAGES), Answer::Short(VOLTAGES));
    card.command(55, 0);
    let ready = POWERED_UP | HIGH_CAPACITY | VOLTAGES;
    assert_eq!(
        card.command(41, HIGH_CAPACITY | VOLTAGES),
        Answer::Short(ready)
    );
}

#[test]
fn places_are_checked() {
    let (mut card, address) = selected(1 << 20);
    for (index, argument, wrong) in [
        (17, 1 << 20, OUT_OF_RANGE),
        (17, 256, ADDRESS_ERROR),
        (24, 256, ADDRESS_ERROR),
        (25, u32::MAX, OUT_OF_RANGE),
        (16, 1024, BLOCK_LEN_ERROR),
        (38, 0, ERASE_SEQ_ERROR),
    ] {
        let Answer::Short(status) = card.command(index, argument) else {
            panic!("CMD{index}");
        };
        assert_eq!(status, wrong | 4 << 9 | READY_FOR_DATA, "CMD{index}");
    }
    // A part of a block, and no writing of one.
    card.command(16, 4);
    card.command(17, 508);
    let read: Vec<u8> = std::iter::from_fn(|| card.next_byte()).collect();
    assert_eq!(read, 127u32.to_le_bytes());
    let answer = card.command(24, 0);
    assert_eq!(
        answer,
        Answer::Short(BLOCK_LEN_ERROR | 4 << 9 | READY_FOR_DATA)
    );
    // Reading on past the end stops, and says so.
    card.command(16, 512);
    card.command(18, (1 << 20) - 1024);
    assert_eq!(std::iter::from_fn(|| card.next_byte()).count(), 1024);
    let told = status(&mut card, address);
    assert_eq!(told, OUT_OF_RANGE | 4 << 9 | READY_FOR_DATA);
}

#[test]
fn blocks_are_written_and_erased() {
    let (mut card, address) = selected(4 << 30);
    card.command(25, 7);
    for n in 0..1024u32 {
        card.receive(n as u8 | 1);
    }
    card.command(12, 0);
    card.command(55, address);
    card.command(22, 0);
    let count: Vec<u8> = std::iter::from_fn(|| card.next_byte()).collect();
    assert_eq!(count, [0, 0, 0, 2]);
    assert_eq!(card.medium().read(8).unwrap()[2], 3);
    card.command(32, 8);
    card.command(33, 8);
    card.command(38, 0);
    assert_eq!(card.medium().read(8), Some([0; 512]));
    assert_eq!(card.medium().read(7).unwrap()[2], 3);
    card.command(32, 8);
    card.command(16, 512);
    let told = status(&mut card, address);
    assert_eq!(told & ERASE_RESET, 0, "it was told at once");
    card.command(33, 8);
    let Answer::Short(told) = card.command(38, 0) else {
        panic!("no answer");
    };
    assert_eq!(told & ERASE_SEQ_ERROR, ERASE_SEQ_ERROR);
}

#[test]
fn short_registers_come_as_data() {
    let (mut card, address) = selected(1 << 20);
    let mut read = |app: bool, index: u32, argument: u32| -> Vec<u8> {
        if app {
            card.command(55, address);
        }
        card.command(index, argument);
        std::iter::from_fn(|| card.next_byte()).collect()
    };
    assert_eq!(read(true, 51, 0), [2, 5, 0, 0, 0, 0, 0, 0]);
    assert_eq!(read(true, 13, 0)[0], 0);
    read(true, 6, 2);
    assert_eq!(read(true, 13, 0)[0], 0x80);
    let functions = read(false, 6, 0x00ff_fff1);
    assert_eq!((functions.len(), functions[16]), (64, 0x0f));
    assert_eq!(read(false, 6, 0x00ff_ffff)[16], 0);
}

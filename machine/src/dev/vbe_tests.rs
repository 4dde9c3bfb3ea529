// SPDX-License-Identifier: Apache-2.0
//! The frame buffer: its registers as Bochs' interface has them, and what dots look like.

use super::*;
use crate::dev::bench::Bench;
use crate::dev::display::Display as _;
use crate::dev::vga::{self, Vga};

/// The index and the data, from the VGA's first port on.
const INDEX: u32 = vga::PORTS as u32;
const DATA: u32 = INDEX + 1;
const DATA_AGAIN: u32 = INDEX + 2;
/// The memory.
const PICTURE: u32 = INDEX + 3;

fn set(b: &mut Bench<Vga>, register: u32, value: u32) {
    b.write_part(INDEX, register, Width::Half);
    b.write_part(DATA_AGAIN, value, Width::Half);
}

fn get(b: &mut Bench<Vga>, register: u32) -> u32 {
    b.write_part(INDEX, register, Width::Half);
    b.read_part(DATA_AGAIN, Width::Half)
}

fn show(b: &mut Bench<Vga>, width: u32, height: u32, depth: u32) {
    for (register, value) in [(4, 0), (1, width), (2, height), (3, depth), (4, 0x41)] {
        set(b, register, value);
    }
}

/// The first dots of the picture once these bytes are at the beginning of memory.
fn dots(b: &mut Bench<Vga>, bytes: &[u8], count: usize) -> Vec<[u8; 3]> {
    for (at, byte) in (PICTURE..).zip(bytes) {
        b.write_part(at, u32::from(*byte), Width::Byte);
    }
    let rgb = b.device.picture(&|_, _| None).unwrap().rgb;
    let dots = rgb.chunks_exact(3).take(count);
    dots.map(|dot| [dot[0], dot[1], dot[2]]).collect()
}

#[test]
fn a_mode_is_chosen_as_the_interface_has_it() {
    let mut b = Bench::new(Vga::default());
    assert_eq!(get(&mut b, 0), 0xb0c5);
    assert_eq!(get(&mut b, 10), MEMORY_BYTES >> 16);
    show(&mut b, 640, 480, 16);
    assert_eq!(
        [1, 2, 3, 6, 7].map(|r| get(&mut b, r)),
        [640, 480, 16, 640, MEMORY_BYTES / 1280]
    );
    // not while it is shown, and not what there is not
    set(&mut b, 1, 320);
    assert_eq!(get(&mut b, 1), 640);
    set(&mut b, 4, 0);
    for (register, value) in [(1, 2048), (2, 0), (3, 12)] {
        set(&mut b, register, value);
    }
    assert_eq!([1, 2, 3].map(|r| get(&mut b, r)), [640, 480, 16]);
    // what could be
    set(&mut b, 4, 2);
    assert_eq!([1, 2, 3].map(|r| get(&mut b, r)), [1024, 768, 32]);
    assert_eq!(get(&mut b, 99), 0);
}

#[test]
fn a_mode_that_was_not_chosen_is_the_least() {
    let mut b = Bench::new(Vga::default());
    set(&mut b, 4, 1);
    assert_eq!([1, 2, 3].map(|r| get(&mut b, r)), [8, 1, 8]);
    let picture = b.device.picture(&|_, _| None).unwrap();
    assert_eq!((picture.width, picture.height), (8, 1));
}

/// The bus makes two accesses of a word at an odd port.
#[test]
fn words_come_as_bytes_at_the_odd_port() {
    let mut b = Bench::new(Vga::default());
    b.write_part(INDEX, 1, Width::Half);
    b.write_part(DATA, 0x20, Width::Byte);
    b.write_part(DATA_AGAIN, 0x03, Width::Byte);
    assert_eq!(b.read_part(DATA, Width::Byte), 0x20);
    assert_eq!(b.read_part(DATA_AGAIN, Width::Byte), 0x03);
    assert_eq!(get(&mut b, 1), 800);
}

#[test]
fn dots_of_each_depth() {
    let mut b = Bench::new(Vga::default());
    show(&mut b, 2, 1, 16);
    let bytes = [0x00, 0xf8, 0xe0, 0x07];
    assert_eq!(dots(&mut b, &bytes, 2), [[255, 0, 0], [0, 255, 0]]);
    show(&mut b, 2, 1, 15);
    assert_eq!(
        dots(&mut b, &[0x1f, 0, 0, 0x7c], 2),
        [[0, 0, 255], [255, 0, 0]]
    );
    show(&mut b, 2, 1, 24);
    assert_eq!(dots(&mut b, &[1, 2, 3, 4, 5, 6], 2), [[3, 2, 1], [6, 5, 4]]);
    show(&mut b, 2, 1, 32);
    let bytes = [1, 2, 3, 9, 4, 5, 6, 9];
    assert_eq!(dots(&mut b, &bytes, 2), [[3, 2, 1], [6, 5, 4]]);
    // by the VGA's palette: colour 1 is blue
    show(&mut b, 2, 1, 8);
    assert_eq!(dots(&mut b, &[1, 0], 2), [[0, 0, 170], [0, 0, 0]]);
    // with eight bits a colour it is a dark blue
    set(&mut b, 4, 0x61);
    assert_eq!(dots(&mut b, &[1], 1), [[0, 0, 42]]);
    b.write(0x08, 2);
    for level in [200, 3, 255] {
        b.write(0x09, level);
    }
    assert_eq!(dots(&mut b, &[2], 1), [[200, 3, 255]]);
}

#[test]
fn a_new_mode_is_black_unless_the_memory_is_to_stay() {
    let mut b = Bench::new(Vga::default());
    show(&mut b, 2, 2, 32);
    assert_eq!(dots(&mut b, &[], 1), [[0, 0, 0]]);
    for dot in 0..5 {
        b.write(PICTURE + 4 * dot, 7);
    }
    set(&mut b, 4, 0);
    set(&mut b, 4, 0xc1);
    assert_eq!(dots(&mut b, &[], 4), [[0, 0, 7]; 4]);
    set(&mut b, 4, 0);
    set(&mut b, 4, 0x41);
    assert_eq!(dots(&mut b, &[], 4), [[0, 0, 0]; 4]);
    assert_eq!(b.read(PICTURE + 16), 7);
}

#[test]
fn a_part_of_a_larger_picture() {
    let mut b = Bench::new(Vga::default());
    show(&mut b, 2, 1, 32);
    for (register, value) in [(6, 4), (8, 1), (9, 1)] {
        set(&mut b, register, value);
    }
    assert_eq!(get(&mut b, 7), u32::from(u16::MAX));
    // the second line's second dot is the sixth
    b.write(PICTURE + 5 * 4, 7);
    assert_eq!(dots(&mut b, &[], 2), [[0, 0, 7], [0, 0, 0]]);
    set(&mut b, 4, 0);
    let text = b.device.picture(&|_, _| Some(&[0; 0x8000])).unwrap();
    assert_eq!((text.width, text.height), (640, 400));
}

#[test]
fn memory_holds_bytes_halves_and_words() {
    let mut b = Bench::new(Vga::default());
    let at = PICTURE + 0x100;
    assert_eq!(b.read(at), 0);
    b.write(at, 0x1234_5678);
    b.write_part(at + 2, 0xabcd, Width::Half);
    b.write_part(at + 1, 0xef, Width::Byte);
    assert_eq!(b.read(at), 0xabcd_ef78);
    assert_eq!(b.read_part(at + 3, Width::Byte), 0xab);
    assert_eq!(b.read(PICTURE + MEMORY_BYTES - 4), 0);
}

// SPDX-License-Identifier: Apache-2.0
//! The VGA: what its registers make of memory.

use super::*;
use crate::dev::bench::{Bench, CLOCK_HZ};

const WIDE: u32 = 80;

fn text(b: &Bench<Vga>, bytes: &[u8]) -> Picture {
    let memory = |at: u32, len: usize| {
        assert_eq!((at, len), (0xb_8000, 0x8000));
        bytes.get(..len)
    };
    b.device.picture(&memory).unwrap()
}

fn dot(picture: &Picture, x: u32, y: u32) -> [u8; 3] {
    let at = 3 * (y * picture.width + x) as usize;
    std::array::from_fn(|part| picture.rgb[at + part])
}

#[test]
fn text_from_the_beginning() {
    let mut b = Bench::new(Vga::default());
    let mut bytes = vec![0; 0x8000];
    // a full block, yellow on blue, in the second row's third column
    let at = 2 * (WIDE + 2) as usize;
    bytes[at..at + 2].copy_from_slice(&[0xdb, 0x1e]);
    bytes[at + 2..at + 4].copy_from_slice(&[b' ', 0x1e]);
    let picture = text(&b, &bytes);
    assert_eq!((picture.width, picture.height), (640, 400));
    assert_eq!(dot(&picture, 16, 16), [255, 255, 85]);
    assert_eq!(dot(&picture, 23, 31), [255, 255, 85]);
    assert_eq!(dot(&picture, 24, 16), [0, 0, 170]);
    assert_eq!(dot(&picture, 15, 16), [0, 0, 0]);
    // the cursor is where it was, at the first character, whose attribute is black on black
    b.write(0x14, 0x0f);
    b.write(0x15, WIDE + 3);
    let picture = text(&b, &bytes);
    assert_eq!(dot(&picture, 24, 16 + 13), [255, 255, 85]);
    assert_eq!(dot(&picture, 24, 16 + 12), [0, 0, 170]);
    // one row further up
    b.write(0x14, 0x0d);
    b.write(0x15, WIDE);
    assert_eq!(dot(&text(&b, &bytes), 16, 0), [255, 255, 85]);
}

#[test]
fn letters_are_not_mirrored() {
    let (l, upper) = (glyph(b'L'), glyph(0x80));
    // an L has its stem on the left and its foot at the bottom
    assert!(l[2].count_ones() < l[6].count_ones());
    assert!(l[2].trailing_zeros() < 4);
    assert_ne!(upper, [0; 8]);
    assert_eq!(UPPER.chars().count(), 128);
    assert_eq!(LOWER.chars().count(), 31);
}

/// The registers of mode 13h as programs without a BIOS set them.
fn mode_13h(b: &mut Bench<Vga>) {
    b.write(0x02, 0x63);
    for (index, value) in [(1, 0x01), (2, 0x0f), (4, 0x0e)] {
        b.write(0x04, index);
        b.write(0x05, value);
    }
    let crtc = [
        (0x11, 0x0e),
        (4, 0x54),
        (5, 0x80),
        (9, 0x41),
        (0x0a, 0x20),
        (0x14, 0x40),
    ];
    for (index, value) in crtc {
        b.write(0x14, index);
        b.write(0x15, value);
    }
    for (index, value) in [(5, 0x40), (6, 0x05)] {
        b.write(0x0e, index);
        b.write(0x0f, value);
    }
    b.read(0x1a);
    for value in [0x10, 0x41] {
        b.write(0x00, value);
    }
}

#[test]
fn mode_13h_is_a_byte_a_dot() {
    let mut b = Bench::new(Vga::default());
    let mut bytes = vec![0; 0x1_0000];
    bytes[320 * 7 + 5] = 200;
    mode_13h(&mut b);
    b.write(0x08, 200);
    for level in [63, 32, 0] {
        b.write(0x09, level);
    }
    let memory = |at: u32, len: usize| {
        assert_eq!((at, len), (0xa_0000, 0x1_0000));
        bytes.get(..len)
    };
    let picture = b.device.picture(&memory).unwrap();
    assert_eq!((picture.width, picture.height), (320, 200));
    assert_eq!(dot(&picture, 5, 7), [255, 130, 0]);
    assert_eq!(dot(&picture, 4, 7), [0, 0, 0]);
    // read back as it was written
    b.write(0x07, 200);
    assert_eq!([b.read(0x09), b.read(0x09), b.read(0x07)], [63, 32, 3]);
    // without chained planes there is no picture
    b.write(0x04, 4);
    b.write(0x05, 6);
    assert!(b.device.picture(&memory).unwrap_err().contains("planes"));
}

#[test]
fn protected_registers_and_the_beam() {
    let mut b = Bench::new(Vga::default());
    b.write(0x14, 1);
    b.write(0x15, 0x27); // mode 3 leaves them protected
    assert_eq!(b.read(0x15), 0x4f);
    let frame = CLOCK_HZ * 1000 / FRAMES_PER_1000_S;
    let at = |b: &mut Bench<Vga>, line: u64| {
        b.now = frame * 3 + frame * line / FRAME_LINES + frame / (2 * FRAME_LINES);
        b.read(0x1a)
    };
    assert_eq!(
        [0, 399, 400, 412, 414].map(|line| at(&mut b, line)),
        [0, 0, 1, 9, 1]
    );
    // status 1 makes port 3C0h take an index
    b.write(0x00, 0x10);
    b.read(0x1a);
    b.write(0x00, 0x11);
    assert_eq!(b.read(0x00), 0x11);
}

// SPDX-License-Identifier: Apache-2.0
//! Tests of the interrupt controllers, by the data sheet's sections.

use super::*;
use crate::dev::bench::Bench;

/// The second chip's command register, the trigger registers.
const COMMAND2: u32 = 2;
const ELCR2: u32 = ELCR + 1;
const EOI: u32 = 0x20;
const READ_IRR: u32 = 0x0a;
const READ_ISR: u32 = 0x0b;

type Pair = Bench<I8259>;

impl Pair {
    /// Drives the sources; whether the processor is asked for an interrupt.
    fn sources(&mut self, lines: u64) -> bool {
        self.lines = lines;
        self.pin()
    }

    fn pin(&mut self) -> bool {
        let pins = self.device.pins(self.lines);
        assert_eq!((pins.fiq, pins.wake), (false, pins.irq));
        pins.irq
    }

    fn take(&mut self) -> u8 {
        self.device.acknowledge().unwrap()
    }

    fn init(&mut self, command: u32, words: [u32; 4]) {
        self.write(command, words[0]);
        for word in &words[1..] {
            self.write(command + 1, *word);
        }
    }

    fn isr(&mut self) -> [u32; 2] {
        self.write(COMMAND, READ_ISR);
        self.write(COMMAND2, READ_ISR);
        [self.read(COMMAND), self.read(COMMAND2)]
    }

    fn irr(&mut self) -> [u32; 2] {
        self.write(COMMAND, READ_IRR);
        self.write(COMMAND2, READ_IRR);
        [self.read(COMMAND), self.read(COMMAND2)]
    }
}

/// As Linux sets them up: vectors 0x30 and 0x38, nothing masked.
fn pair() -> Pair {
    with_modes(0x01, 0x01)
}

/// Both chips, initialised with these words ICW4.
fn with_modes(first: u32, second: u32) -> Pair {
    let mut b = Bench::new(I8259::default());
    b.init(COMMAND, [0x11, 0x30, 0x04, first]);
    b.init(COMMAND2, [0x11, 0x38, 0x02, second]);
    assert_eq!((b.read(DATA), b.read(COMMAND2 + 1)), (0, 0));
    b
}

#[test]
fn masks_can_be_read_back_before_anything_is_initialized() {
    let mut b = Bench::new(I8259::default());
    assert_eq!((b.read(DATA), b.read(COMMAND2 + 1)), (0xff, 0xff));
    b.write(DATA, 0xfb);
    assert_eq!(b.read(DATA), 0xfb);
    assert!(!b.sources(0xffff));
    b.write(DATA, 0xfe);
    assert!(b.pin());
    assert_eq!(b.take(), 0x08);
}

#[test]
fn an_edge_asks_once() {
    let mut b = pair();
    assert!(b.sources(1 << 3));
    assert_eq!((b.irr(), b.isr()), ([0x08, 0], [0, 0]));
    assert_eq!(b.take(), 0x33);
    assert_eq!((b.irr(), b.isr(), b.pin()), ([0, 0], [0x08, 0], false));
    b.write(COMMAND, EOI);
    assert_eq!((b.isr(), b.pin()), ([0, 0], false));
    assert!(!b.sources(0));
    assert!(b.sources(1 << 3));
}

#[test]
fn an_input_that_falls_too_early_is_spurious() {
    let mut b = pair();
    assert!(b.sources(1 << 3));
    assert!(!b.sources(0));
    assert_eq!((b.take(), b.isr()), (0x37, [0, 0]));
    // After the second chip: the first has its level in service, the second none.
    assert!(b.sources(1 << 12));
    b.device.second.high = 0;
    b.device.second.risen = 0;
    assert_eq!((b.take(), b.isr()), (0x3f, [0x04, 0]));
}

#[test]
fn a_masked_edge_is_kept() {
    let mut b = pair();
    b.write(DATA, 0x10);
    assert!(!b.sources(1 << 4));
    assert_eq!(b.irr(), [0x10, 0]);
    b.write(DATA, 0);
    assert!(b.pin());
    assert_eq!(b.take(), 0x34);
}

#[test]
fn fully_nested() {
    let mut b = pair();
    assert!(b.sources(1 << 4));
    assert_eq!(b.take(), 0x34);
    assert!(!b.sources(1 << 4 | 1 << 6), "less urgent");
    assert!(b.sources(1 << 4 | 1 << 6 | 1 << 1), "more urgent");
    assert_eq!((b.take(), b.isr()), (0x31, [0x12, 0]));
    // A non-specific end is the most urgent one's, a specific one whose it says.
    b.write(COMMAND, EOI);
    assert_eq!((b.isr(), b.pin()), ([0x10, 0], false));
    b.write(COMMAND, 0x63);
    assert_eq!(b.isr(), [0x10, 0]);
    b.write(COMMAND, 0x64);
    assert_eq!((b.isr(), b.pin()), ([0, 0], true));
    assert_eq!(b.take(), 0x36);
}

#[test]
fn the_second_chip_gives_its_own_vectors() {
    let mut b = pair();
    assert!(b.sources(1 << 14 | 1 << 3));
    assert_eq!(b.irr(), [0x0c, 0x40]);
    // Its inputs come between 1 and 3 of the first.
    assert_eq!((b.take(), b.isr()), (0x3e, [0x04, 0x40]));
    assert!(!b.pin());
    // Less urgent than the first in service; more urgent, but locked out by the first chip.
    assert!(!b.sources(1 << 14 | 1 << 3 | 1 << 15 | 1 << 8));
    b.write(COMMAND2, EOI);
    assert_eq!((b.isr(), b.pin()), ([0x04, 0], false));
    b.write(COMMAND, EOI);
    assert!(b.pin());
    assert_eq!((b.take(), b.isr()), (0x38, [0x04, 0x01]));
    b.write(COMMAND2, EOI);
    b.write(COMMAND, EOI);
    assert_eq!(b.take(), 0x3f);
    b.write(COMMAND2, EOI);
    b.write(COMMAND, EOI);
    assert_eq!(b.take(), 0x33);
}

#[test]
fn special_fully_nested_mode_lets_the_second_chip_interrupt_itself() {
    let mut b = with_modes(0x11, 0x01);
    assert!(b.sources(1 << 14));
    assert_eq!(b.take(), 0x3e);
    assert!(!b.sources(1 << 14 | 1 << 15));
    assert!(!b.sources(1 << 14 | 1 << 15 | 1 << 4));
    assert!(b.sources(1 << 14 | 1 << 15 | 1 << 4 | 1 << 8));
    assert_eq!((b.take(), b.isr()), (0x38, [0x04, 0x41]));
    b.write(COMMAND2, EOI);
    assert_eq!((b.isr(), b.pin()), ([0x04, 0x40], false));
}

#[test]
fn interrupts_that_end_by_themselves() {
    let mut b = with_modes(0x03, 0x03);
    assert!(b.sources(1 << 10 | 1 << 9));
    assert_eq!((b.take(), b.isr()), (0x39, [0, 0]));
    assert_eq!((b.take(), b.isr()), (0x3a, [0, 0]));
    assert!(!b.pin());
    // With rotation the one that was taken is the least urgent then.
    b.write(COMMAND, 0x80);
    assert!(b.sources(0x03));
    assert_eq!(b.take(), 0x30);
    b.sources(0x02);
    assert!(b.sources(0x03));
    assert_eq!((b.take(), b.take()), (0x31, 0x30));
    b.write(COMMAND, 0);
    b.sources(0);
    b.sources(0x03);
    assert_eq!((b.take(), b.take()), (0x31, 0x30), "it stays where it is");
    b.sources(0);
    b.sources(0x03);
    assert_eq!((b.take(), b.take()), (0x31, 0x30));
}

#[test]
fn priorities_rotate() {
    let mut b = pair();
    // DS, "Automatic rotation": 4 is in service and 6 asks; then 4 is the least urgent.
    b.sources(1 << 4);
    b.take();
    b.sources(1 << 6);
    b.write(COMMAND, 0xa0);
    assert_eq!((b.isr(), b.take()), ([0, 0], 0x36));
    b.write(COMMAND, EOI);
    b.sources(0);
    b.sources(1 << 4 | 1 << 5 | 1 << 3);
    assert_eq!(b.take(), 0x35);
    b.write(COMMAND, 0xe5);
    // Now 5 is: 6, 7, 0, 1, ...
    assert_eq!(b.take(), 0x33);
    b.write(COMMAND, 0xc2);
    assert_eq!(b.isr(), [0x08, 0], "setting the priority ends nothing");
    assert!(!b.pin());
    b.write(COMMAND, 0x63);
    assert_eq!(b.take(), 0x34);
    // 3 to 7, 0, 1, 2.
    b.write(COMMAND, EOI);
    b.sources(0);
    b.sources(1 << 2 | 1 << 1);
    assert_eq!(b.take(), 0x31);
}

#[test]
fn special_mask_mode_lets_less_urgent_ones_through() {
    let mut b = pair();
    b.sources(1 << 1);
    b.take();
    b.write(DATA, 0x02);
    assert!(!b.sources(1 << 1 | 1 << 5));
    b.write(COMMAND, 0x68);
    assert!(b.pin());
    assert_eq!((b.take(), b.isr()), (0x35, [0x22, 0]));
    // A non-specific end passes over those that are masked.
    b.write(COMMAND, EOI);
    assert_eq!(b.isr(), [0x02, 0]);
    b.write(COMMAND, EOI);
    assert_eq!(b.isr(), [0x02, 0]);
    b.write(COMMAND, 0x48);
    b.write(COMMAND, EOI);
    assert_eq!(b.isr(), [0, 0]);
}

#[test]
fn a_poll_acknowledges() {
    let mut b = pair();
    b.write(COMMAND, 0x0c);
    assert_eq!(b.read(COMMAND) & 0x80, 0);
    b.sources(1 << 5 | 1 << 13);
    b.write(COMMAND2, 0x0c);
    assert_eq!(b.read(COMMAND2), 0x85);
    assert_eq!((b.isr(), b.irr()), ([0, 0x20], [0x20, 0]));
    b.write(COMMAND, 0x0e);
    assert_eq!(b.read(DATA), 0x85);
    assert_eq!(b.isr(), [0x20, 0x20]);
    // It was one read.
    assert_eq!(b.read(DATA), 0);
}

#[test]
fn levels_ask_as_long_as_they_are_high() {
    let mut b = pair();
    b.write(ELCR, 0xff);
    b.write(ELCR2, 0xff);
    assert_eq!((b.read(ELCR), b.read(ELCR2)), (0xf8, 0xde));
    assert!(b.sources(1 << 5 | 1 << 10));
    assert_eq!(b.take(), 0x3a);
    b.write(COMMAND2, EOI);
    b.write(COMMAND, EOI);
    assert_eq!((b.irr(), b.take()), ([0x24, 0x04], 0x3a));
    b.write(COMMAND2, EOI);
    b.write(COMMAND, EOI);
    b.sources(1 << 5);
    assert_eq!(b.take(), 0x35);
    assert!(!b.pin());
    b.write(COMMAND, EOI);
    assert!(b.pin());
    assert!(!b.sources(0));
    // All inputs of a chip by ICW1.
    b.init(COMMAND, [0x19, 0x30, 0x04, 0x01]);
    b.sources(1);
    assert_eq!(b.take(), 0x30);
    b.write(COMMAND, EOI);
    assert!(b.pin());
}

#[test]
fn initialization_forgets() {
    let mut b = pair();
    b.sources(1 << 3 | 1 << 4);
    b.take();
    b.write(DATA, 0x80);
    b.write(COMMAND, READ_ISR);
    b.write(COMMAND, 0x11);
    // Masks are clear, ISR is and is not what is read, and a high input is no edge.
    assert_eq!((b.read(DATA), b.read(COMMAND), b.isr()), (0, 0, [0, 0]));
    for word in [0x47, 0x04, 0x01] {
        b.write(DATA, word);
    }
    assert!(!b.pin());
    b.sources(0);
    b.sources(1 << 4);
    assert_eq!(b.take(), 0x44, "the low bits of ICW2 are the level");
}

#[test]
fn initialization_words_come_as_icw1_says() {
    let mut b = pair();
    // Single, no ICW4: what follows ICW2 is the mask.
    b.write(COMMAND, 0x12);
    b.write(DATA, 0x50);
    b.write(DATA, 0x0f);
    assert_eq!(b.read(DATA), 0x0f);
    b.write(DATA, 0);
    b.sources(1 << 2 | 1 << 12);
    assert_eq!(b.take(), 0x52, "nothing is waiting after it");
    // Cascaded, no ICW4.
    b.write(COMMAND, 0x10);
    for word in [0x60, 0x04, 0x33] {
        b.write(DATA, word);
    }
    assert_eq!(b.read(DATA), 0x33);
}

#[test]
fn a_second_chip_by_another_number_does_not_answer() {
    let mut b = pair();
    b.init(COMMAND2, [0x11, 0x38, 0x05, 0x01]);
    b.sources(1 << 9);
    assert_eq!((b.take(), b.isr()), (0xff, [0x04, 0]));
}

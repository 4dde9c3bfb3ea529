// SPDX-License-Identifier: Apache-2.0
//! Tests of the clock: time in its formats, interrupts, updates, the bytes of a BIOS.

use super::*;
use crate::dev::bench::{Bench, CLOCK_HZ};

const LINE: u64 = 1 << 8;
/// Offsets of the two ports.
const INDEX: u32 = 0;
const DATA: u32 = 1;

type Clock = Bench<Mc146818>;

fn clock() -> Clock {
    Bench::new(Mc146818::new(8, 64 << 20))
}

impl Clock {
    fn get(&mut self, at: usize) -> u8 {
        self.write(INDEX, at as u32);
        self.read(DATA) as u8
    }

    fn set(&mut self, at: usize, value: u8) {
        self.write(INDEX, at as u32 | 0x80);
        self.write(DATA, u32::from(value));
    }

    /// Year, month, day, weekday, hours, minutes and seconds as they stand in the bytes.
    fn now(&mut self) -> [u8; 7] {
        [YEAR, MONTH, DAY, WEEKDAY, HOURS, MINUTES, SECONDS].map(|at| self.get(at))
    }

    fn set_now(&mut self, bytes: [u8; 7]) {
        let places = [YEAR, MONTH, DAY, WEEKDAY, HOURS, MINUTES, SECONDS];
        for (at, byte) in places.into_iter().zip(bytes) {
            self.set(at, byte);
        }
    }

    fn seconds_pass(&mut self, seconds: u64) {
        let then = self.now + seconds * CLOCK_HZ;
        self.run_to(then);
    }
}

#[test]
fn the_time_runs_from_its_start() {
    let mut b = clock();
    assert_eq!(b.now(), [0, 1, 1, 7, 0, 0, 0]);
    assert_eq!(
        [b.get(A), b.get(B), b.get(C), b.get(D)],
        [0x26, 0x02, 0, 0x80]
    );
    b.run_to(CLOCK_HZ - 1);
    assert_eq!(b.now()[6], 0);
    b.run_to(CLOCK_HZ);
    assert_eq!(b.now()[6], 1);
    assert_eq!(b.get(C), PERIODIC | UPDATED);
    b.seconds_pass(59 + 59 * 60 + 9 * 3600);
    assert_eq!(b.now(), [0, 1, 1, 7, 0x10, 0, 0]);
    assert_eq!(b.read(INDEX), 0xff);
}

#[test]
fn dates_carry() {
    for (before, after) in [
        ([0x00, 0x02, 0x28, 2], [0x00, 0x02, 0x29, 3]),
        ([0x00, 0x02, 0x29, 3], [0x00, 0x03, 0x01, 4]),
        ([0x01, 0x02, 0x28, 4], [0x01, 0x03, 0x01, 5]),
        ([0x04, 0x04, 0x30, 7], [0x04, 0x05, 0x01, 1]),
        ([0x99, 0x12, 0x31, 6], [0x00, 0x01, 0x01, 7]),
    ] {
        let mut b = clock();
        let [year, month, day, weekday] = before;
        b.set_now([year, month, day, weekday, 0x23, 0x59, 0x59]);
        b.seconds_pass(1);
        let [year, month, day, weekday] = after;
        assert_eq!(b.now(), [year, month, day, weekday, 0, 0, 0], "{before:x?}");
    }
}

#[test]
fn long_gaps_are_as_if_they_had_been_watched() {
    let mut b = clock();
    b.now = CLOCK_HZ * (86_400 * 60 + 3 * 3600 + 5);
    // 60 days from the 1st of January of a leap year, a Saturday.
    assert_eq!(b.now(), [0, 3, 1, 4, 3, 0, 5]);
}

#[test]
fn hours_and_numbers_in_their_formats() {
    for (format, hours) in [
        (HOURS24, [0x11, 0x12, 0x23, 0x00]),
        (HOURS24 | BINARY, [11, 12, 23, 0]),
        (0, [0x11, 0x92, 0x91, 0x12]),
        (BINARY, [11, 0x8c, 0x8b, 12]),
    ] {
        let mut b = clock();
        b.set(B, format);
        let fifty_nine = if format & BINARY != 0 { 59 } else { 0x59 };
        // From 11 to 12 at noon, and from 23 to 0.
        for pair in [[0, 1], [2, 3]] {
            let [before, after] = pair.map(|n: usize| hours[n]);
            b.set(HOURS, before);
            b.set(MINUTES, fifty_nine);
            b.set(SECONDS, fifty_nine);
            b.seconds_pass(1);
            assert_eq!(
                [b.get(HOURS), b.get(MINUTES), b.get(SECONDS)],
                [after, 0, 0]
            );
        }
    }
}

#[test]
fn bytes_that_are_no_time_are_survived() {
    for format in [0, BINARY, HOURS24, BINARY | HOURS24] {
        let mut b = clock();
        b.set(B, format);
        b.set_now([0xff; 7]);
        b.seconds_pass(400 * 86_400);
        b.get(SECONDS);
    }
}

#[test]
fn an_update_is_announced() {
    let mut b = clock();
    let early = CLOCK_HZ * UPDATE_US / 1_000_000;
    b.run_to(CLOCK_HZ - early - 1);
    assert_eq!(b.get(A), 0x26);
    b.run_to(CLOCK_HZ - early);
    assert_eq!(b.get(A), 0xa6);
    b.run_to(CLOCK_HZ);
    assert_eq!(b.get(A), 0x26);
    // Not while it is set.
    b.set(B, SET | HOURS24);
    b.run_to(2 * CLOCK_HZ - 1);
    assert_eq!(b.get(A), 0x26);
}

#[test]
fn the_time_is_set_as_linux_does_it() {
    let mut b = clock();
    b.run_to(CLOCK_HZ / 3);
    b.set(B, SET | HOURS24);
    b.set(A, 0x76);
    b.set_now([0x26, 0x11, 0x23, 2, 0x12, 0x34, 0x56]);
    b.run_to(5 * CLOCK_HZ + 7);
    assert_eq!(b.now()[6], 0x56);
    b.set(B, HOURS24);
    b.set(A, 0x26);
    let start = b.now;
    b.run_to(start + CLOCK_HZ / 2 - 1);
    assert_eq!(b.now()[6], 0x56);
    b.run_to(start + CLOCK_HZ / 2);
    assert_eq!(b.now(), [0x26, 0x11, 0x23, 2, 0x12, 0x34, 0x57]);
    b.run_to(start + CLOCK_HZ * 3 / 2);
    assert_eq!(b.now()[6], 0x58);
}

#[test]
fn the_alarm_rings() {
    let mut b = clock();
    for at in [HOURS_ALARM, MINUTES_ALARM] {
        b.set(at, 0xc0);
    }
    b.set(SECONDS_ALARM, 0x05);
    b.set(B, ALARM | HOURS24);
    b.run_to(5 * CLOCK_HZ - 1);
    assert_eq!(b.lines, 0);
    b.run_to(5 * CLOCK_HZ);
    assert_eq!(b.lines, LINE);
    assert_eq!(b.get(C), ANY | PERIODIC | ALARM | UPDATED);
    assert_eq!((b.lines, b.get(C)), (0, 0));
    // Every minute.
    b.run_to(65 * CLOCK_HZ);
    assert_eq!(b.lines, LINE);
    b.get(C);
    // At one time of day, found after a gap as well.
    b.set(HOURS_ALARM, 0x02);
    b.set(MINUTES_ALARM, 0x00);
    b.run_to(7204 * CLOCK_HZ);
    assert_eq!(b.lines, 0);
    b.run_to(7205 * CLOCK_HZ);
    assert_eq!(b.lines, LINE);
    b.get(C);
    b.now += 2 * 86_400 * CLOCK_HZ;
    assert_eq!(b.get(C) & (ANY | ALARM), ANY | ALARM);
}

#[test]
fn an_interrupt_with_each_update() {
    let mut b = clock();
    b.set(B, UPDATED | HOURS24);
    for second in 1..4 {
        b.run_to(second * CLOCK_HZ - 1);
        assert_eq!(b.lines, 0);
        b.run_to(second * CLOCK_HZ);
        assert_eq!(b.lines, LINE);
        assert_eq!(b.get(C) & UPDATED, UPDATED);
    }
    // SET ends it.
    b.set(B, SET | UPDATED | HOURS24);
    assert_eq!(b.get(B), SET | HOURS24);
}

#[test]
fn periodic_interrupts() {
    for (rate, hz) in [(1, 256), (2, 128), (3, 8192), (6, 1024), (15, 2)] {
        let mut b = clock();
        b.set(A, RUNS | rate);
        b.set(B, PERIODIC | HOURS24);
        for n in 1..5 {
            let at = (n * CLOCK_HZ).div_ceil(hz);
            b.run_to(at - 1);
            assert_eq!(b.lines, 0, "rate {rate}");
            b.run_to(at);
            assert_eq!(b.lines, LINE, "rate {rate}");
            assert_eq!(b.get(C) & (ANY | PERIODIC), ANY | PERIODIC);
            assert_eq!(b.lines, 0);
        }
    }
    let mut b = clock();
    b.set(A, RUNS);
    b.set(B, PERIODIC | HOURS24);
    assert_eq!(b.deadline(), NEVER);
}

#[test]
fn what_a_bios_leaves() {
    let mut b = clock();
    let word = |b: &mut Clock, at: usize| u16::from_le_bytes([b.get(at), b.get(at + 1)]);
    assert_eq!(word(&mut b, 0x15), 640);
    assert_eq!((word(&mut b, 0x17), word(&mut b, 0x30)), (0xfc00, 0xfc00));
    assert_eq!((word(&mut b, 0x34), b.get(0x32)), (48 * 16, 0x20));
    let sum: u16 = (0x10..0x2e).map(|at| u16::from(b.get(at))).sum();
    assert_eq!(word(&mut b, 0x2e).swap_bytes(), sum);
    // The rest is memory; what says of itself that it cannot be written is not.
    b.set(0x7f, 0x5a);
    b.set(D, 0);
    b.set(C, 0xff);
    assert_eq!([b.get(0x7f), b.get(D), b.get(C)], [0x5a, 0x80, 0]);
}

proptest::proptest! {
    /// Who looks at each tenth of a second sees the same as who has not looked for long.
    #[test]
    fn looking_more_often_changes_nothing(steps: Vec<(u8, u8, u16)>) {
        let (mut seldom, mut often) = (clock(), clock());
        for (what, value, tenths) in steps {
            // Mostly the registers and small numbers.
            let at = usize::from(what % 16);
            let value = if what & 0x20 != 0 { value } else { value % 0x24 };
            let mut seen = Vec::new();
            for b in [&mut seldom, &mut often] {
                if what & 0x80 != 0 {
                    seen.push(b.get(at));
                } else {
                    b.set(at, value);
                    seen.push(b.get(A));
                }
            }
            proptest::prop_assert_eq!(seen[0], seen[1], "{:#x}", at);
            for _ in 0..tenths % 2000 {
                often.now += CLOCK_HZ / 10;
                often.read(INDEX);
            }
            seldom.now = often.now;
        }
    }
}

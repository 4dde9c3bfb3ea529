// SPDX-License-Identifier: Apache-2.0
//! Tests of the timer: the data sheet's figures of the modes (15 to 20), tick by tick, and its
//! sections on reading and writing.

use super::*;
use crate::dev::bench::{Bench, CLOCK_HZ};

type Timer = Bench<I8254>;

fn timer() -> Timer {
    Bench::new(I8254::new(0))
}

/// The first cycle of tick `tick`.
fn at(tick: u64) -> Cycle {
    cycle_of(tick, CLOCK_TIMES, CLOCK_DIVISOR * CLOCK_HZ)
}

impl Timer {
    fn go_to(&mut self, tick: u64) {
        self.run_to(at(tick));
    }

    /// A control word with RW `rw` and mode `mode` for a counter, then the bytes of a count.
    fn set(&mut self, counter: u32, rw: u8, mode: u8, count: &[u32]) {
        self.write(CONTROL, counter << 6 | u32::from(rw << 4 | mode << 1));
        for byte in count {
            self.write(counter, *byte);
        }
    }

    fn gate(&mut self, gate: bool) {
        self.write(PORT_B, u32::from(gate));
    }

    fn out(&mut self) -> bool {
        self.read(PORT_B) & u32::from(OUT2) != 0
    }

    /// Output (capital when high) and value of counter 2 in each of the next `ticks` ticks; it is of
    /// one byte.
    fn figure(&mut self, ticks: u64) -> String {
        let start = ticks_of(self.now);
        let mut seen = Vec::new();
        for tick in start + 1..=start + ticks {
            self.go_to(tick);
            let level = if self.out() { 'H' } else { 'l' };
            seen.push(format!("{level}{:x}", self.read(2)));
        }
        seen.join(" ")
    }
}

fn ticks_of(now: Cycle) -> u64 {
    ticks(now, CLOCK_TIMES, CLOCK_DIVISOR * CLOCK_HZ)
}

#[test]
fn the_clock_is_exact() {
    // 105 ticks in 88 microseconds: 17,600 cycles here.
    assert_eq!(ticks_of(88 * CLOCK_HZ), 105_000_000);
    assert_eq!(at(105), 17_600);
    let mut b = timer();
    b.set(0, 3, 2, &[0, 0]);
    let latched = |b: &mut Timer| {
        b.write(CONTROL, 0);
        b.read(0) | b.read(0) << 8
    };
    for tick in [2, 3, 1000, 65_535] {
        let expected = 0x1_0001 - tick as u32;
        b.run_to(at(tick) - 1);
        assert_eq!(latched(&mut b), (expected + 1) & 0xffff, "before {tick}");
        b.run_to(at(tick));
        assert_eq!(latched(&mut b), expected, "{tick}");
    }
}

#[test]
fn mode_0_interrupt_on_terminal_count() {
    let mut b = timer();
    b.gate(true);
    b.set(2, LOW, 0, &[4]);
    assert!(!b.out());
    assert_eq!(b.figure(6), "l4 l3 l2 l1 H0 Hff");
    // The gate holds it; a count that is written then is loaded all the same.
    b.set(2, LOW, 0, &[3]);
    assert_eq!(b.figure(2), "l3 l2");
    b.gate(false);
    assert_eq!(b.figure(2), "l2 l2");
    b.gate(true);
    assert_eq!(b.figure(2), "l1 H0");
    b.gate(false);
    b.write(2, 2);
    assert_eq!(b.figure(2), "l2 l2");
    b.gate(true);
    assert_eq!(b.figure(3), "l1 H0 Hff");
    // A new count during counting is loaded at the next tick.
    b.set(2, LOW, 0, &[3]);
    assert_eq!(b.figure(2), "l3 l2");
    b.write(2, 2);
    assert_eq!(b.figure(3), "l2 l1 H0");
}

#[test]
fn in_mode_0_the_first_of_two_bytes_stops_it() {
    let mut b = timer();
    b.gate(true);
    b.set(2, 3, 0, &[2, 0]);
    b.go_to(3);
    assert!(b.out());
    b.write(2, 1);
    assert!(!b.out());
    let latched = |b: &mut Timer| {
        b.write(CONTROL, 0x80);
        b.read(2) | b.read(2) << 8
    };
    b.go_to(9);
    assert_eq!((latched(&mut b), b.out()), (0, false));
    b.write(2, 1);
    b.go_to(10);
    assert_eq!(latched(&mut b), 0x101);
    b.go_to(10 + 0x100);
    assert!(!b.out());
    b.go_to(10 + 0x101);
    assert!(b.out());
}

#[test]
fn mode_1_one_shot() {
    let mut b = timer();
    b.set(2, LOW, 1, &[3]);
    assert!(b.out());
    b.go_to(5);
    assert!(b.out(), "armed only");
    b.gate(true);
    assert_eq!(b.figure(5), "l3 l2 l1 H0 Hff");
    b.gate(false);
    assert_eq!(b.figure(1), "Hfe");
    b.gate(true);
    assert_eq!(b.figure(2), "l3 l2");
    // Triggered again.
    b.gate(false);
    b.gate(true);
    assert_eq!(b.figure(4), "l3 l2 l1 H0");
    // A new count is for the next trigger.
    b.set(2, LOW, 1, &[2]);
    b.gate(false);
    b.gate(true);
    assert_eq!(b.figure(1), "l2");
    b.write(2, 4);
    assert_eq!(b.figure(3), "l1 H0 Hff");
    b.gate(false);
    b.gate(true);
    assert_eq!(b.figure(2), "l4 l3");
}

#[test]
fn mode_2_rate_generator() {
    let mut b = timer();
    b.gate(true);
    b.set(2, LOW, 2, &[3]);
    assert!(b.out());
    assert_eq!(b.figure(7), "H3 H2 l1 H3 H2 l1 H3");
    // The gate holds it, lets the output go high, and starts it anew.
    b.set(2, LOW, 2, &[3]);
    assert_eq!(b.figure(3), "H3 H2 l1");
    b.gate(false);
    assert!(b.out());
    assert_eq!(b.figure(2), "H1 H1");
    b.gate(true);
    assert_eq!(b.figure(4), "H3 H2 l1 H3");
    // A new count is for the next period.
    b.set(2, LOW, 2, &[4]);
    assert_eq!(b.figure(2), "H4 H3");
    b.write(2, 5);
    assert_eq!(b.figure(4), "H2 l1 H5 H4");
}

#[test]
fn mode_3_square_wave() {
    let mut b = timer();
    b.gate(true);
    b.set(2, LOW, 3, &[4]);
    assert_eq!(b.figure(8), "H4 H2 l4 l2 H4 H2 l4 l2");
    b.set(2, LOW, 3, &[5]);
    assert_eq!(b.figure(11), "H4 H2 H0 l4 l2 H4 H2 H0 l4 l2 H4");
    b.set(2, LOW, 3, &[4]);
    assert_eq!(b.figure(3), "H4 H2 l4");
    b.gate(false);
    assert!(b.out());
    assert_eq!(b.figure(2), "H4 H4");
    b.gate(true);
    assert_eq!(b.figure(4), "H4 H2 l4 l2");
    // A new count is for the next half.
    b.write(2, 6);
    assert_eq!(b.figure(7), "H6 H4 H2 l6 l4 l2 H6");
}

#[test]
fn mode_4_strobe_by_software() {
    let mut b = timer();
    b.gate(true);
    b.set(2, LOW, 4, &[3]);
    assert!(b.out());
    assert_eq!(b.figure(6), "H3 H2 H1 l0 Hff Hfe");
    b.write(2, 2);
    b.gate(false);
    assert_eq!(b.figure(2), "H2 H2");
    b.gate(true);
    assert_eq!(b.figure(3), "H1 l0 Hff");
    b.write(2, 3);
    assert_eq!(b.figure(2), "H3 H2");
    b.write(2, 2);
    assert_eq!(b.figure(4), "H2 H1 l0 Hff");
}

#[test]
fn mode_5_strobe_by_the_gate() {
    let mut b = timer();
    b.set(2, LOW, 5, &[3]);
    assert!(b.out());
    b.gate(true);
    assert_eq!(b.figure(5), "H3 H2 H1 l0 Hff");
    b.gate(false);
    b.gate(true);
    assert_eq!(b.figure(2), "H3 H2");
    b.gate(false);
    b.gate(true);
    assert_eq!(b.figure(4), "H3 H2 H1 l0");
}

#[test]
fn counts_of_zero_are_the_largest() {
    let mut b = timer();
    b.set(0, 3, 2, &[0, 0]);
    b.go_to(0x1_0000 - 1);
    assert_eq!(b.lines, 1);
    b.go_to(0x1_0000);
    assert_eq!(b.lines, 0);
    b.go_to(0x1_0001);
    assert_eq!(b.lines, 1);
    // In BCD 10,000.
    let mut b = timer();
    b.write(CONTROL, 0x35);
    b.write(0, 0);
    b.write(0, 0);
    b.go_to(9_999);
    assert_eq!(b.lines, 1);
    assert_eq!((b.read(0), b.read(0)), (0x02, 0));
    b.go_to(10_000);
    assert_eq!(b.lines, 0);
    b.go_to(10_001 + 1);
    assert_eq!((b.lines, b.read(0), b.read(0)), (1, 0x99, 0x99));
}

#[test]
fn counter_0_interrupts_with_each_period() {
    let mut b = timer();
    // 100 Hz, as Linux programs it.
    let period = 11_932u64;
    b.set(0, 3, 2, &[period as u32 & 0xff, period as u32 >> 8]);
    assert_eq!(b.lines, 1);
    for n in 1..5 {
        b.run_to(at(n * period) - 1);
        assert_eq!(b.lines, 1, "period {n}");
        b.run_to(at(n * period));
        assert_eq!(b.lines, 0, "period {n}");
        b.run_to(at(n * period + 1));
        assert_eq!(b.lines, 1, "period {n}");
    }
}

#[test]
fn an_edge_that_nobody_saw_comes_late() {
    let mut b = timer();
    b.set(0, LOW, 2, &[10]);
    b.go_to(5);
    // As after an instruction that took 20 ticks.
    b.now = at(25);
    b.read(0);
    assert_eq!((b.lines, b.deadline()), (0, b.now + 1));
    let next = b.now + 1;
    b.run_to(next);
    assert_eq!((b.lines, b.deadline()), (1, at(30)));
}

#[test]
fn a_one_shot_is_over_when_it_is() {
    let mut b = timer();
    b.set(0, 3, 4, &[0x10, 0x00]);
    b.go_to(16);
    assert_eq!(b.lines, 1);
    b.go_to(17);
    assert_eq!(b.lines, 0);
    b.go_to(18);
    assert_eq!((b.lines, b.deadline()), (1, NEVER));
}

#[test]
fn counts_are_latched_once_and_read_in_bytes() {
    let mut b = timer();
    b.set(0, 3, 2, &[0x00, 0x10]);
    b.go_to(2);
    b.write(CONTROL, 0);
    b.go_to(300);
    b.write(CONTROL, 0);
    assert_eq!((b.read(0), b.read(0)), (0xff, 0x0f));
    // Without a latch it goes on between two bytes.
    assert_eq!(b.read(0), (0x1001 - 300) & 0xff);
    b.go_to(600);
    assert_eq!(b.read(0), (0x1001 - 600) >> 8);
    // One byte at a time.
    b.set(0, HIGH, 2, &[0x12]);
    b.go_to(601);
    assert_eq!((b.read(0), b.read(0)), (0x12, 0x12));
    assert_eq!(b.read(CONTROL), 0xff);
}

#[test]
fn read_back() {
    let mut b = timer();
    b.gate(true);
    b.set(0, 3, 0, &[0x34, 0x12]);
    b.set(2, HIGH, 3, &[0x20]);
    // Status of both: no count has arrived.
    b.write(CONTROL, 0xea);
    assert_eq!((b.read(0), b.read(2)), (0x70, 0xe6));
    b.go_to(1);
    // Status and count, status first; a second read back changes nothing.
    b.write(CONTROL, 0xca);
    b.go_to(0x1235);
    b.write(CONTROL, 0xca);
    assert_eq!([b.read(0), b.read(0), b.read(0)], [0x30, 0x34, 0x12]);
    assert_eq!([b.read(2), b.read(2)], [0xa6, 0x20]);
    b.write(CONTROL, 0xe2);
    assert_eq!(b.read(0), 0xb0);
    // Modes 6 and 7 are 2 and 3.
    b.set(2, LOW, 7, &[4]);
    assert_eq!(b.figure(4), "H4 H2 l4 l2");
    b.set(2, LOW, 6, &[3]);
    assert_eq!(b.figure(4), "H3 H2 l1 H3");
}

#[test]
fn port_61_shows_refresh_and_speaker() {
    let mut b = timer();
    assert_eq!(b.read(PORT_B), 0);
    b.write(PORT_B, 0xff);
    assert_eq!(b.read(PORT_B) & !u32::from(OUT2), 0x0f);
    // It turns with each row, every 18 ticks (15.09 microseconds).
    let mut turns = 0;
    let mut last = 0;
    for tick in 1..=1800 {
        b.go_to(tick);
        let now = b.read(PORT_B) & u32::from(REFRESHED);
        turns += u32::from(now != last);
        last = now;
    }
    assert_eq!(turns, 99);
    b.now = at(1_000_000);
    b.read(PORT_B);
}

#[test]
fn long_gaps_are_as_if_they_had_been_watched() {
    for (mode, count) in [(2, 7u32), (3, 6), (3, 7), (2, 1), (3, 1)] {
        let mut watched = timer();
        let mut slept = timer();
        for b in [&mut watched, &mut slept] {
            b.gate(true);
            b.set(2, LOW, mode, &[count]);
        }
        for tick in 1..=1000 {
            watched.now = at(tick);
            watched.read(PORT_B);
        }
        slept.now = at(1000);
        let case = (mode, count);
        assert_eq!(watched.read(PORT_B), slept.read(PORT_B), "{case:?}");
        assert_eq!(watched.read(2), slept.read(2), "{case:?}");
        slept.now = at(1 << 40);
        slept.read(2);
    }
}

proptest::proptest! {
    /// A counter is what follows from its last write: who looks at each tick sees the same as who has
    /// not looked for long.
    #[test]
    fn looking_more_often_changes_nothing(steps: Vec<(u8, u8, u8)>) {
        let (mut seldom, mut often) = (timer(), timer());
        for (what, value, ticks) in steps {
            let offset = u32::from(what % 5);
            // Mostly counts that are over soon.
            let small = if what & 0x20 != 0 { value } else { value % 8 };
            let value = u32::from(if offset < CONTROL { small } else { value });
            let mut seen = Vec::new();
            for b in [&mut seldom, &mut often] {
                if what & 0x80 != 0 {
                    seen.push(b.read(offset));
                } else {
                    b.write(offset, value);
                    seen.push(b.read(PORT_B));
                }
            }
            proptest::prop_assert_eq!(seen[0], seen[1]);
            let start = ticks_of(often.now);
            for tick in 1..=u64::from(ticks) {
                often.now = at(start + tick);
                often.read(PORT_B);
            }
            seldom.now = often.now;
        }
    }
}

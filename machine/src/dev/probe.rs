// SPDX-License-Identifier: Apache-2.0
//! The probe: how a guest speaks to the simulator (`include/probe.h`, with which
//! `machine/tests/probe.rs` compares the numbers below). It is no hardware: guests look for
//! its ID and do without it elsewhere.

use super::{lane, DevCtx, Device, MarkKind, Role, Spaces, Width};

/// Physical address, on every board, so that a guest needs to know only one: reserved in the
/// SA-1110's map, and on the Versatile the start of a window of PCI memory, in which nothing is.
pub const PROBE_BASE: u32 = 0x5000_0000;
/// What [`PROBE_ID`] reads: "SYB1".
pub const PROBE_MAGIC: u32 = 0x5359_4231;

/// The registers by name, as `include/probe.h` has them.
pub const REGISTERS: &[(&str, u32)] = &[
    ("PROBE_ID", PROBE_ID),
    ("PROBE_CYCLES", PROBE_CYCLES),
    ("PROBE_CYCLES_HIGH", PROBE_CYCLES_HIGH),
    ("PROBE_PUTC", PROBE_PUTC),
    ("PROBE_EXIT", PROBE_EXIT),
    ("PROBE_REGION_BEGIN", PROBE_REGION_BEGIN),
    ("PROBE_REGION_END", PROBE_REGION_END),
    ("PROBE_STREAM", PROBE_STREAM),
    ("PROBE_SAMPLE", PROBE_SAMPLE),
    ("PROBE_EVENT", PROBE_EVENT),
    ("PROBE_COUNTER_SELECT", PROBE_COUNTER_SELECT),
    ("PROBE_COUNTER", PROBE_COUNTER),
    ("PROBE_SPACE_WORD", PROBE_SPACE_WORD),
    ("PROBE_SPACE_DIRECTORY", PROBE_SPACE_DIRECTORY),
    ("PROBE_SPACE_KERNEL", PROBE_SPACE_KERNEL),
    ("PROBE_SPACE_THREAD", PROBE_SPACE_THREAD),
    ("PROBE_SPACE_SEGMENT", PROBE_SPACE_SEGMENT),
    ("PROBE_SPACE_SHARED", PROBE_SPACE_SHARED),
    ("PROBE_EMPTY", PROBE_EMPTY),
];

/// Read: [`PROBE_MAGIC`].
const PROBE_ID: u32 = 0x00;
/// Read: low half of the cycle count; keeps the high half for [`PROBE_CYCLES_HIGH`].
const PROBE_CYCLES: u32 = 0x04;
/// Read: the high half that the last read of [`PROBE_CYCLES`] kept.
const PROBE_CYCLES_HIGH: u32 = 0x08;
/// Write: a character for the host's console.
const PROBE_PUTC: u32 = 0x0c;
/// Write: end the simulation with this status.
const PROBE_EXIT: u32 = 0x10;
/// Write: enter a region of interest.
const PROBE_REGION_BEGIN: u32 = 0x14;
/// Write: leave it.
const PROBE_REGION_END: u32 = 0x18;
/// Write: the stream to which the following samples belong.
const PROBE_STREAM: u32 = 0x1c;
/// Write: a sample.
const PROBE_SAMPLE: u32 = 0x20;
/// Write: count a guest-defined event.
const PROBE_EVENT: u32 = 0x24;
/// Write: choose a counter by its number.
const PROBE_COUNTER_SELECT: u32 = 0x28;
/// Read: low 32 bits of that counter, user and kernel together.
const PROBE_COUNTER: u32 = 0x2c;
/// Write: address of the word that names the running thread ([`Spaces::word`]).
const PROBE_SPACE_WORD: u32 = 0x30;
/// Write: where a space's record has its directory ([`Spaces::directory`]).
const PROBE_SPACE_DIRECTORY: u32 = 0x34;
/// Write: where the kernel's addresses begin ([`Spaces::kernel`]); with it the others count.
const PROBE_SPACE_KERNEL: u32 = 0x38;
/// Write: where a thread's record has its space ([`Spaces::thread`]).
const PROBE_SPACE_THREAD: u32 = 0x3c;
/// Write: where a space's record has its linear addresses ([`Spaces::segment`]).
const PROBE_SPACE_SEGMENT: u32 = 0x40;
/// Write: where linear addresses begin that all have ([`Spaces::shared`]).
const PROBE_SPACE_SHARED: u32 = 0x44;
/// Write: empty caches, TLBs and buffers ([`Host::empty`](super::Host::empty)).
const PROBE_EMPTY: u32 = 0x48;

/// Regions and streams have numbers below this; a guest's larger number is taken modulo it.
const NUMBERS: u32 = 256;
/// Events have numbers below this, likewise.
pub const EVENTS: u32 = 32;

/// The probe.
#[derive(Debug, Default)]
pub struct Probe {
    cycles_high: u32,
    stream: u32,
    counter: u32,
    spaces: Spaces,
}

crate::saved!(Probe {
    cycles_high,
    stream,
    counter,
    spaces
});

impl Device for Probe {
    fn name(&self) -> &'static str {
        "probe"
    }

    fn read(&mut self, offset: u32, width: Width, ctx: &mut DevCtx) -> u32 {
        let word = match offset & !3 {
            PROBE_ID => PROBE_MAGIC,
            PROBE_CYCLES => {
                self.cycles_high = (ctx.now >> 32) as u32;
                ctx.now as u32
            }
            PROBE_CYCLES_HIGH => self.cycles_high,
            PROBE_COUNTER => {
                let tally = ctx.counters.totals().sum();
                let chosen = ctx.counters.numbered(self.counter);
                chosen.map_or(0, |counter| (counter.of)(&tally) as u32)
            }
            _ => 0,
        };
        lane(word, offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, ctx: &mut DevCtx) {
        match offset & !3 {
            PROBE_PUTC => ctx.host.output.push(value as u8),
            PROBE_EXIT => ctx.host.exit = Some(value),
            PROBE_REGION_BEGIN => {
                ctx.counters.begin_region(value % NUMBERS);
                ctx.mark(MarkKind::Begin(value % NUMBERS));
            }
            PROBE_REGION_END => {
                ctx.counters.end_region(value % NUMBERS);
                ctx.mark(MarkKind::End(value % NUMBERS));
            }
            PROBE_STREAM => self.stream = value % NUMBERS,
            PROBE_SAMPLE => ctx.host.samples.entry(self.stream).or_default().push(value),
            PROBE_EVENT => {
                ctx.counters.count_event(value % EVENTS);
                ctx.mark(MarkKind::Event(value % EVENTS));
            }
            PROBE_SPACE_WORD => self.spaces.word = value,
            PROBE_SPACE_THREAD => self.spaces.thread = value,
            PROBE_SPACE_DIRECTORY => self.spaces.directory = value,
            PROBE_SPACE_SEGMENT => self.spaces.segment = value,
            PROBE_SPACE_SHARED => self.spaces.shared = value,
            PROBE_SPACE_KERNEL => {
                self.spaces.kernel = value;
                ctx.host.spaces = self.spaces;
            }
            PROBE_COUNTER_SELECT => self.counter = value,
            PROBE_EMPTY => ctx.host.empty = true,
            _ => {}
        }
    }

    fn role(&mut self) -> Role<'_> {
        Role::Probe
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::Tally;
    use crate::dev::bench::Bench;

    #[test]
    fn cycles_latch_their_high_half() {
        let mut b = Bench::new(Probe::default());
        assert_eq!(b.read(PROBE_ID), PROBE_MAGIC);
        b.now = 0x1_ffff_ffff;
        assert_eq!(b.read(PROBE_CYCLES), 0xffff_ffff);
        b.now = 0x2_0000_0005;
        assert_eq!(b.read(PROBE_CYCLES_HIGH), 1);
        assert_eq!(b.read(PROBE_CYCLES), 5);
        assert_eq!(b.read(PROBE_CYCLES_HIGH), 2);
    }

    #[test]
    fn samples_go_to_their_stream() {
        let mut b = Bench::new(Probe::default());
        b.write(PROBE_SAMPLE, 7);
        b.write(PROBE_STREAM, 5);
        b.write(PROBE_SAMPLE, 130);
        b.write(PROBE_SAMPLE, 128);
        assert_eq!(b.host.samples[&0], [7]);
        assert_eq!(b.host.samples[&5], [130, 128]);
    }

    #[test]
    fn counters_regions_and_events() {
        let mut b = Bench::new(Probe::default());
        b.counters.now.dtlb.misses = 3;
        b.write(PROBE_COUNTER_SELECT, Tally::counter("dtlb_misses").number);
        assert_eq!(b.read(PROBE_COUNTER), 3);
        b.write(PROBE_REGION_BEGIN, 9);
        b.counters.now.dtlb.misses += 4;
        b.write(PROBE_EVENT, 1);
        b.write(PROBE_REGION_END, 9);
        b.counters.now.dtlb.misses += 8;
        assert_eq!(b.read(PROBE_COUNTER), 15);
        let regions = b.counters.regions();
        assert_eq!(regions[&9].totals.sum().dtlb.misses, 4);
        assert_eq!(regions[&9].totals.events[&1], 1);
        b.write(PROBE_COUNTER_SELECT, 0xffff_ffff);
        assert_eq!(b.read(PROBE_COUNTER), 0);
    }

    #[test]
    fn spaces_are_known_when_all_is_said() {
        let mut b = Bench::new(Probe::default());
        b.write(PROBE_SPACE_WORD, 0xfff0_1000);
        b.write(PROBE_SPACE_THREAD, 24);
        b.write(PROBE_SPACE_DIRECTORY, 64);
        b.write(PROBE_SPACE_SEGMENT, 4);
        b.write(PROBE_SPACE_SHARED, 0xf000_0000);
        assert_eq!(b.host.spaces, Spaces::default());
        b.write(PROBE_SPACE_KERNEL, 0xfe00_0000);
        let expected = Spaces {
            segment: 4,
            shared: 0xf000_0000,
            word: 0xfff0_1000,
            thread: 24,
            directory: 64,
            kernel: 0xfe00_0000,
        };
        assert_eq!(b.host.spaces, expected);
    }

    #[test]
    fn exit_and_console() {
        let mut b = Bench::new(Probe::default());
        b.write(PROBE_EMPTY, 0);
        assert!(b.host.empty);
        b.write(PROBE_PUTC, u32::from(b'x'));
        b.write(PROBE_EXIT, 3);
        assert_eq!(
            (b.host.output.as_slice(), b.host.exit),
            (&b"x"[..], Some(3))
        );
    }
}

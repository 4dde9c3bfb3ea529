// SPDX-License-Identifier: Apache-2.0
//! ARM's GPIO PL061 (DDI 0190): eight pins with interrupts on edges or levels. Nothing outside
//! drives them: an input reads 1, as pulled up (so has QEMU; assumed for the board).

use super::primecell::PeriphId;
use super::{lane, DevCtx, Device, Width};

const ID: PeriphId = PeriphId([0x61, 0x10, 0x04, 0x00]);

/// Data: bits 9 to 2 of the address choose the pins that an access touches.
const DATA_END: u32 = 0x400;
/// 1 is an output.
const DIRECTION: u32 = 0x400;
/// Interrupts: 1 is by level; by both edges; high level or rising edge; enable.
const SENSE: u32 = 0x404;
const BOTH_EDGES: u32 = 0x408;
const EVENT: u32 = 0x40c;
const ENABLE: u32 = 0x410;
const RIS: u32 = 0x414;
const MIS: u32 = 0x418;
/// Clears edges.
const CLEAR: u32 = 0x41c;
const MODE: u32 = 0x420;

/// Eight pins.
#[derive(Debug)]
pub struct Pl061 {
    name: &'static str,
    line: u32,
    output: u32,
    direction: u32,
    sense: u32,
    both_edges: u32,
    event: u32,
    enable: u32,
    mode: u32,
    /// Edges seen and not cleared.
    edges: u32,
}

impl Pl061 {
    /// Pins that assert interrupt source `line`.
    #[must_use]
    pub fn new(name: &'static str, line: u32) -> Self {
        Self {
            name,
            line,
            output: 0,
            direction: 0,
            sense: 0,
            both_edges: 0,
            event: 0,
            enable: 0,
            mode: 0,
            edges: 0,
        }
    }

    fn levels(&self) -> u32 {
        self.output & self.direction | 0xff & !self.direction
    }

    fn raw(&self) -> u32 {
        self.edges & !self.sense | !(self.levels() ^ self.event) & self.sense
    }
}

crate::saved!(Pl061 { output, direction, sense, both_edges, event, enable, mode, edges } given { name, line });

impl Device for Pl061 {
    fn name(&self) -> &'static str {
        self.name
    }

    fn read(&mut self, offset: u32, width: Width, _ctx: &mut DevCtx) -> u32 {
        let word = match offset & !3 {
            at if at < DATA_END => self.levels() & at >> 2,
            DIRECTION => self.direction,
            SENSE => self.sense,
            BOTH_EDGES => self.both_edges,
            EVENT => self.event,
            ENABLE => self.enable,
            RIS => self.raw(),
            MIS => self.raw() & self.enable,
            MODE => self.mode,
            at => ID.read(at).unwrap_or(0),
        };
        lane(word, offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, ctx: &mut DevCtx) {
        let value = value & 0xff;
        let before = self.levels();
        match offset & !3 {
            at if at < DATA_END => self.output = self.output & !(at >> 2) | value & at >> 2,
            DIRECTION => self.direction = value,
            SENSE => self.sense = value,
            BOTH_EDGES => self.both_edges = value,
            EVENT => self.event = value,
            ENABLE => self.enable = value,
            CLEAR => self.edges &= !value,
            MODE => self.mode = value,
            _ => {}
        }
        let after = self.levels();
        self.edges |= (before ^ after) & (self.both_edges | !(after ^ self.event)) & !self.sense;
        ctx.set_line(self.line, self.raw() & self.enable != 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev::bench::Bench;

    #[test]
    fn the_address_masks_data() {
        let mut b = Bench::new(Pl061::new("gpio0", 6));
        assert_eq!(b.read(0x3fc), 0xff);
        b.write(DIRECTION, 0x0f);
        assert_eq!(b.read(0x3fc), 0xf0);
        b.write(0x3fc, 0xff);
        b.write(0x3 << 2, 0);
        assert_eq!((b.read(0x3fc), b.read(0x6 << 2)), (0xfc, 0x4));
        assert_eq!(b.read(0xfe0), 0x61);
    }

    #[test]
    fn edges_and_levels_interrupt() {
        let mut b = Bench::new(Pl061::new("gpio0", 6));
        b.write(DIRECTION, 0xff);
        assert_eq!(b.read(RIS), 0xff, "pulled-up pins fall");
        b.write(CLEAR, 0xff);
        b.write(EVENT, 1);
        b.write(ENABLE, 3);
        b.write(0x3fc, 1);
        assert_eq!((b.read(RIS), b.lines), (1, 1 << 6));
        b.write(CLEAR, 1);
        assert_eq!((b.read(RIS), b.lines), (0, 0));
        b.write(0x3fc, 0);
        assert_eq!(b.lines, 0);
        b.write(SENSE, 2);
        assert_eq!((b.read(MIS), b.lines), (2, 1 << 6));
        b.write(0x3fc, 2);
        assert_eq!((b.read(MIS), b.lines), (0, 0));
    }
}

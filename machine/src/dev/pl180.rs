// SPDX-License-Identifier: Apache-2.0
//! ARM's memory card interface PL180 (DDI 0172) without a card in its slot: a command that wants a
//! response times out, one that wants none is sent. Commands and their ends come without delay (a
//! driver only polls for cards; what that takes on the wire is not modelled).

use super::primecell::PeriphId;
use super::{lane, DevCtx, Device, Width};

/// As the board's FPGA has it (QEMU: a PL181).
const ID: PeriphId = PeriphId([0x81, 0x11, 0x04, 0x00]);

const COMMAND: u32 = 0x00c;
/// Command that was responded to, and the responses: none.
const RESPONDED: u32 = 0x010;
const RESPONSE3: u32 = 0x020;
const STATUS: u32 = 0x034;
const CLEAR: u32 = 0x038;
const MASK0: u32 = 0x03c;
const MASK1: u32 = 0x040;
/// Registers before this only store.
const BYTES: u32 = 0x080;

/// Command: wants a response; is to be sent.
const WANTS_RESPONSE: u32 = 1 << 6;
const SEND: u32 = 1 << 10;
/// Status: no response; sent; both FIFOs empty, transmit half empty.
const TIMED_OUT: u32 = 1 << 2;
const SENT: u32 = 1 << 7;
const FIFOS: u32 = 1 << 14 | 1 << 18 | 1 << 19;
/// Status bits that writing 1 clears.
const CLEARABLE: u32 = 0x7ff;

/// The interface.
#[derive(Debug)]
pub struct Pl180 {
    name: &'static str,
    lines: [u32; 2],
    words: [u32; (BYTES / 4) as usize],
    status: u32,
}

impl Pl180 {
    /// An interface with these two interrupt sources.
    #[must_use]
    pub fn new(name: &'static str, lines: [u32; 2]) -> Self {
        Self {
            name,
            lines,
            words: [0; (BYTES / 4) as usize],
            status: 0,
        }
    }
}

crate::saved!(Pl180 { words, status } given { name, lines });

impl Device for Pl180 {
    fn name(&self) -> &'static str {
        self.name
    }

    fn read(&mut self, offset: u32, width: Width, _ctx: &mut DevCtx) -> u32 {
        let word = match offset & !3 {
            STATUS => self.status | FIFOS,
            at if at < BYTES => self.words[(at / 4) as usize],
            at => ID.read(at).unwrap_or(0),
        };
        lane(word, offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, ctx: &mut DevCtx) {
        match offset & !3 {
            CLEAR => self.status &= !(value & CLEARABLE),
            RESPONDED..=RESPONSE3 | STATUS => {}
            at if at < BYTES => self.words[(at / 4) as usize] = value,
            _ => {}
        }
        if offset & !3 == COMMAND && value & SEND != 0 {
            self.status |= if value & WANTS_RESPONSE != 0 {
                TIMED_OUT
            } else {
                SENT
            };
        }
        for (line, mask) in self.lines.into_iter().zip([MASK0, MASK1]) {
            let mask = self.words[(mask / 4) as usize];
            ctx.set_line(line, (self.status | FIFOS) & mask != 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev::bench::Bench;

    #[test]
    fn no_card_answers() {
        let mut b = Bench::new(Pl180::new("mmci0", [54, 33]));
        b.write(MASK0, TIMED_OUT | SENT);
        b.write(COMMAND, SEND);
        assert_eq!((b.read(STATUS) & CLEARABLE, b.lines), (SENT, 1 << 54));
        b.write(CLEAR, SENT);
        assert_eq!(b.lines, 0);
        b.write(COMMAND, SEND | WANTS_RESPONSE | 8);
        assert_eq!((b.read(STATUS) & CLEARABLE, b.lines), (TIMED_OUT, 1 << 54));
        b.write(MASK1, TIMED_OUT);
        assert_eq!(b.lines, 1 << 54 | 1 << 33);
        b.write(CLEAR, CLEARABLE);
        assert_eq!((b.lines, b.read(STATUS)), (0, FIFOS));
        assert_eq!(
            (b.read(COMMAND), b.read(0xfe0)),
            (SEND | WANTS_RESPONSE | 8, 0x81)
        );
    }
}

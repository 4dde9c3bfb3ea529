// SPDX-License-Identifier: Apache-2.0
//! ARM's multimedia card interface PL181 (DDI 0205), with an SD card in its slot or none.
//!
//! Commands, their responses and data take no time on the wire: only the guest's accesses cost. So
//! data never come too fast or too late: no overrun and no underrun. A response without a CRC (OCR)
//! counts as received, as in QEMU. No DMA, no stream mode, no pending or interrupt mode of commands.

use std::collections::VecDeque;

use super::medium::Medium;
use super::primecell::PeriphId;
use super::sdcard::{check_size, Answer, Card};
use super::{lane, DevCtx, Device, MediumSlot, Role, Width};
use crate::event::{Cycle, NEVER};
use crate::state::{plausible, require, Damaged, Restorer, Saver, State};

/// MCLK of the Versatile (DUI 0225).
const MCLK_HZ: u64 = 24_000_000;

const ID: PeriphId = PeriphId([0x81, 0x11, 0x04, 0x00]);

const CLOCK: u32 = 0x004;
const ARGUMENT: u32 = 0x008;
const COMMAND: u32 = 0x00c;
/// Command that was responded to, and the responses.
const RESPONDED: u32 = 0x010;
const RESPONSE0: u32 = 0x014;
const RESPONSE3: u32 = 0x020;
const DATA_TIMER: u32 = 0x024;
const DATA_LENGTH: u32 = 0x028;
const DATA_CONTROL: u32 = 0x02c;
/// Bytes that are to be moved yet.
const DATA_COUNT: u32 = 0x030;
const STATUS: u32 = 0x034;
const CLEAR: u32 = 0x038;
const MASK0: u32 = 0x03c;
const MASK1: u32 = 0x040;
/// Words that are to be moved yet.
const FIFO_COUNT: u32 = 0x048;
const FIFO: u32 = 0x080;
const FIFO_END: u32 = 0x0c0;

/// Command: wants a response, a long one; is to be sent.
const WANTS_RESPONSE: u32 = 1 << 6;
const LONG: u32 = 1 << 7;
const SEND: u32 = 1 << 10;
/// Clock: not divided.
const BYPASS: u32 = 1 << 10;
/// Data control: go; from the card.
const ENABLE: u32 = 1;
const FROM_CARD: u32 = 2;

/// Status bits that stay until they are cleared.
const COMMAND_TIMED_OUT: u32 = 1 << 2;
const DATA_TIMED_OUT: u32 = 1 << 3;
const RESPONSE_END: u32 = 1 << 6;
const SENT: u32 = 1 << 7;
const DATA_END: u32 = 1 << 8;
const DATA_BLOCK_END: u32 = 1 << 10;
const CLEARABLE: u32 = 0x7ff;
/// And those that say how it is.
const TX_ACTIVE: u32 = 1 << 12;
const RX_ACTIVE: u32 = 1 << 13;
const TX_HALF_EMPTY: u32 = 1 << 14;
const RX_HALF_FULL: u32 = 1 << 15;
const TX_FULL: u32 = 1 << 16;
const RX_FULL: u32 = 1 << 17;
const TX_EMPTY: u32 = 1 << 18;
const RX_EMPTY: u32 = 1 << 19;
const TX_DATA: u32 = 1 << 20;
const RX_DATA: u32 = 1 << 21;

/// Words of the FIFO.
const WORDS: usize = 16;

/// The interface.
#[derive(Debug)]
pub struct Pl181 {
    name: &'static str,
    lines: [u32; 2],
    /// The registers below [`FIFO`] that store, by number.
    words: [u32; (FIFO / 4) as usize],
    status: u32,
    /// Bytes that the data path is to move, and those of them that are left; it works while there
    /// are some.
    all: u32,
    left: u32,
    fifo: VecDeque<u32>,
    /// When the card has been waited for long enough.
    patience: Cycle,
    card: Option<Card>,
}

impl Pl181 {
    /// An interface with these two interrupt sources.
    #[must_use]
    pub fn new(name: &'static str, lines: [u32; 2]) -> Self {
        Self {
            name,
            lines,
            words: [0; (FIFO / 4) as usize],
            status: 0,
            all: 0,
            left: 0,
            fifo: VecDeque::new(),
            patience: NEVER,
            card: None,
        }
    }

    fn word(&self, at: u32) -> u32 {
        self.words[(at / 4) as usize]
    }

    fn set(&mut self, at: u32, value: u32) {
        self.words[(at / 4) as usize] = value;
    }

    fn receives(&self) -> bool {
        self.word(DATA_CONTROL) & FROM_CARD != 0
    }

    fn command(&mut self, value: u32) {
        let index = value & 0x3f;
        let argument = self.word(ARGUMENT);
        let answer = match &mut self.card {
            Some(card) => card.command(index, argument),
            None => Answer::Silence,
        };
        let long = value & LONG != 0;
        let words = match answer {
            _ if value & WANTS_RESPONSE == 0 => {
                self.status |= SENT;
                return;
            }
            Answer::Short(word) if !long => [word, 0, 0, 0],
            // The last bit is not stored.
            Answer::Long([a, b, c, d]) if long => [a, b, c, d & !1],
            _ => {
                self.status |= COMMAND_TIMED_OUT;
                return;
            }
        };
        self.status |= RESPONSE_END;
        self.set(RESPONDED, if long { 0x3f } else { index });
        for (at, word) in (RESPONSE0..=RESPONSE3).step_by(4).zip(words) {
            self.set(at, word);
        }
    }

    fn begin_data(&mut self, ctx: &DevCtx) {
        self.all = self.word(DATA_LENGTH);
        self.left = self.all;
        self.fifo.clear();
        let clock = self.word(CLOCK);
        let divisor = if clock & BYPASS == 0 {
            2 * (u64::from(clock & 0xff) + 1)
        } else {
            1
        };
        let wait = u64::from(self.word(DATA_TIMER)) * divisor;
        self.patience =
            ctx.now + (u128::from(wait) * u128::from(ctx.clock_hz) / u128::from(MCLK_HZ)) as u64;
    }

    /// Moves what can be moved between the card and the FIFO.
    fn move_data(&mut self) {
        let Some(card) = &mut self.card else {
            return;
        };
        let block = 1 << (self.words[(DATA_CONTROL / 4) as usize] >> 4 & 0xf).min(11);
        let from_card = self.words[(DATA_CONTROL / 4) as usize] & FROM_CARD != 0;
        let before = self.left;
        while self.left > 0 {
            let bytes = self.left.min(4);
            if from_card {
                if self.fifo.len() == WORDS {
                    break;
                }
                let mut word = [0; 4];
                let mut got = 0;
                for byte in &mut word[..bytes as usize] {
                    let Some(next) = card.next_byte() else {
                        break;
                    };
                    *byte = next;
                    got += 1;
                }
                if got == 0 {
                    break;
                }
                self.fifo.push_back(u32::from_le_bytes(word));
                self.left -= got;
            } else {
                if !card.receives() {
                    break;
                }
                let Some(word) = self.fifo.pop_front() else {
                    break;
                };
                for byte in &word.to_le_bytes()[..bytes as usize] {
                    card.receive(*byte);
                }
                self.left -= bytes;
            }
            if (self.all - self.left) % block == 0 || self.left == 0 {
                self.status |= DATA_BLOCK_END;
            }
        }
        if before > 0 && self.left == 0 {
            self.status |= DATA_END;
            self.patience = NEVER;
        }
    }

    /// What status reads.
    fn flags(&self) -> u32 {
        let count = self.fifo.len();
        let receives = self.receives();
        let (tx, rx) = if receives { (0, count) } else { (count, 0) };
        let mut flags = self.status;
        for (flag, is) in [
            (TX_ACTIVE, self.left > 0 && !receives),
            // It goes on receiving until the FIFO has been emptied.
            (RX_ACTIVE, receives && (self.left > 0 || rx > 0)),
            (TX_HALF_EMPTY, tx <= WORDS / 2),
            (RX_HALF_FULL, rx >= WORDS / 2),
            (TX_FULL, tx == WORDS),
            (RX_FULL, rx == WORDS),
            (TX_EMPTY, tx == 0),
            (RX_EMPTY, rx == 0),
            (TX_DATA, tx > 0),
            (RX_DATA, rx > 0),
        ] {
            if is {
                flags |= flag;
            }
        }
        flags
    }

    fn settle(&mut self, ctx: &mut DevCtx) {
        self.move_data();
        let flags = self.flags();
        for (line, mask) in self.lines.into_iter().zip([MASK0, MASK1]) {
            ctx.set_line(line, flags & self.word(mask) != 0);
        }
        ctx.wake_at(self.patience);
    }
}

impl State for Pl181 {
    fn save(&self, to: &mut Saver) {
        to.put(&(&self.words, self.status, self.all, self.left));
        to.put(&(&self.fifo, self.patience));
        to.put(&self.card.is_some());
        if let Some(card) = &self.card {
            card.save(to);
        }
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        (self.words, self.status, self.all, self.left) = from.take()?;
        (self.fifo, self.patience) = from.take()?;
        let right = self.fifo.len() <= WORDS && self.left <= self.all && plausible(self.patience);
        require(right, "Pl181 is damaged")?;
        let there: bool = from.take()?;
        match &mut self.card {
            Some(card) if there => card.restore(from),
            None if !there => Ok(()),
            Some(_) => Err("has no card, where --drive gives one".into()),
            None => Err("has a card, which --drive is to give".into()),
        }
    }
}

impl Device for Pl181 {
    fn name(&self) -> &'static str {
        self.name
    }

    fn read(&mut self, offset: u32, width: Width, ctx: &mut DevCtx) -> u32 {
        let word = match offset & !3 {
            STATUS => self.flags(),
            DATA_COUNT => self.left,
            FIFO_COUNT => self.left.div_ceil(4),
            FIFO..FIFO_END if self.receives() => self.fifo.pop_front().unwrap_or(0),
            at if at < FIFO => self.word(at),
            at => ID.read(at).unwrap_or(0),
        };
        self.settle(ctx);
        lane(word, offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, ctx: &mut DevCtx) {
        match offset & !3 {
            CLEAR => self.status &= !(value & CLEARABLE),
            RESPONDED..=RESPONSE3 | STATUS | DATA_COUNT | FIFO_COUNT => {}
            DATA_LENGTH => self.set(DATA_LENGTH, value & 0xffff),
            FIFO..FIFO_END if self.left > 0 && !self.receives() && self.fifo.len() < WORDS => {
                self.fifo.push_back(value);
            }
            at if at < FIFO => self.set(at, value),
            _ => {}
        }
        match offset & !3 {
            COMMAND if value & SEND != 0 => self.command(value),
            DATA_CONTROL if value & ENABLE != 0 => self.begin_data(ctx),
            DATA_CONTROL => {
                self.left = 0;
                self.patience = NEVER;
            }
            _ => {}
        }
        self.settle(ctx);
    }

    fn fire(&mut self, ctx: &mut DevCtx) {
        if self.patience <= ctx.now {
            self.patience = NEVER;
            if self.left > 0 && self.fifo.is_empty() {
                self.left = 0;
                self.status |= DATA_TIMED_OUT;
            }
        }
        self.settle(ctx);
    }

    fn role(&mut self) -> Role<'_> {
        Role::MediumSlot(self)
    }
}

impl MediumSlot for Pl181 {
    fn takes(&self) -> &'static str {
        "memory cards"
    }

    fn check_size(&self, bytes: u64) -> Result<(), String> {
        check_size(bytes)
    }

    fn insert(&mut self, medium: Medium) {
        self.card = Some(Card::new(medium));
    }

    fn medium(&mut self) -> Option<&mut Medium> {
        self.card.as_mut().map(Card::medium)
    }
}

#[cfg(test)]
#[path = "pl181_tests.rs"]
pub(super) mod tests;

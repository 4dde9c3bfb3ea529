// SPDX-License-Identifier: Apache-2.0
//! An SD card (SD Specifications, Part 1, Physical Layer Simplified Specification 2.00) on the SD
//! bus: identification, blocks read and written one by one or on and on, erasing. Up to 2 GB it is
//! one of standard capacity, which counts bytes, above that one of high capacity, which counts blocks.
//!
//! It takes no time: what a card needs to find a block, to program or to erase it is not modelled. No
//! password, no write protection, no SPI.

use serde::{Deserialize, Serialize};

use super::medium::{Medium, BLOCK};
use crate::state::{require, Damaged, Restorer, Saver, State};

/// The most that a card of standard capacity has.
const STANDARD: u64 = 2 << 30;
/// The unit of a card of high capacity, and how many of them its register can count (5.3.3).
const HIGH_UNIT: u64 = 512 << 10;
const HIGH_MOST: u64 = HIGH_UNIT << 22;

/// Card status (4.10.1).
const OUT_OF_RANGE: u32 = 1 << 31;
const ADDRESS_ERROR: u32 = 1 << 30;
const BLOCK_LEN_ERROR: u32 = 1 << 29;
const ERASE_SEQ_ERROR: u32 = 1 << 28;
const ERASE_PARAM: u32 = 1 << 27;
const ILLEGAL_COMMAND: u32 = 1 << 22;
const CARD_ECC_FAILED: u32 = 1 << 21;
const ERASE_RESET: u32 = 1 << 13;
const READY_FOR_DATA: u32 = 1 << 8;
const APP_CMD: u32 = 1 << 5;

/// OCR: 2.7 to 3.6 V; high capacity; powered up (5.1).
const VOLTAGES: u32 = 0x00ff_8000;
const HIGH_CAPACITY: u32 = 1 << 30;
const POWERED_UP: u32 = 1 << 31;

/// The states of the card (4.1), by their numbers in its status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Mode {
    Idle,
    Ready,
    Identification,
    StandBy,
    Transfer,
    Sending,
    Receiving,
    Programming,
    Disconnected,
    /// By CMD15, for ever.
    Inactive,
}

/// What the card says to a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Nothing.
    Silence,
    /// 32 bits.
    Short(u32),
    /// 128 bits, the highest first.
    Long([u32; 4]),
}

/// A card.
#[derive(Debug)]
pub struct Card {
    medium: Medium,
    link: Link,
}

/// What the card knows beside its blocks.
#[derive(Debug, Serialize, Deserialize)]
struct Link {
    mode: Mode,
    address: u16,
    /// Error bits that the host has not been told.
    errors: u32,
    /// The last command was CMD55.
    app: bool,
    block_len: u32,
    /// Four data lines.
    wide: bool,
    /// What is being sent or received, and how much of it has been.
    data: Vec<u8>,
    sent: usize,
    /// Where the next block is, in bytes, and whether there will be one.
    next: u64,
    on: bool,
    /// Blocks that were received since the last command to write.
    received: u32,
    erase: [Option<u64>; 2],
}

impl Link {
    fn new() -> Self {
        Self {
            mode: Mode::Idle,
            address: 0,
            errors: 0,
            app: false,
            block_len: BLOCK as u32,
            wide: false,
            data: Vec::new(),
            sent: 0,
            next: 0,
            on: false,
            received: 0,
            erase: [None; 2],
        }
    }
}

/// The unit in which a card of `bytes` says its size: blocks of 512 bytes, or 1024 above 1 GB, times
/// 4 to 512 (5.3.2). Both as exponents of two.
fn standard_unit(bytes: u64) -> (u32, u32) {
    let block = if bytes > 1 << 30 { 10 } else { 9 };
    let fits = |multiplier: &u32| bytes <= 4096 << (block + multiplier);
    (block, (2..9).find(fits).unwrap_or(9))
}

/// Whether a card can have so many bytes; if not, what it could have.
///
/// # Errors
/// That, after "expected".
pub fn check_size(bytes: u64) -> Result<(), String> {
    let unit = if bytes > STANDARD {
        HIGH_UNIT
    } else {
        let (block, multiplier) = standard_unit(bytes);
        1 << (block + multiplier)
    };
    if bytes == 0 || bytes > HIGH_MOST {
        return Err(format!("{} to {HIGH_MOST} bytes", 1 << 11));
    }
    if bytes % unit != 0 {
        return Err(format!(
            "a multiple of {unit} bytes for a card of that size"
        ));
    }
    Ok(())
}

/// Seven bits that guard 120 others, and the end bit (4.5).
fn guarded(mut words: [u32; 4]) -> [u32; 4] {
    words[3] &= !0xff;
    let mut crc = 0u32;
    for bit in (8..128).rev() {
        let bit = words[3 - bit / 32] >> (bit % 32) & 1;
        let carry = (crc >> 6 & 1) ^ bit;
        crc = (crc << 1 & 0x7f) ^ (carry * 0x09);
    }
    words[3] |= crc << 1 | 1;
    words
}

/// Puts `value` at the bits from `low` on of a register of 128.
fn put(words: &mut [u32; 4], low: usize, bits: usize, value: u32) {
    for bit in 0..bits {
        let at = low + bit;
        words[3 - at / 32] |= (value >> bit & 1) << (at % 32);
    }
}

impl Card {
    /// One with these blocks; [`check_size`] has been asked.
    #[must_use]
    pub fn new(medium: Medium) -> Self {
        Self {
            medium,
            link: Link::new(),
        }
    }

    /// Its blocks.
    pub fn medium(&mut self) -> &mut Medium {
        &mut self.medium
    }

    fn is_high(&self) -> bool {
        self.medium.bytes() > STANDARD
    }

    /// Card identification (5.2): no manufacturer's number is ours; the name is the project's.
    fn cid() -> [u32; 4] {
        let mut words = [0; 4];
        for (n, byte) in b"SYSWYRD".iter().enumerate() {
            put(&mut words, 112 - 8 * n, 8, (*byte).into());
        }
        put(&mut words, 56, 8, 0x10); // revision 1.0
        put(&mut words, 24, 32, 1); // serial number
        put(&mut words, 8, 12, 0x001); // January 2000
        guarded(words)
    }

    /// Card-specific data (5.3): 25 MHz, classes of commands 0, 2, 4, 5, 8.
    fn csd(&self) -> [u32; 4] {
        let mut words = [0; 4];
        let bytes = self.medium.bytes();
        put(&mut words, 96, 8, 0x32);
        put(&mut words, 84, 12, 0x135);
        put(&mut words, 46, 1, 1); // erases single blocks
        put(&mut words, 39, 7, 0x7f);
        put(&mut words, 26, 3, 2); // writes take four times as long
        if self.is_high() {
            put(&mut words, 126, 2, 1);
            put(&mut words, 112, 8, 0x0e); // 1 ms
            put(&mut words, 80, 4, 9);
            put(&mut words, 48, 22, (bytes / HIGH_UNIT - 1) as u32);
            put(&mut words, 22, 4, 9);
        } else {
            let (block, multiplier) = standard_unit(bytes);
            put(&mut words, 112, 8, 0x26); // 1.5 ms
            put(&mut words, 80, 4, block);
            put(&mut words, 79, 1, 1); // reads parts of blocks
            put(
                &mut words,
                62,
                12,
                (bytes >> (block + multiplier)) as u32 - 1,
            );
            put(&mut words, 47, 3, multiplier - 2);
            put(&mut words, 22, 4, block);
        }
        guarded(words)
    }

    fn status(&self) -> u32 {
        let app = if self.link.app { APP_CMD } else { 0 };
        self.link.errors | (self.link.mode as u32) << 9 | READY_FOR_DATA | app
    }

    /// R1: the status, and what was wrong is forgotten.
    fn told(&mut self, status: u32) -> Answer {
        self.link.errors = 0;
        Answer::Short(status)
    }

    /// Does a command.
    pub fn command(&mut self, index: u32, argument: u32) -> Answer {
        if self.link.mode == Mode::Inactive {
            return Answer::Silence;
        }
        let app = std::mem::take(&mut self.link.app);
        let done = match app.then(|| self.app_command(index, argument)).flatten() {
            Some(done) => Some(done),
            None => self.plain_command(index, argument),
        };
        done.unwrap_or_else(|| {
            self.link.errors |= ILLEGAL_COMMAND;
            Answer::Silence
        })
    }

    /// Whether a command addresses this card.
    fn is_meant(&self, argument: u32) -> bool {
        argument >> 16 == u32::from(self.link.address)
    }

    /// `None`: there is no such command in this state.
    fn plain_command(&mut self, index: u32, argument: u32) -> Option<Answer> {
        use Mode::{Disconnected, Identification, Idle, Inactive, Ready, Receiving, Sending};
        use Mode::{Programming, StandBy, Transfer};
        let mode = self.link.mode;
        let erases = matches!(index, 13 | 32 | 33 | 38);
        if !erases && self.link.erase != [None; 2] {
            self.link.erase = [None; 2];
            self.link.errors |= ERASE_RESET;
        }
        let status = self.status();
        Some(match (index, mode) {
            (0, _) => {
                self.link = Link::new();
                Answer::Silence
            }
            (2, Ready) => {
                self.link.mode = Identification;
                Answer::Long(Self::cid())
            }
            (3, Identification | StandBy) => {
                self.link.mode = StandBy;
                self.link.address = self.link.address.wrapping_add(1).max(1);
                let bits = status & 0x1fff | status >> 6 & 0x2000 | status >> 8 & 0xc000;
                self.told(u32::from(self.link.address) << 16 | bits)
            }
            (6, Transfer) => {
                self.send(Self::functions(argument));
                self.told(status)
            }
            (7, StandBy | Transfer | Sending | Disconnected) => {
                if !self.is_meant(argument) {
                    self.link.mode = if mode == Disconnected { mode } else { StandBy };
                    return Some(Answer::Silence);
                }
                if !matches!(mode, StandBy | Disconnected) {
                    return None;
                }
                self.link.mode = Transfer;
                self.told(status)
            }
            // 2.7 to 3.6 V, and the pattern that the host has sent
            (8, Idle) if argument >> 8 & 0xf == 1 => Answer::Short(argument & 0xfff),
            (9, StandBy) if self.is_meant(argument) => Answer::Long(self.csd()),
            (10, StandBy) if self.is_meant(argument) => Answer::Long(Self::cid()),
            (9 | 10 | 13 | 15, StandBy) if !self.is_meant(argument) => Answer::Silence,
            (12, Sending | Receiving) => {
                self.link.mode = Transfer;
                self.told(status)
            }
            (13, StandBy | Transfer | Sending | Receiving | Programming | Disconnected) => {
                if !self.is_meant(argument) {
                    return Some(Answer::Silence);
                }
                self.told(status)
            }
            (15, _) if self.is_meant(argument) => {
                self.link.mode = Inactive;
                Answer::Silence
            }
            (16, Transfer) => {
                let fits = (1..=BLOCK as u32).contains(&argument);
                if !fits {
                    return Some(self.told(status | BLOCK_LEN_ERROR));
                }
                // A card of high capacity has blocks of 512 bytes whatever it is told.
                self.link.block_len = if self.is_high() {
                    BLOCK as u32
                } else {
                    argument
                };
                self.told(status)
            }
            (17 | 18, Transfer) => match self.place(argument, self.link.block_len) {
                Ok(at) => {
                    self.link.next = at;
                    self.link.on = index == 18;
                    self.send_block();
                    self.told(status)
                }
                Err(error) => self.told(status | error),
            },
            (24 | 25, Transfer) => match self.place(argument, BLOCK as u32) {
                Ok(_) if self.link.block_len != BLOCK as u32 => self.told(status | BLOCK_LEN_ERROR),
                Ok(at) if at % BLOCK as u64 != 0 => self.told(status | ADDRESS_ERROR),
                Ok(at) => {
                    self.link.next = at;
                    self.link.on = index == 25;
                    self.link.received = 0;
                    self.link.data.clear();
                    self.link.mode = Receiving;
                    self.told(status)
                }
                Err(error) => self.told(status | error),
            },
            (32 | 33, Transfer) => {
                let place = self.place(argument, BLOCK as u32);
                self.link.erase[(index - 32) as usize] = place.ok().map(|at| at / BLOCK as u64);
                self.told(status | place.err().unwrap_or(0))
            }
            (38, Transfer) => {
                let error = self.erase();
                self.told(status | error)
            }
            (55, _) => {
                if mode != Idle && mode != Ready && !self.is_meant(argument) {
                    return Some(Answer::Silence);
                }
                self.link.app = true;
                let status = self.status();
                self.told(status)
            }
            _ => return None,
        })
    }

    fn app_command(&mut self, index: u32, argument: u32) -> Option<Answer> {
        use Mode::{Idle, Ready, Transfer};
        // An application command says so in its response.
        let status = self.status() | APP_CMD;
        Some(match (index, self.link.mode) {
            (6, Transfer) if matches!(argument & 3, 0 | 2) => {
                self.link.wide = argument & 3 == 2;
                self.told(status)
            }
            (13, Transfer) => {
                let mut bytes = vec![0; 64];
                bytes[0] = if self.link.wide { 0x80 } else { 0 };
                self.send(bytes);
                self.told(status)
            }
            (22, Transfer) => {
                self.send(self.link.received.to_be_bytes().to_vec());
                self.told(status)
            }
            // Blocks to erase before a write, and the pull-up of a data line: nothing follows.
            (23 | 42, Transfer) => self.told(status),
            (41, Idle) => {
                // A host that names no voltage only asks.
                let right = argument & VOLTAGES != 0;
                // One of high capacity waits for a host that knows of it.
                let known = !self.is_high() || argument & HIGH_CAPACITY != 0;
                let mut ocr = VOLTAGES;
                if right && known {
                    self.link.mode = Ready;
                    ocr |= POWERED_UP;
                    ocr |= if self.is_high() { HIGH_CAPACITY } else { 0 };
                }
                Answer::Short(ocr)
            }
            // SCR (5.6): version 2.00, one or four data lines.
            (51, Transfer) => {
                self.send(vec![0x02, 0x05, 0, 0, 0, 0, 0, 0]);
                self.told(status)
            }
            _ => return None,
        })
    }

    /// CMD6 (4.3.10): each group has its default function alone.
    fn functions(argument: u32) -> Vec<u8> {
        let mut bytes = vec![0; 64];
        bytes[1] = 1; // mA
        for group in 0..6 {
            bytes[2 + 2 * group + 1] = 1;
            // From group 6 down, two in a byte.
            let wanted = argument >> (4 * (5 - group)) & 0xf;
            let got = if matches!(wanted, 0 | 0xf) { 0 } else { 0xf };
            bytes[14 + group / 2] |= got << (4 * (1 - group % 2));
        }
        bytes
    }

    /// Where `argument` points, in bytes, if `length` of them are there.
    fn place(&self, argument: u32, length: u32) -> Result<u64, u32> {
        let unit = if self.is_high() { BLOCK as u64 } else { 1 };
        let at = u64::from(argument) * unit;
        if at + u64::from(length) > self.medium.bytes() {
            return Err(OUT_OF_RANGE);
        }
        // No block may lie across two.
        if at % BLOCK as u64 + u64::from(length) > BLOCK as u64 {
            return Err(ADDRESS_ERROR);
        }
        Ok(at)
    }

    fn erase(&mut self) -> u32 {
        let erase = std::mem::take(&mut self.link.erase);
        let [Some(first), Some(last)] = erase else {
            return ERASE_SEQ_ERROR;
        };
        if first > last {
            return ERASE_PARAM;
        }
        for number in first..=last {
            self.medium.write(number, &[0; BLOCK]);
        }
        0
    }

    /// Begins to send these bytes, and nothing after them.
    fn send(&mut self, bytes: Vec<u8>) {
        self.link.data = bytes;
        self.link.sent = 0;
        self.link.on = false;
        self.link.mode = Mode::Sending;
    }

    /// Begins to send the next block.
    fn send_block(&mut self) {
        let length = u64::from(self.link.block_len);
        let (at, on) = (self.link.next, self.link.on);
        if at + length > self.medium.bytes() {
            self.link.errors |= OUT_OF_RANGE;
            self.link.mode = Mode::Transfer;
            return;
        }
        let Some(block) = self.medium.read(at / BLOCK as u64) else {
            self.link.errors |= CARD_ECC_FAILED;
            self.link.mode = Mode::Transfer;
            return;
        };
        let from = (at % BLOCK as u64) as usize;
        self.send(block[from..(from + length as usize).min(BLOCK)].to_vec());
        (self.link.on, self.link.next) = (on, at + length);
    }

    /// The next byte on the data lines; `None`: the card sends nothing.
    pub fn next_byte(&mut self) -> Option<u8> {
        if self.link.mode == Mode::Sending && self.link.sent == self.link.data.len() {
            // More of them, only now: nobody may want it.
            self.send_block();
        }
        if self.link.mode != Mode::Sending {
            return None;
        }
        let byte = self.link.data.get(self.link.sent).copied();
        self.link.sent += 1;
        if self.link.sent >= self.link.data.len() && !self.link.on {
            self.link.mode = Mode::Transfer;
        }
        byte
    }

    /// Whether the card takes bytes.
    #[must_use]
    pub fn receives(&self) -> bool {
        self.link.mode == Mode::Receiving
    }

    /// Takes a byte.
    pub fn receive(&mut self, byte: u8) {
        if !self.receives() {
            return;
        }
        self.link.data.push(byte);
        if self.link.data.len() < BLOCK {
            return;
        }
        let at = self.link.next;
        if at + BLOCK as u64 > self.medium.bytes() {
            self.link.errors |= OUT_OF_RANGE;
            self.link.mode = Mode::Transfer;
            return;
        }
        self.medium.write(at / BLOCK as u64, &self.link.data);
        self.link.data.clear();
        self.link.received += 1;
        self.link.next = at + BLOCK as u64;
        if !self.link.on {
            self.link.mode = Mode::Transfer;
        }
    }
}

impl State for Card {
    fn save(&self, to: &mut Saver) {
        to.put(&self.link);
        self.medium.save(to);
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        self.link = from.take()?;
        let link = &self.link;
        let right = (1..=BLOCK as u32).contains(&link.block_len)
            && link.data.len() <= BLOCK
            && link.sent <= link.data.len()
            && link.next <= self.medium.bytes()
            && (link.mode != Mode::Receiving || link.data.len() < BLOCK);
        require(right, "Card is damaged")?;
        let last = self.medium.bytes() / BLOCK as u64;
        require(
            link.erase.iter().flatten().all(|block| *block < last),
            "Card is damaged",
        )?;
        self.medium.restore(from)
    }
}

#[cfg(test)]
#[path = "sdcard_tests.rs"]
mod tests;

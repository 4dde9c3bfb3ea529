// SPDX-License-Identifier: Apache-2.0
//! The LAN91C111's transceiver (LAN83C183; DS 9, "PHY MII registers"), and the serial interface by
//! which a driver reads and writes its registers bit by bit (DS 7.5.3, IEEE 802.3 22.2.4.5).
//!
//! The far end of the cable takes part in auto-negotiation and can do all of 10 and 100 Mbit/s,
//! half and full duplex. There are no errors on the line, so of register 18 only link, speed and
//! duplex ever change. Reset (register 0) is over at once.

use serde::{Deserialize, Serialize};

use crate::event::{Cycle, NEVER};
use crate::state::plausible;

/// The address to which it answers (DS 9).
const ADDRESS: u32 = 0;

/// Control: reset, loopback, 100 Mbit/s, negotiate, power down, restart negotiation, full duplex.
const RESET: u16 = 0x8000;
const LOOPBACK: u16 = 0x4000;
const SPEED: u16 = 0x2000;
const NEGOTIATE: u16 = 0x1000;
const POWER_DOWN: u16 = 0x0800;
const RESTART: u16 = 0x0200;
const DUPLEX: u16 = 0x0100;
/// Status: 100 and 10 Mbit/s, full and half duplex; can negotiate; further registers.
const ABILITIES: u16 = 0x7809;
const NEGOTIATED: u16 = 0x0020;
const LINK: u16 = 0x0004;
/// Identifiers.
const ID: [u16; 2] = [0x0016, 0xf840];
/// Advertisement of everything, and what the far end advertises, with its acknowledgement.
const EVERYTHING: u16 = 0x01e1;
const ACKNOWLEDGE: u16 = 0x4000;
const FULL_100: u16 = 0x0100;
const HALF_100: u16 = 0x0080;
const FULL_10: u16 = 0x0040;
/// Configuration 1: the link counts as up whatever the line says.
const LINK_FORCED: u16 = 0x8000;
/// Status output: something changed; no link; 100 Mbit/s; full duplex.
const CHANGED: u16 = 0x8000;
const LINK_FAIL: u16 = 0x4000;
const IS_100: u16 = 0x0080;
const IS_FULL: u16 = 0x0040;
/// Register 19 after reset: no change interrupts.
const ALL_MASKED: u16 = 0xffc0;

/// How long negotiation takes, in ms: the timers of IEEE 802.3 28.3.2 ask for 1.2 to 1.5 s without
/// a link before it; assumed: that and a few bursts of pulses.
const NEGOTIATION_MS: u64 = 1500;
/// How long a line of fixed speed takes to be found good, in ms; assumed.
const FIXED_MS: u64 = 10;

/// The transceiver.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Phy {
    control: u16,
    advertised: u16,
    config: [u16; 2],
    mask: u16,
    /// When the link is up, [`NEVER`] as long as nothing makes it come up.
    link_at: Cycle,
    up: bool,
    /// The link was down since the status register was last read.
    was_down: bool,
    /// Status output as it is, as it is shown, and which bits are shown as they changed first.
    output: u16,
    shown: u16,
    latched: u16,
    serial: Serial,
}

/// The serial interface: the clock's level and the frame of which `bits` have passed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Serial {
    clock: bool,
    ones: u8,
    bits: u8,
    frame: u32,
    /// The register that is being read.
    reply: Option<u16>,
}

impl Default for Phy {
    /// As it is when the board has been on for a while: what cable there is has a link.
    fn default() -> Self {
        Self {
            control: SPEED | NEGOTIATE,
            advertised: EVERYTHING,
            config: [0; 2],
            mask: ALL_MASKED,
            link_at: 0,
            up: false,
            was_down: false,
            output: LINK_FAIL,
            shown: LINK_FAIL,
            latched: 0,
            serial: Serial::default(),
        }
    }
}

impl Phy {
    /// Whether the link is up.
    pub fn up(&self) -> bool {
        self.up
    }

    /// Whether this can be: for saved machines.
    pub fn plausible(&self) -> bool {
        plausible(self.link_at) && self.serial.bits < 32
    }

    /// The cycle at which the link comes up, [`NEVER`] if it does not or is.
    pub fn deadline(&self) -> Cycle {
        if self.up {
            NEVER
        } else {
            self.link_at
        }
    }

    /// Whether what is sent comes back.
    pub fn loops(&self) -> bool {
        self.control & LOOPBACK != 0
    }

    /// Bits a second on the wire.
    pub fn bit_rate(&self) -> u64 {
        if self.mode() & IS_100 != 0 {
            100_000_000
        } else {
            10_000_000
        }
    }

    /// Speed and duplex, as the status output has them: the best that both ends can, or as fixed.
    fn mode(&self) -> u16 {
        if self.control & NEGOTIATE == 0 {
            return (self.control & SPEED) >> 6 | (self.control & DUPLEX) >> 2;
        }
        let common = self.advertised & EVERYTHING;
        if common & FULL_100 != 0 {
            IS_100 | IS_FULL
        } else if common & HALF_100 != 0 {
            IS_100
        } else {
            common & FULL_10
        }
    }

    /// Sees what the line does at cycle `now`, with or without a cable. `true`: something changed
    /// that interrupts.
    pub fn look(&mut self, cable: bool, now: Cycle, clock_hz: u64) -> bool {
        let forced = self.config[0] & LINK_FORCED != 0;
        if !cable && !forced || self.control & POWER_DOWN != 0 {
            self.link_at = NEVER;
        } else if forced {
            self.link_at = self.link_at.min(now);
        } else if self.link_at == NEVER {
            let negotiates = self.control & NEGOTIATE != 0;
            let ms = if negotiates { NEGOTIATION_MS } else { FIXED_MS };
            self.link_at = now + ms * clock_hz / 1000;
        }
        self.up = self.link_at <= now;
        self.was_down |= !self.up;
        let output = if self.up { self.mode() } else { LINK_FAIL };
        let changed = output ^ self.output;
        // A bit that changes once more before it is read interrupts, but is shown as it was.
        let first = changed & !self.latched;
        self.output = output;
        self.shown = self.shown & !first | output & first;
        self.latched |= changed;
        changed & !self.mask != 0
    }

    fn read(&mut self, register: u32) -> u16 {
        let far_end = self.up && self.control & NEGOTIATE != 0;
        match register {
            0 => self.control,
            1 => {
                let up = self.up && !std::mem::replace(&mut self.was_down, !self.up);
                let link = if up { LINK } else { 0 };
                ABILITIES | link | if far_end { NEGOTIATED } else { 0 }
            }
            2 | 3 => ID[register as usize - 2],
            4 => self.advertised,
            5 if far_end => EVERYTHING | ACKNOWLEDGE,
            16 | 17 => self.config[register as usize - 16],
            18 => {
                let latched = std::mem::take(&mut self.latched);
                let shown = std::mem::replace(&mut self.shown, self.output);
                let interrupts = latched & !self.mask != 0;
                shown | if interrupts { CHANGED } else { 0 }
            }
            19 => self.mask,
            _ => 0,
        }
    }

    fn write(&mut self, register: u32, value: u16) {
        match register {
            0 if value & RESET != 0 => {
                let output = self.output;
                *self = Self::default();
                self.link_at = NEVER; // until the next look
                (self.output, self.shown) = (output, output);
            }
            0 => {
                let mode = SPEED | NEGOTIATE | DUPLEX;
                if value & RESTART != 0 || (value ^ self.control) & mode != 0 {
                    self.link_at = NEVER;
                }
                self.control = value & !RESTART;
            }
            4 => self.advertised = value & 0x3fff,
            16 | 17 => self.config[register as usize - 16] = value,
            19 => self.mask = value & ALL_MASKED,
            _ => {}
        }
    }

    /// Sets clock and data as the driver has them. `driven`: the driver drives the data line.
    pub fn clock(&mut self, clock: bool, driven: bool, data: bool) {
        let was_high = std::mem::replace(&mut self.serial.clock, clock);
        if was_high || !clock {
            return;
        }
        let bit = driven && data; // nobody else pulls the line up
        let serial = &mut self.serial;
        if serial.bits == 0 {
            // At least 32 ones stand before each frame; its first bit is a zero.
            if bit {
                serial.ones = serial.ones.saturating_add(1);
                return;
            }
            if !driven || std::mem::take(&mut serial.ones) < 32 {
                return;
            }
        }
        // start (01), operation, address (5), register (5), turnaround (2), data (16)
        serial.frame = serial.frame << 1 | u32::from(bit);
        serial.bits += 1;
        let frame = serial.frame;
        if serial.bits == 14 && frame >> 10 == 0b01_10 && frame >> 5 & 31 == ADDRESS {
            let value = self.read(frame & 31);
            self.serial.reply = Some(value);
        } else if serial.bits == 32 {
            *serial = Serial::default();
            serial.clock = clock;
            if frame >> 28 == 0b01_01 && frame >> 23 & 31 == ADDRESS {
                self.write(frame >> 18 & 31, frame as u16);
            }
        }
    }

    /// The level of the data line when the driver does not drive it: low, but for the bits of a
    /// register that is read, which follow two of turnaround.
    pub fn data(&self) -> bool {
        match (self.serial.reply, self.serial.bits) {
            (Some(value), bits @ 16..=31) => value >> (31 - bits) & 1 != 0,
            _ => false,
        }
    }
}

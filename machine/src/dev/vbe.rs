// SPDX-License-Identifier: Apache-2.0
//! A frame buffer: picture memory whose dots lie one after another, line by line, and the registers
//! that choose its mode: those of the cards of Bochs and QEMU ("Bochs VBE Display API", by J. Bothamy and others;
//! QEMU's own specification of its standard VGA), where QEMU's `isa-vga` has them. A BIOS would choose a
//! mode by them as well (VESA BIOS Extension 3.0, function 4F02h); here the loader does.
//!
//! Programs reach the memory beside the caches, as it is a card's: each access goes over the bus, and no
//! buffer combines writes.

use serde::{Deserialize, Serialize};

use super::display::Picture;
use super::{lane, Width};

/// Ports: the index, the data (a word from an odd port on), and the data once more.
pub const FIRST_PORT: u16 = 0x1ce;
/// How many.
pub const PORTS: u16 = 3;
/// Where the memory is.
pub const MEMORY_AT: u32 = 0xe000_0000;
/// Its bytes.
pub const MEMORY_BYTES: u32 = 4 << 20;

/// What the register `ID` says, and the first version of it that a program may ask for.
const VERSION: u16 = 0xb0c5;
const FIRST_VERSION: u16 = 0xb0c0;

/// The registers.
mod register {
    pub const ID: usize = 0;
    pub const WIDTH: usize = 1;
    pub const HEIGHT: usize = 2;
    pub const DEPTH: usize = 3;
    pub const ENABLE: usize = 4;
    pub const VIRTUAL_WIDTH: usize = 6;
    pub const VIRTUAL_HEIGHT: usize = 7;
    pub const X: usize = 8;
    pub const Y: usize = 9;
    /// Memory in pieces of 64 KB, read only.
    pub const MEMORY: usize = 10;
    pub const COUNT: usize = 11;
}

/// Bits of `ENABLE`: the mode is shown; registers tell what they can be; the palette has eight bits a colour;
/// the memory is to stay as it is.
const ENABLED: u16 = 1;
const CAPABILITIES: u16 = 2;
const EIGHT_BITS: u16 = 0x20;
const NO_CLEAR: u16 = 0x80;
/// The largest mode.
const MOST: [u16; 3] = [1024, 768, 32];

/// A mode: dots of a line, lines, bits of a dot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mode {
    /// Its number in VESA's list, or Bochs' for those of 32 bits.
    pub number: u16,
    /// Dots of a line.
    pub width: u16,
    /// Lines.
    pub height: u16,
    /// Bits of a dot.
    pub depth: u16,
}

const fn mode(number: u16, width: u16, height: u16, depth: u16) -> Mode {
    Mode {
        number,
        width,
        height,
        depth,
    }
}

/// Those with a number.
pub const MODES: [Mode; 12] = [
    mode(0x101, 640, 480, 8),
    mode(0x103, 800, 600, 8),
    mode(0x105, 1024, 768, 8),
    mode(0x111, 640, 480, 16),
    mode(0x114, 800, 600, 16),
    mode(0x117, 1024, 768, 16),
    mode(0x112, 640, 480, 24),
    mode(0x115, 800, 600, 24),
    mode(0x118, 1024, 768, 24),
    mode(0x142, 640, 480, 32),
    mode(0x143, 800, 600, 32),
    mode(0x144, 1024, 768, 32),
];

/// Where red, green and blue are in a dot: the lowest bit and how many, in this order.
#[must_use]
pub fn colours(depth: u16) -> [(u8, u8); 3] {
    match depth {
        15 => [(10, 5), (5, 5), (0, 5)],
        16 => [(11, 5), (5, 6), (0, 5)],
        _ => [(16, 8), (8, 8), (0, 8)],
    }
}

/// Bytes of a dot.
#[must_use]
pub fn dot_bytes(depth: u16) -> u32 {
    u32::from(depth).div_ceil(8)
}

impl Mode {
    /// Bytes from a line to the next.
    #[must_use]
    pub fn pitch(self) -> u32 {
        u32::from(self.width) * dot_bytes(self.depth)
    }

    /// What a program writes to have it: registers and values.
    #[must_use]
    pub fn settings(self) -> [(u16, u16); 4] {
        [
            (register::WIDTH as u16, self.width),
            (register::HEIGHT as u16, self.height),
            (register::DEPTH as u16, self.depth),
            (register::ENABLE as u16, ENABLED),
        ]
    }
}

/// The registers of the mode, and the memory.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Vbe {
    index: u16,
    registers: [u16; register::COUNT],
    /// The low byte of a word whose high byte comes next.
    low: u8,
    /// Empty until somebody writes there: all of it is 0.
    memory: Vec<u8>,
}

impl Default for Vbe {
    fn default() -> Self {
        let mut registers = [0; register::COUNT];
        registers[register::ID] = VERSION;
        registers[register::MEMORY] = (MEMORY_BYTES >> 16) as u16;
        Self {
            index: 0,
            registers,
            low: 0,
            memory: Vec::new(),
        }
    }
}

impl Vbe {
    /// Whether a saved state can be one.
    pub fn plausible(&self) -> bool {
        let chosen = register::WIDTH..=register::DEPTH;
        matches!(self.memory.len() as u32, 0 | MEMORY_BYTES)
            && chosen
                .zip(MOST)
                .all(|(which, most)| (u16::from(self.shown())..=most).contains(&self.get(which)))
    }

    fn get(&self, which: usize) -> u16 {
        self.registers[which]
    }

    /// Bytes from a line to the next.
    fn pitch(&self) -> u32 {
        u32::from(self.get(register::VIRTUAL_WIDTH)) * dot_bytes(self.get(register::DEPTH))
    }

    /// Reads the port that is the `offset`th.
    pub fn read(&self, offset: u32, width: Width) -> u32 {
        let telling = self.get(register::ENABLE) & CAPABILITIES != 0;
        let value = match usize::from(self.index) {
            which @ register::WIDTH..=register::DEPTH if telling => MOST[which - register::WIDTH],
            which => self.registers.get(which).copied().unwrap_or(0),
        };
        match (offset, width) {
            (0, _) => self.index.into(),
            (_, Width::Half | Width::Word) => value.into(),
            (1, Width::Byte) => (value & 0xff).into(),
            (_, Width::Byte) => (value >> 8).into(),
        }
    }

    /// Writes it.
    pub fn write(&mut self, offset: u32, value: u32, width: Width) {
        match (offset, width) {
            (0, _) => self.index = value as u16,
            (_, Width::Half | Width::Word) => self.set(value as u16),
            (1, Width::Byte) => self.low = value as u8,
            (_, Width::Byte) => self.set(u16::from_le_bytes([self.low, value as u8])),
        }
    }

    fn set(&mut self, value: u16) {
        let which = usize::from(self.index);
        let on = self.shown();
        match which {
            register::ID if (FIRST_VERSION..=VERSION).contains(&value) => {
                self.registers[which] = value;
            }
            // A mode is chosen while none is shown.
            register::WIDTH | register::HEIGHT if !on => {
                let most = MOST[which - register::WIDTH];
                if (1..=most).contains(&value) {
                    self.registers[which] = value;
                }
            }
            register::DEPTH if !on && matches!(value, 8 | 15 | 16 | 24 | 32) => {
                self.registers[which] = value;
            }
            register::ENABLE => {
                self.registers[which] = value;
                if value & ENABLED != 0 && !on {
                    for (chosen, least) in [
                        (register::WIDTH, 8),
                        (register::HEIGHT, 1),
                        (register::DEPTH, 8),
                    ] {
                        if self.get(chosen) == 0 {
                            self.registers[chosen] = least;
                        }
                    }
                    self.registers[register::X] = 0;
                    self.registers[register::Y] = 0;
                    self.set_virtual_width(self.get(register::WIDTH));
                    if value & NO_CLEAR == 0 {
                        let shown = self.pitch() * u32::from(self.get(register::HEIGHT));
                        let bytes = self.memory.iter_mut().take(shown as usize);
                        bytes.for_each(|byte| *byte = 0);
                    }
                }
            }
            register::VIRTUAL_WIDTH if value >= self.get(register::WIDTH) => {
                self.set_virtual_width(value);
            }
            register::X | register::Y => self.registers[which] = value,
            _ => {}
        }
    }

    /// Lines are so wide; there are as many as the memory has room for.
    fn set_virtual_width(&mut self, dots: u16) {
        self.registers[register::VIRTUAL_WIDTH] = dots;
        let lines = MEMORY_BYTES.checked_div(self.pitch()).unwrap_or(0);
        self.registers[register::VIRTUAL_HEIGHT] = lines.min(u16::MAX.into()) as u16;
    }

    /// Whether a mode is shown.
    #[must_use]
    pub fn shown(&self) -> bool {
        self.get(register::ENABLE) & ENABLED != 0
    }

    /// Whether the palette has eight bits a colour, not the VGA's six.
    #[must_use]
    pub fn has_eight_bits(&self) -> bool {
        self.get(register::ENABLE) & EIGHT_BITS != 0
    }

    /// Reads memory.
    pub fn read_memory(&self, offset: u32, width: Width) -> u32 {
        let at = offset as usize & !3;
        match self.memory.get(at..at + 4) {
            Some(&[a, b, c, d]) => lane(u32::from_le_bytes([a, b, c, d]), offset, width),
            _ => 0,
        }
    }

    /// Writes it.
    pub fn write_memory(&mut self, offset: u32, value: u32, width: Width) {
        self.memory.resize(MEMORY_BYTES as usize, 0);
        let bytes = width.bytes() as usize;
        let at = offset as usize & !(bytes - 1);
        if let Some(place) = self.memory.get_mut(at..at + bytes) {
            place.copy_from_slice(&value.to_le_bytes()[..bytes]);
        }
    }

    /// The picture, where dots of 8 bits are of these colours.
    pub fn picture(&self, palette: impl Fn(u8) -> [u8; 3]) -> Picture {
        let [width, height, depth, wide, left, top] = [
            register::WIDTH,
            register::HEIGHT,
            register::DEPTH,
            register::VIRTUAL_WIDTH,
            register::X,
            register::Y,
        ]
        .map(|which| u32::from(self.get(which)));
        let each = dot_bytes(depth as u16);
        let parts = colours(depth as u16);
        let mut picture = Picture::new(width, height);
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            let at = u64::from(each) * (u64::from(top + y) * u64::from(wide) + u64::from(left + x));
            let byte = |n: u64| self.memory.get((at + n) as usize).copied().unwrap_or(0);
            let dot = (0..u64::from(each)).fold(0, |dot, n| dot | u32::from(byte(n)) << (8 * n));
            let colour = if depth == 8 {
                palette(dot as u8)
            } else {
                parts.map(|(low, bits)| {
                    let level = dot >> low & ((1 << bits) - 1);
                    (level * 255 / ((1 << bits) - 1)) as u8
                })
            };
            picture.set(x, y, colour);
        }
        picture
    }
}

#[cfg(test)]
#[path = "vbe_tests.rs"]
mod tests;

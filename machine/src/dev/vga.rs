// SPDX-License-Identifier: Apache-2.0
//! IBM's Video Graphics Array (IBM Personal System/2 Hardware Interface Technical Reference, "Video
//! Subsystem"), as far as text and mode 13h need it: 256 colours, a byte a dot. Its memory is the PC's own
//! at A0000h to BFFFFh, so that a program's accesses cost what memory costs; its planes are not there, and
//! modes of 16 colours neither. Larger modes, in memory of the card's own, are `vbe.rs`.
//!
//! There is no BIOS that would set a mode: it begins as a BIOS leaves it, in mode 3 (text, 80 by 25).
//! Characters are those of code page 437 in a fixed font; a font that a program loads is not looked at.

use font8x8::unicode::UnicodeFonts as _;
use serde::{Deserialize, Serialize};

use super::display::{Display, Memory, Picture};
use super::vbe::{self, Vbe};
use super::{DevCtx, Device, Role, Width};

/// The first of its ports.
pub const FIRST_PORT: u16 = 0x3c0;
/// How many; those of `vbe.rs` follow, and then its memory.
pub const PORTS: u16 = 0x20;
const VBE: u32 = PORTS as u32;
const MEMORY: u32 = VBE + vbe::PORTS as u32;

/// Groups of registers that an index and a data port select.
#[derive(Debug, Clone, Copy)]
enum Group {
    Attribute,
    Sequencer,
    Graphics,
    Crtc,
}

/// Mode 3, as IBM's BIOS sets it (the reference's tables of register values by mode).
const ATTRIBUTE: [u8; 0x15] = [
    0, 1, 2, 3, 4, 5, 0x14, 7, 0x38, 0x39, 0x3a, 0x3b, 0x3c, 0x3d, 0x3e, 0x3f, 0x0c, 0, 0x0f, 8, 0,
];
const SEQUENCER: [u8; 5] = [3, 0, 3, 0, 2];
const GRAPHICS: [u8; 9] = [0, 0, 0, 0, 0, 0x10, 0x0e, 0, 0xff];
const CRTC: [u8; 0x19] = [
    0x5f, 0x4f, 0x50, 0x82, 0x55, 0x81, 0xbf, 0x1f, 0, 0x4f, 0x0d, 0x0e, 0, 0, 0, 0, 0x9c, 0x8e,
    0x8f, 0x28, 0x1f, 0x96, 0xb9, 0xa3, 0xff,
];
const MISCELLANEOUS: u8 = 0x67;

/// Lines of a frame of 400 that is shown 70 times a second, and those with vertical retrace.
const FRAME_LINES: u64 = 449;
const FRAMES_PER_1000_S: u64 = 70_086;
const SHOWN_LINES: u64 = 400;
const RETRACE: std::ops::Range<u64> = 412..414;

/// What code page 437 has from 80h on; and for 01h to 1Fh.
const UPPER: &str = "\
ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■ ";
const LOWER: &str = "☺☻♥♦♣♠•◘○◙♂♀♪♫☼►◄↕‼¶§▬↨↑↓→←∟↔▲▼";

/// Dots of a character across, and lines of the font, each of which is drawn twice.
const CHARACTER: u32 = 8;

/// The adapter.
#[derive(Debug)]
pub struct Vga {
    registers: Registers,
    vbe: Vbe,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Registers {
    /// The last index of each group.
    index: [u8; 4],
    groups: [Vec<u8>; 4],
    miscellaneous: u8,
    /// Port 3C0h takes data next, not an index.
    attribute_data: bool,
    /// Three bytes, of six bits or of eight, for each of 256 colours, and which is written or read next.
    palette: Vec<u8>,
    mask: u8,
    write_at: usize,
    read_at: usize,
    /// The last address was one to read from.
    reads: bool,
}

impl Default for Vga {
    fn default() -> Self {
        // The 64 colours of the EGA: bits 2 to 0 are two thirds of red, green and blue, bits 5 to 3 one.
        let colour = |n: usize| {
            [(2, 5), (1, 4), (0, 3)].map(|(two, one)| 42 * (n >> two & 1) + 21 * (n >> one & 1))
        };
        let mut palette: Vec<u8> = (0..64).flat_map(colour).map(|level| level as u8).collect();
        palette.resize(3 * 256, 0);
        let registers = Registers {
            index: [0; 4],
            groups: [
                ATTRIBUTE.to_vec(),
                SEQUENCER.to_vec(),
                GRAPHICS.to_vec(),
                CRTC.to_vec(),
            ],
            miscellaneous: MISCELLANEOUS,
            attribute_data: false,
            palette,
            mask: 0xff,
            write_at: 0,
            read_at: 0,
            reads: false,
        };
        let vbe = Vbe::default();
        Self { registers, vbe }
    }
}

crate::saved!(Vga { registers, vbe } if |vga| vga.registers.plausible() && vga.vbe.plausible());

impl Registers {
    fn plausible(&self) -> bool {
        let new = Vga::default().registers;
        let sizes = |r: &Self| r.groups.iter().map(Vec::len).collect::<Vec<_>>();
        sizes(self) == sizes(&new)
            && self.palette.len() == new.palette.len()
            && self.write_at < new.palette.len()
            && self.read_at < new.palette.len()
    }

    fn get(&self, group: Group, index: usize) -> u8 {
        self.groups[group as usize].get(index).copied().unwrap_or(0)
    }

    fn set(&mut self, group: Group, index: usize, value: u8) {
        // the CRT controller's first eight may be protected, but for a bit of the eighth
        let protected = self.get(Group::Crtc, 0x11) & 0x80 != 0;
        let Some(register) = self.groups[group as usize].get_mut(index) else {
            return;
        };
        match (group, index) {
            (Group::Crtc, 0..=6) if protected => {}
            (Group::Crtc, 7) if protected => *register = *register & !0x10 | value & 0x10,
            _ => *register = value,
        }
    }

    fn indexed(&self, group: Group) -> u8 {
        self.get(group, self.index[group as usize] as usize)
    }

    fn set_indexed(&mut self, group: Group, value: u8) {
        self.set(group, self.index[group as usize] as usize, value);
    }

    /// A 16-bit number of the CRT controller's, its high byte first.
    fn address(&self, index: usize) -> u32 {
        u32::from(self.get(Group::Crtc, index)) << 8 | u32::from(self.get(Group::Crtc, index + 1))
    }

    /// Lines that are shown, of the tube's.
    fn lines(&self) -> u32 {
        let overflow = u32::from(self.get(Group::Crtc, 7));
        let low = u32::from(self.get(Group::Crtc, 0x12));
        (low | (overflow >> 1 & 1) << 8 | (overflow >> 6 & 1) << 9) + 1
    }

    fn levels(&self, index: u8) -> [u8; 3] {
        let at = 3 * usize::from(index & self.mask);
        [0, 1, 2].map(|part| self.palette[at + part])
    }

    fn colour(&self, index: u8) -> [u8; 3] {
        self.levels(index)
            .map(|level| (level & 0x3f) << 2 | (level & 0x3f) >> 4)
    }

    /// One of the 16 colours that an attribute names.
    fn attribute(&self, colour: u8) -> [u8; 3] {
        let low = self.get(Group::Attribute, usize::from(colour & 0xf)) & 0x3f;
        self.colour(low | (self.get(Group::Attribute, 0x14) & 0xc) << 4)
    }

    /// Where its memory is in the PC's, and how many bytes.
    fn window(&self) -> (u32, usize) {
        match self.get(Group::Graphics, 6) >> 2 & 3 {
            0 => (0xa_0000, 0x2_0000),
            1 => (0xa_0000, 0x1_0000),
            2 => (0xb_0000, 0x8000),
            _ => (0xb_8000, 0x8000),
        }
    }

    fn text(&self, bytes: &[u8]) -> Picture {
        let columns = u32::from(self.get(Group::Crtc, 1)) + 1;
        let tall = u32::from(self.get(Group::Crtc, 9) & 0x1f) + 1;
        let rows = self.lines() / tall;
        let mut picture = Picture::new(CHARACTER * columns, tall * rows);
        let a_row = 2 * u32::from(self.get(Group::Crtc, 0x13));
        let blinks = self.get(Group::Attribute, 0x10) & 8 != 0;
        let cursor = self.address(0x0e);
        let (top, bottom) = (self.get(Group::Crtc, 0x0a), self.get(Group::Crtc, 0x0b));
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |c| (row, c))) {
            let place = self.address(0x0c) + row * a_row + column;
            let [code, attribute] = [0, 1].map(|n| bytes[(2 * place + n) as usize % bytes.len()]);
            let glyph = glyph(code);
            let back = attribute >> 4 & if blinks { 7 } else { 0xf };
            let colours = [back, attribute].map(|which| self.attribute(which));
            for line in 0..tall {
                let under = place == cursor
                    && top & 0x20 == 0
                    && (u32::from(top & 0x1f)..=u32::from(bottom & 0x1f)).contains(&line);
                let bits = glyph.get(line as usize / 2).copied().unwrap_or(0);
                for x in 0..CHARACTER {
                    let lit = under || bits >> x & 1 != 0;
                    let at = (CHARACTER * column + x, tall * row + line);
                    picture.set(at.0, at.1, colours[usize::from(lit)]);
                }
            }
        }
        picture
    }

    /// Mode 13h: four dots a word of the four planes, which come as bytes one after another.
    fn bytes(&self, bytes: &[u8]) -> Picture {
        let width = 4 * (u32::from(self.get(Group::Crtc, 1)) + 1);
        let each = self.get(Group::Crtc, 9);
        let height = self.lines() / (u32::from(each & 0x1f) + 1) / (1 + u32::from(each >> 7));
        let a_row = 8 * u32::from(self.get(Group::Crtc, 0x13));
        let mut picture = Picture::new(width, height);
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            let at = 4 * self.address(0x0c) + y * a_row + x;
            picture.set(x, y, self.colour(bytes[at as usize % bytes.len()]));
        }
        picture
    }
}

/// A character's lines, whose lowest bits are leftmost.
fn glyph(code: u8) -> [u8; 8] {
    let character = match code {
        0 => ' ',
        1..=0x1f => LOWER.chars().nth(usize::from(code) - 1).unwrap_or(' '),
        0x7f => '⌂',
        0x80.. => UPPER.chars().nth(usize::from(code) - 0x80).unwrap_or(' '),
        _ => char::from(code),
    };
    let fonts = [
        font8x8::BASIC_FONTS.get(character),
        font8x8::LATIN_FONTS.get(character),
        font8x8::BOX_FONTS.get(character),
        font8x8::BLOCK_FONTS.get(character),
        font8x8::GREEK_FONTS.get(character),
        font8x8::MISC_FONTS.get(character),
    ];
    fonts.into_iter().flatten().next().unwrap_or_default()
}

impl Device for Vga {
    fn name(&self) -> &'static str {
        "vga"
    }

    fn takes_half(&self, offset: u32) -> bool {
        offset >= VBE
    }

    fn read(&mut self, offset: u32, width: Width, ctx: &mut DevCtx) -> u32 {
        if let Some(offset) = offset.checked_sub(MEMORY) {
            return self.vbe.read_memory(offset, width);
        }
        if let Some(offset) = offset.checked_sub(VBE) {
            return self.vbe.read(offset, width);
        }
        let r = &mut self.registers;
        let value = match offset {
            0x00 => r.index[Group::Attribute as usize],
            0x01 => r.indexed(Group::Attribute),
            0x04 => r.index[Group::Sequencer as usize],
            0x05 => r.indexed(Group::Sequencer),
            0x06 => r.mask,
            0x07 => 3 * u8::from(r.reads),
            0x08 => (r.write_at / 3) as u8,
            0x09 => {
                let value = r.palette[r.read_at];
                r.read_at = (r.read_at + 1) % r.palette.len();
                value
            }
            0x0c => r.miscellaneous,
            0x0e => r.index[Group::Graphics as usize],
            0x0f => r.indexed(Group::Graphics),
            0x14 => r.index[Group::Crtc as usize],
            0x15 => r.indexed(Group::Crtc),
            // Input status 1: what the beam does now.
            0x1a => {
                r.attribute_data = false;
                let lines = u128::from(ctx.now) * u128::from(FRAME_LINES * FRAMES_PER_1000_S)
                    / (1000 * u128::from(ctx.clock_hz));
                let line = (lines % u128::from(FRAME_LINES)) as u64;
                u8::from(line >= SHOWN_LINES) | (u8::from(RETRACE.contains(&line)) << 3)
            }
            0x02 => 0, // input status 0: no interrupt, no switch
            _ => 0xff,
        };
        u32::from(value)
    }

    fn write(&mut self, offset: u32, value: u32, width: Width, _ctx: &mut DevCtx) {
        if let Some(offset) = offset.checked_sub(MEMORY) {
            self.vbe.write_memory(offset, value, width);
            return;
        }
        if let Some(offset) = offset.checked_sub(VBE) {
            self.vbe.write(offset, value, width);
            return;
        }
        let r = &mut self.registers;
        let value = value as u8;
        match offset {
            0x00 if r.attribute_data => {
                r.set_indexed(Group::Attribute, value);
                r.attribute_data = false;
            }
            0x00 => {
                r.index[Group::Attribute as usize] = value & 0x1f;
                r.attribute_data = true;
            }
            0x02 => r.miscellaneous = value,
            0x04 => r.index[Group::Sequencer as usize] = value,
            0x05 => r.set_indexed(Group::Sequencer, value),
            0x06 => r.mask = value,
            0x07 => (r.read_at, r.reads) = (3 * usize::from(value), true),
            0x08 => (r.write_at, r.reads) = (3 * usize::from(value), false),
            0x09 => {
                let most = if self.vbe.has_eight_bits() {
                    0xff
                } else {
                    0x3f
                };
                r.palette[r.write_at] = value & most;
                r.write_at = (r.write_at + 1) % r.palette.len();
            }
            0x0e => r.index[Group::Graphics as usize] = value,
            0x0f => r.set_indexed(Group::Graphics, value),
            0x14 => r.index[Group::Crtc as usize] = value,
            0x15 => r.set_indexed(Group::Crtc, value),
            _ => {}
        }
    }

    fn role(&mut self) -> Role<'_> {
        Role::Display(self)
    }
}

impl Display for Vga {
    fn picture(&self, memory: &Memory) -> Result<Picture, String> {
        let r = &self.registers;
        if self.vbe.shown() {
            let eight_bits = self.vbe.has_eight_bits();
            return Ok(self.vbe.picture(|index| match eight_bits {
                true => r.levels(index),
                false => r.colour(index),
            }));
        }
        let (base, size) = r.window();
        let bytes = memory(base, size).ok_or("the machine has no memory where the VGA's is")?;
        let chained = r.get(Group::Sequencer, 4) & 8 != 0;
        if r.get(Group::Graphics, 6) & 1 == 0 {
            Ok(r.text(bytes))
        } else if chained && r.get(Group::Graphics, 5) & 0x40 != 0 {
            Ok(r.bytes(bytes))
        } else {
            Err("the VGA is in a mode with planes, which it has none of here".into())
        }
    }
}

#[cfg(test)]
#[path = "vga_tests.rs"]
mod tests;

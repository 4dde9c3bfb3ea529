// SPDX-License-Identifier: Apache-2.0
//! ARM's colour LCD controller PL110 (DDI 0161), as Versatile's development chip has it: LCDControl and
//! LCDIMSC have changed places (Linux 6.12, its DRM driver for Versatile: "these two registers have already been
//! swapped"). It makes no interrupts and takes nothing of the bus's time.
//!
//! That BGR leaves the palette's colours alone is QEMU's reading, and assumed.
//!
//! Between it and the panel the board routes 16 bits a dot as SYS_CLCD says; here they are 5:6:5 always,
//! which is what QEMU makes of its other values, with red in the bits where control bit 8 (BGR) has it.

use super::display::{Display, Memory, Picture};
use super::primecell::PrimeCell;
use super::{DevCtx, Device, Role, Width};
use crate::state::{Damaged, Restorer, Saver, State};

const TIMING0: u32 = 0x00;
const TIMING1: u32 = 0x04;
const UPPER_BASE: u32 = 0x10;
const CONTROL: u32 = 0x18;
const PALETTE: u32 = 0x200;

/// Control: the controller and the panel's power are on.
const ENABLED: u32 = 1 | 1 << 11;
/// Red and blue are exchanged.
const BGR: u32 = 1 << 8;
/// Dots begin at a word's highest bits, or at a byte's; at the lowest otherwise.
const BIG_BYTES: u32 = 1 << 9;
const BIG_PIXELS: u32 = 1 << 10;

/// The controller.
#[derive(Debug)]
pub struct Pl110(PrimeCell);

impl Pl110 {
    /// One that is off.
    #[must_use]
    pub fn new(name: &'static str) -> Self {
        Self(PrimeCell::new(name, [0x10, 0x11, 0x04, 0x00]))
    }

    /// So many bits as eight: all ones are all ones.
    fn widened(bits: u32, count: u32) -> u8 {
        let bits = bits & ((1 << count) - 1);
        (bits << (8 - count) | bits >> (2 * count - 8)) as u8
    }

    /// The colour of `value`, a dot of `bits` bits.
    fn colour(&self, value: u32, bits: u32, control: u32) -> [u8; 3] {
        let mut colour = match bits {
            // two entries a word: red in the lowest five bits, then green, blue and an intensity
            1..=8 => {
                let word = self.0.word(PALETTE + 4 * (value / 2)) >> (16 * (value & 1));
                [0, 5, 10].map(|at| Self::widened(word >> at, 5))
            }
            16 => [(0, 5), (5, 6), (11, 5)].map(|(at, count)| Self::widened(value >> at, count)),
            _ => [value as u8, (value >> 8) as u8, (value >> 16) as u8],
        };
        if control & BGR != 0 && bits > 8 {
            colour.reverse();
        }
        colour
    }
}

impl State for Pl110 {
    fn save(&self, to: &mut Saver) {
        self.0.save(to);
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        self.0.restore(from)
    }
}

impl Device for Pl110 {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn read(&mut self, offset: u32, width: Width, ctx: &mut DevCtx) -> u32 {
        self.0.read(offset, width, ctx)
    }

    fn write(&mut self, offset: u32, value: u32, width: Width, ctx: &mut DevCtx) {
        self.0.write(offset, value, width, ctx);
    }

    fn role(&mut self) -> Role<'_> {
        Role::Display(self)
    }
}

impl Display for Pl110 {
    fn picture(&self, memory: &Memory) -> Result<Picture, String> {
        let control = self.0.word(CONTROL);
        if control & ENABLED != ENABLED {
            return Err("the LCD controller or its panel's power is off".into());
        }
        let bits = match control >> 1 & 7 {
            n @ 0..=4 => 1 << n,
            5 => 32,
            n => return Err(format!("LCDControl's LcdBpp is {n}, which is reserved")),
        };
        let width = 16 * ((self.0.word(TIMING0) >> 2 & 0x3f) + 1);
        let height = (self.0.word(TIMING1) & 0x3ff) + 1;
        let base = self.0.word(UPPER_BASE) & !7;
        let bytes = (width * height * bits / 8) as usize;
        let dots = memory(base, bytes)
            .ok_or_else(|| format!("{bytes} bytes at LCDUPBASE, {base:#x}, are not in memory"))?;
        let mut picture = Picture::new(width, height);
        for n in 0..width * height {
            let first = n * bits;
            let word: [u8; 4] = std::array::from_fn(|i| dots[(first / 32 * 4) as usize + i]);
            let word = u32::from_le_bytes(word);
            let mut at = first % 32;
            if control & BIG_BYTES != 0 {
                at = 32 - bits - at;
            } else if control & BIG_PIXELS != 0 && bits < 8 {
                at = at / 8 * 8 + (8 - bits - at % 8);
            }
            let value = word >> at & u32::MAX >> (32 - bits);
            picture.set(n % width, n / width, self.colour(value, bits, control));
        }
        Ok(picture)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev::bench::Bench;

    fn bench(bpp: u32, more: u32) -> Bench<Pl110> {
        let mut b = Bench::new(Pl110::new("clcd"));
        b.write(TIMING1, 1); // two lines of sixteen dots
        b.write(UPPER_BASE, 0x100);
        b.write(CONTROL, ENABLED | bpp << 1 | more);
        b
    }

    fn dots(b: &Bench<Pl110>, bytes: &[u8]) -> Vec<[u8; 3]> {
        let memory = |at: u32, len: usize| bytes.get(at as usize - 0x100..)?.get(..len);
        let picture = b.device.picture(&memory).unwrap();
        assert_eq!((picture.width, picture.height), (16, 2));
        picture.rgb.chunks(3).map(|c| [c[0], c[1], c[2]]).collect()
    }

    #[test]
    fn a_dot_of_each_size() {
        let mut bytes = vec![0; 128];
        bytes[64..68].copy_from_slice(&[1, 2, 3, 0]); // the second line's first dot
        assert_eq!(dots(&bench(5, 0), &bytes)[16], [1, 2, 3]);
        assert_eq!(dots(&bench(5, BGR), &bytes)[16], [3, 2, 1]);
        bytes[..4].copy_from_slice(&[0x1f, 0, 0xe0, 0x07]); // red in the lowest bits; green
        assert_eq!(dots(&bench(4, 0), &bytes)[..2], [[255, 0, 0], [0, 255, 0]]);
        let mut b = bench(3, 0);
        b.write(PALETTE + 4, 0x7c00_0000 | 0x03e0); // entry 2 is green, 3 is blue
        bytes[..2].copy_from_slice(&[2, 3]);
        assert_eq!(dots(&b, &bytes)[..2], [[0, 255, 0], [0, 0, 255]]);
        let mut b = bench(0, BIG_PIXELS);
        b.write(PALETTE, 0x7fff_0000);
        bytes[..2].copy_from_slice(&[0x80, 0x01]);
        let lit: Vec<usize> = (0..16).filter(|&n| dots(&b, &bytes)[n][0] != 0).collect();
        assert_eq!(lit, [0, 15]);
    }

    #[test]
    fn no_picture_without_power_or_memory() {
        let b = bench(5, 0);
        let said = b.device.picture(&|_, _| None).unwrap_err();
        assert!(said.contains("128 bytes at LCDUPBASE, 0x100"), "{said}");
        let mut b = bench(5, 0);
        b.write(CONTROL, 1);
        assert!(b.device.picture(&|_, _| None).unwrap_err().contains("off"));
    }
}

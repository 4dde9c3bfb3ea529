// SPDX-License-Identifier: Apache-2.0
//! What a display shows. Its controller reads the picture from memory as it is on the bus: a line that a
//! processor's cache has not written back yet is not in it.

/// A picture: lines from the top, dots from the left, each of three bytes: red, green, blue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Dots in a line.
    pub width: u32,
    /// Lines.
    pub height: u32,
    /// All dots.
    pub rgb: Vec<u8>,
}

impl Picture {
    /// A black one.
    #[must_use]
    pub fn new(width: u32, height: u32) -> Self {
        let rgb = vec![0; 3 * width as usize * height as usize];
        Self { width, height, rgb }
    }

    /// Gives a dot, which is inside, its colour.
    pub fn set(&mut self, x: u32, y: u32, colour: [u8; 3]) {
        let at = 3 * (y as usize * self.width as usize + x as usize);
        self.rgb[at..at + 3].copy_from_slice(&colour);
    }
}

/// Memory as a display controller reads it: so many bytes at an address, if all of them are there.
pub type Memory<'a> = dyn Fn(u32, usize) -> Option<&'a [u8]> + 'a;

/// A display controller.
pub trait Display {
    /// What it shows now.
    ///
    /// # Errors
    /// In a few words, why there is no picture.
    fn picture(&self, memory: &Memory) -> Result<Picture, String>;
}

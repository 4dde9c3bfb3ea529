// SPDX-License-Identifier: Apache-2.0
//! What the machine's display shows at the end, as a PNG file.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

use super::output::Output;
use crate::arch::Processor;
use crate::dev::display::Picture;
use crate::machine::Machine;

/// Where the picture goes.
pub struct Screen {
    name: String,
    output: Output,
}

impl Screen {
    /// Before the run: refuses a machine that has no display.
    pub fn new<P: Processor>(file: &Path, machine: &mut Machine<P>) -> Result<Self, String> {
        if machine.bus().picture().is_none() {
            let expected = "expected one that has, such as p4-willamette or versatilepb";
            return Err(format!("--screen: the machine has no display; {expected}"));
        }
        Ok(Self {
            name: file.display().to_string(),
            output: Output::new(file)?,
        })
    }

    /// After it.
    pub fn write<P: Processor>(self, machine: &mut Machine<P>) -> Result<(), String> {
        match machine.bus().picture() {
            Some(Ok(picture)) => self.output.write(|out| encode(&picture, out)),
            Some(Err(why)) => Err(format!("--screen {}: no picture: {why}", self.name)),
            None => Ok(()),
        }
    }
}

/// By a palette where there are few colours, which makes a file of a few KB of most pictures.
fn encode(picture: &Picture, out: &mut dyn Write) -> io::Result<()> {
    let mut encoder = png::Encoder::new(out, picture.width, picture.height);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    let indexed = indexed(&picture.rgb);
    let bytes = match &indexed {
        Some((palette, dots)) => {
            encoder.set_color(png::ColorType::Indexed);
            encoder.set_palette(palette);
            encoder.set_filter(png::Filter::NoFilter);
            dots
        }
        None => {
            encoder.set_color(png::ColorType::Rgb);
            &picture.rgb
        }
    };
    let mut writer = encoder.write_header()?;
    writer.write_image_data(bytes)?;
    Ok(writer.finish()?)
}

/// The colours, and which of them each dot has; `None`: there are more than 256.
fn indexed(rgb: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let dots = rgb.chunks_exact(3);
    let colours: BTreeSet<&[u8]> = dots.clone().collect();
    let colours: Vec<&[u8]> = colours.into_iter().take(257).collect();
    let dots = dots.map(|dot| colours.binary_search(&dot).unwrap_or_default() as u8);
    (colours.len() <= 256).then(|| (colours.concat(), dots.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_are_a_palette() {
        let (palette, dots) = indexed(&[9, 8, 7, 0, 0, 1, 9, 8, 7]).unwrap();
        assert_eq!((palette, dots), (vec![0, 0, 1, 9, 8, 7], vec![1, 0, 1]));
        let shades = |count: u32| -> Vec<u8> {
            let colours = (0..count).map(|n| [0, (n >> 8) as u8, n as u8]);
            colours.flatten().collect()
        };
        let (palette, dots) = indexed(&shades(256)).unwrap();
        assert_eq!((palette.len(), dots.last()), (3 * 256, Some(&255)));
        assert!(indexed(&shades(257)).is_none());
    }
}

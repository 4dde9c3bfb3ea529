// SPDX-License-Identifier: Apache-2.0
//! What the machine's display shows at the end, as a PNG file.

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

fn encode(picture: &Picture, out: &mut dyn Write) -> io::Result<()> {
    let mut encoder = png::Encoder::new(out, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&picture.rgb)?;
    Ok(writer.finish()?)
}

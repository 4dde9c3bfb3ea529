// SPDX-License-Identifier: Apache-2.0
//! Lines of source by address, from the DWARF of ELF files.

use std::fmt;
use std::rc::Rc;

use addr2line::Context;
use gimli::{EndianRcSlice, LittleEndian, SectionId};
use object::{Object, ObjectSection};

/// The line tables of some files. Where files overlap, the first that has a line for an address says it.
#[derive(Default)]
pub struct Lines(Vec<Context<EndianRcSlice<LittleEndian>>>);

impl Lines {
    /// Those of ELF files with these bytes, as far as they have any.
    pub fn of<'a>(files: impl IntoIterator<Item = &'a [u8]>) -> Self {
        Self(files.into_iter().filter_map(context).collect())
    }

    /// The line that `address` was compiled from, as `FILE:41`; where it is of a function that
    /// is inlined there, that function's line stands after it.
    #[must_use]
    pub fn find(&self, address: u64) -> Option<String> {
        self.0.iter().find_map(|context| {
            let mut frames = context.find_frames(address).skip_all_loads().ok()?;
            let mut lines = Vec::new();
            while let Ok(Some(frame)) = frames.next() {
                let place = frame
                    .location
                    .and_then(|place| Some((place.file?, place.line?)));
                lines.extend(place.filter(|&(_, line)| line != 0));
            }
            let (file, line) = lines.last()?;
            let mut text = format!("{file}:{line}");
            if lines.len() > 1 {
                let (file, line) = lines[0];
                text += &format!(" ({file}:{line})");
            }
            Some(text)
        })
    }
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lines of {} files", self.0.len())
    }
}

/// The tables of one file; `None` if it has none that can be read.
fn context(bytes: &[u8]) -> Option<Context<EndianRcSlice<LittleEndian>>> {
    let file = object::File::parse(bytes).ok()?;
    file.section_by_name(".debug_line")?;
    let section = |id: SectionId| -> Result<_, gimli::Error> {
        let data = file
            .section_by_name(id.name())
            .and_then(|section| section.uncompressed_data().ok())
            .unwrap_or_default();
        Ok(EndianRcSlice::new(Rc::from(&*data), LittleEndian))
    };
    let dwarf = gimli::Dwarf::load(section).ok()?;
    Context::from_dwarf(dwarf).ok()
}

// SPDX-License-Identifier: Apache-2.0
//! Saved machines (`--save`, `--restore`).
//!
//! A file is [`MAGIC`] and an LZ4 frame with a checksum, of: the format's version, the machine
//! file's text, the state of every part of the machine (each implements [`State`]), and the pages
//! of memory that are not all zeros. Whoever reads it may be given any bytes: what is held in memory
//! is bounded by what the machine has.

use std::io::{self, Read, Write};

use lz4_flex::frame::{FrameDecoder, FrameEncoder, FrameInfo};

use crate::arch::Processor;
use crate::machine::Machine;
use crate::state::{require, Damaged, Restorer, Saver};

/// How a file begins.
const MAGIC: &[u8; 16] = b"switchyard-state";
/// Version of the format. It changes with what any part saves.
const VERSION: u32 = 14;
/// Longest text of a machine file that is read back.
const MAX_TEXT: u64 = 1 << 20;
/// Most bytes of the parts' state beside what the caches hold: most of it are raw samples. Small,
/// since a few bytes may ask for an entry of a table when they are read back.
const MAX_PARTS: u64 = 1 << 24;
/// Bytes of a page of memory.
const PAGE: usize = 4096;
const ZEROS: &[u8; PAGE] = &[0; PAGE];
/// The page number after the last.
const NO_PAGE: u32 = u32::MAX;

/// Writes the state of a machine.
///
/// # Errors
/// Those of `out`.
pub fn save<P: Processor, W: Write>(machine: &mut Machine<P>, out: W) -> io::Result<()> {
    let mut out = out;
    out.write_all(MAGIC)?;
    let mut out = FrameEncoder::with_frame_info(FrameInfo::new().content_checksum(true), out);
    out.write_all(&VERSION.to_le_bytes())?;
    let text = machine.described().as_bytes().to_vec();
    let mut parts = Saver::default();
    // What was counted has one form only then, whether hints answered or not.
    machine.core().sync_counters();
    machine.core().save(&mut parts);
    if parts.len() as u64 > most_parts(machine) {
        return Err(io::Error::other("the guest has left too many samples"));
    }
    for blob in [text, parts.into_bytes()] {
        out.write_all(&(blob.len() as u64).to_le_bytes())?;
        out.write_all(&blob)?;
    }
    let bus = machine.bus();
    let (base, size) = bus.ram_window();
    let ram = bus.ram_slice(base, size as usize).unwrap_or_default();
    for (number, page) in ram.chunks(PAGE).enumerate() {
        if page != &ZEROS[..page.len()] {
            out.write_all(&(number as u32).to_le_bytes())?;
            out.write_all(page)?;
        }
    }
    out.write_all(&NO_PAGE.to_le_bytes())?;
    out.finish()?.flush()
}

/// A saved machine whose file has been opened: which machine it is has been read, its state not.
pub struct Saved<R: Read> {
    text: String,
    rest: FrameDecoder<R>,
}

impl<R: Read> Saved<R> {
    /// Reads the beginning.
    ///
    /// # Errors
    /// It is no saved machine, or of another version.
    pub fn open(file: R) -> Result<Self, Damaged> {
        let mut file = file;
        let mut magic = [0; MAGIC.len()];
        let read = file.read_exact(&mut magic);
        require(read.is_ok() && &magic == MAGIC, "is no saved machine")?;
        let mut rest = FrameDecoder::new(file);
        let version = u32::from_le_bytes(read_array(&mut rest)?);
        require(
            version == VERSION,
            &format!("was saved in format {version}, not {VERSION}"),
        )?;
        let text = read_blob(&mut rest, MAX_TEXT)?;
        let text = String::from_utf8(text).map_err(|_| Damaged::from("is damaged"))?;
        Ok(Self { text, rest })
    }

    /// The text of the machine file that it ran with.
    #[must_use]
    pub fn described(&self) -> &str {
        &self.text
    }

    /// Puts `machine`, as reset leaves it, into the saved state.
    ///
    /// # Errors
    /// It is another machine, or the file is damaged; then `machine` is of no use any more.
    pub fn restore<P: Processor>(mut self, machine: &mut Machine<P>) -> Result<(), Damaged> {
        require(
            self.text == machine.described(),
            "was saved with another machine file",
        )?;
        let parts = read_blob(&mut self.rest, most_parts(machine))?;
        let mut parts = Restorer::new(&parts);
        machine.core().restore(&mut parts)?;
        parts.finish()?;
        self.restore_memory(machine)?;
        machine.skip_replayed();
        machine.core().show_restored();
        Ok(())
    }

    fn restore_memory<P: Processor>(&mut self, machine: &mut Machine<P>) -> Result<(), Damaged> {
        let (base, size) = machine.bus().ram_window();
        let ram = machine.bus().ram_slice_mut(base, size as usize);
        let ram = ram.unwrap_or_default();
        for page in ram.chunks_mut(PAGE) {
            if page != &ZEROS[..page.len()] {
                page.fill(0); // only then: an untouched page costs the host nothing
            }
        }
        loop {
            let number = u32::from_le_bytes(read_array(&mut self.rest)?);
            if number == NO_PAGE {
                break;
            }
            let page = ram.chunks_mut(PAGE).nth(number as usize);
            let page = page.ok_or_else(|| Damaged::from("has more memory than the machine"))?;
            self.rest.read_exact(page).map_err(|_| cut_short())?;
        }
        // The frame's checksum stands at its end.
        let behind = self.rest.read(&mut [0]);
        require(matches!(behind, Ok(0)), "is damaged")
    }
}

/// Most bytes that the state of this machine's parts takes: a word of a cache takes five at most.
fn most_parts<P: Processor>(machine: &mut Machine<P>) -> u64 {
    MAX_PARTS + 2 * machine.core().cache_bytes()
}

fn cut_short() -> Damaged {
    "is damaged or cut short".into()
}

fn read_array<const N: usize>(from: &mut impl Read) -> Result<[u8; N], Damaged> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes).map_err(|_| cut_short())?;
    Ok(bytes)
}

/// Bytes that follow their length. A wrong length costs no memory: it grows with what is there.
fn read_blob(from: &mut impl Read, most: u64) -> Result<Vec<u8>, Damaged> {
    let length = u64::from_le_bytes(read_array(from)?);
    require(length <= most, "is damaged")?;
    let mut bytes = Vec::new();
    let read = from.take(length).read_to_end(&mut bytes);
    require(
        matches!(read, Ok(n) if n as u64 == length),
        "is damaged or cut short",
    )?;
    Ok(bytes)
}

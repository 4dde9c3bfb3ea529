// SPDX-License-Identifier: Apache-2.0
//! Puts a kernel into memory as a boot loader would, by the board's convention: `arm` as Linux is
//! started on ARM boards, `pc` by Multiboot or Linux' 32-bit boot protocol.
//!
//! Every number in a file is checked before it is used: what a user may get wrong ends in one
//! line ([`Error`]), never in a panic.

mod arm;
mod kernel;
mod pc;
#[cfg(test)]
mod scratch;

use std::ops::RangeInclusive;
use std::path::Path;

use object::elf::ELFMAG;

use crate::board::{Board, Convention};
use crate::bus::Bus;
use crate::error::{read_file, read_some, Error, MOST_ELF};

use self::kernel::Kernel;

/// What every initial RAM disk should have been.
const AN_INITRD: &str = "an initial RAM disk";
/// Initial RAM disks start on a page.
const PAGE: u32 = 4096;

/// How the processor starts: what the loader leaves in its registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// The first instruction.
    pub pc: u32,
    /// Of an ARM r0, r1 and r2; of an IA-32 processor EAX, EBX and ESI.
    pub registers: [u32; 3],
}

/// What to boot.
#[derive(Debug)]
pub struct Boot<'a> {
    /// The kernel's file.
    pub kernel: &'a Path,
    /// The kernel's command line.
    pub append: Option<&'a str>,
    /// The initial RAM disk's file.
    pub initrd: Option<&'a Path>,
    /// The device tree's file; without one the kernel gets a list of tags.
    pub dtb: Option<&'a Path>,
}

/// Reads the files of `boot` and puts them into the memory of `bus`.
///
/// # Errors
/// One line that names the file, what is wrong with it and what was expected.
pub fn load(boot: &Boot, board: &Board, bus: &mut Bus) -> Result<Start, Error> {
    match board.convention {
        Convention::Arm { machine_type } => arm::load(boot, machine_type, bus),
        Convention::Pc => pc::load(boot, bus),
    }
}

/// Reads the kernel's file.
fn read_kernel(boot: &Boot, expected: &'static str, bus: &Bus) -> Result<Vec<u8>, Error> {
    let (_, memory) = bus.ram_window();
    // An ELF file holds more than is loaded; of a raw image all is.
    read_some(boot.kernel, expected, |head| {
        if head.starts_with(&ELFMAG) {
            MOST_ELF
        } else {
            u64::from(memory)
        }
    })
}

/// The command line, if it has at most so many bytes.
fn check_append<'a>(boot: &Boot<'a>, most: usize) -> Result<&'a str, Error> {
    let append = boot.append.unwrap_or("");
    if append.len() > most {
        return Err(Error::Argument {
            argument: "--append",
            what: format!("has {} bytes", append.len()),
            expected: format!("at most {most}"),
        });
    }
    Ok(append)
}

/// Puts the initial RAM disk at the end of memory, or of the addresses `within`, in which it must be;
/// returns where it is and its size.
fn place_initrd(
    file: &Path,
    kernel: &Kernel,
    within: RangeInclusive<u32>,
    bus: &mut Bus,
) -> Result<(u32, u32), Error> {
    let (base, size) = bus.ram_window();
    // The memory before the end of what it may have.
    let usable = u64::from(size).min((u64::from(*within.end()) + 1).saturating_sub(base.into()));
    let data = read_file(file, AN_INITRD, u64::from(size))?;
    let wrong = |what: String, expected: String| Error::Image {
        file: file.to_path_buf(),
        what,
        expected,
    };
    if data.is_empty() {
        return Err(wrong("is empty".to_string(), AN_INITRD.to_string()));
    }
    let pages = data.len().div_ceil(PAGE as usize) * PAGE as usize;
    let place = (usable as usize / PAGE as usize * PAGE as usize)
        .checked_sub(pages)
        .map(|offset| (base + offset as u32, data.len() as u32))
        .filter(|(start, bytes)| {
            let end = u64::from(*start) + u64::from(*bytes);
            within.contains(start) && !kernel.overlaps((*start).into(), end)
        });
    match place.and_then(|(at, bytes)| Some((at, bytes, bus.ram_slice_mut(at, data.len())?))) {
        Some((at, bytes, memory)) => {
            memory.copy_from_slice(&data);
            Ok((at, bytes))
        }
        None => Err(wrong(
            format!("has {} bytes", data.len()),
            format!("what fits behind the kernel into {usable} bytes of memory"),
        )),
    }
}

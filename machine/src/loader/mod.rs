// SPDX-License-Identifier: Apache-2.0
//! What puts a kernel into memory as a boot loader would. How a kernel is started is the
//! architecture's to say (`arm/loader.rs`, `ia32/loader.rs`); here are the formats of files, and what
//! every loader does.
//!
//! Every number in a file is checked before it is used: what a user may get wrong ends in one
//! line ([`Error`]), never in a panic.

pub(crate) mod gzip;
pub(crate) mod kernel;
pub(crate) mod records;
#[cfg(test)]
pub(crate) mod scratch;
pub(crate) mod uimage;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::ops::RangeInclusive;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use object::elf::ELFMAG;
use serde::{Deserialize, Serialize};

use crate::bus::Bus;
use crate::error::{read_file, read_some, Error, MOST_ELF};

use self::kernel::Kernel;

/// What every initial RAM disk should have been.
const AN_INITRD: &str = "an initial RAM disk";
/// Initial RAM disks start on a page.
pub(crate) const PAGE: u32 = 4096;

/// How the processor starts: what the loader leaves in its registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// The first instruction; of an ARM bit 0 says that it is a Thumb instruction, as for BX.
    pub pc: u64,
    /// What the first registers hold, as the architecture's convention has it.
    pub registers: [u64; 3],
    /// Begin and end of the memory after the kernel that nothing was loaded into.
    pub free: (u32, u32),
    /// What the program has to speak to the host by, if it has.
    pub host_target: Option<HostTarget>,
}

/// Where the program has its double words `tohost` and `fromhost`, by which RISC-V programs made for Spike
/// speak to the host: physical addresses in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostTarget {
    /// What it asks for.
    pub to: u32,
    /// Where it is answered, if it listens.
    pub from: Option<u32>,
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
    /// Where a raw image goes, if not to its board's usual place.
    pub load_address: Option<u32>,
    /// What runs before the kernel, on machines that have such: a file, `none`, or `default`, which is also
    /// what runs if nothing is said.
    pub bios: Option<&'a Path>,
}

/// Reads the kernel's file, and unpacks what is compressed as a whole.
pub(crate) fn read_kernel(
    boot: &Boot,
    expected: &'static str,
    bus: &Bus,
) -> Result<Vec<u8>, Error> {
    let (_, memory) = bus.ram_window();
    let image = read_some(boot.kernel, expected, |head| most(head, memory))?;
    if !gzip::is_gzip(&image) {
        return Ok(image);
    }
    gzip::unpack(&image, |head| most(head, memory)).map_err(|what| Error::Image {
        file: boot.kernel.to_path_buf(),
        what,
        expected: expected.to_string(),
    })
}

/// Most bytes of a file that begins with `head`: of a raw image all is loaded, of others less.
fn most(head: &[u8], memory: u32) -> u64 {
    if head.starts_with(&ELFMAG) || gzip::is_gzip(head) || records::format(head).is_some() {
        MOST_ELF
    } else if uimage::is_uimage(head) {
        u64::from(memory) + uimage::HEADER_BYTES as u64
    } else {
        memory.into()
    }
}

/// An initial RAM disk, or a module of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// Its file.
    pub file: PathBuf,
    /// What is to be told of it beside.
    pub words: Vec<u8>,
}

/// The modules that `--initrd` names, if the kernel takes such: as QEMU has it, with a comma between two of
/// them, two commas for one in a name or in the words, which follow the file's name after a space.
#[must_use]
pub fn pieces(initrd: &Path) -> Vec<Module> {
    let mut pieces = vec![Vec::new()];
    let mut bytes = initrd.as_os_str().as_bytes().iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte == b',' && bytes.next_if_eq(&b',').is_none() {
            pieces.push(Vec::new());
        } else if let Some(piece) = pieces.last_mut() {
            piece.push(byte);
        }
    }
    let module = |piece: Vec<u8>| {
        let mut parts = piece.splitn(2, |&byte| byte == b' ');
        let file = parts.next().unwrap_or_default();
        Module {
            file: PathBuf::from(OsStr::from_bytes(file)),
            words: parts.next().unwrap_or_default().to_vec(),
        }
    };
    pieces.into_iter().map(module).collect()
}

/// What `--initrd` names for a kernel that takes one initial RAM disk.
#[must_use]
pub fn one_module(initrd: &Path) -> Vec<Module> {
    let file = initrd.to_path_buf();
    let words = Vec::new();
    vec![Module { file, words }]
}

/// The bytes of a kernel's file, unpacked if it is compressed as a whole.
pub(crate) fn unpacked(kernel: &[u8]) -> Cow<'_, [u8]> {
    let unpacked = gzip::is_gzip(kernel).then(|| gzip::unpack(kernel, |_| MOST_ELF));
    match unpacked {
        Some(Ok(unpacked)) => unpacked.into(),
        _ => kernel.into(),
    }
}

/// The command line, if it has at most so many bytes.
pub(crate) fn check_append<'a>(boot: &Boot<'a>, most: usize) -> Result<&'a str, Error> {
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
pub(crate) fn place_initrd(
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
            format!("what fits after the kernel into {usable} bytes of memory"),
        )),
    }
}

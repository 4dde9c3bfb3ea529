// SPDX-License-Identifier: Apache-2.0
//! Puts a kernel into memory as a boot loader would: an ELF32 ARM executable at its physical
//! addresses, or a raw image at 32 KB into SDRAM; both start as the ARM Linux boot convention
//! says, with r0 = 0, r1 = machine type, r2 = the list of tags or the device tree.
//!
//! Every number in a file is checked before it is used: what a user may get wrong ends in one
//! line ([`Error`]), never in a panic.

use std::path::Path;

use object::elf::{
    FileHeader32, ELFCLASS32, ELFDATA2LSB, ELFMAG, EM_386, EM_AARCH64, EM_ARM, EM_X86_64, ET_EXEC,
    PT_LOAD,
};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, ReadRef};

use crate::board::Board;
use crate::bus::Bus;
use crate::devicetree::{DeviceTree, A_DEVICE_TREE};
use crate::error::{read_file, read_some, Error, MOST_ELF};

/// What every kernel should have been.
const A_KERNEL: &str = "a kernel: an ELF32 little-endian ARM executable or a raw ARM image";
/// What every initial RAM disk should have been.
const AN_INITRD: &str = "an initial RAM disk";

/// Where a raw image goes, from the base of SDRAM (ARM Linux: Booting).
const RAW_OFFSET: u32 = 0x8000;
/// Where the tags go, from the base of SDRAM.
const TAGS_OFFSET: u32 = 0x100;
/// Bytes for the tags: they end before a kernel's first page table at 16 KB.
const TAGS_BYTES: usize = 0x3f00;
/// Most bytes of a command line, without its NUL (ARM Linux: COMMAND_LINE_SIZE).
const COMMAND_LINE_MOST: usize = 1023;
/// Initial RAM disks start on a page.
const PAGE: u32 = 4096;

/// The tags of the boot convention.
const ATAG_NONE: u32 = 0;
const ATAG_CORE: u32 = 0x5441_0001;
const ATAG_MEM: u32 = 0x5441_0002;
const ATAG_INITRD2: u32 = 0x5442_0005;
const ATAG_CMDLINE: u32 = 0x5441_0009;

/// A kernel, taken apart but not yet in memory.
#[derive(Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Where it starts.
    pub entry: u32,
    /// What goes where; bytes of a segment beyond its data are zero.
    segments: Vec<Segment>,
}

#[derive(Debug, PartialEq, Eq)]
struct Segment {
    address: u32,
    data: Vec<u8>,
    /// Bytes in memory, at least those of the data.
    bytes: u32,
}

impl Segment {
    fn end(&self) -> u64 {
        u64::from(self.address) + u64::from(self.bytes)
    }

    fn overlaps(&self, start: u64, end: u64) -> bool {
        u64::from(self.address) < end && start < self.end()
    }
}

/// How the processor starts: what the loader leaves in its registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// The first instruction.
    pub pc: u32,
    /// r0, r1 and r2.
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
    let wrong = |(what, expected): Wrong| Error::Image {
        file: boot.kernel.to_path_buf(),
        what,
        expected,
    };
    let (_, memory) = bus.ram_window();
    // An ELF file holds more than is loaded; of a raw image all is.
    let image = read_some(boot.kernel, A_KERNEL, |head| {
        if head.starts_with(&ELFMAG) {
            MOST_ELF
        } else {
            u64::from(memory)
        }
    })?;
    let kernel = Kernel::parse(&image, board.ram_base).map_err(wrong)?;
    kernel.place(bus).map_err(wrong)?;

    let initrd = boot
        .initrd
        .map(|file| place_initrd(file, &kernel, bus))
        .transpose()?;
    let append = boot.append.unwrap_or("");
    if append.len() > COMMAND_LINE_MOST {
        return Err(Error::Argument {
            argument: "--append",
            what: format!("has {} bytes", append.len()),
            expected: format!("at most {COMMAND_LINE_MOST}"),
        });
    }
    if let Some(file) = boot.dtb {
        let tree = place_device_tree(file, boot.append, initrd, &kernel, bus)?;
        return Ok(Start {
            pc: kernel.entry,
            registers: [0, board.machine_type, tree],
        });
    }
    let tags = place_tags(append, initrd, &kernel, bus);
    if tags.is_none() && (boot.append.is_some() || boot.initrd.is_some()) {
        let at = board.ram_base + TAGS_OFFSET;
        return Err(wrong((
            format!("occupies the boot tags at {at:#010x}, which --append and --initrd need"),
            format!("a kernel that leaves {TAGS_BYTES} bytes there free"),
        )));
    }
    Ok(Start {
        pc: kernel.entry,
        registers: [0, board.machine_type, tags.unwrap_or(0)],
    })
}

/// What is wrong, and what was expected.
type Wrong = (String, String);

fn no_kernel(what: impl Into<String>) -> Wrong {
    (what.into(), A_KERNEL.to_string())
}

impl Kernel {
    /// Takes an image apart; a raw one will go to 32 KB from `ram_base`.
    ///
    /// # Errors
    /// What is wrong with the image, and what was expected.
    pub fn parse(image: &[u8], ram_base: u32) -> Result<Self, Wrong> {
        if image.is_empty() {
            return Err(no_kernel("is empty"));
        }
        if image.starts_with(&ELFMAG) {
            return Self::parse_elf(image);
        }
        // A raw image has no mark of its own. Its first instruction, though, is one that is always
        // executed (top digit 0xe), which no text, archive or picture begins with.
        if image.get(3).is_none_or(|top| top >> 4 != 0xe) {
            return Err(no_kernel(
                "is neither ELF nor does it begin with an ARM instruction",
            ));
        }
        let bytes = u32::try_from(image.len()).map_err(|_| no_kernel("is larger than 4 GB"))?;
        let address = ram_base + RAW_OFFSET;
        Ok(Self {
            entry: address,
            segments: vec![Segment {
                address,
                data: image.to_vec(),
                bytes,
            }],
        })
    }

    fn parse_elf(image: &[u8]) -> Result<Self, Wrong> {
        // Class, byte order and machine come first, so that a file for another processor is called
        // that and not broken. Bytes 18 and 19 are e_machine in both classes.
        let (Some(&class), Some(&order), Some(machine)) =
            (image.get(4), image.get(5), image.get(18..20))
        else {
            return Err(no_kernel("is a truncated ELF file"));
        };
        let machine = if order == ELFDATA2LSB {
            u16::from_le_bytes([machine[0], machine[1]])
        } else {
            u16::from_be_bytes([machine[0], machine[1]])
        };
        if machine != EM_ARM {
            return Err(no_kernel(format!("is an ELF file for {}", name(machine))));
        }
        if class != ELFCLASS32 {
            return Err(no_kernel("is an ELF file of 64 bits"));
        }
        if order != ELFDATA2LSB {
            return Err(no_kernel("is a big-endian ELF file"));
        }
        let broken = |_| no_kernel("is a truncated or damaged ELF file");
        let header = FileHeader32::<Endianness>::parse(image).map_err(broken)?;
        let endian = header.endian().map_err(broken)?;
        if header.e_type(endian) != ET_EXEC {
            return Err(no_kernel("is an ELF file but no executable"));
        }
        let mut segments = Vec::new();
        for segment in header.program_headers(endian, image).map_err(broken)? {
            if segment.p_type(endian) != PT_LOAD || segment.p_memsz(endian) == 0 {
                continue;
            }
            let (offset, bytes) = segment.file_range(endian);
            let data = image.read_bytes_at(offset, bytes).map_err(|()| {
                no_kernel(format!(
                    "is a truncated ELF file: a segment needs bytes {offset} to {}",
                    offset + bytes
                ))
            })?;
            let in_memory = segment.p_memsz(endian);
            if bytes > u64::from(in_memory) {
                return Err(no_kernel(format!(
                    "is a damaged ELF file: a segment has {bytes} bytes for {in_memory} in memory"
                )));
            }
            segments.push(Segment {
                address: segment.p_paddr(endian),
                data: data.to_vec(),
                bytes: in_memory,
            });
        }
        if segments.is_empty() {
            return Err(no_kernel("is an ELF file with nothing to load"));
        }
        let entry = header.e_entry(endian);
        let inside = |s: &Segment| s.overlaps(u64::from(entry), u64::from(entry) + 4);
        if entry & 3 != 0 || !segments.iter().any(inside) {
            return Err((
                format!("starts at {entry:#010x}"),
                "an aligned entry point inside a segment".to_string(),
            ));
        }
        Ok(Self { entry, segments })
    }

    fn place(&self, bus: &mut Bus) -> Result<(), Wrong> {
        let (base, size) = bus.ram_window();
        for segment in &self.segments {
            let place = bus.ram_slice_mut(segment.address, segment.bytes as usize);
            let Some(place) = place else {
                return Err((
                    format!(
                        "needs memory from {:#010x} to {:#010x}",
                        segment.address,
                        segment.end()
                    ),
                    format!(
                        "addresses in the machine's memory, {base:#010x} to {:#010x}",
                        u64::from(base) + u64::from(size)
                    ),
                ));
            };
            let (data, rest) = place.split_at_mut(segment.data.len());
            data.copy_from_slice(&segment.data);
            rest.fill(0);
        }
        Ok(())
    }

    fn overlaps(&self, start: u64, end: u64) -> bool {
        self.segments.iter().any(|s| s.overlaps(start, end))
    }
}

/// Puts the initial RAM disk at the end of memory; returns where it is and its size.
fn place_initrd(file: &Path, kernel: &Kernel, bus: &mut Bus) -> Result<(u32, u32), Error> {
    let (base, size) = bus.ram_window();
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
    let place = (size as usize)
        .checked_sub(pages)
        .map(|offset| (base + offset as u32, data.len() as u32))
        .filter(|(start, bytes)| {
            let start = u64::from(*start);
            let tags_end = u64::from(base + TAGS_OFFSET) + TAGS_BYTES as u64;
            start >= tags_end && !kernel.overlaps(start, start + u64::from(*bytes))
        });
    match place.and_then(|(at, bytes)| Some((at, bytes, bus.ram_slice_mut(at, data.len())?))) {
        Some((at, bytes, memory)) => {
            memory.copy_from_slice(&data);
            Ok((at, bytes))
        }
        None => Err(wrong(
            format!("has {} bytes", data.len()),
            format!("what fits behind the kernel into {size} bytes of memory"),
        )),
    }
}

/// Puts the device tree below the initial RAM disk, changed as a boot loader changes it: it names
/// the memory that there is, the command line (if there is one on the command line here) and the
/// RAM disk. Returns where it is.
fn place_device_tree(
    file: &Path,
    append: Option<&str>,
    initrd: Option<(u32, u32)>,
    kernel: &Kernel,
    bus: &mut Bus,
) -> Result<u32, Error> {
    let wrong = |what: String, expected: String| Error::Image {
        file: file.to_path_buf(),
        what,
        expected,
    };
    let (base, size) = bus.ram_window();
    let bytes = read_file(file, A_DEVICE_TREE, u64::from(size))?;
    let mut tree =
        DeviceTree::parse(&bytes).map_err(|what| wrong(what, A_DEVICE_TREE.to_string()))?;
    let root = &mut tree.root;
    // Devicetree Specification, 2.3.5: the defaults.
    let address_cells = root.cell("#address-cells").unwrap_or(2);
    let size_cells = root.cell("#size-cells").unwrap_or(1);
    if !(1..=2).contains(&address_cells) || !(1..=2).contains(&size_cells) {
        return Err(wrong(
            format!("has addresses of {address_cells} and sizes of {size_cells} cells"),
            "one or two of each".to_string(),
        ));
    }
    let mut reg = vec![0; (address_cells + size_cells) as usize];
    reg[address_cells as usize - 1] = base;
    reg[(address_cells + size_cells) as usize - 1] = size;
    let memory = root.child("memory");
    memory.set_string("device_type", "memory");
    memory.set_cells("reg", &reg);
    let chosen = root.child("chosen");
    if let Some(append) = append {
        chosen.set_string("bootargs", append);
    }
    if let Some((start, bytes)) = initrd {
        chosen.set_cells("linux,initrd-start", &[start]);
        chosen.set_cells("linux,initrd-end", &[start + bytes]);
    }
    let blob = tree.to_bytes();
    let end = initrd.map_or(u64::from(base) + u64::from(size), |(start, _)| start.into());
    let at = end.saturating_sub(blob.len() as u64) & !u64::from(PAGE - 1);
    let free = at >= u64::from(base) && !kernel.overlaps(at, at + blob.len() as u64);
    match bus.ram_slice_mut(at as u32, blob.len()).filter(|_| free) {
        Some(memory) => {
            memory.copy_from_slice(&blob);
            Ok(at as u32)
        }
        None => Err(wrong(
            format!("has {} bytes", blob.len()),
            format!("what fits beside kernel and RAM disk into {size} bytes of memory"),
        )),
    }
}

/// Writes the list of tags; returns its address, or `None` if the kernel is where it belongs.
fn place_tags(
    append: &str,
    initrd: Option<(u32, u32)>,
    kernel: &Kernel,
    bus: &mut Bus,
) -> Option<u32> {
    let (base, size) = bus.ram_window();
    let at = base + TAGS_OFFSET;
    let words = tags(append, initrd, base, size);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    // The caller has checked the only part of variable length.
    assert!(bytes.len() <= TAGS_BYTES, "the tags have {}", bytes.len());
    if kernel.overlaps(u64::from(at), u64::from(at) + bytes.len() as u64) {
        return None;
    }
    bus.ram_slice_mut(at, bytes.len())?.copy_from_slice(&bytes);
    Some(at)
}

/// The list of tags: each has its size in words, its kind and its values.
fn tags(append: &str, initrd: Option<(u32, u32)>, ram_base: u32, ram_bytes: u32) -> Vec<u32> {
    let mut list = Vec::new();
    let mut tag = |kind: u32, values: &[u32]| {
        list.push(values.len() as u32 + 2);
        list.push(kind);
        list.extend(values);
    };
    // Flags, page size, root device.
    tag(ATAG_CORE, &[0, PAGE, 0]);
    tag(ATAG_MEM, &[ram_bytes, ram_base]);
    if !append.is_empty() {
        let mut text = append.as_bytes().to_vec();
        text.push(0);
        text.resize(text.len().next_multiple_of(4), 0);
        let words: Vec<u32> = text
            .chunks_exact(4)
            .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
            .collect();
        tag(ATAG_CMDLINE, &words);
    }
    if let Some((start, bytes)) = initrd {
        tag(ATAG_INITRD2, &[start, bytes]);
    }
    // The last tag has size 0 by convention.
    list.extend([0, ATAG_NONE]);
    list
}

/// The processor of an ELF file, for messages.
fn name(machine: u16) -> String {
    match machine {
        EM_386 => "Intel 80386".to_string(),
        EM_X86_64 => "x86-64".to_string(),
        EM_AARCH64 => "64-bit ARM".to_string(),
        other => format!("another processor (machine {other})"),
    }
}

#[cfg(test)]
#[path = "loader_tests.rs"]
mod tests;

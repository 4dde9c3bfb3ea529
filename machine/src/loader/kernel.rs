// SPDX-License-Identifier: Apache-2.0
//! A kernel's file, taken apart: where its parts go, and where it starts.

use object::elf::{
    FileHeader32, FileHeader64, ELFCLASS32, ELFCLASS64, ELFDATA2LSB, EM_386, EM_AARCH64, EM_ARM,
    EM_RISCV, EM_X86_64, ET_DYN, ET_EXEC, PT_LOAD,
};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, ReadRef};

use crate::bus::Bus;

/// What is wrong, and what was expected.
pub(crate) type Wrong = (String, String);

/// What a kernel is for.
pub(crate) struct Target {
    /// The `e_machine` of its ELF file.
    pub machine: u16,
    /// Whether that is one of 64 bits, whose addresses may be virtual ones.
    pub long: bool,
    /// What its entry point may be.
    pub entry: Entry,
    /// What a file should have been, for messages.
    pub expected: &'static str,
}

/// What an entry point may be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    /// Any address.
    Byte,
    /// A word in ARM state, or where there is Thumb state a halfword with bit 0 set (ELF for the ARM
    /// Architecture, 5.2).
    Arm { thumb: bool },
}

/// A kernel, taken apart but not yet in memory.
#[derive(Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Where it starts; on an ARM bit 0 says in Thumb state.
    pub entry: u32,
    /// What goes where; bytes of a segment beyond its data are zero.
    pub(crate) segments: Vec<Segment>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// The physical address.
    pub address: u32,
    /// What the file has of it.
    pub data: Vec<u8>,
    /// Bytes in memory, at least those of the data.
    pub bytes: u32,
}

impl Segment {
    fn end(&self) -> u64 {
        u64::from(self.address) + u64::from(self.bytes)
    }

    /// Whether some of it is between these addresses.
    pub(crate) fn overlaps(&self, start: u64, end: u64) -> bool {
        u64::from(self.address) < end && start < self.end()
    }
}

impl Kernel {
    /// Takes an ELF file for `target` apart.
    ///
    /// # Errors
    /// What is wrong with the image, and what was expected.
    pub(crate) fn parse_elf(image: &[u8], target: &Target) -> Result<Self, Wrong> {
        let no_kernel = |what: &str| (what.to_string(), target.expected.to_string());
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
        if machine != target.machine {
            return Err(no_kernel(&format!("is an ELF file for {}", name(machine))));
        }
        if class != if target.long { ELFCLASS64 } else { ELFCLASS32 } {
            let bits = if class == ELFCLASS64 { 64 } else { 32 };
            return Err(no_kernel(&format!("is an ELF file of {bits} bits")));
        }
        if order != ELFDATA2LSB {
            return Err(no_kernel("is a big-endian ELF file"));
        }
        let (entry, segments) = if target.long {
            read_elf::<FileHeader64<Endianness>>(image, target)?
        } else {
            read_elf::<FileHeader32<Endianness>>(image, target)?
        };
        if segments.is_empty() {
            return Err(no_kernel("is an ELF file with nothing to load"));
        }
        Self::new(entry, segments, target)
    }

    /// One with these segments, that starts at `entry`.
    ///
    /// # Errors
    /// It cannot start there.
    pub(crate) fn new(entry: u32, segments: Vec<Segment>, target: &Target) -> Result<Self, Wrong> {
        let refuse =
            |expected: &str| Err((format!("starts at {entry:#010x}"), expected.to_string()));
        let (first, bytes) = match target.entry {
            Entry::Byte => (entry, 1),
            Entry::Arm { thumb: true } if entry & 1 != 0 => (entry & !1, 2),
            Entry::Arm { thumb: false } if entry & 1 != 0 => {
                return refuse("an entry point in ARM state: this processor has no Thumb state")
            }
            Entry::Arm { .. } if entry & 2 != 0 => {
                return refuse("an aligned entry point inside a segment")
            }
            Entry::Arm { .. } => (entry, 4),
        };
        let first = u64::from(first);
        if !segments.iter().any(|s| s.overlaps(first, first + bytes)) {
            return refuse("an aligned entry point inside a segment");
        }
        Ok(Self { entry, segments })
    }

    /// One of `data` in one piece at `address`, that starts at `entry`.
    ///
    /// # Errors
    /// It cannot start there, or is too large.
    pub(crate) fn flat(
        address: u32,
        entry: u32,
        data: Vec<u8>,
        target: &Target,
    ) -> Result<Self, Wrong> {
        let bytes = u32::try_from(data.len()).map_err(|_| {
            (
                "is larger than 4 GB".to_string(),
                target.expected.to_string(),
            )
        })?;
        let segment = Segment {
            address,
            data,
            bytes,
        };
        Self::new(entry, vec![segment], target)
    }

    /// The lowest address of it.
    pub(crate) fn lowest(&self) -> u32 {
        let each = self.segments.iter().map(|segment| segment.address);
        each.min().unwrap_or(self.entry)
    }

    /// The first address after it.
    pub(crate) fn end(&self) -> u64 {
        self.segments.iter().map(Segment::end).max().unwrap_or(0)
    }

    /// Puts it into memory.
    ///
    /// # Errors
    /// There is none where it belongs.
    pub(crate) fn place(&self, bus: &mut Bus) -> Result<(), Wrong> {
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

    /// The memory from the end of the kernel to `end`, in words.
    pub(crate) fn free_up_to(&self, end: u32) -> (u32, u32) {
        let begin = self.end().next_multiple_of(8).min(end.into());
        (begin as u32, end & !7)
    }

    /// Whether some of it is between these addresses.
    pub(crate) fn overlaps(&self, start: u64, end: u64) -> bool {
        self.segments.iter().any(|s| s.overlaps(start, end))
    }
}

/// The entry point and the segments of an ELF file, by physical addresses.
fn read_elf<H: FileHeader<Endian = Endianness>>(
    image: &[u8],
    target: &Target,
) -> Result<(u32, Vec<Segment>), Wrong> {
    let no_kernel = |what: &str| (what.to_string(), target.expected.to_string());
    let broken = |_| no_kernel("is a truncated or damaged ELF file");
    let header = H::parse(image).map_err(broken)?;
    let endian = header.endian().map_err(broken)?;
    // One that can be moved says all the same where it is now.
    let kind = header.e_type(endian);
    if kind != ET_EXEC && !(target.long && kind == ET_DYN) {
        return Err(no_kernel("is an ELF file but no executable"));
    }
    let mut entry: u64 = header.e_entry(endian).into();
    let mut segments = Vec::new();
    for segment in header.program_headers(endian, image).map_err(broken)? {
        let in_memory: u64 = segment.p_memsz(endian).into();
        if segment.p_type(endian) != PT_LOAD || in_memory == 0 {
            continue;
        }
        let (offset, bytes) = segment.file_range(endian);
        let data = image.read_bytes_at(offset, bytes).map_err(|()| {
            no_kernel(&format!(
                "is a truncated ELF file: a segment needs bytes {offset} to {}",
                offset.saturating_add(bytes)
            ))
        })?;
        if bytes > in_memory {
            return Err(no_kernel(&format!(
                "is a damaged ELF file: a segment has {bytes} bytes for {in_memory} in memory"
            )));
        }
        let at: u64 = segment.p_paddr(endian).into();
        let virtually: u64 = segment.p_vaddr(endian).into();
        if target.long && entry.wrapping_sub(virtually) < in_memory {
            entry = entry.wrapping_sub(virtually).wrapping_add(at);
        }
        let (Ok(address), Ok(in_memory)) = (u32::try_from(at), u32::try_from(in_memory)) else {
            return Err(no_kernel(&format!(
                "needs {in_memory} bytes of memory at {at:#x}"
            )));
        };
        segments.push(Segment {
            address,
            data: data.to_vec(),
            bytes: in_memory,
        });
    }
    let lowest = segments.iter().map(|segment| segment.address).min();
    let entry = u32::try_from(entry).ok().or(lowest).unwrap_or(0);
    Ok((entry, segments))
}

/// The processor of an ELF file, for messages.
fn name(machine: u16) -> String {
    match machine {
        EM_ARM => "ARM".to_string(),
        EM_386 => "Intel 80386".to_string(),
        EM_X86_64 => "x86-64".to_string(),
        EM_AARCH64 => "64-bit ARM".to_string(),
        EM_RISCV => "RISC-V".to_string(),
        other => format!("another processor (machine {other})"),
    }
}

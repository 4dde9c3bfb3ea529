// SPDX-License-Identifier: Apache-2.0
//! How a kernel is started on an ARM board (ARM Linux: Booting): with r0 = 0, r1 = machine type, r2 = the
//! list of tags or the device tree. An ELF executable, a U-Boot image, S-records and Intel's hexadecimal
//! records say where they go; a zImage goes to 32 KB into SDRAM, any other raw image to 64 KB, as QEMU has
//! it (`KERNEL_LOAD_ADDR`), and programs for these boards are linked for that.

use std::path::Path;

use object::elf::{ELFMAG, EM_ARM};

use crate::board::Board;
use crate::bus::Bus;
use crate::config::MachineConfig;
use crate::devicetree::{DeviceTree, A_DEVICE_TREE};
use crate::error::{read_file, Error};
use crate::loader::kernel::{Entry, Kernel, Target, Wrong};
use crate::loader::{check_append, place_initrd, read_kernel, records, uimage, Boot, Start, PAGE};

use super::isa::cores::Table;

/// What every kernel should have been.
const A_KERNEL: &str = "a kernel: an ELF32 little-endian ARM executable or a raw ARM image";

/// Where a zImage goes, from the base of SDRAM (ARM Linux: Booting), and by what it is known: a word in
/// its head.
const ZIMAGE_OFFSET: u32 = 0x8000;
const ZIMAGE_MARK: u32 = 0x016f_2818;
const ZIMAGE_MARK_AT: usize = 0x24;
/// Where any other raw image goes (QEMU, hw/arm/boot.c: `KERNEL_LOAD_ADDR`).
const RAW_OFFSET: u32 = 0x1_0000;
/// Where the tags go, from the base of SDRAM.
const TAGS_OFFSET: u32 = 0x100;
/// Bytes for the tags: they end before a kernel's first page table at 16 KB.
const TAGS_BYTES: usize = 0x3f00;
/// What r1 is where a kernel is to go by its device tree alone (ARM Linux: Booting).
const NO_MACHINE_TYPE: u32 = u32::MAX;
/// Most bytes of a command line, without its NUL (ARM Linux: COMMAND_LINE_SIZE).
const COMMAND_LINE_MOST: usize = 1023;

/// The tags of the boot convention.
const ATAG_NONE: u32 = 0;
const ATAG_CORE: u32 = 0x5441_0001;
const ATAG_MEM: u32 = 0x5441_0002;
const ATAG_INITRD2: u32 = 0x5442_0005;
const ATAG_CMDLINE: u32 = 0x5441_0009;

/// Loads for `board` with the processor of `config`, which has Thumb state or not.
pub(super) fn load(
    boot: &Boot,
    config: &MachineConfig,
    board: &Board,
    bus: &mut Bus,
) -> Result<Start, Error> {
    let machine_type = board.machine_type.unwrap_or(NO_MACHINE_TYPE);
    let thumb = config
        .arm()
        .is_some_and(|arm| Table::of(arm.core).architecture.has_thumb());
    let wrong = |(what, expected): Wrong| Error::Image {
        file: boot.kernel.to_path_buf(),
        what,
        expected,
    };
    let (ram_base, ram_bytes) = bus.ram_window();
    if let Some(at) = boot.load_address.filter(|at| at % 4 != 0) {
        return Err(Error::Argument {
            argument: "--load-address",
            what: format!("{at:#x} is no address of an ARM instruction"),
            expected: "a multiple of 4".to_string(),
        });
    }
    let image = read_kernel(boot, A_KERNEL, bus)?;
    let target = Target {
        machine: EM_ARM,
        long: false,
        entry: Entry::Arm { thumb },
        expected: A_KERNEL,
    };
    let kernel = parse(image, bus.ram_window(), boot.load_address, &target).map_err(wrong)?;
    kernel.place(bus).map_err(wrong)?;

    let tags_end = ram_base + TAGS_OFFSET + TAGS_BYTES as u32;
    let initrd = boot
        .initrd
        .map(|file| place_initrd(file, &kernel, tags_end..=u32::MAX, bus))
        .transpose()?;
    let ram_end = ram_base.wrapping_add(ram_bytes).wrapping_sub(8);
    let free_end = initrd.map_or(ram_end, |(start, _)| start);
    let append = check_append(boot, COMMAND_LINE_MOST)?;
    if let Some(file) = boot.dtb {
        let tree = place_device_tree(file, boot.append, initrd, &kernel, bus)?;
        return Ok(Start {
            pc: kernel.entry.into(),
            registers: [0, machine_type.into(), tree.into()],
            free: kernel.free_up_to(tree),
            host_target: None,
        });
    }
    let tags = place_tags(append, initrd, &kernel, bus);
    if tags.is_none() && (boot.append.is_some() || boot.initrd.is_some()) {
        let at = ram_base + TAGS_OFFSET;
        return Err(wrong((
            format!("occupies the boot tags at {at:#010x}, which --append and --initrd need"),
            format!("a kernel that leaves {TAGS_BYTES} bytes there free"),
        )));
    }
    Ok(Start {
        pc: kernel.entry.into(),
        registers: [0, machine_type.into(), tags.unwrap_or(0).into()],
        free: kernel.free_up_to(free_end),
        host_target: None,
    })
}

/// Takes an image apart, which goes, if it does not say itself where, to `at` or to the usual place in
/// memory, of which base and size are given.
fn parse(
    image: Vec<u8>,
    (ram_base, ram_bytes): (u32, u32),
    at: Option<u32>,
    target: &Target,
) -> Result<Kernel, Wrong> {
    let no_kernel = |what: &str| (what.to_string(), A_KERNEL.to_string());
    if image.is_empty() {
        return Err(no_kernel("is empty"));
    }
    let says_where = if image.starts_with(&ELFMAG) {
        Some("an ELF file")
    } else if let Some(format) = records::format(&image) {
        Some(format.name())
    } else if uimage::is_uimage(&image) && !uimage::goes_anywhere(&image) {
        Some("a U-Boot image")
    } else {
        None
    };
    if let (Some(format), true) = (says_where, at.is_some()) {
        return Err((
            format!("is {format}, which says itself where it goes"),
            "a raw image beside --load-address".to_string(),
        ));
    }
    if image.starts_with(&ELFMAG) {
        return Kernel::parse_elf(&image, target);
    }
    if let Some(format) = records::format(&image) {
        return records::parse(&image, format, target);
    }
    let raw_at = at.unwrap_or(ram_base + RAW_OFFSET);
    if uimage::is_uimage(&image) {
        return uimage::parse(&image, raw_at, ram_bytes, target);
    }
    let mark = image.get(ZIMAGE_MARK_AT..ZIMAGE_MARK_AT + 4);
    if mark == Some(&ZIMAGE_MARK.to_le_bytes()) {
        let address = at.unwrap_or(ram_base + ZIMAGE_OFFSET);
        return Kernel::flat(address, address, image, target);
    }
    // A raw image has no mark of its own. Its first instruction, though, is one that is always
    // executed (top digit 0xe), which no text, archive or picture begins with. Who says where it goes
    // knows that it is one.
    if at.is_none() && image.get(3).is_none_or(|top| top >> 4 != 0xe) {
        return Err(no_kernel(
            "is neither ELF nor does it begin with an ARM instruction",
        ));
    }
    Kernel::flat(raw_at, raw_at, image, target)
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

#[cfg(test)]
mod tests;

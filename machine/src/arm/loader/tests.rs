// SPDX-License-Identifier: Apache-2.0
//! Tests of the loader: what it puts into memory, and that nothing in a file makes it panic.

use proptest::prelude::*;

use object::elf::{ET_EXEC, PT_LOAD};

use super::*;
use crate::config::MachineConfig;
use crate::loader::gzip::tests::packed;
use crate::loader::kernel::Entry;
use crate::loader::scratch::File;
use crate::registry;

const BASE: u32 = 0xc000_0000;
const TARGET: Target = Target {
    machine: EM_ARM,
    long: false,
    entry: Entry::Arm { thumb: true },
    expected: A_KERNEL,
};

/// A little ELF file: one segment of `data` at `address`, entered at its start.
fn elf(address: u32, data: &[u8], bytes: u32) -> Vec<u8> {
    let mut file = Vec::new();
    file.extend(b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0");
    let half = |file: &mut Vec<u8>, v: u16| file.extend(v.to_le_bytes());
    let word = |file: &mut Vec<u8>, v: u32| file.extend(v.to_le_bytes());
    half(&mut file, ET_EXEC);
    half(&mut file, EM_ARM);
    for v in [1, address, 52, 0, 0] {
        word(&mut file, v);
    }
    for v in [52, 32, 1, 40, 0, 0] {
        half(&mut file, v);
    }
    for v in [
        PT_LOAD,
        84,
        address,
        address,
        data.len() as u32,
        bytes,
        7,
        4,
    ] {
        word(&mut file, v);
    }
    file.extend(data);
    file
}

fn bus(ram_bytes: u32) -> Bus {
    let board = registry::board("assabet").unwrap();
    Bus::new((board.parts)(ram_bytes), 200_000_000)
}

fn load_on(machine: &str, boot: &Boot, bus: &mut Bus) -> Result<Start, String> {
    let config = MachineConfig::find(machine).unwrap();
    let board = registry::board(&config.board).unwrap();
    super::load(boot, &config, board, bus).map_err(|error| error.to_string())
}

fn boot(
    kernel: &File,
    append: Option<&str>,
    initrd: Option<&File>,
    bus: &mut Bus,
) -> Result<Start, String> {
    let boot = Boot {
        kernel: &kernel.0,
        append,
        initrd: initrd.map(|file| file.0.as_path()),
        dtb: None,
        load_address: None,
        bios: None,
    };
    load_on("sa1110", &boot, bus)
}

fn boot_with_tree(
    kernel: &File,
    dtb: &File,
    initrd: Option<&File>,
    bus: &mut Bus,
) -> Result<Start, String> {
    let boot = Boot {
        kernel: &kernel.0,
        append: Some("quiet"),
        initrd: initrd.map(|file| file.0.as_path()),
        dtb: Some(&dtb.0),
        load_address: None,
        bios: None,
    };
    load_on("sa1110", &boot, bus)
}

#[test]
fn a_device_tree_learns_of_memory_command_line_and_ram_disk() {
    let mut tree = DeviceTree::default();
    tree.root.set_cells("#address-cells", &[1]);
    tree.root.set_cells("#size-cells", &[1]);
    tree.root.child("memory").name = "memory@0".to_string();
    tree.root.child("chosen").set_string("bootargs", "old");
    let dtb = File::new("dtb", &tree.to_bytes());
    let kernel = File::new("raw-dt", &0xe1a0_0000u32.to_le_bytes());
    let initrd = File::new("initrd-dt", &[7; 5000]);
    let mut bus = bus(1 << 20);
    let start = boot_with_tree(&kernel, &dtb, Some(&initrd), &mut bus).unwrap();
    let disk = BASE + 0x10_0000 - 8192;
    let at = start.registers[2] as u32;
    assert_eq!(start.registers[..2], [0, 25]);
    assert_eq!(at, disk - 4096);
    let blob = bus.ram_slice(at, 4096).unwrap();
    let mut root = DeviceTree::parse(blob).unwrap().root;
    assert_eq!(root.children.len(), 2);
    let memory = root.child("memory").clone();
    let reg = [BASE.to_be_bytes(), (1u32 << 20).to_be_bytes()].concat();
    assert_eq!(memory.property("reg"), Some(&reg[..]));
    let chosen = root.child("chosen");
    assert_eq!(chosen.property("bootargs"), Some(&b"quiet\0"[..]));
    assert_eq!(chosen.cell("linux,initrd-start"), Some(disk));
    assert_eq!(chosen.cell("linux,initrd-end"), Some(disk + 5000));
}

#[test]
fn a_device_tree_that_is_none_or_too_large_is_one_line() {
    let kernel = File::new("raw-no-dt", &0xe1a0_0000u32.to_le_bytes());
    let dtb = File::new("no-dtb", b"/dts-v1/;");
    let line = boot_with_tree(&kernel, &dtb, None, &mut bus(1 << 20)).unwrap_err();
    let file = dtb.0.display();
    assert_eq!(
        line,
        format!("{file}: does not begin with the mark of a device tree; expected a flattened device tree (DTB)")
    );
    let mut tree = DeviceTree::default();
    tree.root.set_cells("padding", &[0; 261_000]);
    let dtb = File::new("large-dtb", &tree.to_bytes());
    let line = boot_with_tree(&kernel, &dtb, None, &mut bus(1 << 20)).unwrap_err();
    assert!(
        line.ends_with(
            "expected what fits beside kernel and RAM disk into 1048576 bytes of memory"
        ),
        "{line}"
    );
}

fn word(bus: &Bus, at: u32) -> u32 {
    bus.read_memory_word(at).unwrap()
}

#[test]
fn an_elf_file_goes_to_its_physical_addresses_with_zeros_behind() {
    let file = File::new("elf", &elf(BASE + 0x1_0000, b"\x01\x02\x03\xe4", 8));
    let mut bus = bus(1 << 20);
    bus.ram_slice_mut(BASE + 0x1_0004, 1).unwrap()[0] = 9;
    let start = boot(&file, None, None, &mut bus).unwrap();
    assert_eq!(start.pc as u32, BASE + 0x1_0000);
    assert_eq!(start.registers, [0, 25, u64::from(BASE + 0x100)]);
    assert_eq!(word(&bus, BASE + 0x1_0000), 0xe403_0201);
    assert_eq!(word(&bus, BASE + 0x1_0004), 0);
}

#[test]
fn a_raw_image_starts_at_64_kb_with_tags() {
    let kernel = File::new("raw", &0xe1a0_0000u32.to_le_bytes());
    let initrd = File::new("initrd", &[7; 5000]);
    let mut bus = bus(1 << 20);
    let start = boot(&kernel, Some("quiet a"), Some(&initrd), &mut bus).unwrap();
    assert_eq!(start.pc as u32, BASE + 0x1_0000);
    let list: Vec<u32> = (0..24).map(|n| word(&bus, BASE + 0x100 + 4 * n)).collect();
    let disk = BASE + 0x10_0000 - 8192;
    let quiet = u32::from_le_bytes(*b"quie");
    let rest = u32::from_le_bytes(*b"t a\0");
    assert_eq!(
        list[..19],
        [
            5,
            ATAG_CORE,
            0,
            4096,
            0, //
            4,
            ATAG_MEM,
            1 << 20,
            BASE, //
            4,
            ATAG_CMDLINE,
            quiet,
            rest, //
            4,
            ATAG_INITRD2,
            disk,
            5000, //
            0,
            ATAG_NONE,
        ]
    );
    assert_eq!(bus.ram_slice(disk, 5000).unwrap(), [7; 5000]);
}

#[test]
fn a_zimage_starts_at_32_kb_and_every_raw_image_where_it_is_told() {
    let mut zimage = vec![0; 0x40];
    zimage[..4].copy_from_slice(&0xe1a0_0000u32.to_le_bytes());
    let raw = File::new("no-zimage", &zimage);
    zimage[ZIMAGE_MARK_AT..ZIMAGE_MARK_AT + 4].copy_from_slice(&ZIMAGE_MARK.to_le_bytes());
    let zimage = File::new("zimage", &zimage);
    let data = File::new("data", b"no code");
    let at = |kernel: &File, load_address| {
        let boot = Boot {
            kernel: &kernel.0,
            append: None,
            initrd: None,
            dtb: None,
            load_address,
            bios: None,
        };
        let mut bus = bus(1 << 20);
        let start = load_on("sa1110", &boot, &mut bus)?;
        assert_ne!(word(&bus, start.pc as u32), 0);
        Ok::<_, String>(start.pc as u32 - BASE)
    };
    assert_eq!(at(&raw, None), Ok(0x1_0000));
    assert_eq!(at(&zimage, None), Ok(0x8000));
    for kernel in [&raw, &zimage, &data] {
        assert_eq!(at(kernel, Some(BASE + 0x2_0000)), Ok(0x2_0000));
    }
    let line = at(&raw, Some(BASE + 2)).unwrap_err();
    let expected =
        "--load-address: 0xc0000002 is no address of an ARM instruction; expected a multiple of 4";
    assert_eq!(line, expected);
    let line = at(&raw, Some(0x1_0000)).unwrap_err();
    assert!(line.contains("needs memory from 0x00010000 to"), "{line}");
    let own = elf(BASE + 0x1_0000, &[0; 64], 64);
    let own = File::new("elf-at", &own);
    let line = at(&own, Some(BASE)).unwrap_err();
    assert!(
        line.ends_with("is an ELF file, which says itself where it goes; expected a raw image beside --load-address"),
        "{line}"
    );
}

#[test]
fn bit_0_of_an_entry_says_thumb_state() {
    let mut image = elf(BASE + 0x1_0000, &[0; 64], 64);
    for (entry, right) in [
        (1, true),
        (63, true),
        (65, false),
        (2, false),
        (60, true),
        (64, false),
    ] {
        image[24] = entry;
        assert_eq!(Kernel::parse_elf(&image, &TARGET).is_ok(), right, "{entry}");
    }
    image[24] = 3;
    let file = File::new("thumb", &image);
    let boot = Boot {
        kernel: &file.0,
        append: None,
        initrd: None,
        dtb: None,
        load_address: None,
        bios: None,
    };
    let start = load_on("versatilepb", &boot, &mut bus(1 << 20)).unwrap();
    assert_eq!(start.pc as u32, BASE + 0x1_0003);
    let line = load_on("sa1110", &boot, &mut bus(1 << 20)).unwrap_err();
    assert!(
        line.ends_with("starts at 0xc0010003; expected an entry point in ARM state: this processor has no Thumb state"),
        "{line}"
    );
}

#[test]
fn what_is_packed_is_unpacked() {
    let inside = elf(BASE + 0x1_0000, &[5; 64], 64);
    let file = File::new("packed", &packed(&inside));
    let mut memory = bus(1 << 20);
    assert_eq!(
        boot(&file, None, None, &mut memory).unwrap().pc as u32,
        BASE + 0x1_0000
    );
    assert_eq!(word(&memory, BASE + 0x1_0000), 0x0505_0505);
    let mut large = vec![0; 2 << 20];
    large[3] = 0xe1;
    let file = File::new("packed-large", &packed(&large));
    let line = boot(&file, None, None, &mut bus(1 << 20)).unwrap_err();
    assert!(
        line.contains("has more than 1048576 bytes when it is unpacked; expected"),
        "{line}"
    );
}

#[test]
fn a_kernel_over_the_tags_starts_without_them() {
    let file = File::new("low", &elf(BASE, &[0; 0x200], 0x200));
    let mut memory = bus(1 << 20);
    assert_eq!(
        boot(&file, None, None, &mut memory).unwrap().registers,
        [0, 25, 0]
    );
    let line = boot(&file, Some("x"), None, &mut bus(1 << 20)).unwrap_err();
    assert!(
        line.contains("occupies the boot tags at 0xc0000100"),
        "{line}"
    );
}

#[test]
fn each_mistake_is_named() {
    let good = elf(BASE + 0x1_0000, &[0; 64], 64);
    let change = |at: usize, bytes: &[u8]| {
        let mut file = good.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        file
    };
    for (name, image, what) in [
        ("empty", vec![], "is empty"),
        ("text", b"#!/bin/sh\n".to_vec(), "is neither ELF nor"),
        ("short", b"abc".to_vec(), "is neither ELF nor"),
        ("magic", b"\x7fELF".to_vec(), "is a truncated ELF file"),
        (
            "header",
            good[..40].to_vec(),
            "is a truncated or damaged ELF file",
        ),
        (
            "table",
            good[..60].to_vec(),
            "is a truncated or damaged ELF file",
        ),
        (
            "body",
            good[..100].to_vec(),
            "is a truncated ELF file: a segment needs bytes 84 to 148",
        ),
        ("x86-64", change(18, &[62, 0]), "is an ELF file for x86-64"),
        ("64-bit", change(4, &[2]), "is an ELF file of 64 bits"),
        (
            "big-endian",
            change(5, &[2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 40]),
            "is a big-endian ELF file",
        ),
        (
            "object",
            change(16, &[1, 0]),
            "is an ELF file but no executable",
        ),
        ("entry", change(24, &[2]), "starts at 0xc0010002"),
        (
            "nothing",
            change(52, &[0]),
            "is an ELF file with nothing to load",
        ),
        (
            "sizes",
            change(84 - 32 + 20, &[3]),
            "is a damaged ELF file: a segment has 64 bytes for 3 in memory",
        ),
        (
            "outside",
            elf(0x1_0000, &[0; 64], 64),
            "needs memory from 0x00010000 to 0x00010040",
        ),
        (
            "large",
            elf(BASE + 0x1_0000, &[0; 64], 1 << 20),
            "needs memory from 0xc0010000 to 0xc0110000",
        ),
        (
            "wraps",
            elf(0xffff_fff0, &[0; 64], 64),
            "needs memory from 0xfffffff0 to 0x100000030",
        ),
    ] {
        let file = File::new(name, &image);
        let line = boot(&file, None, None, &mut bus(1 << 20)).unwrap_err();
        let expected = format!("{}: {what}", file.0.display());
        assert!(line.starts_with(&expected), "{line}");
        assert!(
            line.contains("; expected ") && !line.contains('\n'),
            "{line}"
        );
    }
}

#[test]
fn raw_images_and_disks_must_fit() {
    let mut raw = vec![0; 1 << 20];
    raw[3] = 0xe1;
    let file = File::new("huge", &raw);
    let line = boot(&file, None, None, &mut bus(1 << 20)).unwrap_err();
    assert!(
        line.contains("needs memory from 0xc0010000 to 0xc0110000"),
        "{line}"
    );

    let kernel = File::new("half", &raw[..1 << 19]);
    for bytes in [(1 << 19) - 0xffff, 1 << 20] {
        let disk = File::new("disk", &vec![1; bytes]);
        let line = boot(&kernel, None, Some(&disk), &mut bus(1 << 20)).unwrap_err();
        assert!(line.contains("what fits after the kernel"), "{line}");
    }
    let disk = File::new("larger", &vec![1; (1 << 20) + 1]);
    let line = boot(&kernel, None, Some(&disk), &mut bus(1 << 20)).unwrap_err();
    assert!(line.contains("has more than 1048576 bytes"), "{line}");
    let disk = File::new("fits", &vec![1; (1 << 19) - 0x1_0000]);
    boot(&kernel, None, Some(&disk), &mut bus(1 << 20)).unwrap();
    let line = boot(&kernel, Some(&"x".repeat(1024)), None, &mut bus(1 << 20)).unwrap_err();
    assert_eq!(line, "--append: has 1024 bytes; expected at most 1023");
    boot(&kernel, Some(&"x".repeat(1023)), None, &mut bus(1 << 20)).unwrap();
}

proptest! {
    /// Whatever a file says, the loader refuses it or loads it; it never panics.
    #[test]
    fn no_damage_makes_it_panic(
        changes in proptest::collection::vec((0usize..148, any::<u8>()), 1..8),
        length in 0usize..=148,
    ) {
        let mut image = elf(BASE + 0x1_0000, &[0; 64], 64);
        for (at, value) in changes {
            image[at] = value;
        }
        image.truncate(length);
        if let Ok(kernel) = parse(image, (BASE, 1 << 20), None, &TARGET) {
            let _ = kernel.place(&mut bus(1 << 20));
        }
    }

    /// Nor does what is no ELF file at all.
    #[test]
    fn no_bytes_make_it_panic(image in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = parse(image, (BASE, 1 << 20), None, &TARGET);
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Tests of what a PC's loader leaves in memory, and that nothing in a file makes it panic.

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::loader::scratch::File;
use crate::registry;

const RAM: u32 = 16 << 20;

fn bus() -> Bus {
    bus_with(RAM)
}

fn bus_with(ram_bytes: u32) -> Bus {
    let board = registry::board("isa-pc").unwrap();
    Bus::new((board.parts)(ram_bytes), 1_400_000_000)
}

fn words(bytes: &[u8], at: usize, count: usize) -> Vec<u32> {
    (0..count)
        .map(|n| word_at(bytes, at + 4 * n).unwrap())
        .collect()
}

/// A flat image with a Multiboot header that says where it goes.
fn multiboot_image(flags: u32, addresses: [u32; 5]) -> Vec<u8> {
    let sum = MULTIBOOT.wrapping_add(flags).wrapping_neg();
    let header = [MULTIBOOT, flags, sum].into_iter().chain(addresses);
    let mut image = vec![0x90; 16];
    image.extend(header.flat_map(u32::to_le_bytes));
    image.extend([0xf4; 16]);
    image
}

fn bzimage(code: &[u8]) -> Vec<u8> {
    let mut image = vec![0; 1024];
    image[setup::SECTORS] = 1;
    image[setup::JUMP + 1] = 0x6a;
    image[setup::HEADER..setup::HEADER + 4].copy_from_slice(b"HdrS");
    image[setup::LOADFLAGS] = setup::LOADED_HIGH;
    image[0x230] = 0x55; // of the header, and not the loader's
    image.extend(code);
    image
}

#[test]
fn linux_is_told_of_memory_command_line_and_ram_disk() {
    let page = boot_parameters(&[], Some((0xf0_0000, 5000)), None, &bus());
    assert_eq!(page[setup::HEADER..setup::HEADER + 4], *b"HdrS");
    assert_eq!(page[setup::LOADER], 0xff);
    assert_eq!(words(&page, setup::RAMDISK, 2), [0xf0_0000, 5000]);
    assert_eq!(words(&page, setup::COMMAND_LINE, 1), [COMMAND_LINE]);
    assert_eq!(page[MAP_COUNT], 3);
    let ranges = words(&page, MAP, 15);
    assert_eq!(ranges[..5], [0, 0, 0x9_fc00, 0, 1]);
    assert_eq!(ranges[5..10], [0x9_fc00, 0, 0x6_0400, 0, 2]);
    assert_eq!(ranges[10..], [0x10_0000, 0, RAM - 0x10_0000, 0, 1]);
}

#[test]
fn a_bzimage_brings_its_header_and_starts_at_1_mb() {
    let image = Image::parse(&bzimage(&[0xf4; 100])).ok().unwrap();
    assert_eq!(
        (image.kernel.entry, image.kernel.segments[0].bytes),
        (HIGH, 100)
    );
    let Protocol::Linux { header } = image.protocol else {
        panic!("is no Multiboot kernel");
    };
    assert_eq!(boot_parameters(&header, None, None, &bus())[0x230], 0x55);
}

#[test]
fn a_multiboot_kernel_goes_where_its_header_says() {
    let addresses = [0x20_0010, 0x20_0000, 0x20_0040, 0x20_1000, 0x20_0030];
    let image = multiboot_image(OWN_ADDRESSES | 3, addresses);
    let image = Image::parse(&image).ok().unwrap();
    let segment = &image.kernel.segments[0];
    assert_eq!((segment.address, segment.bytes), (0x20_0000, 0x1000));
    assert_eq!((segment.data.len(), segment.data[0]), (0x40, 0x90));
    assert_eq!(image.kernel.entry, 0x20_0030);
    let module = |at, line: &[u8]| Placed {
        at,
        bytes: 5000,
        line: line.to_vec(),
    };
    let modules = [module(0xf0_0000, b"a"), module(0xf0_4000, b"b, c")];
    let told = multiboot(&modules, None, &bus());
    assert_eq!(words(&told, 0, 3), [0x24d, 639, 15 << 10]);
    assert_eq!(words(&told, 20, 2), [2, PARAMETERS + 0x400]);
    let lines = PARAMETERS + 0x420;
    let first = [0xf0_0000, 0xf0_0000 + 5000, lines, 0];
    let second = [0xf0_4000, 0xf0_4000 + 5000, lines + 2, 0];
    assert_eq!(words(&told, 0x400, 8), [first, second].concat());
    assert_eq!(told[0x420..], *b"a\0b, c\0");
    assert_eq!(words(&told, 44, 2), [72, PARAMETERS + 0x140]);
    assert_eq!(words(&told, 0x140, 6), [20, 0, 0, 0x9_fc00, 0, 1]);
}

/// By its header, or by the command line, which the person has written.
#[test]
fn a_multiboot_kernel_gets_a_mode() {
    let addresses = [0x20_0010, 0x20_0000, 0, 0, 0x20_0000];
    let mut image = multiboot_image(OWN_ADDRESSES | WANTS_MODE, addresses);
    for (at, value) in [(48, 0), (52, 800), (56, 600), (60, 16u32)] {
        image.resize(image.len().max(at + 4), 0);
        image[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    let kernel = File::new("mode-kernel", &image);
    let told = |append| {
        let boot = Boot {
            kernel: &kernel.0,
            append,
            initrd: None,
            dtb: None,
            load_address: None,
            bios: None,
        };
        let mut bus = bus();
        load(&boot, &mut bus).unwrap();
        let picture = bus.picture().unwrap().unwrap();
        let told = bus.ram_slice(PARAMETERS, 0x80).unwrap();
        assert_eq!(words(told, 0, 1), [0x1245]);
        assert_eq!(words(told, 88, 2), [crate::dev::vbe::MEMORY_AT, 0]);
        assert_eq!(words(told, 100, 2), [picture.width, picture.height]);
        (words(told, 96, 1)[0], told[108])
    };
    assert_eq!(told(None), (1600, 16));
    assert_eq!(told(Some("vga=0x344 quiet")), (4096, 32));
    image[48] = 1; // text
    assert!(find_multiboot(&image).unwrap().mode.is_none());
}

#[test]
fn modules_are_spelled_as_for_qemu() {
    let spelled = |text: &str| {
        let modules = pieces(Path::new(text)).into_iter();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let each = modules.map(|m| (m.file.to_str().unwrap().to_string(), text(m.words)));
        each.collect::<Vec<_>>()
    };
    let module = |file: &str, words: &str| (file.to_string(), words.to_string());
    assert_eq!(spelled("a"), [module("a", "")]);
    assert_eq!(
        spelled("d/a x  y,b,c,,d e,,f"),
        [module("d/a", "x  y"), module("b", ""), module("c,d", "e,f")]
    );
    assert_eq!(spelled("a,,,b"), [module("a,", ""), module("b", "")]);
    assert_eq!(spelled("a,"), [module("a", ""), module("", "")]);
}

#[test]
fn several_modules_are_in_memory_in_their_order() {
    let first = File::new("module-1", &[1; 5000]);
    let second = File::new("module-2", &[2; 100]);
    let names = [&first, &second].map(|file| file.0.to_str().unwrap());
    let both = format!("{} one,{} the second", names[0], names[1]);
    let own = [0x20_0010, 0x20_0000, 0, 0, 0x20_0000];
    let kernel = File::new("pc-modules", &multiboot_image(OWN_ADDRESSES, own));
    let boot = |initrd: &str, bus: &mut Bus| {
        let boot = Boot {
            kernel: &kernel.0,
            append: None,
            initrd: Some(Path::new(initrd)),
            dtb: None,
            load_address: None,
            bios: None,
        };
        load(&boot, bus).map_err(|error| error.to_string())
    };
    let mut bus = bus();
    let start = boot(&both, &mut bus).unwrap();
    let told = bus
        .ram_slice(start.registers[1] as u32, 0x600)
        .unwrap()
        .to_vec();
    assert_eq!(words(&told, 20, 2), [2, PARAMETERS + 0x400]);
    let list = words(&told, 0x400, 8);
    assert_eq!(list[..2], [RAM - 0x3000, RAM - 0x3000 + 5000]);
    assert_eq!(list[4..6], [RAM - 0x1000, RAM - 0x1000 + 100]);
    assert_eq!(bus.ram_slice(list[0], 5000).unwrap(), [1; 5000]);
    assert_eq!(bus.ram_slice(list[4], 100).unwrap(), [2; 100]);
    let line = |at: u32| {
        let bytes = &told[(at - PARAMETERS) as usize..];
        let end = bytes.iter().position(|&byte| byte == 0).unwrap();
        String::from_utf8(bytes[..end].to_vec()).unwrap()
    };
    let name = |file: &File| file.0.file_name().unwrap().to_str().unwrap().to_string();
    assert_eq!(line(list[2]), name(&first) + " one");
    assert_eq!(line(list[6]), name(&second) + " the second");
    let missing = boot(&format!("{},/nowhere/m", names[0]), &mut bus).unwrap_err();
    assert!(
        missing.starts_with("/nowhere/m: cannot be read"),
        "{missing}"
    );
    let long = format!("{} {}", names[0], "x".repeat(40_000));
    let line = boot(&long, &mut bus).unwrap_err();
    assert!(
        line.starts_with("--initrd: has modules of which there are 410"),
        "{line}"
    );
}

/// Where a RAM disk of 5,000 bytes goes: two pages.
#[test]
fn a_ram_disk_is_where_the_kernel_takes_it() {
    let disk = File::new("pc-disk", &[7; 5000]);
    let place = |name: &str, kernel: &[u8], ram_bytes: u32| {
        let kernel = File::new(name, kernel);
        let boot = Boot {
            kernel: &kernel.0,
            append: None,
            initrd: Some(&disk.0),
            dtb: None,
            load_address: None,
            bios: None,
        };
        let mut bus = bus_with(ram_bytes);
        let start = load(&boot, &mut bus).map_err(|error| error.to_string())?;
        let word = |at: u32| {
            let bytes = bus.ram_slice(at, 4).unwrap();
            u32::from_le_bytes(bytes.try_into().unwrap())
        };
        let told = match start.registers.map(|register| register as u32) {
            [MULTIBOOT_LOADED, parameters, _] => word(word(parameters + 24)),
            [.., parameters] => word(parameters + setup::RAMDISK as u32),
        };
        assert_eq!(bus.ram_slice(told, 5000).unwrap(), [7; 5000]);
        Ok::<u32, String>(told)
    };
    let with_most = |most: u32| {
        let mut image = bzimage(&[0xf4; 100]);
        image[setup::INITRD_MOST..setup::INITRD_MOST + 4].copy_from_slice(&most.to_le_bytes());
        image
    };
    let own = [0x20_0010, 0x20_0000, 0, 0, 0x20_0000];
    let multiboot = multiboot_image(OWN_ADDRESSES, own);
    // Memory ends first.
    assert_eq!(
        place("pc-small", &with_most(0x7fff_ffff), RAM),
        Ok(RAM - 0x2000)
    );
    // Linux' own header has 2 GB less a byte; an older one could have less than it maps.
    let gigabyte = 1 << 30;
    for (most, end) in [
        (0x7fff_ffff, 0x3800_0000),
        (0x37ff_ffff, 0x3800_0000),
        (0x0fff_ffff, 0x1000_0000),
        (0x1000_07ff, 0x1000_0000),
    ] {
        let found = place("pc-large", &with_most(most), gigabyte);
        assert_eq!(found, Ok(end - 0x2000), "{most:#x}");
    }
    let found = place("pc-multiboot", &multiboot, gigabyte);
    assert_eq!(found, Ok(0x4000_0000 - 0x2000));
    // The kernel has the place.
    let line = place("pc-low", &with_most(0x10_1fff), gigabyte).unwrap_err();
    assert!(
        line.ends_with(
            "has 5000 bytes; expected what fits after the kernel into 1056768 bytes of memory"
        ),
        "{line}"
    );
}

#[test]
fn what_is_no_kernel_is_one_line() {
    let said = |image: &[u8]| Image::parse(image).err().unwrap().0;
    assert_eq!(said(b""), "is empty");
    assert_eq!(said(b"#!/bin/sh"), "is neither ELF nor a bzImage");
    let mut low = bzimage(&[0xf4]);
    low[setup::LOADFLAGS] = 0;
    assert_eq!(said(&low), "is a zImage");
    assert_eq!(said(&bzimage(&[])), "is a truncated or damaged bzImage");
    let wants_more = multiboot_image(0xb | OWN_ADDRESSES, [0x20_0010, 0x20_0000, 0, 0, 0x20_0000]);
    assert_eq!(
        said(&wants_more),
        "has a Multiboot header with flags 0x1000b"
    );
    let elsewhere = multiboot_image(OWN_ADDRESSES, [0x20_0010, 0x20_0020, 0, 0, 0]);
    assert!(said(&elsewhere).starts_with("has a Multiboot header with addresses 0x200010,"));
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(
        mut image in proptest::collection::vec(any::<u8>(), 0..1500),
        like in 0..3,
        addresses in any::<[u32; 5]>(),
    ) {
        match like {
            0 => image.splice(0..0, multiboot_image(OWN_ADDRESSES, addresses)).for_each(drop),
            1 if image.len() > 0x300 => {
                image[setup::HEADER..setup::HEADER + 4].copy_from_slice(b"HdrS");
            }
            _ => {}
        }
        if let Ok(image) = Image::parse(&image) {
            let _ = image.kernel.place(&mut bus());
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
//! What is loaded where, what the processor finds in the ROM and in the device tree, and what is refused.

use super::*;
use crate::board::virt::BOARD;
use crate::config::MachineConfig;
use crate::devicetree::Node;
use crate::loader::scratch::File;

const BASE: u32 = 0x8000_0000;
const RAM: u32 = 64 << 20;

fn bus() -> Bus {
    Bus::new((BOARD.parts)(RAM), 1_000_000_000)
}

fn config() -> MachineConfig {
    MachineConfig::find("virt-u74").unwrap()
}

/// A little ELF64 file of one segment, `data` at physical address `at`, entered at `entry`, which is
/// virtual by `above`.
fn elf(at: u64, entry: u64, above: u64, data: &[u8]) -> Vec<u8> {
    let mut file = b"\x7fELF\x02\x01\x01".to_vec();
    file.resize(16, 0);
    file.extend(2u16.to_le_bytes()); // executable
    file.extend(EM_RISCV.to_le_bytes());
    file.extend(1u32.to_le_bytes());
    file.extend(entry.to_le_bytes());
    file.extend(64u64.to_le_bytes()); // program headers
    file.extend(0u64.to_le_bytes());
    file.extend(0u32.to_le_bytes());
    for half in [64u16, 56, 1, 0, 0, 0] {
        file.extend(half.to_le_bytes());
    }
    file.extend(1u32.to_le_bytes()); // to load
    file.extend(7u32.to_le_bytes());
    let bytes = data.len() as u64;
    for long in [120, at.wrapping_add(above), at, bytes, bytes + 16, 8] {
        file.extend(long.to_le_bytes());
    }
    file.extend(data);
    file
}

fn boot<'a>(kernel: &'a Path, bios: &'a str) -> Boot<'a> {
    Boot {
        kernel,
        append: None,
        initrd: None,
        dtb: None,
        load_address: None,
        bios: Some(Path::new(bios)),
    }
}

fn run(boot: &Boot, bus: &mut Bus) -> Result<Start, String> {
    let config = config();
    load(boot, config.riscv().unwrap(), bus).map_err(|error| error.to_string())
}

/// The double words in the ROM after its code: start, tree, and what fw_dynamic is told.
fn told(bus: &mut Bus) -> Vec<u64> {
    let mut counters = crate::counters::Counters::new();
    let mut word = |n: u32| {
        let at = BOOT_ROM + 4 * n;
        let width = crate::dev::Width::Word;
        let word = bus.read(bus.target(at), at, width, 0, &mut counters);
        u64::from(word.unwrap())
    };
    (3..11)
        .map(|n| word(2 * n) | word(2 * n + 1) << 32)
        .collect()
}

fn root(bus: &Bus, at: u64) -> Node {
    let bytes = bus.ram_slice(at as u32, 0x4000).unwrap();
    DeviceTree::parse(bytes).unwrap().root
}

#[test]
fn without_firmware_a_kernel_is_at_the_start_of_memory() {
    let raw = File::new("riscv-raw", &[0x13, 0, 0, 0, 9]);
    let mut bus = bus();
    let start = run(&boot(&raw.0, "none"), &mut bus).unwrap();
    assert_eq!(start.pc, 0x1000);
    assert_eq!(bus.ram_slice(BASE, 5).unwrap(), [0x13, 0, 0, 0, 9]);
    let told = told(&mut bus);
    assert_eq!(told[0], u64::from(BASE));
    assert_eq!(
        told[1],
        u64::from(BASE + RAM - (2 << 20)),
        "2 MB, aligned to that"
    );
}

#[test]
fn an_elf_file_goes_where_it_says() {
    let above = 0xffff_ffff_0000_0000;
    for (at, entry, above, start) in [
        (0x8000_0000, 0x8000_0004, 0, 0x8000_0000), // as QEMU, whatever its entry point
        (0x8010_0000, 0x8010_0004, 0, 0x8010_0004),
        (0x8010_0000, 0x8010_0004 + above, above, 0x8010_0004),
    ] {
        let kernel = File::new("riscv-elf", &elf(at, entry, above, &[7; 8]));
        let mut bus = bus();
        run(&boot(&kernel.0, "none"), &mut bus).unwrap();
        assert_eq!(told(&mut bus)[0], start, "{at:#x} {entry:#x}");
        assert_eq!(bus.ram_slice(at as u32, 8).unwrap(), [7; 8]);
    }
}

#[test]
fn firmware_is_told_of_the_kernel_behind_it() {
    let firmware = File::new("riscv-firmware", &[5; 300_000]);
    let kernel = File::new("riscv-kernel", &[6; 100]);
    let initrd = File::new("riscv-initrd", &[8; 5000]);
    let mut bus = bus();
    let name = firmware.0.to_str().unwrap();
    let boot = Boot {
        initrd: Some(&initrd.0),
        append: Some("console=ttyS0"),
        ..boot(&kernel.0, name)
    };
    run(&boot, &mut bus).unwrap();
    assert_eq!(bus.ram_slice(0x8020_0000, 100).unwrap(), [6; 100]);
    let told = told(&mut bus);
    assert_eq!(told[0], 0x8000_0000);
    assert_eq!(told[2..], [DYNAMIC_MAGIC, 2, 0x8020_0000, 1, 0, 0]);
    let mut root = root(&bus, told[1]);
    let chosen = root.child("chosen");
    assert_eq!(chosen.property("bootargs"), Some(&b"console=ttyS0\0"[..]));
    let cells = |node: &Node, name: &str| -> Vec<u32> {
        let bytes = node.property(name).unwrap().chunks(4);
        bytes
            .map(|b| u32::from_be_bytes(b.try_into().unwrap()))
            .collect()
    };
    // As QEMU: half of memory after the kernel.
    let disk = 0x8020_0000 + RAM / 2;
    assert_eq!(cells(chosen, "linux,initrd-start"), [0, disk]);
    assert_eq!(cells(chosen, "linux,initrd-end"), [0, disk + 5000]);
    assert_eq!(bus.ram_slice(disk, 5000).unwrap(), [8; 5000]);
    assert_eq!(cells(root.child("memory"), "reg"), [0, BASE, 0, RAM]);
    let cpu = root.child("cpus").child("cpu");
    let isa = "rv64imafdc_zicntr_zicsr_zifencei_zihpm_zba_zbb\0";
    assert_eq!(cpu.property("riscv,isa"), Some(isa.as_bytes()));
    assert_eq!(cpu.property("riscv,isa-base"), Some(&b"rv64i\0"[..]));
    let listed = cpu.property("riscv,isa-extensions").unwrap();
    assert!(listed.starts_with(b"i\0m\0a\0f\0d\0c\0zicntr\0"));
    assert!(listed.ends_with(b"\0"));
    let slots = root.child("soc").children.iter();
    assert_eq!(
        slots
            .filter(|node| node.name.starts_with("virtio_mmio@"))
            .count(),
        8
    );
}

#[test]
fn what_does_not_fit_is_put_elsewhere_or_refused() {
    let kernel = File::new("riscv-small", &[6; 100]);
    let initrd = File::new("riscv-large", &vec![8; 40 << 20]);
    let mut bus = bus();
    let boot = Boot {
        initrd: Some(&initrd.0),
        ..boot(&kernel.0, "none")
    };
    run(&boot, &mut bus).unwrap();
    let tree = told(&mut bus)[1];
    let mut root = root(&bus, tree);
    let start = root.child("chosen").property("linux,initrd-start").unwrap();
    let at = u32::from_be_bytes(start[4..].try_into().unwrap());
    assert_eq!(bus.ram_slice(at, 4).unwrap(), [8; 4]);
    assert!(u64::from(at) + (40 << 20) <= tree);
    let mut small = Bus::new((BOARD.parts)(1 << 20), 1_000_000_000);
    let error = run(&boot, &mut small).unwrap_err();
    assert!(error.contains("expected"), "{error}");
}

#[test]
fn what_is_no_kernel_is_refused() {
    let file = |bytes: &[u8]| File::new("riscv-wrong", bytes);
    let mut arm = elf(0x8000_0000, 0x8000_0000, 0, &[0; 4]);
    arm[18] = 40;
    let mut short = elf(0x8000_0000, 0x8000_0000, 0, &[0; 4]);
    short[4] = 1;
    for (bytes, what) in [
        (&b""[..], "is empty"),
        (&arm, "is an ELF file for ARM"),
        (&short, "is an ELF file of 32 bits"),
        (
            &elf(0x1_0000_0000, 0, 0, &[0; 4]),
            "needs 20 bytes of memory at 0x100000000",
        ),
        (
            &elf(0x4000_0000, 0x4000_0000, 0, &[0; 4]),
            "needs memory from 0x40000000",
        ),
        (
            &elf(0x8000_0000, 0x9000_0000, 0, &[0; 4]),
            "starts at 0x90000000",
        ),
    ] {
        let kernel = file(bytes);
        let error = run(&boot(&kernel.0, "none"), &mut bus()).unwrap_err();
        assert!(error.contains(what), "{error}");
        assert_eq!(error.lines().count(), 1);
    }
    let kernel = file(&elf(0x8000_0000, 0x8000_0000, 0, &[0; 4]));
    let firmware = File::new("riscv-under", &[5; 100]);
    let error = run(&boot(&kernel.0, firmware.0.to_str().unwrap()), &mut bus()).unwrap_err();
    assert!(error.contains("over the firmware"), "{error}");
    let error = run(&boot(Path::new(""), "none"), &mut bus()).unwrap_err();
    assert!(error.contains("leaves nothing to run"), "{error}");
}

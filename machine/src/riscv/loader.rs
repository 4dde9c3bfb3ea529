// SPDX-License-Identifier: Apache-2.0
//! How a kernel is started on a RISC-V board, as QEMU's `virt` does it (hw/riscv/boot.c): the processor
//! begins in a ROM, which jumps to the start of memory with a0 = number of the hart, a1 = device tree, a2 =
//! what OpenSBI's `fw_dynamic` is told.
//!
//! With firmware (`--bios`), that is at the start of memory and starts the kernel in supervisor mode: an ELF
//! executable at its lowest address, a raw image (Linux' `Image` is one) 2 MB after the firmware. Without,
//! the kernel itself is there, and runs in machine mode.

use std::path::Path;

use object::elf::{ELFMAG, EM_RISCV};

use crate::board::virt::BOOT_ROM;
use crate::bus::Bus;
use crate::devicetree::{DeviceTree, A_DEVICE_TREE};
use crate::error::{read_file, Error, MOST_ELF};
use crate::loader::kernel::{Entry, Kernel, Target, Wrong};
use crate::loader::HostTarget;
use crate::loader::{check_append, place_initrd, read_kernel, Boot, Start, PAGE};
use crate::riscv::config::RiscvConfig;
use crate::riscv::tree::{tell, tree, Told};
use crate::symbols::symbol_address;

/// What every kernel should have been.
const A_KERNEL: &str = "a kernel: an ELF64 executable for RISC-V or a raw image";
const TARGET: Target = Target {
    machine: EM_RISCV,
    long: true,
    entry: Entry::Byte,
    expected: A_KERNEL,
};

/// What firmware should have been.
const FIRMWARE: &str = "firmware: an ELF64 executable for RISC-V or a raw image, none, or default";
/// The default firmware: where Debian's package `opensbi` has it, and QEMU's own.
const DEFAULTS: [&str; 2] = [
    "/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin",
    "/usr/share/qemu/opensbi-riscv64-generic-fw_dynamic.bin",
];

/// A raw kernel is at the next multiple of this after the firmware, and the device tree at the last one
/// that has room for it.
const LARGE: u64 = 2 << 20;
/// The device tree is below this (3 GB), where firmware of 32 bits reaches it.
const TREE_END: u64 = 3 << 30;
/// An initial RAM disk is at most so far after the kernel.
const INITRD_MOST: u64 = 128 << 20;
/// Most bytes of a command line, without its NUL (Linux on RISC-V: COMMAND_LINE_SIZE).
const COMMAND_LINE_MOST: usize = 1023;

/// What `fw_dynamic` is told (OpenSBI's header of that name): "OSBI", version, and that the next stage
/// runs in supervisor mode.
const DYNAMIC_MAGIC: u64 = 0x4942_534f;
const DYNAMIC_VERSION: u64 = 2;
const SUPERVISOR: u64 = 1;

/// Takes an image apart; a raw one goes to `at`.
fn parse(image: Vec<u8>, at: u64, target: &Target) -> Result<Kernel, Wrong> {
    if image.is_empty() {
        return Err(("is empty".to_string(), target.expected.to_string()));
    }
    if image.starts_with(&ELFMAG) {
        return Kernel::parse_elf(&image, target);
    }
    // The caller has looked.
    let at = u32::try_from(at).unwrap_or(u32::MAX);
    Kernel::flat(at, at, image, target)
}

/// The firmware, if there is to be any.
fn firmware(boot: &Boot, bus: &Bus) -> Result<Option<Kernel>, Error> {
    let named = boot.bios.unwrap_or(Path::new("default"));
    let file = match named.to_str() {
        Some("none") => return Ok(None),
        Some("default") => {
            let found = DEFAULTS.iter().map(Path::new).find(|file| file.exists());
            found.ok_or_else(|| Error::Argument {
                argument: "--bios default",
                what: format!("{} is not there", DEFAULTS[0]),
                expected: "Debian's package opensbi, a file, or none".to_string(),
            })?
        }
        _ => named,
    };
    let (base, size) = bus.ram_window();
    let image = read_file(file, FIRMWARE, u64::from(size).max(MOST_ELF))?;
    let target = Target {
        expected: FIRMWARE,
        ..TARGET
    };
    let parsed = parse(image, base.into(), &target);
    parsed.map(Some).map_err(|(what, expected)| Error::Image {
        file: file.to_path_buf(),
        what,
        expected,
    })
}

/// Loads for a RISC-V board.
pub(super) fn load(boot: &Boot, config: &RiscvConfig, bus: &mut Bus) -> Result<Start, Error> {
    let image = |file: &Path| {
        let file = file.to_path_buf();
        move |(what, expected): Wrong| Error::Image {
            file,
            what,
            expected,
        }
    };
    let (base, size) = bus.ram_window();
    let end = u64::from(base) + u64::from(size);
    let firmware = firmware(boot, bus)?;
    if let Some(firmware) = &firmware {
        let file = boot.bios.unwrap_or(Path::new("--bios default"));
        firmware.place(bus).map_err(image(file))?;
    }
    let usual = firmware.as_ref().map_or(base.into(), |firmware| {
        firmware.end().next_multiple_of(LARGE)
    });
    let at = boot.load_address.map_or(usual, u64::from);
    let mut host_target = None;
    let kernel = if boot.kernel.as_os_str().is_empty() {
        None // firmware alone
    } else {
        let bytes = read_kernel(boot, A_KERNEL, bus)?;
        host_target = find_host_target(&bytes, bus);
        if boot.load_address.is_some() && bytes.starts_with(&ELFMAG) {
            return Err(image(boot.kernel)((
                "is an ELF file, which says itself where it goes".to_string(),
                "a raw image beside --load-address".to_string(),
            )));
        }
        let kernel = parse(bytes, at, &TARGET).map_err(image(boot.kernel))?;
        if let Some(firmware) = &firmware {
            let (from, to) = (firmware.lowest(), firmware.end());
            if kernel.overlaps(from.into(), to) {
                return Err(image(boot.kernel)((
                    format!("is loaded over the firmware at {from:#x} to {to:#x}"),
                    "a kernel that it starts, or --bios none for one that runs in machine mode"
                        .to_string(),
                )));
            }
        }
        kernel.place(bus).map_err(image(boot.kernel))?;
        Some(kernel)
    };
    let Some(first) = kernel.as_ref().or(firmware.as_ref()) else {
        return Err(Error::Argument {
            argument: "--bios none",
            what: "leaves nothing to run".to_string(),
            expected: "--kernel beside it".to_string(),
        });
    };
    let append = check_append(boot, COMMAND_LINE_MOST)?;
    // The tree's size does not depend on where it tells that things are.
    let mut told = Told {
        memory: (base, size),
        append: (!append.is_empty() || boot.append.is_some()).then_some(append),
        initrd: boot.initrd.map(|_| (0, 0)),
    };
    let tree_bytes = describe(boot, config, &told)?.to_bytes().len() as u64;
    let high = end.min(TREE_END).saturating_sub(tree_bytes);
    let large = high / LARGE * LARGE;
    let free = |at: u64| at >= first.end().max(base.into());
    let tree_at = if free(large) {
        large
    } else {
        high & !u64::from(PAGE - 1)
    };
    let no_room = |what: String| Error::Argument {
        argument: "--ram",
        what,
        expected: "more memory".to_string(),
    };
    if !free(tree_at) {
        return Err(no_room(format!(
            "no room for a device tree of {tree_bytes} bytes"
        )));
    }
    if let Some(file) = boot.initrd {
        let from = first.lowest();
        let most = u64::from(from) + u64::from(size / 2).min(INITRD_MOST);
        let within = (first.end().min(u64::from(u32::MAX)) as u32)..=(tree_at - 1) as u32;
        let usual = usual_initrd(file, most, tree_at, bus)?;
        let (at, bytes) = match usual.filter(|(at, _)| free((*at).into())) {
            Some(placed) => placed,
            None => place_initrd(file, first, within, bus)?,
        };
        told.initrd = Some((at, at + bytes));
    }
    let blob = describe(boot, config, &told)?.to_bytes();
    match bus.ram_slice_mut(tree_at as u32, blob.len()) {
        Some(memory) => memory.copy_from_slice(&blob),
        None => {
            return Err(no_room(format!(
                "no room for a device tree of {tree_bytes} bytes"
            )))
        }
    }
    // Without firmware the kernel is where that would be; one that is not is entered where it says.
    let start = firmware.as_ref().or(kernel.as_ref()).map_or(base, |first| {
        if first.overlaps(base.into(), u64::from(base) + 4) {
            base
        } else {
            first.entry
        }
    });
    let next = kernel.as_ref().map_or(0, Kernel::lowest);
    bus.set_rom(&rom(start.into(), tree_at, next.into()));
    Ok(Start {
        pc: BOOT_ROM.into(),
        registers: [0; 3],
        free: first.free_up_to(tree_at as u32),
        host_target,
    })
}

/// Where an ELF file has `tohost` and `fromhost`, if the first is a double word in memory.
fn find_host_target(image: &[u8], bus: &Bus) -> Option<HostTarget> {
    let place = |name| {
        let at = u32::try_from(symbol_address(image, name)?).ok()?;
        (at % 8 == 0 && bus.ram_slice(at, 8).is_some()).then_some(at)
    };
    Some(HostTarget {
        to: place("tohost")?,
        from: place("fromhost"),
    })
}

/// Puts the initial RAM disk where QEMU has it, if there is room for it below `end`.
fn usual_initrd(
    file: &Path,
    at: u64,
    end: u64,
    bus: &mut Bus,
) -> Result<Option<(u32, u32)>, Error> {
    let most = u64::from(bus.ram_window().1);
    let data = read_file(file, "an initial RAM disk", most)?;
    if data.is_empty() || at + data.len() as u64 > end {
        return Ok(None); // said elsewhere
    }
    let place = bus.ram_slice_mut(at as u32, data.len());
    Ok(place.map(|place| {
        place.copy_from_slice(&data);
        (at as u32, data.len() as u32)
    }))
}

/// The device tree: the user's, or that of the machine.
fn describe(boot: &Boot, config: &RiscvConfig, told: &Told) -> Result<DeviceTree, Error> {
    let Some(file) = boot.dtb else {
        return Ok(tree(config, told));
    };
    let bytes = read_file(file, A_DEVICE_TREE, MOST_ELF)?;
    let mut tree = DeviceTree::parse(&bytes).map_err(|what| Error::Image {
        file: file.to_path_buf(),
        what,
        expected: A_DEVICE_TREE.to_string(),
    })?;
    tell(&mut tree.root, told);
    Ok(tree)
}

/// What stands in the ROM: QEMU's code (`riscv_setup_rom_reset_vec`), which jumps to `start`, and its data.
fn rom(start: u64, tree: u64, next: u64) -> Vec<u32> {
    let mut words = vec![
        0x0000_0297, // auipc t0, 0
        0x0282_8613, // addi  a2, t0, 40
        0xf140_2573, // csrr  a0, mhartid
        0x0202_b583, // ld    a1, 32(t0)
        0x0182_b283, // ld    t0, 24(t0)
        0x0002_8067, // jr    t0
    ];
    let dynamic = [DYNAMIC_MAGIC, DYNAMIC_VERSION, next, SUPERVISOR, 0, 0];
    for double in [start, tree].into_iter().chain(dynamic) {
        words.extend([double as u32, (double >> 32) as u32]);
    }
    words
}

#[cfg(test)]
mod tests;

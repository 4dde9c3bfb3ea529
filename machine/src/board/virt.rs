// SPDX-License-Identifier: Apache-2.0
//! A RISC-V board with the memory map of QEMU's machine `virt` (hw/riscv/virt.c, `virt_memmap`), so that
//! every kernel that runs there runs here. What it has of that board are the devices below. Flash, `fw_cfg`
//! and the PCI host bridge are not there: an access to them faults, and the device tree, by which kernels
//! find devices, does not name them.
//!
//! The first VIRTIO slots take `--drive`, the last one has the network interface, the one before it the console
//! that `--device virtio-serial-device` plugs.

use super::Board;
use crate::bus::{BoardParts, Mapping};
use crate::dev::clint::{self, Clint};
use crate::dev::finisher::{self, Finisher};
use crate::dev::goldfish_rtc::{self, GoldfishRtc};
use crate::dev::ns16550::Ns16550;
use crate::dev::plic::{self, Plic};
use crate::dev::probe::{Probe, PROBE_BASE};
use crate::dev::rom::Rom;
use crate::dev::virtio::{self, Block, Console, Empty, Net, VirtioMmio};
use crate::dev::Device;

/// The board.
pub const BOARD: Board = Board {
    name: "virt",
    machine_type: None,
    ram_base: 0x8000_0000,
    ram_least: 1 << 20,
    ram_most: 1 << 30,
    parts,
};

/// Where the boot ROM is, at which the processor starts.
pub const BOOT_ROM: u32 = 0x1000;
/// Its bytes.
const BOOT_ROM_BYTES: u32 = 0xf000;
/// The test finisher.
pub const FINISHER: u32 = 0x10_0000;
/// The clock.
pub const RTC: u32 = 0x10_1000;
/// Its interrupt source.
pub const RTC_IRQ: u32 = 11;
/// The core-local interruptor.
pub const CLINT: u32 = 0x200_0000;
/// The interrupt controller.
pub const PLIC: u32 = 0xc00_0000;
/// The serial port.
pub const UART: u32 = 0x1000_0000;
/// Bytes of its window.
pub const UART_BYTES: u32 = 0x100;
/// Its interrupt source.
pub const UART_IRQ: u32 = 10;
/// Its clock (`create_fdt_uart`).
pub const UART_HZ: u32 = 3_686_400;
/// The first VIRTIO slot; the others follow, a page each.
pub const VIRTIO: u32 = 0x1000_1000;
/// How many there are.
pub const VIRTIO_SLOTS: u32 = 8;
/// The interrupt source of the first.
pub const VIRTIO_IRQ: u32 = 1;
/// Ticks of `mtime` a second.
pub const TIMEBASE_HZ: u64 = 10_000_000;

fn at<D: Device + 'static>(base: u32, size: u32, device: D) -> Mapping {
    Mapping {
        base,
        size,
        device: Box::new(device),
    }
}

/// VIRTIO slot `n` with what `new` makes, given a name and an interrupt source.
fn slot<D: Device + 'static>(
    n: u32,
    name: &'static str,
    new: fn(&'static str, u32) -> D,
) -> Mapping {
    let base = VIRTIO + n * virtio::BYTES;
    at(base, virtio::BYTES, new(name, VIRTIO_IRQ + n))
}

fn parts(ram_bytes: u32) -> BoardParts {
    BoardParts {
        ram_base: BOARD.ram_base,
        ram_bytes,
        zeros: None,
        open_bus: Vec::new(),
        devices: vec![
            at(PLIC, plic::BYTES, Plic::default()),
            at(CLINT, clint::BYTES, Clint::new(TIMEBASE_HZ)),
            at(BOOT_ROM, BOOT_ROM_BYTES, Rom::default()),
            // In QEMU this is PCI memory without a card in it.
            at(PROBE_BASE, 0x1000, Probe::default()),
            at(FINISHER, finisher::BYTES, Finisher),
            at(RTC, goldfish_rtc::BYTES, GoldfishRtc::new(RTC_IRQ)),
            at(UART, UART_BYTES, Ns16550::direct("uart0", UART_IRQ)),
            slot(0, "virtio0", VirtioMmio::<Block>::new),
            slot(1, "virtio1", VirtioMmio::<Block>::new),
            slot(2, "virtio2", VirtioMmio::<Block>::new),
            slot(3, "virtio3", VirtioMmio::<Block>::new),
            slot(4, "virtio4", VirtioMmio::<Empty>::new),
            slot(5, "virtio5", VirtioMmio::<Empty>::new),
            slot(6, virtio::CONSOLE, VirtioMmio::<Console>::new),
            slot(7, "virtio7", VirtioMmio::<Net>::new),
        ],
        ports: Vec::new(),
    }
}

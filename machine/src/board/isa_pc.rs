// SPDX-License-Identifier: Apache-2.0
//! A small PC without PCI: memory from address 0 on, and at ports the devices of IBM's PC AT
//! (Technical Reference, 1984: the system board's I/O address map). There is no BIOS: a loader starts
//! a kernel in protected mode.

use super::Board;
use crate::bus::{BoardParts, Mapping, PortMapping};
use crate::dev::i8042::I8042;
use crate::dev::i8254::I8254;
use crate::dev::i8259::I8259;
use crate::dev::mc146818::Mc146818;
use crate::dev::ne2000::Ne2000;
use crate::dev::ns16550::Ns16550;
use crate::dev::probe::{Probe, PROBE_BASE};
use crate::dev::storage::ByteStorage;
use crate::dev::vbe;
use crate::dev::vga::{self, Vga};
use crate::dev::Device;

/// The board.
pub const BOARD: Board = Board {
    name: "isa-pc",
    machine_type: None,
    ram_base: 0,
    ram_least: 1 << 20,
    ram_most: PROBE_BASE.next_power_of_two() / 2,
    parts,
};

/// Interrupt requests.
const IRQ_TIMER: u32 = 0;
const IRQ_KEYBOARD: u32 = 1;
const IRQ_SERIAL1: u32 = 3;
const IRQ_SERIAL0: u32 = 4;
const IRQ_CLOCK: u32 = 8;
const IRQ_NETWORK: u32 = 9;

fn at<D: Device + 'static>(windows: &[(u16, u16)], device: D) -> PortMapping {
    PortMapping {
        windows: windows.to_vec(),
        memory: None,
        device: Box::new(device),
    }
}

fn parts(ram_bytes: u32) -> BoardParts {
    BoardParts {
        ram_base: BOARD.ram_base,
        ram_bytes,
        zeros: None,
        open_bus: Vec::new(),
        devices: vec![Mapping {
            base: PROBE_BASE,
            size: 0x1000,
            device: Box::new(Probe::default()),
        }],
        ports: vec![
            at(&[(0x20, 2), (0xa0, 2), (0x4d0, 2)], I8259::default()),
            at(&[(0x40, 4), (0x61, 1)], I8254::new(IRQ_TIMER)),
            at(&[(0x70, 2)], Mc146818::new(IRQ_CLOCK, ram_bytes)),
            at(&[(0x60, 1), (0x64, 1), (0x92, 1)], I8042::new(IRQ_KEYBOARD)),
            // Both DMA controllers, which have nothing to move, and their page registers, of which the
            // first, port 0x80, shows how far a start has got.
            at(
                &[(0x00, 0x10), (0xc0, 0x20), (0x80, 0x10)],
                ByteStorage::new("dma", 0x40),
            ),
            at(&[(0x3f8, 8)], Ns16550::new("serial0", IRQ_SERIAL0)),
            at(&[(0x2f8, 8)], Ns16550::new("serial1", IRQ_SERIAL1)),
            // Where Linux' driver looks first.
            at(&[(0x300, 0x20)], Ne2000::new(IRQ_NETWORK)),
            PortMapping {
                windows: vec![(vga::FIRST_PORT, vga::PORTS), (vbe::FIRST_PORT, vbe::PORTS)],
                memory: Some((vbe::MEMORY_AT, vbe::MEMORY_BYTES)),
                device: Box::new(Vga::default()),
            },
        ],
    }
}

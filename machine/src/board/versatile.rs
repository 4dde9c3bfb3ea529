// SPDX-License-Identifier: Apache-2.0
//! ARM's Versatile Platform Baseboard for the ARM926EJ-S (DUI 0225): its memory map (4.1) and
//! interrupt sources (4.9, 4.10), as far as QEMU's machine `versatilepb` has it too.
//!
//! Addresses that the manual reserves abort. Windows of static memory, of the graphics
//! accelerator and of PCI lead nowhere and read as zero. A guest sees no alias of the
//! SDRAM beyond its end.

use super::Board;
use crate::bus::{BoardParts, Mapping};
use crate::dev::pl011::Pl011;
use crate::dev::pl031::Pl031;
use crate::dev::pl050::Pl050;
use crate::dev::pl061::Pl061;
use crate::dev::pl110::Pl110;
use crate::dev::pl181::Pl181;
use crate::dev::primecell::{self, PrimeCell};
use crate::dev::probe::{Probe, PROBE_BASE};
use crate::dev::sbcon::SerialBus;
use crate::dev::sic::{self, Sic};
use crate::dev::smc91c111::Smc91c111;
use crate::dev::sp804::Sp804;
use crate::dev::sp805::Sp805;
use crate::dev::storage::Storage;
use crate::dev::sysreg::SysReg;
use crate::dev::vic::Vic;
use crate::dev::Device;

/// The board.
pub const BOARD: Board = Board {
    name: "versatile",
    // ARM Linux machine registry: VERSATILE_PB
    machine_type: Some(387),
    ram_base: 0,
    ram_least: 1 << 20,
    ram_most: 256 << 20, // chip selects 0 and 1 of the memory controller, 128 MB each
    parts,
};

/// Bytes of a peripheral's window.
const WINDOW: u32 = primecell::BYTES;
/// The probe's window, at the start of the second window of PCI memory.
const PROBE_END: u32 = PROBE_BASE + WINDOW;

/// Sources of the vectored interrupt controller.
const LINE_WATCHDOG: u32 = 0;
const LINE_TIMER01: u32 = 4;
const LINE_TIMER23: u32 = 5;
const LINE_GPIO0: u32 = 6;
const LINE_RTC: u32 = 10;
const LINE_UART0: u32 = 12;
/// Sources of the secondary one.
const LINE_MMCI1: [u32; 2] = [sic::FIRST + 23, sic::FIRST + 2];
const LINE_KMI0: u32 = sic::FIRST + 3;
const LINE_UART3: u32 = sic::FIRST + 6;
/// The interface; a kernel lets the secondary controller pass it on as source 25 of the first.
const LINE_ETHERNET: u32 = sic::FIRST + 25;
const LINE_MMCI0: [u32; 2] = [sic::FIRST + 22, sic::FIRST + 1];

fn at<D: Device + 'static>(base: u32, device: D) -> Mapping {
    Mapping {
        base,
        size: WINDOW,
        device: Box::new(device),
    }
}

/// A PrimeCell whose work is not modelled.
fn cell(base: u32, name: &'static str, id: [u8; 4]) -> Mapping {
    at(base, PrimeCell::new(name, id))
}

fn parts(ram_bytes: u32) -> BoardParts {
    let devices = vec![
        at(0x1014_0000, Vic::default()),
        at(0x1000_3000, Sic::default()),
        at(PROBE_BASE, Probe::default()),
        at(0x1000_0000, SysReg::default()),
        at(0x101e_2000, Sp804::new("timer01", LINE_TIMER01)),
        at(0x101e_3000, Sp804::new("timer23", LINE_TIMER23)),
        at(0x101f_1000, Pl011::new("uart0", LINE_UART0)),
        at(0x101f_2000, Pl011::new("uart1", LINE_UART0 + 1)),
        at(0x101f_3000, Pl011::new("uart2", LINE_UART0 + 2)),
        at(0x1000_9000, Pl011::new("uart3", LINE_UART3)),
        at(0x101e_1000, Sp805::new(LINE_WATCHDOG)),
        at(0x101e_4000, Pl061::new("gpio0", LINE_GPIO0)),
        at(0x101e_5000, Pl061::new("gpio1", LINE_GPIO0 + 1)),
        at(0x101e_6000, Pl061::new("gpio2", LINE_GPIO0 + 2)),
        at(0x101e_7000, Pl061::new("gpio3", LINE_GPIO0 + 3)),
        at(0x101e_8000, Pl031::new(LINE_RTC)),
        Mapping {
            base: 0x1001_0000,
            size: 0x1_0000,
            device: Box::new(Smc91c111::new(LINE_ETHERNET)),
        },
        at(0x1000_2000, SerialBus::default()),
        at(0x1000_5000, Pl181::new("mmci0", LINE_MMCI0)),
        at(0x1000_b000, Pl181::new("mmci1", LINE_MMCI1)),
        at(0x1000_6000, Pl050::new("kmi0", LINE_KMI0)),
        at(0x1000_7000, Pl050::new("kmi1", LINE_KMI0 + 1)),
        // These only say what they are. The clock enables that the system controller resets to
        // are those of a boot monitor: TIMCLK for all four timers.
        cell(0x1000_4000, "aaci", [0x41, 0x10, 0x04, 0x29]),
        cell(0x1000_a000, "sci1", [0x31, 0x11, 0x04, 0x00]),
        cell(0x1010_0000, "ssmc", [0x93, 0x10, 0x04, 0x00]),
        cell(0x1011_0000, "mpmc", [0x75, 0x10, 0x04, 0x00]),
        at(0x1012_0000, Pl110::new("clcd")),
        cell(0x1013_0000, "dma", [0x80, 0x10, 0x04, 0x0a]),
        at(
            0x101e_0000,
            PrimeCell::new("sysctl", [0x10, 0x18, 0x04, 0x00]).with(0, 0x002a_8009),
        ),
        cell(0x101f_0000, "sci0", [0x31, 0x11, 0x04, 0x00]),
        cell(0x101f_4000, "ssp", [0x22, 0x10, 0x04, 0x00]),
        at(0x1000_1000, Storage::new("pci")),
        at(0x1000_8000, Storage::new("charlcd")),
        at(0x101d_0000, Storage::new("ahb-monitor")),
    ];
    BoardParts {
        ram_base: BOARD.ram_base,
        ram_bytes,
        zeros: None,
        open_bus: vec![
            (0x1002_0000, 0x1_0000),                 // USB, not there
            (0x2000_0000, 0x2000_0000),              // static memory: flash, SRAM, expansion
            (0x4000_0000, 0x0100_0000),              // graphics accelerator
            (0x4100_0000, PROBE_BASE - 0x4100_0000), // PCI: configuration, I/O, memory
            (PROBE_END, 0x7000_0000 - PROBE_END),    // PCI memory
        ],
        devices,
        ports: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::Bus;
    use crate::counters::Counters;
    use crate::dev::Width;

    const VIC: u32 = 0x1014_0000;
    const SIC: u32 = 0x1000_3000;
    const TIMER: u32 = 0x101e_2000;
    const KMI: u32 = 0x1000_6000;

    /// A source of either controller reaches the processor's pin, along every way it can take.
    #[test]
    fn interrupts_reach_the_processor() {
        let mut bus = Bus::new(parts(1 << 20), 200_000_000);
        let mut counters = Counters::new();
        let mut write = |bus: &mut Bus, pa, value| {
            assert!(bus.write(pa, value, Width::Word, 0, &mut counters));
        };
        // A source of the first.
        write(&mut bus, TIMER + 8, 0xe2);
        write(&mut bus, TIMER, 0);
        assert!(!bus.pins.irq);
        write(&mut bus, VIC + 0x10, 1 << 4);
        assert!(bus.pins.irq && bus.pins.wake);
        write(&mut bus, VIC + 0x14, 1 << 4);
        assert!(!bus.pins.irq);
        // One of the second, through source 31.
        write(&mut bus, KMI, 0xc);
        write(&mut bus, VIC + 0x10, 1 << 31);
        assert!(!bus.pins.irq);
        write(&mut bus, SIC + 8, 1 << 3);
        assert!(bus.pins.irq);
        write(&mut bus, KMI, 0);
        assert!(!bus.pins.irq);
        // And passed through: source 22, the first of memory card interface 0.
        write(&mut bus, 0x1000_503c, 1 << 7);
        write(&mut bus, 0x1000_500c, 1 << 10);
        write(&mut bus, VIC + 0x10, 1 << 22);
        assert!(!bus.pins.irq);
        write(&mut bus, SIC + 0x20, 1 << 22);
        assert!(bus.pins.irq);
        write(&mut bus, SIC + 0x24, 1 << 22);
        assert!(!bus.pins.irq);
    }
}

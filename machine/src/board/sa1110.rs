// SPDX-License-Identifier: Apache-2.0
//! The SA-1110's own memory map (DM 2.4), the same on every board with it: SDRAM, the zeros bank,
//! the peripherals. A board adds what stands in the static banks.

use crate::bus::{BoardParts, Mapping};
use crate::dev::gpio::Gpio;
use crate::dev::intc::Intc;
use crate::dev::os_timer::OsTimer;
use crate::dev::power::Power;
use crate::dev::ppc::Ppc;
use crate::dev::probe::{Probe, PROBE_BASE};
use crate::dev::reset::Reset;
use crate::dev::rtc::Rtc;
use crate::dev::storage::Storage;
use crate::dev::uart::Uart;
use crate::dev::Device;

/// SDRAM bank 0.
pub const RAM_BASE: u32 = 0xc000_0000;
/// Four banks of 128 MB.
pub const RAM_MOST: u32 = 512 << 20;

/// Bytes of a peripheral's window: each stands on its own 64 KB.
const WINDOW: u32 = 0x1_0000;

/// Interrupt sources of the serial ports (DM 9.2).
const LINE_UART1: u32 = 15;
const LINE_UART2: u32 = 16;
const LINE_UART3: u32 = 17;

/// Puts a device at `size` bytes from `base`.
pub fn at<D: Device + 'static>(base: u32, size: u32, device: D) -> Mapping {
    let device = Box::new(device);
    Mapping { base, size, device }
}

/// The parts of a board: the processor's, and what the board has of its own.
pub fn parts(ram_bytes: u32, open_bus: Vec<(u32, u32)>, own: Vec<Mapping>) -> BoardParts {
    let mut devices = vec![
        at(PROBE_BASE, 0x1000, Probe::default()),
        at(0x9005_0000, WINDOW, Intc::default()),
        at(0x9000_0000, WINDOW, OsTimer::default()),
        at(0x8001_0000, WINDOW, Uart::new("uart1", LINE_UART1)),
        at(0x8003_0000, WINDOW, Uart::new("uart2", LINE_UART2)),
        at(0x8005_0000, WINDOW, Uart::new("uart3", LINE_UART3)),
        at(0x9001_0000, WINDOW, Rtc::default()),
        at(0x9002_0000, WINDOW, Power::default()),
        at(0x9003_0000, WINDOW, Reset::default()),
        at(0x9004_0000, WINDOW, Gpio::default()),
        at(0x9006_0000, WINDOW, Ppc::default()),
        at(0x8000_0000, WINDOW, Storage::new("udc")),
        at(0x8002_0000, WINDOW, Storage::new("sdlc")),
        at(0x8004_0000, WINDOW, Storage::new("hssp")),
        at(0x8006_0000, WINDOW, Storage::new("mcp")),
        at(0x8007_0000, WINDOW, Storage::new("ssp")),
        at(0xa000_0000, WINDOW, Storage::new("memctl")),
        at(0xb000_0000, WINDOW, Storage::new("dma")),
        at(0xb010_0000, WINDOW, Storage::new("lcd")),
    ];
    devices.extend(own);
    BoardParts {
        ram_base: RAM_BASE,
        ram_bytes,
        zeros: Some((0xe000_0000, 128 << 20)),
        open_bus,
        devices,
        ports: Vec::new(),
    }
}

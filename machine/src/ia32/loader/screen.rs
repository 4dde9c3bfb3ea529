// SPDX-License-Identifier: Apache-2.0
//! The mode of the display that a kernel asks its loader for, as a BIOS would set it: by the word `vga=` of the
//! command line, which is Linux' (boot.rst), or a Multiboot kernel by its header (3.1.5). And what it is told.

use crate::bus::Bus;
use crate::counters::Counters;
use crate::dev::vbe::{self, Mode, MODES};
use crate::dev::Width;
use crate::error::Error;

/// Linux' numbers are VESA's and this (Documentation/admin-guide/svga.rst).
const LINUX_VESA: u16 = 0x200;
/// Words of `vga=` that are no numbers: what a BIOS leaves is shown.
const TEXT: [&str; 3] = ["normal", "ext", "ask"];

/// What the command line asks for.
pub fn of_command_line(append: &str) -> Result<Option<Mode>, Error> {
    let Some(word) = append
        .split_whitespace()
        .filter_map(|word| word.strip_prefix("vga="))
        .next_back()
    else {
        return Ok(None);
    };
    let number = match word.strip_prefix("0x") {
        Some(digits) => u16::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    };
    let mode = MODES
        .into_iter()
        .find(|mode| number == Some(mode.number + LINUX_VESA));
    if mode.is_none() && !TEXT.contains(&word) {
        let each = MODES.map(|mode| format!("{:#x}", mode.number + LINUX_VESA));
        return Err(Error::Argument {
            argument: "--append",
            what: format!("asks for vga={word}"),
            expected: format!("normal or one of {}", each.join(", ")),
        });
    }
    Ok(mode)
}

/// The nearest to what a Multiboot header asks for: 0 stands for anything. Without colours in its dots there is
/// none.
pub fn nearest(width: u32, height: u32, depth: u32) -> Option<Mode> {
    let modes = MODES.into_iter().filter(|mode| mode.depth > 8);
    let off = |wanted: u32, has: u16| match wanted {
        0 => 0,
        _ => wanted.abs_diff(has.into()),
    };
    modes.min_by_key(|mode| {
        let size = off(width, mode.width) + off(height, mode.height);
        (size, off(depth, mode.depth), mode.width, 32 - mode.depth)
    })
}

/// Sets it.
pub fn set(mode: Mode, bus: &mut Bus) {
    let mut counters = Counters::new();
    for (register, value) in mode.settings() {
        let data = vbe::FIRST_PORT + 2;
        for (port, value) in [(vbe::FIRST_PORT, register), (data, value)] {
            bus.write_port(port, value.into(), Width::Half, 0, &mut counters);
        }
    }
}

/// The first 64 bytes of Linux' boot parameters (`struct screen_info`, Documentation/arch/x86/zero-page.rst), with that mode.
pub fn info(mode: Mode) -> [u8; 0x40] {
    /// A linear frame buffer of VESA's.
    const VLFB: u8 = 0x23;
    let mut info = [0; 0x40];
    let mut put = |at: usize, bytes: &[u8]| info[at..at + bytes.len()].copy_from_slice(bytes);
    put(0x0f, &[VLFB]);
    put(0x12, &mode.width.to_le_bytes());
    put(0x14, &mode.height.to_le_bytes());
    put(0x16, &mode.depth.to_le_bytes());
    put(0x18, &vbe::MEMORY_AT.to_le_bytes());
    put(0x1c, &(vbe::MEMORY_BYTES >> 16).to_le_bytes());
    put(0x24, &(mode.pitch() as u16).to_le_bytes());
    if mode.depth > 8 {
        for (n, (low, bits)) in vbe::colours(mode.depth).into_iter().enumerate() {
            put(0x26 + 2 * n, &[bits, low]);
        }
        if mode.depth == 32 {
            put(0x2c, &[8, 24]);
        }
    }
    info
}

/// What a Multiboot kernel is told of it: the bytes from its place on (3.3).
pub fn multiboot(mode: Mode) -> [u8; 28] {
    /// Colours are in the dots.
    const RGB: u8 = 1;
    let mut told = [0; 28];
    let mut put = |at: usize, bytes: &[u8]| told[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &u64::from(vbe::MEMORY_AT).to_le_bytes());
    put(8, &mode.pitch().to_le_bytes());
    put(12, &u32::from(mode.width).to_le_bytes());
    put(16, &u32::from(mode.height).to_le_bytes());
    put(20, &[mode.depth as u8, RGB]);
    for (n, (low, bits)) in vbe::colours(mode.depth).into_iter().enumerate() {
        put(22 + 2 * n, &[low, bits]);
    }
    told
}

#[cfg(test)]
#[path = "screen_tests.rs"]
mod tests;

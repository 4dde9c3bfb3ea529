// SPDX-License-Identifier: Apache-2.0
//! The Versatile/PB's system registers (DUI 0225, 4.2): identification, lock, counters of 100 Hz
//! and 24 MHz, flags, reset. Those that switch something that is not modelled only store.

use super::{lane, ticks, DevCtx, Device, Width};

/// Identification: a Versatile/PB926 (DUI 0225; the value is QEMU's).
const ID: u32 = 0x00;
const ID_VALUE: u32 = 0x4100_7004;
/// User LEDs.
const LED: u32 = 0x08;
/// Oscillators 0 to 4: lock protected.
const OSC0: u32 = 0x0c;
const OSC4: u32 = 0x1c;
/// The key unlocks the protected registers; reads what was written, bit 16 while locked.
const LOCK: u32 = 0x20;
const KEY: u32 = 0xa05f;
const LOCKED: u32 = 0x1_0000;
/// Counts at 100 Hz.
const HZ100: u32 = 0x24;
/// Configuration after a reset: lock protected.
const CFGDATA1: u32 = 0x28;
const CFGDATA2: u32 = 0x2c;
/// Flags: read and set, then clear; the second pair survives a reset.
const FLAGS: u32 = 0x30;
const FLAGS_CLEAR: u32 = 0x34;
const NVFLAGS: u32 = 0x38;
const NVFLAGS_CLEAR: u32 = 0x3c;
/// Reset: lock protected.
const RESETCTL: u32 = 0x40;
/// RESETCTL: do it; the low bits say how far it goes.
const RESET: u32 = 0x100;
/// Bit 0: a PCI backplane is there (none is).
const PCICTL: u32 = 0x44;
/// Cards, power of the flash memory.
const MCI: u32 = 0x48;
const FLASH: u32 = 0x4c;
/// MCI: there is a card in slot 0, in slot 1.
const CARDS: u32 = 3;
/// Display: bits 12 to 8 say which is connected.
const CLCD: u32 = 0x50;
const CLCD_ID: u32 = 0x3f00;
/// No LCD, the VGA connector (QEMU).
const VGA: u32 = 0x1f00;
/// Counts at 24 MHz.
const MHZ24: u32 = 0x5c;
const MISC: u32 = 0x60;
/// Mappings of DMA channels 0 to 2.
const DMAPSR0: u32 = 0x64;
const DMAPSR2: u32 = 0x6c;
/// Oscillators after a reset: lock protected.
const OSCRESET0: u32 = 0x8c;
const OSCRESET4: u32 = 0x9c;

/// Bytes of those registers that the model keeps in a table.
const BYTES: u32 = 0xa0;
const WORDS: usize = (BYTES / 4) as usize;

/// The registers.
#[derive(Debug)]
pub struct SysReg {
    words: Vec<u32>,
}

impl Default for SysReg {
    fn default() -> Self {
        let mut words = vec![0; WORDS];
        words[(ID / 4) as usize] = ID_VALUE;
        words[(CLCD / 4) as usize] = VGA;
        Self { words }
    }
}

impl SysReg {
    fn word(&mut self, at: u32) -> &mut u32 {
        &mut self.words[(at / 4) as usize]
    }

    fn unlocked(&mut self) -> bool {
        *self.word(LOCK) == KEY
    }
}

crate::saved!(SysReg { words } if |registers| registers.words.len() == WORDS);

impl Device for SysReg {
    fn name(&self) -> &'static str {
        "sysreg"
    }

    fn read(&mut self, offset: u32, width: Width, ctx: &mut DevCtx) -> u32 {
        let word = match offset & !3 {
            LOCK if self.unlocked() => KEY,
            LOCK => *self.word(LOCK) | LOCKED,
            HZ100 => ticks(ctx.now, 100, ctx.clock_hz) as u32,
            MHZ24 => ticks(ctx.now, 24_000_000, ctx.clock_hz) as u32,
            FLAGS_CLEAR | NVFLAGS_CLEAR => 0,
            MCI => *self.word(MCI) & !CARDS | ctx.host.cards & CARDS,
            at if at < BYTES => *self.word(at),
            _ => 0,
        };
        lane(word, offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, ctx: &mut DevCtx) {
        match offset & !3 {
            LED => *self.word(LED) = value & 0xff,
            LOCK => *self.word(LOCK) = value & 0xffff,
            at @ (FLAGS | NVFLAGS) => *self.word(at) |= value,
            at @ (FLAGS_CLEAR | NVFLAGS_CLEAR) => *self.word(at - 4) &= !value,
            RESETCTL if self.unlocked() => {
                *self.word(RESETCTL) = value;
                if value & RESET != 0 {
                    // The board cannot switch itself off: a reset is how an orderly end looks.
                    ctx.host.power_off = Some("reset by the system registers");
                }
            }
            at @ (OSC0..=OSC4 | CFGDATA1 | CFGDATA2 | OSCRESET0..=OSCRESET4) if self.unlocked() => {
                *self.word(at) = value;
            }
            CLCD => {
                let word = self.word(CLCD);
                *word = *word & CLCD_ID | value & !CLCD_ID;
            }
            at @ (PCICTL | MCI | FLASH | MISC | DMAPSR0..=DMAPSR2) => *self.word(at) = value,
            // The identification, the counters and all else cannot be written.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev::bench::{Bench, CLOCK_HZ};

    #[test]
    fn counters_follow_the_cycle() {
        let mut b = Bench::new(SysReg::default());
        assert_eq!((b.read(HZ100), b.read(MHZ24)), (0, 0));
        b.now = CLOCK_HZ;
        assert_eq!((b.read(HZ100), b.read(MHZ24)), (100, 24_000_000));
        b.now = 1000 * CLOCK_HZ;
        assert_eq!(b.read(MHZ24), 24_000_000_000u64 as u32);
        b.write(MHZ24, 0);
        assert_eq!(b.read(MHZ24), 24_000_000_000u64 as u32);
    }

    #[test]
    fn the_lock_guards_oscillators_and_reset() {
        let mut b = Bench::new(SysReg::default());
        assert_eq!(b.read(LOCK), LOCKED);
        b.write(OSC0, 0x1234);
        b.write(RESETCTL, RESET | 5);
        assert_eq!((b.read(OSC0), b.read(RESETCTL)), (0, 0));
        assert!(b.host.power_off.is_none());
        b.write(LOCK, 0xa05e);
        assert_eq!(b.read(LOCK), LOCKED | 0xa05e);
        b.write(LOCK, KEY);
        assert_eq!(b.read(LOCK), KEY);
        b.write(OSC0, 0x1234);
        b.write(RESETCTL, 5);
        assert_eq!((b.read(OSC0), b.read(RESETCTL)), (0x1234, 5));
        assert!(b.host.power_off.is_none());
        b.write(RESETCTL, RESET | 5);
        assert!(b.host.power_off.is_some());
    }

    #[test]
    fn flags_are_set_and_cleared() {
        let mut b = Bench::new(SysReg::default());
        for flags in [FLAGS, NVFLAGS] {
            b.write(flags, 0xf0);
            b.write(flags, 0x0f);
            b.write(flags + 4, 0x3c);
            assert_eq!((b.read(flags), b.read(flags + 4)), (0xc3, 0));
        }
    }

    #[test]
    fn the_rest() {
        let mut b = Bench::new(SysReg::default());
        b.write(ID, 0);
        b.write(0x58, 3);
        b.write(LED, 0x1a5);
        b.write(CLCD, 0xffff);
        assert_eq!((b.read(ID), b.read(0x58), b.read(LED)), (ID_VALUE, 0, 0xa5));
        assert_eq!(b.read(CLCD), 0xdfff);
        b.write(0xffc, 1);
        assert_eq!(b.read(0xffc), 0);
    }
}

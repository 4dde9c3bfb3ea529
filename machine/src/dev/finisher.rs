// SPDX-License-Identifier: Apache-2.0
//! SiFive's test finisher (`sifive,test1` in device trees), by which a guest ends the run: word 0 takes
//! a status in its low half and a code in the high one, as QEMU's device has it (hw/misc/sifive_test.c).

use super::{DevCtx, Device, Width};

/// Bytes of registers.
pub const BYTES: u32 = 0x1000;

/// All is well.
pub const PASS: u32 = 0x5555;
const FAIL: u32 = 0x3333;
/// Start anew.
pub const RESET: u32 = 0x7777;

/// The finisher.
#[derive(Debug, Default)]
pub struct Finisher;

crate::saved!(Finisher {});

impl Device for Finisher {
    fn name(&self) -> &'static str {
        "finisher"
    }

    fn read(&mut self, _offset: u32, _width: Width, _ctx: &mut DevCtx) -> u32 {
        0
    }

    fn write(&mut self, offset: u32, value: u32, width: Width, ctx: &mut DevCtx) {
        if offset != 0 || width == Width::Byte {
            return;
        }
        match (value & 0xffff, value >> 16) {
            (PASS, _) => ctx.host.power_off = Some("it told the test finisher that all is well"),
            (FAIL, code) => ctx.host.exit = Some(code.max(1)),
            (RESET, _) => ctx.host.stopped = Some("it told the test finisher to reset the machine"),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev::bench::Bench;

    #[test]
    fn a_guest_ends_well_or_not_or_is_reset() {
        let mut b = Bench::new(Finisher);
        b.write(0, 0x1234);
        b.write(4, PASS);
        assert_eq!(
            (b.host.power_off, b.host.exit, b.host.stopped),
            (None, None, None)
        );
        b.write(0, PASS);
        assert!(b.host.power_off.is_some());
        b.write(0, FAIL | 7 << 16);
        assert_eq!(b.host.exit, Some(7));
        b.write(0, FAIL);
        assert_eq!(b.host.exit, Some(1), "it failed");
        b.write(0, RESET);
        assert!(b.host.stopped.is_some());
    }
}

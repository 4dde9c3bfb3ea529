// SPDX-License-Identifier: Apache-2.0
//! The reset controller (SA-1110 DM 9.6). A software reset ends the run: what a boot loader would
//! do next is not modelled.

use super::{lane, DevCtx, Device, Width};

/// Software reset: bit 0.
const RSRR: u32 = 0x00;
/// Reset status, cleared by writing 1: hardware, software, watchdog, sleep.
const RCSR: u32 = 0x04;

/// The reset controller, after a hardware reset.
#[derive(Debug)]
pub struct Reset {
    status: u32,
}

impl Default for Reset {
    fn default() -> Self {
        Self { status: 1 }
    }
}

crate::saved!(Reset { status });

impl Device for Reset {
    fn name(&self) -> &'static str {
        "reset"
    }

    fn read(&mut self, offset: u32, width: Width, _ctx: &mut DevCtx) -> u32 {
        let word = if offset & !3 == RCSR { self.status } else { 0 };
        lane(word, offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, ctx: &mut DevCtx) {
        match offset & !3 {
            RSRR if value & 1 != 0 => {
                ctx.host.stopped = Some("software reset by the reset controller");
            }
            RCSR => self.status &= !value,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev::bench::Bench;

    #[test]
    fn software_reset_ends_the_run() {
        let mut b = Bench::new(Reset::default());
        assert_eq!(b.read(RCSR), 1);
        b.write(RCSR, 1);
        assert_eq!(b.read(RCSR), 0);
        b.write(RSRR, 1);
        assert!(b.host.stopped.unwrap().contains("software reset"));
    }
}

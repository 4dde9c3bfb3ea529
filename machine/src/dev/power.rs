// SPDX-License-Identifier: Apache-2.0
//! The power manager (SA-1110 DM 9.5). Nothing can wake the machine from sleep mode (no battery,
//! no button is modelled), so a guest that enters it ends the run.

use super::{lane, DevCtx, Device, Width};

/// Control: bit 0 forces sleep mode.
const PMCR: u32 = 0x00;
/// Sleep status, cleared by writing 1; nothing sets it as nothing wakes the machine.
const PSSR: u32 = 0x04;
/// Oscillator status: bit 0 says that the 32 kHz oscillator runs.
const POSR: u32 = 0x1c;
/// Bytes of registers.
const BYTES: u32 = 0x20;

/// The power manager. The clock configuration (PPCR) only stores: the machine file has the clock.
#[derive(Debug, Default)]
pub struct Power {
    registers: [u32; (BYTES / 4) as usize],
}

crate::saved!(Power { registers });

impl Device for Power {
    fn name(&self) -> &'static str {
        "power"
    }

    fn read(&mut self, offset: u32, width: Width, _ctx: &mut DevCtx) -> u32 {
        let word = match offset & !3 {
            POSR => 1,
            at if at < BYTES => self.registers[(at / 4) as usize],
            _ => 0,
        };
        lane(word, offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, ctx: &mut DevCtx) {
        match offset & !3 {
            PMCR if value & 1 != 0 => {
                ctx.host.power_off = Some("sleep mode by the power manager");
            }
            PMCR | PSSR | POSR => {}
            at if at < BYTES => self.registers[(at / 4) as usize] = value,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev::bench::Bench;

    #[test]
    fn sleep_ends_the_run_and_the_rest_stores() {
        let mut b = Bench::new(Power::default());
        b.write(0x08, 0x1234);
        assert_eq!(b.read(0x08), 0x1234);
        assert_eq!(b.read(POSR), 1);
        b.write(PMCR, 0);
        assert!(b.host.power_off.is_none());
        b.write(PMCR, 1);
        assert!(b.host.power_off.is_some());
    }
}

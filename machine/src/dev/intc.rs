// SPDX-License-Identifier: Apache-2.0
//! The interrupt controller (SA-1110 DM 9.2): a mask, a choice of IRQ or FIQ per source, and no
//! state of its own beside them; sources stay asserted until their device lets go.

use super::{lane, DevCtx, Device, InterruptController, Pins, Role, Width};

/// IRQ pending: asserted, unmasked and routed to IRQ.
const ICIP: u32 = 0x00;
/// Mask: 1 lets the source through.
const ICMR: u32 = 0x04;
/// Level: 1 routes the source to FIQ.
const ICLR: u32 = 0x08;
/// Control: bit 0 (DIM) set lets only unmasked sources end idle mode.
const ICCR: u32 = 0x0c;
/// FIQ pending.
const ICFP: u32 = 0x10;
/// Raw sources.
const ICPR: u32 = 0x20;

/// The interrupt controller; everything is masked after reset.
#[derive(Debug, Default)]
pub struct Intc {
    mask: u32,
    level: u32,
    control: u32,
}

crate::saved!(Intc {
    mask,
    level,
    control
});

impl Device for Intc {
    fn name(&self) -> &'static str {
        "intc"
    }

    fn read(&mut self, offset: u32, width: Width, ctx: &mut DevCtx) -> u32 {
        let sources = *ctx.lines as u32;
        let word = match offset & !3 {
            ICIP => sources & self.mask & !self.level,
            ICMR => self.mask,
            ICLR => self.level,
            ICCR => self.control,
            ICFP => sources & self.mask & self.level,
            ICPR => sources,
            _ => 0,
        };
        lane(word, offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, _ctx: &mut DevCtx) {
        match offset & !3 {
            ICMR => self.mask = value,
            ICLR => self.level = value,
            ICCR => self.control = value & 1,
            _ => {}
        }
    }

    fn role(&mut self) -> Role<'_> {
        Role::InterruptController(self)
    }
}

impl InterruptController for Intc {
    fn pins(&mut self, sources: u64) -> Pins {
        let sources = sources as u32;
        let pending = sources & self.mask;
        Pins {
            irq: pending & !self.level != 0,
            fiq: pending & self.level != 0,
            wake: if self.control & 1 == 0 {
                sources != 0
            } else {
                pending != 0
            },
            ..Pins::default()
        }
    }

    /// Unless that is switched off (DM 9.2.1.4), any source wakes, masked or not.
    fn lets_interrupts_through(&self) -> bool {
        self.mask != 0 || self.control & 1 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev::bench::Bench;

    #[test]
    fn mask_and_level_route_a_source() {
        let mut b = Bench::new(Intc::default());
        b.lines = 1 << 26 | 1 << 15;
        assert_eq!(
            b.device.pins(b.lines),
            Pins {
                irq: false,
                fiq: false,
                wake: true,
                ..Pins::default()
            }
        );
        b.write(ICMR, 1 << 26);
        assert_eq!(b.read(ICIP), 1 << 26);
        assert_eq!(b.read(ICFP), 0);
        assert_eq!(b.read(ICPR), 1 << 26 | 1 << 15);
        assert!(b.device.pins(b.lines).irq);
        b.write(ICLR, 1 << 26);
        assert_eq!(b.read(ICIP), 0);
        assert_eq!(b.read(ICFP), 1 << 26);
        assert_eq!(
            b.device.pins(b.lines),
            Pins {
                irq: false,
                fiq: true,
                wake: true,
                ..Pins::default()
            }
        );
    }

    #[test]
    fn masked_sources_end_idle_mode_unless_disabled() {
        let mut b = Bench::new(Intc::default());
        assert!(b.device.pins(1).wake);
        b.write(ICCR, 1);
        assert!(!b.device.pins(1).wake);
        assert!(!b.device.pins(0).wake);
    }
}

// SPDX-License-Identifier: Apache-2.0
//! ARM's vectored interrupt controller PL190 (DDI 0181): 32 sources, each masked and routed to IRQ
//! or FIQ; sixteen slots that give a source a priority and the address of its handler. Reading
//! that address holds off all of the same and of lower priority until it is written.

use super::primecell::PeriphId;
use super::{lane, DevCtx, Device, InterruptController, Pins, Role, Width};

const ID: PeriphId = PeriphId([0x90, 0x11, 0x04, 0x00]);

/// Pending, enabled, routed to IRQ.
const IRQ_STATUS: u32 = 0x00;
/// Pending, enabled, routed to FIQ.
const FIQ_STATUS: u32 = 0x04;
/// Sources, soft interrupts among them.
const RAW: u32 = 0x08;
/// 1 routes to FIQ.
const SELECT: u32 = 0x0c;
/// Reads and sets; the next one clears.
const ENABLE: u32 = 0x10;
const ENABLE_CLEAR: u32 = 0x14;
/// Interrupts by software: reads and sets; the next one clears.
const SOFT: u32 = 0x18;
const SOFT_CLEAR: u32 = 0x1c;
/// Bit 0: privileged accesses only (stored: the bus of the model does not tell them apart).
const PROTECTION: u32 = 0x20;
/// Read: the handler of the interrupt to serve; written when that is done.
const VECT_ADDR: u32 = 0x30;
/// The handler of sources without a slot.
const DEFAULT_ADDR: u32 = 0x34;
/// Handlers of slots 0 to 15, then which source each has (bit 5: the slot is in use).
const VECT_ADDR_0: u32 = 0x100;
const VECT_CNTL_0: u32 = 0x200;
const SLOT_ENABLE: u32 = 0x20;

/// Slots; slot 0 has the highest priority.
const SLOTS: usize = 16;
/// Priority of all sources without a slot.
const UNVECTORED: usize = SLOTS;
/// Priority while nothing is served: below all others.
const IDLE: usize = SLOTS + 1;

/// The controller.
#[derive(Debug)]
pub struct Vic {
    select: u32,
    enable: u32,
    soft: u32,
    protection: u32,
    /// Handlers of the slots, and of the sources without one.
    address: [u32; SLOTS + 1],
    control: [u32; SLOTS],
    /// What is served now; by priority, what was served when that came.
    serving: usize,
    interrupted: [usize; SLOTS + 1],
}

impl Default for Vic {
    fn default() -> Self {
        Self {
            select: 0,
            enable: 0,
            soft: 0,
            protection: 0,
            address: [0; SLOTS + 1],
            control: [0; SLOTS],
            serving: IDLE,
            interrupted: [IDLE; SLOTS + 1],
        }
    }
}

impl Vic {
    fn raw(&self, lines: u64) -> u32 {
        lines as u32 | self.soft
    }

    fn irq(&self, lines: u64) -> u32 {
        self.raw(lines) & self.enable & !self.select
    }

    fn fiq(&self, lines: u64) -> u32 {
        self.raw(lines) & self.enable & self.select
    }

    /// The highest priority among pending interrupts, [`IDLE`] if there are none.
    fn highest(&self, lines: u64) -> usize {
        let pending = self.irq(lines);
        if pending == 0 {
            return IDLE;
        }
        self.control
            .iter()
            .position(|c| c & SLOT_ENABLE != 0 && pending & 1 << (c & 0x1f) != 0)
            .unwrap_or(UNVECTORED)
    }
}

crate::saved!(Vic { select, enable, soft, protection, address, control, serving, interrupted }
if |vic| vic.serving <= IDLE && vic.interrupted.iter().all(|&i| i <= IDLE));

impl Device for Vic {
    fn name(&self) -> &'static str {
        "vic"
    }

    fn read(&mut self, offset: u32, width: Width, ctx: &mut DevCtx) -> u32 {
        let lines = *ctx.lines;
        let slot = ((offset & 0x3c) / 4) as usize;
        let word = match offset & !3 {
            IRQ_STATUS => self.irq(lines),
            FIQ_STATUS => self.fiq(lines),
            RAW => self.raw(lines),
            SELECT => self.select,
            ENABLE => self.enable,
            SOFT => self.soft,
            PROTECTION => self.protection,
            VECT_ADDR => {
                let highest = self.highest(lines);
                if highest < self.serving {
                    self.interrupted[highest] = self.serving;
                    self.serving = highest;
                }
                // With nothing to serve the value is undefined (here the default handler).
                self.address[self.serving.min(UNVECTORED)]
            }
            DEFAULT_ADDR => self.address[UNVECTORED],
            at if at & !0x3c == VECT_ADDR_0 => self.address[slot],
            at if at & !0x3c == VECT_CNTL_0 => self.control[slot],
            at => ID.read(at).unwrap_or(0),
        };
        lane(word, offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, _ctx: &mut DevCtx) {
        let slot = ((offset & 0x3c) / 4) as usize;
        match offset & !3 {
            SELECT => self.select = value,
            ENABLE => self.enable |= value,
            ENABLE_CLEAR => self.enable &= !value,
            SOFT => self.soft |= value,
            SOFT_CLEAR => self.soft &= !value,
            PROTECTION => self.protection = value & 1,
            VECT_ADDR if self.serving < IDLE => self.serving = self.interrupted[self.serving],
            DEFAULT_ADDR => self.address[UNVECTORED] = value,
            at if at & !0x3c == VECT_ADDR_0 => self.address[slot] = value,
            at if at & !0x3c == VECT_CNTL_0 => self.control[slot] = value & 0x3f,
            _ => {}
        }
    }

    fn role(&mut self) -> Role<'_> {
        Role::InterruptController(self)
    }
}

impl InterruptController for Vic {
    fn pins(&mut self, sources: u64) -> Pins {
        let irq = self.highest(sources) < self.serving;
        let fiq = self.fiq(sources) != 0;
        Pins {
            irq,
            fiq,
            // The ARM926EJ-S wakes when either pin is asserted (DDI 0198).
            wake: irq || fiq,
            ..Pins::default()
        }
    }

    fn lets_interrupts_through(&self) -> bool {
        self.enable != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev::bench::Bench;

    fn pins(b: &mut Bench<Vic>) -> (bool, bool) {
        let pins = b.device.pins(b.lines);
        assert_eq!(pins.wake, pins.irq || pins.fiq);
        (pins.irq, pins.fiq)
    }

    #[test]
    fn sources_are_masked_and_routed() {
        let mut b = Bench::new(Vic::default());
        b.lines = 1 << 4 | 1 << 12 | 1 << 40;
        assert_eq!((b.read(RAW), b.read(IRQ_STATUS)), (1 << 4 | 1 << 12, 0));
        assert_eq!(pins(&mut b), (false, false));
        b.write(ENABLE, 1 << 4);
        assert_eq!((b.read(IRQ_STATUS), b.read(FIQ_STATUS)), (1 << 4, 0));
        assert_eq!(pins(&mut b), (true, false));
        b.write(SELECT, 1 << 4);
        assert_eq!((b.read(IRQ_STATUS), b.read(FIQ_STATUS)), (0, 1 << 4));
        assert_eq!(pins(&mut b), (false, true));
        b.write(ENABLE_CLEAR, 1 << 4);
        assert_eq!(pins(&mut b), (false, false));
        assert_eq!((b.read(0xfe0), b.read(0xff0)), (0x90, 0x0d));
    }

    #[test]
    fn soft_interrupts() {
        let mut b = Bench::new(Vic::default());
        b.write(ENABLE, u32::MAX);
        b.write(SOFT, 1 << 31 | 2);
        assert_eq!((b.read(RAW), b.read(SOFT)), (1 << 31 | 2, 1 << 31 | 2));
        assert_eq!(pins(&mut b), (true, false));
        b.write(SOFT_CLEAR, 2);
        assert_eq!(b.read(IRQ_STATUS), 1 << 31);
    }

    #[test]
    fn a_handler_holds_off_what_is_not_more_urgent() {
        let mut b = Bench::new(Vic::default());
        b.write(DEFAULT_ADDR, 0xd0);
        b.write(VECT_ADDR_0, 0xa0);
        b.write(VECT_CNTL_0, SLOT_ENABLE | 12);
        b.write(VECT_ADDR_0 + 4, 0xa4);
        b.write(VECT_CNTL_0 + 4, SLOT_ENABLE | 4);
        b.write(ENABLE, 1 << 12 | 1 << 4 | 1 << 7);

        b.lines = 1 << 7;
        assert!(pins(&mut b).0);
        assert_eq!(b.read(VECT_ADDR), 0xd0);
        assert!(!pins(&mut b).0, "a source without a slot is served");
        b.lines |= 1 << 4;
        assert!(pins(&mut b).0);
        assert_eq!(b.read(VECT_ADDR), 0xa4);
        assert!(!pins(&mut b).0);
        b.lines |= 1 << 12;
        assert!(pins(&mut b).0);
        assert_eq!(b.read(VECT_ADDR), 0xa0);
        b.lines = 1 << 7 | 1 << 4;
        assert!(!pins(&mut b).0);
        b.write(VECT_ADDR, 0);
        assert!(!pins(&mut b).0, "slot 1 is still served");
        b.lines = 1 << 7;
        b.write(VECT_ADDR, 0);
        assert!(!pins(&mut b).0);
        b.write(VECT_ADDR, 0);
        assert!(pins(&mut b).0, "all done, and source 7 again");
        // More writes than interrupts do nothing.
        b.write(VECT_ADDR, 0);
        b.write(VECT_ADDR, 0);
        assert_eq!(b.read(VECT_ADDR), 0xd0);
        assert_eq!(
            (b.read(VECT_ADDR_0 + 4), b.read(VECT_CNTL_0 + 4)),
            (0xa4, 0x24)
        );
    }

    #[test]
    fn a_slot_out_of_use_gives_no_priority() {
        let mut b = Bench::new(Vic::default());
        b.write(DEFAULT_ADDR, 0xd0);
        b.write(VECT_ADDR_0 + 8, 0xa8);
        b.write(VECT_CNTL_0 + 8, 5);
        b.write(ENABLE, 1 << 5);
        b.lines = 1 << 5;
        assert_eq!(b.read(VECT_ADDR), 0xd0);
    }
}

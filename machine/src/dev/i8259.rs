// SPDX-License-Identifier: Apache-2.0
//! The interrupt controllers of a PC: two 8259A (Intel data sheet 231468, "DS" below), the second
//! at input 2 of the first, and the registers that make single inputs level-triggered (ELCR;
//! Intel 82371AB data sheet 290562).
//!
//! The pair is one device, since an acknowledge cycle goes through both: the first chip says which of
//! its inputs is taken, and if the second is at that one, the second gives the vector. Interrupt
//! source n of the bus is IRQ n; source 2 is none.
//!
//! Vectors are always the 8086's. A buffered bus (ICW4) makes no difference that a guest could see.

use serde::{Deserialize, Serialize};

use super::{DevCtx, Device, InterruptController, Pins, Role, Width};

/// Offsets: command and data of each chip, then the trigger registers.
const COMMAND: u32 = 0;
const DATA: u32 = 1;
const ELCR: u32 = 4;

/// Of a byte written to the command register: it is ICW1; else, it is OCW3 and not OCW2.
const ICW1: u8 = 0x10;
const OCW3: u8 = 0x08;
/// ICW1: ICW4 follows, no second chip, level-triggered.
const IC4: u8 = 0x01;
const SNGL: u8 = 0x02;
const LTIM: u8 = 0x08;
/// ICW4: interrupts end by themselves, special fully nested mode.
const AEOI: u8 = 0x02;
const SFNM: u8 = 0x10;
/// OCW3: set the special mask mode as SMM says, poll, read a register: ISR if RIS, else IRR.
const ESMM: u8 = 0x40;
const SMM: u8 = 0x20;
const POLL: u8 = 0x04;
const RR: u8 = 0x02;
const RIS: u8 = 0x01;
/// What a poll reads: there was a request, and the level in the low bits.
const POLLED: u8 = 0x80;

/// The input of the first chip at which the second is.
const CASCADE: u8 = 2;
/// The level of an acknowledge cycle without a request (DS, "Edge and level triggered modes").
const SPURIOUS: u8 = 7;
/// Inputs of each chip that are always edge-triggered: timer, keyboard, cascade; clock, coprocessor.
const EDGES_ONLY: [u8; 2] = [0x07, 0x21];

/// One of the two.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Chip {
    /// The inputs that are high.
    high: u8,
    /// Those of them that have risen since they were taken last.
    risen: u8,
    /// In service.
    isr: u8,
    /// Masked.
    imr: u8,
    /// The vector of level 0.
    base: u8,
    /// The inputs with a chip at them; the number by which such a chip is called.
    slaves: u8,
    id: u8,
    /// All inputs are level-triggered; those are.
    level_triggered: bool,
    elcr: u8,
    single: bool,
    auto_eoi: bool,
    special_nested: bool,
    special_mask: bool,
    /// With automatic ends of interrupts, priorities rotate.
    rotates: bool,
    /// The level of lowest priority.
    lowest: u8,
    /// The initialization command word that comes next, 0 if none, and whether the last will.
    expects: u8,
    needs_icw4: bool,
    /// What the command register reads.
    polled: bool,
    reads_isr: bool,
}

impl Chip {
    /// As a BIOS leaves it, with all inputs masked: a boot loader that starts a kernel without a
    /// BIOS would do no less.
    fn new(base: u8, slaves: u8) -> Self {
        Self {
            imr: 0xff,
            base,
            slaves,
            id: CASCADE,
            lowest: 7,
            ..Self::default()
        }
    }

    fn plausible(&self) -> bool {
        self.lowest < 8 && self.id < 8 && self.expects < 5
    }

    /// Takes the inputs as they are now. One that falls before it is taken is no request any more
    /// (DS: it must stay high until the first INTA).
    fn look(&mut self, inputs: u8) {
        self.risen = (self.risen | inputs & !self.high) & inputs;
        self.high = inputs;
    }

    /// The interrupt request register.
    fn irr(&self) -> u8 {
        if self.level_triggered {
            self.high
        } else {
            self.risen | self.high & self.elcr
        }
    }

    /// In service, as far as priorities go.
    fn serving(&self) -> u8 {
        if self.special_mask {
            self.isr & !self.imr
        } else {
            self.isr
        }
    }

    /// The levels, most urgent first.
    fn levels(&self) -> impl Iterator<Item = u8> {
        let lowest = self.lowest;
        (1..=8).map(move |n| (lowest + n) & 7)
    }

    /// The level whose request the chip passes on.
    fn request(&self) -> Option<u8> {
        let requests = self.irr() & !self.imr;
        let serving = self.serving();
        for level in self.levels() {
            let bit = 1 << level;
            // A chip at it knows its own priorities (special fully nested mode).
            let nests = self.special_nested && self.slaves & bit != 0;
            if requests & bit != 0 && (serving & bit == 0 || nests) {
                return Some(level);
            }
            if serving & bit != 0 {
                return None;
            }
        }
        None
    }

    /// An acknowledge cycle: the level that is in service from now on.
    fn take(&mut self) -> Option<u8> {
        let level = self.request()?;
        self.risen &= !(1 << level);
        if !self.auto_eoi {
            self.isr |= 1 << level;
        } else if self.rotates {
            self.lowest = level;
        }
        Some(level)
    }

    fn write_command(&mut self, value: u8) {
        if value & ICW1 != 0 {
            self.start(value);
        } else if value & OCW3 != 0 {
            if value & ESMM != 0 {
                self.special_mask = value & SMM != 0;
            }
            self.polled = value & POLL != 0;
            if value & RR != 0 {
                self.reads_isr = value & RIS != 0;
            }
        } else {
            self.end(value);
        }
    }

    /// ICW1: initialization begins. Inputs that are high must fall before they can rise.
    fn start(&mut self, icw1: u8) {
        *self = Self {
            high: self.high,
            base: self.base,
            slaves: self.slaves,
            elcr: self.elcr,
            id: 7,
            lowest: 7,
            level_triggered: icw1 & LTIM != 0,
            single: icw1 & SNGL != 0,
            needs_icw4: icw1 & IC4 != 0,
            expects: 2,
            ..Self::default()
        };
    }

    /// OCW2: ends an interrupt, or moves the priorities, or both.
    fn end(&mut self, ocw2: u8) {
        let named = ocw2 & 7;
        match ocw2 >> 5 {
            0b000 => self.rotates = false,
            0b100 => self.rotates = true,
            how @ (0b001 | 0b101) => {
                let serving = self.serving();
                let urgent = self.levels().find(|level| serving & 1 << level != 0);
                if let Some(level) = urgent {
                    self.isr &= !(1 << level);
                    if how == 0b101 {
                        self.lowest = level;
                    }
                }
            }
            0b011 => self.isr &= !(1 << named),
            0b111 => {
                self.isr &= !(1 << named);
                self.lowest = named;
            }
            0b110 => self.lowest = named,
            _ => {}
        }
    }

    /// An initialization command word if one is expected, else OCW1. `slaves`: whether chips can be
    /// after this one.
    fn write_data(&mut self, value: u8, slaves: bool) {
        match self.expects {
            2 => self.base = value & 0xf8,
            3 => {
                self.slaves = if slaves { value } else { 0 };
                self.id = value & 7;
            }
            4 => {
                self.auto_eoi = value & AEOI != 0;
                self.special_nested = value & SFNM != 0;
            }
            _ => self.imr = value,
        }
        self.expects = match self.expects {
            2 if !self.single => 3,
            2 | 3 if self.needs_icw4 => 4,
            _ => 0,
        };
    }
}

/// Whether the register at `offset` is the second chip's.
fn is_second(offset: u32) -> bool {
    matches!(offset, 2 | 3 | 5)
}

/// The pair.
#[derive(Debug)]
pub struct I8259 {
    first: Chip,
    second: Chip,
}

impl Default for I8259 {
    /// With the vectors of IBM's BIOS.
    fn default() -> Self {
        Self {
            first: Chip::new(0x08, 1 << CASCADE),
            second: Chip::new(0x70, 0),
        }
    }
}

impl I8259 {
    /// The first chip sees the output of the second.
    fn connect(&mut self) {
        let mut inputs = self.first.high & !(1 << CASCADE);
        if self.second.request().is_some() {
            inputs |= 1 << CASCADE;
        }
        self.first.look(inputs);
    }

    /// The second chip is acknowledged; its output falls, and may rise again.
    fn take_second(&mut self) -> Option<u8> {
        let taken = self.second.take();
        self.first.look(self.first.high & !(1 << CASCADE));
        self.connect();
        taken
    }

    /// A read after a poll command is an acknowledge cycle.
    fn poll(&mut self, second: bool) -> u8 {
        let level = if second {
            self.second.polled = false;
            self.take_second()
        } else {
            self.first.polled = false;
            self.first.take()
        };
        level.map_or(SPURIOUS, |level| POLLED | level)
    }

    fn chip(&mut self, second: bool) -> &mut Chip {
        if second {
            &mut self.second
        } else {
            &mut self.first
        }
    }
}

crate::saved!(I8259 { first, second } if |pair| pair.first.plausible() && pair.second.plausible());

impl Device for I8259 {
    fn name(&self) -> &'static str {
        "pic"
    }

    fn read(&mut self, offset: u32, _width: Width, _ctx: &mut DevCtx) -> u32 {
        let second = is_second(offset);
        let chip = self.chip(second);
        let value = match offset {
            ELCR.. => chip.elcr,
            _ if chip.polled => self.poll(second),
            _ if offset & 1 == DATA => chip.imr,
            _ if chip.reads_isr => chip.isr,
            _ => chip.irr(),
        };
        u32::from(value)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, _ctx: &mut DevCtx) {
        let (second, value) = (is_second(offset), value as u8);
        match offset {
            ELCR.. => self.chip(second).elcr = value & !EDGES_ONLY[usize::from(second)],
            _ if offset & 1 == COMMAND => self.chip(second).write_command(value),
            _ => self.chip(second).write_data(value, !second),
        }
        self.connect();
    }

    fn role(&mut self) -> Role<'_> {
        Role::InterruptController(self)
    }
}

impl InterruptController for I8259 {
    fn pins(&mut self, sources: u64) -> Pins {
        let cascade = self.first.high & 1 << CASCADE;
        self.first.look(sources as u8 & !(1 << CASCADE) | cascade);
        self.second.look((sources >> 8) as u8);
        self.connect();
        let irq = self.first.request().is_some();
        Pins {
            irq,
            fiq: false,
            wake: irq,
            ..Pins::default()
        }
    }

    fn acknowledge(&mut self) -> Option<u8> {
        let level = self.first.take().unwrap_or(SPURIOUS);
        if self.first.single || self.first.slaves & 1 << level == 0 {
            return Some(self.first.base | level);
        }
        if self.second.id != level {
            // Nobody drives the bus.
            return Some(0xff);
        }
        let level = self.take_second().unwrap_or(SPURIOUS);
        Some(self.second.base | level)
    }

    fn lets_interrupts_through(&self) -> bool {
        self.first.imr != 0xff
    }
}

#[cfg(test)]
#[path = "i8259_tests.rs"]
mod tests;

// SPDX-License-Identifier: Apache-2.0
//! The Versatile's serial bus interface (DUI 0225, 4.12): two wires that software moves. Nothing
//! hangs on them, so they read as they are driven.

use super::{lane, DevCtx, Device, Width};

/// Read the wires (bit 0 clock, bit 1 data); writing 1 lets a wire go up, at the next one pulls
/// it down.
const CONTROL: u32 = 0x00;
const CLEAR: u32 = 0x04;

/// The wires.
#[derive(Debug)]
pub struct SerialBus {
    wires: u32,
}

impl Default for SerialBus {
    fn default() -> Self {
        Self { wires: 3 }
    }
}

crate::saved!(SerialBus { wires });

impl Device for SerialBus {
    fn name(&self) -> &'static str {
        "sbcon"
    }

    fn read(&mut self, offset: u32, width: Width, _ctx: &mut DevCtx) -> u32 {
        let word = if offset & !3 == CONTROL {
            self.wires
        } else {
            0
        };
        lane(word, offset, width)
    }

    fn write(&mut self, offset: u32, value: u32, _width: Width, _ctx: &mut DevCtx) {
        match offset & !3 {
            CONTROL => self.wires |= value & 3,
            CLEAR => self.wires &= !value,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dev::bench::Bench;

    #[test]
    fn wires_read_as_they_are_driven() {
        let mut b = Bench::new(SerialBus::default());
        assert_eq!(b.read(CONTROL), 3);
        b.write(CLEAR, 2);
        assert_eq!(b.read(CONTROL), 1);
        b.write(CLEAR, 1);
        b.write(CONTROL, 2);
        assert_eq!(b.read(CONTROL), 2);
    }
}

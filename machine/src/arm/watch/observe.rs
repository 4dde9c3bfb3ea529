// SPDX-License-Identifier: Apache-2.0
//! What observers see of an ARM in addition to what they see of every processor ([`crate::observe`]).

use crate::arm::isa::encoding::Encoding;
use crate::arm::isa::exception::Entry;
use crate::arm::isa::register::Register;
use crate::arm::isa::Arm;
use crate::arm::memory::memsys::MemSys;
use crate::counters::Tally;
use crate::observe::{Memory, Observed};
use crate::platform::Platform;

impl Observed for Arm {
    type Memory = MemSys;
    type Code = Encoding;
    type Entry = Entry;
    type Operation = Register;
    type Word = u32;
    const REGISTERS: &'static [&'static str] = &[
        "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13",
        "r14",
    ];
    const STATUS: &'static str = "cpsr";
}

impl Memory for MemSys {
    #[inline]
    fn platform(&self) -> &Platform {
        &self.platform
    }

    fn tally(&self) -> Tally {
        Self::tally(self)
    }
}

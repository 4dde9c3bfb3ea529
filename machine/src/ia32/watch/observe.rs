// SPDX-License-Identifier: Apache-2.0
//! What observers see of an IA-32 processor beside what they see of every processor
//! ([`crate::observe`]). Addresses are linear ones: segments are the processor's own affair.

use crate::counters::Tally;
use crate::ia32::cpu::MemSys;
use crate::ia32::isa::encoding::Encoding;
use crate::ia32::isa::exception::Entry;
use crate::ia32::isa::register::Operation;
use crate::ia32::isa::Ia32;
use crate::observe::{Memory, Observed};
use crate::platform::Platform;

impl Observed for Ia32 {
    type Memory = MemSys;
    type Code = Encoding;
    type Entry = Entry;
    type Operation = Operation;
    type Word = u32;
    const REGISTERS: &'static [&'static str] =
        &["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"];
    const STATUS: &'static str = "eflags";
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

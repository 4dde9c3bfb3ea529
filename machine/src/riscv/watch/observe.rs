// SPDX-License-Identifier: Apache-2.0
//! What observers see of a RISC-V in addition to what they see of every processor ([`crate::observe`]).

use crate::counters::{Counter, Tally};
use crate::observe::{Memory, Observed};
use crate::platform::Platform;
use crate::riscv::isa::insn::Encoding;
use crate::riscv::isa::register;
use crate::riscv::isa::system::{Operation, Trap};
use crate::riscv::isa::Riscv;
use crate::riscv::memory::counted;
use crate::riscv::memory::memsys::MemSys;

impl Observed for Riscv {
    type Memory = MemSys;
    type Code = Encoding;
    type Entry = Trap;
    type Operation = Operation;
    type Word = u64;
    const REGISTERS: &'static [&'static str] = &register::ALL_NAMES;
    const STATUS: &'static str = "mstatus";
    const OWN_COUNTERS: &'static [Counter] = counted::OWN_COUNTERS;
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

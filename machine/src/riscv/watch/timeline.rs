// SPDX-License-Identifier: Apache-2.0
//! What a timeline shows of a RISC-V: traps, address spaces, and what it takes from the counters.

use crate::counters::{Counter, Tally};
use crate::riscv::isa::cause::{interrupt_name, INTERRUPT};
use crate::riscv::isa::csr;
use crate::riscv::isa::insn::Encoding;
use crate::riscv::isa::privilege::Privilege;
use crate::riscv::isa::system::{Operation, Trap};
use crate::riscv::isa::Riscv;
use crate::riscv::memory::memsys::MemSys;
use crate::riscv::memory::mmu::satp;
use crate::trace::{self, Argument, Rate, Timeline};

impl Timeline for Riscv {
    const SETTINGS: &'static [&'static str] = &["address space"];
    const MAINTENANCE: &'static [Counter] = &[
        Tally::counter("icache_invalidate_all"),
        Tally::counter("itlb_invalidate_all"),
        Tally::counter("itlb_invalidate_entry"),
    ];
    const RATES: &'static [Rate] = &[
        Rate::INSN_CACHE_MISSES,
        Rate::DATA_CACHE_MISSES,
        Rate::INSN_TLB_MISSES,
        Rate::DATA_TLB_MISSES,
        Rate::of_cycles("line fills", |t| t.stall.fill),
        Rate::of_cycles("table walks", |t| t.stall.walk),
        Rate::INSTRUCTIONS,
    ];
    const LONGEST_INSN: u64 = 4;

    fn setting(memory: &MemSys, _: usize) -> String {
        let value = memory.registers().satp;
        if value >> satp::MODE_SHIFT == satp::BARE {
            return "bare".to_string();
        }
        let root = (value & satp::PPN) << 12;
        let asid = value >> satp::ASID_SHIFT & 0xffff;
        if memory.isa().asid_bits == 0 {
            format!("root {root:x}")
        } else {
            format!("root {root:x} asid {asid}")
        }
    }

    fn written(_: &MemSys, what: &Operation) -> Option<(usize, &'static str)> {
        matches!(what, Operation::Csr(csr::SATP, _)).then_some((0, "satp"))
    }

    /// MRET, SRET.
    fn may_return(code: Encoding) -> bool {
        matches!(code.0, 0x3020_0073 | 0x1020_0073)
    }

    fn is_user(mode: u32) -> bool {
        mode == Privilege::User as u32
    }

    fn exception(memory: &MemSys, entry: &Trap, _: Encoding) -> trace::Exception {
        let number = entry.cause & !INTERRUPT;
        let (name, arguments) = if entry.cause & INTERRUPT != 0 {
            (interrupt_name(number as u32), Vec::new())
        } else {
            let value = Argument::Address(entry.value);
            (memory.fault.exception.name(), vec![("value", value)])
        };
        trace::Exception {
            name,
            pc: entry.pc,
            mode: entry.from as u32,
            arguments,
        }
    }
}

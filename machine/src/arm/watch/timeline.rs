// SPDX-License-Identifier: Apache-2.0
//! What a timeline shows of an ARM: exceptions, address spaces and domain access, and what it takes from
//! the counters (which are maintenance, which rates are sampled).

use crate::arm::isa::encoding::Encoding;
use crate::arm::isa::exception::{Entry, Exception};
use crate::arm::isa::register::{Register, Write};
use crate::arm::isa::{mode, psr, Arm};
use crate::arm::memory::memsys::MemSys;
use crate::counters::{Counter, Tally};
use crate::trace::{self, Argument, Rate, Timeline};

/// Settings, by number: the address space (translation table base and PID), and the DACR.
const SPACE: usize = 0;
const DOMAINS: usize = 1;

impl Timeline for Arm {
    const SETTINGS: &'static [&'static str] = &["address space", "domain access"];
    const MAINTENANCE: &'static [Counter] = MAINTENANCE;
    const RATES: &'static [Rate] = RATES;
    const LONGEST_INSN: u64 = 4;

    fn setting(memory: &MemSys, number: usize) -> String {
        let (ttb, dacr) = memory.translation_registers();
        if number == DOMAINS {
            return format!("{dacr:08x}");
        }
        let mut name = format!("ttb {ttb:08x}");
        // Relocated, address 0 is the PID register.
        let pid = memory.relocate(0);
        if pid != 0 {
            name += &format!(" slot {}", pid >> 25);
        }
        name
    }

    fn written(memory: &MemSys, register: &Register) -> Option<(usize, &'static str)> {
        match (memory.core.write)(*register) {
            Write::TranslationTable => Some((SPACE, "ttb")),
            Write::ProcessId => Some((SPACE, "pid")),
            Write::Domains => Some((DOMAINS, "dacr")),
            _ => None,
        }
    }

    /// It writes the PC and takes the status register from the saved one (DDI 0100, A2.6): data
    /// processing with S, or a load multiple with `^`. No Thumb instruction does, or looks like it.
    fn may_return(code: Encoding) -> bool {
        code.word & 0x0c10_f000 == 0x0010_f000 || code.word & 0x0e50_8000 == 0x0850_8000
    }

    fn is_user(mode: u32) -> bool {
        mode == mode::USR
    }

    fn exception(memory: &MemSys, entry: &Entry, code: Encoding) -> trace::Exception {
        let insn_bytes = if entry.saved & psr::T == 0 { 4 } else { 2 };
        // How many bytes the link register is past the instruction (DDI 0100, A2.6).
        let (name, past) = match entry.exception {
            Exception::Undefined => ("undefined", insn_bytes),
            Exception::Swi => ("swi", insn_bytes),
            Exception::PrefetchAbort => ("prefetch_abort", 4),
            Exception::DataAbort => ("data_abort", 8),
            Exception::Irq => ("irq", 4),
            Exception::Fiq => ("fiq", 4),
        };
        let arguments = match entry.exception {
            Exception::Swi => {
                let mask = if insn_bytes == 4 { 0x00ff_ffff } else { 0xff };
                vec![
                    ("number", Argument::Number((code.word & mask).into())),
                    ("r7", Argument::Number(entry.r[7].into())),
                ]
            }
            Exception::PrefetchAbort | Exception::DataAbort => vec![
                ("address", Argument::Address(memory.fault.mva.into())),
                ("fault", Argument::Text(format!("{:?}", memory.fault.kind))),
            ],
            _ => Vec::new(),
        };
        trace::Exception {
            name,
            pc: entry.return_address.wrapping_sub(past).into(),
            mode: entry.saved & psr::MODE,
            arguments,
        }
    }
}

/// What maintenance counts.
const MAINTENANCE: &[Counter] = &[
    Tally::counter("icache_invalidate_all"),
    Tally::counter("icache_invalidate_line"),
    Tally::counter("dcache_invalidate_all"),
    Tally::counter("dcache_invalidate_line"),
    Tally::counter("dcache_clean_line"),
    Tally::counter("dcache_test_clean"),
    Tally::counter("write_buffer_drains"),
    Tally::counter("itlb_invalidate_all"),
    Tally::counter("itlb_invalidate_entry"),
    Tally::counter("dtlb_invalidate_all"),
    Tally::counter("dtlb_invalidate_entry"),
];

/// What is sampled.
const RATES: &[Rate] = &[
    Rate::INSN_CACHE_MISSES,
    Rate::DATA_CACHE_MISSES,
    Rate::INSN_TLB_MISSES,
    Rate::DATA_TLB_MISSES,
    Rate::of_cycles("line fills", |t| t.stall.fill),
    Rate::of_cycles("table walks", |t| t.stall.walk),
    Rate::of_cycles("write buffer stalls", |t| t.stall.write_buffer),
    Rate::INSTRUCTIONS,
];

// SPDX-License-Identifier: Apache-2.0
//! What a timeline shows of an IA-32 processor: exceptions and interrupts, the page directory, and what
//! it takes from the counters.

use crate::counters::{Counter, Tally};
use crate::ia32::cpu::MemSys;
use crate::ia32::isa::encoding::{Encoding, LONGEST_INSN};
use crate::ia32::isa::exception::{vector, Cause, Entry};
use crate::ia32::isa::register::Operation;
use crate::ia32::isa::Ia32;
use crate::trace::{self, Argument, Rate, Timeline};

/// Settings, by number: the page directory.
const SPACE: usize = 0;

impl Timeline for Ia32 {
    const SETTINGS: &'static [&'static str] = &["address space"];
    const MAINTENANCE: &'static [Counter] = MAINTENANCE;
    const RATES: &'static [Rate] = RATES;
    const LONGEST_INSN: u64 = LONGEST_INSN as u64;

    fn setting(memory: &MemSys, _number: usize) -> String {
        format!("cr3 {:08x}", memory.directory())
    }

    fn written(_memory: &MemSys, what: &Operation) -> Option<(usize, &'static str)> {
        (*what == Operation::Control(3)).then_some((SPACE, "cr3"))
    }

    /// IRET and SYSEXIT.
    fn may_return(code: Encoding) -> bool {
        matches!(code.bytes(), [.., 0xcf] | [.., 0x0f, 0x35])
    }

    fn is_user(mode: u32) -> bool {
        mode == 3
    }

    fn exception(memory: &MemSys, entry: &Entry, _code: Encoding) -> trace::Exception {
        let mut arguments = Vec::new();
        if let Some(code) = entry.code {
            arguments.push(("code", Argument::Number(code.into())));
        }
        let name = match (entry.cause, entry.vector) {
            (Cause::Interrupt, n) => {
                arguments.push(("vector", Argument::Number(n.into())));
                "interrupt"
            }
            (Cause::Software, n) => {
                arguments.push(("vector", Argument::Number(n.into())));
                arguments.push(("eax", Argument::Number(entry.r[0].into())));
                "int"
            }
            (_, vector::PF) => {
                arguments.push(("address", Argument::Address(memory.fault_address().into())));
                "page_fault"
            }
            (_, vector) => name(vector),
        };
        trace::Exception {
            name,
            pc: entry.return_address.into(),
            mode: entry.level.into(),
            arguments,
        }
    }
}

/// The name of an exception, as the SDM abbreviates it.
fn name(vector: u8) -> &'static str {
    match vector {
        vector::DE => "#DE",
        vector::DB => "#DB",
        vector::BP => "#BP",
        vector::OF => "#OF",
        vector::BR => "#BR",
        vector::UD => "#UD",
        vector::NM => "#NM",
        vector::DF => "#DF",
        vector::TS => "#TS",
        vector::NP => "#NP",
        vector::SS => "#SS",
        vector::GP => "#GP",
        vector::AC => "#AC",
        _ => "exception",
    }
}

/// What maintenance counts.
const MAINTENANCE: &[Counter] = &[
    Tally::counter("itlb_invalidate_all"),
    Tally::counter("itlb_invalidate_entry"),
    Tally::counter("dtlb_invalidate_all"),
    Tally::counter("dtlb_invalidate_entry"),
];

/// What is sampled. The trace cache looks into the instruction TLB less often than it fetches.
const RATES: &[Rate] = &[
    Rate {
        unit: "% of lookups",
        ..Rate::INSN_TLB_MISSES
    },
    Rate::DATA_TLB_MISSES,
    Rate::INSTRUCTIONS,
];

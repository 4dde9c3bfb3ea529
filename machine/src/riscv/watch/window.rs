// SPDX-License-Identifier: Apache-2.0
//! What a window shows of a RISC-V: caches, TLBs, and the registers that decide about accesses.

use crate::riscv::config::LINE_BYTES;
use crate::riscv::isa::Riscv;
use crate::riscv::memory::memsys::MemSys;
use crate::riscv::memory::tlb::Tlb;
use crate::window::{Row, Table, Windowed};

/// The caches come first, then the TLBs.
const CACHES: usize = 3;

impl Windowed for Riscv {
    const BEFORE_ISSUE: &'static str = "operand";
    const SYSTEM: &'static [&'static str] = &["satp", "privilege", "sum", "mxr"];

    fn system(memory: &MemSys) -> Vec<u64> {
        let registers = memory.registers();
        vec![
            registers.satp,
            registers.privilege as u64,
            registers.data.sum.into(),
            registers.data.mxr.into(),
        ]
    }

    fn tables(memory: &MemSys) -> Vec<Table> {
        let [l1, l2] = memory.hierarchy().ways();
        let shapes = [
            (memory.insn_lines().len(), memory.insn_ways()),
            (memory.hierarchy().slots(false).len(), l1),
            (memory.hierarchy().slots(true).len(), l2),
        ];
        let names = ["instruction cache", "data cache", "second-level cache"];
        let caches = names.into_iter().zip(shapes);
        let caches = caches.map(|(name, (slots, ways))| Table {
            name,
            kind: "cache",
            sets: slots / ways,
            ways,
            unit: LINE_BYTES,
            columns: if name == names[0] {
                &["physical"]
            } else {
                &["physical", "dirty"]
            },
        });
        let names = ["instruction TLB", "data TLB", "second-level TLB"];
        let tlbs = names.into_iter().zip(memory.tlbs());
        let tlbs = tlbs.map(|(name, tlb)| Table {
            name,
            kind: "tlb",
            sets: tlb.len() / tlb.ways(),
            ways: tlb.ways(),
            unit: 0,
            columns: &["address", "physical", "size", "asid", "flags"],
        });
        caches.chain(tlbs).collect()
    }

    fn rows(memory: &MemSys, table: usize, rows: &mut Vec<Row<u64>>) {
        if table == 0 {
            let lines = memory.insn_lines().into_iter();
            rows.extend(lines.map(|line| Some([line?.0.into(), 0, 0, 0, 0, 0])));
        } else if table < CACHES {
            let lines = memory.hierarchy().slots(table == 2).into_iter();
            rows.extend(lines.map(|line| {
                let (pa, dirty) = line?;
                Some([pa.into(), dirty.into(), 0, 0, 0, 0])
            }));
        } else if let Some(tlb) = memory.tlbs().get(table - CACHES) {
            rows.extend(translations(tlb));
        }
    }

    fn tagged(_: &MemSys, va: u64) -> u64 {
        va
    }
}

/// The entries of a TLB by place.
fn translations(tlb: &Tlb) -> impl Iterator<Item = Row<u64>> + '_ {
    tlb.places().map(|entry| {
        let entry = entry?;
        Some([
            entry.va,
            entry.translate(entry.va),
            entry.offset_mask() + 1,
            entry.asid.into(),
            entry.pte & 0xff,
            0,
        ])
    })
}

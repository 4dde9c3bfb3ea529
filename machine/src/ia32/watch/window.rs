// SPDX-License-Identifier: Apache-2.0
//! What a window shows of an IA-32 processor: trace cache, both levels of the data caches, TLBs, the
//! page directory, and the registers of paging.

use crate::ia32::config::IA32_LINE_BYTES as LINE_BYTES;
use crate::ia32::cpu::MemSys;
use crate::ia32::isa::Ia32;
use crate::ia32::memory::tlb::TlbEntry;
use crate::tlb::Tlb;
use crate::window::{Row, Table, Windowed};

/// Descriptors of a page directory, and the bytes that each stands for.
const ENTRIES: usize = 1024;
const REGION: u32 = 4 << 20;
/// The bit of a descriptor that says that it is one.
const PRESENT: u32 = 1;

const TRACE: usize = 0;
const FIRST_LEVEL: usize = 1;
const SECOND_LEVEL: usize = 2;
const INSN_TLB: usize = 3;
const DATA_TLB: usize = 4;

impl Windowed for Ia32 {
    /// Its turn: what is before it in the window has not retired.
    const BEFORE_ISSUE: &'static str = "turn";
    const SYSTEM: &'static [&'static str] = &["cr3", "cr2"];

    fn system(memory: &MemSys) -> Vec<u32> {
        vec![memory.directory(), memory.fault_address()]
    }

    fn tables(memory: &MemSys) -> Vec<Table> {
        let table = |name, kind, (sets, ways), unit, columns| Table {
            name,
            kind,
            sets,
            ways,
            unit,
            columns,
        };
        let [first, second] = memory.time.caches.shapes();
        let translation = &["address", "physical", "size", "user", "writable", "global"];
        let tlb = |name, tlb: &Tlb<_>| table(name, "tlb", (1, tlb.places()), 0, translation);
        vec![
            table(
                "trace cache",
                "cache",
                memory.traces.shape(),
                0,
                &["address"],
            ),
            table("data cache", "cache", first, LINE_BYTES, &["physical"]),
            table(
                "second level",
                "cache",
                second,
                2 * LINE_BYTES,
                &["physical", "valid", "dirty"],
            ),
            tlb("instruction TLB", memory.itlb()),
            tlb("data TLB", memory.dtlb()),
            table(
                "page directory",
                "directory",
                (1, ENTRIES),
                REGION,
                &["address", "descriptor"],
            ),
        ]
    }

    fn rows(memory: &MemSys, table: usize, rows: &mut Vec<Row<u32>>) {
        let caches = &memory.time.caches;
        let line = |line: Option<u32>| Some([line?, 0, 0, 0, 0, 0]);
        match table {
            TRACE => rows.extend(memory.traces.slots().map(line)),
            FIRST_LEVEL => rows.extend(caches.l1_slots().map(line)),
            SECOND_LEVEL => rows.extend(caches.l2_slots().map(|sector| {
                let (pa, valid, dirty) = sector?;
                Some([pa, valid.into(), dirty.into(), 0, 0, 0])
            })),
            INSN_TLB => rows.extend(translations(memory.itlb())),
            DATA_TLB => rows.extend(translations(memory.dtlb())),
            _ => rows.extend((0..ENTRIES as u32).map(|n| {
                let at = memory.directory() + 4 * n;
                let descriptor = memory.platform.bus.read_memory_word(at)?;
                let there = memory.pages() && descriptor & PRESENT != 0;
                there.then_some([n * REGION, descriptor, 0, 0, 0, 0])
            })),
        }
    }

    fn tagged(_memory: &MemSys, va: u64) -> u64 {
        va
    }
}

/// The entries of a TLB by place.
fn translations(tlb: &Tlb<TlbEntry>) -> impl Iterator<Item = Row<u32>> + '_ {
    (0..tlb.places()).map(|place| {
        let entry = tlb.get(place)?;
        Some([
            entry.linear,
            entry.pa,
            (!entry.mask).wrapping_add(1),
            entry.user.into(),
            entry.writable.into(),
            entry.global.into(),
        ])
    })
}

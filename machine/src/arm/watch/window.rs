// SPDX-License-Identifier: Apache-2.0
//! What a window shows of an ARM: caches with their dirty halves, TLBs with domains, the page
//! directory, and the registers of CP15 that decide about accesses.

use crate::arm::isa::Arm;
use crate::arm::memory::line::LINE_BYTES;
use crate::arm::memory::memsys::MemSys;
use crate::arm::memory::tlb::TlbEntry;
use crate::tlb::Tlb;
use crate::window::{Row, Table, Windowed};

/// Bytes of a section, which a descriptor of the directory stands for.
const SECTION: u32 = 1 << 20;

impl Windowed for Arm {
    const BEFORE_ISSUE: &'static str = "operand";
    /// Beside the registers, how many writes are in the write buffer.
    const SYSTEM: &'static [&'static str] =
        &["control", "ttb", "dacr", "pid", "fsr", "far", "buffered"];

    fn system(memory: &MemSys) -> Vec<u32> {
        vec![
            memory.registers.control(),
            memory.registers.ttb,
            memory.registers.dacr,
            memory.registers.pid,
            memory.registers.fault_status,
            memory.registers.fault_address,
            memory.buffered_writes() as u32,
        ]
    }

    fn tables(memory: &MemSys) -> Vec<Table> {
        let names = ["instruction cache", "data cache", "mini data cache"];
        let caches = names.into_iter().zip(memory.cache_shapes());
        let caches = caches.map(|(name, (sets, ways))| Table {
            name,
            kind: "cache",
            sets,
            ways,
            unit: LINE_BYTES,
            columns: if name == names[0] {
                &["address"]
            } else {
                &["address", "physical", "dirty"]
            },
        });
        let names: &[&str] = if memory.has_one_tlb() {
            &["TLB"]
        } else {
            &["instruction TLB", "data TLB"]
        };
        let tlbs = names.iter().zip(memory.tlbs()).map(|(name, tlb)| Table {
            name,
            kind: "tlb",
            sets: 1,
            ways: tlb.places(),
            unit: 0,
            columns: &["address", "physical", "size", "domain", "permissions", "cb"],
        });
        let directory = Table {
            name: "page directory",
            kind: "directory",
            sets: 1,
            ways: (u32::MAX / SECTION) as usize + 1,
            unit: SECTION,
            columns: &["address", "descriptor"],
        };
        caches.chain(tlbs).chain([directory]).collect()
    }

    fn rows(memory: &MemSys, table: usize, rows: &mut Vec<Row<u32>>) {
        let caches = memory.cache_shapes().len();
        if table == 0 {
            rows.extend(memory.insn_slots().map(|line| Some([line?, 0, 0, 0, 0, 0])));
        } else if table < caches {
            let lines = memory.data_slots(table > 1);
            rows.extend(lines.map(|line| {
                let (mva, pa, dirty) = line?;
                Some([mva, pa, dirty.into(), 0, 0, 0])
            }));
        } else if let Some(tlb) = memory.tlbs().nth(table - caches) {
            rows.extend(translations(tlb));
        } else {
            let lines = memory.directory();
            let words = lines.flat_map(|line| line.unwrap_or_default());
            rows.extend((0..).zip(words).map(|(n, descriptor)| {
                // One that is invalid may hold anything in its other bits (DDI 0100, B3.3.3).
                (descriptor & 3 != 0).then_some([n * SECTION, descriptor, 0, 0, 0, 0])
            }));
        }
    }

    fn tagged(memory: &MemSys, va: u64) -> u64 {
        memory.relocate(va as u32).into()
    }
}

/// The entries of a TLB by place.
fn translations(tlb: &Tlb<TlbEntry>) -> impl Iterator<Item = Row<u32>> + '_ {
    (0..tlb.places()).map(|place| {
        let entry = tlb.get(place)?;
        let cb =
            2 * u32::from(entry.attributes.cacheable()) + u32::from(entry.attributes.bufferable());
        Some([
            entry.mva,
            entry.pa,
            (!entry.mask).wrapping_add(1),
            entry.domain.into(),
            entry.permissions.into(),
            cb,
        ])
    })
}

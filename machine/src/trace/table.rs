// SPDX-License-Identifier: Apache-2.0
//! What a timeline takes from the counters: which are maintenance, and which rates are sampled.

use crate::counters::Tally;

/// A counter's name and its value.
pub type Part = (&'static str, fn(&Tally) -> u64);

macro_rules! parts {
    ($($name:ident),+ $(,)?) => { &[$((stringify!($name), |tally| tally.$name)),+] };
}

/// What maintenance counts.
pub const OPERATIONS: &[Part] = parts![
    icache_invalidate_all,
    icache_invalidate_line,
    dcache_invalidate_all,
    dcache_invalidate_line,
    dcache_clean_line,
    dcache_test_clean,
    write_buffer_drains,
    itlb_invalidate_all,
    itlb_invalidate_entry,
    dtlb_invalidate_all,
    dtlb_invalidate_entry,
];

/// A sampled rate: its track, its unit, and the two sums whose quotient it is, times a factor.
pub struct Rate {
    pub name: &'static str,
    pub unit: &'static str,
    pub factor: f64,
    pub part: fn(&Tally) -> u64,
    pub whole: fn(&Tally) -> u64,
}

/// What is sampled.
pub const RATES: &[Rate] = &[
    Rate {
        name: "instruction cache misses",
        unit: "% of fetches",
        factor: 100.0,
        part: |t| t.icache_misses,
        whole: |t| t.icache_accesses,
    },
    Rate {
        name: "data cache misses",
        unit: "% of accesses",
        factor: 100.0,
        part: |t| t.dcache_read_misses + t.dcache_write_misses,
        whole: |t| t.dcache_reads + t.dcache_writes,
    },
    Rate {
        name: "instruction TLB misses",
        unit: "% of fetches",
        factor: 100.0,
        part: |t| t.itlb_misses,
        whole: |t| t.itlb_accesses,
    },
    Rate {
        name: "data TLB misses",
        unit: "% of accesses",
        factor: 100.0,
        part: |t| t.dtlb_misses,
        whole: |t| t.dtlb_accesses,
    },
    Rate {
        name: "line fills",
        unit: "% of cycles",
        factor: 100.0,
        part: |t| t.fill_stall_cycles,
        whole: |t| t.cycles,
    },
    Rate {
        name: "table walks",
        unit: "% of cycles",
        factor: 100.0,
        part: |t| t.walk_stall_cycles,
        whole: |t| t.cycles,
    },
    Rate {
        name: "write buffer stalls",
        unit: "% of cycles",
        factor: 100.0,
        part: |t| t.write_buffer_stall_cycles,
        whole: |t| t.cycles,
    },
    Rate {
        name: "instructions",
        unit: "a cycle",
        factor: 1.0,
        part: |t| t.instructions,
        whole: |t| t.cycles,
    },
];

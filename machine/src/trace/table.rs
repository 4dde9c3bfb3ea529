// SPDX-License-Identifier: Apache-2.0
//! What a timeline takes from the counters: which are maintenance, and which rates are sampled.

use crate::counters::{Counter, Tally};

/// What maintenance counts.
pub const OPERATIONS: &[Counter] = &[
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
        part: |t| t.icache.misses,
        whole: |t| t.icache.accesses,
    },
    Rate {
        name: "data cache misses",
        unit: "% of accesses",
        factor: 100.0,
        part: |t| t.dcache.read_misses + t.dcache.write_misses,
        whole: |t| t.dcache.reads + t.dcache.writes,
    },
    Rate {
        name: "instruction TLB misses",
        unit: "% of fetches",
        factor: 100.0,
        part: |t| t.itlb.misses,
        whole: |t| t.itlb.accesses,
    },
    Rate {
        name: "data TLB misses",
        unit: "% of accesses",
        factor: 100.0,
        part: |t| t.dtlb.misses,
        whole: |t| t.dtlb.accesses,
    },
    Rate {
        name: "line fills",
        unit: "% of cycles",
        factor: 100.0,
        part: |t| t.stall.fill,
        whole: |t| t.run.cycles,
    },
    Rate {
        name: "table walks",
        unit: "% of cycles",
        factor: 100.0,
        part: |t| t.stall.walk,
        whole: |t| t.run.cycles,
    },
    Rate {
        name: "write buffer stalls",
        unit: "% of cycles",
        factor: 100.0,
        part: |t| t.stall.write_buffer,
        whole: |t| t.run.cycles,
    },
    Rate {
        name: "instructions",
        unit: "a cycle",
        factor: 1.0,
        part: |t| t.run.instructions,
        whole: |t| t.run.cycles,
    },
];

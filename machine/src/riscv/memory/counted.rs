// SPDX-License-Identifier: Apache-2.0
//! What this architecture counts beside what all do.

use crate::counters::{Counter, OWN};

/// The place among what this architecture counts of walks: misses in both levels of TLBs.
pub const WALKS: usize = 0;
/// The place of writes of `satp`.
pub const SATP_WRITES: usize = 1;

/// What this architecture counts by itself.
pub const OWN_COUNTERS: &[Counter] = &[
    Counter {
        number: 2000,
        group: OWN,
        name: "table_walks",
        of: |tally| tally.own[WALKS],
    },
    Counter {
        number: 2001,
        group: OWN,
        name: "satp_writes",
        of: |tally| tally.own[SATP_WRITES],
    },
];

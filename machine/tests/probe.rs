// SPDX-License-Identifier: Apache-2.0
//! `include/probe.h` is the one fact that guests and simulator share: both write it down, and
//! this test compares them.

use std::collections::BTreeMap;
use std::path::Path;

use switchyard_machine::counters::Tally;
use switchyard_machine::dev::probe::{PROBE_BASE, PROBE_MAGIC, REGISTERS};

/// The numeric constants of the header.
fn header() -> BTreeMap<String, u32> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../include/probe.h");
    let text = std::fs::read_to_string(&file).expect("include/probe.h can be read");
    text.lines()
        .filter_map(|line| {
            let mut words = line.strip_prefix("#define")?.split_whitespace();
            let name = words.next()?.to_string();
            let value = words.next()?.trim_end_matches(['u', 'U']);
            let value = match value.strip_prefix("0x") {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => value.parse(),
            };
            Some((name, value.ok()?))
        })
        .collect()
}

#[test]
fn header_and_simulator_agree() {
    let mut header = header();
    assert_eq!(header.remove("PROBE_BASE_PA"), Some(PROBE_BASE));
    assert_eq!(header.remove("PROBE_ID_VALUE"), Some(PROBE_MAGIC));
    for (name, offset) in REGISTERS {
        assert_eq!(header.remove(*name), Some(*offset), "{name}");
    }
    // What is left are the numbers of counters.
    for (name, number) in header {
        let Some(counter) = name.strip_prefix("PROBE_COUNT_") else {
            panic!("{name} is not modelled");
        };
        let known = Tally::COUNTERS
            .iter()
            .find(|counter| counter.number == number);
        let known = known.map(|counter| counter.name);
        assert_eq!(known, Some(counter.to_lowercase().as_str()), "{name}");
    }
}

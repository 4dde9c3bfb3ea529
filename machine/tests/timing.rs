// SPDX-License-Identifier: Apache-2.0
//! Golden cycle counts: what small guests (`timing/*.S`) take on machine `sa1110`, against numbers
//! that `timing/golden.json` derives from the manual's tables and the machine file's constants.
//!
//! With `SWITCHYARD_TIMING_SHOW=1` (and `-- --nocapture`) the measured numbers are printed. Nothing
//! ever writes the golden ones: a change of timing changes them by hand, with its derivation.

use crate::support;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use switchyard_machine::machine::Stop;

/// One golden number.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Golden {
    /// Cycles.
    cycles: u32,
    /// The manual's section, or the machine file's, that says so.
    source: String,
    /// How the number follows from it.
    derivation: String,
}

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/timing"))
}

/// The golden numbers by guest and case.
fn golden() -> BTreeMap<String, BTreeMap<String, Golden>> {
    let text = std::fs::read_to_string(folder().join("golden.json")).expect("golden.json is there");
    serde_json::from_str(&text).expect("golden.json is well-formed")
}

/// The cases of a guest, in the order in which it measures them: the operands of its `begin` lines.
fn cases(guest: &str) -> Vec<String> {
    let text = std::fs::read_to_string(folder().join(format!("{guest}.S"))).expect("the guest");
    text.lines()
        .filter_map(|line| line.trim().strip_prefix("begin\t"))
        .map(str::to_string)
        .collect()
}

fn check(guest: &'static str) {
    let outcome = support::run("timing", guest, "sa1110");
    assert_eq!(outcome.stop, Stop::Exit(0), "{guest}.S");
    let names = cases(guest);
    assert_eq!(outcome.samples.len(), names.len(), "a sample a case");
    let mut golden = golden().remove(guest).expect("golden numbers of the guest");
    let show = std::env::var_os("SWITCHYARD_TIMING_SHOW").is_some();
    let mut wrong = Vec::new();
    for (name, measured) in names.iter().zip(outcome.samples) {
        if show {
            println!("{guest} {name}: {measured}");
        }
        match golden.remove(name) {
            None => wrong.push(format!("{name}: {measured} cycles, and no golden number")),
            Some(golden) if golden.cycles != measured => wrong.push(format!(
                "{name}: {measured} cycles instead of {} ({}: {})",
                golden.cycles, golden.source, golden.derivation
            )),
            Some(_) => {}
        }
    }
    wrong.extend(
        golden
            .keys()
            .map(|name| format!("{name}: nothing measures it")),
    );
    assert!(wrong.is_empty(), "{guest}.S:\n{}", wrong.join("\n"));
}

#[test]
fn pipeline() {
    check("pipeline");
}

#[test]
fn memory() {
    check("memory");
}

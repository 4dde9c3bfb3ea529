// SPDX-License-Identifier: Apache-2.0
//! The profile (`--profile`): its functions' cycles and waits are those that the counters count, also
//! where guests fault, flush and drain.

use crate::support;

use serde_json::Value;
use switchyard_machine::arm::Arm;
use switchyard_machine::counters::Tally;
use switchyard_machine::machine::Stop;
use switchyard_machine::observe::Observer;
use switchyard_machine::profile::{Cost, Profile};
use switchyard_machine::symbols::Symbols;

const REGION: u32 = 7;

/// A profile of guest `name`, and what the counters have of it.
fn profiled(name: &str, machine: &str) -> (Profile<Arm>, Tally) {
    let mut machine = support::loaded::<Option<Profile<Arm>>>("memory", name, machine);
    machine.counters().begin_region(REGION);
    let core = machine.core();
    let mut profile = Profile::new(Symbols::new(), true);
    Observer::restored(&mut profile, &core.mem);
    core.observer = Some(profile);
    assert_eq!(machine.run(10_000_000), Stop::Exit(0));
    let profile = machine.core().observer.take().expect("the profile");
    let all = machine.counters().regions()[&REGION].totals.sum();
    (profile, all)
}

/// What guest `name` took in all: by the profile's functions, and by the counters.
fn both(name: &str, machine: &str) -> ([u64; 5], [u64; 5]) {
    let (profile, all) = profiled(name, machine);
    let regions = serde_json::to_value(profile.regions()).unwrap();
    assert_eq!(regions[0]["region"], REGION, "{name}");
    let functions = regions[0]["functions"].as_array().unwrap().clone();
    assert!(functions
        .iter()
        .all(|f| f["name"] == "(kernel)" && f["kernel"] == true
            || f["name"] == "(user)" && f["kernel"] == false));
    // Who called whom: the same sums, however it is divided.
    let parts = profile.calls().unwrap().parts();
    assert_eq!(parts.len(), 1, "{name}");
    assert_eq!(parts[0].0, Some(REGION), "{name}");
    let mut called = Cost::default();
    parts[0].1.iter().for_each(|spent| called += spent.cost);
    let called = serde_json::to_value(called).unwrap();
    for (field, value) in called.as_object().unwrap() {
        let of = |f: &Value| f[field].as_u64().unwrap();
        let all: u64 = functions.iter().map(of).sum();
        assert_eq!(value.as_u64(), Some(all), "{name}: {field}");
    }
    let sum = |names: &[&str]| {
        let of = |f: &Value| -> u64 { names.iter().map(|n| f[n].as_u64().unwrap()).sum() };
        functions.iter().map(of).sum()
    };
    (
        [
            sum(&["cycles"]),
            sum(&["instructions"]),
            sum(&["fetch_fill_cycles", "data_fill_cycles"]),
            sum(&["fetch_walk_cycles", "data_walk_cycles"]),
            sum(&["write_buffer_cycles"]),
        ],
        [
            all.run.cycles - all.run.idle,
            // a fetch that aborts is counted, and is nobody's end
            all.run.instructions - all.abort.prefetch,
            all.stall.fill,
            all.stall.walk,
            all.stall.write_buffer,
        ],
    )
}

/// The rows of `--counts`: address, encoding, fetched, executed, cycles, both kinds of filling.
fn rows(profile: &Profile<Arm>) -> Vec<[u64; 7]> {
    let mut text = Vec::new();
    profile.write_counts(&mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let mut lines = text.lines();
    assert_eq!(
        lines.next().unwrap(),
        "region,kernel,address,encoding,fetched,executed,cycles,fetch_fill_cycles,data_fill_cycles"
    );
    let number = |field: &str| match field.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).unwrap(),
        None => field.parse().unwrap(),
    };
    let row = |line: &str| {
        let fields: Vec<u64> = line.split(',').map(number).collect();
        assert_eq!(fields[0], u64::from(REGION));
        assert!(fields[1] <= 1);
        fields[2..].try_into().unwrap()
    };
    lines.map(row).collect()
}

#[test]
fn counts_are_of_instructions_and_say_how_often_branches_were_taken() {
    let (profile, _) = profiled("domain", "sa1110");
    let rows = rows(&profile);
    let sum = |column: usize| rows.iter().map(|row| row[column]).sum::<u64>();
    let functions = serde_json::to_value(profile.regions()).unwrap();
    let functions = functions[0]["functions"].as_array().unwrap().clone();
    for (column, name) in [
        (2, "instructions"),
        (4, "cycles"),
        (5, "fetch_fill_cycles"),
        (6, "data_fill_cycles"),
    ] {
        let all: u64 = functions.iter().map(|f| f[name].as_u64().unwrap()).sum();
        assert_eq!(sum(column), all, "{name}");
    }
    assert!(
        rows.iter().all(|row| row[3] <= row[2]),
        "executed but not fetched"
    );
    assert!(rows.is_sorted_by_key(|row| row[0]));
    // What follows a branch is fetched as often as the branch was not taken, and more where others
    // come to it; what is fetched under no condition is executed.
    let fetched = |address: u64| {
        rows.iter()
            .find(|row| row[0] == address)
            .map_or(0, |row| row[2])
    };
    let mut both_ways = 0;
    for row in &rows {
        let (condition, is_branch) = (row[1] >> 28, row[1] >> 24 & 15 == 10);
        if condition == 14 {
            assert_eq!(row[2], row[3], "{:#x}", row[0]);
        } else if is_branch {
            assert!(fetched(row[0] + 4) >= row[2] - row[3], "{:#x}", row[0]);
            both_ways += usize::from(0 < row[3] && row[3] < row[2]);
        }
    }
    assert!(both_ways > 0, "no branch went both ways");
}

#[test]
fn a_profile_leaves_nothing_out() {
    let mut waited = [0; 5];
    for guest in [
        "dirty_unmap",
        "domain",
        "homonym",
        "mini_cache",
        "pid_change",
        "read_buffer",
        "stale_instruction",
    ] {
        let (profiled, counted) = both(guest, "sa1110");
        assert_eq!(profiled, counted, "{guest}");
        for (sum, one) in waited.iter_mut().zip(profiled) {
            *sum += one;
        }
    }
    assert!(waited.iter().all(|&cycles| cycles > 0), "{waited:?}");
}

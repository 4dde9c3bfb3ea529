// SPDX-License-Identifier: Apache-2.0
//! The profile (`--profile`): its functions' cycles and waits are those that the counters count, also
//! where guests fault, flush and drain.

use crate::support;

use serde_json::Value;
use switchyard_machine::machine::Stop;
use switchyard_machine::profile::Profile;
use switchyard_machine::symbols::Symbols;

const REGION: u32 = 7;

/// What guest `name` took in all: by the profile's functions, and by the counters.
fn both(name: &str, machine: &str) -> ([u64; 5], [u64; 5]) {
    let mut machine = support::loaded::<Option<Profile>>("memory", name, machine);
    machine.counters().begin_region(REGION);
    let core = machine.core();
    let mut profile = Profile::new(Symbols::new());
    switchyard_machine::arm::observe::Observer::restored(&mut profile, &core.mem);
    core.observer = Some(profile);
    assert_eq!(machine.run(10_000_000), Stop::Exit(0));
    let profile = machine.core().observer.take().expect("the profile");
    let regions = serde_json::to_value(profile.regions()).unwrap();
    assert_eq!(regions[0]["region"], REGION, "{name}");
    let functions = regions[0]["functions"].as_array().unwrap().clone();
    assert!(functions
        .iter()
        .all(|f| f["name"] == "(kernel)" && f["kernel"] == true
            || f["name"] == "(user)" && f["kernel"] == false));
    let sum = |names: &[&str]| {
        let of = |f: &Value| -> u64 { names.iter().map(|n| f[n].as_u64().unwrap()).sum() };
        functions.iter().map(of).sum()
    };
    let all = machine.counters().regions()[&REGION].totals.sum();
    (
        [
            sum(&["cycles"]),
            sum(&["instructions"]),
            sum(&["fetch_fill_cycles", "data_fill_cycles"]),
            sum(&["fetch_walk_cycles", "data_walk_cycles"]),
            sum(&["write_buffer_cycles"]),
        ],
        [
            all.cycles - all.idle_cycles,
            // a fetch that aborts is counted, and is nobody's end
            all.instructions - all.exception_prefetch_abort,
            all.fill_stall_cycles,
            all.walk_stall_cycles,
            all.write_buffer_stall_cycles,
        ],
    )
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

// SPDX-License-Identifier: Apache-2.0
//! Memory behaviour that a kernel for a virtually-tagged processor must live with, one small guest
//! each (`memory/*.S`, whose first comment says what the hardware does). A guest checks itself; the
//! number of the check that failed is its exit status.

use crate::support;

use switchyard_machine::machine::Stop;

fn passes(name: &str) {
    for machine in ["sa1110", "sa1110-sdram"] {
        let outcome = support::run("memory", name, machine);
        assert_eq!(
            outcome.stop,
            Stop::Exit(0),
            "{name}.S on {machine}: check {:?} (200 and up: an exception); \
             found and expected: {:#x?}",
            outcome.stop,
            outcome.samples,
        );
    }
}

/// The machine `sa1110` with other text at some places, in a file of its own.
fn machine_with(name: &str, changes: &[(&str, &str)]) -> String {
    // Without the ranges of assumed constants, which other values leave.
    let text = include_str!("../machines/sa1110.toml");
    let mut text = text.split("[assumed]").next().unwrap_or(text).to_string();
    for (from, to) in changes {
        assert!(text.contains(from), "{from:?} is not in the machine file");
        text = text.replace(from, to);
    }
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.toml"));
    std::fs::write(&file, text).expect("the test's own file");
    file.to_str().expect("a plain path").to_string()
}

/// What the checks of machine files let through, the model can do, from the least to the most.
#[test]
fn machines_at_the_limits_run() {
    let least = machine_with(
        "least",
        &[
            ("size-bytes = 16384\nways = 32", "size-bytes = 32\nways = 1"),
            ("size-bytes = 8192\nways = 32", "size-bytes = 32\nways = 1"),
            ("size-bytes = 512\nways = 2", "size-bytes = 32\nways = 1"),
            ("entries = 32", "entries = 1"),
            ("entries = 8", "entries = 1"),
            ("ram-bytes = 0x0200_0000", "ram-bytes = 0x0040_0000"),
            (
                "multiply-bits-per-cycle = 12",
                "multiply-bits-per-cycle = 1",
            ),
            ("read-first = 22", "read-first = 0"),
            ("device = 10", "device = 0"),
        ],
    );
    let most = machine_with(
        "most",
        &[
            (
                "size-bytes = 16384\nways = 32",
                "size-bytes = 16777216\nways = 128",
            ),
            (
                "size-bytes = 8192\nways = 32",
                "size-bytes = 16777216\nways = 128",
            ),
            (
                "size-bytes = 512\nways = 2",
                "size-bytes = 16777216\nways = 128",
            ),
            ("entries = 32", "entries = 256"),
            ("entries = 8", "entries = 1024"),
            ("ram-bytes = 0x0200_0000", "ram-bytes = 0x2000_0000"),
            (
                "multiply-bits-per-cycle = 12",
                "multiply-bits-per-cycle = 32",
            ),
            ("clock-hz = 200_000_000", "clock-hz = 10_000_000_000"),
            ("read-first = 22", "read-first = 1000"),
            ("exception-entry = 2", "exception-entry = 1000"),
        ],
    );
    // A cache of one line forgets at once, one of 16 MB is not cleaned by 8 KB: some checks of the
    // guests rightly fail. The guests still run to their end.
    for machine in [least, most] {
        for guest in ["homonym", "dirty_unmap", "mini_cache", "write_buffer"] {
            let outcome = support::run("memory", guest, &machine);
            assert!(
                matches!(outcome.stop, Stop::Exit(0..=99)),
                "{guest}.S on {machine}: {:?}",
                outcome.stop
            );
        }
    }
}

macro_rules! guests {
    ($($name:ident),+ $(,)?) => { $(#[test] fn $name() { passes(stringify!($name)); })+ };
}

guests!(
    synonym,
    homonym,
    stale_instruction,
    dirty_unmap,
    pid_change,
    domain,
    subpage,
    write_buffer,
    mini_cache,
    read_buffer,
);

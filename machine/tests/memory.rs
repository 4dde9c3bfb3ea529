// SPDX-License-Identifier: Apache-2.0
//! Memory behaviour that a kernel for a virtually-tagged processor must live with, one small guest
//! each (`memory/*.S`, whose first comment says what the hardware does). A guest checks itself; the
//! number of the check that failed is its exit status.

mod support;

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

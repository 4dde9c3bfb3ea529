// SPDX-License-Identifier: Apache-2.0
//! Builds and runs the assembly guests of `memory/`, `timing/` and `coherence/`.

pub mod versatile;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use switchyard_machine::arch::Processor as _;
use switchyard_machine::arm::cpu::Observer;
use switchyard_machine::arm::memory::memsys::MemSys;
use switchyard_machine::arm::watch::ideal::Checker;
use switchyard_machine::arm::Machine;
use switchyard_machine::check::Finding;
use switchyard_machine::config::MachineConfig;
use switchyard_machine::counters::{Counter, Tally};
use switchyard_machine::loader::Boot;
use switchyard_machine::machine::Stop;
use switchyard_machine::registry::{self, Registry};
use switchyard_machine::symbols::Symbols;

/// More cycles than any of these guests needs.
const LIMIT: u64 = 10_000_000;

/// How a guest ended, and the samples that it left.
pub struct Outcome {
    /// Why the run stopped.
    pub stop: Stop,
    /// Samples of stream 0.
    pub samples: Vec<u32>,
}

fn root() -> &'static Path {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests
        .ancestors()
        .nth(2)
        .expect("machine/tests is in the repository")
}

/// `SWITCHYARD_CC`, else the compiler that `make setup` has put into `.venv`.
fn compiler() -> String {
    std::env::var("SWITCHYARD_CC").unwrap_or_else(|_| {
        let python = root().join(".venv/bin/python");
        format!("{} -m ziglang cc", python.display())
    })
}

/// Builds all guests, once a process; returns where those of `directory` are.
fn build(directory: &str) -> PathBuf {
    static DONE: OnceLock<Result<(), String>> = OnceLock::new();
    let out = root().join("build/guests/tests");
    let done = DONE.get_or_init(|| make(&out));
    if let Err(message) = done {
        panic!("building the guests failed:\n{message}");
    }
    out.join(directory)
}

fn make(out: &Path) -> Result<(), String> {
    std::fs::create_dir_all(out).map_err(|error| error.to_string())?;
    write_counters(&out.join("counters.h"));
    let done = Command::new("make")
        .arg("-s")
        .arg("-C")
        .arg(root().join("machine/tests"))
        .arg(format!("OUT={}", out.display()))
        .arg(format!("CC={}", compiler()))
        .output()
        .map_err(|error| format!("make: {error}"))?;
    if done.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&done.stderr).into_owned())
}

/// The numbers of the machine's counters as assembly sees them, written only when they change so
/// that make need not build again.
fn write_counters(file: &Path) {
    let mut text = String::from("/* Written by machine/tests/support/mod.rs. */\n");
    for Counter { number, name, .. } in Tally::COUNTERS {
        text += &format!("#define COUNTER_{name} {number}\n");
    }
    if std::fs::read_to_string(file).is_ok_and(|old| old == text) {
        return;
    }
    std::fs::write(file, text).expect("build/ can be written");
}

/// Runs guest `name` of `directory` on `machine`.
pub fn run(directory: &str, name: &str, machine: &str) -> Outcome {
    let (mut machine, stop) = run_watched(directory, name, machine, |_| ());
    assert!(
        machine.core().diagnostics.is_empty(),
        "{name} does UNPREDICTABLE things: {:x?}",
        machine.core().diagnostics
    );
    let samples = machine.bus().host.samples.remove(&0).unwrap_or_default();
    Outcome { stop, samples }
}

/// What the coherence checker finds in a run of guest `name` of `directory`.
pub fn check(directory: &str, name: &str, machine: &str) -> Vec<Finding> {
    let (mut machine, stop) = run_watched(directory, name, machine, |memory| {
        Some(Checker::new(memory))
    });
    assert_eq!(stop, Stop::Exit(0), "{name} under the checker");
    let checker = machine.core().observer.as_ref();
    checker.map_or_else(Vec::new, |c| c.findings().cloned().collect())
}

/// What the checker says of a run, with the names of the guest's labels.
pub fn findings(directory: &str, name: &str, machine: &str) -> Vec<String> {
    let found = check(directory, name, machine);
    let mut symbols = Symbols::new();
    let guest = build(directory).join(format!("{name}.elf"));
    symbols.add(&guest).expect("guests have labels");
    let text = found.iter().map(|f| f.told(&symbols).to_string());
    text.collect()
}

/// Runs a guest under the observer that `observer` makes once memory is loaded.
fn run_watched<O: Observer + Default>(
    directory: &str,
    name: &str,
    machine: &str,
    observer: impl FnOnce(&mut MemSys) -> O,
) -> (Machine<O>, Stop) {
    let mut machine = loaded(directory, name, machine);
    let core = machine.core();
    core.observer = observer(&mut core.mem);
    let stop = machine.run(LIMIT);
    (machine, stop)
}

/// A machine with guest `name` of `directory` in its memory.
pub fn loaded<O: Observer + Default>(directory: &str, name: &str, machine: &str) -> Machine<O> {
    let kernel = build(directory).join(format!("{name}.elf"));
    let config = MachineConfig::find(machine).expect("a built-in machine");
    let board = registry::board(&config.board).expect("its board");
    let parts = (board.parts)(config.ram_bytes);
    let mut machine = Machine::new(&config, parts, O::default());
    let boot = Boot {
        kernel: &kernel,
        append: None,
        initrd: None,
        dtb: None,
        load_address: None,
        bios: None,
    };
    let start = Registry::every()
        .load(&boot, &config, board, machine.bus())
        .expect("the guest can be loaded");
    machine.core().start(start.pc, &start.registers);
    machine
}

/// The same machine as reset leaves it, with nothing in its memory.
pub fn empty<O: Observer + Default>(machine: &str) -> Machine<O> {
    let config = MachineConfig::find(machine).expect("a built-in machine");
    let board = registry::board(&config.board).expect("its board");
    Machine::new(&config, (board.parts)(config.ram_bytes), O::default())
}

// SPDX-License-Identifier: Apache-2.0
//! The face of an architecture, with a processor that is no ARM ([`crate::smallest_architecture`]): run
//! loop, devices, reports and saved machines need no more of one than `trait Processor` says, debuggers
//! no more than `Debugged`, log, profile, timeline, windows, watchpoints and a checker no more than
//! `Architecture`, and who chooses a machine no more than a list of architectures.

use std::path::Path;

use serde_json::json;
use switchyard_machine::arch::{Architecture, Processor};
use switchyard_machine::check::Checker;
use switchyard_machine::config::MachineConfig;
use switchyard_machine::dev::probe::PROBE_BASE;
use switchyard_machine::event::Cycle;
use switchyard_machine::gdb::{self, Recorded};
use switchyard_machine::list;
use switchyard_machine::loader::Boot;
use switchyard_machine::log::Log;
use switchyard_machine::machine::{Machine, Stop};
use switchyard_machine::machine_file;
use switchyard_machine::observe::Observer;
use switchyard_machine::profile::Profile;
use switchyard_machine::registry::{List, Registry, Task};
use switchyard_machine::report::{self, ConsoleTail, End};
use switchyard_machine::snapshot::{self, Saved};
use switchyard_machine::symbols::Symbols;
use switchyard_machine::trace::Trace;
use switchyard_machine::vectors::Caches;
use switchyard_machine::watchers::Watchers;
use switchyard_machine::window::moment::{Moment, Way};
use switchyard_machine::window::{Plan, Window};

use crate::smallest_architecture::board::START;
use crate::smallest_architecture::checker::Same;
use crate::smallest_architecture::observe::ADDITIONS_NUMBER;
use crate::smallest_architecture::processor::{Adder, ADD, BACK, EXIT, PUT, SLEEP, TRAP};
use crate::smallest_architecture::Sums;

/// The architectures that there are: the registry's line.
type Here = list![Sums];

/// The machine.
const MACHINE: &str = "sums";

fn config() -> MachineConfig {
    machine_file::find(&Registry::of::<Here>(), MACHINE).unwrap()
}

/// A machine with a program that begins with a sum of 3.
fn machine(program: &[u32]) -> Machine<Adder<()>> {
    watched(program, ())
}

/// A machine with a program, under an observer.
fn watched<O: Observer<Sums>>(program: &[u32], observer: O) -> Machine<Adder<O>> {
    booted(&config(), program, observer)
}

/// A machine of `config` whose program the registry's loader has put into memory.
fn booted<P: Processor>(
    config: &MachineConfig,
    program: &[u32],
    observer: P::Observer,
) -> Machine<P> {
    let registry = Registry::of::<Here>();
    let board = registry.board(config, Path::new(MACHINE)).unwrap();
    let mut machine = Machine::<P>::new(config, (board.parts)(config.ram_bytes), observer);
    let thread = std::thread::current().id();
    let file = format!("switchyard-sums-{}-{thread:?}", std::process::id());
    let file = std::env::temp_dir().join(file);
    let image: Vec<u8> = program.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(&file, image).unwrap();
    let boot = Boot {
        kernel: &file,
        append: None,
        initrd: None,
        dtb: None,
        load_address: None,
        bios: None,
    };
    let start = registry.load(&boot, config, board, machine.bus());
    let _ = std::fs::remove_file(&file);
    let start = start.unwrap();
    machine.core().start(start.pc, &start.registers);
    machine
}

/// A program to be run on whatever architecture a machine file is of.
struct Running<'a>(&'a MachineConfig, &'a [u32]);

impl Task for Running<'_> {
    type Output = Stop;

    fn on<A: Architecture>(self) -> Stop {
        let watchers = Watchers::<Vec<u8>, A>::none();
        booted::<A::Core<_>>(self.0, self.1, watchers).run(Cycle::MAX)
    }
}

#[test]
fn a_line_in_a_list_brings_machine_files_loader_board_and_processor() {
    let config = config();
    let stop = Here::dispatch(&config, Running(&config, &GREETING)).ok();
    assert_eq!(stop, Some(Stop::Exit(42)));
    // Half as fast, as its own field of the machine file says.
    let registry = Registry::of::<Here>();
    let parse = |text: &str| {
        let parsed = machine_file::parse(&registry, Path::new("m.toml"), text);
        parsed.map_err(|error| error.to_string())
    };
    let text = config.text.replace("operation = 1", "operation = 2");
    let mut slow = booted::<Adder<()>>(&parse(&text).unwrap(), &GREETING, ());
    assert_eq!((slow.run(Cycle::MAX), slow.cycles()), (Stop::Exit(42), 10));
    for (from, to, line) in [
        (
            "operation = 1",
            "operation = 0",
            "m.toml: processor.operation: 0; expected a number from 1 to 100",
        ),
        (
            "\"adder\"",
            "\"sa1110\"",
            "m.toml: line 9: processor.core: unknown variant `sa1110`; expected one of `adder`",
        ),
    ] {
        assert_eq!(parse(&config.text.replace(from, to)).unwrap_err(), line);
    }
    let board = config.text.replace("desk", "assabet");
    let error = registry.board(&parse(&board).unwrap(), Path::new("m.toml"));
    let line = "m.toml: board: unknown board \"assabet\"; expected desk";
    assert_eq!(error.unwrap_err().to_string(), line);
    let board = registry.board(&config, Path::new(MACHINE)).unwrap();
    let parts = (board.parts)(config.ram_bytes);
    let (input, output) = (&mut &b""[..], &mut Vec::new());
    let answered = registry.answer_vectors(&config, parts, Caches::Off, input, output);
    assert_eq!(
        answered.unwrap_err(),
        "vectors: sums answers none; expected another machine"
    );
}

/// Who does not have the architecture gives the task back.
#[test]
fn another_list_does_not_know_it() {
    let config = config();
    assert!(<()>::dispatch(&config, Running(&config, &GREETING)).is_err());
}

const GREETING: [u32; 5] = [ADD | 4, PUT | 0x68, PUT | 0x69, ADD | 35, EXIT];

#[test]
fn a_program_runs_to_its_end() {
    let mut machine = machine(&GREETING);
    assert_eq!(machine.run(3), Stop::Budget);
    assert_eq!(
        (machine.cycles(), machine.core().pc()),
        (3, u64::from(START) + 12)
    );
    assert_eq!(machine.run(Cycle::MAX), Stop::Exit(42));
    assert_eq!(machine.bus().host.output, b"hi");
    let config = config();
    let end = End::new(Stop::Exit(42), machine.cycles());
    let statistics = report::statistics(&config, &mut machine, &end, None, None);
    let statistics: serde_json::Value = serde_json::from_str(&statistics).unwrap();
    assert_eq!(statistics["cycles"], 5);
    assert_eq!(statistics["counters"]["kernel"]["cycles"], 5);
    assert_eq!(statistics["counters"]["kernel"]["additions"], 2);
    let counters = machine.counters();
    let additions = counters.numbered(ADDITIONS_NUMBER).unwrap();
    assert_eq!((additions.of)(&counters.totals().sum()), 2);
}

#[test]
fn a_saved_machine_goes_on() {
    let mut first = machine(&GREETING);
    assert_eq!(first.run(2), Stop::Budget);
    let mut file = Vec::new();
    snapshot::save(&mut first, &mut file).unwrap();
    let mut second = machine(&[]);
    let saved = Saved::open(&file[..]).unwrap();
    saved.restore(&mut second).unwrap();
    assert_eq!(second.run(Cycle::MAX), Stop::Exit(42));
    assert_eq!(second.cycles(), 5);
    assert_eq!(second.bus().host.output, b"hi");
}

#[test]
fn one_that_cannot_go_on_is_described() {
    let mut asleep = machine(&[ADD | 1, SLEEP]);
    let Stop::Hung(why) = asleep.run(Cycle::MAX) else {
        panic!("it sleeps, and nothing can wake it");
    };
    assert!(why.starts_with("waits at 0xc0000008"), "{why}");
    let text = report::state(&mut asleep, &ConsoleTail::default());
    assert!(text.starts_with("  sum 4\n  cycle 2\n"), "{text}");

    let mut dead = machine(&[ADD | 1, 0x7700_0000]);
    let died = "no operation 0x77000000".to_string();
    assert_eq!(dead.run(Cycle::MAX), Stop::Died(died));
}

#[test]
fn every_observer_watches_it() {
    let program = [ADD | 4, TRAP | 12, EXIT, ADD | 1, BACK];
    let mut machine = watched(&program, Watchers::<Vec<u8>, Sums>::none());
    machine.counters().begin_region(1);
    let core = machine.core();
    let (memory, watchers) = core.parts();
    let checker = Same::new(memory);
    watchers.log = Some(Log::new(Vec::new(), Symbols::new()));
    watchers.trace = Some(Trace::new(Vec::new(), MACHINE, 1_000_000, Symbols::new()));
    watchers.profile = Some(Profile::new(Symbols::new(), true));
    watchers.checker = Some(checker);
    let moment = |text: &str| Moment::parse(text, &Symbols::new()).unwrap();
    let plan = Plan {
        from: Way::new(vec![moment("0xc000000c")]),
        having: Way::new(Vec::new()),
        to: Way::new(vec![moment("0xc0000008")]),
        most: 100,
    };
    watchers.window = Some(Window::new(MACHINE, 1_000_000, plan));
    core.show_restored();
    // The last instruction is another from here on, and nobody has stored it.
    let behind = machine.bus().ram_slice_mut(START + 12, 4).unwrap();
    behind.copy_from_slice(&(ADD | 2).to_le_bytes());
    assert_eq!(machine.run(Cycle::MAX), Stop::Exit(9));

    let Watchers {
        log,
        trace,
        profile,
        checker,
        window,
        ..
    } = machine.core().observer();
    let log = String::from_utf8(log.take().unwrap().into_inner()).unwrap();
    assert_eq!(
        log.lines().collect::<Vec<_>>(),
        [
            "1 c0000000 16777220 sum=00000007",
            "2 c0000004 83886092",
            "3 c000000c 16777218 sum=00000009",
            "4 c0000010 100663296",
            "5 c0000008 50331648",
        ]
    );
    let mut trace = trace.take().unwrap();
    trace.finish(5).unwrap();
    let trace = trace.into_inner();
    for name in ["trap", "space", "the only one", "(kernel)"] {
        let name = name.as_bytes();
        assert!(trace.windows(name.len()).any(|text| text == name));
    }
    let regions = serde_json::to_value(profile.as_ref().unwrap().regions()).unwrap();
    assert_eq!(regions[0]["functions"][0]["cycles"], 5);
    let found = checker.as_ref().unwrap().findings();
    let found: Vec<_> = found.iter().map(|f| (f.cause, f.mva, f.values)).collect();
    assert_eq!(
        found,
        [("changed", u64::from(START) + 12, (ADD | 2, ADD | 1))]
    );
    let mut file = Vec::new();
    window.as_ref().unwrap().write(&mut file).unwrap();
    let window: serde_json::Value = serde_json::from_slice(&file).unwrap();
    assert_eq!(window["complete"], true);
    let own = window["counters"].as_array().unwrap().len() - 1;
    assert_eq!(window["counters"][own], "additions");
    assert_eq!(window["start"]["cycle"], 2);
    assert_eq!(window["start"]["places"], json!([[0, 0, START, ADD | 4]]));
    assert_eq!(
        window["steps"],
        json!([
            {"cycle": 3, "pc": START + 12, "code": (ADD | 2).to_string(), "counted": [[own, 1]], "registers": [[0, 9]]},
            {"cycle": 4, "pc": START + 16, "code": BACK.to_string()},
        ])
    );
}

#[test]
fn a_debugger_debugs_it() {
    let mut machine = watched(&[ADD | 0x12_3456, PUT | 0x68, EXIT], gdb::Watch::default());
    let store = format!("Z2,{PROBE_BASE:x},1000");
    let asked = [
        "vCont;s",
        "p0",
        "qRcmd,73756d",
        &store,
        "vCont;c",
        "p1",
        "bs",
        "bs",
        "p1",
    ];
    let packet = |text: &str| {
        let sum = text.bytes().fold(0u8, u8::wrapping_add);
        format!("+${text}#{sum:02x}").into_bytes()
    };
    let bytes = asked.iter().flat_map(|text| packet(text)).collect();
    let mut script = Recorded::new(bytes);
    let mut between = |_: &mut Machine<_>, stop| (stop != Stop::Budget).then_some(stop);
    gdb::converse(&mut script, &mut machine, 100, &mut between, None);
    let said = String::from_utf8_lossy(&script.answer).into_owned();
    let mut rest = said.as_str();
    // stepped; the sum, 64 bits; the same in decimal; stopped after the store (`0* ` is four zeros);
    // and back at the beginning
    let stopped = ["S05", "$593412", "31313933", "watch:", "$080* c0"];
    for answer in stopped.into_iter().chain(["S05", "S05", "$0*\"c0"]) {
        let at = rest.find(answer);
        let at = at.unwrap_or_else(|| panic!("no {answer} in {rest}, of {said}"));
        rest = &rest[at + answer.len()..];
    }
}

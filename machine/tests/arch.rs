// SPDX-License-Identifier: Apache-2.0
//! The face of an architecture, with a processor that is no ARM: run loop, devices, reports and
//! saved machines need no more of one than `trait Processor` says, debuggers no more than `Debugged`,
//! log, profile, timeline, windows, watchpoints and a checker no more than `Architecture`.

use serde_json::json;
use switchyard_machine::arch::{
    Architecture, Dead, Debugged, DiagnosticCount, Processor, Register,
};
use switchyard_machine::board;
use switchyard_machine::bus::Bus;
use switchyard_machine::check::{Checker, Finding, Findings, Shadow, Writer};
use switchyard_machine::config::MachineConfig;
use switchyard_machine::counters::{Counter, Tally};
use switchyard_machine::dev::probe::{PROBE_BASE, REGISTERS};
use switchyard_machine::dev::{Mark, Width};
use switchyard_machine::event::Cycle;
use switchyard_machine::gdb::{self, Recorded};
use switchyard_machine::log::Log;
use switchyard_machine::machine::{Machine, Stop};
use switchyard_machine::observe::{Access, Commit, Memory, Observed, Observer, SystemAccess};
use switchyard_machine::platform::Platform;
use switchyard_machine::profile::calls::Calling;
use switchyard_machine::profile::Profile;
use switchyard_machine::report::{self, ConsoleTail, End};
use switchyard_machine::snapshot::{self, Saved};
use switchyard_machine::state::{Damaged, Restorer, Saver, State};
use switchyard_machine::symbols::Symbols;
use switchyard_machine::trace::{Exception, Rate, Timeline, Trace};
use switchyard_machine::watchers::Watchers;
use switchyard_machine::window::moment::{Moment, Way};
use switchyard_machine::window::{Plan, Row, Table, Window, Windowed};

/// Where programs stand: the board's SDRAM.
const START: u32 = 0xc000_0000;
/// The machine whose board, clock and memory the processor has.
const MACHINE: &str = "sa1110";

/// Operations, in the top byte of an instruction; the rest is the operand. Each takes a cycle.
const ADD: u32 = 1 << 24;
const PUT: u32 = 2 << 24;
const EXIT: u32 = 3 << 24;
const SLEEP: u32 = 4 << 24;
/// An exception, whose handler is so far behind the start; and the return from it.
const TRAP: u32 = 5 << 24;
const BACK: u32 = 6 << 24;

/// The architecture.
#[derive(Debug)]
enum Sums {}

/// Its memory system: no caches, no translation.
struct Words {
    platform: Platform,
}

/// A processor with a sum.
struct Adder<O> {
    memory: Words,
    pc: u32,
    sum: u32,
    /// Where the last exception came from.
    from: u32,
    sleeps: bool,
    dead: Option<Dead>,
    synced: Cycle,
    observer: O,
}

impl<O: Observer<Sums>> Adder<O> {
    fn access(&self, pc: u32, va: u32) -> Access {
        Access {
            cycle: self.memory.platform.cycle,
            pc,
            va,
            bytes: 4,
            privileged: true,
        }
    }

    fn step(&mut self) {
        let pc = self.pc;
        let insn = self.memory.platform.bus.read_memory_word(pc);
        let insn = insn.expect("programs end before their memory does");
        let operand = insn & 0x00ff_ffff;
        self.pc += 4;
        self.memory.platform.cycle += 1;
        let fetch = self.access(pc, pc);
        self.memory.platform.counters.fetches += 1;
        self.observer.fetched(&self.memory, &fetch, insn);
        match insn - operand {
            ADD => self.sum += operand,
            PUT => self.tell("PROBE_PUTC", operand),
            EXIT => self.tell("PROBE_EXIT", self.sum),
            SLEEP => {
                self.sleeps = true;
                self.memory.platform.horizon = 0;
                let (what, sleeps) = ((), true);
                let access = SystemAccess { pc, what, sleeps };
                self.observer.operated(&self.memory, &access);
            }
            TRAP => {
                self.from = self.pc;
                self.pc = START + operand;
                self.observer.entered(&self.memory, &self.from);
            }
            BACK => self.pc = self.from,
            _ => {
                self.dead = Some(Dead::Died(format!("no operation {insn:#010x}")));
                self.memory.platform.horizon = 0;
            }
        }
        self.observer.commit(&Commit {
            cycle: self.memory.platform.cycle,
            pc,
            code: insn,
            executed: true,
            next_pc: self.pc,
            mode: 0,
            registers: &[self.sum],
            status: 0,
            memory: &self.memory,
        });
    }

    fn tell(&mut self, register: &str, value: u32) {
        let (_, offset) = REGISTERS
            .iter()
            .find(|(name, _)| *name == register)
            .unwrap();
        self.sync_counters();
        let va = PROBE_BASE + offset;
        assert!(self.memory.platform.write(va, value, Width::Word));
        let store = self.access(self.pc - 4, va);
        self.observer.stored(&self.memory, &store, value);
    }
}

impl<O: Observer<Sums>> State for Adder<O> {
    fn save(&self, to: &mut Saver) {
        self.memory.platform.save(to);
        to.put(&(self.pc, self.sum, self.from, self.sleeps, self.synced));
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        self.memory.platform.restore(from)?;
        (self.pc, self.sum, self.from, self.sleeps, self.synced) = from.take()?;
        Ok(())
    }
}

impl<O: Observer<Sums>> Processor for Adder<O> {
    type Observer = O;

    const COUNTER_GROUPS: &'static [&'static str] = &["run"];

    fn new(_config: &MachineConfig, bus: Bus, observer: O) -> Self {
        let platform = Platform::new(bus);
        Self {
            memory: Words { platform },
            pc: 0,
            sum: 0,
            from: 0,
            sleeps: false,
            dead: None,
            synced: 0,
            observer,
        }
    }

    fn platform(&self) -> &Platform {
        &self.memory.platform
    }

    fn platform_mut(&mut self) -> &mut Platform {
        &mut self.memory.platform
    }

    fn sync_counters(&mut self) {
        let platform = &mut self.memory.platform;
        platform.counters.now.run.cycles += platform.cycle - self.synced;
        self.synced = platform.cycle;
    }

    fn start(&mut self, pc: u32, registers: &[u32]) {
        self.pc = pc;
        self.sum = registers.iter().sum();
    }

    fn pc(&self) -> u32 {
        self.pc
    }

    fn run_to_horizon(&mut self) {
        while self.memory.platform.cycle < self.memory.platform.horizon {
            self.step();
        }
    }

    fn empty_caches(&mut self) {}

    fn poll_interrupts(&mut self) {
        self.sleeps &= !self.memory.platform.bus.pins.wake;
    }

    fn waits_for_interrupt(&self) -> bool {
        self.sleeps
    }

    fn take_dead(&mut self) -> Option<Dead> {
        self.dead.take()
    }

    fn diagnostics(&self) -> Vec<DiagnosticCount> {
        Vec::new()
    }

    fn describe(&self) -> String {
        format!("  sum {}\n", self.sum)
    }

    fn cache_bytes(&self) -> u64 {
        0
    }

    fn observer(&mut self) -> &mut O {
        &mut self.observer
    }

    fn show_marks(&mut self, marks: &[Mark]) {
        self.observer.marked(marks);
    }

    fn show_restored(&mut self) {
        self.observer.restored(&self.memory);
    }
}

impl<O: Observer<Sums>> Debugged for Adder<O> {
    type Place = usize;
    const PC: usize = 1;
    const WATCHES_BEFORE: bool = false;
    const MONITOR_HELP: &'static str = "monitor sum\n";

    fn architecture(&self) -> &'static str {
        "sums"
    }

    fn registers(&self) -> Vec<Register<usize>> {
        let register = |(place, name, bits): (usize, &str, u32)| Register {
            name: name.to_string(),
            bits,
            kind: "int",
            feature: "sums",
            group: None,
            place,
        };
        [(0, "sum", 64), (1, "pc", 32)].map(register).into()
    }

    fn read_register(&mut self, place: usize) -> u128 {
        [self.sum, self.pc][place].into()
    }

    fn write_register(&mut self, place: usize, value: u128) -> bool {
        *[&mut self.sum, &mut self.pc][place] = value as u32;
        true
    }

    fn step(&mut self) {
        Self::step(self);
    }

    fn can_fetch(&self, _va: u32) -> bool {
        true
    }

    fn physical(&self, _va: u32) -> Option<u32> {
        None
    }

    fn peek(&self, _va: u32, _bytes: &mut [u8]) -> usize {
        0
    }

    fn poke(&mut self, _va: u32, _bytes: &[u8]) -> bool {
        false
    }

    fn monitor(&self, command: &[&str]) -> Option<String> {
        (*command == ["sum"]).then(|| format!("{}\n", self.sum))
    }
}

impl Memory for Words {
    fn platform(&self) -> &Platform {
        &self.platform
    }

    fn tally(&self) -> Tally {
        self.platform.counters.counted()
    }
}

impl Observed for Sums {
    type Memory = Words;
    type Code = u32;
    /// Where it came from.
    type Entry = u32;
    type Operation = ();
    const REGISTERS: &'static [&'static str] = &["sum"];
    const STATUS: &'static str = "flags";
}

/// Nobody calls.
impl Calling for Sums {
    fn returns_to(_commit: &Commit<'_, Self>) -> Option<u32> {
        None
    }

    fn stack_pointer(_registers: &[u32]) -> u32 {
        0
    }
}

impl Timeline for Sums {
    const SETTINGS: &'static [&'static str] = &["space"];
    const MAINTENANCE: &'static [Counter] = &[];
    const RATES: &'static [Rate] = &[];
    const LONGEST_INSN: u32 = 4;

    fn setting(_memory: &Words, _number: usize) -> String {
        "the only one".to_string()
    }

    fn written(_memory: &Words, (): &()) -> Option<(usize, &'static str)> {
        None
    }

    fn may_return(code: u32) -> bool {
        code == BACK
    }

    fn is_user(_mode: u32) -> bool {
        false
    }

    fn exception(_memory: &Words, from: &u32, _code: u32) -> Exception {
        Exception {
            name: "trap",
            pc: *from,
            mode: 0,
            arguments: Vec::new(),
        }
    }
}

impl Windowed for Sums {
    const BEFORE_ISSUE: &'static str = "nothing";
    const SYSTEM: &'static [&'static str] = &["from"];

    fn system(_memory: &Words) -> Vec<u32> {
        vec![0]
    }

    fn tables(_memory: &Words) -> Vec<Table> {
        vec![Table {
            name: "program",
            kind: "directory",
            sets: 1,
            ways: 2,
            unit: 4,
            columns: &["address", "word"],
        }]
    }

    fn rows(memory: &Words, _table: usize, rows: &mut Vec<Row>) {
        let word = |at| memory.platform.bus.read_memory_word(at);
        let row = |at| Some([at, word(at)?, 0, 0, 0, 0]);
        rows.extend([row(START), None]);
    }

    fn tagged(_memory: &Words, va: u32) -> u32 {
        va
    }
}

/// Memory should hold what it began with and what was stored.
struct Same {
    shadow: Shadow,
    findings: Findings<()>,
}

impl Observer<Sums> for Same {
    const ON: bool = true;

    fn fetched(&mut self, _memory: &Words, access: &Access, code: u32) {
        let Some(word) = self.shadow.word(access.va).filter(|word| *word != code) else {
            return;
        };
        let finding = Finding {
            cause: "changed",
            explanation: "memory is not what it was",
            access: *access,
            mva: access.va,
            pa: access.va,
            ideal_pa: Some(access.va),
            domain: None,
            values: (code, word),
            writer: self.shadow.writer(access.va),
            line: None,
            translated: None,
            spaces: None,
            count: 1,
        };
        self.findings.report((), finding);
    }

    fn stored(&mut self, _memory: &Words, access: &Access, value: u32) {
        let writer = Writer {
            pc: access.pc,
            mva: access.va,
            domain: None,
            cached: false,
            cycle: access.cycle,
        };
        self.shadow.store(access.va, access.bytes, value, &writer);
    }
}

impl Checker<Sums> for Same {
    fn new(memory: &mut Words) -> Self {
        Self {
            shadow: Shadow::new(&memory.platform.bus),
            findings: Findings::new(),
        }
    }

    fn findings(&self) -> Vec<Finding> {
        self.findings.iter().cloned().collect()
    }

    fn finding_count(&self) -> usize {
        self.findings.count()
    }
}

impl Architecture for Sums {
    type Core<O: Observer<Self>> = Adder<O>;
    type Checker = Same;

    fn memory<O: Observer<Self>>(core: &mut Adder<O>) -> &mut Words {
        &mut core.memory
    }
}

/// A machine with a program that begins with a sum of 3.
fn machine(program: &[u32]) -> Machine<Adder<()>> {
    watched(program, ())
}

/// The same under an observer.
fn watched<O: Observer<Sums>>(program: &[u32], observer: O) -> Machine<Adder<O>> {
    let config = MachineConfig::find(MACHINE).unwrap();
    let parts = (board::find(&config.board).unwrap().parts)(config.ram_bytes);
    let mut machine = Machine::<Adder<O>>::new(&config, parts, observer);
    for (n, word) in program.iter().enumerate() {
        let place = machine.bus().ram_slice_mut(START + 4 * n as u32, 4);
        place.unwrap().copy_from_slice(&word.to_le_bytes());
    }
    machine.core().start(START, &[1, 2]);
    machine
}

const GREETING: [u32; 5] = [ADD | 4, PUT | 0x68, PUT | 0x69, ADD | 35, EXIT];

#[test]
fn a_program_runs_to_its_end() {
    let mut machine = machine(&GREETING);
    assert_eq!(machine.run(3), Stop::Budget);
    assert_eq!((machine.cycles(), machine.core().pc()), (3, START + 12));
    assert_eq!(machine.run(Cycle::MAX), Stop::Exit(42));
    assert_eq!(machine.bus().host.output, b"hi");
    let config = MachineConfig::find(MACHINE).unwrap();
    let end = End::new(Stop::Exit(42), machine.cycles());
    let statistics = report::statistics(&config, &mut machine, &end, None, None);
    let statistics: serde_json::Value = serde_json::from_str(&statistics).unwrap();
    assert_eq!(statistics["cycles"], 5);
    assert_eq!(statistics["counters"]["kernel"]["cycles"], 5);
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
    let checker = Same::new(Sums::memory(core));
    let watchers = core.observer();
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
    assert_eq!(found, [("changed", START + 12, (ADD | 2, ADD | 1))]);
    let mut file = Vec::new();
    window.as_ref().unwrap().write(&mut file).unwrap();
    let window: serde_json::Value = serde_json::from_slice(&file).unwrap();
    assert_eq!(window["complete"], true);
    assert_eq!(window["start"]["cycle"], 2);
    assert_eq!(window["start"]["places"], json!([[0, 0, START, ADD | 4]]));
    assert_eq!(
        window["steps"],
        json!([
            {"cycle": 3, "pc": START + 12, "code": (ADD | 2).to_string(), "registers": [[0, 9]]},
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
    // stepped; the sum, 64 bits; the same in decimal; stopped behind the store (`0* ` is four zeros);
    // and back at the beginning
    let stopped = ["S05", "$593412", "31313933", "watch:", "$080* c0"];
    for answer in stopped.into_iter().chain(["S05", "S05", "$0*\"c0"]) {
        let at = rest.find(answer);
        let at = at.unwrap_or_else(|| panic!("no {answer} in {rest}, of {said}"));
        rest = &rest[at + answer.len()..];
    }
}

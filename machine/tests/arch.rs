// SPDX-License-Identifier: Apache-2.0
//! The face of an architecture, with a processor that is no ARM: run loop, devices, reports and
//! saved machines need no more of one than `trait Processor` says.

use switchyard_machine::arch::{Dead, DiagnosticCount, Processor};
use switchyard_machine::board;
use switchyard_machine::bus::Bus;
use switchyard_machine::config::MachineConfig;
use switchyard_machine::dev::probe::{PROBE_BASE, REGISTERS};
use switchyard_machine::dev::{Mark, Width};
use switchyard_machine::event::Cycle;
use switchyard_machine::machine::{Machine, Stop};
use switchyard_machine::platform::Platform;
use switchyard_machine::report::{self, ConsoleTail, End};
use switchyard_machine::snapshot::{self, Saved};
use switchyard_machine::state::{Damaged, Restorer, Saver, State};

/// Where programs stand: the board's SDRAM.
const START: u32 = 0xc000_0000;
/// The machine whose board, clock and memory the processor has.
const MACHINE: &str = "sa1110";

/// Operations, in the top byte of an instruction; the rest is the operand. Each takes a cycle.
const ADD: u32 = 1 << 24;
const PUT: u32 = 2 << 24;
const EXIT: u32 = 3 << 24;
const SLEEP: u32 = 4 << 24;

/// A processor with a sum.
struct Adder {
    platform: Platform,
    pc: u32,
    sum: u32,
    sleeps: bool,
    dead: Option<Dead>,
    synced: Cycle,
    /// Nothing watches it.
    observer: (),
}

impl Adder {
    fn step(&mut self) {
        let insn = self.platform.bus.read_memory_word(self.pc);
        let insn = insn.expect("programs end before their memory does");
        let operand = insn & 0x00ff_ffff;
        self.pc += 4;
        self.platform.cycle += 1;
        match insn - operand {
            ADD => self.sum += operand,
            PUT => self.tell("PROBE_PUTC", operand),
            EXIT => self.tell("PROBE_EXIT", self.sum),
            SLEEP => {
                self.sleeps = true;
                self.platform.horizon = 0;
            }
            _ => {
                self.dead = Some(Dead::Died(format!("no operation {insn:#010x}")));
                self.platform.horizon = 0;
            }
        }
    }

    fn tell(&mut self, register: &str, value: u32) {
        let (_, offset) = REGISTERS
            .iter()
            .find(|(name, _)| *name == register)
            .unwrap();
        self.sync_counters();
        assert!(self.platform.write(PROBE_BASE + offset, value, Width::Word));
    }
}

impl State for Adder {
    fn save(&self, to: &mut Saver) {
        self.platform.save(to);
        to.put(&(self.pc, self.sum, self.sleeps, self.synced));
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        self.platform.restore(from)?;
        (self.pc, self.sum, self.sleeps, self.synced) = from.take()?;
        Ok(())
    }
}

impl Processor for Adder {
    type Observer = ();

    fn new(_config: &MachineConfig, bus: Bus, observer: ()) -> Self {
        Self {
            platform: Platform::new(bus),
            pc: 0,
            sum: 0,
            sleeps: false,
            dead: None,
            synced: 0,
            observer,
        }
    }

    fn platform(&self) -> &Platform {
        &self.platform
    }

    fn platform_mut(&mut self) -> &mut Platform {
        &mut self.platform
    }

    fn sync_counters(&mut self) {
        let run = &mut self.platform.counters.now.run;
        run.cycles += self.platform.cycle - self.synced;
        self.synced = self.platform.cycle;
    }

    fn start(&mut self, pc: u32, registers: &[u32]) {
        self.pc = pc;
        self.sum = registers.iter().sum();
    }

    fn pc(&self) -> u32 {
        self.pc
    }

    fn run_to_horizon(&mut self) {
        while self.platform.cycle < self.platform.horizon {
            self.step();
        }
    }

    fn poll_interrupts(&mut self) {
        self.sleeps &= !self.platform.bus.pins.wake;
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

    fn observer(&mut self) -> &mut () {
        &mut self.observer
    }

    fn show_marks(&mut self, _marks: &[Mark]) {}

    fn show_restored(&mut self) {}
}

/// A machine with a program that begins with a sum of 3.
fn machine(program: &[u32]) -> Machine<Adder> {
    let config = MachineConfig::find(MACHINE).unwrap();
    let parts = (board::find(&config.board).unwrap().parts)(config.ram_bytes);
    let mut machine = Machine::<Adder>::new(&config, parts, ());
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

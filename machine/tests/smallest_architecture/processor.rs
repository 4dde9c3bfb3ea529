// SPDX-License-Identifier: Apache-2.0
//! The processor: a sum, six operations, no caches and no translation.

use switchyard_machine::arch::{Dead, Debugged, Processor, Register};
use switchyard_machine::bus::Bus;
use switchyard_machine::config::MachineConfig;
use switchyard_machine::dev::probe::{PROBE_BASE, REGISTERS};
use switchyard_machine::dev::Width;
use switchyard_machine::event::Cycle;
use switchyard_machine::observe::{Access, Commit, Observer, SystemAccess};
use switchyard_machine::platform::Platform;
use switchyard_machine::state::{Damaged, Restorer, Saver, State};

use super::config::SumsConfig;
use super::observe::{Words, ADDITIONS};
use super::Sums;

/// Operations, in the top byte of an instruction; the rest is the operand. Each takes a cycle.
pub const ADD: u32 = 1 << 24;
pub const PUT: u32 = 2 << 24;
pub const EXIT: u32 = 3 << 24;
pub const SLEEP: u32 = 4 << 24;
/// An exception, whose handler is so far after the start; and the return from it.
pub const TRAP: u32 = 5 << 24;
pub const BACK: u32 = 6 << 24;

/// A processor with a sum.
pub struct Adder<O> {
    pub memory: Words,
    operation: Cycle,
    pc: u32,
    sum: u32,
    /// Where the last exception came from.
    from: u32,
    sleeps: bool,
    dead: Option<Dead>,
    observer: O,
}

impl<O: Observer<Sums>> Adder<O> {
    fn access(&self, pc: u32, va: u32) -> Access {
        Access {
            cycle: self.memory.platform.cycle,
            pc: pc.into(),
            va: va.into(),
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
        self.memory.platform.cycle += self.operation;
        let fetch = self.access(pc, pc);
        self.memory.platform.counters.fetches += 1;
        self.observer.fetched(&self.memory, &fetch, insn);
        match insn - operand {
            ADD => {
                self.sum += operand;
                self.memory.platform.counters.now.own[ADDITIONS] += 1;
            }
            PUT => self.tell("PROBE_PUTC", operand),
            EXIT => self.tell("PROBE_EXIT", self.sum),
            SLEEP => {
                self.sleeps = true;
                self.memory.platform.horizon = 0;
                let (what, sleeps) = ((), true);
                let access = SystemAccess {
                    pc: pc.into(),
                    what,
                    sleeps,
                };
                self.observer.operated(&self.memory, &access);
            }
            TRAP => {
                self.from = self.pc;
                self.pc = self.memory.platform.bus.ram_window().0 + operand;
                self.observer.entered(&self.memory, &self.from);
            }
            BACK => self.pc = self.from,
            _ => {
                self.dead = Some(Dead::FaultsForever(format!("no operation {insn:#010x}")));
                self.memory.platform.horizon = 0;
            }
        }
        self.observer.commit(&Commit {
            cycle: self.memory.platform.cycle,
            pc: pc.into(),
            code: insn,
            executed: true,
            next_pc: self.pc.into(),
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
        to.put(&(
            self.pc,
            self.sum,
            self.from,
            self.sleeps,
            self.memory.synced,
        ));
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        self.memory.platform.restore(from)?;
        (
            self.pc,
            self.sum,
            self.from,
            self.sleeps,
            self.memory.synced,
        ) = from.take()?;
        Ok(())
    }
}

impl<O: Observer<Sums>> Processor for Adder<O> {
    type Architecture = Sums;
    type Observer = O;

    const COUNTER_GROUPS: &'static [&'static str] = &["run"];

    fn new(config: &MachineConfig, bus: Bus, observer: O) -> Self {
        let platform = Platform::new(bus);
        let sums: &SumsConfig = config.processor().expect("the machine file of one");
        Self {
            operation: sums.operation.into(),
            memory: Words {
                platform,
                synced: 0,
            },
            pc: 0,
            sum: 0,
            from: 0,
            sleeps: false,
            dead: None,
            observer,
        }
    }

    fn memory(&self) -> &Words {
        &self.memory
    }

    fn parts(&mut self) -> (&mut Words, &mut O) {
        (&mut self.memory, &mut self.observer)
    }

    fn start(&mut self, pc: u64, registers: &[u64]) {
        self.pc = pc as u32;
        self.sum = registers.iter().map(|value| *value as u32).sum();
    }

    fn pc(&self) -> u64 {
        self.pc.into()
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

    fn describe(&self) -> String {
        format!("  sum {}\n", self.sum)
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

    fn can_fetch(&self, _va: u64) -> bool {
        true
    }

    fn physical(&self, _va: u64) -> Option<u32> {
        None
    }

    fn peek(&self, _va: u64, _bytes: &mut [u8]) -> usize {
        0
    }

    fn poke(&mut self, _va: u64, _bytes: &[u8]) -> bool {
        false
    }

    fn monitor(&self, command: &[&str]) -> Option<String> {
        (*command == ["sum"]).then(|| format!("{}\n", self.sum))
    }
}

// SPDX-License-Identifier: Apache-2.0
//! The face of an architecture: what the rest of the simulator asks of a processor. Each
//! architecture is a folder whose files have the same names (`arm/`, `ia32/`), and whose `Core`
//! implements [`Processor`] for the run loop and [`Debugged`] for debuggers. [`Architecture`] puts it
//! together with the rest that an architecture brings; the list of them is `registry.rs`.
//!
//! A machine has the processor's type as its parameter, so that these calls, made once in each
//! quantum, are compiled for that processor, and those of its instructions do not come by here.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::board::Board;
use crate::bus::{BoardParts, Bus};
use crate::check::Checker;
use crate::config::{MachineConfig, ProcessorConfig};
use crate::dev::Mark;
use crate::error::Error;
use crate::event::Cycle;
use crate::loader::{self, Boot, HostTarget, Module, Start};
use crate::observe::{Memory, Observed, Observer};
use crate::platform::Platform;
use crate::profile::calls::Calling;
use crate::state::State;
use crate::vectors::Caches;
use crate::window::Windowed;

/// An architecture, whole: its processor, under whatever observer, and what comes with it.
pub trait Architecture: Calling + Windowed + Observed<Memory: MemorySystem> {
    /// The processor.
    type Core<O: Observer<Self> + 'static>: Debugged
        + Processor<Architecture = Self, Observer = O>
        + 'static;
    /// What compares a machine with an ideal one.
    type Checker: Checker<Self> + 'static;
    /// What its machine files say of a processor.
    type Config: ProcessorConfig;
    /// One of its machine files, whole.
    type File: DeserializeOwned + Into<MachineConfig>;

    /// Its cores, as machine files name them.
    const CORES: &'static [&'static str];
    /// The boards on which its processors stand.
    const BOARDS: &'static [&'static Board];
    /// The machines that need no file: name and text of `machines/NAME.toml`.
    const MACHINES: &'static [(&'static str, &'static str)];

    /// Whether a kernel may be started by firmware ([`Boot::bios`]).
    const TAKES_BIOS: bool = false;

    /// Reads the files of `boot` and puts them into the memory of `bus`, that of `board` with the
    /// processor of `config`.
    ///
    /// # Errors
    /// One line that names the file, what is wrong with it and what was expected.
    fn load(
        boot: &Boot,
        config: &MachineConfig,
        board: &Board,
        bus: &mut Bus,
    ) -> Result<Start, Error>;

    /// What `--initrd` names for the kernel whose file has these bytes: one file, or modules.
    #[must_use]
    fn modules(_kernel: &[u8], initrd: &Path) -> Vec<Module> {
        loader::one_module(initrd)
    }

    /// Answers every test vector from `input` on `output`, on a machine made from `config` and `parts`.
    ///
    /// # Errors
    /// One line that says which case is malformed and what was expected, or that reading or writing
    /// failed.
    fn answer_vectors(
        config: &MachineConfig,
        _parts: BoardParts,
        _caches: Caches,
        _input: &mut dyn Read,
        _output: &mut dyn Write,
    ) -> Result<(), String> {
        let name = &config.name;
        Err(format!(
            "vectors: {name} answers none; expected another machine"
        ))
    }
}

/// Why a processor cannot go on by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dead {
    /// Nothing can ever wake it.
    NeverWakes(String),
    /// It takes the same exception at its own vector for ever.
    FaultsForever(String),
}

/// Something UNPREDICTABLE that the guest did at one address, for reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiagnosticCount {
    /// What, by its name.
    pub kind: &'static str,
    /// Address of the instruction.
    pub pc: u64,
    /// How often.
    pub count: u64,
}

/// What semihosting calls are answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Semihosted {
    /// The program's name and its words.
    pub line: Vec<u8>,
    /// Begin and end of the memory that nothing was loaded into.
    pub free: (u32, u32),
}

/// The clue on a guest whose next instruction is among `N` bytes at `at` that are all 0.
#[must_use]
pub fn executes_zeros<const N: usize>(core: &impl Debugged, at: u64) -> Option<String> {
    let mut code = [0; N];
    let zeros = core.peek(at, &mut code) == N && code == [0; N];
    let pc = core.pc();
    zeros.then(|| {
        format!(
            "it executes zeros at {pc:#010x}, memory that nothing was loaded into: perhaps it was linked \
             for another address than where it was loaded"
        )
    })
}

/// What a processor sleeps for that waits for an interrupt which cannot come, in words.
#[must_use]
pub fn awaited_interrupt(platform: &Platform) -> &'static str {
    if platform.bus.can_wake() {
        "an interrupt that cannot come"
    } else {
        "an interrupt, with every source masked at the interrupt controller"
    }
}

/// Registers as lines of text, four each, for [`Processor::describe`].
#[must_use]
pub fn register_lines(names: &[&str], values: &[u32]) -> String {
    let mut text = String::new();
    let registers: Vec<_> = names.iter().zip(values).collect();
    for line in registers.chunks(4) {
        for (name, value) in line {
            let _ = write!(text, "  {name:>3} {value:08x}");
        }
        text.push('\n');
    }
    text
}

/// A memory system as its processor and the run loop know it.
pub trait MemorySystem: Memory {
    /// Clock, bus and counters, to change.
    fn platform_mut(&mut self) -> &mut Platform;

    /// Brings the counters up to date: before devices are met and counters are read.
    fn sync_counters(&mut self);

    /// Bytes that its caches hold: what a saved machine may be large by.
    fn cache_bytes(&self) -> u64;
}

/// A processor with its memory system, between the run loop (`machine.rs`) and the bus.
pub trait Processor: State + Sized {
    /// What it is one of.
    type Architecture: Observed<Memory: MemorySystem>;
    /// What watches it.
    type Observer: Observer<Self::Architecture>;

    /// The groups of counters that it counts, by the fields of [`Tally`](crate::counters::Tally).
    const COUNTER_GROUPS: &'static [&'static str];

    /// The processor of `config`, in front of `bus`, as reset leaves it.
    fn new(config: &MachineConfig, bus: Bus, observer: Self::Observer) -> Self;

    /// Its memory system.
    fn memory(&self) -> &MemoryOf<Self>;

    /// Its memory system and what watches it, to change both.
    fn parts(&mut self) -> (&mut MemoryOf<Self>, &mut Self::Observer);

    /// Clock, bus and counters.
    #[inline]
    fn platform(&self) -> &Platform {
        self.memory().platform()
    }

    /// Clock, bus and counters, to change.
    #[inline]
    fn platform_mut(&mut self) -> &mut Platform {
        self.parts().0.platform_mut()
    }

    /// Brings the counters up to date: before devices are met and counters are read.
    fn sync_counters(&mut self) {
        self.parts().0.sync_counters();
    }

    /// Puts it where a kernel starts: at `pc`, with what the board's loader hands over. Of an ARM bit 0 of
    /// `pc` says in Thumb state.
    fn start(&mut self, pc: u64, registers: &[u64]);

    /// The address of the next instruction.
    fn pc(&self) -> u64;

    /// Runs hot instructions as host code from now on, if it can: every count stays the same. Nothing that
    /// observes it is told of these, so that an observed one does not.
    fn translate(&mut self) {}

    /// Runs instructions until the platform's horizon.
    fn run_to_horizon(&mut self);

    /// Empties caches, TLBs and buffers between two instructions, whatever the guest could do for that:
    /// what is dirty is written back. It takes as long as the write buffer needs, if it has one.
    fn empty_caches(&mut self);

    /// Takes a pending interrupt if one is unmasked, and wakes the processor. Called by the run
    /// loop whenever pins or masks may have changed.
    fn poll_interrupts(&mut self);

    /// Whether it sleeps until an interrupt.
    fn waits_for_interrupt(&self) -> bool;

    /// Sleeps up to `until` or the next event. `false` if no event will ever come.
    fn sleep(&mut self, until: Cycle) -> bool {
        self.platform_mut().sleep(until)
    }

    /// Whether anything could end its sleep, or the run, without the processor's doing.
    fn can_wake(&self) -> bool {
        self.platform().bus.can_wake()
    }

    /// What it sleeps for, in words, when that cannot come.
    fn awaited(&self) -> &'static str {
        awaited_interrupt(self.platform())
    }

    /// Serves semihosting calls from now on, if that has not begun. `false`: there are none.
    fn serve_semihosting(&mut self, _served: Semihosted) -> bool {
        false
    }

    /// Serves a program's `tohost` from now on, on processors whose programs have it.
    fn serve_host_target(&mut self, _at: HostTarget) {}

    /// What it knows of why nothing was heard from the guest, a sentence each. Asked once, when a run has
    /// ended: nothing is noted for it while instructions run.
    fn clues(&self) -> Vec<String> {
        Vec::new()
    }

    /// Why it cannot go on, if that is so; says it once.
    fn take_dead(&mut self) -> Option<Dead>;

    /// The UNPREDICTABLE things that the guest did, by kind and address, where somebody keeps a list.
    fn diagnostics(&self) -> Vec<DiagnosticCount> {
        Vec::new()
    }

    /// Its registers as lines of text, for the report on a guest that did not end by itself.
    fn describe(&self) -> String;

    /// Bytes that its caches hold: what a saved machine may be large by.
    fn cache_bytes(&self) -> u64 {
        self.memory().cache_bytes()
    }

    /// What watches it.
    fn observer(&mut self) -> &mut Self::Observer {
        self.parts().1
    }

    /// Tells the observer what the guest has told the probe.
    fn show_marks(&mut self, marks: &[Mark]) {
        self.observer().marked(marks);
    }

    /// Tells the observer that the machine was put into a saved state.
    fn show_restored(&mut self) {
        let (memory, observer) = self.parts();
        observer.restored(memory);
    }
}

/// The memory system of processor `P`.
pub type MemoryOf<P> = <<P as Processor>::Architecture as Observed>::Memory;

/// A register as a debugger sees it.
#[derive(Debug, Clone)]
pub struct Register<Place> {
    /// Its name.
    pub name: String,
    /// Its size: whole bytes, 16 of them at most.
    pub bits: u32,
    /// Its type, as GDB calls it.
    pub kind: &'static str,
    /// The feature that it is of, as GDB or we call it. Those of one follow each other.
    pub feature: &'static str,
    /// The group of `info registers` that shows it; none: GDB's own choice.
    pub group: Option<&'static str>,
    /// Where the processor has it.
    pub place: Place,
}

/// A processor as debuggers know it: what `gdb` asks beside what the run loop does.
pub trait Debugged: Processor {
    /// Where a register is.
    type Place: Copy;
    /// The program counter's number among the registers.
    const PC: usize;
    /// Whether GDB takes for granted that a watchpoint stops this processor before the access.
    const WATCHES_BEFORE: bool;
    /// A line on each command of [`Debugged::monitor`].
    const MONITOR_HELP: &'static str;

    /// What GDB calls the architecture.
    fn architecture(&self) -> &'static str;

    /// The registers, in the order of their numbers.
    fn registers(&self) -> Vec<Register<Self::Place>>;

    /// Reads a register. Changes nothing that the guest could see.
    fn read_register(&mut self, place: Self::Place) -> u128;

    /// Writes a register, one of the system as the guest would. `false`: it takes no such value.
    fn write_register(&mut self, place: Self::Place, value: u128) -> bool;

    /// Runs one instruction, or takes the exception that stands before it. Either way it counts in
    /// `counters.fetches`, by which debuggers know where they are; here and in
    /// [`Processor::run_to_horizon`].
    fn step(&mut self);

    /// Whether an instruction can be fetched at `va` now: else the next step takes an exception.
    fn can_fetch(&self, va: u64) -> bool;

    /// Where a load from `va` would go, by what translates now.
    fn physical(&self, va: u64) -> Option<u32>;

    /// Reads memory from `va` on as a load would find it, without a trace. Gives how many bytes
    /// could be read.
    fn peek(&self, va: u64, bytes: &mut [u8]) -> usize;

    /// Changes memory from `va` on, and all copies of it. `false`: some of it is no memory.
    fn poke(&mut self, va: u64, bytes: &[u8]) -> bool;

    /// The answer to a `monitor` command, word by word, that only this processor knows.
    fn monitor(&self, command: &[&str]) -> Option<String>;
}

// SPDX-License-Identifier: Apache-2.0
//! What is fuzzed: one function for each way in which bytes from outside reach the simulator. Each
//! takes any bytes and must come back: no panic, no memory beyond what the machine has. The fuzzer
//! calls them (`fuzz_targets/`), and `tests/fuzz.rs` calls them on seeds and random bytes.

mod boot;
mod debugger;
mod run;
mod saved;
mod seeds;

pub use boot::{device_tree, kernel, load_kernel, machine_file, recording, script};
pub use debugger::debugger;
pub use run::{devices, instructions};
pub use saved::saved_state;
pub use seeds::seeds;

use std::sync::OnceLock;

use switchyard_machine::arch::Processor;
use switchyard_machine::board::Board;
use switchyard_machine::config::MachineConfig;
use switchyard_machine::machine::Machine;
use switchyard_machine::registry;

/// A target takes any bytes.
pub type Target = fn(&[u8]);

/// Every target by its name.
pub const TARGETS: [(&str, Target); 9] = [
    ("kernel", kernel),
    ("machine_file", machine_file),
    ("device_tree", device_tree),
    ("script", script),
    ("recording", recording),
    ("instructions", instructions),
    ("devices", devices),
    ("saved_state", saved_state),
    ("debugger", debugger),
];

/// Bytes taken from the front of an input; zeros when nothing is left.
pub struct Input<'a>(pub &'a [u8]);

impl<'a> Input<'a> {
    fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (front, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        front
    }

    fn number(&mut self, bytes: usize) -> u32 {
        let taken = self.bytes(bytes);
        taken
            .iter()
            .rev()
            .fold(0, |n, &byte| (n << 8) | u32::from(byte))
    }

    /// A piece whose length, two bytes, stands before it.
    fn piece(&mut self) -> &'a [u8] {
        let length = self.number(2) as usize;
        self.bytes(length)
    }
}

/// A built-in machine by any number, with the least memory that its board takes: what is freed
/// after each input is then small.
fn small(number: u32) -> (&'static MachineConfig, &'static Board) {
    static SMALL: OnceLock<Vec<(MachineConfig, &Board)>> = OnceLock::new();
    let all = SMALL.get_or_init(|| {
        let machines = registry::machines();
        machines
            .iter()
            .map(|(name, _)| {
                let mut config = MachineConfig::find(name).expect("a built-in machine");
                let board = registry::board(&config.board).expect("its board");
                config.ram_bytes = board.ram_least;
                (config, board)
            })
            .collect()
    });
    let (config, board) = &all[number as usize % all.len()];
    (config, board)
}

fn machine<P: Processor>(
    config: &MachineConfig,
    board: &Board,
    observer: P::Observer,
) -> Machine<P> {
    Machine::new(config, (board.parts)(config.ram_bytes), observer)
}

/// Calls a function, whose type parameter is a processor with this observer, for that of a machine.
macro_rules! for_processor {
    ($config:expr, $observer:ty, $function:ident($($argument:expr),* $(,)?)) => {
        if $config.arm().is_some() {
            $function::<switchyard_machine::arm::cpu::core::Core<$observer>>($($argument),*)
        } else if $config.riscv().is_some() {
            $function::<switchyard_machine::riscv::cpu::core::Core<$observer>>($($argument),*)
        } else {
            $function::<switchyard_machine::ia32::cpu::core::Core<$observer>>($($argument),*)
        }
    };
}
use for_processor;

// SPDX-License-Identifier: Apache-2.0
//! The smallest architecture: a folder like `src/arm`, of which no file outside knows but the line in
//! a list of architectures. Here that list is the test's own ([`Registry::of`]).
//!
//! [`Registry::of`]: switchyard_machine::registry::Registry::of

pub mod board;
pub mod checker;
pub mod config;
pub mod observe;
pub mod processor;

use switchyard_machine::arch::Architecture;
use switchyard_machine::board::Board;
use switchyard_machine::bus::Bus;
use switchyard_machine::config::MachineConfig;
use switchyard_machine::error::{read_file, Error};
use switchyard_machine::loader::{Boot, Start};
use switchyard_machine::observe::Observer;

/// The architecture.
#[derive(Debug)]
pub enum Sums {}

impl Architecture for Sums {
    type Core<O: Observer<Self> + 'static> = processor::Adder<O>;
    type Checker = checker::Same;
    type Config = config::SumsConfig;
    type File = config::SumsFile;

    const CORES: &'static [&'static str] = &["adder"];
    const BOARDS: &'static [&'static Board] = &[&board::DESK];
    const MACHINES: &'static [(&'static str, &'static str)] =
        &[("sums", include_str!("sums.toml"))];

    /// A kernel is a raw image, which begins with a sum of 3.
    fn load(
        boot: &Boot,
        _config: &MachineConfig,
        board: &Board,
        bus: &mut Bus,
    ) -> Result<Start, Error> {
        let (base, size) = bus.ram_window();
        let image = read_file(boot.kernel, "a program", size.into())?;
        let memory = bus.ram_slice_mut(board.ram_base, image.len());
        let memory = memory.expect("it is no longer than memory");
        memory.copy_from_slice(&image);
        Ok(Start {
            pc: base.into(),
            registers: [1, 2, 0],
            free: (base + image.len() as u32, base + size),
            host_target: None,
        })
    }
}

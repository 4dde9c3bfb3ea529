// SPDX-License-Identifier: Apache-2.0
//! Which architectures there are: the one list of them, [`Every`], and what those ask it that do not
//! know one by its type. A new architecture is a folder that implements [`Architecture`], its line
//! here, and its `pub mod` in `lib.rs`: a macro could write both, but `cargo fmt` does not look for
//! modules in what macros write.

use std::io::{Read, Write};
use std::path::Path;

use serde::Deserialize;

use crate::arch::Architecture;
use crate::board::Board;
use crate::bus::{BoardParts, Bus};
use crate::config::{MachineConfig, ProcessorConfig};
use crate::error::Error;
use crate::list;
use crate::loader::{Boot, Module, Start};
use crate::vectors::Caches;

/// The architectures, a line each.
pub type Every = list![crate::arm::Arm, crate::ia32::Ia32, crate::riscv::Riscv,];

/// A list of architectures: `(A, (B, ()))`, which the macro [`list!`](crate::list) writes.
pub trait List {
    /// What each is, in order.
    fn entries() -> Vec<Entry>;

    /// Does `task` on the architecture of `config`; gives it back if that is none of these.
    ///
    /// # Errors
    /// The task.
    fn dispatch<T: Task>(config: &MachineConfig, task: T) -> Result<T::Output, T>;
}

/// Something to be done on an architecture that is known when it runs, and compiled for each.
pub trait Task: Sized {
    /// What it gives.
    type Output;

    /// Does it on `A`.
    fn on<A: Architecture>(self) -> Self::Output;
}

/// The type that lists these architectures.
#[macro_export]
macro_rules! list {
    () => { () };
    ($first:ty $(, $rest:ty)* $(,)?) => { ($first, $crate::list![$($rest),*]) };
}

impl List for () {
    fn entries() -> Vec<Entry> {
        Vec::new()
    }

    fn dispatch<T: Task>(_config: &MachineConfig, task: T) -> Result<T::Output, T> {
        Err(task)
    }
}

impl<A: Architecture, Rest: List> List for (A, Rest) {
    fn entries() -> Vec<Entry> {
        let mut entries = vec![Entry::of::<A>()];
        entries.extend(Rest::entries());
        entries
    }

    fn dispatch<T: Task>(config: &MachineConfig, task: T) -> Result<T::Output, T> {
        if config.processor::<A::Config>().is_some() {
            Ok(task.on::<A>())
        } else {
            Rest::dispatch(config, task)
        }
    }
}

/// Does `task` on the architecture of `config`.
///
/// # Panics
/// `config` is of none that there is: it comes from no registry.
pub fn dispatch<T: Task>(config: &MachineConfig, task: T) -> T::Output {
    let done = Every::dispatch(config, task).ok();
    done.expect("a machine file was read by its architecture")
}

/// A machine file that could not be read, and the field.
type ReadError = serde_path_to_error::Error<toml::de::Error>;

/// An architecture as a value: what [`Architecture`] says of it, for those who do not run it.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its cores, as machine files name them.
    pub cores: &'static [&'static str],
    /// Its boards.
    pub boards: &'static [&'static Board],
    /// Its machines that need no file: name and text.
    pub machines: &'static [(&'static str, &'static str)],
    /// Reads a whole machine file that is about one of its cores.
    pub read: fn(text: &str) -> Result<MachineConfig, ReadError>,
    /// Reads one that was parsed before.
    pub read_table: fn(toml::Table) -> Result<MachineConfig, toml::de::Error>,
    describes: fn(&dyn ProcessorConfig) -> bool,
    takes_bios: bool,
    load: Load,
    modules: fn(kernel: &[u8], initrd: &Path) -> Vec<Module>,
    answer: Answer,
}

type Load = fn(&Boot, &MachineConfig, &Board, &mut Bus) -> Result<Start, Error>;
type Answer =
    fn(&MachineConfig, BoardParts, Caches, &mut dyn Read, &mut dyn Write) -> Result<(), String>;

impl Entry {
    /// That of `A`.
    #[must_use]
    pub fn of<A: Architecture>() -> Self {
        Self {
            cores: A::CORES,
            boards: A::BOARDS,
            machines: A::MACHINES,
            read: |text| {
                let file = toml::Deserializer::new(text);
                serde_path_to_error::deserialize::<_, A::File>(file).map(Into::into)
            },
            read_table: |table| A::File::deserialize(table).map(Into::into),
            describes: |processor| processor.as_any().is::<A::Config>(),
            takes_bios: A::TAKES_BIOS,
            load: A::load,
            modules: A::modules,
            answer: A::answer_vectors,
        }
    }
}

/// The architectures of a list, as values.
#[derive(Debug)]
pub struct Registry(Vec<Entry>);

impl Registry {
    /// Those that this simulator has.
    #[must_use]
    pub fn every() -> Self {
        Self::of::<Every>()
    }

    /// Those of `L`.
    #[must_use]
    pub fn of<L: List>() -> Self {
        Self(L::entries())
    }

    /// The names of all cores, by architecture.
    pub fn cores(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.0.iter().flat_map(|entry| entry.cores).copied()
    }

    /// Whose core this is.
    #[must_use]
    pub fn of_core(&self, core: &str) -> Option<&Entry> {
        self.0.iter().find(|entry| entry.cores.contains(&core))
    }

    /// Name and text of each machine that needs no file.
    pub fn machines(&self) -> impl Iterator<Item = (&'static str, &'static str)> + '_ {
        self.0.iter().flat_map(|entry| entry.machines).copied()
    }

    /// Every board.
    pub fn boards(&self) -> impl Iterator<Item = &'static Board> + '_ {
        self.0.iter().flat_map(|entry| entry.boards).copied()
    }

    /// The board that a machine file names, which takes the memory that it asks for. `file` is for
    /// messages.
    ///
    /// # Errors
    /// There is no such board, not for this processor, or not with so much memory.
    pub fn board(&self, config: &MachineConfig, file: &Path) -> Result<&'static Board, Error> {
        let mistake = |place: &str, what: String, expected: String| Error::Machine {
            file: file.to_path_buf(),
            place: place.to_string(),
            what,
            expected,
        };
        let named = |board: &&Board| board.name == config.board;
        let own = self.entry(config).boards.iter().copied();
        let Some(board) = own.clone().find(named) else {
            return Err(match self.boards().find(named) {
                Some(board) => {
                    let what = format!("{} has another processor", board.name);
                    mistake("board", what, names(own))
                }
                None => {
                    let what = format!("unknown board {:?}", config.board);
                    mistake("board", what, names(self.boards()))
                }
            });
        };
        let ram = config.ram_bytes;
        if board.takes(ram) {
            return Ok(board);
        }
        let expected = format!(
            "a power of two from {} to {}",
            board.ram_least, board.ram_most
        );
        Err(mistake("ram-bytes", ram.to_string(), expected))
    }

    /// Reads the files of `boot` and puts them into the memory of `bus`, that of `board` with the
    /// processor of `config`.
    ///
    /// # Errors
    /// One line that names the file, what is wrong with it and what was expected.
    pub fn load(
        &self,
        boot: &Boot,
        config: &MachineConfig,
        board: &Board,
        bus: &mut Bus,
    ) -> Result<Start, Error> {
        let entry = self.entry(config);
        if boot.bios.is_some() && !entry.takes_bios {
            return Err(Error::Argument {
                argument: "--bios",
                what: "is for machines with a RISC-V processor".to_string(),
                expected: format!("no such option for {}", config.name),
            });
        }
        (entry.load)(boot, config, board, bus)
    }

    /// What `--initrd` names for the kernel whose file has these bytes: one file, or modules.
    #[must_use]
    pub fn modules(&self, config: &MachineConfig, kernel: &[u8], initrd: &Path) -> Vec<Module> {
        (self.entry(config).modules)(kernel, initrd)
    }

    /// Answers every case from `input` on `output`, on a machine made from `config` and `parts`.
    ///
    /// # Errors
    /// One line that says which case is malformed and what was expected, or that reading or writing
    /// failed.
    pub fn answer_vectors(
        &self,
        config: &MachineConfig,
        parts: BoardParts,
        caches: Caches,
        input: &mut dyn Read,
        output: &mut dyn Write,
    ) -> Result<(), String> {
        (self.entry(config).answer)(config, parts, caches, input, output)
    }

    fn entry(&self, config: &MachineConfig) -> &Entry {
        let found = self
            .0
            .iter()
            .find(|entry| (entry.describes)(&*config.processor));
        found.expect("a machine file was read by its architecture")
    }
}

/// Name and text of each machine that needs no file.
#[must_use]
pub fn machines() -> Vec<(&'static str, &'static str)> {
    Registry::every().machines().collect()
}

/// The board of that name.
#[must_use]
pub fn board(name: &str) -> Option<&'static Board> {
    Registry::every().boards().find(|board| board.name == name)
}

/// The names of these boards, in order, for messages.
fn names(boards: impl Iterator<Item = &'static Board>) -> String {
    let mut names: Vec<&str> = boards.map(|board| board.name).collect();
    names.sort_unstable();
    names.join(", ")
}

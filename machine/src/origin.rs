// SPDX-License-Identifier: Apache-2.0
//! What a run begins with.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use switchyard_machine::arch::Processor;
use switchyard_machine::board::{self, Board};
use switchyard_machine::config::MachineConfig;
use switchyard_machine::error::Error;
use switchyard_machine::loader::{self, Boot};
use switchyard_machine::machine::Machine;
use switchyard_machine::snapshot::Saved;
use switchyard_machine::state::Damaged;

use crate::args::BootArgs;
use crate::drive;

/// The machine that `name` means, and its board.
pub fn described(name: &str) -> Result<(MachineConfig, &'static Board), String> {
    let config = MachineConfig::find(name).map_err(|error| error.to_string())?;
    let board = board::of(&config, Path::new(name)).map_err(|error| error.to_string())?;
    Ok((config, board))
}

/// Which machine is to run, and what it begins with: a kernel, or the file that it was saved in.
pub struct Origin<'a> {
    pub config: MachineConfig,
    board: &'static Board,
    saved: Option<(&'a Path, Saved<BufReader<File>>)>,
}

impl<'a> Origin<'a> {
    /// What the options say. A saved machine brings its machine file with it.
    pub fn of(args: &'a BootArgs) -> Result<Self, String> {
        let Some(file) = args.restore.as_deref() else {
            // clap has seen to it that there is a machine.
            let (config, board) = described(args.machine.as_deref().unwrap_or_default())?;
            return Ok(Self {
                config,
                board,
                saved: None,
            });
        };
        let opened = File::open(file).map_err(|source| {
            let file = file.to_path_buf();
            Error::Unreadable {
                file,
                source,
                expected: "a machine that --save has written",
            }
            .to_string()
        })?;
        let saved = Saved::open(BufReader::new(opened)).map_err(|damaged| unfit(file, damaged))?;
        let config =
            MachineConfig::parse(file, saved.described()).map_err(|error| error.to_string())?;
        if let Some(name) = &args.machine {
            if described(name)?.0.text != config.text {
                let what = format!("is of another machine than {name}: its {}", config.name);
                return Err(unfit(file, Damaged(what)));
            }
        }
        let board = board::of(&config, file).map_err(|error| error.to_string())?;
        Ok(Self {
            config,
            board,
            saved: Some((file, saved)),
        })
    }

    /// The machine, with its kernel loaded or as it was saved.
    pub fn machine<P: Processor>(
        self,
        args: &BootArgs,
        observer: P::Observer,
    ) -> Result<(MachineConfig, Machine<P>), String> {
        let Self {
            config,
            board,
            saved,
        } = self;
        let mut machine = Machine::<P>::new(&config, (board.parts)(config.ram_bytes), observer);
        drive::insert(args, &config, &mut machine)?;
        if let Some((file, saved)) = saved {
            let restored = saved.restore(&mut machine);
            restored.map_err(|damaged| unfit(file, damaged))?;
            return Ok((config, machine));
        }
        let system = Boot {
            // clap has seen to it that it is there.
            kernel: args.kernel.as_deref().unwrap_or(Path::new("")),
            append: args.append.as_deref(),
            initrd: args.initrd.as_deref(),
            dtb: args.dtb.as_deref(),
        };
        let start = loader::load(&system, board, machine.bus());
        let start = start.map_err(|error| error.to_string())?;
        machine.core().start(start.pc, &start.registers);
        Ok((config, machine))
    }
}

/// What is said of a file that no machine can go on from.
fn unfit(file: &Path, Damaged(what): Damaged) -> String {
    Error::Image {
        file: file.to_path_buf(),
        what,
        expected: "a machine that --save has written".to_string(),
    }
    .to_string()
}

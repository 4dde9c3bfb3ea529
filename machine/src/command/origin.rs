// SPDX-License-Identifier: Apache-2.0
//! What a run begins with.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use crate::arch::{Processor, Semihosted};
use crate::board::Board;
use crate::config::MachineConfig;
use crate::error::Error;
use crate::loader::Boot;
use crate::machine::Machine;
use crate::registry::Registry;
use crate::snapshot::Saved;
use crate::state::Damaged;

use super::args::BootArgs;
use super::quantity::shown;
use super::{device, drive};

/// The machine that `name` means, and its board.
pub fn described(name: &str) -> Result<(MachineConfig, &'static Board), String> {
    let config = MachineConfig::find(name).map_err(|error| error.to_string())?;
    let board = Registry::every().board(&config, Path::new(name));
    let board = board.map_err(|error| error.to_string())?;
    Ok((config, board))
}

/// The machine that `name` means, with that much memory if it is said how much.
pub fn described_with(
    name: &str,
    ram: Option<u32>,
) -> Result<(MachineConfig, &'static Board), String> {
    let (config, board) = described(name)?;
    let Some(ram) = ram else {
        return Ok((config, board));
    };
    if !board.takes(ram) {
        let (least, most) = (shown(board.ram_least), shown(board.ram_most));
        let name = &config.name;
        return Err(format!(
            "--ram {}: not for the board of {name}; expected a power of two from {least} to {most}",
            shown(ram)
        ));
    }
    Ok((config.with_ram(ram), board))
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
            let (config, board) =
                described_with(args.machine.as_deref().unwrap_or_default(), args.ram)?;
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
            let wanted = described_with(name, args.ram)?.0;
            if wanted.text != config.text {
                let (saved, own) = (config.ram_bytes, wanted.ram_bytes);
                let what = if described(name)?.0.with_ram(saved).text == config.text {
                    let (saved, own) = (shown(saved), shown(own));
                    format!("is of a {name} with {saved} of memory, not {own}")
                } else {
                    format!("is of another machine than {name}: its {}", config.name)
                };
                return Err(unfit(file, Damaged(what)));
            }
        }
        if let Some(ram) = args.ram.filter(|ram| *ram != config.ram_bytes) {
            let (saved, own) = (shown(config.ram_bytes), shown(ram));
            let what = format!("is of a machine with {saved} of memory, not {own}");
            return Err(unfit(file, Damaged(what)));
        }
        let board = Registry::every().board(&config, file);
        let board = board.map_err(|error| error.to_string())?;
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
        drive::set_globals(args, &config, &mut machine)?;
        drive::insert(args, &config, &mut machine)?;
        device::plug(args, &config, &mut machine)?;
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
            load_address: args.load_address,
            bios: args.bios.as_deref(),
        };
        let start = Registry::every().load(&system, &config, board, machine.bus());
        let start = start.map_err(|error| error.to_string())?;
        machine.core().start(start.pc, &start.registers);
        if let Some(at) = start.host_target {
            machine.core().serve_host_target(at);
        }
        if args.semihosting {
            let served = Semihosted {
                line: command_line(&system),
                free: start.free,
            };
            if !machine.core().serve_semihosting(served) {
                let name = &config.name;
                return Err(format!(
                    "--semihosting: {name} has no such calls; expected a machine with an ARM"
                ));
            }
        }
        Ok((config, machine))
    }
}

/// A program's name, without the folders of this computer, and its words.
fn command_line(system: &Boot) -> Vec<u8> {
    let name = system.kernel.file_name().unwrap_or_default();
    let mut line = name.as_encoded_bytes().to_vec();
    if let Some(words) = system.append {
        line.push(b' ');
        line.extend(words.as_bytes());
    }
    line
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

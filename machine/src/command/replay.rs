// SPDX-License-Identifier: Apache-2.0
//! A run is replayed, or what a recording is to know of its beginning.

use std::path::Path;

use crate::arch::Processor;
use crate::config::MachineConfig;
use crate::error::{read_file, Error, MOST_ELF};
use crate::event::Cycle;
use crate::machine::Machine;
use crate::recording::{self, Beginning, How, Recording, A_RECORDING};
use crate::registry::Registry;

use super::args::BootArgs;
use super::drive;
use super::output::Output;

/// `--record`: what was given from outside, and when, is kept for [`replayed`].
pub struct Recorder {
    file: Output,
    beginning: Beginning,
}

impl Recorder {
    /// Opens the file of a run that begins now, if there is to be one.
    pub fn open<P: Processor>(
        args: &BootArgs,
        config: &MachineConfig,
        machine: &Machine<P>,
    ) -> Result<Option<Self>, String> {
        let Some(file) = args.record.as_deref() else {
            return Ok(None);
        };
        let file = Output::new(file)?;
        let beginning = beginning(args, config, machine)?;
        Ok(Some(Self { file, beginning }))
    }

    /// Writes what the machine has noted in a run that has ended so.
    pub fn finish<P: Processor>(self, machine: &mut Machine<P>, how: How) -> Result<(), String> {
        let recording = Recording {
            beginning: self.beginning,
            mac: machine.bus().host.net.mac,
            console: machine.bus().host.console.to_string(),
            inputs: machine.take_recorded(),
            end: machine.cycles(),
            how,
        };
        let text = recording.text();
        self.file.write(|out| out.write_all(text.as_bytes()))
    }
}

/// What this run begins with, as recordings know it.
fn beginning<P: Processor>(
    args: &BootArgs,
    config: &MachineConfig,
    machine: &Machine<P>,
) -> Result<Beginning, String> {
    let read = |file: Option<&Path>| {
        let bytes = file.map(|file| read_file(file, "what was loaded", MOST_ELF));
        let bytes = bytes.transpose().map_err(|error| error.to_string())?;
        Ok::<_, String>(bytes.unwrap_or_default())
    };
    let kernel = read(args.kernel.as_deref())?;
    let modules = args
        .initrd
        .as_deref()
        .map(|initrd| Registry::every().modules(config, &kernel, initrd));
    let append = args.append.clone().unwrap_or_default();
    let mut parts = vec![append.into_bytes(), kernel];
    match modules.as_deref() {
        None => parts.push(Vec::new()),
        Some([only]) if only.words.is_empty() => parts.push(read(Some(&only.file))?),
        Some(several) => {
            for module in several {
                parts.push(read(Some(&module.file))?);
                parts.push(module.words.clone());
            }
        }
    }
    for file in [&args.dtb, &args.restore] {
        parts.push(read(file.as_deref())?);
    }
    // Without it a beginning is known as it was before there was such an option.
    parts.extend(
        args.load_address
            .map(|address| address.to_le_bytes().to_vec()),
    );
    parts.extend(args.semihosting.then(|| b"semihosting".to_vec()));
    for spec in &args.drive {
        parts.push(drive::digest(spec)?.to_le_bytes().to_vec());
    }
    Ok(Beginning {
        machine: config.name.clone(),
        described: recording::hash([config.text.as_bytes()]),
        cycle: machine.cycles(),
        loaded: recording::hash(parts.iter().map(Vec::as_slice)),
    })
}

/// Has the machine replay what `file` says; when and how that ends.
pub fn replayed<P: Processor>(
    args: &BootArgs,
    file: &Path,
    config: &MachineConfig,
    machine: &mut Machine<P>,
) -> Result<(Cycle, How), String> {
    let unfit = |what: String| {
        Error::Image {
            file: file.to_path_buf(),
            what,
            expected: A_RECORDING.to_string(),
        }
        .to_string()
    };
    let bytes = read_file(file, A_RECORDING, recording::MOST).map_err(|error| error.to_string())?;
    let recording = Recording::parse(&bytes).map_err(unfit)?;
    let beginning = beginning(args, config, machine)?;
    recording.fits(&beginning).map_err(unfit)?;
    let host = machine.bus();
    let ports = host.serial_ports();
    let port = ports.iter().find(|port| **port == recording.console);
    let port = port.ok_or_else(|| unfit(format!("has the console {}", recording.console)))?;
    host.host.console = port;
    host.host.net.mac = recording.mac;
    machine.replay(recording.inputs);
    if beginning.cycle != recording.beginning.cycle {
        machine.skip_replayed();
    }
    Ok((recording.end, recording.how))
}

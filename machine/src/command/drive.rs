// SPDX-License-Identifier: Apache-2.0
//! `--drive`: which file is a memory card or a disk, and what becomes of what the guest writes to it.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::arch::Processor;
use crate::config::MachineConfig;
use crate::dev::medium::Medium;
use crate::dev::MediumSlot;
use crate::error::Error;
use crate::machine::Machine;
use crate::recording;

use super::args::BootArgs;

/// What is expected of a drive's file.
const AN_IMAGE: &str = "an image of a memory card or disk";

/// What an option says.
struct Drive {
    file: PathBuf,
    /// What the guest writes is not kept.
    snapshot: bool,
}

impl Drive {
    /// A file's name, or QEMU's list of keys. That is one if it has the key `file`.
    fn parse(spec: &str) -> Result<Self, String> {
        let wrong =
            |what: String, expected: &str| format!("--drive {spec}: {what}; expected {expected}");
        let parts = split(spec);
        if !parts.iter().any(|part| part.starts_with("file=")) {
            let file = spec.into();
            return Ok(Self {
                file,
                snapshot: false,
            });
        }
        let mut file = String::new();
        let mut snapshot = false;
        for part in &parts {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            match (key, value) {
                ("file", _) => file = value.to_string(),
                ("if", "sd" | "virtio" | "none") | ("format", "raw") | ("media", "disk") => {}
                // These say how QEMU goes about it.
                ("id" | "cache" | "aio" | "index" | "unit", _) => {}
                ("snapshot", "on" | "off") => snapshot = value == "on",
                ("if", _) => {
                    return Err(wrong(
                        format!("if={value}"),
                        "if=sd, a memory card, or if=virtio or if=none, a disk",
                    ))
                }
                ("format", _) => return Err(wrong(format!("format={value}"), "format=raw")),
                ("snapshot", _) => return Err(wrong(part.clone(), "snapshot=on or snapshot=off")),
                _ => {
                    let keys = "if=sd, if=virtio, file=FILE, format=raw, snapshot=on";
                    return Err(wrong(format!("`{part}` is not known"), keys));
                }
            }
        }
        Ok(Self {
            file: file.into(),
            snapshot,
        })
    }

    fn open(&self) -> Result<File, String> {
        let opened = OpenOptions::new()
            .read(true)
            .write(!self.snapshot)
            .open(&self.file);
        opened.map_err(|source| {
            let file = self.file.clone();
            let expected = if self.snapshot || file.is_dir() {
                AN_IMAGE
            } else {
                "an image that can be written, or snapshot=on"
            };
            Error::Unreadable {
                file,
                source,
                expected,
            }
            .to_string()
        })
    }

    fn medium(&self, slot: &dyn MediumSlot) -> Result<Medium, String> {
        let file = self.open()?;
        let unfit = |what: String, expected: String| {
            let file = self.file.clone();
            Error::Image {
                file,
                what,
                expected,
            }
            .to_string()
        };
        let known = file
            .metadata()
            .map_err(|error| unfit(error.to_string(), AN_IMAGE.into()))?;
        if !known.is_file() {
            return Err(unfit("is no file".into(), AN_IMAGE.into()));
        }
        slot.check_size(known.len())
            .map_err(|expected| unfit(format!("has {} bytes", known.len()), expected))?;
        Ok(Medium::new(file, known.len()))
    }
}

/// The parts between commas; two of these are one of a name.
fn split(spec: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = spec.chars().peekable();
    while let Some(c) = chars.next() {
        let last = parts.len() - 1;
        match c {
            ',' if chars.peek() == Some(&',') => {
                chars.next();
                parts[last].push(',');
            }
            ',' => parts.push(String::new()),
            _ => parts[last].push(c),
        }
    }
    parts
}

/// The file of an option, if it is well-formed.
pub fn file(spec: &str) -> Option<PathBuf> {
    Drive::parse(spec).ok().map(|drive| drive.file)
}

/// Does what `--global` says, of which there is one property.
pub fn set_globals<P: Processor>(
    args: &BootArgs,
    config: &MachineConfig,
    machine: &mut Machine<P>,
) -> Result<(), String> {
    for spec in &args.global {
        let legacy = match spec.as_str() {
            "virtio-mmio.force-legacy=false" | "virtio-mmio.force-legacy=off" => false,
            "virtio-mmio.force-legacy=true" | "virtio-mmio.force-legacy=on" => true,
            _ => {
                return Err(format!(
                    "--global {spec}: is not known; expected virtio-mmio.force-legacy=false"
                ))
            }
        };
        if !machine.bus().set_virtio_legacy(legacy) {
            return Err(format!(
                "--global {spec}: {} has no VIRTIO devices; expected a machine that has",
                config.name
            ));
        }
    }
    Ok(())
}

/// Puts the cards that the options name into the machine, which has not run yet.
pub fn insert<P: Processor>(
    args: &BootArgs,
    config: &MachineConfig,
    machine: &mut Machine<P>,
) -> Result<(), String> {
    let slots = machine.bus().slots().count();
    for (number, spec) in args.drive.iter().enumerate() {
        let bus = machine.bus();
        let first = bus.slots().next().map_or("drives", |slot| slot.takes());
        let Some(slot) = bus.slots().nth(number) else {
            let what = format!(
                "--drive {spec}: {} has {slots} slots for {first}",
                config.name
            );
            return Err(format!("{what}; expected no more than these"));
        };
        let drive = Drive::parse(spec)?;
        let earlier = args.drive[..number].iter().filter_map(|spec| file(spec));
        if same(earlier, &drive.file) {
            return Err(format!(
                "--drive {spec}: is in another slot; expected another file"
            ));
        }
        let medium = drive.medium(slot)?;
        bus.insert(number, medium);
    }
    Ok(())
}

fn same(mut others: impl Iterator<Item = PathBuf>, file: &Path) -> bool {
    let file = file.canonicalize().ok();
    others.any(|other| file.is_some() && other.canonicalize().ok() == file)
}

/// Puts what the guest has written into the files.
pub fn write_back<P: Processor>(args: &BootArgs, machine: &mut Machine<P>) -> Result<(), String> {
    for (spec, medium) in args.drive.iter().zip(machine.bus().media()) {
        let Drive { file, snapshot } = Drive::parse(spec)?;
        if !snapshot {
            let written = medium.write_back();
            written.map_err(|source| Error::Unwritable { file, source }.to_string())?;
        }
    }
    Ok(())
}

/// A number that the contents of an option's file give.
pub fn digest(spec: &str) -> Result<u64, String> {
    let drive = Drive::parse(spec)?;
    let mut file = drive.open()?;
    let mut chunk = vec![0; 1 << 20];
    let mut digest = 0u64;
    loop {
        let count = file.read(&mut chunk).map_err(|source| {
            let (file, expected) = (drive.file.clone(), AN_IMAGE);
            Error::Unreadable {
                file,
                source,
                expected,
            }
            .to_string()
        })?;
        if count == 0 {
            return Ok(digest);
        }
        digest = recording::hash([&digest.to_le_bytes()[..], &chunk[..count]]);
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Files that a person gives: kernels, RAM disks, device trees, machine files.

use std::fs;
use std::path::{Path, PathBuf};

use switchyard_machine::arch::Processor;
use switchyard_machine::board::Board;
use switchyard_machine::config::MachineConfig;
use switchyard_machine::devicetree::DeviceTree;
use switchyard_machine::error::Error;
use switchyard_machine::loader::Boot;
use switchyard_machine::recording::Recording;
use switchyard_machine::registry::Registry;
use switchyard_machine::script::Script;

use super::{for_processor, machine, small, Input};

/// A machine with more memory is parsed, but not built: it would only take time.
const RAM_MOST: u32 = 64 << 20;

/// A file of this process and thread, with these contents.
fn file(name: &str, contents: &[u8]) -> PathBuf {
    let thread = std::thread::current();
    let own = format!("{}-{:?}", std::process::id(), thread.id());
    let path = std::env::temp_dir().join(format!("switchyard-fuzz-{own}-{name}"));
    fs::write(&path, contents).expect("temporary files can be written");
    path
}

/// Loads a kernel of any format, with or without command line, RAM disk, device tree and load address, and
/// runs it for a moment. Input: a machine's number, which of the four, the four, the kernel.
pub fn kernel(data: &[u8]) {
    // What is refused is told in one line.
    if let Err(error) = load_kernel(data) {
        assert_eq!(error.to_string().lines().count(), 1, "{error}");
    }
}

/// Loads a kernel, and says what was wrong.
pub fn load_kernel(data: &[u8]) -> Result<(), Error> {
    let mut input = Input(data);
    let (config, board) = small(input.number(1));
    // A PC's kernels go after the first megabyte.
    let config = &MachineConfig {
        ram_bytes: 2 * config.ram_bytes,
        ..config.clone()
    };
    let with = input.number(1);
    let append = (with & 1 != 0).then(|| String::from_utf8_lossy(input.piece()).into_owned());
    let initrd = (with & 2 != 0).then(|| file("initrd", input.piece()));
    let dtb = (with & 4 != 0).then(|| file("dtb", input.piece()));
    let load_address = (with & 8 != 0).then(|| input.number(4));
    let kernel = file("kernel", input.0);
    let boot = Boot {
        kernel: &kernel,
        append: append.as_deref(),
        initrd: initrd.as_deref(),
        dtb: dtb.as_deref(),
        load_address,
        bios: None,
    };
    let loaded = for_processor!(config, (), run(config, board, &boot));
    for path in [Some(kernel), initrd, dtb].into_iter().flatten() {
        let _ = fs::remove_file(path);
    }
    loaded
}

fn run<P: Processor<Observer = ()>>(
    config: &MachineConfig,
    board: &Board,
    boot: &Boot,
) -> Result<(), Error> {
    let mut machine = machine::<P>(config, board, ());
    let start = Registry::every().load(boot, config, board, machine.bus())?;
    machine.core().start(start.pc, &start.registers);
    machine.run(500);
    Ok(())
}

/// Reads a machine file, and builds what it describes.
pub fn machine_file(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let file = Path::new("fuzz.toml");
    let Ok(config) = MachineConfig::parse(file, &text) else {
        return;
    };
    let Ok(board) = Registry::every().board(&config, file) else {
        return;
    };
    if config.ram_bytes > RAM_MOST {
        return;
    }
    for_processor!(config, (), build(&config, board));
}

fn build<P: Processor<Observer = ()>>(config: &MachineConfig, board: &Board) {
    machine::<P>(config, board, ()).run(500);
}

/// Reads a device tree; what is written of it is the same tree.
pub fn device_tree(data: &[u8]) {
    if let Ok(tree) = DeviceTree::parse(data) {
        let written = tree.to_bytes();
        let again = DeviceTree::parse(&written).expect("what was written can be read");
        assert_eq!(again.to_bytes(), written);
    }
}

/// Reads a script for the console, and plays it to a guest that writes the script itself, in pieces,
/// while time passes: it comes to its end, or says in one line what is wrong.
pub fn script(data: &[u8]) {
    const HZ: u64 = 1000;
    let text = String::from_utf8_lossy(data);
    let one_line = |wrong: String| {
        assert!(
            wrong.starts_with("line ") && wrong.lines().count() == 1,
            "{wrong}"
        );
    };
    let mut script = match Script::parse(&text) {
        Ok(script) => script,
        Err(wrong) => return one_line(wrong),
    };
    let mut now = 0;
    for (n, piece) in data.chunks(7).enumerate() {
        if let Err(wrong) = script.go_on(piece, now, HZ, n % 5 == 4) {
            return one_line(wrong);
        }
        now += 1 << (n % 20);
    }
    if let Err(wrong) = script.end() {
        one_line(wrong);
    }
}

/// Reads a recording: it reads the same when it is written, and a machine of any kind replays it; or what
/// is wrong is said in one line.
pub fn recording(data: &[u8]) {
    let recording = match Recording::parse(data) {
        Ok(recording) => recording,
        Err(wrong) => return assert_eq!(wrong.lines().count(), 1, "{wrong}"),
    };
    let again = Recording::parse(recording.text().as_bytes());
    assert_eq!(again.as_ref(), Ok(&recording));
    let (config, board) = small(data.len() as u32);
    for_processor!(config, (), replay(config, board, recording));
}

fn replay<P: Processor<Observer = ()>>(
    config: &MachineConfig,
    board: &Board,
    recording: Recording,
) {
    let mut machine = machine::<P>(config, board, ());
    machine.replay(recording.inputs);
    machine.run(500);
}

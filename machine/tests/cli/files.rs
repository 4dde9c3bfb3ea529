// SPDX-License-Identifier: Apache-2.0
//! Files that are read, to their limits, and files that are written, whole or not at all.

use super::*;

/// A file without end is refused when it has more than the machine could use.
#[test]
fn inputs_without_end() {
    let scratch = Scratch::new("endless");
    let kernel = scratch.image("kernel", &exit_with(0));
    let endless = "/dev/zero";
    let line =
        |most: u64, expected: &str| format!("{endless}: has more than {most} bytes; {expected}");
    boot_refused(endless, &[], &line(32 << 20, A_KERNEL));
    for (option, most, expected) in [
        ("--initrd", 32 << 20, "expected an initial RAM disk"),
        ("--dtb", 32 << 20, "expected a flattened device tree (DTB)"),
        ("--input", 1 << 24, "expected console input"),
    ] {
        boot_refused(&kernel, &[option, endless], &line(most, expected));
    }
    let link = scratch.path("endless.toml");
    std::os::unix::fs::symlink(endless, &link).unwrap();
    let what = "has more than 1048576 bytes; expected a machine file (TOML)";
    let machine = ["boot", "--machine", &link, "--kernel", &kernel];
    refused(&machine, &format!("{link}: {what}"));
    let line =
        format!("{endless}: is no saved machine; expected a machine that --save has written");
    refused(&["boot", "--restore", endless], &line);
}

/// A full disk is no success, whatever is printed; a reader that has gone is none of ours.
#[test]
fn answers_that_cannot_be_written() {
    for arguments in [
        &["machines"][..],
        &["machines", "--json"],
        &["--help"],
        &["--version"],
    ] {
        let full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let done = Command::new(env!("CARGO_BIN_EXE_simulator-under-test"))
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(full)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(
            said.contains("standard output: cannot be written: No space left"),
            "{said}"
        );
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_simulator-under-test"))
        .arg("machines")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert_eq!(
        (done.status.code(), text(&done.stderr)),
        (Some(0), String::new())
    );
}

/// What was there stays until there is something to put in its place.
#[test]
fn a_killed_run_leaves_old_files_alone() {
    let scratch = Scratch::new("killed");
    // again: mov r7, #1; b again
    let endless = scratch.image("endless", &[0xe3a0_7001, 0xeaff_fffd]);
    let options = ["--stats", "--host-time", "--log", "--trace", "--save"];
    let files = options.map(|option| scratch.file(option, "old"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_simulator-under-test"));
    command.args(["boot", "--machine", "sa1110", "--kernel", &endless]);
    for (option, file) in options.iter().zip(&files) {
        command.args([option, file.as_str()]);
    }
    let mut child = command.stdin(Stdio::null()).spawn().unwrap();
    let beside = || std::fs::read_dir(&scratch.0).unwrap().count() > options.len() + 1;
    for _ in 0..3000 {
        if beside() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(beside(), "the log is written beside the old one");
    child.kill().unwrap();
    child.wait().unwrap();
    for file in &files {
        assert_eq!(std::fs::read_to_string(file).unwrap(), "old", "{file}");
    }

    let done = scratch.image("done", &exit_with(0));
    let mut arguments = vec!["boot", "--machine", "sa1110", "--kernel", &done];
    for (option, file) in options.iter().zip(&files) {
        arguments.extend([option, file.as_str()]);
    }
    assert_eq!(program(&arguments).status.code(), Some(0));
    for file in &files {
        assert_ne!(std::fs::read(file).unwrap(), b"old", "{file}");
    }
    // of the run that ended there is nothing but its files; the killed one's log and trace stay
    let left = std::fs::read_dir(&scratch.0).unwrap().count();
    assert_eq!(left, options.len() + 2 + 2);
}

#[test]
fn statistics_on_standard_output() {
    let scratch = Scratch::new("stdout");
    let kernel = scratch.image("kernel", &exit_with(0));
    let done = program(&[
        "boot",
        "--machine",
        "sa1110",
        "--kernel",
        &kernel,
        "--stats",
        "-",
    ]);
    assert_eq!(done.status.code(), Some(0));
    let stats: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(stats["end"]["kind"], "exit");
}

#[test]
fn no_file_has_two_uses() {
    let scratch = Scratch::new("twice");
    let kernel = scratch.image("kernel", &exit_with(0));
    let one = scratch.path("one");
    let expected = "expected a file for each";
    for (a, b) in [
        ("--stats", "--save"),
        ("--log", "--trace"),
        ("--host-time", "--log"),
    ] {
        let line = format!("{a} {one}: is the file of {b} as well; {expected}");
        boot_refused(&kernel, &[a, &one, b, &one], &line);
    }
    let line = format!("--log {kernel}: is the file of --kernel as well; {expected}");
    boot_refused(&kernel, &["--log", &kernel], &line);
    let link = scratch.path("link");
    std::os::unix::fs::symlink(&kernel, &link).unwrap();
    let line = format!("--save {link}: is the file of --kernel as well; {expected}");
    boot_refused(&kernel, &["--save", &link], &line);
    let around = scratch.path("../twice/one");
    let line = format!("--stats {around}: is the file of --trace as well; {expected}");
    boot_refused(&kernel, &["--trace", &one, "--stats", &around], &line);
    let mut both = vec!["boot", "--machine", "sa1110", "--kernel", &kernel];
    both.extend(["--stats", "/dev/null", "--log", "/dev/null"]);
    assert_eq!(program(&both).status.code(), Some(0));
}

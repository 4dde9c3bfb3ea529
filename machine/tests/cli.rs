// SPDX-License-Identifier: Apache-2.0
//! What the command line promises: bad input is one line on stderr and exit status 2, a guest's
//! fate is the exit status, equal runs leave equal statistics.

mod console;
mod files;
mod memory;
mod semihosting;
mod silent;
mod window;

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use switchyard_machine::registry;

/// The program with these arguments.
fn program(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_simulator-under-test"))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("messages are UTF-8")
}

/// A directory of the test's own, removed when it goes.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_string()
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// A raw image of these instructions.
    fn image(&self, name: &str, instructions: &[u32]) -> String {
        let bytes: Vec<u8> = instructions.iter().flat_map(|i| i.to_le_bytes()).collect();
        self.file(name, bytes)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Asserts that the arguments are refused with exactly this line.
fn refused(arguments: &[&str], line: &str) {
    let done = program(arguments);
    assert_eq!(text(&done.stderr), format!("switchyard-machine: {line}\n"));
    assert_eq!(done.status.code(), Some(2), "{arguments:?}");
    assert!(done.stdout.is_empty(), "{arguments:?}");
}

fn boot_refused(kernel: &str, more: &[&str], line: &str) {
    let mut arguments = vec!["boot", "--machine", "sa1110", "--kernel", kernel];
    arguments.extend(more);
    refused(&arguments, line);
}

const A_KERNEL: &str =
    "expected a kernel: an ELF32 little-endian ARM executable or a raw ARM image";

/// mov r1, #0x50000000; mov r0, #status; str r0, [r1, #PROBE_EXIT].
fn exit_with(status: u32) -> Vec<u32> {
    vec![0xe3a0_1205, 0xe3a0_0000 | status, 0xe581_0010, 0xeaff_fffe]
}

/// Waits, with every interrupt source masked, for timer match 0; ICCR is `control`. Ends with 0.
fn sleeping(control: u32) -> Vec<u32> {
    vec![
        0xe3a0_4209,           // mov r4, #0x90000000
        0xe3a0_0064,           // mov r0, #100
        0xe584_0000,           // str r0, [r4, #OSMR0]
        0xe3a0_0001,           // mov r0, #1
        0xe584_001c,           // str r0, [r4, #OIER]
        0xe284_5805,           // add r5, r4, #0x50000
        0xe3a0_0000 | control, // mov r0, #control
        0xe585_000c,           // str r0, [r5, #ICCR]
        0xee0f_0f58,           // mcr p15, 0, r0, c15, c8, 2: wait for interrupt
        0xe3a0_1205,           // mov r1, #0x50000000
        0xe3a0_0000,           // mov r0, #0
        0xe581_0010,           // str r0, [r1, #PROBE_EXIT]
        0xeaff_fffe,
    ]
}

/// The header of an ELF file: class, byte order and machine as asked.
fn elf_header(class: u8, order: u8, machine: u8) -> Vec<u8> {
    let mut file = vec![0; 64];
    file[..7].copy_from_slice(&[0x7f, b'E', b'L', b'F', class, order, 1]);
    file[16] = 2;
    file[18] = machine;
    file
}

#[test]
fn images_that_are_none() {
    let scratch = Scratch::new("images");
    let missing = scratch.path("missing.elf");
    let what = "cannot be read: No such file or directory";
    boot_refused(&missing, &[], &format!("{missing}: {what}; {A_KERNEL}"));
    let directory = scratch.path("");
    let what = "cannot be read: Is a directory";
    boot_refused(&directory, &[], &format!("{directory}: {what}; {A_KERNEL}"));
    for (name, content, what) in [
        ("empty", vec![], "is empty"),
        (
            "text",
            b"hello, world\n".to_vec(),
            "is neither ELF nor does it begin with an ARM instruction",
        ),
        (
            "truncated",
            elf_header(1, 1, 40)[..30].to_vec(),
            "is a truncated or damaged ELF file",
        ),
        ("x86-64", elf_header(2, 1, 62), "is an ELF file for x86-64"),
        (
            "i386",
            elf_header(1, 1, 3),
            "is an ELF file for Intel 80386",
        ),
        (
            "aarch64",
            elf_header(2, 1, 183),
            "is an ELF file for 64-bit ARM",
        ),
    ] {
        let file = scratch.file(name, content);
        boot_refused(&file, &[], &format!("{file}: {what}; {A_KERNEL}"));
    }
}

#[test]
fn images_larger_than_memory() {
    let scratch = Scratch::new("large");
    let mut raw = vec![0; 32 << 20];
    raw[3] = 0xe1;
    let file = scratch.file("raw", raw);
    let line = "needs memory from 0xc0010000 to 0xc2010000; \
                expected addresses in the machine's memory, 0xc0000000 to 0xc2000000";
    boot_refused(&file, &[], &format!("{file}: {line}"));

    let kernel = scratch.image("kernel", &exit_with(0));
    let disk = scratch.file("disk", vec![1; 33 << 20]);
    let line = "has more than 33554432 bytes; expected an initial RAM disk";
    boot_refused(&kernel, &["--initrd", &disk], &format!("{disk}: {line}"));
    let disk = scratch.file("disk", vec![1; 32 << 20]);
    let line = "has 33554432 bytes; \
                expected what fits after the kernel into 33554432 bytes of memory";
    boot_refused(&kernel, &["--initrd", &disk], &format!("{disk}: {line}"));
}

#[test]
fn other_files_that_cannot_be_used() {
    let scratch = Scratch::new("files");
    let kernel = scratch.image("kernel", &exit_with(0));
    let missing = scratch.path("missing");
    let gone = "cannot be read: No such file or directory";
    boot_refused(
        &kernel,
        &["--initrd", &missing],
        &format!("{missing}: {gone}; expected an initial RAM disk"),
    );
    boot_refused(
        &kernel,
        &["--input", &missing],
        &format!("{missing}: {gone}; expected console input"),
    );
    let nowhere = scratch.path("no/where");
    let what = "cannot be written: No such file or directory; expected a file that can be created";
    for option in ["--stats", "--host-time", "--log", "--trace", "--save"] {
        boot_refused(&kernel, &[option, &nowhere], &format!("{nowhere}: {what}"));
    }
}

#[test]
fn saved_machines_that_are_none() {
    let scratch = Scratch::new("saved");
    let kernel = scratch.image("kernel", &[0xe3a0_7001, 0xeaff_fffd]);
    let state = scratch.path("machine.state");
    let program_on = |machine: &str, more: &[&str]| {
        let mut arguments = vec!["boot", "--machine", machine];
        arguments.extend(more);
        program(&arguments)
    };
    let cycles = ["--max-cycles", "5000", "--save", &state];
    let done = program_on("sa1110", &[&["--kernel", &kernel], &cycles[..]].concat());
    let said = text(&done.stderr);
    assert!(
        said.ends_with(&format!(" cycles; saved in {state}\n")),
        "{said}"
    );
    assert_eq!(done.status.code(), Some(0));
    let wanted = "expected a machine that --save has written";
    let what = "is of another machine than collie: its sa1110";
    refused(
        &["boot", "--machine", "collie", "--restore", &state],
        &format!("{state}: {what}; {wanted}"),
    );
    let short = scratch.file("short", &std::fs::read(&state).unwrap()[..100]);
    refused(
        &["boot", "--restore", &short],
        &format!("{short}: is damaged or cut short; {wanted}"),
    );
    refused(
        &["boot", "--restore", &kernel],
        &format!("{kernel}: is no saved machine; {wanted}"),
    );
    let missing = scratch.path("missing");
    let gone = "cannot be read: No such file or directory";
    refused(
        &["boot", "--restore", &missing],
        &format!("{missing}: {gone}; {wanted}"),
    );
    // it has its machine file with it, and goes on where it was
    let done = program(&["boot", "--restore", &state, "--max-cycles", "6000"]);
    assert!(
        text(&done.stderr).contains(" r7 00000001"),
        "{}",
        text(&done.stderr)
    );
}

#[test]
fn networks_that_cannot_be() {
    let scratch = Scratch::new("networks");
    let kernel = scratch.image("kernel", &exit_with(0));
    let on_board = |more: &[&str], line: &str| {
        let mut arguments = vec!["boot", "--machine", "versatilepb", "--kernel", &kernel];
        arguments.extend(more);
        refused(&arguments, line);
    };
    let kinds = "expected unix:PATH, listen-unix:PATH, tcp:HOST:PORT or listen-tcp:HOST:PORT \
                 (:PORT for this computer)";
    for (text, what) in [
        ("", ""),
        ("tap0", ""),
        ("unix:", "no path; "),
        ("tcp:localhost", "no port; "),
        ("listen-tcp::65536", "no port; "),
        ("udp:localhost:1", "no such kind of network: udp; "),
    ] {
        on_board(&["--net", text], &format!("--net {text}: {what}{kinds}"));
    }
    for text in ["02:53:59:42:00", "025359420001", "02:53:59:42:00:zz"] {
        let wanted = "expected six bytes in hexadecimal, such as 02:53:59:42:00:07";
        on_board(&["--mac", text], &format!("--mac {text}: {wanted}"));
    }
    let group = "a group's address; expected one of a single interface, the first byte even";
    on_board(
        &["--mac", "01:00:5e:00:00:01"],
        &format!("--mac 01:00:5e:00:00:01: {group}"),
    );
    // no peer
    let nobody = format!("unix:{}", scratch.path("nobody"));
    let gone = "No such file or directory; expected somebody who listens there";
    on_board(&["--net", &nobody], &format!("--net {nobody}: {gone}"));
    // taken
    let free = "expected an address of this computer that is free";
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let listens = format!("listen-tcp:{}", taken.local_addr().unwrap());
    let what = format!("--net {listens}: Address already in use; {free}");
    on_board(&["--net", &listens], &what);
    let listens = format!("listen-unix:{}", scratch.file("taken", ""));
    let what = format!("--net {listens}: Address already in use; {free}");
    on_board(&["--net", &listens], &what);
    // no interface
    let without = "machine sa1110 has no network interface; \
                   expected a machine with the board versatile or isa-pc or virt";
    boot_refused(
        &kernel,
        &["--net", &nobody],
        &format!("--net {nobody}: {without}"),
    );
    let mac = "02:53:59:42:00:07";
    boot_refused(&kernel, &["--mac", mac], &format!("--mac {mac}: {without}"));
}

#[test]
fn machine_files_with_a_mistake() {
    let scratch = Scratch::new("machines");
    let kernel = scratch.image("kernel", &exit_with(0));
    let good = include_str!("../machines/sa1110.toml");
    for (from, to, what) in [
        ("[itlb]", "[itlb]\ncolour = 3", "itlb.colour: unknown field `colour`; expected one of `entries`, `ways`, `locked`"),
        ("clock-hz = 200_000_000", "clock-hz = true", "clock-hz: invalid type: boolean `true`; expected a whole number from 0"),
        ("size-bytes = 8192", "size-bytes = 8000", "dcache.size-bytes: 8000 is no power of two from 1 to 16777216; expected a power of two"),
        ("ways = 2", "ways = 64", "mini-dcache.ways: 64 ways of 32 bytes do not fit into 512 bytes; expected ways * line-bytes of at most size-bytes"),
        ("clock-hz = 200_000_000", "clock-hz = 0", "clock-hz: 0; expected a frequency in Hz from 1000000 to 10000000000"),
        ("board = \"assabet\"", "board = \"\"", "board: unknown board \"\"; expected assabet, collie, isa-pc, versatile, virt"),
        ("[memory]", "[memory", "unclosed table, expected `]`; expected a machine file (TOML)"),
    ] {
        let file = scratch.file("m.toml", good.replacen(from, to, 1));
        let done = program(&["boot", "--machine", &file, "--kernel", &kernel]);
        let line = text(&done.stderr);
        assert!(line.starts_with(&format!("switchyard-machine: {file}: ")), "{line}");
        assert!(what.starts_with("unclosed") || line.ends_with(&format!("{what}\n")), "{line}\n{what}");
        assert_eq!(line.lines().count(), 1, "{line}");
        assert_eq!(done.status.code(), Some(2));
    }
    let boot = |machine: &str, line: &str| {
        refused(&["boot", "--machine", machine, "--kernel", &kernel], line);
    };
    let known: Vec<&str> = registry::machines().iter().map(|(name, _)| *name).collect();
    let known = known.join(", ");
    boot(
        "vax",
        &format!("--machine vax: no such machine; expected {known} or a file that ends in .toml"),
    );
    let ia32 = scratch.file("p4.toml", include_str!("../machines/p4-willamette.toml"));
    let what = "is neither ELF nor a bzImage; \
                expected a kernel: an ELF32 executable for the 80386 or a bzImage";
    boot(&ia32, &format!("{kernel}: {what}"));
    let text = include_str!("../machines/p4-willamette.toml");
    let other = scratch.file("p4-assabet.toml", text.replace("isa-pc", "assabet"));
    let what = "board: assabet has another processor; expected isa-pc";
    boot(&other, &format!("{other}: {what}"));
    let missing = scratch.path("missing.toml");
    let what = "cannot be read: No such file or directory; expected a machine file (TOML)";
    boot(&missing, &format!("{missing}: {what}"));
    std::fs::create_dir(scratch.path("d.toml")).unwrap();
    let directory = scratch.path("d.toml");
    let what = "cannot be read: Is a directory; expected a machine file (TOML)";
    boot(&directory, &format!("{directory}: {what}"));
    let binary = scratch.file("b.toml", b"name = \"\xff\"");
    boot(
        &binary,
        &format!("{binary}: byte 8: is no UTF-8 text; expected a machine file (TOML)"),
    );
}

#[test]
fn wrong_usage_is_one_line_too() {
    for arguments in [
        &[][..],
        &["fly"],
        &["boot"],
        &["boot", "--machine", "sa1110"],
        &[
            "boot",
            "--machine",
            "sa1110",
            "--kernel",
            "k",
            "--max-cycles",
            "many",
        ],
        &[
            "boot",
            "--machine",
            "sa1110",
            "--kernel",
            "k",
            "--max-cycles",
            "0",
        ],
        &["boot", "--machine", "sa1110", "--kernel", "k", "--colour"],
        &["machines", "extra"],
    ] {
        let done = program(arguments);
        let line = text(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{arguments:?}");
        assert_eq!(line.lines().count(), 1, "{line}");
        assert!(line.starts_with("switchyard-machine: "), "{line}");
    }
    for (option, value, range) in [
        (
            "--max-cycles",
            "12345678901234567890123",
            "1 to 18446744073709551615",
        ),
        ("--max-cycles", "0", "1 to 18446744073709551615"),
        ("--max-cycles", "-3", "1 to 18446744073709551615"),
        ("--max-cycles", "many", "1 to 18446744073709551615"),
        ("--console", "99999999999", "0 to 4294967295"),
        ("--steps", "0", "1 to 1000000"),
    ] {
        let done = program(&[
            "boot",
            "--machine",
            "sa1110",
            "--kernel",
            "k",
            option,
            value,
        ]);
        assert_eq!(done.status.code(), Some(2));
        let said = format!("{option} {value}: expected a whole number from {range}\n");
        assert_eq!(text(&done.stderr), format!("switchyard-machine: {said}"));
    }
    let kernel = "k".repeat(2000);
    let done = program(&["boot", "--machine", "sa1110", "--kernel", &kernel]);
    assert_eq!(
        (done.status.code(), text(&done.stderr).lines().count()),
        (Some(2), 1)
    );
}

#[test]
fn help_and_version_succeed() {
    for arguments in [&["--help"][..], &["--version"], &["boot", "--help"]] {
        let done = program(arguments);
        assert_eq!(done.status.code(), Some(0));
        assert!(!done.stdout.is_empty());
    }
}

#[test]
fn machines_are_listed() {
    let done = program(&["machines"]);
    assert!(text(&done.stdout).starts_with("sa1110 "));
    let done = program(&["machines", "--json"]);
    let list: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(list[0]["name"], "sa1110");
    assert_eq!(list[0]["clock_hz"], 200_000_000);
    assert_eq!(list[1]["name"], "sa1110-sdram");
}

#[test]
fn a_machine_says_what_of_it_is_assumed() {
    let done = program(&["machines", "sa1110"]);
    let said = text(&done.stdout);
    assert!(said.starts_with("sa1110 "));
    assert!(
        said.contains("assumed: memory.zeros-first = 4, from 1 to 22: "),
        "{said}"
    );
    let done = program(&["machines", "sa1110", "--json"]);
    let list: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let range = &list[0]["assumed"]["memory.zeros-first"];
    assert_eq!(
        (&range["low"], &range["value"], &range["high"]),
        (&1.into(), &4.into(), &22.into())
    );
    assert!(!range["why"].as_str().unwrap().is_empty());
    assert_eq!(list.as_array().unwrap().len(), 1);
    let done = program(&["machines", "nonesuch"]);
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).contains("nonesuch: no such machine; expected"));
}

#[test]
fn a_guests_fate_is_the_exit_status() {
    let scratch = Scratch::new("fate");
    for (name, instructions, status, message) in [
        ("good", exit_with(0), 0, ""),
        (
            "bad",
            exit_with(3),
            1,
            "switchyard-machine: the guest ended with status 3\n",
        ),
        // mov r0, #0x90000000; orr r0, r0, #0x30000; mov r1, #1; str r1, [r0]: software reset.
        (
            "reset",
            vec![
                0xe3a0_0209,
                0xe380_0803,
                0xe3a0_1001,
                0xe580_1000,
                0xeaff_fffe,
            ],
            1,
            "switchyard-machine: the guest stopped: software reset by the reset controller\n",
        ),
        // b .: nothing can ever end this, for interrupts are masked.
        (
            "hung",
            vec![0xeaff_fffe],
            1,
            "switchyard-machine: the guest hangs: ",
        ),
        // mov pc, #0x70000000: nothing is there, so the prefetch abort's vector reads zeros, and so on.
        // A masked source ends idle mode (DM 9.2.2.3)...
        ("woken", sleeping(0), 0, ""),
        // ... unless the control register says otherwise.
        (
            "asleep",
            sleeping(1),
            1,
            "switchyard-machine: the guest hangs: waits at ",
        ),
        (
            "lost",
            vec![0xe3a0_f207],
            1,
            "switchyard-machine: the guest ",
        ),
    ] {
        let kernel = scratch.image(name, &instructions);
        let done = program(&[
            "boot",
            "--machine",
            "sa1110",
            "--kernel",
            &kernel,
            "--max-cycles",
            "1000000",
        ]);
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(status), "{name}: {said}");
        assert!(said.starts_with(message), "{name}: {said}");
        assert_eq!(said.is_empty(), message.is_empty());
    }
}

#[test]
fn a_guest_that_does_not_end_is_shown() {
    let scratch = Scratch::new("shown");
    let kernel = scratch.image(
        "loop",
        &[
            0xe3a0_1205, // mov r1, #0x50000000
            0xe3a0_0058, // mov r0, #'X'
            0xe581_000c, // str r0, [r1, #PROBE_PUTC]
            0xe3a0_700b, // mov r7, #11
            0xe287_7000, // again: add r7, r7, #0
            0xeaff_fffd, // b again
        ],
    );
    let done = program(&[
        "boot",
        "--machine",
        "sa1110",
        "--kernel",
        &kernel,
        "--max-cycles",
        "5000",
    ]);
    assert_eq!(done.status.code(), Some(1));
    assert_eq!(text(&done.stdout), "X");
    let said = text(&done.stderr);
    let first = said.lines().next().unwrap();
    assert!(
        first.starts_with("switchyard-machine: the guest still ran after 50"),
        "{said}"
    );
    for part in [
        " r7 0000000b",
        " pc c00100",
        "supervisor mode",
        "IRQ masked",
        "  | X",
    ] {
        assert!(said.contains(part), "{part:?} is not in\n{said}");
    }
}

#[test]
fn equal_runs_leave_equal_statistics() {
    let scratch = Scratch::new("stats");
    let kernel = scratch.image("kernel", &exit_with(0));
    let run = |name: &str| {
        let stats = scratch.path(name);
        let time = scratch.path("time.json");
        let done = program(&[
            "boot",
            "--machine",
            "sa1110",
            "--kernel",
            &kernel,
            "--stats",
            &stats,
            "--host-time",
            &time,
        ]);
        assert_eq!(done.status.code(), Some(0));
        let time: serde_json::Value =
            serde_json::from_slice(&std::fs::read(time).unwrap()).unwrap();
        assert!(time["seconds"].as_f64().unwrap() > 0.0);
        std::fs::read(stats).unwrap()
    };
    let first = run("first.json");
    assert_eq!(first, run("second.json"));
    let text = text(&first);
    assert!(
        text.starts_with(
            "{\"schema\":1,\"machine\":\"sa1110\",\"clock_hz\":200000000,\
             \"end\":{\"kind\":\"exit\",\"status\":0,\"message\":\"the guest ended with status 0\"},\
             \"cycles\":"
        ),
        "{text}"
    );
    let stats: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(stats["instructions"], 3);
    assert_eq!(stats["counters"]["kernel"]["cycles"], stats["cycles"]);
    assert_eq!(stats["counters"]["kernel"]["uncached_writes"], 1);
    assert_eq!(stats["counters"]["user"]["instructions"], 0);
}

#[test]
fn the_log_has_a_line_an_instruction_and_changes_no_count() {
    let scratch = Scratch::new("log");
    let kernel = scratch.image("kernel", &exit_with(0));
    let (log, with, without) = (scratch.path("log"), scratch.path("a"), scratch.path("b"));
    let boot = [
        "boot",
        "--machine",
        "sa1110",
        "--kernel",
        &kernel,
        "--stats",
    ];
    program(&[&boot[..], &[&with, "--log", &log]].concat());
    program(&[&boot[..], &[&without]].concat());
    assert_eq!(
        std::fs::read(with).unwrap(),
        std::fs::read(without).unwrap()
    );
    let lines = std::fs::read_to_string(log).unwrap();
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines[0].contains(" c0010000 e3a01205 "), "{lines:?}");
    assert!(lines[0].contains(" r1=50000000"), "{lines:?}");
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let scratch = Scratch::new("pipe");
    let kernel = scratch.image(
        "chatty",
        &[
            0xe3a0_1205, // mov r1, #0x50000000
            0xe3a0_0058, // mov r0, #'X'
            0xe581_000c, // again: str r0, [r1, #PROBE_PUTC]
            0xeaff_fffd, // b again
        ],
    );
    let mut child = Command::new(env!("CARGO_BIN_EXE_simulator-under-test"))
        .args(["boot", "--machine", "sa1110", "--kernel", &kernel])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    let said = text(&done.stderr);
    assert!(said.contains("nobody reads its console any more"), "{said}");
    assert!(!said.contains("panicked"), "{said}");
}

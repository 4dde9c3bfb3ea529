// SPDX-License-Identifier: Apache-2.0
//! `--ram`, and where raw images go.

use super::*;

/// Ends with how many of 32 MB the tag of memory has (r2 points to the tags: the first has five words).
const MEGABYTES: [u32; 5] = [
    0xe592_001c, // ldr r0, [r2, #28]
    0xe1a0_0ca0, // lsr r0, r0, #25
    0xe3a0_1205, // mov r1, #0x50000000
    0xe581_0010, // str r0, [r1, #PROBE_EXIT]
    0xeaff_fffe,
];

fn status(arguments: &[&str]) -> Option<i32> {
    let done = program(&[&["boot", "--pass-status"], arguments].concat());
    assert_eq!(text(&done.stderr), "");
    done.status.code()
}

#[test]
fn a_guest_is_told_how_much_memory_there_is() {
    let scratch = Scratch::new("ram");
    let kernel = scratch.image("megabytes", &MEGABYTES);
    let on = |machine: &str, more: &[&str]| {
        status(&[&["--machine", machine, "--kernel", &kernel], more].concat())
    };
    assert_eq!(on("sa1110", &[]), Some(1));
    assert_eq!(on("sa1110", &["--ram", "512M"]), Some(16));
    assert_eq!(on("versatilepb", &["--ram", "268435456"]), Some(8));
    let line = |machine, size, expected| {
        let arguments = [
            "boot",
            "--machine",
            machine,
            "--kernel",
            &kernel,
            "--ram",
            size,
        ];
        refused(&arguments, &format!("--ram {size}: {expected}"));
    };
    let sizes = "not for the board of versatilepb; expected a power of two from 1M to 256M";
    line("versatilepb", "512M", sizes);
    line("versatilepb", "96M", sizes);
    let sizes = "not for the board of p4-willamette; expected a power of two from 1M to 1G";
    line("p4-willamette", "2G", sizes);
    let size = "is no size; expected bytes from 1 to 4294967295, also with a suffix K, M or G";
    line("sa1110", "99999999999999999999", size);
    line("sa1110", "64MB", size);
}

/// A saved machine has its memory with it, and is no machine with another.
#[test]
fn a_saved_machine_keeps_its_memory() {
    let scratch = Scratch::new("ram-saved");
    let kernel = scratch.image("megabytes", &MEGABYTES);
    let saved = scratch.path("saved");
    let boot = [
        "boot",
        "--machine",
        "sa1110",
        "--kernel",
        &kernel,
        "--ram",
        "64M",
    ];
    program(&[&boot[..], &["--max-cycles", "1", "--save", &saved]].concat());
    let sixty_four = ["--machine", "sa1110", "--ram", "64M"];
    for with in [&[][..], &["--ram", "64M"], &sixty_four] {
        assert_eq!(
            status(&[&["--restore", &saved], with].concat()),
            Some(2),
            "{with:?}"
        );
    }
    let other = |with: &[&str], what: &str| {
        let expected = "expected a machine that --save has written";
        let line = format!("{saved}: {what}; {expected}");
        refused(&[&["boot", "--restore", &saved], with].concat(), &line);
    };
    other(
        &["--machine", "sa1110"],
        "is of a sa1110 with 64M of memory, not 32M",
    );
    other(
        &["--ram", "32M"],
        "is of a machine with 64M of memory, not 32M",
    );
    other(
        &["--machine", "collie", "--ram", "64M"],
        "is of another machine than collie: its sa1110",
    );
}

/// The case of most tutorials: linked for 64 KB, made a raw image, with absolute addresses.
#[test]
fn a_raw_image_is_where_it_was_linked_for() {
    let scratch = Scratch::new("raw");
    let code = [
        0xe59f_0004, // ldr r0, =word
        0xe590_0000, // ldr r0, [r0]
        0xea00_0001, // b end
        0x0001_0010, // word's address
        0x0000_0007, // word
        0xe3a0_1205, // end: mov r1, #0x50000000
        0xe581_0010, // str r0, [r1, #PROBE_EXIT]
        0xeaff_fffe,
    ];
    let kernel = scratch.image("absolute", &code);
    let boot = ["--machine", "versatilepb", "--kernel", &kernel];
    assert_eq!(status(&boot), Some(7));
    let there = [&boot[..], &["--load-address", "0x10000"]].concat();
    assert_eq!(status(&there), Some(7));
    let elsewhere = [&boot[..], &["--load-address", "0x20000"]].concat();
    assert_eq!(status(&elsewhere), Some(0));
    let line = "--load-address 0x1g: is no address; expected one from 0x0 to 0xffffffff";
    refused(
        &[&["boot"], &boot[..], &["--load-address", "0x1g"]].concat(),
        line,
    );
}

#[test]
fn numbers_out_of_range_are_one_line() {
    let scratch = Scratch::new("numbers");
    let kernel = scratch.image("end", &exit_with(0));
    for (option, least, most) in [
        ("--max-cycles", 1, u64::MAX),
        ("--console", 0, u32::MAX.into()),
    ] {
        for wrong in ["-1", "x", "99999999999999999999999"] {
            let number = format!("{option}={wrong}");
            let expected = format!("expected a whole number from {least} to {most}");
            boot_refused(
                &kernel,
                &[&number],
                &format!("{option} {wrong}: {expected}"),
            );
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Semihosting: a program in ARM and in Thumb state that speaks to a debugger alone; and what is said of one
//! whose calls nobody serves.

use super::*;

/// Says "keys: ", echoes what is typed up to a full stop, ends with status 3. `CALL` is SVC 0x123456.
const ARM: [u32; 23] = [
    0xe28f_1048, // adr r1, text
    0xe3b0_0004, // movs r0, #SYS_WRITE0
    0xef12_3456, // CALL
    0xe59f_4044, // ldr r4, =buffer
    0xe3b0_0007, // again: movs r0, #SYS_READC
    0xe3b0_1000, // movs r1, #0
    0xef12_3456, // CALL
    0xe5c4_0000, // strb r0, [r4]
    0xe350_002e, // cmp r0, #'.'
    0x0a00_0003, // beq done
    0xe294_1000, // adds r1, r4, #0
    0xe3b0_0003, // movs r0, #SYS_WRITEC
    0xef12_3456, // CALL
    0xeaff_fff5, // b again
    0xe28f_1008, // done: adr r1, block
    0xe3b0_0020, // movs r0, #SYS_EXIT_EXTENDED
    0xef12_3456, // CALL
    0xeaff_fffb, // b done
    0x0002_0026, // block: ADP_Stopped_ApplicationExit
    0x0000_0003, // the status
    0x7379_656b, // text: "keys: "
    0x0000_203a, //
    0x0001_0200, // buffer
];

/// The program after two instructions that change to Thumb state; there CALL is SVC 0xab.
fn thumb() -> Vec<u32> {
    let mut code = vec![
        0xe28f_0001, // add r0, pc, #1
        0xe12f_ff10, // bx r0
    ];
    code.extend([
        0x2004_a10a, // adr r1, text; movs r0, #SYS_WRITE0
        0x4c0b_dfab, // CALL; ldr r4, =buffer
        0x2100_2007, // again: movs r0, #SYS_READC; movs r1, #0
        0x7020_dfab, // CALL; strb r0, [r4]
        0xd003_282e, // cmp r0, #'.'; beq done
        0x2003_1c21, // adds r1, r4, #0; movs r0, #SYS_WRITEC
        0xe7f5_dfab, // CALL; b again
        0x2020_a101, // done: adr r1, block; movs r0, #SYS_EXIT_EXTENDED
        0xe7fb_dfab, // CALL; b done
    ]);
    code.extend(&ARM[18..]);
    code
}

fn boot(kernel: &str, more: &[&str]) -> Output {
    let mut arguments = vec!["boot", "--machine", "versatilepb", "--kernel", kernel];
    arguments.extend(["--max-cycles", "1000000"]);
    arguments.extend(more);
    program(&arguments)
}

#[test]
fn a_program_in_either_state_is_served() {
    let scratch = Scratch::new("semihosting");
    let keys = scratch.file("keys", "semi\n.rest");
    for (name, code) in [("arm", ARM.to_vec()), ("thumb", thumb())] {
        let kernel = scratch.image(name, &code);
        let served = ["--semihosting", "--input", &keys];
        let done = boot(&kernel, &served);
        assert_eq!(text(&done.stdout), "keys: semi\n", "{}", text(&done.stderr));
        assert_eq!(
            (done.status.code(), text(&done.stderr)),
            (
                Some(1),
                "switchyard-machine: the guest ended with status 3\n".to_string()
            )
        );
        let done = boot(&kernel, &[&served[..], &["--pass-status"]].concat());
        assert_eq!(done.status.code(), Some(3));
        // Without keys it waits for ever.
        let done = boot(&kernel, &["--semihosting"]);
        let said = text(&done.stderr);
        assert!(
            said.contains("the guest hangs: waits at ")
                && said.contains(" for a key, by semihosting, and nobody types\n"),
            "{said}"
        );
        assert_eq!(
            (text(&done.stdout), done.status.code()),
            ("keys: ".to_string(), Some(1))
        );
    }
}

#[test]
fn a_call_that_nobody_serves_is_told_of() {
    let scratch = Scratch::new("semihosting-off");
    let kernel = scratch.image("arm", &ARM);
    let done = boot(&kernel, &[]);
    let said = text(&done.stderr);
    let clue = "  it has made a semihosting call, at 0x00010008: --semihosting serves these\n";
    assert!(said.contains(clue), "{said}");
    assert_eq!(done.status.code(), Some(1));
    let on_pc = ["boot", "--machine", "p4-willamette", "--kernel"];
    let pc = scratch.file("pc", multiboot(&[0xf4]));
    let line = "--semihosting: p4-willamette has no such calls; expected a machine with an ARM";
    refused(&[&on_pc[..], &[&pc, "--semihosting"]].concat(), line);
}

/// A flat kernel with a Multiboot header, whose code begins after it at 0x200020.
pub fn multiboot(code: &[u8]) -> Vec<u8> {
    let (mark, flags) = (0x1bad_b002u32, 1 << 16);
    let sum = mark.wrapping_add(flags).wrapping_neg();
    let addresses = [0x20_0000, 0x20_0000, 0, 0, 0x20_0020];
    let words = [mark, flags, sum].into_iter().chain(addresses);
    let mut image: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    image.extend(code);
    image
}

/// A run that is saved while a call waits for a key goes on from there, and types the same.
#[test]
fn a_waiting_call_is_saved() {
    let scratch = Scratch::new("semihosting-saved");
    let kernel = scratch.image("thumb", &thumb());
    let (saved, keys) = (scratch.path("saved"), scratch.file("keys", "x."));
    let whole = boot(&kernel, &["--semihosting", "--input", &keys]);
    let begun = boot(&kernel, &["--semihosting", "--save", &saved]);
    assert_eq!(begun.status.code(), Some(1)); // hangs, and is saved so
    let rest = program(&["boot", "--restore", &saved, "--input", &keys]);
    assert_eq!(text(&rest.stdout), "x", "{}", text(&rest.stderr));
    let both = [begun.stdout, rest.stdout].concat();
    assert_eq!((both, rest.status.code()), (whole.stdout, Some(1)));
    let kept = ["boot", "--restore", &saved, "--semihosting"];
    let line = "the argument '--restore <RESTORE>' cannot be used with '--semihosting'; \
                expected what --help says";
    refused(&kept, line);
}

/// What was typed comes again from a recording, on a machine that begins the same way.
#[test]
fn a_recorded_run_is_replayed() {
    let scratch = Scratch::new("semihosting-replay");
    let kernel = scratch.image("arm", &ARM);
    let keys = scratch.file("keys", "again.");
    let [record, first, second] = ["record", "1", "2"].map(|name| scratch.path(name));
    let options = [
        "--semihosting",
        "--input",
        &keys,
        "--record",
        &record,
        "--stats",
        &first,
    ];
    let run = boot(&kernel, &options);
    let again = boot(
        &kernel,
        &["--semihosting", "--replay", &record, "--stats", &second],
    );
    assert_eq!(text(&again.stdout), "keys: again");
    assert_eq!((run.stdout, run.status), (again.stdout, again.status));
    let statistics = [first, second].map(|file| std::fs::read_to_string(file).unwrap());
    assert_eq!(statistics[0], statistics[1]);
    let other = boot(&kernel, &["--replay", &record]);
    assert_eq!(other.status.code(), Some(2), "{}", text(&other.stderr));
}

/// Files of the host stay closed, which the program is told, and the person.
#[test]
fn no_file_of_the_host_is_opened() {
    let scratch = Scratch::new("semihosting-file");
    let code = [
        0xe28f_1018, // adr r1, block
        0xe3a0_0001, // mov r0, #SYS_OPEN
        0xef12_3456, // CALL: -1
        0xe3a0_0013, // mov r0, #SYS_ERRNO
        0xef12_3456, // CALL: 13, EACCES
        0xe3a0_1205, // mov r1, #0x50000000
        0xe581_0010, // str r0, [r1, #PROBE_EXIT]
        0xeaff_fffe, //
        0xc001_002c, // block: the name,
        0x0000_0004, // to write,
        0x0000_0004, // its length
        0x7478_742e, // ".txt"
        0,
    ];
    let kernel = scratch.image("open", &code);
    let done = program(&[
        "boot",
        "--machine",
        "sa1110",
        "--kernel",
        &kernel,
        "--semihosting",
    ]);
    let said =
        "switchyard-machine: the guest wanted to open \".txt\" by semihosting, which opens no \
                files of the host\nswitchyard-machine: the guest ended with status 13\n";
    assert_eq!(text(&done.stderr), said);
}

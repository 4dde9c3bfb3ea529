// SPDX-License-Identifier: Apache-2.0
//! The console: which serial port it is, what is typed there, scripts.

use super::*;

/// Enables the receiver and transmitter of the SA-1110's UART at `port` times 64 KB, echoes two
/// characters, ends.
fn echo(port: u32) -> Vec<u32> {
    vec![
        0xe3a0_4102,        // mov r4, #0x80000000
        0xe384_4800 | port, // orr r4, r4, #the port's window
        0xe3a0_0003,        // mov r0, #RXE|TXE
        0xe584_000c,        // str r0, [r4, #UTCR3]
        0xe3a0_5002,        // mov r5, #2
        0xe594_0020,        // wait: ldr r0, [r4, #UTSR1]
        0xe310_0002,        // tst r0, #RNE
        0x0aff_fffc,        // beq wait
        0xe594_0014,        // ldr r0, [r4, #UTDR]
        0xe584_0014,        // str r0, [r4, #UTDR]
        0xe255_5001,        // subs r5, r5, #1
        0x1aff_fff8,        // bne wait
        0xe3a0_1205,        // mov r1, #0x50000000
        0xe3a0_0000,        // mov r0, #0
        0xe581_0010,        // str r0, [r1, #PROBE_EXIT]
    ]
}

#[test]
fn typed_input_reaches_the_serial_port() {
    let scratch = Scratch::new("input");
    let kernel = scratch.image("echo", &echo(1));
    let input = scratch.file("keys", "hi");
    let done = program(&[
        "boot",
        "--machine",
        "sa1110",
        "--kernel",
        &kernel,
        "--input",
        &input,
        "--max-cycles",
        "1000000",
    ]);
    assert_eq!(text(&done.stdout), "hi", "{}", text(&done.stderr));
    assert_eq!(done.status.code(), Some(0));
}

#[test]
fn the_console_is_the_port_that_was_asked_for() {
    let scratch = Scratch::new("console");
    let input = scratch.file("keys", "hi");
    let third = scratch.image("echo", &echo(5));
    let boot = [
        "boot",
        "--machine",
        "sa1110",
        "--kernel",
        &third,
        "--input",
        &input,
    ];
    let limit = ["--max-cycles", "1000000"];
    let done = program(&[&boot[..], &limit, &["--console", "3"]].concat());
    assert_eq!(text(&done.stdout), "hi", "{}", text(&done.stderr));
    assert_eq!(
        (done.status.code(), text(&done.stderr)),
        (Some(0), String::new())
    );
    // a port that is not the console hears nothing
    let done = program(&[&boot[..], &limit, &["--console", "2"]].concat());
    assert_eq!(
        (done.status.code(), text(&done.stdout)),
        (Some(1), String::new())
    );

    // mov r4, #0x80000000; orr r4, r4, #0x50000; mov r0, #3; str r0, [r4, #UTCR3]; str r0, [r4, #UTDR]
    let mut code = vec![
        0xe3a0_4102,
        0xe384_4805,
        0xe3a0_0003,
        0xe584_000c,
        0xe584_0014,
    ];
    code.extend(exit_with(0));
    let writes = scratch.image("writes", &code);
    let done = program(&["boot", "--machine", "sa1110", "--kernel", &writes]);
    let hint = "switchyard-machine: nothing was written to serial port 1, the console, but to 3: \
                --console 3 shows it\n";
    assert_eq!(
        (done.status.code(), text(&done.stderr)),
        (Some(0), hint.to_string())
    );
    let done = program(&[
        "boot",
        "--machine",
        "sa1110",
        "--kernel",
        &writes,
        "--console",
        "3",
    ]);
    assert_eq!((done.stdout, done.stderr), (vec![3], vec![]));

    let line = "--console 4: sa1110 has no such serial port; expected one of 1, 2, 3";
    boot_refused(&writes, &["--console", "4"], line);
    let line = "--console 4: versatilepb has no such serial port; expected one of 0, 1, 2, 3";
    let on = [
        "boot",
        "--machine",
        "versatilepb",
        "--kernel",
        &writes,
        "--console",
        "4",
    ];
    refused(&on, line);
}

/// The PL011s of the Versatile, from the register that the boot monitor leaves as on.
#[test]
fn each_port_of_the_versatile_can_be_the_console() {
    let scratch = Scratch::new("versatile");
    for (number, base) in [
        (0, 0x101f_1000u32),
        (1, 0x101f_2000),
        (2, 0x101f_3000),
        (3, 0x1000_9000),
    ] {
        let kernel = scratch.image(
            "writes",
            &[
                0xe59f_4014, // ldr r4, base
                0xe59f_0014, // ldr r0, enables
                0xe584_0030, // str r0, [r4, #UARTCR]
                0xe3a0_0041, // mov r0, #'A'
                0xe584_0000, // str r0, [r4, #UARTDR]
                0xeaff_fffe,
                0,
                base,
                0x301, // UARTEN, TXE, RXE
            ],
        );
        let number = number.to_string();
        let boot = ["boot", "--machine", "versatilepb", "--kernel", &kernel];
        let more = ["--max-cycles", "1000", "--console", &number];
        assert_eq!(
            text(&program(&[&boot[..], &more].concat()).stdout),
            "A",
            "{number}"
        );
    }
}

#[test]
fn scripts_wait_for_texts() {
    let scratch = Scratch::new("script");
    let kernel = scratch.image("echo", &echo(1));
    let boot = |script: &str, more: &[&str]| {
        let script = scratch.file("script", script);
        let boot = [
            "boot",
            "--machine",
            "sa1110",
            "--kernel",
            &kernel,
            "--input",
            &script,
        ];
        (program(&[&boot[..], more].concat()), script)
    };
    // the second character is typed when the first has come back
    let (done, _) = boot(
        "#!expect\nsend \"h\"\nexpect \"h\" within 1\nsend \"i\"\nexpect \"i\"\n",
        &[],
    );
    assert_eq!(text(&done.stdout), "hi", "{}", text(&done.stderr));
    assert_eq!(
        (done.status.code(), text(&done.stderr)),
        (Some(0), String::new())
    );
    // at the same cycles each time
    let late = "#!expect\nwait 0.05\nsend \"h\"\nexpect \"h\"\nwait 0.1\nsend \"i\"\n";
    let stats = ["--stats", "-"];
    let (first, second) = (boot(late, &stats).0, boot(late, &stats).0);
    assert_eq!(text(&first.stdout), text(&second.stdout));
    let cycles = |done: &Output| {
        let said = text(&done.stdout);
        let stats: serde_json::Value =
            serde_json::from_str(&said[said.find('{').unwrap()..]).unwrap();
        stats["cycles"].as_u64().unwrap()
    };
    assert!(
        (30_000_000..40_000_000).contains(&cycles(&first)),
        "{}",
        cycles(&first)
    );

    let (done, script) = boot("#!expect\nsend \"h\"\nexpect \"x\" within 0.5\n", &[]);
    let said = text(&done.stderr);
    let line = format!("{script}: line 3: \"x\" did not come within 0.5 s\n");
    assert!(said.contains(&line), "{said}");
    assert_eq!(done.status.code(), Some(1));
    let (done, script) = boot("#!expect\nsend \"hi\"\nexpect \"x\"\n", &[]);
    let line = format!("{script}: line 3: \"x\" did not come before the guest ended\n");
    assert!(text(&done.stderr).contains(&line), "{}", text(&done.stderr));
    assert_eq!(done.status.code(), Some(1));
    let (done, script) = boot("#!expect\n\nsay \"hi\"\n", &[]);
    assert!(text(&done.stderr).contains(&format!("{script}: line 3: `say \"hi\"`; expected")));
    assert_eq!(done.status.code(), Some(2));
}

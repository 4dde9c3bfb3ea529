// SPDX-License-Identifier: Apache-2.0
//! What is said of a guest from which nothing was heard: what the machine knows of why.

use super::semihosting::multiboot;
use super::*;

fn said(machine: &str, kernel: &str) -> String {
    let arguments = ["boot", "--machine", machine, "--kernel", kernel];
    let done = program(&[&arguments[..], &["--max-cycles", "200000"]].concat());
    assert_eq!(done.status.code(), Some(1));
    assert!(done.stdout.is_empty());
    text(&done.stderr)
}

#[test]
fn zeros_that_are_executed() {
    let scratch = Scratch::new("zeros");
    let jumps = scratch.image("jumps", &[0xe3a0_f602]); // mov pc, #0x200000
    let zeros = said("versatilepb", &jumps);
    let clue = "memory that nothing was loaded into: perhaps it was linked for another address";
    assert!(zeros.contains("  it executes zeros at 0x00"), "{zeros}");
    assert!(zeros.contains(clue), "{zeros}");
    // jmp 0x300000, where EAX points to memory: add [eax], al
    let kernel = multiboot(&[0xb8, 0, 0, 0x28, 0, 0xe9, 0xd6, 0xff, 0x0f, 0]);
    let kernel = scratch.file("pc", kernel);
    let zeros = said("p4-willamette", &kernel);
    assert!(zeros.contains("  it executes zeros at 0x003"), "{zeros}");
    // A loop does not.
    let loops = scratch.image("loops", &[0xe3a0_7001, 0xeaff_fffd]);
    assert!(!said("versatilepb", &loops).contains("zeros"));
}

#[test]
fn text_for_a_screen() {
    let scratch = Scratch::new("screen");
    // mov dword [0xb80a0], 'H' | 0x07 << 8 | 'i' << 16 | 0x07 << 24; jmp $
    let text = [
        0xc7, 0x05, 0xa0, 0x80, 0x0b, 0, b'H', 7, b'i', 7, 0xeb, 0xfe,
    ];
    let kernel = scratch.file("text", multiboot(&text));
    let screen = said("p4-willamette", &kernel);
    let clue =
        "  it has written to the screen, at 0xb8000 (its console is a serial port; --screen \
                FILE.png shows the screen): \"Hi\"\n";
    assert!(screen.contains(clue), "{screen}");
    // mov byte [0xa1234], 5; jmp $
    let picture = [0xc6, 0x05, 0x34, 0x12, 0x0a, 0, 5, 0xeb, 0xfe];
    let kernel = scratch.file("picture", multiboot(&picture));
    let screen = said("p4-willamette", &kernel);
    assert!(
        screen.contains("to the screen's memory, at 0xa0000:"),
        "{screen}"
    );
    // jmp $
    let kernel = scratch.file("nothing", multiboot(&[0xeb, 0xfe]));
    assert!(!said("p4-willamette", &kernel).contains("screen"));
}

/// With every source masked at the controller nothing ends the sleep, whatever timers do; a watchdog may
/// end the run.
#[test]
fn sleep_without_an_end() {
    let scratch = Scratch::new("masked");
    let asleep = scratch.image("sa1110", &sleeping(1));
    let masked = "for an interrupt, with every source masked at the interrupt controller\n";
    let line = said("sa1110", &asleep);
    assert!(
        line.contains("the guest hangs: waits at 0xc00100"),
        "{line}"
    );
    assert!(line.contains(masked), "{line}");
    // mov r0, #0x10000000; orr r0, r0, #0x1e0000; orr r0, r0, #0x2000: timer 0, which runs for ever
    let mut code = vec![0xe3a0_0201, 0xe380_081e, 0xe380_0a02];
    // mov r1, #0xe2; str r1, [r0, #TimerControl]; mcr p15, 0, r1, c7, c0, 4; b .
    code.extend([0xe3a0_10e2, 0xe580_1008, 0xee07_1f90, 0xeaff_fffe]);
    let timer = scratch.image("timer", &code);
    let line = said("versatilepb", &timer);
    assert!(
        line.contains("the guest hangs: waits at 0x000100"),
        "{line}"
    );
    assert!(line.contains(masked), "{line}");
    // The watchdog (0x101e1000) resets: unlocked, load 100, reset and interrupt enabled.
    let mut code = vec![0xe3a0_0201, 0xe380_081e, 0xe380_0a01];
    code.extend([
        0xe3a0_1064, // mov r1, #100
        0xe580_1000, // str r1, [r0, #WdogLoad]
        0xe3a0_1003, // mov r1, #INTEN | RESEN
        0xe580_1008, // str r1, [r0, #WdogControl]
        0xee07_1f90, // mcr p15, 0, r1, c7, c0, 4
        0xeaff_fffe,
    ]);
    let watchdog = scratch.image("watchdog", &code);
    let line = said("versatilepb", &watchdog);
    assert!(
        line.contains("the guest stopped: reset by the watchdog"),
        "{line}"
    );
    // mov al, 0xff; out 0x21, al; sti; hlt: the PC's, with its timer running
    let kernel = [0xb0, 0xff, 0xe6, 0x21, 0xfb, 0xf4, 0xeb, 0xfd];
    let kernel = scratch.file("pc", multiboot(&kernel));
    let line = said("p4-willamette", &kernel);
    assert!(line.contains(masked), "{line}");
}

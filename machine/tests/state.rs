// SPDX-License-Identifier: Apache-2.0
//! Saved machines: going on from one is the same, to the cycle and the last counter, as never
//! having stopped; and a file that is none is refused in a few words, whatever is in it.

use crate::support;

use std::sync::OnceLock;

use proptest::prelude::*;

use switchyard_machine::arch::Processor;
use switchyard_machine::arm::Machine;
use switchyard_machine::config::MachineConfig;
use switchyard_machine::gdb;
use switchyard_machine::machine::Stop;
use switchyard_machine::report::{self, End};
use switchyard_machine::snapshot::{self, Saved};
use switchyard_machine::state::Damaged;

const LIMIT: u64 = 10_000_000;

fn saved(machine: &mut Machine) -> Vec<u8> {
    let mut file = Vec::new();
    snapshot::save(machine, &mut file).expect("memory can be written");
    file
}

fn restored(file: &[u8], name: &str) -> Result<Machine, Damaged> {
    let mut machine = support::empty(name);
    Saved::open(file)?.restore(&mut machine)?;
    Ok(machine)
}

/// Everything that is told about a run.
fn account(machine: &mut Machine, name: &str, stop: Stop) -> (String, Vec<u8>, String) {
    let config = MachineConfig::find(name).expect("a built-in machine");
    let end = End::new(stop, machine.cycles());
    let registers = report::state(machine, &report::ConsoleTail::default());
    let statistics = report::statistics(&config, machine, &end, None, None);
    (statistics, machine.bus().host.output.clone(), registers)
}

/// Runs `make`'s machine straight, and again with a stop each `step` cycles at which it is saved
/// and another machine goes on. `wanted` is asked at each stop whether something is under way that
/// must be met; says how often it was.
fn compare(
    name: &str,
    make: impl Fn() -> Machine,
    step: u64,
    wanted: impl Fn(&mut Machine) -> bool,
) -> usize {
    let mut straight = make();
    let stop = straight.run(LIMIT);
    let expected = account(&mut straight, name, stop);

    let mut machine = make();
    let mut met = 0;
    loop {
        match machine.run(machine.cycles() + step) {
            Stop::Budget => {}
            stop => {
                assert_eq!(account(&mut machine, name, stop), expected);
                return met;
            }
        }
        met += usize::from(wanted(&mut machine));
        let file = saved(&mut machine);
        machine = restored(&file, name).expect("it can be restored");
        assert_eq!(saved(&mut machine), file, "saved again");
    }
}

/// The machine `sa1110-sdram` with 4 MB, so that saving it often takes less time.
fn small() -> &'static str {
    static FILE: OnceLock<String> = OnceLock::new();
    FILE.get_or_init(|| {
        let text = include_str!("../machines/sa1110-sdram.toml");
        let (from, to) = ("ram-bytes = 0x0200_0000", "ram-bytes = 0x0040_0000");
        assert!(text.contains(from));
        let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("small.toml");
        std::fs::write(&file, text.replace(from, to)).expect("the test's own file");
        file.to_str().expect("a plain path").to_string()
    })
}

/// Caches, TLBs, domains, the PID register, write and read buffer, in all states in which the
/// guests of `memory/` leave them.
#[test]
fn every_part_of_the_memory_system_goes_on() {
    let mut buffered = 0;
    for (guest, step) in [
        ("dirty_unmap", 211),
        ("domain", 211),
        ("homonym", 211),
        ("mini_cache", 211),
        ("pid_change", 211),
        ("read_buffer", 29),
        ("stale_instruction", 211),
        ("subpage", 211),
        ("synonym", 211),
        ("write_buffer", 1),
    ] {
        buffered += compare(
            small(),
            || support::loaded("memory", guest, small()),
            step,
            |machine| machine.core().mem.buffered_writes() > 0,
        );
    }
    assert!(buffered > 20, "{buffered} stops with writes in the buffer");
}

/// A machine with these instructions at the start of its memory, and `input` typed.
fn instructions(words: &[u32], input: &[u8]) -> Machine {
    let mut machine = support::empty("sa1110");
    for (n, word) in words.iter().enumerate() {
        let place = machine.bus().ram_slice_mut(0xc000_0000 + 4 * n as u32, 4);
        place.expect("memory").copy_from_slice(&word.to_le_bytes());
    }
    machine.core().r[15] = 0xc000_0000;
    machine.type_input(input);
    machine
}

/// Serial port 1 echoes twelve characters, asleep between them, with time running on the timer.
const ECHO: &[u32] = &[
    0xe3a0_4102, // mov r4, #0x80000000
    0xe384_4801, // orr r4, r4, #0x10000
    0xe3a0_600c, // mov r6, #12
    0xe3a0_000b, // mov r0, #RXE | TXE | RIE
    0xe584_000c, // str r0, [r4, #UTCR3]
    0xe3a0_2004, // mov r2, #RID
    0xe594_1020, // again: ldr r1, [r4, #UTSR1]
    0xe311_0002, // tst r1, #RNE
    0x0a00_0003, // beq wait
    0xe594_0014, // ldr r0, [r4, #UTDR]
    0xe584_0014, // str r0, [r4, #UTDR]
    0xe256_6001, // subs r6, r6, #1
    0x1aff_fff8, // bne again
    0xe584_201c, // wait: str r2, [r4, #UTSR0]
    0xe356_0000, // cmp r6, #0
    0x1e0f_0f58, // mcrne p15, 0, r0, c15, c8, 2: wait for interrupt
    0x1aff_fff4, // bne again
    0xe3a0_1205, // mov r1, #0x50000000
    0xe581_6010, // str r6, [r1, #PROBE_EXIT]
    0xeaff_fffe,
];

#[test]
fn a_serial_port_goes_on_in_the_middle_of_a_character() {
    let asleep = compare(
        "sa1110",
        || instructions(ECHO, b"Hello, world"),
        9_001, // about half a character
        |machine| machine.core().waits_for_interrupt(),
    );
    assert!(asleep > 10, "{asleep} stops while it slept");
}

/// A debugger goes back over what was typed, and on again: the guest gets it again at the same cycles,
/// and its echo is heard once.
#[test]
fn what_was_typed_is_typed_again() {
    let mut machine: Machine<gdb::Watch> = support::empty("sa1110");
    for (n, word) in ECHO.iter().enumerate() {
        let place = machine.bus().ram_slice_mut(0xc000_0000 + 4 * n as u32, 4);
        place.expect("memory").copy_from_slice(&word.to_le_bytes());
    }
    machine.core().r[15] = 0xc000_0000;
    let end = format!("Z0,{:x},4", 0xc000_0000u32 + 4 * 17); // after the loop
    let now = "qRcmd,6379636c6573"; // "cycles"
    let asked = [
        &end,
        "vCont;c",
        "vCont;c",
        now,
        "bs",
        "bs",
        "vCont;s",
        "vCont;s",
        now,
        "bc",
        now,
        "vCont;c",
        now,
        &end.replacen('Z', "z", 1),
        "vCont;c",
    ];
    // as many acknowledgements as slices that an answer may take
    let packet = |text: &str| {
        let sum = text.bytes().fold(0u8, u8::wrapping_add);
        format!("{:+<64}${text}#{sum:02x}", "").into_bytes()
    };
    let bytes = asked.iter().flat_map(|text| packet(text)).collect();
    let mut script = gdb::Recorded::new(bytes);
    let mut heard = Vec::new();
    let typed = [(1_000_000, b"Hello,"), (2_000_000, b" world")];
    let mut left = typed.iter().peekable();
    let mut between = |machine: &mut Machine<gdb::Watch>, stop| {
        heard.append(&mut machine.bus().host.output);
        let now = machine.cycles();
        if let Some((_, text)) = left.next_if(|(cycle, _)| *cycle <= now) {
            machine.type_input(*text);
            return None;
        }
        (stop != Stop::Budget).then_some(stop)
    };
    gdb::converse(&mut script, &mut machine, LIMIT, &mut between, None);
    let said = String::from_utf8_lossy(&script.answer).into_owned();
    let mut alone = instructions(ECHO, b"");
    for (cycle, text) in typed {
        assert!(matches!(alone.run(cycle), Stop::Hung(_)), "it waits");
        alone.type_input(text);
    }
    assert_eq!(alone.run(LIMIT), Stop::Exit(0));
    assert_eq!(heard, alone.bus().host.output, "{said}");
    let answers = said.split("$O").filter(|rest| !rest.starts_with('K'));
    let cycles: Vec<&str> = answers.skip(1).map(|rest| &rest[..20]).collect();
    assert_eq!(cycles.len(), 4, "{said}");
    assert_eq!(cycles[0], cycles[1], "{said}");
    assert_eq!(cycles[0], cycles[3], "{said}");
    assert!(cycles[2].starts_with("302063"), "0 c(ycles): {said}");
    assert!(said.contains("replaylog:begin;"), "{said}");
    assert!(said.contains("$W00"), "{said}");
}

/// The file of a machine in the middle of a guest.
fn an_example() -> &'static [u8] {
    static EXAMPLE: OnceLock<Vec<u8>> = OnceLock::new();
    EXAMPLE.get_or_init(|| {
        let mut machine = instructions(ECHO, b"Hello, world");
        machine.run(50_000);
        saved(&mut machine)
    })
}

/// A saved machine with an ARM926EJ-S and the Versatile board, which writes all over its
/// memory.
fn another_example() -> &'static [u8] {
    static EXAMPLE: OnceLock<Vec<u8>> = OnceLock::new();
    EXAMPLE.get_or_init(|| {
        let mut machine = support::empty("versatilepb");
        let (base, _) = machine.bus().ram_window();
        for (n, word) in [0xe5a0_0404u32, 0xeaff_fffd].iter().enumerate() {
            let place = machine.bus().ram_slice_mut(base + 4 * n as u32, 4);
            place.expect("memory").copy_from_slice(&word.to_le_bytes());
        }
        machine.core().r[15] = base; // str r0, [r0, #0x404]!; b .-4
        machine.type_input(b"typed");
        machine.run(50_000);
        saved(&mut machine)
    })
}

fn refused(file: &[u8], name: &str) -> String {
    match restored(file, name) {
        Ok(_) => panic!("it was taken"),
        Err(Damaged(what)) => what,
    }
}

#[test]
fn files_that_are_none_are_refused() {
    let good = an_example();
    assert!(restored(good, "sa1110").is_ok());
    assert_eq!(refused(b"", "sa1110"), "is no saved machine");
    assert_eq!(
        refused(b"\x7fELF and so on, no state", "sa1110"),
        "is no saved machine"
    );
    assert_eq!(
        refused(good, "collie"),
        "was saved with another machine file"
    );
    for length in [16, 17, 40, good.len() / 2, good.len() - 1] {
        let what = refused(&good[..length], "sa1110");
        assert!(what.contains("damaged"), "{length}: {what}");
    }
}

/// A file without its compression, and one that is made of such bytes.
fn unpacked(file: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut frame = lz4_flex::frame::FrameDecoder::new(&file[16..]);
    std::io::Read::read_to_end(&mut frame, &mut bytes).expect("a good file");
    bytes
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut frame = lz4_flex::frame::FrameEncoder::new(an_example()[..16].to_vec());
    std::io::Write::write_all(&mut frame, bytes).expect("memory can be written");
    frame.finish().expect("memory can be written")
}

#[test]
fn another_version_is_named() {
    let mut bytes = unpacked(an_example());
    bytes[0] = 77;
    let what = refused(&packed(&bytes), "sa1110");
    assert!(what.starts_with("was saved in format 77"), "{what}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Neither reading nor, where it is taken all the same, going on for a while panics.
    #[test]
    fn damage_does_not_panic(changes in prop::collection::vec((0usize..20_000, any::<u8>()), 1..4),
                             cut in 0usize..40_000, versatile: bool) {
        let (file, name) = if versatile {
            (another_example(), "versatilepb")
        } else {
            (an_example(), "sa1110")
        };
        let mut bytes = unpacked(file);
        // After the text of the machine file, which must be the same.
        let text = 4 + 8 + u64::from_le_bytes(bytes[4..12].try_into().unwrap()) as usize;
        let length = bytes.len();
        for (at, value) in changes {
            bytes[text + at % (length - text)] = value;
        }
        bytes.truncate((text + cut).min(length));
        if let Ok(mut machine) = restored(&packed(&bytes), name) {
            machine.run(machine.cycles().saturating_add(100_000));
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
//! The timeline (`--trace`), read here by the rules of its format alone: slices nest, time goes on,
//! every reference has been introduced, and what is an event there is what the counters count.

use crate::support;

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use switchyard_machine::arch::Processor;
use switchyard_machine::arm::cpu::core::Core;
use switchyard_machine::arm::Arm;
use switchyard_machine::counters::Tally;
use switchyard_machine::machine::Stop;
use switchyard_machine::symbols::Symbols;
use switchyard_machine::trace::Trace;

/// A field of a message: its number, and its value as a number or as bytes.
#[derive(Debug, Clone, Copy)]
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// Takes a message apart (protobuf.dev/programming-guides/encoding).
fn fields(mut bytes: &[u8]) -> Vec<(u64, Field<'_>)> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let value = match key & 7 {
            0 => Field::Number(varint(&mut bytes)),
            1 => {
                let (value, rest) = bytes.split_at(8);
                bytes = rest;
                Field::Number(u64::from_le_bytes(value.try_into().unwrap()))
            }
            2 => {
                let length = varint(&mut bytes) as usize;
                let (value, rest) = bytes.split_at(length);
                bytes = rest;
                Field::Bytes(value)
            }
            other => panic!("wire type {other}"),
        };
        found.push((key >> 3, value));
    }
    found
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = bytes[0];
        *bytes = &bytes[1..];
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return value;
        }
    }
    panic!("a number of more than 64 bits");
}

fn number(fields: &[(u64, Field)], wanted: u64) -> Option<u64> {
    fields.iter().find_map(|(field, value)| match value {
        Field::Number(value) if *field == wanted => Some(*value),
        _ => None,
    })
}

fn messages<'a>(
    fields: &'a [(u64, Field<'a>)],
    wanted: u64,
) -> impl Iterator<Item = Vec<(u64, Field<'a>)>> + 'a {
    fields.iter().filter_map(move |(field, value)| match value {
        Field::Bytes(bytes) if *field == wanted => Some(self::fields(bytes)),
        _ => None,
    })
}

fn text(fields: &[(u64, Field)], wanted: u64) -> String {
    let found = fields.iter().find_map(|(field, value)| match value {
        Field::Bytes(bytes) if *field == wanted => Some(*bytes),
        _ => None,
    });
    String::from_utf8(found.expect("a string").to_vec()).unwrap()
}

/// An event that begins or happens.
#[derive(Debug, Clone, PartialEq)]
struct Event {
    track: String,
    name: String,
    nanoseconds: u64,
    /// Of a slice; 0 for an instant.
    length: u64,
    /// Numbers and addresses.
    arguments: BTreeMap<String, u64>,
}

#[derive(Debug, Default)]
struct Track {
    name: String,
    counter: bool,
    last: u64,
    /// Indices of the events that have not ended.
    open: Vec<usize>,
    values: Vec<f64>,
}

/// A timeline, and what is wrong with it in a panic.
fn read(bytes: &[u8]) -> (Vec<Event>, Vec<Track>) {
    let mut tracks: BTreeMap<u64, Track> = BTreeMap::new();
    let mut events = Vec::new();
    // event names and names of arguments
    let mut interned = [BTreeMap::new(), BTreeMap::new()];
    for (n, (field, packet)) in fields(bytes).iter().enumerate() {
        let Field::Bytes(packet) = packet else {
            panic!("no packet")
        };
        assert_eq!(*field, 1);
        let packet = fields(packet);
        assert_eq!(number(&packet, 10), Some(1), "one sequence");
        let cleared = number(&packet, 13) == Some(1);
        assert_eq!(cleared, n == 0, "its state begins once");
        for data in messages(&packet, 12) {
            for (names, field) in interned.iter_mut().zip([2, 3]) {
                for name in messages(&data, field) {
                    let before = names.insert(number(&name, 1).unwrap(), text(&name, 2));
                    assert_eq!(before, None, "named twice");
                }
            }
        }
        for track in messages(&packet, 60) {
            let uuid = number(&track, 1).unwrap();
            let child = number(&track, 5).is_some();
            let new = Track {
                name: if child {
                    text(&track, 2)
                } else {
                    "machine".into()
                },
                counter: messages(&track, 8).next().is_some(),
                ..Track::default()
            };
            assert!(tracks.insert(uuid, new).is_none(), "track {uuid} twice");
        }
        for event in messages(&packet, 11) {
            let at = number(&packet, 8).expect("a time");
            let track = tracks
                .get_mut(&number(&event, 11).unwrap())
                .expect("a track");
            assert!(at >= track.last, "{} goes back", track.name);
            track.last = at;
            let kind = number(&event, 9).unwrap();
            assert_eq!(track.counter, kind == 4, "{}", track.name);
            if kind == 4 {
                let value = f64::from_bits(number(&event, 44).unwrap());
                assert!(
                    value.is_finite() && value >= 0.0,
                    "{} is {value}",
                    track.name
                );
                track.values.push(value);
                continue;
            }
            if kind == 2 {
                let begun = track.open.pop().expect("a slice ends that has begun");
                let begun: &mut Event = &mut events[begun];
                begun.length = at - begun.nanoseconds;
                continue;
            }
            if kind == 1 {
                track.open.push(events.len());
            }
            let annotations = messages(&event, 4).filter_map(|one| {
                let value = number(&one, 3).or(number(&one, 7))?;
                Some((interned[1][&number(&one, 1).unwrap()].clone(), value))
            });
            events.push(Event {
                track: track.name.clone(),
                name: interned[0][&number(&event, 10).unwrap()].clone(),
                nanoseconds: at,
                length: 0,
                arguments: annotations.collect(),
            });
        }
    }
    for track in tracks.values() {
        assert!(track.open.is_empty(), "{} has open slices", track.name);
    }
    (events, tracks.into_values().collect())
}

/// The events of guest `name`'s timeline, its tracks, and what was counted.
fn traced(name: &str, machine: &str) -> (Vec<Event>, Vec<Track>, Tally) {
    let mut machine = support::loaded::<Option<Trace<Vec<u8>, Arm>>>("memory", name, machine);
    let trace = Trace::new(Vec::new(), "test", 200_000_000, Symbols::new());
    machine.core().observer = Some(trace);
    assert_eq!(machine.run(10_000_000), Stop::Exit(0));
    let tally = machine.counters().totals().sum();
    let cycles = machine.cycles();
    let mut trace = machine.core().observer.take().expect("the trace");
    trace.finish(cycles).expect("memory can be written");
    let (events, tracks) = read(&trace.into_inner());
    (events, tracks, tally)
}

/// Every guest of `memory/`: they write all registers, fault in all ways and flush everything.
#[test]
fn events_are_what_the_counters_count() {
    let mut sum = Tally::default();
    for guest in [
        "dirty_unmap",
        "domain",
        "homonym",
        "mini_cache",
        "pid_change",
        "read_buffer",
        "stale_instruction",
        "subpage",
        "synonym",
        "write_buffer",
    ] {
        let (events, tracks, tally) = traced(guest, "sa1110-sdram");
        let on = |track: &str| events.iter().filter(|e| e.track == track).count() as u64;
        let named = |name: &str| {
            let right = events
                .iter()
                .filter(|e| e.track == "exceptions" && e.name == name);
            right.count() as u64
        };
        assert_eq!(named("undefined"), tally.exception.undefined, "{guest}");
        assert_eq!(named("swi"), tally.exception.swi, "{guest}");
        assert_eq!(named("prefetch_abort"), tally.abort.prefetch, "{guest}");
        assert_eq!(named("data_abort"), tally.abort.data, "{guest}");
        // one slice is open from the start
        assert_eq!(
            on("address space"),
            1 + tally.written.ttb + tally.written.pid,
            "{guest}"
        );
        assert_eq!(on("domain access"), 1 + tally.written.dacr, "{guest}");
        for (name, value) in tally.named(Core::<()>::COUNTER_GROUPS, &[]) {
            let maintenance = name.contains("_invalidate_")
                || ["dcache_clean_line", "write_buffer_drains"].contains(&name);
            if maintenance {
                let shown = events.iter().filter_map(|event| event.arguments.get(name));
                assert_eq!(shown.sum::<u64>(), value, "{name} in {guest}");
            }
        }
        let rates: Vec<&Track> = tracks.iter().filter(|track| track.counter).collect();
        assert!(rates.len() >= 8, "rates");
        sum += tally;
    }
    // none of this was nothing
    assert!(sum.abort.data > 10 && sum.abort.prefetch > 0);
    assert!(sum.written.pid > 2 && sum.written.dacr > 10, "{sum:?}");
    assert!(
        sum.dcache.clean_line > 0 && sum.dtlb.invalidate_entry > 0,
        "{sum:?}"
    );
}

#[test]
fn a_fault_says_where_and_ends_when_its_handler_returns() {
    let (events, _, _) = traced("domain", "sa1110");
    let aborts: Vec<&Event> = events.iter().filter(|e| e.name == "data_abort").collect();
    for abort in &aborts {
        assert!(abort.arguments.contains_key("address"), "{abort:?}");
        // the guests' handler has three instructions
        assert!((20..5_000).contains(&abort.length), "{abort:?}");
    }
    assert!(!aborts.is_empty());
}

/// Regions, events, rates and names in a file of the program's.
#[test]
fn the_program_writes_a_file() {
    let scratch = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let kernel = scratch.join("trace.bin");
    let file = scratch.join("trace.pftrace");
    let image: Vec<u8> = [
        0xe3a0_1205u32, // mov r1, #0x50000000
        0xe3a0_0003,    // mov r0, #3
        0xe581_0014,    // str r0, [r1, #PROBE_REGION_BEGIN]
        0xe3a0_0004,    // mov r0, #4
        0xe581_0014,    // str r0, [r1, #PROBE_REGION_BEGIN]
        0xe3a0_3a20,    // mov r3, #0x20000
        0xe253_3001,    // 1: subs r3, r3, #1
        0x1aff_fffd,    // bne 1b
        0xe581_0024,    // str r0, [r1, #PROBE_EVENT]
        0xe581_0024,    // str r0, [r1, #PROBE_EVENT]
        0xe3a0_0003,    // mov r0, #3
        0xe581_0018,    // str r0, [r1, #PROBE_REGION_END]
        0xe3a0_0000,    // mov r0, #0
        0xe581_0010,    // str r0, [r1, #PROBE_EXIT]
        0xeaff_fffe,
    ]
    .iter()
    .flat_map(|word| word.to_le_bytes())
    .collect();
    std::fs::write(&kernel, image).unwrap();
    let done = Command::new(env!("CARGO_BIN_EXE_simulator-under-test"))
        .args(["boot", "--machine", "sa1110", "--kernel"])
        .arg(&kernel)
        .arg("--trace")
        .arg(&file)
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let (events, tracks) = read(&std::fs::read(&file).unwrap());
    let find = |name: &str| events.iter().filter(|e| e.name == name).collect::<Vec<_>>();
    // it counts 0x20000 down in two instructions: 1 ms at least; region 4 is open at the end
    for region in ["region 3", "region 4"] {
        let [one] = find(region)[..] else {
            panic!("{region}: {events:?}")
        };
        assert!(one.length > 1_000_000, "{one:?}");
        assert_eq!(one.track, region);
    }
    assert_eq!(find("event 4").len(), 2);
    assert_eq!(find("(kernel)").len(), 1);
    let instructions = tracks.iter().find(|t| t.name == "instructions").unwrap();
    assert!(instructions.values.len() >= 10, "{instructions:?}");
}

#[test]
fn files_without_symbols_are_refused() {
    let no_elf = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("no-elf");
    std::fs::write(&no_elf, b"text").unwrap();
    let done = Command::new(env!("CARGO_BIN_EXE_simulator-under-test"))
        .args([
            "boot",
            "--machine",
            "sa1110",
            "--kernel",
            "k",
            "--log",
            "/dev/null",
            "--symbols",
        ])
        .arg(&no_elf)
        .output()
        .expect("the program starts");
    assert_eq!(done.status.code(), Some(2));
    let said = String::from_utf8(done.stderr).unwrap();
    let expected = "is no such ELF file; expected a little-endian ELF file with symbols\n";
    assert!(said.ends_with(expected), "{said}");
}

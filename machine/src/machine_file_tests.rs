// SPDX-License-Identifier: Apache-2.0
//! Tests of [`super`]: the built-in machine files, and what is said of wrong ones.

use super::*;
use crate::arm::config::ArmConfig;
use crate::config::AddressSpaceTags;
use crate::ia32::config::Ia32Config;
use crate::registry::machines;

/// The built-in machine with one line of its text replaced.
fn altered(from: &str, to: &str) -> Result<MachineConfig, String> {
    let text = machines()[0].1;
    assert!(text.contains(from), "{from:?} is not in the machine file");
    let text = text.replacen(from, to, 1);
    MachineConfig::parse(Path::new("m.toml"), &text).map_err(|error| error.to_string())
}

fn message(from: &str, to: &str) -> String {
    let line = altered(from, to).unwrap_err();
    assert!(!line.contains('\n'), "{line:?} is more than one line");
    line
}

#[test]
fn built_in_machines_are_valid_and_named_after_their_file() {
    for (name, _) in machines() {
        let config = MachineConfig::find(name).unwrap();
        assert_eq!(config.name, name);
    }
}

#[test]
fn built_in_machines_differ_in_memory_only() {
    let processor = |name| {
        let mut config = MachineConfig::find(name).unwrap();
        config.name.clear();
        config.description.clear();
        config.text.clear();
        config.assumed.clear();
        let arm: &mut ArmConfig = config.processor_mut().expect("an ARM");
        arm.memory = MachineConfig::find("sa1110")
            .unwrap()
            .arm()
            .unwrap()
            .memory
            .clone();
        format!("{config:?}")
    };
    assert_eq!(processor("sa1110"), processor("sa1110-sdram"));
}

#[test]
fn a_machine_with_ideal_tags_differs_in_nothing_else() {
    let rest = |name: &str| {
        let mut config = MachineConfig::find(name).unwrap();
        config.name.clear();
        config.description.clear();
        config.text.clear();
        let tags = std::mem::take(if config.arm().is_some() {
            &mut config
                .processor_mut::<ArmConfig>()
                .unwrap()
                .address_space_tags
        } else {
            &mut config
                .processor_mut::<Ia32Config>()
                .unwrap()
                .address_space_tags
        });
        (tags, format!("{config:?}"))
    };
    for plain in [
        "sa1110",
        "versatilepb",
        "s3c24a0",
        "omap1610",
        "p4-willamette",
    ] {
        let (none, expected) = rest(plain);
        let (ideal, other) = rest(&format!("{plain}-tags"));
        assert_eq!(
            (none, ideal),
            (AddressSpaceTags::None, AddressSpaceTags::Ideal)
        );
        assert_eq!(other, expected);
    }
}

#[test]
fn tags_are_none_or_ideal() {
    let with = |line: &str| altered("[processor]\n", &format!("[processor]\n{line}\n"));
    let tags = |line: &str| {
        let config = with(line).unwrap();
        config.arm().unwrap().address_space_tags
    };
    assert_eq!(tags(""), AddressSpaceTags::None);
    assert_eq!(
        tags("address-space-tags = \"none\""),
        AddressSpaceTags::None
    );
    for key in ["address-space-tags", "address_space_tags"] {
        assert_eq!(tags(&format!("{key} = \"ideal\"")), AddressSpaceTags::Ideal);
    }
    for (wrong, said) in [
        (
            "address-space-tags = \"asid\"",
            "processor.address-space-tags: unknown variant `asid`; expected `none` or `ideal`",
        ),
        (
            "tags = \"ideal\"",
            "processor.tags: unknown field `tags`; expected one of `core`, `id`, `address-space-tags`, `address_space_tags`",
        ),
    ] {
        let line = with(wrong).unwrap_err();
        assert!(line.ends_with(said) && !line.contains('\n'), "{line}");
    }
}

#[test]
fn a_mistake_is_one_line_that_names_file_field_and_expectation() {
    for (from, to, line) in [
        ("entries = 32", "colour = 32", "m.toml: line N: itlb.colour: unknown field `colour`; expected one of `entries`, `ways`, `locked`"),
        ("clock-hz = 200_000_000", "clock-hz = \"fast\"", "m.toml: line N: clock-hz: invalid type: string \"fast\"; expected a whole number from 0"),
        ("ram-bytes = 0x0200_0000", "ram-bytes = 99999999999999999999", "m.toml: line N: ram-bytes: a number of 20 digits; expected a whole number from 0 to 4294967295"),
        ("clock-hz = 200_000_000", "clock-hz = 9999999999999999999", "m.toml: clock-hz: a number of 19 digits; expected a frequency in Hz from 1000000 to 10000000000"),
        ("ram-bytes = 0x0200_0000", "ram-bytes = -1", "m.toml: line N: ram-bytes: invalid value: integer `-1`; expected a whole number from 0 to 4294967295"),
        ("clock-hz = 200_000_000", "clock-hz = 0", "m.toml: clock-hz: 0; expected a frequency in Hz from 1000000 to 10000000000"),
        ("size-bytes = 16384", "size-bytes = 3000", "m.toml: icache.size-bytes: 3000 is no power of two from 1 to 16777216; expected a power of two"),
        ("size-bytes = 16384", "size-bytes = 512", "m.toml: icache.ways: 32 ways of 32 bytes do not fit into 512 bytes; expected ways * line-bytes of at most size-bytes"),
        ("line-bytes = 32", "line-bytes = 64", "m.toml: icache.line-bytes: 64; expected 32, the only line size that the model has"),
        ("\"round-robin\"", "\"fifo\"", "m.toml: line N: icache.replacement: unknown variant `fifo`; expected one of `round-robin`, `random`, `lru`, `pseudo-lru`"),
        ("entries = 32", "entries = 0", "m.toml: itlb.entries: 0; expected a number from 1 to 256"),
        ("core = \"sa1110\"", "core = \"arm7\"", "m.toml: line N: processor.core: unknown variant `arm7`; expected one of `sa1110`, `arm920`, `arm926`, `pentium4`, `u74`"),
        ("id = 0x6901b119", "id = \"B5\"", "m.toml: line N: processor.id: invalid type: string \"B5\"; expected a whole number from 0 to 4294967295"),
        ("device = 10", "device = 4000000000", "m.toml: memory.device: 4000000000; expected a number from 0 to 1000000"),
    ] {
        let place = machines()[0].1.find(from).unwrap();
        let number = machines()[0].1[..place].matches('\n').count() + 1;
        assert_eq!(message(from, to), line.replace('N', &number.to_string()));
    }
}

#[test]
fn another_size_of_memory_is_in_the_text_too() {
    for (name, text) in machines() {
        let own = MachineConfig::find(name).unwrap();
        assert_eq!(own.clone().with_ram(own.ram_bytes).text, text);
        let other = own.clone().with_ram(8 << 20);
        let again = MachineConfig::parse(Path::new("m.toml"), &other.text).unwrap();
        assert_eq!((again.ram_bytes, other.ram_bytes), (8 << 20, 8 << 20));
        let named = |config: &MachineConfig| (config.name.clone(), config.clock_hz);
        assert_eq!(named(&again), named(&own));
        assert!(!again.assumed.contains_key("ram-bytes"), "{name}");
    }
}

#[test]
fn ranges_are_around_numbers_of_the_machine() {
    let name = r#""memory.zeros-first""#;
    let without = |text: &str| text.split("[assumed]").next().unwrap().to_string();
    let machine = |line: &str| {
        let text = without(machines()[0].1);
        let text = text.replacen("[icache]", &format!("[assumed]\n{line}\n[icache]"), 1);
        MachineConfig::parse(Path::new("m.toml"), &text).map_err(|error| error.to_string())
    };
    let good = machine(&format!("{name} = {{ low = 1, high = 20, why = \"a\" }}")).unwrap();
    assert_eq!(good.assumed["memory.zeros-first"].high, 20);
    for (line, expected) in [
        (
            format!("{name} = {{ low = 5, high = 20, why = \"a\" }}"),
            format!("m.toml: assumed.{name}.low: 5; expected at most 4, which is the value"),
        ),
        (
            format!("{name} = {{ low = 1, high = 3, why = \"a\" }}"),
            format!("m.toml: assumed.{name}.high: 3; expected at least 4, which is the value"),
        ),
        (
            format!("{name} = {{ low = 1, high = 2000000, why = \"a\" }}"),
            format!("m.toml: assumed.{name}.high: 2000000; expected a number from 0 to 1000000"),
        ),
        (
            format!("{name} = {{ low = 1, high = 20, why = \" \" }}"),
            format!("m.toml: assumed.{name}.why: empty; expected the reason for the range"),
        ),
        (
            r#""memory.colour" = { low = 1, high = 20, why = "a" }"#.to_string(),
            "m.toml: assumed.\"memory.colour\": no number of this machine; expected table and \
             name of one that this file gives, as \"memory.read-first\""
                .to_string(),
        ),
        (
            r#""board" = { low = 1, high = 20, why = "a" }"#.to_string(),
            "m.toml: assumed.\"board\": no number of this machine; expected table and name of \
             one that this file gives, as \"memory.read-first\""
                .to_string(),
        ),
    ] {
        assert_eq!(machine(&line).unwrap_err(), expected);
    }
    let line = machine(&format!("{name} = {{ low = 1, why = \"a\" }}")).unwrap_err();
    assert!(line.contains("missing field `high`"), "{line}");
}

#[test]
fn every_number_that_is_marked_assumed_has_a_range() {
    for (name, text) in machines() {
        let config = MachineConfig::find(name).unwrap();
        let mut table = "";
        for line in text.lines() {
            if let Some(inner) = line.strip_prefix('[') {
                table = inner.split(']').next().unwrap();
            }
            let Some((key, rest)) = line.split_once('=') else {
                continue;
            };
            let number = rest.trim_start().starts_with(|c: char| c.is_ascii_digit());
            if number && rest.contains("# assumed") {
                let key = key.trim();
                let full = if table.is_empty() {
                    key.to_string()
                } else {
                    format!("{table}.{key}")
                };
                assert!(config.assumed.contains_key(&full), "{name}: {full}");
            }
        }
        assert!(!config.assumed.is_empty(), "{name}");
    }
}

#[test]
fn a_mistake_in_rows_or_write_buffer_is_one_line_too() {
    let power = "a power of two from 32";
    let cycles = "a number from 0 to 1000000";
    let row = "at least 2048, a row";
    let words = "a number from 8 to 1024";
    let lines = "a number from 0 to 1024";
    for (machine, table, key, value, expected) in [
        (1, "memory.rows", "banks", "0", "a number from 1 to 64"),
        (1, "memory.rows", "banks", "65", "a number from 1 to 64"),
        (1, "memory.rows", "row-bytes", "3000", power),
        (1, "memory.rows", "row-bytes", "16", power),
        (1, "memory.rows", "bank-bytes", "0", power),
        (1, "memory.rows", "bank-bytes", "1024", row),
        (1, "memory.rows", "read-open", "1000001", cycles),
        (1, "memory.rows", "read-conflict", "1000001", cycles),
        (1, "memory.rows", "write-open", "1000001", cycles),
        (1, "memory.rows", "write-conflict", "1000001", cycles),
        (3, "write-buffer", "entries", "0", "a number from 1 to 1024"),
        (3, "write-buffer", "words", "7", words),
        (3, "write-buffer", "words", "1025", words),
        (3, "write-buffer", "write-back-lines", "1025", lines),
    ] {
        let text = machines()[machine].1;
        let (before, rest) = text.split_once(&format!("\n[{table}]")).unwrap();
        let (same, rest) = rest.split_once(&format!("\n{key} = ")).unwrap();
        let (_, after) = rest.split_once('\n').unwrap();
        let wrong = format!("{before}\n[{table}]{same}\n{key} = {value}\n{after}");
        let error = MachineConfig::parse(Path::new("m.toml"), &wrong).unwrap_err();
        let line = format!("m.toml: {table}.{key}: {value}; expected {expected}");
        assert_eq!(error.to_string(), line);
    }
}

#[test]
fn an_ia32_processor_is_told_by_its_core() {
    let text = include_str!("../machines/p4-willamette.toml");
    let parse = |text: &str| MachineConfig::parse(Path::new("m.toml"), text);
    let config = parse(text).unwrap();
    assert!(config.arm().is_none());
    assert_eq!(config.ia32().unwrap().dtlb.entries, 64);
    for (from, to, said) in [
        (
            "[dtlb]",
            "[dtlb]\nlocked = 1",
            "m.toml: dtlb.locked: 1; expected a number from 0 to 0",
        ),
        (
            "[itlb]\nentries = 64",
            "[itlb]\nentries = 0",
            "m.toml: itlb.entries: 0; expected a number from 1 to 256",
        ),
        (
            "[itlb]",
            "[icache]",
            "unknown field `icache`; expected one of `name`, `description`, `clock-hz`, `board`, \
             `ram-bytes`, `assumed`, `processor`, `itlb`, `dtlb`, `dcache`, `l2`, `memory`, `walk`, \
             `branch`, `latency`, `price`",
        ),
    ] {
        let line = parse(&text.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(line.ends_with(said) && !line.contains('\n'), "{line}");
    }
    // With an ARM's core it lacks what an ARM has.
    let arm = text.replacen("\"pentium4\"", "\"sa1110\"", 1);
    assert!(parse(&arm).is_err());
}

#[test]
fn a_packet_size_that_no_core_has_lists_those_that_are() {
    let wrong = machines()[3].1.replacen("\"bursts\"", "\"lines\"", 1);
    let error = MachineConfig::parse(Path::new("m.toml"), &wrong).unwrap_err();
    let line = error.to_string();
    let start = ": write-buffer.packets: unknown variant `lines`; expected ";
    assert!(line.contains(start) && !line.contains('\n'), "{line}");
}

#[test]
fn a_missing_field_is_named_with_its_table() {
    let line = message("ways = 32", "");
    assert!(
        line.ends_with(": icache: missing field `ways`; expected a value"),
        "{line}"
    );
}

#[test]
fn broken_syntax_is_one_line_too() {
    for broken in ["[itlb", "itlb = = 3", "\u{0}", "name = \"a\"\nname = \"b\""] {
        let line = message("[itlb]", broken);
        assert!(line.starts_with("m.toml: line "), "{line}");
        assert!(line.contains("; expected "), "{line}");
    }
}

#[test]
fn a_name_that_is_no_machine_lists_the_machines() {
    assert_eq!(
        MachineConfig::find("vax").unwrap_err().to_string(),
        "--machine vax: no such machine; expected sa1110, sa1110-sdram, collie, versatilepb, versatile920, s3c24a0, omap1610, omap1610-two-tlbs, sa1110-tags, versatilepb-tags, s3c24a0-tags, omap1610-tags, p4-willamette, p4-willamette-tags, p4-northwood, virt-u74, virt-u74-asid, virt-rv64 or a file that ends in .toml"
    );
}

#[test]
fn a_number_without_room_names_its_key_and_range() {
    let size = "size-bytes = 12345678901234567890";
    let said = message("size-bytes = 16384", size);
    assert!(
        said.contains("icache.size-bytes: a number of 20 digits; expected a whole number from 0 to 4294967295"),
        "{said}"
    );
    let said = message("clock-hz = ", "clock-hz = -99999999999999999999999 #");
    assert!(
        said.contains(
            "clock-hz: a number of 23 digits; expected a frequency in Hz from 1000000 to 10000000000"
        ),
        "{said}"
    );
    let said = message("clock-hz = ", "clocks = 12_345_678_901_234_567_890 #");
    assert!(
        said.contains(": clocks: a number of 20 digits; expected a whole number from 0 to 9223372036854775807"),
        "{said}"
    );
}

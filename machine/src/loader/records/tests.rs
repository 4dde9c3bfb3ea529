// SPDX-License-Identifier: Apache-2.0
//! Tests of both kinds of records.

use proptest::prelude::*;

use super::super::kernel::Entry;
use super::*;

const TARGET: Target = Target {
    machine: object::elf::EM_ARM,
    long: false,
    entry: Entry::Arm { thumb: true },
    expected: "a kernel",
};

/// The same 20 bytes at 0x10000 as GNU objcopy writes them, in both formats.
const MOTOROLA: &str = "S00C0000636173652E737265637C\r\n\
S21401000014109FE514009FE50120D1E4000052E39F\r\n\
S208010010FEFFFFEA00\r\n\
S5030002FA\r\n\
S804010000FA\r\n";
const INTEL: &str = ":020000021000EC\n\
:1000000014109FE514009FE50120D1E4000052E3A5\n\
:04001000FEFFFFEA06\n\
:0400000310000000E9\n\
:00000001FF\n";

fn kernel() -> Kernel {
    let words: [u32; 5] = [
        0xe59f_1014,
        0xe59f_0014,
        0xe4d1_2001,
        0xe352_0000,
        0xeaff_fffe,
    ];
    let data = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Kernel::flat(0x1_0000, 0x1_0000, data, &TARGET).unwrap()
}

fn read(text: &str) -> Result<Kernel, String> {
    let format = format(text.as_bytes()).expect("one of the two");
    let read = parse(text.as_bytes(), format, &TARGET);
    read.map_err(|(what, expected)| format!("{what}; expected {expected}"))
}

/// A line of Intel's with its checksum.
fn intel_line(address: u32, kind: u8, data: &[u8]) -> String {
    let mut bytes = vec![data.len() as u8, (address >> 8) as u8, address as u8, kind];
    bytes.extend(data);
    let sum = bytes.iter().fold(0u8, |sum, byte| sum.wrapping_sub(*byte));
    bytes.push(sum);
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!(":{digits}\n")
}

#[test]
fn both_formats_say_the_same() {
    assert_eq!(read(MOTOROLA), Ok(kernel()));
    assert_eq!(read(INTEL), Ok(kernel()));
    assert_eq!(read(&INTEL.to_lowercase()), Ok(kernel()));
    // A linker leaves out an entry at 0: then the lowest address is it.
    let without: String = INTEL
        .lines()
        .filter(|l| !l.contains("000003100"))
        .map(|l| format!("{l}\n"))
        .collect();
    assert_eq!(without.lines().count(), 4);
    assert_eq!(read(&without), Ok(kernel()));
}

#[test]
fn raw_images_are_neither() {
    for head in [
        &b"S1\x12\xe1"[..],
        b":12\xe3",
        b"S",
        b"",
        b":02",
        b"SA00",
        b"text",
    ] {
        assert_eq!(format(head), None, "{head:?}");
    }
}

#[test]
fn addresses_are_of_32_bits() {
    let text = [
        intel_line(0, 4, &[0xc0, 0x01]),
        intel_line(0xfffe, 0, &[1, 2, 3, 4]), // goes on after the 64 KB
        intel_line(0, 5, &[0xc0, 0x01, 0xff, 0xff]),
        intel_line(0, 1, &[]),
    ];
    let kernel = read(&text.concat()).unwrap();
    assert_eq!(kernel.entry, 0xc001_ffff); // in Thumb state
    assert_eq!(kernel.segments[0].address, 0xc001_fffe);
    assert_eq!(kernel.segments[0].data, [1, 2, 3, 4]);
    // Within a segment it goes on at its begin.
    let text = [
        intel_line(0, 2, &[0x10, 0x00]),
        intel_line(0xfffe, 0, &[1, 2, 3, 4]),
        intel_line(0, 5, &[0x00, 0x01, 0xff, 0xff]),
        intel_line(0, 1, &[]),
    ];
    let kernel = read(&text.concat()).unwrap();
    let places: Vec<u32> = kernel.segments.iter().map(|s| s.address).collect();
    assert_eq!(places, [0x1_fffe, 0x1_0000]);
}

#[test]
fn each_mistake_is_named_with_its_line() {
    let cases = [
        (
            MOTOROLA.replace("S208010010FE", "S208010010FF"),
            "line 3: has the checksum 00 in place of ff",
        ),
        (
            MOTOROLA.replace("S5030002FA", "S5030003F9"),
            "line 4: counts 3 records of data, of which there are 2",
        ),
        (
            MOTOROLA.replace("S208010010", "S20801001"),
            "line 3: is no line of pairs of hexadecimal digits",
        ),
        (MOTOROLA.replace("S208", "S408"), "line 3: is a record S4"),
        (
            MOTOROLA.replace("S208", "X208"),
            "line 3: does not begin with S and a digit",
        ),
        (
            MOTOROLA.replace("S5030002FA", "S5040002F9"),
            "line 4: has 3 bytes after its count of 4",
        ),
        (
            MOTOROLA.replace("S804010000FA\r\n", ""),
            "is cut short: its last record is missing",
        ),
        (
            format!("{MOTOROLA}S804010000FA"),
            "line 6: comes after the end",
        ),
        (
            MOTOROLA.replace("S804010000FA", "S804020000F9"),
            "starts at 0x00020000",
        ),
        (
            "S9030000FC".to_string(),
            "is a file of S-records with nothing to load",
        ),
        (
            INTEL.replace("EA06", "EA07"),
            "line 3: has the checksum 07 in place of 06",
        ),
        (
            INTEL.replace(":00000001FF", ""),
            "is cut short: its last record is missing",
        ),
        (
            INTEL.replace(":0400100", ":0500100"),
            "line 3: has the checksum 06 in place of 05",
        ),
        (intel_line(0, 6, &[]), "line 1: is a record of kind 6"),
        (
            intel_line(0, 2, &[1]),
            "line 1: has 1 bytes in a record of kind 2",
        ),
        (
            intel_line(0, 1, &[]),
            "is a file of Intel's hexadecimal records with nothing to load",
        ),
        (":0000".to_string(), "line 1: is too short"),
        (
            [
                intel_line(0, 4, &[0xff, 0xff]),
                intel_line(0xffff, 0, &[1, 2]),
            ]
            .concat(),
            "line 2: goes beyond the last address",
        ),
        (
            ":0100000041BE\n:0200000041BD\n".to_string(),
            "line 2: has no 2 bytes of data, as it says",
        ),
    ];
    for (text, what) in cases {
        let line = read(&text).unwrap_err();
        assert!(line.starts_with(&format!("{what}; expected ")), "{line}");
        assert_eq!(line.lines().count(), 1, "{line}");
    }
}

proptest! {
    #[test]
    fn no_lines_make_it_panic(
        lines in proptest::collection::vec(
            (any::<u16>(), 0u8..7, proptest::collection::vec(any::<u8>(), 0..6)),
            0..10,
        ),
        damaged in any::<Option<(u8, u8)>>(),
    ) {
        let lines = lines.iter().map(|(at, kind, data)| intel_line((*at).into(), *kind, data));
        let mut text = lines.collect::<String>().into_bytes();
        if let Some((at, byte)) = damaged {
            if let Some(place) = text.get_mut(usize::from(at)) {
                *place = byte;
            }
        }
        for format in [Format::Intel, Format::Motorola] {
            let _ = parse(&text, format, &TARGET);
        }
    }
}

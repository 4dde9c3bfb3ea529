// SPDX-License-Identifier: Apache-2.0
//! Tests of U-Boot's images.

use proptest::prelude::*;

use super::super::gzip::tests::packed;
use super::super::kernel::Entry;
use super::*;

const TARGET: Target = Target {
    machine: object::elf::EM_ARM,
    long: false,
    entry: Entry::Arm { thumb: true },
    expected: "a kernel",
};
const MEMORY: u32 = 1 << 20;
const ANYWHERE: u32 = 0x10_0000;

/// An image whose header has these bytes at 28 to 31 (system, architecture, type, compression), and right
/// checksums.
fn image(kinds: [u8; 4], load: u32, entry: u32, data: &[u8]) -> Vec<u8> {
    let mut header = vec![0; HEADER_BYTES];
    let mut put = |at: usize, word: u32| header[at..at + 4].copy_from_slice(&word.to_be_bytes());
    put(0, MARK);
    put(SIZE_AT, data.len() as u32);
    put(LOAD_AT, load);
    put(ENTRY_AT, entry);
    put(DATA_SUM_AT, checksum(data));
    header[28..32].copy_from_slice(&kinds);
    header[32..36].copy_from_slice(b"name");
    let sum = checksum(&header);
    header[HEADER_SUM_AT..HEADER_SUM_AT + 4].copy_from_slice(&sum.to_be_bytes());
    header.extend(data);
    header
}

fn wrong(image: &[u8]) -> String {
    let (what, expected) = parse(image, ANYWHERE, MEMORY, &TARGET).unwrap_err();
    format!("{what}; expected {expected}")
}

#[test]
fn the_checksum_is_that_of_zlib() {
    assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
}

#[test]
fn a_kernel_goes_where_its_header_says() {
    let data = [7; 100];
    let packed = packed(&data);
    for (compression, data_of_file) in [(0, &data[..]), (1, &packed)] {
        let image = image([5, ARM, KERNEL, compression], 0x8000, 0x8010, data_of_file);
        assert!(is_uimage(&image) && !goes_anywhere(&image));
        let kernel = parse(&image, ANYWHERE, MEMORY, &TARGET).unwrap();
        let direct = Kernel::flat(0x8000, 0x8010, data.to_vec(), &TARGET).unwrap();
        assert_eq!(kernel, direct);
    }
    let image = image([5, ARM, KERNEL_ANYWHERE, 0], 0, 0x11, &data);
    assert!(goes_anywhere(&image));
    let kernel = parse(&image, ANYWHERE, MEMORY, &TARGET).unwrap();
    let there = Kernel::flat(ANYWHERE, ANYWHERE + 0x11, data.to_vec(), &TARGET).unwrap();
    assert_eq!(kernel, there);
}

#[test]
fn each_mistake_is_named() {
    let good = image([5, ARM, KERNEL, 0], 0x8000, 0x8000, &[1; 100]);
    let has = |kinds| wrong(&image(kinds, 0x8000, 0x8000, &[1; 100]));
    assert_eq!(
        has([5, 3, KERNEL, 0]),
        "is a U-Boot image for architecture 3; expected one for 2, ARM"
    );
    assert_eq!(
        has([5, ARM, 3, 0]),
        "is a U-Boot image of type 3; expected one of type 2 or 14, a kernel"
    );
    assert_eq!(
        has([5, ARM, KERNEL, 3]),
        "is a U-Boot image compressed by lzma; expected none or gzip"
    );
    let unknown = "is a U-Boot image compressed by number 99; expected none or gzip";
    assert_eq!(has([5, ARM, KERNEL, 99]), unknown);
    assert!(has([5, ARM, KERNEL, 1]).starts_with("cannot be unpacked (gzip): "));
    let elsewhere = image([5, ARM, KERNEL, 0], 0x8000, 0x9000, &[1; 100]);
    assert!(wrong(&elsewhere).starts_with("starts at 0x00009000; expected"));
    assert_eq!(
        wrong(&good[..163]),
        "is a truncated U-Boot image: it has 163 bytes; expected 164"
    );
    assert_eq!(
        wrong(&good[..63]),
        "is a truncated U-Boot image: it has 63 bytes; expected 64"
    );
    for (at, of) in [(40, "header"), (8, "header"), (70, "data"), (163, "data")] {
        let mut damaged = good.clone();
        damaged[at] ^= 0x10;
        let line = wrong(&damaged);
        let expected = format!("is a damaged U-Boot image: the checksum of its {of} is 0x");
        assert!(line.starts_with(&expected), "{at}: {line}");
    }
}

#[test]
fn no_more_is_unpacked_than_there_is_memory() {
    let packed = packed(&vec![0; MEMORY as usize + 1]);
    let line = wrong(&image([5, ARM, KERNEL, 1], 0x8000, 0x8000, &packed));
    assert!(
        line.starts_with("has more than 1048576 bytes when it is unpacked"),
        "{line}"
    );
}

proptest! {
    /// With right checksums whatever it says is refused or taken.
    #[test]
    fn no_header_makes_it_panic(
        kinds in any::<[u8; 4]>(),
        load in any::<u32>(),
        entry in any::<u32>(),
        data in proptest::collection::vec(any::<u8>(), 0..100),
        length in 0usize..200,
    ) {
        let mut image = image([kinds[0], ARM, [KERNEL, KERNEL_ANYWHERE][usize::from(kinds[2] & 1)], kinds[3] & 1], load, entry, &data);
        image.truncate(length);
        let _ = parse(&image, ANYWHERE, MEMORY, &TARGET);
    }
}

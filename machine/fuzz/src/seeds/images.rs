// SPDX-License-Identifier: Apache-2.0
//! Kernels in the formats that wrap others, for a board whose memory begins at 0.

use std::io::Write as _;

use flate2::write::GzEncoder;
use flate2::{Compression, Crc};

/// Where they go.
const AT: u32 = 0x8000;

/// `code` as a zImage, a U-Boot image of all three kinds that are taken, S-records, Intel's records, and
/// compressed.
pub fn kernels(code: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let packed = packed(code);
    [
        zimage(code),
        uimage(2, 0, AT, AT, code),
        uimage(2, 1, AT, AT, &packed),
        uimage(14, 0, 0, 0, code),
        s_records(code),
        intel_records(code),
        packed,
    ]
    .into_iter()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory takes all");
    encoder.finish().expect("memory takes all")
}

fn zimage(code: &[u8]) -> Vec<u8> {
    let mut image = code.to_vec();
    image.resize(0x24, 0);
    image.extend(0x016f_2818u32.to_le_bytes());
    image
}

fn checksum(bytes: &[u8]) -> [u8; 4] {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum().to_be_bytes()
}

fn uimage(kind: u8, compression: u8, load: u32, entry: u32, data: &[u8]) -> Vec<u8> {
    let mut image = vec![0; 64];
    image[..4].copy_from_slice(&0x2705_1956u32.to_be_bytes());
    image[12..16].copy_from_slice(&(data.len() as u32).to_be_bytes());
    image[16..20].copy_from_slice(&load.to_be_bytes());
    image[20..24].copy_from_slice(&entry.to_be_bytes());
    image[24..28].copy_from_slice(&checksum(data));
    image[28..32].copy_from_slice(&[5, 2, kind, compression]);
    let sum = checksum(&image);
    image[4..8].copy_from_slice(&sum);
    image.extend(data);
    image
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

fn s_records(code: &[u8]) -> Vec<u8> {
    let record = |kind: char, data: &[u8]| {
        let mut bytes = vec![data.len() as u8 + 5];
        bytes.extend(AT.to_be_bytes());
        bytes.extend(data);
        bytes.push(!bytes.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte)));
        format!("S{kind}{}\n", digits(&bytes))
    };
    [record('3', code), record('7', &[])].concat().into_bytes()
}

fn intel_records(code: &[u8]) -> Vec<u8> {
    let record = |kind: u8, address: u16, data: &[u8]| {
        let mut bytes = vec![data.len() as u8];
        bytes.extend(address.to_be_bytes());
        bytes.push(kind);
        bytes.extend(data);
        bytes.push(bytes.iter().fold(0u8, |sum, byte| sum.wrapping_sub(*byte)));
        format!(":{}\n", digits(&bytes))
    };
    let records = [
        record(0, AT as u16, code),
        record(5, 0, &AT.to_be_bytes()),
        record(1, 0, &[]),
    ];
    records.concat().into_bytes()
}

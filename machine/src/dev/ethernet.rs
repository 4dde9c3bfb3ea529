// SPDX-License-Identifier: Apache-2.0
//! Frames on the wire, as every network interface has them (IEEE 802.3): their CRC, lengths and time.

/// Bytes of a frame's CRC.
pub const CRC_BYTES: usize = 4;
/// Least bytes of a frame with its CRC; shorter ones are taken for fragments.
pub const LEAST: usize = 64;
/// Most bytes of a frame with its CRC.
pub const MOST: usize = 1518;
/// Bytes of time on the wire beside the frame: preamble and start, and the gap between frames.
const OVERHEAD: usize = 8 + 12;

/// The CRC, as its bits go over the wire: reflected, before the final inversion.
#[must_use]
pub fn crc_register(bytes: &[u8]) -> u32 {
    bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            crc >> 1 ^ (0xedb8_8320 * (crc & 1))
        })
    })
}

/// The four bytes of a frame's CRC.
#[must_use]
pub fn crc(bytes: &[u8]) -> [u8; CRC_BYTES] {
    (!crc_register(bytes)).to_le_bytes()
}

/// The hash by which interfaces look a multicast address up: the six most significant bits of its CRC.
/// The register is reflected here, so they are its low six in reverse order.
#[must_use]
pub fn hash(address: &[u8]) -> u8 {
    (crc_register(address) as u8 & 0x3f).reverse_bits() >> 2
}

/// Bits that a frame of `bytes`, without its CRC, takes of the wire's time.
#[must_use]
pub fn wire_bits(bytes: usize) -> u64 {
    8 * (bytes.max(LEAST - CRC_BYTES) + CRC_BYTES + OVERHEAD) as u64
}

/// What goes out on the wire, without its CRC, of `data`: `pad` fills it up, `crc_appended` says that
/// the interface appends the CRC. `None`: every receiver would drop it, as it is a fragment or has a
/// wrong CRC of the guest's own.
#[must_use]
pub fn on_wire(data: &[u8], pad: bool, crc_appended: bool) -> Option<Vec<u8>> {
    let mut frame = data.to_vec();
    if !crc_appended {
        let body = frame.len().checked_sub(CRC_BYTES)?;
        let own = frame.split_off(body);
        if own != crc(&frame) {
            return None;
        }
    } else if pad && frame.len() < LEAST - CRC_BYTES {
        frame.resize(LEAST - CRC_BYTES, 0);
    }
    (frame.len() + CRC_BYTES >= LEAST).then_some(frame)
}

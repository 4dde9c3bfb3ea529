// SPDX-License-Identifier: Apache-2.0
//! Frames as they stand in packet memory (DS 8.1 to 8.3).
//!
//! A packet in memory is a status word, a byte count (an even number that includes these two words
//! and the control word), the data, and a control word, whose low byte is the last byte of data if
//! their number is odd.

use crate::dev::ethernet::{crc, CRC_BYTES, LEAST, MOST};

/// Control byte: the number of data bytes is odd.
const ODD: u8 = 0x20;
/// Control byte of a packet to send: append the CRC although TCR says no.
const CRC: u8 = 0x10;
/// Control byte of a received packet: always set.
const RECEIVED: u8 = 0x40;

/// Receive status: the frame was a broadcast, odd, longer than 1518 bytes, a multicast.
pub const RS_BROADCAST: u16 = 0x4000;
const RS_ODD: u16 = 0x1000;
const RS_TOO_LONG: u16 = 0x0800;
pub const RS_MULTICAST: u16 = 0x0001;

/// The data of a packet that the guest wants sent, and whether its control byte asks for a CRC.
/// A count that is no packet's gives nothing.
pub fn outgoing(packet: &[u8]) -> Option<(&[u8], bool)> {
    let count = usize::from(u16::from_le_bytes([packet[2], packet[3]]) & 0x7fe);
    let control = *packet.get(count.checked_sub(1)?)?;
    let end = count - 2 + usize::from(control & ODD != 0);
    let data = packet.get(4..end)?;
    Some((data, control & CRC != 0))
}

/// Writes a frame that arrived, `status` from its address, into packet memory; with its CRC unless
/// `strip`. `false`: it is longer than a packet.
pub fn store(packet: &mut [u8], frame: &[u8], status: u16, strip: bool) -> bool {
    let mut data = frame.to_vec();
    // A real sender never sends less; stacks on the host do.
    data.resize(data.len().max(LEAST - CRC_BYTES), 0);
    let too_long = data.len() + CRC_BYTES > MOST;
    if !strip {
        data.extend(crc(&data));
    }
    let odd = data.len() % 2 == 1;
    let mut status = status;
    if odd {
        status |= RS_ODD;
    } else {
        data.push(0);
    }
    if too_long {
        status |= RS_TOO_LONG;
    }
    data.push(RECEIVED | if odd { ODD } else { 0 });
    let count = data.len() + 4;
    let Some(place) = packet.get_mut(4..count) else {
        return false;
    };
    place.copy_from_slice(&data);
    packet[..2].copy_from_slice(&status.to_le_bytes());
    packet[2..4].copy_from_slice(&(count as u16).to_le_bytes());
    true
}

// SPDX-License-Identifier: Apache-2.0
//! The device's end of the cable, in `dev::Host`.

use std::collections::VecDeque;

use super::Mac;

/// Most frames that wait on either side; further ones are lost. At 100 Mbit/s it takes more than a
/// slice of the run loop to send so many.
pub const MOST_WAITING: usize = 4096;

/// The port of a network interface.
#[derive(Debug, Default)]
pub struct Port {
    /// The address in the interface's EEPROM.
    pub mac: Mac,
    /// Whether a cable is plugged in, with somebody at the other end.
    pub cable: bool,
    /// Frames that stand in the cable, for the interface to take at the speed of its line.
    pub incoming: VecDeque<Vec<u8>>,
    /// Frames that the interface has sent and nobody has taken yet.
    pub outgoing: Vec<Vec<u8>>,
}

impl Port {
    /// Sends a frame. Without a cable it is gone.
    pub fn send(&mut self, frame: Vec<u8>) {
        if self.cable && self.outgoing.len() < MOST_WAITING {
            self.outgoing.push(frame);
        }
    }
}

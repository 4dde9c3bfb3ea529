// SPDX-License-Identifier: Apache-2.0
//! What a network interface has of the network: the end of its cable, and its address (`--mac`).
//! Where the cable leads to is no matter of the machine's ([`net`](crate::net)).

use std::collections::VecDeque;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

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

/// The address of an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mac(pub [u8; 6]);

impl Mac {
    /// The address of the machine that listens, so that two connected ones differ without
    /// `--mac`. Locally administered, as [`Mac::default`].
    pub const LISTENER: Self = Self([0x02, 0x53, 0x59, 0x42, 0x00, 0x02]);
}

impl Default for Mac {
    /// Locally administered (the second bit of the first byte), then "SYB".
    fn default() -> Self {
        Self([0x02, 0x53, 0x59, 0x42, 0x00, 0x01])
    }
}

impl FromStr for Mac {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "expected six bytes in hexadecimal, such as 02:53:59:42:00:07".to_string();
        let mut bytes = [0; 6];
        let mut parts = text.split(':');
        for byte in &mut bytes {
            let part = parts
                .next()
                .filter(|part| part.len() == 2 && !part.starts_with('+'));
            let value = part.and_then(|part| u8::from_str_radix(part, 16).ok());
            *byte = value.ok_or_else(wrong)?;
        }
        if parts.next().is_some() {
            return Err(wrong());
        }
        if bytes[0] & 1 != 0 {
            return Err(
                "a group's address; expected one of a single interface, the first byte \
                        even"
                    .to_string(),
            );
        }
        if bytes == [0; 6] {
            return Err("all zeros; expected the address of an interface".to_string());
        }
        Ok(Self(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macs_are_checked() {
        let parse = |text: &str| text.parse::<Mac>();
        assert_eq!(
            parse("52:54:00:12:34:5F"),
            Ok(Mac([0x52, 0x54, 0, 0x12, 0x34, 0x5f]))
        );
        for wrong in [
            "",
            "1:2:3:4:5:6",
            "52:54:00:12:34",
            "52:54:00:12:34:56:78",
            "52-54-00-12-34-56",
            "+2:54:00:12:34:56",
            "01:00:5e:00:00:01",
            "00:00:00:00:00:00",
        ] {
            assert!(parse(wrong).unwrap_err().contains("expected"), "{wrong}");
        }
    }
}

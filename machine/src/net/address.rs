// SPDX-License-Identifier: Apache-2.0
//! Where a cable leads to (`--net`), and the address of an interface (`--mac`).

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Where a cable leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// `unix:PATH`: a Unix stream socket at which somebody waits.
    Unix(PathBuf),
    /// `listen-unix:PATH`: one to make, and to wait at.
    ListenUnix(PathBuf),
    /// `tcp:HOST:PORT`: a TCP port at which somebody waits.
    Tcp(String),
    /// `listen-tcp:HOST:PORT`: one to wait at.
    ListenTcp(String),
}

impl Address {
    /// Whether others connect to it.
    #[must_use]
    pub fn listens(&self) -> bool {
        matches!(self, Self::ListenUnix(_) | Self::ListenTcp(_))
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected =
            "expected unix:PATH, listen-unix:PATH, tcp:HOST:PORT or listen-tcp:HOST:PORT \
                        (:PORT for this computer)";
        let (kind, place) = text.split_once(':').ok_or(expected)?;
        let path = || match place {
            "" => Err(format!("no path; {expected}")),
            path => Ok(PathBuf::from(path)),
        };
        let port = || match place.rsplit_once(':') {
            Some((host, port)) if port.parse::<u16>().is_ok() => {
                let host = if host.is_empty() { "127.0.0.1" } else { host };
                Ok(format!("{host}:{port}"))
            }
            _ => Err(format!("no port; {expected}")),
        };
        match kind {
            "unix" => path().map(Self::Unix),
            "listen-unix" => path().map(Self::ListenUnix),
            "tcp" => port().map(Self::Tcp),
            "listen-tcp" => port().map(Self::ListenTcp),
            _ => Err(format!("no such kind of network: {kind}; {expected}")),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::ListenUnix(path) => write!(f, "listen-unix:{}", path.display()),
            Self::Tcp(place) => write!(f, "tcp:{place}"),
            Self::ListenTcp(place) => write!(f, "listen-tcp:{place}"),
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
    fn addresses_say_where() {
        let parse = |text: &str| text.parse::<Address>();
        assert_eq!(parse("unix:/run/x:y"), Ok(Address::Unix("/run/x:y".into())));
        assert_eq!(
            parse("listen-tcp::99"),
            Ok(Address::ListenTcp("127.0.0.1:99".into()))
        );
        assert_eq!(parse("tcp:[::1]:99"), Ok(Address::Tcp("[::1]:99".into())));
        for wrong in [
            "",
            "unix",
            "unix:",
            "tcp:5",
            "tcp:host:",
            "tcp:host:70000",
            "udp:h:1",
        ] {
            let line = parse(wrong).unwrap_err();
            assert!(
                line.contains("expected unix:PATH") && !line.contains('\n'),
                "{line}"
            );
        }
    }

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

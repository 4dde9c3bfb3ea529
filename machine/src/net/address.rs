// SPDX-License-Identifier: Apache-2.0
//! Where a cable leads to (`--net`).

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

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
}

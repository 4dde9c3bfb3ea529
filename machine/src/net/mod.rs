// SPDX-License-Identifier: Apache-2.0
//! The network: the cable between a machine's network interface and the world outside.
//!
//! A [`Port`](crate::dev::network::Port) is the device's end of it, part of the machine. A [`Wire`] is what the cable leads
//! to: a socket ([`socket`]) at whose other end is another machine, QEMU, or a user-mode network
//! stack. A [`Cable`] carries frames between the two whenever the machine has run for a slice, and
//! sees to it that a machine with a network does not sleep faster than the clock on the wall goes.
//!
//! Frames here have no CRC: addresses, type and data. What comes from outside comes when it comes,
//! so two runs with a network differ. A machine without one is as repeatable as ever, and so are
//! two in one process ([`Pair`]).

mod address;
mod cable;
mod framing;
mod pair;
mod socket;

pub use address::Address;
pub use cable::{Cable, SLICE};
pub use framing::{read_frame, write_frame, MOST as LONGEST_FRAME};
pub use pair::{Pair, STEP};
pub use socket::open;

use std::time::Duration;

/// What comes over a wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A frame.
    Frame(Vec<u8>),
    /// Somebody is at the other end from now on.
    Up,
    /// Nobody is any more; says why.
    Down(String),
}

/// What a cable leads to. Neither method blocks longer than it is told.
pub trait Wire: Send {
    /// Sends a frame; `false`: the other end does not keep up, and the frame is lost.
    fn send(&mut self, frame: &[u8]) -> bool;
    /// What came next, if anything does within `patience`.
    fn receive(&mut self, patience: Duration) -> Option<Event>;
    /// Whether something may still come.
    fn open(&self) -> bool;
}

// SPDX-License-Identifier: Apache-2.0
//! The LAN91C111's packet memory and its memory management unit (DS 8.16 to 8.20): four packets of
//! 2 KB, who holds them, and the queues of packet numbers.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// Packets (DS 8.8: the memory size is 4 units of 2 KB).
pub const PACKETS: u8 = 4;
/// Bytes of a packet with its status, count and control byte (DS 8.1).
pub const PACKET_BYTES: usize = 2048;
/// In a number register: there is none (FAILED, TEMPTY, REMPTY).
pub const NONE: u8 = 0x80;

/// The packet memory.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Packets {
    bytes: Vec<u8>,
    /// Bit n: packet n is held by somebody.
    held: u8,
    /// What the last allocation for transmission gave; [`NONE`] while it waits, and before one.
    allocated: u8,
    /// An allocation waits for memory.
    wanted: bool,
    /// Numbers of packets to send.
    pub to_send: VecDeque<u8>,
    /// Numbers of packets that were sent and not released.
    pub sent: VecDeque<u8>,
    /// Numbers of packets that were received.
    pub received: VecDeque<u8>,
}

impl Default for Packets {
    fn default() -> Self {
        Self {
            bytes: vec![0; usize::from(PACKETS) * PACKET_BYTES],
            held: 0,
            allocated: NONE,
            wanted: false,
            to_send: VecDeque::new(),
            sent: VecDeque::new(),
            received: VecDeque::new(),
        }
    }
}

impl Packets {
    /// Whether this can be: for saved machines.
    pub fn plausible(&self) -> bool {
        let queues = [&self.to_send, &self.sent, &self.received];
        self.bytes.len() == usize::from(PACKETS) * PACKET_BYTES
            && self.held < 1 << PACKETS
            && (self.allocated < PACKETS || self.allocated == NONE)
            && queues.iter().all(|queue| {
                queue.len() <= usize::from(PACKETS) && queue.iter().all(|&n| n < PACKETS)
            })
    }

    /// The bytes of packet `number`, if there is one of that number.
    pub fn bytes(&self, number: u8) -> Option<&[u8]> {
        self.bytes.chunks(PACKET_BYTES).nth(usize::from(number))
    }

    /// The bytes of packet `number`, if there is one of that number, to write.
    pub fn bytes_mut(&mut self, number: u8) -> Option<&mut [u8]> {
        self.bytes.chunks_mut(PACKET_BYTES).nth(usize::from(number))
    }

    /// How many packets nobody holds.
    pub fn free(&self) -> u8 {
        PACKETS - self.held.count_ones() as u8
    }

    /// The allocation result register.
    pub fn allocated(&self) -> u8 {
        self.allocated
    }

    /// Takes a packet, if one is free: the lowest.
    pub fn take(&mut self) -> Option<u8> {
        let number = self.held.trailing_ones() as u8;
        (number < PACKETS).then(|| {
            self.held |= 1 << number;
            number
        })
    }

    /// Allocates a packet for transmission, now or when one becomes free.
    pub fn allocate(&mut self) {
        let taken = self.take();
        self.wanted = taken.is_none();
        self.allocated = taken.unwrap_or(NONE);
    }

    /// Releases a packet; an allocation that waits gets it.
    pub fn release(&mut self, number: u8) {
        if number < PACKETS {
            self.held &= !(1 << number);
            if self.wanted {
                self.allocate();
            }
        }
    }

    /// Queues a packet for transmission. What a guest queues too much, or a number without a
    /// packet, is lost.
    pub fn enqueue(&mut self, number: u8) {
        if number < PACKETS && self.to_send.len() < usize::from(PACKETS) {
            self.to_send.push_back(number);
        }
    }

    /// Queues a number that was sent or received; a full queue loses it.
    pub fn push(queue: &mut VecDeque<u8>, number: u8) {
        if queue.len() < usize::from(PACKETS) {
            queue.push_back(number);
        }
    }

    /// Forgets everything but the bytes.
    pub fn reset(&mut self) {
        let bytes = std::mem::take(&mut self.bytes);
        *self = Self {
            bytes,
            held: 0,
            allocated: NONE,
            wanted: false,
            to_send: VecDeque::new(),
            sent: VecDeque::new(),
            received: VecDeque::new(),
        };
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Split virtqueues (VIRTIO 1.2, 2.7), as the device sees them: rings and descriptors in the guest's memory,
//! in which anything may stand. What no driver may write makes a queue [`Broken`]; nothing makes the device
//! panic, nor go on for ever.

use serde::{Deserialize, Serialize};

use crate::dev::DeviceMemory;

/// Most descriptors of a queue.
pub const MOST: u32 = 256;

/// Bytes of a descriptor, and its flags: another follows, the device writes it.
const DESCRIPTOR: u64 = 16;
const NEXT: u16 = 1;
const WRITE: u16 = 2;
/// The driver asks for no interrupt (2.7.6).
const NO_INTERRUPT: u16 = 1;

/// The driver has written something that no driver may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Broken;

/// A queue.
#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize)]
pub struct Queue {
    /// Descriptors; not 0 if `ready`.
    pub size: u32,
    /// Whether the device may use it.
    pub ready: bool,
    /// Address of the table of descriptors.
    pub descriptors: u64,
    /// Address of the ring that the driver writes.
    pub driver: u64,
    /// Address of the ring that the device writes.
    pub device: u64,
    /// How many chains were taken, and how many given back.
    taken: u16,
    given: u16,
}

/// A part of the guest's memory.
type Part = (u64, u32);

/// A chain of descriptors: a request, and the room for what the device says.
#[derive(Debug)]
pub struct Chain {
    head: u16,
    /// What the device reads.
    pub request: Parts,
    /// Where it writes.
    pub answer: Parts,
}

/// Parts of the guest's memory, one after another, and how far they have been passed.
#[derive(Debug, Default)]
pub struct Parts {
    parts: Vec<Part>,
    next: usize,
    /// Of the next part.
    offset: u32,
}

impl Parts {
    /// Bytes that are left.
    #[must_use]
    pub fn left(&self) -> u64 {
        let all = self.parts[self.next..].iter().map(|part| u64::from(part.1));
        all.sum::<u64>() - u64::from(self.offset)
    }

    /// The next piece of up to `most` bytes.
    fn advance(&mut self, most: usize) -> Option<(u64, usize)> {
        loop {
            let (at, bytes) = *self.parts.get(self.next)?;
            let left = (bytes - self.offset) as usize;
            if left == 0 {
                (self.next, self.offset) = (self.next + 1, 0);
                continue;
            }
            let piece = (at.checked_add(self.offset.into())?, left.min(most));
            self.offset += piece.1 as u32;
            return Some(piece);
        }
    }

    /// Passes over so many bytes, of those that are left.
    pub fn skip(&mut self, mut bytes: u64) {
        while bytes > 0 {
            let most = usize::try_from(bytes).unwrap_or(usize::MAX);
            let Some((_, count)) = self.advance(most) else {
                return;
            };
            bytes -= count as u64;
        }
    }

    /// Reads on, until `bytes` is full.
    ///
    /// # Errors
    /// There are fewer, or not all of it is memory.
    pub fn read(&mut self, memory: &DeviceMemory, bytes: &mut [u8]) -> Result<(), Broken> {
        let mut done = 0;
        while done < bytes.len() {
            let (at, count) = self.advance(bytes.len() - done).ok_or(Broken)?;
            let found = memory.read(at, count).ok_or(Broken)?;
            bytes[done..done + count].copy_from_slice(found);
            done += count;
        }
        Ok(())
    }

    /// Writes on.
    ///
    /// # Errors
    /// There is less room, or not all of it is memory.
    pub fn write(&mut self, memory: &mut DeviceMemory, mut bytes: &[u8]) -> Result<(), Broken> {
        while !bytes.is_empty() {
            let (at, count) = self.advance(bytes.len()).ok_or(Broken)?;
            let (now, rest) = bytes.split_at(count);
            memory.write(at, now).ok_or(Broken)?;
            bytes = rest;
        }
        Ok(())
    }
}

fn half(memory: &DeviceMemory, at: u64) -> Result<u16, Broken> {
    let bytes = memory.read(at, 2).ok_or(Broken)?;
    Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
}

impl Queue {
    /// Takes the next chain that the driver has made available.
    ///
    /// # Errors
    /// The queue is broken.
    pub fn take(&mut self, memory: &DeviceMemory) -> Result<Option<Chain>, Broken> {
        if !self.ready || self.size == 0 {
            return Ok(None);
        }
        let made = half(memory, self.driver.checked_add(2).ok_or(Broken)?)?;
        let waiting = made.wrapping_sub(self.taken);
        if waiting == 0 {
            return Ok(None);
        }
        if u32::from(waiting) > self.size {
            return Err(Broken);
        }
        let place = u64::from(u32::from(self.taken) % self.size);
        let head = half(
            memory,
            self.driver.checked_add(4 + 2 * place).ok_or(Broken)?,
        )?;
        let chain = self.chain(memory, head)?;
        self.taken = self.taken.wrapping_add(1);
        Ok(Some(chain))
    }

    fn chain(&self, memory: &DeviceMemory, head: u16) -> Result<Chain, Broken> {
        let mut chain = Chain {
            head,
            request: Parts::default(),
            answer: Parts::default(),
        };
        let mut number = head;
        // One that is longer than the table has come back to where it was.
        for _ in 0..self.size {
            if u32::from(number) >= self.size {
                return Err(Broken);
            }
            let at = self.descriptors.checked_add(DESCRIPTOR * u64::from(number));
            let bytes = memory.read(at.ok_or(Broken)?, DESCRIPTOR as usize);
            let bytes: [u8; 16] = bytes.and_then(|b| b.try_into().ok()).ok_or(Broken)?;
            let descriptor = u128::from_le_bytes(bytes);
            let part = (descriptor as u64, (descriptor >> 64) as u32);
            let flags = (descriptor >> 96) as u16;
            // A table of its own (bit 2) is not offered.
            if flags & !(NEXT | WRITE) != 0 {
                return Err(Broken);
            }
            if flags & WRITE != 0 {
                chain.answer.parts.push(part);
            } else if chain.answer.parts.is_empty() {
                chain.request.parts.push(part);
            } else {
                return Err(Broken); // what is read comes first (2.7.4.2)
            }
            if flags & NEXT == 0 {
                return Ok(chain);
            }
            number = (descriptor >> 112) as u16;
        }
        Err(Broken)
    }

    /// Gives a chain back, into which `bytes` were written. Whether the driver wants to be interrupted.
    ///
    /// # Errors
    /// The ring is no memory.
    pub fn give(
        &mut self,
        memory: &mut DeviceMemory,
        chain: &Chain,
        bytes: u32,
    ) -> Result<bool, Broken> {
        let place = u64::from(u32::from(self.given) % self.size);
        let used = u64::from(chain.head) | u64::from(bytes) << 32;
        let at = self.device.checked_add(4 + 8 * place).ok_or(Broken)?;
        memory.write(at, &used.to_le_bytes()).ok_or(Broken)?;
        self.given = self.given.wrapping_add(1);
        let index = self.given.to_le_bytes();
        memory.write(self.device + 2, &index).ok_or(Broken)?;
        Ok(half(memory, self.driver)? & NO_INTERRUPT == 0)
    }
}

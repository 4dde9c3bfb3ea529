// SPDX-License-Identifier: Apache-2.0
//! A block device (VIRTIO 1.2, 5.2) on a [`Medium`]. As the SD card, it takes no time: a request is done
//! when the driver has notified the queue.

use super::queue::{Broken, Chain, Parts, Queue};
use super::{Backend, VirtioMmio};
use crate::dev::medium::{Medium, BLOCK};
use crate::dev::{DevCtx, DeviceMemory, MediumSlot, Role};
use crate::state::{Damaged, Restorer, Saver, State};

/// Features: most parts of a request are said, the block size is said, writes can be flushed.
const SEG_MAX: u64 = 1 << 2;
const BLK_SIZE: u64 = 1 << 6;
const FLUSH: u64 = 1 << 9;

/// Kinds of requests (5.2.6).
const IN: u32 = 0;
const OUT: u32 = 1;
const FLUSH_CACHE: u32 = 4;
const GET_ID: u32 = 8;
/// Bytes of an identification.
const ID_BYTES: usize = 20;

const OK: u8 = 0;
const IO_ERROR: u8 = 1;
const UNSUPPORTED: u8 = 2;

/// A disk, or the place for one.
#[derive(Debug, Default)]
pub struct Block {
    medium: Option<Medium>,
}

impl State for Block {
    fn save(&self, to: &mut Saver) {
        to.put(&self.medium.is_some());
        if let Some(medium) = &self.medium {
            medium.save(to);
        }
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        let there: bool = from.take()?;
        match &mut self.medium {
            Some(medium) if there => medium.restore(from),
            None if !there => Ok(()),
            Some(_) => Err("has no disk, where --drive gives one".into()),
            None => Err("has a disk, which --drive is to give".into()),
        }
    }
}

impl Block {
    fn serve(&mut self, chain: &mut Chain, memory: &mut DeviceMemory) -> Result<u32, Broken> {
        let Chain {
            request, answer, ..
        } = chain;
        let mut header = [0; 16];
        request.read(memory, &mut header)?;
        let room = answer.left().checked_sub(1).ok_or(Broken)?; // the status is last
        let header = u128::from_le_bytes(header);
        let (kind, sector) = (header as u32, (header >> 64) as u64);
        let mut written = 0;
        let status = match kind {
            IN => match self.read(sector, room, answer, memory)? {
                Some(()) => {
                    written = room;
                    OK
                }
                None => IO_ERROR,
            },
            OUT => self
                .write(sector, request, memory)?
                .map_or(IO_ERROR, |()| OK),
            FLUSH_CACHE => OK,
            GET_ID if room >= ID_BYTES as u64 => {
                answer.write(memory, &[0; ID_BYTES])?; // it has no name
                written = ID_BYTES as u64;
                OK
            }
            _ => UNSUPPORTED,
        };
        let rest = answer.left() - 1;
        answer.skip(rest);
        answer.write(memory, &[status])?;
        Ok(u32::try_from(written + 1).unwrap_or(u32::MAX))
    }

    /// The blocks of `bytes` from `sector` on, if it has all of them.
    fn blocks(&self, sector: u64, bytes: u64) -> Option<std::ops::Range<u64>> {
        let blocks = (bytes % BLOCK as u64 == 0).then_some(bytes / BLOCK as u64)?;
        let end = sector.checked_add(blocks)?;
        let all = self.medium.as_ref()?.bytes() / BLOCK as u64;
        (end <= all).then_some(sector..end)
    }

    /// `None`: it cannot be read.
    fn read(
        &mut self,
        sector: u64,
        bytes: u64,
        answer: &mut Parts,
        memory: &mut DeviceMemory,
    ) -> Result<Option<()>, Broken> {
        let Some(blocks) = self.blocks(sector, bytes) else {
            return Ok(None);
        };
        for number in blocks {
            let block = self.medium.as_mut().and_then(|medium| medium.read(number));
            let Some(block) = block else {
                return Ok(None);
            };
            answer.write(memory, &block)?;
        }
        Ok(Some(()))
    }

    /// `None`: there are not so many blocks.
    fn write(
        &mut self,
        sector: u64,
        request: &mut Parts,
        memory: &DeviceMemory,
    ) -> Result<Option<()>, Broken> {
        let Some(blocks) = self.blocks(sector, request.left()) else {
            return Ok(None);
        };
        for number in blocks {
            let mut block = [0; BLOCK];
            request.read(memory, &mut block)?;
            if let Some(medium) = &mut self.medium {
                medium.write(number, &block);
            }
        }
        Ok(Some(()))
    }
}

impl Backend for Block {
    const QUEUES: usize = 1;

    fn id(&self) -> u32 {
        if self.medium.is_some() {
            2
        } else {
            0
        }
    }

    fn features(&self) -> u64 {
        SEG_MAX | BLK_SIZE | FLUSH
    }

    /// Capacity, and what the features say (5.2.4).
    fn config(&self, _ctx: &DevCtx) -> Vec<u8> {
        let bytes = self.medium.as_ref().map_or(0, Medium::bytes);
        let mut config = vec![0; 24];
        config[..8].copy_from_slice(&(bytes / BLOCK as u64).to_le_bytes());
        // Header and status have parts of their own.
        config[12..16].copy_from_slice(&(super::queue::MOST - 2).to_le_bytes());
        config[20..24].copy_from_slice(&(BLOCK as u32).to_le_bytes());
        config
    }

    fn notified(
        &mut self,
        _queue: usize,
        queues: &mut [Queue],
        _modern: bool,
        ctx: &mut DevCtx,
    ) -> Result<bool, Broken> {
        let queue = &mut queues[0];
        let mut interrupt = false;
        // No driver has more under way; and a request may write to the ring.
        for _ in 0..queue.size {
            let Some(mut chain) = queue.take(&ctx.memory)? else {
                break;
            };
            let bytes = self.serve(&mut chain, &mut ctx.memory)?;
            interrupt |= queue.give(&mut ctx.memory, &chain, bytes)?;
        }
        Ok(interrupt)
    }

    fn role(device: &mut VirtioMmio<Self>) -> Role<'_> {
        Role::MediumSlot(&mut device.backend)
    }
}

impl MediumSlot for Block {
    fn takes(&self) -> &'static str {
        "disks"
    }

    fn check_size(&self, bytes: u64) -> Result<(), String> {
        if bytes == 0 || bytes % BLOCK as u64 != 0 {
            return Err(format!("a multiple of {BLOCK} bytes"));
        }
        Ok(())
    }

    fn insert(&mut self, medium: Medium) {
        self.medium = Some(medium);
    }

    fn medium(&mut self) -> Option<&mut Medium> {
        self.medium.as_mut()
    }
}

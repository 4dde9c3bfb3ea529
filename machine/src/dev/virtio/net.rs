// SPDX-License-Identifier: Apache-2.0
//! A network interface (VIRTIO 1.2, 5.1): frames in one queue, frames out of the other, no offloads. A
//! frame takes no time; one for which there is no buffer waits in the cable.

use super::queue::{Broken, Queue};
use super::{Backend, VirtioMmio};
use crate::dev::ethernet;
use crate::dev::{DevCtx, NetworkInterface, Role};

/// Features: the address is said, and whether there is a link.
const MAC: u64 = 1 << 5;
const STATUS: u64 = 1 << 16;

const RECEIVE: usize = 0;
const TRANSMIT: usize = 1;
/// Bytes before a frame: without merged buffers the legacy interface leaves the last two out (5.1.6.1).
const HEADER: usize = 12;
const LEGACY_HEADER: usize = 10;
/// Most bytes of a frame without its CRC.
const MOST: u64 = (ethernet::MOST - ethernet::CRC_BYTES) as u64;

/// The interface.
#[derive(Debug, Default)]
pub struct Net;

crate::saved!(Net {});

impl Net {
    fn header(modern: bool) -> &'static [u8] {
        // One buffer has all of it (`num_buffers`).
        const ONE_BUFFER: [u8; HEADER] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0];
        if modern {
            &ONE_BUFFER
        } else {
            &ONE_BUFFER[..LEGACY_HEADER]
        }
    }

    fn receive(queue: &mut Queue, modern: bool, ctx: &mut DevCtx) -> Result<bool, Broken> {
        let mut interrupt = false;
        for _ in 0..queue.size {
            if ctx.host.net.incoming.is_empty() {
                break;
            }
            let Some(mut chain) = queue.take(&ctx.memory)? else {
                break;
            };
            let Some(frame) = ctx.host.net.incoming.pop_front() else {
                break;
            };
            let header = Self::header(modern);
            let bytes = header.len() + frame.len();
            let fits = bytes as u64 <= chain.answer.left();
            if fits {
                chain.answer.write(&mut ctx.memory, header)?;
                chain.answer.write(&mut ctx.memory, &frame)?;
            }
            let bytes = if fits { bytes as u32 } else { 0 }; // it is lost
            interrupt |= queue.give(&mut ctx.memory, &chain, bytes)?;
        }
        Ok(interrupt)
    }

    fn transmit(queue: &mut Queue, modern: bool, ctx: &mut DevCtx) -> Result<bool, Broken> {
        let mut interrupt = false;
        for _ in 0..queue.size {
            let Some(mut chain) = queue.take(&ctx.memory)? else {
                break;
            };
            let mut header = [0; HEADER];
            let header = &mut header[..Self::header(modern).len()];
            chain.request.read(&ctx.memory, header)?;
            let bytes = chain.request.left();
            if bytes <= MOST {
                let mut frame = vec![0; bytes as usize];
                chain.request.read(&ctx.memory, &mut frame)?;
                if let Some(frame) = ethernet::on_wire(&frame, true, true) {
                    ctx.host.net.send(frame);
                }
            }
            interrupt |= queue.give(&mut ctx.memory, &chain, 0)?;
        }
        Ok(interrupt)
    }
}

impl Backend for Net {
    const QUEUES: usize = 2;

    fn id(&self) -> u32 {
        1
    }

    fn features(&self) -> u64 {
        MAC | STATUS
    }

    fn config(&self, ctx: &DevCtx) -> Vec<u8> {
        let mut config = ctx.host.net.mac.0.to_vec();
        config.extend([u8::from(ctx.host.net.cable), 0]);
        config
    }

    fn notified(
        &mut self,
        queue: usize,
        queues: &mut [Queue],
        modern: bool,
        ctx: &mut DevCtx,
    ) -> Result<bool, Broken> {
        match queue {
            TRANSMIT => Self::transmit(&mut queues[TRANSMIT], modern, ctx),
            _ => Self::receive(&mut queues[RECEIVE], modern, ctx),
        }
    }

    fn role(device: &mut VirtioMmio<Self>) -> Role<'_> {
        Role::NetworkInterface(device)
    }
}

impl NetworkInterface for VirtioMmio<Net> {
    fn network_arrived(&mut self, ctx: &mut DevCtx) {
        let link = ctx.host.net.cable;
        self.config_changed_if(link);
        self.notify(RECEIVE, ctx);
    }
}

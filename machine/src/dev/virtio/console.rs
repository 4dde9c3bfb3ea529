// SPDX-License-Identifier: Apache-2.0
//! A console (VIRTIO 1.2, 5.3): characters in by one queue, out by the other, and out by a register before
//! there are queues. It has one port and says no size of a window, as QEMU's has with `max_ports=1`. A
//! character takes no time; one for which there is no buffer waits at the keyboard.

use super::queue::{Broken, Queue};
use super::{Backend, VirtioMmio};
use crate::dev::{DevCtx, Role, SerialPort};

/// Its name, that of the port: as Linux calls it.
pub const NAME: &str = "hvc0";

/// Feature: what is written into the configuration's last word is said at once (5.3.3).
const EMERGENCY_WRITE: u64 = 1 << 2;
/// That word in the configuration: after columns and rows, and how many ports there are (5.3.4).
const EMERGENCY: u32 = 8;

const RECEIVE: usize = 0;
const TRANSMIT: usize = 1;
/// Most bytes of one buffer: drivers send pages.
const MOST: u64 = 1 << 20;

/// The console, which is there if somebody has plugged it.
#[derive(Debug, Default)]
pub struct Console {
    plugged: bool,
}

impl crate::state::State for Console {
    fn save(&self, to: &mut crate::state::Saver) {
        to.put(&self.plugged);
    }

    fn restore(&mut self, from: &mut crate::state::Restorer) -> Result<(), crate::state::Damaged> {
        let plugged: bool = from.take()?;
        let same = plugged == self.plugged;
        crate::state::require(same, "has other devices than the machine (--device)")
    }
}

impl Console {
    fn receive(queue: &mut Queue, ctx: &mut DevCtx) -> Result<bool, Broken> {
        let mut interrupt = false;
        for _ in 0..queue.size {
            if !ctx.host.has_input_for(NAME) {
                break;
            }
            let Some(mut chain) = queue.take(&ctx.memory)? else {
                break;
            };
            let room = usize::try_from(chain.answer.left()).unwrap_or(usize::MAX);
            let count = room.min(ctx.host.input.len());
            let typed: Vec<u8> = ctx.host.input.drain(..count).collect();
            chain.answer.write(&mut ctx.memory, &typed)?;
            interrupt |= queue.give(&mut ctx.memory, &chain, count as u32)?;
        }
        Ok(interrupt)
    }

    fn transmit(queue: &mut Queue, ctx: &mut DevCtx) -> Result<bool, Broken> {
        let mut interrupt = false;
        for _ in 0..queue.size {
            let Some(mut chain) = queue.take(&ctx.memory)? else {
                break;
            };
            let bytes = chain.request.left();
            if bytes > MOST {
                return Err(Broken);
            }
            let mut said = vec![0; bytes as usize];
            chain.request.read(&ctx.memory, &mut said)?;
            ctx.host.sent(NAME, said);
            interrupt |= queue.give(&mut ctx.memory, &chain, 0)?;
        }
        Ok(interrupt)
    }
}

impl Backend for Console {
    const QUEUES: usize = 2;

    fn id(&self) -> u32 {
        if self.plugged {
            3
        } else {
            0
        }
    }

    fn features(&self) -> u64 {
        EMERGENCY_WRITE
    }

    fn config(&self, _ctx: &DevCtx) -> Vec<u8> {
        // no size is said; one port; of the last word reading says nothing
        [[0; 4], 1u32.to_le_bytes(), [0; 4]].concat()
    }

    fn set_config(&mut self, offset: u32, value: u32, ctx: &mut DevCtx) {
        if offset == EMERGENCY {
            ctx.host.sent(NAME, [value as u8]);
        }
    }

    fn notified(
        &mut self,
        queue: usize,
        queues: &mut [Queue],
        _modern: bool,
        ctx: &mut DevCtx,
    ) -> Result<bool, Broken> {
        match queue {
            TRANSMIT => Self::transmit(&mut queues[TRANSMIT], ctx),
            _ => Self::receive(&mut queues[RECEIVE], ctx),
        }
    }

    fn role(device: &mut VirtioMmio<Self>) -> Role<'_> {
        Role::SerialPort(device)
    }
}

impl SerialPort for VirtioMmio<Console> {
    fn input_arrived(&mut self, ctx: &mut DevCtx) {
        if self.backend.plugged {
            self.notify(RECEIVE, ctx);
        }
    }

    fn plug(&mut self) -> bool {
        self.backend.plugged = true;
        true
    }
}

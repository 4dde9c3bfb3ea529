// SPDX-License-Identifier: Apache-2.0
//! The host-target interface, by which the RISC-V test suites and programs for Spike speak to the host
//! (riscv-isa-sim, fesvr/htif.cc, syscall.cc, device.cc): a double word in memory, which the program's ELF
//! file calls `tohost`. A store there ends the run, prints a character, or asks for a system call; the
//! answer to the last is in `fromhost`. Spike looks at it between slices of the run, and so does this.

use serde::{Deserialize, Serialize};

use crate::event::Cycle;
use crate::loader::HostTarget;
use crate::riscv::cpu::core::Core;
use crate::riscv::cpu::Observer;

/// Cycles between two looks (Spike: 5,000 instructions).
const EVERY: Cycle = 5_000;
/// Device and command of what is in `tohost`: bits 63:56 and 55:48; the rest is the payload.
const DEVICE_SHIFT: u32 = 56;
const COMMAND_SHIFT: u32 = 48;
const PAYLOAD: u64 = (1 << COMMAND_SHIFT) - 1;
/// The devices: system calls, and a terminal, whose command 1 writes.
const SYSTEM_CALLS: u64 = 0;
const TERMINAL: u64 = 1;
const TERMINAL_WRITES: u64 = 1;
/// System calls by their numbers, Linux' for RISC-V, and the error for all others.
const WRITE: u64 = 64;
const EXIT: u64 = 93;
const ENOSYS: i64 = 38;
const EBADF: i64 = 9;
const EFAULT: i64 = 14;
/// Most bytes of one write that are looked at.
const MOST: u64 = 1 << 20;

/// The interface of a program that has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Served {
    at: HostTarget,
    /// When it is looked at next.
    next: Cycle,
}

impl From<HostTarget> for Served {
    fn from(at: HostTarget) -> Self {
        Self { at, next: EVERY }
    }
}

impl<O: Observer> Core<O> {
    /// When the run must be interrupted for a look; [`Cycle::MAX`]: never.
    pub(in crate::riscv::cpu) fn next_look(&self) -> Cycle {
        self.host_target.map_or(Cycle::MAX, |served| served.next)
    }

    /// Looks whether the program asks for something, when it is time for that, or it sleeps.
    pub(in crate::riscv::cpu) fn look_at_host_target(&mut self) {
        let Some(served) = &mut self.host_target else {
            return;
        };
        let now = self.mem.platform.cycle;
        if now < served.next && !self.waiting {
            return;
        }
        served.next = (now / EVERY + 1) * EVERY;
        let at = served.at;
        let asked = self.mem.ram_value(at.to, 8).unwrap_or(0);
        if asked != 0 {
            self.mem.write_ram(at.to, &[0; 8]);
            self.answer(asked, at);
        }
    }

    fn answer(&mut self, asked: u64, at: HostTarget) {
        let (device, payload) = (asked >> DEVICE_SHIFT, asked & PAYLOAD);
        let command = asked >> COMMAND_SHIFT & 0xff;
        let host = &mut self.mem.platform.bus.host;
        match device {
            // An odd number is the end, with the rest of it as the status.
            SYSTEM_CALLS if payload & 1 != 0 => host.exit = Some((payload >> 1) as u32),
            SYSTEM_CALLS => {
                self.serve_call(payload);
                if let Some(from) = at.from {
                    self.mem.write_ram(from, &1_u64.to_le_bytes());
                }
            }
            TERMINAL if command == TERMINAL_WRITES => host.output.push(payload as u8),
            _ => {}
        }
    }

    /// Serves the call whose number and arguments are at physical address `block`, where its result goes.
    fn serve_call(&mut self, block: u64) {
        let Ok(block) = u32::try_from(block) else {
            return;
        };
        let word = |n: u32| self.mem.ram_value(block.wrapping_add(8 * n), 8);
        let (Some(number), Some(first), Some(second), Some(third)) =
            (word(0), word(1), word(2), word(3))
        else {
            return;
        };
        let result = match number {
            EXIT => {
                self.mem.platform.bus.host.exit = Some(first as u32);
                0
            }
            WRITE if first == 1 || first == 2 => self.write_out(second, third.min(MOST)),
            WRITE => -EBADF,
            _ => -ENOSYS,
        };
        self.mem.write_ram(block, &result.to_le_bytes());
    }

    /// Sends `count` bytes at physical address `at` to the console.
    fn write_out(&mut self, at: u64, count: u64) -> i64 {
        let bus = &mut self.mem.platform.bus;
        let start = u32::try_from(at).ok();
        let Some(bytes) = start.and_then(|at| bus.ram_slice(at, count as usize)) else {
            return -EFAULT;
        };
        let bytes = bytes.to_vec();
        bus.host.output.extend(bytes);
        count as i64
    }
}

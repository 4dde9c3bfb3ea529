// SPDX-License-Identifier: Apache-2.0
//! Model-specific registers (SDM vol. 3, appendix B): those that are there. Any other is a general
//! protection fault.

use serde::{Deserialize, Serialize};

use crate::event::Cycle;

/// The time-stamp counter.
pub const TSC: u32 = 0x10;
/// SYSENTER's code segment.
pub const SYSENTER_CS: u32 = 0x174;
/// SYSENTER's stack pointer.
pub const SYSENTER_ESP: u32 = 0x175;
/// SYSENTER's first instruction.
pub const SYSENTER_EIP: u32 = 0x176;

/// The registers.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Msrs {
    /// What the time-stamp counter is ahead of the machine's clock, modulo 2^64.
    time_ahead: u64,
    /// See [`SYSENTER_CS`].
    pub sysenter_cs: u32,
    /// See [`SYSENTER_ESP`].
    pub sysenter_esp: u32,
    /// See [`SYSENTER_EIP`].
    pub sysenter_eip: u32,
}

impl Msrs {
    /// The time-stamp counter at `now`.
    #[must_use]
    pub fn time_stamp(&self, now: Cycle) -> u64 {
        now.wrapping_add(self.time_ahead)
    }

    /// The register of this number at `now`; `None`: there is none.
    #[must_use]
    pub fn read(&self, number: u32, now: Cycle) -> Option<u64> {
        Some(match number {
            TSC => self.time_stamp(now),
            SYSENTER_CS => u64::from(self.sysenter_cs),
            SYSENTER_ESP => u64::from(self.sysenter_esp),
            SYSENTER_EIP => u64::from(self.sysenter_eip),
            _ => return None,
        })
    }

    /// Writes it. False: there is none.
    #[must_use]
    pub fn write(&mut self, number: u32, value: u64, now: Cycle) -> bool {
        match number {
            // The upper half of the time-stamp counter is cleared (SDM vol. 3, 15.7).
            TSC => self.time_ahead = (value & 0xffff_ffff).wrapping_sub(now),
            SYSENTER_CS => self.sysenter_cs = value as u32,
            SYSENTER_ESP => self.sysenter_esp = value as u32,
            SYSENTER_EIP => self.sysenter_eip = value as u32,
            _ => return false,
        }
        true
    }
}

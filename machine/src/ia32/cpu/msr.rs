// SPDX-License-Identifier: Apache-2.0
//! Model-specific registers (SDM vol. 3, appendix B): those that are there. Any other is a general
//! protection fault.

use serde::{Deserialize, Serialize};

use crate::event::Cycle;
use crate::ia32::isa::register::misc_enable;
use crate::ia32::isa::register::msr::{
    BIOS_SIGN_ID, MISC_ENABLE, PLATFORM_ID, SYSENTER_CS, SYSENTER_EIP, SYSENTER_ESP, TSC,
};

/// The registers.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Msrs {
    /// What the time-stamp counter is ahead of the machine's clock, modulo 2^64.
    time_ahead: u64,
    /// See [`SYSENTER_CS`].
    pub sysenter_cs: u32,
    /// See [`SYSENTER_ESP`].
    pub sysenter_esp: u32,
    /// See [`SYSENTER_EIP`].
    pub sysenter_eip: u32,
    /// See [`BIOS_SIGN_ID`]. CPUID would put the revision of a microcode update here, and none is
    /// loaded: it leaves the register as it is (SDM vol. 3, 9.11.7), which software clears before.
    bios_sign_id: u64,
    /// See [`MISC_ENABLE`].
    misc_enable: u64,
}

/// As reset leaves them.
impl Default for Msrs {
    fn default() -> Self {
        Self {
            time_ahead: 0,
            sysenter_cs: 0,
            sysenter_esp: 0,
            sysenter_eip: 0,
            bios_sign_id: 0,
            misc_enable: misc_enable::FIXED | misc_enable::FAST_STRINGS,
        }
    }
}

impl Msrs {
    /// The time-stamp counter at `now`.
    #[must_use]
    pub fn time_stamp(&self, now: Cycle) -> u64 {
        now.wrapping_add(self.time_ahead)
    }

    /// Whether the floating-point unit keeps the opcode of each instruction, not only of one with an
    /// unmasked exception (SDM vol. 1, 8.1.9.1).
    #[must_use]
    pub fn keeps_opcodes(&self) -> bool {
        self.misc_enable & misc_enable::FOPCODE != 0
    }

    /// The register of this number at `now`; `None`: there is none.
    #[must_use]
    pub fn read(&self, number: u32, now: Cycle) -> Option<u64> {
        Some(match number {
            TSC => self.time_stamp(now),
            // Flag 0. Which one the processors of a platform have, no manual says.
            PLATFORM_ID => 0,
            BIOS_SIGN_ID => self.bios_sign_id,
            MISC_ENABLE => self.misc_enable,
            SYSENTER_CS => u64::from(self.sysenter_cs),
            SYSENTER_ESP => u64::from(self.sysenter_esp),
            SYSENTER_EIP => u64::from(self.sysenter_eip),
            _ => return None,
        })
    }

    /// Writes it. False: there is none, or it cannot have this value.
    #[must_use]
    pub fn write(&mut self, number: u32, value: u64, now: Cycle) -> bool {
        match number {
            // The upper half of the time-stamp counter is cleared (SDM vol. 3, 15.7).
            TSC => self.time_ahead = (value & 0xffff_ffff).wrapping_sub(now),
            BIOS_SIGN_ID => self.bios_sign_id = value,
            MISC_ENABLE => {
                use misc_enable::{FIXED, WRITABLE};
                if value & !(WRITABLE | FIXED) != 0 {
                    return false;
                }
                self.misc_enable = value & WRITABLE | FIXED;
            }
            SYSENTER_CS => self.sysenter_cs = value as u32,
            SYSENTER_ESP => self.sysenter_esp = value as u32,
            SYSENTER_EIP => self.sysenter_eip = value as u32,
            _ => return false,
        }
        true
    }
}

// SPDX-License-Identifier: Apache-2.0
//! The registers of CP15 that the memory system obeys or leaves something in, and what follows from the
//! control register.

use serde::{Deserialize, Serialize};

use crate::arm::isa::control;
use crate::arm::isa::cores::Table;
use crate::arm::memory::mmu;

/// Addresses below this are those that PID relocation moves: 32 MB (SA-1110 DM §5.2.13; ARM926EJ-S
/// TRM §2.3.13).
const SLOT_BYTES: u32 = 32 << 20;

/// The registers. A saved machine has them in this order.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Registers {
    /// Register 5: that of data accesses where there are two.
    pub fault_status: u32,
    /// Register 5, opcode 2 = 1: that of instruction fetches (ARM926EJ-S).
    pub insn_fault_status: u32,
    /// Register 6.
    pub fault_address: u32,
    /// Register 1. [`Rules`] follow it.
    pub(super) control: u32,
    /// Register 2.
    pub ttb: u32,
    /// Register 3.
    pub dacr: u32,
    /// Register 13: the PID slot, in bits 30:25 (SA-1110) or 31:25 (ARM926EJ-S).
    pub pid: u32,
    /// Register 10, TLB lockdown (ARM926EJ-S TRM §2.3.11).
    pub tlb_lockdown: u32,
    /// Where the next test-and-clean operation looks for a dirty line.
    pub(super) test_clean_next: usize,
    /// Whether user mode may operate the read buffer.
    pub user_read_buffer: bool,
}

impl Registers {
    /// As reset leaves them.
    pub(super) fn new(core: &Table) -> Self {
        Self {
            fault_status: 0,
            insn_fault_status: 0,
            fault_address: 0,
            control: core.control_fixed,
            ttb: 0,
            dacr: 0,
            pid: 0,
            tlb_lockdown: 0,
            test_clean_next: 0,
            user_read_buffer: false,
        }
    }

    /// The control register.
    #[inline]
    #[must_use]
    pub fn control(&self) -> u32 {
        self.control
    }

    /// Whether translation is on.
    #[inline]
    #[must_use]
    pub fn mmu_on(&self) -> bool {
        self.control & control::M != 0
    }
}

/// What follows from the control register, for those who look at it often.
#[derive(Debug, Clone)]
pub(super) struct Rules {
    /// By S and R, which accesses which permission bits allow ([`mmu::permission_table`]).
    pub permissions: u16,
    /// Low address bits that must be zero as far as the access is that wide: 3 with alignment
    /// faults on, 0 without.
    pub alignment_checked: u32,
    /// Addresses below this are relocated.
    pub relocated_below: u32,
    /// Whether loads of the PC may change the state.
    pub loads_exchange: bool,
}

impl Rules {
    /// Those of a core with this control register.
    pub(super) fn of(core: &Table, control: u32) -> Self {
        let on = |bit| control & bit != 0;
        Self {
            permissions: mmu::permission_table(on(control::S), on(control::R)),
            alignment_checked: if on(control::A) { 3 } else { 0 },
            relocated_below: if core.relocates_without_mmu || on(control::M) {
                SLOT_BYTES
            } else {
                0
            },
            loads_exchange: core.architecture.loads_exchange() && !on(control::L4),
        }
    }
}

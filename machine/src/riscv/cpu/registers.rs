// SPDX-License-Identifier: Apache-2.0
//! What control and status registers hold; what reading and writing them does is `csr`.

use serde::{Deserialize, Serialize};
use switchyard_translator::wide::{System, SYSTEM};

use crate::riscv::isa::csr;

/// A counter that can be set and stopped: what it counts is kept elsewhere.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Counter {
    /// What its value is beyond what is counted; its value while it stands still.
    base: u64,
    stopped: bool,
}

impl Counter {
    pub(super) fn value(self, counted: u64) -> u64 {
        if self.stopped {
            self.base
        } else {
            self.base.wrapping_add(counted)
        }
    }

    pub(super) fn set(&mut self, value: u64, counted: u64) {
        self.base = if self.stopped {
            value
        } else {
            value.wrapping_sub(counted)
        };
    }

    pub(super) fn stop(&mut self, stopped: bool, counted: u64) {
        let value = self.value(counted);
        self.stopped = stopped;
        self.set(value, counted);
    }
}

/// What the registers hold that are no part of anything else.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Registers {
    pub mstatus: u64,
    pub mie: u64,
    /// The bits of `mip` that software sets.
    pub mip: u64,
    pub medeleg: u64,
    pub mideleg: u64,
    pub mtvec: u64,
    pub mscratch: u64,
    pub mepc: u64,
    pub mcause: u64,
    pub mtval: u64,
    pub mcounteren: u64,
    pub mcountinhibit: u64,
    pub menvcfg: u64,
    pub senvcfg: u64,
    pub stvec: u64,
    pub sscratch: u64,
    pub sepc: u64,
    pub scause: u64,
    pub stval: u64,
    pub scounteren: u64,
    pub satp: u64,
    pub stimecmp: u64,
    pub frm: u8,
    pub fflags: u8,
    pub cycle: Counter,
    pub instret: Counter,
    /// From `mhpmcounter3` on: the event, and the count.
    pub hpm: Vec<(u64, Counter)>,
}

/// The registers that are numbers and nothing else, by the order in which they are lent, with the bits that can be
/// set.
pub(super) const LENT: [(u16, i32); SYSTEM] = [
    (csr::MSCRATCH, -1),
    (csr::MEPC, !1),
    (csr::MCAUSE, -1),
    (csr::MTVAL, -1),
    (csr::MTVEC, !2),
    (csr::SSCRATCH, -1),
    (csr::SEPC, !1),
    (csr::SCAUSE, -1),
    (csr::STVAL, -1),
    (csr::STVEC, !2),
];

impl Registers {
    /// For translated code: [`LENT`] and `mstatus`, at this level of privilege.
    #[inline(always)]
    pub(super) fn lend(&mut self, level: u8) -> System<'_> {
        System {
            registers: [
                &mut self.mscratch,
                &mut self.mepc,
                &mut self.mcause,
                &mut self.mtval,
                &mut self.mtvec,
                &mut self.sscratch,
                &mut self.sepc,
                &mut self.scause,
                &mut self.stval,
                &mut self.stvec,
            ],
            level,
            status: &mut self.mstatus,
        }
    }

    /// Whether it can have come about.
    #[must_use]
    pub fn is_plausible(&self, counters: u32) -> bool {
        self.hpm.len() == counters as usize && self.fflags < 32 && self.frm < 8
    }
}

// SPDX-License-Identifier: Apache-2.0
//! What observers see of the system: operations, and traps that were taken.

use super::privilege::Privilege;

/// A register of the system that was written, or an operation on TLBs and caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// A write of a control and status register: its number and what it holds afterwards.
    Csr(u16, u64),
    /// SFENCE.VMA, or SINVAL.VMA when SFENCE.INVAL.IR has ended it: of this address alone, of this address space alone.
    TranslationFence(Option<u64>, Option<u16>),
    /// FENCE.I.
    InstructionFence,
    /// MRET or SRET, to this level.
    Return(Privilege),
    /// WFI.
    Wait,
}

/// A trap that was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trap {
    /// What `mcause` or `scause` says.
    pub cause: u64,
    /// What `mepc` or `sepc` says.
    pub pc: u64,
    /// What `mtval` or `stval` says.
    pub value: u64,
    /// The level before.
    pub from: Privilege,
    /// The level that handles it.
    pub to: Privilege,
    /// Where the handler begins.
    pub vector: u64,
}

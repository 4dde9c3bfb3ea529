// SPDX-License-Identifier: Apache-2.0
//! Exceptions, and what observers see of one that was taken.

use super::mode;

/// Exceptions (DDI 0100, A2.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exception {
    /// Undefined instruction.
    Undefined,
    /// Software interrupt.
    Swi,
    /// Instruction fetch memory abort.
    PrefetchAbort,
    /// Data access memory abort.
    DataAbort,
    /// Normal interrupt.
    Irq,
    /// Fast interrupt.
    Fiq,
}

impl Exception {
    /// Vector offset and mode entered.
    #[must_use]
    pub fn entry(self) -> (u32, u32) {
        match self {
            Self::Undefined => (0x04, mode::UND),
            Self::Swi => (0x08, mode::SVC),
            Self::PrefetchAbort => (0x0c, mode::ABT),
            Self::DataAbort => (0x10, mode::ABT),
            Self::Irq => (0x18, mode::IRQ),
            Self::Fiq => (0x1c, mode::FIQ),
        }
    }
}

/// An exception that was taken.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Which.
    pub exception: Exception,
    /// The link register of its mode.
    pub return_address: u32,
    /// The program status register of what it has interrupted.
    pub saved: u32,
    /// The registers; r0 to r7 are still those of what it has interrupted.
    pub r: [u32; 16],
}

// SPDX-License-Identifier: Apache-2.0
//! Processor modes by the value of the mode field, and the bank of registers of each (DDI 0100, A2.2
//! and A2.4).

use crate::arm::isa::psr;

/// User.
pub const USR: u32 = 0x10;
/// Fast interrupt.
pub const FIQ: u32 = 0x11;
/// Interrupt.
pub const IRQ: u32 = 0x12;
/// Supervisor.
pub const SVC: u32 = 0x13;
/// Abort.
pub const ABT: u32 = 0x17;
/// Undefined.
pub const UND: u32 = 0x1b;
/// System.
pub const SYS: u32 = 0x1f;

/// A register bank: whose r13 and r14 (and saved status register) a mode uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bank {
    /// User and system modes; no saved status register.
    Usr = 0,
    /// Fast interrupt mode, which has its own r8 to r12.
    Fiq = 1,
    /// Interrupt mode.
    Irq = 2,
    /// Supervisor mode.
    Svc = 3,
    /// Abort mode.
    Abt = 4,
    /// Undefined mode.
    Und = 5,
}

/// The bank of a mode field, if it names a mode.
#[must_use]
pub fn bank(mode_field: u32) -> Option<Bank> {
    Some(match mode_field & psr::MODE {
        USR | SYS => Bank::Usr,
        FIQ => Bank::Fiq,
        IRQ => Bank::Irq,
        SVC => Bank::Svc,
        ABT => Bank::Abt,
        UND => Bank::Und,
        _ => return None,
    })
}

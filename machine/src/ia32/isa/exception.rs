// SPDX-License-Identifier: Apache-2.0
//! Exceptions (SDM vol. 3, chapter 5 of the Pentium 4's edition: interrupt and exception handling).

use super::Ia32;

/// The vectors of the processor's own exceptions.
pub mod vector {
    /// Divide error.
    pub const DE: u8 = 0;
    /// Debug.
    pub const DB: u8 = 1;
    /// Breakpoint: INT3.
    pub const BP: u8 = 3;
    /// Overflow: INTO.
    pub const OF: u8 = 4;
    /// BOUND range exceeded.
    pub const BR: u8 = 5;
    /// Invalid opcode.
    pub const UD: u8 = 6;
    /// Device (the floating-point unit) not available.
    pub const NM: u8 = 7;
    /// Double fault.
    pub const DF: u8 = 8;
    /// Invalid TSS.
    pub const TS: u8 = 10;
    /// Segment not present.
    pub const NP: u8 = 11;
    /// Stack fault.
    pub const SS: u8 = 12;
    /// General protection.
    pub const GP: u8 = 13;
    /// Page fault.
    pub const PF: u8 = 14;
    /// Floating-point error.
    pub const MF: u8 = 16;
    /// Alignment check.
    pub const AC: u8 = 17;
}

/// A fault: the instruction had no effect and can be restarted, once the cause is gone. A page
/// fault's address is in CR2 when the fault is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Which exception.
    pub vector: u8,
    /// The error code that its handler finds on the stack, if it is one with a code.
    pub code: Option<u16>,
}

/// The bit of an error code that says that an event outside the program was being delivered.
pub const EXTERNAL: u16 = 1;
/// The bit of an error code that says that the index is one of the IDT.
pub const IDT: u16 = 2;

impl Fault {
    const fn new(vector: u8, code: Option<u16>) -> Self {
        Self { vector, code }
    }

    /// Divide error.
    #[must_use]
    pub const fn divide() -> Self {
        Self::new(vector::DE, None)
    }

    /// BOUND range exceeded.
    #[must_use]
    pub const fn bound() -> Self {
        Self::new(vector::BR, None)
    }

    /// Invalid opcode.
    #[must_use]
    pub const fn undefined() -> Self {
        Self::new(vector::UD, None)
    }

    /// No floating-point unit, or not this task's.
    #[must_use]
    pub const fn no_math() -> Self {
        Self::new(vector::NM, None)
    }

    /// Debug exception of the fault kind.
    #[must_use]
    pub const fn debug() -> Self {
        Self::new(vector::DB, None)
    }

    /// Invalid TSS; `code` is a selector's index and table, or 0.
    #[must_use]
    pub const fn tss(code: u16) -> Self {
        Self::new(vector::TS, Some(code))
    }

    /// Segment not present.
    #[must_use]
    pub const fn not_present(code: u16) -> Self {
        Self::new(vector::NP, Some(code))
    }

    /// Stack fault.
    #[must_use]
    pub const fn stack(code: u16) -> Self {
        Self::new(vector::SS, Some(code))
    }

    /// General protection.
    #[must_use]
    pub const fn protection(code: u16) -> Self {
        Self::new(vector::GP, Some(code))
    }

    /// Page fault.
    #[must_use]
    pub const fn page(code: u16) -> Self {
        Self::new(vector::PF, Some(code))
    }

    /// A pending exception of the floating-point unit.
    #[must_use]
    pub const fn math() -> Self {
        Self::new(vector::MF, None)
    }

    /// Alignment check.
    #[must_use]
    pub const fn alignment() -> Self {
        Self::new(vector::AC, Some(0))
    }

    /// The double fault.
    #[must_use]
    pub const fn double() -> Self {
        Self::new(vector::DF, Some(0))
    }

    /// This fault while an event from outside was being delivered: bit 0 of the code says so, but for
    /// page faults, whose code has other bits.
    #[must_use]
    pub fn external(self, external: bool) -> Self {
        let code = match self.code {
            Some(code) if external && self.vector != vector::PF => Some(code | EXTERNAL),
            code => code,
        };
        Self { code, ..self }
    }

    /// What becomes of this fault if it comes while an exception `first` was being delivered: it is
    /// delivered in its turn, or the two are a double fault (SDM vol. 3, table 5-5). `None`: it came
    /// in a double fault's delivery, and the processor shuts down.
    #[must_use]
    pub fn after(self, first: u8) -> Option<Self> {
        let contributory = |v: u8| matches!(v, vector::DE | vector::TS..=vector::GP);
        let (c, page) = (contributory(self.vector), self.vector == vector::PF);
        let both = match first {
            vector::DF if c || page => return None,
            vector::PF => c || page,
            first if contributory(first) => c,
            _ => false,
        };
        Some(if both { Self::double() } else { self })
    }
}

/// Why something is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// An instruction failed; it is restarted.
    Fault,
    /// An exception after an instruction.
    Trap,
    /// INT n, INT3 or INTO, which ask the gate for permission.
    Software,
    /// An interrupt.
    Interrupt,
}

/// An exception or interrupt that was delivered.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Its vector.
    pub vector: u8,
    /// Its error code, if it is one with a code.
    pub code: Option<u16>,
    /// Why it was delivered.
    pub cause: Cause,
    /// The linear address to which the handler returns.
    pub return_address: u32,
    /// The level of what was interrupted.
    pub level: u8,
    /// The registers of what was interrupted; ESP is the handler's.
    pub r: [u32; Ia32::GENERAL],
}

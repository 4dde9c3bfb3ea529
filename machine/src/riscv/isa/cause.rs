// SPDX-License-Identifier: Apache-2.0
//! Causes of traps by their numbers (II, "Machine Cause (mcause) Register").

/// The bit of a cause that says that it is an interrupt.
pub const INTERRUPT: u64 = 1 << 63;

/// An exception.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exception {
    /// Instruction access fault.
    FetchAccess = 1,
    /// Illegal instruction.
    Illegal = 2,
    /// Breakpoint.
    Breakpoint = 3,
    /// Load address misaligned.
    LoadMisaligned = 4,
    /// Load access fault.
    LoadAccess = 5,
    /// Store or AMO address misaligned.
    StoreMisaligned = 6,
    /// Store or AMO access fault.
    StoreAccess = 7,
    /// Environment call from U mode.
    CallFromUser = 8,
    /// Environment call from S mode.
    CallFromSupervisor = 9,
    /// Environment call from M mode.
    CallFromMachine = 11,
    /// Instruction page fault.
    FetchPage = 12,
    /// Load page fault.
    LoadPage = 13,
    /// Store or AMO page fault.
    StorePage = 15,
}

impl Exception {
    const ALL: [Self; 13] = [
        Self::FetchAccess,
        Self::Illegal,
        Self::Breakpoint,
        Self::LoadMisaligned,
        Self::LoadAccess,
        Self::StoreMisaligned,
        Self::StoreAccess,
        Self::CallFromUser,
        Self::CallFromSupervisor,
        Self::CallFromMachine,
        Self::FetchPage,
        Self::LoadPage,
        Self::StorePage,
    ];

    /// The exception of this cause; `None` for an interrupt.
    #[must_use]
    pub fn of(cause: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|each| *each as u64 == cause)
    }

    /// In words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::FetchAccess => "instruction access fault",
            Self::Illegal => "illegal instruction",
            Self::Breakpoint => "breakpoint",
            Self::LoadMisaligned => "load address misaligned",
            Self::LoadAccess => "load access fault",
            Self::StoreMisaligned => "store address misaligned",
            Self::StoreAccess => "store access fault",
            Self::CallFromUser => "environment call from U mode",
            Self::CallFromSupervisor => "environment call from S mode",
            Self::CallFromMachine => "environment call from M mode",
            Self::FetchPage => "instruction page fault",
            Self::LoadPage => "load page fault",
            Self::StorePage => "store page fault",
        }
    }
}

/// The interrupts in the order in which they are taken (II, "Machine Interrupt (mip and mie)
/// Registers"): machine external, software, timer, then the supervisor's.
pub const INTERRUPT_ORDER: [u32; 6] = [11, 3, 7, 9, 1, 5];

/// The name of an interrupt.
#[must_use]
pub fn interrupt_name(number: u32) -> &'static str {
    match number {
        1 => "supervisor software interrupt",
        3 => "machine software interrupt",
        5 => "supervisor timer interrupt",
        7 => "machine timer interrupt",
        9 => "supervisor external interrupt",
        11 => "machine external interrupt",
        _ => "interrupt",
    }
}

/// The bits of the registers `mip` and `mie`.
pub mod mip {
    /// Supervisor software interrupt.
    pub const SSI: u64 = 1 << 1;
    /// Machine software interrupt.
    pub const MSI: u64 = 1 << 3;
    /// Supervisor timer interrupt.
    pub const STI: u64 = 1 << 5;
    /// Machine timer interrupt.
    pub const MTI: u64 = 1 << 7;
    /// Supervisor external interrupt.
    pub const SEI: u64 = 1 << 9;
    /// Machine external interrupt.
    pub const MEI: u64 = 1 << 11;
    /// Those of the supervisor.
    pub const SUPERVISOR: u64 = SSI | STI | SEI;
    /// All.
    pub const ALL: u64 = SUPERVISOR | MSI | MTI | MEI;
}

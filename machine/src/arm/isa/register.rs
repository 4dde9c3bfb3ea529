// SPDX-License-Identifier: Apache-2.0
//! Names in coprocessor 15, the system control coprocessor: a register or operation by its numbers
//! ([`Register`]), and what it can be ([`Read`], [`Write`]). Which of them a core has under which numbers
//! is in its table (`cores/`); `cpu/cp15.rs` does them.

/// A CP15 register or operation as MCR and MRC name it. Opcode 1 is always 0 there and ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Register {
    /// CRn.
    pub crn: u8,
    /// CRm.
    pub crm: u8,
    /// Opcode 2.
    pub opcode_2: u8,
}

impl Register {
    /// The register or operation of these numbers.
    #[must_use]
    pub const fn new(crn: u8, crm: u8, opcode_2: u8) -> Self {
        Self { crn, crm, opcode_2 }
    }
}

/// A cache or a TLB, as lockdown names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// That of instruction fetches.
    Insn,
    /// That of data accesses.
    Data,
}

/// What MRC may give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // named as in the manuals
pub enum Read {
    Id,
    CacheType,
    Control,
    TranslationTable,
    Domains,
    FaultStatus,
    InsnFaultStatus,
    FaultAddress,
    ProcessId,
    ContextId,
    /// The ways of a cache that are locked.
    LockedWays(Side),
    TlbLockdown,
    /// How many ways of a cache are locked.
    LockedBase(Side),
    /// Base, victim and P of a TLB.
    TlbBase(Side),
    /// Whether the data cache is clean, after one dirty line was; with `drop` it is invalidated then.
    TestAndClean {
        drop: bool,
    },
    /// Of what is not there.
    Zero,
    /// UNPREDICTABLE.
    Undefined,
}

/// What MCR may do: write the register of that name, or the operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // named as in the manuals; "slot" is a line by set and way
pub enum Write {
    Control,
    TranslationTable,
    Domains,
    FaultStatus,
    InsnFaultStatus,
    FaultAddress,
    ProcessId,
    ContextId,
    LockedWays(Side),
    TlbLockdown,
    LockedBase(Side),
    TlbBase(Side),
    InvalidateCaches,
    InvalidateIcache,
    InvalidateIcacheLine,
    InvalidateIcacheSlot,
    InvalidateDcache,
    InvalidateDcacheLine,
    InvalidateDcacheSlot,
    CleanDcacheLine,
    CleanDcacheSlot,
    CleanInvalidateDcacheLine,
    CleanInvalidateDcacheSlot,
    PrefetchInsnLine,
    DrainWriteBuffer,
    WaitForInterrupt,
    InvalidateTlbs,
    InvalidateTlbsEntry,
    InvalidateItlb,
    InvalidateItlbEntry,
    InvalidateDtlb,
    InvalidateDtlbEntry,
    /// One entry, or all.
    FlushReadBuffer(Option<u8>),
    LoadReadBuffer {
        entry: u8,
        words: u32,
    },
    /// User mode may not operate the read buffer.
    ForbidUserReadBuffer,
    /// It may.
    AllowUserReadBuffer,
    /// Accepted, without effect here.
    Nothing,
    /// UNPREDICTABLE.
    Undefined,
}

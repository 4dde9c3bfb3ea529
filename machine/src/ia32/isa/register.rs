// SPDX-License-Identifier: Apache-2.0
//! System registers: the bits of control registers, the numbers of model-specific registers (SDM vol. 3, 2.5
//! and appendix B), and what an instruction can do to one of the system.

/// Bits of CR0.
pub mod cr0 {
    /// Protected mode.
    pub const PE: u32 = 1 << 0;
    /// WAIT looks at TS.
    pub const MP: u32 = 1 << 1;
    /// There is no floating-point unit: its instructions are emulated.
    pub const EM: u32 = 1 << 2;
    /// The floating-point unit belongs to another task.
    pub const TS: u32 = 1 << 3;
    /// Always 1.
    pub const ET: u32 = 1 << 4;
    /// Floating-point errors are exceptions of their own.
    pub const NE: u32 = 1 << 5;
    /// Pages that cannot be written cannot be by the supervisor, either.
    pub const WP: u32 = 1 << 16;
    /// Alignment is checked where EFLAGS.AC says so, too.
    pub const AM: u32 = 1 << 18;
    /// Caches do not write through.
    pub const NW: u32 = 1 << 29;
    /// Caches are not filled.
    pub const CD: u32 = 1 << 30;
    /// Paging.
    pub const PG: u32 = 1 << 31;
    /// The bits that there are.
    pub const IMPLEMENTED: u32 = PE | MP | EM | TS | ET | NE | WP | AM | NW | CD | PG;
}

/// Bits of CR4. Others are not implemented: setting one is a fault.
pub mod cr4 {
    /// RDTSC is the supervisor's alone.
    pub const TSD: u32 = 1 << 2;
    /// 4 MB pages.
    pub const PSE: u32 = 1 << 4;
    /// Global pages.
    pub const PGE: u32 = 1 << 7;
    /// RDPMC is everybody's.
    pub const PCE: u32 = 1 << 8;
    /// The bits that there are.
    pub const IMPLEMENTED: u32 = TSD | PSE | PGE | PCE;
}

/// Model-specific registers, by number.
pub mod msr {
    /// The time-stamp counter.
    pub const TSC: u32 = 0x10;
    /// For which platform the processor is: which of a microcode update's flags must be set.
    pub const PLATFORM_ID: u32 = 0x17;
    /// The revision of the microcode, in the upper half.
    pub const BIOS_SIGN_ID: u32 = 0x8b;
    /// SYSENTER's code segment.
    pub const SYSENTER_CS: u32 = 0x174;
    /// SYSENTER's stack pointer.
    pub const SYSENTER_ESP: u32 = 0x175;
    /// SYSENTER's first instruction.
    pub const SYSENTER_EIP: u32 = 0x176;
    /// Features that can be switched on and off, and whether others are there.
    pub const MISC_ENABLE: u32 = 0x1a0;
}

/// Bits of [`msr::MISC_ENABLE`]. The others are of what is not there, and cannot be set.
pub mod misc_enable {
    /// Repeated string instructions may be fast. This has no effect but that it reads as written.
    pub const FAST_STRINGS: u64 = 1 << 0;
    /// The floating-point unit keeps each instruction's opcode.
    pub const FOPCODE: u64 = 1 << 2;
    /// There are performance-monitoring counters; read only.
    pub const COUNTERS: u64 = 1 << 7;
    /// There is no branch trace store; read only.
    pub const BTS_UNAVAILABLE: u64 = 1 << 11;
    /// There is no precise event-based sampling; read only.
    pub const PEBS_UNAVAILABLE: u64 = 1 << 12;
    /// Those that software chooses.
    pub const WRITABLE: u64 = FAST_STRINGS | FOPCODE;
    /// Those that are always as they are.
    pub const FIXED: u64 = COUNTERS | BTS_UNAVAILABLE | PEBS_UNAVAILABLE;
}

/// A register of the system, or an operation by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Control register 0, 2, 3 or 4.
    Control(u8),
    /// INVLPG of this linear address.
    InvalidatePage(u32),
    /// INVD or WBINVD.
    FlushCaches,
    /// HLT.
    Halt,
}

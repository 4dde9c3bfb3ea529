// SPDX-License-Identifier: Apache-2.0
//! Segments (SDM vol. 3, 3.4): descriptors as the tables hold them, and the hidden part of a segment
//! register, which keeps what a descriptor said when the register was loaded.

use serde::{Deserialize, Serialize};

use crate::ia32::isa::exception::Fault;

/// A selector's index and table, without the privilege level: what error codes show.
#[must_use]
pub const fn selector_code(selector: u16) -> u16 {
    selector & !3
}

/// A selector that names no descriptor: index 0 of the GDT.
#[must_use]
pub const fn is_null(selector: u16) -> bool {
    selector & !3 == 0
}

/// The requested privilege level of a selector.
#[must_use]
pub const fn rpl(selector: u16) -> u8 {
    (selector & 3) as u8
}

/// The selector of a code segment that runs at `level`.
#[must_use]
pub const fn code_selector(selector: u16, level: u8) -> u16 {
    selector_code(selector) | level as u16
}

/// Types of system descriptors and gates (SDM vol. 3, table 3-2).
pub mod system {
    /// 16-bit TSS, available.
    pub const TSS16: u8 = 1;
    /// LDT.
    pub const LDT: u8 = 2;
    /// 16-bit TSS, busy.
    pub const TSS16_BUSY: u8 = 3;
    /// 16-bit call gate.
    pub const CALL16: u8 = 4;
    /// Task gate.
    pub const TASK: u8 = 5;
    /// 16-bit interrupt gate.
    pub const INTERRUPT16: u8 = 6;
    /// 16-bit trap gate.
    pub const TRAP16: u8 = 7;
    /// 32-bit TSS, available.
    pub const TSS32: u8 = 9;
    /// 32-bit TSS, busy.
    pub const TSS32_BUSY: u8 = 11;
    /// 32-bit call gate.
    pub const CALL32: u8 = 12;
    /// 32-bit interrupt gate.
    pub const INTERRUPT32: u8 = 14;
    /// 32-bit trap gate.
    pub const TRAP32: u8 = 15;
}

/// A descriptor of eight bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Descriptor {
    /// The lower four bytes.
    pub low: u32,
    /// The upper four bytes.
    pub high: u32,
}

impl Descriptor {
    /// The bit of `high` that says that the segment was loaded.
    pub const ACCESSED: u32 = 1 << 8;
    /// The bit of `high` that says that a TSS is in use.
    pub const BUSY: u32 = 1 << 9;

    /// Base address.
    #[must_use]
    pub fn base(self) -> u32 {
        self.low >> 16 | (self.high & 0xff) << 16 | self.high & 0xff00_0000
    }

    /// The limit in bytes.
    #[must_use]
    pub fn limit(self) -> u32 {
        let limit = self.low & 0xffff | self.high & 0xf_0000;
        if self.high & 1 << 23 == 0 {
            limit
        } else {
            limit << 12 | 0xfff
        }
    }

    /// The type field.
    #[must_use]
    pub fn kind(self) -> u8 {
        (self.high >> 8 & 15) as u8
    }

    /// Whether it describes no code or data.
    #[must_use]
    pub fn is_system(self) -> bool {
        self.high & 1 << 12 == 0
    }

    /// Descriptor privilege level.
    #[must_use]
    pub fn dpl(self) -> u8 {
        (self.high >> 13 & 3) as u8
    }

    /// Whether the segment is present.
    #[must_use]
    pub fn is_present(self) -> bool {
        self.high & 1 << 15 != 0
    }

    /// A code segment.
    #[must_use]
    pub fn is_code(self) -> bool {
        !self.is_system() && self.kind() & 8 != 0
    }

    /// A data segment.
    #[must_use]
    pub fn is_data(self) -> bool {
        !self.is_system() && self.kind() & 8 == 0
    }

    /// A code segment that runs at its caller's level.
    #[must_use]
    pub fn is_conforming(self) -> bool {
        self.is_code() && self.kind() & 4 != 0
    }

    /// Whether data can be read from it.
    #[must_use]
    pub fn is_readable(self) -> bool {
        self.is_data() || self.is_code() && self.kind() & 2 != 0
    }

    /// Whether data can be written to it.
    #[must_use]
    pub fn is_writable(self) -> bool {
        self.is_data() && self.kind() & 2 != 0
    }

    /// A gate's selector.
    #[must_use]
    pub fn gate_selector(self) -> u16 {
        (self.low >> 16) as u16
    }

    /// A gate's offset, of a 32-bit gate or a 16-bit one.
    #[must_use]
    pub fn gate_offset(self) -> u32 {
        let low = self.low & 0xffff;
        if self.kind() & 8 == 0 {
            low
        } else {
            low | self.high & 0xffff_0000
        }
    }

    /// The words that a call gate copies from one stack to the other.
    #[must_use]
    pub fn gate_parameters(self) -> u32 {
        self.high & 31
    }
}

/// A segment register: the selector and the hidden part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// What MOV reads.
    pub selector: u16,
    /// Base address.
    pub base: u32,
    /// The limit in bytes.
    pub limit: u32,
    /// The descriptor's upper half: type, level, D/B.
    rights: u32,
    /// The offsets that it has: from this one,
    lowest: u32,
    /// to this one. None, if that is less.
    highest: u32,
    readable: bool,
    writable: bool,
}

/// Whether an access writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It reads.
    Read,
    /// It writes.
    Write,
}

impl Segment {
    /// A register that a null selector was loaded into: no access passes.
    #[must_use]
    pub fn null(selector: u16) -> Self {
        Self {
            selector,
            base: 0,
            limit: 0,
            rights: 0,
            lowest: 1,
            highest: 0,
            readable: false,
            writable: false,
        }
    }

    /// A register into which `descriptor`, of code or data, was loaded.
    #[must_use]
    pub fn new(selector: u16, descriptor: Descriptor) -> Self {
        let (base, limit) = (descriptor.base(), descriptor.limit());
        let down = descriptor.is_data() && descriptor.kind() & 4 != 0;
        let big = descriptor.high & 1 << 22 != 0;
        let (lowest, highest) = match limit.checked_add(1) {
            _ if !down => (0, limit),
            Some(lowest) => (lowest, if big { u32::MAX } else { 0xffff }),
            None => (1, 0),
        };
        Self {
            selector,
            base,
            limit,
            rights: descriptor.high,
            lowest,
            highest,
            readable: descriptor.is_readable(),
            writable: descriptor.is_writable(),
        }
    }

    /// As real-address mode loads it: the base follows the selector, all else stays; data can be
    /// written, also through CS.
    #[must_use]
    pub fn with_real_selector(self, selector: u16) -> Self {
        Self {
            selector,
            base: u32::from(selector) << 4,
            ..self
        }
    }

    /// As reset leaves the data segments, and CS but for its selector and base: 64 KB, which can be
    /// read and written (SDM vol. 3, table 8-1).
    #[must_use]
    pub fn real(selector: u16, base: u32) -> Self {
        let descriptor = Descriptor {
            low: 0xffff,
            high: 0x9300,
        };
        Self {
            base,
            ..Self::new(selector, descriptor)
        }
    }

    /// Base and limit, if it has an end.
    #[must_use]
    pub fn bounds(&self) -> Option<[u32; 2]> {
        (self.limit != u32::MAX).then_some([self.base, self.limit])
    }

    /// Whether something is loaded.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.rights != 0
    }

    /// The D flag of a code segment, B of a stack's: operands, offsets or the stack pointer have 32
    /// bits.
    #[inline(always)]
    #[must_use]
    pub fn is_32bit(&self) -> bool {
        self.rights & 1 << 22 != 0
    }

    /// The descriptor that was loaded, as far as its upper half says.
    #[must_use]
    pub fn descriptor(&self) -> Descriptor {
        Descriptor {
            low: 0,
            high: self.rights,
        }
    }

    /// Whether `bytes` at `offset` are in it, and may be accessed so. A segment of all 4 GB has no
    /// end: offsets go round, as the manual lets them (SDM vol. 3, 4.3).
    #[inline(always)]
    #[must_use]
    pub fn allows(&self, offset: u32, bytes: u32, access: Access) -> bool {
        let right = match access {
            Access::Read => self.readable,
            Access::Write => self.writable,
        };
        right && self.contains(offset, bytes)
    }

    /// Whether its offsets are linear addresses, all of them.
    #[inline(always)]
    #[must_use]
    pub fn is_flat(&self) -> bool {
        self.base == 0 && self.lowest == 0 && self.highest == u32::MAX
    }

    /// Whether it may be read and written.
    #[inline(always)]
    #[must_use]
    pub fn is_for_data(&self) -> bool {
        self.readable && self.writable
    }

    /// Whether `bytes` at `offset` are in it.
    #[inline(always)]
    #[must_use]
    pub fn contains(&self, offset: u32, bytes: u32) -> bool {
        if self.lowest == 0 && self.highest == u32::MAX {
            return true;
        }
        offset >= self.lowest && offset <= self.highest && bytes - 1 <= self.highest - offset
    }

    /// The linear address of `bytes` at `offset`; the fault is of the error code 0.
    ///
    /// # Errors
    /// `fault`, as it may not be accessed so.
    #[inline(always)]
    pub fn linear(
        &self,
        offset: u32,
        bytes: u32,
        access: Access,
        fault: fn(u16) -> Fault,
    ) -> Result<u32, Fault> {
        if self.allows(offset, bytes, access) {
            Ok(self.base.wrapping_add(offset))
        } else {
            Err(fault(0))
        }
    }
}

/// GDTR or IDTR.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableRegister {
    /// Linear address of the table.
    pub base: u32,
    /// Its last byte.
    pub limit: u16,
}

/// LDTR or TR.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemSegment {
    /// The selector.
    pub selector: u16,
    /// Linear address.
    pub base: u32,
    /// Its last byte.
    pub limit: u32,
    /// Whether there is one.
    pub usable: bool,
    /// Whether it is a TSS of 32 bits.
    pub is_32bit: bool,
}

impl SystemSegment {
    /// None.
    #[must_use]
    pub fn null(selector: u16) -> Self {
        Self {
            selector,
            base: 0,
            limit: 0,
            usable: false,
            is_32bit: false,
        }
    }

    /// What `descriptor` describes.
    #[must_use]
    pub fn new(selector: u16, descriptor: Descriptor) -> Self {
        Self {
            selector,
            base: descriptor.base(),
            limit: descriptor.limit(),
            usable: true,
            is_32bit: descriptor.kind() & 8 != 0,
        }
    }
}

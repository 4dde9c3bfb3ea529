// SPDX-License-Identifier: Apache-2.0
//! Sv39 (II, "Sv39: Page-Based 39-bit Virtual-Memory System"): page-table entries, the steps of a walk,
//! and what an entry allows.

use crate::riscv::isa::privilege::Privilege;

use super::fault::Access;

/// Levels of tables.
pub const LEVELS: u32 = 3;
/// Bytes of a page, as a shift.
pub const PAGE_SHIFT: u32 = 12;

/// The bits of a page-table entry.
pub mod pte {
    /// Valid.
    pub const V: u64 = 1;
    /// May be read.
    pub const R: u64 = 1 << 1;
    /// May be written.
    pub const W: u64 = 1 << 2;
    /// May be executed.
    pub const X: u64 = 1 << 3;
    /// User mode's.
    pub const U: u64 = 1 << 4;
    /// In all address spaces.
    pub const G: u64 = 1 << 5;
    /// Accessed.
    pub const A: u64 = 1 << 6;
    /// Dirty.
    pub const D: u64 = 1 << 7;
    /// What it maps, or the table that it names: a page's number in bits 53:10.
    pub const PPN: u64 = ((1 << 44) - 1) << 10;
    /// What must be 0 where there are neither page-based memory types nor naturally aligned powers of
    /// two (Svpbmt, Svnapot).
    pub const RESERVED: u64 = !0 << 54;
}

/// `satp` (II, "Supervisor Address Translation and Protection (satp) Register").
pub mod satp {
    /// No translation.
    pub const BARE: u64 = 0;
    /// Sv39.
    pub const SV39: u64 = 8;
    /// Where the mode is.
    pub const MODE_SHIFT: u32 = 60;
    /// Where the address-space identifier is.
    pub const ASID_SHIFT: u32 = 44;
    /// The root table's page number.
    pub const PPN: u64 = (1 << 44) - 1;
}

/// Whether `va` can be an address under Sv39: bits 63:39 are as bit 38.
#[inline(always)]
#[must_use]
pub fn is_canonical(va: u64) -> bool {
    ((va << 25) as i64 >> 25) as u64 == va
}

/// The address of the entry for `va` in the table of `level` at page `ppn`.
#[inline]
#[must_use]
pub fn entry_address(ppn: u64, va: u64, level: u32) -> u64 {
    let index = va >> (PAGE_SHIFT + 9 * level) & 511;
    (ppn << PAGE_SHIFT) + 8 * index
}

/// What an entry of a table of `level` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The next table is at this page.
    Table(u64),
    /// It maps memory.
    Leaf,
    /// Nothing: a page fault.
    Invalid,
}

/// Reads `entry` of a table of `level`. Whether a leaf allows the access is [`allows`]; whether it is
/// aligned is [`is_misaligned`], which the algorithm asks after that.
#[must_use]
pub fn step(entry: u64, level: u32) -> Step {
    if entry & pte::V == 0 || entry & (pte::R | pte::W) == pte::W || entry & pte::RESERVED != 0 {
        return Step::Invalid;
    }
    if entry & (pte::R | pte::X) != 0 {
        return Step::Leaf;
    }
    // D, A and U of a pointer are reserved.
    if level == 0 || entry & (pte::D | pte::A | pte::U) != 0 {
        return Step::Invalid;
    }
    Step::Table((entry & pte::PPN) >> 10)
}

/// Whether a leaf of `level` does not begin where a page of its size can.
#[must_use]
pub fn is_misaligned(entry: u64, level: u32) -> bool {
    (entry & pte::PPN) >> 10 & ((1 << (9 * level)) - 1) != 0
}

/// Who accesses, and what `mstatus` allows him.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rights {
    /// The level of privilege, MPRV minded.
    pub privilege: Privilege,
    /// The supervisor may access user pages.
    pub sum: bool,
    /// What may be executed may be read.
    pub mxr: bool,
}

/// Whether the permissions in `entry` allow the access, A and D aside.
#[inline]
#[must_use]
pub fn allows(entry: u64, access: Access, rights: Rights) -> bool {
    let user = entry & pte::U != 0;
    let reaches = match rights.privilege {
        Privilege::User => user,
        _ => !user || rights.sum && access != Access::Fetch,
    };
    let permitted = match access {
        Access::Fetch => entry & pte::X != 0,
        Access::Load => entry & pte::R != 0 || rights.mxr && entry & pte::X != 0,
        Access::Store => entry & pte::W != 0,
    };
    reaches && permitted
}

/// The bits among A and D that the access needs set.
#[inline]
#[must_use]
pub fn needed(access: Access) -> u64 {
    match access {
        Access::Store => pte::A | pte::D,
        _ => pte::A,
    }
}

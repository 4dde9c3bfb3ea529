// SPDX-License-Identifier: Apache-2.0
//! The memory management unit's rules: descriptors, access permissions. Pure functions;
//! `memsys` reads the descriptors and charges the cycles. Source: ARM Architecture Reference
//! Manual (DDI 0100), part B chapter 3, which the SA-1110 DM chapter 7 follows.

use crate::arm::memory::fault::FaultKind;
use crate::arm::memory::tlb::{Attributes, TlbEntry};

/// What an access wants to do, for the permission check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// A write.
    pub write: bool,
    /// Made with the rights of a privileged mode.
    pub privileged: bool,
}

/// A first-level descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstLevel {
    /// Nothing is mapped.
    Invalid,
    /// A page table.
    Table(PageTable),
    /// A section.
    Section(TlbEntry),
}

/// Physical address of the first-level descriptor of `mva`.
#[must_use]
pub fn first_level_address(translation_table_base: u32, mva: u32) -> u32 {
    (translation_table_base & 0xffff_c000) | ((mva >> 18) & 0x3ffc)
}

/// Reads a first-level descriptor for `mva`; `fine_tables` tells whether the architecture has
/// them (from version 5 on).
#[must_use]
pub fn first_level(descriptor: u32, mva: u32, fine_tables: bool) -> FirstLevel {
    let domain = ((descriptor >> 5) & 15) as u8;
    match descriptor & 3 {
        1 => FirstLevel::Table(PageTable {
            base: descriptor & 0xffff_fc00,
            domain,
            fine: false,
        }),
        2 => FirstLevel::Section(TlbEntry {
            mva: mva & 0xfff0_0000,
            mask: 0xfff0_0000,
            pa: descriptor & 0xfff0_0000,
            domain,
            permissions: ((descriptor >> 10) & 3) as u8 * 0b0101_0101,
            subpage_shift: 18,
            attributes: Attributes::of_descriptor(descriptor),
            section: true,
        }),
        3 if fine_tables => FirstLevel::Table(PageTable {
            base: descriptor & 0xffff_f000,
            domain,
            fine: true,
        }),
        // 3 is reserved before ARMv5: it faults (DDI 0100, B3.3.3).
        _ => FirstLevel::Invalid,
    }
}

/// A second-level table, as a first-level descriptor names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageTable {
    /// Its physical address.
    pub base: u32,
    /// The domain of all that it maps.
    pub domain: u8,
    /// A fine table, of 1024 descriptors for 1 KB each; a coarse one has 256 for 4 KB each.
    pub fine: bool,
}

impl PageTable {
    /// Bytes for which it has a descriptor of their own.
    #[must_use]
    pub fn page_bytes(&self) -> u32 {
        if self.fine {
            1 << 10
        } else {
            1 << 12
        }
    }

    /// Physical address of the descriptor of `mva`.
    #[must_use]
    pub fn descriptor_address(&self, mva: u32) -> u32 {
        self.base
            | if self.fine {
                (mva >> 8) & 0xffc
            } else {
                (mva >> 10) & 0x3fc
            }
    }

    /// Reads a descriptor of this table for `mva`; `None` if it maps nothing.
    #[must_use]
    pub fn entry(&self, descriptor: u32, mva: u32) -> Option<TlbEntry> {
        let (mask, subpage_shift) = match descriptor & 3 {
            1 => (0xffff_0000, 14),
            2 => (0xffff_f000, 10),
            // A tiny page can only stand in a fine table.
            3 if self.fine => (0xffff_fc00, 10),
            _ => return None,
        };
        let permissions = if descriptor & 3 == 3 {
            ((descriptor >> 4) & 3) as u8 * 0b0101_0101
        } else {
            (descriptor >> 4) as u8
        };
        Some(TlbEntry {
            mva: mva & mask,
            mask,
            pa: descriptor & mask,
            domain: self.domain,
            permissions,
            subpage_shift,
            attributes: Attributes::of_descriptor(descriptor),
            section: false,
        })
    }
}

/// For each of the 16 combinations of permission bits and access, whether it is allowed: bit
/// `4 * AP + 2 * privileged + write`. Rebuilt when the control register's S or R bit changes.
#[must_use]
pub fn permission_table(system: bool, rom: bool) -> u16 {
    // Bits by access: 0 user read, 1 user write, 2 privileged read, 3 privileged write.
    let none = match (system, rom) {
        (false, false) => 0,
        (true, false) => 0b0100,
        (false, true) => 0b0101,
        // S and R together are reserved; the manual gives no meaning. Taken as no access.
        (true, true) => 0,
    };
    none | 0b1100 << 4 | 0b1101 << 8 | 0b1111 << 12
}

/// Checks an access through `entry`: domain first, then permissions.
///
/// # Errors
/// The fault that the access takes.
#[inline]
pub fn check(
    entry: &TlbEntry,
    mva: u32,
    access: Access,
    dacr: u32,
    permissions: u16,
) -> Result<(), FaultKind> {
    match (dacr >> (2 * entry.domain)) & 3 {
        1 => {
            let index = 4 * entry.access_permission(mva)
                + 2 * u8::from(access.privileged)
                + u8::from(access.write);
            if permissions & (1 << index) != 0 {
                Ok(())
            } else {
                Err(FaultKind::Permission)
            }
        }
        3 => Ok(()),
        // 0 is "no access"; 2 is reserved and acts like it.
        _ => Err(FaultKind::Domain),
    }
}

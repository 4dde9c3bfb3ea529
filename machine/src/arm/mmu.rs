// SPDX-License-Identifier: Apache-2.0
//! The memory management unit's rules: descriptors, access permissions, faults. Pure functions;
//! `memsys` reads the descriptors and charges the cycles. Source: ARM Architecture Reference
//! Manual (DDI 0100), part B chapter 3, which the SA-1110 DM chapter 7 follows.

use crate::tlb::{Attributes, TlbEntry};

/// What an access wants to do, for the permission check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// A write.
    pub write: bool,
    /// Made with the rights of a privileged mode.
    pub privileged: bool,
}

/// Kinds of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The address is not a multiple of the access size.
    Alignment,
    /// The descriptor is invalid.
    Translation,
    /// The domain gives no access.
    Domain,
    /// The access permissions forbid it.
    Permission,
    /// Nothing on the bus answered.
    External,
    /// Nothing on the bus answered a line fill.
    ExternalLine,
    /// Nothing on the bus answered a table walk of the first or second level.
    ExternalWalk,
}

/// A fault: kind, and what the fault status register shows of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Its kind.
    pub kind: FaultKind,
    /// Bits 3:0 of the fault status register.
    pub status: u8,
    /// Its domain; 0 where the architecture leaves it undefined.
    pub domain: u8,
    /// The address after relocation.
    pub mva: u32,
}

impl Fault {
    /// A fault at `mva`; `section` tells a first-level from a second-level cause (bit 1).
    #[must_use]
    pub fn new(kind: FaultKind, section: bool, domain: u8, mva: u32) -> Self {
        let base = match kind {
            FaultKind::Alignment => 0b0001,
            FaultKind::Translation => 0b0101,
            FaultKind::Domain => 0b1001,
            FaultKind::Permission => 0b1101,
            FaultKind::External => 0b1000,
            FaultKind::ExternalLine => 0b0100,
            FaultKind::ExternalWalk => 0b1100,
        };
        let page = !section && kind != FaultKind::Alignment;
        Self {
            kind,
            status: base | if page { 0b10 } else { 0 },
            domain,
            mva,
        }
    }

    /// The fault status register that it leaves.
    #[must_use]
    pub fn status_register(&self) -> u32 {
        u32::from(self.status) | (u32::from(self.domain) << 4)
    }
}

/// A first-level descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstLevel {
    /// Nothing is mapped.
    Invalid,
    /// A page table: its physical address and the domain of all it maps.
    Table {
        /// Its physical address.
        base: u32,
        /// The domain of all that it maps.
        domain: u8,
    },
    /// A section.
    Section(TlbEntry),
}

/// Physical address of the first-level descriptor of `mva`.
#[must_use]
pub fn first_level_address(translation_table_base: u32, mva: u32) -> u32 {
    (translation_table_base & 0xffff_c000) | ((mva >> 18) & 0x3ffc)
}

/// Reads a first-level descriptor for `mva`.
#[must_use]
pub fn first_level(descriptor: u32, mva: u32) -> FirstLevel {
    let domain = ((descriptor >> 5) & 15) as u8;
    match descriptor & 3 {
        1 => FirstLevel::Table {
            base: descriptor & 0xffff_fc00,
            domain,
        },
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
        // 3 is reserved before ARMv5: it faults (DDI 0100, B3.3.3).
        _ => FirstLevel::Invalid,
    }
}

/// Physical address of the second-level descriptor of `mva` in the table at `base`.
#[must_use]
pub fn second_level_address(base: u32, mva: u32) -> u32 {
    base | ((mva >> 10) & 0x3fc)
}

/// Reads a second-level descriptor for `mva` in `domain`; `None` if it maps nothing.
#[must_use]
pub fn second_level(descriptor: u32, mva: u32, domain: u8) -> Option<TlbEntry> {
    let (mask, subpage_shift) = match descriptor & 3 {
        1 => (0xffff_0000, 14),
        2 => (0xffff_f000, 10),
        // 3, a tiny page of ARMv5, can only stand in a fine table.
        _ => return None,
    };
    Some(TlbEntry {
        mva: mva & mask,
        mask,
        pa: descriptor & mask,
        domain,
        permissions: (descriptor >> 4) as u8,
        subpage_shift,
        attributes: Attributes::of_descriptor(descriptor),
        section: false,
    })
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

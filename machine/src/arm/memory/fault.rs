// SPDX-License-Identifier: Apache-2.0
//! Faults of the memory system, and what the fault status register shows of each (DDI 0100, B3.6).

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

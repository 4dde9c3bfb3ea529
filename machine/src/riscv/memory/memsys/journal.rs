// SPDX-License-Identifier: Apache-2.0
//! What happens to lines and translations other than the accesses that observers see: fills of
//! instruction lines, table walks. Kept for an observer that asks for it, until that takes it.

use crate::riscv::memory::tlb::TlbEntry;

/// Something that has happened.
#[derive(Debug, Clone, Copy)]
pub enum Event {
    /// A line of the instruction cache was filled.
    InsnFilled {
        /// Where it was read from.
        pa: u32,
    },
    /// The page tables were walked, and this was found.
    Walked {
        /// What was found.
        entry: TlbEntry,
        /// Whether by a pointer that was remembered.
        remembered: bool,
    },
}

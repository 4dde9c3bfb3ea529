// SPDX-License-Identifier: Apache-2.0
//! What is kept of the translations in the TLBs where address-space tags are ideal.

use serde::{Deserialize, Serialize};

use crate::ideal_tags;

use super::tlb::TlbEntry;

/// A translation in its place.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Held {
    /// The translation.
    pub entry: TlbEntry,
    /// Where the descriptors are by which it was walked, or by which it was found to answer last.
    pub at: [u32; 2],
    /// The directory entry by which it was walked, without what the processor notes there.
    pub pde: u32,
    /// Whether it is in the TLB now.
    pub answers: bool,
}

/// What all places hold. Words of memory are watched that are, or were, descriptors of entries that answer.
pub type Tags = ideal_tags::Tags<Held, 4>;

// SPDX-License-Identifier: Apache-2.0
//! Versions of the architecture.

use super::psr;

/// An ARM architecture version, as far as programs see it (DDI 0100).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Architecture {
    /// Version 4, without Thumb.
    V4,
    /// Version 4T.
    V4T,
    /// Version 5TE; of 5TEJ all but Jazelle execution.
    V5Te,
}

impl Architecture {
    /// Whether there is a Thumb state.
    #[must_use]
    pub fn has_thumb(self) -> bool {
        self >= Self::V4T
    }

    /// Whether a load of the PC may change the state (DDI 0100, A2.4.3).
    #[must_use]
    pub fn loads_exchange(self) -> bool {
        self >= Self::V5Te
    }

    /// The bits that status registers have; of J, without Jazelle execution, nothing is kept.
    #[must_use]
    pub fn status_bits(self) -> u32 {
        match self {
            Self::V4 => psr::IMPLEMENTED_V4,
            Self::V4T => psr::IMPLEMENTED_V4T,
            Self::V5Te => psr::IMPLEMENTED_V5TE,
        }
    }

    /// GDB's name for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::V4 => "armv4",
            Self::V4T => "armv4t",
            Self::V5Te => "armv5te",
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
//! What observers see of an ARM beside what they see of every processor ([`crate::observe`]).

use std::fmt;

use super::core::Exception;
use super::cp15::Register;
use super::memsys::MemSys;
use crate::counters::Tally;
use crate::observe::{self, Memory, Observed};
use crate::platform::Platform;

/// The architecture.
#[derive(Debug)]
pub enum Arm {}

impl Observed for Arm {
    type Memory = MemSys;
    type Code = Encoding;
    type Entry = Entry;
    type Operation = Register;
    const REGISTERS: &'static [&'static str] = &[
        "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13",
        "r14", "cpsr",
    ];
}

/// Whoever watches an ARM.
pub trait Observer: observe::Observer<Arm> {}

impl<O: observe::Observer<Arm>> Observer for O {}

/// An instruction, by its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Of 32 bits.
    Arm(u32),
    /// Of 16 bits.
    Thumb(u16),
}

impl Encoding {
    /// As a number.
    #[must_use]
    pub fn word(self) -> u32 {
        match self {
            Self::Arm(word) => word,
            Self::Thumb(half) => half.into(),
        }
    }

    /// Whether it writes the PC and takes the status register from the saved one (DDI 0100, A2.6):
    /// data processing with S, or a load multiple with `^`. No Thumb instruction does.
    #[must_use]
    pub fn may_return(self) -> bool {
        match self {
            Self::Arm(word) => {
                word & 0x0c10_f000 == 0x0010_f000 || word & 0x0e50_8000 == 0x0850_8000
            }
            Self::Thumb(_) => false,
        }
    }
}

impl Default for Encoding {
    fn default() -> Self {
        Self::Arm(0)
    }
}

/// Four or eight digits.
impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arm(word) => write!(f, "{word:08x}"),
            Self::Thumb(half) => write!(f, "{half:04x}"),
        }
    }
}

impl fmt::LowerHex for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::LowerHex::fmt(&self.word(), f)
    }
}

/// An exception that was taken.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Which.
    pub exception: Exception,
    /// The link register of its mode.
    pub return_address: u32,
    /// The program status register of what it has interrupted.
    pub saved: u32,
    /// The registers; r0 to r7 are still those of what it has interrupted.
    pub r: [u32; 16],
}

impl Memory for MemSys {
    fn platform(&self) -> &Platform {
        &self.platform
    }

    fn tally(&self) -> Tally {
        Self::tally(self)
    }
}

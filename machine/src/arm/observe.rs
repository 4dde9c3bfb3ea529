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
        "r14",
    ];
    const STATUS: &'static str = "cpsr";
}

/// Whoever watches an ARM.
pub trait Observer: observe::Observer<Arm> {}

impl<O: observe::Observer<Arm>> Observer for O {}

/// An instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Encoding {
    /// Its 32 bits, or 16 of a Thumb instruction.
    pub word: u32,
    /// Whether it is one of those.
    pub thumb: bool,
}

/// Four or eight digits.
impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = if self.thumb { 4 } else { 8 };
        write!(f, "{:0digits$x}", self.word)
    }
}

impl fmt::LowerHex for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::LowerHex::fmt(&self.word, f)
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
    #[inline]
    fn platform(&self) -> &Platform {
        &self.platform
    }

    fn tally(&self) -> Tally {
        Self::tally(self)
    }
}

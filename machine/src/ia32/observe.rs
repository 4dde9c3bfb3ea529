// SPDX-License-Identifier: Apache-2.0
//! What observers see of an IA-32 processor beside what they see of every processor
//! ([`crate::observe`]). Addresses are linear ones: segments are the processor's own affair.

use std::fmt;

use super::core::Cause;
use super::memsys::MemSys;
use crate::counters::Tally;
use crate::observe::{self, Memory, Observed};
use crate::platform::Platform;

/// The architecture.
#[derive(Debug)]
pub enum Ia32 {}

impl Ia32 {
    /// How many general registers there are.
    pub const GENERAL: usize = 8;
}

impl Observed for Ia32 {
    type Memory = MemSys;
    type Code = Encoding;
    type Entry = Entry;
    type Operation = Operation;
    const REGISTERS: &'static [&'static str] =
        &["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"];
    const STATUS: &'static str = "eflags";
}

/// Whoever watches an IA-32 processor.
pub trait Observer: observe::Observer<Ia32> {}

impl<O: observe::Observer<Ia32>> Observer for O {}

/// Most bytes of an instruction (SDM vol. 3, 18.12: a longer one is #GP).
pub const LONGEST_INSN: usize = 15;

/// The bytes of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Encoding {
    bytes: [u8; LONGEST_INSN],
    length: u8,
}

impl Encoding {
    /// The instruction of these bytes, if they are not too many.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let mut code = Self::default();
        code.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        code.length = bytes.len() as u8;
        Some(code)
    }

    /// Whether there is no room for another byte.
    #[must_use]
    pub fn is_full(&self) -> bool {
        usize::from(self.length) == LONGEST_INSN
    }

    /// Appends a byte.
    ///
    /// # Panics
    /// There is no room for it.
    pub fn push(&mut self, byte: u8) {
        self.bytes[usize::from(self.length)] = byte;
        self.length += 1;
    }

    /// The bytes, in the order of their addresses.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

/// Two digits a byte, in the order of their addresses.
impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bytes().iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

/// The same, as of one number.
impl fmt::LowerHex for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad_integral(true, "0x", &self.to_string())
    }
}

/// An exception or interrupt that was delivered.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Its vector.
    pub vector: u8,
    /// Its error code, if it is one with a code.
    pub code: Option<u16>,
    /// Why it was delivered.
    pub cause: Cause,
    /// The linear address to which the handler returns.
    pub return_address: u32,
    /// The level of what was interrupted.
    pub level: u8,
    /// The registers of what was interrupted; ESP is the handler's.
    pub r: [u32; Ia32::GENERAL],
}

/// A register of the system, or an operation by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Control register 0, 2, 3 or 4.
    Control(u8),
    /// INVLPG of this linear address.
    InvalidatePage(u32),
    /// INVD or WBINVD.
    FlushCaches,
    /// HLT.
    Halt,
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

#[cfg(test)]
mod tests {
    use super::Encoding;

    #[test]
    fn bytes_are_shown_in_their_order() {
        let mut code = Encoding::default();
        for byte in [0x0f, 0x01, 0xd8] {
            code.push(byte);
        }
        assert_eq!(
            (code.to_string(), format!("{code:#010x}")),
            ("0f01d8".into(), "0x000f01d8".into())
        );
    }
}

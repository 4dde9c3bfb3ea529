// SPDX-License-Identifier: Apache-2.0
//! Instructions as they stand in memory.

use std::fmt;

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

    /// Of the first `length` of these bytes.
    ///
    /// # Panics
    /// There are not so many.
    #[inline(always)]
    #[must_use]
    pub fn first_of(bytes: &[u8; LONGEST_INSN], length: u8) -> Self {
        assert!(usize::from(length) <= LONGEST_INSN);
        let mut word = [0; 16];
        word[..LONGEST_INSN].copy_from_slice(bytes);
        let kept = u128::from_le_bytes(word) & ((1 << (8 * u32::from(length))) - 1);
        let mut code = Self {
            bytes: [0; LONGEST_INSN],
            length,
        };
        code.bytes
            .copy_from_slice(&kept.to_le_bytes()[..LONGEST_INSN]);
        code
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

/// Padded with zeros as a number is.
impl fmt::LowerHex for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad_integral(true, "0x", &self.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::Encoding;

    #[test]
    fn bytes_of_others_are_cut_off() {
        let bytes = std::array::from_fn(|n| n as u8 + 1);
        for length in 0..=15 {
            let code = Encoding::first_of(&bytes, length);
            assert_eq!(Some(code), Encoding::new(&bytes[..usize::from(length)]));
        }
    }

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

// SPDX-License-Identifier: Apache-2.0
//! What FSTENV and FSAVE store, and FLDENV and FRSTOR load (SDM vol. 1, figures 8-9 to 8-12): words
//! of the operand's size, in protected mode with segments and offsets, in real mode with linear
//! addresses.

use super::control::Control;
use super::extended::Extended;
use super::{Fpu, Last};

/// Words of an environment.
pub const WORDS: usize = 7;
/// Words of two bytes that the registers have after it.
pub const STACK_WORDS: usize = 8 * REGISTER_WORDS;
const REGISTER_WORDS: usize = 5;

impl Fpu {
    /// The environment in words of `N` bytes; the reserved upper halves of 32-bit words are ones.
    #[must_use]
    pub fn environment<const N: u32>(&self, protected: bool) -> [u32; WORDS] {
        let Last {
            cs,
            ip,
            opcode,
            ds,
            dp,
        } = self.last;
        let [cs, ds, opcode] = [cs, ds, opcode].map(u32::from);
        let control = u32::from(self.control.word());
        let status = u32::from(self.status());
        let tags = u32::from(self.tags());
        const ONES: u32 = 0xffff_0000;
        if N == 2 {
            return if protected {
                [control, status, tags, ip, cs, dp, ds]
            } else {
                let (ip, dp) = (linear(cs, ip), linear(ds, dp));
                let above = |address: u32| address >> 4 & 0xf000;
                [control, status, tags, ip, above(ip) | opcode, dp, above(dp)]
            }
            .map(|word| word & 0xffff);
        }
        let [control, status, tags] = [control, status, tags].map(|word| ONES | word);
        if protected {
            [control, status, tags, ip, opcode << 16 | cs, dp, ONES | ds]
        } else {
            let (ip, dp) = (linear(cs, ip), linear(ds, dp));
            let above = |address: u32| address >> 4 & 0x0fff_f000;
            let below = |address: u32| ONES | address;
            [
                control,
                status,
                tags,
                below(ip),
                above(ip) | opcode,
                below(dp),
                above(dp),
            ]
        }
    }

    /// Loads an environment.
    pub fn set_environment<const N: u32>(&mut self, words: [u32; WORDS], protected: bool) {
        let [control, status, tags, ip, cs, dp, ds] = words;
        self.control = Control::new(control as u16);
        self.set_status(status as u16);
        self.set_tags(tags as u16);
        const OPCODE: u32 = 0x7ff;
        self.last = if protected {
            let opcode = if N == 2 { 0 } else { cs >> 16 & OPCODE };
            Last {
                cs: cs as u16,
                ip,
                opcode: opcode as u16,
                ds: ds as u16,
                dp,
            }
        } else {
            let above = if N == 2 { 0xf000 } else { 0x0fff_f000 };
            let address = |low: u32, high: u32| low & 0xffff | (high & above) << 4;
            Last {
                cs: 0,
                ip: address(ip, cs),
                opcode: (cs & OPCODE) as u16,
                ds: 0,
                dp: address(dp, ds),
            }
        };
    }

    /// ST(0) to ST(7) as they are, empty or not, in words of two bytes.
    #[must_use]
    pub fn stack(&self) -> [u32; STACK_WORDS] {
        let mut words = [0; STACK_WORDS];
        for (i, place) in (0..).zip(words.chunks_exact_mut(REGISTER_WORDS)) {
            let mut bits = self.contents(i).to_bits();
            for word in place {
                *word = bits as u32 & 0xffff;
                bits >>= 16;
            }
        }
        words
    }

    /// Loads them; which are empty stays.
    pub fn set_stack(&mut self, words: [u32; STACK_WORDS]) {
        for (i, place) in (0..).zip(words.chunks_exact(REGISTER_WORDS)) {
            let join = |bits, word: &u32| bits << 16 | u128::from(*word);
            let bits = place.iter().rev().fold(0, join);
            self.set_contents(i, Extended::from_bits(bits));
        }
    }
}

/// The address of an offset in a segment of real mode.
fn linear(segment: u32, offset: u32) -> u32 {
    (segment << 4).wrapping_add(offset)
}

// SPDX-License-Identifier: Apache-2.0
//! Descriptors that were found, and stacks that a transfer may go to.

use crate::ia32::isa::segment::{Descriptor, Segment};

/// A descriptor, and where it is.
#[derive(Debug, Clone, Copy)]
pub(in crate::ia32) struct Found {
    pub(in crate::ia32) descriptor: Descriptor,
    /// Its linear address.
    pub(super) at: u32,
}

/// A stack: the current one, or one that is about to be.
#[derive(Debug, Clone, Copy)]
pub(in crate::ia32) struct Stack {
    pub(super) segment: Segment,
    /// Its descriptor, if it is not the current one.
    pub(super) found: Option<Found>,
    pub(super) pointer: u32,
    /// Whether it is accessed with the rights of user mode.
    pub(super) user: bool,
}

impl Stack {
    pub(super) fn mask(&self) -> u32 {
        if self.segment.is_32bit() {
            u32::MAX
        } else {
            0xffff
        }
    }

    /// ESP, of which a 16-bit stack changes the lower half.
    pub(super) fn pointer_in(&self, esp: u32) -> u32 {
        esp & !self.mask() | self.pointer & self.mask()
    }
}

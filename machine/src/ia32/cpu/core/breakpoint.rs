// SPDX-License-Identifier: Apache-2.0
//! Breakpoints and single steps (SDM vol. 3, 15.2 and 15.3): DR0 to DR3 have addresses, DR7 says of what kind,
//! DR6 which was hit. One at an instruction is a fault before it, one at data a trap after the instruction that
//! accessed it; of repeated string instructions, after the element. After a load of SS all of them wait: traps
//! for the end of the next instruction, and its own breakpoint is passed over (5.8.3).

use crate::ia32::cpu::Observer;
use crate::ia32::isa::flags;
use crate::ia32::isa::segment::Access;

use super::{Core, Shadow};

/// The bits of DR7 that enable a breakpoint, here or everywhere: two each.
const ENABLED: u32 = 0xff;

/// What a breakpoint is for, in DR7 (that for ports needs CR4.DE, which is not there).
mod kind {
    pub const INSTRUCTION: u32 = 0;
    pub const WRITE: u32 = 1;
    pub const READ_OR_WRITE: u32 = 3;
}

impl<O: Observer> Core<O> {
    /// The breakpoints that `bytes` at `linear` touch, and whose kind is `right`: one bit each, as in
    /// DR6.
    #[cold]
    fn breakpoints(&self, linear: u32, bytes: u32, right: impl Fn(u32) -> bool) -> u32 {
        let control = self.dr[7];
        let touched = |n: &u32| {
            let enabled = control >> (2 * n) & 3 != 0;
            let kind = control >> (16 + 4 * n) & 3;
            // Of an instruction the length says nothing.
            let length = match control >> (18 + 4 * n) & 3 {
                _ if kind == kind::INSTRUCTION => 1,
                0 => 1,
                1 => 2,
                _ => 4,
            };
            let start = self.dr[*n as usize] & !(length - 1);
            let near = linear.wrapping_sub(start) < length || start.wrapping_sub(linear) < bytes;
            enabled && right(kind) && near
        };
        (0..4).filter(touched).fold(0, |hit, n| hit | 1 << n)
    }

    /// Whether there are any breakpoints.
    #[inline(always)]
    pub(in crate::ia32::cpu) fn has_breakpoints(&self) -> bool {
        self.dr[7] & ENABLED != 0
    }

    /// Whether the instruction at EIP has a breakpoint, which DR6 shows then. RF lets it run all the
    /// same, as a load of SS before it does; a repeated one that is under way has been stopped at.
    #[inline(always)]
    pub(in crate::ia32::cpu) fn breaks_here(&mut self) -> bool {
        let passes = self.eflags & flags::RF != 0 || self.suspended;
        if !self.has_breakpoints() || passes || self.shadow == Shadow::Everything {
            return false;
        }
        let hit = self.breakpoints(self.pc(), 1, |kind| kind == kind::INSTRUCTION);
        self.dr[6] |= hit;
        hit != 0
    }

    /// Takes the debug exception after an instruction that has hit breakpoints at data, or that began
    /// with TF set (`stepped`), if it was one of these.
    pub(in crate::ia32::cpu) fn trap_after(&mut self, stepped: bool) {
        const BS: u32 = 1 << 14;
        let why = std::mem::take(&mut self.watched) | if stepped { BS } else { 0 };
        if why != 0 {
            self.debug_trap(why);
        }
    }

    /// Notes an access to data, for a trap after the instruction.
    #[inline(always)]
    pub(super) fn watch(&mut self, linear: u32, bytes: u32, access: Access) {
        if !self.has_breakpoints() {
            return;
        }
        let writes = access == Access::Write;
        self.watched |= self.breakpoints(linear, bytes, |kind| {
            kind == kind::READ_OR_WRITE || writes && kind == kind::WRITE
        });
    }
}

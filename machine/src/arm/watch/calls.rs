// SPDX-License-Identifier: Apache-2.0
//! What calls are on an ARM (AAPCS, 5.3): a branch with the address of the next instruction in the link register,
//! whichever instructions have put it there.

use crate::arm::isa::Arm;
use crate::observe::Commit;
use crate::profile::calls::Calling;

const SP: usize = 13;
const LR: usize = 14;

impl Calling for Arm {
    fn returns_to(commit: &Commit<'_, Self>) -> Option<u64> {
        let following = commit
            .pc
            .wrapping_add(if commit.code.thumb { 2 } else { 4 });
        let linked = u64::from(commit.registers[LR] & !1) == following; // bit 0: Thumb
        (linked && commit.next_pc != following).then_some(following)
    }

    fn stack_pointer(registers: &[u32]) -> u64 {
        registers[SP].into()
    }
}

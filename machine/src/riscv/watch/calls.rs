// SPDX-License-Identifier: Apache-2.0
//! What calls are on a RISC-V (I, "Unconditional Jumps"): a jump with the address of the next instruction in
//! ra or t0.

use crate::observe::Commit;
use crate::profile::calls::Calling;
use crate::riscv::isa::register::{RA, SP, T0};
use crate::riscv::isa::Riscv;

impl Calling for Riscv {
    fn returns_to(commit: &Commit<'_, Self>) -> Option<u64> {
        let bytes = if commit.code.is_compressed() { 2 } else { 4 };
        let following = commit.pc.wrapping_add(bytes);
        let linked = [RA, T0]
            .iter()
            .any(|register| commit.registers[usize::from(*register)] == following);
        (commit.executed && linked && commit.next_pc != following).then_some(following)
    }

    fn stack_pointer(registers: &[u64]) -> u64 {
        registers[usize::from(SP)]
    }
}

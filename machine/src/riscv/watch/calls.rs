// SPDX-License-Identifier: Apache-2.0
//! What calls are on a RISC-V (I, "Unconditional Jumps"): JAL or JALR that leaves the address of the next
//! instruction in ra or t0. That one of them has that address is not enough: t0 is a temporary, and what
//! ends with a jump may stand before a function whose address is in it.

use crate::observe::Commit;
use crate::profile::calls::Calling;
use crate::riscv::isa::compressed;
use crate::riscv::isa::insn::Encoding;
use crate::riscv::isa::register::{RA, SP, T0};
use crate::riscv::isa::Riscv;

impl Calling for Riscv {
    fn returns_to(commit: &Commit<'_, Self>) -> Option<u64> {
        let bytes = if commit.code.is_compressed() { 2 } else { 4 };
        let following = commit.pc.wrapping_add(bytes);
        let called = commit.executed && links(commit.code) && commit.next_pc != following;
        called.then_some(following)
    }

    fn stack_pointer(registers: &[u64]) -> u64 {
        registers[usize::from(SP)]
    }
}

/// Whether it is a jump that leaves a return address.
fn links(code: Encoding) -> bool {
    let word = if code.is_compressed() {
        compressed::expand(code.0 as u16).unwrap_or(0)
    } else {
        code.0
    };
    let rd = (word >> 7 & 31) as u8;
    matches!(word & 0x7f, 0x67 | 0x6f) && (rd == RA || rd == T0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_that_links_is_a_call() {
        // jalr ra,-58(ra); jal ra,.; jal t0,.; c.jalr a5
        for code in [0xfc60_80e7, 0x0000_00ef, 0x0000_02ef, 0x9782] {
            assert!(links(Encoding(code)), "{code:x}");
        }
        // c.jr ra, which is RET; c.jr t0; jalr zero,0(t0); j .; c.j .; c.li a0,0; auipc ra,0; c.ebreak
        for code in [
            0x8082,
            0x8282,
            0x0002_8067,
            0x0000_006f,
            0xa001,
            0x4501,
            0x0000_0097,
            0x9002,
        ] {
            assert!(!links(Encoding(code)), "{code:x}");
        }
    }
}

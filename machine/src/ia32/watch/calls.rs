// SPDX-License-Identifier: Apache-2.0
//! What calls are on IA-32: the CALL instructions (SDM vol. 2), but for one to the instruction after
//! it, by which code finds out where it is.

use crate::ia32::isa::encoding::Encoding;
use crate::ia32::isa::insn::reg::ESP;
use crate::ia32::isa::Ia32;
use crate::observe::Commit;
use crate::profile::calls::Calling;

impl Calling for Ia32 {
    fn returns_to(commit: &Commit<'_, Self>) -> Option<u64> {
        let after = commit.pc.wrapping_add(commit.code.bytes().len() as u64);
        (is_call(commit.code) && commit.next_pc != after).then_some(after)
    }

    fn stack_pointer(registers: &[u32]) -> u64 {
        registers[ESP].into()
    }
}

fn is_call(code: Encoding) -> bool {
    let is_prefix = |byte: &u8| {
        matches!(
            byte,
            0x26 | 0x2e | 0x36 | 0x3e | 0x64..=0x67 | 0xf0 | 0xf2 | 0xf3
        )
    };
    let mut bytes = code.bytes().iter().skip_while(|byte| is_prefix(byte));
    match (bytes.next(), bytes.next()) {
        (Some(0xe8 | 0x9a), _) => true,
        (Some(0xff), Some(modrm)) => matches!(modrm >> 3 & 7, 2 | 3),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_from_jumps() {
        let calls = |bytes: &[u8]| is_call(Encoding::new(bytes).unwrap());
        assert!(calls(&[0xe8, 0, 1, 0, 0]));
        assert!(calls(&[0x2e, 0xff, 0xd0])); // call *%eax, with a hint
        assert!(calls(&[0xff, 0x15, 0, 0, 0, 0]));
        assert!(!calls(&[0xff, 0x25, 0, 0, 0, 0])); // jmp
        assert!(!calls(&[0xe9, 0, 1, 0, 0]));
        assert!(!calls(&[0xc3]));
        assert!(!calls(&[0x66]));
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Model-specific registers that system software looks at early (SDM vol. 3, appendix B, and 9.11 for
//! what they have to do with microcode).

use switchyard_machine::ia32::isa::insn::reg;

use super::rig::*;

const PLATFORM_ID: u32 = 0x17;
const BIOS_SIGN_ID: u32 = 0x8b;
const MISC_ENABLE: u32 = 0x1a0;

const RDMSR: &[u8] = &[0x0f, 0x32];
pub const WRMSR: &[u8] = &[0x0f, 0x30];
const CPUID: &[u8] = &[0x0f, 0xa2];

/// Fast strings are on; there are counters, no branch trace store and no event-based sampling.
const AFTER_RESET: u64 = 1 << 0 | 1 << 7 | 1 << 11 | 1 << 12;
/// Every instruction's opcode is kept.
const FOPCODE: u64 = 1 << 2;

pub fn read(rig: &mut Rig, msr: u32) -> u64 {
    rig.core.r[reg::ECX] = msr;
    rig.does(RDMSR);
    u64::from(rig.core.r[reg::EDX]) << 32 | u64::from(rig.core.r[reg::EAX])
}

fn prepare(rig: &mut Rig, msr: u32, value: u64) {
    rig.core.r[reg::ECX] = msr;
    rig.core.r[reg::EAX] = value as u32;
    rig.core.r[reg::EDX] = (value >> 32) as u32;
}

pub fn write(rig: &mut Rig, msr: u32, value: u64) {
    prepare(rig, msr, value);
    rig.does(WRMSR);
}

pub fn refuses(rig: &mut Rig, msr: u32, value: u64) {
    prepare(rig, msr, value);
    rig.faults(WRMSR, GP, Some(0));
}

/// Example 9-9: the register is cleared, CPUID would put a revision there.
#[test]
fn no_microcode_update_is_loaded() {
    let mut rig = Rig::new();
    for (before, revision) in [(0, 0), (7 << 32, 7)] {
        write(&mut rig, BIOS_SIGN_ID, before);
        rig.core.r[reg::EAX] = 1;
        rig.does(CPUID);
        assert_eq!(read(&mut rig, BIOS_SIGN_ID) >> 32, revision);
    }
}

#[test]
fn the_platform_is_read_only() {
    let mut rig = Rig::new();
    assert_eq!(read(&mut rig, PLATFORM_ID), 0);
    refuses(&mut rig, PLATFORM_ID, 0);
}

#[test]
fn only_what_is_there_can_be_enabled() {
    let mut rig = Rig::new();
    assert_eq!(read(&mut rig, MISC_ENABLE), AFTER_RESET);
    // As one who has read it writes it.
    write(&mut rig, MISC_ENABLE, AFTER_RESET | FOPCODE);
    assert_eq!(read(&mut rig, MISC_ENABLE), AFTER_RESET | FOPCODE);
    // What can only be read stays.
    write(&mut rig, MISC_ENABLE, 0);
    assert_eq!(read(&mut rig, MISC_ENABLE), AFTER_RESET & !1);
    let known = AFTER_RESET | FOPCODE;
    for bit in (0..64).map(|n| 1 << n).filter(|bit| known & bit == 0) {
        refuses(&mut rig, MISC_ENABLE, AFTER_RESET | bit);
        assert_eq!(read(&mut rig, MISC_ENABLE), AFTER_RESET & !1);
    }
}

/// SDM vol. 1, 8.1.9.1.
#[test]
fn opcodes_are_kept_where_it_says_so() {
    const FLDZ: &[u8] = &[0xd9, 0xee];
    for (value, opcode) in [(AFTER_RESET, 0), (AFTER_RESET | FOPCODE, 0x1ee)] {
        let mut rig = Rig::new();
        write(&mut rig, MISC_ENABLE, value);
        rig.does(&[0xdb, 0xe3]); // fninit
        rig.does(FLDZ);
        rig.core.r[reg::EBX] = DATA;
        rig.does(&[0xd9, 0x33]); // fnstenv [ebx]
        assert_eq!(rig.get32(DATA + 16) >> 16, opcode);
    }
}

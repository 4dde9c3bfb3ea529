// SPDX-License-Identifier: Apache-2.0
//! EFLAGS (IA-32 SDM vol. 1, 3.4.3) and the conditions that instructions test (vol. 1, appendix B).

/// Carry.
pub const CF: u32 = 1 << 0;
/// Always 1.
pub const FIXED: u32 = 1 << 1;
/// Parity of the low byte: set if it has an even number of ones.
pub const PF: u32 = 1 << 2;
/// Carry out of bit 3.
pub const AF: u32 = 1 << 4;
/// Zero.
pub const ZF: u32 = 1 << 6;
/// Sign.
pub const SF: u32 = 1 << 7;
/// Single step.
pub const TF: u32 = 1 << 8;
/// Interrupts are enabled.
pub const IF: u32 = 1 << 9;
/// String instructions go down.
pub const DF: u32 = 1 << 10;
/// Overflow.
pub const OF: u32 = 1 << 11;
/// The privilege level that may use ports and change IF.
pub const IOPL: u32 = 3 << 12;
/// Nested task.
pub const NT: u32 = 1 << 14;
/// Resume: the next instruction has no instruction breakpoint.
pub const RF: u32 = 1 << 16;
/// Virtual-8086 mode, which the model does not have: never set.
pub const VM: u32 = 1 << 17;
/// Alignment check.
pub const AC: u32 = 1 << 18;
/// Can be changed where CPUID is there.
pub const ID: u32 = 1 << 21;

/// The flags that tell of a result.
pub const STATUS: u32 = CF | PF | AF | ZF | SF | OF;
/// Every flag that the processor can have set; VIF and VIP belong to virtual-8086 mode.
pub const IMPLEMENTED: u32 = STATUS | FIXED | TF | IF | DF | IOPL | NT | RF | AC | ID;

/// The PF of every byte.
const PARITY: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        if (byte as u8).count_ones() % 2 == 0 {
            table[byte] = PF as u8;
        }
        byte += 1;
    }
    table
};

/// PF of a result.
#[inline(always)]
#[must_use]
pub fn parity(result: u32) -> u32 {
    u32::from(PARITY[(result & 0xff) as usize])
}

/// Whether the condition that the low four bits of a conditional instruction's opcode name holds.
#[inline(always)]
#[must_use]
pub fn holds(condition: u8, eflags: u32) -> bool {
    let set = |flags: u32| eflags & flags != 0;
    let less = set(SF) != set(OF);
    let holds = match condition >> 1 & 7 {
        0 => set(OF),
        1 => set(CF),
        2 => set(ZF),
        3 => set(CF | ZF),
        4 => set(SF),
        5 => set(PF),
        6 => less,
        _ => less || set(ZF),
    };
    holds != (condition & 1 != 0)
}

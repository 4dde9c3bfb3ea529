// SPDX-License-Identifier: Apache-2.0
//! The decoder of ARM instructions: which kind each encoding is in each version of the architecture, and
//! which registers it reads (DDI 0100, A3). `thumb.rs` decodes Thumb instructions into these. No
//! coprocessor but 15 is there.

use super::architecture::Architecture;
use super::insn::{Insn, Op};
use super::kind::{self, shape, Kind, DATA_KINDS};

impl Op {
    /// Decodes the ARM instruction `word`.
    #[inline]
    #[must_use]
    pub fn decode(word: u32, architecture: Architecture) -> Self {
        match architecture {
            Architecture::V4 => Self::new(Insn(word), kind_v4(Insn(word))),
            Architecture::V4T => Self::new(Insn(word), kind_v4t(Insn(word))),
            Architecture::V5Te => {
                let (insn, kind) = kind_v5(Insn(word));
                Self::new(insn, kind)
            }
        }
    }

    /// The instruction `insn` of this kind.
    #[inline]
    #[must_use]
    pub fn new(insn: Insn, kind: Kind) -> Self {
        Self {
            insn,
            kind,
            cond: insn.cond() as u8,
            sources: sources(insn, kind),
        }
    }
}

/// The kind of an encoding of architecture version 4 (DDI 0100, figure A3-1).
fn kind_v4(insn: Insn) -> Kind {
    match (insn.0 >> 25) & 7 {
        0b000 if insn.bit(4) && insn.bit(7) => extension_kind(insn),
        0b000 => {
            let shape = if insn.bit(4) {
                shape::SHIFTED_BY_REGISTER
            } else if insn.0 & 0xff0 == 0 {
                shape::REGISTER
            } else {
                shape::SHIFTED
            };
            data_kind(insn, shape)
        }
        0b001 => data_kind(insn, shape::CONSTANT),
        0b010 => single_kind(insn),
        0b011 if insn.bit(4) => kind::UNDEFINED,
        0b011 => single_kind(insn),
        0b100 if insn.bit(20) => kind::LOAD_MULTIPLE,
        0b100 => kind::STORE_MULTIPLE,
        0b101 if insn.bit(24) => kind::BRANCH_LINK,
        0b101 => kind::BRANCH,
        0b111 if insn.bit(24) => kind::SWI,
        0b111 if insn.bit(4) => kind::COPROCESSOR_TRANSFER,
        // LDC, STC and CDP: no coprocessor has them.
        _ => kind::UNDEFINED,
    }
}

/// The kind of an encoding of architecture version 4T: version 4 and BX.
fn kind_v4t(insn: Insn) -> Kind {
    if insn.0 & 0x0ff0_00f0 == 0x0120_0010 {
        kind::BRANCH_EXCHANGE
    } else {
        kind_v4(insn)
    }
}

/// The kind of an encoding of architecture version 5TE, and the instruction as that handler
/// reads it: an unconditional one gets the condition "always".
#[must_use]
pub fn kind_v5(insn: Insn) -> (Insn, Kind) {
    if insn.cond() == 15 {
        let always = Insn(insn.0 & 0x0fff_ffff | 0xe000_0000);
        return (always, unconditional_kind(insn));
    }
    let kind = match (insn.0 >> 25) & 7 {
        0b000 if insn.0 & 0x0190_0000 == 0x0100_0000 && insn.0 & 0x90 != 0x90 => {
            control_extension_kind(insn)
        }
        0b000 if insn.0 & 0x0010_00d0 == 0xd0 => {
            // An odd register is undefined (DDI 0100, A4.1.26 and A4.1.102).
            match (insn.rd() & 1, insn.bit(5)) {
                (1, _) => kind::UNDEFINED,
                (_, false) => kind::LOAD_DOUBLE,
                (_, true) => kind::STORE_DOUBLE,
            }
        }
        _ => kind_v4(insn),
    };
    (insn, kind)
}

/// What has 0b1111 where others have the condition (DDI 0100, A3.16.7): BLX and PLD; the second
/// forms of the coprocessor instructions are undefined as no coprocessor has them.
fn unconditional_kind(insn: Insn) -> Kind {
    if insn.0 & 0x0e00_0000 == 0x0a00_0000 {
        kind::BRANCH_LINK_EXCHANGE_OFFSET
    } else if insn.0 & 0x0d70_f000 == 0x0550_f000 && insn.0 & 0x0200_0010 != 0x0200_0010 {
        kind::PRELOAD
    } else {
        kind::UNDEFINED
    }
}

/// The control and DSP instruction extension space (DDI 0100, A3.16.4).
fn control_extension_kind(insn: Insn) -> Kind {
    let op = (insn.0 >> 21) & 3;
    match (insn.0 >> 4) & 15 {
        // BXJ, without Jazelle execution, is BX.
        1 | 2 if op == 1 => kind::BRANCH_EXCHANGE,
        1 if op == 3 => kind::COUNT_LEADING_ZEROS,
        3 if op == 1 => kind::BRANCH_LINK_EXCHANGE,
        5 => kind::SATURATING_ADD,
        7 if op == 1 => kind::BREAKPOINT,
        8 | 10 | 12 | 14 => kind::MULTIPLY_HALVES,
        0 => kind_v4(insn),
        _ => kind::UNDEFINED,
    }
}

/// Data processing, or the status register transfers that stand where TST, TEQ, CMP and CMN
/// without S would.
fn data_kind(insn: Insn, shape: u8) -> Kind {
    let opcode = ((insn.0 >> 21) & 15) as u8;
    if (8..12).contains(&opcode) && !insn.bit(20) {
        return match (insn.0 >> 20) & 0xff {
            0x10 | 0x14 if insn.0 & 0xfff == 0 => kind::MRS,
            0x12 | 0x16 if insn.0 & 0xff0 == 0 => kind::MSR,
            0x32 | 0x36 => kind::MSR,
            _ => kind::UNDEFINED,
        };
    }
    Kind(opcode * 8 + u8::from(insn.bit(20)) * 4 + shape)
}

/// Multiplies, swaps, halfword and signed transfers: bits 7 and 4 set (DDI 0100, A3.16.1,
/// A3.16.3).
fn extension_kind(insn: Insn) -> Kind {
    match (insn.0 >> 5) & 3 {
        0 => match (insn.0 >> 20) & 31 {
            0..=3 => kind::MULTIPLY,
            8..=15 => kind::MULTIPLY_LONG,
            16 | 20 => kind::SWAP,
            _ => kind::UNDEFINED,
        },
        1 if insn.bit(20) => kind::LOAD_HALF,
        1 => kind::STORE_HALF,
        2 if insn.bit(20) => kind::LOAD_SIGNED_BYTE,
        3 if insn.bit(20) => kind::LOAD_SIGNED_HALF,
        // LDRD and STRD came with ARMv5TE.
        _ => kind::UNDEFINED,
    }
}

fn single_kind(insn: Insn) -> Kind {
    let offset_only = insn.0 & 0x03a0_0000 == 0x0180_0000;
    match (insn.bit(20), insn.bit(22), offset_only) {
        (true, false, true) => kind::LOAD_WORD_OFFSET,
        (true, true, true) => kind::LOAD_BYTE_OFFSET,
        (false, false, true) => kind::STORE_WORD_OFFSET,
        (false, true, true) => kind::STORE_BYTE_OFFSET,
        (true, false, false) => kind::LOAD_WORD,
        (true, true, false) => kind::LOAD_BYTE,
        (false, false, false) => kind::STORE_WORD,
        (false, true, false) => kind::STORE_BYTE,
    }
}

/// The registers that an instruction reads, one bit each.
fn sources(insn: Insn, kind: Kind) -> u16 {
    let (rn, rd, rs, rm) = (
        1u16 << insn.rn(),
        1u16 << insn.rd(),
        1u16 << insn.rs(),
        1u16 << insn.rm(),
    );
    match kind {
        Kind(number) if number < DATA_KINDS => {
            let opcode = number / 8;
            // MOV and MVN have no first operand.
            let first = if opcode == 13 || opcode == 15 { 0 } else { rn };
            first
                | match number % 4 {
                    shape::CONSTANT => 0,
                    shape::SHIFTED_BY_REGISTER => rm | rs,
                    _ => rm,
                }
        }
        kind::MSR if !insn.bit(25) => rm,
        kind::MULTIPLY => rm | rs | if insn.bit(21) { rd } else { 0 },
        // An accumulating long multiply reads both halves.
        kind::MULTIPLY_LONG => rm | rs | if insn.bit(21) { rd | rn } else { 0 },
        kind::SWAP => rn | rm,
        kind::LOAD_HALF | kind::LOAD_SIGNED_BYTE | kind::LOAD_SIGNED_HALF => {
            rn | if insn.bit(22) { 0 } else { rm }
        }
        kind::STORE_HALF => rn | rd | if insn.bit(22) { 0 } else { rm },
        kind::LOAD_WORD | kind::LOAD_BYTE => rn | if insn.bit(25) { rm } else { 0 },
        kind::STORE_WORD | kind::STORE_BYTE => rn | rd | if insn.bit(25) { rm } else { 0 },
        kind::LOAD_WORD_OFFSET | kind::LOAD_BYTE_OFFSET | kind::LOAD_MULTIPLE => rn,
        kind::STORE_WORD_OFFSET | kind::STORE_BYTE_OFFSET => rn | rd,
        kind::STORE_MULTIPLE => rn | insn.register_list(),
        kind::COPROCESSOR_TRANSFER if !insn.bit(20) => rd,
        kind::BRANCH_EXCHANGE | kind::BRANCH_LINK_EXCHANGE | kind::COUNT_LEADING_ZEROS => rm,
        kind::SATURATING_ADD => rm | rn,
        kind::MULTIPLY_HALVES => rm | rs | insn.accumulators(),
        kind::LOAD_DOUBLE => rn | if insn.bit(22) { 0 } else { rm },
        kind::STORE_DOUBLE => rn | rd | (rd << 1) | if insn.bit(22) { 0 } else { rm },
        kind::THUMB_LINK_LOW | kind::THUMB_LINK_EXCHANGE => 1 << 14,
        _ => 0,
    }
}

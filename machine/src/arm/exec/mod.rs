// SPDX-License-Identifier: Apache-2.0
//! What each instruction does: one small function each, grouped as the chapters of the ARM
//! Architecture Reference Manual (DDI 0100, A3 and A4). This file decodes: it gives each encoding
//! the number of its handler ([`kind`] for architecture version 4, [`kind_v5`] for 5TE) and says
//! which registers it reads ([`sources`]). `../thumb.rs` decodes Thumb instructions into these.
//!
//! No coprocessor but 15 is there.

mod branch;
mod coprocessor;
mod data;
mod double;
mod dsp;
mod multiple;
mod multiply;
mod single;
mod status;

use crate::arm::observe::Observer;

use super::core::Core;
use super::insn::Insn;
use super::memsys::Abort;

/// Executes one instruction whose condition held. `Err` is a data abort; every other exception
/// is taken by the handler itself.
pub type Handler<O> = fn(&mut Core<O>, Insn) -> Result<(), Abort>;

/// The number of a handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind(pub u8);

impl Default for Kind {
    fn default() -> Self {
        kinds::UNDEFINED
    }
}

/// Shapes of a data-processing operand (DDI 0100, A5.1); part of the handler's number.
mod shape {
    /// An 8-bit constant, rotated.
    pub const CONSTANT: u8 = 0;
    /// A register as it is.
    pub const REGISTER: u8 = 1;
    /// A register shifted by a constant.
    pub const SHIFTED: u8 = 2;
    /// A register shifted by a register.
    pub const SHIFTED_BY_REGISTER: u8 = 3;
}

/// The instructions that are no data processing, each with its handler: a number for each in `kinds`,
/// and the table of handlers.
macro_rules! instructions {
    ($($(#[$about:meta])* $name:ident = $handler:expr;)+) => {
        /// Handler numbers. Below `DATA_KINDS`: data processing, `opcode * 8 + S * 4 + shape`.
        pub(super) mod kinds {
            use super::{Kind, DATA_KINDS};

            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            enum Place {
                $($name,)+
            }

            $($(#[$about])* pub const $name: Kind = Kind(DATA_KINDS + Place::$name as u8);)+
        }

        /// The handler of every number.
        #[must_use]
        pub const fn handlers<O: Observer>() -> [Handler<O>; 256] {
            let mut table = data_handlers::<O>();
            $(table[kinds::$name.0 as usize] = $handler;)+
            table
        }
    };
}

instructions! {
    UNDEFINED = undefined::<O>;
    BRANCH = branch::branch::<O, false>;
    BRANCH_LINK = branch::branch::<O, true>;
    SWI = branch::swi::<O>;
    MRS = status::mrs::<O>;
    MSR = status::msr::<O>;
    MULTIPLY = multiply::multiply::<O>;
    MULTIPLY_LONG = multiply::multiply_long::<O>;
    SWAP = single::swap::<O>;
    LOAD_HALF = single::load_half::<O, { single::UNSIGNED_HALF }>;
    LOAD_SIGNED_BYTE = single::load_half::<O, { single::SIGNED_BYTE }>;
    LOAD_SIGNED_HALF = single::load_half::<O, { single::SIGNED_HALF }>;
    STORE_HALF = single::store_half::<O>;
    LOAD_WORD = single::load::<O, false>;
    LOAD_BYTE = single::load::<O, true>;
    STORE_WORD = single::store::<O, false>;
    STORE_BYTE = single::store::<O, true>;
    /// The same with P=1, U=1, W=0 and an immediate offset: the form that compilers emit most.
    LOAD_WORD_OFFSET = single::load_offset::<O, false>;
    LOAD_BYTE_OFFSET = single::load_offset::<O, true>;
    STORE_WORD_OFFSET = single::store_offset::<O, false>;
    STORE_BYTE_OFFSET = single::store_offset::<O, true>;
    LOAD_MULTIPLE = multiple::load_multiple::<O>;
    STORE_MULTIPLE = multiple::store_multiple::<O>;
    COPROCESSOR_TRANSFER = coprocessor::transfer::<O>;
    // Architecture version 5TE.
    BRANCH_EXCHANGE = branch::exchange::<O, false>;
    BRANCH_LINK_EXCHANGE = branch::exchange::<O, true>;
    BRANCH_LINK_EXCHANGE_OFFSET = branch::link_exchange_offset::<O>;
    BREAKPOINT = branch::breakpoint::<O>;
    COUNT_LEADING_ZEROS = dsp::count_leading_zeros::<O>;
    SATURATING_ADD = dsp::saturating_add::<O>;
    MULTIPLY_HALVES = dsp::multiply_halves::<O>;
    LOAD_DOUBLE = double::load::<O>;
    STORE_DOUBLE = double::store::<O>;
    PRELOAD = preload::<O>;
    // Thumb instructions that no ARM instruction equals.
    THUMB_BRANCH = branch::thumb_branch::<O>;
    THUMB_LINK_HIGH = branch::thumb_link_high::<O>;
    THUMB_LINK_LOW = branch::thumb_link_low::<O, false>;
    THUMB_LINK_EXCHANGE = branch::thumb_link_low::<O, true>;
    THUMB_LOAD_PC_RELATIVE = single::thumb_load_pc_relative::<O>;
    THUMB_ADDRESS = data::thumb_address::<O>;
}

/// How many numbers data processing has.
const DATA_KINDS: u8 = 128;

/// Those of data processing; all others are undefined.
const fn data_handlers<O: Observer>() -> [Handler<O>; 256] {
    let mut table: [Handler<O>; 256] = [undefined::<O>; 256];
    macro_rules! data_processing {
        ($($opcode:literal)*) => {$(
            table[$opcode * 8] = data::process::<O, $opcode, false, { shape::CONSTANT }>;
            table[$opcode * 8 + 1] = data::process::<O, $opcode, false, { shape::REGISTER }>;
            table[$opcode * 8 + 2] = data::process::<O, $opcode, false, { shape::SHIFTED }>;
            table[$opcode * 8 + 3] =
                data::process::<O, $opcode, false, { shape::SHIFTED_BY_REGISTER }>;
            table[$opcode * 8 + 4] = data::process::<O, $opcode, true, { shape::CONSTANT }>;
            table[$opcode * 8 + 5] = data::process::<O, $opcode, true, { shape::REGISTER }>;
            table[$opcode * 8 + 6] = data::process::<O, $opcode, true, { shape::SHIFTED }>;
            table[$opcode * 8 + 7] =
                data::process::<O, $opcode, true, { shape::SHIFTED_BY_REGISTER }>;
        )*};
    }
    data_processing!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    table
}

/// The undefined instruction exception (DDI 0100, A2.6.3).
fn undefined<O: Observer>(core: &mut Core<O>, _: Insn) -> Result<(), Abort> {
    core.undefined();
    Ok(())
}

/// PLD: a hint. The ARM926EJ-S takes it for nothing (assumed; its manual describes no preload).
#[allow(clippy::unnecessary_wraps)]
fn preload<O: Observer>(_: &mut Core<O>, _: Insn) -> Result<(), Abort> {
    Ok(())
}

/// The handler of an encoding of architecture version 4 (DDI 0100, figure A3-1).
#[must_use]
pub fn kind(insn: Insn) -> Kind {
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
        0b011 if insn.bit(4) => kinds::UNDEFINED,
        0b011 => single_kind(insn),
        0b100 if insn.bit(20) => kinds::LOAD_MULTIPLE,
        0b100 => kinds::STORE_MULTIPLE,
        0b101 if insn.bit(24) => kinds::BRANCH_LINK,
        0b101 => kinds::BRANCH,
        0b111 if insn.bit(24) => kinds::SWI,
        0b111 if insn.bit(4) => kinds::COPROCESSOR_TRANSFER,
        // LDC, STC and CDP: no coprocessor has them.
        _ => kinds::UNDEFINED,
    }
}

/// The handler of an encoding of architecture version 4T: version 4 and BX.
#[must_use]
pub fn kind_v4t(insn: Insn) -> Kind {
    if insn.0 & 0x0ff0_00f0 == 0x0120_0010 {
        kinds::BRANCH_EXCHANGE
    } else {
        kind(insn)
    }
}

/// The handler of an encoding of architecture version 5TE, and the instruction as that handler
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
                (1, _) => kinds::UNDEFINED,
                (_, false) => kinds::LOAD_DOUBLE,
                (_, true) => kinds::STORE_DOUBLE,
            }
        }
        _ => kind(insn),
    };
    (insn, kind)
}

/// What has 0b1111 where others have the condition (DDI 0100, A3.16.7): BLX and PLD; the second
/// forms of the coprocessor instructions are undefined as no coprocessor has them.
fn unconditional_kind(insn: Insn) -> Kind {
    if insn.0 & 0x0e00_0000 == 0x0a00_0000 {
        kinds::BRANCH_LINK_EXCHANGE_OFFSET
    } else if insn.0 & 0x0d70_f000 == 0x0550_f000 && insn.0 & 0x0200_0010 != 0x0200_0010 {
        kinds::PRELOAD
    } else {
        kinds::UNDEFINED
    }
}

/// The control and DSP instruction extension space (DDI 0100, A3.16.4).
fn control_extension_kind(insn: Insn) -> Kind {
    let op = (insn.0 >> 21) & 3;
    match (insn.0 >> 4) & 15 {
        // BXJ, without Jazelle execution, is BX.
        1 | 2 if op == 1 => kinds::BRANCH_EXCHANGE,
        1 if op == 3 => kinds::COUNT_LEADING_ZEROS,
        3 if op == 1 => kinds::BRANCH_LINK_EXCHANGE,
        5 => kinds::SATURATING_ADD,
        7 if op == 1 => kinds::BREAKPOINT,
        8 | 10 | 12 | 14 => kinds::MULTIPLY_HALVES,
        0 => kind(insn),
        _ => kinds::UNDEFINED,
    }
}

/// Data processing, or the status register transfers that stand where TST, TEQ, CMP and CMN
/// without S would.
fn data_kind(insn: Insn, shape: u8) -> Kind {
    let opcode = ((insn.0 >> 21) & 15) as u8;
    if (8..12).contains(&opcode) && !insn.bit(20) {
        return match (insn.0 >> 20) & 0xff {
            0x10 | 0x14 if insn.0 & 0xfff == 0 => kinds::MRS,
            0x12 | 0x16 if insn.0 & 0xff0 == 0 => kinds::MSR,
            0x32 | 0x36 => kinds::MSR,
            _ => kinds::UNDEFINED,
        };
    }
    Kind(opcode * 8 + u8::from(insn.bit(20)) * 4 + shape)
}

/// Multiplies, swaps, halfword and signed transfers: bits 7 and 4 set (DDI 0100, A3.16.1,
/// A3.16.3).
fn extension_kind(insn: Insn) -> Kind {
    match (insn.0 >> 5) & 3 {
        0 => match (insn.0 >> 20) & 31 {
            0..=3 => kinds::MULTIPLY,
            8..=15 => kinds::MULTIPLY_LONG,
            16 | 20 => kinds::SWAP,
            _ => kinds::UNDEFINED,
        },
        1 if insn.bit(20) => kinds::LOAD_HALF,
        1 => kinds::STORE_HALF,
        2 if insn.bit(20) => kinds::LOAD_SIGNED_BYTE,
        3 if insn.bit(20) => kinds::LOAD_SIGNED_HALF,
        // LDRD and STRD came with ARMv5TE.
        _ => kinds::UNDEFINED,
    }
}

fn single_kind(insn: Insn) -> Kind {
    let offset_only = insn.0 & 0x03a0_0000 == 0x0180_0000;
    match (insn.bit(20), insn.bit(22), offset_only) {
        (true, false, true) => kinds::LOAD_WORD_OFFSET,
        (true, true, true) => kinds::LOAD_BYTE_OFFSET,
        (false, false, true) => kinds::STORE_WORD_OFFSET,
        (false, true, true) => kinds::STORE_BYTE_OFFSET,
        (true, false, false) => kinds::LOAD_WORD,
        (true, true, false) => kinds::LOAD_BYTE,
        (false, false, false) => kinds::STORE_WORD,
        (false, true, false) => kinds::STORE_BYTE,
    }
}

/// The registers that an instruction reads, one bit each.
#[must_use]
pub fn sources(insn: Insn, kind: Kind) -> u16 {
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
        kinds::MSR if !insn.bit(25) => rm,
        kinds::MULTIPLY => rm | rs | if insn.bit(21) { rd } else { 0 },
        // An accumulating long multiply reads both halves.
        kinds::MULTIPLY_LONG => rm | rs | if insn.bit(21) { rd | rn } else { 0 },
        kinds::SWAP => rn | rm,
        kinds::LOAD_HALF | kinds::LOAD_SIGNED_BYTE | kinds::LOAD_SIGNED_HALF => {
            rn | if insn.bit(22) { 0 } else { rm }
        }
        kinds::STORE_HALF => rn | rd | if insn.bit(22) { 0 } else { rm },
        kinds::LOAD_WORD | kinds::LOAD_BYTE => rn | if insn.bit(25) { rm } else { 0 },
        kinds::STORE_WORD | kinds::STORE_BYTE => rn | rd | if insn.bit(25) { rm } else { 0 },
        kinds::LOAD_WORD_OFFSET | kinds::LOAD_BYTE_OFFSET | kinds::LOAD_MULTIPLE => rn,
        kinds::STORE_WORD_OFFSET | kinds::STORE_BYTE_OFFSET => rn | rd,
        kinds::STORE_MULTIPLE => rn | insn.register_list(),
        kinds::COPROCESSOR_TRANSFER if !insn.bit(20) => rd,
        kinds::BRANCH_EXCHANGE | kinds::BRANCH_LINK_EXCHANGE | kinds::COUNT_LEADING_ZEROS => rm,
        kinds::SATURATING_ADD => rm | rn,
        kinds::MULTIPLY_HALVES => rm | rs | dsp::accumulator(insn),
        kinds::LOAD_DOUBLE => rn | if insn.bit(22) { 0 } else { rm },
        kinds::STORE_DOUBLE => rn | rd | (rd << 1) | if insn.bit(22) { 0 } else { rm },
        kinds::THUMB_LINK_LOW | kinds::THUMB_LINK_EXCHANGE => 1 << 14,
        _ => 0,
    }
}

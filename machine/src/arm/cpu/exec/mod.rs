// SPDX-License-Identifier: Apache-2.0
//! What each instruction does: one small function each, grouped as the chapters of the ARM
//! Architecture Reference Manual (DDI 0100, A3 and A4), and the table that gives each kind of
//! instruction ([`kind`]) its function.

mod branch;
mod coprocessor;
mod data;
mod double;
mod dsp;
mod multiple;
mod multiply;
mod single;
mod status;

pub use self::multiple::block_of;

use crate::arm::cpu::core::Core;
use crate::arm::cpu::Observer;
use crate::arm::isa::insn::Insn;
use crate::arm::isa::kind::{self, shape};
use crate::arm::memory::memsys::Abort;

/// Executes one instruction whose condition held. `Err` is a data abort; every other exception
/// is taken by the handler itself.
pub type Handler<O> = fn(&mut Core<O>, Insn) -> Result<(), Abort>;

/// The instructions that are no data processing, each with its handler: the table of handlers.
macro_rules! instructions {
    ($($name:ident = $handler:expr;)+) => {
        /// The handler of every kind.
        #[must_use]
        pub const fn handlers<O: Observer>() -> [Handler<O>; 256] {
            let mut table = data_handlers::<O>();
            $(table[kind::$name.0 as usize] = $handler;)+
            table
        }

        // Each kind has one.
        const _: () = assert!([$(kind::$name),+].len() == kind::OTHERS.len());
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
    LOAD_WORD_OFFSET = single::load_offset::<O, false>;
    LOAD_BYTE_OFFSET = single::load_offset::<O, true>;
    STORE_WORD_OFFSET = single::store_offset::<O, false>;
    STORE_BYTE_OFFSET = single::store_offset::<O, true>;
    LOAD_MULTIPLE = multiple::load_multiple::<O>;
    STORE_MULTIPLE = multiple::store_multiple::<O>;
    COPROCESSOR_TRANSFER = coprocessor::transfer::<O>;
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
    THUMB_BRANCH = branch::thumb_branch::<O>;
    THUMB_LINK_HIGH = branch::thumb_link_high::<O>;
    THUMB_LINK_LOW = branch::thumb_link_low::<O, false>;
    THUMB_LINK_EXCHANGE = branch::thumb_link_low::<O, true>;
    THUMB_LOAD_PC_RELATIVE = single::thumb_load_pc_relative::<O>;
    THUMB_ADDRESS = data::thumb_address::<O>;
}

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

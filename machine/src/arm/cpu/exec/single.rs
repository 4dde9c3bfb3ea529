// SPDX-License-Identifier: Apache-2.0
//! Loads and stores of one word, halfword or byte, and swaps (DDI 0100, A3.11, A3.13, A5.2, A5.3).
//!
//! The base register is written only when the access has succeeded: the SA-1110 restores the base
//! when a data abort is taken (DM §3.3), and so does the ARM926EJ-S (TRM §3.5).

use crate::arm::cpu::core::Core;
use crate::arm::cpu::Observer;
use crate::arm::isa::insn::Insn;
use crate::arm::isa::psr;
use crate::arm::memory::memsys::Abort;
use crate::dev::Width;
use crate::event::Cycle;

use super::data;

/// LDRH.
pub const UNSIGNED_HALF: u8 = 0;
/// LDRSB.
pub const SIGNED_BYTE: u8 = 1;
/// LDRSH.
pub const SIGNED_HALF: u8 = 2;

/// LDR and LDRB with a constant offset upwards and no writeback.
pub fn load_offset<O: Observer, const BYTE: bool>(
    core: &mut Core<O>,
    insn: Insn,
) -> Result<(), Abort> {
    let address = constant_offset(core, insn);
    let value = core.load(address, width::<BYTE>())?;
    loaded::<O, BYTE>(core, insn.rd(), address, value);
    Ok(())
}

/// STR and STRB with a constant offset upwards and no writeback.
pub fn store_offset<O: Observer, const BYTE: bool>(
    core: &mut Core<O>,
    insn: Insn,
) -> Result<(), Abort> {
    let address = constant_offset(core, insn);
    core.store(address, width::<BYTE>(), core.r[insn.rd()])
}

/// LDR, LDRB, LDRT and LDRBT in every addressing mode.
pub fn load<O: Observer, const BYTE: bool>(core: &mut Core<O>, insn: Insn) -> Result<(), Abort> {
    charge_offset(core, insn);
    let (address, base) = addresses(core, insn, single_offset(core, insn));
    let value = if as_user(insn) {
        core.load_as(address, width::<BYTE>(), false)?
    } else {
        core.load(address, width::<BYTE>())?
    };
    // The loaded value wins if the base is also the destination, so the base goes first.
    write_back(core, insn, base);
    loaded::<O, BYTE>(core, insn.rd(), address, value);
    Ok(())
}

/// STR, STRB, STRT and STRBT in every addressing mode.
pub fn store<O: Observer, const BYTE: bool>(core: &mut Core<O>, insn: Insn) -> Result<(), Abort> {
    charge_offset(core, insn);
    let (address, base) = addresses(core, insn, single_offset(core, insn));
    let value = core.r[insn.rd()];
    if as_user(insn) {
        core.store_as(address, width::<BYTE>(), value, false)?;
    } else {
        core.store(address, width::<BYTE>(), value)?;
    }
    write_back(core, insn, base);
    Ok(())
}

/// LDR relative to the PC, in Thumb state: that is aligned down to a word (A7.1.29).
pub fn thumb_load_pc_relative<O: Observer>(core: &mut Core<O>, insn: Insn) -> Result<(), Abort> {
    let address = (core.r[15] & !3).wrapping_add(insn.0 & 0xfff);
    let value = core.load(address, Width::Word)?;
    loaded::<O, false>(core, insn.rd(), address, value);
    Ok(())
}

/// LDRH, LDRSB and LDRSH.
pub fn load_half<O: Observer, const FORM: u8>(core: &mut Core<O>, insn: Insn) -> Result<(), Abort> {
    let (address, base) = addresses(core, insn, half_offset(core, insn));
    let value = core.load(address, half_width(FORM))?;
    write_back(core, insn, base);
    half_loaded::<O, FORM>(core, insn.rd(), value);
    Ok(())
}

#[inline(always)]
fn half_loaded<O: Observer, const FORM: u8>(core: &mut Core<O>, rd: usize, value: u32) {
    let value = match FORM {
        SIGNED_BYTE => i32::from(value as i8) as u32,
        SIGNED_HALF => i32::from(value as i16) as u32,
        _ => value,
    };
    core.r[rd] = value;
    let delay = if FORM == UNSIGNED_HALF {
        core.pipeline.config.load_narrow_delay
    } else {
        core.pipeline.config.load_signed_delay
    };
    core.pipeline
        .delay_result(rd, core.mem.platform.cycle, delay);
}

const fn half_width(form: u8) -> Width {
    if form == SIGNED_BYTE {
        Width::Byte
    } else {
        Width::Half
    }
}

/// STRH.
pub fn store_half<O: Observer>(core: &mut Core<O>, insn: Insn) -> Result<(), Abort> {
    let (address, base) = addresses(core, insn, half_offset(core, insn));
    core.store(address, Width::Half, core.r[insn.rd()])?;
    write_back(core, insn, base);
    Ok(())
}

/// SWP and SWPB.
pub fn swap<O: Observer>(core: &mut Core<O>, insn: Insn) -> Result<(), Abort> {
    let address = core.r[insn.rn()];
    let width = if insn.bit(22) {
        Width::Byte
    } else {
        Width::Word
    };
    let stored = core.r[insn.rm()];
    let loaded = core.load(address, width)?;
    core.store(address, width, stored)?;
    core.r[insn.rd()] = if width == Width::Word {
        loaded.rotate_right(8 * (address & 3))
    } else {
        loaded
    };
    core.mem.platform.cycle += Cycle::from(core.pipeline.config.swap_issue - 1);
    let delay = core.pipeline.config.swap_delay;
    core.pipeline
        .delay_result(insn.rd(), core.mem.platform.cycle, delay);
    Ok(())
}

/// `value` was read at `address` and goes to register `rd`.
#[inline(always)]
fn loaded<O: Observer, const BYTE: bool>(core: &mut Core<O>, rd: usize, address: u32, value: u32) {
    let value = if BYTE {
        value
    } else {
        // An unaligned word is the aligned one, rotated (DDI 0100, A2.4.4).
        value.rotate_right(8 * (address & 3))
    };
    if rd == 15 {
        core.write_pc_exchanging(value, core.pipeline.config.pc_load);
    } else {
        core.r[rd] = value;
        // A word that must be rotated comes as late as a byte (DDI 0222B, table 8.2; the SA-1110
        // has one delay for all).
        let delay = if BYTE || address & 3 != 0 {
            core.pipeline.config.load_narrow_delay
        } else {
            core.pipeline.config.load_delay
        };
        core.pipeline
            .delay_result(rd, core.mem.platform.cycle, delay);
    }
}

const fn width<const BYTE: bool>() -> Width {
    if BYTE {
        Width::Byte
    } else {
        Width::Word
    }
}

#[inline]
fn constant_offset<O: Observer>(core: &Core<O>, insn: Insn) -> u32 {
    core.r[insn.rn()].wrapping_add(insn.0 & 0xfff)
}

#[inline]
fn signed_offset(insn: Insn, base: u32, offset: u32) -> u32 {
    if insn.bit(23) {
        base.wrapping_add(offset)
    } else {
        base.wrapping_sub(offset)
    }
}

/// Charges the shift of a register offset, for which the ARM9EJ-S takes another cycle.
#[inline]
fn charge_offset<O: Observer>(core: &mut Core<O>, insn: Insn) {
    if insn.bit(25) && insn.0 & 0xff0 != 0 {
        core.mem.platform.cycle += Cycle::from(core.pipeline.config.scaled_offset_issue - 1);
    }
}

fn single_offset<O: Observer>(core: &Core<O>, insn: Insn) -> u32 {
    if insn.bit(25) {
        let carry = core.cpsr() & psr::C != 0;
        data::shift_by_constant(core.r[insn.rm()], insn, carry).0
    } else {
        insn.0 & 0xfff
    }
}

pub(super) fn half_offset<O: Observer>(core: &Core<O>, insn: Insn) -> u32 {
    if insn.bit(22) {
        ((insn.0 >> 4) & 0xf0) | (insn.0 & 0xf)
    } else {
        core.r[insn.rm()]
    }
}

/// The address of the access, and what the base register becomes if it is written.
pub(super) fn addresses<O: Observer>(
    core: &Core<O>,
    insn: Insn,
    offset: u32,
) -> (u32, Option<u32>) {
    let base = core.r[insn.rn()];
    let moved = signed_offset(insn, base, offset);
    match (insn.bit(24), insn.bit(21)) {
        (true, false) => (moved, None),
        (true, true) => (moved, Some(moved)),
        (false, _) => (base, Some(moved)),
    }
}

/// The translated forms: post-indexed with W set.
fn as_user(insn: Insn) -> bool {
    !insn.bit(24) && insn.bit(21)
}

pub(super) fn write_back<O: Observer>(core: &mut Core<O>, insn: Insn, base: Option<u32>) {
    if let Some(base) = base {
        core.write_base(insn.rn(), base);
    }
}

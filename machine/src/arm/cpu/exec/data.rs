// SPDX-License-Identifier: Apache-2.0
//! Data processing and the shifter (DDI 0100, A3.4 and A5.1).

use crate::arm::cpu::core::Core;
use crate::arm::cpu::Observer;
use crate::arm::isa::insn::Insn;
use crate::arm::isa::kind::shape;
use crate::arm::isa::psr;
use crate::arm::memory::memsys::Abort;
use crate::event::Cycle;

/// A value and the carry that goes with it.
type WithCarry = (u32, bool);

/// One data-processing instruction; opcode, S bit and operand shape are constants, so that each
/// combination compiles to its own few instructions.
pub fn process<O: Observer, const OPCODE: u8, const S: bool, const SHAPE: u8>(
    core: &mut Core<O>,
    insn: Insn,
) -> Result<(), Abort> {
    let carry = core.cpsr() & psr::C != 0;
    let (operand, shifter_carry) = operand::<O, SHAPE>(core, insn, carry);
    let first = core.r[insn.rn()];
    // Result, carry, overflow (`None`: the logical operations leave V).
    let (result, carry_out, overflow) = match OPCODE {
        0 | 8 => (first & operand, shifter_carry, None),
        1 | 9 => (first ^ operand, shifter_carry, None),
        2 | 10 => subtract(first, operand),
        3 => subtract(operand, first),
        4 | 11 => add(first, operand, false),
        5 => add(first, operand, carry),
        6 => add(first, !operand, carry),
        7 => add(operand, !first, carry),
        12 => (first | operand, shifter_carry, None),
        13 => (operand, shifter_carry, None),
        14 => (first & !operand, shifter_carry, None),
        _ => (!operand, shifter_carry, None),
    };
    let writes = !(8..12).contains(&OPCODE);
    if writes && insn.rd() == 15 {
        return write_pc::<O, OPCODE, S, SHAPE>(core, result);
    }
    if SHAPE == shape::SHIFTED_BY_REGISTER {
        core.mem.platform.cycle += Cycle::from(core.pipeline.config.shift_by_register_issue - 1);
    }
    if S {
        let v = overflow.unwrap_or(core.cpsr() & psr::V != 0);
        core.set_flags(
            (result & psr::N)
                | if result == 0 { psr::Z } else { 0 }
                | if carry_out { psr::C } else { 0 }
                | if v { psr::V } else { 0 },
        );
    }
    if writes {
        core.r[insn.rd()] = result;
    }
    Ok(())
}

/// The result goes to the PC. Kept apart, so that the others need no stack frame.
#[inline(never)]
#[allow(clippy::unnecessary_wraps)]
fn write_pc<O: Observer, const OPCODE: u8, const S: bool, const SHAPE: u8>(
    core: &mut Core<O>,
    result: u32,
) -> Result<(), Abort> {
    core.charge_pc_write(OPCODE, SHAPE);
    if S {
        // First, since it says in which state the target is.
        core.restore_psr();
    }
    core.write_pc(result, 0);
    Ok(())
}

impl<O: Observer> Core<O> {
    /// Charges a data-processing instruction that writes the PC beyond its first cycle. The
    /// ARM9EJ-S takes one more if the result is not the adder's or the operand is shifted, whether
    /// by a constant or by a register (DDI 0222B, table 8.2).
    fn charge_pc_write(&mut self, opcode: u8, shape: u8) {
        let config = &self.pipeline.config;
        let shifted = shape == shape::SHIFTED || shape == shape::SHIFTED_BY_REGISTER;
        let extra = match config.pc_write_logical {
            // SUB, RSB, ADD, ADC and SBC; the table names RSC among the logical ones.
            Some(_) if (2..=6).contains(&opcode) && !shifted => config.pc_write,
            Some(logical) => logical,
            None if shape == shape::SHIFTED_BY_REGISTER => {
                config.pc_write + config.shift_by_register_issue - 1
            }
            None => config.pc_write,
        };
        self.mem.platform.cycle += Cycle::from(extra);
    }
}

#[inline]
fn subtract(a: u32, b: u32) -> (u32, bool, Option<bool>) {
    let difference = a.wrapping_sub(b);
    let overflow = (a ^ b) & (a ^ difference) & psr::N != 0;
    (difference, a >= b, Some(overflow))
}

#[inline]
fn add(a: u32, b: u32, carry: bool) -> (u32, bool, Option<bool>) {
    let wide = u64::from(a) + u64::from(b) + u64::from(carry);
    let sum = wide as u32;
    let overflow = (a ^ sum) & (b ^ sum) & psr::N != 0;
    (sum, wide >> 32 != 0, Some(overflow))
}

#[inline]
fn operand<O: Observer, const SHAPE: u8>(core: &Core<O>, insn: Insn, carry: bool) -> WithCarry {
    match SHAPE {
        shape::CONSTANT => constant(insn, carry),
        shape::REGISTER => (core.r[insn.rm()], carry),
        shape::SHIFTED => shift_by_constant(core.r[insn.rm()], insn, carry),
        _ => shift_by_register(core.r[insn.rm()], core.r[insn.rs()], insn, carry),
    }
}

/// An 8-bit constant rotated right by twice bits 11:8 (A5.1.3).
#[inline]
pub fn constant(insn: Insn, carry: bool) -> WithCarry {
    let rotation = 2 * ((insn.0 >> 8) & 15);
    let value = (insn.0 & 0xff).rotate_right(rotation);
    (
        value,
        if rotation == 0 {
            carry
        } else {
            value & psr::N != 0
        },
    )
}

/// A register shifted by bits 11:7 (A5.1.5 to A5.1.13, the immediate forms).
#[inline]
pub fn shift_by_constant(value: u32, insn: Insn, carry: bool) -> WithCarry {
    let amount = (insn.0 >> 7) & 31;
    match ((insn.0 >> 5) & 3, amount) {
        (0, 0) => (value, carry),
        (0, n) => (value << n, value & (1 << (32 - n)) != 0),
        // A shift right by 0 encodes one by 32.
        (1, 0) => (0, value & psr::N != 0),
        (1, n) => (value >> n, value & (1 << (n - 1)) != 0),
        (2, 0) => (((value as i32) >> 31) as u32, value & psr::N != 0),
        (2, n) => (((value as i32) >> n) as u32, value & (1 << (n - 1)) != 0),
        // A rotation by 0 encodes RRX.
        (_, 0) => ((u32::from(carry) << 31) | (value >> 1), value & 1 != 0),
        (_, n) => (value.rotate_right(n), value & (1 << (n - 1)) != 0),
    }
}

/// A register shifted by the low byte of another (A5.1.6 to A5.1.12, the register forms).
#[inline]
fn shift_by_register(value: u32, amount: u32, insn: Insn, carry: bool) -> WithCarry {
    let amount = amount & 0xff;
    if amount == 0 {
        return (value, carry);
    }
    match (insn.0 >> 5) & 3 {
        0 if amount < 32 => (value << amount, value & (1 << (32 - amount)) != 0),
        0 => (0, amount == 32 && value & 1 != 0),
        1 if amount < 32 => (value >> amount, value & (1 << (amount - 1)) != 0),
        1 => (0, amount == 32 && value & psr::N != 0),
        2 if amount < 32 => (
            ((value as i32) >> amount) as u32,
            value & (1 << (amount - 1)) != 0,
        ),
        2 => (((value as i32) >> 31) as u32, value & psr::N != 0),
        _ => {
            let rotated = value.rotate_right(amount & 31);
            (rotated, rotated & psr::N != 0)
        }
    }
}

/// ADD of a constant to the PC, in Thumb state: that is aligned down to a word (A7.1.6).
pub fn thumb_address<O: Observer>(core: &mut Core<O>, insn: Insn) -> Result<(), Abort> {
    core.r[insn.rd()] = (core.r[15] & !3).wrapping_add(insn.0 & 0xfff);
    Ok(())
}

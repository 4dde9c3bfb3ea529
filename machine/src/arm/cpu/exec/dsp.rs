// SPDX-License-Identifier: Apache-2.0
//! The enhanced DSP instructions of ARMv5TE: saturating arithmetic, multiplies of halfwords; and
//! CLZ (DDI 0100, A4.1.13, A4.1.43 to A4.1.46, A10).

use crate::arm::cpu::core::Core;
use crate::arm::cpu::Observer;
use crate::arm::isa::insn::{multiply_halves, Insn};
use crate::arm::isa::psr;
use crate::arm::memory::memsys::Abort;
use crate::event::Cycle;

/// CLZ.
pub fn count_leading_zeros<O: Observer>(core: &mut Core<O>, insn: Insn) -> Result<(), Abort> {
    core.r[insn.rd()] = core.r[insn.rm()].leading_zeros();
    Ok(())
}

/// QADD, QSUB, QDADD and QDSUB.
pub fn saturating_add<O: Observer>(core: &mut Core<O>, insn: Insn) -> Result<(), Abort> {
    let (first, second) = (core.r[insn.rm()] as i32, core.r[insn.rn()] as i32);
    let mut saturated = false;
    let mut clamp = |exact: i64| {
        let value = exact.clamp(i32::MIN.into(), i32::MAX.into());
        saturated |= value != exact;
        value
    };
    let second = if insn.bit(22) {
        clamp(2 * i64::from(second))
    } else {
        second.into()
    };
    let result = if insn.bit(21) {
        clamp(i64::from(first) - second)
    } else {
        clamp(i64::from(first) + second)
    };
    core.r[insn.rd()] = result as u32;
    if saturated {
        core.set_q();
    }
    let delay = core.pipeline.config.saturate_delay;
    core.pipeline
        .delay_result(insn.rd(), core.mem.platform.cycle, delay);
    Ok(())
}

/// SMLAxy, SMLAWy, SMULWy, SMLALxy and SMULxy. The destination stands where other instructions
/// have their first operand; an accumulation that overflows sets Q and is not saturated.
pub fn multiply_halves<O: Observer>(core: &mut Core<O>, insn: Insn) -> Result<(), Abort> {
    let half = |value: u32, top: bool| i64::from(if top { value >> 16 } else { value } as i16);
    let (rm, rs) = (core.r[insn.rm()], core.r[insn.rs()]);
    let (destination, second) = (insn.rn(), half(rs, insn.bit(6)));
    let delay = core.pipeline.config.multiply_half_delay;
    let product = if insn.multiply_halves_form() == multiply_halves::WORD_BY_HALF {
        (i64::from(rm as i32) * second) >> 16
    } else {
        half(rm, insn.bit(5)) * second
    };
    if insn.multiply_halves_form() == multiply_halves::ACCUMULATE_LONG {
        let (low, high) = (insn.rd(), destination);
        let accumulator = (u64::from(core.r[high]) << 32) | u64::from(core.r[low]);
        let result = accumulator.wrapping_add(product as u64);
        core.mem.platform.cycle += Cycle::from(core.pipeline.config.multiply_half_long_issue - 1);
        core.r[low] = result as u32;
        core.r[high] = (result >> 32) as u32;
        for register in [low, high] {
            core.pipeline
                .delay_result(register, core.mem.platform.cycle, delay);
        }
        return Ok(());
    }
    let mut result = product;
    if insn.accumulators() != 0 {
        result += i64::from(core.r[insn.rd()] as i32);
        if i32::try_from(result).is_err() {
            core.set_q();
        }
    }
    core.r[destination] = result as u32;
    core.pipeline
        .delay_result(destination, core.mem.platform.cycle, delay);
    Ok(())
}

impl<O: Observer> Core<O> {
    fn set_q(&mut self) {
        self.set_condition_bits(self.cpsr() | psr::Q);
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Multiplies (DDI 0100, A3.5). The carry flag, which ARMv4 leaves unpredictable, is kept, as
//! from ARMv5 on.

use crate::arm::cpu::core::Core;
use crate::arm::cpu::Observer;
use crate::arm::isa::insn::Insn;
use crate::arm::isa::psr;
use crate::arm::memory::memsys::Abort;
use crate::event::Cycle;

/// MUL and MLA. The destination stands where other instructions have their first operand.
pub fn multiply<O: Observer>(core: &mut Core<O>, insn: Insn) -> Result<(), Abort> {
    let (rm, rs) = (core.r[insn.rm()], core.r[insn.rs()]);
    let mut result = rm.wrapping_mul(rs);
    if insn.bit(21) {
        result = result.wrapping_add(core.r[insn.rd()]);
    }
    let delay = core.charge_multiply(rs, true);
    core.mem.platform.cycle += Cycle::from(core.pipeline.config.multiply_issue - 1);
    let rd = insn.rn();
    core.r[rd] = result;
    core.pipeline
        .delay_result(rd, core.mem.platform.cycle, delay);
    if insn.bit(20) {
        core.charge_flags_of_product();
        core.set_flags_of_product(result & psr::N, result == 0);
    }
    Ok(())
}

/// UMULL, UMLAL, SMULL and SMLAL.
pub fn multiply_long<O: Observer>(core: &mut Core<O>, insn: Insn) -> Result<(), Abort> {
    let (rm, rs) = (core.r[insn.rm()], core.r[insn.rs()]);
    let (low, high) = (insn.rd(), insn.rn());
    let signed = insn.bit(22);
    let mut result = if signed {
        (i64::from(rm as i32) * i64::from(rs as i32)) as u64
    } else {
        u64::from(rm) * u64::from(rs)
    };
    if insn.bit(21) {
        let accumulator = (u64::from(core.r[high]) << 32) | u64::from(core.r[low]);
        result = result.wrapping_add(accumulator);
    }
    let delay = core.charge_multiply(rs, signed);
    core.mem.platform.cycle += Cycle::from(core.pipeline.config.multiply_long_issue - 1);
    core.r[low] = result as u32;
    core.r[high] = (result >> 32) as u32;
    for register in [low, high] {
        core.pipeline
            .delay_result(register, core.mem.platform.cycle, delay);
    }
    if insn.bit(20) {
        core.charge_flags_of_product();
        core.set_flags_of_product((result >> 32) as u32 & psr::N, result == 0);
    }
    Ok(())
}

impl<O: Observer> Core<O> {
    /// Waits for the multiplier and occupies it; returns the result delay.
    fn charge_multiply(&mut self, rs: u32, signed: bool) -> u32 {
        let delay = self.pipeline.multiply_cycles(rs, signed);
        self.mem.platform.cycle = self
            .pipeline
            .occupy_multiplier(self.mem.platform.cycle, delay);
        delay
    }

    fn charge_flags_of_product(&mut self) {
        self.mem.platform.cycle += Cycle::from(self.pipeline.config.multiply_flags_issue);
    }

    fn set_flags_of_product(&mut self, n: u32, zero: bool) {
        let kept = self.cpsr() & (psr::C | psr::V);
        self.set_flags(n | if zero { psr::Z } else { 0 } | kept);
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Status register access (DDI 0100, A3.9).

use crate::arm::cpu::core::{Core, Diagnostic};
use crate::arm::cpu::Observer;
use crate::arm::isa::insn::Insn;
use crate::arm::isa::psr;
use crate::arm::memory::memsys::Abort;
use crate::event::Cycle;

use super::data;

/// MRS.
pub fn mrs<O: Observer>(core: &mut Core<O>, insn: Insn) -> Result<(), Abort> {
    let value = if insn.bit(22) {
        match core.saved_psr().copied() {
            Some(saved) => saved,
            None => {
                core.diagnose(Diagnostic::NoSavedStatus, core.pc());
                core.cpsr()
            }
        }
    } else {
        core.cpsr()
    };
    core.r[insn.rd()] = value;
    core.mem.platform.cycle += Cycle::from(core.pipeline.config.mrs_issue - 1);
    Ok(())
}

/// MSR: fields by bits 19:16, of which ARMv4 and v5 have control (bit 16) and flags (bit 19).
pub fn msr<O: Observer>(core: &mut Core<O>, insn: Insn) -> Result<(), Abort> {
    let operand = if insn.bit(25) {
        data::constant(insn, false).0
    } else {
        core.r[insn.rm()]
    };
    let mut fields = 0;
    if insn.bit(16) {
        fields |= 0xff;
    }
    if insn.bit(19) {
        fields |= 0xff00_0000;
    }
    fields &= core.psr_implemented();
    if insn.bit(22) {
        match core.saved_psr() {
            Some(saved) => *saved = (*saved & !fields) | (operand & fields),
            None => core.diagnose(Diagnostic::NoSavedStatus, core.pc()),
        }
    } else {
        // The T bit changes with branches only: a write is unpredictable, and ignored.
        fields &= !psr::T;
        if !core.privileged() {
            // User mode may write the flags only.
            fields &= 0xff00_0000;
        }
        let value = (core.cpsr() & !fields) | (operand & fields);
        if fields & psr::MODE != 0 {
            core.set_cpsr(value);
        } else {
            core.set_condition_bits(value);
        }
    }
    if insn.bit(16) {
        core.mem.platform.cycle += Cycle::from(core.pipeline.config.msr_control_issue - 1);
    }
    Ok(())
}

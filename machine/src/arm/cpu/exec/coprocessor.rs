// SPDX-License-Identifier: Apache-2.0
//! MCR and MRC (DDI 0100, A3.15). Coprocessor 15 is the only one.

use crate::arm::cpu::core::Core;
use crate::arm::cpu::Observer;
use crate::arm::isa::insn::Insn;
use crate::arm::isa::register::Register;
use crate::arm::memory::memsys::Abort;

/// MCR and MRC.
pub fn transfer<O: Observer>(core: &mut Core<O>, insn: Insn) -> Result<(), Abort> {
    let register = Register {
        crn: insn.rn() as u8,
        crm: insn.rm() as u8,
        opcode_2: ((insn.0 >> 5) & 7) as u8,
    };
    let coprocessor = insn.rs();
    if coprocessor != 15 || !core.may_access(register, insn.bit(20)) {
        core.undefined();
        return Ok(());
    }
    if !insn.bit(20) {
        core.write_cp15(register, core.r[insn.rd()]);
        return Ok(());
    }
    let value = core.read_cp15(register);
    if insn.rd() == 15 {
        // MRC to r15 sets the flags from the top bits (DDI 0100, A4.1.32).
        core.set_flags(value);
    } else {
        core.r[insn.rd()] = value;
        let delay = core.pipeline.config.mrc_delay;
        core.pipeline
            .delay_result(insn.rd(), core.mem.platform.cycle, delay);
    }
    Ok(())
}

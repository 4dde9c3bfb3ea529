// SPDX-License-Identifier: Apache-2.0
//! LDRD and STRD (DDI 0100, A4.1.26, A4.1.102): two words at an address, in an even register and
//! the next. The address must be a multiple of 8 or the result is unpredictable; here it is used
//! word-aligned, and only bits 1:0 count for an alignment fault.

use crate::arm::cpu::core::Core;
use crate::arm::cpu::Observer;
use crate::arm::isa::insn::Insn;
use crate::arm::memory::memsys::Abort;

use super::single::{addresses, half_offset, write_back};

/// LDRD.
pub fn load<O: Observer>(core: &mut Core<O>, insn: Insn) -> Result<(), Abort> {
    let (address, base) = addresses(core, insn, half_offset(core, insn));
    let words = core.load_words(address, 2)?;
    core.charge_multiple(2);
    write_back(core, insn, base);
    let rd = insn.rd();
    core.r[rd] = words.word(0);
    if rd == 14 {
        core.write_pc_exchanging(words.word(1), core.pipeline.config.pc_load);
        return Ok(());
    }
    core.r[rd + 1] = words.word(1);
    let delay = core.pipeline.config.load_delay;
    core.pipeline
        .delay_result(rd + 1, core.mem.platform.cycle, delay);
    Ok(())
}

/// STRD.
pub fn store<O: Observer>(core: &mut Core<O>, insn: Insn) -> Result<(), Abort> {
    let (address, base) = addresses(core, insn, half_offset(core, insn));
    let rd = insn.rd();
    core.store_words(address, &[core.r[rd], core.r[rd + 1]])?;
    core.charge_multiple(2);
    write_back(core, insn, base);
    Ok(())
}

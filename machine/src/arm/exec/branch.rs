// SPDX-License-Identifier: Apache-2.0
//! Branches and the software interrupt (DDI 0100, A3.3 and A4.1.50).

use crate::arm::core::{Core, Exception};
use crate::arm::insn::Insn;
use crate::arm::memsys::Abort;
use crate::observe::Observer;

/// B and BL.
pub fn branch<O: Observer, const LINK: bool>(core: &mut Core<O>, insn: Insn) -> Result<(), Abort> {
    let target = core.r[15].wrapping_add(insn.branch_offset());
    if LINK {
        core.r[14] = core.r[15].wrapping_sub(4);
    } else {
        core.check_endless_branch(target);
    }
    core.write_pc(target, core.pipeline.config.branch_taken);
    Ok(())
}

/// SWI.
pub fn swi<O: Observer>(core: &mut Core<O>, _: Insn) -> Result<(), Abort> {
    core.take(Exception::Swi, core.r[15].wrapping_sub(4));
    Ok(())
}

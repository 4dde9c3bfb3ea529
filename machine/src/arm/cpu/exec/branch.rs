// SPDX-License-Identifier: Apache-2.0
//! Branches, changes of state, software interrupt and breakpoint (DDI 0100, A3.3, A4.1.5 to
//! A4.1.10, A4.1.50, A7.1.12 to A7.1.18).

use crate::arm::cpu::core::Core;
use crate::arm::cpu::semihosting::{CALL_ARM, CALL_THUMB};
use crate::arm::cpu::Observer;
use crate::arm::isa::exception::Exception;
use crate::arm::isa::insn::Insn;
use crate::arm::memory::memsys::Abort;

/// What the instruction fault status register shows of a breakpoint (ARM926EJ-S TRM, table 3-9, has
/// no value for it; this is "debug event" of later cores, as QEMU has it).
const DEBUG_EVENT: u32 = 0b0010;

/// B and BL.
pub fn branch<O: Observer, const LINK: bool>(core: &mut Core<O>, insn: Insn) -> Result<(), Abort> {
    let target = core.r[15].wrapping_add(insn.branch_offset());
    if LINK {
        core.r[14] = core.r[15].wrapping_sub(4);
    }
    core.jump(target, core.pipeline.config.branch_taken);
    if !LINK && target == core.r[15].wrapping_sub(8) {
        core.check_endless_branch(target);
    }
    Ok(())
}

/// BX and BLX (2). Both take as long as a write of the PC.
pub fn exchange<O: Observer, const LINK: bool>(
    core: &mut Core<O>,
    insn: Insn,
) -> Result<(), Abort> {
    let target = core.r[insn.rm()];
    if LINK {
        core.r[14] = core.return_link();
    }
    core.exchange_to(target, core.pipeline.config.pc_write);
    Ok(())
}

/// BLX (1): bit 24 is the halfword of the target.
pub fn link_exchange_offset<O: Observer>(core: &mut Core<O>, insn: Insn) -> Result<(), Abort> {
    let half = u32::from(insn.bit(24)) << 1;
    let target = core.r[15].wrapping_add(insn.branch_offset()) | half | 1;
    core.r[14] = core.return_link();
    core.exchange_to(target, core.pipeline.config.branch_taken);
    Ok(())
}

/// B of Thumb, conditional or not: the offset in bytes stands in bits 23:0.
pub fn thumb_branch<O: Observer>(core: &mut Core<O>, insn: Insn) -> Result<(), Abort> {
    let offset = ((insn.0 << 8) as i32 >> 8) as u32;
    let target = core.r[15].wrapping_add(offset);
    core.jump(target, core.pipeline.config.branch_taken);
    if insn.cond() == 14 && target == core.r[15].wrapping_sub(4) {
        core.check_endless_branch(target);
    }
    Ok(())
}

/// The first half of BL and BLX of Thumb: the upper part of the offset goes into r14.
pub fn thumb_link_high<O: Observer>(core: &mut Core<O>, insn: Insn) -> Result<(), Abort> {
    let offset = ((insn.0 << 21) as i32 >> 9) as u32;
    core.r[14] = core.r[15].wrapping_add(offset);
    Ok(())
}

/// The second half, which branches; `EXCHANGE`: to ARM state.
pub fn thumb_link_low<O: Observer, const EXCHANGE: bool>(
    core: &mut Core<O>,
    insn: Insn,
) -> Result<(), Abort> {
    let target = core.r[14].wrapping_add((insn.0 & 0x7ff) << 1);
    core.r[14] = core.return_link();
    let extra = core.pipeline.config.branch_taken;
    if EXCHANGE {
        core.exchange_to(target & !3, extra);
    } else {
        core.write_pc(target, extra);
    }
    Ok(())
}

/// SWI.
pub fn swi<O: Observer>(core: &mut Core<O>, insn: Insn) -> Result<(), Abort> {
    let semihosting = if core.thumb() { CALL_THUMB } else { CALL_ARM };
    if insn.0 & 0x00ff_ffff == semihosting && core.semihosting_call() {
        return Ok(());
    }
    core.take(Exception::Swi, core.following());
    Ok(())
}

/// BKPT: a prefetch abort.
pub fn breakpoint<O: Observer>(core: &mut Core<O>, _: Insn) -> Result<(), Abort> {
    core.mem.registers.insn_fault_status = DEBUG_EVENT;
    core.take(Exception::PrefetchAbort, core.pc().wrapping_add(4));
    Ok(())
}

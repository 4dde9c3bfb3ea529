// SPDX-License-Identifier: Apache-2.0
//! Loads and stores of integer registers (I, "Load and Store Instructions").

use super::{Abort, Core, Observer, Op};

/// The address that `op` names.
#[inline(always)]
pub(super) fn address<O: Observer>(core: &Core<O>, op: Op) -> u64 {
    core.get(op.rs1()).wrapping_add(i64::from(op.imm) as u64)
}

/// LBU, LHU, LWU, LD.
pub fn load<O: Observer, const N: usize>(core: &mut Core<O>, op: Op) -> Result<(), Abort> {
    let value = core.load::<N>(op, address(core, op))?;
    core.set(op.rd(), value);
    Ok(())
}

/// LB.
pub fn lb<O: Observer>(core: &mut Core<O>, op: Op) -> Result<(), Abort> {
    let value = core.load::<1>(op, address(core, op))?;
    core.set(op.rd(), i64::from(value as i8) as u64);
    Ok(())
}

/// LH.
pub fn lh<O: Observer>(core: &mut Core<O>, op: Op) -> Result<(), Abort> {
    let value = core.load::<2>(op, address(core, op))?;
    core.set(op.rd(), i64::from(value as i16) as u64);
    Ok(())
}

/// LW.
pub fn lw<O: Observer>(core: &mut Core<O>, op: Op) -> Result<(), Abort> {
    let value = core.load::<4>(op, address(core, op))?;
    core.set(op.rd(), i64::from(value as i32) as u64);
    Ok(())
}

/// SB, SH, SW, SD.
pub fn store<O: Observer, const N: usize>(core: &mut Core<O>, op: Op) -> Result<(), Abort> {
    core.store::<N>(address(core, op), core.get(op.rs2()))
}

// SPDX-License-Identifier: Apache-2.0
//! Branches and jumps (I, "Control Transfer Instructions").

use crate::event::Cycle;
use crate::riscv::cpu::predictor::Outcome;
use crate::riscv::isa::register::{RA, T0};

use super::{Abort, Core, Observer, Op};

/// Declares conditional branches.
macro_rules! branches {
    ($($(#[$about:meta])* $name:ident: |$a:ident, $b:ident| $holds:expr;)+) => {$(
        $(#[$about])*
        #[allow(clippy::unnecessary_wraps)]
        pub fn $name<O: Observer>(core: &mut Core<O>, op: Op) -> Result<(), Abort> {
            let ($a, $b) = (core.get(op.rs1()), core.get(op.rs2()));
            branch(core, op, $holds);
            Ok(())
        }
    )+};
}

branches! {
    /// BEQ.
    beq: |a, b| a == b;
    /// BNE.
    bne: |a, b| a != b;
    /// BLT.
    blt: |a, b| (a as i64) < b as i64;
    /// BGE.
    bge: |a, b| a as i64 >= b as i64;
    /// BLTU.
    bltu: |a, b| a < b;
    /// BGEU.
    bgeu: |a, b| a >= b;
}

#[inline(always)]
fn branch<O: Observer>(core: &mut Core<O>, op: Op, taken: bool) {
    let outcome = core.predictor.branch(core.pc, taken);
    let counted = &mut core.mem.platform.counters.now.branch;
    counted.executed += 1;
    if taken {
        counted.taken += 1;
        core.next_pc = core.pc.wrapping_add(i64::from(op.imm) as u64);
        core.pipeline.close();
    }
    if outcome != Outcome::Right {
        counted.mispredicted += u64::from(outcome == Outcome::Wrong);
        counted.mispredicted_taken += u64::from(taken && outcome == Outcome::Wrong);
        redirect(core, outcome);
    }
}

/// Charges what a wrong prediction costs.
fn redirect<O: Observer>(core: &mut Core<O>, outcome: Outcome) {
    let prices = &core.prices;
    let cycles = match outcome {
        Outcome::Right => 0,
        Outcome::TargetLate => prices.decoded_target,
        Outcome::Wrong if core.pipeline.late => prices.mispredicted + prices.late,
        Outcome::Wrong => prices.mispredicted,
    };
    core.mem.platform.cycle += Cycle::from(cycles);
    core.pipeline.close();
}

/// Whether a register is one that return addresses are in.
pub fn links(register: u8) -> bool {
    register == RA || register == T0
}

/// JAL.
#[allow(clippy::unnecessary_wraps)]
pub fn jal<O: Observer>(core: &mut Core<O>, op: Op) -> Result<(), Abort> {
    let following = core.next_pc;
    core.set(op.rd(), following);
    core.next_pc = core.pc.wrapping_add(i64::from(op.imm) as u64);
    core.pipeline.close();
    if links(op.rd()) {
        core.predictor.call(following);
    }
    let outcome = core.predictor.jump(core.pc);
    core.mem.platform.counters.now.branch.taken += 1;
    if outcome != Outcome::Right {
        redirect(core, outcome);
    }
    Ok(())
}

/// JALR. Which registers make it a call or a return: I, table "Return-address stack prediction hints".
#[allow(clippy::unnecessary_wraps)]
pub fn jalr<O: Observer>(core: &mut Core<O>, op: Op) -> Result<(), Abort> {
    let following = core.next_pc;
    let target = core.get(op.rs1()).wrapping_add(i64::from(op.imm) as u64) & !1;
    core.set(op.rd(), following);
    core.next_pc = target;
    core.pipeline.close();
    let (calls, returns) = (links(op.rd()), links(op.rs1()) && op.rs1() != op.rd());
    let outcome = if returns {
        core.predictor.returned(target)
    } else {
        core.predictor.indirect(core.pc, target)
    };
    if calls {
        core.predictor.call(following);
    }
    let counted = &mut core.mem.platform.counters.now.branch;
    counted.executed += 1;
    counted.taken += 1;
    if outcome == Outcome::Wrong {
        counted.mispredicted += 1;
        *if returns {
            &mut counted.mispredicted_returns
        } else if calls {
            &mut counted.mispredicted_calls
        } else {
            &mut counted.mispredicted_jumps
        } += 1;
        redirect(core, outcome);
    }
    Ok(())
}

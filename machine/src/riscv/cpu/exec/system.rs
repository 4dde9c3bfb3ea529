// SPDX-License-Identifier: Apache-2.0
//! Fences, calls, returns, control and status registers (I, "Zicsr", "Zifencei"; II, "Privileged
//! Instructions").

use crate::event::Cycle;
use crate::observe::SystemAccess;
use crate::riscv::isa::cause::Exception;
use crate::riscv::isa::privilege::Privilege;
use crate::riscv::isa::register::NOWHERE;
use crate::riscv::isa::status;
use crate::riscv::isa::system::Operation;
use crate::riscv::memory::tlb::Scope;

use super::{Abort, Core, Observer, Op};

/// What is no instruction.
pub fn illegal<O: Observer>(core: &mut Core<O>, _: Op) -> Result<(), Abort> {
    Err(core.illegal())
}

fn charge<O: Observer>(core: &mut Core<O>, cycles: u32) {
    core.mem.platform.cycle += Cycle::from(cycles);
    core.pipeline.close();
}

fn show<O: Observer>(core: &mut Core<O>, what: Operation) {
    if O::ON {
        let access = SystemAccess {
            pc: core.pc,
            what,
            sleeps: core.waiting,
        };
        core.observer.operated(&core.mem, &access);
    }
}

/// FENCE: stores are in order as it is; it waits for them.
#[allow(clippy::unnecessary_wraps)]
pub fn fence<O: Observer>(core: &mut Core<O>, _: Op) -> Result<(), Abort> {
    let drained = core.mem.drained();
    let platform = &mut core.mem.platform;
    platform.cycle = platform.cycle.max(drained);
    let cycles = core.mem.prices().fence;
    charge(core, cycles);
    Ok(())
}

/// FENCE.I.
#[allow(clippy::unnecessary_wraps)]
pub fn fence_i<O: Observer>(core: &mut Core<O>, _: Op) -> Result<(), Abort> {
    core.mem.fence_instructions();
    let cycles = core.mem.prices().fence_i;
    charge(core, cycles);
    show(core, Operation::InstructionFence);
    Ok(())
}

/// ECALL.
pub fn ecall<O: Observer>(core: &mut Core<O>, _: Op) -> Result<(), Abort> {
    let exception = match core.privilege() {
        Privilege::User => Exception::CallFromUser,
        Privilege::Supervisor => Exception::CallFromSupervisor,
        Privilege::Machine => Exception::CallFromMachine,
    };
    Err(core.raise(exception, 0))
}

/// EBREAK: the value is the address (II, "Machine Trap Value (mtval) Register").
pub fn ebreak<O: Observer>(core: &mut Core<O>, _: Op) -> Result<(), Abort> {
    let pc = core.pc;
    Err(core.raise(Exception::Breakpoint, pc))
}

/// MRET.
pub fn mret<O: Observer>(core: &mut Core<O>, _: Op) -> Result<(), Abort> {
    if core.privilege() != Privilege::Machine {
        return Err(core.illegal());
    }
    core.machine_return();
    returned(core);
    Ok(())
}

/// SRET.
pub fn sret<O: Observer>(core: &mut Core<O>, _: Op) -> Result<(), Abort> {
    supervise(core, status::TSR)?;
    core.supervisor_return();
    returned(core);
    Ok(())
}

fn returned<O: Observer>(core: &mut Core<O>) {
    let cycles = core.mem.prices().trap;
    charge(core, cycles);
    let to = core.privilege();
    show(core, Operation::Return(to));
}

/// What only supervisors may do, and only while bit `unless` of `mstatus` is clear.
fn supervise<O: Observer>(core: &mut Core<O>, unless: u64) -> Result<(), Abort> {
    let allowed = match core.privilege() {
        Privilege::Machine => true,
        Privilege::Supervisor => core.csr.mstatus & unless == 0,
        Privilege::User => false,
    };
    if allowed {
        Ok(())
    } else {
        Err(core.illegal())
    }
}

/// WFI. With TW it traps at once below machine mode; in user mode it always does, as it may with S mode
/// there (II, "Wait for Interrupt").
pub fn wfi<O: Observer>(core: &mut Core<O>, _: Op) -> Result<(), Abort> {
    supervise(core, status::TW)?;
    if core.pending_interrupts() & core.csr.mie == 0 {
        core.waiting = true;
        core.mem.platform.horizon = 0;
    }
    show(core, Operation::Wait);
    Ok(())
}

/// What SFENCE.VMA or SINVAL.VMA names: which operands are there is said by the registers' numbers.
fn scope<O: Observer>(core: &Core<O>, op: Op) -> Scope {
    let asid_mask = ((1_u32 << core.mem.isa().asid_bits) - 1) as u16;
    Scope {
        va: (op.rs1() != 0).then(|| core.get(op.rs1())),
        asid: (op.rs2() != 0).then(|| core.get(op.rs2()) as u16 & asid_mask),
    }
}

fn fenced<O: Observer>(core: &mut Core<O>, scopes: &[Scope]) {
    for scope in scopes {
        show(core, Operation::TranslationFence(scope.va, scope.asid));
    }
}

/// SFENCE.VMA.
pub fn sfence_vma<O: Observer>(core: &mut Core<O>, op: Op) -> Result<(), Abort> {
    supervise(core, status::TVM)?;
    let scope = scope(core, op);
    let postponed = core.mem.fence_translations(&scope);
    let cycles = core.mem.prices().sfence_vma;
    charge(core, cycles);
    fenced(core, &postponed);
    fenced(core, &[scope]);
    Ok(())
}

/// SINVAL.VMA.
pub fn sinval_vma<O: Observer>(core: &mut Core<O>, op: Op) -> Result<(), Abort> {
    supervise(core, status::TVM)?;
    let scope = scope(core, op);
    core.mem.invalidate_translations(scope);
    let cycles = core.mem.prices().sfence_vma;
    charge(core, cycles);
    Ok(())
}

/// SFENCE.W.INVAL.
pub fn sfence_w_inval<O: Observer>(core: &mut Core<O>, _: Op) -> Result<(), Abort> {
    supervise(core, 0)?;
    core.mem.order_stores_to_tables();
    charge(core, 1);
    Ok(())
}

/// SFENCE.INVAL.IR.
pub fn sfence_inval_ir<O: Observer>(core: &mut Core<O>, _: Op) -> Result<(), Abort> {
    supervise(core, 0)?;
    let done = core.mem.finish_invalidations();
    charge(core, 1);
    fenced(core, &done);
    Ok(())
}

/// The operand of a CSR instruction.
fn source<O: Observer, const IMMEDIATE: bool>(core: &Core<O>, op: Op) -> u64 {
    if IMMEDIATE {
        u64::from(op.rs1())
    } else {
        core.get(op.rs1())
    }
}

/// CSRRW, CSRRWI: without a destination nothing is read.
pub fn csrrw<O: Observer, const IMMEDIATE: bool>(core: &mut Core<O>, op: Op) -> Result<(), Abort> {
    let number = op.imm as u16;
    let value = source::<O, IMMEDIATE>(core, op);
    let old = if op.rd() == NOWHERE {
        0
    } else {
        core.read_csr(number, true)?
    };
    core.write_csr(number, value)?;
    core.set(op.rd(), old);
    written(core, number);
    Ok(())
}

/// CSRRS and CSRRC, and with an immediate: with x0, or 0, nothing is written.
pub fn csrr_bits<O: Observer, const IMMEDIATE: bool, const SETS: bool>(
    core: &mut Core<O>,
    op: Op,
) -> Result<(), Abort> {
    let number = op.imm as u16;
    let writes = op.rs1() != 0;
    let bits = source::<O, IMMEDIATE>(core, op);
    let old = core.read_csr(number, writes)?;
    if writes {
        let kept = core.modified_csr(number, old);
        let value = if SETS { kept | bits } else { kept & !bits };
        core.write_csr(number, value)?;
    }
    core.set(op.rd(), old);
    if writes {
        written(core, number);
    } else {
        let cycles = core.mem.prices().csr;
        charge(core, cycles);
    }
    Ok(())
}

fn written<O: Observer>(core: &mut Core<O>, number: u16) {
    let cycles = core.mem.prices().csr;
    charge(core, cycles);
    if O::ON {
        let value = core.csr_value(number);
        show(core, Operation::Csr(number, value));
    }
}

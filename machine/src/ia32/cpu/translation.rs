// SPDX-License-Identifier: Apache-2.0
//! Lines of the trace cache as host code: their instructions as the translator wants them described, each of
//! which says what its handler in `exec/` does, and what it costs; and what translated code is lent while it runs.
//! All others are left to the handler.

use switchyard_translator::traces::{
    Action, Address, Binary, Count, Counts, Exit, Guest, Memory, Operand, Shift, Step, Stretch,
    Unary, Width, NONE,
};

use crate::ia32::cpu::timing::Timing;
use crate::ia32::cpu::Observer;
use crate::ia32::isa::cost::{slot, Branch, Cost, Course, Order};
use crate::ia32::isa::flags;
use crate::ia32::isa::insn::reg::ESP;
use crate::ia32::isa::insn::{Form, Insn, Repeat, Seg, Size};
use crate::ia32::isa::kind::Kind;
use crate::ia32::isa::register::{cr0, cr4};
use crate::ia32::memory::hierarchy::Sixth;
use crate::ia32::memory::memsys::hint;
use crate::ia32::memory::trace_cache::line::{self, Line};
use crate::ia32::memory::trace_cache::Key;

use super::core::Core;

/// What stands in `line`, which begins at `address`.
pub(super) fn stretch(line: &Line, address: u32, time: &Timing) -> Stretch {
    let mut next = address;
    let steps = line.steps().iter().map(|step| {
        next = next.wrapping_add(u32::from(step.insn.length));
        describe(step, next)
    });
    Stretch {
        address,
        steps: steps.collect(),
        prices: time.shared_prices(),
    }
}

/// An instruction that stands before `next`.
fn describe(step: &line::Step, next: u32) -> Step {
    let line::Step { cost, insn, .. } = step;
    let waited = |n: u8| Some(n).filter(|n| *n != NONE);
    let given = |n: u8| Some(n).filter(|n| *n != slot::SINK);
    Step {
        bytes: u32::from(insn.length),
        uops: u32::from(cost.uops),
        latency: cost.latency,
        sources: cost.sources.map(waited),
        results: cost.results.map(given),
        early: given(cost.early),
        accesses: !matches!(cost.course, Course::Computes | Course::Jumps),
        action: action(insn, cost, next).unwrap_or(Action::Leave),
    }
}

fn width(size: Size) -> Width {
    match size {
        Size::Byte => Width::Byte,
        Size::Word => Width::Word,
        Size::Long => Width::Long,
    }
}

/// The operand `rm`; `None`: not in a segment that is known to be flat.
fn rm(insn: &Insn) -> Option<Operand> {
    if insn.memory {
        Some(Operand::Memory(address(insn)?))
    } else {
        Some(Operand::Register(insn.rm))
    }
}

fn address(insn: &Insn) -> Option<Address> {
    let flat = matches!(insn.seg, Seg::Es | Seg::Ss | Seg::Ds);
    let address = Address {
        base: insn.base,
        index: insn.index,
        scale: insn.scale,
        displacement: insn.displacement,
    };
    (flat && !insn.address16).then_some(address)
}

/// The operands of the instruction's form, the destination first.
fn operands(insn: &Insn) -> Option<(Operand, Operand)> {
    let reg = Operand::Register(insn.reg);
    Some(match insn.form {
        Form::RegRm => (reg, rm(insn)?),
        Form::RmReg => (rm(insn)?, reg),
        Form::RmImm => (rm(insn)?, Operand::Constant(insn.imm)),
        Form::Rm | Form::RmCl | Form::Imm => return None,
    })
}

/// What `insn` before `next` does. `None`: that is left to its handler.
fn action(insn: &Insn, cost: &Cost, next: u32) -> Option<Action> {
    if insn.kind == Kind::Rdtsc && cost.order == Order::Microcode {
        return Some(Action::TimeStamp { held: cost.latency });
    }
    if cost.order != Order::Flows || insn.locked {
        return None;
    }
    let long = insn.size == Size::Long;
    let target = next.wrapping_add(insn.imm);
    let binary = |operation| {
        let (first, second) = operands(insn)?;
        Some(Action::Binary {
            operation,
            width: width(insn.size),
            first,
            second,
        })
    };
    let unary = |operation| {
        Some(Action::Unary {
            operation,
            width: width(insn.size),
            operand: rm(insn)?,
        })
    };
    let extend = |from_width, signed| {
        Some(Action::Extend {
            width: width(insn.size),
            from_width,
            signed,
            to: insn.reg,
            from: rm(insn)?,
        })
    };
    let shift = |operation| {
        let count = match insn.form {
            Form::RmCl => Count::Register,
            _ => Count::Constant(insn.imm as u8),
        };
        (long && !insn.memory).then_some(Action::Shift {
            operation,
            register: insn.rm,
            count,
        })
    };
    match insn.kind {
        Kind::Nop => Some(Action::Nothing),
        Kind::Add => binary(Binary::Add),
        Kind::Adc => binary(Binary::AddWithCarry),
        Kind::Sub => binary(Binary::Subtract),
        Kind::Sbb => binary(Binary::SubtractWithBorrow),
        Kind::And => binary(Binary::And),
        Kind::Or => binary(Binary::Or),
        Kind::Xor => binary(Binary::ExclusiveOr),
        Kind::Compare => binary(Binary::Compare),
        Kind::Test => binary(Binary::Test),
        Kind::Inc => unary(Unary::Increment),
        Kind::Dec => unary(Unary::Decrement),
        Kind::Neg => unary(Unary::Negate),
        Kind::Not => unary(Unary::Not),
        Kind::Mov => {
            let (to, from) = operands(insn)?;
            Some(Action::Move {
                width: width(insn.size),
                to,
                from,
            })
        }
        Kind::MovZeroByte => extend(Width::Byte, false),
        Kind::MovZeroWord => extend(Width::Word, false),
        Kind::MovSignByte => extend(Width::Byte, true),
        Kind::MovSignWord => extend(Width::Word, true),
        Kind::Lea if long && !insn.address16 => Some(Action::Address {
            to: insn.reg,
            // No segment is asked.
            address: address(&Insn {
                seg: Seg::Ds,
                ..*insn
            })?,
        }),
        Kind::Shl => shift(Shift::Left),
        Kind::Shr => shift(Shift::Right),
        Kind::Sar => shift(Shift::RightSigned),
        Kind::Rol => shift(Shift::RotateLeft),
        Kind::Ror => shift(Shift::RotateRight),
        Kind::Imul if long => {
            let (first, second) = match insn.form {
                Form::RegRm => (rm(insn)?, Operand::Register(insn.reg)),
                Form::RmImm => (rm(insn)?, Operand::Constant(insn.imm)),
                _ => return None,
            };
            Some(Action::Multiply {
                to: insn.reg,
                first,
                second,
            })
        }
        Kind::Mul | Kind::ImulAccumulator if long => Some(Action::MultiplyWide {
            signed: insn.kind == Kind::ImulAccumulator,
            by: rm(insn)?,
        }),
        Kind::MovIf if long => Some(Action::MoveIf {
            condition: insn.imm as u8 & 15,
            to: insn.reg,
            from: rm(insn)?,
        }),
        Kind::SetIf => Some(Action::SetIf {
            condition: insn.reg & 15,
            to: rm(insn)?,
        }),
        Kind::Xchg if long && !insn.memory => Some(Action::Exchange(insn.rm, insn.reg)),
        Kind::Bswap if long => Some(Action::SwapBytes(insn.rm)),
        Kind::ExtendAccumulator if long => Some(Action::ExtendAccumulator),
        Kind::SignToEdx if long => Some(Action::SignToEdx),
        Kind::Push if long => match insn.form {
            Form::Imm => Some(Action::Push(Operand::Constant(insn.imm))),
            _ => Some(Action::Push(rm(insn)?)),
        },
        Kind::Leave if long => Some(Action::DropFrame),
        Kind::Movs if insn.repeat == Repeat::No && !insn.address16 => {
            let flat = matches!(insn.seg, Seg::Es | Seg::Ss | Seg::Ds);
            flat.then_some(Action::MoveString(width(insn.size)))
        }
        Kind::JumpIndirect if long => Some(Action::JumpTo(rm(insn)?)),
        Kind::CallIndirect if long => Some(Action::CallTo(rm(insn)?)),
        Kind::Pop if long && !insn.memory && usize::from(insn.rm) != ESP => {
            Some(Action::Pop(insn.rm))
        }
        Kind::Jump if long => Some(Action::Jump { to: target }),
        // One to the next instruction is never taken.
        Kind::JumpIf if long && target != next => Some(Action::JumpIf {
            condition: insn.reg & 15,
            to: target,
            backward: (insn.imm as i32) < 0,
        }),
        Kind::Call if long && target != next => Some(Action::Call { to: target }),
        Kind::Ret if long && cost.branch == Branch::Return => {
            Some(Action::Return { bytes: insn.imm })
        }
        _ => None,
    }
}

impl<O: Observer> Core<O> {
    /// Runs lines as host code from now on, if that can be: translated code goes by hints.
    pub fn run_as_host_code(&mut self) {
        if let Some((branches, caches)) = self.mem.time.tables() {
            let store = self.mem.time.caches.store_latency() as u32;
            self.mem.run_as_host_code(branches, caches, store);
        }
    }

    /// Whether translated code may run: it knows segments of all 4 GB at 0 only, and no checks of alignment or of who
    /// reads the time.
    pub(super) fn may_run_translated(&self) -> bool {
        let data = |seg: Seg| {
            let segment = &self.segments[seg as usize];
            segment.is_flat() && segment.is_for_data()
        };
        let aligned = self.eflags & flags::AC != 0 && self.mem.cr0 & cr0::AM != 0;
        let tells_time = self.cpl == 0 || self.mem.cr4 & cr4::TSD == 0;
        let code = &self.segments[Seg::Cs as usize];
        let stack = &self.segments[Seg::Ss as usize];
        !self.suspended
            && !aligned
            && tells_time
            && code.is_flat()
            && code.is_32bit()
            && stack.is_32bit()
            && [Seg::Es, Seg::Ss, Seg::Ds].into_iter().all(data)
    }

    /// Runs translated code from the line in `slot` on, whose first instruction is next, as far as that goes.
    /// `None`: there is no translator.
    pub(super) fn run_translated(&mut self, slot: usize, end: Sixth) -> Option<Exit> {
        let key = Key::new(0, true, self.cpl == 3);
        let user = self.cpl == 3;
        let time_ahead = self.msrs.time_stamp(0);
        let mem = &mut self.mem;
        let (translator, fetch) = mem.traces.lend(key)?;
        let (bytes, written) = mem.platform.bus.ram_to_write();
        let access = mem.time.goes_out();
        let (clock, caches, predictor) = mem.time.lend(time_ahead);
        let mut counts = Counts::default();
        let exit = translator.run(Guest {
            registers: &mut self.r,
            flags: &mut self.eflags,
            slot,
            address: self.eip,
            horizon: end,
            clock,
            fetch,
            hints: hint::lend(&mem.reads, &mem.writes, user),
            caches,
            predictor,
            memory: Memory { bytes, written },
            counts: &mut counts,
        });
        mem.time.came_back(access);
        self.eip = exit.address;
        let pages = mem.pages();
        let counters = &mut mem.platform.counters;
        counters.fetches += counts.instructions;
        let now = &mut counters.now;
        now.trace.lookups += counts.lookups;
        now.dcache.reads += counts.reads;
        now.dcache.writes += counts.writes;
        now.l2.writes += counts.second_writes;
        now.stall.fill += counts.full;
        now.branch.executed += counts.executed;
        now.branch.taken += counts.taken;
        now.branch.mispredicted += counts.mispredicted;
        now.branch.mispredicted_taken += counts.mispredicted_taken;
        now.branch.mispredicted_returns += counts.mispredicted_returns;
        now.branch.mispredicted_calls += counts.mispredicted_calls;
        now.branch.mispredicted_jumps += counts.mispredicted_jumps;
        if pages {
            now.dtlb.accesses += counts.accesses;
        }
        Some(exit)
    }
}

// SPDX-License-Identifier: Apache-2.0
//! The RISC-V's instructions as the translator wants them described: each says what its handler in `exec/`
//! does. What they take is what [`Pipeline`] says, run over them beforehand. All others are left to the handler.

use switchyard_translator::wide::{
    Action, Change, Condition, Division, Operand, Operation, Passed, Penalties, StatusLayout, Step,
    Stretch, SystemRegister, Wait, Width, HIGHEST_LEVEL, LINE_BYTES, PLACES,
};

use crate::event::Cycle;
use crate::riscv::config::{BranchConfig, LatencyConfig, PriceConfig};
use crate::riscv::cpu::csr::MISA;
use crate::riscv::cpu::exec::links;
use crate::riscv::cpu::registers::LENT;
use crate::riscv::cpu::timing::Pipeline;
use crate::riscv::isa::csr;
use crate::riscv::isa::decoder::{self, Extensions};
use crate::riscv::isa::insn::Op;
use crate::riscv::isa::kind::Kind;
use crate::riscv::isa::privilege::Privilege;
use crate::riscv::isa::register::NOWHERE;
use crate::riscv::isa::status;
use crate::riscv::memory::memsys::{TAG_MXR, TAG_SUM};

/// What stands in a line from `va` on, up to an instruction that is left or one that ends the sequence. One
/// that goes on in the next line is the last; `next` is the halfword that is first there, if that is known.
pub(super) fn stretch(
    line: &[u8; LINE_BYTES as usize],
    next: Option<u16>,
    va: u64,
    extensions: Extensions,
    pipeline: &Pipeline,
    (branches, prices): (&BranchConfig, &PriceConfig),
) -> Stretch {
    let latency = pipeline.latency();
    let mut pipeline = pipeline.empty();
    let place = (va % u64::from(LINE_BYTES)) as usize / 2;
    // Late enough that no time of the empty pipeline is near.
    const BEGIN: Cycle = 1 << 32;
    let mut cycle = BEGIN;
    let mut results = Vec::new();
    let mut stretch = Stretch {
        steps: Vec::new(),
        passed: vec![Passed::default()],
        end: place,
        needed: Vec::new(),
        crossing: None,
        penalties: Penalties {
            decoded_target: branches.decoded_target,
            mispredicted: branches.mispredicted,
            late: branches.late,
        },
    };
    loop {
        let (op, at) = match op_at(line, stretch.end, extensions) {
            Some(op) => (op, stretch.end as i32),
            None if stretch.end == PLACES - 1 => {
                let Some(next) = next else {
                    break;
                };
                let low = u32::from(line[LINE_BYTES as usize - 2])
                    | u32::from(line[LINE_BYTES as usize - 1]) << 8;
                (decoder::decode(low | u32::from(next) << 16, extensions), -1)
            }
            None => break,
        };
        let action = describe(op, at, latency, prices);
        if action == Action::Leave {
            break;
        }
        let Some(issue) = pipeline.issues(op) else {
            break;
        };
        if issue.wait == Wait::All && !stretch.steps.is_empty() {
            break;
        }
        // What it reads that was under way before is there when it would issue with the one before it.
        let passed = &stretch.passed[stretch.passed.len() - 1];
        let within = passed.cycles - u32::from(passed.open & issue.slots != 0);
        for source in issue.sources {
            if source != 0 && !results.contains(&source) {
                need(&mut stretch.needed, source, within);
            }
        }
        cycle = pipeline.issue(op, cycle);
        if !results.contains(&op.rd()) {
            results.push(op.rd());
            // The unit says nothing of a result that is over when it ends: so must be what was there before.
            need(&mut stretch.needed, op.rd(), (cycle - BEGIN) as u32 - 1);
        }
        let next_place = at + i32::from(op.bytes()) / 2;
        stretch.steps.push(Step {
            place: at,
            next: next_place,
            action,
            late: pipeline.late,
            issue,
        });
        let (open, pending) = pipeline.under_way(cycle, &results);
        stretch.passed.push(Passed {
            cycles: (cycle - BEGIN) as u32,
            open,
            pending,
        });
        if at < 0 {
            stretch.crossing = next;
            break;
        }
        stretch.end = next_place as usize;
        if action.ends_unit() {
            break;
        }
    }
    stretch
}

/// A register is needed within so many cycles.
fn need(needed: &mut Vec<(u8, u32)>, register: u8, within: u32) {
    match needed.iter_mut().find(|(other, _)| *other == register) {
        Some((_, before)) => *before = within.min(*before),
        None => needed.push((register, within)),
    }
}

/// The instruction at `place`, if it is all in the line.
fn op_at(line: &[u8; LINE_BYTES as usize], place: usize, extensions: Extensions) -> Option<Op> {
    let half = |place: usize| {
        let bytes = line.get(2 * place..2 * place + 2)?;
        Some(u32::from(u16::from_le_bytes([bytes[0], bytes[1]])))
    };
    let low = half(place)?;
    let code = if low & 3 == 3 {
        low | half(place + 1)? << 16
    } else {
        low
    };
    debug_assert!(place < PLACES);
    Some(decoder::decode(code, extensions))
}

/// What `op` at `place` of its line does.
fn describe(op: Op, place: i32, latency: &LatencyConfig, prices: &PriceConfig) -> Action {
    let Some(&kind) = Kind::ALL.get(usize::from(op.kind())) else {
        return Action::Leave;
    };
    let destination = Some(op.rd()).filter(|rd| *rd != NOWHERE);
    let from_line = |bytes: i32| 2 * i64::from(place) + i64::from(bytes);
    match kind {
        Kind::Li => Action::Constant {
            destination,
            value: op.imm,
        },
        Kind::Auipc => Action::Address {
            destination,
            from_line: from_line(op.imm),
        },
        Kind::Jal => Action::Jump {
            to: from_line(op.imm),
            link: destination,
            calls: links(op.rd()),
        },
        Kind::Jalr => Action::JumpRegister {
            target: op.rs1(),
            offset: op.imm,
            link: destination,
            calls: links(op.rd()),
            returns: links(op.rs1()) && op.rs1() != op.rd(),
        },
        Kind::Fence => Action::Fence(prices.fence),
        _ => {
            if let Some(division) = division(kind) {
                Action::Divide {
                    division,
                    destination,
                    first: op.rs1(),
                    second: op.rs2(),
                    least: latency.divide_least,
                    span: latency.divide_most - latency.divide_least,
                }
            } else if let Some(change) = change(kind, op) {
                system(op, change, prices)
            } else if let Some(condition) = condition(kind) {
                Action::Branch {
                    condition,
                    first: op.rs1(),
                    second: op.rs2(),
                    to: from_line(op.imm),
                }
            } else if let Some((width, signed)) = loaded(kind) {
                Action::Load {
                    destination,
                    width,
                    signed,
                    base: op.rs1(),
                    offset: op.imm,
                }
            } else if let Some(width) = stored(kind) {
                Action::Store {
                    source: op.rs2(),
                    width,
                    base: op.rs1(),
                    offset: op.imm,
                }
            } else if let Some(operation) = by_constant(kind) {
                Action::Compute {
                    operation,
                    destination,
                    first: op.rs1(),
                    second: Operand::Constant(op.imm),
                }
            } else if let Some(operation) = by_register(kind) {
                Action::Compute {
                    operation,
                    destination,
                    first: op.rs1(),
                    second: Operand::Register(op.rs2()),
                }
            } else {
                Action::Leave
            }
        }
    }
}

fn division(kind: Kind) -> Option<Division> {
    let (signed, word, remainder) = match kind {
        Kind::Div => (true, false, false),
        Kind::Divu => (false, false, false),
        Kind::Rem => (true, false, true),
        Kind::Remu => (false, false, true),
        Kind::Divw => (true, true, false),
        Kind::Divuw => (false, true, false),
        Kind::Remw => (true, true, true),
        Kind::Remuw => (false, true, true),
        _ => return None,
    };
    Some(Division {
        signed,
        word,
        remainder,
    })
}

/// What an instruction changes of a register of the system: without bits to set or clear, nothing.
fn change(kind: Kind, op: Op) -> Option<Change> {
    let register = Operand::Register(op.rs1());
    let immediate = Operand::Constant(op.rs1().into());
    Some(match kind {
        Kind::Csrrw => Change::Replaced(register),
        Kind::Csrrwi => Change::Replaced(immediate),
        Kind::Csrrs | Kind::Csrrc | Kind::Csrrsi | Kind::Csrrci if op.rs1() == 0 => Change::Kept,
        Kind::Csrrs => Change::Set(register),
        Kind::Csrrsi => Change::Set(immediate),
        Kind::Csrrc => Change::Cleared(register),
        Kind::Csrrci => Change::Cleared(immediate),
        _ => return None,
    })
}

/// The status register of machine mode, as accesses depend on it: MPRV, MPP, SUM and MXR. Interrupts may be taken
/// at once when they are enabled.
static STATUS: StatusLayout = StatusLayout {
    fixed: status::WIDTHS,
    writable: status::WRITABLE,
    all: status::FS,
    summary: status::SD,
    alarms: (status::SIE | status::MIE) as u32,
    other_level: status::MPP_SHIFT as u8,
    no_level: 2,
    uses_other: status::MPRV.trailing_zeros() as u8,
    tag_shift: status::SUM.trailing_zeros() as u8 - TAG_SUM.trailing_zeros() as u8,
    tag_bits: (TAG_SUM | TAG_MXR) as u8,
};
const _: () = assert!(status::MXR / status::SUM == (TAG_MXR / TAG_SUM) as u64);
const _: () = assert!(Privilege::Machine as u8 == HIGHEST_LEVEL);

/// An instruction on a register of the system, if that is a number and nothing else.
fn system(op: Op, change: Change, prices: &PriceConfig) -> Action {
    let number = op.imm as u16;
    if number == csr::MSTATUS {
        return Action::Status {
            layout: &STATUS,
            destination: Some(op.rd()).filter(|rd| *rd != NOWHERE),
            change,
            cycles: prices.csr,
        };
    }
    let lent = LENT.iter().position(|(lent, _)| *lent == number);
    let register = match (lent, number) {
        (Some(lent), _) => SystemRegister::Lent(lent as u8, LENT[lent].1),
        (None, csr::MHARTID) if change == Change::Kept => SystemRegister::Constant(0),
        (None, csr::MISA) if change == Change::Kept => SystemRegister::Constant(MISA as i64),
        _ => return Action::Leave,
    };
    Action::System {
        register,
        destination: Some(op.rd()).filter(|rd| *rd != NOWHERE),
        change,
        level: csr::lowest_privilege(number) as u8,
        cycles: prices.csr,
    }
}

fn condition(kind: Kind) -> Option<Condition> {
    Some(match kind {
        Kind::Beq => Condition::Equal,
        Kind::Bne => Condition::NotEqual,
        Kind::Blt => Condition::Less,
        Kind::Bge => Condition::GreaterOrEqual,
        Kind::Bltu => Condition::Below,
        Kind::Bgeu => Condition::AboveOrEqual,
        _ => return None,
    })
}

/// Widths of loads, and whether they extend the sign.
fn loaded(kind: Kind) -> Option<(Width, bool)> {
    Some(match kind {
        Kind::Lb => (Width::Byte, true),
        Kind::Lh => (Width::Half, true),
        Kind::Lw => (Width::Word, true),
        Kind::Ld => (Width::Double, false),
        Kind::Lbu => (Width::Byte, false),
        Kind::Lhu => (Width::Half, false),
        Kind::Lwu => (Width::Word, false),
        _ => return None,
    })
}

fn stored(kind: Kind) -> Option<Width> {
    Some(match kind {
        Kind::Sb => Width::Byte,
        Kind::Sh => Width::Half,
        Kind::Sw => Width::Word,
        Kind::Sd => Width::Double,
        _ => return None,
    })
}

/// What a register and the immediate are combined by.
fn by_constant(kind: Kind) -> Option<Operation> {
    Some(match kind {
        Kind::Addi => Operation::Add,
        Kind::Slti => Operation::Less,
        Kind::Sltiu => Operation::LessUnsigned,
        Kind::Xori => Operation::ExclusiveOr,
        Kind::Ori => Operation::Or,
        Kind::Andi => Operation::And,
        Kind::Slli => Operation::ShiftLeft,
        Kind::Srli => Operation::ShiftRight,
        Kind::Srai => Operation::ShiftRightSigned,
        Kind::Addiw => Operation::AddWord,
        Kind::Slliw => Operation::ShiftLeftWord,
        Kind::Srliw => Operation::ShiftRightWord,
        Kind::Sraiw => Operation::ShiftRightSignedWord,
        _ => return None,
    })
}

/// What two registers are combined by; those with one take no notice of the second.
fn by_register(kind: Kind) -> Option<Operation> {
    Some(match kind {
        Kind::Add => Operation::Add,
        Kind::Sub => Operation::Subtract,
        Kind::Sll => Operation::ShiftLeft,
        Kind::Slt => Operation::Less,
        Kind::Sltu => Operation::LessUnsigned,
        Kind::Xor => Operation::ExclusiveOr,
        Kind::Srl => Operation::ShiftRight,
        Kind::Sra => Operation::ShiftRightSigned,
        Kind::Or => Operation::Or,
        Kind::And => Operation::And,
        Kind::Addw => Operation::AddWord,
        Kind::Subw => Operation::SubtractWord,
        Kind::Sllw => Operation::ShiftLeftWord,
        Kind::Srlw => Operation::ShiftRightWord,
        Kind::Sraw => Operation::ShiftRightSignedWord,
        Kind::Mul => Operation::Multiply,
        Kind::Mulw => Operation::MultiplyWord,
        Kind::Mulh => Operation::MultiplyHigh,
        Kind::Mulhu => Operation::MultiplyHighUnsigned,
        Kind::Sh1add => Operation::AddShifted(1),
        Kind::Sh2add => Operation::AddShifted(2),
        Kind::Sh3add => Operation::AddShifted(3),
        Kind::AddUw => Operation::AddShiftedWord(0),
        Kind::Sh1addUw => Operation::AddShiftedWord(1),
        Kind::Sh2addUw => Operation::AddShiftedWord(2),
        Kind::Sh3addUw => Operation::AddShiftedWord(3),
        Kind::Andn => Operation::AndNot,
        Kind::Orn => Operation::OrNot,
        Kind::Xnor => Operation::ExclusiveOrNot,
        Kind::Min => Operation::Minimum,
        Kind::Minu => Operation::MinimumUnsigned,
        Kind::Max => Operation::Maximum,
        Kind::Maxu => Operation::MaximumUnsigned,
        Kind::SextB => Operation::SignByte,
        Kind::SextH => Operation::SignHalf,
        Kind::ZextH => Operation::ZeroHalf,
        _ => return None,
    })
}

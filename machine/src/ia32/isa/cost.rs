// SPDX-License-Identifier: Apache-2.0
//! What an instruction costs, known once it is decoded: its µops, the registers that it waits for and
//! gives, how long its result takes, and whether the processor goes on meanwhile. `timing` makes time
//! of it.

use crate::ia32::config::{LatencyConfig, PriceConfig};
use crate::ia32::isa::insn::reg::{EAX, EBP, ECX, EDI, EDX, ESI, ESP, NONE};
use crate::ia32::isa::insn::{Form, Insn, Repeat, Size};
use crate::ia32::isa::kind::Kind;

/// The unit of the model's time: a sixth of a cycle, so that three µops a cycle and results after half
/// a cycle are whole numbers.
pub const CYCLE: u32 = 6;

/// What instructions wait for and give, beside the general registers by their numbers. [`NONE`] is
/// there at all times.
pub mod slot {
    /// The status flags.
    pub const FLAGS: u8 = 9;
    /// The floating-point stack, taken as one.
    pub const FPU: u8 = 10;
    /// Where results go that nobody waits for.
    pub const SINK: u8 = 11;
    /// Room for them all, a power of two.
    pub const ROOM: usize = 16;
}

/// Whether the processor goes on while an instruction executes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Default)]
pub enum Order {
    /// It does, within its window.
    #[default]
    Flows,
    /// The microcode keeps the front end: what follows waits for its price.
    Microcode,
    /// It waits until all before it has retired, and what follows waits for it.
    Serialises,
    /// It waits so, and until what was stored has reached the caches: LOCK.
    Locks,
}

/// What is to be predicted of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Branch {
    /// Nothing.
    #[default]
    None,
    /// Whether it is taken.
    Conditional,
    /// Where it goes.
    Indirect,
    /// Nothing, but its return.
    Call,
    /// Where it goes, and its return.
    IndirectCall,
    /// That it returns to its call.
    Return,
}

/// What executing an instruction may do, which decides what the run loop looks after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Course {
    /// Whatever there is.
    #[default]
    Any,
    /// It computes with registers and flags alone: it cannot fault, and the next instruction follows.
    Computes,
    /// It accesses memory as well, so that it may fault or end the quantum; else the next one follows.
    Accesses,
    /// It goes elsewhere, within 32 bits, always or if a condition holds.
    Jumps,
}

/// The cost of an instruction, aligned so that it is copied at once.
#[derive(Debug, Clone, Copy)]
#[repr(align(16))]
pub struct Cost {
    /// From its operands to its results, without what memory takes, in sixths of a cycle.
    pub latency: u32,
    /// µops.
    pub uops: u8,
    /// What it waits for.
    pub sources: [u8; 3],
    /// What it gives.
    pub results: [u8; 2],
    /// What it gives without waiting for memory: a stack pointer.
    pub early: u8,
    /// What is to be predicted.
    pub branch: Branch,
    /// Whether the processor goes on.
    pub order: Order,
    /// What executing it may do.
    pub course: Course,
}

impl Default for Cost {
    fn default() -> Self {
        Self {
            latency: HALF,
            uops: 1,
            sources: [NONE as u8; 3],
            results: [slot::SINK; 2],
            early: slot::SINK,
            branch: Branch::None,
            order: Order::Flows,
            course: Course::Any,
        }
    }
}

/// Simple operations take half a cycle: the units run at double speed (Hinton et al., Intel Technology
/// Journal Q1 2001).
pub const HALF: u32 = CYCLE / 2;

/// The prices of a machine, by which instructions are looked up.
#[derive(Debug, Clone)]
pub struct Costs {
    latency: LatencyConfig,
    price: PriceConfig,
    /// INVLPG's.
    invlpg: u32,
}

impl Costs {
    /// Those of a machine file.
    #[must_use]
    pub fn new(latency: &LatencyConfig, price: &PriceConfig) -> Self {
        Self {
            latency: latency.clone(),
            price: price.clone(),
            invlpg: price.serialise,
        }
    }

    /// Where address-space tags are ideal what is there for the TLBs takes one cycle.
    #[must_use]
    pub fn with_ideal_tags(mut self) -> Self {
        (self.price.cr3, self.invlpg) = (1, 1);
        self
    }

    /// The cost of `insn`.
    #[must_use]
    pub fn of(&self, insn: &Insn) -> Cost {
        let cost = self.prices(insn);
        let course = match insn.kind {
            _ if cost.order != Order::Flows => Course::Any,
            Kind::Jump | Kind::JumpIf if insn.size == Size::Long => Course::Jumps,
            Kind::Push | Kind::Pop => Course::Accesses,
            kind if kind.computes() && insn.memory => Course::Accesses,
            kind if kind.computes() => Course::Computes,
            _ => Course::Any,
        };
        Cost { course, ..cost }
    }

    fn prices(&self, insn: &Insn) -> Cost {
        let mut cost = Cost {
            uops: insn.uops() as u8,
            ..Cost::default()
        };
        if insn.memory || insn.kind == Kind::Lea {
            cost.sources[0] = insn.base;
            cost.sources[1] = insn.index;
        }
        if self.arithmetic(insn, &mut cost)
            || self.moves(insn, &mut cost)
            || self.branches(insn, &mut cost)
            || self.strings(insn, &mut cost)
            || self.floating(insn, &mut cost)
        {
            if insn.locked {
                cost.order = Order::Locks;
            }
            return cost;
        }
        self.microcode(insn, &mut cost);
        cost
    }

    fn arithmetic(&self, insn: &Insn, cost: &mut Cost) -> bool {
        use Kind::{
            Adc, Add, And, Bsf, Bsr, Bt, Btc, Btr, Bts, Clc, Cmc, Compare, Dec, Div, Idiv, Imul,
            ImulAccumulator, Inc, Lahf, Mul, Neg, Not, Or, Rcl, Rcr, Rol, Ror, Sahf, Salc, Sar,
            Sbb, SetIf, Shl, Shld, Shr, Shrd, Stc, Sub, Test, Xor,
        };
        let cycles = |cycles: u32| cycles * CYCLE;
        let accumulator = [EAX as u8, EDX as u8];
        match insn.kind {
            Xor | Sub if !insn.memory && insn.form != Form::RmImm && insn.rm == insn.reg => {
                // Zero, whatever the register holds.
                cost.results = [register(insn, insn.rm), slot::FLAGS];
            }
            Add | Or | And | Sub | Xor => operands(insn, cost),
            Compare | Test => {
                operands(insn, cost);
                cost.results[0] = slot::SINK;
            }
            Adc | Sbb => {
                operands(insn, cost);
                wait_for(cost, slot::FLAGS);
                cost.latency = cycles(self.latency.complex);
            }
            Not | Neg | Inc | Dec => operands(insn, cost),
            Mul | ImulAccumulator => {
                wait_for_operand(insn, cost);
                wait_for(cost, EAX as u8);
                cost.results = accumulator;
                cost.latency = cycles(self.latency.multiply);
            }
            Imul => {
                wait_for_operand(insn, cost);
                if insn.form == Form::RegRm {
                    wait_for(cost, insn.reg);
                }
                cost.results = [insn.reg, slot::FLAGS];
                cost.latency = cycles(self.latency.multiply);
            }
            Div | Idiv => {
                wait_for_operand(insn, cost);
                accumulator.into_iter().for_each(|r| wait_for(cost, r));
                cost.results = accumulator;
                cost.latency = cycles(self.latency.divide);
            }
            Rol | Ror | Rcl | Rcr | Shl | Shr | Sar | Shld | Shrd => {
                operands(insn, cost);
                if insn.form == Form::RmCl {
                    wait_for(cost, ECX as u8);
                }
                if matches!(insn.kind, Shld | Shrd) {
                    wait_for(cost, insn.reg);
                }
                cost.latency = cycles(self.latency.shift);
            }
            Bt | Bts | Btr | Btc => {
                operands(insn, cost);
                cost.latency = cycles(self.latency.shift);
            }
            Bsf | Bsr => {
                operands(insn, cost);
                cost.latency = cycles(self.latency.shift);
            }
            SetIf => {
                wait_for(cost, slot::FLAGS);
                operands(insn, cost);
                cost.results[1] = slot::SINK;
                cost.latency = cycles(self.latency.complex);
            }
            Lahf | Sahf | Salc => {
                cost.sources = [EAX as u8, slot::FLAGS, NONE as u8];
                cost.results = [EAX as u8, slot::FLAGS];
            }
            Clc | Cmc | Stc => {
                wait_for(cost, slot::FLAGS);
                cost.results[0] = slot::FLAGS;
            }
            _ => return false,
        }
        true
    }

    fn moves(&self, insn: &Insn, cost: &mut Cost) -> bool {
        use Kind::{
            Bswap, CompareExchange, CompareExchange8, ExtendAccumulator, Lea, Leave, Mov, MovIf,
            MovSignByte, MovSignWord, MovZeroByte, MovZeroWord, Nop, Pop, Push, SignToEdx, Xadd,
            Xchg, Xlat,
        };
        let complex = self.latency.complex * CYCLE;
        match insn.kind {
            Nop => {}
            Mov => match insn.form {
                Form::RegRm => {
                    wait_for_operand(insn, cost);
                    cost.results[0] = register(insn, insn.reg);
                    if insn.memory {
                        cost.latency = 0;
                    }
                }
                form => {
                    if form == Form::RmReg {
                        wait_for(cost, register(insn, insn.reg));
                    }
                    give_operand(insn, cost);
                }
            },
            MovZeroByte | MovZeroWord | MovSignByte | MovSignWord => {
                let byte = matches!(insn.kind, MovZeroByte | MovSignByte);
                if !insn.memory {
                    wait_for(cost, if byte { insn.rm & 3 } else { insn.rm });
                }
                cost.results[0] = insn.reg;
            }
            MovIf => {
                wait_for_operand(insn, cost);
                wait_for(cost, insn.reg);
                wait_for(cost, slot::FLAGS);
                cost.results[0] = insn.reg;
                cost.latency = complex;
            }
            Lea => {
                // One addition for each part after the first; a scale is a shift.
                let parts = [insn.base, insn.index]
                    .into_iter()
                    .filter(|r| usize::from(*r) != NONE)
                    .count() as u32
                    + u32::from(insn.displacement != 0);
                let shift = if insn.scale == 0 {
                    0
                } else {
                    self.latency.shift
                };
                cost.latency = HALF * parts.saturating_sub(1).max(1) + CYCLE * shift;
                cost.results[0] = insn.reg;
            }
            Xchg | Xadd => {
                wait_for_operand(insn, cost);
                wait_for(cost, register(insn, insn.reg));
                give_operand(insn, cost);
                cost.results[1] = register(insn, insn.reg);
                if insn.memory && insn.kind == Xchg {
                    // With or without the prefix (SDM vol. 2, XCHG).
                    cost.order = Order::Locks;
                }
            }
            CompareExchange | CompareExchange8 => {
                wait_for_operand(insn, cost);
                wait_for(cost, EAX as u8);
                cost.results = [EAX as u8, slot::FLAGS];
                cost.latency = complex;
            }
            Bswap => {
                wait_for(cost, insn.rm);
                cost.results[0] = insn.rm;
                cost.latency = complex;
            }
            ExtendAccumulator => {
                wait_for(cost, EAX as u8);
                cost.results[0] = EAX as u8;
            }
            SignToEdx => {
                wait_for(cost, EAX as u8);
                cost.results[0] = EDX as u8;
            }
            Xlat => {
                wait_for(cost, EAX as u8);
                cost.results[0] = EAX as u8;
            }
            Push => {
                if insn.form != Form::Imm {
                    wait_for_operand(insn, cost);
                }
                wait_for(cost, ESP as u8);
                cost.early = ESP as u8;
            }
            Pop => {
                wait_for(cost, ESP as u8);
                give_operand(insn, cost);
                cost.early = ESP as u8;
                cost.latency = 0;
            }
            Leave => {
                wait_for(cost, EBP as u8);
                cost.results[0] = EBP as u8;
                cost.early = ESP as u8;
            }
            _ => return false,
        }
        true
    }

    fn branches(&self, insn: &Insn, cost: &mut Cost) -> bool {
        match insn.kind {
            Kind::Jump => {}
            Kind::JumpIf => {
                wait_for(cost, slot::FLAGS);
                cost.branch = Branch::Conditional;
            }
            Kind::JumpIfCountZero | Kind::Loop | Kind::LoopEqual | Kind::LoopNotEqual => {
                wait_for(cost, ECX as u8);
                wait_for(cost, slot::FLAGS);
                cost.results[0] = ECX as u8;
                cost.branch = Branch::Conditional;
            }
            Kind::JumpIndirect => {
                wait_for_operand(insn, cost);
                cost.branch = Branch::Indirect;
            }
            Kind::Call => cost.branch = Branch::Call,
            Kind::CallIndirect => {
                wait_for_operand(insn, cost);
                cost.branch = Branch::IndirectCall;
            }
            Kind::Ret => cost.branch = Branch::Return,
            _ => return false,
        }
        if matches!(insn.kind, Kind::Call | Kind::CallIndirect | Kind::Ret) {
            wait_for(cost, ESP as u8);
            cost.early = ESP as u8;
        }
        true
    }

    /// An element; the price of beginning to repeat is `repeat`'s.
    fn strings(&self, insn: &Insn, cost: &mut Cost) -> bool {
        cost.uops = match insn.kind {
            Kind::Movs => 4,
            Kind::Stos | Kind::Cmps => 3,
            Kind::Lods | Kind::Scas => 2,
            _ => return false,
        };
        cost.sources = [ESI as u8, EDI as u8, EAX as u8];
        match insn.kind {
            Kind::Lods => cost.results[0] = EAX as u8,
            Kind::Cmps | Kind::Scas => cost.results[0] = slot::FLAGS,
            _ => {}
        }
        true
    }

    /// The price of the first µops of a repeated instruction, in sixths of a cycle.
    #[must_use]
    pub fn of_repeat(&self, insn: &Insn) -> u32 {
        if insn.repeat == Repeat::No {
            return 0;
        }
        self.price.repeat * CYCLE
    }

    fn floating(&self, insn: &Insn, cost: &mut Cost) -> bool {
        use Kind::{
            F2xm1, Fabs, Fadd, Fchs, Fcmov, Fcom, Fcomi, Fcos, Fdecstp, Fdiv, FdivReversed, Ffree,
            Fincstp, Fld, FloadConstant, Fmul, Fnop, Fnstsw, Fpatan, Fprem, Fprem1, Fptan, Frndint,
            Fscale, Fsin, Fsincos, Fsqrt, Fst, FstUnchecked, Fsub, FsubReversed, Ftst, Fucom,
            Fucomi, Fxam, Fxch, Fxtract, Fyl2x, Fyl2xp1, Wait,
        };
        let latency = match insn.kind {
            Fld | FloadConstant | Fst | FstUnchecked | Fxch | Fnop | Ffree | Fincstp | Fdecstp
            | Wait => 1,
            Fabs | Fchs | Fcom | Fucom | Fcomi | Fucomi | Ftst | Fxam | Fcmov => 2,
            Fnstsw => self.latency.fp_add,
            Fadd | Fsub | FsubReversed => self.latency.fp_add,
            Fmul => self.latency.fp_multiply,
            Fdiv | FdivReversed | Fsqrt => self.latency.fp_divide,
            Fprem | Fprem1 | Frndint | Fscale | Fxtract | Fsin | Fcos | Fsincos | Fptan
            | Fpatan | F2xm1 | Fyl2x | Fyl2xp1 => self.latency.fp_function,
            _ => return false,
        };
        wait_for(cost, slot::FPU);
        cost.results[0] = slot::FPU;
        match insn.kind {
            Fcomi | Fucomi => cost.results[1] = slot::FLAGS,
            Fnstsw => cost.results[1] = EAX as u8,
            _ => {}
        }
        cost.latency = latency * CYCLE;
        true
    }

    /// Everything else is microcode.
    fn microcode(&self, insn: &Insn, cost: &mut Cost) {
        use Kind::{
            CallFar, CallFarIndirect, Cpuid, FlushCaches, Hlt, In, Ins, Int, Int1, Int3, Into,
            Invlpg, Iret, JumpFar, JumpFarIndirect, Lgdt, Lidt, Lldt, Lmsw, LoadFarPointer, Ltr,
            MovToControl, MovToDebug, MovToSegment, Out, Outs, PopSegment, Rdtsc, RetFar, Sysenter,
            Sysexit, Wrmsr,
        };
        let price = &self.price;
        let (order, cycles) = match insn.kind {
            MovToControl if insn.reg == 3 => (Order::Serialises, price.cr3),
            Invlpg => (Order::Serialises, self.invlpg),
            MovToControl | MovToDebug | Lmsw | Wrmsr | Lgdt | Lidt | Lldt | FlushCaches => {
                (Order::Serialises, price.serialise)
            }
            Ltr => (Order::Serialises, price.segment + price.serialise),
            Cpuid => (Order::Serialises, price.cpuid),
            Hlt => (Order::Serialises, 0),
            Rdtsc => (Order::Microcode, price.rdtsc),
            MovToSegment | PopSegment | LoadFarPointer | JumpFar | JumpFarIndirect | CallFar
            | CallFarIndirect | RetFar => (Order::Microcode, price.segment),
            Sysenter => (Order::Serialises, price.sysenter),
            Sysexit => (Order::Serialises, price.sysexit),
            // Delivery has the price of interrupts.
            Int | Int1 | Int3 | Into => (Order::Serialises, 0),
            Iret => (Order::Serialises, price.iret),
            // The port has its price.
            In | Out | Ins | Outs => (Order::Serialises, 0),
            _ => (Order::Microcode, price.microcode),
        };
        cost.order = order;
        cost.latency = cycles * CYCLE;
    }
}

/// The slot of a general register, of which an operand of a byte may be the second.
fn register(insn: &Insn, n: u8) -> u8 {
    if insn.size == Size::Byte {
        n & 3
    } else {
        n
    }
}

fn wait_for(cost: &mut Cost, slot: u8) {
    // With a base, an index and two registers the last one is let go.
    if let Some(free) = cost.sources.iter_mut().find(|s| usize::from(**s) == NONE) {
        *free = slot;
    }
}

/// Waits for the operand `rm` if it is a register.
fn wait_for_operand(insn: &Insn, cost: &mut Cost) {
    if !insn.memory {
        wait_for(cost, register(insn, insn.rm));
    }
}

/// Gives the operand `rm` if it is a register.
fn give_operand(insn: &Insn, cost: &mut Cost) {
    if !insn.memory {
        cost.results[0] = register(insn, insn.rm);
    }
}

/// Reads the operands of its form and changes the first, and the flags.
fn operands(insn: &Insn, cost: &mut Cost) {
    wait_for_operand(insn, cost);
    match insn.form {
        Form::RegRm => {
            wait_for(cost, register(insn, insn.reg));
            cost.results[0] = register(insn, insn.reg);
        }
        Form::RmReg => {
            wait_for(cost, register(insn, insn.reg));
            give_operand(insn, cost);
        }
        _ => give_operand(insn, cost),
    }
    cost.results[1] = slot::FLAGS;
}

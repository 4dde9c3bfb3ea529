// SPDX-License-Identifier: Apache-2.0
//! When instructions issue: in order, up to two in a cycle, one in each slot.
//!
//! Slot A has loads, stores and simple integer operations, slot B these and everything else
//! (Riemenschneider, elektroniknet.de, 10 Nov 2021; GCC's model sifive-7). A simple operation whose operands are not
//! there in time for the early ALU is done by the late one, two stages later: it waits for no load that
//! hits, but what needs its result as an address does. So each register has two times: from when on the
//! early stage may have it, and the late one.

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};
use switchyard_translator::wide;

use crate::event::Cycle;
use crate::riscv::config::LatencyConfig;
use crate::riscv::isa::insn::Op;
use crate::riscv::isa::kind::{Class, CLASSES};
use crate::riscv::isa::register::{NOWHERE, PLACES};
use crate::state::plausible;

/// When a register is there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Pod, Zeroable)]
#[repr(C)]
struct Ready {
    /// For addresses, the early ALU and everything that is not the late ALU.
    early: Cycle,
    /// For the late ALU, and as what a store stores.
    late: Cycle,
}

/// Places for costs: a power of two.
const COSTS: usize = 32;
const _: () = assert!(CLASSES <= COSTS);
const _: () = assert!(NOWHERE as usize + 1 == wide::UNDER_WAY);

const SLOT_A: u8 = 1;
const SLOT_B: u8 = 2;

/// How operands are waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// Both must be there early.
    Early,
    /// The late ALU can do it.
    Either,
    /// The first early, the second late.
    Stored,
    /// Three that must be there early.
    Three,
    /// Everything before it must be over.
    All,
}

/// What a class of instructions takes.
#[derive(Debug, Clone, Copy)]
struct Cost {
    early: u8,
    late: u8,
    /// The slots that it can take, and those that it leaves to the next.
    slots: u8,
    leaves: u8,
    wait: Wait,
}

/// The pipeline.
#[derive(Debug, Clone)]
pub struct Pipeline {
    ready: [Ready; PLACES],
    /// A cycle from which all of them are there.
    all_ready: Cycle,
    /// The slots that are free beside the instruction that issued last, at the cycle before `open_at`.
    open: u8,
    open_at: Cycle,
    /// When the divider and the unit for floating-point division are free.
    divider: Cycle,
    float_divider: Cycle,
    /// When the last instruction issued, and whether the late ALU does it.
    pub issued: Cycle,
    /// Whether the late ALU does the last one.
    pub late: bool,
    costs: [Cost; COSTS],
    latency: LatencyConfig,
}

impl Pipeline {
    /// An empty one.
    #[must_use]
    pub fn new(latency: LatencyConfig) -> Self {
        Self {
            ready: [Ready::default(); PLACES],
            all_ready: 0,
            open: 0,
            open_at: 0,
            divider: 0,
            float_divider: 0,
            issued: 0,
            late: false,
            costs: costs(&latency),
            latency,
        }
    }

    /// Issues `op` at `cycle` or later. Gives the cycle after that.
    #[inline(always)]
    pub fn issue(&mut self, op: Op, cycle: Cycle) -> Cycle {
        let cost = self.costs[usize::from(op.class()) % COSTS];
        let a = self.ready[usize::from(op.rs1()) % PLACES];
        let b = self.ready[usize::from(op.rs2()) % PLACES];
        let early = a.early.max(b.early);
        // With the one before it, it would issue in the cycle that is over.
        let pairs = self.open & cost.slots != 0 && self.open_at == cycle;
        let first = cycle - Cycle::from(pairs);
        let plain = match cost.wait {
            Wait::Early => true,
            Wait::Either | Wait::Stored => early <= first,
            Wait::Three | Wait::All => false,
        };
        let needed = if plain {
            early
        } else {
            self.needed(op, cost.wait, cycle)
        };
        let at = if pairs && needed < cycle {
            self.open = 0;
            first
        } else {
            let at = cycle.max(needed);
            self.open_at = at + 1;
            self.open = cost.leaves;
            at
        };
        // By the time it issues the early ALU may have its operands.
        let late = early > at;
        let ready = if late && cost.wait == Wait::Either {
            Ready {
                early: at + Cycle::from(self.latency.load),
                late: at + Cycle::from(self.latency.late_alu),
            }
        } else {
            Ready {
                early: at + Cycle::from(cost.early),
                late: at + Cycle::from(cost.late),
            }
        };
        self.ready[usize::from(op.rd()) % PLACES] = ready;
        self.all_ready = self.all_ready.max(ready.early).max(ready.late);
        (self.issued, self.late) = (at, late);
        cycle.max(at + 1)
    }

    /// When `op` can issue, if that is not simply when both its operands are there early.
    #[inline(never)]
    fn needed(&self, op: Op, wait: Wait, cycle: Cycle) -> Cycle {
        let of = |place: u8| self.ready[usize::from(place) % PLACES];
        let (a, b) = (of(op.rs1()), of(op.rs2()));
        match wait {
            Wait::Early => a.early.max(b.early),
            Wait::Either => a.late.max(b.late),
            Wait::Stored => a.early.max(b.late),
            Wait::Three => a.early.max(b.early).max(of(op.rs3()).early),
            Wait::All => self.drained(cycle),
        }
    }

    /// The next instruction does not issue with the last one.
    #[inline(always)]
    pub fn close(&mut self) {
        self.open = 0;
    }

    /// When all results are there.
    #[cold]
    fn drained(&self, cycle: Cycle) -> Cycle {
        let mut last = cycle.max(self.divider);
        if self.all_ready <= last {
            return last;
        }
        for ready in &self.ready[..=usize::from(NOWHERE)] {
            last = last.max(ready.late);
        }
        last
    }

    /// The result in place `rd` comes at `cycle`.
    #[inline]
    pub fn delay(&mut self, rd: u8, cycle: Cycle) {
        self.ready[usize::from(rd) % PLACES] = Ready {
            early: cycle,
            late: cycle,
        };
        self.all_ready = self.all_ready.max(cycle);
    }

    /// The instruction that has issued is an integer division with so many bits of quotient.
    pub fn divide(&mut self, rd: u8, quotient_bits: u32) {
        let span = self.latency.divide_most - self.latency.divide_least;
        let cycles = self.latency.divide_least + span * quotient_bits / 64;
        let done = self.issued.max(self.divider) + Cycle::from(cycles);
        self.divider = done;
        self.delay(rd, done);
    }

    /// The same of a floating-point division or square root, which may be over at once.
    pub fn divide_float(&mut self, rd: u8, root: bool, double: bool, trivial: bool) {
        let latency = &self.latency;
        let cycles = match (trivial, root, double) {
            (true, ..) => latency.fp_divide_least,
            (_, false, false) => latency.fp_divide_single,
            (_, false, true) => latency.fp_divide_double,
            (_, true, false) => latency.fp_root_single,
            (_, true, true) => latency.fp_root_double,
        };
        let done = self.issued.max(self.float_divider) + Cycle::from(cycles);
        self.float_divider = done;
        self.delay(rd, done);
    }

    /// The result in place `rd` takes `cycles` from issue.
    pub fn takes(&mut self, rd: u8, cycles: u32) {
        self.delay(rd, self.issued + Cycle::from(cycles));
    }

    /// An empty one with the same latencies.
    #[must_use]
    pub fn empty(&self) -> Self {
        Self::new(self.latency.clone())
    }

    /// What the next instruction finds at `cycle`: the slots that are free for it in the cycle before, and which
    /// of the results in these `places` it might have to wait for, with how long that would be, early and late.
    #[must_use]
    pub fn under_way(&self, cycle: Cycle, places: &[u8]) -> (u8, Vec<(u8, [i32; 2])>) {
        let open = if self.open_at == cycle { self.open } else { 0 };
        let ahead = |at: Cycle| at.saturating_sub(cycle - 1) as i32 - 1;
        let pending = places.iter().filter_map(|&place| {
            let ready = self.ready[usize::from(place) % PLACES];
            let awaited = ready.early.max(ready.late) >= cycle;
            awaited.then(|| (place, [ahead(ready.early), ahead(ready.late)]))
        });
        (open, pending.collect())
    }

    /// How `op` issues, for translated code; `None`: it is of those that wait for something else.
    #[must_use]
    pub fn issues(&self, op: Op) -> Option<wide::Issue> {
        let cost = self.costs[usize::from(op.class()) % COSTS];
        let wait = match cost.wait {
            Wait::Early => wide::Wait::Early,
            Wait::Either => wide::Wait::Either,
            Wait::Stored => wide::Wait::Stored,
            Wait::All => wide::Wait::All,
            Wait::Three => return None,
        };
        Some(wide::Issue {
            sources: [op.rs1(), op.rs2()],
            result: op.rd(),
            slots: cost.slots,
            leaves: cost.leaves,
            wait,
            delays: [cost.early.into(), cost.late.into()],
            late_delays: [self.latency.load, self.latency.late_alu],
        })
    }

    /// What is under way, for translated code.
    #[inline]
    pub fn lend(&mut self) -> wide::Pending<'_> {
        wide::Pending {
            ready: bytemuck::cast_mut(&mut self.ready),
            all_ready: &mut self.all_ready,
            open: &mut self.open,
            open_at: &mut self.open_at,
            divider: &mut self.divider,
        }
    }

    /// The same pipeline at `cycle`, in one form: what is over is 0.
    #[must_use]
    pub fn settled(&self, cycle: Cycle) -> Self {
        let mut new = self.clone();
        if new.open == 0 || new.open_at != cycle {
            (new.open, new.open_at) = (0, 0);
        }
        // With the last one, an instruction would issue in the cycle that is over.
        let first = cycle - Cycle::from(new.open != 0);
        for ready in &mut new.ready {
            for at in [&mut ready.early, &mut ready.late] {
                if *at <= first {
                    *at = 0;
                }
            }
        }
        new
    }

    /// The latencies.
    #[must_use]
    pub fn latency(&self) -> &LatencyConfig {
        &self.latency
    }
}

/// What each class takes.
fn costs(latency: &LatencyConfig) -> [Cost; COSTS] {
    let both = SLOT_A | SLOT_B;
    let cost = |early: u32, late: u32, slots, wait| Cost {
        early: early.min(255) as u8,
        late: late.min(255) as u8,
        slots,
        leaves: match slots {
            SLOT_A => SLOT_B,
            SLOT_B => SLOT_A,
            both => both,
        },
        wait,
    };
    let slot_b = |cycles| cost(cycles, cycles, SLOT_B, Wait::Early);
    std::array::from_fn(|class| {
        let is = |of: Class| class == of as usize;
        if is(Class::Alu) {
            cost(1, 1, both, Wait::Either)
        } else if is(Class::SlotB) {
            cost(1, 1, SLOT_B, Wait::Either)
        } else if is(Class::Load) {
            cost(latency.load, latency.late_alu, SLOT_A, Wait::Early)
        } else if is(Class::Store) || is(Class::FloatStore) {
            cost(1, 1, SLOT_A, Wait::Stored)
        } else if is(Class::Branch) {
            cost(1, 1, SLOT_B, Wait::Either)
        } else if is(Class::Jump) {
            cost(1, 1, SLOT_B, Wait::Early)
        } else if is(Class::Multiply) {
            cost(latency.multiply, latency.late_alu, SLOT_B, Wait::Early)
        } else if is(Class::Divide) {
            slot_b(latency.divide_least)
        } else if is(Class::Atomic) {
            cost(latency.load, latency.late_alu, SLOT_A, Wait::Early)
        } else if is(Class::FloatLoad) {
            cost(latency.fp_load, latency.fp_load, SLOT_A, Wait::Early)
        } else if is(Class::FloatSum) {
            cost(latency.fp_double, latency.fp_double, SLOT_B, Wait::Three)
        } else if is(Class::FloatSimple) {
            slot_b(latency.fp_simple)
        } else if is(Class::FloatToInteger) {
            slot_b(latency.fp_to_integer)
        } else if is(Class::FloatFromInteger) || is(Class::FloatConvert) {
            slot_b(latency.fp_convert)
        } else if is(Class::FloatMoveTo) {
            slot_b(latency.fp_move_to_integer)
        } else if is(Class::FloatDivide) || is(Class::FloatRoot) {
            slot_b(latency.fp_divide_least)
        } else {
            cost(1, 1, 0, Wait::All)
        }
    })
}

impl crate::state::State for Pipeline {
    fn save(&self, to: &mut crate::state::Saver) {
        to.put(&self.ready[..]);
        to.put(&(self.open, self.open_at, self.divider, self.float_divider));
    }

    fn restore(&mut self, from: &mut crate::state::Restorer) -> Result<(), crate::state::Damaged> {
        let ready: Vec<Ready> = from.take()?;
        let right = ready.len() == PLACES
            && ready.iter().all(|r| {
                [r.early, r.late]
                    .iter()
                    .all(|at| plausible(*at) && *at < Cycle::MAX)
            });
        crate::state::require(right, "has a damaged pipeline")?;
        self.ready.copy_from_slice(&ready);
        let all = ready.iter().map(|ready| ready.early.max(ready.late));
        self.all_ready = all.max().unwrap_or(0);
        (self.open, self.open_at, self.divider, self.float_divider) = from.take()?;
        let times = [self.open_at, self.divider, self.float_divider];
        let right = self.open < 4 && times.iter().all(|at| plausible(*at) && *at < Cycle::MAX);
        crate::state::require(right, "has a damaged pipeline")
    }
}

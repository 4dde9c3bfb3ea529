// SPDX-License-Identifier: Apache-2.0
//! The performance-monitoring counters (SDM vol. 3, 15.9, and appendix A for the events): eighteen, each
//! with a configuration control register (CCCR), which names one of the event selection control
//! registers (ESCRs) that the counter can use.
//!
//! They read what the simulator counts anyway. A counter holds what it had when it was last brought up
//! to date, and what its event's count was then; each change of a register brings all up to date. So
//! counting takes nothing of the run loop, and overflows are seen when somebody looks. No interrupt
//! comes of them: there is no APIC.

use crate::counters::{Privilege, Tally, Totals};
use crate::state::{require, Damaged, Restorer, Saver, State};

/// How many counters there are.
pub const COUNTERS: usize = 18;
/// How many ESCRs (models 1 and 2 have them all).
const ESCRS: usize = 45;
/// The number of the first counter's register.
const FIRST_COUNTER: u32 = 0x300;
/// The number of the first CCCR.
const FIRST_CCCR: u32 = 0x360;
/// A counter has 40 bits.
const WIDTH: u32 = 40;
const COUNTER_MASK: u64 = (1 << WIDTH) - 1;

/// Bits of a CCCR. Cascades, thresholds and edges are not there: bits 18 to 24 and 30 cannot be set.
mod cccr {
    /// It counts.
    pub const ENABLE: u32 = 1 << 12;
    /// Which of the counter's ESCRs says what.
    pub const SELECT_SHIFT: u32 = 13;
    pub const SELECT: u32 = 7 << SELECT_SHIFT;
    /// Must be set; the counter stands otherwise.
    pub const MUST_BE_SET: u32 = 3 << 16;
    /// Each event is an overflow.
    pub const FORCE_OVERFLOW: u32 = 1 << 25;
    /// An overflow is an interrupt of the APIC: without one there is none.
    pub const INTERRUPT: u32 = 1 << 26;
    /// It has overflowed; software clears it.
    pub const OVERFLOW: u32 = 1 << 31;
    pub const IMPLEMENTED: u32 =
        ENABLE | SELECT | MUST_BE_SET | FORCE_OVERFLOW | INTERRUPT | OVERFLOW;
}

/// Bits of an ESCR.
mod escr {
    /// Events at levels 1 to 3 count.
    pub const USER: u32 = 1 << 2;
    /// Events at level 0 do.
    pub const SYSTEM: u32 = 1 << 3;
    /// The event mask: which of the event's conditions.
    pub const MASK_SHIFT: u32 = 9;
    pub const MASK: u32 = 0xffff;
    /// The event.
    pub const EVENT_SHIFT: u32 = 25;
    pub const EVENT: u32 = 0x3f;
    /// Bits 4 to 8 tag µops, which has no effect.
    pub const IMPLEMENTED: u32 = 0x7fff_fffc;
}

/// The units whose events the model counts, by the first of their two ESCRs.
mod unit {
    pub const BSU: u32 = 0x3a0;
    pub const FSB: u32 = 0x3a2;
    pub const PMH: u32 = 0x3ac;
    pub const BPU: u32 = 0x3b2;
    pub const ITLB: u32 = 0x3b6;
    pub const CRU: u32 = 0x3b8;
    pub const TBPU: u32 = 0x3c2;
    pub const TC: u32 = 0x3c4;
    /// ESCRs 2 and 3 of the CRU.
    pub const CRU2: u32 = 0x3cc;
}

/// One of the registers.
#[derive(Debug, Clone, Copy)]
enum Register {
    Counter(usize),
    Cccr(usize),
    Escr(usize),
}

impl Register {
    fn numbered(number: u32) -> Option<Self> {
        let within = |first: u32| {
            let n = number.wrapping_sub(first) as usize;
            (n < COUNTERS).then_some(n)
        };
        within(FIRST_COUNTER)
            .map(Self::Counter)
            .or_else(|| within(FIRST_CCCR).map(Self::Cccr))
            .or_else(|| place(number).map(Self::Escr))
    }
}

/// The place of the ESCR of this number among all.
fn place(number: u32) -> Option<usize> {
    let place = match number {
        0x3a0..=0x3be => number - 0x3a0,
        0x3c0..=0x3c5 => number - 0x3c0 + 31,
        0x3c8..=0x3cd => number - 0x3c8 + 37,
        0x3e0..=0x3e1 => number - 0x3e0 + 43,
        _ => return None,
    };
    Some(place as usize)
}

/// The unit that a counter's ESCR select means (SDM vol. 3, 15.9), if the model counts any of its
/// events.
fn selected_unit(counter: usize, select: u32) -> Option<u32> {
    Some(match (counter, select) {
        (0..=3, 0) => unit::BPU,
        (0..=3, 3) => unit::ITLB,
        (0..=3, 4) => unit::PMH,
        (0..=3, 6) => unit::FSB,
        (0..=3, 7) => unit::BSU,
        (4..=7, 1) => unit::TC,
        (4..=7, 2) => unit::TBPU,
        (12..=17, 4) => unit::CRU,
        (12..=17, 5) => unit::CRU2,
        _ => return None,
    })
}

/// Whether a counter uses the second ESCR of a unit.
fn uses_second(counter: usize) -> bool {
    matches!(counter, 2 | 3 | 6 | 7 | 10 | 11 | 14 | 15 | 17)
}

/// How often what `mask` chooses of a unit's event has happened. 0: the model does not count it.
fn happened(unit: u32, event: u32, mask: u32, counted: &Tally) -> u64 {
    let Tally {
        run,
        itlb,
        dtlb,
        l2,
        branch,
        trace,
        uop,
        ..
    } = counted;
    let chosen = |bits: u32| mask & bits != 0;
    let sum = |terms: &[(bool, u64)]| {
        let terms = terms.iter().filter(|(chosen, _)| *chosen);
        terms.fold(0, |sum: u64, (_, term)| sum.wrapping_add(*term))
    };
    let running = run.cycles.wrapping_sub(run.idle);
    let bit = |n: u32| 1 << n;
    match (unit, event) {
        // TC_deliver_mode: DELIVER, BUILD.
        (unit::TC, 0x01) => sum(&[
            (chosen(bit(2)), running.wrapping_sub(trace.build_cycles)),
            (chosen(bit(5)), trace.build_cycles),
        ]),
        // TC_misc: FLUSH, which counts twice.
        (unit::TC, 0x06) => sum(&[(chosen(bit(4)), trace.emptied.wrapping_mul(2))]),
        // BPU_fetch_request: TCMISS.
        (unit::BPU, 0x03) => sum(&[(chosen(bit(0)), trace.misses)]),
        // ITLB_reference: HIT, MISS.
        (unit::ITLB, 0x18) => sum(&[
            (chosen(bit(0)), itlb.accesses.wrapping_sub(itlb.misses)),
            (chosen(bit(1)), itlb.misses),
        ]),
        // page_walk_type: DTMISS, ITMISS.
        (unit::PMH, 0x01) => sum(&[(chosen(bit(0)), dtlb.misses), (chosen(bit(1)), itlb.misses)]),
        // BSQ_cache_reference: RD_2ndL_HITE, RD_2ndL_MISS. What stores ask for counts as read
        // (248966, B).
        (unit::BSU, 0x0c) => {
            let misses = l2.read_misses.wrapping_add(l2.write_misses);
            let all = l2.reads.wrapping_add(l2.writes);
            sum(&[
                (chosen(bit(1)), all.wrapping_sub(misses)),
                (chosen(bit(8)), misses),
            ])
        }
        // global_power_events: RUNNING.
        (unit::FSB, 0x13) => sum(&[(chosen(bit(0)), running)]),
        // retired_mispred_branch_type: CONDITIONAL, CALL, RETURN, INDIRECT, which has the two before.
        (unit::TBPU, 0x05) => {
            let indirect =
                branch.mispredicted_calls + branch.mispredicted_returns + branch.mispredicted_jumps;
            sum(&[
                (chosen(bit(1)), branch.mispredicted.wrapping_sub(indirect)),
                (chosen(bit(2) | bit(4)), branch.mispredicted_calls),
                (chosen(bit(3) | bit(4)), branch.mispredicted_returns),
                (chosen(bit(4)), branch.mispredicted_jumps),
            ])
        }
        // uops_retired: NBOGUS.
        (unit::CRU, 0x01) => sum(&[(chosen(bit(0)), uop.entered)]),
        // instr_retired: NBOGUSNTAG.
        (unit::CRU, 0x02) => sum(&[(chosen(bit(0)), run.instructions)]),
        // mispred_branch_retired: NBOGUS.
        (unit::CRU, 0x03) => sum(&[(chosen(bit(0)), branch.mispredicted)]),
        // branch_retired: MMNP, MMNM, MMTP, MMTM.
        (unit::CRU2, 0x06) => {
            let taken = [
                branch.taken.wrapping_sub(branch.mispredicted_taken),
                branch.mispredicted_taken,
            ];
            let all = [
                branch.executed.wrapping_sub(branch.mispredicted),
                branch.mispredicted,
            ];
            sum(&[
                (chosen(bit(0)), all[0].wrapping_sub(taken[0])),
                (chosen(bit(1)), all[1].wrapping_sub(taken[1])),
                (chosen(bit(2)), taken[0]),
                (chosen(bit(3)), taken[1]),
            ])
        }
        _ => 0,
    }
}

/// The counters and what they count.
#[derive(Debug, Clone)]
pub struct Pmu {
    /// What each had when it was last brought up to date.
    counters: [u64; COUNTERS],
    /// What its event's count was then.
    since: [u64; COUNTERS],
    cccrs: [u32; COUNTERS],
    escrs: [u32; ESCRS],
}

/// As reset leaves them. Counters and ESCRs are undefined then; here they are 0.
impl Default for Pmu {
    fn default() -> Self {
        Self {
            counters: [0; COUNTERS],
            since: [0; COUNTERS],
            cccrs: [0; COUNTERS],
            escrs: [0; ESCRS],
        }
    }
}

impl Pmu {
    /// Whether there is a register of this number.
    #[must_use]
    pub fn has(number: u32) -> bool {
        Register::numbered(number).is_some()
    }

    /// What a counter has when this was counted so far. `None`: there is none of this index.
    #[must_use]
    pub fn counter(&self, index: u32, counted: &Totals) -> Option<u64> {
        let n = usize::try_from(index).ok().filter(|n| *n < COUNTERS)?;
        Some(self.sum(n, counted) & COUNTER_MASK)
    }

    /// The register of this number. `None`: there is none.
    #[must_use]
    pub fn read(&self, number: u32, counted: &Totals) -> Option<u64> {
        Some(match Register::numbered(number)? {
            Register::Counter(n) => self.sum(n, counted) & COUNTER_MASK,
            Register::Cccr(n) => u64::from(self.cccr(n, counted)),
            Register::Escr(n) => u64::from(self.escrs[n]),
        })
    }

    /// Writes it. False: there is none, or it cannot have this value. Of a counter's the lower 40 bits
    /// are taken.
    #[must_use]
    pub fn write(&mut self, number: u32, value: u64, counted: &Totals) -> bool {
        let Some(register) = Register::numbered(number) else {
            return false;
        };
        let low = value as u32;
        let allowed = match register {
            Register::Counter(_) => u64::MAX,
            Register::Cccr(_) => cccr::IMPLEMENTED.into(),
            Register::Escr(_) => escr::IMPLEMENTED.into(),
        };
        if value & !allowed != 0 {
            return false;
        }
        for n in 0..COUNTERS {
            self.cccrs[n] = self.cccr(n, counted);
            self.counters[n] = self.sum(n, counted) & COUNTER_MASK;
        }
        match register {
            Register::Counter(n) => self.counters[n] = value & COUNTER_MASK,
            Register::Cccr(n) => self.cccrs[n] = low,
            Register::Escr(n) => self.escrs[n] = low,
        }
        for n in 0..COUNTERS {
            self.since[n] = self.selected(n, counted);
        }
        true
    }

    /// A counter, with what goes beyond its width.
    fn sum(&self, n: usize, counted: &Totals) -> u64 {
        self.counters[n].wrapping_add(self.new_events(n, counted))
    }

    /// What was counted since the counter was brought up to date.
    fn new_events(&self, n: usize, counted: &Totals) -> u64 {
        self.selected(n, counted).wrapping_sub(self.since[n])
    }

    /// A CCCR, with the overflow that has come about.
    fn cccr(&self, n: usize, counted: &Totals) -> u32 {
        let forced = self.cccrs[n] & cccr::FORCE_OVERFLOW != 0 && self.new_events(n, counted) != 0;
        let overflows = forced || self.sum(n, counted) > COUNTER_MASK;
        self.cccrs[n] | if overflows { cccr::OVERFLOW } else { 0 }
    }

    /// The count of what a counter's registers choose; of one that stands it stays 0.
    fn selected(&self, n: usize, counted: &Totals) -> u64 {
        const COUNTS: u32 = cccr::ENABLE | cccr::MUST_BE_SET;
        let cccr = self.cccrs[n];
        if cccr & COUNTS != COUNTS {
            return 0;
        }
        let Some(unit) = selected_unit(n, (cccr & cccr::SELECT) >> cccr::SELECT_SHIFT) else {
            return 0;
        };
        let Some(place) = place(unit + u32::from(uses_second(n))) else {
            return 0;
        };
        let escr = self.escrs[place];
        let event = escr >> escr::EVENT_SHIFT & escr::EVENT;
        let mask = escr >> escr::MASK_SHIFT & escr::MASK;
        [
            (escr::USER, Privilege::User),
            (escr::SYSTEM, Privilege::Kernel),
        ]
        .into_iter()
        .filter(|(bit, _)| escr & bit != 0)
        .map(|(_, privilege)| &counted.by_privilege[privilege as usize])
        .fold(0, |sum, tally| {
            sum.wrapping_add(happened(unit, event, mask, tally))
        })
    }
}

impl State for Pmu {
    fn save(&self, to: &mut Saver) {
        let Self {
            counters,
            since,
            cccrs,
            escrs,
        } = self;
        to.put(&(counters, since, cccrs));
        to.put(&escrs[..]);
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        const WHAT: &str = "has performance-monitoring registers that the processor has not";
        (self.counters, self.since, self.cccrs) = from.take()?;
        let escrs: Vec<u32> = from.take()?;
        self.escrs = escrs.try_into().map_err(|_| Damaged::from(WHAT))?;
        let right = self.counters.iter().all(|value| *value <= COUNTER_MASK)
            && self.cccrs.iter().all(|r| r & !cccr::IMPLEMENTED == 0)
            && self.escrs.iter().all(|r| r & !escr::IMPLEMENTED == 0);
        require(right, WHAT)
    }
}

// SPDX-License-Identifier: Apache-2.0
//! The pipeline's rules of time: what an instruction costs beyond its one issue cycle, and when its result
//! may be used. The rules are the SA-1110 Developer's Manual's table of instruction timings: an
//! instruction issues for a number of cycles, and one that needs its result waits for the result
//! delay. The numbers come from the machine file; what a line fill costs is in `memory/fill.rs`.

use switchyard_translator::Pending;

use crate::arm::config::PipelineConfig;
use crate::event::Cycle;
use crate::state::plausible;

/// Results that are not yet there, and the cycles of the machine's instruction groups.
#[derive(Debug, Clone)]
pub struct Pipeline {
    /// Cycles by instruction group.
    pub config: PipelineConfig,
    /// Registers whose result may still be delayed, one bit each.
    pending: u32,
    /// The cycle from which each register may be used.
    ready: [Cycle; 16],
    /// The cycle from which all may be.
    all_ready: Cycle,
    /// The cycle from which the multiplier is free.
    multiplier_free: Cycle,
}

impl Pipeline {
    /// A pipeline with no results under way.
    #[must_use]
    pub fn new(config: PipelineConfig) -> Self {
        Self {
            config,
            pending: 0,
            ready: [0; 16],
            all_ready: 0,
            multiplier_free: 0,
        }
    }

    /// Whether any of the registers in `sources` may still be delayed at `now`.
    #[inline]
    #[must_use]
    pub fn may_interlock(&self, sources: u16, now: Cycle) -> bool {
        now < self.all_ready && self.pending & u32::from(sources) != 0
    }

    /// The same pipeline at `now`, without what has come about by then: the one form in which a machine is
    /// saved, however its instructions ran.
    #[must_use]
    pub fn at(&self, now: Cycle) -> Self {
        let mut pipeline = self.clone();
        let coming = |cycle: Cycle| if cycle > now { cycle } else { 0 };
        pipeline.ready = self.ready.map(coming);
        pipeline.multiplier_free = coming(self.multiplier_free);
        pipeline.pending = 0;
        for (register, ready) in pipeline.ready.iter().enumerate() {
            pipeline.pending |= u32::from(*ready != 0) << register;
        }
        pipeline
    }

    /// For translated code.
    #[inline(always)]
    pub fn pending(&mut self) -> Pending<'_> {
        Pending {
            ready: &mut self.ready,
            registers: &mut self.pending,
            all_ready: &mut self.all_ready,
            multiplier_free: &mut self.multiplier_free,
        }
    }

    /// The pipeline was restored.
    pub fn follow_restored(&mut self) {
        self.all_ready = self.ready.into_iter().max().unwrap_or(0);
    }

    /// The cycle, not before `now`, at which all of `sources` are there.
    pub fn wait_for(&mut self, sources: u16, now: Cycle) -> Cycle {
        let mut until = now;
        let mut waiting = self.pending & u32::from(sources);
        while waiting != 0 {
            let register = waiting.trailing_zeros() as usize;
            until = until.max(self.ready[register]);
            waiting &= waiting - 1;
        }
        // Whoever waits has waited for all it reads.
        self.pending &= !u32::from(sources);
        until
    }

    /// Says that `register`, written by the instruction that has issued at `now`, may be used
    /// without waiting only `delay` cycles later.
    #[inline]
    pub fn delay_result(&mut self, register: usize, now: Cycle, delay: u32) {
        if delay != 0 && register != 15 {
            self.pending |= 1 << register;
            let then = now + Cycle::from(delay);
            self.ready[register] = then;
            self.all_ready = self.all_ready.max(then);
        }
    }

    /// Cycles of the multiplier array for multiplier operand `rs`: it retires a fixed number of
    /// bits a cycle and stops when the rest is sign (signed or 32-bit) or zero (unsigned long).
    #[must_use]
    pub fn multiply_cycles(&self, rs: u32, signed: bool) -> u32 {
        let magnitude = if signed {
            rs ^ ((rs as i32 >> 31) as u32)
        } else {
            rs
        };
        let step = self.config.multiply_bits_per_cycle;
        if step == 32 {
            // No early termination, and nothing to divide.
            return 1;
        }
        // One bit of the first step is the sign of the recoded operand.
        let significant = 33 - magnitude.leading_zeros();
        significant.div_ceil(step).clamp(1, 32u32.div_ceil(step))
    }

    /// Waits for the multiplier and occupies it for `cycles` from then on: there is one, and it
    /// is not pipelined. Returns the cycle at which the multiply issues.
    pub fn occupy_multiplier(&mut self, now: Cycle, cycles: u32) -> Cycle {
        let start = now.max(self.multiplier_free);
        self.multiplier_free = start + Cycle::from(cycles);
        start
    }
}

crate::saved!(Pipeline { pending, ready, multiplier_free } given { config, all_ready }
if |pipeline| pipeline.multiplier_free != Cycle::MAX && plausible(pipeline.multiplier_free)
    && pipeline.ready.iter().all(|&at| at != Cycle::MAX && plausible(at)));

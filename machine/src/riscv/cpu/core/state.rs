// SPDX-License-Identifier: Apache-2.0
//! What a saved machine knows of its core.

use crate::riscv::cpu::Observer;
use crate::riscv::isa::privilege::Privilege;
use crate::riscv::isa::register::{NOWHERE, PLACES};
use crate::state::{require, Damaged, Restorer, Saver, State};

use super::Core;

impl<O: Observer> State for Core<O> {
    fn save(&self, to: &mut Saver) {
        let Self {
            r,
            pc,
            next_pc: _, // set by each instruction
            privilege,
            csr,
            mem,
            pipeline,
            predictor,
            prices: _,
            identity: _,
            present: _,
            not_retired,
            waiting,
            host_target,
            taken: _, // what the last step did
            dead: _,  // has ended the run
            observer: _,
        } = self;
        let mut registers = *r;
        // Nobody reads what was written to x0.
        registers[usize::from(NOWHERE)] = 0;
        to.put(&registers[..]);
        to.put(&(pc, privilege, csr, not_retired, waiting, host_target));
        pipeline.settled(mem.platform.cycle).save(to);
        predictor.save(to);
        mem.save(to);
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        let registers: Vec<u64> = from.take()?;
        let right = registers.len() == PLACES && registers[0] == 0;
        require(right, "has other registers than the processor")?;
        self.r.copy_from_slice(&registers);
        let privilege: Privilege;
        (
            self.pc,
            privilege,
            self.csr,
            self.not_retired,
            self.waiting,
            self.host_target,
        ) = from.take()?;
        let right = self.csr.is_plausible(self.mem.isa().hpm_counters) && self.pc & 1 == 0;
        require(
            right,
            "has registers of the system that the processor has not",
        )?;
        let predictor = self.predictor.clone();
        self.pipeline.restore(from)?;
        self.predictor.restore(from)?;
        let right = self.predictor.is_like(&predictor);
        require(right, "has another branch prediction than the machine")?;
        self.mem.restore(from)?;
        let right = self.not_retired <= self.mem.platform.counters.fetches;
        require(right, "has damaged counters")?;
        self.privilege = privilege;
        self.follow_memory();
        self.taken = None;
        self.dead = None;
        Ok(())
    }
}

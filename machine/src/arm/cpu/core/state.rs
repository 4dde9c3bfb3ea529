// SPDX-License-Identifier: Apache-2.0
//! What a saved machine knows of its core. Between two instructions nothing else of it matters:
//! the fetched line is looked up again, which changes no count.

use crate::arm::cpu::semihosting::Semihosting;
use crate::arm::cpu::Observer;
use crate::arm::isa::mode::bank;
use crate::state::{require, Damaged, Restorer, Saver, State};

use super::Core;

impl<O: Observer> State for Core<O> {
    fn save(&self, to: &mut Saver) {
        let Self {
            r,
            next_pc: _, // none between two instructions
            cpsr,
            psr_implemented: _,
            insn_shift: _, // follows the T bit of cpsr
            banked,
            banked_high,
            spsr,
            mem,
            pipeline,
            processor_id: _,
            context_id,
            waiting,
            semihosting,
            taken: _, // what the last step did
            dead: _,  // has ended the run
            diagnostics,
            line_slot: _,
            single: _,
            observer: _,
        } = self;
        to.put(&(r, cpsr, banked, banked_high, spsr));
        to.put(&(context_id, waiting, semihosting, diagnostics));
        pipeline.at(mem.platform.cycle).save(to);
        mem.save(to);
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        let cpsr: u32;
        (self.r, cpsr, self.banked, self.banked_high, self.spsr) = from.take()?;
        let right = bank(cpsr).is_some() && cpsr & !self.psr_implemented == 0;
        require(right, "has a status register that the processor has not")?;
        self.cpsr = cpsr;
        self.follow_thumb_bit();
        let semihosting: Option<Box<Semihosting>>;
        (self.context_id, self.waiting, semihosting, self.diagnostics) = from.take()?;
        if let Some(semihosting) = semihosting {
            require(semihosting.is_plausible(), "has a damaged semihosting call")?;
            self.mem.platform.bus.host.input_is_semihosted = semihosting.takes_keys();
            self.semihosting = Some(semihosting);
        }
        self.pipeline.restore(from)?;
        self.pipeline.follow_restored();
        self.mem.restore(from)?;
        self.mem.set_privileged(self.privileged());
        self.refetch();
        self.taken = None;
        self.dead = None;
        Ok(())
    }
}

// SPDX-License-Identifier: Apache-2.0
//! What a saved machine knows of its core, between two instructions.

use crate::ia32::cpu::Observer;
use crate::ia32::isa::flags;
use crate::ia32::isa::insn::reg::NONE;
use crate::state::{require, Damaged, Restorer, Saver, State};

use super::Core;

impl<O: Observer> State for Core<O> {
    fn save(&self, to: &mut Saver) {
        let Self {
            r,
            eip,
            next_eip: _, // set by each instruction
            eflags,
            segments,
            cpl,
            gdtr,
            idtr,
            ldtr,
            tr,
            dr,
            watched,
            fpu,
            msrs,
            pmu,
            mem,
            waiting,
            shadow,
            suspended,
            resumed: _, // set by each instruction
            status_before,
            cursor,
            taken: _,
            dead: _,     // has ended the run
            identity: _, // the machine file gives it
            observer: _,
        } = self;
        to.put(&(r, eip, eflags, segments, cpl));
        to.put(&(gdtr, idtr, ldtr, tr));
        to.put(&(dr, watched, fpu, msrs));
        pmu.save(to);
        let suspended = suspended.then_some(*status_before);
        to.put(&(waiting, shadow, suspended, cursor));
        mem.save(to);
    }

    fn restore(&mut self, from: &mut Restorer) -> Result<(), Damaged> {
        (self.r, self.eip, self.eflags, self.segments, self.cpl) = from.take()?;
        let right = self.r[NONE] == 0
            && self.eflags & !flags::IMPLEMENTED == 0
            && self.eflags & flags::FIXED != 0
            && self.cpl < 4;
        require(right, "has registers that the processor has not")?;
        (self.gdtr, self.idtr, self.ldtr, self.tr) = from.take()?;
        (self.dr, self.watched, self.fpu, self.msrs) = from.take()?;
        require(
            self.fpu.is_sound(),
            "has a floating-point unit that none is",
        )?;
        self.pmu.restore(from)?;
        let suspended: Option<u32>;
        (self.waiting, self.shadow, suspended, self.cursor) = from.take()?;
        self.suspended = suspended.is_some();
        self.status_before = suspended.unwrap_or(0);
        require(
            self.status_before & !flags::STATUS == 0,
            "suspends an instruction with flags that the processor has not",
        )?;
        self.mem.restore(from)?;
        (self.taken, self.dead) = (None, None);
        Ok(())
    }
}

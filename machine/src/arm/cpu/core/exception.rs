// SPDX-License-Identifier: Apache-2.0
//! Taking exceptions (DDI 0100, A2.6), and the two ways in which a guest can be beyond help.

use crate::arch::Dead;
use crate::arm::cpu::Observer;
use crate::arm::isa::exception::{Entry, Exception};
use crate::arm::isa::{control, psr};
use crate::event::Cycle;

use super::Core;

impl<O: Observer> Core<O> {
    /// Takes an exception; `return_address` goes into the link register of its mode.
    pub(in crate::arm::cpu) fn take(&mut self, exception: Exception, return_address: u32) {
        let tally = &mut self.mem.platform.counters.now;
        *match exception {
            Exception::Undefined => &mut tally.exception.undefined,
            Exception::Swi => &mut tally.exception.swi,
            Exception::PrefetchAbort => &mut tally.abort.prefetch,
            Exception::DataAbort => &mut tally.abort.data,
            Exception::Irq => &mut tally.exception.irq,
            Exception::Fiq => &mut tally.exception.fiq,
        } += 1;
        let (offset, new_mode) = exception.entry();
        let saved = self.cpsr;
        let masks = psr::I
            | if exception == Exception::Fiq {
                psr::F
            } else {
                0
            };
        self.set_cpsr((saved & !(psr::MODE | psr::T)) | new_mode | masks);
        if let Some(spsr) = self.saved_psr() {
            *spsr = saved;
        }
        self.r[14] = return_address;
        let base = if self.mem.registers.control() & control::X != 0 {
            0xffff_0000
        } else {
            0
        };
        self.next_pc = Some(base + offset);
        self.mem.platform.cycle += Cycle::from(self.pipeline.config.exception_entry);
        self.taken = Some(exception);
        if O::ON {
            let entry = Entry {
                exception,
                return_address,
                saved,
                r: self.r,
            };
            self.observer.entered(&self.mem, &entry);
        }
    }

    pub(in crate::arm::cpu) fn prefetch_abort(&mut self, pc: u32) {
        self.mem.platform.cycle += 1;
        if self.mem.core.insn_fault_status {
            self.mem.registers.insn_fault_status = self.mem.fault.status_register();
        }
        self.take(Exception::PrefetchAbort, pc.wrapping_add(4));
        if self.next_pc == Some(pc) {
            self.die(format!(
                "prefetch abort at the prefetch abort vector {pc:#010x}: no handler is mapped there"
            ));
        }
        self.enter();
    }

    /// Goes on where the exception leads that was taken between two instructions.
    pub(in crate::arm::cpu) fn enter(&mut self) {
        if let Some(vector) = self.next_pc.take() {
            self.r[15] = vector;
        }
    }

    #[cold]
    #[inline(never)]
    pub(in crate::arm::cpu) fn data_abort(&mut self, pc: u32) {
        // SA-1110 DM §7.6: a data abort sets both registers, a prefetch abort neither; the
        // ARM926EJ-S has a second status register for that (TRM §3.6.2).
        let fault = self.mem.fault;
        self.mem.registers.fault_status = fault.status_register();
        self.mem.registers.fault_address = fault.mva;
        self.take(Exception::DataAbort, pc.wrapping_add(8));
    }

    /// The instruction that executes is undefined.
    pub(in crate::arm::cpu) fn undefined(&mut self) {
        let pc = self.pc();
        self.take(Exception::Undefined, self.following());
        if self.next_pc == Some(pc) {
            self.die(format!(
                "undefined instruction at the undefined instruction vector {pc:#010x}"
            ));
        }
    }

    /// A branch of an instruction to itself with interrupts masked never ends.
    #[cold]
    pub(in crate::arm::cpu) fn check_endless_branch(&mut self, target: u32) {
        if self.cpsr & (psr::I | psr::F) == psr::I | psr::F {
            self.dead = Some(Dead::NeverWakes(format!(
                "branch to itself at {target:#010x} with interrupts masked"
            )));
            self.mem.platform.horizon = 0;
        }
    }

    fn die(&mut self, message: String) {
        self.dead = Some(Dead::FaultsForever(message));
        self.mem.platform.horizon = 0;
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Traps, returns from them, and interrupts (II, "Trap-Handling" sections; "Machine Interrupt (mip and
//! mie) Registers").

use crate::arch::Dead;
use crate::counters;
use crate::event::Cycle;
use crate::riscv::cpu::core::Core;
use crate::riscv::cpu::Observer;
use crate::riscv::isa::cause::{Exception, INTERRUPT, INTERRUPT_ORDER};
use crate::riscv::isa::privilege::Privilege;
use crate::riscv::isa::status;
use crate::riscv::isa::system::Trap;
use crate::riscv::memory::mmu::pte;

impl<O: Observer> Core<O> {
    /// Takes the exception that the instruction at [`Core::pc`] has raised.
    #[cold]
    pub(in crate::riscv::cpu) fn exception(&mut self) {
        let fault = self.mem.fault;
        self.not_retired += 1;
        self.count(fault.exception);
        let from = self.privilege;
        let pc = self.pc;
        let before = self.taken;
        self.trap(fault.exception as u64, fault.value, pc);
        if self.next_pc == pc && self.privilege == from {
            let first = before.map_or_else(String::new, |trap| self.describe(&trap));
            self.dead = Some(Dead::FaultsForever(format!(
                "{} at its own handler, {pc:#x}, in {} mode{first}",
                fault.exception.name(),
                from.name()
            )));
            self.mem.platform.horizon = 0;
        }
    }

    /// What went wrong first, where a kernel has no handler: the registers tell the last trap alone.
    fn describe(&self, trap: &Trap) -> String {
        let Some(exception) = Exception::of(trap.cause) else {
            return String::new();
        };
        let (name, pc, value) = (exception.name(), trap.pc, trap.value);
        let mut text = format!("; before that, {name} at pc {pc:#x}");
        if !matches!(
            exception,
            Exception::FetchPage | Exception::LoadPage | Exception::StorePage
        ) {
            return text;
        }
        text += &format!(", address {value:#x}");
        let lacks = match self.mem.walk_now(self.csr.satp, value).leaf {
            None => "no valid page-table entry",
            Some((entry, _)) if entry & pte::A == 0 => "its page-table entry has no accessed bit",
            Some((entry, _)) if exception == Exception::StorePage && entry & pte::D == 0 => {
                "its page-table entry has no dirty bit"
            }
            Some(_) => return text,
        };
        text + " (" + lacks + ")"
    }

    fn count(&mut self, exception: Exception) {
        let now = &mut self.mem.platform.counters.now;
        match exception {
            Exception::Illegal | Exception::Breakpoint => now.exception.undefined += 1,
            Exception::CallFromUser
            | Exception::CallFromSupervisor
            | Exception::CallFromMachine => now.exception.swi += 1,
            Exception::FetchPage => now.page_fault.fetch += 1,
            Exception::LoadPage | Exception::StorePage => now.page_fault.data += 1,
            _ => {}
        }
    }

    /// Goes to the handler of `cause`.
    fn trap(&mut self, cause: u64, value: u64, pc: u64) {
        let interrupt = cause & INTERRUPT != 0;
        let number = cause & !INTERRUPT;
        let c = &mut self.csr;
        let delegated = if interrupt { c.mideleg } else { c.medeleg } >> number & 1 != 0;
        let from = self.privilege;
        let to = if delegated && from != Privilege::Machine {
            Privilege::Supervisor
        } else {
            Privilege::Machine
        };
        let state = c.mstatus;
        let vector = if to == Privilege::Supervisor {
            (c.scause, c.sepc, c.stval) = (cause, pc, value);
            let mut new = state & !(status::SPIE | status::SIE | status::SPP);
            if state & status::SIE != 0 {
                new |= status::SPIE;
            }
            if from == Privilege::Supervisor {
                new |= status::SPP;
            }
            c.mstatus = new;
            c.stvec
        } else {
            (c.mcause, c.mepc, c.mtval) = (cause, pc, value);
            let mut new = state & !(status::MPIE | status::MIE | status::MPP);
            if state & status::MIE != 0 {
                new |= status::MPIE;
            }
            c.mstatus = new | (from as u64) << status::MPP_SHIFT;
            c.mtvec
        };
        let vectored = vector & 1 != 0 && interrupt;
        let base = vector & !3;
        self.next_pc = if vectored { base + 4 * number } else { base };
        self.mem.platform.cycle += Cycle::from(self.mem.prices().trap);
        self.pipeline.close();
        self.set_privilege(to);
        let trap = Trap {
            cause,
            pc,
            value,
            from,
            to,
            vector: self.next_pc,
        };
        self.taken = Some(trap);
        if O::ON {
            self.observer.entered(&self.mem, &trap);
        }
    }

    /// Changes the level of privilege.
    pub(in crate::riscv::cpu) fn set_privilege(&mut self, to: Privilege) {
        let before = std::mem::replace(&mut self.privilege, to);
        let is_user = |privilege| privilege == Privilege::User;
        if is_user(before) != is_user(to) {
            self.mem.sync_counters();
            let next = if is_user(to) {
                counters::Privilege::User
            } else {
                counters::Privilege::Kernel
            };
            self.mem.platform.counters.switch_privilege(next);
        }
        self.follow_memory();
        self.interrupts_changed();
    }

    /// A debugger changes the level of privilege.
    pub fn debug_privilege(&mut self, to: Privilege) {
        self.set_privilege(to);
    }

    /// MRET.
    pub(in crate::riscv::cpu) fn machine_return(&mut self) {
        let to = self.previous_privilege();
        let c = &mut self.csr;
        let mut new = c.mstatus & !(status::MIE | status::MPP) | status::MPIE;
        if c.mstatus & status::MPIE != 0 {
            new |= status::MIE;
        }
        if to != Privilege::Machine {
            new &= !status::MPRV;
        }
        c.mstatus = new;
        self.next_pc = c.mepc;
        self.set_privilege(to);
    }

    /// SRET.
    pub(in crate::riscv::cpu) fn supervisor_return(&mut self) {
        let c = &mut self.csr;
        let to = if c.mstatus & status::SPP == 0 {
            Privilege::User
        } else {
            Privilege::Supervisor
        };
        let mut new = c.mstatus & !(status::SIE | status::SPP | status::MPRV) | status::SPIE;
        if c.mstatus & status::SPIE != 0 {
            new |= status::SIE;
        }
        c.mstatus = new;
        self.next_pc = c.sepc;
        self.set_privilege(to);
    }

    /// The interrupt that is to be taken now, by its number.
    fn interrupt(&self) -> Option<u32> {
        let c = &self.csr;
        let enabled = self.pending_interrupts() & c.mie;
        if enabled == 0 {
            return None;
        }
        let open = |level: Privilege, bit| {
            self.privilege < level || self.privilege == level && c.mstatus & bit != 0
        };
        let mut chosen = 0;
        if open(Privilege::Supervisor, status::SIE) {
            chosen = enabled & c.mideleg;
        }
        if open(Privilege::Machine, status::MIE) && enabled & !c.mideleg != 0 {
            chosen = enabled & !c.mideleg;
        }
        INTERRUPT_ORDER
            .into_iter()
            .find(|number| chosen >> number & 1 != 0)
    }

    /// What is pending or enabled has changed: the run loop looks before the next instruction, if there
    /// is anything to take.
    #[inline]
    pub(in crate::riscv::cpu) fn interrupts_changed(&mut self) {
        if self.csr.mie != 0 && self.interrupt().is_some() {
            self.mem.platform.horizon = 0;
        }
    }

    /// Wakes the core, and takes an interrupt, if there is one.
    pub(in crate::riscv::cpu) fn look_for_interrupt(&mut self) {
        if self.waiting && self.pending_interrupts() & self.csr.mie != 0 {
            self.waiting = false;
        }
        let Some(number) = self.interrupt() else {
            return;
        };
        self.mem.platform.counters.now.exception.irq += 1;
        self.trap(INTERRUPT | u64::from(number), 0, self.pc);
        self.pc = self.next_pc;
    }
}

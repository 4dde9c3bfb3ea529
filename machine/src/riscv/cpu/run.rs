// SPDX-License-Identifier: Apache-2.0
//! The loop that fetches and runs instructions, line by line of the instruction cache.

use switchyard_translator::wide::Exit;
use switchyard_translator::Why;

use crate::observe::{Access as Seen, Commit};
use crate::riscv::cpu::core::Core;
use crate::riscv::cpu::exec::{self, Handler, HANDLERS};
use crate::riscv::cpu::translation;
use crate::riscv::cpu::Observer;
use crate::riscv::isa::insn::{Encoding, Op};
use crate::riscv::isa::privilege::Privilege;
use crate::riscv::isa::register::NAMED;
use crate::riscv::memory::fault::Abort;
use crate::riscv::memory::memsys::LINE_OPS;

impl<O: Observer> Core<O> {
    const HANDLERS: [Handler<O>; HANDLERS] = exec::handlers::<O>();

    /// Runs instructions until the horizon.
    pub(super) fn run_to_horizon(&mut self) {
        let look = self.next_look();
        let platform = &mut self.mem.platform;
        platform.horizon = platform.horizon.min(look);
        if !O::ON && self.mem.translator().is_some() {
            self.run_translated();
        }
        while !self.at_horizon() {
            self.step_in_line();
            while self.in_line(self.pc) && !self.at_horizon() {
                let op = self.mem.op(self.pc);
                if !op.is_decoded() {
                    break;
                }
                self.mem.platform.counters.fetches += 1;
                self.execute(op);
            }
        }
        self.look_at_host_target();
    }

    /// Runs instructions until the horizon, by host code as far as there is any.
    fn run_translated(&mut self) {
        while !self.at_horizon() {
            let pc = self.pc;
            if !self.in_line(pc) && !self.mem.fetch_hinted(pc) {
                self.step_in_line();
                continue;
            }
            let why = match self.mem.lacks_translation(pc) {
                Some(why) => why,
                None => {
                    let Some(why) = self.run_host_code() else {
                        return;
                    };
                    why
                }
            };
            if self.at_horizon() {
                return;
            }
            match why {
                Why::Left => self.step_in_line(),
                Why::Horizon => self.run_sequence(),
                Why::Cold => self.run_cold(),
                Why::Line | Why::Aborted => {}
            }
        }
    }

    /// Runs host code from [`Core::pc`] on, which is in the line that was fetched last. Why it has come to an end.
    #[inline(always)]
    fn run_host_code(&mut self) -> Option<Why> {
        let (pending, predictor) = (self.pipeline.lend(), self.predictor.lend());
        let status = self.csr.mstatus;
        let system = self.csr.lend(self.privilege as u8);
        let (pc, registers) = (self.pc, &mut self.r);
        let exit = self
            .mem
            .run_translated(pc, registers, pending, predictor, system);
        let Exit { pc, why } = exit?;
        self.pc = pc;
        if self.csr.mstatus != status {
            let rights = self.data_rights();
            self.mem.set_rights(rights);
        }
        Some(why)
    }

    /// What is at [`Core::pc`], in the line that was fetched last, has been reached and is not translated: it is now, if
    /// that was often enough, or runs.
    #[inline(never)]
    fn run_cold(&mut self) {
        let pc = self.pc;
        if !self.mem.heats(pc) {
            self.run_sequence();
            return;
        }
        let next = self.mem.next_line_begins();
        if next.is_none() && self.mem.crosses(pc) {
            // It will be known when the interpreter has been there.
            self.step_in_line();
            return;
        }
        let stretch = translation::stretch(
            self.mem.line_bytes(),
            next,
            pc,
            self.mem.extensions,
            &self.pipeline,
            (&self.prices, self.mem.prices()),
        );
        self.mem.translate_line(pc, &stretch);
    }

    /// Runs the instruction at [`Core::pc`], which is in the line that was fetched last, and those that follow it
    /// there.
    #[inline(never)]
    fn run_sequence(&mut self) {
        loop {
            let following = self
                .pc
                .wrapping_add(u64::from(self.mem.op(self.pc).bytes()));
            self.step_in_line();
            if self.pc != following || !self.in_line(following) || self.at_horizon() {
                return;
            }
        }
    }

    #[inline(always)]
    fn at_horizon(&self) -> bool {
        self.mem.platform.cycle >= self.mem.platform.horizon
    }

    /// Whether `va` is in the line that was fetched last.
    #[inline(always)]
    fn in_line(&self, va: u64) -> bool {
        va & !(2 * LINE_OPS as u64 - 1) == self.mem.line
    }

    /// Fetches and runs one instruction, or takes the exception that its fetch raises.
    #[inline]
    pub fn step_in_line(&mut self) {
        self.mem.platform.counters.fetches += 1;
        match self.fetch() {
            Ok(op) => self.execute(op),
            Err(Abort) => {
                self.exception();
                self.pc = self.next_pc;
            }
        }
    }

    /// Fetches the instruction at [`Core::pc`].
    #[inline]
    fn fetch(&mut self) -> Result<Op, Abort> {
        if !self.in_line(self.pc) {
            self.mem.fetch(self.pc)?;
        }
        let op = self.mem.op(self.pc);
        if !op.is_decoded() {
            return self.mem.decode(self.pc);
        }
        Ok(op)
    }

    /// Executes the instruction at [`Core::pc`], and goes on to the next.
    #[inline(always)]
    fn execute(&mut self, op: Op) {
        let cycle = self.mem.platform.cycle;
        self.mem.platform.cycle = self.pipeline.issue(op, cycle);
        self.next_pc = self.pc.wrapping_add(u64::from(op.bytes()));
        let mut code = Encoding::default();
        if O::ON {
            code = self.encoding();
            let access = Seen {
                bytes: u32::from(op.bytes()),
                privileged: self.privilege != Privilege::User,
                ..self.seen(self.pc, 0)
            };
            self.observer.fetched(&self.mem, &access, code);
        }
        let executed = Self::HANDLERS[usize::from(op.kind())](self, op).is_ok();
        if !executed {
            self.exception();
        }
        if O::ON && self.observer.sees_commits() {
            self.observer.commit(&Commit {
                cycle: self.mem.platform.cycle,
                pc: self.pc,
                code,
                executed,
                next_pc: self.next_pc,
                mode: self.privilege as u32,
                registers: &self.r[..NAMED],
                status: self.csr.mstatus,
                memory: &self.mem,
            });
        }
        self.pc = self.next_pc;
    }
}

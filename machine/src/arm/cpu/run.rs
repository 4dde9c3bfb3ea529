// SPDX-License-Identifier: Apache-2.0
//! The loop that fetches and runs instructions: line by line of the instruction cache where it can,
//! one by one where it must.

use switchyard_translator::{Exit, Instruction, Why};

use crate::arm::cpu::core::{Core, Diagnostic};
use crate::arm::cpu::exec::Handler;
use crate::arm::cpu::translated::Translated;
use crate::arm::cpu::translation::describe;
use crate::arm::cpu::{exec, Observer};
use crate::arm::isa::encoding::Encoding;
use crate::arm::isa::insn::Op;
use crate::arm::isa::psr;
use crate::arm::memory::line::{line_address, line_offset, LINE_BYTES, LINE_WORDS};
use crate::arm::memory::memsys::{Abort, Decoded, Fetched, Ops, NO_LINE};
use crate::cache::HINTS;
use crate::observe::{Access, Commit};

impl<O: Observer> Core<O> {
    const HANDLERS: [Handler<O>; 256] = exec::handlers();

    /// Runs instructions until the horizon of the memory system.
    #[inline]
    pub fn run_to_horizon(&mut self) {
        let decoded = self.mem.decoded();
        while !self.at_horizon() {
            if !O::ON && self.mem.translator().is_some() {
                if self.thumb() {
                    self.run_state_translated::<1>(&decoded);
                } else {
                    self.run_state_translated::<2>(&decoded);
                }
            } else if self.thumb() {
                self.run_state::<1>(&decoded);
            } else {
                self.run_state::<2>(&decoded);
            }
        }
    }

    /// The same as [`Core::run_state`], by host code as far as there is any.
    fn run_state_translated<const SHIFT: u32>(&mut self, decoded: &Decoded) {
        while !self.at_horizon() {
            let pc = self.r[15];
            if !self.mem.in_line(pc) {
                if let Some(slot) = self.mem.fetch_hinted(pc, SHIFT == 1) {
                    self.run_in(pc, slot);
                } else if !self.look_up_line(pc) {
                    continue;
                } else if self.at_horizon() {
                    // What has been fetched is executed, however long that took.
                    self.r[15] = self.run_one::<SHIFT>(pc, decoded);
                    return;
                }
            }
            let place = (line_offset(pc) >> SHIFT) as usize;
            match self.mem.lacks_translation(self.line_slot, place) {
                None => {}
                Some(Why::Cold) => {
                    self.run_cold::<SHIFT>(pc, decoded);
                    continue;
                }
                Some(_) => {
                    self.r[15] = self.run_one::<SHIFT>(pc, decoded);
                    continue;
                }
            }
            let Some(Exit { pc, why }) = self.run_translated::<SHIFT>() else {
                return;
            };
            if why == Why::Aborted {
                self.r[15] = pc.wrapping_add(2 << SHIFT);
                self.data_abort(pc);
                self.r[15] = self.next::<SHIFT>(pc);
                continue;
            }
            self.r[15] = pc;
            if self.at_horizon() {
                return;
            }
            match why {
                Why::Left => self.r[15] = self.run_one::<SHIFT>(pc, decoded),
                Why::Horizon => self.r[15] = self.run_line::<SHIFT>(pc, decoded),
                Why::Cold => self.run_cold::<SHIFT>(pc, decoded),
                Why::Line | Why::Aborted => {}
            }
        }
    }

    /// Runs host code from the next instruction on, which is in the line that was fetched last.
    #[inline(always)]
    fn run_translated<const SHIFT: u32>(&mut self) -> Option<Exit> {
        let mut translator = self.mem.borrow_translator()?;
        let exit = translator.run(&mut Translated::<O, SHIFT>(self));
        self.mem.return_translator(translator);
        Some(exit)
    }

    /// Runs the instruction at `pc`, which is in the line that was fetched last. Returns where the next one is.
    #[inline(always)]
    fn run_one<const SHIFT: u32>(&mut self, pc: u32, decoded: &Decoded) -> u32 {
        let ops = decoded.ops(self.line_slot, (line_offset(pc) >> SHIFT) as usize);
        self.mem.platform.counters.fetches += 1;
        self.execute_in::<SHIFT>(pc, ops.get(Ops::place(pc >> SHIFT)));
        self.next::<SHIFT>(pc)
    }

    /// The same, and those that follow it in the line. If it has been reached often enough, it is translated
    /// instead.
    #[inline(never)]
    fn run_cold<const SHIFT: u32>(&mut self, pc: u32, decoded: &Decoded) {
        let place = (line_offset(pc) >> SHIFT) as usize;
        if self.mem.heats(self.line_slot, place) {
            let count = LINE_BYTES >> SHIFT;
            let config = &self.pipeline.config;
            let line: Vec<Instruction> = (0..count as usize)
                .map(|n| describe(self.mem.op(self.line_slot, n), n, SHIFT, config))
                .collect();
            self.mem.translate_line(self.line_slot, place, &line);
            return;
        }
        let mut pc = pc;
        loop {
            let next = self.run_one::<SHIFT>(pc, decoded);
            self.r[15] = next;
            if next != pc.wrapping_add(1 << SHIFT) || self.at_horizon() || !self.mem.in_line(next) {
                return;
            }
            pc = next;
        }
    }

    #[inline(always)]
    fn at_horizon(&self) -> bool {
        self.mem.platform.cycle >= self.mem.platform.horizon
    }

    /// Runs instructions until the horizon, to which a change of state leads as well. `SHIFT` is the
    /// state, as in [`Core::insn_shift`], a constant here.
    #[inline(always)]
    fn run_state<const SHIFT: u32>(&mut self, decoded: &Decoded) {
        while !self.at_horizon() {
            let pc = self.r[15];
            if line_address(pc) != self.mem.line {
                if let Some(slot) = self.mem.fetch_hinted(pc, SHIFT == 1) {
                    self.run_in(pc, slot);
                } else if !self.look_up_line(pc) {
                    continue;
                }
            }
            self.r[15] = self.run_line::<SHIFT>(pc, decoded);
        }
    }

    /// Looks up the line of `pc`. False: there is none to be run, and the instruction, or its
    /// prefetch abort, is done.
    #[inline(never)]
    fn look_up_line(&mut self, pc: u32) -> bool {
        let fetched = self.fetch(pc);
        if fetched.is_ok() && self.mem.line != NO_LINE {
            return true;
        }
        if HINTS && fetched.is_ok() && self.single.is_none() {
            if self.thumb() {
                self.run_arriving::<1>(pc);
            } else {
                self.run_arriving::<2>(pc);
            }
            return false;
        }
        self.mem.platform.counters.fetches += 1;
        match fetched {
            Ok(op) => self.execute(pc, op),
            Err(Abort) => self.prefetch_abort(pc),
        }
        false
    }

    /// Runs the instruction at `pc`, which has come, and those after it in its line as each comes,
    /// until the line is all there.
    fn run_arriving<const SHIFT: u32>(&mut self, pc: u32) {
        let (line, slot) = (line_address(pc), self.line_slot);
        let privileged = self.privileged();
        let mut pc = pc;
        self.mem.line = line;
        loop {
            self.mem.platform.counters.fetches += 1;
            let op = self.mem.op(slot, (line_offset(pc) >> SHIFT) as usize);
            self.execute_in::<SHIFT>(pc, op);
            pc = self.next::<SHIFT>(pc);
            self.r[15] = pc;
            let left = line_address(pc) != self.mem.line || self.at_horizon();
            if left && (self.mem.line != line || self.mem.insn_line_arrives(slot)) {
                // Whoever comes next must wait for what has not come.
                self.mem.line = NO_LINE;
                return;
            }
            if left || !self.mem.await_next_insn(slot, pc) {
                let thumb = SHIFT == 1;
                self.mem.remember_insn_line(slot, line, privileged, thumb);
                return;
            }
        }
    }

    /// The line of `pc` is in `slot`.
    #[inline(always)]
    fn run_in(&mut self, pc: u32, slot: usize) {
        self.mem.line = line_address(pc);
        self.line_slot = slot;
        self.single = None;
    }

    /// Runs the instruction at `pc`, which is in the line that was fetched last, and those after it
    /// as long as they are and the horizon has not come. Returns where the next one is.
    ///
    /// Within a sequence the horizon alone is looked at: whoever forgets the line moves it.
    #[inline(always)]
    fn run_line<const SHIFT: u32>(&mut self, pc: u32, decoded: &Decoded) -> u32 {
        let mut pc = pc;
        loop {
            let ops = decoded.ops(self.line_slot, (line_offset(pc) >> SHIFT) as usize);
            for place in Ops::place(pc >> SHIFT)..LINE_WORDS {
                self.mem.platform.counters.fetches += 1;
                self.execute_in::<SHIFT>(pc, ops.get(place));
                let next = self.next::<SHIFT>(pc);
                let in_sequence = next == pc.wrapping_add(1 << SHIFT);
                pc = next;
                if !in_sequence || self.at_horizon() {
                    break;
                }
            }
            if line_address(pc) != self.mem.line || self.at_horizon() {
                return pc;
            }
        }
    }

    /// Where the instruction after the one at `pc` is, which has executed.
    #[inline(always)]
    fn next<const SHIFT: u32>(&mut self, pc: u32) -> u32 {
        match self.next_pc {
            None => pc.wrapping_add(1 << SHIFT),
            Some(target) => {
                self.next_pc = None;
                target
            }
        }
    }

    /// Fetches and runs one instruction, or takes its prefetch abort.
    pub fn step(&mut self) {
        let pc = self.r[15];
        self.mem.platform.counters.fetches += 1;
        match self.fetch(pc) {
            Ok(op) => self.execute(pc, op),
            Err(Abort) => self.prefetch_abort(pc),
        }
    }

    fn fetch(&mut self, pc: u32) -> Result<Op, Abort> {
        Ok(match self.mem.fetch(pc, self.privileged(), self.thumb())? {
            Fetched::Line(slot) => {
                self.run_in(pc, slot);
                if !HINTS || self.mem.insn_line_arrives(slot) {
                    self.mem.line = NO_LINE;
                }
                self.mem
                    .op(slot, (line_offset(pc) >> self.insn_shift) as usize)
            }
            Fetched::Single(op, encoding) => {
                self.mem.line = NO_LINE;
                self.single = Some(encoding);
                op
            }
        })
    }

    #[inline]
    fn execute(&mut self, pc: u32, op: Op) {
        self.r[15] = if self.thumb() {
            self.execute_in::<1>(pc, op);
            self.next::<1>(pc)
        } else {
            self.execute_in::<2>(pc, op);
            self.next::<2>(pc)
        };
    }

    /// Executes the instruction at `pc`; [`Core::next`] says what comes after it.
    #[inline(always)]
    fn execute_in<const SHIFT: u32>(&mut self, pc: u32, op: Op) {
        let mut now = self.mem.platform.cycle;
        if self.pipeline.may_interlock(op.sources, now) {
            now = self.pipeline.wait_for(op.sources, now);
        }
        self.mem.platform.cycle = now + 1;
        let executed = self.condition_holds(op.cond);
        let seen = O::ON && self.observer.sees_commits();
        let mut code = Encoding::default();
        if O::ON {
            let access = Access {
                cycle: now + 1,
                pc: pc.into(),
                va: pc.into(),
                bytes: 1 << SHIFT,
                privileged: self.privileged(),
            };
            let expected = !seen
                && self.single.is_none()
                && self.observer.expects(&self.mem, &access, self.line_slot);
            if !expected {
                self.r[15] = pc.wrapping_add(2 << SHIFT);
                code = self.encoding(pc);
                self.observer.fetched(&self.mem, &access, code);
            }
        }
        if executed {
            self.r[15] = pc.wrapping_add(2 << SHIFT);
            if Self::HANDLERS[op.kind.0 as usize](self, op.insn).is_err() {
                self.data_abort(pc);
            }
        } else if op.cond == 15 {
            self.diagnose(Diagnostic::NeverCondition, pc);
        }
        if seen {
            let next_pc = self.next_pc.unwrap_or(pc.wrapping_add(1 << SHIFT));
            self.r[15] = next_pc;
            self.observer.commit(&Commit {
                cycle: self.mem.platform.cycle,
                pc: pc.into(),
                code,
                executed,
                next_pc: next_pc.into(),
                mode: self.cpsr() & psr::MODE,
                registers: &self.r,
                status: self.cpsr(),
                memory: &self.mem,
            });
        }
    }

    /// The encoding of the instruction at `pc`, which has just been fetched.
    fn encoding(&self, pc: u32) -> Encoding {
        let thumb = self.thumb();
        let word = match self.single {
            Some(word) => word,
            None => match self.mem.encoding(self.line_slot, pc) {
                word if thumb => (word >> (8 * (pc & 2))) & 0xffff,
                word => word,
            },
        };
        Encoding { word, thumb }
    }

    /// Whether a condition field holds under the current flags (DDI 0100, A3.2).
    #[inline]
    fn condition_holds(&self, cond: u8) -> bool {
        // For each condition, the set of NZCV values under which it holds, as a bit mask.
        const HOLDS: [u16; 16] = condition_masks();
        cond == 14 || HOLDS[usize::from(cond % 16)] & (1 << (self.cpsr() >> 28)) != 0
    }
}

/// For each condition field the NZCV values under which it holds (DDI 0100, table A3-1).
const fn condition_masks() -> [u16; 16] {
    let mut masks = [0; 16];
    let mut flags = 0;
    while flags < 16 {
        let (n, z, c, v) = (
            flags & 8 != 0,
            flags & 4 != 0,
            flags & 2 != 0,
            flags & 1 != 0,
        );
        let holds = [
            z,
            !z,
            c,
            !c,
            n,
            !n,
            v,
            !v,
            c && !z,
            !c || z,
            n == v,
            n != v,
            !z && n == v,
            z || n != v,
            true,
            false,
        ];
        let mut cond = 0;
        while cond < 16 {
            if holds[cond] {
                masks[cond] |= 1 << flags;
            }
            cond += 1;
        }
        flags += 1;
    }
    masks
}

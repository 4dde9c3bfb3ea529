// SPDX-License-Identifier: Apache-2.0
//! The loop that runs instructions, line by line of the trace cache or one at a time, and how they are
//! fetched and decoded.

use std::rc::Rc;

use switchyard_translator::traces::Why;

use crate::ia32::cpu::exec::{self, Handler, ROOM};
use crate::ia32::cpu::timing::Timing;
use crate::ia32::cpu::Observer;
use crate::ia32::isa::cost::{Branch, Course};
use crate::ia32::isa::decoder::{self, Bytes};
use crate::ia32::isa::encoding::Encoding;
use crate::ia32::isa::exception::Fault;
use crate::ia32::isa::flags;
use crate::ia32::isa::insn::{Insn, Seg};
use crate::ia32::memory::hierarchy::Sixth;
use crate::ia32::memory::mmu;
use crate::ia32::memory::pipeline::Pipeline;
use crate::ia32::memory::trace_cache::line::{Line, Step, LINE_UOPS};
use crate::ia32::memory::trace_cache::Key;

use super::core::{Core, Shadow, PAGE_OFFSET};
use super::translation;

/// Where a decoded instruction is: the slot of its line, and its number there.
type Place = (usize, usize);

impl<O: Observer> Core<O> {
    const HANDLERS: [Handler<O>; ROOM] = exec::handlers();

    /// Runs instructions until the horizon of the memory system.
    pub fn run_to_horizon(&mut self) {
        self.mem.time.wake(&self.mem.platform);
        while self.mem.platform.cycle < self.mem.platform.horizon {
            if self.steps_singly() {
                self.step();
                continue;
            }
            self.run_lines();
        }
    }

    /// Runs line after line until the horizon, and an instruction that can be in none.
    fn run_lines(&mut self) {
        let end = Timing::start_of(self.mem.platform.horizon);
        while !self.mem.time.has_come_to(end) && self.mem.platform.horizon != 0 {
            match self.find_line() {
                Ok(Some((slot, 0))) if !O::ON && self.mem.traces.translator().is_some() => {
                    self.run_translated_line(slot, end);
                }
                Ok(Some((slot, n))) => self.run_line(slot, n, end),
                Ok(None) => {
                    self.mem.time.tell(&mut self.mem.platform);
                    self.step();
                }
                Err(fault) => self.take_fault(fault),
            }
        }
        self.mem.time.tell(&mut self.mem.platform);
    }

    /// Whether something is to be looked at between each two instructions: a trap, a breakpoint, what
    /// the last instruction has held off. Whatever changes this ends the quantum.
    #[inline(always)]
    fn steps_singly(&self) -> bool {
        self.eflags & (flags::TF | flags::RF) != 0
            || self.has_breakpoints()
            || self.shadow != Shadow::Nothing
    }

    /// Runs the line in `slot` from its beginning, and those that follow, by host code as far as there is any.
    fn run_translated_line(&mut self, slot: usize, end: Sixth) {
        let (mut slot, mut n) = (slot, 0);
        while self.may_run_translated() {
            if self.is_cold(slot) && !self.translate_line(slot) {
                break;
            }
            let Some(exit) = self.run_translated(slot, end) else {
                break;
            };
            if exit.why == Why::Line {
                return;
            }
            (slot, n) = (exit.slot, exit.step);
            if exit.why == Why::Left {
                break;
            }
            if exit.why == Why::Window {
                self.mem.time.move_window();
            }
        }
        // The first instruction of a line runs however long it took to find it.
        if n > 0 && self.mem.time.has_come_to(end) {
            self.remain_in_line(slot, n);
        } else if n < self.mem.traces.count(slot) {
            self.run_line(slot, n, end);
        }
    }

    #[inline]
    fn is_cold(&mut self, slot: usize) -> bool {
        let translator = self.mem.traces.translator();
        translator.is_some_and(|translator| translator.is_cold(slot))
    }

    /// The line in `slot`, whose first instruction is next, is not translated. `true`: it is by now.
    fn translate_line(&mut self, slot: usize) -> bool {
        let hot = self.mem.traces.heats(slot);
        if hot {
            let line = self.mem.traces.line(slot);
            let stretch = translation::stretch(line, self.pc(), &self.mem.time);
            self.mem.traces.translate_line(slot, &stretch);
        }
        hot && !self.is_cold(slot)
    }

    /// Runs the instructions of the line in `slot` from number `first` on, which is that at EIP, as long as
    /// they follow each other and the horizon has not come, which is at `end`. What every instruction may do is looked after
    /// where it may be done ([`Course`]); observers see them one like another.
    #[inline]
    fn run_line(&mut self, slot: usize, first: usize, end: Sixth) {
        let line = Rc::clone(self.mem.traces.line(slot));
        if self.suspended && line.steps()[first].cost.course != Course::Any {
            // A debugger has gone elsewhere.
            self.suspended = false;
        }
        for (n, step) in line.steps()[first..].iter().enumerate() {
            let after = self.eip.wrapping_add(u32::from(step.insn.length));
            match step.cost.course {
                Course::Computes if !O::ON => {
                    self.compute(step, after);
                    if !self.mem.time.has_come_to(end) {
                        continue;
                    }
                }
                Course::Accesses if !O::ON => {
                    if !self.access(step, after) {
                        break;
                    }
                    if !self.mem.time.has_come_to(end) && self.mem.platform.horizon != 0 {
                        continue;
                    }
                }
                Course::Jumps if !O::ON && self.jumps(step, after) => {
                    if self.eip == after && !self.mem.time.has_come_to(end) {
                        continue;
                    }
                }
                _ => {
                    if !self.run_any(&line, first + n, after) {
                        break;
                    }
                    let ends = self.mem.time.has_come_to(end) || self.mem.platform.horizon == 0;
                    if self.eip == after && !ends {
                        continue;
                    }
                }
            }
            self.leave_line(slot, first + n, after);
            break;
        }
    }

    /// Runs an instruction that computes.
    #[inline(always)]
    fn compute(&mut self, step: &Step, after: u32) {
        self.mem
            .time
            .pass_through(&step.cost, &mut self.mem.platform);
        let done = Self::HANDLERS[usize::from(step.operation) % ROOM](self, &step.insn);
        debug_assert!(done.is_ok());
        self.eip = after;
        self.mem.platform.counters.fetches += 1;
    }

    /// Runs an instruction that accesses memory. False: it has faulted.
    #[inline(always)]
    fn access(&mut self, step: &Step, after: u32) -> bool {
        self.mem
            .time
            .begin_flowing(&step.cost, &mut self.mem.platform);
        let done = Self::HANDLERS[usize::from(step.operation) % ROOM](self, &step.insn);
        if let Err(fault) = done {
            self.take_fault(fault);
            return false;
        }
        self.mem.time.finish_flowing(&step.cost);
        self.eip = after;
        self.mem.platform.counters.fetches += 1;
        true
    }

    #[cold]
    fn take_fault(&mut self, fault: Fault) {
        self.mem.time.tell(&mut self.mem.platform);
        self.mem.platform.counters.fetches += 1;
        self.raise(fault);
    }

    /// Runs a jump, conditional or not. False: it would fault, and nothing was done.
    #[inline(always)]
    fn jumps(&mut self, step: &Step, after: u32) -> bool {
        let Step { cost, insn, .. } = step;
        let mut next = after;
        if cost.branch == Branch::None || flags::holds(insn.reg, self.eflags) {
            next = after.wrapping_add(insn.imm);
            if !self.segments[Seg::Cs as usize].contains(next, 1) {
                return false;
            }
        }
        self.mem.time.pass_through(cost, &mut self.mem.platform);
        self.next_eip = next;
        self.predict(cost.branch, insn, after);
        self.eip = next;
        self.mem.platform.counters.fetches += 1;
        true
    }

    /// Runs instruction `n` of `line`, whatever it is. False: it has faulted.
    #[inline]
    fn run_any(&mut self, line: &Line, n: usize, after: u32) -> bool {
        let Step { cost, insn, .. } = &line.steps()[n];
        self.mem.time.tell(&mut self.mem.platform);
        if O::ON {
            self.show_fetch(line.code(n));
        }
        self.next_eip = after;
        self.resumed = std::mem::take(&mut self.suspended);
        self.mem.time.begin(cost, &mut self.mem.platform);
        let pc = self.pc();
        let done = Self::HANDLERS[usize::from(line.steps()[n].operation) % ROOM](self, insn);
        if let Err(fault) = done {
            self.take_fault(fault);
            return false;
        }
        self.mem.time.finish(cost);
        self.predict(cost.branch, insn, after);
        if O::ON {
            self.mem.time.tell(&mut self.mem.platform);
            if self.observer.sees_commits() {
                self.show_commit(pc, insn, line.code(n));
            }
        }
        self.eip = self.next_eip;
        self.mem.platform.counters.fetches += u64::from(!self.suspended);
        true
    }

    /// The quantum ends after instruction `n` of the line in `slot`: what follows in it, or the rest
    /// of a repeated instruction, is gone on with from there.
    #[inline]
    fn leave_line(&mut self, slot: usize, n: usize, after: u32) {
        if self.suspended {
            self.remain_in_line(slot, n);
        } else if self.eip == after {
            self.remain_in_line(slot, n + 1);
        }
    }

    /// The quantum ends before instruction `n` of the line in `slot`, if there is one.
    #[inline]
    fn remain_in_line(&mut self, slot: usize, n: usize) {
        if n < self.mem.traces.count(slot) {
            self.cursor = self.mem.traces.cursor(slot, n, self.pc());
        }
    }

    /// An instruction has executed: if it was a branch, was it predicted?
    #[inline(always)]
    fn predict(&mut self, branch: Branch, insn: &Insn, after: u32) {
        if branch == Branch::None {
            return;
        }
        let base = self.segments[Seg::Cs as usize].base;
        let [after, next] = [after, self.next_eip].map(|offset| base.wrapping_add(offset));
        let backward = (insn.imm as i32) < 0;
        self.mem
            .time
            .branch(branch, after, next, backward, &mut self.mem.platform);
    }

    /// The slot of the line of EIP, made if there is none, and the instruction in it. `None`: it can be in
    /// none.
    ///
    /// # Errors
    /// It cannot be fetched.
    #[inline(always)]
    fn find_line(&mut self) -> Result<Option<Place>, Fault> {
        let cs = &self.segments[Seg::Cs as usize];
        let linear = cs.base.wrapping_add(self.eip);
        let key = Key::new(linear, cs.is_32bit(), self.cpl == 3);
        if self.cursor.is_set() {
            let cursor = std::mem::take(&mut self.cursor);
            if let Some(found) = self.mem.traces.follow(cursor, key) {
                return Ok(Some(found));
            }
        }
        self.mem.platform.counters.now.trace.lookups += 1;
        let slot = match self.mem.traces.find(key) {
            Some(slot) => slot,
            None => match self.make_line(key, linear)? {
                Some(slot) => slot,
                None => return Ok(None),
            },
        };
        // Another segment may end before the line does.
        let cs = &self.segments[Seg::Cs as usize];
        let whole = cs.is_flat() || cs.contains(self.eip, self.mem.traces.line(slot).bytes());
        Ok(whole.then_some((slot, 0)))
    }

    /// Makes the line of the instruction at EIP, whose linear address is `linear`.
    #[inline(never)]
    fn make_line(&mut self, key: Key, linear: u32) -> Result<Option<usize>, Fault> {
        self.mem.platform.counters.now.trace.misses += 1;
        let cs = &self.segments[Seg::Cs as usize];
        let mut first = None;
        if cs.contains(self.eip, PAGE_OFFSET + 1) {
            let pa = self.mem.translate(linear, self.fetching())?;
            if let Some(slot) = self.mem.keep_known(key, linear, pa) {
                return Ok(Some(slot));
            }
            first = Some(pa);
        }
        let (insn, code) = self.fetch(first)?;
        let cost = self.mem.traces.cost(&insn);
        let mut line = Line::of(insn, code, cost);
        let last = linear.wrapping_add(u32::from(insn.length) - 1);
        let mut uops = insn.uops();
        let big = self.segments[Seg::Cs as usize].is_32bit();
        if (linear ^ last) & !PAGE_OFFSET == 0 {
            // The rest of the page, where memory is: it can be fetched as the first instruction could.
            let room = PAGE_OFFSET - (last & PAGE_OFFSET);
            let mem = &self.mem;
            let rest = mem.insn_address(last).and_then(|pa| {
                mem.platform
                    .bus
                    .ram_slice(pa.wrapping_add(1), room as usize)
            });
            let mut bytes = rest.unwrap_or_default();
            let mut ends = insn.ends_trace();
            line.end_before(ends.then(Encoding::default));
            while !ends {
                let Ok(insn) = decoder::decode(&mut bytes.iter(), big) else {
                    break;
                };
                let (own, others) = bytes.split_at(insn.length.into());
                let Some(code) = Encoding::new(own) else {
                    break;
                };
                uops += insn.uops();
                if uops > LINE_UOPS {
                    line.end_before(Some(code));
                    break;
                }
                line.push(insn, code, mem.traces.cost(&insn));
                bytes = others;
                ends = insn.ends_trace();
                line.end_before(ends.then(Encoding::default));
            }
        }
        let end = linear.wrapping_add(line.bytes() - 1);
        Ok(self.mem.keep_line(key, line, [linear, end]))
    }

    /// How instructions are fetched.
    #[inline(always)]
    fn fetching(&self) -> mmu::Access {
        mmu::Access {
            write: false,
            user: self.cpl == 3,
            fetch: true,
        }
    }

    /// Fetches and runs one instruction, or takes its fault.
    pub fn step(&mut self) {
        self.mem.time.wake(&self.mem.platform);
        if self.breaks_here() {
            self.debug_trap(0);
            return;
        }
        let done = self.execute().unwrap_or_else(|fault| {
            self.raise(fault);
            true
        });
        self.mem.platform.counters.fetches += u64::from(done);
    }

    /// Fetches and runs one instruction; a fault is not taken. False: elements of a repeated instruction are left.
    ///
    /// # Errors
    /// The fault; all is as before the instruction.
    pub fn execute(&mut self) -> Result<bool, Fault> {
        self.taken = None;
        if self.shadow != Shadow::Nothing {
            // What it holds off may come after this instruction.
            self.shadow = Shadow::Nothing;
            self.end_quantum();
        }
        let traps = self.eflags & flags::TF != 0;
        // It was for this instruction alone; a fault sets it in what it pushes.
        self.eflags &= !flags::RF;
        self.resumed = std::mem::take(&mut self.suspended);
        let pc = self.pc();
        let done = self.fetch_decoded().and_then(|(insn, code, place)| {
            if O::ON {
                self.show_fetch(code);
            }
            let after = self.eip.wrapping_add(u32::from(insn.length));
            self.next_eip = after;
            let cost = self.mem.traces.cost(&insn);
            self.mem.time.begin(&cost, &mut self.mem.platform);
            Self::HANDLERS[insn.operation() % ROOM](self, &insn)?;
            self.mem.time.finish(&cost);
            self.mem.time.tell(&mut self.mem.platform);
            self.predict(cost.branch, &insn, after);
            Ok((insn, code, place, after))
        });
        let (insn, code, place, after) = match done {
            Ok(done) => done,
            Err(fault) => {
                self.watched = 0;
                return Err(fault);
            }
        };
        if O::ON && self.observer.sees_commits() {
            self.show_commit(pc, &insn, code);
        }
        self.eip = self.next_eip;
        let done = !self.suspended;
        if let Some((slot, n)) = place {
            self.leave_line(slot, n, after);
        }
        if (traps || self.watched != 0) && self.shadow != Shadow::Everything {
            self.trap_after(traps && self.taken.is_none());
        }
        Ok(done)
    }

    /// The instruction at EIP: from its line, where its place is told, or from memory if it can be in none.
    fn fetch_decoded(&mut self) -> Result<(Insn, Encoding, Option<Place>), Fault> {
        if let Some((slot, n)) = self.find_line()? {
            let line = self.mem.traces.line(slot);
            return Ok((*line.insn(n), line.code(n), Some((slot, n))));
        }
        let (insn, code) = self.fetch(None)?;
        Ok((insn, code, None))
    }

    /// Fetches and decodes the instruction at EIP, whose first byte is at the physical address `first` if that was
    /// translated already.
    fn fetch(&mut self, first: Option<u32>) -> Result<(Insn, Encoding), Fault> {
        let big = self.segments[Seg::Cs as usize].is_32bit();
        let mut bytes = Fetch {
            offset: self.eip,
            core: self,
            translated: first,
            code: Encoding::default(),
            have: [0; 16],
            left: 0,
            next: 0,
        };
        let insn = decoder::decode(&mut bytes, big)?;
        Ok((insn, bytes.code))
    }
}

/// The bytes of the instruction at EIP, translated and checked as they are asked for.
struct Fetch<'a, O: Observer> {
    core: &'a mut Core<O>,
    /// The offset of the next byte.
    offset: u32,
    /// Where it is in memory, if that is known.
    translated: Option<u32>,
    /// The bytes that were given.
    code: Encoding,
    /// Bytes from `next` on, `left` of them, are of this page.
    have: [u8; 16],
    left: usize,
    next: usize,
}

impl<O: Observer> Bytes for Fetch<'_, O> {
    #[inline]
    fn next(&mut self) -> Result<u8, Fault> {
        let cs = &self.core.segments[Seg::Cs as usize];
        if self.code.is_full() || !cs.contains(self.offset, 1) {
            return Err(Fault::protection(0));
        }
        if self.left == 0 {
            let pa = match self.translated.take() {
                Some(pa) => pa,
                None => {
                    let linear = cs.base.wrapping_add(self.offset);
                    let access = self.core.fetching();
                    self.core.mem.translate(linear, access)?
                }
            };
            (self.have, self.left) = self.core.mem.code(pa);
            self.next = 0;
        }
        let byte = self.have[self.next];
        self.next += 1;
        self.left -= 1;
        self.code.push(byte);
        self.offset = self.offset.wrapping_add(1);
        Ok(byte)
    }
}

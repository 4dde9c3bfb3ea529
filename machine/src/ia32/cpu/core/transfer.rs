// SPDX-License-Identifier: Apache-2.0
//! Transfers between segments: far jumps, calls and returns, call gates, IRET (SDM vol. 3, 4.8; vol.
//! 2, JMP, CALL, RET, IRET), SYSENTER and SYSEXIT (vol. 3, 4.8.7).

use crate::ia32::cpu::alu::mask;
use crate::ia32::cpu::Observer;
use crate::ia32::isa::exception::{vector, Fault};
use crate::ia32::isa::flags;
use crate::ia32::isa::insn::reg::{ECX, EDX, ESP};
use crate::ia32::isa::insn::Seg;
use crate::ia32::isa::segment::{
    code_selector, is_null, rpl, selector_code, system, Access, Descriptor, Segment,
};
use crate::ia32::memory::memsys::Place;
use crate::ia32::memory::mmu;

use super::stack::{Found, Stack};
use super::Core;

/// The bit of a selector that says that it is one of the LDT.
const LOCAL: u16 = 4;

impl<O: Observer> Core<O> {
    /// The stack as it is.
    pub(in crate::ia32) fn current_stack(&self) -> Stack {
        Stack {
            segment: self.segments[Seg::Ss as usize],
            found: None,
            pointer: self.r[ESP],
            user: self.cpl() == 3,
        }
    }

    /// Pushes onto a stack that is not the current one yet.
    pub(super) fn push_on<const N: u32>(
        &mut self,
        stack: &mut Stack,
        value: u32,
    ) -> Result<(), Fault> {
        let pointer = stack.pointer.wrapping_sub(N) & stack.mask();
        let linear = stack
            .segment
            .linear(pointer, N, Access::Write, Fault::stack)?;
        if stack.user {
            self.require_alignment(linear, N)?;
        }
        let access = mmu::Access {
            write: true,
            user: stack.user,
            fetch: false,
        };
        self.write_linear::<N>(linear, value & mask::<N>(), access)?;
        stack.pointer = pointer;
        Ok(())
    }

    /// Fails if `offset` is not in the `code` of the handler that is to be entered: before anything is
    /// pushed, but where `count` elements of `N` bytes have no room on the stack, that is what fails (SDM
    /// vol. 2, INT). The manual has the same for CALL; the host's processor (AMD EPYC) and Bochs have
    /// pushed by then, as it is here.
    pub(super) fn require_offset<const N: u32>(
        stack: &Stack,
        count: u32,
        code: Descriptor,
        offset: u32,
    ) -> Result<(), Fault> {
        let fits = |n: u32| {
            let pointer = stack.pointer.wrapping_sub(N * n) & stack.mask();
            stack.segment.allows(pointer, N, Access::Write)
        };
        if Segment::new(0, code).contains(offset, 1) || !(1..=count).all(fits) {
            Ok(())
        } else {
            Err(Fault::protection(0))
        }
    }

    /// Finds an element of a stack: `number` of them lie above it.
    fn find_on<const N: u32>(&mut self, stack: &Stack, number: u32) -> Result<Place, Fault> {
        let pointer = stack.pointer.wrapping_add(N * number) & stack.mask();
        let linear = stack
            .segment
            .linear(pointer, N, Access::Read, Fault::stack)?;
        if stack.user {
            self.require_alignment(linear, N)?;
        }
        let access = mmu::Access {
            write: false,
            user: stack.user,
            fetch: false,
        };
        self.mem.locate(linear, N, access)
    }

    /// Pops from a stack.
    fn pop_from<const N: u32>(&mut self, stack: &mut Stack) -> Result<u32, Fault> {
        let [value] = self.pop_frame::<N, 1>(stack)?;
        Ok(value)
    }

    /// Pops so many elements together. The one at the bottom is looked for first: by the manual the first
    /// check is whether it is there (SDM vol. 2, RET), and the host's processor and Bochs read it first.
    fn pop_frame<const N: u32, const COUNT: usize>(
        &mut self,
        stack: &mut Stack,
    ) -> Result<[u32; COUNT], Fault> {
        let mut places = [None; COUNT];
        for number in (0..COUNT).rev() {
            places[number] = Some(self.find_on::<N>(stack, number as u32)?);
        }
        let values = places.map(|place| place.map_or(0, |place| self.get_at::<N>(place)));
        stack.pointer = (stack.pointer & stack.mask()).wrapping_add(N * COUNT as u32);
        Ok(values)
    }

    /// CS gets a segment that was checked, at `level`.
    fn enter_code(
        &mut self,
        found: Found,
        selector: u16,
        level: u8,
        offset: u32,
    ) -> Result<(), Fault> {
        let stack = self.current_stack();
        self.enter_code_and_stack(found, selector, level, offset, &stack)
    }

    /// Enters the code, and SS gets the segment of `stack`. Only what is loaded is marked as accessed.
    pub(super) fn enter_code_and_stack(
        &mut self,
        found: Found,
        selector: u16,
        level: u8,
        offset: u32,
        stack: &Stack,
    ) -> Result<(), Fault> {
        let segment = Segment::new(code_selector(selector, level), found.descriptor);
        if !segment.contains(offset, 1) {
            return Err(Fault::protection(0));
        }
        self.mark_accessed(found)?;
        if let Some(found) = stack.found {
            self.mark_accessed(found)?;
        }
        self.segments[Seg::Cs as usize] = segment;
        self.segments[Seg::Ss as usize] = stack.segment;
        self.set_cpl(level);
        self.next_eip = offset;
        Ok(())
    }

    /// CS gets the segment that `selector` names, and the core the level that it asks for.
    pub(super) fn enter_code_of(&mut self, selector: u16) -> Result<(), Fault> {
        let found = self.target(selector)?;
        if !found.descriptor.is_code() {
            return Err(Fault::protection(selector_code(selector)));
        }
        self.enter_code(found, selector, rpl(selector), self.eip)
    }

    /// The descriptor of a far transfer's target.
    fn target(&mut self, selector: u16) -> Result<Found, Fault> {
        if is_null(selector) {
            return Err(Fault::protection(0));
        }
        let found = self.find_descriptor(selector)?;
        found.ok_or(Fault::protection(selector_code(selector)))
    }

    /// Whether a jump or call may go straight to a code segment.
    fn check_direct(&self, descriptor: Descriptor, selector: u16) -> Result<(), Fault> {
        let code = selector_code(selector);
        let level = descriptor.dpl();
        let allowed = if descriptor.is_conforming() {
            level <= self.cpl()
        } else {
            rpl(selector) <= self.cpl() && level == self.cpl()
        };
        if !allowed {
            return Err(Fault::protection(code));
        }
        if !descriptor.is_present() {
            return Err(Fault::not_present(code));
        }
        Ok(())
    }

    /// A real-address mode transfer's CS.
    fn enter_real(&mut self, selector: u16, offset: u32) -> Result<(), Fault> {
        let segment = self.segments[Seg::Cs as usize].with_real_selector(selector);
        if !segment.contains(offset, 1) {
            return Err(Fault::protection(0));
        }
        self.segments[Seg::Cs as usize] = segment;
        self.next_eip = offset;
        Ok(())
    }

    /// A far JMP.
    pub(in crate::ia32) fn far_jump(&mut self, selector: u16, offset: u32) -> Result<(), Fault> {
        if !self.is_protected() {
            return self.enter_real(selector, offset);
        }
        let found = self.target(selector)?;
        let descriptor = found.descriptor;
        if descriptor.is_code() {
            self.check_direct(descriptor, selector)?;
            return self.enter_code(found, selector, self.cpl(), offset);
        }
        let gate = self.call_gate(descriptor, selector)?;
        let selector = gate.gate_selector();
        let found = self.target(selector)?;
        let descriptor = found.descriptor;
        if !descriptor.is_conforming() && descriptor.dpl() != self.cpl() {
            return Err(Fault::protection(selector_code(selector)));
        }
        self.check_through_gate(descriptor, selector)?;
        self.enter_code(found, selector, self.cpl(), gate.gate_offset())
    }

    /// A far CALL with operands of `N` bytes.
    pub(in crate::ia32) fn far_call<const N: u32>(
        &mut self,
        selector: u16,
        offset: u32,
    ) -> Result<(), Fault> {
        let back = [
            u32::from(self.segments[Seg::Cs as usize].selector),
            self.next_eip,
        ];
        if !self.is_protected() {
            let mut stack = self.current_stack();
            for value in back {
                self.push_on::<N>(&mut stack, value)?;
            }
            self.enter_real(selector, offset)?;
            self.r[ESP] = stack.pointer_in(self.r[ESP]);
            return Ok(());
        }
        let found = self.target(selector)?;
        let descriptor = found.descriptor;
        if descriptor.is_code() {
            self.check_direct(descriptor, selector)?;
            let mut stack = self.current_stack();
            for value in back {
                self.push_on::<N>(&mut stack, value)?;
            }
            self.enter_code(found, selector, self.cpl(), offset)?;
            self.r[ESP] = stack.pointer_in(self.r[ESP]);
            return Ok(());
        }
        let gate = self.call_gate(descriptor, selector)?;
        if gate.kind() == system::CALL16 {
            self.call_through_gate::<2>(gate, back)
        } else {
            self.call_through_gate::<4>(gate, back)
        }
    }

    /// A descriptor that is no code segment's, as a call gate that may be used. Task gates and TSSs,
    /// which would switch tasks by hardware, are refused.
    fn call_gate(&self, descriptor: Descriptor, selector: u16) -> Result<Descriptor, Fault> {
        let code = selector_code(selector);
        let is_gate = matches!(descriptor.kind(), system::CALL16 | system::CALL32);
        let level = descriptor.dpl();
        let beyond = level < self.cpl() || rpl(selector) > level;
        if !descriptor.is_system() || !is_gate || beyond {
            return Err(Fault::protection(code));
        }
        if !descriptor.is_present() {
            return Err(Fault::not_present(code));
        }
        Ok(descriptor)
    }

    fn check_through_gate(&self, target: Descriptor, selector: u16) -> Result<(), Fault> {
        let code = selector_code(selector);
        if !target.is_code() || target.dpl() > self.cpl() {
            return Err(Fault::protection(code));
        }
        if !target.is_present() {
            return Err(Fault::not_present(code));
        }
        Ok(())
    }

    /// A call through a gate of `N` bytes an element: to an inner level, onto its stack with the
    /// parameters.
    fn call_through_gate<const N: u32>(
        &mut self,
        gate: Descriptor,
        back: [u32; 2],
    ) -> Result<(), Fault> {
        let selector = gate.gate_selector();
        let found = self.target(selector)?;
        let target = found.descriptor;
        self.check_through_gate(target, selector)?;
        let offset = gate.gate_offset();
        if target.is_conforming() || target.dpl() == self.cpl() {
            let mut stack = self.current_stack();
            for value in back {
                self.push_on::<N>(&mut stack, value)?;
            }
            self.enter_code(found, selector, self.cpl(), offset)?;
            self.r[ESP] = stack.pointer_in(self.r[ESP]);
            return Ok(());
        }
        let level = target.dpl();
        let mut stack = self.inner_stack(level)?;
        let ss = stack.segment.selector;
        let full = |fault: Fault| match fault.vector {
            vector::SS => Fault::stack(selector_code(ss)),
            _ => fault,
        };
        let mut outer = self.current_stack();
        let old = [u32::from(outer.segment.selector), self.r[ESP]];
        let mut parameters = [0; 31];
        let parameters = &mut parameters[..gate.gate_parameters() as usize];
        for parameter in parameters.iter_mut() {
            *parameter = self.pop_from::<N>(&mut outer)?;
        }
        let copied = parameters.iter().rev();
        for &value in old.iter().chain(copied).chain(&back) {
            self.push_on::<N>(&mut stack, value).map_err(full)?;
        }
        self.enter_code_and_stack(found, selector, level, offset, &stack)?;
        self.r[ESP] = stack.pointer_in(self.r[ESP]);
        Ok(())
    }

    /// A far RET with operands of `N` bytes that lets go of `drop` bytes of parameters.
    pub(in crate::ia32) fn far_return<const N: u32>(&mut self, drop: u32) -> Result<(), Fault> {
        let mut stack = self.current_stack();
        let [eip, selector] = self.pop_frame::<N, 2>(&mut stack)?;
        let selector = selector as u16;
        if !self.is_protected() {
            self.enter_real(selector, eip)?;
            stack.pointer = stack.pointer.wrapping_add(drop);
            self.r[ESP] = stack.pointer_in(self.r[ESP]);
            return Ok(());
        }
        stack.pointer = stack.pointer.wrapping_add(drop);
        self.return_to::<N>(selector, eip, stack, drop, None)
    }

    /// IRET with operands of `N` bytes.
    pub(in crate::ia32) fn interrupt_return<const N: u32>(&mut self) -> Result<(), Fault> {
        let protected = self.is_protected();
        if protected && self.eflags & flags::NT != 0 {
            return Err(self.back_link_refused()?);
        }
        let mut stack = self.current_stack();
        let [eip, selector, image] = self.pop_frame::<N, 3>(&mut stack)?;
        let selector = selector as u16;
        if !protected {
            self.enter_real(selector, eip)?;
            self.r[ESP] = stack.pointer_in(self.r[ESP]);
            self.load_flags::<N>(image, 0);
            return Ok(());
        }
        if N == 4 && image & flags::VM != 0 && self.cpl() == 0 {
            // Virtual-8086 mode, which the model does not have.
            return Err(Fault::protection(0));
        }
        self.return_to::<N>(selector, eip, stack, 0, Some(image))
    }

    /// The fault of an IRET with NT, which is a return to the task that the TSS is linked back to (SDM vol.
    /// 2, IRET; vol. 3, 6.3): the manual's checks of that link, up to the switch, which the model refuses
    /// as if the task were one that cannot be used.
    fn back_link_refused(&mut self) -> Result<Fault, Fault> {
        if !self.tr.usable || self.tr.limit < 1 {
            return Ok(Fault::tss(selector_code(self.tr.selector)));
        }
        let link = self.read_linear::<2>(self.tr.base, mmu::Access::system(false))? as u16;
        let code = selector_code(link);
        let found = if link & LOCAL == 0 {
            self.find_descriptor(link)?
        } else {
            None
        };
        let busy = found.map(|found| found.descriptor).filter(|task| {
            let kind = task.kind();
            task.is_system() && matches!(kind, system::TSS16_BUSY | system::TSS32_BUSY)
        });
        Ok(match busy {
            Some(task) if !task.is_present() => Fault::not_present(code),
            _ => Fault::tss(code),
        })
    }

    /// Returns to a code segment of the same level or an outer one, whose stack is found after `drop`
    /// bytes more; `stack` is what this level's pointer stands at then. `image`: EFLAGS come back, too.
    fn return_to<const N: u32>(
        &mut self,
        selector: u16,
        eip: u32,
        stack: Stack,
        drop: u32,
        image: Option<u32>,
    ) -> Result<(), Fault> {
        let code = selector_code(selector);
        let found = self.target(selector)?;
        let descriptor = found.descriptor;
        let level = rpl(selector);
        let right = if descriptor.is_conforming() {
            descriptor.dpl() <= level
        } else {
            descriptor.dpl() == level
        };
        if !descriptor.is_code() || level < self.cpl() || !right {
            return Err(Fault::protection(code));
        }
        if !descriptor.is_present() {
            return Err(Fault::not_present(code));
        }
        let before = self.cpl();
        if level == before {
            self.enter_code(found, selector, level, eip)?;
            self.r[ESP] = stack.pointer_in(self.r[ESP]);
        } else {
            let mut stack = stack;
            let [esp, ss] = self.pop_frame::<N, 2>(&mut stack)?;
            let ss = ss as u16;
            let (segment, of_stack) = self.stack_segment(ss, level, Fault::protection)?;
            stack.segment = segment;
            stack.found = Some(of_stack);
            self.enter_code_and_stack(found, selector, level, eip, &stack)?;
            // A 16-bit stack leaves the upper half as it is.
            self.set_stack_pointer(esp.wrapping_add(drop));
            self.drop_inner_segments();
        }
        if let Some(image) = image {
            self.load_flags::<N>(image, before);
        }
        Ok(())
    }

    /// EFLAGS as IRET (and, but for RF, POPF) load them at privilege level `cpl`: IF by IOPL, IOPL by
    /// level 0.
    pub(in crate::ia32) fn load_flags<const N: u32>(&mut self, image: u32, cpl: u8) {
        use flags::{AC, DF, ID, IF, IOPL, NT, RF, STATUS, TF};
        let mut loaded = STATUS | TF | DF | NT;
        if N == 4 {
            loaded |= RF | AC | ID;
        }
        if cpl == 0 {
            loaded |= IOPL;
        }
        if cpl <= self.iopl() {
            loaded |= IF;
        }
        self.eflags = self.eflags & !loaded | image & loaded | flags::FIXED;
        self.end_quantum();
    }

    /// SYSENTER: to level 0, at the place that the machine-specific registers say.
    pub(in crate::ia32) fn system_enter(&mut self) -> Result<(), Fault> {
        let cs = self.msrs.sysenter_cs as u16;
        if !self.is_protected() || is_null(cs) {
            return Err(Fault::protection(0));
        }
        self.flat_segments(cs, cs.wrapping_add(8), 0);
        self.r[ESP] = self.msrs.sysenter_esp;
        self.next_eip = self.msrs.sysenter_eip;
        self.eflags &= !(flags::IF | flags::RF | flags::VM);
        Ok(())
    }

    /// SYSEXIT: back to level 3, at EDX with the stack pointer ECX.
    pub(in crate::ia32) fn system_exit(&mut self) -> Result<(), Fault> {
        let cs = self.msrs.sysenter_cs as u16;
        if !self.is_protected() || is_null(cs) {
            return Err(Fault::protection(0));
        }
        self.require_supervisor()?;
        self.flat_segments(cs.wrapping_add(16), cs.wrapping_add(24), 3);
        self.r[ESP] = self.r[ECX];
        self.next_eip = self.r[EDX];
        Ok(())
    }

    /// CS and SS of 4 GB at `level`, without a look at the descriptor tables.
    pub(super) fn flat_segments(&mut self, cs: u16, ss: u16, level: u8) {
        let flat = |selector: u16, kind: u32| {
            let high = 0x00cf_9000 | kind << 8 | u32::from(level) << 13;
            let descriptor = Descriptor { low: 0xffff, high };
            Segment::new(code_selector(selector, level), descriptor)
        };
        const CODE_READ_ACCESSED: u32 = 11;
        const DATA_WRITE_ACCESSED: u32 = 3;
        self.segments[Seg::Cs as usize] = flat(cs, CODE_READ_ACCESSED);
        self.segments[Seg::Ss as usize] = flat(ss, DATA_WRITE_ACCESSED);
        self.set_cpl(level);
    }
}

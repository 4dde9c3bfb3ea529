// SPDX-License-Identifier: Apache-2.0
//! Delivering exceptions and interrupts (SDM vol. 3, chapter 5; vol. 2, INT n): through a gate of the
//! IDT, onto the stack of an inner level if the handler runs there.

use crate::arch::Dead;
use crate::ia32::cpu::alu::mask;
use crate::ia32::cpu::Observer;
use crate::ia32::isa::exception::{vector, Cause, Entry, Fault, IDT};
use crate::ia32::isa::flags;
use crate::ia32::isa::insn::reg::ESP;
use crate::ia32::isa::insn::Seg;
use crate::ia32::isa::segment::{is_null, selector_code, system, Descriptor};
use crate::ia32::isa::Ia32;
use crate::ia32::memory::mmu::Access;
use crate::ia32::memory::trace_cache::Cursor;

use super::{Core, Shadow};

/// What is delivered.
#[derive(Debug, Clone, Copy)]
struct Event {
    vector: u8,
    code: Option<u16>,
    cause: Cause,
    /// The EIP to return to.
    eip: u32,
}

impl<O: Observer> Core<O> {
    /// Takes a fault of the instruction at EIP.
    pub(in crate::ia32::cpu) fn raise(&mut self, fault: Fault) {
        self.take(Event {
            vector: fault.vector,
            code: fault.code,
            cause: Cause::Fault,
            eip: self.eip,
        });
    }

    /// Takes the debug exception between two instructions, for what DR6 has, and `why`.
    pub(in crate::ia32::cpu) fn debug_trap(&mut self, why: u32) {
        self.dr[6] |= why;
        self.take(Event {
            vector: vector::DB,
            code: None,
            cause: Cause::Trap,
            eip: self.eip,
        });
    }

    /// Takes an interrupt from outside between two instructions. Whoever calls has seen that IF is set
    /// ([`Core::interruptible`]).
    pub fn interrupt(&mut self, vector: u8) {
        self.waiting = false;
        self.take(Event {
            vector,
            code: None,
            cause: Cause::Interrupt,
            eip: self.eip,
        });
    }

    /// Whether an interrupt would be taken now.
    #[must_use]
    pub fn interruptible(&self) -> bool {
        self.eflags & flags::IF != 0 && self.shadow == Shadow::Nothing
    }

    /// INT n and its like: goes to the handler; what it returns to is the next instruction.
    pub(in crate::ia32) fn software_interrupt(
        &mut self,
        vector: u8,
        cause: Cause,
    ) -> Result<(), Fault> {
        self.deliver(Event {
            vector,
            code: None,
            cause,
            eip: self.next_eip,
        })
    }

    /// Delivers an event, or what becomes of it if that fails: a fault of its own, a double fault,
    /// or the end.
    fn take(&mut self, event: Event) {
        let mut event = event;
        self.cursor = Cursor::default();
        // The handler's instructions are others.
        self.shadow = Shadow::Nothing;
        self.mem.time.begin_event(&mut self.mem.platform);
        while let Err(fault) = self.deliver(event) {
            let next = match event.cause {
                Cause::Fault | Cause::Trap => fault.after(event.vector),
                Cause::Software | Cause::Interrupt => Some(fault),
            };
            let Some(fault) = next else {
                self.dead = Some(Dead::FaultsForever(format!(
                    "triple fault at {:#010x}: the double fault handler cannot be entered",
                    self.pc()
                )));
                self.end_quantum();
                return;
            };
            if event.cause == Cause::Fault
                && fault.vector == vector::AC
                && event.vector == vector::AC
            {
                // Nothing has changed: a processor goes on with this for ever, and takes no interrupt.
                self.dead = Some(Dead::NeverWakes(format!(
                    "alignment check at {:#010x}: its handler's stack is not aligned, either",
                    self.pc()
                )));
                self.end_quantum();
                return;
            }
            event = Event {
                vector: fault.vector,
                code: fault.code,
                cause: Cause::Fault,
                eip: self.eip,
            };
        }
        self.suspended = false;
        self.eip = self.next_eip;
    }

    fn deliver(&mut self, event: Event) -> Result<(), Fault> {
        let level = self.cpl();
        let return_address = self.segments[Seg::Cs as usize].base.wrapping_add(event.eip);
        if self.is_protected() {
            let external = event.cause != Cause::Software;
            self.deliver_through_gate(event)
                .map_err(|fault| fault.external(external))?;
        } else {
            self.deliver_real(event)?;
        }
        self.mem.time.deliver(&mut self.mem.platform);
        self.taken = Some(event.vector);
        self.count(&event);
        if O::ON {
            let mut r = [0; Ia32::GENERAL];
            r.copy_from_slice(&self.r[..Ia32::GENERAL]);
            let entry = Entry {
                vector: event.vector,
                code: event.code,
                cause: event.cause,
                return_address,
                level,
                r,
            };
            self.observer.entered(&self.mem, &entry);
        }
        Ok(())
    }

    /// Counts an event that was delivered; page faults the memory system has counted.
    fn count(&mut self, event: &Event) {
        let now = &mut self.mem.platform.counters.now;
        match (event.cause, event.vector) {
            (Cause::Interrupt, _) => now.exception.irq += 1,
            (Cause::Software, _) => now.exception.swi += 1,
            (_, vector::UD) => now.exception.undefined += 1,
            _ => {}
        }
    }

    /// EFLAGS as the handler's IRET finds it: with RF if it returns to an instruction that was begun, so
    /// that this one's breakpoint is hit once (SDM vol. 3, 15.3.1.1).
    fn flags_to_return_to(&self, cause: Cause) -> u32 {
        let begun = cause == Cause::Fault || self.suspended;
        self.eflags | if begun { flags::RF } else { 0 }
    }

    /// Through the vector table of real-address mode (SDM vol. 3, 15.1.4).
    fn deliver_real(&mut self, event: Event) -> Result<(), Fault> {
        let at = 4 * u32::from(event.vector);
        if at + 3 > u32::from(self.idtr.limit) {
            return Err(Fault::protection(0));
        }
        let place = self.idtr.base.wrapping_add(at);
        let target = self.read_linear::<4>(place, Access::system(false))?;
        let mut stack = self.current_stack();
        self.push_on::<2>(&mut stack, self.eflags)?;
        let cs = self.segments[Seg::Cs as usize];
        self.push_on::<2>(&mut stack, u32::from(cs.selector))?;
        self.push_on::<2>(&mut stack, event.eip)?;
        self.r[ESP] = stack.pointer_in(self.r[ESP]);
        self.eflags &= !(flags::IF | flags::TF | flags::RF | flags::AC);
        self.segments[Seg::Cs as usize] = cs.with_real_selector((target >> 16) as u16);
        self.next_eip = target & 0xffff;
        Ok(())
    }

    fn deliver_through_gate(&mut self, event: Event) -> Result<(), Fault> {
        let at = 8 * u32::from(event.vector);
        let code = at as u16 | IDT;
        if at + 7 > u32::from(self.idtr.limit) {
            return Err(Fault::protection(code));
        }
        let gate = self.read_descriptor(self.idtr.base.wrapping_add(at))?;
        // A task gate would switch tasks by hardware, which the model refuses.
        let known = matches!(
            gate.kind(),
            system::INTERRUPT16 | system::TRAP16 | system::INTERRUPT32 | system::TRAP32
        );
        let refused = event.cause == Cause::Software && gate.dpl() < self.cpl();
        if !gate.is_system() || !known || refused {
            return Err(Fault::protection(code));
        }
        if !gate.is_present() {
            return Err(Fault::not_present(code));
        }
        if gate.kind() & 8 == 0 {
            self.enter_handler::<2>(event, gate)
        } else {
            self.enter_handler::<4>(event, gate)
        }
    }

    /// Enters the handler that `gate` names, with a frame of `N` bytes an element.
    fn enter_handler<const N: u32>(&mut self, event: Event, gate: Descriptor) -> Result<(), Fault> {
        let selector = gate.gate_selector();
        let code = selector_code(selector);
        if is_null(selector) {
            return Err(Fault::protection(0));
        }
        let found = self.find_descriptor(selector)?;
        let found = found.ok_or(Fault::protection(code))?;
        let descriptor = found.descriptor;
        if !descriptor.is_code() || descriptor.dpl() > self.cpl() {
            return Err(Fault::protection(code));
        }
        if !descriptor.is_present() {
            return Err(Fault::not_present(code));
        }
        let inner = !descriptor.is_conforming() && descriptor.dpl() < self.cpl();
        let level = if inner { descriptor.dpl() } else { self.cpl() };
        let mut stack = if inner {
            self.inner_stack(level)?
        } else {
            self.current_stack()
        };
        let onto = selector_code(stack.segment.selector);
        let full = |fault: Fault| match fault.vector {
            vector::SS if inner => Fault::stack(onto),
            _ => fault,
        };
        let ss = self.segments[Seg::Ss as usize].selector;
        let old = [u32::from(ss), self.r[ESP]];
        let frame = [
            self.flags_to_return_to(event.cause),
            u32::from(self.segments[Seg::Cs as usize].selector),
            event.eip,
        ];
        let outside = if inner { &old[..] } else { &[] };
        let code = event.code.map(u32::from);
        let target = gate.gate_offset() & mask::<N>();
        let words = outside.iter().chain(&frame).chain(&code);
        let count = words.clone().count() as u32;
        Self::require_offset::<N>(&stack, count, descriptor, target)?;
        for &value in words {
            self.push_on::<N>(&mut stack, value).map_err(full)?;
        }
        self.enter_code_and_stack(found, selector, level, target, &stack)?;
        self.r[ESP] = stack.pointer_in(self.r[ESP]);
        let masks = match gate.kind() {
            system::INTERRUPT16 | system::INTERRUPT32 => flags::IF,
            _ => 0,
        };
        self.eflags &= !(flags::TF | flags::NT | flags::RF | flags::VM | masks);
        Ok(())
    }
}

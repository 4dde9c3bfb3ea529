// SPDX-License-Identifier: Apache-2.0
//! Descriptor tables, and loading segment registers from them (SDM vol. 3, 3.4 and 4.2 to 4.7; vol.
//! 2, MOV, LLDT, LTR).

use crate::ia32::cpu::Observer;
use crate::ia32::isa::exception::Fault;
use crate::ia32::isa::insn::Seg;
use crate::ia32::isa::segment::{
    is_null, rpl, selector_code, system, Descriptor, Segment, SystemSegment,
};
use crate::ia32::memory::mmu::Access;

use super::stack::{Found, Stack};
use super::Core;

impl<O: Observer> Core<O> {
    /// Reads the descriptor at linear address `at`.
    pub(super) fn read_descriptor(&mut self, at: u32) -> Result<Descriptor, Fault> {
        let place = self.mem.locate(at, 8, Access::system(false))?;
        Ok(Descriptor {
            low: self.get_at::<4>(place),
            high: self.get_at::<4>(place.plus(4)),
        })
    }

    /// The descriptor that `selector` names; `None` if it is beyond its table.
    pub(in crate::ia32) fn find_descriptor(
        &mut self,
        selector: u16,
    ) -> Result<Option<Found>, Fault> {
        let (base, limit) = if selector & 4 == 0 {
            (self.gdtr.base, u32::from(self.gdtr.limit))
        } else if self.ldtr.usable {
            (self.ldtr.base, self.ldtr.limit)
        } else {
            return Ok(None);
        };
        let offset = u32::from(selector & !7);
        if offset + 7 > limit {
            return Ok(None);
        }
        let at = base.wrapping_add(offset);
        let descriptor = self.read_descriptor(at)?;
        Ok(Some(Found { descriptor, at }))
    }

    /// Notes in its table that a segment is loaded.
    pub(super) fn mark_accessed(&mut self, found: Found) -> Result<(), Fault> {
        if found.descriptor.high & Descriptor::ACCESSED != 0 {
            return Ok(());
        }
        self.mark(found, Descriptor::ACCESSED)
    }

    fn mark(&mut self, found: Found, bits: u32) -> Result<(), Fault> {
        let place = self.mem.locate(found.at, 8, Access::system(true))?;
        let high = found.descriptor.high | bits;
        self.put_at::<4>(place.plus(4), high);
        Ok(())
    }

    /// Loads a data segment register or SS.
    pub(in crate::ia32) fn load_segment(&mut self, seg: Seg, selector: u16) -> Result<(), Fault> {
        self.segments[seg as usize] = self.segment_to_load(seg, selector)?;
        Ok(())
    }

    /// What `seg` holds once `selector` is loaded into it.
    fn segment_to_load(&mut self, seg: Seg, selector: u16) -> Result<Segment, Fault> {
        if !self.is_protected() {
            return Ok(self.segments[seg as usize].with_real_selector(selector));
        }
        if seg == Seg::Ss {
            let (segment, found) = self.stack_segment(selector, self.cpl(), Fault::protection)?;
            self.mark_accessed(found)?;
            return Ok(segment);
        }
        if is_null(selector) {
            return Ok(Segment::null(selector));
        }
        let code = selector_code(selector);
        let found = self.find_descriptor(selector)?;
        let found = found.ok_or(Fault::protection(code))?;
        let descriptor = found.descriptor;
        let level = descriptor.dpl();
        let beyond = rpl(selector) > level || self.cpl() > level;
        if !descriptor.is_readable() || beyond && !descriptor.is_conforming() {
            return Err(Fault::protection(code));
        }
        if !descriptor.is_present() {
            return Err(Fault::not_present(code));
        }
        self.mark_accessed(found)?;
        Ok(Segment::new(selector, descriptor))
    }

    /// The stack segment that `selector` names, to be used at `level`; `wrong` makes the fault if it
    /// cannot be (that it is not present is a stack fault). Its descriptor is to be marked when it is
    /// loaded: a transfer may fail yet.
    pub(super) fn stack_segment(
        &mut self,
        selector: u16,
        level: u8,
        wrong: fn(u16) -> Fault,
    ) -> Result<(Segment, Found), Fault> {
        if is_null(selector) {
            return Err(wrong(0));
        }
        let code = selector_code(selector);
        let found = self.find_descriptor(selector)?.ok_or(wrong(code))?;
        let descriptor = found.descriptor;
        let levels = rpl(selector) == level && descriptor.dpl() == level;
        if !levels || !descriptor.is_writable() {
            return Err(wrong(code));
        }
        if !descriptor.is_present() {
            return Err(Fault::stack(code));
        }
        Ok((Segment::new(selector, descriptor), found))
    }

    /// The stack that the TSS has for an inner level.
    pub(super) fn inner_stack(&mut self, level: u8) -> Result<Stack, Fault> {
        let code = selector_code(self.tr.selector);
        let level32 = u32::from(level);
        let (at, bytes) = if self.tr.is_32bit {
            (4 + 8 * level32, 6)
        } else {
            (2 + 4 * level32, 4)
        };
        if !self.tr.usable || at + bytes - 1 > self.tr.limit {
            return Err(Fault::tss(code));
        }
        let at = self.tr.base.wrapping_add(at);
        let read = Access::system(false);
        let (pointer, selector) = if self.tr.is_32bit {
            let pointer = self.read_linear::<4>(at, read)?;
            (pointer, self.read_linear::<2>(at.wrapping_add(4), read)?)
        } else {
            let pointer = self.read_linear::<2>(at, read)?;
            (pointer, self.read_linear::<2>(at.wrapping_add(2), read)?)
        };
        let (segment, found) = self.stack_segment(selector as u16, level, Fault::tss)?;
        Ok(Stack {
            segment,
            found: Some(found),
            pointer,
            user: level == 3,
        })
    }

    /// LLDT.
    pub(in crate::ia32) fn load_ldt(&mut self, selector: u16) -> Result<(), Fault> {
        if is_null(selector) {
            self.ldtr = SystemSegment::null(selector);
            return Ok(());
        }
        let found = self.system_descriptor(selector, &[system::LDT])?;
        self.ldtr = SystemSegment::new(selector, found.descriptor);
        Ok(())
    }

    /// LTR: the TSS is marked busy.
    pub(in crate::ia32) fn load_task(&mut self, selector: u16) -> Result<(), Fault> {
        if is_null(selector) {
            return Err(Fault::protection(0));
        }
        let found = self.system_descriptor(selector, &[system::TSS16, system::TSS32])?;
        self.mark(found, Descriptor::BUSY)?;
        self.tr = SystemSegment::new(selector, found.descriptor);
        Ok(())
    }

    /// A descriptor of the GDT of one of `kinds`.
    fn system_descriptor(&mut self, selector: u16, kinds: &[u8]) -> Result<Found, Fault> {
        let code = selector_code(selector);
        let found = if selector & 4 == 0 {
            self.find_descriptor(selector)?
        } else {
            None
        };
        let found = found.ok_or(Fault::protection(code))?;
        let descriptor = found.descriptor;
        if !descriptor.is_system() || !kinds.contains(&descriptor.kind()) {
            return Err(Fault::protection(code));
        }
        if !descriptor.is_present() {
            return Err(Fault::not_present(code));
        }
        Ok(found)
    }

    /// Whether ports `port` to `port + bytes - 1` may be used: by level, or by the bit map of the TSS
    /// (SDM vol. 1, 12.5).
    pub(in crate::ia32) fn require_ports(&mut self, port: u16, bytes: u32) -> Result<(), Fault> {
        const BITMAP_OFFSET: u32 = 0x66;
        if !self.is_protected() || self.cpl() <= self.iopl() {
            return Ok(());
        }
        let refused = Err(Fault::protection(0));
        let limit = self.tr.limit;
        if !self.tr.usable || !self.tr.is_32bit || limit < BITMAP_OFFSET + 1 {
            return refused;
        }
        let read = Access::system(false);
        let base = self.tr.base;
        let map = self.read_linear::<2>(base.wrapping_add(BITMAP_OFFSET), read)?;
        // Two bytes are read, as the ports may lie on both.
        let at = map + u32::from(port) / 8;
        if at + 1 > limit {
            return refused;
        }
        let bits = self.read_linear::<2>(base.wrapping_add(at), read)?;
        let wanted = ((1 << bytes) - 1) << (port % 8);
        if bits & wanted == 0 {
            Ok(())
        } else {
            refused
        }
    }

    /// After a return to an outer level: data segments that this level may not use are taken away.
    pub(super) fn drop_inner_segments(&mut self) {
        for seg in [Seg::Es, Seg::Ds, Seg::Fs, Seg::Gs] {
            let segment = &mut self.segments[seg as usize];
            let descriptor = segment.descriptor();
            let beyond = descriptor.dpl() < self.cpl && !descriptor.is_conforming();
            if segment.is_usable() && beyond {
                *segment = Segment::null(0);
            }
        }
    }
}

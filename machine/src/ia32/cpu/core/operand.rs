// SPDX-License-Identifier: Apache-2.0
//! How instructions reach their operands: registers, memory, the stack.

use crate::ia32::cpu::alu::mask;
use crate::ia32::cpu::Observer;
use crate::ia32::isa::exception::Fault;
use crate::ia32::isa::flags;
use crate::ia32::isa::insn::reg::{ESP, NONE};
use crate::ia32::isa::insn::{Insn, Seg};
use crate::ia32::isa::register::cr0;
use crate::ia32::isa::segment::Access;
use crate::ia32::memory::memsys::Place;
use crate::ia32::memory::mmu;

use super::Core;

/// An operand that an instruction reads and writes, found and checked.
#[derive(Debug, Clone, Copy)]
pub(in crate::ia32) enum Operand {
    /// A general register.
    Register(u8),
    /// Memory that may be written.
    Memory(Place),
}

/// The fault of an access that a segment does not allow.
#[cold]
fn beyond(seg: Seg) -> Fault {
    if seg == Seg::Ss {
        Fault::stack(0)
    } else {
        Fault::protection(0)
    }
}

impl<O: Observer> Core<O> {
    /// A general register of `N` bytes. Of the bytes, 4 to 7 are AH, CH, DH, BH.
    #[inline(always)]
    #[must_use]
    pub fn register<const N: u32>(&self, n: u8) -> u32 {
        if N == 1 {
            return self.r[usize::from(n & 3)] >> (8 * u32::from(n >> 2)) & 0xff;
        }
        self.r[usize::from(n)] & mask::<N>()
    }

    /// Writes it; the rest of the register stays.
    #[inline(always)]
    pub fn set_register<const N: u32>(&mut self, n: u8, value: u32) {
        let (n, shift) = if N == 1 {
            (usize::from(n & 3), 8 * u32::from(n >> 2))
        } else {
            (usize::from(n), 0)
        };
        let mask = mask::<N>() << shift;
        self.r[n] = self.r[n] & !mask | value << shift & mask;
    }

    /// The offset of the memory operand in its segment.
    #[inline(always)]
    pub(in crate::ia32) fn offset(&self, insn: &Insn) -> u32 {
        debug_assert_eq!(self.r[NONE], 0);
        let index = self.r[usize::from(insn.index)] << insn.scale;
        let sum = self.r[usize::from(insn.base)]
            .wrapping_add(index)
            .wrapping_add(insn.displacement);
        if insn.address16 {
            sum & 0xffff
        } else {
            sum
        }
    }

    /// The offset `bytes` after the memory operand's.
    pub(in crate::ia32) fn offset_after(&self, insn: &Insn, bytes: u32) -> u32 {
        let sum = self.offset(insn).wrapping_add(bytes);
        if insn.address16 {
            sum & 0xffff
        } else {
            sum
        }
    }

    /// The linear address of `bytes` at an offset, which may be accessed so by their segment, and are aligned
    /// where that is checked.
    #[inline(always)]
    fn linear(&self, seg: Seg, offset: u32, bytes: u32, access: Access) -> Result<u32, Fault> {
        let segment = &self.segments[seg as usize];
        if !segment.allows(offset, bytes, access) {
            return Err(beyond(seg));
        }
        let linear = segment.base.wrapping_add(offset);
        self.require_alignment(linear, bytes)?;
        Ok(linear)
    }

    /// Finds and checks `bytes` at an offset.
    #[inline(always)]
    pub(in crate::ia32) fn locate(
        &mut self,
        seg: Seg,
        offset: u32,
        bytes: u32,
        access: Access,
    ) -> Result<Place, Fault> {
        let linear = self.linear(seg, offset, bytes, access)?;
        let place = self.mem.locate(
            linear,
            bytes,
            mmu::Access {
                write: access == Access::Write,
                user: self.cpl == 3,
                fetch: false,
            },
        )?;
        self.watch(linear, bytes, access);
        Ok(place)
    }

    /// Fails where alignment is checked and `bytes` at `linear` have none.
    #[inline(always)]
    pub(in crate::ia32) fn require_alignment(&self, linear: u32, bytes: u32) -> Result<(), Fault> {
        let checked = self.eflags & flags::AC != 0 && self.mem.cr0 & cr0::AM != 0 && self.cpl == 3;
        if checked && linear & (bytes - 1) != 0 {
            return Err(Fault::alignment());
        }
        Ok(())
    }

    /// Reads `N` bytes at a place that was found.
    #[inline(always)]
    pub(in crate::ia32) fn get_at<const N: u32>(&mut self, place: Place) -> u32 {
        let value = self.mem.get::<N>(place);
        if O::ON {
            self.show::<N>(place.linear, place.user, value, O::loaded);
        }
        value
    }

    /// Writes `N` bytes there.
    #[inline(always)]
    pub(in crate::ia32) fn put_at<const N: u32>(&mut self, place: Place, value: u32) {
        self.mem.put::<N>(place, value);
        if O::ON {
            self.show::<N>(place.linear, place.user, value, O::stored);
        }
    }

    /// Reads `N` bytes at a linear address, as the processor itself does.
    ///
    /// # Errors
    /// A page fault.
    pub(in crate::ia32) fn read_linear<const N: u32>(
        &mut self,
        linear: u32,
        access: mmu::Access,
    ) -> Result<u32, Fault> {
        let place = self.mem.locate(linear, N, access)?;
        Ok(self.get_at::<N>(place))
    }

    /// Writes `N` bytes there.
    ///
    /// # Errors
    /// A page fault.
    pub(in crate::ia32) fn write_linear<const N: u32>(
        &mut self,
        linear: u32,
        value: u32,
        access: mmu::Access,
    ) -> Result<(), Fault> {
        let place = self.mem.locate(linear, N, access)?;
        self.put_at::<N>(place, value);
        Ok(())
    }

    /// Reads `N` bytes at an offset.
    #[inline(always)]
    pub(in crate::ia32) fn load<const N: u32>(
        &mut self,
        seg: Seg,
        offset: u32,
    ) -> Result<u32, Fault> {
        if !self.has_breakpoints() {
            let linear = self.linear(seg, offset, N, Access::Read)?;
            let user = self.cpl == 3;
            if let Some(value) = self.mem.load_hinted::<N>(linear, user) {
                if O::ON {
                    self.show::<N>(linear, user, value, O::loaded);
                }
                return Ok(value);
            }
        }
        self.load_slow_path::<N>(seg, offset)
    }

    #[inline(never)]
    fn load_slow_path<const N: u32>(&mut self, seg: Seg, offset: u32) -> Result<u32, Fault> {
        let place = self.locate(seg, offset, N, Access::Read)?;
        let value = self.get_at::<N>(place);
        self.mem.remember_read(place.linear, place.user, place.pa());
        Ok(value)
    }

    /// Writes `N` bytes at an offset.
    #[inline(always)]
    pub(in crate::ia32) fn store<const N: u32>(
        &mut self,
        seg: Seg,
        offset: u32,
        value: u32,
    ) -> Result<(), Fault> {
        if !self.has_breakpoints() {
            let linear = self.linear(seg, offset, N, Access::Write)?;
            let user = self.cpl == 3;
            if self.mem.store_hinted::<N>(linear, user, value) {
                if O::ON {
                    self.show::<N>(linear, user, value, O::stored);
                }
                return Ok(());
            }
        }
        self.store_slow_path::<N>(seg, offset, value)
    }

    #[inline(never)]
    fn store_slow_path<const N: u32>(
        &mut self,
        seg: Seg,
        offset: u32,
        value: u32,
    ) -> Result<(), Fault> {
        let place = self.locate(seg, offset, N, Access::Write)?;
        self.put_at::<N>(place, value);
        self.mem
            .remember_write(place.linear, place.user, place.pa());
        Ok(())
    }

    /// Reads the operand `rm`.
    #[inline(always)]
    pub(in crate::ia32) fn rm<const N: u32>(&mut self, insn: &Insn) -> Result<u32, Fault> {
        if insn.memory {
            let offset = self.offset(insn);
            self.load::<N>(insn.seg, offset)
        } else {
            Ok(self.register::<N>(insn.rm))
        }
    }

    /// Writes the operand `rm`.
    #[inline(always)]
    pub(in crate::ia32) fn set_rm<const N: u32>(
        &mut self,
        insn: &Insn,
        value: u32,
    ) -> Result<(), Fault> {
        if insn.memory {
            let offset = self.offset(insn);
            self.store::<N>(insn.seg, offset, value)
        } else {
            self.set_register::<N>(insn.rm, value);
            Ok(())
        }
    }

    /// Finds the operand `rm`, to be read and written: faults come as of the write.
    #[inline(always)]
    pub(in crate::ia32) fn operand<const N: u32>(&mut self, insn: &Insn) -> Result<Operand, Fault> {
        if insn.memory {
            let offset = self.offset(insn);
            let place = self.locate(insn.seg, offset, N, Access::Write)?;
            Ok(Operand::Memory(place))
        } else {
            Ok(Operand::Register(insn.rm))
        }
    }

    /// Reads it.
    #[inline(always)]
    pub(in crate::ia32) fn get<const N: u32>(&mut self, operand: Operand) -> u32 {
        match operand {
            Operand::Register(n) => self.register::<N>(n),
            Operand::Memory(place) => self.get_at::<N>(place),
        }
    }

    /// Writes it.
    #[inline(always)]
    pub(in crate::ia32) fn put<const N: u32>(&mut self, operand: Operand, value: u32) {
        match operand {
            Operand::Register(n) => self.set_register::<N>(n, value),
            Operand::Memory(place) => {
                self.put_at::<N>(place, value);
                if !O::ON && self.mem.translator().is_some() {
                    self.remember_place(place);
                }
            }
        }
    }

    /// An operand was read and written: translated code goes by hints.
    #[inline(never)]
    fn remember_place(&mut self, place: Place) {
        self.mem.remember_read(place.linear, place.user, place.pa());
        self.mem
            .remember_write(place.linear, place.user, place.pa());
    }

    // ---- the stack -------------------------------------------------------------------------

    /// The bits of ESP that the stack segment uses.
    #[inline(always)]
    pub(in crate::ia32) fn stack_mask(&self) -> u32 {
        if self.segments[Seg::Ss as usize].is_32bit() {
            u32::MAX
        } else {
            0xffff
        }
    }

    /// Sets the stack pointer, of 16 or 32 bits.
    #[inline(always)]
    pub(in crate::ia32) fn set_stack_pointer(&mut self, value: u32) {
        let mask = self.stack_mask();
        self.r[ESP] = self.r[ESP] & !mask | value & mask;
    }

    /// Pushes `N` bytes.
    #[inline(always)]
    pub(in crate::ia32) fn push<const N: u32>(&mut self, value: u32) -> Result<(), Fault> {
        let pointer = self.r[ESP].wrapping_sub(N) & self.stack_mask();
        self.store::<N>(Seg::Ss, pointer, value)?;
        self.set_stack_pointer(pointer);
        Ok(())
    }

    /// What POP of `N` bytes would read; the stack pointer stays.
    #[inline(always)]
    pub(in crate::ia32) fn top<const N: u32>(&mut self) -> Result<u32, Fault> {
        let pointer = self.r[ESP] & self.stack_mask();
        self.load::<N>(Seg::Ss, pointer)
    }

    /// Lets go of `bytes` on the stack.
    #[inline(always)]
    pub(in crate::ia32) fn drop_stack(&mut self, bytes: u32) {
        let pointer = self.r[ESP].wrapping_add(bytes);
        self.set_stack_pointer(pointer);
    }
}

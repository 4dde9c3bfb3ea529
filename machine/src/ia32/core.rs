// SPDX-License-Identifier: Apache-2.0
//! The integer core: registers, the loop that fetches, decodes and runs instructions, and the ways in
//! which instructions reach operands. Source: IA-32 Intel Architecture Software Developer's Manual
//! (SDM), volumes 1 to 3.
//!
//! An instruction checks first and then changes: a handler that returns a [`Fault`] has changed no
//! register, and what it has written will be written again when it is restarted.

mod debug;
mod exception;
mod processor;
mod run;
mod segments;
mod state;
mod transfer;
mod watch;

use serde::{Deserialize, Serialize};

use crate::arch::Dead;
use crate::bus::Bus;
use crate::ia32::config::Ia32Config;

use super::alu::mask;
use super::cpuid::Identity;
use super::exec::{self, Handler, KINDS};
use super::fault::Fault;
use super::flags;
use super::fpu::Fpu;
use super::insn::reg::{ESP, NONE};
use super::insn::{Insn, Seg};
use super::memsys::{cr0, cr4, MemSys, Place};
use super::mmu;
use super::msr::Msrs;
use super::observe::Observer;
use super::pmu::Pmu;
use super::segment::{Access, Segment, SystemSegment, TableRegister};
use super::trace_cache::Cursor;

pub use self::exception::Cause;

/// Where reset starts: the last sixteen bytes of memory, in a segment of its own (SDM vol. 3, 8.1.4).
const RESET_CS_BASE: u32 = 0xffff_0000;
const RESET_EIP: u32 = 0xfff0;

/// The selectors of flat segments, as Linux' 32-bit boot protocol has them.
const FLAT_CODE: u16 = 0x10;
const FLAT_DATA: u16 = 0x18;
/// Where a loader puts the table of their descriptors, and the table: all 4 GB, level 0, to execute and
/// to write.
pub const FLAT_TABLE_AT: u32 = 0x8000;
/// See [`FLAT_TABLE_AT`].
pub const FLAT_TABLE: [u64; 4] = [0, 0, 0x00cf_9b00_0000_ffff, 0x00cf_9300_0000_ffff];

/// An operand that an instruction reads and writes, found and checked.
#[derive(Debug, Clone, Copy)]
pub(super) enum Operand {
    /// A general register.
    Register(u8),
    /// Memory that may be written.
    Memory(Place),
}

/// The bits of an address that are in its page.
const PAGE_OFFSET: u32 = 0xfff;

/// What the last instruction holds off for one instruction (SDM vol. 3, 5.8.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Shadow {
    /// Nothing.
    Nothing,
    /// Interrupts: it was STI.
    Interrupts,
    /// Interrupts and all debug exceptions: MOV or POP loaded SS. (LSS loads ESP, too, and holds off
    /// nothing.)
    Everything,
}

/// The processor.
pub struct Core<O: Observer = ()> {
    /// EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI, and one that is always 0 ([`NONE`]).
    pub r: [u32; 9],
    /// The offset of the instruction that executes; between two, of the next one.
    pub eip: u32,
    /// Where the next instruction is fetched, set by those that change the flow.
    pub(super) next_eip: u32,
    /// EFLAGS.
    pub(super) eflags: u32,
    /// The segment registers, by [`Seg`].
    pub(super) segments: [Segment; 6],
    /// The current privilege level.
    cpl: u8,
    /// The table of segment descriptors.
    pub(super) gdtr: TableRegister,
    /// The table of gates.
    pub(super) idtr: TableRegister,
    /// The local table of segment descriptors.
    pub(super) ldtr: SystemSegment,
    /// The task-state segment.
    pub(super) tr: SystemSegment,
    /// Debug registers 0 to 7; 4 and 5 are not used.
    pub(super) dr: [u32; 8],
    /// The breakpoints at data that the instruction has hit, as in DR6.
    pub(super) watched: u32,
    /// The floating-point unit.
    pub fpu: Fpu,
    /// Model-specific registers.
    pub(super) msrs: Msrs,
    /// Performance-monitoring counters.
    pub(super) pmu: Pmu,
    /// Memory system and time.
    pub mem: MemSys,
    /// Halted until an interrupt.
    pub(super) waiting: bool,
    /// What is not taken before the next instruction.
    pub(super) shadow: Shadow,
    /// The last step did some of a repeated string instruction, and the next one goes on with it.
    pub(super) suspended: bool,
    /// This one does.
    pub(super) resumed: bool,
    /// Where the line goes on that the run loop has left.
    cursor: Cursor,
    /// The vector of the exception or interrupt that the last step took.
    pub taken: Option<u8>,
    /// Set when the core cannot go on.
    pub dead: Option<Dead>,
    /// What CPUID says.
    pub(super) identity: Identity,
    /// The observer.
    pub observer: O,
}

impl<O: Observer> Core<O> {
    const HANDLERS: [[Handler<O>; 3]; KINDS] = exec::handlers();

    /// A core as reset leaves it: real-address mode, at the last sixteen bytes of memory (SDM vol. 3,
    /// table 8-1), in front of `bus`.
    #[must_use]
    pub fn new(config: &Ia32Config, bus: Bus, observer: O) -> Self {
        let mut segments = [Segment::real(0, 0); 6];
        segments[Seg::Cs as usize] = Segment::real(0xf000, RESET_CS_BASE);
        let table = TableRegister {
            base: 0,
            limit: 0xffff,
        };
        let mut core = Self {
            r: [0; 9],
            eip: RESET_EIP,
            next_eip: 0,
            eflags: flags::FIXED,
            segments,
            cpl: 0,
            gdtr: table,
            idtr: table,
            ldtr: SystemSegment::null(0),
            tr: SystemSegment::null(0),
            dr: [0; 8],
            watched: 0,
            fpu: Fpu::default(),
            msrs: Msrs::default(),
            pmu: Pmu::default(),
            mem: MemSys::new(config, bus),
            waiting: false,
            shadow: Shadow::Nothing,
            suspended: false,
            resumed: false,
            cursor: Cursor::default(),
            taken: None,
            dead: None,
            identity: Identity::new(config),
            observer,
        };
        core.dr[6] = 0xffff_0ff0;
        core.dr[7] = 0x400;
        core.r[super::insn::reg::EDX] = core.identity.signature;
        core.mem.count_for(false);
        core
    }

    /// The address of the instruction that executes, as loaders and symbols know it.
    #[must_use]
    pub fn pc(&self) -> u32 {
        self.segments[Seg::Cs as usize].base.wrapping_add(self.eip)
    }

    /// Puts the core into protected mode at `eip`, with segments of all 4 GB, as loaders do that have
    /// loaded a descriptor table of their own, and with caches on, as a BIOS leaves them.
    pub fn start_flat(&mut self, eip: u32) {
        self.mem
            .set_cr0(self.mem.cr0 & !(cr0::CD | cr0::NW) | cr0::PE);
        self.flat_segments(FLAT_CODE, FLAT_DATA, 0);
        let data = self.segments[Seg::Ss as usize];
        for seg in [Seg::Es, Seg::Ds, Seg::Fs, Seg::Gs] {
            self.segments[seg as usize] = data;
        }
        self.eip = eip;
    }

    /// Puts the core into real-address mode at `cs`:`ip`, with data segments at 0, as the BIOS starts a
    /// boot block.
    pub fn set_real(&mut self, cs: u16, ip: u16) {
        self.mem.set_cr0(self.mem.cr0 & !(cr0::PE | cr0::PG));
        self.set_cpl(0);
        self.segments = [Segment::real(0, 0); 6];
        self.segments[Seg::Cs as usize] = Segment::real(cs, u32::from(cs) << 4);
        self.eip = u32::from(ip);
    }

    // ---- state -----------------------------------------------------------------------------

    /// EFLAGS.
    #[must_use]
    pub fn eflags(&self) -> u32 {
        self.eflags
    }

    /// Sets EFLAGS, as far as the processor has them. For loaders, debuggers and tests.
    pub fn set_eflags(&mut self, value: u32) {
        self.eflags = value & flags::IMPLEMENTED | flags::FIXED;
        self.look_up();
    }

    /// The current privilege level.
    #[inline(always)]
    #[must_use]
    pub fn cpl(&self) -> u8 {
        self.cpl
    }

    /// Changes the privilege level.
    pub(super) fn set_cpl(&mut self, cpl: u8) {
        if (cpl == 3) != (self.cpl == 3) {
            self.mem.count_for(cpl == 3);
        }
        self.cpl = cpl;
    }

    /// A segment register.
    #[must_use]
    pub fn segment(&self, seg: Seg) -> &Segment {
        &self.segments[seg as usize]
    }

    /// Loads the GDT's register, then every segment register, in the order of [`Seg`], with the privilege
    /// level of CS's selector. For tests and debuggers.
    ///
    /// # Errors
    /// A selector cannot be loaded.
    pub fn set_tables(&mut self, base: u32, limit: u16, selectors: [u16; 6]) -> Result<(), Fault> {
        self.gdtr = TableRegister { base, limit };
        self.set_code(selectors[Seg::Cs as usize])?;
        for (seg, selector) in Seg::ALL.into_iter().zip(selectors) {
            if seg != Seg::Cs {
                self.load_segment(seg, selector)?;
            }
        }
        Ok(())
    }

    /// Makes the table at `base` the LDT, with a null selector. For tests and debuggers.
    pub fn set_local_table(&mut self, base: u32, limit: u16) {
        self.ldtr = SystemSegment {
            base,
            limit: u32::from(limit),
            usable: true,
            ..SystemSegment::null(0)
        };
    }

    /// Loads CS, with the privilege level of its selector; EIP stays. For tests and debuggers.
    ///
    /// # Errors
    /// The selector cannot be loaded.
    pub fn set_code(&mut self, selector: u16) -> Result<(), Fault> {
        self.enter_code_of(selector)
    }

    /// Writes CR0 (protected mode stays on), CR3 and CR4, and clears CR2. For tests and debuggers.
    pub fn set_controls(&mut self, [cr0, cr3, cr4]: [u32; 3]) {
        self.mem.cr2 = 0;
        self.mem.set_cr4(cr4 & cr4::IMPLEMENTED);
        self.mem.set_cr3(cr3);
        self.mem.set_cr0(cr0 | cr0::PE);
    }

    /// Control register 0, 2, 3 or 4; any other is 0.
    #[must_use]
    pub fn control(&self, number: u8) -> u32 {
        match number {
            0 => self.mem.cr0,
            2 => self.mem.cr2,
            3 => self.mem.cr3,
            4 => self.mem.cr4,
            _ => 0,
        }
    }

    /// Whether CR0.PE is set.
    #[inline(always)]
    #[must_use]
    pub fn is_protected(&self) -> bool {
        self.mem.cr0 & cr0::PE != 0
    }

    /// The run loop must look up: interrupts may be unmasked, or the core has stopped.
    pub(super) fn look_up(&mut self) {
        self.mem.platform.horizon = 0;
    }

    /// Replaces the status flags.
    #[inline(always)]
    pub(super) fn set_status(&mut self, status: u32) {
        self.eflags = self.eflags & !flags::STATUS | status;
    }

    /// Fails unless the privilege level is 0.
    pub(super) fn require_supervisor(&self) -> Result<(), Fault> {
        if self.cpl == 0 {
            Ok(())
        } else {
            Err(Fault::protection(0))
        }
    }

    /// The I/O privilege level.
    pub(super) fn iopl(&self) -> u8 {
        (self.eflags >> 12 & 3) as u8
    }

    // ---- operands --------------------------------------------------------------------------

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
    pub(super) fn offset(&self, insn: &Insn) -> u32 {
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

    /// An offset a little behind the memory operand's.
    pub(super) fn offset_behind(&self, insn: &Insn, bytes: u32) -> u32 {
        let sum = self.offset(insn).wrapping_add(bytes);
        if insn.address16 {
            sum & 0xffff
        } else {
            sum
        }
    }

    /// Finds and checks `bytes` at an offset.
    #[inline(always)]
    pub(super) fn locate(
        &mut self,
        seg: Seg,
        offset: u32,
        bytes: u32,
        access: Access,
    ) -> Result<Place, Fault> {
        let fault = if seg == Seg::Ss {
            Fault::stack
        } else {
            Fault::protection
        };
        let linear = self.segments[seg as usize].linear(offset, bytes, access, fault)?;
        self.require_alignment(linear, bytes)?;
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
    pub(super) fn require_alignment(&self, linear: u32, bytes: u32) -> Result<(), Fault> {
        let checked = self.eflags & flags::AC != 0 && self.mem.cr0 & cr0::AM != 0 && self.cpl == 3;
        if checked && linear & (bytes - 1) != 0 {
            return Err(Fault::alignment());
        }
        Ok(())
    }

    /// Reads `N` bytes at a place that was found.
    #[inline(always)]
    pub(super) fn get_at<const N: u32>(&mut self, place: Place) -> u32 {
        let value = self.mem.get::<N>(place);
        if O::ON {
            self.show::<N>(place, value, O::loaded);
        }
        value
    }

    /// Writes `N` bytes there.
    #[inline(always)]
    pub(super) fn put_at<const N: u32>(&mut self, place: Place, value: u32) {
        self.mem.put::<N>(place, value);
        if O::ON {
            self.show::<N>(place, value, O::stored);
        }
    }

    /// Reads `N` bytes at a linear address, as the processor itself does.
    ///
    /// # Errors
    /// A page fault.
    pub(super) fn read_linear<const N: u32>(
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
    pub(super) fn write_linear<const N: u32>(
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
    pub(super) fn load<const N: u32>(&mut self, seg: Seg, offset: u32) -> Result<u32, Fault> {
        let place = self.locate(seg, offset, N, Access::Read)?;
        Ok(self.get_at::<N>(place))
    }

    /// Writes `N` bytes at an offset.
    #[inline(always)]
    pub(super) fn store<const N: u32>(
        &mut self,
        seg: Seg,
        offset: u32,
        value: u32,
    ) -> Result<(), Fault> {
        let place = self.locate(seg, offset, N, Access::Write)?;
        self.put_at::<N>(place, value);
        Ok(())
    }

    /// Reads the operand `rm`.
    #[inline(always)]
    pub(super) fn rm<const N: u32>(&mut self, insn: &Insn) -> Result<u32, Fault> {
        if insn.memory {
            let offset = self.offset(insn);
            self.load::<N>(insn.seg, offset)
        } else {
            Ok(self.register::<N>(insn.rm))
        }
    }

    /// Writes the operand `rm`.
    #[inline(always)]
    pub(super) fn set_rm<const N: u32>(&mut self, insn: &Insn, value: u32) -> Result<(), Fault> {
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
    pub(super) fn operand<const N: u32>(&mut self, insn: &Insn) -> Result<Operand, Fault> {
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
    pub(super) fn get<const N: u32>(&mut self, operand: Operand) -> u32 {
        match operand {
            Operand::Register(n) => self.register::<N>(n),
            Operand::Memory(place) => self.get_at::<N>(place),
        }
    }

    /// Writes it.
    #[inline(always)]
    pub(super) fn put<const N: u32>(&mut self, operand: Operand, value: u32) {
        match operand {
            Operand::Register(n) => self.set_register::<N>(n, value),
            Operand::Memory(place) => self.put_at::<N>(place, value),
        }
    }

    // ---- the stack -------------------------------------------------------------------------

    /// The bits of ESP that the stack segment uses.
    #[inline(always)]
    pub(super) fn stack_mask(&self) -> u32 {
        if self.segments[Seg::Ss as usize].is_32bit() {
            u32::MAX
        } else {
            0xffff
        }
    }

    /// Sets the stack pointer, of 16 or 32 bits.
    #[inline(always)]
    pub(super) fn set_stack_pointer(&mut self, value: u32) {
        let mask = self.stack_mask();
        self.r[ESP] = self.r[ESP] & !mask | value & mask;
    }

    /// Pushes `N` bytes.
    #[inline(always)]
    pub(super) fn push<const N: u32>(&mut self, value: u32) -> Result<(), Fault> {
        let pointer = self.r[ESP].wrapping_sub(N) & self.stack_mask();
        self.store::<N>(Seg::Ss, pointer, value)?;
        self.set_stack_pointer(pointer);
        Ok(())
    }

    /// What POP of `N` bytes would read; the stack pointer stays.
    #[inline(always)]
    pub(super) fn top<const N: u32>(&mut self) -> Result<u32, Fault> {
        let pointer = self.r[ESP] & self.stack_mask();
        self.load::<N>(Seg::Ss, pointer)
    }

    /// Lets go of `bytes` on the stack.
    #[inline(always)]
    pub(super) fn drop_stack(&mut self, bytes: u32) {
        let pointer = self.r[ESP].wrapping_add(bytes);
        self.set_stack_pointer(pointer);
    }

    // ---- near transfers --------------------------------------------------------------------

    /// Continues at `target`, which an operand size of 16 bits cuts.
    ///
    /// # Errors
    /// It is beyond the code segment.
    #[inline(always)]
    pub(super) fn jump<const N: u32>(&mut self, target: u32) -> Result<(), Fault> {
        let target = target & mask::<N>();
        if !self.segments[Seg::Cs as usize].contains(target, 1) {
            return Err(Fault::protection(0));
        }
        self.next_eip = target;
        Ok(())
    }
}

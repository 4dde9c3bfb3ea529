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
mod segments;
mod state;
mod transfer;

use serde::{Deserialize, Serialize};

use crate::arch::Dead;
use crate::bus::Bus;
use crate::config::TlbConfig;
use crate::observe::{self, Commit, SystemAccess};

use super::alu::mask;
use super::decoder::{self, Bytes};
use super::exec::{self, Handler, KINDS};
use super::fault::Fault;
use super::flags;
use super::fpu::Fpu;
use super::insn::reg::{ESP, NONE};
use super::insn::{Insn, Seg};
use super::memsys::{cr0, cr4, MemSys, Place};
use super::mmu;
use super::msr::Msrs;
use super::observe::{Encoding, Ia32, Observer, Operation};
use super::segment::{Access, Segment, SystemSegment, TableRegister};
use super::trace_cache::{Key, Line, LINE_UOPS};

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
    /// Interrupts and single steps: it loaded SS.
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
    /// Memory system and time.
    pub mem: MemSys,
    /// Halted until an interrupt.
    pub(super) waiting: bool,
    /// What is not taken before the next instruction.
    pub(super) shadow: Shadow,
    /// The last step did some of a repeated string instruction, and the next one goes on with it.
    pub(super) suspended: bool,
    /// The vector of the exception or interrupt that the last step took.
    pub taken: Option<u8>,
    /// Set when the core cannot go on.
    pub dead: Option<Dead>,
    /// What CPUID says of TLBs.
    pub(super) tlb_entries: [u32; 2],
    /// The observer.
    pub observer: O,
}

impl<O: Observer> Core<O> {
    const HANDLERS: [[Handler<O>; 3]; KINDS] = exec::handlers();

    /// A core as reset leaves it: real-address mode, at the last sixteen bytes of memory (SDM vol. 3,
    /// table 8-1), with TLBs of these geometries, in front of `bus`.
    #[must_use]
    pub fn new(itlb: &TlbConfig, dtlb: &TlbConfig, bus: Bus, observer: O) -> Self {
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
            mem: MemSys::new(itlb, dtlb, bus),
            waiting: false,
            shadow: Shadow::Nothing,
            suspended: false,
            taken: None,
            dead: None,
            tlb_entries: [itlb.entries, dtlb.entries],
            observer,
        };
        core.dr[6] = 0xffff_0ff0;
        core.dr[7] = 0x400;
        core.r[super::insn::reg::EDX] = super::cpuid::SIGNATURE;
        core.mem.count_for(false);
        core
    }

    // ---- running ---------------------------------------------------------------------------

    /// Runs instructions until the horizon of the memory system.
    pub fn run_to_horizon(&mut self) {
        while self.mem.platform.cycle < self.mem.platform.horizon {
            if self.steps_singly() {
                self.step();
                continue;
            }
            match self.find_line() {
                Ok(Some(slot)) => self.run_line(slot),
                Ok(None) => self.step(),
                Err(fault) => {
                    self.mem.platform.cycle += 1;
                    self.mem.platform.counters.fetches += 1;
                    self.raise(fault);
                }
            }
        }
    }

    /// Whether something is to be looked at between each two instructions: a trap, a breakpoint, what
    /// the last instruction has held off. Whatever changes this makes the run loop look up.
    #[inline(always)]
    fn steps_singly(&self) -> bool {
        self.eflags & (flags::TF | flags::RF) != 0
            || self.has_breakpoints()
            || self.shadow != Shadow::Nothing
    }

    /// Runs the instructions of the line in `slot`, which is that of EIP, as long as they follow each
    /// other and the horizon has not come.
    #[inline]
    fn run_line(&mut self, slot: usize) {
        let count = self.mem.traces.line(slot).count();
        for n in 0..count {
            let line = self.mem.traces.line(slot);
            let insn = *line.insn(n);
            if O::ON {
                let code = line.code(n);
                self.show_fetch(code);
            }
            let behind = self.eip.wrapping_add(u32::from(insn.length));
            self.next_eip = behind;
            self.suspended = false;
            self.mem.platform.cycle += 1;
            let pc = self.pc();
            let done = Self::HANDLERS[insn.kind as usize][insn.size as usize](self, &insn);
            if let Err(fault) = done {
                self.mem.platform.counters.fetches += 1;
                self.raise(fault);
                return;
            }
            if O::ON {
                let code = self.mem.traces.line(slot).code(n);
                self.show_commit(pc, &insn, code);
            }
            self.eip = self.next_eip;
            self.mem.platform.counters.fetches += u64::from(!self.suspended);
            if self.eip != behind || self.mem.platform.cycle >= self.mem.platform.horizon {
                return;
            }
        }
    }

    /// The slot of the line of EIP, made if there is none. `None`: the instruction can be in none.
    ///
    /// # Errors
    /// It cannot be fetched.
    #[inline(always)]
    fn find_line(&mut self) -> Result<Option<usize>, Fault> {
        let cs = &self.segments[Seg::Cs as usize];
        let linear = cs.base.wrapping_add(self.eip);
        let key = Key::new(linear, cs.is_32bit(), self.cpl == 3);
        let now = &mut self.mem.platform.counters.now.icache;
        now.accesses += 1;
        let slot = match self.mem.traces.find(key) {
            Some(slot) => slot,
            None => match self.make_line(key, linear)? {
                Some(slot) => slot,
                None => return Ok(None),
            },
        };
        // Another segment may end before the line does.
        let bytes = self.mem.traces.line(slot).bytes();
        let cs = &self.segments[Seg::Cs as usize];
        Ok(cs.contains(self.eip, bytes).then_some(slot))
    }

    /// Makes the line of the instruction at EIP, whose linear address is `linear`.
    #[inline(never)]
    fn make_line(&mut self, key: Key, linear: u32) -> Result<Option<usize>, Fault> {
        self.mem.platform.counters.now.icache.misses += 1;
        let (insn, code) = self.fetch()?;
        let mut line = Line::of(insn, code);
        let last = linear.wrapping_add(u32::from(insn.length) - 1);
        let mut uops = insn.uops();
        let big = self.segments[Seg::Cs as usize].is_32bit();
        if (linear ^ last) & !PAGE_OFFSET == 0 {
            // The rest of the page, where memory is: it can be fetched as the first instruction could.
            let room = PAGE_OFFSET - (last & PAGE_OFFSET);
            let behind = self
                .mem
                .insn_address(last)
                .map_or(0, |pa| pa.wrapping_add(1));
            let rest = self.mem.platform.bus.ram_slice(behind, room as usize);
            let mut bytes = rest.unwrap_or_default();
            let mut ends = insn.ends_trace();
            while !ends {
                let Ok(insn) = decoder::decode(&mut bytes.iter(), big) else {
                    break;
                };
                uops += insn.uops();
                if uops > LINE_UOPS {
                    break;
                }
                let (own, others) = bytes.split_at(insn.length.into());
                let Some(code) = Encoding::new(own) else {
                    break;
                };
                line.push(insn, code);
                bytes = others;
                ends = insn.ends_trace();
            }
        }
        let end = linear.wrapping_add(line.bytes() - 1);
        Ok(self.mem.keep_line(key, line, [linear, end]))
    }

    /// Fetches and runs one instruction, or takes its fault.
    pub fn step(&mut self) {
        if self.breaks_here() {
            self.mem.platform.cycle += 1;
            self.debug_trap(0);
            return;
        }
        if let Err(fault) = self.execute() {
            self.raise(fault);
        }
        if !self.suspended {
            self.mem.platform.counters.fetches += 1;
        }
    }

    /// The same, but a fault is not taken.
    ///
    /// # Errors
    /// The fault; all is as before the instruction.
    pub fn execute(&mut self) -> Result<(), Fault> {
        self.taken = None;
        if self.shadow != Shadow::Nothing {
            // What it holds off may come behind this instruction.
            self.shadow = Shadow::Nothing;
            self.look_up();
        }
        let traps = self.eflags & flags::TF != 0;
        // It was for this instruction alone; a fault sets it in what it pushes.
        self.eflags &= !flags::RF;
        self.suspended = false;
        self.mem.platform.cycle += 1;
        let pc = self.pc();
        let done = self.fetch_decoded().and_then(|(insn, code)| {
            if O::ON {
                self.show_fetch(code);
            }
            self.next_eip = self.eip.wrapping_add(u32::from(insn.length));
            Self::HANDLERS[insn.kind as usize][insn.size as usize](self, &insn)?;
            Ok((insn, code))
        });
        let (insn, code) = match done {
            Ok(done) => done,
            Err(fault) => {
                self.watched = 0;
                return Err(fault);
            }
        };
        if O::ON {
            self.show_commit(pc, &insn, code);
        }
        self.eip = self.next_eip;
        if (traps || self.watched != 0) && self.shadow != Shadow::Everything {
            self.trap_behind(traps && self.taken.is_none());
        }
        Ok(())
    }

    /// The instruction at EIP: from its line, or from memory if it can be in none.
    fn fetch_decoded(&mut self) -> Result<(Insn, Encoding), Fault> {
        match self.find_line()? {
            Some(slot) => {
                let line = self.mem.traces.line(slot);
                Ok((*line.insn(0), line.code(0)))
            }
            None => self.fetch(),
        }
    }

    /// Fetches and decodes the instruction at EIP.
    fn fetch(&mut self) -> Result<(Insn, Encoding), Fault> {
        let big = self.segments[Seg::Cs as usize].is_32bit();
        let mut bytes = Fetch {
            offset: self.eip,
            core: self,
            code: Encoding::default(),
            have: [0; 16],
            left: 0,
            next: 0,
        };
        let insn = decoder::decode(&mut bytes, big)?;
        Ok((insn, bytes.code))
    }

    /// The address of the instruction that executes, as loaders and symbols know it.
    #[must_use]
    pub fn pc(&self) -> u32 {
        self.segments[Seg::Cs as usize].base.wrapping_add(self.eip)
    }

    /// Puts the core into protected mode at `eip`, with segments of all 4 GB, as loaders do that have
    /// loaded a descriptor table of their own.
    pub fn start_flat(&mut self, eip: u32) {
        self.mem.set_cr0(self.mem.cr0 | cr0::PE);
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

    // ---- watching --------------------------------------------------------------------------

    /// Shows an access to data, by `show`: a word, or its bytes if they are not aligned together.
    #[inline(never)]
    fn show<const N: u32>(
        &mut self,
        place: Place,
        value: u32,
        show: fn(&mut O, &MemSys, &observe::Access, u32),
    ) {
        let bytes = if place.linear % N == 0 { N } else { 1 };
        for n in (0..N).step_by(bytes as usize) {
            let access = observe::Access {
                cycle: self.mem.platform.cycle,
                pc: self.pc(),
                va: place.linear.wrapping_add(n),
                bytes,
                privileged: !place.user,
            };
            let part = value >> (8 * n) & u32::MAX >> (32 - 8 * bytes);
            show(&mut self.observer, &self.mem, &access, part);
        }
    }

    /// Shows that the instruction at EIP was fetched.
    fn show_fetch(&mut self, code: Encoding) {
        let access = observe::Access {
            cycle: self.mem.platform.cycle,
            pc: self.pc(),
            va: self.pc(),
            bytes: 1,
            privileged: self.cpl != 3,
        };
        self.observer.fetched(&self.mem, &access, code);
    }

    /// Shows that the instruction at `pc` is done.
    fn show_commit(&mut self, pc: u32, insn: &Insn, code: Encoding) {
        let behind = self.eip.wrapping_add(u32::from(insn.length));
        let commit = Commit::<Ia32> {
            cycle: self.mem.platform.cycle,
            pc,
            code,
            executed: insn.kind != exec::Kind::JumpIf || self.next_eip != behind,
            next_pc: self.segments[Seg::Cs as usize]
                .base
                .wrapping_add(self.next_eip),
            mode: u32::from(self.cpl),
            registers: &self.r[..Ia32::GENERAL],
            status: self.eflags,
        };
        self.observer.commit(&commit);
    }

    /// Shows what the instruction has done to a register of the system.
    #[inline(always)]
    pub(super) fn operated(&mut self, what: Operation) {
        if O::ON {
            let access = SystemAccess {
                pc: self.pc(),
                what,
                sleeps: self.waiting,
            };
            self.observer.operated(&self.mem, &access);
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

/// The bytes of the instruction at EIP, translated and checked as they are asked for.
struct Fetch<'a, O: Observer> {
    core: &'a mut Core<O>,
    /// The offset of the next byte.
    offset: u32,
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
            let linear = cs.base.wrapping_add(self.offset);
            let access = mmu::Access {
                write: false,
                user: self.core.cpl == 3,
                fetch: true,
            };
            let pa = self.core.mem.translate(linear, access)?;
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

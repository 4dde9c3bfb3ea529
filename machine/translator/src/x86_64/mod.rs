// SPDX-License-Identifier: Apache-2.0
//! Code for x86-64, by the calling convention of Unix.

mod compute;
mod frame;
mod memory;
pub(crate) mod traces;
mod unit;
pub(crate) mod wide;

use std::mem::MaybeUninit;

use dynasmrt::x64::X64Relocation;
use dynasmrt::{dynasm, DynasmApi, DynasmLabelApi, VecAssembler};

use crate::code::Code;
use crate::guest::{Exit, Machine, Why, LINE_BYTES, LINE_WORDS};
use crate::instruction::{Instruction, Width};
use crate::lines::{Lines, Stubs};
use crate::translations::HostCode;
use crate::PLACES;

use frame::Frame;
use unit::Unit;

/// Assembles instructions that run wherever they are.
type Assembler = VecAssembler<X64Relocation>;

/// One with room for most units: to make room later takes longer than to translate.
fn assembler() -> Assembler {
    VecAssembler::new_with_capacity(0, 8192, 64, 0, 128, 128, 128)
}

/// Translated code, beside what `C` knows of: code that is always there.
#[derive(Debug)]
pub struct Translated<C> {
    code: Code,
    common: C,
    _common_code: Code,
}

impl<C> Translated<C> {
    /// None yet; `common` adds what is always there. `None`: the host gives no memory.
    fn beside(common: impl FnOnce(&mut Code) -> Option<C>) -> Option<Self> {
        let mut code = Code::new();
        let common = common(&mut code)?;
        code.publish()?;
        Some(Self {
            code: Code::new(),
            common,
            _common_code: code,
        })
    }
}

impl<C> HostCode for Translated<C> {
    fn limit(&mut self, blocks: usize) {
        self.code.limit(blocks);
    }

    fn publish(&mut self) -> Option<()> {
        self.code.publish()
    }

    fn clear(&mut self) {
        self.code.clear();
    }
}

/// Translated code of guests of 32 bits.
pub type Host = Translated<Common>;

/// Addresses of code that is always there.
#[derive(Debug)]
pub struct Common {
    /// How many registers a guest has.
    registers: usize,
    /// Called with the frame and the address of a unit.
    enter: usize,
    leave: usize,
    /// Goes on at the address in ecx, in a line of words or of halfwords.
    cross: [usize; 2],
    /// Has the machine load, and store ([`slow`]).
    slow_load: usize,
    slow_store: usize,
    stubs: Stubs<PLACES>,
}

impl Host {
    /// `None`: this host is not one.
    pub(crate) fn new(registers: usize) -> Option<Self> {
        if !has_lahf() {
            return None;
        }
        Self::beside(|code| Common::new(code, registers))
    }

    /// How many registers a guest has.
    #[inline]
    pub(crate) fn registers(&self) -> usize {
        self.common.registers
    }

    /// Code for places without a translation.
    pub(crate) fn stubs(&self) -> Stubs<PLACES> {
        self.common.stubs
    }

    /// The address of the code of a unit; `None`: there is no room.
    pub(crate) fn translate(&mut self, line: &[Instruction], place: usize) -> Option<usize> {
        match Unit::translate(line, place) {
            None => Some(self.common.stubs.left[place]),
            Some(code) => self.code.add(&code),
        }
    }

    #[inline(always)]
    pub(crate) fn run<M: Machine>(
        &self,
        lines: &Lines<LINE_WORDS, PLACES>,
        machine: &mut M,
    ) -> Exit {
        let (entries, numbers) = lines.tables();
        let guest = machine.lend();
        let row = &entries[numbers[*guest.place.slot] as usize];
        let entry = row[guest.place.instruction % PLACES];
        let flags = *guest.flags >> 28;
        let shift = if guest.place.halfwords { 1 } else { 2 };
        let mut frame = Frame {
            registers: guest.registers.as_mut_ptr(),
            ready: guest.pending.ready.as_mut_ptr(),
            reads: guest.hints.read.as_ptr(),
            writes: guest.hints.write.as_ptr(),
            fetches: guest.hints.fetch.as_ptr(),
            lines: guest.lines.as_mut_ptr().cast(),
            slots: guest.lines.len() as u64,
            entries: entries.as_ptr().cast(),
            numbers: numbers.as_ptr(),
            insn_slots: numbers.len() as u64,
            row: row.as_ptr(),
            cycle: *guest.cycle,
            horizon: guest.horizon,
            tag: guest.hints.tag,
            fetch_tag: guest.hints.fetch_tag,
            all_ready: *guest.pending.all_ready,
            multiplier_free: *guest.pending.multiplier_free,
            instructions: *guest.counts.instructions,
            words_read: *guest.counts.reads,
            words_written: *guest.counts.writes,
            line: *guest.place.line,
            pending: *guest.pending.registers,
            slot: *guest.place.slot as u64,
            cross: self.common.cross[usize::from(guest.place.halfwords)],
            leave: self.common.leave,
            slow_load: self.common.slow_load,
            slow_store: self.common.slow_store,
            load: slow_load::<M>,
            store: slow_store::<M>,
            count: self.common.registers,
            base: 0,
            line_lost: false,
            why: 0,
            at: 0,
            overflow: (flags & 1) as u8,
            nzc: ((flags & 0b1100) << 4 | flags >> 1 & 1) as u8,
            words: MaybeUninit::uninit(),
            machine: std::ptr::from_mut(machine).cast(),
        };
        // SAFETY: `enter` is the address of code of this signature (`Common::new`), in memory that may be
        // executed as long as `self` is there.
        let enter: extern "sysv64" fn(*mut Frame, usize) =
            unsafe { std::mem::transmute(self.common.enter as *const ()) };
        // The code gets, by the frame, pointers to what `machine` lends for longer than this call and to the
        // tables of `lines`. It reaches registers (below `Translator::registers`, which the caller has
        // compared with the lengths), data lines (a slot below `slots`), hints (masked to the table's
        // length), numbers of slots (below `insn_slots`), entries (numbers are indices of them; places are
        // masked), and the frame; and goes to entries and common code alone, which are all addresses of
        // code that is there: whoever frees code takes its address out of `lines` (`Translator::translate`).
        // It calls `slow_load` and `slow_store` with the frame.
        enter(&mut frame, entry);
        let guest = machine.lend();
        *guest.cycle = frame.cycle;
        *guest.pending.all_ready = frame.all_ready;
        *guest.pending.multiplier_free = frame.multiplier_free;
        *guest.pending.registers = frame.pending;
        *guest.counts.instructions = frame.instructions;
        *guest.counts.reads = frame.words_read;
        *guest.counts.writes = frame.words_written;
        *guest.place.slot = frame.slot as usize;
        if !frame.line_lost {
            *guest.place.line = frame.line;
        }
        let nzc = u32::from(frame.nzc);
        let flags = nzc >> 4 & 0b1100 | (nzc & 1) << 1 | u32::from(frame.overflow & 1);
        *guest.flags = *guest.flags & 0x0fff_ffff | flags << 28;
        let in_line = frame.line.wrapping_add(frame.at << shift);
        let why = why_of(frame.why as i32);
        let pc = match why {
            Why::Line => frame.at,
            _ => in_line,
        };
        Exit { pc, why }
    }
}

/// More than a word: an access that was aborted.
const ABORTED: u64 = 1 << 32;

/// Has the machine load; the clock and what is counted are the machine's meanwhile.
extern "sysv64" fn slow_load<M: Machine>(
    frame: *mut Frame,
    bytes: u32,
    _: u32,
    address: u32,
) -> u64 {
    access::<M>(frame, |machine| machine.load(address, width(bytes)))
}

/// Has the machine store.
extern "sysv64" fn slow_store<M: Machine>(
    frame: *mut Frame,
    bytes: u32,
    value: u32,
    address: u32,
) -> u64 {
    access::<M>(frame, |machine| {
        let stored = machine.store(address, width(bytes), value);
        stored.map(|()| 0)
    })
}

#[inline(always)]
fn width(bytes: u32) -> Width {
    match bytes {
        1 => Width::Byte,
        2 => Width::Half,
        _ => Width::Word,
    }
}

#[inline(always)]
fn access<M: Machine>(frame: *mut Frame, access: impl FnOnce(&mut M) -> Option<u32>) -> u64 {
    // SAFETY: only code that `Host::run` has entered calls this, with its frame; `machine` is that run's, of
    // this type, lent to it for as long. Nobody uses either of them until this returns: the code that called waits, and
    // what it knows of the machine is read anew here.
    let (frame, machine) = unsafe { (&mut *frame, &mut *(*frame).machine.cast::<M>()) };
    let guest = machine.lend();
    *guest.cycle = frame.cycle;
    *guest.counts.instructions = frame.instructions;
    *guest.counts.reads = frame.words_read;
    *guest.counts.writes = frame.words_written;
    *guest.place.line = frame.line;
    let value = access(machine);
    let guest = machine.lend();
    assert!(guest.registers.len() >= frame.count && guest.pending.ready.len() >= frame.count);
    frame.registers = guest.registers.as_mut_ptr();
    frame.ready = guest.pending.ready.as_mut_ptr();
    frame.reads = guest.hints.read.as_ptr();
    frame.writes = guest.hints.write.as_ptr();
    frame.fetches = guest.hints.fetch.as_ptr();
    frame.lines = guest.lines.as_mut_ptr().cast();
    frame.slots = guest.lines.len() as u64;
    frame.cycle = *guest.cycle;
    frame.horizon = guest.horizon;
    frame.tag = guest.hints.tag;
    frame.fetch_tag = guest.hints.fetch_tag;
    frame.instructions = *guest.counts.instructions;
    frame.words_read = *guest.counts.reads;
    frame.words_written = *guest.counts.writes;
    // Then the horizon is here, and nothing runs any more.
    frame.line_lost = *guest.place.line != frame.line;
    value.map_or(ABORTED, u64::from)
}

/// Whether `lahf` and `sahf` are there in 64-bit mode, as they are on all but the first such processors
/// (Intel SDM, CPUID: leaf 0x80000001, bit 0 of ecx).
fn has_lahf() -> bool {
    #[allow(unused_unsafe)] // newer compilers know that it is safe
    // SAFETY: every x86-64 has this instruction.
    let leaves = unsafe { core::arch::x86_64::__cpuid(0x8000_0000) }.eax;
    #[allow(unused_unsafe)]
    // SAFETY: the same.
    let features = || unsafe { core::arch::x86_64::__cpuid(0x8000_0001) }.ecx;
    leaves > 0x8000_0000 && features() & 1 != 0
}

impl Common {
    fn new(code: &mut Code, registers: usize) -> Option<Self> {
        let leave = code.add(&leave())?;
        Some(Self {
            registers,
            enter: code.add(&enter())?,
            leave,
            cross: [code.add(&cross(2))?, code.add(&cross(1))?],
            slow_load: code.add(&slow(frame::LOAD))?,
            slow_store: code.add(&slow(frame::STORE))?,
            stubs: stubs(code, frame::LEAVE)?,
        })
    }
}

/// Code for places without a translation, of a guest whose frame has at `leave` where it is left.
fn stubs<const PLACES: usize>(code: &mut Code, leave: i32) -> Option<Stubs<PLACES>> {
    let stub = |why: i32, place: usize| {
        let mut asm = assembler();
        dynasm!(asm
            ; .arch x64
            ; mov eax, why
            ; mov ecx, place as i32
            ; jmp QWORD [rbp + leave]
        );
        finished(asm)
    };
    let mut stubs = Stubs {
        cold: [0; PLACES],
        left: [0; PLACES],
    };
    for place in 0..PLACES {
        stubs.cold[place] = code.add(&stub(frame::COLD, place))?;
        stubs.left[place] = code.add(&stub(frame::LEFT, place))?;
    }
    Some(stubs)
}

/// What a number that code leaves with says.
#[inline]
fn why_of(number: i32) -> Why {
    match number {
        frame::LEFT => Why::Left,
        frame::COLD => Why::Cold,
        frame::HORIZON_NEAR => Why::Horizon,
        frame::ABORTED => Why::Aborted,
        _ => Why::Line,
    }
}

/// The code that `asm` has assembled.
fn finished(asm: Assembler) -> Vec<u8> {
    asm.finalize().expect("labels that are all defined")
}

/// Called with the frame: has it in rbp, and registers that are the caller's free.
fn save(asm: &mut Assembler) {
    dynasm!(asm
        ; .arch x64
        ; push rbp
        ; push rbx
        ; push r12
        ; push r13
        ; push r14
        ; push r15
        ; mov rbp, rdi
    );
}

/// Back to where that was called.
fn restore(asm: &mut Assembler) {
    dynasm!(asm
        ; .arch x64
        ; pop r15
        ; pop r14
        ; pop r13
        ; pop r12
        ; pop rbx
        ; pop rbp
        ; ret
    );
}

/// From a call with the frame and the address of a unit into that.
fn enter() -> Vec<u8> {
    let mut asm = assembler();
    save(&mut asm);
    dynasm!(asm
        ; .arch x64
        ; mov r13, [rbp + frame::ROW]
    );
    load_frame(&mut asm);
    dynasm!(asm ; .arch x64 ; jmp rsi);
    finished(asm)
}

/// Loads what registers hold of the frame.
fn load_frame(asm: &mut Assembler) {
    dynasm!(asm
        ; .arch x64
        ; mov rbx, [rbp + frame::REGISTERS]
        ; mov r12, [rbp + frame::CYCLE]
        ; mov r14, [rbp + frame::READS]
        ; mov r9, [rbp + frame::WRITES]
        ; mov r15, [rbp + frame::LINES]
        ; mov r11, [rbp + frame::SLOTS]
        ; mov r8, [rbp + frame::TAG]
        ; mov r10, [rbp + frame::HORIZON]
    );
}

/// Has the machine access memory by the function in the frame: `esi` bytes at the address in edi, of instruction ecx; stored
/// is edx, and eax is what was loaded. An access that is aborted is left.
fn slow(function: i32) -> Vec<u8> {
    let mut asm = assembler();
    dynasm!(asm
        ; .arch x64
        ; mov [rbp + frame::CYCLE], r12
        ; mov [rbp + frame::AT], ecx
        ; mov ecx, edi
        ; mov rdi, rbp
        ; call QWORD [rbp + function]
    );
    load_frame(&mut asm);
    dynasm!(asm
        ; .arch x64
        ; mov rcx, rax
        ; shr rcx, 32
        ; jnz >aborted
        ; ret
        ; aborted:
        ; add rsp, 8
        ; mov eax, frame::ABORTED
        ; mov ecx, [rbp + frame::AT]
        ; jmp QWORD [rbp + frame::LEAVE]
    );
    finished(asm)
}

/// Back to where `enter` was called: eax says why, ecx where.
fn leave() -> Vec<u8> {
    let mut asm = assembler();
    dynasm!(asm
        ; .arch x64
        ; mov [rbp + frame::CYCLE], r12
        ; mov [rbp + frame::WHY], eax
        ; mov [rbp + frame::AT], ecx
    );
    restore(&mut asm);
    finished(asm)
}

/// To the address in ecx: in the line that runs, or in one of which a hint says where it is.
/// Instructions have `1 << shift` bytes.
fn cross(shift: i8) -> Vec<u8> {
    let places = LINE_BYTES as i32 >> shift;
    let row_bytes = size_of::<crate::lines::Entries<PLACES>>() as i32;
    let mut asm = assembler();
    dynasm!(asm
        ; .arch x64
        ; mov eax, ecx
        ; and eax, -(LINE_BYTES as i32)
        ; cmp eax, [rbp + frame::LINE]
        ; je >same
        ; mov edx, eax
        ; shl rdx, 32
        ; or rdx, [rbp + frame::FETCH_TAG]
        ; mov esi, ecx
        ; shr esi, 2
        ; and esi, unit::HINT_MASK
        ; mov rdi, [rbp + frame::FETCHES]
        ; xor rdx, [rdi + rsi]
        ; cmp rdx, [rbp + frame::INSN_SLOTS]
        ; jae >unknown
        ; mov [rbp + frame::LINE], eax
        ; mov [rbp + frame::SLOT], rdx
        ; mov rsi, [rbp + frame::NUMBERS]
        ; mov esi, [rsi + rdx * 4]
        ; imul rsi, rsi, row_bytes
        ; add rsi, [rbp + frame::ENTRIES]
        ; mov r13, rsi
        ; same:
        ; shr ecx, shift
        ; and ecx, places - 1
        ; jmp QWORD [r13 + rcx * 8]
        ; unknown:
        ; mov eax, frame::OTHER_LINE
        ; jmp QWORD [rbp + frame::LEAVE]
    );
    finished(asm)
}

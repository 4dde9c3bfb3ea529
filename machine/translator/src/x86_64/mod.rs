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
use crate::guest::{Exit, Guest, Why, LINE_BYTES, LINE_WORDS};
use crate::instruction::Instruction;
use crate::lines::{Lines, Stubs};
use crate::PLACES;

use frame::Frame;
use unit::Unit;

/// Assembles instructions that run wherever they are.
type Assembler = VecAssembler<X64Relocation>;

/// One with room for most units: to make room later takes longer than to translate.
fn assembler() -> Assembler {
    VecAssembler::new_with_capacity(0, 8192, 64, 0, 128, 128, 128)
}

/// Translated code.
#[derive(Debug)]
pub(crate) struct Host {
    code: Code,
    /// Code that is always there.
    common: Common,
    _common_code: Code,
}

/// Addresses of code that is always there.
#[derive(Debug)]
struct Common {
    /// Called with the frame and the address of a unit.
    enter: usize,
    leave: usize,
    /// Goes on at the address in ecx, in a line of words or of halfwords.
    cross: [usize; 2],
    stubs: Stubs<PLACES>,
}

impl Host {
    /// `None`: this host is not one.
    pub(crate) fn new() -> Option<Self> {
        if !has_lahf() {
            return None;
        }
        let mut code = Code::new();
        let common = Common::new(&mut code)?;
        code.publish()?;
        Some(Self {
            code: Code::new(),
            common,
            _common_code: code,
        })
    }

    #[inline]
    pub(crate) fn stubs(&self) -> &Stubs<PLACES> {
        &self.common.stubs
    }

    pub(crate) fn limit(&mut self, blocks: usize) {
        self.code.limit(blocks);
    }

    /// Makes executable what was translated; `None`: the host does not let it.
    pub(crate) fn publish(&mut self) -> Option<()> {
        self.code.publish()
    }

    pub(crate) fn clear(&mut self) {
        self.code.clear();
    }

    /// The address of the code of a unit; `None`: there is no room.
    pub(crate) fn translate(&mut self, line: &[Instruction], place: usize) -> Option<usize> {
        match Unit::translate(line, place) {
            None => Some(self.common.stubs.left[place]),
            Some(code) => self.code.add(&code),
        }
    }

    #[inline(always)]
    pub(crate) fn run(&self, lines: &Lines<LINE_WORDS, PLACES>, guest: &mut Guest<'_>) -> Exit {
        let (entries, numbers) = lines.tables();
        let row = &entries[numbers[*guest.place.slot] as usize];
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
            why: 0,
            at: 0,
            overflow: (flags & 1) as u8,
            nzc: ((flags & 0b1100) << 4 | flags >> 1 & 1) as u8,
            words: MaybeUninit::uninit(),
        };
        // SAFETY: `enter` is the address of code of this signature (`Common::new`), in memory that may be
        // executed as long as `self` is there.
        let enter: extern "sysv64" fn(*mut Frame, usize) =
            unsafe { std::mem::transmute(self.common.enter as *const ()) };
        // The code gets, by the frame, pointers to what `guest` lends for longer than this call and to the
        // tables of `lines`. It reaches registers (below `Translator::registers`, which the caller has
        // compared with the lengths), data lines (a slot below `slots`), hints (masked to the table's
        // length), numbers of slots (below `insn_slots`), entries (numbers are indices of them; places are
        // masked), and the frame; and goes to entries and common code alone, which are all addresses of
        // code that is there: whoever frees code takes its address out of `lines` (`Translator::translate`).
        enter(&mut frame, row[guest.place.instruction % PLACES]);
        *guest.cycle = frame.cycle;
        *guest.pending.all_ready = frame.all_ready;
        *guest.pending.multiplier_free = frame.multiplier_free;
        *guest.pending.registers = frame.pending;
        *guest.counts.instructions = frame.instructions;
        *guest.counts.reads = frame.words_read;
        *guest.counts.writes = frame.words_written;
        *guest.place.line = frame.line;
        *guest.place.slot = frame.slot as usize;
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
    fn new(code: &mut Code) -> Option<Self> {
        let leave = code.add(&leave())?;
        Some(Self {
            enter: code.add(&enter())?,
            leave,
            cross: [code.add(&cross(2))?, code.add(&cross(1))?],
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
        _ => Why::Line,
    }
}

/// The code that `asm` has assembled.
fn finished(asm: Assembler) -> Vec<u8> {
    asm.finalize().expect("labels that are all defined")
}

/// From a call with the frame and the address of a unit into that.
fn enter() -> Vec<u8> {
    let mut asm = assembler();
    dynasm!(asm
        ; .arch x64
        ; push rbp
        ; push rbx
        ; push r12
        ; push r13
        ; push r14
        ; push r15
        ; mov rbp, rdi
        ; mov rbx, [rbp + frame::REGISTERS]
        ; mov r12, [rbp + frame::CYCLE]
        ; mov r13, [rbp + frame::ROW]
        ; mov r14, [rbp + frame::READS]
        ; mov r9, [rbp + frame::WRITES]
        ; mov r15, [rbp + frame::LINES]
        ; mov r11, [rbp + frame::SLOTS]
        ; mov r8, [rbp + frame::TAG]
        ; mov r10, [rbp + frame::HORIZON]
        ; jmp rsi
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
        ; pop r15
        ; pop r14
        ; pop r13
        ; pop r12
        ; pop rbx
        ; pop rbp
        ; ret
    );
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

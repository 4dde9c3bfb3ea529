// SPDX-License-Identifier: Apache-2.0
//! Code for guests of 64 bits.

mod branch;
mod compute;
mod divide;
mod frame;
mod issue;
mod memory;
mod status;
mod system;
mod unit;

use dynasmrt::{dynasm, DynasmApi, DynasmLabelApi};

use super::{assembler, finished, restore, save, stubs, why_of, Translated};
use crate::lines::{Lines, Stubs};
use crate::wide::{Exit, Guest, Ready, Stretch, HINTS, LINE_BYTES, LINE_WORDS, PLACES, UNDER_WAY};
use crate::Why;

use frame::Frame;
use unit::Unit;

/// The bits of a line's number that choose its hint.
const HINT_MASK: i32 = HINTS as i32 - 1;
/// Base-two logarithm of a line's bytes.
const LINE_SHIFT: i8 = LINE_BYTES.trailing_zeros() as i8;

/// Bytes of the entries of a line.
const ROW_BYTES: i32 = size_of::<crate::lines::Entries<PLACES>>() as i32;

/// Translated code.
pub type Host = Translated<Common>;

/// Code that is always there.
#[derive(Debug)]
pub struct Common {
    /// Called with the frame and the address of a unit; left by; goes on at the address in rcx; finds out when
    /// all registers are there.
    enter: usize,
    leave: usize,
    cross: usize,
    drain: usize,
    stubs: Stubs<PLACES>,
}

impl Host {
    /// `None`: the host gives no memory.
    pub(crate) fn new() -> Option<Self> {
        Self::beside(|code| {
            Some(Common {
                enter: code.add(&enter())?,
                leave: code.add(&leave())?,
                cross: code.add(&cross())?,
                drain: code.add(&drain())?,
                stubs: stubs(code, frame::LEAVE)?,
            })
        })
    }

    /// Code for places without a translation.
    pub(crate) fn stubs(&self) -> Stubs<PLACES> {
        self.common.stubs
    }

    /// The address of the code of a unit; `None`: there is no room.
    pub(crate) fn translate(&mut self, stretch: &Stretch, place: usize) -> Option<usize> {
        if stretch.steps.is_empty() {
            return Some(self.common.stubs.left[place % PLACES]);
        }
        self.code.add(&Unit::translate(stretch))
    }

    #[inline(always)]
    pub(crate) fn run(&self, lines: &Lines<LINE_WORDS, PLACES>, guest: &mut Guest<'_>) -> Exit {
        let (entries, numbers) = lines.tables();
        let row = &entries[numbers[*guest.place.slot] as usize];
        let predictor = &mut guest.predictor;
        let mut frame = Frame {
            registers: guest.registers.as_mut_ptr(),
            all_ready: *guest.pending.all_ready,
            open_at: *guest.pending.open_at,
            open: u64::from(*guest.pending.open),
            reads: guest.hints.read.as_ptr(),
            writes: guest.hints.write.as_ptr(),
            fetches: guest.hints.fetch.as_ptr(),
            last_double: guest.memory.bytes.len() as u64 - 8,
            memory: guest.memory.bytes.as_mut_ptr(),
            written: guest.memory.written.as_mut_ptr(),
            row: row.as_ptr(),
            cycle: *guest.cycle,
            horizon: guest.horizon,
            instructions: *guest.counts.instructions,
            words_read: *guest.counts.reads,
            words_written: *guest.counts.writes,
            line: *guest.place.line,
            slot: *guest.place.slot as u64,
            ready: guest.pending.ready.as_mut_ptr(),
            entries: entries.as_ptr().cast(),
            numbers: numbers.as_ptr(),
            insn_slots: numbers.len() as u64,
            firsts: lines.firsts().as_ptr(),
            cross: self.common.cross,
            leave: self.common.leave,
            at: 0,
            why: 0,
            tag: guest.hints.tag,
            fetch_tag: guest.hints.fetch_tag,
            history: *predictor.history,
            history_mask: predictor.history_mask,
            counter_mask: predictor.counters.len() as u32 - 1,
            target_mask: predictor.targets.len() as u32 - 1,
            indirect_mask: predictor.indirect.len() as u32 - 1,
            targets: predictor.targets.as_mut_ptr(),
            counters: predictor.counters.as_mut_ptr(),
            indirect: predictor.indirect.as_mut_ptr(),
            returns: predictor.returns.as_mut_ptr(),
            returns_count: predictor.returns.len() as u64,
            depth: *predictor.depth as u64,
            top: *predictor.top as u64,
            late: 0,
            divider: *guest.pending.divider,
            drained: guest.memory.drained,
            drain: self.common.drain,
            system: guest.system.registers.as_ptr().cast(),
            level: guest.system.level.into(),
            status: *guest.system.status,
            old_status: 0,
            new_status: 0,
            translates: guest.hints.translates.into(),
            before: *guest.counts.before,
            branches: *guest.counts.branches,
        };
        // SAFETY: `enter` is the address of code of this signature, in memory that may be executed as long
        // as `self` is there.
        let enter: extern "sysv64" fn(*mut Frame, usize) =
            unsafe { std::mem::transmute(self.common.enter as *const ()) };
        // The code gets, by the frame, pointers to what `guest` lends for longer than this call and to the
        // tables of `lines`. It reaches registers and when they are there (numbers below `REGISTERS`), those of
        // the system (below `SYSTEM`: `Translator::translate` for both), memory (offsets up to `last_double`, and the marks of their pages: the caller
        // has compared their number), hints (masked), the predictor's tables (masked; `top` is below their
        // number and stays so), numbers of slots (below `insn_slots`), entries and first halfwords (numbers are indices of both;
        // places are masked), and the frame; and goes to entries and common code alone, which are all addresses
        // of code that is there: whoever frees code takes its address out of `lines`.
        enter(&mut frame, row[guest.place.instruction % PLACES]);
        *guest.cycle = frame.cycle;
        *guest.pending.all_ready = frame.all_ready;
        *guest.pending.open = frame.open as u8;
        *guest.pending.open_at = frame.open_at;
        *guest.pending.divider = frame.divider;
        *guest.counts.instructions = frame.instructions;
        *guest.counts.reads = frame.words_read;
        *guest.counts.writes = frame.words_written;
        *guest.counts.branches = frame.branches;
        *guest.counts.before = frame.before;
        *guest.system.status = frame.status;
        *guest.place.line = frame.line;
        *guest.place.slot = frame.slot as usize;
        *predictor.history = frame.history;
        *predictor.depth = frame.depth as usize;
        *predictor.top = frame.top as usize;
        let why = why_of(frame.why as i32);
        let pc = match why {
            Why::Line => frame.at,
            _ => frame.line.wrapping_add(frame.at << 1),
        };
        Exit { pc, why }
    }
}

/// From a call with the frame and the address of a unit into that.
fn enter() -> Vec<u8> {
    let mut asm = assembler();
    save(&mut asm);
    dynasm!(asm
        ; .arch x64
        ; mov rbx, [rbp + frame::REGISTERS]
        ; mov r12, [rbp + frame::CYCLE]
        ; mov r13, [rbp + frame::ROW]
        ; mov r14, [rbp + frame::READS]
        ; mov r9, [rbp + frame::WRITES]
        ; mov r15, [rbp + frame::MEMORY]
        ; mov r11, [rbp + frame::LAST_DOUBLE]
        ; mov r8d, [rbp + frame::TAG]
        ; mov r10, [rbp + frame::HORIZON]
        ; jmp rsi
    );
    finished(asm)
}

/// Back to where `enter` was called: eax says why, rcx where.
fn leave() -> Vec<u8> {
    let mut asm = assembler();
    dynasm!(asm
        ; .arch x64
        ; mov [rbp + frame::CYCLE], r12
        ; mov [rbp + frame::WHY], eax
        ; mov [rbp + frame::AT], rcx
    );
    restore(&mut asm);
    finished(asm)
}

/// Called with a cycle in rax: puts the last one there from which a register is there late, if that is later.
/// Changes rsi.
fn drain() -> Vec<u8> {
    let mut asm = assembler();
    dynasm!(asm ; .arch x64 ; mov rsi, [rbp + frame::READY]);
    for register in 0..UNDER_WAY {
        let late = (register * size_of::<Ready>() + size_of::<u64>()) as i32;
        dynasm!(asm
            ; .arch x64
            ; cmp rax, [rsi + late]
            ; cmovb rax, [rsi + late]
        );
    }
    dynasm!(asm ; .arch x64 ; ret);
    finished(asm)
}

/// To the address in rcx: in the line that runs, or in one of which a hint says where it is.
fn cross() -> Vec<u8> {
    let mut asm = assembler();
    dynasm!(asm
        ; .arch x64
        ; mov rax, rcx
        ; and rax, -(LINE_BYTES as i32)
        ; cmp rax, [rbp + frame::LINE]
        ; je >same
        ; mov rsi, rcx
        ; shr rsi, LINE_SHIFT
        ; and esi, HINT_MASK
        ; lea rsi, [rsi + rsi * 2]
        ; mov rdi, [rbp + frame::FETCHES]
        ; lea rdi, [rdi + rsi * 8]
        ; cmp rax, [rdi]
        ; jne >unknown
        ; mov edx, [rbp + frame::FETCH_TAG]
        ; cmp edx, [rdi + frame::HINT_TAG]
        ; jne >unknown
        ; mov edx, [rdi + frame::HINT_SLOT]
        ; cmp rdx, [rbp + frame::INSN_SLOTS]
        ; jae >unknown
        ; mov [rbp + frame::LINE], rax
        ; mov [rbp + frame::SLOT], rdx
        ; mov rsi, [rbp + frame::NUMBERS]
        ; mov esi, [rsi + rdx * 4]
        ; imul rsi, rsi, ROW_BYTES
        ; add rsi, [rbp + frame::ENTRIES]
        ; mov r13, rsi
        ; same:
        ; shr ecx, 1
        ; and ecx, PLACES as i32 - 1
        ; jmp QWORD [r13 + rcx * 8]
        ; unknown:
        ; mov eax, super::frame::OTHER_LINE
        ; jmp QWORD [rbp + frame::LEAVE]
    );
    finished(asm)
}

// SPDX-License-Identifier: Apache-2.0
//! Code for guests with a trace cache.

mod branch;
mod compute;
mod frame;
mod memory;
mod unit;

use dynasmrt::{dynasm, DynasmApi, DynasmLabelApi};

use super::{assembler, finished, restore, save, Translated};
use crate::traces::{
    Counts, Exit, Guest, Stretch, Ways, Why, FETCH_HINTS, LINE_BYTES, MOST_STEPS, SET_SHIFT, SLOTS,
    WAYS,
};

use frame::Frame;
use memory::{prepare, store};
use unit::Unit;

/// The flags that `lahf` has, as EFLAGS has them, and overflow.
const LOW_FLAGS: u32 = 0xd5;
const OVERFLOW_SHIFT: u32 = 11;
/// The flag that says that strings go down.
const DIRECTION: u32 = 1 << 10;

/// Translated code.
pub type Host = Translated<Common>;

/// Code that is always there, and for which machine.
#[derive(Debug)]
pub struct Common {
    /// Called with the frame, the address of a unit and that of its first instruction; left by; goes on at the
    /// address in ecx; for what is not translated.
    enter: usize,
    leave: usize,
    cross: usize,
    cold: usize,
    /// Code that looks whether a store to another line can be made, and makes it.
    prepare: usize,
    store: usize,
    /// How many branches are known, and the ways of trace cache, first and second level.
    branches: usize,
    ways: [Ways; 3],
}

impl Host {
    /// `None`: the host is not one, or gives no memory.
    pub(crate) fn new(branches: usize, ways: [Ways; 3], store_latency: u32) -> Option<Self> {
        if !super::has_lahf() {
            return None;
        }
        let second = ways[2].count;
        Self::beside(|code| {
            Some(Common {
                enter: code.add(&enter())?,
                leave: code.add(&leave())?,
                cross: code.add(&cross())?,
                cold: code.add(&cold())?,
                prepare: code.add(&prepare(second))?,
                store: code.add(&store(second, store_latency))?,
                branches,
                ways,
            })
        })
    }

    /// The code of lines that are not translated.
    pub(crate) fn cold(&self) -> usize {
        self.common.cold
    }

    /// How many branches are known.
    #[inline]
    pub(crate) fn branches(&self) -> usize {
        self.common.branches
    }

    /// The ways of trace cache, first and second level.
    #[inline]
    pub(crate) fn ways(&self) -> &[Ways; 3] {
        &self.common.ways
    }

    /// The address of the code of a unit; `None`: there is no room.
    pub(crate) fn translate(&mut self, stretch: &Stretch) -> Option<usize> {
        let code = Unit::translate(stretch, self.common.branches, self.common.ways[1].count);
        self.code.add(&code)
    }

    #[inline(always)]
    pub(crate) fn run(&self, entries: &[usize; SLOTS], guest: &mut Guest<'_>) -> Exit {
        let Guest {
            clock,
            fetch,
            caches,
            predictor,
            ..
        } = guest;
        let last = clock.window.len() - MOST_STEPS - 1;
        let window = clock.window.as_mut_ptr();
        let flags = *guest.flags;
        let mut frame = Frame {
            registers: guest.registers.as_mut_ptr(),
            horizon: guest.horizon,
            read_tag: guest.hints.read_tag,
            reads: guest.hints.read.as_ptr(),
            ready: clock.ready.as_mut_ptr(),
            now: *clock.now,
            retired: *clock.retired,
            window: window.wrapping_add(*clock.next),
            memory: guest.memory.bytes.as_mut_ptr(),
            last_window: window.wrapping_add(last),
            access: *clock.access,
            load_port: *clock.load_port,
            store_port: *clock.store_port,
            held: *clock.held,
            ahead: clock.ahead,
            write_tag: guest.hints.write_tag,
            writes: guest.hints.write.as_ptr(),
            written: guest.memory.written.as_mut_ptr(),
            last_line: (guest.memory.bytes.len() as u64 - u64::from(LINE_BYTES))
                .min(u64::from(u32::MAX)) as u32,
            recent: *caches.recent,
            combining: *caches.combining,
            data_slots: caches.first.tags.len() as u32,
            data_tags: caches.first.tags.as_ptr(),
            data_trees: caches.first.trees.as_mut_ptr(),
            data_paths: self.common.ways[1].paths,
            another: 0,
            store_line: 0,
            store_slot: 0,
            store_half: 0,
            destination: std::ptr::null_mut(),
            stores: caches.stores.as_mut_ptr(),
            next_store: *caches.next_store as u64,
            second_slots: caches.second.tags.len() as u32,
            second_sets: caches.second.trees.len() as u32 - 1,
            second_tags: caches.second.tags.as_ptr(),
            second_trees: caches.second.trees.as_mut_ptr(),
            second_ways: caches.ways.as_ptr(),
            sectors: caches.sectors.as_mut_ptr(),
            second_paths: self.common.ways[2].paths,
            keys: fetch.keys.as_ptr(),
            kind: fetch.kind,
            found: fetch.found.as_ptr(),
            epoch: fetch.epoch,
            fetch_hints: fetch.hints.as_ptr(),
            trees: fetch.trees.as_mut_ptr(),
            paths: self.common.ways[0].paths,
            entries: entries.as_ptr(),
            branches: predictor.branches.as_mut_ptr(),
            counters: predictor.counters.as_mut_ptr(),
            returns: predictor.returns.as_mut_ptr(),
            returns_count: predictor.returns.len() as u64,
            top: *predictor.top as u64,
            history: *predictor.history,
            history_mask: predictor.history_mask,
            counts: Counts::default(),
            cross: self.common.cross,
            leave: self.common.leave,
            prepare: self.common.prepare,
            store: self.common.store,
            flags: ((flags & LOW_FLAGS) << 8 | flags >> OVERFLOW_SHIFT & 1) as u16,
            direction: if flags & DIRECTION == 0 { 1 } else { -1 },
            why: 0,
            address: guest.address,
            step: 0,
            slot: guest.slot as u32,
        };
        // SAFETY: `enter` is the address of code of this signature, in memory that may be executed as long
        // as `self` is there.
        let enter: extern "sysv64" fn(*mut Frame, usize) =
            unsafe { std::mem::transmute(self.common.enter as *const ()) };
        // The code gets, by the frame, pointers to what `guest` lends for longer than this call, and to
        // `entries`. It reaches registers and what is waited for (numbers below `REGISTERS` and `RESULTS`:
        // `Translator::translate`), the window (a unit begins at or below `last_window`, behind which as many
        // places are as it has instructions, and `WINDOW` places are before it), memory (lines up to
        // `last_line`, in which an access ends, and the marks of their pages: the caller has compared their
        // number), hints (masked), tags of both levels (slots below their numbers, the trees of their sets, sectors;
        // the caller has compared), store buffers (`next_store` is below their number and stays so), the trace cache (slots and sets masked), known branches and counters (as many as were said when
        // it was translated; masked), return addresses (`top` is below their number and stays so), and the frame;
        // and goes to entries and common code alone, which are all addresses of code that is there: whoever
        // frees code takes its address out of `entries`.
        enter(&mut frame, entries[guest.slot % SLOTS]);
        *clock.now = frame.now;
        *clock.retired = frame.retired;
        // Both point into the window, or behind its last place.
        *clock.next = (frame.window as usize - window as usize) / size_of::<u64>();
        *clock.access = frame.access;
        *clock.load_port = frame.load_port;
        *clock.store_port = frame.store_port;
        *clock.held = frame.held;
        *caches.recent = frame.recent;
        *caches.combining = frame.combining;
        *caches.next_store = frame.next_store as usize;
        *predictor.top = frame.top as usize;
        *predictor.history = frame.history;
        *guest.counts = frame.counts;
        let status = u32::from(frame.flags);
        *guest.flags = flags & !(LOW_FLAGS | 1 << OVERFLOW_SHIFT)
            | status >> 8 & LOW_FLAGS
            | (status & 1) << OVERFLOW_SHIFT;
        Exit {
            address: frame.address,
            slot: frame.slot as usize,
            step: frame.step as usize,
            why: match frame.why as i32 {
                frame::COLD => Why::Cold,
                frame::LEFT => Why::Left,
                frame::LINE => Why::Line,
                _ => Why::Window,
            },
        }
    }
}

/// From a call with the frame and the address of a unit into that.
fn enter() -> Vec<u8> {
    let mut asm = assembler();
    save(&mut asm);
    dynasm!(asm
        ; .arch x64
        ; mov rbx, [rbp + frame::REGISTERS]
        ; mov r8, [rbp + frame::HORIZON]
        ; mov r9, [rbp + frame::READ_TAG]
        ; mov r10, [rbp + frame::READS]
        ; mov r11, [rbp + frame::READY]
        ; mov r12, [rbp + frame::NOW]
        ; mov r13, [rbp + frame::RETIRED]
        ; mov r14, [rbp + frame::WINDOW]
        ; mov r15, [rbp + frame::MEMORY]
        ; mov ecx, [rbp + frame::ADDRESS]
        ; jmp rsi
    );
    finished(asm)
}

/// Back to where `enter` was called: eax says why, ecx at which address, edx at which instruction of the line.
fn leave() -> Vec<u8> {
    let mut asm = assembler();
    dynasm!(asm
        ; .arch x64
        ; mov [rbp + frame::NOW], r12
        ; mov [rbp + frame::RETIRED], r13
        ; mov [rbp + frame::WINDOW], r14
        ; mov [rbp + frame::WHY], eax
        ; mov [rbp + frame::ADDRESS], ecx
        ; mov [rbp + frame::STEP], edx
    );
    restore(&mut asm);
    finished(asm)
}

/// At a line, whose address is in ecx, that is not translated.
fn cold() -> Vec<u8> {
    let mut asm = assembler();
    dynasm!(asm
        ; .arch x64
        ; mov eax, frame::COLD
        ; xor edx, edx
        ; jmp QWORD [rbp + frame::LEAVE]
    );
    finished(asm)
}

/// To the line at the address in ecx, if it is where it was and there is time left: as the interpreter looks for it.
fn cross() -> Vec<u8> {
    let mut asm = assembler();
    dynasm!(asm
        ; .arch x64
        ; cmp r12, r8
        ; jae >elsewhere
        ; mov eax, ecx
        ; shr eax, 12
        ; xor eax, ecx
        ; and eax, FETCH_HINTS as i32 - 1
        ; mov rsi, [rbp + frame::FETCH_HINTS]
        ; movzx esi, WORD [rsi + rax * 2]
        ; and esi, SLOTS as i32 - 1
        ; mov rdx, [rbp + frame::KIND]
        ; or rdx, rcx
        ; mov rax, [rbp + frame::KEYS]
        ; cmp rdx, [rax + rsi * 8]
        ; jne >elsewhere
        ; mov rdx, [rbp + frame::EPOCH]
        ; mov rax, [rbp + frame::FOUND]
        ; cmp rdx, [rax + rsi * 8]
        ; jne >elsewhere
        ; inc QWORD [rbp + frame::LOOKUPS]
        ; mov [rbp + frame::SLOT], esi
        ; mov eax, ecx
        ; shr eax, SET_SHIFT as i8
        ; and eax, (SLOTS / WAYS) as i32 - 1
        ; add rax, [rbp + frame::TREES]
        ; mov edx, esi
        ; and edx, WAYS as i32 - 1
        ; mov dil, [rax]
        ; and dil, [rbp + rdx * 2 + frame::PATHS]
        ; or dil, [rbp + rdx * 2 + frame::PATHS + 1]
        ; mov [rax], dil
        ; mov rax, [rbp + frame::ENTRIES]
        ; jmp QWORD [rax + rsi * 8]
        ; elsewhere:
        ; mov eax, frame::LINE
        ; xor edx, edx
        ; jmp QWORD [rbp + frame::LEAVE]
    );
    finished(asm)
}

// SPDX-License-Identifier: Apache-2.0
//! What a fault in the middle of an instruction shows: which of several accesses fails first, that
//! nothing has changed; and the faults of instructions that the model has in part. All accesses of level
//! 3 are compared with the host's processor (`test_ia32_faults.py`), those of other levels with Bochs.

use switchyard_machine::ia32::isa::flags::NT;
use switchyard_machine::ia32::isa::insn::{reg, Seg};

use super::paging::{map, HIGH, HIGH_TABLE, OTHER, P, PAGE, RW, US};
use super::rig::*;

/// Where two pages meet that are both absent.
const BORDER: u32 = HIGH + 0x1000;

/// A rig at level 3 with paging, whose two pages at `HIGH` have the rights that are given.
fn with(rights: [u32; 2]) -> Rig {
    let mut rig = Rig::new();
    map(&mut rig, PAGE | rights[0], P | RW | US, 0, 0);
    rig.set32(HIGH_TABLE + 4, OTHER | rights[1]);
    rig.enter(3);
    rig
}

/// The address at which `insn` faults, with registers as they were.
fn fault_at(rig: &mut Rig, insn: &[u8], code: u32) -> u32 {
    let before = rig.core.r;
    rig.faults(insn, PF, Some(code));
    assert_eq!(rig.core.r, before, "{insn:02x?}");
    rig.core.control(2)
}

#[test]
fn what_is_popped_together_is_looked_for_in_the_processors_order() {
    // POPA from the top, where EDI is; far returns from the bottom.
    for (insn, below, at) in [
        (&[0x61][..], 16, 0),  // popa
        (&[0x66, 0x61], 8, 0), // popa, 16 bits
        (&[0xcb], 4, 4),       // retf
        (&[0x66, 0xcb], 2, 2), // retf, 16 bits
        (&[0xcf], 8, 8),       // iret
        (&[0x66, 0xcf], 4, 4), // iret, 16 bits
    ] {
        let mut rig = with([0, 0]);
        rig.core.r[reg::ESP] = BORDER - below;
        assert_eq!(
            fault_at(&mut rig, insn, US),
            BORDER - below + at,
            "{insn:x?}"
        );
    }
}

#[test]
fn what_is_stored_in_parts_is_stored_whole_or_not_at_all() {
    for (insn, first) in [
        (&[0xd9, 0x33][..], 4),   // fnstenv
        (&[0xdd, 0x33], 4),       // fnsave
        (&[0xdb, 0x3b], 8),       // fstp, 80 bits
        (&[0x0f, 0xc7, 0x0b], 4), // cmpxchg8b
    ] {
        let mut rig = with([P | RW | US, 0]);
        rig.set32(PAGE + 0xff8, 0x1234_5678);
        rig.set32(PAGE + 0xffc, 0x9abc_def0);
        rig.core.r[reg::EBX] = BORDER - first;
        let at = fault_at(&mut rig, insn, RW | US);
        assert_eq!(at & !0xfff, BORDER, "{insn:x?}");
        assert_eq!(rig.get32(PAGE + 0xff8), 0x1234_5678, "{insn:x?}");
        assert_eq!(rig.get32(PAGE + 0xffc), 0x9abc_def0, "{insn:x?}");
    }
}

#[test]
fn arpl_writes_what_it_changes_alone() {
    let mut rig = Rig::new();
    rig.describe(FREE, descriptor(0, 0xf_ffff, READ_ONLY, BIG | PAGES));
    rig.load(Seg::Fs, FREE);
    rig.core.r[reg::EBX] = DATA;
    let arpl = &[0x64, 0x63, 0x0b]; // arpl fs:[ebx], cx
    rig.set32(DATA, 0x13);
    rig.core.r[reg::ECX] = 3;
    rig.does(arpl);
    assert_eq!(rig.core.eflags() & 0x40, 0);
    rig.set32(DATA, 0x12);
    rig.faults(arpl, GP, Some(0));
    assert_eq!(rig.get32(DATA), 0x12);
    // Of a page likewise: it is read, and then written.
    let arpl = &[0x63, 0x0b];
    for (rights, selector, fault) in [
        (0, 0x13, Some(US)),
        (0, 0x12, Some(US)),
        (P | US, 0x13, None),
        (P | US, 0x12, Some(P | RW | US)),
    ] {
        let mut rig = with([rights, 0]);
        rig.set32(PAGE, selector);
        rig.core.r[reg::EBX] = HIGH;
        rig.core.r[reg::ECX] = 3;
        match fault {
            Some(code) => assert_eq!(fault_at(&mut rig, arpl, code), HIGH),
            None => rig.does(arpl),
        }
    }
}

/// IRET with NT: the checks of the link back, and the refusal.
#[test]
fn a_return_to_another_task_names_its_tss() {
    let busy = 0x8b;
    for (link, access, vector, code) in [
        (FREE | 4, busy, TS, FREE | 4), // of the LDT
        (0xf8, busy, TS, 0xf8),         // beyond the table
        (DATA0, busy, TS, DATA0),       // no TSS
        (FREE | 3, 0x89, TS, FREE),     // not busy
        (FREE | 3, 0x0b, NP, FREE),     // absent
        (FREE, busy, TS, FREE),         // what would be switched to
        (0, busy, TS, 0),
    ] {
        let mut rig = Rig::new();
        rig.describe(FREE, descriptor(TSS, 0x67, access, 0));
        rig.set16(TSS, link);
        rig.core.set_eflags(NT);
        rig.faults(&[0xcf], vector, Some(u32::from(code)));
    }
}

#[test]
fn a_return_to_virtual_8086_mode_is_refused() {
    const VM: u32 = 1 << 17;
    let mut rig = Rig::new();
    let frame = STACK - 12;
    rig.set32(frame, CODE);
    rig.set32(frame + 4, u32::from(CODE0));
    rig.set32(frame + 8, VM | 2);
    rig.core.r[reg::ESP] = frame;
    rig.faults(&[0xcf], GP, Some(0));
}

/// Those whose operand is memory alone: a register is no instruction, whatever the level and whatever
/// else the instruction would ask for.
#[test]
fn a_register_where_memory_must_be_is_no_instruction() {
    let forms: &[(&[u8], &[u8])] = &[
        (&[0x62], &[0, 1, 2, 3, 4, 5, 6, 7]),       // bound
        (&[0x8d], &[0, 1, 2, 3, 4, 5, 6, 7]),       // lea
        (&[0xc4], &[0, 1, 2, 3, 4, 5, 6, 7]),       // les
        (&[0xc5], &[0, 1, 2, 3, 4, 5, 6, 7]),       // lds
        (&[0x0f, 0xb2], &[0, 1, 2, 3, 4, 5, 6, 7]), // lss
        (&[0x0f, 0xb4], &[0, 1, 2, 3, 4, 5, 6, 7]), // lfs
        (&[0x0f, 0xb5], &[0, 1, 2, 3, 4, 5, 6, 7]), // lgs
        (&[0xff], &[3, 5]),                         // call and jmp far
        (&[0x0f, 0x01], &[0, 1, 2, 3, 5, 7]),       // sgdt, sidt, lgdt, lidt, none, invlpg
        (&[0x0f, 0xc7], &[0, 1, 2, 3, 4, 5, 6, 7]), // cmpxchg8b and its group
        // PREFETCHW and its group, which CPUID does not report, in memory, too.
        (&[0x0f, 0x0d], &[0, 1, 2, 3, 4, 5, 6, 7]),
        (&[0x0f, 0xae], &[0, 1, 2, 3, 4, 5, 6, 7]), // FXSAVE's group
    ];
    for level in [0, 3] {
        let mut rig = Rig::new();
        rig.enter(level);
        for (opcode, regs) in forms {
            for reg in *regs {
                for rm in 0..8 {
                    let insn = [opcode, &[0xc0 | reg << 3 | rm][..]].concat();
                    rig.faults(&insn, UD, None);
                }
            }
        }
    }
    let mut rig = Rig::new();
    rig.core.r[reg::EBX] = DATA;
    for reg in 0..8 {
        rig.faults(&[0x0f, 0x0d, 0x03 | reg << 3], UD, None);
    }
}

/// ENTER and LEAVE with operands and stacks of both sizes: EBP is set as far as the stack's size goes.
#[test]
fn enter_sets_the_frame_pointer_by_the_size_of_the_stack() {
    const HALF: u32 = 0x5a5a_0000;
    for (big, prefix, bytes) in [
        (true, 0x90, 4),
        (true, 0x66, 2),
        (false, 0x90, 4),
        (false, 0x66, 2),
    ] {
        let mut rig = Rig::new();
        let flags = if big { BIG | PAGES } else { 0 };
        let limit = if big { 0xf_ffff } else { 0xffff };
        rig.describe(FREE, descriptor(DATA, limit, WRITABLE, flags));
        rig.load(Seg::Ss, FREE);
        rig.core.r[reg::EBP] = HALF | 0x1234;
        rig.core.r[reg::ESP] = if big { 0x8000 } else { 0x8000 | HALF };
        let frame = 0x8000 - bytes;
        // enter 0x10, 1
        rig.run(
            &[prefix, 0xc8, 0x10, 0, 1],
            if prefix == 0x90 { 2 } else { 1 },
        );
        assert_eq!(rig.core.taken, None);
        let (upper, of_stack) = if big { (0, 0) } else { (HALF, HALF) };
        assert_eq!(rig.core.r[reg::EBP], upper | frame, "{big} {bytes}");
        assert_eq!(rig.core.r[reg::ESP], of_stack | (frame - bytes - 0x10));
        let all = if bytes == 4 { HALF | 0x1234 } else { 0x1234 };
        assert_eq!(
            rig.get32(DATA + frame) & (u32::MAX >> (32 - 8 * bytes)),
            all
        );
    }
}

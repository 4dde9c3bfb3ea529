// SPDX-License-Identifier: Apache-2.0
//! Segments: limits and types at each access (SDM vol. 3, 4.3 and 4.4), levels when they are loaded
//! (4.6, 4.7).

use switchyard_machine::ia32::isa::insn::{reg, Seg};

use super::rig::*;

/// mov al, [ebx]; mov ax, [ebx]; mov eax, [ebx]; and with FS
const READ8: &[u8] = &[0x64, 0x8a, 0x03];
const READ16: &[u8] = &[0x64, 0x66, 0x8b, 0x03];
const READ32: &[u8] = &[0x64, 0x8b, 0x03];
const WRITE8: &[u8] = &[0x64, 0x88, 0x03];
const WRITE32: &[u8] = &[0x64, 0x89, 0x03];

/// A rig whose FS has this segment at `DATA`.
fn with(limit: u32, access: u8, flags: u8) -> Rig {
    let mut rig = Rig::new();
    rig.describe(FREE, descriptor(DATA, limit, access, flags));
    rig.load(Seg::Fs, FREE);
    assert_eq!(rig.core.taken, None);
    rig
}

fn at(rig: &mut Rig, offset: u32) -> &mut Rig {
    rig.core.r[reg::EBX] = offset;
    rig
}

#[test]
fn an_access_ends_within_the_limit() {
    let mut rig = with(0xfff, WRITABLE, BIG);
    for (insn, bytes) in [
        (READ8, 1),
        (READ16, 2),
        (READ32, 4),
        (WRITE8, 1),
        (WRITE32, 4),
    ] {
        at(&mut rig, 0x1000 - bytes).does(insn);
        at(&mut rig, 0x1001 - bytes).faults(insn, GP, Some(0));
        rig.load(Seg::Fs, FREE);
        at(&mut rig, 0xffff_ffff).faults(insn, GP, Some(0));
        rig.load(Seg::Fs, FREE);
    }
}

/// PUSH and POP of a segment register access two bytes, also with operands of 32 bits (SDM vol. 3,
/// "Stack operations: selector pushes and pops").
#[test]
fn a_selector_on_the_stack_has_two_bytes() {
    const PUSH_FS: &[u8] = &[0x0f, 0xa0];
    const POP_FS: &[u8] = &[0x0f, 0xa1];
    let mut rig = with(0xfff, WRITABLE, BIG);
    rig.set32(STACK - 4, 0x1234_5678);
    rig.core.r[reg::ESP] = STACK;
    rig.does(PUSH_FS);
    assert_eq!(rig.core.r[reg::ESP], STACK - 4);
    assert_eq!(rig.get32(STACK - 4), 0x1234_0000 | u32::from(FREE));
    // The other two may lie beyond the limit.
    rig.describe(FREE2, descriptor(STACK - 4, 1, WRITABLE, BIG));
    rig.load(Seg::Ss, FREE2);
    rig.core.r[reg::ESP] = 4;
    rig.does(PUSH_FS);
    rig.does(POP_FS);
    assert_eq!(rig.core.r[reg::ESP], 4);
}

#[test]
fn a_limit_in_pages_has_all_of_its_last_page() {
    let mut rig = with(1, WRITABLE, BIG | PAGES);
    at(&mut rig, 0x1ffc).does(READ32);
    at(&mut rig, 0x1ffd).faults(READ32, GP, Some(0));
}

#[test]
fn a_segment_that_expands_down_begins_behind_its_limit() {
    let mut rig = with(0xfff, EXPAND_DOWN, BIG);
    at(&mut rig, 0x1000).does(READ32);
    at(&mut rig, 0x2_0000).does(READ32);
    for offset in [0xfff, 0xffd, 0] {
        at(&mut rig, offset).faults(READ8, GP, Some(0));
        rig.load(Seg::Fs, FREE);
    }
    // Its last byte, without B, is that of 64 KB.
    let mut rig = with(0xfff, EXPAND_DOWN, 0);
    at(&mut rig, 0xfffc).does(READ32);
    at(&mut rig, 0xfffd).faults(READ32, GP, Some(0));
    let mut rig = with(0xfff, EXPAND_DOWN, 0);
    at(&mut rig, 0x1_0000).faults(READ8, GP, Some(0));
}

#[test]
fn the_type_says_what_is_allowed() {
    for (access, reads, writes) in [
        (READ_ONLY, true, false),
        (WRITABLE, true, true),
        (READABLE_CODE, true, false),
        (CONFORMING_CODE, true, false),
    ] {
        for (insn, allowed) in [(READ8, reads), (WRITE8, writes)] {
            let mut rig = with(0xfff, access, BIG);
            if allowed {
                at(&mut rig, 0).does(insn);
            } else {
                at(&mut rig, 0).faults(insn, GP, Some(0));
            }
        }
    }
    // Code that cannot be read cannot be loaded as data; through CS it is refused at the access.
    let mut rig = Rig::new();
    rig.describe(FREE, descriptor(0, 0xf_ffff, EXECUTE_ONLY, BIG | PAGES));
    rig.core.r[reg::EAX] = u32::from(FREE);
    rig.faults(&[0x8e, 0xe0], GP, Some(u32::from(FREE)));
    rig.core
        .set_tables(GDT, GDT_LIMIT, [DATA0, FREE, DATA0, DATA0, DATA0, DATA0])
        .unwrap();
    rig.core.r[reg::EBX] = DATA;
    rig.faults(&[0x2e, 0x8a, 0x03], GP, Some(0));
    // Nor is code written.
    rig.faults(&[0x2e, 0x88, 0x03], GP, Some(0));
}

#[test]
fn a_null_selector_faults_when_it_is_used() {
    let mut rig = Rig::new();
    for null in 0..4 {
        rig.load(Seg::Fs, null);
        assert_eq!(rig.core.taken, None);
        assert_eq!(rig.core.segment(Seg::Fs).selector, null);
        at(&mut rig, DATA).faults(READ8, GP, Some(0));
        rig.load(Seg::Fs, null);
        at(&mut rig, DATA).faults(WRITE8, GP, Some(0));
    }
}

#[test]
fn the_stack_faults_as_stack() {
    let mut rig = Rig::new();
    rig.describe(FREE, descriptor(DATA, 0xfff, WRITABLE, BIG));
    let load = |rig: &mut Rig, esp: u32| {
        rig.load(Seg::Ss, FREE);
        assert_eq!(rig.core.taken, None);
        rig.core.r[reg::ESP] = esp;
    };
    load(&mut rig, 0x1000);
    rig.does(&[0x50]); // push eax
                       // A fault's frame is pushed on the same stack: there is room for it.
    for (insn, ebp) in [
        (&[0x8b, 0x45, 0x00][..], 0xffd), // mov eax, [ebp]
        (&[0x8f, 0x45, 0x00], 0x1000),    // pop [ebp]
        (&[0xc9], 0x1000),                // leave
    ] {
        load(&mut rig, 0x800);
        rig.core.r[reg::EBP] = ebp;
        rig.run(insn, 1);
        assert_eq!(rig.core.taken, Some(SS), "{insn:x?}");
        assert_eq!(rig.core.r[reg::ESP], 0x800 - 16);
        assert_eq!(rig.get32(DATA + 0x800 - 16), 0);
        rig.enter(0);
    }
    // POP at the end, and PUSH at the beginning, where no frame fits: a double fault then, and no
    // room for that.
    load(&mut rig, 0x1000);
    rig.run(&[0x58], 1);
    assert_eq!(rig.core.taken, Some(SS));
    rig.enter(0);
    load(&mut rig, 2);
    rig.run(&[0x50], 1);
    assert!(rig.core.dead.is_some());
}

#[test]
fn a_16_bit_stack_wraps_and_leaves_the_upper_half() {
    let mut rig = Rig::new();
    rig.describe(FREE, descriptor(DATA, 0xffff, WRITABLE, 0));
    rig.load(Seg::Ss, FREE);
    rig.core.r[reg::ESP] = 0xabcd_0000;
    rig.core.r[reg::EAX] = 0x1234_5678;
    rig.does(&[0x50]);
    assert_eq!(rig.core.r[reg::ESP], 0xabcd_fffc);
    assert_eq!(rig.get32(DATA + 0xfffc), 0x1234_5678);
    rig.does(&[0x5b]);
    assert_eq!(rig.core.r[reg::EBX], 0x1234_5678);
    assert_eq!(rig.core.r[reg::ESP], 0xabcd_0000);
}

#[test]
fn code_ends_within_its_limit() {
    let mut rig = Rig::new();
    rig.describe(FREE, descriptor(CODE, 3, READABLE_CODE, BIG));
    let enter = |rig: &mut Rig| {
        rig.core.eip = 0;
        rig.core
            .set_tables(GDT, GDT_LIMIT, [DATA0, FREE, DATA0, DATA0, DATA0, DATA0])
            .unwrap();
    };
    enter(&mut rig);
    rig.run(&[0x90, 0x90, 0x90, 0x90, 0x90], 4);
    assert_eq!((rig.core.taken, rig.core.eip), (None, 4));
    rig.core.step();
    assert_eq!(rig.core.taken, Some(GP));
    // An instruction that reaches over the end has not been fetched.
    enter(&mut rig);
    rig.run(&[0x90, 0xb8, 1, 2, 3, 4], 2);
    assert_eq!(rig.core.taken, Some(GP));
    assert_eq!(rig.stack(2), [0, 1]);
    // Nor does a jump go there.
    enter(&mut rig);
    rig.run(&[0xeb, 2], 1);
    assert_eq!(rig.core.taken, Some(GP));
    assert_eq!(rig.stack(2), [0, 0]);
}

/// Loading DS, ES, FS, GS: the level of the descriptor against those of code and selector.
#[test]
fn data_of_an_inner_level_cannot_be_loaded() {
    for (dpl, rpl, cpl, access, loads) in [
        (0, 0, 0, WRITABLE, true),
        (0, 3, 0, WRITABLE, false),
        (3, 3, 0, WRITABLE, true),
        (3, 0, 3, WRITABLE, true),
        (2, 2, 3, WRITABLE, false),
        (2, 2, 0, WRITABLE, true),
        (0, 0, 3, READABLE_CODE, false),
        (0, 3, 3, CONFORMING_CODE, true),
    ] {
        let mut rig = Rig::new();
        rig.describe(FREE, descriptor(0, 0xfff, access | dpl << 5, BIG));
        rig.enter(cpl);
        let selector = FREE | rpl;
        rig.load(Seg::Gs, selector);
        let case = (dpl, rpl, cpl, access);
        if loads {
            assert_eq!(rig.core.taken, None, "{case:?}");
            assert_eq!(rig.core.segment(Seg::Gs).selector, selector);
        } else {
            assert_eq!(rig.core.taken, Some(GP), "{case:?}");
            assert_eq!(rig.stack(1), [u32::from(FREE)], "{case:?}");
        }
    }
}

#[test]
fn a_stack_is_writable_and_of_the_level() {
    for (dpl, rpl, cpl, access, vector) in [
        (0, 0, 0, WRITABLE, None),
        (3, 3, 3, WRITABLE, None),
        (3, 0, 0, WRITABLE, Some(GP)),
        (0, 3, 0, WRITABLE, Some(GP)),
        (0, 0, 3, WRITABLE, Some(GP)),
        (0, 0, 0, READ_ONLY, Some(GP)),
        (0, 0, 0, READABLE_CODE, Some(GP)),
        (0, 0, 0, WRITABLE & 0x7f, Some(SS)),
    ] {
        let mut rig = Rig::new();
        rig.describe(
            FREE,
            descriptor(0, 0xf_ffff, access | dpl << 5, BIG | PAGES),
        );
        rig.enter(cpl);
        rig.load(Seg::Ss, FREE | rpl);
        assert_eq!(rig.core.taken, vector, "{dpl} {rpl} {cpl} {access:#x}");
        if vector.is_some() {
            assert_eq!(rig.stack(1), [u32::from(FREE)]);
        }
    }
    let mut rig = Rig::new();
    rig.core.r[reg::EAX] = 3;
    rig.faults(&[0x8e, 0xd0], GP, Some(0));
}

#[test]
fn what_is_not_there_cannot_be_loaded() {
    let mut rig = Rig::new();
    rig.describe(FREE, descriptor(0, 0xfff, WRITABLE & 0x7f, BIG));
    rig.core.r[reg::EAX] = u32::from(FREE);
    rig.faults(&[0x8e, 0xd8], NP, Some(u32::from(FREE)));
    // Beyond the table, by one byte too.
    for selector in [GDT_LIMIT + 1, 0xfff8] {
        rig.core.r[reg::EAX] = u32::from(selector);
        rig.faults(&[0x8e, 0xd8], GP, Some(u32::from(selector)));
    }
    // No LDT.
    rig.core.r[reg::EAX] = 0xc;
    rig.faults(&[0x8e, 0xd8], GP, Some(0xc));
    // A TSS is no data; CS cannot be loaded so at all.
    rig.core.r[reg::EAX] = u32::from(TASK);
    rig.faults(&[0x8e, 0xd8], GP, Some(u32::from(TASK)));
    rig.faults(&[0x8e, 0xc8], UD, None);
}

#[test]
fn the_local_table_is_the_second_one() {
    let mut rig = Rig::new();
    rig.describe(FREE, descriptor(LDT, 15, 0x82, 0));
    let [low, high] = descriptor(DATA, 0xfff, WRITABLE, BIG);
    rig.set32(LDT + 8, low);
    rig.set32(LDT + 12, high);
    rig.core.r[reg::EAX] = u32::from(FREE);
    rig.does(&[0x0f, 0x00, 0xd0]); // lldt ax
    rig.load(Seg::Fs, 0xc);
    assert_eq!(rig.core.taken, None);
    assert_eq!(rig.core.segment(Seg::Fs).base, DATA);
    // sldt edx: zeros above
    rig.core.r[reg::EDX] = u32::MAX;
    rig.does(&[0x0f, 0x00, 0xc2]);
    assert_eq!(rig.core.r[reg::EDX], u32::from(FREE));
    rig.core.r[reg::EAX] = 0x14;
    rig.faults(&[0x8e, 0xe0], GP, Some(0x14));
    // Something else than an LDT is refused.
    rig.core.r[reg::EAX] = u32::from(TASK);
    rig.faults(&[0x0f, 0x00, 0xd0], GP, Some(u32::from(TASK)));
}

#[test]
fn loading_notes_it_in_the_table() {
    let mut rig = Rig::new();
    rig.describe(FREE, descriptor(0, 0xfff, WRITABLE, BIG));
    rig.load(Seg::Fs, FREE);
    let high = |rig: &Rig, selector: u16| rig.get32(GDT + u32::from(selector) + 4);
    assert_eq!(high(&rig, FREE) >> 8 & 0xff, u32::from(WRITABLE) | 1);
    // The TSS is busy, and cannot be loaded again.
    assert_eq!(high(&rig, TASK) >> 8 & 0xff, 0x8b);
    rig.core.r[reg::EAX] = u32::from(TASK);
    rig.faults(&[0x0f, 0x00, 0xd8], GP, Some(u32::from(TASK)));
}

#[test]
fn the_hidden_part_stays_when_the_table_changes() {
    let mut rig = with(0xfff, WRITABLE, BIG);
    rig.describe(FREE, descriptor(0, 0, READ_ONLY, 0));
    at(&mut rig, 0xffc).does(WRITE32);
}

#[test]
fn lar_lsl_verr_and_verw_see_what_the_level_may_see() {
    const ZF: u32 = 0x40;
    let mut rig = Rig::new();
    rig.describe(FREE, descriptor(0, 0x12345, READ_ONLY | 0x60, BIG));
    rig.describe(FREE2, descriptor(0, 1, READABLE_CODE, BIG | PAGES));
    let sees = |rig: &mut Rig, insn: &[u8], selector: u16| {
        rig.core.r[reg::EAX] = u32::from(selector);
        rig.core.r[reg::EDX] = 0x5555_5555;
        rig.does(insn);
        let seen = rig.core.eflags() & ZF != 0;
        seen.then_some(rig.core.r[reg::EDX])
    };
    const LAR: &[u8] = &[0x0f, 0x02, 0xd0];
    const LSL: &[u8] = &[0x0f, 0x03, 0xd0];
    const VERR: &[u8] = &[0x0f, 0x00, 0xe0];
    const VERW: &[u8] = &[0x0f, 0x00, 0xe8];
    rig.enter(3);
    let unchanged = Some(0x5555_5555);
    assert_eq!(sees(&mut rig, LAR, FREE | 3), Some(0x0040_f000));
    assert_eq!(sees(&mut rig, LSL, FREE | 3), Some(0x12345));
    assert_eq!(sees(&mut rig, VERR, FREE | 3), unchanged);
    assert_eq!(sees(&mut rig, VERW, FREE | 3), None);
    for insn in [LAR, LSL, VERR, VERW] {
        for selector in [FREE2, 0, 0xfff8, 0xc] {
            assert_eq!(sees(&mut rig, insn, selector), None, "{selector:x}");
        }
    }
    rig.enter(0);
    assert_eq!(sees(&mut rig, LSL, FREE2), Some(0x1fff));
    assert_eq!(sees(&mut rig, LAR, FREE2), Some(0x00c0_9a00));
    assert_eq!(sees(&mut rig, VERR, FREE2), unchanged);
    assert_eq!(sees(&mut rig, VERR, FREE2 | 3), None);
    assert_eq!(sees(&mut rig, LSL, TASK), Some(0x67));
    assert_eq!(sees(&mut rig, VERR, TASK), None);
}

// SPDX-License-Identifier: Apache-2.0
//! Transfers between levels: interrupt gates and IRET (SDM vol. 3, 5.12), call gates and far RET
//! (4.8), SYSENTER and SYSEXIT (4.8.7), and far transfers without a gate (4.8.1).

use switchyard_machine::ia32::cpu::core::Core;
use switchyard_machine::ia32::isa::flags::IF;
use switchyard_machine::ia32::isa::insn::{reg, Seg};

use super::rig::*;

const INT_80: &[u8] = &[0xcd, 0x80];

fn selector(core: &Core, seg: Seg) -> u16 {
    core.segment(seg).selector
}

#[test]
fn an_interrupt_switches_to_the_stack_of_the_task() {
    for (access, masks) in [(0xee, true), (0xef, false)] {
        let mut rig = Rig::new();
        rig.set_gate(0x80, gate(CODE0, HANDLERS, access, 0));
        rig.set8(HANDLERS, 0xcf); // iret
        rig.enter(3);
        rig.core.set_eflags(IF | 0x45);
        let esp = rig.core.r[reg::ESP];
        rig.run(INT_80, 1);
        assert_eq!(rig.core.taken, Some(0x80));
        assert_eq!(rig.core.cpl(), 0);
        assert_eq!(rig.core.eip, HANDLERS);
        assert_eq!(selector(&rig.core, Seg::Cs), CODE0);
        assert_eq!(selector(&rig.core, Seg::Ss), DATA0);
        assert_eq!(rig.core.r[reg::ESP], INNER_STACK - 20);
        let frame = [CODE + 2, u32::from(CODE3), IF | 0x47, esp, u32::from(DATA3)];
        assert_eq!(rig.stack(5), frame);
        assert_eq!(rig.core.eflags() & IF == 0, masks);
        rig.core.step();
        assert_eq!(rig.core.taken, None);
        assert_eq!((rig.core.cpl(), rig.core.eip), (3, CODE + 2));
        assert_eq!(rig.core.eflags(), IF | 0x47);
        assert_eq!(rig.core.r[reg::ESP], esp);
        assert_eq!(selector(&rig.core, Seg::Ss), DATA3);
        assert_eq!(selector(&rig.core, Seg::Ds), DATA3);
    }
}

#[test]
fn a_gate_of_16_bits_has_a_frame_of_16_bits() {
    let mut rig = Rig::new();
    rig.set_gate(0x80, gate(CODE0, 0x1234_8000, 0x86, 0));
    rig.run(INT_80, 1);
    assert_eq!(rig.core.eip, 0x8000);
    assert_eq!(rig.core.r[reg::ESP], STACK - 6);
    assert_eq!(
        rig.get32(STACK - 6),
        u32::from(CODE0) << 16 | (CODE + 2) & 0xffff
    );
}

#[test]
fn software_interrupts_ask_the_gate() {
    let mut rig = Rig::new();
    rig.enter(3);
    let index = |vector: u32| Some(vector * 8 + 2);
    rig.faults(INT_80, GP, index(0x80));
    rig.faults(&[0xcc], GP, index(3));
    rig.core.set_eflags(0x800);
    rig.faults(&[0xce], GP, index(4));
    // INT1 and the processor's own exceptions do not.
    rig.run(&[0xf1], 1);
    assert_eq!(rig.core.taken, Some(DB));
    rig.enter(3);
    rig.run(&[0x0f, 0x0b], 1);
    assert_eq!(rig.core.taken, Some(UD));
}

#[test]
fn a_gate_that_is_wrong_is_named() {
    let mut rig = Rig::new();
    let index = Some(0x80 * 8 + 2);
    // Not there; no gate at all; a task gate, which the model refuses.
    for (access, vector) in [(0x0e, NP), (0x92, GP), (0x8c, GP), (0x85, GP)] {
        rig.set_gate(0x80, gate(CODE0, HANDLERS, access, 0));
        rig.faults(INT_80, vector, index);
    }
    // Its segment: null, beyond the table, data, not there.
    rig.describe(
        FREE,
        descriptor(0, 0xf_ffff, READABLE_CODE & 0x7f, BIG | PAGES),
    );
    for (target, vector, code) in [
        (0, GP, 0),
        (0xf8, GP, 0xf8),
        (DATA0, GP, DATA0),
        (FREE, NP, FREE),
    ] {
        rig.set_gate(0x80, gate(target, HANDLERS, 0x8e, 0));
        rig.faults(INT_80, vector, Some(u32::from(code)));
    }
    // Its offset.
    rig.describe(FREE, descriptor(0, 0xfff, READABLE_CODE, BIG));
    rig.set_gate(0x80, gate(FREE, 0x1000, 0x8e, 0));
    rig.faults(INT_80, GP, Some(0));
}

#[test]
fn an_event_from_outside_sets_the_external_bit() {
    let mut rig = Rig::new();
    rig.set_gate(0x20, gate(CODE0, HANDLERS, 0x0e, 0));
    rig.core.eip = CODE;
    rig.core.interrupt(0x20);
    assert_eq!(rig.core.taken, Some(NP));
    assert_eq!(rig.stack(2), [0x20 * 8 + 3, CODE]);
    rig.set_gate(0x20, gate(DATA0, HANDLERS, 0x8e, 0));
    rig.core.eip = CODE;
    rig.core.interrupt(0x20);
    assert_eq!(rig.core.taken, Some(GP));
    assert_eq!(rig.stack(2), [u32::from(DATA0) + 1, CODE]);
}

#[test]
fn a_stack_of_the_task_that_is_wrong_is_named() {
    for (ss, esp, vector, code) in [
        (0, INNER_STACK, TS, 0),
        (DATA3, INNER_STACK, TS, DATA3 & !3),
        (CODE0, INNER_STACK, TS, CODE0),
        (0xf8, INNER_STACK, TS, 0xf8),
        (FREE, INNER_STACK, SS, FREE),
        (FREE2, 16, SS, FREE2),
    ] {
        let mut rig = Rig::new();
        rig.describe(FREE, descriptor(0, 0xf_ffff, WRITABLE & 0x7f, BIG | PAGES));
        rig.describe(FREE2, descriptor(DATA, 0xfff, WRITABLE, BIG));
        rig.set_gate(0x80, gate(CODE0, HANDLERS, 0xee, 0));
        // The handlers of these faults run at level 3, so as not to need that stack.
        for fault in [TS, SS] {
            rig.set_gate(fault, gate(CODE3, handler(fault), 0xee, 0));
        }
        rig.set32(TSS + 4, esp);
        rig.set16(TSS + 8, ss);
        rig.enter(3);
        rig.run(INT_80, 1);
        assert_eq!(rig.core.taken, Some(vector), "{ss:x}");
        assert_eq!(rig.stack(2), [u32::from(code), CODE], "{ss:x}");
    }
    // A TSS that ends before it.
    let mut rig = Rig::new();
    rig.describe(FREE, descriptor(TSS, 8, 0x89, 0));
    rig.core.r[reg::EAX] = u32::from(FREE);
    rig.does(&[0x0f, 0x00, 0xd8]);
    rig.set_gate(0x80, gate(CODE0, HANDLERS, 0xee, 0));
    rig.set_gate(TS, gate(CODE3, handler(TS), 0xee, 0));
    rig.enter(3);
    rig.run(INT_80, 1);
    assert_eq!(rig.core.taken, Some(TS));
    assert_eq!(rig.stack(2), [u32::from(FREE), CODE]);
}

#[test]
fn iret_checks_where_it_goes() {
    // EIP, CS, EFLAGS, ESP, SS; then the fault and its code.
    let good = [CODE, u32::from(CODE3), 2, STACK, u32::from(DATA3)];
    let with = |place: usize, value: u32| {
        let mut frame = good;
        frame[place] = value;
        frame
    };
    for (frame, vector, code) in [
        (with(1, 0), GP, 0),
        (with(1, u32::from(DATA3)), GP, u32::from(DATA3) & !3),
        (with(1, u32::from(CODE0) | 3), GP, u32::from(CODE0)),
        (with(1, 0xfb), GP, 0xf8),
        (with(4, 0), GP, 0),
        (with(4, u32::from(DATA0)), GP, u32::from(DATA0)),
        (with(4, u32::from(CODE3)), GP, u32::from(CODE3) & !3),
    ] {
        let mut rig = Rig::new();
        for (n, word) in frame.into_iter().enumerate() {
            rig.set32(STACK - 64 + 4 * n as u32, word);
        }
        rig.core.r[reg::ESP] = STACK - 64;
        rig.faults(&[0xcf], vector, Some(code));
    }
    // From level 3 to an inner one.
    let mut rig = Rig::new();
    rig.enter(3);
    rig.set32(STACK - 64, CODE);
    rig.set32(STACK - 60, u32::from(CODE0));
    rig.set32(STACK - 56, 2);
    rig.core.r[reg::ESP] = STACK - 64;
    rig.faults(&[0xcf], GP, Some(u32::from(CODE0)));
}

#[test]
fn a_return_outwards_takes_inner_segments_away() {
    let mut rig = Rig::new();
    rig.describe(FREE, descriptor(0, 0xf_ffff, CONFORMING_CODE, BIG | PAGES));
    rig.load(Seg::Es, DATA3);
    rig.load(Seg::Fs, FREE);
    for (n, word) in [CODE, u32::from(CODE3), 2, STACK, u32::from(DATA3)]
        .into_iter()
        .enumerate()
    {
        rig.set32(STACK - 64 + 4 * n as u32, word);
    }
    rig.core.r[reg::ESP] = STACK - 64;
    rig.does(&[0xcf]);
    let selectors = [Seg::Ds, Seg::Es, Seg::Fs, Seg::Gs].map(|seg| selector(&rig.core, seg));
    assert_eq!(selectors, [0, DATA3, FREE, 0]);
}

#[test]
fn a_call_gate_copies_its_parameters() {
    let mut rig = Rig::new();
    rig.describe(FREE, gate(CODE0, HANDLERS, 0xec, 2));
    rig.write(HANDLERS, &[0xca, 8, 0]); // retf 8
    rig.enter(3);
    let esp = STACK - 8;
    rig.set32(esp, 0x1111);
    rig.set32(esp + 4, 0x2222);
    rig.core.r[reg::ESP] = esp;
    // call FREE:0x12345678, whose offset is not looked at
    rig.run(&[0x9a, 0x78, 0x56, 0x34, 0x12, FREE as u8 | 3, 0], 1);
    assert_eq!(rig.core.taken, None);
    assert_eq!((rig.core.cpl(), rig.core.eip), (0, HANDLERS));
    assert_eq!(rig.core.r[reg::ESP], INNER_STACK - 24);
    let frame = [
        CODE + 7,
        u32::from(CODE3),
        0x1111,
        0x2222,
        esp,
        u32::from(DATA3),
    ];
    assert_eq!(rig.stack(6), frame);
    rig.core.step();
    assert_eq!(rig.core.taken, None);
    assert_eq!((rig.core.cpl(), rig.core.eip), (3, CODE + 7));
    assert_eq!(rig.core.r[reg::ESP], STACK);
}

#[test]
fn a_call_gate_checks_levels() {
    const CALL: [u8; 7] = [0x9a, 0, 0, 0, 0, FREE as u8 | 3, 0];
    let free = Some(u32::from(FREE));
    for (access, target, vector, code) in [
        (0x8c, CODE0, GP, free), // the gate is for level 0
        (0x6c, CODE0, NP, free),
        (0xe5, CODE0, GP, free), // a task gate
        (0xe9, CODE0, GP, free), // a TSS
        (0xec, DATA0, GP, Some(u32::from(DATA0))),
        (0xec, 0, GP, Some(0)),
    ] {
        let mut rig = Rig::new();
        rig.describe(FREE, gate(target, HANDLERS, access, 0));
        rig.enter(3);
        rig.faults(&CALL, vector, code);
    }
    // A jump through a gate does not change the level.
    let mut rig = Rig::new();
    rig.describe(FREE, gate(CODE0, HANDLERS, 0xec, 0));
    rig.enter(3);
    let mut jump = CALL;
    jump[0] = 0xea;
    rig.faults(&jump, GP, Some(u32::from(CODE0)));
    rig.describe(FREE, gate(CODE3, HANDLERS, 0xec, 0));
    rig.does(&jump);
    assert_eq!((rig.core.cpl(), rig.core.eip), (3, HANDLERS));
    // The level is looked at before presence, which for a call is all that is wrong.
    let mut rig = Rig::new();
    let absent = READABLE_CODE & 0x7f;
    rig.describe(FREE2, descriptor(0, 0xf_ffff, absent, BIG | PAGES));
    rig.describe(FREE, gate(FREE2, HANDLERS, 0xec, 0));
    rig.enter(3);
    rig.faults(&jump, GP, Some(u32::from(FREE2)));
    rig.faults(&CALL, NP, Some(u32::from(FREE2)));
}

#[test]
fn an_inner_stack_of_16_bits_leaves_the_upper_half_of_esp() {
    for insn in [INT_80, &[0x9a, 0, 0, 0, 0, FREE2 as u8, 0]] {
        let mut rig = Rig::new();
        rig.describe(FREE, descriptor(DATA, 0xffff, WRITABLE, 0));
        rig.describe(FREE2, gate(CODE0, HANDLERS, 0xec, 0));
        rig.set_gate(0x80, gate(CODE0, HANDLERS, 0xee, 0));
        rig.set32(TSS + 4, 0x0bad_0800);
        rig.set16(TSS + 8, FREE);
        rig.enter(3);
        let upper = rig.core.r[reg::ESP] & 0xffff_0000;
        assert_ne!(upper, 0);
        rig.run(insn, 1);
        assert_eq!(rig.core.cpl(), 0);
        let words = if insn == INT_80 { 5 } else { 4 };
        assert_eq!(rig.core.r[reg::ESP], upper | (0x800 - 4 * words));
    }
}

#[test]
fn a_handler_beyond_its_segment_is_seen_before_its_frame_is_pushed_and_a_call_behind() {
    const MARK: u32 = 0x5a5a_5a5a;
    const CALL: &[u8] = &[0x9a, 0, 0x10, 0, 0, FREE as u8 | 3, 0];
    const CALL_GATE: &[u8] = &[0x9a, 0, 0, 0, 0, FREE2 as u8, 0];
    // The level of the code, the stack that would be pushed onto, the fault's handler, which uses another
    // one, and how many words have been pushed.
    for (insn, level, top, handler_in, pushed) in [
        (INT_80, 0, INNER_STACK, CODE3, 0),
        (INT_80, 3, STACK, CODE0, 0),
        (CALL_GATE, 0, INNER_STACK, CODE3, 4),
        (CALL_GATE, 3, STACK, CODE0, 2),
        (CALL, 3, STACK, CODE0, 2),
    ] {
        let mut rig = Rig::new();
        let access = READABLE_CODE | level << 5;
        rig.describe(FREE, descriptor(0, 0xfff, access, BIG));
        rig.describe(FREE2, gate(FREE, 0x1000, 0xec, 0));
        rig.set_gate(0x80, gate(FREE, 0x1000, 0xee, 0));
        rig.set_gate(GP, gate(handler_in, handler(GP), 0xee, 0));
        rig.enter(3);
        for n in 1..=5 {
            rig.set32(top - 4 * n, MARK);
        }
        rig.run(insn, 1);
        assert_eq!(rig.core.taken, Some(GP), "{insn:02x?}");
        assert_eq!(rig.stack(2), [0, CODE], "{insn:02x?}");
        let left = (1..=5).filter(|n| rig.get32(top - 4 * n) == MARK).count();
        assert_eq!(left, 5 - pushed, "{insn:02x?}");
    }
}

#[test]
fn only_what_is_loaded_is_marked_as_accessed() {
    let accessed = |rig: &Rig| rig.get32(GDT + u32::from(FREE) + 4) & 0x100 != 0;
    let small = descriptor(DATA, 0xfff, WRITABLE, BIG);
    // An interrupt and a call through a gate, onto a stack with no room for all, and with it.
    for (esp, taken) in [(16, false), (0x800, true)] {
        for insn in [INT_80, &[0x9a, 0, 0, 0, 0, FREE2 as u8, 0]] {
            let mut rig = Rig::new();
            rig.describe(FREE, small);
            rig.describe(FREE2, gate(CODE0, HANDLERS, 0xec, 2));
            rig.set_gate(0x80, gate(CODE0, HANDLERS, 0xee, 0));
            rig.set_gate(SS, gate(CODE3, handler(SS), 0xee, 0));
            rig.set32(TSS + 4, esp);
            rig.set16(TSS + 8, FREE);
            rig.enter(3);
            rig.core.r[reg::ESP] = STACK - 64;
            rig.run(insn, 1);
            assert_eq!(rig.core.cpl() == 0, taken);
            assert_eq!(accessed(&rig), taken);
        }
    }
    // IRET, to a place beyond its segment, and within.
    for (eip, taken) in [(0x1000, false), (0xfff, true)] {
        let mut rig = Rig::new();
        rig.describe(FREE, descriptor(DATA, 0xfff, WRITABLE | 0x60, BIG));
        rig.describe(FREE2, descriptor(0, 0xfff, READABLE_CODE | 0x60, BIG));
        let frame = [eip, u32::from(FREE2 | 3), 2, 0x800, u32::from(FREE | 3)];
        for (n, word) in frame.into_iter().enumerate() {
            rig.set32(STACK - 64 + 4 * n as u32, word);
        }
        rig.core.r[reg::ESP] = STACK - 64;
        rig.run(&[0xcf], 1);
        assert_eq!(rig.core.taken, (!taken).then_some(GP));
        assert_eq!(accessed(&rig), taken);
    }
}

#[test]
fn without_a_gate_the_level_stays() {
    let jump = |to: u16| [0xea, 0, 0x80, 0, 0, to as u8, (to >> 8) as u8];
    for (access, cpl, rpl, goes) in [
        (READABLE_CODE, 0, 0, true),
        (READABLE_CODE, 0, 3, false),
        (READABLE_CODE, 3, 3, false),
        (READABLE_CODE | 0x60, 3, 0, true),
        (READABLE_CODE | 0x60, 0, 0, false),
        (CONFORMING_CODE, 3, 3, true),
        (CONFORMING_CODE | 0x60, 0, 0, false),
    ] {
        let mut rig = Rig::new();
        rig.describe(FREE, descriptor(0, 0xf_ffff, access, BIG | PAGES));
        rig.enter(cpl);
        let target = FREE | rpl;
        if goes {
            rig.does(&jump(target));
            assert_eq!((rig.core.cpl(), rig.core.eip), (cpl, 0x8000));
            assert_eq!(selector(&rig.core, Seg::Cs), FREE | u16::from(cpl));
        } else {
            rig.faults(&jump(target), GP, Some(u32::from(FREE)));
        }
    }
    let mut rig = Rig::new();
    rig.faults(&jump(0), GP, Some(0));
    rig.faults(&jump(DATA0), GP, Some(u32::from(DATA0)));
    rig.faults(&jump(TASK), GP, Some(u32::from(TASK)));
    rig.describe(
        FREE,
        descriptor(0, 0xf_ffff, READABLE_CODE & 0x7f, BIG | PAGES),
    );
    rig.faults(&jump(FREE), NP, Some(u32::from(FREE)));
}

#[test]
fn sysenter_and_sysexit_go_to_flat_segments() {
    let mut rig = Rig::new();
    const SYSENTER: &[u8] = &[0x0f, 0x34];
    const SYSEXIT: &[u8] = &[0x0f, 0x35];
    rig.faults(SYSENTER, GP, Some(0));
    rig.faults(SYSEXIT, GP, Some(0));
    for (number, value) in [
        (0x174, CODE0 as u32),
        (0x175, STACK - 256),
        (0x176, HANDLERS),
    ] {
        rig.core.r[reg::ECX] = number;
        rig.core.r[reg::EAX] = value;
        rig.core.r[reg::EDX] = 0;
        rig.does(&[0x0f, 0x30]);
        rig.core.r[reg::EAX] = 0;
        rig.does(&[0x0f, 0x32]);
        assert_eq!(rig.core.r[reg::EAX], value);
    }
    rig.enter(3);
    rig.faults(SYSEXIT, GP, Some(0));
    rig.core.set_eflags(IF);
    rig.run(SYSENTER, 1);
    assert_eq!(rig.core.taken, None);
    assert_eq!((rig.core.cpl(), rig.core.eip), (0, HANDLERS));
    assert_eq!(rig.core.r[reg::ESP], STACK - 256);
    assert_eq!(rig.core.eflags() & IF, 0);
    assert_eq!(selector(&rig.core, Seg::Cs), CODE0);
    assert_eq!(selector(&rig.core, Seg::Ss), CODE0 + 8);
    // Data segments stay as they were.
    assert_eq!(selector(&rig.core, Seg::Ds), DATA3);
    rig.core.r[reg::EDX] = CODE;
    rig.core.r[reg::ECX] = STACK;
    rig.run(SYSEXIT, 1);
    assert_eq!(rig.core.taken, None);
    assert_eq!((rig.core.cpl(), rig.core.eip), (3, CODE));
    assert_eq!(rig.core.r[reg::ESP], STACK);
    assert_eq!(selector(&rig.core, Seg::Cs), (CODE0 + 16) | 3);
    assert_eq!(selector(&rig.core, Seg::Ss), (CODE0 + 24) | 3);
}

// SPDX-License-Identifier: Apache-2.0
//! Exceptions: what is pushed, faults within faults (SDM vol. 3, 5.15), traps and what holds them off
//! (5.8), who may do what (4.9), ports (vol. 1, 12.5), real-address mode.

use switchyard_machine::arch::Dead;
use switchyard_machine::ia32::cpu::core::Core;
use switchyard_machine::ia32::isa::flags::{AC as ALIGN, IF, IOPL, NT, RF, TF};
use switchyard_machine::ia32::isa::insn::{reg, Seg};
use switchyard_machine::state::{Restorer, Saver, State};

use super::rig::*;

#[test]
fn a_fault_pushes_rf_and_a_trap_does_not() {
    let mut rig = Rig::new();
    rig.core.set_eflags(NT | IF);
    rig.run(&[0x0f, 0x0b], 1);
    assert_eq!(rig.stack(3), [CODE, u32::from(CODE0), NT | IF | RF | 2]);
    assert_eq!(rig.core.eflags() & (NT | IF | RF), 0);
    rig.core.set_eflags(0);
    rig.run(&[0xcd, 0x40], 1);
    assert_eq!(rig.stack(3), [CODE + 2, u32::from(CODE0), 2]);
}

#[test]
fn a_failed_instruction_has_changed_nothing() {
    let mut rig = Rig::new();
    rig.describe(FREE, descriptor(DATA, 7, WRITABLE, BIG));
    rig.load(Seg::Fs, FREE);
    rig.core.r = [1, 2, 3, 8, STACK, 6, 7, 8, 0];
    let before = rig.core.r;
    rig.core.set_eflags(0x8d5);
    for insn in [
        &[0x64, 0x01, 0x03][..],   // add fs:[ebx], eax
        &[0x64, 0x87, 0x03],       // xchg
        &[0x64, 0x0f, 0xc1, 0x03], // xadd
        &[0x64, 0x0f, 0xb1, 0x03], // cmpxchg
        &[0x64, 0x0f, 0xc7, 0x0b], // cmpxchg8b
        &[0x64, 0x8f, 0x03],       // pop
        &[0x64, 0xff, 0x33],       // push
        &[0x64, 0xff, 0x13],       // call
        &[0x64, 0xff, 0x1b],       // call far
        &[0x64, 0xc4, 0x03],       // les
        &[0x64, 0xf7, 0x33],       // div
        &[0x64, 0xd1, 0x13],       // rcl
        &[0x64, 0x0f, 0xab, 0x03], // bts
        &[0x64, 0x0f, 0x92, 0x03], // setb
        &[0x64, 0x62, 0x03],       // bound
    ] {
        rig.run(insn, 1);
        assert_eq!(rig.core.taken, Some(GP), "{insn:x?}");
        assert_eq!(rig.stack(4)[3] & 0xfff, 0x8d7, "{insn:x?}");
        rig.core.r[reg::ESP] += 16;
        assert_eq!(rig.core.r, before, "{insn:x?}");
        rig.core.set_eflags(0x8d5);
    }
}

#[test]
fn faults_within_faults() {
    // A gate that is not there, for the first fault: of which kind, and what comes of both.
    for (insn, first, second) in [
        (&[0xf7, 0xf1][..], 0, DF), // div by 0, then a segment that is not present
        (&[0x0f, 0x0b], UD, NP),
        (&[0xcd, 0x30], 0x30, NP),
        (&[0x8e, 0xd9], GP, DF),
    ] {
        let mut rig = Rig::new();
        rig.set_gate(first, gate(CODE0, HANDLERS, 0x0e, 0));
        rig.core.r[reg::ECX] = 0;
        if first == GP {
            rig.core.r[reg::ECX] = 0xfff0;
        }
        rig.run(insn, 1);
        assert_eq!(rig.core.taken, Some(second), "{insn:x?}");
        let external = u32::from(first != 0x30);
        let code = if second == DF {
            0
        } else {
            u32::from(first) * 8 + 2 + external
        };
        assert_eq!(rig.stack(2), [code, CODE]);
    }
}

#[test]
fn a_double_fault_that_fails_is_the_end() {
    let mut rig = Rig::new();
    for vector in [UD, NP, DF] {
        rig.set_gate(vector, gate(CODE0, HANDLERS, 0x0e, 0));
    }
    rig.run(&[0x0f, 0x0b], 1);
    let Some(Dead::FaultsForever(why)) = &rig.core.dead else {
        panic!("it goes on");
    };
    assert!(why.starts_with("triple fault at 0x00010000"), "{why}");
}

#[test]
fn single_steps_are_trapped_behind_an_instruction() {
    let mut rig = Rig::new();
    // popf sets TF: the trap comes after the instruction after it.
    rig.set32(STACK - 4, TF | 2);
    rig.core.r[reg::ESP] = STACK - 4;
    rig.run(&[0x9d, 0x40, 0x40], 1);
    assert_eq!(rig.core.taken, None);
    rig.core.step();
    assert_eq!(rig.core.taken, Some(DB));
    assert_eq!(rig.stack(3), [CODE + 2, u32::from(CODE0), TF | 2]);
    assert_eq!(rig.core.eflags() & TF, 0);
    // mov edx, dr6: BS
    rig.does(&[0x0f, 0x21, 0xf2]);
    assert_eq!(rig.core.r[reg::EDX], 0xffff_4ff0);
    // Loading SS holds it off for an instruction.
    rig.core.set_eflags(TF);
    rig.core.r[reg::EAX] = u32::from(DATA0);
    rig.run(&[0x8e, 0xd0, 0x90], 1);
    assert_eq!(rig.core.taken, None);
    rig.core.step();
    assert_eq!(rig.core.taken, Some(DB));
    assert_eq!(rig.stack(1), [CODE + 3]);
}

/// MOV of ECX to debug register `number`.
pub fn set_debug(rig: &mut Rig, number: u8, value: u32) {
    rig.core.r[reg::ECX] = value;
    rig.does(&[0x0f, 0x23, 0xc1 | number << 3]);
}

/// What DR6 says was hit, which is cleared.
pub fn hit(rig: &mut Rig) -> u32 {
    rig.enter(0);
    rig.core.r[reg::ECX] = 0;
    rig.does(&[0x0f, 0x21, 0xf1]);
    let hit = rig.core.r[reg::ECX] & 0xf;
    set_debug(rig, 6, 0);
    hit
}

#[test]
fn a_breakpoint_at_an_instruction_is_a_fault_that_rf_lets_pass() {
    let mut rig = Rig::new();
    rig.set8(handler(DB), 0xcf); // iret
    set_debug(&mut rig, 0, CODE + 1);
    set_debug(&mut rig, 7, 1);
    rig.run(&[0x42, 0x43, 0x43], 2);
    assert_eq!(rig.core.taken, Some(DB));
    assert_eq!(rig.stack(3), [CODE + 1, u32::from(CODE0), 2]);
    assert_eq!(rig.core.eip, handler(DB));
    // Without RF it is hit again.
    rig.core.step();
    rig.core.step();
    assert_eq!(rig.core.taken, Some(DB));
    let flags = rig.core.r[reg::ESP] + 8;
    rig.set32(flags, RF | 2);
    let before = rig.core.r[reg::EBX];
    rig.core.step();
    assert_eq!(rig.core.eip, CODE + 1);
    rig.core.step();
    assert_eq!((rig.core.taken, rig.core.eip), (None, CODE + 2));
    assert_eq!(rig.core.eflags() & RF, 0);
    assert_eq!(rig.core.r[reg::EBX], before + 1);
    assert_eq!(hit(&mut rig), 1);
}

#[test]
fn a_breakpoint_at_data_is_a_trap_behind_the_access() {
    const READ8: &[u8] = &[0x8a, 0x03];
    const WRITE8: &[u8] = &[0x88, 0x03];
    const WRITE16: &[u8] = &[0x66, 0x89, 0x03];
    // Four bytes at DATA + 4 by DR1, written (1) or read and written (3).
    for (kind, insn, at, hits) in [
        (1, WRITE8, 4, true),
        (1, WRITE8, 7, true),
        (1, WRITE8, 8, false),
        (1, WRITE8, 3, false),
        (1, WRITE16, 3, true),
        (1, READ8, 4, false),
        (3, READ8, 4, true),
        (3, WRITE16, 7, true),
    ] {
        let mut rig = Rig::new();
        set_debug(&mut rig, 1, DATA + 6);
        set_debug(&mut rig, 7, 1 << 3 | kind << 20 | 3 << 22);
        rig.core.r[reg::EBX] = DATA + at;
        rig.run(insn, 1);
        let case = (kind, insn, at);
        if hits {
            assert_eq!(rig.core.taken, Some(DB), "{case:x?}");
            assert_eq!(rig.stack(1), [CODE + insn.len() as u32], "{case:x?}");
        } else {
            assert_eq!(rig.core.taken, None, "{case:x?}");
        }
        assert_eq!(hit(&mut rig), u32::from(hits) << 1, "{case:x?}");
    }
    // Of a repeated instruction it comes after the element.
    let mut rig = Rig::new();
    set_debug(&mut rig, 2, DATA + 2);
    set_debug(&mut rig, 7, 1 << 4 | 1 << 24);
    rig.core.mem.platform.horizon = 1 << 40;
    rig.core.r[reg::EDI] = DATA;
    rig.core.r[reg::ECX] = 5;
    rig.run(&[0xf3, 0xaa], 1);
    assert_eq!(rig.core.taken, Some(DB));
    assert_eq!(rig.stack(1), [CODE]);
    assert_eq!((rig.core.r[reg::ECX], rig.core.r[reg::EDI]), (2, DATA + 3));
    // A fault leaves none.
    let mut rig = Rig::new();
    set_debug(&mut rig, 0, DATA);
    set_debug(&mut rig, 7, 1 | 3 << 16);
    rig.core.r[reg::EBX] = DATA;
    rig.core.r[reg::EDX] = 0;
    rig.set32(DATA, 0);
    rig.faults(&[0xf7, 0x33], 0, None); // div [ebx]
    assert_eq!(hit(&mut rig), 0);
}

#[test]
fn sti_and_a_load_of_ss_hold_interrupts_off_for_an_instruction() {
    let mut rig = Rig::new();
    rig.run(&[0xfb, 0x90], 1);
    assert!(!rig.core.interruptible());
    rig.core.step();
    assert!(rig.core.interruptible());
    // Where they were enabled it makes no difference.
    rig.run(&[0xfb], 1);
    assert!(rig.core.interruptible());
    rig.core.r[reg::EAX] = u32::from(DATA0);
    for load in [&[0x8e, 0xd0][..], &[0x50, 0x17]] {
        let steps = if load[0] == 0x50 { 2 } else { 1 };
        rig.run(load, steps);
        assert!(!rig.core.interruptible(), "{load:x?}");
    }
}

#[test]
fn hlt_waits_for_an_interrupt() {
    use switchyard_machine::arch::Processor;
    let mut rig = Rig::new();
    rig.core.set_eflags(IF);
    rig.run(&[0xf4], 1);
    assert!(rig.core.waits_for_interrupt());
    rig.core.interrupt(0x20);
    assert!(!rig.core.waits_for_interrupt());
    assert_eq!(rig.stack(1), [CODE + 1]);
    // Where they are masked none can come.
    rig.core.set_eflags(0);
    rig.run(&[0xf4], 1);
    let halted = "halts at 0x00010000 with interrupts masked";
    assert_eq!(
        rig.core.take_dead(),
        Some(Dead::NeverWakes(halted.to_string()))
    );
}

#[test]
fn level_3_may_not() {
    let mut rig = Rig::new();
    rig.enter(3);
    for insn in [
        &[0xf4][..],         // hlt
        &[0xfa],             // cli
        &[0xfb],             // sti
        &[0xec],             // in al, dx
        &[0xee],             // out dx, al
        &[0x6c],             // insb
        &[0x0f, 0x06],       // clts
        &[0x0f, 0x08],       // invd
        &[0x0f, 0x09],       // wbinvd
        &[0x0f, 0x20, 0xc0], // mov eax, cr0
        &[0x0f, 0x22, 0xc0], // mov cr0, eax
        &[0x0f, 0x21, 0xc0], // mov eax, dr0
        &[0x0f, 0x23, 0xc0], // mov dr0, eax
        &[0x0f, 0x30],       // wrmsr
        &[0x0f, 0x32],       // rdmsr
        &[0x0f, 0x33],       // rdpmc
        &[0x0f, 0x01, 0x10], // lgdt
        &[0x0f, 0x01, 0x18], // lidt
        &[0x0f, 0x01, 0xf0], // lmsw ax
        &[0x0f, 0x01, 0x38], // invlpg
        &[0x0f, 0x00, 0xd0], // lldt ax
        &[0x0f, 0x00, 0xd8], // ltr ax
    ] {
        rig.faults(insn, GP, Some(0));
    }
    for insn in [&[0x0f, 0x00, 0xc8][..], &[0x0f, 0x01, 0xe0], &[0x0f, 0x31]] {
        rig.does(insn); // str, smsw, rdtsc
    }
    // cr4: TSD
    rig.core.set_controls([0, 0, 4]);
    rig.faults(&[0x0f, 0x31], GP, Some(0));
    // cr4: PCE
    rig.core.set_controls([0, 0, 0x100]);
    rig.core.r[reg::ECX] = 0;
    rig.does(&[0x0f, 0x33]);
}

#[test]
fn popf_changes_what_the_level_may() {
    for (level, iopl, changed) in [(0, 0, IF | IOPL), (3, 0, 0), (3, 3, IF)] {
        let mut rig = Rig::new();
        rig.enter(level);
        let before = iopl << 12;
        rig.core.set_eflags(before);
        let image = before ^ (IF | IOPL | RF | ALIGN | 0x20_0000);
        rig.set32(STACK - 4, image);
        rig.core.r[reg::ESP] = STACK - 4;
        rig.does(&[0x9d]);
        let expected = (before ^ changed) | ALIGN | 0x20_0002;
        assert_eq!(rig.core.eflags(), expected, "level {level}, IOPL {iopl}");
    }
}

#[test]
fn ports_are_allowed_by_level_or_by_the_bit_map() {
    let mut rig = Rig::new();
    // A TSS with a bit map of 16 bytes (128 ports) and the byte after it.
    rig.describe(FREE, descriptor(TSS, 0x68 + 16, 0x89, 0));
    rig.core.r[reg::EAX] = u32::from(FREE);
    rig.does(&[0x0f, 0x00, 0xd8]);
    for byte in 0..17 {
        rig.set8(TSS + 0x68 + byte, 0xff);
    }
    rig.set8(TSS + 0x68 + 2, 0b1000_0111);
    rig.enter(3);
    let read = |rig: &mut Rig, insn: &[u8], port: u32| {
        rig.core.r[reg::EDX] = port;
        rig.run(insn, 1);
        let allowed = rig.core.taken.is_none();
        rig.enter(3);
        allowed
    };
    const IN8: &[u8] = &[0xec];
    const IN16: &[u8] = &[0x66, 0xed];
    const IN32: &[u8] = &[0xed];
    let allowed = |rig: &mut Rig, insn: &[u8]| -> Vec<u32> {
        (0..256).filter(|&port| read(rig, insn, port)).collect()
    };
    assert_eq!(allowed(&mut rig, IN8), [19, 20, 21, 22]);
    assert_eq!(allowed(&mut rig, IN16), [19, 20, 21]);
    assert_eq!(allowed(&mut rig, IN32), [19]);
    // Nothing answers.
    rig.core.r[reg::EDX] = 20;
    rig.core.r[reg::EAX] = 0;
    rig.does(IN8);
    assert_eq!(rig.core.r[reg::EAX], 0xff);
    rig.core.set_eflags(IOPL);
    assert!(read(&mut rig, IN32, 0x1234));
}

#[test]
fn alignment_is_checked_where_all_three_say_so() {
    const AM: u32 = 1 << 18;
    let read = |level: u8, flag: u32, control: u32, offset: u32| {
        let mut rig = Rig::new();
        rig.core.set_controls([control, 0, 0]);
        rig.enter(level);
        rig.core.set_eflags(flag);
        rig.core.r[reg::EBX] = DATA + offset;
        rig.run(&[0x8b, 0x03], 1);
        rig.core.taken
    };
    assert_eq!(read(3, ALIGN, AM, 1), Some(AC));
    assert_eq!(read(3, ALIGN, AM, 2), Some(AC));
    assert_eq!(read(3, ALIGN, AM, 4), None);
    assert_eq!(read(0, ALIGN, AM, 1), None);
    assert_eq!(read(3, 0, AM, 1), None);
    assert_eq!(read(3, ALIGN, 0, 1), None);
    let mut rig = Rig::new();
    rig.core.set_controls([AM, 0, 0]);
    rig.enter(3);
    rig.core.set_eflags(ALIGN);
    rig.core.r[reg::EBX] = DATA + 1;
    rig.faults(&[0x66, 0x8b, 0x03], AC, Some(0));
    rig.core.set_eflags(ALIGN);
    rig.does(&[0x8a, 0x03]);
}

#[test]
fn alignment_is_checked_on_the_stack_of_far_transfers() {
    let mut rig = Rig::new();
    rig.core.set_controls([1 << 18, 0, 0]);
    // RETF, IRET, and CALL far through a pointer
    for insn in [&[0xcb][..], &[0xcf], &[0xff, 0x1b]] {
        rig.enter(3);
        rig.core.set_eflags(ALIGN);
        rig.core.r[reg::ESP] = DATA + 0x101;
        rig.core.r[reg::EBX] = DATA;
        let cs = u32::from(rig.core.segment(Seg::Cs).selector);
        let at = rig.core.eip;
        rig.set32(DATA, at);
        rig.set32(DATA + 4, cs);
        rig.faults(insn, AC, Some(0));
    }
}

#[test]
fn an_alignment_check_without_an_aligned_stack_for_its_handler_hangs() {
    let mut rig = Rig::new();
    rig.core.set_controls([1 << 18, 0, 0]);
    rig.set_gate(AC, gate(CODE3, handler(AC), 0xee, 0));
    rig.enter(3);
    rig.core.set_eflags(ALIGN);
    rig.core.r[reg::EBX] = DATA + 1;
    rig.core.r[reg::ESP] = STACK - 1;
    rig.run(&[0x8b, 0x03], 1);
    let Some(Dead::NeverWakes(why)) = &rig.core.dead else {
        panic!("it goes on");
    };
    assert!(why.starts_with("alignment check at 0x00010000"), "{why}");
}

#[test]
fn control_registers_refuse_what_is_not_there() {
    let mut rig = Rig::new();
    let write = |register: u8| [0x0f, 0x22, 0xc0 | register << 3];
    for (register, value) in [
        (0, 0x8000_0000), // PG without PE
        (0, 0x2000_0001), // NW without CD
        (4, 0x20),        // PAE
        (4, 0x200),       // OSFXSR
    ] {
        rig.core.r[reg::EAX] = value;
        rig.faults(&write(register), GP, Some(0));
    }
    for register in [1, 5, 6, 7] {
        rig.faults(&write(register), UD, None);
    }
    // LMSW sets PE, but cannot clear it.
    rig.core.r[reg::EAX] = 0xfff2;
    rig.does(&[0x0f, 0x01, 0xf0]);
    assert_eq!(rig.core.control(0) & 0xffff, 0x13);
    for msr in [0, 0x1b, 0x179, 0xffff_ffff] {
        rig.core.r[reg::ECX] = msr;
        rig.faults(&[0x0f, 0x32], GP, Some(0));
        rig.faults(&[0x0f, 0x30], GP, Some(0));
    }
}

#[test]
fn debug_registers_can_be_guarded() {
    let mut rig = Rig::new();
    rig.core.r[reg::EAX] = 0x2000;
    rig.does(&[0x0f, 0x23, 0xf8]); // mov dr7, eax: GD
    rig.faults(&[0x0f, 0x21, 0xc0], DB, None);
    rig.does(&[0x0f, 0x21, 0xf0]); // mov eax, dr6: BD; the guard is off
    assert_eq!(rig.core.r[reg::EAX], 0xffff_2ff0);
    rig.does(&[0x0f, 0x21, 0xe8]); // mov eax, dr5, which is dr7
    assert_eq!(rig.core.r[reg::EAX], 0x400);
}

#[test]
fn the_time_stamp_counts_cycles() {
    let mut rig = Rig::new();
    rig.does(&[0x0f, 0x31]);
    let first = rig.core.r[reg::EAX];
    assert!(u64::from(first) <= rig.core.mem.platform.cycle);
    let began = rig.core.mem.platform.cycle;
    rig.run(&[0x90, 0x90, 0x90, 0x0f, 0x31], 4);
    let over = rig.core.mem.platform.cycle;
    assert!((began..=over).contains(&u64::from(rig.core.r[reg::EAX])));
    rig.core.r[reg::ECX] = 0x10;
    rig.core.r[reg::EAX] = 1000;
    rig.core.r[reg::EDX] = 5;
    rig.run(&[0x0f, 0x30, 0x0f, 0x31], 2);
    // The upper half is not written, but cleared.
    assert_eq!(rig.core.r[reg::EDX], 0);
    assert!((1000..1010).contains(&rig.core.r[reg::EAX]));
}

#[test]
fn cpuid_says_what_there_is() {
    let mut rig = Rig::new();
    let mut leaf = |number: u32| {
        rig.core.r[reg::EAX] = number;
        rig.does(&[0x0f, 0xa2]);
        [reg::EAX, reg::EBX, reg::ECX, reg::EDX].map(|n| rig.core.r[n])
    };
    let [most, b, c, d] = leaf(0);
    assert_eq!(most, 2);
    let name: Vec<u8> = [b, d, c].into_iter().flat_map(u32::to_le_bytes).collect();
    assert_eq!(name, b"GenuineIntel");
    let [signature, _, _, features] = leaf(1);
    assert_eq!(signature, 0xf12);
    // FPU, PSE, TSC, MSR, CX8, SEP, PGE, CMOV: no MMX (23), FXSR (24), SSE (25, 26).
    assert_eq!(features, 0xa939);
    assert_eq!(leaf(2), [0x5b66_5001, 0, 0, 0x7a70]);
    assert_eq!(leaf(5), leaf(2));
    assert_eq!(leaf(0x8000_0000)[0], 0x8000_0000);
}

#[test]
fn real_address_mode_goes_over_into_protected_mode() {
    let mut rig = Rig::new();
    let gdt_register = DATA;
    rig.set16(gdt_register, GDT_LIMIT);
    rig.set32(gdt_register + 2, GDT);
    // 16-bit code at 1000:0000 that goes to protected mode and jumps to 32-bit code after it.
    let code = [
        &[0xb8, 0x00, 0x20][..],               // mov ax, 0x2000
        &[0x8e, 0xd8],                         // mov ds, ax
        &[0x66, 0x0f, 0x01, 0x16, 0x00, 0x00], // lgdt [0]
        &[0xcd, 0x40],                         // int 0x40
        &[0x0f, 0x20, 0xc0],                   // mov eax, cr0
        &[0x0c, 0x01],                         // or al, 1
        &[0x0f, 0x22, 0xc0],                   // mov cr0, eax
        &[0x66, 0xea, 0x40, 0x00, 0x01, 0x00, CODE0 as u8, 0x00],
    ]
    .concat();
    let machine = super::rig::config();
    let mut parts = (switchyard_machine::registry::board("isa-pc").unwrap().parts)(1 << 20);
    parts.ram_base = 0;
    let bus = switchyard_machine::bus::Bus::new(parts, 1);
    let mut core = Core::new(machine.ia32().unwrap(), bus, ());
    // Reset starts at the top of memory, where nothing is.
    assert_eq!(core.pc(), 0xffff_fff0);
    std::mem::swap(&mut core.mem.platform.bus, &mut rig.core.mem.platform.bus);
    rig.core = core;
    rig.write(CODE, &code);
    rig.write(CODE + 0x40, &[0xb8, 0x78, 0x56, 0x34, 0x12]); // mov eax, 0x12345678
    rig.set32(4 * 0x40, 0x0800_0000); // the vector: 0800:0000
    rig.set8(HANDLERS, 0xcf);
    // jmp 1000:0000, as the first instruction of a boot block would
    rig.set32(0x7c00, 0x0000_00ea);
    rig.set8(0x7c03, 0x00);
    rig.set8(0x7c04, 0x10);
    rig.core.set_real(0, 0x7c00);
    rig.core.r[reg::ESP] = 0x7000;
    rig.core.step();
    assert_eq!(rig.core.pc(), CODE);
    for _ in 0..3 {
        rig.core.step();
    }
    assert_eq!(rig.core.segment(Seg::Ds).base, DATA);
    rig.core.step();
    assert_eq!(rig.core.taken, Some(0x40));
    assert_eq!(rig.core.pc(), HANDLERS);
    assert_eq!(rig.core.r[reg::ESP], 0x7000 - 6);
    for _ in 0..6 {
        rig.core.step();
        assert_eq!(rig.core.taken, None);
    }
    assert_eq!(rig.core.r[reg::EAX], 0x1234_5678);
    assert_eq!(rig.core.pc(), CODE + 0x45);
    assert_eq!(rig.core.segment(Seg::Cs).selector, CODE0);
}

#[test]
fn a_saved_core_goes_on() {
    let mut rig = Rig::new();
    rig.enter(3);
    rig.run(&[0x40, 0x40, 0x42, 0xcd, 0x80], 2);
    let mut saver = Saver::default();
    rig.core.save(&mut saver);
    let saved = saver.into_bytes();
    let mut other = Rig::new();
    // Memory is as it was, too.
    let code = other.core.mem.platform.bus.ram_slice_mut(CODE, 5).unwrap();
    code.copy_from_slice(&[0x40, 0x40, 0x42, 0xcd, 0x80]);
    other.core.restore(&mut Restorer::new(&saved)).unwrap();
    for rig in [&mut rig, &mut other] {
        rig.core.step();
        rig.core.step();
        assert_eq!(rig.core.taken, Some(GP));
    }
    assert_eq!(rig.core.r, other.core.r);
    assert_eq!(rig.core.mem.platform.cycle, other.core.mem.platform.cycle);
    // EFLAGS, after eight registers, their zero and EIP (numbers take from one to five bytes), with
    // a flag that is not there.
    let mut bytes = saved.clone();
    bytes.truncate(20);
    assert!(other.core.restore(&mut Restorer::new(&bytes)).is_err());
}

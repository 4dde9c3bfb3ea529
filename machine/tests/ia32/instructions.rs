// SPDX-License-Identifier: Apache-2.0
//! The decoder where Unicorn decodes more than a Pentium 4, or less strictly: prefixes, lengths, what
//! is no instruction; and instructions whose corners Unicorn does not show.

use switchyard_machine::ia32::isa::decoder::decode;
use switchyard_machine::ia32::isa::exception::Fault;
use switchyard_machine::ia32::isa::insn::{reg, Insn, Seg};
use switchyard_machine::ia32::isa::kind::Kind;

use super::rig::*;

fn decoded(bytes: &[u8]) -> Insn {
    decode(&mut bytes.iter(), true).unwrap()
}

#[test]
fn lock_stands_before_what_changes_memory_alone() {
    for insn in [
        &[0xf0, 0x01, 0x03][..],
        &[0xf0, 0x80, 0x03, 1],
        &[0xf0, 0xff, 0x03],
        &[0xf0, 0xf7, 0x13],
        &[0xf0, 0x87, 0x03],
        &[0xf0, 0x0f, 0xb1, 0x0b],
        &[0xf0, 0x0f, 0xc7, 0x0b],
        &[0xf0, 0x0f, 0xab, 0x0b],
    ] {
        assert_ne!(decoded(insn).kind, Kind::Undefined, "{insn:x?}");
    }
    for insn in [
        &[0xf0, 0x90][..],
        &[0xf0, 0x03, 0x03],       // add eax, [ebx]
        &[0xf0, 0x01, 0xc3],       // add ebx, eax
        &[0xf0, 0x39, 0x03],       // cmp [ebx], eax
        &[0xf0, 0x89, 0x03],       // mov
        &[0xf0, 0xd1, 0x03],       // rol
        &[0xf0, 0x0f, 0xa3, 0x0b], // bt
        &[0xf0, 0xff, 0x33],       // push
    ] {
        let mut rig = Rig::new();
        rig.core.r[reg::EBX] = DATA;
        rig.faults(insn, UD, None);
    }
}

#[test]
fn what_is_no_instruction() {
    let mut rig = Rig::new();
    rig.core.r[reg::EBX] = DATA;
    for insn in [
        &[0x0f, 0x0b][..],   // ud2
        &[0x0f, 0x05],       // syscall
        &[0x0f, 0x0d, 0x03], // prefetchw
        &[0x0f, 0x10, 0xc0], // movups: SSE
        &[0x0f, 0x6f, 0xc0], // movq: MMX
        &[0x0f, 0x77],       // emms
        &[0x0f, 0xaa],       // rsm
        &[0x0f, 0xae, 0x03], // fxsave
        &[0x0f, 0xc7, 0x03], // of group 9 only cmpxchg8b
        &[0x0f, 0xc7, 0xc9], // whose operand is memory
        &[0x0f, 0xff, 0xc0], // ud0
        &[0x8d, 0xc0],       // lea of a register
        &[0xc4, 0xc0],       // les, lds, bound, lfs of registers
        &[0xc5, 0xc0],
        &[0x62, 0xc0],
        &[0x0f, 0xb4, 0xc0],
        &[0xff, 0xd8], // call and jmp far of registers
        &[0xff, 0xe8],
        &[0xff, 0xf8],
        &[0xfe, 0xd0],
        &[0x8f, 0xc8],
        &[0xc6, 0xc8, 0],
        &[0x8e, 0xf0], // segment register 6
        &[0x8c, 0xf8],
        &[0x8e, 0xc8],       // mov cs
        &[0x0f, 0x01, 0xc0], // sgdt of a register
        &[0x0f, 0x01, 0xf8], // invlpg of a register
        &[0x0f, 0xba, 0xc0, 0],
        &[0x0f, 0x38, 0x00, 0xc0],
        &[0x0f, 0xb8, 0xc0],
    ] {
        rig.faults(insn, UD, None);
    }
}

#[test]
fn an_instruction_has_fifteen_bytes() {
    let mut insn = vec![0x66; 14];
    insn.push(0x90);
    let mut rig = Rig::new();
    rig.does(&insn);
    assert_eq!(rig.core.eip, CODE + 15);
    insn.insert(0, 0x66);
    rig.faults(&insn, GP, Some(0));
    assert_eq!(
        decode(&mut [0x81, 0xc0].iter(), true),
        Err(Fault::protection(0))
    );
}

/// Length, and the operand's address with EAX = 0x1000, ECX = 0x2000, ... (of 16-bit ones the same).
#[test]
fn addresses_of_both_sizes() {
    for (bytes, big, length, seg, address) in [
        (&[0x8b, 0x00][..], true, 2, Seg::Ds, 0x1000),
        (&[0x8b, 0x40, 0xff], true, 3, Seg::Ds, 0xfff),
        (&[0x8b, 0x45, 0x00], true, 3, Seg::Ss, 0x6000),
        (&[0x8b, 0x05, 1, 2, 3, 4], true, 6, Seg::Ds, 0x0403_0201),
        (&[0x8b, 0x04, 0x24], true, 3, Seg::Ss, 0x5000),
        (&[0x8b, 0x04, 0x48], true, 3, Seg::Ds, 0x5000),
        (&[0x8b, 0x04, 0xa5, 4, 0, 0, 0], true, 7, Seg::Ds, 4),
        (&[0x8b, 0x04, 0xcd, 4, 0, 0, 0], true, 7, Seg::Ds, 0x1_0004),
        (&[0x8b, 0x44, 0xd5, 1], true, 4, Seg::Ss, 0x1_e001),
        (&[0x64, 0x8b, 0x45, 0x00], true, 4, Seg::Fs, 0x6000),
        (&[0x67, 0x8b, 0x00], true, 3, Seg::Ds, 0xb000),
        (&[0x8b, 0x00], false, 2, Seg::Ds, 0xb000),
        (&[0x8b, 0x02], false, 2, Seg::Ss, 0xd000),
        (&[0x8b, 0x06, 0x34, 0x12], false, 4, Seg::Ds, 0x1234),
        (&[0x8b, 0x46, 0xff], false, 3, Seg::Ss, 0x5fff),
        (&[0x8b, 0x87, 0xff, 0xff], false, 4, Seg::Ds, 0x3fff),
        (&[0x67, 0x8b, 0x40, 0xff], false, 4, Seg::Ds, 0xfff),
        (&[0xa1, 0x34, 0x12], false, 3, Seg::Ds, 0x1234),
        (&[0x65, 0xa1, 1, 2, 3, 4], true, 6, Seg::Gs, 0x0403_0201),
    ] {
        let insn = decode(&mut bytes.iter(), big).unwrap();
        let r = |n: u8| u32::from(n + 1) % 9 * 0x1000;
        let sum = r(insn.base)
            .wrapping_add(r(insn.index) << insn.scale)
            .wrapping_add(insn.displacement);
        let found = if insn.address16 { sum & 0xffff } else { sum };
        assert_eq!(
            (insn.length, insn.seg, found),
            (length, seg, address),
            "{bytes:x?}"
        );
    }
}

#[test]
fn a_bit_string_reaches_up_and_down() {
    let mut rig = Rig::new();
    rig.core.r[reg::EBX] = DATA + 0x100;
    for (number, at, value) in [(0i32, 0x100, 1), (37, 0x104, 32), (-1, 0xfc, 1 << 31)] {
        rig.core.r[reg::ECX] = number as u32;
        rig.does(&[0x0f, 0xab, 0x0b]); // bts [ebx], ecx
        assert_eq!(rig.get32(DATA + at), value, "{number}");
        rig.does(&[0x0f, 0xa3, 0x0b]); // bt
        assert_eq!(rig.core.eflags() & 1, 1);
    }
    // With operands of 16 bits the number has 16 bits.
    rig.core.r[reg::ECX] = 0x1_ffff;
    rig.does(&[0x66, 0x0f, 0xbb, 0x0b]); // btc
    assert_eq!(rig.get32(DATA + 0xfc), 0);
}

#[test]
fn pop_into_memory_by_esp_uses_the_new_one() {
    let mut rig = Rig::new();
    rig.set32(STACK - 8, 0x1234);
    rig.core.r[reg::ESP] = STACK - 8;
    rig.does(&[0x8f, 0x04, 0x24]); // pop [esp]
    assert_eq!(rig.get32(STACK - 4), 0x1234);
    rig.does(&[0x54]); // push esp: as it was
    assert_eq!(rig.stack(1), [STACK - 4]);
    rig.does(&[0x5c]); // pop esp
    assert_eq!(rig.core.r[reg::ESP], STACK - 4);
}

#[test]
fn enter_copies_the_frames_of_outer_procedures() {
    let mut rig = Rig::new();
    rig.core.r[reg::EBP] = DATA + 0x100;
    rig.set32(DATA + 0xfc, 0xaaaa);
    rig.set32(DATA + 0xf8, 0xbbbb);
    rig.does(&[0xc8, 0x10, 0, 3]); // enter 16, 3
    let frame = STACK - 4;
    assert_eq!(rig.core.r[reg::EBP], frame);
    assert_eq!(rig.core.r[reg::ESP], frame - 12 - 16);
    let frames = [3, 2, 1, 0].map(|n| rig.get32(frame - 4 * n));
    assert_eq!(frames, [frame, 0xbbbb, 0xaaaa, DATA + 0x100]);
    rig.does(&[0xc9]);
    assert_eq!(rig.core.r[reg::EBP], DATA + 0x100);
    assert_eq!(rig.core.r[reg::ESP], STACK);
}

#[test]
fn divide_errors_are_faults() {
    let mut rig = Rig::new();
    for (insn, high, low, by) in [
        (&[0xf7, 0xf1][..], 0, 1, 0),
        (&[0xf7, 0xf1], 5, 0, 5),
        (&[0xf7, 0xf9], u32::MAX, 0x8000_0000, u32::MAX),
        (&[0xf7, 0xf9], 0x8000_0000, 0, u32::MAX),
        (&[0xf7, 0xf9], 0, 0x8000_0000, 1),
        (&[0xf6, 0xf1], 0, 0x0500, 5),
        (&[0xf6, 0xf9], 0, 0x8000, 0xff),
        (&[0xd4, 0], 0, 0, 1),
    ] {
        rig.core.r[reg::EDX] = high;
        rig.core.r[reg::EAX] = low;
        rig.core.r[reg::ECX] = by;
        rig.faults(insn, 0, None);
        assert_eq!((rig.core.r[reg::EDX], rig.core.r[reg::EAX]), (high, low));
    }
    rig.core.r[reg::EDX] = u32::MAX;
    rig.core.r[reg::EAX] = 0x8000_0000;
    rig.core.r[reg::ECX] = 1;
    rig.does(&[0xf7, 0xf9]);
    assert_eq!(rig.core.r[reg::EAX], 0x8000_0000);
}

#[test]
fn bound_takes_both_ends() {
    let mut rig = Rig::new();
    rig.set32(DATA, (-5i32) as u32);
    rig.set32(DATA + 4, 7);
    rig.core.r[reg::EBX] = DATA;
    for (index, inside) in [(-6, false), (-5, true), (0, true), (7, true), (8, false)] {
        rig.core.r[reg::EAX] = index as u32;
        if inside {
            rig.does(&[0x62, 0x03]);
        } else {
            rig.faults(&[0x62, 0x03], 5, None);
        }
    }
}

#[test]
fn arpl_raises_a_selector_to_its_callers_level() {
    let mut rig = Rig::new();
    for (selector, level, result, changed) in [(0x10, 3, 0x13, true), (0x13, 0, 0x13, false)] {
        rig.core.r[reg::EAX] = selector;
        rig.core.r[reg::ECX] = level;
        rig.does(&[0x63, 0xc8]);
        assert_eq!(rig.core.r[reg::EAX], result);
        assert_eq!(rig.core.eflags() & 0x40 != 0, changed);
    }
}

#[test]
fn sgdt_and_sidt_store_what_was_loaded() {
    let mut rig = Rig::new();
    rig.core.r[reg::EBX] = DATA + 0x10;
    rig.does(&[0x0f, 0x01, 0x03]);
    assert_eq!(rig.get32(DATA + 0x10) & 0xffff, u32::from(GDT_LIMIT));
    assert_eq!(rig.get32(DATA + 0x12), GDT);
    rig.does(&[0x0f, 0x01, 0x0b]);
    assert_eq!(rig.get32(DATA + 0x12), IDT);
    // With operands of 16 bits 24 bits of a base are loaded.
    rig.set32(DATA + 0x12, 0xff00_2000);
    rig.does(&[0x66, 0x0f, 0x01, 0x1b]);
    rig.does(&[0x0f, 0x01, 0x0b]);
    assert_eq!(rig.get32(DATA + 0x12), IDT);
}

// SPDX-License-Identifier: Apache-2.0
//! The floating-point unit: who may use it (SDM vol. 3, 2.5), pending exceptions (vol. 1, 8.7), the
//! stack (8.1.2), images of its state (8.1.10), what is no instruction.

use switchyard_machine::ia32::cpu::fpu::extended::Extended;
use switchyard_machine::ia32::cpu::fpu::status::{C0, C1, C2, C3, CODES, STACK_FAULT, SUMMARY};
use switchyard_machine::ia32::cpu::fpu::Fpu;
use switchyard_machine::ia32::isa::insn::{reg, Seg};
use switchyard_machine::state::{Restorer, Saver, State};

use super::rig::*;

const NE: u32 = 1 << 5;
const EM: u32 = 1 << 2;
const TS: u32 = 1 << 3;
const MP: u32 = 1 << 1;

const FNINIT: &[u8] = &[0xdb, 0xe3];
const FNCLEX: &[u8] = &[0xdb, 0xe2];
const FLD1: &[u8] = &[0xd9, 0xe8];
const FLDZ: &[u8] = &[0xd9, 0xee];
const FDIVP: &[u8] = &[0xde, 0xf9];
const FNSTSW_AX: &[u8] = &[0xdf, 0xe0];
const FXAM: &[u8] = &[0xd9, 0xe5];
const WAIT: &[u8] = &[0x9b];

/// A unit after FNINIT, errors by #MF; EBX has the address of data.
pub fn unit() -> Rig {
    let mut rig = Rig::new();
    rig.core.set_controls([NE, 0, 0]);
    rig.core.r[reg::EBX] = DATA;
    rig.does(FNINIT);
    rig
}

impl Rig {
    /// Loads the control word.
    pub fn control(&mut self, word: u16) {
        self.set16(DATA + 0x800, word);
        self.does(&[0xd9, 0xab, 0, 8, 0, 0]); // fldcw [ebx + 0x800]
    }
}

#[test]
fn a_kernel_finds_the_unit() {
    // As Linux looks for it, which fills the words before.
    let mut rig = Rig::new();
    rig.core.r[reg::EBX] = DATA;
    rig.set32(DATA, 0xffff_ffff);
    rig.does(FNINIT);
    rig.does(&[0xdd, 0x3b]); // fnstsw [ebx]
    rig.does(&[0xd9, 0x7b, 2]); // fnstcw [ebx + 2]
    assert_eq!(rig.get32(DATA), 0x037f_0000);
    rig.core.r[reg::EAX] = 1;
    rig.does(&[0x0f, 0xa2]);
    assert_eq!(rig.core.r[reg::EDX] & 0x8001, 0x8001, "FPU and CMOV");
}

#[test]
fn reset_and_fninit_differ() {
    let mut rig = Rig::new();
    let fpu = &rig.core.fpu;
    assert_eq!(
        (fpu.control.word(), fpu.status(), fpu.tags()),
        (0x40, 0, 0x5555)
    );
    rig.does(FNINIT);
    let fpu = &rig.core.fpu;
    assert_eq!(
        (fpu.control.word(), fpu.status(), fpu.tags()),
        (0x37f, 0, 0xffff)
    );
}

/// SDM vol. 3, table 2-1: what EM, MP and TS make of floating-point instructions and of WAIT.
#[test]
fn em_ts_and_mp_say_when_the_unit_is_not_available() {
    for (control, float, wait) in [
        (0, false, false),
        (TS, true, false),
        (MP, false, false),
        (MP | TS, true, true),
        (EM, true, false),
        (EM | TS, true, false),
        (EM | MP, true, false),
        (EM | MP | TS, true, true),
    ] {
        let mut rig = Rig::new();
        rig.core.set_controls([control, 0, 0]);
        rig.core.r[reg::EBX] = DATA;
        for insn in [
            FNINIT,
            FNCLEX,
            FLD1,
            FNSTSW_AX,
            &[0xd9, 0x3b],
            &[0xdd, 0x33],
            &[0xd9, 0xd0],
        ] {
            if float {
                rig.faults(insn, NM, None);
            } else {
                rig.does(insn);
            }
        }
        if wait {
            rig.faults(WAIT, NM, None);
            rig.does(&[0x0f, 0x06]); // clts
        }
        rig.does(WAIT);
    }
}

/// A division of 1 by 0, which is not masked.
fn with_pending() -> Rig {
    let mut rig = unit();
    rig.control(0x37b);
    for insn in [FLD1, FLDZ, FDIVP] {
        rig.does(insn);
    }
    rig
}

#[test]
fn an_unmasked_exception_waits_for_the_next_instruction_that_waits() {
    let mut rig = with_pending();
    rig.does(FNSTSW_AX);
    assert_eq!(
        rig.core.r[reg::EAX],
        0xb084,
        "B, TOP 6, ES, ZE: nothing was popped"
    );
    rig.does(&[0xd9, 0x3b]); // fnstcw
    let before = rig.core.fpu.clone();
    rig.set16(DATA, 0x37b);
    for insn in [
        WAIT,
        FLD1,
        FXAM,
        &[0xd9, 0x2b],
        &[0xdd, 0x23],
        &[0xd9, 0x23],
        &[0xd9, 0xd0],
    ] {
        rig.faults(insn, MF, None);
        assert_eq!(rig.core.fpu, before);
    }
    rig.does(FNCLEX);
    rig.does(WAIT);
    rig.does(FLD1);
}

#[test]
fn masks_say_what_is_pending() {
    let mut rig = unit();
    for insn in [FLD1, FLDZ, FDIVP] {
        rig.does(insn);
    }
    assert_eq!(rig.core.fpu.status(), 0x3804);
    rig.control(0x37b);
    assert_eq!(rig.core.fpu.status(), 0xb884);
    rig.faults(WAIT, MF, None);
    // Storing the environment masks everything.
    rig.does(&[0xd9, 0x33]);
    assert_eq!(rig.get32(DATA), 0xffff_037b);
    assert_eq!(rig.get32(DATA + 4), 0xffff_b884);
    assert_eq!(rig.core.fpu.control.word(), 0x37f);
    assert_eq!(rig.core.fpu.status(), 0x3804);
    rig.does(&[0xd9, 0x23]);
    rig.faults(WAIT, MF, None);
}

#[test]
fn without_ne_an_error_waits_for_an_interrupt() {
    use switchyard_machine::arch::Processor;
    let mut rig = with_pending();
    rig.core.set_controls([0, 0, 0]);
    rig.run(FLD1, 1);
    assert_eq!(rig.core.taken, None);
    assert_eq!(rig.core.eip, CODE);
    assert!(rig.core.waits_for_interrupt());
    rig.core.interrupt(0x75);
    assert!(!rig.core.waits_for_interrupt());
    assert_eq!(rig.stack(1), [CODE]);
}

#[test]
fn the_stack_overflows_and_underflows() {
    let mut rig = unit();
    for _ in 0..8 {
        rig.does(FLD1);
    }
    assert_eq!(rig.core.fpu.status(), 0);
    rig.does(FLDZ);
    let fpu = &rig.core.fpu;
    assert_eq!(fpu.get(0), Some(Extended::INDEFINITE));
    assert_eq!(fpu.status(), 0x3800 | C1 | STACK_FAULT | 1);
    rig.does(FNINIT);
    rig.does(FLD1);
    rig.does(&[0xd8, 0xc1]); // fadd st, st(1): that is empty
    let fpu = &rig.core.fpu;
    assert_eq!(fpu.get(0), Some(Extended::INDEFINITE));
    assert_eq!(fpu.status(), 0x3800 | STACK_FAULT | 1);
    // Unmasked, they leave the stack as it was.
    rig.does(FNINIT);
    rig.control(0x37e);
    rig.does(&[0xdd, 0xd8]); // fstp st(0)
    let fpu = &rig.core.fpu;
    assert_eq!(fpu.status() & !0x8000, STACK_FAULT | SUMMARY | 1);
    assert_eq!(fpu.tags(), 0xffff);
}

#[test]
fn registers_turn_are_freed_and_exchanged() {
    let mut rig = unit();
    rig.does(FLD1);
    rig.does(FLDZ);
    rig.does(&[0xd9, 0xc9]); // fxch
    assert_eq!(rig.core.fpu.get(0), Some(Extended::ONE));
    rig.does(&[0xd9, 0xf6]); // fdecstp
    assert_eq!(rig.core.fpu.status() >> 11 & 7, 5);
    assert_eq!(rig.core.fpu.get(0), None);
    rig.does(&[0xd9, 0xf7]); // fincstp
    rig.does(&[0xdd, 0xc1]); // ffree st(1)
    assert_eq!(rig.core.fpu.get(1), None);
    assert_eq!(rig.core.fpu.tags(), 0xcfff);
    rig.does(&[0xdf, 0xc0]); // ffreep st(0)
    assert_eq!(rig.core.fpu.status() >> 11 & 7, 7);
    assert_eq!(rig.core.fpu.tags(), 0xffff);
}

#[test]
fn fxam_tells_classes_apart() {
    let load = &[0xdb, 0x2b]; // fld tbyte [ebx]
    const INTEGER: u64 = 1 << 63;
    for (sign_exponent, significand, codes, tag) in [
        (0x3fff, INTEGER, C2, 0),
        (0xbfff, INTEGER, C2 | C1, 0),
        (0, 0, C3, 1),
        (0x8000, 0, C3 | C1, 1),
        (0x7fff, INTEGER, C2 | C0, 2),
        (0xffff, INTEGER | 1, C0 | C1, 2),
        (0x7fff, INTEGER | 1 << 62, C0, 2),
        (0, 1, C3 | C2, 2),
        (0, INTEGER, C3 | C2, 2),
        (0x3fff, 1, 0, 2),
        (0x7fff, 1, 0, 2),
        (0x7fff, 0, 0, 2),
    ] {
        let mut rig = unit();
        rig.set32(DATA, significand as u32);
        rig.set32(DATA + 4, (significand >> 32) as u32);
        rig.set16(DATA + 8, sign_exponent);
        rig.does(load);
        rig.does(FXAM);
        let fpu = &rig.core.fpu;
        let case = format!("{sign_exponent:04x} {significand:016x}");
        assert_eq!(fpu.status() & CODES, codes, "{case}");
        assert_eq!(fpu.tags() >> 14, tag, "{case}");
        rig.does(&[0xdd, 0xd8]);
        rig.does(&[0xd9, 0xf6]); // fdecstp: there it is, but empty
        rig.does(FXAM);
        let sign = codes & C1;
        assert_eq!(rig.core.fpu.status() & CODES, C3 | C0 | sign, "{case}");
    }
}

/// An unmasked exception, so that the last opcode is kept too: FDIV of memory at DS:`DATA`.
fn with_last(rig: &mut Rig) {
    rig.set32(DATA, 0);
    rig.control(0x37b);
    rig.does(FLD1);
    rig.does(&[0xd8, 0x33]); // fdiv dword [ebx]
}

#[test]
fn images_in_protected_mode() {
    let mut rig = unit();
    with_last(&mut rig);
    rig.core.r[reg::EBX] = DATA + 0x100;
    let before = rig.core.fpu.clone();
    rig.does(&[0xdd, 0x33]); // fnsave [ebx]
    let image: Vec<u32> = (0..7).map(|n| rig.get32(DATA + 0x100 + 4 * n)).collect();
    let selectors = [CODE0, DATA0].map(u32::from);
    assert_eq!(
        image,
        [
            0xffff_037b,
            0xffff_b884,
            0xffff_3fff,
            CODE,
            0x0033_0000 | selectors[0],
            DATA,
            0xffff_0000 | selectors[1]
        ]
    );
    assert_eq!(rig.get32(DATA + 0x100 + 28 + 4), 0x8000_0000);
    assert_eq!(rig.get32(DATA + 0x100 + 28 + 8) & 0xffff, 0x3fff);
    assert_eq!(rig.core.fpu.tags(), 0xffff);
    assert_eq!(rig.core.fpu.last.ip, 0);
    rig.does(&[0xdd, 0x23]); // frstor [ebx]
    assert_eq!(rig.core.fpu, before);
    // Of 16 bits, where the opcode has no room.
    rig.core.r[reg::EBX] = DATA + 0x200;
    rig.does(&[0x66, 0xdd, 0x33]);
    let image: Vec<u32> = (0..4).map(|n| rig.get32(DATA + 0x200 + 4 * n)).collect();
    assert_eq!(image[0], 0xb884_037b);
    assert_eq!(image[1], CODE << 16 | 0x3fff);
    assert_eq!(image[2], DATA << 16 | selectors[0]);
    assert_eq!(image[3] & 0xffff, selectors[1]);
    assert_eq!(rig.get32(DATA + 0x200 + 14 + 4), 0x8000_0000);
    rig.does(&[0x66, 0xdd, 0x23]);
    assert_eq!(rig.core.fpu.get(0), Some(Extended::ONE));
    assert_eq!(rig.core.fpu.status(), 0xb884);
    assert_eq!(rig.core.fpu.last.dp, DATA & 0xffff);
}

#[test]
fn images_in_real_mode_have_linear_addresses() {
    let mut rig = Rig::new();
    rig.core.set_real((CODE >> 4) as u16, 0);
    rig.core.r[reg::EBX] = 0x1000;
    rig.core.set_controls([NE, 0, 0]);
    rig.core.set_real((CODE >> 4) as u16, 0);
    rig.does(FNINIT);
    rig.core.r[reg::EAX] = DATA >> 4;
    rig.does(&[0x8e, 0xd8]); // mov ds, ax
    rig.set16(DATA + 0x1000, 0x37b);
    rig.does(&[0xd9, 0x2f]); // fldcw [bx]
    rig.does(FLD1);
    rig.set32(DATA + 0x1000, 0);
    rig.does(&[0xd8, 0x37]); // fdiv dword [bx]
    rig.does(&[0xd9, 0x77, 0x10]); // fnstenv [bx + 0x10]
    let word = |rig: &Rig, n: u32| rig.get32(DATA + 0x1010 + 2 * n) & 0xffff;
    let image: Vec<u32> = (0..7).map(|n| word(&rig, n)).collect();
    let address = DATA + 0x1000;
    assert_eq!(
        image,
        [
            0x037b,
            0xb884,
            0x3fff,
            CODE & 0xffff,
            CODE >> 4 & 0xf000 | 0x037,
            address & 0xffff,
            address >> 4 & 0xf000
        ]
    );
    rig.does(&[0xd9, 0x67, 0x10]); // fldenv [bx + 0x10]
    let last = rig.core.fpu.last;
    assert_eq!((last.cs, last.ip, last.opcode), (0, CODE, 0x037));
    assert_eq!((last.ds, last.dp), (0, address));
    rig.does(FNCLEX);
    rig.does(&[0x66, 0xd9, 0x77, 0x10]); // of 32 bits
    assert_eq!(rig.get32(DATA + 0x1010 + 12), 0xffff_0000 | CODE & 0xffff);
    assert_eq!(
        rig.get32(DATA + 0x1010 + 16),
        CODE >> 4 & 0xfff_f000 | 0x037
    );
    rig.does(&[0x66, 0xd9, 0x67, 0x10]);
    assert_eq!(rig.core.fpu.last, last);
}

#[test]
fn control_instructions_are_not_the_last_one() {
    let mut rig = unit();
    rig.does(FLD1);
    assert_eq!(rig.core.fpu.last.ip, CODE);
    assert_eq!(rig.core.fpu.last.opcode, 0, "no exception");
    rig.core.fpu.last.ip = 1;
    for insn in [
        FNCLEX,
        FNSTSW_AX,
        &[0xd9, 0x3b],
        &[0xd9, 0x2b],
        WAIT,
        &[0xd9, 0x33],
    ] {
        rig.does(insn);
    }
    assert_eq!(rig.core.fpu.last.ip, 1);
    rig.does(&[0x3e, 0xd9, 0xd0]); // fnop, with a prefix, at which it begins
    assert_eq!(rig.core.fpu.last.ip, CODE);
}

#[test]
fn an_operand_that_cannot_be_accessed_changes_nothing() {
    let mut rig = unit();
    rig.describe(FREE, descriptor(DATA, 7, WRITABLE, BIG));
    rig.core.r[reg::EBX] = 4;
    rig.does(FLD1);
    let before = rig.core.fpu.clone();
    for insn in [
        &[0x64, 0xdd, 0x03][..], // fld qword fs:[ebx]
        &[0x64, 0xdd, 0x1b],     // fstp qword
        &[0x64, 0xdb, 0x3b],     // fstp tbyte
        &[0x64, 0xdf, 0x3b],     // fistp qword
        &[0x64, 0xdc, 0x03],     // fadd qword
        &[0x64, 0xdd, 0x33],     // fnsave
        &[0x64, 0xd9, 0x33],     // fnstenv
        &[0x64, 0xdd, 0x23],     // frstor
    ] {
        rig.load(Seg::Fs, FREE);
        rig.faults(insn, GP, Some(0));
        assert_eq!(rig.core.fpu, before, "{insn:x?}");
    }
    rig.load(Seg::Fs, FREE);
    rig.does(&[0x64, 0xd9, 0x1b]); // fstp dword
}

#[test]
fn what_is_no_instruction() {
    let mut rig = unit();
    rig.does(FLD1);
    for insn in [
        &[0xd9, 0x0b][..],
        &[0xdb, 0x0b], // fisttp: SSE3
        &[0xdb, 0x23],
        &[0xdb, 0x33],
        &[0xdd, 0x0b],
        &[0xdd, 0x2b],
        &[0xdf, 0x0b],
        &[0xd9, 0xd1],
        &[0xd9, 0xe2],
        &[0xd9, 0xe6],
        &[0xd9, 0xef],
        &[0xda, 0xe0],
        &[0xda, 0xe8],
        &[0xda, 0xf0],
        &[0xdb, 0xe5],
        &[0xdb, 0xf8],
        &[0xdd, 0xf0],
        &[0xde, 0xd8],
        &[0xdf, 0xe1],
        &[0xdf, 0xf8],
        &[0xf0, 0xd8, 0x03], // lock fadd
    ] {
        rig.faults(insn, UD, None);
    }
}

#[test]
fn the_unit_is_saved_and_restored() {
    let mut rig = with_pending();
    let mut saver = Saver::default();
    rig.core.save(&mut saver);
    let bytes = saver.into_bytes();
    let mut other = Rig::new();
    assert_ne!(other.core.fpu, rig.core.fpu);
    other.core.restore(&mut Restorer::new(&bytes)).unwrap();
    assert_eq!(other.core.fpu, rig.core.fpu);
    rig.core.fpu = Fpu::default();
    assert!(rig.core.fpu.is_sound());
}

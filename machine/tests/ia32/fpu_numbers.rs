// SPDX-License-Identifier: Apache-2.0
//! What the floating-point unit computes: the manual's tables of special operands (SDM vol. 1, 4.8
//! and 8.5; vol. 2), conversions, rounding. Any operands at all are compared with the host's
//! processor (`test_ia32_x87.py`).

use switchyard_machine::ia32::cpu::fpu::status::{C0, C1, C2, C3, CODES};
use switchyard_machine::ia32::isa::flags::{CF, PF, STATUS, ZF};

use super::fpu::unit;
use super::rig::*;

type Number = (u16, u64);

const INTEGER: u64 = 1 << 63;
const ONE: Number = (0x3fff, INTEGER);
const TWO: Number = (0x4000, INTEGER);
const THREE: Number = (0x4000, 0xc000_0000_0000_0000);
const HALF: Number = (0x3ffe, INTEGER);
const ZERO: Number = (0, 0);
const INFINITY: Number = (0x7fff, INTEGER);
const INDEFINITE: Number = (0xffff, 0xc000_0000_0000_0000);
const QUIET: Number = (0x7fff, 0xc000_0000_0000_1234);
const SIGNALING: Number = (0x7fff, 0x8000_0000_0000_5678);
const QUIETED: Number = (0x7fff, 0xc000_0000_0000_5678);
const UNNORMAL: Number = (0x3fff, 1);
const DENORMAL: Number = (0, 0x1234);
const LARGEST: Number = (0x7ffe, u64::MAX);
const SMALLEST: Number = (1, INTEGER);

const IE: u16 = 1;
const DE: u16 = 2;
const ZE: u16 = 4;
const OE: u16 = 8;
const UE: u16 = 16;
const PE: u16 = 32;

fn minus((sign_exponent, significand): Number) -> Number {
    (sign_exponent ^ 0x8000, significand)
}

/// Runs an instruction with these in ST(0), ST(1), ...; how the unit is then.
fn run(insn: &[u8], control: u16, stack: &[Number]) -> Rig {
    let mut rig = unit();
    for (sign_exponent, significand) in stack.iter().rev() {
        rig.set32(DATA, *significand as u32);
        rig.set32(DATA + 4, (*significand >> 32) as u32);
        rig.set16(DATA + 8, *sign_exponent);
        rig.does(&[0xdb, 0x2b]); // fld tbyte [ebx]
    }
    rig.control(control);
    rig.does(insn);
    rig
}

/// ST(i).
fn st(rig: &Rig, i: u8) -> Number {
    let value = rig.core.fpu.contents(i);
    (value.sign_exponent, value.significand)
}

/// The result in ST(0), and the exceptions.
fn result(insn: &[u8], control: u16, stack: &[Number]) -> (Number, u16) {
    let rig = run(insn, control, stack);
    (st(&rig, 0), rig.core.fpu.status() & 0x3f)
}

const MASKED: u16 = 0x37f;
const FADD: &[u8] = &[0xd8, 0xc1];
const FMUL: &[u8] = &[0xd8, 0xc9];
const FSUB: &[u8] = &[0xd8, 0xe1];
const FSUBR: &[u8] = &[0xd8, 0xe9];
const FDIV: &[u8] = &[0xd8, 0xf1];
const FDIVR: &[u8] = &[0xd8, 0xf9];
const FSQRT: &[u8] = &[0xd9, 0xfa];
const FPREM: &[u8] = &[0xd9, 0xf8];
const FPREM1: &[u8] = &[0xd9, 0xf5];
const FSCALE: &[u8] = &[0xd9, 0xfd];
const FRNDINT: &[u8] = &[0xd9, 0xfc];
const FXTRACT: &[u8] = &[0xd9, 0xf4];
const FPATAN: &[u8] = &[0xd9, 0xf3];
const FYL2X: &[u8] = &[0xd9, 0xf1];
const FYL2XP1: &[u8] = &[0xd9, 0xf9];
const F2XM1: &[u8] = &[0xd9, 0xf0];
const FSIN: &[u8] = &[0xd9, 0xfe];
const FCOS: &[u8] = &[0xd9, 0xff];
const FSINCOS: &[u8] = &[0xd9, 0xfb];
const FPTAN: &[u8] = &[0xd9, 0xf2];

#[test]
fn special_operands_of_arithmetic() {
    for (insn, a, b, expected, raised) in [
        (FADD, ONE, ONE, TWO, 0),
        (FADD, ONE, minus(ONE), ZERO, 0),
        (FADD, minus(ZERO), minus(ZERO), minus(ZERO), 0),
        (FADD, ZERO, minus(ZERO), ZERO, 0),
        (FADD, INFINITY, ONE, INFINITY, 0),
        (FADD, INFINITY, minus(INFINITY), INDEFINITE, IE),
        (FSUB, INFINITY, INFINITY, INDEFINITE, IE),
        (FSUB, ONE, THREE, minus(TWO), 0),
        (FSUBR, ONE, THREE, TWO, 0),
        (FADD, INFINITY, DENORMAL, INFINITY, DE),
        (FADD, ONE, DENORMAL, ONE, DE | PE),
        (FADD, LARGEST, LARGEST, INFINITY, OE | PE),
        (FMUL, THREE, HALF, (0x3fff, 0xc000_0000_0000_0000), 0),
        (FMUL, ZERO, INFINITY, INDEFINITE, IE),
        (FMUL, minus(ZERO), THREE, minus(ZERO), 0),
        (FMUL, SMALLEST, SMALLEST, ZERO, UE | PE),
        (FMUL, SMALLEST, HALF, (0, INTEGER >> 1), 0),
        (FDIV, ZERO, ZERO, INDEFINITE, IE),
        (FDIV, INFINITY, INFINITY, INDEFINITE, IE),
        (FDIV, minus(ONE), ZERO, minus(INFINITY), ZE),
        (FDIV, INFINITY, ZERO, INFINITY, 0),
        (FDIV, ONE, INFINITY, ZERO, 0),
        (FDIV, DENORMAL, ZERO, INFINITY, ZE),
        (FDIV, ONE, THREE, (0x3ffd, 0xaaaa_aaaa_aaaa_aaab), PE),
        (FDIVR, TWO, ONE, HALF, 0),
        // NaNs: the quiet one, else the larger significand; signaling ones become quiet.
        (FADD, QUIET, ONE, QUIET, 0),
        (FADD, ONE, SIGNALING, QUIETED, IE),
        (FADD, QUIET, SIGNALING, QUIET, IE),
        (FSUB, QUIETED, QUIET, QUIETED, 0),
        (FDIV, minus(QUIET), QUIET, QUIET, 0),
        (FMUL, QUIET, DENORMAL, QUIET, 0),
        // What is no number.
        (FADD, UNNORMAL, ONE, INDEFINITE, IE),
        (FADD, (0x7fff, 1), QUIET, INDEFINITE, IE),
        (FADD, (0x7fff, 0), INFINITY, INDEFINITE, IE),
    ] {
        let case = format!("{insn:x?} of {a:x?} and {b:x?}");
        assert_eq!(result(insn, MASKED, &[a, b]), (expected, raised), "{case}");
    }
}

#[test]
fn an_exact_zero_is_negative_where_rounding_is_down() {
    assert_eq!(result(FSUB, 0x77f, &[ONE, ONE]), (minus(ZERO), 0));
    assert_eq!(result(FSUB, 0xf7f, &[ONE, ONE]), (ZERO, 0));
}

#[test]
fn results_are_rounded_once_to_the_controlled_precision() {
    let third = 0xaaaa_aaaa_aaaa_aaaa;
    for (control, significand, up) in [
        (0x37f, third + 1, true),
        (0x77f, third, false),
        (0xb7f, third + 1, true),
        (0xf7f, third, false),
        (0x27f, 0xaaaa_aaaa_aaaa_a800, false),
        (0xa7f, 0xaaaa_aaaa_aaaa_b000, true),
        (0x07f, 0xaaaa_ab00_0000_0000, true),
        (0xc7f, 0xaaaa_aa00_0000_0000, false),
    ] {
        let rig = run(FDIV, control, &[ONE, THREE]);
        assert_eq!(st(&rig, 0), (0x3ffd, significand), "{control:x}");
        assert_eq!(rig.core.fpu.status() & C1 != 0, up, "{control:x}");
    }
    // 1 + 2^-24 + 2^-64 is above the middle, but not if it is rounded to 64 bits first.
    let a = (0x3fff, INTEGER | 1 << 39);
    let b = (0x3fff - 64, INTEGER);
    assert_eq!(
        result(FADD, 0x07f, &[a, b]),
        ((0x3fff, INTEGER | 1 << 40), PE)
    );
    // The range of exponents stays, and the largest number has 24 bits.
    let huge = (0x7ffe, 0xffff_ff00_0000_0000);
    assert_eq!(result(FADD, 0x07f, &[(0x7ffe, INTEGER), ZERO]).1, 0);
    assert_eq!(result(FADD, 0xc7f, &[huge, huge]), (huge, OE | PE));
}

#[test]
fn unmasked_overflow_and_underflow_move_the_exponent() {
    let moved = |exponent: u16| (exponent, INTEGER);
    let (value, raised) = result(FMUL, 0x377, &[moved(0x7000), moved(0x7000)]);
    assert_eq!(
        (value, raised),
        (moved(0x7000 + 0x7000 - 0x3fff - 24576), OE)
    );
    let (value, raised) = result(FMUL, 0x36f, &[moved(0x0100), moved(0x0100)]);
    assert_eq!((value, raised), (moved(0x0200 + 24576 - 0x3fff), UE));
    // What is exact and tiny is an underflow only then.
    assert_eq!(result(FMUL, 0x36f, &[SMALLEST, HALF]), (moved(24576), UE));
    // Into memory, nothing is stored.
    let mut rig = run(&[0xd9, 0x13], 0x377, &[LARGEST]); // fst dword [ebx]
    assert_eq!(rig.get32(DATA), 0xffff_ffff, "as it was");
    assert_eq!(rig.core.fpu.status() & 0xbf, 0x80 | OE);
    rig.faults(&[0x9b], MF, None);
    // Beyond even that.
    let far = (0x400e, INTEGER);
    assert_eq!(result(FSCALE, 0x377, &[LARGEST, far]), (INFINITY, OE | PE));
    let near = result(FSCALE, 0x36f, &[SMALLEST, minus(far)]);
    assert_eq!(near, (ZERO, UE | PE));
}

#[test]
fn unmasked_exceptions_of_operands_leave_them() {
    for (insn, control, a, b, raised) in [
        (FDIV, 0x37b, ONE, ZERO, ZE),
        (FADD, 0x37e, ONE, SIGNALING, IE),
        (FADD, 0x37d, THREE, DENORMAL, DE),
    ] {
        let rig = run(insn, control, &[a, b]);
        assert_eq!((st(&rig, 0), st(&rig, 1)), (a, b));
        assert_eq!(rig.core.fpu.status() & 0xbf, 0x80 | raised);
    }
}

#[test]
fn square_roots() {
    for (a, expected, raised) in [
        ((0x4002, 0x9000_0000_0000_0000), THREE, 0),
        ((0x4001, INTEGER), TWO, 0),
        (TWO, (0x3fff, 0xb504_f333_f9de_6484), PE),
        (minus(ZERO), minus(ZERO), 0),
        (minus(ONE), INDEFINITE, IE),
        (INFINITY, INFINITY, 0),
        (minus(INFINITY), INDEFINITE, IE),
        (minus(DENORMAL), INDEFINITE, IE),
        ((0, 1 << 61), (0x1fff, INTEGER), DE), // of 2^-16384
    ] {
        assert_eq!(result(FSQRT, MASKED, &[a]), (expected, raised), "{a:x?}");
    }
}

#[test]
fn remainders_and_their_quotients() {
    let n = |value: u64| {
        let zeros = value.leading_zeros();
        (0x3fff + 63 - zeros as u16, value << zeros)
    };
    for (insn, a, b, expected, codes) in [
        (FPREM, n(17), n(5), n(2), C1 | C3),
        (FPREM, minus(n(17)), n(5), minus(n(2)), C1 | C3),
        (FPREM, n(14), n(5), n(4), C3),
        (FPREM1, n(14), n(5), minus(n(1)), C1 | C3),
        (FPREM1, n(10), n(4), n(2), C3),
        (FPREM1, n(6), n(4), minus(n(2)), C3),
        (FPREM1, n(3), n(4), minus(n(1)), C1),
        (FPREM, n(20), n(5), ZERO, C0),
        (FPREM, n(3), n(5), n(3), 0),
        (FPREM, n(3), INFINITY, n(3), 0),
    ] {
        let rig = run(insn, MASKED, &[a, b]);
        assert_eq!(st(&rig, 0), expected, "{a:x?} {b:x?}");
        assert_eq!(rig.core.fpu.status() & CODES, codes, "{a:x?} {b:x?}");
    }
    for (a, b) in [(INFINITY, ONE), (ONE, ZERO)] {
        assert_eq!(result(FPREM, MASKED, &[a, b]), (INDEFINITE, IE));
    }
    // 2^200 modulo 3, in steps.
    let mut rig = run(FPREM, MASKED, &[(0x3fff + 200, INTEGER), THREE]);
    let mut steps = 1;
    while rig.core.fpu.status() & C2 != 0 {
        rig.does(FPREM);
        steps += 1;
    }
    assert_eq!(st(&rig, 0), ONE);
    assert!((4..=7).contains(&steps), "{steps}");
}

#[test]
fn scaling_and_exponents() {
    for (a, b, expected, raised) in [
        (THREE, TWO, (0x4002, 0xc000_0000_0000_0000), 0),
        (ONE, (0xbfff, 0xf000_0000_0000_0000), HALF, 0), // -1.875 is -1
        (ONE, INFINITY, INFINITY, 0),
        (ONE, minus(INFINITY), ZERO, 0),
        (ZERO, INFINITY, INDEFINITE, IE),
        (INFINITY, minus(INFINITY), INDEFINITE, IE),
        (LARGEST, ONE, INFINITY, OE | PE),
        (SMALLEST, minus(ONE), (0, INTEGER >> 1), 0),
        (SMALLEST, (0xc00e, INTEGER), ZERO, UE | PE),
    ] {
        let case = format!("{a:x?} {b:x?}");
        assert_eq!(
            result(FSCALE, MASKED, &[a, b]),
            (expected, raised),
            "{case}"
        );
    }
    for (a, significand, exponent, raised) in [
        (
            (0x4002, 0xc000_0000_0000_0000),
            (0x3fff, 0xc000_0000_0000_0000),
            (0x4000, 0xc000_0000_0000_0000),
            0,
        ),
        (minus(ZERO), minus(ZERO), minus(INFINITY), ZE),
        (minus(INFINITY), minus(INFINITY), INFINITY, 0),
        (QUIET, QUIET, QUIET, 0),
        (
            DENORMAL,
            (0x3fff, 0x91a0_0000_0000_0000),
            (0xc00d, 0x8062_0000_0000_0000),
            DE,
        ),
    ] {
        let rig = run(FXTRACT, MASKED, &[a]);
        let found = (st(&rig, 0), st(&rig, 1), rig.core.fpu.status() & 0x3f);
        assert_eq!(found, (significand, exponent, raised), "{a:x?}");
    }
}

#[test]
fn rounding_to_integers() {
    let two_and_a_half = (0x4000, 0xa000_0000_0000_0000);
    for (control, a, expected, raised) in [
        (0x37f, two_and_a_half, TWO, PE),
        (0x77f, two_and_a_half, TWO, PE),
        (0xb7f, two_and_a_half, THREE, PE),
        (0xf7f, minus(two_and_a_half), minus(TWO), PE),
        (0x37f, HALF, ZERO, PE),
        (0x37f, minus(HALF), minus(ZERO), PE),
        (0x37f, (0x3ffe, 0xc000_0000_0000_0000), ONE, PE),
        (0xb7f, DENORMAL, ONE, DE | PE),
        (0x37f, LARGEST, LARGEST, 0),
        (0x37f, THREE, THREE, 0),
    ] {
        assert_eq!(
            result(FRNDINT, control, &[a]),
            (expected, raised),
            "{control:x} {a:x?}"
        );
    }
}

/// Stores of 2.5, and of what has no place.
#[test]
fn integers_and_decimals_in_memory() {
    let words = |rig: &Rig| {
        [
            rig.get32(DATA),
            rig.get32(DATA + 4),
            rig.get32(DATA + 8) & 0xffff,
        ]
    };
    let value = (0x400c, 0xe6b4_4000_0000_0000); // 14765.0625
    let big = (0x403e, INTEGER);
    for (insn, a, expected, raised) in [
        (&[0xdf, 0x13][..], value, [14765, 0, 0], PE), // fist word
        (&[0xdb, 0x13], minus(value), [-14765i32 as u32, 0, 0], PE),
        (&[0xdf, 0x3b], value, [14765, 0, 0], PE),
        (&[0xdf, 0x33], minus(value), [0x0001_4765, 0, 0x8000], PE), // fbstp
        (&[0xdf, 0x13], (0x400e, INTEGER), [0x8000, 0, 0], IE),
        (&[0xdf, 0x13], minus((0x400e, INTEGER)), [0x8000, 0, 0], 0),
        (&[0xdb, 0x13], QUIET, [0x8000_0000, 0, 0], IE),
        (&[0xdf, 0x3b], big, [0, 0x8000_0000, 0], IE),
        (&[0xdf, 0x3b], minus(big), [0, 0x8000_0000, 0], 0),
        (&[0xdf, 0x33], big, [0, 0xc000_0000, 0xffff], IE),
    ] {
        let mut rig = run(&[0xd9, 0xd0], MASKED, &[a]); // fnop
        for at in [0, 4, 8] {
            rig.set32(DATA + at, 0);
        }
        rig.does(insn);
        assert_eq!(words(&rig), expected, "{insn:x?} {a:x?}");
        assert_eq!(rig.core.fpu.status() & 0x3f, raised, "{insn:x?} {a:x?}");
    }
    let mut rig = unit();
    rig.set32(DATA, 0x7654_3210);
    rig.set32(DATA + 4, 0x0000_0098);
    rig.set32(DATA + 8, 0x8000);
    rig.does(&[0xdf, 0x23]); // fbld
    rig.does(&[0xdf, 0x3b]); // fistp qword
    let stored = u64::from(rig.get32(DATA + 4)) << 32 | u64::from(rig.get32(DATA));
    assert_eq!(stored as i64, -9_876_543_210);
}

#[test]
fn shorter_formats_in_memory() {
    let store = |insn: &[u8], a: Number| {
        let rig = run(insn, MASKED, &[a]);
        let value = u64::from(rig.get32(DATA + 4)) << 32 | u64::from(rig.get32(DATA));
        (value, rig.core.fpu.status() & 0x3f)
    };
    let single = |a| {
        let (value, raised) = store(&[0xd9, 0x13], a);
        (value as u32, raised)
    };
    let double = |a| store(&[0xdd, 0x13], a);
    for (a, bits, raised) in [
        (minus(THREE), 0xc040_0000, 0),
        ((0x3fff, INTEGER | 1), 0x3f80_0000, PE),
        ((0x407f, INTEGER), 0x7f80_0000, OE | PE),
        ((0x3fff - 149, INTEGER), 1, 0),
        ((0x3fff - 150, INTEGER), 0, UE | PE),
        ((0x3fff - 127, u64::MAX), 0x0080_0000, PE), // not tiny once rounded
        (DENORMAL, 0, UE | PE),
        (INFINITY, 0x7f80_0000, 0),
        (SIGNALING, 0x7fc0_0000, IE),
        (UNNORMAL, 0xffc0_0000, IE),
    ] {
        assert_eq!(single(a), (bits, raised), "{a:x?}");
    }
    for (a, bits, raised) in [
        (THREE, 0x4008_0000_0000_0000, 0),
        ((0x3fff - 1074, INTEGER), 1, 0),
        (LARGEST, 0x7ff0_0000_0000_0000, OE | PE),
        (QUIET, 0x7ff8_0000_0000_0002, 0),
    ] {
        assert_eq!(double(a), (bits, raised), "{a:x?}");
    }
    // Loads: a denormal is normal in a register, a signaling NaN becomes quiet.
    for (bits, expected, raised) in [
        (1, (0x3fff - 149, INTEGER), DE),
        (0x7f80_0001, (0x7fff, 0xc000_0100_0000_0000), IE),
        (0xbf80_0000, minus(ONE), 0),
        (0xff80_0000, minus(INFINITY), 0),
    ] {
        let mut rig = unit();
        rig.set32(DATA, bits);
        rig.does(&[0xd9, 0x03]);
        let found = (st(&rig, 0), rig.core.fpu.status() & 0x3f);
        assert_eq!(found, (expected, raised), "{bits:x}");
    }
    // Ten bytes are taken as they are.
    assert_eq!(result(&[0xd9, 0xd0], MASKED, &[SIGNALING]), (SIGNALING, 0));
}

#[test]
fn comparisons() {
    const UNORDERED: u16 = C3 | C2 | C0;
    for (a, b, codes, quiet, loud) in [
        (ONE, TWO, C0, 0, 0),
        (TWO, ONE, 0, 0, 0),
        (minus(TWO), minus(ONE), C0, 0, 0),
        (minus(ZERO), ZERO, C3, 0, 0),
        (INFINITY, LARGEST, 0, 0, 0),
        (minus(INFINITY), LARGEST, C0, 0, 0),
        (DENORMAL, ZERO, 0, DE, DE),
        (QUIET, ONE, UNORDERED, 0, IE),
        (ONE, SIGNALING, UNORDERED, IE, IE),
        (UNNORMAL, ONE, UNORDERED, IE, IE),
    ] {
        for (insn, flags, raised) in [
            (&[0xd8, 0xd1][..], false, loud), // fcom
            (&[0xdd, 0xe1], false, quiet),    // fucom
            (&[0xdb, 0xf1], true, loud),      // fcomi
            (&[0xdb, 0xe9], true, quiet),     // fucomi
        ] {
            let rig = run(insn, MASKED, &[a, b]);
            let case = format!("{insn:x?} {a:x?} {b:x?}");
            let status = rig.core.fpu.status();
            assert_eq!(status & 0x3f, raised, "{case}");
            if flags {
                let flag = |code, flag| if codes & code != 0 { flag } else { 0 };
                let expected = flag(C3, ZF) | flag(C2, PF) | flag(C0, CF);
                assert_eq!(rig.core.eflags() & STATUS, expected, "{case}");
            } else {
                assert_eq!(status & (C3 | C2 | C0), codes, "{case}");
            }
        }
    }
    let rig = run(&[0xde, 0xd9], MASKED, &[ONE, TWO]); // fcompp
    assert_eq!(rig.core.fpu.tags(), 0xffff);
    let rig = run(&[0xd9, 0xe4], MASKED, &[minus(ONE)]); // ftst
    assert_eq!(rig.core.fpu.status() & (C3 | C2 | C0), C0);
}

#[test]
fn conditional_moves_go_by_flags() {
    for (insn, flag) in [(0xda_u8, CF), (0xdb, CF)] {
        for set in [false, true] {
            let mut rig = run(&[0xd9, 0xd0], MASKED, &[ONE, TWO]);
            rig.core.set_eflags(if set { flag } else { 0 });
            rig.does(&[insn, 0xc1]);
            let moves = set == (insn == 0xda);
            assert_eq!(st(&rig, 0), if moves { TWO } else { ONE });
        }
    }
}

#[test]
fn constants_are_rounded_as_the_control_says() {
    let cut: [Number; 7] = [
        ONE,
        (0x4000, 0xd49a_784b_cd1b_8afe),
        (0x3fff, 0xb8aa_3b29_5c17_f0bb),
        (0x4000, 0xc90f_daa2_2168_c234),
        (0x3ffd, 0x9a20_9a84_fbcf_f798),
        (0x3ffe, 0xb172_17f7_d1cf_79ab),
        ZERO,
    ];
    // Which are rounded up to nearest.
    let up = [0, 0, 1, 1, 1, 1, 0];
    for (n, cut) in cut.into_iter().enumerate() {
        let exact = matches!(n, 0 | 6);
        let insn = [0xd9, 0xe8 + n as u8];
        for (control, more) in [
            (0x37f, up[n]),
            (0x77f, 0),
            (0xb7f, u64::from(!exact)),
            (0xc7f, 0),
        ] {
            let expected = (cut.0, cut.1 + more);
            assert_eq!(
                result(&insn, control, &[]),
                (expected, 0),
                "{insn:x?} {control:x}"
            );
        }
    }
}

/// Values to 64 bits, as calculated with 100 decimal digits.
#[test]
fn transcendental_functions() {
    let eighth = (0x3ffc, INTEGER);
    for (insn, stack, expected) in [
        (FSIN, &[ONE][..], (0x3ffe, 0xd76a_a478_4867_7021)),
        (FCOS, &[ONE], (0x3ffe, 0x8a51_407d_a834_5c92)),
        (FSIN, &[minus(THREE)], (0xbffc, 0x9081_c36d_b6aa_da79)),
        (F2XM1, &[HALF], (0x3ffd, 0xd413_cccf_e779_9211)),
        (F2XM1, &[minus(HALF)], (0xbffd, 0x95f6_1998_0c43_36f7)),
        (FPATAN, &[ONE, ONE], (0x3ffe, 0xc90f_daa2_2168_c235)),
        (FPATAN, &[minus(ONE), ONE], (0x4000, 0x96cb_e3f9_990e_91a8)),
        (FPATAN, &[THREE, ONE], (0x3ffd, 0xa4bc_7d19_34f7_0924)),
        (
            FYL2X,
            &[(0x4002, 0xa000_0000_0000_0000), ONE],
            (0x4000, 0xd49a_784b_cd1b_8afe),
        ),
        (FYL2XP1, &[eighth, THREE], (0x3ffe, 0x8280_9d5b_e707_2dbe)),
    ] {
        let (value, raised) = result(insn, MASKED, stack);
        assert_eq!((value, raised), (expected, PE), "{insn:x?} {stack:x?}");
    }
    let rig = run(FPTAN, MASKED, &[ONE]);
    assert_eq!(
        (st(&rig, 0), st(&rig, 1)),
        (ONE, (0x3fff, 0xc759_22e5_f71d_2dc5))
    );
    let rig = run(FSINCOS, MASKED, &[ONE]);
    assert_eq!(st(&rig, 1), (0x3ffe, 0xd76a_a478_4867_7021));
    assert_eq!(st(&rig, 0), (0x3ffe, 0x8a51_407d_a834_5c92));
}

#[test]
fn angles_are_reduced_by_a_pi_of_66_bits() {
    let pi = (0x4000, 0xc90f_daa2_2168_c235);
    assert_eq!(result(FSIN, MASKED, &[pi]).0, (0xbfbf, INTEGER));
    // 2^63 and more is out of range.
    for insn in [FSIN, FCOS, FSINCOS, FPTAN] {
        let far = (0x3fff + 63, INTEGER);
        let rig = run(insn, MASKED, &[far]);
        assert_eq!(st(&rig, 0), far);
        assert_eq!(rig.core.fpu.status() & 0x3f | C2, C2);
        let rig = run(insn, MASKED, &[(0x3fff + 62, INTEGER)]);
        assert_eq!(rig.core.fpu.status() & C2, 0);
    }
}

#[test]
fn special_operands_of_transcendental_functions() {
    let half_pi = (0x3fff, 0xc90f_daa2_2168_c235);
    let pi = (0x4000, 0xc90f_daa2_2168_c235);
    for (insn, stack, expected, raised) in [
        (FSIN, &[minus(ZERO)][..], minus(ZERO), 0),
        (FCOS, &[ZERO], ONE, 0),
        (FSIN, &[INFINITY], INDEFINITE, IE),
        (FSIN, &[SIGNALING], QUIETED, IE),
        (FSIN, &[DENORMAL], DENORMAL, DE | UE | PE),
        (F2XM1, &[ONE], ONE, 0),
        (F2XM1, &[minus(ONE)], minus(HALF), 0),
        (F2XM1, &[minus(INFINITY)], minus(ONE), 0),
        (FPATAN, &[minus(ONE), ZERO], pi, PE),
        (FPATAN, &[ZERO, minus(ONE)], minus(half_pi), PE),
        (FPATAN, &[INFINITY, ONE], ZERO, 0),
        (FPATAN, &[ZERO, ZERO], ZERO, 0),
        (FYL2X, &[ONE, TWO], ZERO, 0),
        (
            FYL2X,
            &[(0x4009, INTEGER), THREE],
            (0x4003, 0xf000_0000_0000_0000),
            0,
        ),
        (FYL2X, &[ZERO, ONE], minus(INFINITY), ZE),
        (FYL2X, &[ZERO, ZERO], INDEFINITE, IE),
        (FYL2X, &[minus(ONE), ONE], INDEFINITE, IE),
        (FYL2X, &[INFINITY, minus(ONE)], minus(INFINITY), 0),
        (FYL2X, &[ONE, INFINITY], INDEFINITE, IE),
        (FYL2XP1, &[minus(ZERO), ONE], minus(ZERO), 0),
        (FYL2XP1, &[ZERO, INFINITY], INDEFINITE, IE),
    ] {
        let found = result(insn, MASKED, stack);
        assert_eq!(found, (expected, raised), "{insn:x?} {stack:x?}");
    }
}

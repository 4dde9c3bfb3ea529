/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loops of u74/silicon.c. Each is called as case(times, at, to): a0 = how often, a1 and a2 = memory or
 * numbers, and returns where it has got to. One time is UNROLLED of the case's steps; `u74_empty` is the
 * loop without any. Most are chains, each step waiting for the one before.
 */
#define UNROLLED 16 /* as STEPS of silicon.c */
#define LINE     64

/* tinymembench's generator of addresses (ssvb/tinymembench, main.c), that of the C standard's example. */
#define FACTOR 1103515245
#define ADDEND 12345

    .option norelax
    .option norvc
    .option arch, +d

    .macro  begin name
    .text
    .balign 64
    .global \name
\name:
    li      t0, 1
    li      t1, 3
    fcvt.s.l ft0, t0
    fmv.s   ft1, ft0
    fmv.s   ft2, ft0
    fcvt.d.l fa0, t0
    fmv.d   fa1, fa0
    fmv.d   fa2, fa0
    .balign 64
1:
    .endm

    .macro  finish
    addi    a0, a0, -1
    bnez    a0, 1b
    mv      a0, a1
    ret
    .endm

    /* A step that is UNROLLED times the same. */
    .macro  simple name, step:vararg
    begin   \name
    .rept   UNROLLED
    \step
    .endr
    finish
    .endm

    begin   u74_empty
    finish

    simple  u74_alu,        add t2, t0, t1
    simple  u74_alu_chain,  add t0, t0, t1
    simple  u74_mul,        mul t2, t0, t1
    simple  u74_mul_chain,  mul t0, t0, t1
    simple  u74_load,       ld t2, (a1)
    simple  u74_store,      sd t0, (a1)
    simple  u74_fadd_s,     fadd.s ft1, ft1, ft0
    simple  u74_fmul_s,     fmul.s ft1, ft1, ft0
    simple  u74_fmadd_s,    fmadd.s ft1, ft1, ft0, ft2
    simple  u74_fmin_s,     fmin.s ft1, ft1, ft0
    simple  u74_fadd_d,     fadd.d fa1, fa1, fa0
    simple  u74_fmul_d,     fmul.d fa1, fa1, fa0
    simple  u74_fmadd_d,    fmadd.d fa1, fa1, fa0, fa2
    simple  u74_fmin_d,     fmin.d fa1, fa1, fa0

    /* A step of two instructions. */
    .macro  pair name, first, second
    begin   \name
    .rept   UNROLLED
    \first
    \second
    .endr
    finish
    .endm

    pair    u74_load_alu,   "ld t2, (a1)", "add t3, t2, t0"
    pair    u74_convert_s,  "fcvt.w.s t2, ft1", "fcvt.s.w ft1, t2"
    pair    u74_convert_d,  "fcvt.l.d t2, fa1", "fcvt.d.l fa1, t2"
    pair    u74_move_d,     "fmv.x.d t2, fa1", "fmv.d.x fa1, t2"
    pair    u74_widen,      "fcvt.d.s fa1, ft1", "fcvt.s.d ft1, fa1"

    begin   u74_branch_not
    .rept   UNROLLED
    beqz    t0, 2f
    .endr
2:
    finish

    /* A chain of pointers: from a1 on. */
    simple  u74_chase,      ld a1, (a1)

    /* Bytes at random, each place waiting for the byte before: a1 = the seed, a2 = memory, whose size less
     * one is in a3. */
    .text
    .balign 64
    .global u74_random
u74_random:
    li      t0, FACTOR
    li      t1, ADDEND
    .balign 64
1:
    .rept   UNROLLED
    mul     a1, a1, t0
    add     a1, a1, t1
    srli    t2, a1, 7
    and     t2, t2, a3
    add     t2, t2, a2
    lbu     t2, (t2)
    or      a1, a1, t2 /* memory is 0 */
    .endr
    finish

    /* Lines from a1 on; to a2 on. */
    .text
    .balign 64
    .global u74_fill
u74_fill:
1:
    .rept   UNROLLED
    .set    n, 0
    .rept   LINE / 8
    sd      zero, n(a1)
    .set    n, n + 8
    .endr
    addi    a1, a1, LINE
    .endr
    finish

    .text
    .balign 64
    .global u74_copy
u74_copy:
1:
    .rept   UNROLLED
    ld      t0, 0(a1)
    ld      t1, 8(a1)
    ld      t2, 16(a1)
    ld      t3, 24(a1)
    ld      t4, 32(a1)
    ld      t5, 40(a1)
    ld      t6, 48(a1)
    ld      a7, 56(a1)
    sd      t0, 0(a2)
    sd      t1, 8(a2)
    sd      t2, 16(a2)
    sd      t3, 24(a2)
    sd      t4, 32(a2)
    sd      t5, 40(a2)
    sd      t6, 48(a2)
    sd      a7, 56(a2)
    addi    a1, a1, LINE
    addi    a2, a2, LINE
    .endr
    finish

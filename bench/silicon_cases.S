/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loops of silicon.c. Each is called as case(times, from, to): r0 = how often, r1 and r2 =
 * memory. One time is UNROLLED of the case's steps; `silicon_empty` is the loop without any.
 *
 * Plain ARMv4, for the StrongARM and the ARM9 alike.
 */
#define UNROLLED 16 /* as STEPS of silicon.c */

    /* r3 to r11 are free within a case; r10 = r1, r11 = r2 for cases that count their pointers up. */
    .macro  begin name
    .text
    .p2align 5
    .global \name
\name:
    stmfd   sp!, {r4-r11, lr}
    mov     r10, r1
    mov     r11, r2
    mov     r3, #1
    mov     r4, #2
    mov     r5, #3
    .p2align 5
1:
    .endm

    .macro  finish
    subs    r0, r0, #1
    bne     1b
    ldmfd   sp!, {r4-r11, pc}
    .endm

    /* A step that is UNROLLED times the same. */
    .macro  simple name, step:vararg
    begin   \name
    .rept   UNROLLED
    \step
    .endr
    finish
    .endm

    begin   silicon_empty
    finish

    /* Linux's delay loop (arch/arm/lib/delay-loop.S), whose turns loops_per_jiffy counts. */
    .text
    .p2align 4
    .global silicon_delay
silicon_delay:
    subs    r0, r0, #1
    bhi     silicon_delay
    mov     pc, lr

    /* Instructions, everything in registers and in the caches. */
    simple  silicon_alu,            add r6, r3, r4
    simple  silicon_alu_dependent,  add r3, r3, r4
    simple  silicon_shift_constant, add r6, r3, r4, lsl #3
    simple  silicon_shift_register, add r6, r3, r4, lsl r5
    simple  silicon_load,           ldr r6, [r1]
    simple  silicon_store,          str r6, [r1]
    simple  silicon_mul_short,      mul r6, r3, r4
    simple  silicon_mrs,            mrs r6, cpsr
    simple  silicon_swap,           swp r6, r3, [r1]


    /* A result that the next instruction wants: the step is both. */
    .macro  used name, step:vararg
    begin   \name
    .rept   UNROLLED
    \step
    add     r7, r6, r3
    .endr
    finish
    .endm
    used    silicon_load_used,        ldr r6, [r1]
    used    silicon_load_byte_used,   ldrb r6, [r1]
    used    silicon_load_signed_used, ldrsb r6, [r1]
    used    silicon_load_shifted,     ldr r6, [r1, r5, lsl #2]
    used    silicon_mrc_used,         mrc p15, 0, r6, c0, c0, 0

    begin   silicon_mul_long
    .rept   UNROLLED
    umull   r6, r7, r3, r4
    .endr
    finish

    simple  silicon_load_four,  ldmia r1, {r6-r9}
    simple  silicon_load_eight, ldmia r1, {r4-r9, r12, lr}
    simple  silicon_store_four, stmia r1, {r6-r9}

    /* Branches: to the next instruction but one, and none. */
    begin   silicon_branch
    .rept   UNROLLED
    b       . + 8
    nop
    .endr
    finish
    simple  silicon_branch_not, beq . + 8   /* not zero: the loop's own subtraction said so */
    begin   silicon_mov_pc
    .rept   UNROLLED
    mov     pc, pc                      /* the instruction after the next */
    nop
    .endr
    finish

    /* A chain of pointers, from r1 on; each is in another line. */
    begin   silicon_chase
    .rept   UNROLLED
    ldr     r1, [r1]
    .endr
    finish

    /* Memory in blocks: a step is a line of 32 bytes. */
    begin   silicon_read
    .rept   UNROLLED
    ldmia   r10!, {r4-r9, r12, lr}
    .endr
    finish
    begin   silicon_write
    .rept   UNROLLED
    stmia   r10!, {r4-r9, r12, lr}
    .endr
    finish
    begin   silicon_copy
    .rept   UNROLLED
    ldmia   r10!, {r4-r9, r12, lr}
    stmia   r11!, {r4-r9, r12, lr}
    .endr
    finish

    /* Words one after the other, at addresses that are not cached: a step is a word. */
    simple  silicon_words, ldr r6, [r10], #4

    /* Coprocessor 15. */
    simple  silicon_drain,       mcr p15, 0, r3, c7, c10, 4
    simple  silicon_dtlb_entry,  mcr p15, 0, r3, c8, c6, 1   /* of the megabyte at 0 */
    simple  silicon_clean_entry, mcr p15, 0, r1, c7, c10, 1
    simple  silicon_domains,     mcr p15, 0, r3, c3, c0, 0

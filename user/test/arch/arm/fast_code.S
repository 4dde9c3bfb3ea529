/* SPDX-License-Identifier: Apache-2.0 */
/*
 * L4_Word_t yield_keeps(L4_Word_t to, L4_Word_t stub, L4_Word_t seed): ThreadSwitch to `to` with a
 * pattern in the registers that it keeps, r1 to r7 and r11; returns 0 if they came back so.
 *
 * L4_Word_t flags_stay(L4_Word_t times): compares, waits a while and looks at the result; returns 0 if
 * that was right each time.
 */
#define CHILD_ECHO 8 /* enum child_operation */

    .text
    .global yield_keeps
    .type   yield_keeps, %function
yield_keeps:
    stmfd   sp!, {r2, r4-r11, lr}
    mov     r12, r1
    add     r1, r2, #1
    add     r3, r2, #3
    add     r4, r2, #4
    add     r5, r2, #5
    add     r6, r2, #6
    add     r7, r2, #7
    add     r11, r2, #11
    add     r2, r2, #2
    cmp     sp, #0                      @ not equal: not the flags of flags_stay
    mov     lr, pc
    mov     pc, r12
    ldr     r8, [sp]
    sub     r1, r1, r8
    eor     r0, r1, #1
    sub     r2, r2, r8
    eor     r2, r2, #2
    orr     r0, r0, r2
    sub     r3, r3, r8
    eor     r3, r3, #3
    orr     r0, r0, r3
    sub     r4, r4, r8
    eor     r4, r4, #4
    orr     r0, r0, r4
    sub     r5, r5, r8
    eor     r5, r5, #5
    orr     r0, r0, r5
    sub     r6, r6, r8
    eor     r6, r6, #6
    orr     r0, r0, r6
    sub     r7, r7, r8
    eor     r7, r7, #7
    orr     r0, r0, r7
    sub     r11, r11, r8
    eor     r11, r11, #11
    orr     r0, r0, r11
    ldmfd   sp!, {r2, r4-r11, pc}

    .global flags_stay
    .type   flags_stay, %function
flags_stay:
    mov     r1, #0
1:  cmp     r0, r0
    .rept   32
    mov     r2, r2
    .endr
    orrne   r1, r1, #1
    subs    r0, r0, #1
    bne     1b
    mov     r0, r1
    mov     pc, lr

/*
 * L4_Word_t two_calls(L4_Word_t first, L4_Word_t tag, L4_Word_t second, L4_Word_t long_tag): calls
 * `first` and then `second`, both with MR 1 = CHILD_ECHO and without a look at the UTCB before or in
 * between; nor at the kernel interface page, which lies in the same megabyte, so it does what the
 * stub there would. Returns the second answer's tag.
 */
    .global two_calls
    .type   two_calls, %function
two_calls:
    stmfd   sp!, {r2-r11, lr}
    mov     r3, r1
    mov     r1, r0
    mov     r2, #0
    mov     r4, #CHILD_ECHO
    mvn     r12, #0
    adr     lr, 1f
    swi     0
1:  ldr     r0, [sp]
    ldr     r3, [sp, #4]
    mov     r1, r0
    mov     r2, #0
    mov     r4, #CHILD_ECHO
    mvn     r12, #0
    adr     lr, 2f
    swi     0
2:  mov     r0, r3
    add     sp, sp, #8
    ldmfd   sp!, {r4-r11, pc}

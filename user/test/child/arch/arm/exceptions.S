/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that trap, as functions of one word: r0 goes in and comes back. */
    .text
    .global child_undefined
    .type   child_undefined, %function
child_undefined:
    .word   0xe7f000f0              /* undefined for ever (ARM ARM: UDF) */
    mov     pc, lr

    .global child_swi
    .type   child_swi, %function
child_swi:
    swi     0x123456
    mov     pc, lr

/*
 * r0 = address of a page that is not there yet, r1 = a number: loads from there with other
 * registers and the flags made of the number. Returns 0 if they still are what they were.
 */
    .global child_fault_keeps
    .type   child_fault_keeps, %function
child_fault_keeps:
    stmfd   sp!, {r4-r11, lr}
    add     r2, r1, #2
    add     r3, r1, #3
    add     r4, r1, #4
    add     r5, r1, #5
    add     r6, r1, #6
    add     r7, r1, #7
    add     r8, r1, #8
    add     r9, r1, #9
    add     r10, r1, #10
    mov     r11, sp
    add     r12, r1, #12
    add     lr, r1, #14
    msr     cpsr_f, r1
    ldr     r0, [r0]
    mrs     r0, cpsr
    eor     r0, r0, r1
    and     r0, r0, #0xf0000000
    .irp    n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12
    sub     r\n, r\n, r1
    teq     r\n, #\n
    orrne   r0, r0, #1 << \n
    .endr
    sub     lr, lr, r1
    teq     lr, #14
    orrne   r0, r0, #1 << 14
    teq     r11, sp
    orrne   r0, r0, #1 << 13
    ldmfd   sp!, {r4-r11, pc}

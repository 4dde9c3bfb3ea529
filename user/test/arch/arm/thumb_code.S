/* SPDX-License-Identifier: Apache-2.0 */
/* Programs in Thumb state, for processors that have it (thumb.c). */
#include <l4/arch/arm/binding.h>

    .arch   armv5te
    .text
    .arm

/* thumb_count(counter): adds to the word for ever. */
    .global thumb_count
    .type   thumb_count, %function
thumb_count:
    add     r1, pc, #1
    bx      r1
    .thumb
1:  ldr     r1, [r0]
    adds    r1, r1, #1
    str     r1, [r0]
    b       1b
    .arm

/* thumb_call(to): Ipc, a call of no words, from Thumb state; then comes back as from a stub. What is
 * after the SWI is in no word with it, and undefined in ARM state. */
    .balign 4
    .global thumb_call
    .type   thumb_call, %function
thumb_call:
    stmfd   sp!, {r4-r10, lr}
    mov     r1, r0
    mov     r2, #0
    mov     r3, #0
    mvn     r12, #0
    adr     lr, 2f
    add     r4, pc, #1
    bx      r4
    .thumb
    nop
    swi     0
    bx      lr
    .short  0xe7ff
    .arm
2:  ldmfd   sp!, {r4-r10, pc}

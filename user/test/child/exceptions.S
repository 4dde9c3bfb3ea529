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

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The body of a thread in another space, where the library's stubs are not to be found. Its sp points
 * to four words: two threads to delete, the tag of a message, and to whom it then sends the two results
 * of ThreadControl. It writes no memory.
 */
#define THREAD_CONTROL 3

    .macro  delete at
    ldr     r0, [sp, #\at]
    mov     r1, #0
    mov     r2, #0
    mov     r3, #0
    mvn     r4, #0
    mvn     r12, #THREAD_CONTROL
    swi     0
    .endm

    .text
    .global control_delete_two
    .type   control_delete_two, %function
control_delete_two:
    delete  0
    mov     r11, r0                     @ a call keeps it
    delete  4
    mov     r4, r11
    mov     r5, r0
    ldr     r3, [sp, #8]
    ldr     r0, [sp, #12]
    mov     r1, r0
    mov     r2, #0
    mvn     r12, #0
    adr     lr, 1f
    swi     0
1:  b       1b

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One access each, of r0's address, r1 the word to be written. Returns the word that was read in r0
 * and in r1 whether it was denied: then the pager lets the thread go on RANDOM_DENIED bytes after.
 */
    .global access_load
access_load:
    ldr     r0, [r0]
    mov     r1, #0
    mov     pc, lr
    mov     r1, #1
    mov     pc, lr

    .global access_store
access_store:
    str     r1, [r0]
    mov     r1, #0
    mov     pc, lr
    mov     r1, #1
    mov     pc, lr

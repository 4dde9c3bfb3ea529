/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One access each, of a0's address, a1 the word to be written. Returns the word that was read in a0
 * and in a1 whether it was denied: then the pager lets the thread go on RANDOM_DENIED bytes after.
 */
    .option norvc                       # each instruction takes four bytes
    .global access_load
access_load:
    ld      a0, (a0)
    li      a1, 0
    ret
    li      a1, 1
    ret

    .global access_store
access_store:
    sd      a1, (a0)
    li      a1, 0
    ret
    li      a1, 1
    ret

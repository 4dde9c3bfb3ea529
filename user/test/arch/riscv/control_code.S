/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The body of a thread in another space, where the library's stubs are not to be found. Its sp points
 * to four words: two threads to delete, the tag of a message, and to whom it then sends the two results
 * of ThreadControl. It writes no memory.
 */
#include <l4/syscall_list.h>

    .macro  delete at
    ld      a0, \at(sp)
    li      a1, 0
    li      a2, 0
    li      a3, 0
    li      a4, -1
    li      t0, .Lsyscall_thread_control
    ecall
    .endm

    .text
    .global control_delete_two
    .type   control_delete_two, %function
control_delete_two:
    delete  0
    mv      s0, a0                      # a call keeps it
    delete  8
    mv      a4, s0
    mv      a5, a0
    ld      a3, 16(sp)
    ld      a0, 24(sp)
    mv      a1, a0
    li      a2, 0
    lla     ra, 1f
    li      t0, .Lsyscall_ipc
    ecall
1:  j       1b

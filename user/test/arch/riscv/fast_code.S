/* SPDX-License-Identifier: Apache-2.0 */
/*
 * L4_Word_t yield_keeps(L4_Word_t to, L4_Word_t stub, L4_Word_t seed): ThreadSwitch to `to` with a
 * pattern in registers that it keeps; returns 0 if they came back so.
 *
 * L4_Word_t flags_stay(L4_Word_t times): there are no flags; a pattern stays in registers while it
 * waits. Returns 0 if it did each time.
 *
 * L4_Word_t two_calls(L4_Word_t first, L4_Word_t tag, L4_Word_t second, L4_Word_t long_tag): calls
 * `first` and then `second`, both with MR 1 = CHILD_ECHO and without a look at the UTCB before or in
 * between. Returns the second answer's tag.
 */
#include <l4/syscall_list.h>

#define CHILD_ECHO 8 /* enum child_operation */

    .macro  seeded from
    .irp    n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    addi    s\n, \from, \n
    .endr
    .endm

    .macro  compare seed
    li      a0, 0
    .irp    n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    sub     t1, s\n, \seed
    xori    t1, t1, \n
    or      a0, a0, t1
    .endr
    .endm

    .macro  save
    addi    sp, sp, -128
    sd      ra, (sp)
    .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    sd      s\n, 8 + 8 * \n(sp)
    .endr
    .endm

    .macro  restore
    .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    ld      s\n, 8 + 8 * \n(sp)
    .endr
    ld      ra, (sp)
    addi    sp, sp, 128
    ret
    .endm

    .text
    .global yield_keeps
    .type   yield_keeps, %function
yield_keeps:
    save
    mv      s0, a2
    seeded  s0
    sd      s0, 104(sp)
    jalr    a1
    ld      t2, 104(sp)
    compare t2
    restore

    .global flags_stay
    .type   flags_stay, %function
flags_stay:
    save
    mv      s0, a0
    li      t3, 0
1:  seeded  s0
    .rept   32
    nop
    .endr
    compare s0
    or      t3, t3, a0
    addi    s0, s0, -1
    bnez    s0, 1b
    mv      a0, t3
    restore

    .global two_calls
    .type   two_calls, %function
two_calls:
    save
    sd      a2, 104(sp)
    sd      a3, 112(sp)
    mv      a3, a1
    mv      a1, a0
    li      a2, 0
    li      a4, CHILD_ECHO
    li      t0, .Lsyscall_ipc
    lla     ra, 1f
    ecall
1:  ld      a0, 104(sp)
    ld      a3, 112(sp)
    mv      a1, a0
    li      a2, 0
    li      a4, CHILD_ECHO
    li      t0, .Lsyscall_ipc
    lla     ra, 2f
    ecall
2:  mv      a0, a3
    restore

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machine mode, at physical addresses: the timer's interrupt becomes one of supervisor mode, and
 * supervisor mode's ECALL sets the timer (machine.h).
 */
#include "layout.h"

#define CAUSE_ECALL 9 /* of supervisor mode */
#define MIP_STIP    (1 << 5)
#define MIP_MTIP    (1 << 7)

    .text
    .balign 64
    .global machine_trap
machine_trap:
    csrrw   a1, mscratch, a1            # three words
    sd      t0, 0(a1)
    sd      t1, 8(a1)
    csrr    t0, mcause
    li      t1, CAUSE_ECALL
    beq     t0, t1, 1f
    bgez    t0, 3f
    li      t0, MIP_MTIP                # it stays pending: not again before the timer is set
    csrc    mie, t0
    li      t0, MIP_STIP
    csrs    mip, t0
    j       2f

1:  li      t0, MTIMECMP_PA
    sd      a0, (t0)
    li      t0, MIP_STIP
    csrc    mip, t0
    li      t0, MIP_MTIP
    csrs    mie, t0
    csrr    t0, mepc
    addi    t0, t0, 4
    csrw    mepc, t0
2:  ld      t1, 8(a1)
    ld      t0, 0(a1)
    csrrw   a1, mscratch, a1
    mret

    /* What is not delegated, and nobody causes. */
3:  li      t0, FINISHER_PA
    li      t1, 0x33333
    sw      t1, (t0)
    j       3b

    .data
    .balign 64
    .global machine_scratch
machine_scratch:
    .dword  0, 0, 0

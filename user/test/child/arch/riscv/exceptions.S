/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that trap, as functions of one word: a0 goes in and comes back. */
    .option norvc                       # each instruction takes four bytes
    .text
    .global child_undefined
    .type   child_undefined, %function
child_undefined:
    csrrw   zero, cycle, zero           # a register that nobody may write
    ret

    .global child_swi
    .type   child_swi, %function
child_swi:
    li      t0, 0x123                   # a call that there is not
    ecall
    ret

/*
 * a0 = address of a page that is not there yet, a1 = a number: loads from there with other
 * registers made of the number. Returns 0 if they still are what they were.
 */
    .global child_fault_keeps
    .type   child_fault_keeps, %function
child_fault_keeps:
    addi    sp, sp, -128
    sd      ra, (sp)
    .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    sd      s\n, 8 + 8 * \n(sp)
    addi    s\n, a1, 32 + \n
    .endr
    sd      tp, 104(sp)
    sd      sp, 112(sp)
    .irp    n, 2, 3, 4, 5, 6, 7
    addi    a\n, a1, \n
    .endr
    .irp    n, 0, 1, 2, 3, 4, 5, 6
    addi    t\n, a1, 16 + \n
    .endr
    addi    ra, a1, 50
    addi    gp, a1, 51
    ld      a0, (a0)
    li      a0, 0
    .irp    n, 2, 3, 4, 5, 6, 7
    addi    a\n, a\n, -\n
    xor     a\n, a\n, a1
    or      a0, a0, a\n
    .endr
    .irp    n, 0, 1, 2, 3, 4, 5, 6
    addi    t\n, t\n, -16 - \n
    xor     t\n, t\n, a1
    or      a0, a0, t\n
    .endr
    .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    addi    s\n, s\n, -32 - \n
    xor     s\n, s\n, a1
    or      a0, a0, s\n
    .endr
    addi    ra, ra, -50
    xor     ra, ra, a1
    or      a0, a0, ra
    addi    gp, gp, -51
    xor     gp, gp, a1
    or      a0, a0, gp
    ld      t0, 104(sp)
    xor     t0, t0, tp
    or      a0, a0, t0
    ld      t0, 112(sp)
    xor     t0, t0, sp
    or      a0, a0, t0
    ld      ra, (sp)
    .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    ld      s\n, 8 + 8 * \n(sp)
    .endr
    addi    sp, sp, 128
    ret

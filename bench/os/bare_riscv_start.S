/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program without an operating system on a RISC-V: in machine mode, all of memory for the levels below
 * (so that loads and stores may be made as supervisor's), floating point on.
 *
 * Entered by the boot ROM with a1 = device tree. Registers: privileged manual, "Machine-Level ISA".
 */
#define MSTATUS_FS  (3 << 13)
#define PMP_ALL     0x1f /* read, write, execute; all addresses up to pmpaddr0 as one power of two */

    .option norelax
    .section .text.start, "ax", @progbits
    .global _start
_start:
    la      sp, _stack_top
    la      t0, bare_trap
    csrw    mtvec, t0
    li      t0, -1
    csrw    pmpaddr0, t0
    li      t0, PMP_ALL
    csrw    pmpcfg0, t0
    li      t0, MSTATUS_FS
    csrs    mstatus, t0
    la      t0, _bss_start
    la      t1, _bss_end
1:  bgeu    t0, t1, 2f
    sd      zero, (t0)
    addi    t0, t0, 8
    j       1b
2:  mv      a0, a1
    call    bare_main

    /* Nothing here is to trap: the run ends with the cause. */
    .balign 4
bare_trap:
    csrr    a0, mcause
    call    bare_trapped

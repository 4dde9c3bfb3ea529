/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Start of every program: a thread arrives here with its instruction pointer and tp set (a start-up
 * message carries a stack pointer too, but a boot loader leaves 0). Sets the stack of the linker
 * script, clears .bss, finds the kernel and calls main. The arguments that the creator may have
 * put on its stack are not used: programs take parameters by IPC or from the boot information.
 */
    .section .text.start, "ax", %progbits
    .global _start
    .type _start, %function
_start:
    la      sp, _stack_top
    la      t0, _bss_start
    la      t1, _bss_end
    bgeu    t0, t1, 2f
1:  sd      zero, (t0)
    addi    t0, t0, 8
    bltu    t0, t1, 1b
2:  call    l4_startup
    call    main
    /* main never returns in servers; elsewhere the thread has nobody to report to: it rests. */
3:  call    l4_rest
    j       3b
    .size _start, . - _start

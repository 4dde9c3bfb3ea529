/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Start of every program: a thread arrives here with only its instruction pointer set (a start-up
 * message carries a stack pointer too, but a boot loader leaves 0). Sets the stack of the linker
 * script, clears .bss, finds the kernel and calls main. The arguments that the creator may have
 * put on its stack are not used: programs take parameters by IPC or from the boot information.
 */
    .section .text.start, "ax", %progbits
    .global _start
    .type _start, %function
_start:
    ldr     sp, =_stack_top
    ldr     r0, =_bss_start
    ldr     r1, =_bss_end
    mov     r2, #0
1:  cmp     r0, r1
    strlo   r2, [r0], #4
    blo     1b
    bl      l4_startup
    bl      main
    /* main never returns in servers; elsewhere the thread has nobody to report to: it rests. */
    mov     r11, #0
2:  bl      l4_rest
    b       2b
    .ltorg
    .size _start, . - _start

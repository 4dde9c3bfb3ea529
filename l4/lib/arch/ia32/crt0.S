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
    cld
    movl    $_stack_top, %esp
    movl    $_bss_start, %edi
    movl    $_bss_end, %ecx
    subl    %edi, %ecx
    shrl    $2, %ecx
    xorl    %eax, %eax
    rep stosl
    call    l4_startup
    call    main
    /* main never returns in servers; elsewhere the thread has nobody to report to: it rests. */
1:  call    l4_rest
    jmp     1b
    .size _start, . - _start

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Segments where all are flat (segments.h): the kernel runs with the program's DS and ES, which
 * cost 63 cycles each to load, as long as they are what they should be.
 */
#ifndef FLAT_SEGMENTS_ASM_H
#define FLAT_SEGMENTS_ASM_H

#include "segments_asm.h"

#ifdef __ASSEMBLER__
/* clang-format off */

/* Those that a program has. Keeps all other registers. */
    .macro  load_segments
    pushl   %eax
    movl    $USER_DATA, %eax
    movl    %eax, %ds
    movl    %eax, %es
    movl    %eax, %fs
    movl    $USER_UTCB, %eax
    movl    %eax, %gs
    popl    %eax
    .endm

/* An access by one that is no good raises an exception, and kernel_trap loads both. */
    .macro  kernel_segments
    .endm

    .macro  note_segments
    .endm

    .macro  program_segments a, b
    check_data_segments \a, \b          # another program may have left its own; FS is nobody's
    movl    %gs, \b
    xorl    $USER_UTCB, \b
    orl     \b, \a
    jz      .Lgood\@
    load_segments
.Lgood\@:
    .endm

    .macro  idle_segments
    load_segments                       # the program that ran last may have left others
    .endm

    .macro  trap_of_leaving
    .endm

    .macro  trap_segments_begin done
    check_data_segments %ecx, %edx
    jz      .Lgood\@
    load_segments
    jmp     \done
.Lgood\@:
    .endm

    .macro  trap_segments_end
    .endm

    .macro  path_check_segments a
    .endm

    .macro  path_new_segments a, b
    program_segments \a, \b
    .endm

    .macro  path_same_segments a, b
    program_segments \a, \b
    .endm

/* (Pages protect: a descriptor of its own is good wherever the space is.) */
    .macro  switch_check_place space, place, tcb, a, other
    .endm

    .macro  path_own_segments a
    movl    %fs, \a
    cmpl    $USER_UTCB, \a
    je      .Lgood\@
    movl    $USER_UTCB, \a
    movl    \a, %fs
.Lgood\@:
    .endm

    .macro  path_leave
    movl    TCB_STATUS(%ebx), %edx
    andl    $~EFLAGS_INTERRUPT_ASM, %edx
    pushl   %edx
    popfl
    movl    TCB_PC(%ebx), %edx
    movl    TCB_SP(%ebx), %ecx
    movl    %ebp, %ebx
    movl    %eax, %ebp
    popl    %eax
    sti                                 # holds interrupts off for one more instruction
    sysexit
    .endm

#endif
#endif

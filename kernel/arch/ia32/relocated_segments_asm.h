/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Segments where programs' are not flat (segments.h): base and limit of their code and data are
 * those of the space that runs, as the GDT has them.
 *
 * No segment register may be left from a space that ran before: its hidden part would still give
 * access to that space's memory. So each way to a program loads CS, SS, DS and ES anew, and sees to
 * it that FS and GS are the UTCB pointer's segment, which is the same for all. SYSEXIT would make
 * CS and SS flat, so programs are entered by IRET and, from the IPC path, by a far return; no
 * instruction of a program ever runs with other segments than its space's. The kernel itself has
 * its own DS and ES.
 */
#ifndef RELOCATED_SEGMENTS_ASM_H
#define RELOCATED_SEGMENTS_ASM_H

#include "layout.h"
#include "segments_asm.h"

#ifdef __ASSEMBLER__
/* clang-format off */

    .macro  kernel_segments
    pushl   %eax
    movl    $KERNEL_DATA, %eax
    movl    %eax, %ds
    movl    %eax, %es
    popl    %eax
    .endm

    .macro  note_segments
    movw    %es, %ss:fault_selectors
    movw    %ds, %ss:fault_selectors + 6
    movw    %fs, %ss:fault_selectors + 8
    movw    %gs, %ss:fault_selectors + 10
    pushw   24(%esp)                    # the program's SS; of the kernel's own, nobody asks
    popw    %ss:fault_selectors + 4
    .endm

    .macro  program_segments a, b
    movl    $USER_DATA, \a
    movl    \a, %ds
    movl    \a, %es
    movl    $USER_UTCB, \a
    movl    \a, %fs
    movl    \a, %gs
    .endm

    .macro  idle_segments
    kernel_segments
    .endm

/* IRET and the far return raise #GP where the program's EIP is beyond its limit; and POPF before the far
 * return lets interrupts in. The stack is rearranged: what the instruction would have loaded comes after
 * vector and error code. */
    .macro  trap_of_leaving
    cmpl    $kernel_iret, 8(%esp)
    je      .Lat_iret
    cmpl    $path_return, 8(%esp)
    jne     .Lnot_leaving
    pushl   %eax
    pushl   %ecx
    movl    24(%esp), %eax              # EFLAGS, which are the program's already
    movl    28(%esp), %ecx
    movl    %ecx, 24(%esp)              # its EIP
    movl    32(%esp), %ecx
    movl    %ecx, 28(%esp)              # CS
    movl    %eax, 32(%esp)
    movl    12(%esp), %eax
    movl    %eax, 20(%esp)
    movl    8(%esp), %eax
    movl    %eax, 16(%esp)
    popl    %ecx
    popl    %eax
    addl    $8, %esp
    jmp     program_trap
.Lat_iret:
    pushl   %eax
    movl    8(%esp), %eax
    movl    %eax, 20(%esp)
    movl    4(%esp), %eax
    movl    %eax, 16(%esp)
    popl    %eax
    addl    $12, %esp
    jmp     program_trap
.Lnot_leaving:
    .endm

    .macro  trap_segments_begin done
    .ifnb   \done                      # (they never are)
    .endif
    pushl   %ds
    pushl   %es
    movl    $KERNEL_DATA, %ecx
    movl    %ecx, %ds
    movl    %ecx, %es
    .endm

    .macro  trap_segments_end
    popl    %es
    popl    %ds
    .endm

/*
 * FS and GS are the UTCB pointer's segment: both find there what the kernel writes, twice, and no other memory
 * of a program can have been prepared for two values. (Reading a segment register is microcode, as loading
 * one is.) Where such an access faults, switch_kernel_fault goes to sysenter_slow as well.
 */
    .macro  path_check_segments a
    movl    %ss:UTCB_POINTER_VA, \a
    notl    \a
    movl    \a, %ss:UTCB_POINTER_VA
    .global path_checks, path_checks_end
path_checks:
    cmpl    \a, %fs:0
    jne     sysenter_slow
    cmpl    \a, %gs:0
    jne     sysenter_slow
    notl    \a
    movl    \a, %ss:UTCB_POINTER_VA
    cmpl    \a, %fs:0
    jne     sysenter_slow
    cmpl    \a, %gs:0
    jne     sysenter_slow
path_checks_end:
    .endm

    .macro  path_new_segments a, b
    movl    $USER_DATA, \a
    movl    \a, %ds
    movl    \a, %es
    .endm

    .macro  path_same_segments a, b
    check_data_segments \a, \b
    jz      .Lgood\@
    path_new_segments \a, \b
.Lgood\@:
    .endm

/* (path_check_segments has seen what is in FS.) */
    .macro  path_own_segments a
    .endm

    .macro  path_leave
    pushl   $USER_DATA
    pushl   %ss:TCB_SP(%ebx)
    pushl   $USER_CODE
    pushl   %ss:TCB_PC(%ebx)
    pushl   %ss:TCB_STATUS(%ebx)
    movl    %ebp, %ebx
    movl    %eax, %ebp
    movl    20(%esp), %eax
    xorl    %ecx, %ecx
    xorl    %edx, %edx
    popfl                               # an interrupt may come here already: trap_of_leaving
    .global path_return
path_return:
    lretl
    .endm

#endif
#endif

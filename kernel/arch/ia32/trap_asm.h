/* SPDX-License-Identifier: Apache-2.0 */
/* How a program's exception comes to C (entry.S, own_traps.S). */
#ifndef TRAP_ASM_H
#define TRAP_ASM_H

#include "offsets.h"
#include "segments_asm.h"
#include "switch_asm.h"

#ifdef __ASSEMBLER__
/* clang-format off */

/* The stack: vector, error code, EIP, CS, EFLAGS, ESP, SS. Saves the program's registers, and calls a function
 * of its thread, vector and error code. */
    .macro  program_trap_to function
    kernel_segments
    switch_entry_hook
    pushl   %eax
    movl    hot + HOT_CURRENT, %eax
    movl    %edi, TCB_EDI(%eax)
    movl    %esi, TCB_ESI(%eax)
    movl    %ebx, TCB_EBX(%eax)
    movl    %ebp, TCB_EBP(%eax)
    movl    %edx, TCB_EDX(%eax)
    movl    %ecx, TCB_ECX(%eax)
    popl    TCB_EAX(%eax)
    popl    %edx                        # vector
    popl    %ecx                        # error code
    popl    TCB_PC(%eax)
    addl    $4, %esp
    popl    TCB_STATUS(%eax)
    popl    TCB_SP(%eax)
    addl    $4, %esp
    movb    $STATE_READY_ASM, TCB_STATE(%eax)
    pushl   %ecx
    pushl   %edx
    pushl   %eax
    call    \function
    .endm

/* To the program of the thread in EAX, whose data segments are loaded. */
    .macro  program_registers
    pushl   $USER_DATA
    pushl   %ss:TCB_SP(%eax)
    pushl   %ss:TCB_STATUS(%eax)
    pushl   $USER_CODE
    pushl   %ss:TCB_PC(%eax)
    movl    %ss:TCB_EDI(%eax), %edi
    movl    %ss:TCB_ESI(%eax), %esi
    movl    %ss:TCB_EBX(%eax), %ebx
    movl    %ss:TCB_EBP(%eax), %ebp
    movl    %ss:TCB_EDX(%eax), %edx
    movl    %ss:TCB_ECX(%eax), %ecx
    movl    %ss:TCB_EAX(%eax), %eax
    .endm

#endif
#endif

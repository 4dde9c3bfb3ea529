/* SPDX-License-Identifier: Apache-2.0 */
/*
 * INT n where n has no gate, or none for programs: #GP, its error code n * 8 + ERROR_OF_INT (SDM vol. 3, 5.13).
 * If the thread names a handler (l4/arch/ia32/software_interrupt.h), it goes on there, its registers as
 * they were, and its UTCB says what was. All else that raises #GP is entry.S's.
 *
 * The handler's address is the program's own, so it may be any: the IRET is kernel_exit's, which may fault
 * (trap_of_leaving). Neither the program's stack nor its data segments are touched, and IRET loads CS and SS as
 * they were. C is not entered, so hot.space and the thread's state are as the program runs with them.
 *
 * In a section of its own, after the others: what is measured stays where it was.
 */
#include "offsets.h"
#include "segments.h"

#include <binding.h>

#define ERROR_OF_INT 2

    .section .extension, "ax"

    /* The stack: error code, EIP, CS, EFLAGS and, from a program, ESP and SS. */
    .global protection_entry
protection_entry:
    testb   $ERROR_OF_INT, (%esp)
    jz      vector_13
    testb   $3, 8(%esp)                 # the kernel's own: it has none
    jz      vector_13
    pushl   %eax
    pushl   %ecx
    pushl   %edx
    movl    %ss:hot + HOT_CURRENT, %eax
    movl    %ss:TCB_OWN_UTCB(%eax), %eax
    movl    %ss:L4_IA32_UTCB_INT_HANDLER(%eax), %ecx
    testl   %ecx, %ecx
    jz      1f
    movl    16(%esp), %edx              # EIP
    movl    %ecx, 16(%esp)
    movl    %edx, %ss:L4_IA32_UTCB_INT_IP(%eax)
    movl    12(%esp), %ecx              # the error code
    movl    %ecx, %ss:L4_IA32_UTCB_INT_CODE(%eax)
    popl    %edx
    popl    %ecx
    popl    %eax
    addl    $4, %esp
    jmp     kernel_iret
1:  popl    %edx
    popl    %ecx
    popl    %eax
    jmp     own_first_call              # is it that? (own_traps.S)

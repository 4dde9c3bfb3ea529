/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ways in and out of a thread that has registers of its own (own_state.c): #NM always comes here, the other
 * entries are installed when the first thread has any.
 */
#include "layout.h"
#include "offsets.h"
#include "segments.h"
#include "trap_asm.h"

#include <binding.h>

#define ERROR_OF_INT  2
#define ERROR_OF_CALL (L4_IA32_OWN_CALL * 8 + ERROR_OF_INT)

    .section .own, "ax"

    .global own_vector_7
own_vector_7:
    pushl   $0
    pushl   $VECTOR_NO_FPU
    jmp     own_entry

    .global own_vector_11
own_vector_11:
    pushl   $VECTOR_ABSENT
    jmp     own_entry

/* INT that nobody handles (software_interrupt.S), before own_vector_13 is installed. */
    .global own_first_call
own_first_call:
    cmpl    $ERROR_OF_CALL, (%esp)
    jne     vector_13

    .global own_vector_13
own_vector_13:
    cmpl    $ERROR_OF_CALL, (%esp)
    je      1f
    testb   $ERROR_OF_INT, (%esp)
    jnz     protection_entry
    cmpl    $0, (%esp)
    je      own_protection              # (own_path.S; it comes back if it is something else)
    .global own_protection_slow
own_protection_slow:
1:  pushl   $VECTOR_PROTECTION
    note_segments

/* The stack: vector, error code, EIP, CS, EFLAGS and, from a program, ESP and SS. */
own_entry:
    cld
    testb   $3, 12(%esp)
    jz      own_kernel_trap
    program_trap_to own_trap
    jmp     kernel_exit

/* In place of sched_finish, from kernel_exit. A thread with a segment of its own finds it in GS, and in FS the
 * UTCB pointer's. */
    .global own_finish
own_finish:
    call    sched_finish
    pushl   hot + HOT_CURRENT
    call    own_leave
    addl    $4, %esp
    testl   %eax, %eax
    jnz     1f
    ret
1:  movl    $kernel_stack_top, %esp
    movl    hot + HOT_CURRENT, %eax
    movb    $STATE_RECEIVING_ASM, TCB_STATE(%eax)
    switch_exit_hook
    movl    $USER_DATA, %ecx
    movl    %ecx, %ds
    movl    %ecx, %es
    movl    $USER_UTCB, %ecx
    movl    %ecx, %fs
    movl    $USER_OWN, %ecx
    movl    %ecx, %gs
    program_registers
    jmp     kernel_iret

    .section .own_states, "aw", @nobits
    .balign OWN_STATE_SIZE
    .global own_states
own_states:
    .space  THREAD_COUNT_ASM * OWN_STATE_SIZE

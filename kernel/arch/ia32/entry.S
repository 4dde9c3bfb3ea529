/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel entry and exit.
 *
 * The kernel has one stack, which is empty outside of it; struct hot lies right at its top, and
 * after that the table of TCBs. A thread's registers are saved in its TCB. Interrupts are on in
 * programs and in the idle thread only, which has no registers worth saving.
 *
 * What becomes of DS, ES, FS and GS on the way is the scheme's to say (segments_asm.h).
 */
#include "offsets.h"
#include "segments_asm.h"
#include "switch_asm.h"
#include "trap_asm.h"

    .text

/* One entry for each vector: the stack gets an error code where the processor pushes none, and the
 * vector's number. */
    .irp    n, 0,1,2,3,4,5,6,7,9,15,16,18,19, \
            0x20,0x21,0x22,0x23,0x24,0x25,0x26,0x27,0x28,0x29,0x2a,0x2b,0x2c,0x2d,0x2e,0x2f, \
            0x40,0x41,0x42
.Lvector_\n:
    pushl   $0
    pushl   $\n
    jmp     trap_entry
    .endr
    .irp    n, 8,10,11,14,17
.Lvector_\n:
    pushl   $\n
    jmp     trap_entry
    .endr
    .global vector_12, vector_13
    .irp    n, 12,13
vector_\n:
    pushl   $\n
    note_segments                       # what they were may be the reason
    jmp     trap_entry
    .endr

    .section .rodata
    .p2align 2
    .global vector_entries
vector_entries:
    .irp    n, 0,1,2,3,4,5,6
    .long   .Lvector_\n
    .endr
    .long   own_vector_7                # (own_traps.S)
    .irp    n, 8,9,10,11
    .long   .Lvector_\n
    .endr
    .long   vector_12, protection_entry # (software_interrupt.S)
    .irp    n, 14,15,16,17,18,19
    .long   .Lvector_\n
    .endr
    .fill   0x20 - 20, 4, 0
    .irp    n, 0x20,0x21,0x22,0x23,0x24,0x25,0x26,0x27,0x28,0x29,0x2a,0x2b,0x2c,0x2d,0x2e,0x2f
    .long   .Lvector_\n
    .endr
    .fill   0x40 - 0x30, 4, 0
    .irp    n, 0x40,0x41,0x42
    .long   .Lvector_\n
    .endr

    .text

/* The stack: vector, error code, EIP, CS, EFLAGS and, from a program, ESP and SS. */
trap_entry:
    cld
    testb   $3, 12(%esp)
    jz      kernel_trap
program_trap:
    program_trap_to trap
    jmp     kernel_exit

/* System calls by SYSENTER, as far as ipc_path.S leaves them: EDI may be lost. */
    .global sysenter_slow
sysenter_slow:
    kernel_segments
    switch_entry_hook
    pushl   %eax
    pushl   $2                          # what a gate would clear: single step, nested task, direction
    popfl
    movl    hot + HOT_CURRENT, %eax
    movl    %edi, TCB_EDI(%eax)
    movl    %esi, TCB_ESI(%eax)
    movl    %edx, TCB_EDX(%eax)
    movl    %ecx, TCB_ECX(%eax)
    movl    %ebp, TCB_SP(%eax)
    popl    TCB_EAX(%eax)
    movl    $EFLAGS_FIXED_ASM, TCB_STATUS(%eax)
    movb    $STATE_READY_ASM, TCB_STATE(%eax)
    pushl   %ebx
    pushl   %eax
    call    call_by_sysenter
    /* On to kernel_exit. */

/* The way out of every entry, and the first way out: hot.current's frame. */
    .global kernel_exit
kernel_exit:
    movl    $kernel_stack_top, %esp
    .global kernel_exit_call
kernel_exit_call:                       # (own_state.c puts another function there)
    call    sched_finish
    movl    hot + HOT_CURRENT, %eax
    movb    $STATE_RECEIVING_ASM, TCB_STATE(%eax)
    cmpl    $0, TCB_STATUS(%eax)        # FRAME_STATUS_IDLE
    je      idle

    switch_exit_hook
    program_segments %ecx, %edx
    program_registers
    .global kernel_iret
kernel_iret:
    iret

/* The kernel's stack stays empty meanwhile: an interrupt begins there anew. */
idle:
    sti
    hlt
    jmp     idle

/* An interrupt of the idle thread, or the kernel's own fault. It must not use DS before that is known
 * to be good. */
    .global own_kernel_trap             # (a name of its own keeps jumps to the other short)
    .set    own_kernel_trap, kernel_trap
kernel_trap:
    trap_of_leaving
    pushal
    cmpl    $VECTOR_IRQ, 32(%esp)
    jae     2f
    leal    32(%esp), %eax
    trap_segments_begin 1f
    pushl   %eax
    call    fault_kernel                # may change EIP and EFLAGS
    addl    $4, %esp
    trap_segments_end
1:  popal
    addl    $8, %esp
    iret

2:  idle_segments
    movl    32(%esp), %edx
    movl    $kernel_stack_top, %esp
    movl    hot + HOT_CURRENT, %eax
    movb    $STATE_READY_ASM, TCB_STATE(%eax)
    pushl   $0
    pushl   %edx
    pushl   %eax
    call    trap
    jmp     kernel_exit

/* bool guarded_load(uint32_t va, uint32_t *value): fault_kernel knows where it reads. */
    .global guarded_load, guarded_load_at, guarded_load_failed
guarded_load:
    movl    4(%esp), %eax
guarded_load_at:
    movl    (%eax), %ecx
    movl    8(%esp), %edx
    movl    %ecx, (%edx)
    movl    $1, %eax
    ret
guarded_load_failed:
    xorl    %eax, %eax
    ret

    .bss
    .global fault_selectors
fault_selectors:
    .space  2 * 6
    .balign 4096
    .space  KERNEL_STACK_SIZE
    .global kernel_stack_top
    .global hot
kernel_stack_top:
hot:
    .space  HOT_SIZE
    .global tcbs
tcbs:
    .space  THREAD_COUNT_ASM << TCB_SIZE_LOG2
    .global idle_loop, idle_stack_top   # the scheduler's names of what this thread has not
idle_loop:
idle_stack_top:

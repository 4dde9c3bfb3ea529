/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ThreadSwitch, the short ways: to nobody, when nobody else has this priority, and to a thread of
 * the own space that is next in this priority's queue. All else is sched_yield's (sched.c), which
 * would do the same to both: the partner leaves the head of the queue, this thread takes its place.
 */
#include "path_asm.h"

#include <l4/syscall_list.h>

    .text
    .balign 32

/* From lipc_path, with the program's registers: a system call that is neither Ipc nor Lipc. */
    .global yield_path
yield_path:
    cmn     r12, #.Lsyscall_thread_switch + 1
    bne     swi_entry_slow
    ldr     r8, [sp, #HOT_CURRENT]
    ldr     r10, [sp, #HOT_READY_TOP]
    teq     r0, #0
    bne     1f
    ldrb    r8, [r8, #TCB_PRIORITY]
    switch_entry_hook
    cmp     r10, r8
    bhs     swi_entry_slow
    switch_exit_hook
    movs    pc, lr

/* r8 this thread's TCB, r9 the partner's. r1 to r7 are the program's, to be kept. */
1:  thread_of r9, r0
    add     r10, r8, #TCB_R0 + 4
    stmia   r10, {r1-r7}
    ldr     r1, [r9, #TCB_ID]
    ldr     r2, [r8, #TCB_SCHED]
    ldr     r3, [r9, #TCB_SCHED]
    teq     r1, r0
    /* READY and in a queue, no other flag, no kind, as important as this thread (which has no flag
     * either: it is not redirected) ... */
    eor     r4, r2, #(STATE_RECEIVING_ASM ^ STATE_READY_ASM) << 8
    eor     r4, r4, #FLAG_QUEUED_ASM << 24
    teqeq   r3, r4
    /* ... of the same space ... */
    ldr     r1, [r8, #TCB_SPACE]
    ldr     r3, [r9, #TCB_SPACE]
    ldr     r5, =ready_queues
    teqeq   r1, r3
    /* ... and the next of its priority. */
    and     r6, r2, #0xff
    ldr     r7, [r5, r6, lsl #2]!
    ldr     r1, [r9, #TCB_READY_NEXT]
    teqeq   r7, r9
    bne     2f

    ldr     r3, [r9, #TCB_READY_PREVIOUS]
    str     r8, [r5]
    teq     r1, r9                      @ alone in the ring
    strne   r8, [r1, #TCB_READY_PREVIOUS]
    strne   r8, [r3, #TCB_READY_NEXT]
    moveq   r1, r8
    moveq   r3, r8
    str     r1, [r8, #TCB_READY_NEXT]
    str     r3, [r8, #TCB_READY_PREVIOUS]
    str     r4, [r8, #TCB_SCHED]
    str     r2, [r9, #TCB_SCHED]
    str     r9, [sp, #HOT_CURRENT]
    str     lr, [r8, #TCB_PC]
    cpu_save_state r8, r10
    stmia   r8, {r11, sp, lr}^
    ldr     r1, [r9, #TCB_UTCB]
    ldr     r2, [r9, #TCB_CPSR]
    mov     r3, #L4_ARM_UTCB_POINTER
    str     r1, [r3]
    cpu_load_state r2
    switch_exit_hook
    add     lr, r9, #TCB_R0
    load_user_bank r9
    leave_frame

2:  ldmia   r10, {r1-r7}
    b       swi_entry_slow

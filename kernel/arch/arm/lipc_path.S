/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lipc, the short way: call, and reply-and-wait, with up to four untyped words, to a partner in the
 * same space. As ipc_path.S, which says what it rests on, but without a switch; ids may be local ones
 * (addresses of UTCBs, where the global id is), and any local thread the one that is waited for, on
 * either side. What does not fit is left as it was, to swi_entry_slow.
 *
 * r0 to, r1 from, r2 timeouts, r3 tag, r4-r7 message registers 1 to 4, r8 this thread's TCB,
 * r9 the partner's; free: r10, r12, and once they are saved r11, lr.
 */
#include "cpu_asm.h"
#include "offsets.h"
#include "switch_asm.h"

#include <l4/arch/arm/binding.h>

#define ANY_PLUS       1                /* cmn: any thread; any local thread */
#define ANY_LOCAL_PLUS 0x40
#define GLOBAL_ID      0x3f             /* some of these bits are set in one */

    .section .text.paths, "ax"
    .balign 32

/* From yield_path, with the program's registers. */
    .global lipc_path
lipc_path:
    switch_entry_hook
    ldr     r8, [sp, #HOT_CURRENT]
    tst     r0, #GLOBAL_ID
    mov     r12, r0
    /* With the program's rights; left out if it may not (fault_kernel). What it says is no more than
     * a hint: the TCB knows better. */
    .global lipc_path_load
lipc_path_load:
    ldrteq  r12, [r0]
    stmia   r8, {r11, sp, lr}^
    mov     r9, r12, lsl #8             @ as in ipc_path.S
    mvn     r9, r9, lsr #22
    ldr     r11, [r8, #TCB_ID]
    sub     r9, sp, r9, lsl #TCB_SIZE_LOG2
    /* The partner waits for this thread or for any, or for any local one: then it is told the local
     * id ... */
    ldr     r10, [r9, #TCB_WAIT_FOR]
    ldr     r12, [r9, #TCB_ID]
    teq     r10, r11
    cmnne   r10, #ANY_PLUS
    ldrne   r11, [r8, #TCB_UTCB]
    cmnne   r10, #ANY_LOCAL_PLUS
    /* ... then this thread waits for ever; the partner is RECEIVING and important enough ... */
    ldr     r10, [sp, #HOT_READY_CHECK]
    str     lr, [r8, #TCB_PC]
    movseq  lr, r2, lsl #16
    ldr     lr, [r9, #TCB_SCHED]
    sub     lr, lr, r10
    ldr     r10, [r9, #TCB_UTCB]
    movseq  lr, lr, lsr #8
    bne     .Lslow
    /* ... it is the one that is meant, by either id, and in the same space ... */
    teq     r0, r12
    teqne   r0, r10
    ldr     r10, [r9, #TCB_SPACE]
    ldr     lr, [r8, #TCB_SPACE]
    bne     .Lslow
    teq     r10, lr
    ldr     lr, [r8, #TCB_WAIT_OPEN]
    bne     .Lslow
    /* ... and it is a call, or a wait for anybody while nobody is in the queue. */
    teq     r1, r0
    moveq   r1, r12
    beq     1f
    cmn     r1, #ANY_PLUS
    cmnne   r1, #ANY_LOCAL_PLUS
    cmneq   lr, #ANY_PLUS
    bne     .Lslow
    /* Up to four untyped words, no typed items, no propagation. */
1:  mov     r10, r3, lsl #16
    cmp     r10, #4 << 16
    bhi     .Lslow

    /* ---- commit ---- */
    mov     r0, r11
    cpu_save_state r8, r10
    str     r1, [r8, #TCB_WAIT_FOR]
    str     r9, [sp, #HOT_CURRENT]
    str     r9, [r9, #TCB_WAIT_FOR]
    cpu_arm_state r10
    ldr     r10, [r9, #TCB_UTCB]
    mov     r12, #L4_ARM_UTCB_POINTER
    ldr     lr, [r9, #TCB_LR]
    ldmia   r9, {r11, sp, lr}^
    str     r10, [r12]
    switch_exit_hook
    movs    pc, lr                      @ user mode, flags are not kept

.Lslow:
    ldr     r11, [r8]
    ldr     lr, [r8, #TCB_PC]
    mvn     r12, #SYSCALL_LIPC
    b       swi_entry_slow

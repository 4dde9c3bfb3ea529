/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lipc, the short way: call, and reply-and-wait, with up to four untyped words, to a partner in the
 * same space. As ipc_path.S, which says what it rests on, but without a switch, and with any local
 * thread as the one that is waited for, on either side. What does not fit is left as it was, to
 * swi_entry_slow.
 *
 * The stub (kip.S) has made global ids of local ones.
 *
 * r0 to, r1 from, r2 timeouts, r3 tag, r4-r7 message registers 1 to 4, r8 this thread's TCB,
 * r9 the partner's; free: r10, r12.
 */
#include "cpu_asm.h"
#include "offsets.h"
#include "switch_asm.h"

#include <l4/arch/arm/binding.h>

#define ANY_PLUS       1                /* cmn: any thread; any local thread */
#define ANY_LOCAL_PLUS 0x40

    .text
    .balign 32

/* From yield_path, with the program's registers. A system call that is none of the faster ones. */
    .global lipc_path
lipc_path:
    cmn     r12, #SYSCALL_LIPC + 1
    bne     swi_entry_slow
    switch_entry_hook
    ldr     r8, [sp, #HOT_CURRENT]
    mov     r9, r0, lsl #8              @ as in ipc_path.S
    mvn     r9, r9, lsr #22
    sub     r9, sp, r9, lsl #TCB_SIZE_LOG2
    /* Up to four untyped words, no typed items, no propagation ... */
    mov     r10, r3, lsl #16
    cmp     r10, #4 << 16
    bhi     .Lslow
    /* ... then waits for ever; the partner is the one that is meant, in the same space ... */
    movs    r10, r2, lsl #16
    ldr     r12, [r9, #TCB_ID]
    ldr     r10, [r9, #TCB_SPACE]
    teqeq   r12, r0
    ldr     r12, [r8, #TCB_SPACE]
    teqeq   r10, r12
    /* ... RECEIVING and important enough. */
    ldr     r12, [r9, #TCB_SCHED]
    ldr     r10, [sp, #HOT_READY_CHECK]
    bne     .Lslow
    sub     r12, r12, r10
    movs    r12, r12, lsr #8
    bne     .Lslow
    /* A call, or a wait for anybody while nobody is in the queue. */
    teq     r1, r0
    beq     1f
    ldr     r10, [r8, #TCB_WAIT_OPEN]
    cmn     r1, #ANY_PLUS
    cmnne   r1, #ANY_LOCAL_PLUS
    cmneq   r10, #ANY_PLUS
    bne     .Lslow
    /* The partner waits for this thread or for any; or for any local one: it then is told the local
     * id. */
1:  ldr     r10, [r9, #TCB_WAIT_FOR]
    ldr     r12, [r8, #TCB_ID]
    teq     r10, r12
    cmnne   r10, #ANY_PLUS
    beq     2f
    cmn     r10, #ANY_LOCAL_PLUS
    ldreq   r12, [r8, #TCB_UTCB]
    bne     .Lslow

    /* ---- commit ---- */
2:  mov     r0, r12
    stmia   r8, {r11, sp, lr}^
    cpu_save_state r8, r10
    str     lr, [r8, #TCB_PC]
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
    mvn     r12, #SYSCALL_LIPC
    b       swi_entry_slow

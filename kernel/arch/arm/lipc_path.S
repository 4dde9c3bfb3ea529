/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lipc, the short way: call, and reply-and-wait, with up to four untyped words, to a partner in the
 * same space by its local id (the address of its UTCB, where the global id is). As ipc_path.S, which
 * says what it rests on, but without a switch; any local thread may be the one that is waited for, on
 * either side. To a global id it is Ipc. What does not fit is left as it was, to swi_entry_slow.
 *
 * r0 to, r1 from, r2 timeouts, r3 tag, r4-r7 message registers 1 to 4, r8 this thread's TCB,
 * r9 the partner's; free: r10, r12, and once they are saved r11, lr.
 */
#include "path_asm.h"

#include <l4/syscall_list.h>

#define GLOBAL_ID 0x3f                  /* some of these bits are set in one */

/*
 * Any thread is -1, any local one -0x40. Both are -1 without their last six bits, and bit 5 tells them
 * apart; and the one is the other, shifted to the left by six.
 */
#define LOCAL_SHIFT 6

    .section .text.paths, "ax"
    .balign 32

/* From swi_entry (ipc_path.S), with the program's registers and that comparison's flags: not Ipc, and
 * V if it is Lipc. */
    .global lipc_path
lipc_path:
    bvc     yield_path
    switch_entry_hook
    ldr     r8, [sp, #HOT_CURRENT]
    tst     r0, #GLOBAL_ID
    /* With the program's rights; left out if it may not (fault_kernel). What it says is no more than
     * a hint: the TCB knows better. */
    .global lipc_path_load
lipc_path_load:
    ldrteq  r12, [r0]
    stmia   r8, {r11, sp, lr}^
    thread_number r9, r12
    ldr     r11, [r8, #TCB_ID]
    thread_at r9
    /* The partner waits for this thread (then C is set, too) or for any, or (C is clear) for any local
     * one: then it is told the local id ... */
    ldr     r10, [r9, #TCB_WAIT_FOR]
    ldr     r12, [r9, #TCB_UTCB]
    str     lr, [r8, #TCB_PC]
    cmp     r10, r11
    mvnsne  r10, r10, asr #LOCAL_SHIFT
    ldr     lr, [r9, #TCB_SCHED]
    ldr     r10, [sp, #HOT_READY_CHECK]
    ldrcc   r11, [r8, #TCB_UTCB]
    /* ... then this thread waits for ever; the partner is RECEIVING and important enough ... */
    sub     lr, lr, r10
    and_for_ever r10, r2
    ldr     r10, [r9, #TCB_SPACE]
    and_ready lr
    /* ... it is the one whose UTCB this is, and in the same space. */
    ldr     lr, [r8, #TCB_SPACE]
    teqeq   r12, r0
    teqeq   r10, lr
    ldr     lr, [r8, #TCB_WAIT_OPEN]
    bne     .Lslow
    /* It is a call, or a wait for any local thread while nobody is in the queue. */
    teq     r1, r0
    ldreq   r1, [r9, #TCB_ID]
    mov     r10, r3, lsl #16
    teqne   r1, lr, lsl #LOCAL_SHIFT
    bne     .Lnot_local
    /* Up to four untyped words, no typed items, no propagation. */
.Lchecked:
    cmp     r10, #4 << 16
    bhi     .Lslow_from

    /* ---- commit ---- */
    mov     r0, r11
    cpu_save_state r8, r10
    str     r1, [r8, #TCB_WAIT_FOR]
    str     r9, [sp, #HOT_CURRENT]
    str     r9, [r9, #TCB_WAIT_FOR]
    leave   r9, r12, r10

/* A wait for any thread, likewise. */
.Lnot_local:
    teq     r1, lr
    beq     .Lchecked
/* In a call r1 is the partner's global id by now. */
.Lslow_from:
    ldr     r12, [r9, #TCB_ID]
    teq     r1, r12
    moveq   r1, r0
.Lslow:
    ldr     r11, [r8]
    ldr     lr, [r8, #TCB_PC]
    tst     r0, #GLOBAL_ID
    bne     swi_entry_ipc
    mvn     r12, #.Lsyscall_lipc
    b       swi_entry_slow

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The IPC path: call, and reply-and-wait, with up to 63 untyped words, to a partner that waits for
 * it. First every check, then a commit that cannot fail; whatever does not fit takes the slow path
 * (ipc.c) from the start, as nothing has been changed but what that saves again.
 *
 * Message registers 0 to 4 stay in r3 to r7 from the sender's trap to the receiver's first
 * instruction, so up to four words touch no UTCB. The memory that they do touch, in cache lines:
 * the hot words, two of the sender's TCB, one of the receiver's, one of its space, the UTCB pointer.
 * docs/ipc-path.md counts the cycles of each step.
 *
 * What makes it short:
 *   - One condition for many checks: each is made only if those before it held (Z), one branch ends
 *     the chain. Two words were laid out for that, tcb.sched with hot.ready_check, and wait_open.
 *   - The thread that runs is RECEIVING in its TCB already (thread.h).
 *   - It goes on at the program's lr, where the stub would return to, not behind the SWI.
 *   - Loads have another instruction behind them: their results come a cycle later.
 *
 * r0 to, r1 from, r2 timeouts, r3 tag, r4-r7 message registers 1 to 4, r8 this thread's TCB,
 * r9 the partner's; free: r10, r12, and once they are saved r11, lr.
 */
#include "cpu_asm.h"
#include "offsets.h"
#include "switch_asm.h"

#include <l4/arch/arm/binding.h>

/* Message registers that do not travel in registers, from this one on. */
#define FIRST_WORD (L4_UTCB_MR + 5 * 4)

#define ONE_ITEM 0x80 /* of a tag's low half: no flags, no untyped words, two typed ones */

    .text
    .balign 32

    .global swi_entry
swi_entry:
    cmn     r12, #SYSCALL_IPC + 1
    bne     yield_path
    switch_entry_hook
    ldr     r8, [sp, #HOT_CURRENT]
    mov     r9, r0, lsl #8              @ thread number modulo the table's size ...
    mvn     r9, r9, lsr #22             @ ... as -1 - n, as the table begins behind the hot words
    stmia   r8, {r11, sp, lr}^
    cpu_save_state r8, r10
    ldr     r11, [r8, #TCB_ID]          @ no banked register right after a user-bank transfer
    sub     r9, sp, r9, lsl #TCB_SIZE_LOG2

    /* ---- check ---- */
    /* The partner waits for this thread or for any ... */
    ldr     r10, [r9, #TCB_WAIT_FOR]
    ldr     r12, [r9, #TCB_ID]
    teq     r10, r11
    cmnne   r10, #1
    /* ... it is the one that is meant, version included (nil and local ids are in no TCB) ... */
    teqeq   r12, r0
    /* ... this thread then waits for ever; the send timeout does not matter, it will not wait ... */
    ldr     r12, [r9, #TCB_SCHED]
    ldr     r10, [sp, #HOT_READY_CHECK]
    str     lr, [r8, #TCB_PC]
    movseq  lr, r2, lsl #16
    /* ... the partner is RECEIVING, in an IPC of its own, without timeout, not halted nor
     * redirected, nobody ready is more important than it, and this thread is not redirected. */
    sub     r12, r12, r10
    movseq  r12, r12, lsr #8
    bne     .Lslow
    /* A call, or a wait for anybody while nobody is in the queue. The switch is possible here. */
.Lprepared:
    ldr     r12, [r9, #TCB_SPACE]
    ldr     r10, [r8, #TCB_WAIT_OPEN]
    teq     r1, r0
    teqne   r1, r10
    switch_begin r12, r10, lr
    bne     .Lnot_yet
    /* Up to four untyped words, no typed items, no propagation. A label is free. */
    mov     r0, r3, lsl #16
    cmp     r0, #4 << 16
    bhi     .Lwords

    /* ---- commit ---- */
    str     r9, [sp, #HOT_CURRENT]
    str     r1, [r8, #TCB_WAIT_FOR]
    str     r9, [r9, #TCB_WAIT_FOR]     @ waits for nobody: no id looks like a TCB's address
    mov     r0, r11                     @ from: the thread that called
    str     r12, [sp, #HOT_SPACE]
    switch_finish r10, lr
    switch_done r12

    /* Into the partner's program, r9. */
    .global ipc_path_leave
ipc_path_leave:
    cpu_arm_state r10
    ldr     r10, [r9, #TCB_UTCB]
    mov     r12, #L4_ARM_UTCB_POINTER
    ldr     lr, [r9, #TCB_LR]
    ldmia   r9, {r11, sp, lr}^
    str     r10, [r12]
    switch_exit_hook
    movs    pc, lr                      @ user mode, flags are not kept

/*
 * 5 to 63 words (r0: the tag's low half, << 16): those from MR 5 on are read while this space is in
 * force, and written while the partner's is.
 *
 * UTCBs are mapped as long as their threads are, but the scheme may not have loaded their
 * translations (fault_kernel). That may make the switch impossible again, so it is begun anew.
 */
.Lwords:
    cmp     r0, #63 << 16
    bhi     .Lslow_r0
    ldr     r10, [r8, #TCB_UTCB]
    str     r9, [sp, #HOT_CURRENT]
    str     r1, [r8, #TCB_WAIT_FOR]
    str     r9, [r9, #TCB_WAIT_FOR]
    cmp     r0, #8 << 16
    bhi     .Lmany

    /* 5 to 8: in r0, r1, r2, r8 if it is four words more, else in r0, r1 if words has bit 1, and r2
     * if it has bit 0. */
    add     r10, r10, #FIRST_WORD
    tst     r3, #8
    ldmiane r10, {r0, r1, r2, r8}
    movs    lr, r3, lsl #31             @ C: bit 1, N: bit 0
    ldmiacs r10!, {r0, r1}
    ldrmi   r2, [r10]
.Lswitch_few:
    teq     r3, r3
    switch_begin r12, r10, lr
    bne     .Lprepare_few
    str     r12, [sp, #HOT_SPACE]
    switch_finish r10, lr
    switch_done r12
    ldr     r10, [r9, #TCB_UTCB]
    tst     r3, #8
    add     r10, r10, #FIRST_WORD
    stmiane r10, {r0, r1, r2, r8}
    movs    lr, r3, lsl #31
    stmiacs r10!, {r0, r1}
    strmi   r2, [r10]
    mov     r0, r11
    b       ipc_path_leave

/*
 * 9 to 63: between reading and writing the first 0 to 7, as (words - 4) modulo 8 says, are in
 * registers: four of them, if that has bit 2, in r0, r1, r8 and r9; two, if bit 1, in r11, r12; one,
 * if bit 0, in lr. (words - 4 has the bits 1 and 0 of words, and bit 2 inverted.) All others, in
 * eights, are on the stack. The commonest of those, one, is not a loop.
 */
#define EIGHTS 0                        /* in this stack frame: seven at most */
#define OWN_ID 224
#define R6     228
#define R7     232
#define FRAME  256

.Lmany:
    add     r10, r10, r0, lsr #14
    add     r10, r10, #L4_UTCB_MR + 4   @ behind the last word
    sub     sp, sp, #FRAME
    str     r11, [sp, #OWN_ID]
    cmp     r0, #12 << 16
    bhs     .Lread_eights
.Lread_rest:
    movs    r0, r3, lsl #31             @ C: bit 1, N: bit 0
    ldrmi   lr, [r10, #-4]!
    ldmdbcs r10!, {r11, r12}
    tst     r3, #4
    ldmdbeq r10, {r0, r1, r8, r9}

.Lswitch:
    ldr     r10, [sp, #FRAME + HOT_CURRENT]
    teq     r3, r3
    ldr     r10, [r10, #TCB_SPACE]
    switch_begin r10, r10, r2
    bne     .Lprepare
    switch_finish r10, r2
    ldr     r10, [sp, #FRAME + HOT_CURRENT]
    ldr     r2, [r10, #TCB_SPACE]
    ldr     r10, [r10, #TCB_UTCB]
    str     r2, [sp, #FRAME + HOT_SPACE]
    switch_done r2
    add     r10, r10, #FIRST_WORD
    tst     r3, #4
    stmiaeq r10!, {r0, r1, r8, r9}
    movs    r0, r3, lsl #31
    stmiacs r10!, {r11, r12}
    strmi   lr, [r10], #4
    and     r2, r3, #0x3f
    subs    r2, r2, #12
    bhs     .Lwrite_eights
.Lwords_done:
    ldr     r0, [sp, #OWN_ID]
    add     sp, sp, #FRAME
    ldr     r9, [sp, #HOT_CURRENT]
    b       ipc_path_leave

.Lread_eights:
    cmp     r0, #20 << 16
    bhs     .Lread_loop
    ldmdb   r10!, {r0, r1, r2, r8, r9, r11, r12, lr}
    stmia   sp, {r0, r1, r2, r8, r9, r11, r12, lr}
    b       .Lread_rest

.Lwrite_eights:
    cmp     r2, #8
    bhs     .Lwrite_loop
    ldmia   sp, {r0, r1, r2, r8, r9, r11, r12, lr}
    stmia   r10, {r0, r1, r2, r8, r9, r11, r12, lr}
    b       .Lwords_done

.Lread_loop:
    str     r6, [sp, #R6]
    str     r7, [sp, #R7]
    mov     r2, r0, lsr #16
    sub     r2, r2, #12
    bic     r6, r2, #7
    add     r6, sp, r6, lsl #2
    add     r6, r6, #EIGHTS + 32        @ behind the last of them
1:  ldmdb   r10!, {r0, r1, r7, r8, r9, r11, r12, lr}
    stmdb   r6!, {r0, r1, r7, r8, r9, r11, r12, lr}
    subs    r2, r2, #8
    bhs     1b
    ldr     r6, [sp, #R6]
    ldr     r7, [sp, #R7]
    b       .Lread_rest

.Lwrite_loop:
    add     r6, sp, #EIGHTS
1:  ldmia   r6!, {r0, r1, r7, r8, r9, r11, r12, lr}
    stmia   r10!, {r0, r1, r7, r8, r9, r11, r12, lr}
    subs    r2, r2, #8
    bhs     1b
    ldr     r6, [sp, #R6]
    ldr     r7, [sp, #R7]
    b       .Lwords_done

/* The check before the switch failed, or the switch has to be prepared: after a flush each space's
 * first switch is such a one. */
.Lnot_yet:
    ldr     r10, [r8, #TCB_WAIT_OPEN]
    teq     r1, r0
    teqne   r1, r10
    bne     .Lslow
    stmfd   sp!, {r0-r3}
    mov     r0, r12
    bl      switch_prepare
    ldmfd   sp!, {r0-r3}
    b       .Lprepared

/* What C keeps is not saved. */
.Lprepare:
    stmfd   sp!, {r0-r3, r12, lr}
    ldr     r0, [sp, #6 * 4 + FRAME + HOT_CURRENT]
    ldr     r0, [r0, #TCB_SPACE]
    bl      switch_prepare
    ldmfd   sp!, {r0-r3, r12, lr}
    b       .Lswitch

.Lprepare_few:
    stmfd   sp!, {r0-r3, r12, lr}
    mov     r0, r12
    bl      switch_prepare
    ldmfd   sp!, {r0-r3, r12, lr}
    b       .Lswitch_few

/* r11, sp, lr and pc are saved. */
.Lslow_r0:
    ldr     r0, [r9, #TCB_ID]
.Lslow:
    mov     r12, r3, lsl #16
    teq     r12, #ONE_ITEM << 16        @ nothing but one typed item of two words ...
    beq     fault_path_answer           @ ... answers a page fault, more often than not
    .global ipc_path_slow
ipc_path_slow:
    add     r10, r8, #TCB_R0
    stmia   r10, {r0-r7}
    .global ipc_path_slow_saved
ipc_path_slow_saved:
    mrs     r12, spsr
    mov     r11, #STATE_READY_ASM
    str     r12, [r8, #TCB_CPSR]
    strb    r11, [r8, #TCB_STATE]
    mov     r0, r8
    mov     r1, #SYSCALL_IPC
    bl      syscall
    b       kernel_exit

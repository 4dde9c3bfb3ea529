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
 *   - The thread that runs is RECEIVING in its TCB already (tcb.h).
 *   - It goes on at the program's lr, where the stub would return to, not after the SWI.
 *   - Loads have another instruction after them: their results come a cycle later.
 *
 * r0 to, r1 from, r2 timeouts, r3 tag, r4-r7 message registers 1 to 4, r8 this thread's TCB,
 * r9 the partner's; free: r10, r12, and once they are saved r11, lr.
 */
#include "path_asm.h"

#include <l4/syscall_list.h>

/* Message registers that do not travel in registers, from this one on. */
#define FIRST_WORD (L4_UTCB_MR + 5 * 4)

#define ONE_ITEM 0x80 /* of a tag's low half: no flags, no untyped words, two typed ones */

    .section .text.paths, "ax"
    .balign 32

    .global swi_entry
swi_entry:
    cmn     r12, #.Lsyscall_ipc + 1
    bne     lipc_path
    .global swi_entry_ipc
swi_entry_ipc:
    switch_entry_hook
    ldr     r8, [sp, #HOT_CURRENT]
    thread_number r9, r0
    stmia   r8, {r11, sp, lr}^
    cpu_save_state r8, r10
    ldr     r11, [r8, #TCB_ID]          @ no banked register right after a user-bank transfer
    thread_at r9

    /* ---- check ---- */
    /* The partner waits for this thread or for any ... */
    ldr     r10, [r9, #TCB_WAIT_FOR]
    ldr     r12, [r9, #TCB_ID]
    if_waits_for r10, r11
    /* ... it is the one that is meant, version included (nil and local ids are in no TCB) ... */
    teqeq   r12, r0
    /* ... this thread then waits for ever; the send timeout does not matter, it will not wait ... */
    ldr     r12, [r9, #TCB_SCHED]
    ldr     r10, [sp, #HOT_READY_CHECK]
    str     lr, [r8, #TCB_PC]
    and_for_ever lr, r2
    /* ... and the partner is ready. */
    sub     r12, r12, r10
    and_ready r12
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
    bls     .Lshort

/* ---- 5 to 63 words ---- */

/*
 * r0: the tag's low half, << 16, and the flags are of its comparison with 4; r10 and lr are ready for
 * switch_finish. Words are read while this space is in force, and written while the partner's is.
 *
 * UTCBs are mapped as long as their threads are, but the scheme may not have loaded their
 * translations. Loading this thread's may make the switch impossible again, so the first access to it
 * (no other can fault) is in ipc_path_reads: after such a fault all begins anew (fault_kernel). A
 * write that has faulted is repeated.
 *
 * Each range of lengths has the way that is shortest for it: docs/ipc-path.md promises its cycles, and
 * l4-ipc-size records every length. The loop of the longest would serve all of them, at 146 cycles or
 * more in place of 65 to 101.
 */

/* This thread waits; r12: its UTCB. */
    .macro  sender_waits
    ldr     r12, [r8, #TCB_UTCB]
    str     r1, [r8, #TCB_WAIT_FOR]
    .endm

/* The partner's space is in force; r10: the partner's UTCB. */
    .macro  to_partner
    switch_finish r10, lr
    switch_done_thread r9
    ldr     r10, [r9, #TCB_UTCB]
    .endm

    cmp     r0, #8 << 16
    bne     .Lnot_eight
    sender_waits
.Lread_eight:
    ldr     r0, [r12, #FIRST_WORD]
    ldr     r1, [r12, #FIRST_WORD + 4]
    ldr     r2, [r12, #FIRST_WORD + 8]
    ldr     r8, [r12, #FIRST_WORD + 12]
    str     r9, [sp, #HOT_CURRENT]
    to_partner
    str     r9, [r9, #TCB_WAIT_FOR]
    str     r0, [r10, #FIRST_WORD]
    str     r1, [r10, #FIRST_WORD + 4]
    str     r2, [r10, #FIRST_WORD + 8]
    str     r8, [r10, #FIRST_WORD + 12]
    mov     r0, r11
    leave   r9, r10, r12

/* 5 to 7: three are read. */
.Lnot_eight:
    bhi     .Lmore
    sender_waits
.Lread_few:
    ldr     r0, [r12, #FIRST_WORD]
    ldr     r1, [r12, #FIRST_WORD + 4]
    ldr     r2, [r12, #FIRST_WORD + 8]
    str     r9, [sp, #HOT_CURRENT]
    to_partner
    str     r9, [r9, #TCB_WAIT_FOR]
    movs    r12, r3, lsl #31            @ C: 6 or 7; not Z: 5 or 7
    str     r0, [r10, #FIRST_WORD]
    strcs   r1, [r10, #FIRST_WORD + 4]
    strhi   r2, [r10, #FIRST_WORD + 8]
    mov     r0, r11
    leave   r9, r10, r12

/* ---- up to 4 words ---- */

.Lshort:
    str     r9, [sp, #HOT_CURRENT]
    str     r1, [r8, #TCB_WAIT_FOR]
    str     r9, [r9, #TCB_WAIT_FOR]     @ waits for nobody: no id looks like a TCB's address
    mov     r0, r11                     @ from: the thread that called
    switch_finish r10, lr
    switch_done r12

    /* Into the partner's program, r9. */
    .global ipc_path_leave
ipc_path_leave:
    ldr     r10, [r9, #TCB_UTCB]
    leave   r9, r10, r12

/*
 * More: eight words in registers, two of them in the program's sp and lr, which are saved and free;
 * the list in which they are moved is this.
 */
#define EIGHT {r0, r1, r2, r8, r11, r12, sp, lr}^

.Lmore:
    sub     r12, r0, #13 << 16
    cmp     r12, #(16 - 13) << 16
    bhi     .Lnot_16

/* 13 to 16: 12 words are read, whatever follows the message. The last four go over the stack, with
 * the own id, which comes back as r0. */
    sender_waits
.Lread_16:
    ldr     r0, [r12, #FIRST_WORD + 32]!
    ldmib   r12, {r1, r2, r8}
    stmfd   sp!, {r0, r1, r2, r8}
    str     r11, [sp, #-4]!
    ldmdb   r12, EIGHT
    str     r9, [r9, #TCB_WAIT_FOR]     @ no banked register right after a user-bank transfer
    to_partner
    str     r9, [sp, #20 + HOT_CURRENT]
    add     lr, r10, #FIRST_WORD + 32
    stmdb   lr, EIGHT
    tst     r3, #16
    ldmfd   sp!, {r0, r1, r2, r8, r11}
    beq     .Lpart_of_four
    stmia   lr, {r1, r2, r8, r11}
    leave   r9, r10, r12

.Lpart_of_four:
    movs    r12, r3, lsl #31            @ C: 14 or 15; not Z: 13 or 15
    str     r1, [lr]
    strcs   r2, [lr, #4]
    strhi   r8, [lr, #8]
    leave   r9, r10, r12

.Lnot_16:
    cmp     r0, #16 << 16
    bhi     .Lloop

/* 9 to 12: eight words are read. */
    sender_waits
    add     r12, r12, #FIRST_WORD
    str     r11, [sp, #-4]!
.Lread_12:
    ldmia   r12, EIGHT
    str     r9, [r9, #TCB_WAIT_FOR]
    to_partner
    str     r9, [sp, #4 + HOT_CURRENT]
    add     lr, r10, #FIRST_WORD
    tst     r3, #4                      @ 12
    beq     1f
    stmia   lr, EIGHT
    mov     r0, r0
    ldr     r0, [sp], #4
    leave   r9, r10, r12
1:  stmia   lr!, {r0, r1, r2, r8, r11}
    movs    r0, r3, lsl #31             @ C: 10 or 11; not Z: 9 or 11
    strcs   r12, [lr], #4
    stmiahi lr, {sp}^
    mov     r0, r0
    ldr     r0, [sp], #4
    leave   r9, r10, r12

/*
 * 17 to 63: the last eight in registers, all before them over the stack, in eights from MR 5 on; the
 * last of these may go into the words that are in registers, which makes them no worse. r4 to r7 make
 * room.
 */
.Lloop:
    cmp     r0, #63 << 16
    bhi     .Lslow_r0
    sender_waits
    stmfd   sp!, {r4-r7, r11}
    add     r12, r12, #FIRST_WORD
    mov     r2, r0, lsr #16
    sub     r2, r2, #12                 @ so many are before the last eight
.Lread_loop:
    ldmia   r12!, {r0, r1, r4-r8, r11}
    stmfd   sp!, {r0, r1, r4-r8, r11}
    subs    r2, r2, #8
    bhi     .Lread_loop
    add     r12, r12, r2, lsl #2
    ldr     r4, =hot
    ldmia   r12, EIGHT
    str     r9, [r9, #TCB_WAIT_FOR]
    str     r9, [r4, #HOT_CURRENT]
    to_partner
    and     r4, r3, #0x3f
    add     lr, r10, r4, lsl #2
    add     lr, lr, #L4_UTCB_MR + 4
    stmdb   lr, EIGHT
    sub     r4, r4, #12 - 7
    bic     r4, r4, #7
    add     lr, r10, #FIRST_WORD
    add     lr, lr, r4, lsl #2
1:  ldmfd   sp!, {r0, r1, r5-r8, r11, r12}
    stmdb   lr!, {r0, r1, r5-r8, r11, r12}
    subs    r4, r4, #8
    bne     1b
    ldmfd   sp!, {r4-r7, r11}
    mov     r0, r11
    leave   r9, r10, r12

/* After a fault at one of these, fault_kernel goes on at the other. */
    .global ipc_path_reads, ipc_path_reads_end
ipc_path_reads:
    .word   .Lread_eight, .Lagain
    .word   .Lread_16, .Lagain
    .word   .Lread_12, .Lagain
    .word   .Lread_few, .Lagain
    .word   .Lread_loop, .Lagain_loop
    .word   .Lread_late, .Lagain_loop
ipc_path_reads_end:

/* (The send timeout in r2 may be lost; nobody asks for it, as the partner waits.) */
.Lagain_loop:
    ldmfd   sp, {r4-r7}
.Lagain:
    ldr     sp, =hot
    ldr     r8, [sp, #HOT_CURRENT]
    ldr     r0, [r9, #TCB_ID]
    ldr     r1, [r8, #TCB_WAIT_FOR]
    ldr     r11, [r8, #TCB_ID]
    str     r8, [r8, #TCB_WAIT_FOR]     @ for nobody
    b       .Lprepared

/* The check before the switch failed, or the switch has to be prepared: after a flush each space's
 * first switch is such a one. Then switch_prepare switches, and may flush: so all else comes first, in
 * two cache lines, and what follows the flush is in one. */
    .balign 32
    mov     r0, r0
.Lnot_yet:
    ldr     r10, [r8, #TCB_WAIT_OPEN]
    teq     r1, r0
    teqne   r1, r10
    bne     .Lslow
    mov     r10, r3, lsl #16
    cmp     r10, #4 << 16
    bhi     .Lnot_yet_long
    ldr     r10, [r8, #TCB_SPACE]
    str     r9, [sp, #HOT_CURRENT]
    str     r1, [r8, #TCB_WAIT_FOR]
    str     r9, [r9, #TCB_WAIT_FOR]
    str     r10, [sp, #HOT_SPACE]
    mov     r0, r12
    str     r3, [sp, #-8]!
    bl      switch_prepare
    switch_done_thread r9
    ldr     r3, [sp], #8
    ldr     r10, [r9, #TCB_UTCB]
    mov     r0, r11
    leave   r9, r10, r12

/* More words, which must be read before the switch is prepared: over the stack, in fours, so that up to
 * three more are read than there are. */
#define BUFFER (60 * 4)

.Lnot_yet_long:
    cmp     r10, #63 << 16
    bhi     .Lslow_r0
    sender_waits
    stmfd   sp!, {r4-r7}
    mov     r2, r10, lsr #16
    add     r12, r12, #FIRST_WORD
    subs    r2, r2, #4
.Lread_late:
    ldmia   r12!, {r4-r7}
    sub     sp, sp, #BUFFER
    mov     r10, sp
1:  stmia   r10!, {r4-r7}
    subs    r2, r2, #4
    ldmiahi r12!, {r4-r7}
    bhi     1b

    ldr     r4, =hot
    ldr     r10, [r8, #TCB_SPACE]
    str     r9, [r4, #HOT_CURRENT]
    str     r9, [r9, #TCB_WAIT_FOR]
    str     r10, [r4, #HOT_SPACE]
    mov     r4, r3
    ldr     r0, [r9, #TCB_SPACE]
    bl      switch_prepare
    switch_done_thread r9
    ldr     r12, [r9, #TCB_UTCB]
    mov     r3, r4
    and     r2, r3, #0x3f
    sub     r2, r2, #4
    add     r12, r12, #FIRST_WORD
    mov     r10, sp
2:  ldr     r0, [r10], #4
    subs    r2, r2, #1
    str     r0, [r12], #4
    bne     2b
    add     sp, sp, #BUFFER
    ldmfd   sp!, {r4-r7}
    mov     r0, r11
    b       ipc_path_leave

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
    mov     r1, #.Lsyscall_ipc
    bl      syscall
    b       kernel_exit

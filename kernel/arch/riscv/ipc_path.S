/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The IPC path: call, and reply-and-wait, with up to four untyped words, to a partner that waits for
 * it. First every check, then a commit that cannot fail; whatever does not fit takes the slow path
 * (trap_slow) from the start, as nothing has been changed but registers that Ipc does not keep.
 *
 * Message registers 0 to 4 stay in a3 to a7 from the sender's trap to the receiver's first
 * instruction, so no UTCB is touched. The memory that is touched, in cache lines: the hot words, three of
 * the sender's TCB, two of the receiver's, one of its space. docs/ipc-path.md counts the cycles.
 *
 * As on ARM (tcb.h) the thread that runs is RECEIVING in its TCB already, hot.space is left as it was, and
 * a program goes on at its ra, where the stub would return to. What may be one thing or another (who
 * the partner waits for, who this thread waits for) is asked without a branch, as the two sides of a
 * conversation differ in it; what must be so is a branch that is never taken.
 *
 * a0 to, a1 from, a2 timeouts, a3 tag, a4-a7 message registers 1 to 4, sp this thread's TCB, t2 the
 * partner's, t1 the hot words; sscratch has the program's sp.
 */
#include "offsets.h"
#include "switch_asm.h"

#define SHORT_MESSAGE 4 /* words after the tag, which are in a4 to a7 */

#if TCB_SIZE != 5 * 128
#error "the size of a TCB is multiplied with by shifts"
#endif

/* `b` is 0 if one of the two is. */
    .macro  either_is_zero a, b
    snez    \a, \a
    snez    \b, \b
    and     \b, \b, \a
    .endm

    .section .text.paths, "ax"
    .balign 64
    .global ipc_path
ipc_path:
    switch_entry_hook
    lla     t1, hot
    srli    t2, a0, 32
    andi    t2, t2, THREAD_COUNT_ASM - 1
    slli    t3, t2, 2
    add     t2, t2, t3
    slli    t2, t2, 7
    add     t2, t2, t1
    addi    t2, t2, HOT_SIZE            # tcbs follows the hot words

    /* ---- check ---- */
    ld      t3, TCB_WAIT_FOR(t2)
    ld      t4, TCB_ID(sp)
    ld      t5, TCB_ID(t2)
    lw      t6, TCB_SCHED(t2)
    lw      s0, HOT_READY_CHECK(t1)
    ld      s1, TCB_WAIT_OPEN(sp)
    /* The partner waits for this thread or for any ... */
    xor     s2, t3, t4
    addi    t3, t3, 1
    either_is_zero t3, s2
    bnez    s2, .Lslow
    /* ... it is the one that is meant, version included (nil and local ids are in no TCB) ... */
    bne     t5, a0, .Lslow
    /* ... it is ready (hot.ready_check) ... */
    subw    t6, t6, s0
    srliw   t6, t6, 8
    bnez    t6, .Lslow
    /* ... this thread then waits for ever, in a call or for anybody while nobody is in the queue ... */
    slli    s3, a2, 48
    bnez    s3, .Lslow
    xor     s4, a1, a0
    xor     s1, s1, a1
    either_is_zero s4, s1
    bnez    s1, .Lslow
    /* ... and there are few untyped words, no typed items, no propagation. A label is free. */
    slli    s5, a3, 48
    srli    s5, s5, 48
    li      s6, SHORT_MESSAGE
    bgtu    s5, s6, .Lslow

    /* ---- commit ---- */
    ld      s0, TCB_SPACE(t2)
    csrrw   s1, sscratch, t2
    switch_begin s0, s2, s3
    sd      ra, TCB_PC(sp)
    sd      ra, TCB_RA(sp)
    sd      s1, TCB_SP(sp)
    sd      gp, TCB_GP(sp)
    sd      tp, TCB_TP(sp)
    sd      a1, TCB_WAIT_FOR(sp)
    sd      t2, HOT_CURRENT(t1)
    sd      t2, TCB_WAIT_FOR(t2)        # waits for nobody: no id looks like a TCB's address
    mv      a0, t4                      # from: the thread that called
    ld      ra, TCB_RA(t2)
    ld      gp, TCB_GP(t2)
    ld      tp, TCB_TP(t2)
    ld      sp, TCB_SP(t2)
    sc.d    zero, ra, (t2)              # another thread's reservation ends; TCB_PC is at 0
    switch_finish s2, s3
    csrw    sepc, ra
    /* What the sender had in registers that are no message is not the receiver's to see. */
    .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    li      s\n, 0
    .endr
    switch_exit_hook
    sret

.Lslow:
    j       trap_slow

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lipc's path: ipc_path.S between threads of a space. A call by a local id, or an answer and a wait
 * for any thread of the space, with up to four untyped words.
 *
 * A local id is a UTCB's address, where the program may have written anything, or where nothing may be
 * mapped: the word there only says where to look. What is found is believed of a thread of this space
 * whose UTCB that is. If the load faults, fault_kernel's way leads to lipc_path_failed, so what a trap
 * overwrites is kept until then.
 *
 * Registers as in ipc_path.S, and s0 the program's sp, s1 its pc, s2 from.
 */
#include "offsets.h"
#include "switch_asm.h"

#include <binding.h>
#include <l4/syscall_list.h>

#define SHORT_MESSAGE 4
#define ANY_LOCAL     (~0x3f)
#define SSTATUS_SUM   (1 << 18)
#define KERNEL_LOG2   38 /* addresses from here on are the kernel's, or nobody's */

    .section .text.paths, "ax"
    .balign 64
    .global lipc_path
lipc_path:
    switch_entry_hook
    andi    t1, a0, 0x3f
    srli    t2, a0, KERNEL_LOG2
    or      t1, t1, t2
    bnez    t1, .Lslow
    li      t1, SSTATUS_SUM
    csrrw   s0, sscratch, zero
    csrr    s1, sepc
    mv      s2, a1
    csrs    sstatus, t1
    .global lipc_path_load, lipc_path_failed
lipc_path_load:
    ld      t5, L4_UTCB_MY_GLOBAL_ID(a0)
    csrc    sstatus, t1
    lla     t1, hot
    srli    t2, t5, 32
    andi    t2, t2, THREAD_COUNT_ASM - 1
    slli    t3, t2, 2
    add     t2, t2, t3
    slli    t2, t2, 7
    add     t2, t2, t1
    addi    t2, t2, HOT_SIZE

    /* ---- check ---- */
    ld      t3, TCB_ID(t2)
    ld      t4, TCB_UTCB(t2)
    ld      t6, TCB_SPACE(t2)
    ld      s3, TCB_SPACE(sp)
    bne     t3, t5, .Lslow_kept
    bne     t4, a0, .Lslow_kept
    bne     t6, s3, .Lslow_kept
    lw      t6, TCB_SCHED(t2)
    lw      s3, HOT_READY_CHECK(t1)
    subw    t6, t6, s3
    srliw   t6, t6, 8
    bnez    t6, .Lslow_kept
    slli    s3, a2, 48
    bnez    s3, .Lslow_kept
    slli    s3, a3, 48
    srli    s3, s3, 48
    li      s4, SHORT_MESSAGE
    bgtu    s3, s4, .Lslow_kept
    /* A call; or a wait for any thread of the space, while nobody is in the queue. */
    li      s5, ANY_LOCAL
    beq     a1, a0, 1f
    ld      s3, TCB_WAIT_OPEN(sp)
    mv      t5, a1
    bne     a1, s5, .Lslow_kept
    addi    s3, s3, 1
    bnez    s3, .Lslow_kept
    /* The partner waits for any thread of the space, and is told the local id; or for this thread, or
     * any. */
1:  ld      t3, TCB_WAIT_FOR(t2)
    ld      a1, TCB_UTCB(sp)
    beq     t3, s5, 2f
    ld      a1, TCB_ID(sp)
    beq     t3, a1, 2f
    addi    t3, t3, 1
    bnez    t3, .Lslow_from

    /* ---- commit ---- */
2:  csrw    sscratch, t2
    sd      ra, TCB_PC(sp)
    sd      ra, TCB_RA(sp)
    sd      s0, TCB_SP(sp)
    sd      gp, TCB_GP(sp)
    sd      tp, TCB_TP(sp)
    sd      t5, TCB_WAIT_FOR(sp)
    sd      t2, HOT_CURRENT(t1)
    sd      t2, TCB_WAIT_FOR(t2)
    mv      a0, a1
    ld      ra, TCB_RA(t2)
    ld      gp, TCB_GP(t2)
    ld      tp, TCB_TP(t2)
    ld      sp, TCB_SP(t2)
    sc.d    zero, ra, (t2)              # another thread's reservation ends; TCB_PC is at 0
    csrw    sepc, ra
    switch_exit_hook
    sret

    /* The load has faulted: the trap's registers, and those that kernel_trap uses. */
lipc_path_failed:
    li      t0, SSTATUS_SUM
    csrc    sstatus, t0
    csrw    sepc, s1
    li      t0, CAUSE_ECALL_ASM
    csrw    scause, t0
    li      t0, .Lsyscall_lipc
.Lslow_from:
    mv      a1, s2
.Lslow_kept:
    csrw    sscratch, s0
.Lslow:
    j       trap_slow

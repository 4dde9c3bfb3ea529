/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps that the short paths have in common (ipc_path.S, lipc_path.S, fault_path.S, yield_path.S)
 * and the way out of all others (entry.S). Most are an instruction or two, so that a path can have
 * others between them: a load's result comes a cycle late.
 *
 * Conditions add up: one that is `and_` leaves Z set only if it was set and the condition holds,
 * so one branch ends a chain of them.
 */
#ifndef PATH_ASM_H
#define PATH_ASM_H

#include "cpu_asm.h"
#include "offsets.h"
#include "switch_asm.h"

#include <l4/arch/arm/binding.h>

/* clang-format off */

/* ---- a thread from its id: its TCB, whatever the version; whether it is the one, tcb.id says ---- */

/* First its number modulo the table's size, as -1 - n, as the table begins after the hot words ... */
    .macro  thread_number thread, id
    mov     \thread, \id, lsl #8
    mvn     \thread, \thread, lsr #22
    .endm

/* ... then, from that, where it is. sp is the stack's top. */
    .macro  thread_at thread
    sub     \thread, sp, \thread, lsl #TCB_SIZE_LOG2
    .endm

    .macro  thread_of thread, id
    thread_number \thread, \id
    thread_at \thread
    .endm

/* ---- is the partner ready? ---- */

/* What it waits for (tcb.wait_for) is this id, or any thread. */
    .macro  if_waits_for waits, id
    teq     \waits, \id
    cmnne   \waits, #1
    .endm

/* It is RECEIVING, in an IPC of its own, without timeout, not halted nor redirected, nobody ready is
 * more important than it, and this thread is not redirected: `sched` is its tcb.sched, less
 * hot.ready_check. What is left in the low byte is by how much it is more important. */
    .macro  and_ready sched
    movseq  \sched, \sched, lsr #8
    .endm

/* The receive timeout is `never`: this thread then waits for ever. */
    .macro  and_for_ever scratch, timeouts
    movseq  \scratch, \timeouts, lsl #16
    .endm

/* ---- to a program ---- */

/* Its r11, sp and lr, which `thread` begins with. No banked register may come right after a user-bank
 * transfer. */
    .macro  load_user_bank thread
    ldmia   \thread, {r11, sp, lr}^
    mov     r0, r0
    .endm

/* To the program of a thread that is in a system call, where its stub would return to; the other
 * registers are its. `utcb` is its UTCB. */
    .macro  leave thread, utcb, scratch
    cpu_arm_state \scratch
    mov     \scratch, #L4_ARM_UTCB_POINTER
    ldr     lr, [\thread, #TCB_LR]
    ldmia   \thread, {r11, sp, lr}^
    str     \utcb, [\scratch]
    switch_exit_hook
    movs    pc, lr                      @ user mode, flags are not kept
    .endm

/* To a program with all of its registers from the frame, whose r0 is at lr; spsr and the user bank
 * are loaded. */
    .macro  leave_frame
    ldmia   lr, {r0-r10, r12}
    ldr     lr, [lr, #TCB_PC - TCB_R0]
    movs    pc, lr
    .endm

#endif

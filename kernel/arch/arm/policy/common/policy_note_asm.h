/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A policy that notes something at each switch. Its policy_asm.h defines the macro
 * `policy_note space, hot, a, b` (registers: the space, the hot words, two to use) and
 * includes this.
 */
#ifndef POLICY_NOTE_ASM_H
#define POLICY_NOTE_ASM_H
/* clang-format off */

    .macro  policy_switched space
    stmfd   sp!, {r0, r1, r2, r3}
    mov     r2, \space
    ldr     r0, =hot
    policy_note r2, r0, r1, r3
    ldmfd   sp!, {r0, r1, r2, r3}
    .endm

    .macro  policy_switched_thread tcb
    str     r12, [sp, #-4]!
    ldr     r12, [\tcb, #TCB_SPACE]
    policy_switched r12
    ldr     r12, [sp], #4
    .endm

#endif

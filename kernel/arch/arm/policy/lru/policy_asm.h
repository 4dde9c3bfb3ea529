/* SPDX-License-Identifier: Apache-2.0 */
/* Policy `lru` at a switch: space->policy.used = ++hot.policy.switches. */
#ifndef POLICY_ASM_H
#define POLICY_ASM_H
/* clang-format off */

    .macro  policy_switched space
    stmfd   sp!, {r0, r1, r2, r3}
    mov     r2, \space
    ldr     r0, =hot
    ldr     r1, [r0, #SWITCH_HOT_POLICY]
    add     r1, r1, #1
    str     r1, [r0, #SWITCH_HOT_POLICY]
    str     r1, [r2, #SWITCH_POLICY]
    ldmfd   sp!, {r0, r1, r2, r3}
    .endm

    .macro  policy_switched_thread tcb
    str     r12, [sp, #-4]!
    ldr     r12, [\tcb, #TCB_SPACE]
    policy_switched r12
    ldr     r12, [sp], #4
    .endm

#endif

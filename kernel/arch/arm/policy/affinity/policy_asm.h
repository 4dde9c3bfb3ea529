/* SPDX-License-Identifier: Apache-2.0 */
/* Policy `affinity` at a switch: space->policy.met |= hot.policy.running, which becomes the
 * space's. */
#ifndef POLICY_ASM_H
#define POLICY_ASM_H
/* clang-format off */

    .macro  policy_switched space
    stmfd   sp!, {r0, r1, r2, r3}
    mov     r2, \space
    ldr     r0, =hot
    ldr     r1, [r2, #SWITCH_POLICY]
    ldr     r3, [r0, #SWITCH_HOT_POLICY]
    orr     r1, r1, r3
    ldr     r3, [r2, #SWITCH_DACR]
    str     r1, [r2, #SWITCH_POLICY]
    str     r3, [r0, #SWITCH_HOT_POLICY]
    ldmfd   sp!, {r0, r1, r2, r3}
    .endm

    .macro  policy_switched_thread tcb
    str     r12, [sp, #-4]!
    ldr     r12, [\tcb, #TCB_SPACE]
    policy_switched r12
    ldr     r12, [sp], #4
    .endm

#endif

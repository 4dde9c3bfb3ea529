/* SPDX-License-Identifier: Apache-2.0 */
/* A policy that has nothing to do at a switch. */
#ifndef POLICY_ASM_H
#define POLICY_ASM_H
/* clang-format off */

    .macro  policy_switched space
    .endm

    .macro  policy_switched_thread tcb
    .endm

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Policy `lru` at a switch: space->policy.used = ++hot.policy.switches. */
#ifndef POLICY_ASM_H
#define POLICY_ASM_H
/* clang-format off */

    .macro  policy_note space, hot, a, b
    ldr     \a, [\hot, #SWITCH_HOT_POLICY]
    add     \a, \a, #1
    str     \a, [\hot, #SWITCH_HOT_POLICY]
    str     \a, [\space, #SWITCH_POLICY]
    .endm

#include "policy_note_asm.h"

#endif

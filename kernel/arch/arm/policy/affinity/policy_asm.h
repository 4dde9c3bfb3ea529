/* SPDX-License-Identifier: Apache-2.0 */
/* Policy `affinity` at a switch: space->policy.met |= hot.policy.running, which becomes the
 * space's. */
#ifndef POLICY_ASM_H
#define POLICY_ASM_H
/* clang-format off */

    .macro  policy_note space, hot, a, b
    ldr     \a, [\space, #SWITCH_POLICY]
    ldr     \b, [\hot, #SWITCH_HOT_POLICY]
    orr     \a, \a, \b
    ldr     \b, [\space, #SWITCH_DACR]
    str     \a, [\space, #SWITCH_POLICY]
    str     \b, [\hot, #SWITCH_HOT_POLICY]
    .endm

#include "policy_note_asm.h"

#endif

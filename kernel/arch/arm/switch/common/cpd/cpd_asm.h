/* SPDX-License-Identifier: Apache-2.0 */
/* The switch of a scheme with a caching page directory (switch.h says what the macros do): two
 * registers are written. */
#ifndef CPD_ASM_H
#define CPD_ASM_H

/* In struct switch_state and struct hot; domains.c checks them. */
#define SWITCH_DACR       0
#define SWITCH_PID        4
#define SWITCH_SLOT       17
#define SWITCH_POLICY     24
#define SWITCH_HOT_POLICY 28
#define SWITCH_SLOT_SHIFT 25

#ifdef __ASSEMBLER__
/* clang-format off */

#include "policy_asm.h"

#define switch_entry_hook
#define switch_exit_hook

    .macro  switch_begin space, a, b
    ldr     \b, [\space, #SWITCH_PID]
    ldr     \a, [\space, #SWITCH_DACR]
    tsteq   \b, #1                      @ switch_prepare clears it
    .endm

    .macro  switch_finish a, b
    mcr     p15, 0, \a, c3, c0, 0
    mcr     p15, 0, \b, c13, c0, 0
    .endm

    .macro  switch_done space
    policy_switched \space
    .endm

    .macro  switch_done_thread tcb
    policy_switched_thread \tcb
    .endm

    .macro  switch_fault_va space, va, scratch
    ldrb    \scratch, [\space, #SWITCH_SLOT]
    cmp     \scratch, \va, lsr #SWITCH_SLOT_SHIFT
    biceq   \va, \va, #~0 << SWITCH_SLOT_SHIFT
    .endm

#endif
#endif

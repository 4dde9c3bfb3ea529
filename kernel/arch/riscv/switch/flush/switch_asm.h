/* SPDX-License-Identifier: Apache-2.0 */
/* The switch of scheme `flush` (switch.h says what the macros must do). */
#ifndef SWITCH_ASM_H
#define SWITCH_ASM_H

#include "always_ready_asm.h"

/* In struct switch_state; switch_impl.c checks it. */
#define SWITCH_SATP 0

#ifdef __ASSEMBLER__
/* clang-format off */

    .macro  switch_begin space, a, b
    ld      \a, SWITCH_SATP(\space)
    .endm

    .macro  switch_finish a, b
    csrw    satp, \a
    li      \b, 0                       # the ASID, in a register: x0 would empty them of the kernel's, too
    sfence.vma zero, \b
    .endm

#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The switch of scheme `tags` (switch.h says what the macros must do). */
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
    .endm

#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The switch of scheme `tags` (switch.h says what the macros must do): one register. */
#ifndef SWITCH_ASM_H
#define SWITCH_ASM_H

/* In struct switch_state; switch_impl.c checks it. */
#define SWITCH_TTB 0

#ifdef __ASSEMBLER__
/* clang-format off */

#define switch_entry_hook
#define switch_exit_hook

    .macro  switch_begin space, a, b
    ldr     \a, [\space, #SWITCH_TTB]
    .endm

    .macro  switch_finish a, b
    mcr     p15, 0, \a, c2, c0, 0
    .endm

    .macro  switch_done space
    .endm

    .macro  switch_done_thread tcb
    .endm

    .macro  switch_fault_va space, va, scratch
    .endm

#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The switch of scheme `single-space` (switch.h says what the macros do): there is none. */
#ifndef SWITCH_ASM_H
#define SWITCH_ASM_H

#ifdef __ASSEMBLER__
/* clang-format off */

#define switch_entry_hook
#define switch_exit_hook

    .macro  switch_begin space, a, b
    .endm

    .macro  switch_finish a, b
    .endm

    .macro  switch_done space
    .endm

    .macro  switch_done_thread tcb
    .endm

    .macro  switch_fault_va space, va, scratch
    .endm

#endif
#endif

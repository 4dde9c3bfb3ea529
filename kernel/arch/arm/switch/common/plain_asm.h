/* SPDX-License-Identifier: Apache-2.0 */
/* What a switch is spared by schemes that relocate nothing and recycle nothing: of the macros in
 * switch.h, those that then do nothing. */
#ifndef PLAIN_ASM_H
#define PLAIN_ASM_H

#ifdef __ASSEMBLER__
/* clang-format off */

#define switch_entry_hook
#define switch_exit_hook

    .macro  switch_done space
    .endm

    .macro  switch_done_thread tcb
    .endm

    .macro  switch_fault_va space, va, scratch
    .endm

#endif
#endif

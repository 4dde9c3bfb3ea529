/* SPDX-License-Identifier: Apache-2.0 */
/* The switch of scheme `flush` (switch.h says what the macros must do, segments_asm.h the others).
 */
#ifndef SWITCH_ASM_H
#define SWITCH_ASM_H

#include "flat_segments_asm.h"

/* In struct switch_state; switch_impl.c checks it. */
#define SWITCH_DIRECTORY 0

#ifdef __ASSEMBLER__
/* clang-format off */

#define switch_entry_hook
#define switch_exit_hook

    .macro  switch_begin space, a, b
    movl    %ss:SWITCH_DIRECTORY(\space), \a
    .endm

    .macro  switch_finish a, b
    movl    \a, %cr3
    .endm

    .macro  switch_done space
    .endm

    .macro  switch_done_thread tcb
    .endm

#endif
#endif

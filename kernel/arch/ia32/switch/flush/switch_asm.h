/* SPDX-License-Identifier: Apache-2.0 */
/* The switch of scheme `flush` (switch.h says what the macros must do, segments_asm.h the others).
 */
#ifndef SWITCH_ASM_H
#define SWITCH_ASM_H

#include "flat_segments_asm.h"

/* In struct switch_state; switch_impl.c checks it. */
#define SWITCH_DIRECTORY 0
#define SWITCH_IO_MAP    4

#ifdef __ASSEMBLER__
/* clang-format off */

#define switch_entry_hook
#define switch_exit_hook

    .macro  switch_begin space, a, b
    .ifnc   \space, \a
    movl    \space, \a
    .endif
    .endm

    .macro  switch_finish a, b
    switch_ports SWITCH_IO_MAP(\a), \b
    movl    %ss:SWITCH_DIRECTORY(\a), \b
    movl    \b, %cr3
    .endm

    .macro  switch_done space
    .endm

    .macro  switch_done_thread tcb
    .endm

#endif
#endif

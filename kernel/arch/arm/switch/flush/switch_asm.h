/* SPDX-License-Identifier: Apache-2.0 */
/* The switch of scheme `flush` (switch.h says what the macros must do): by C, as it is long. */
#ifndef SWITCH_ASM_H
#define SWITCH_ASM_H

#include "own_directory_asm.h"

#ifdef __ASSEMBLER__
/* clang-format off */

    .macro  switch_finish a, b
    mrc     p15, 0, \b, c2, c0, 0
    teq     \a, \b                      @ the same space: nothing to flush
    beq     .Lfinished\@
    stmfd   sp!, {r0-r3, r12, lr}
    mov     r0, \a
    bl      flush_and_load
    ldmfd   sp!, {r0-r3, r12, lr}
.Lfinished\@:
    .endm

#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The switch of scheme `small-spaces-groups`: common/small's, and who often comes from another
 * directory is looked at (small_review).
 */
#ifndef SWITCH_ASM_H
#define SWITCH_ASM_H

#include "small_asm.h"

#ifdef __ASSEMBLER__
/* clang-format off */

    .macro  switch_note_load space
    decl    %ss:SWITCH_CREDIT(\space)
    jnz     .Lnoted\@
    incl    %ss:SWITCH_UNREADY(\space)  # before it is switched to the next time
.Lnoted\@:
    .endm

#endif
#endif

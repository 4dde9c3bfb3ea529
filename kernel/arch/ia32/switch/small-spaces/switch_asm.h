/* SPDX-License-Identifier: Apache-2.0 */
/* The switch of scheme `small-spaces`: common/small's, which nothing is added to. */
#ifndef SWITCH_ASM_H
#define SWITCH_ASM_H

#include "small_asm.h"

#ifdef __ASSEMBLER__
/* clang-format off */

    .macro  switch_note_load space
    .endm

#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* How a switch begins where each space has a directory of its own (own_directory.h). */
#ifndef OWN_DIRECTORY_ASM_H
#define OWN_DIRECTORY_ASM_H

#include "plain_asm.h"

/* In struct switch_state; own_directory.h checks it. */
#define SWITCH_TTB 0

#ifdef __ASSEMBLER__
/* clang-format off */

    .macro  switch_begin space, a, b
    ldr     \a, [\space, #SWITCH_TTB]
    .endm

#endif
#endif

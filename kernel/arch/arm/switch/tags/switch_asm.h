/* SPDX-License-Identifier: Apache-2.0 */
/* The switch of scheme `tags` (switch.h says what the macros must do): one register. */
#ifndef SWITCH_ASM_H
#define SWITCH_ASM_H

#include "own_directory_asm.h"

#ifdef __ASSEMBLER__
/* clang-format off */

    .macro  switch_finish a, b
    mcr     p15, 0, \a, c2, c0, 0
    .endm

#endif
#endif

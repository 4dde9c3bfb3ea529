/* SPDX-License-Identifier: Apache-2.0 */
/* The switch of scheme `single-space` (switch.h says what the macros do): there is none. */
#ifndef SWITCH_ASM_H
#define SWITCH_ASM_H

#include "always_ready_asm.h"

#ifdef __ASSEMBLER__
/* clang-format off */

    .macro  switch_begin space, a, b
    .endm

    .macro  switch_finish a, b
    .endm

#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What ways out of the kernel do about segments. */
#ifndef SEGMENTS_ASM_H
#define SEGMENTS_ASM_H

#include "segments.h"

#ifdef __ASSEMBLER__
/* clang-format off */

/* Z: DS, ES and GS are as programs expect them. FS is nobody's. Changes only a and b. */
    .macro  check_segments a, b
    movl    %ds, \a
    movl    %es, \b
    xorl    $USER_DATA, \a
    xorl    $USER_DATA, \b
    orl     \b, \a
    movl    %gs, \b
    xorl    $USER_UTCB, \b
    orl     \b, \a
    .endm

#endif
#endif

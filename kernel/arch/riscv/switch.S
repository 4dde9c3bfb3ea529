/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The switch for C (switch.h): the scheme's macros.
 */
#include "offsets.h"
#include "switch_asm.h"

    .text

/* void switch_to_space(struct space *to) */
    .global switch_to_space
switch_to_space:
    lla     t0, hot
    sd      a0, HOT_SPACE(t0)
    switch_begin a0, t1, t2
    switch_finish t1, t2
    ret

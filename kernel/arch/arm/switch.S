/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The switch for C (switch.h): the scheme's macros, which the IPC path has inline.
 */
#include "offsets.h"
#include "switch_asm.h"

    .text

/* void switch_to_space(struct space *to) */
    .global switch_to_space
switch_to_space:
    teq     r0, r0
    switch_begin r0, r1, r2
    bne     1f
    ldr     r3, =hot
    str     r0, [r3, #HOT_SPACE]
    switch_finish r1, r2
    switch_done r0
    mov     pc, lr

1:  stmfd   sp!, {r0, lr}
    bl      switch_prepare
    ldmfd   sp!, {r0, lr}
    b       switch_to_space

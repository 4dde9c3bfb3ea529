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
    movl    4(%esp), %eax
    xorl    %ecx, %ecx                  # Z
    switch_begin %eax, %ecx, %edx
    jnz     1f
    movl    %eax, hot + HOT_SPACE
    switch_finish %ecx, %edx
    switch_done %eax
    ret

1:  pushl   %eax
    call    switch_prepare
    addl    $4, %esp
    jmp     switch_to_space

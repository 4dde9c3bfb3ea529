/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The switch where there are small spaces (switch.h says what the macros must do, segments_asm.h
 * the others): the space's descriptors into the GDT, and CR3 if it must have a directory that is
 * not in force. Whoever goes to a program next loads the segment registers. The scheme's own macro
 * is
 *
 *    switch_note_load space     CR3 has been loaded to run it. Changes only flags.
 */
#ifndef SMALL_ASM_H
#define SMALL_ASM_H

#include "relocated_segments_asm.h"

/* In struct switch_state, and in struct hot; small.c checks them. */
#define SWITCH_UNREADY         0
#define SWITCH_DIRECTORY       4
#define SWITCH_DESCRIPTOR      8
#define SWITCH_DESCRIPTOR_HIGH 12
#define SWITCH_CREDIT          16
#define SWITCH_IO_MAP          20
#define SWITCH_BASE            24
#define SWITCH_SIZE            28
#define HOT_SHOWN              20

/* By what the type of code differs from that of data. */
#define DESCRIPTOR_CODE 0x800

#ifdef __ASSEMBLER__
/* clang-format off */

#define switch_entry_hook
#define switch_exit_hook

    .macro  switch_begin space, a, b
    .ifnc   \space, \a
    movl    \space, \a
    .endif
    cmpl    $0, %ss:SWITCH_UNREADY(\a)
    .endm

    .macro  switch_finish a, b
    switch_ports SWITCH_IO_MAP(\a), \b
    movl    %ss:SWITCH_DIRECTORY(\a), \b
    testl   \b, \b                      # any directory will do
    jz      .Lshown\@
    cmpl    \b, %ss:hot + HOT_SHOWN
    je      .Lshown\@
    movl    \b, %ss:hot + HOT_SHOWN
    movl    \b, %cr3
    switch_note_load \a
.Lshown\@:
    movl    %ss:SWITCH_DESCRIPTOR(\a), \b
    movl    \b, %ss:segments + (USER_DATA & ~7)
    movl    \b, %ss:segments + (USER_CODE & ~7)
    movl    %ss:SWITCH_DESCRIPTOR_HIGH(\a), \b
    movl    \b, %ss:segments + (USER_DATA & ~7) + 4
    orl     $DESCRIPTOR_CODE, \b
    movl    \b, %ss:segments + (USER_CODE & ~7) + 4
    .endm

    .macro  switch_check_place space, place, tcb, a, other
    movl    %ss:SWITCH_BASE(\space), \a
    cmpl    \a, %ss:\place(\tcb)
    jne     \other
    movl    %ss:SWITCH_SIZE(\space), \a
    cmpl    \a, %ss:\place + 4(\tcb)
    jne     \other
    .endm

    .macro  switch_done space
    .endm

    .macro  switch_done_thread tcb
    .endm

#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What ways into the kernel and out of it do about segments is the scheme's, beside the switch
 * (switch.h): macros that its switch_asm.h has or includes.
 *
 *   kernel_segments            the way in: DS and ES as C wants them. Changes no register.
 *   note_segments              at a #GP or #SS, on the stack vector, error code and what the
 * processor has pushed: the selectors go to fault_selectors (fault.c), if C asks for them. Changes
 * no register. program_segments a, b      the way out: what a program expects in DS, ES, FS and GS.
 * From here on the kernel's memory is reached by SS. Changes a and b. idle_segments              as
 * kernel_segments, where an interrupt found the idle thread. Changes any. trap_of_leaving an
 * exception or interrupt in the kernel, on the stack vector, error code, EIP, CS, EFLAGS: if the
 * way out caused it or was under way, it is the program's, and the macro goes to program_trap with
 * the stack as if it came from there. Changes nothing else. trap_segments_begin done   another
 * exception, all registers saved: DS and ES as C wants them; or they were its cause, and it goes to
 * `done`. Keeps EAX. trap_segments_end          ... and as they were. Changes any.
 *
 *   switch_ports word, a       for the switch: permits ports (io_fpages.h). Changes a.
 *
 * and for the IPC path (ipc_path.S)
 *
 *   path_check_segments a      all that the path cannot repair is in order, or to sysenter_slow.
 * Changes a. path_new_segments a, b     the space has changed.  } DS, ES and GS are as the receiver
 * expects them, path_same_segments a, b    It has not.             } and FS gives it nothing of
 * others'. Change a, b. path_leave                 to the program: EBX the receiver's TCB, ESI, EBP
 * and EAX the message, EDI for it, on the stack the sender's name.
 */
#ifndef SEGMENTS_ASM_H
#define SEGMENTS_ASM_H

#include "segments.h"

#ifdef __ASSEMBLER__
/* clang-format off */

/* Z: DS and ES are as programs expect them. Changes only a and b. */
    .macro  check_data_segments a, b
    movl    %ds, \a
    movl    %es, \b
    xorl    $USER_DATA, \a
    xorl    $USER_DATA, \b
    orl     \b, \a
    .endm

/* `word` is the space's io_map (switch_segments.h). */
    .macro  switch_ports word, a
    movl    %ss:\word, \a
    movl    \a, %ss:task_state + TASK_IO_MAP
    .endm

#endif
#endif

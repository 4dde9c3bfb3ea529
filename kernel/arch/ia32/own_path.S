/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is short for a thread with a segment of its own (own_state.c): IPC on either side, and the change of the
 * segment's kind. Installed with the first such thread: until then SYSENTER leads to ipc_path.S, which has nothing
 * to ask, and its end is as it was assembled.
 *
 * The IPC path does not know of such segments. It is entered with the UTCB pointer's segment in GS and nobody's
 * in the GDT, and before it leaves to the receiver, that one's is loaded: as it was described last, if its space
 * still lies there (switch_check_place), else by C.
 */
#include "layout.h"
#include "offsets.h"
#include "segments.h"
#include "switch_asm.h"

#include <probe.h>

#define OWN(word, tcb) %ss:own_from_tcb + (word)(tcb)

    .section .own, "ax"

/* In place of sysenter_entry: no register may be lost, the stack is empty. */
    .balign 64
    .global own_sysenter_entry
own_sysenter_entry:
    testb   $DESCRIPTOR_PRESENT, %ss:own_segment_descriptor + DESCRIPTOR_KIND
    jz      sysenter_entry
    pushl   $USER_UTCB
    popl    %gs
    movl    $DESCRIPTOR_NONE, %ss:own_segment_descriptor + 4
    jmp     sysenter_entry

/* In place of the instruction at path_leaving: EBX the receiver's TCB; ECX, EDX, EDI are free. */
    .balign 16
    .global own_path_leaving
own_path_leaving:
    testb   $OWN_SEGMENT, %ss:TCB_OWN(%ebx)
    jnz     2f
1:  movl    %ebx, %ss:hot + HOT_CURRENT
    jmp     path_left
2:  movl    OWN(OWN_DESCRIPTOR + 4, %ebx), %ecx
    testl   %ecx, %ecx                  # not described yet
    jz      4f
    movl    %ss:TCB_SPACE(%ebx), %edx
    switch_check_place %edx, own_from_tcb+OWN_PLACE, %ebx, %edi, 4f
    movl    OWN(OWN_DESCRIPTOR, %ebx), %edx
    movl    %edx, %ss:own_segment_descriptor
    movl    %ecx, %ss:own_segment_descriptor + 4
3:  path_own_segments %edx
    movl    $USER_OWN, %edx
    movl    %edx, %gs
    jmp     1b

4:  kernel_segments
    cld
    pushl   %eax
    pushl   %ebx
    call    own_enter
    addl    $4, %esp
    popl    %eax
    movl    $USER_DATA, %edx
    movl    %edx, %ds
    movl    %edx, %es
    jmp     3b

/*
 * #GP(0) of a program with such a segment: the access may want its other kind. It is repeated with that, unless
 * the same instruction was the last to have it changed: then C looks at the registers (own_trap). If the reason
 * is another it comes here again and then to C. The program's other segments stay as they are.
 *
 * The stack: error code, EIP, CS, EFLAGS, ESP, SS.
 */
    .global own_protection
own_protection:
    testb   $3, 8(%esp)
    jz      own_protection_slow         # the kernel's own
    testb   $DESCRIPTOR_PRESENT, %ss:own_segment_descriptor + DESCRIPTOR_KIND
    jz      own_protection_slow
    pushl   %eax
    pushl   %ecx
    movl    %ss:hot + HOT_CURRENT, %eax
    movl    12(%esp), %ecx              # EIP
    cmpl    %ecx, OWN(OWN_FLIP_PC, %eax)
    je      5f
    cmpl    $0, OWN(OWN_OTHER + 4, %eax)
    je      5f                          # there is no other
    movl    %ecx, OWN(OWN_FLIP_PC, %eax)
    movl    %edi, OWN(OWN_FLIP_REGISTERS, %eax)
    movl    %esi, OWN(OWN_FLIP_REGISTERS + 4, %eax)
    movl    %ebx, OWN(OWN_FLIP_REGISTERS + 8, %eax)
    movl    %ebp, OWN(OWN_FLIP_REGISTERS + 12, %eax)
    movl    %edx, OWN(OWN_FLIP_REGISTERS + 16, %eax)
    popl    %ecx
    movl    %ecx, OWN(OWN_FLIP_REGISTERS + 20, %eax)
    movl    (%esp), %ecx
    movl    %ecx, OWN(OWN_FLIP_REGISTERS + 24, %eax)
    movl    20(%esp), %ecx              # ESP
    movl    %ecx, OWN(OWN_FLIP_REGISTERS + 28, %eax)
    movl    $1, OWN(OWN_FLIPPED, %eax)

    movl    OWN(OWN_DESCRIPTOR, %eax), %ecx
    movl    OWN(OWN_OTHER, %eax), %edx
    movl    %ecx, OWN(OWN_OTHER, %eax)
    movl    %edx, OWN(OWN_DESCRIPTOR, %eax)
    movl    %edx, %ss:own_segment_descriptor
    movl    OWN(OWN_DESCRIPTOR + 4, %eax), %ecx
    movl    OWN(OWN_OTHER + 4, %eax), %edx
    movl    %ecx, OWN(OWN_OTHER + 4, %eax)
    movl    %edx, OWN(OWN_DESCRIPTOR + 4, %eax)
    movl    %edx, %ss:own_segment_descriptor + 4
    movl    $USER_OWN, %ecx
    movl    %ecx, %gs
    movl    %ss:probe, %ecx
    testl   %ecx, %ecx
    jz      6f
    movl    $EVENT_FLIPPED_ASM, %ss:PROBE_EVENT(%ecx)
6:  movl    OWN(OWN_FLIP_REGISTERS + 16, %eax), %edx
    movl    OWN(OWN_FLIP_REGISTERS + 20, %eax), %ecx
    popl    %eax
    addl    $4, %esp
    jmp     kernel_iret
5:  popl    %ecx
    popl    %eax
    jmp     own_protection_slow

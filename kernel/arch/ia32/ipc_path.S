/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SYSENTER, and the common case of IPC: a short message between two programs, of which the receiver
 * waits for it and the sender then waits for any sender or the receiver. All else goes to sysenter_slow.
 *
 * A stub in the KIP (kip.S) passes the call's number in EBX and the program's stack pointer in EBP,
 * and the program goes on at KIP_RETURN in its KIP. The binding has the rest: EAX to, EDX from,
 * ECX timeouts, ESI the tag. The processor leaves EFLAGS as they were, but for IF.
 *
 * As on ARM (tcb in thread.h) the state of a thread that runs is RECEIVING already, and hot.space is left as
 * it was. First everything is asked, then everything is done: between the two, nothing can fail.
 */
#include "layout.h"
#include "offsets.h"
#include "segments_asm.h"
#include "switch_asm.h"

#include <binding.h>

#define TCB_INDEX_SHIFT 6 /* from an id, whose thread number is above 14 bits, to an offset in tcbs */
#define TCB_INDEX_MASK  ((THREAD_COUNT_ASM - 1) << TCB_SIZE_LOG2)
#define SHORT_MESSAGE   2 /* words behind the tag, which are in EBX and EBP when it arrives */
#define KIP_PAGE        0xfffff000
#define ANY_LOCAL       0xffffffc0

    .text
    .balign 64
    .global sysenter_entry
sysenter_entry:
    /* Is it the common case? EBX and EDI are free. */
    testw   %cx, %cx                    # waits without limit of time (how long it would wait to send is no matter)
    jnz     sysenter_slow
    testl   %ebx, %ebx                  # Ipc, or Lipc
    jnz     8f
    movzwl  %si, %ebx                   # no flags, no typed items, a short message
    cmpl    $SHORT_MESSAGE, %ebx
    ja      2f
    movl    %eax, %ebx
    shrl    $TCB_INDEX_SHIFT, %ebx
    andl    $TCB_INDEX_MASK, %ebx
    cmpl    %eax, tcbs + TCB_ID(%ebx)
    jne     2f
    movl    tcbs + TCB_SCHED(%ebx), %edi
    subl    hot + HOT_READY_CHECK, %edi # it waits, and nobody more important is ready (thread.h)
    shrl    $8, %edi
    jnz     2f
    movl    hot + HOT_CURRENT, %edi
    movl    TCB_ID(%edi), %edi
    cmpl    %edi, tcbs + TCB_WAIT_FOR(%ebx) # ... for us, or for anybody
    je      1f
    cmpl    $-1, tcbs + TCB_WAIT_FOR(%ebx)
    jne     2f
1:  movl    hot + HOT_CURRENT, %edi
    cmpl    %eax, %edx                  # a call; or we wait for anybody, and nobody is there yet
    je      3f
    cmpl    TCB_WAIT_OPEN(%edi), %edx
    je      3f
2:  xorl    %ebx, %ebx
    jmp     sysenter_slow

    /* The sender waits from here on. Below the flags is the name by which the receiver knows it. */
3:  movl    %edi, %ecx
    pushl   TCB_ID(%ecx)
.Lcommit:
    pushfl
    movl    %edx, TCB_WAIT_FOR(%ecx)
    movl    %ebp, TCB_SP(%ecx)
    movl    TCB_SPACE(%ecx), %edi
    popl    %edx
    andl    $EFLAGS_USER_ASM, %edx
    movl    SPACE_KIP(%edi), %eax
    orl     $EFLAGS_FIXED_ASM, %edx
    andl    $KIP_PAGE, %eax
    movl    %edx, TCB_STATUS(%ecx)
    orl     $KIP_RETURN, %eax
    movl    %eax, TCB_PC(%ecx)
    movl    TCB_UTCB(%ecx), %edx
    movl    L4_UTCB_MR + 4(%edx), %ebp
    movl    L4_UTCB_MR + 8(%edx), %eax

    /* The receiver runs. */
    addl    $tcbs, %ebx
    movl    TCB_SPACE(%ebx), %edx
    cmpl    %edi, %edx
    je      5f
    cmpl    %edi, %edi                  # Z
    switch_begin %edx, %edx, %edi
    jnz     6f
    switch_finish %edx, %edi
5:  switch_done_thread %ebx
    movl    %ebx, hot + HOT_CURRENT
    movl    TCB_UTCB(%ebx), %edi
    movl    $0, TCB_WAIT_FOR(%ebx)
    movl    %edi, UTCB_POINTER_VA

    /* Its segments, unless the sender has left them as they should be; and its flags. */
    check_segments %edx, %edi
    jz      7f
    call    load_segments
7:  movl    TCB_STATUS(%ebx), %edx
    movl    TCB_UTCB(%ebx), %edi
    andl    $~EFLAGS_INTERRUPT_ASM, %edx
    pushl   %edx
    popfl
    movl    TCB_PC(%ebx), %edx
    movl    TCB_SP(%ebx), %ecx
    movl    %ebp, %ebx
    movl    %eax, %ebp
    popl    %eax
    sti                                 # holds interrupts off for one more instruction
    sysexit

    /*
     * Lipc: a call by a local id, or an answer and a wait for any thread of the space. The id is a UTCB's
     * address, where the program may have written anything; so what is found there is only believed of a thread
     * of this space whose UTCB that is.
     */
8:  cmpl    $LIPC_ASM, %ebx
    jne     sysenter_slow
    testb   $0x3f, %al
    jnz     sysenter_slow
    cmpl    $KERNEL_AREA, %eax
    jae     sysenter_slow
    pushl   %ecx
    .global lipc_path_load, lipc_path_failed
lipc_path_load:
    movl    L4_UTCB_MY_GLOBAL_ID(%eax), %edi # (fault_kernel goes on at lipc_path_failed)
    movl    %edi, %ebx
    shrl    $TCB_INDEX_SHIFT, %ebx
    andl    $TCB_INDEX_MASK, %ebx
    movl    hot + HOT_CURRENT, %ecx
    cmpl    %edi, tcbs + TCB_ID(%ebx)
    jne     lipc_path_failed
    cmpl    %eax, tcbs + TCB_UTCB(%ebx)
    jne     lipc_path_failed
    movl    tcbs + TCB_SPACE(%ebx), %edi
    cmpl    %edi, TCB_SPACE(%ecx)
    jne     lipc_path_failed
    movzwl  %si, %edi
    cmpl    $SHORT_MESSAGE, %edi
    ja      lipc_path_failed
    movl    tcbs + TCB_SCHED(%ebx), %edi
    subl    hot + HOT_READY_CHECK, %edi
    shrl    $8, %edi
    jnz     lipc_path_failed
    movl    tcbs + TCB_WAIT_FOR(%ebx), %edi
    cmpl    TCB_ID(%ecx), %edi          # for whom it waits, and so what it is told
    je      9f
    cmpl    $-1, %edi
    je      9f
    cmpl    $ANY_LOCAL, %edi
    jne     lipc_path_failed
9:  cmpl    %eax, %edx
    je      10f
    cmpl    $ANY_LOCAL, %edx
    jne     lipc_path_failed
    cmpl    $-1, TCB_WAIT_OPEN(%ecx)
    je      11f
lipc_path_failed:
    popl    %ecx
    movl    $LIPC_ASM, %ebx
    jmp     sysenter_slow

10: movl    tcbs + TCB_ID(%ebx), %edx
11: addl    $4, %esp                    # the timeouts
    cmpl    $ANY_LOCAL, %edi
    je      12f
    pushl   TCB_ID(%ecx)
    jmp     .Lcommit
12: pushl   TCB_UTCB(%ecx)
    jmp     .Lcommit

    /* A scheme that has to prepare the space first: it does so, and switches. */
6:  pushl   %eax
    pushl   %ecx
    pushl   TCB_SPACE(%ebx)
    call    switch_prepare
    addl    $4, %esp
    popl    %ecx
    popl    %eax
    jmp     5b

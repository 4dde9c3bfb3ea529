/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SYSENTER, and the common case of IPC: a short message between two programs, of which the receiver
 * waits for it and the sender then waits for any sender or the receiver. All else goes to sysenter_slow.
 *
 * A stub in the KIP (kip.S) passes the call's number in EBX and the program's stack pointer in EBP,
 * and the program goes on at KIP_RETURN in its KIP. The binding has the rest: EAX to, EDX from,
 * ECX timeouts, ESI the tag. The processor leaves EFLAGS as they were, but for IF; a program gets none of
 * its own back from a system call by SYSENTER, so nobody has to read what they were.
 *
 * DS is the program's, whatever that is, so the kernel's memory is reached by SS, and UTCBs by the kernel's
 * addresses of them.
 *
 * As on ARM (tcb.h) the state of a thread that runs is RECEIVING already, and hot.space is left as
 * it was. First everything is asked, then everything is done: between the two, nothing can fail.
 */
#include "layout.h"
#include "offsets.h"
#include "segments_asm.h"
#include "switch_asm.h"

#include <binding.h>

#define TCB_INDEX_SHIFT 6 /* from an id, whose thread number is above 14 bits, to an offset in tcbs */
#define TCB_INDEX_MASK  ((THREAD_COUNT_ASM - 1) << TCB_SIZE_LOG2)
#define SHORT_MESSAGE   2 /* words after the tag, which are in EBX and EBP when it arrives */
#define KIP_PAGE        0xfffff000
#define ANY_LOCAL       0xffffffc0
#define JUMP_SIZE       5

    .text
    .balign 64
    .global sysenter_entry
sysenter_entry:
    /* Is it the common case? EDI is free if it is Ipc or Lipc, and EBX if which of them is known. */
    testw   %cx, %cx                    # waits without limit of time (how long it would wait to send is no matter)
    jnz     sysenter_slow
    cmpl    $LIPC_ASM, %ebx
    ja      sysenter_slow
    path_check_segments %edi            # or to sysenter_slow
    testl   %ebx, %ebx
    jnz     8f
    movzwl  %si, %ebx                   # no flags, no typed items, a short message
    cmpl    $SHORT_MESSAGE, %ebx
    ja      2f
    movl    %eax, %ebx
    shrl    $TCB_INDEX_SHIFT, %ebx
    andl    $TCB_INDEX_MASK, %ebx
    cmpl    %eax, %ss:tcbs + TCB_ID(%ebx)
    jne     2f
    movl    %ss:tcbs + TCB_SCHED(%ebx), %edi
    subl    %ss:hot + HOT_READY_CHECK, %edi # it waits, and nobody more important is ready (tcb.h)
    shrl    $8, %edi
    jnz     2f
    movl    %ss:hot + HOT_CURRENT, %edi
    movl    %ss:TCB_ID(%edi), %edi
    cmpl    %edi, %ss:tcbs + TCB_WAIT_FOR(%ebx) # ... for us, or for anybody
    je      1f
    cmpl    $-1, %ss:tcbs + TCB_WAIT_FOR(%ebx)
    jne     2f
1:  movl    %ss:hot + HOT_CURRENT, %edi
    cmpl    %eax, %edx                  # a call; or we wait for anybody, and nobody is there yet
    je      3f
    cmpl    %ss:TCB_WAIT_OPEN(%edi), %edx
    je      3f
2:  xorl    %ebx, %ebx
    jmp     sysenter_slow

    /* The sender waits from here on. Below the flags is the name by which the receiver knows it. */
3:  movl    %edi, %ecx
    pushl   %ss:TCB_ID(%ecx)
.Lcommit:
    movl    %edx, %ss:TCB_WAIT_FOR(%ecx)
    movl    %ebp, %ss:TCB_SP(%ecx)
    movl    %ss:TCB_SPACE(%ecx), %edi
    movl    $EFLAGS_FIXED_ASM, %ss:TCB_STATUS(%ecx)
    movl    %ss:SPACE_KIP(%edi), %eax
    movl    %ss:TCB_OWN_UTCB(%ecx), %edx
    andl    $KIP_PAGE, %eax
    orl     $KIP_RETURN, %eax
    movl    %eax, %ss:TCB_PC(%ecx)
    movl    %ss:L4_UTCB_MR + 4(%edx), %ebp
    movl    %ss:L4_UTCB_MR + 8(%edx), %eax

    /* The receiver runs. */
    addl    $tcbs, %ebx
    movl    %ss:TCB_SPACE(%ebx), %edx
    cmpl    %edi, %edx
    je      5f
    cmpl    %edi, %edi                  # Z
    switch_begin %edx, %edx, %edi
    jnz     6f
    switch_finish %edx, %edi
4:  path_new_segments %edx, %edi
    jmp     7f
5:  path_same_segments %edx, %edi       # unless the sender has left them as they should be
7:  switch_done_thread %ebx
    .global path_leaving, path_left     # (own_state.c puts a jump to own_path.S there)
path_leaving:
    movl    %ebx, %ss:hot + HOT_CURRENT
path_left:
    .if path_left - path_leaving < JUMP_SIZE
    .error "a jump does not fit"
    .endif
    movl    %ss:TCB_UTCB(%ebx), %edi
    movl    $0, %ss:TCB_WAIT_FOR(%ebx)
    movl    %edi, %ss:UTCB_POINTER_VA
    path_leave                          # ESI, EBP, EAX: the message; on the stack: who sends it

    /*
     * Lipc: a call by a local id, or an answer and a wait for any thread of the space. The id is a UTCB's
     * address, where the program may have written anything; so what is found there is only believed of a thread
     * of this space whose UTCB that is.
     */
8:  testb   $0x3f, %al
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
    movl    %ss:hot + HOT_CURRENT, %ecx
    cmpl    %edi, %ss:tcbs + TCB_ID(%ebx)
    jne     lipc_path_failed
    cmpl    %eax, %ss:tcbs + TCB_UTCB(%ebx)
    jne     lipc_path_failed
    movl    %ss:tcbs + TCB_SPACE(%ebx), %edi
    cmpl    %edi, %ss:TCB_SPACE(%ecx)
    jne     lipc_path_failed
    movzwl  %si, %edi
    cmpl    $SHORT_MESSAGE, %edi
    ja      lipc_path_failed
    movl    %ss:tcbs + TCB_SCHED(%ebx), %edi
    subl    %ss:hot + HOT_READY_CHECK, %edi
    shrl    $8, %edi
    jnz     lipc_path_failed
    movl    %ss:tcbs + TCB_WAIT_FOR(%ebx), %edi
    cmpl    %ss:TCB_ID(%ecx), %edi      # for whom it waits, and so what it is told
    je      9f
    cmpl    $-1, %edi
    je      9f
    cmpl    $ANY_LOCAL, %edi
    jne     lipc_path_failed
9:  cmpl    %eax, %edx
    je      10f
    cmpl    $ANY_LOCAL, %edx
    jne     lipc_path_failed
    cmpl    $-1, %ss:TCB_WAIT_OPEN(%ecx)
    je      11f
lipc_path_failed:
    popl    %ecx
    movl    $LIPC_ASM, %ebx
    jmp     sysenter_slow

10: movl    %ss:tcbs + TCB_ID(%ebx), %edx
11: addl    $4, %esp                    # the timeouts
    cmpl    $ANY_LOCAL, %edi
    je      12f
    pushl   %ss:TCB_ID(%ecx)
    jmp     .Lcommit
12: pushl   %ss:TCB_UTCB(%ecx)
    jmp     .Lcommit

    /* A scheme that has to prepare the space first: it does so, and switches. */
6:  kernel_segments
    pushl   %eax
    pushl   %ecx
    pushl   TCB_SPACE(%ebx)
    call    switch_prepare
    addl    $4, %esp
    popl    %ecx
    popl    %eax
    jmp     4b

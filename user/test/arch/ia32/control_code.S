/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The body of a thread in another space, sigma0's, which has our memory at the same addresses. Its
 * sp points to four words: two threads to delete, the tag of a message, and to whom it then sends the two
 * results of ThreadControl. It has a stack of its own, and calls as the stubs in the KIP do.
 */
#include <binding.h>

#define IPC            0
#define THREAD_CONTROL 3

    .macro  system_call number
    pushl   $1f
    movl    $\number, %ebx
    movl    %esp, %ebp
    sysenter
1:
    .endm

    .macro  delete at
    movl    words, %ecx
    movl    \at(%ecx), %eax
    xorl    %esi, %esi
    xorl    %edx, %edx
    xorl    %ecx, %ecx
    movl    $-1, %edi
    system_call THREAD_CONTROL
    .endm

    .text
    .global control_delete_two
    .type   control_delete_two, @function
control_delete_two:
    movl    %esp, words
    movl    $stack_top, %esp
    delete  0
    pushl   %eax
    delete  4
    movl    %gs:0, %edi
    popl    L4_UTCB_MR + 4(%edi)
    movl    %eax, L4_UTCB_MR + 8(%edi)
    movl    words, %ecx
    movl    8(%ecx), %esi
    movl    12(%ecx), %eax
    movl    %eax, %edx
    xorl    %ecx, %ecx
    system_call IPC
1:  jmp     1b

    .bss
    .p2align 2
words:
    .space  4
    .space  64
stack_top:

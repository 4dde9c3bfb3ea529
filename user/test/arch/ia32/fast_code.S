/* SPDX-License-Identifier: Apache-2.0 */
/*
 * L4_Word_t yield_keeps(L4_Word_t to, L4_Word_t stub, L4_Word_t seed): ThreadSwitch to `to`; returns 0 if
 * what the call keeps came back as it was: ESP, and what lies on the stack. The flags are not those of flags_stay.
 *
 * L4_Word_t flags_stay(L4_Word_t times): compares, waits a while and looks at the result; returns 0 if
 * that was right each time.
 */
#include <binding.h>

#define CHILD_ECHO 8 /* enum child_operation */
#define IPC        0

    .text
    .global yield_keeps
    .type   yield_keeps, @function
yield_keeps:
    pushl   %ebp
    pushl   %ebx
    pushl   %esi
    pushl   %edi
    movl    28(%esp), %edx
    pushl   %edx
    pushl   %esp
    movl    28(%esp), %eax
    cmpl    $0, %esp
    call    *32(%esp)
    popl    %eax
    subl    %esp, %eax
    popl    %edx
    xorl    28(%esp), %edx
    orl     %edx, %eax
    popl    %edi
    popl    %esi
    popl    %ebx
    popl    %ebp
    ret

    .global flags_stay
    .type   flags_stay, @function
flags_stay:
    movl    4(%esp), %ecx
    xorl    %eax, %eax
1:  cmpl    %ecx, %ecx
    .rept   32
    movl    %edx, %edx
    .endr
    je      2f
    movl    $1, %eax
2:  loop    1b
    ret

/*
 * L4_Word_t two_calls(L4_Word_t first, L4_Word_t tag, L4_Word_t second, L4_Word_t long_tag): calls
 * `first` and then `second`, both with MR 1 = CHILD_ECHO, without the library's stubs and those in the
 * kernel interface page. Returns the second answer's tag.
 */
    .macro  echo to, tag
    movl    \to(%esp), %eax
    movl    %eax, %edx
    movl    \tag(%esp), %esi
    movl    %gs:0, %edi
    movl    $CHILD_ECHO, L4_UTCB_MR + 4(%edi)
    xorl    %ecx, %ecx
    pushl   $1f
    movl    $IPC, %ebx
    movl    %esp, %ebp
    sysenter
1:
    .endm

    .global two_calls
    .type   two_calls, @function
two_calls:
    pushl   %ebp
    pushl   %ebx
    pushl   %esi
    pushl   %edi
    echo    20, 24
    echo    28, 32
    movl    %gs:0, %edi
    movl    %ebx, L4_UTCB_MR + 4(%edi)
    movl    %ebp, L4_UTCB_MR + 8(%edi)
    movl    %esi, %eax
    popl    %edi
    popl    %esi
    popl    %ebx
    popl    %ebp
    ret

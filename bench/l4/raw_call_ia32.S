/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raw.h. A stub keeps ESP and nothing else. MR 0 travels in ESI; what arrives in MR 1 and MR 2 is in
 * EBX and EBP, and what is sent from there is in the UTCB.
 */
#include <binding.h>
#include <l4/syscall_list.h>

    .macro  function name
    .global \name
    .type   \name, @function
    .balign 64
\name:
    .endm

    .macro  stub name
    function raw_stub_\name
    movl    l4_syscalls + .Lkip_\name - L4_KIP_SYSTEM_CALLS, %eax
    ret
    .endm

    .macro  save
    pushl   %ebp
    pushl   %ebx
    pushl   %esi
    pushl   %edi
    .endm

    .macro  restore
    popl    %edi
    popl    %esi
    popl    %ebx
    popl    %ebp
    ret
    .endm

    /* Answers with the words that came, for ever; the stack has the stub. */
    .macro  echo from
    popl    %eax                        # nobody returns
    xorl    %eax, %eax                  # first nothing is sent
1:  movl    $\from, %edx
    xorl    %ecx, %ecx
    call    *(%esp)
    movl    %gs:0, %edi
    movl    %ebx, L4_UTCB_MR + 4(%edi)
    movl    %ebp, L4_UTCB_MR + 8(%edi)
    andl    $~0xfc0, %esi               # no typed items back
    jmp     1b
    .endm

    .text
    stub    ipc
    stub    lipc
    stub    thread_switch
    stub    system_clock

    function raw_call
    save
    movl    20(%esp), %eax
    movl    24(%esp), %esi
    movl    %eax, %edx
    xorl    %ecx, %ecx                  # both timeouts never
    call    *28(%esp)
    movl    %esi, %eax
    restore

    function raw_syscall
    save
    movl    20(%esp), %eax
    call    *24(%esp)
    restore

    function raw_echo
    echo    -1                          # from any

    function raw_local_echo
    echo    ~0x3f                       # from any local thread

    function raw_yield
    popl    %eax
1:  movl    (%esp), %eax
    call    *4(%esp)
    jmp     1b

    function raw_pager
    popl    %eax
    xorl    %eax, %eax
1:  movl    $-1, %edx
    xorl    %ecx, %ecx
    call    *4(%esp)
    movl    %gs:0, %edi
    andl    $~0xfff, %ebx               # one map item: send base (the fault's page), fpage
    movl    %ebx, %ecx
    orl     $8, %ebx
    andl    $0xf000, %ecx
    addl    (%esp), %ecx
    movl    %ebx, L4_UTCB_MR + 4(%edi)
    movl    %ecx, L4_UTCB_MR + 8(%edi)
    movl    $(2 << 6), %esi
    jmp     1b

/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that trap, as functions of one word, which goes in and comes back in EAX. */
    .text
    .global child_undefined
    .type   child_undefined, @function
child_undefined:
    movl    4(%esp), %eax
    ud2
    ret

    .global child_swi
    .type   child_swi, @function
child_swi:
    movl    4(%esp), %eax
    int     $0x80
    ret

/*
 * Address of a page that is not there yet, a number: loads from there with other registers and the flags
 * made of the number. Returns 0 if they still are what they were. (Bit n: the nth of EAX, EDX, EBX,
 * ESI, EDI, EBP; 6: flags, 7: ESP.)
 */
    .global child_fault_keeps
    .type   child_fault_keeps, @function
child_fault_keeps:
    pushl   %ebp
    pushl   %ebx
    pushl   %esi
    pushl   %edi
    movl    20(%esp), %ecx
    movl    24(%esp), %eax
    pushl   %esp                        # 0(%esp): what ESP is
    leal    2(%eax), %edx
    leal    3(%eax), %ebx
    leal    4(%eax), %esi
    leal    5(%eax), %edi
    leal    6(%eax), %ebp
    pushl   %eax
    andl    $0x8d5, (%esp)              # C, P, A, Z, S, O
    orl     $0x202, (%esp)
    popfl
    movl    (%ecx), %ecx
    pushfl
    popl    %ecx
    xorl    %eax, %ecx
    andl    $0x8d5, %ecx
    jz      1f
    movl    $1 << 6, %ecx
1:  addl    $4, (%esp)
    cmpl    %eax, 28(%esp)
    je      2f
    orl     $1, %ecx
2:  subl    %eax, %edx
    cmpl    $2, %edx
    je      3f
    orl     $2, %ecx
3:  subl    %eax, %ebx
    cmpl    $3, %ebx
    je      4f
    orl     $4, %ecx
4:  subl    %eax, %esi
    cmpl    $4, %esi
    je      5f
    orl     $8, %ecx
5:  subl    %eax, %edi
    cmpl    $5, %edi
    je      6f
    orl     $16, %ecx
6:  subl    %eax, %ebp
    cmpl    $6, %ebp
    je      7f
    orl     $32, %ecx
7:  popl    %eax
    addl    $-4, %eax
    cmpl    %esp, %eax
    je      8f
    orl     $128, %ecx
8:  movl    %ecx, %eax
    popl    %edi
    popl    %esi
    popl    %ebx
    popl    %ebp
    ret

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Level 3, the ways into the kernel, and the loops that go them. What a handler would do is nothing:
 * it returns at once. Stamps are times: in the loop before (EBX), at the handler's beginning (EDI), in
 * the loop after it (EAX).
 */
#include "../os/bare_ia32.h"
#include "p4.h"

#define IOPL_3 0x3000

/* The interrupt controller's request register, and the timer's counter 0 in mode 0 (Intel 231468 and
 * 231164): two bytes follow, then its output goes up after so many ticks. */
#define PIC     0x20
#define TIMER   0x40
#define CONTROL 0x43
#define ONCE    0x30
#define TICKS   2

    .text
    .global p4_at_level_3, p4_done
p4_at_level_3:
    pushl   %ebp
    pushl   %ebx
    pushl   %esi
    pushl   %edi
    movl    %esp, kernel_stack
    movl    %esp, bare_task + 4
    movl    20(%esp), %eax          /* body, times, from */
    movl    24(%esp), %ecx
    movl    28(%esp), %edx
    movl    $user_stack_end - 12, %ebx
    movl    $user_done, (%ebx)
    movl    %ecx, 4(%ebx)
    movl    %edx, 8(%ebx)
    pushl   $BARE_USER_DATA
    pushl   %ebx
    pushfl
    orl     $IOPL_3, (%esp)
    pushl   $BARE_USER_CODE
    pushl   %eax
    iretl
user_done:
    int     $VECTOR_DONE
p4_done:
    movl    kernel_stack, %esp
    popl    %edi
    popl    %esi
    popl    %ebx
    popl    %ebp
    ret

    /* ---- the kernel's entries ---- */

    .p2align 6
    .global p4_return, p4_return_far, p4_stamp, p4_sysenter_entry
p4_return:
    iretl
    .p2align 4
p4_return_far:
    lretl
    .p2align 4
p4_sysenter_entry:
    sysexit
    .p2align 4
p4_stamp:
    rdtsc
    movl    %eax, %edi
    iretl

    /* ---- loops: p4_NAME(times) ---- */

    .macro  begin name
    .p2align 6
    .global p4_\name
p4_\name:
    pushl   %ebp
    pushl   %ebx
    pushl   %esi
    pushl   %edi
    movl    20(%esp), %ebp
    movl    $0, p4_stamps
    movl    $0, p4_stamps + 4
    .p2align 4
1:
    .endm

    .macro  finish
    decl    %ebp
    jnz     1b
    popl    %edi
    popl    %esi
    popl    %ebx
    popl    %ebp
    ret
    .endm

    /* Takes the stamp after. */
    .macro  stamped
    rdtsc
    subl    %edi, %eax
    subl    %ebx, %edi
    addl    %edi, p4_stamps
    addl    %eax, p4_stamps + 4
    .endm

    begin   sysenter
    movl    %esp, %ecx
    movl    $2f, %edx
    sysenter
2:
    finish

    begin   int80
    int     $VECTOR_CALL
    finish

    begin   call_gate
    lcall   $SELECTOR(GATE), $0
    finish

    .macro  int_stamped name
    begin   \name
    rdtsc
    movl    %eax, %ebx
    int     $VECTOR_STAMP
    stamped
    finish
    .endm
    int_stamped int80_entry
    int_stamped int80_return

    /* The timer's interrupt waits when the loop lets it through: it comes after the instruction after
     * STI. The controller ends it by itself. */
    .macro  interrupt_stamped name
    begin   \name
    movb    $ONCE, %al
    outb    %al, $CONTROL
    movb    $TICKS, %al
    outb    %al, $TIMER
    xorl    %eax, %eax
    outb    %al, $TIMER
2:  inb     $PIC, %al
    testb   $1, %al
    jz      2b
    rdtsc
    movl    %eax, %ebx
    sti
    nop
    stamped
    cli
    finish
    .endm
    interrupt_stamped interrupt_entry
    interrupt_stamped interrupt_return

    .bss
    .p2align 2
    .global p4_stamps
p4_stamps:
    .space  8
kernel_stack:
    .space  4
    .p2align 6
    .space  1024
user_stack_end:

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program without an operating system on a PC: segments, a task, paging.
 *
 * Entered by a Multiboot loader (0.6.96, 3.2) in protected mode without paging, EBX = what it tells.
 * Goes on to bare_main in bare_ia32.c with that. Sections of SDM vol. 3.
 */
#include "bare_ia32.h"

#define CR0_WP  (1 << 16)
#define CR0_PG  (1 << 31)
#define MEMORY  (64 >> 2) /* large pages that are cached */

    .section .text.start, "ax", %progbits
    .global _start
    .p2align 2
    /* The header (3.1), which wants nothing: all that it needs to know stands in the ELF file. */
    .long   0x1badb002, 0, -0x1badb002

_start:
    cld
    movl    $_stack_top, %esp
    movl    $_bss_start, %edi
    movl    $_bss_end, %ecx
    subl    %edi, %ecx
    xorl    %eax, %eax
    rep stosb

    /* The task's descriptor has its base in three pieces (6.2.2). */
    movl    $bare_task, %eax
    movw    %ax, bare_gdt + BARE_TASK + 2
    shrl    $16, %eax
    movb    %al, bare_gdt + BARE_TASK + 4
    movb    %ah, bare_gdt + BARE_TASK + 7
    movl    $BARE_KERNEL_DATA, bare_task + 8
    movw    $BARE_TASK_BYTES, bare_task + 102 /* no I/O permission bit map */

    lgdt    gdt_register
    lidt    idt_register
    ljmp    $BARE_KERNEL_CODE, $1f
1:  movl    $BARE_KERNEL_DATA, %eax
    movl    %eax, %ss
    movl    $BARE_USER_DATA, %eax
    movl    %eax, %ds
    movl    %eax, %es
    movl    %eax, %fs
    movl    %eax, %gs
    movl    $BARE_TASK, %eax
    ltr     %ax

    xorl    %ecx, %ecx
2:  movl    %ecx, %eax
    shll    $22, %eax
    orl     $(PAGE_MINE | PAGE_LARGE), %eax
    cmpl    $MEMORY, %ecx
    jb      3f
    orl     $(PAGE_UNCACHED | PAGE_THROUGH), %eax
3:  movl    %eax, bare_directory(, %ecx, 4)
    incl    %ecx
    cmpl    $1024, %ecx
    jb      2b
    movl    $(CR4_PSE | CR4_PGE), %eax
    movl    %eax, %cr4
    movl    $bare_directory, %eax
    movl    %eax, %cr3
    movl    %cr0, %eax
    orl     $(CR0_PG | CR0_WP), %eax
    movl    %eax, %cr0

    pushl   %ebx
    call    bare_main
    jmp     .

    .data
    .p2align 3
    .global bare_gdt
bare_gdt:
    .quad   0
    .quad   0x00cf9b000000ffff
    .quad   0x00cf93000000ffff
    .quad   0x00cffb000000ffff
    .quad   0x00cff3000000ffff
    .quad   0x0000890000000000 | (BARE_TASK_BYTES - 1)
    .fill   BARE_SEGMENTS - BARE_FREE, 8, 0

    .p2align 2
    .word   0
gdt_register:
    .word   BARE_SEGMENTS * 8 - 1
    .long   bare_gdt
    .word   0
idt_register:
    .word   BARE_VECTORS * 8 - 1
    .long   bare_idt

    .bss
    .p2align 3
    .global bare_idt, bare_task
bare_idt:
    .space  BARE_VECTORS * 8
bare_task:
    .space  BARE_TASK_BYTES

    .section .pool, "aw", %nobits
    .p2align 12
    .global bare_directory
bare_directory:
    .space  4096

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a Multiboot loader (0.6.96, 3.2) to C: protected mode without paging, running at physical
 * addresses, EBX = what the loader tells.
 *
 * Makes the kernel's page directory of pages of 4 MB, with all of memory at its physical address
 * besides (bootinfo_init takes that away), then jumps to the kernel's own addresses. Sections of SDM
 * vol. 3.
 */
#include "layout.h"
#include "segments.h"

/* Directory entries (3.7.6): present, writable, a large page; global; uncached. */
#define LARGE    0x083
#define GLOBAL   0x100
#define UNCACHED 0x018

/* 2.5: large and global pages; paging, write protection for the kernel, no floating-point unit. */
#define CR4 0x90
#define CR0 0x80010004

    .section .boot, "ax"
    .p2align 2
    /* The header (3.1), which wants nothing: all that it needs to know stands in the ELF file. */
    .long   0x1badb002, 0, -0x1badb002

    .global _start
_start:
    cld
    movl    %ebx, %ebp
    movl    $BOOT_DIRECTORY_PA, %ebx
    movl    %ebx, %edi
    movl    $1024, %ecx
    xorl    %eax, %eax
    rep stosl

    movl    $sections, %esi
1:  movl    (%esi), %edi                # va
    movl    4(%esi), %eax               # pa | attributes
    movl    8(%esi), %ecx               # number
    jecxz   3f
    shrl    $22, %edi
2:  movl    %eax, (%ebx, %edi, 4)
    addl    $0x400000, %eax
    incl    %edi
    loop    2b
    addl    $12, %esi
    jmp     1b

3:  movl    $CR4, %eax
    movl    %eax, %cr4
    movl    %ebx, %cr3
    movl    %cr0, %eax
    orl     $CR0, %eax
    movl    %eax, %cr0
    movl    $high, %eax
    jmp     *%eax

    .p2align 2
sections:
    .long   SDRAM_PA, SDRAM_PA + LARGE, SDRAM_SIZE >> 22
    .long   KERNEL_VA, KERNEL_PA + LARGE + GLOBAL, KERNEL_SIZE >> 22
    .long   HEAP_VA, HEAP_PA + LARGE + GLOBAL, HEAP_SIZE >> 22
    .long   PROBE_VA, PROBE_PA + LARGE + GLOBAL + UNCACHED, 1
    .long   SDRAM_VA, SDRAM_PA + LARGE + GLOBAL, SDRAM_SIZE >> 22
    .long   0, 0, 0

    .text
high:
    lgdt    segments_register
    ljmp    $KERNEL_CODE, $1f
1:  movl    $KERNEL_DATA, %eax
    movl    %eax, %ss
    movl    $USER_DATA, %eax
    movl    %eax, %ds
    movl    %eax, %es
    movl    %eax, %fs
    movl    $USER_UTCB, %eax
    movl    %eax, %gs

    movl    $kernel_bss_start, %edi
    movl    $kernel_bss_end, %ecx
    subl    %edi, %ecx
    shrl    $2, %ecx
    xorl    %eax, %eax
    rep stosl

    movl    $kernel_stack_top, %esp
    pushl   %ebp
    call    kernel_main
    jmp     kernel_exit

    .data
    .p2align 6
    .global segments
segments:
    .quad   0
    .quad   0x00cf9b000000ffff          # code and data of all 4 GB, the kernel's and programs'
    .quad   0x00cf93000000ffff
    .quad   0x00cffb000000ffff
    .quad   0x00cff3000000ffff
    .quad   0                           # the task state (cpu.c)
    .quad   0xf140f14000000003          # a word at UTCB_SEGMENT_VA, for reading
    .if     UTCB_SEGMENT_VA - 0xf1400000
    .error  "the segment of the UTCB pointer"
    .endif
/* The word of LGDT; then the eighth descriptor, of the thread's own segment (own_state.c), takes its place. */
    .global own_segment_descriptor
own_segment_descriptor:
segments_register:
    .word   SEGMENTS * 8 - 1
    .long   segments
    .word   0

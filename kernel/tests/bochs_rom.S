/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a ROM that is a boot loader for Bochs (kernel_bochs_test.py): from the processor's reset to
 * an image's entry, with the image's pieces copied from the beginning of the ROM to where they belong.
 *
 * There: number of pieces, entry; then of each its address, its length, and its bytes.
 */
    .code16
    .globl  _start
_start:
    cli
    inb     $0x92, %al                  # address line 20
    orb     $2, %al
    outb    %al, $0x92
    lgdtl   %cs:(table - _start)
    movl    %cr0, %eax
    orl     $1, %eax
    movl    %eax, %cr0
    ljmpl   $8, $1f

    .code32
1:  movl    $0x10, %eax
    movl    %eax, %ds
    movl    %eax, %es
    movl    %eax, %ss
    cld
    movl    $ROM, %esi
    lodsl
    movl    %eax, %edx
    lodsl
    movl    %eax, %ebp
2:  lodsl
    movl    %eax, %edi
    lodsl
    movl    %eax, %ecx
    rep movsb
    decl    %edx
    jnz     2b
    xorl    %ebx, %ebx                  # no Multiboot information
    jmp     *%ebp

    .p2align 3
descriptors:
    .quad   0, 0x00cf9b000000ffff, 0x00cf93000000ffff
table:
    .word   23
    .long   descriptors

    .org    0xfff0                      # where the processor begins
    .code16
    ljmp    $0xf000, $0
    .org    0x10000

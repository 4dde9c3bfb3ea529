// SPDX-License-Identifier: Apache-2.0
// What runs between the blocks of a system stream (ia32_system.py, which has the same numbers): for
// each exception, interrupt and SYSENTER a stub at level 0 that notes what it found, and the
// dispatcher, which enters the next block.
//
// A stub must get on with what the block has left: any segments but CS, any stack that could be
// pushed onto. So two registers are kept in debug registers, of which none is enabled.

#define STUBS        34
#define STUB_BYTES   16
#define ENTRY_OFFSET (STUB_BYTES * STUBS)
#define END_OFFSET   (ENTRY_OFFSET + 16)

#define CODE         0x08
#define DATA         0x28
#define STACK        0x5400
#define GDT_POINTER  0x2800
#define IDT_POINTER  0x2808
#define CR0          0x2810
#define CR3          0x2814
#define CR4          0x2818
#define BLOCK        0x281c
#define BLOCKS       0x2820
#define NOTE         0x2824
#define NOTES_LEFT   0x2828
#define BLOCK_TABLE  0x3000
#define TSS_RIGHTS   (0x1000 + 8 * 9 + 5) // and two more
#define BUSY         2

// A note.
#define NOTE_BYTES   96
#define VECTOR       0
#define BLOCK_NUMBER 4
#define REGISTERS    8
#define FLAGS        40
#define CS_SS        44
#define DS_ES        48
#define FS_GS        52
#define CR2          56
#define DR6          60
#define TR_LDTR      64
#define ON_STACK     68

// An entry of the table of blocks.
#define ENTRY_BYTES  80
#define TO_EIP       0
#define TO_CS        4
#define TO_FLAGS     8
#define TO_ESP       12
#define TO_SS        16
#define TO_DS        20
#define TO_ES        24
#define TO_FS        28
#define TO_GS        32
#define TO_TR        36
#define TO_LDTR      40
#define TO_SYSENTER  44
#define TO_REGISTERS 48

#define SYSENTER_CS  0x174
#define SYSENTER_ESP 0x175
#define SYSENTER_EIP 0x176
#define SYSENTER     33
#define FLAGS_FIXED  2

    .text
stubs:
    .set vector, 0
    .rept STUBS
    .org STUB_BYTES * vector
    mov %eax, %dr0
    mov $vector, %eax
    jmp note
    .set vector, vector + 1
    .endr

    // A case begins here, in its flat segments, with the block before the first.
    .org ENTRY_OFFSET
    .globl _start
_start:
    jmp first

    // And ends here.
    .org END_OFFSET
end:
    nop
    .skip 15

first:
    xor %edx, %edx
    mov $SYSENTER_ESP, %ecx
    mov $STACK, %eax
    wrmsr
    mov $SYSENTER_EIP, %ecx
    mov $stubs + STUB_BYTES * SYSENTER, %eax
    wrmsr
    jmp dispatch

too_many:
    jmp dispatch

note:
    mov %eax, %dr1
    mov %ds, %eax
    mov %eax, %dr2
    mov $DATA, %eax
    mov %eax, %ds
    mov NOTE, %eax
    mov %ecx, REGISTERS + 4(%eax)
    mov %edx, REGISTERS + 8(%eax)
    mov %ebx, REGISTERS + 12(%eax)
    mov %esp, REGISTERS + 16(%eax)
    mov %ebp, REGISTERS + 20(%eax)
    mov %esi, REGISTERS + 24(%eax)
    mov %edi, REGISTERS + 28(%eax)
    // What follows uses the stack, and where it cannot it comes here again: not for ever. Nothing
    // before it may change the flags.
    mov NOTES_LEFT, %ecx
    jecxz too_many
    lea -1(%ecx), %ecx
    mov %ecx, NOTES_LEFT
    pushf
    pop FLAGS(%eax)
    mov %dr0, %ecx
    mov %ecx, REGISTERS(%eax)
    mov %dr1, %ecx
    mov %ecx, VECTOR(%eax)
    mov %dr2, %ecx
    mov %cx, DS_ES(%eax)
    mov %es, DS_ES + 2(%eax)
    mov %cs, CS_SS(%eax)
    mov %ss, CS_SS + 2(%eax)
    mov %fs, FS_GS(%eax)
    mov %gs, FS_GS + 2(%eax)
    mov %cr2, %ecx
    mov %ecx, CR2(%eax)
    mov %dr6, %ecx
    mov %ecx, DR6(%eax)
    str TR_LDTR(%eax)
    sldt TR_LDTR + 2(%eax)
    mov BLOCK, %ecx
    mov %ecx, BLOCK_NUMBER(%eax)
    addl $NOTE_BYTES, NOTE
    // The largest frame has six words; what lies after a smaller one is there on all stacks.
    pop ON_STACK(%eax)
    pop ON_STACK + 4(%eax)
    pop ON_STACK + 8(%eax)
    pop ON_STACK + 12(%eax)
    pop ON_STACK + 16(%eax)
    pop ON_STACK + 20(%eax)

dispatch:
    mov $DATA, %eax
    mov %eax, %es
    mov %eax, %fs
    mov %eax, %gs
    mov %eax, %ss
    mov $STACK, %esp
    push $FLAGS_FIXED
    popf
    // What a block at level 0 may have changed.
    lgdt GDT_POINTER
    lidt IDT_POINTER
    mov CR3, %eax
    mov %eax, %cr3
    mov CR4, %eax
    mov %eax, %cr4
    mov CR0, %eax
    mov %eax, %cr0
    xor %eax, %eax
    mov %eax, %cr2
    mov %eax, %dr6
    andb $~BUSY, TSS_RIGHTS
    andb $~BUSY, TSS_RIGHTS + 8
    andb $~BUSY, TSS_RIGHTS + 16

    cmpl $0, NOTES_LEFT
    je finish
    incl BLOCK
    mov BLOCK, %ebp
    cmp BLOCKS, %ebp
    jae finish
    imul $ENTRY_BYTES, %ebp
    add $BLOCK_TABLE, %ebp
    mov $SYSENTER_CS, %ecx
    xor %edx, %edx
    mov %ds:TO_SYSENTER(%ebp), %eax
    wrmsr
    ltr %ds:TO_TR(%ebp)
    lldt %ds:TO_LDTR(%ebp)
    testb $3, %ds:TO_CS(%ebp)
    jnz outwards
    lss %ds:TO_ESP(%ebp), %esp
    jmp enter
outwards:
    push %ds:TO_SS(%ebp)
    push %ds:TO_ESP(%ebp)
enter:
    push %ds:TO_FLAGS(%ebp)
    push %ds:TO_CS(%ebp)
    push %ds:TO_EIP(%ebp)
    mov %ds:TO_REGISTERS(%ebp), %eax
    mov %ds:TO_REGISTERS + 4(%ebp), %ecx
    mov %ds:TO_REGISTERS + 8(%ebp), %edx
    mov %ds:TO_REGISTERS + 12(%ebp), %ebx
    mov %ds:TO_REGISTERS + 20(%ebp), %esi
    mov %ds:TO_REGISTERS + 24(%ebp), %edi
    mov %ds:TO_ES(%ebp), %es
    mov %ds:TO_FS(%ebp), %fs
    mov %ds:TO_GS(%ebp), %gs
    mov %ds:TO_DS(%ebp), %ds
    mov %cs:TO_REGISTERS + 16(%ebp), %ebp
    iret

// Without paging, in flat segments, whatever the last block had.
finish:
    mov CR0, %eax
    and $0x7fffffff, %eax
    mov %eax, %cr0
    xor %eax, %eax
    lldt %ax
    ljmp $CODE, $end

// SPDX-License-Identifier: Apache-2.0
// From reset to the driver (driver.c), and from there into a case and back. Nothing here stands on
// memory that reset would have cleared: a case that shuts down comes here, too.

#define ROM_SEGMENT 0xf000
#define CODE        0x08
#define DATA        0x10
#define PE          1

// struct state (driver.c)
#define STATE_ESP    16
#define STATE_EFLAGS 36
#define STATE_ES     40
#define STATE_CS     44
#define STATE_SS     48
#define STATE_DS     52
#define STATE_FS     56
#define STATE_GS     60

    .section .reset, "ax"
    .code16
    .globl _start
_start:
    ljmpw $ROM_SEGMENT, $0
    .org 16

    .section .text.start, "ax"
    .code16
start:
    cli
    lgdtl %cs:(table_register - start)
    mov %cr0, %eax
    or $PE, %al
    mov %eax, %cr0
    ljmpl $CODE, $flat

    .code32
flat:
    call load_segments
    mov $stack_top, %esp
    call run_cases
    // Bochs' debugger stops at this, however often it is told to go on.
0:  xchg %bx, %bx
    jmp 0b

load_segments:
    mov $DATA, %eax
    mov %eax, %ds
    mov %eax, %es
    mov %eax, %fs
    mov %eax, %gs
    mov %eax, %ss
    ret

// void enter_case(void): loads `state`, with the tables `case_table`. Returns by way of leave_case, if
// the case comes to its end.
    .globl enter_case
enter_case:
    push %ebx
    push %ebp
    push %esi
    push %edi
    mov %esp, driver_stack
    lgdt case_table
    xor %eax, %eax
    lldt %ax
    mov state+STATE_CS, %eax
    mov %eax, target+4
    mov state+32, %eax
    mov %eax, target
    push state+STATE_EFLAGS
    popf
    mov state+STATE_ES, %es
    mov state+STATE_FS, %fs
    mov state+STATE_GS, %gs
    mov state+STATE_SS, %ss
    mov state+STATE_ESP, %esp
    mov state+4, %ecx
    mov state+8, %edx
    mov state+12, %ebx
    mov state+20, %ebp
    mov state+24, %esi
    mov state+28, %edi
    mov state, %eax
    mov state+STATE_DS, %ds
    ljmpl *%cs:target

// The driver puts a jump to this at the end of a case, which comes with flat segments.
    .globl leave_case
leave_case:
    mov %eax, state
    mov %ecx, state+4
    mov %edx, state+8
    mov %ebx, state+12
    mov %esp, state+STATE_ESP
    mov %ebp, state+20
    mov %esi, state+24
    mov %edi, state+28
    mov %es, state+STATE_ES
    mov %ss, state+STATE_SS
    mov %ds, state+STATE_DS
    mov %fs, state+STATE_FS
    mov %gs, state+STATE_GS
    mov driver_stack, %esp
    pushf
    pop state+STATE_EFLAGS
    lgdt table_register
    ljmpl $CODE, $0f
0:  mov driver_stack, %ebx
    push $2
    popf
    call load_segments
    mov %ebx, %esp
    pop %edi
    pop %esi
    pop %ebp
    pop %ebx
    ret

    .balign 8
table:
    .quad 0, 0x00cf9b000000ffff, 0x00cf93000000ffff
table_register:
    .word table_register - table - 1
    .long table

    .bss
    .balign 16
target:
    .skip 8
driver_stack:
    .skip 4
    .globl case_table
case_table:
    .skip 8
    .skip 4096
stack_top:

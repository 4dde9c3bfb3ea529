/* SPDX-License-Identifier: Apache-2.0 */
/* What tests and loaders of programs need to know of the processor and of its kernel's layout. */
#ifndef MACHINE_H
#define MACHINE_H

#include <l4/types.h>

/* Relocations of a word that holds an address: R_386_32 (System V ABI, Intel386 supplement, 4).
 * What else there is in these programs is relative to the place. */
#define MACHINE_RELOCATES(type) ((type) == 1)

/* Where the areas of tasks are that share one address space, and how far they are apart. */
#define MACHINE_APART_BASE 0x60000000u
#define MACHINE_APART_STEP 0x100000u

/* Who flushes so much of a space, aligned, gives back the page table for it, too; 20 at least. */
#define MACHINE_TABLE_LOG2 20u

/* Where the kernel begins (kernel/arch/ia32/layout.h), the word that programs may read there, 16 MB
 * around that, and other places. */
#define KERNEL_AREA      0xd0000000u
#define UTCB_WORD        0xf1400000u
#define KERNEL_16_MB     0xf1000000u
#define KERNEL_PLACES    0xd0000000, 0xf0000000, 0xf0100000, 0xf1400ff0, 0xfffffff0
#define KERNEL_FUNCTIONS /* addresses to read, write and call */                                   \
    0xf0000000, 0xf0100000, 0xf0fffffc, 0xf1000000, 0xf1401000, 0xfffffff8

#define UTCB_WORD_IS_READABLE 1

/* Of addresses whose parts of 32 MB a test goes through. */
#define SLOTS_END KERNEL_AREA

/* An attribute of memory that is neither the default nor uncached. */
#define MEMORY_OTHER L4_IA32_MEMORY_THROUGH

/* ---- code, in words ---- */

typedef L4_Word32_t code_t;

/* Returns. As all words of a page: wherever one jumps to in there. */
#define CODE_RETURN 0xc3c3c3c3u

/* Does an instruction that begins so store a register? */
#define CODE_STORES(instruction) (((instruction) & 0xff) == 0x89)

/* A function without arguments: returns a number below 256. */
#define CODE_FUNCTION(value) {0x000000b8u | ((value) & 0xff) << 8, 0x0000c300u}

/* Writes CODE_MARKER to 0x40100 and spins. */
#define CODE_MARKER 0x5au
#define CODE_MARK                                                                                  \
    {                                                                                              \
        0x010005c7u, /* movl $0x5a, 0x40100 */                                                     \
        0x005a0004u,                                                                               \
        0xfeeb0000u, /* jmp . */                                                                   \
    }

/* Reads each word of the page of UTCBs at 0xf1000 after the first UTCB, and clears it; spins. */
#define CODE_UTCBS     0xf1000
#define CODE_UTCB_SIZE 0x200
#define CODE_CLEAR_UTCBS                                                                           \
    {                                                                                              \
        0x0f1200b8u,              /* movl $0xf1200, %eax */                                        \
        0x0380b900u,              /* movl $0xe00 / 4, %ecx */                                      \
        0x108b0000u,              /* 1: movl (%eax), %edx */                                       \
        0x000000c7u, 0xc0830000u, /* movl $0, (%eax); addl $4, %eax */                             \
        0xf2754904u,              /* decl %ecx; jne 1b */                                          \
        0x0000feebu,              /* jmp . */                                                      \
    }

/* Functions of one access each: CODE_ACCESS has `instruction`, of at most four bytes, access
 * `address`, as the instruction at byte CODE_ACCESS_IP. A row: the instruction, the access, what it
 * returns (0: do not ask) where memory has 0x1234 and 0x5678, and where after the address it
 * accesses. None that reads and then writes: in QEMU those fault for reading first. */
#define CODE_ACCESS_IP 5u
#define CODE_ACCESS(instruction, address)                                                          \
    {0x000000b9u | (L4_Word_t)(address) << 8, /* movl $address, %ecx */                            \
     (L4_Word_t)(address) >> 24 | (L4_Word_t)(instruction) << 8,                                   \
     (L4_Word_t)(instruction) >> 24 | 0xc300u, 0, address}
#define CODE_ACCESSES                                                                              \
    {0x9090018b, L4_Readable, 0x1234, 0},     /* movl (%ecx), %eax */                              \
        {0x90900189, L4_Writable, 0, 0},      /* movl %eax, (%ecx) */                              \
        {0x9001b60f, L4_Readable, 0x34, 0},   /* movzbl (%ecx), %eax */                            \
        {0x90900188, L4_Writable, 0, 0},      /* movb %al, (%ecx) */                               \
        {0x9001b70f, L4_Readable, 0x1234, 0}, /* movzwl (%ecx), %eax */                            \
        {0x90018966, L4_Writable, 0, 0},      /* movw %ax, (%ecx) */                               \
        {0x9001be0f, L4_Readable, 0x34, 0},   /* movsbl (%ecx), %eax */                            \
        {0x905831ff, L4_Readable, 0x1234, 0}, /* pushl (%ecx); popl %eax */                        \
        {0x9004418b, L4_Readable, 0x5678, 4}, /* movl 4(%ecx), %eax */

#endif

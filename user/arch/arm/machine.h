/* SPDX-License-Identifier: Apache-2.0 */
/* What tests and loaders of programs need to know of the processor and of its kernel's layout. */
#ifndef MACHINE_H
#define MACHINE_H

#include <l4/types.h>

/* Relocations of a word that holds an address: R_ARM_ABS32, R_ARM_TARGET1 (ELF for the ARM
 * Architecture, 4.6). What else there is in these programs is relative to the place. */
#define MACHINE_RELOCATES(type) ((type) == 2 || (type) == 38)

/* Where the areas of tasks are that share one address space, and how far they are apart. */
#define MACHINE_APART_BASE 0x60000000u
#define MACHINE_APART_STEP 0x100000u

/* Who flushes so much of a space, aligned, gives back the page table for it, too; 20 at least. */
#define MACHINE_TABLE_LOG2 20u

/* Where the kernel begins (kernel/arch/arm/layout.h), the word that programs may read there, 16 MB
 * around that, and other places. */
#define KERNEL_AREA         0xfe000000u
#define UTCB_WORD           L4_ARM_UTCB_POINTER
#define KERNEL_16_MB        0xff000000u
#define KERNEL_PLACES       0xfe000000, 0xfff00000, 0xffff0000, 0xfffffff0
#define KERNEL_FUNCTIONS    /* addresses to read, write and call; 0xfffffffc is among the jump     \
                               targets */                                                          \
    0xfe000000, 0xfe100000, 0xfefffffc, 0xfff00000, 0xffff0000, 0xffff0018

#define UTCB_WORD_IS_READABLE 1

/* Of addresses whose parts of 32 MB a test goes through. */
#define SLOTS_END KERNEL_AREA

/* An attribute of memory that is neither the default nor uncached. */
#define MEMORY_OTHER L4_ARM_MEMORY_MINI_CACHE

/* ---- code, in words ---- */

typedef L4_Word32_t code_t;

/* Returns. As all words of a page: wherever one jumps to in there. */
#define CODE_RETURN 0xe1a0f00eu /* mov pc, lr */

/* Is this instruction a single data transfer that stores? */
#define CODE_STORES(instruction) (((instruction) >> 20 & 0xc1) == 0x40)

/* A function without arguments: returns a number below 256. */
#define CODE_FUNCTION(value) {0xe3a00000u | ((value) & 0xff), CODE_RETURN}

/* Writes CODE_MARKER to 0x40100 and spins. */
#define CODE_MARKER 0x5au
#define CODE_MARK                                                                                  \
    {                                                                                              \
        0xe3a01701u, /* mov r1, #0x40000 */                                                        \
        0xe3a0005au, /* mov r0, #0x5a */                                                           \
        0xe5810100u, /* str r0, [r1, #0x100] */                                                    \
        0xeafffffeu, /* b . */                                                                     \
    }

/* Reads each word of the page of UTCBs at 0xf1000 after the first UTCB, and clears it; spins. */
#define CODE_UTCBS     0xf1000
#define CODE_UTCB_SIZE 0x200
#define CODE_CLEAR_UTCBS                                                                           \
    {                                                                                              \
        0xe3a0080fu, /* mov r0, #0xf0000 */                                                        \
        0xe2800a01u, /* add r0, r0, #0x1000 */                                                     \
        0xe2800c02u, /* add r0, r0, #0x200 */                                                      \
        0xe3a01d0eu, /* mov r1, #0xe00 / 4 */                                                      \
        0xe3a03000u, /* mov r3, #0 */                                                              \
        0xe5902000u, /* 1: ldr r2, [r0] */                                                         \
        0xe4803004u, /* str r3, [r0], #4 */                                                        \
        0xe2511001u, /* subs r1, r1, #1 */                                                         \
        0x1afffffbu, /* bne 1b */                                                                  \
        0xeafffffeu, /* b . */                                                                     \
    }

/* Functions of one access each: CODE_ACCESS has `instruction` access `address`, as the instruction
 * at byte CODE_ACCESS_IP. A row: the instruction, the access, what it returns (0: do not ask) where
 * memory has 0x1234 and 0x5678, and where after the address it accesses. */
#define CODE_ACCESS_IP 4u
#define CODE_ACCESS(instruction, address)                                                          \
    {0xe59f1008u /* ldr r1, [pc, #8] */, instruction, CODE_RETURN, 0, address}
#define CODE_ACCESSES                                                                              \
    {0xe5910000, L4_Readable, 0x1234, 0},     /* ldr r0, [r1] */                                   \
        {0xe5810000, L4_Writable, 0, 0},      /* str r0, [r1] */                                   \
        {0xe5d10000, L4_Readable, 0x34, 0},   /* ldrb r0, [r1] */                                  \
        {0xe5c10000, L4_Writable, 0, 0},      /* strb r0, [r1] */                                  \
        {0xe1d100b0, L4_Readable, 0x1234, 0}, /* ldrh r0, [r1] */                                  \
        {0xe1c100b0, L4_Writable, 0, 0},      /* strh r0, [r1] */                                  \
        {0xe1d100d0, L4_Readable, 0x34, 0},   /* ldrsb r0, [r1] */                                 \
        {0xe8910005, L4_Readable, 0x1234, 0}, /* ldmia r1, {r0, r2} */                             \
        {0xe8b10005, L4_Readable, 0x1234, 0}, /* ldmia r1!, {r0, r2} */                            \
        {0xe8810005, L4_Writable, 0, 0},      /* stmia r1, {r0, r2} */                             \
        {0xe1010090, L4_Writable, 0x1234, 0}, /* swp r0, r0, [r1] */                               \
        {0xe4910004, L4_Readable, 0x1234, 0}, /* ldr r0, [r1], #4 */                               \
        {0xe5b10004, L4_Readable, 0x5678, 4}, /* ldr r0, [r1, #4]! */

#endif

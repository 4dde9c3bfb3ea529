/* SPDX-License-Identifier: Apache-2.0 */
/* What tests and loaders of programs need to know of the processor and of its kernel's layout. */
#ifndef MACHINE_H
#define MACHINE_H

#include <l4/types.h>

/* Relocations of a word that holds an address: R_RISCV_64 (RISC-V ELF psABI, 8). What else there is
 * in these programs is relative to the place. */
#define MACHINE_RELOCATES(type) ((type) == 2)

/* Where the areas of tasks are that share one address space, and how far they are apart. */
#define MACHINE_APART_BASE 0x20000000u
#define MACHINE_APART_STEP 0x200000u

/* Who flushes so much of a space, aligned, gives back the page table for it, too; 20 at least. */
#define MACHINE_TABLE_LOG2 21u

/* Where the kernel begins (kernel/arch/riscv/layout.h), a word of its that programs would like to
 * read, 16 MB around that, and other places. */
#define KERNEL_AREA      0x4000000000u
#define UTCB_WORD        0xffffffc080000000u
#define KERNEL_16_MB     0xffffffc080000000u
#define KERNEL_PLACES    0x4000000000, 0xffffffc000000000, 0xffffffc080000000, 0xfffffffffffffff0
#define KERNEL_FUNCTIONS /* addresses to read, write and call */                                   \
    0x4000000000, 0x8000000000, 0xffffffc000000000, 0xffffffc080000000, 0xffffffc080200000,        \
        0xfffffffffffffff8

/* Whether programs may read that word: tp says where the UTCB is. */
#define UTCB_WORD_IS_READABLE 0

/* Of addresses whose parts of 32 MB a test goes through. */
#define SLOTS_END 0x100000000u

/* An attribute of memory that is not the default: there is no third. */
#define MEMORY_OTHER L4_MEMORY_UNCACHED

/* ---- code, in pieces of 32 bits ---- */

typedef L4_Word32_t code_t;

/* Returns. As all of a page: wherever one jumps to in there. */
#define CODE_RETURN 0x00008067u

/* Does an instruction that begins so store a register? (S-type, or compressed C.SW, C.SD) */
#define CODE_STORES(instruction)                                                                   \
    (((instruction) & 0x7f) == 0x23 || ((instruction) & 0xe003) == 0xc000 ||                       \
     ((instruction) & 0xe003) == 0xe000)

/* A function without arguments: returns a number below 256. */
#define CODE_FUNCTION(value) {0x00000513u | ((code_t)(value) & 0xff) << 20, CODE_RETURN}

/* Writes CODE_MARKER to 0x40100 and spins. */
#define CODE_MARKER 0x5au
#define CODE_MARK                                                                                  \
    {                                                                                              \
        0x000405b7u, /* lui a1, 0x40 */                                                            \
        0x05a00513u, /* li a0, 0x5a */                                                             \
        0x10a5b023u, /* sd a0, 0x100(a1) */                                                        \
        0x0000006fu, /* j . */                                                                     \
    }

/* Reads each word of the page of UTCBs at 0xf2000 after the first UTCB, and clears it; spins. */
#define CODE_UTCBS     0xf2000
#define CODE_UTCB_SIZE 0x400
#define CODE_CLEAR_UTCBS                                                                           \
    {                                                                                              \
        0x000f2537u, /* lui a0, 0xf2 */                                                            \
        0x40050513u, /* addi a0, a0, 0x400 */                                                      \
        0x18000593u, /* li a1, 0xc00 / 8 */                                                        \
        0x00053603u, /* 1: ld a2, (a0) */                                                          \
        0x00053023u, /* sd zero, (a0) */                                                           \
        0x00850513u, /* addi a0, a0, 8 */                                                          \
        0xfff58593u, /* addi a1, a1, -1 */                                                         \
        0xfe0598e3u, /* bnez a1, 1b */                                                             \
        0x0000006fu, /* j . */                                                                     \
    }

/* Functions of one access each: CODE_ACCESS has `instruction` access `address`, as the instruction
 * at byte CODE_ACCESS_IP. A row: the instruction, the access, what it returns (0: do not ask) where
 * memory has 0x1234 and 0x5678, and where after the address it accesses. None that reads and then
 * writes: in QEMU those fault for reading first. */
#define CODE_ACCESS_IP 8u
#define CODE_ACCESS(instruction, address)                                                          \
    {0x00000597u /* auipc a1, 0 */,                                                                \
     0x0105b583u /* ld a1, 16(a1) */,                                                              \
     instruction,                                                                                  \
     CODE_RETURN,                                                                                  \
     (code_t)(address),                                                                            \
     (code_t)((L4_Word_t)(address) >> 32)}
#define CODE_ACCESSES                                                                              \
    {0x0005a503, L4_Readable, 0x1234, 0},     /* lw a0, (a1) */                                    \
        {0x00a5a023, L4_Writable, 0, 0},      /* sw a0, (a1) */                                    \
        {0x0005c503, L4_Readable, 0x34, 0},   /* lbu a0, (a1) */                                   \
        {0x00a58023, L4_Writable, 0, 0},      /* sb a0, (a1) */                                    \
        {0x0005d503, L4_Readable, 0x1234, 0}, /* lhu a0, (a1) */                                   \
        {0x00a59023, L4_Writable, 0, 0},      /* sh a0, (a1) */                                    \
        {0x0005b503, L4_Readable, 0, 0},      /* ld a0, (a1) */                                    \
        {0x00a5b023, L4_Writable, 0, 0},      /* sd a0, (a1) */                                    \
        {0x1005a52f, L4_Readable, 0x1234, 0}, /* lr.w a0, (a1) */                                  \
        {0x0045a503, L4_Readable, 0x5678, 4}, /* lw a0, 4(a1) */

#endif

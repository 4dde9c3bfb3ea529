/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of ELF that a loader needs (System V ABI, chapters 4 and 5), in the machine's class:
 * ELF32 with relocations that have their addend in place, or ELF64 with such that bring it along.
 */
#ifndef COMMON_ELF_H
#define COMMON_ELF_H

#include <l4/types.h>

struct elf_header {
    uint8_t ident[16];
    uint16_t type, machine;
    uint32_t version;
    L4_Word_t entry, phoff, shoff;
    uint32_t flags;
    uint16_t ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};

#if L4_BITS_PER_WORD == 64
struct elf_segment {
    uint32_t type, flags;
    L4_Word_t offset, vaddr, paddr, filesz, memsz, align;
};

struct elf_symbol {
    uint32_t name;
    uint8_t info, other;
    uint16_t section;
    L4_Word_t value, size;
};

struct elf_relocation {
    L4_Word_t offset, info, addend;
};

#define ELF_RELOCATIONS       4u /* SHT_RELA */
#define ELF_RELOCATION_SYMBOL 32 /* of `info`, from this bit on; below it the type */
#else
struct elf_segment {
    uint32_t type, offset, vaddr, paddr, filesz, memsz, flags, align;
};

struct elf_symbol {
    uint32_t name, value, size;
    uint8_t info, other;
    uint16_t section;
};

struct elf_relocation {
    uint32_t offset, info;
};

#define ELF_RELOCATIONS       9u /* SHT_REL */
#define ELF_RELOCATION_SYMBOL 8
#endif

#define ELF_LOAD 1u

struct elf_section {
    uint32_t name, type;
    L4_Word_t flags, addr, offset, size;
    uint32_t link, info;
    L4_Word_t addralign, entsize;
};

#define ELF_ALLOC    2u
#define ELF_ABSOLUTE 0xfff1u

L4_INLINE L4_Word_t elf_relocation_symbol(const struct elf_relocation *r) {
    return r->info >> ELF_RELOCATION_SYMBOL;
}

L4_INLINE uint32_t elf_relocation_type(const struct elf_relocation *r) {
    return (uint32_t)(r->info & (((L4_Word_t)1 << ELF_RELOCATION_SYMBOL) - 1));
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Schemes in which each space has a root of its own, with the kernel's entries in it. */
#ifndef ROOT_H
#define ROOT_H

#include "cpu.h"
#include "kmem.h"
#include "ptab_entry.h"
#include "switch.h"
#include "switch_above.h"

/* The new space's root gets the kernel's entries. Returns what satp is for it, with ASID 0. */
static inline word_t root_init(const struct space *space) {
    for (word_t i = 0; i < KERNEL_ROOT_ENTRIES; i++) {
        space->directory[KERNEL_ROOT_ENTRY + i] = ptab_kernel_directory[KERNEL_ROOT_ENTRY + i];
    }
    return SATP_SV39 | heap_uncached_to_pa(space->directory) / PAGE_SIZE;
}

/* Writes an entry of level 1; the tables above it are there. */
static inline void root_set_directory(const struct space *space, word_t index, word_t value) {
    middle_table(space, index << SECTION_LOG2)[index & (ENTRIES_PER_TABLE - 1)] = value;
}

#endif
